"""The table of keys of a league file.

Reading, the JSON Schema and its descriptions all come from here. A new key is one line in this
table and one in `leagues/README.md`, which a test compares with it.
"""

from enum import StrEnum

from runner.config.groups import Group, Key, Listing
from runner.config.kinds import Choice, Flag, Moment, Seconds, Seed, Text, Whole, Word
from runner.game.rules import Play
from runner.records import Limits, SandboxMode


class Execution(StrEnum):
    """Where the sittings of a league are played."""

    RAY = "ray"
    SERIAL = "serial"


FORMATS = ("round_robin",)
"""The names of the schedule formats; `runner.schedule` says what each does."""

MIN_PLAYERS, MAX_PLAYERS = 3, 4
ENTRANT_NAME = Text(1, 40)
AUTHOR = Text(0, 80)
_LIMITS = Limits()
_PATH = Word("a path", 1000)
_MEMORY = Whole(16, 1_048_576)
_THREADS = Whole(1, 10_000)

LIMITS = Group(
    "limits",
    (
        Key(
            "move_seconds",
            Seconds(0.001, 3600),
            "CPU time that a bot may use for a decision.",
            default=_LIMITS.move_seconds,
        ),
        Key(
            "start_seconds",
            Seconds(0.1, 600),
            "Time until a fresh bot process must have said that it is ready.",
            default=_LIMITS.start_seconds,
        ),
        Key(
            "wall_seconds",
            Seconds(0.01, 36000),
            "Time with nothing answered after which a bot counts as hanging; not less than"
            " move_seconds.",
            default_doc="5 × move_seconds + 1",
        ),
        Key(
            "pondering_seconds",
            Seconds(0, 3600),
            "CPU time that a bot may use in a sitting while nothing is asked of it.",
            default=_LIMITS.pondering_seconds,
        ),
        Key(
            "sleep_seconds",
            Seconds(0, 86400),
            "Time in a sitting that a bot may spend idle while something is asked of it.",
            default=_LIMITS.sleep_seconds,
        ),
        Key(
            "max_faults",
            Whole(1, 1000),
            "With so many faults in a sitting an entrant is out for that sitting.",
            default=_LIMITS.max_faults,
        ),
        Key(
            "deals_in_flight",
            Whole(1, 1024),
            "How many deals of a sitting are in play at once; 1 suits bots that think long.",
            default=_LIMITS.deals_in_flight,
        ),
        Key(
            "memory_mb",
            _MEMORY,
            "Memory that a bot may use, in MB of 1024 × 1024 bytes. Address space that is only"
            " reserved does not count.",
            default=_LIMITS.memory_mb,
        ),
        Key(
            "files_mb",
            Whole(1, 65536),
            "What a bot may write to its temporary folder, which is its /dev/shm as well, in MB;"
            " only under bubblewrap can it write at all.",
            default=_LIMITS.files_mb,
        ),
        Key(
            "open_files",
            Whole(16, 65536),
            "How many files a bot may have open.",
            default=_LIMITS.open_files,
        ),
        Key(
            "threads",
            _THREADS,
            "How many threads a bot may have.",
            default=_LIMITS.threads,
        ),
    ),
)

ENTRANT = Group(
    "an entrant",
    (
        Key(
            "name",
            ENTRANT_NAME,
            "What the entrant is called; no two entrants may have names that differ in case only.",
            default_doc="the bot's file name without its ending; needed with command",
        ),
        Key(
            "bot",
            _PATH,
            "The bot's program: a file of a known ending (.py, .sh, .js, .rb, .pl, .jar), any other"
            " executable file, or a zip or folder with a bot.yaml.",
            default_doc="none; give either bot or command",
        ),
        Key(
            "command",
            Listing(Word("a word", 4000), "words", 1, 64),
            "The words of the command that runs the bot, in a folder that holds its files;"
            " python as the first word is the interpreter that the league runs bots with.",
            default_doc="none; give either bot or command",
        ),
        Key(
            "files",
            Listing(_PATH, "paths", 0, 100),
            "Further files that the bot may see, each under its base name.",
            default=(),
        ),
        Key(
            "packages",
            Flag(),
            "Whether a Python bot needs more than the standard library; it then starts slower.",
            default=False,
        ),
        Key("author", AUTHOR, "Who wrote the bot.", default=""),
        Key(
            "team",
            Text(1, 80),
            "Its team, with same_team_tables.",
            default_doc="its author; without one, a team of its own",
        ),
        Key(
            "memory_mb",
            _MEMORY,
            "Memory that this entrant may use, for runtimes that need more.",
            default_doc="that of limits",
        ),
        Key(
            "threads",
            _THREADS,
            "How many threads this entrant may have.",
            default_doc="that of limits",
        ),
    ),
    rules={
        "oneOf": [{"required": ["bot"]}, {"required": ["command", "name"]}],
        "dependencies": {"packages": ["bot"]},
        "not": {"required": ["bot", "command"]},
    },
)

BOT = Group(
    "a bot",
    (
        Key(
            "command",
            Listing(Word("a word", 4000), "words", 1, 64),
            "The words of the command that runs the bot, in the folder that holds its files;"
            " python as the first word is the interpreter that the league runs bots with.",
            required=True,
        ),
        Key("name", ENTRANT_NAME, "What the bot is called.", default_doc="as zip or folder"),
        Key("author", AUTHOR, "Who wrote the bot.", default=""),
        Key(
            "packages",
            Flag(),
            "Whether a Python bot needs more than the standard library; it then starts slower.",
            default=False,
        ),
    ),
)

SUBMISSIONS = Group(
    "submissions",
    (
        Key(
            "closes",
            Moment(),
            "From then on nothing can be submitted.",
            default_doc="never",
        ),
        Key(
            "most_versions",
            Whole(1, 1000),
            "How often an entrant may be submitted.",
            default_doc="no limit",
        ),
    ),
)

LEAGUE = Group(
    "a league",
    (
        Key("name", Text(1, 80), "What the league is called.", required=True),
        Key(
            "players",
            Whole(MIN_PLAYERS, MAX_PLAYERS),
            "How many play at a table.",
            required=True,
        ),
        Key(
            "play",
            Choice(tuple(play.value for play in Play)),
            "The direction in which the turn passes.",
            default=Play.ANTICLOCKWISE.value,
        ),
        Key(
            "format",
            Choice(FORMATS),
            "Who meets whom; round_robin: every set of as many entrants as play is a table.",
            default=FORMATS[0],
        ),
        Key(
            "deals",
            Whole(1, 1_000_000),
            "Deals per table; each is played once in every rotation of the seats. Fairest if a"
            " multiple of 6 with four players, of 2 with three.",
            default=600,
        ),
        Key(
            "deals_per_sitting",
            Whole(2, 6000),
            "How many deals of a table the same bot processes play; a multiple of 6 with four"
            " players, of 2 with three. The last sitting of a table may be shorter.",
            default=600,
        ),
        Key(
            "seed",
            Seed(Text(1, 100)),
            "Makes the deals the same for everybody, and foreseeable, for tests and examples.",
            default_doc="a secret is drawn at the first run",
        ),
        Key(
            "execution",
            Choice(tuple(place.value for place in Execution)),
            "How sittings are played: as many at a time as there are cores (ray), or one after the"
            " other in the process itself (serial).",
            default=Execution.RAY.value,
        ),
        Key(
            "same_team_tables",
            Flag(),
            "Whether entrants of one team meet; false leaves out the tables with two of one team.",
            default=True,
        ),
        Key(
            "sandbox",
            Choice(tuple(mode.value for mode in SandboxMode)),
            "Whether bots are isolated: they must be (required), as far as this machine can do it"
            " (auto), or not at all (off).",
            default=SandboxMode.AUTO.value,
        ),
        Key(
            "python",
            _PATH,
            "The Python that runs Python bots: an interpreter, or the folder of a virtual"
            " environment with the packages that bots may use.",
            default_doc="the one that runs the league",
        ),
        Key("limits", LIMITS, "What a bot may use.", default_doc="the defaults of its keys"),
        Key(
            "submissions",
            SUBMISSIONS,
            "Until when, and how often, bots may be submitted.",
            default_doc="any time, any number",
        ),
        Key(
            "beacon",
            Text(1, 200),
            "A public value that nobody could know at the commitment (letzter commit); it is mixed"
            " into the secret.",
            default_doc="none",
        ),
        Key(
            "entrants",
            Listing(ENTRANT, "entrants", MIN_PLAYERS, 1000),
            "The bots, at least as many as play at a table.",
            required=True,
        ),
    ),
    elsewhere={
        **{key.name: " (it belongs to an entrant)" for key in ENTRANT.keys},
        **{key.name: " (it belongs under 'limits')" for key in LIMITS.keys},
        **{key.name: " (it belongs under 'submissions')" for key in SUBMISSIONS.keys},
    },
)
