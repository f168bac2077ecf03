"""The schema of a league's database, as migrations. `leagues/README.md` describes it for readers.

SQL tables named `raw_…` hold compact text and ids; the view of the plain name is what one reads.
A migration, once it has landed, is never changed: a change of the schema is a new one.
"""

from sqlite_utils import Database, Migrations

APPLICATION_ID = 0x4C5A5452
"""Marks an SQLite file as a league's (`LZTR`)."""

migrations = Migrations("letzter")

_FIRST = """
CREATE TABLE league (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    players INTEGER NOT NULL,
    play TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    seed TEXT,
    secret TEXT,
    format TEXT NOT NULL,
    deals INTEGER NOT NULL,
    deals_per_sitting INTEGER NOT NULL,
    limits TEXT NOT NULL,
    begun_at TEXT NOT NULL,
    runner_version TEXT NOT NULL
) STRICT;

CREATE TABLE files (
    hash TEXT PRIMARY KEY,
    content BLOB NOT NULL
) STRICT;

CREATE TABLE bots (
    version TEXT PRIMARY KEY,
    command TEXT NOT NULL
) STRICT;

CREATE TABLE bot_files (
    version TEXT NOT NULL REFERENCES bots (version),
    name TEXT NOT NULL,
    hash TEXT NOT NULL REFERENCES files (hash),
    PRIMARY KEY (version, name)
) STRICT;

CREATE TABLE entrants (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL REFERENCES bots (version),
    author TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('unchecked', 'entered', 'refused', 'replaced')),
    reason TEXT NOT NULL DEFAULT '',
    passed TEXT NOT NULL DEFAULT '',
    UNIQUE (name, version)
) STRICT;

CREATE TABLE tables (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE table_entrants (
    table_id INTEGER NOT NULL REFERENCES tables (id),
    place INTEGER NOT NULL,
    entrant_id INTEGER NOT NULL REFERENCES entrants (id),
    PRIMARY KEY (table_id, place)
) STRICT;

CREATE INDEX table_entrants_entrant ON table_entrants (entrant_id);

CREATE TABLE sittings (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    table_id INTEGER NOT NULL REFERENCES tables (id),
    run INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    first_deal INTEGER NOT NULL,
    last_deal INTEGER NOT NULL,
    current INTEGER NOT NULL
) STRICT;

CREATE INDEX sittings_table ON sittings (table_id, run, rotation);

CREATE TABLE raw_deal_logs (
    sitting_id INTEGER NOT NULL REFERENCES sittings (id),
    deal INTEGER NOT NULL,
    seats TEXT NOT NULL,
    hands TEXT NOT NULL,
    shoves TEXT NOT NULL,
    plays TEXT NOT NULL,
    penalties TEXT NOT NULL,
    fault TEXT,
    fault_seat INTEGER,
    PRIMARY KEY (sitting_id, deal)
) STRICT, WITHOUT ROWID;

CREATE TABLE fault_counts (
    sitting_id INTEGER NOT NULL REFERENCES sittings (id),
    place INTEGER NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (sitting_id, place, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE raw_faults (
    id INTEGER PRIMARY KEY,
    sitting_id INTEGER NOT NULL REFERENCES sittings (id),
    place INTEGER NOT NULL,
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    deal INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    detail TEXT NOT NULL,
    request TEXT NOT NULL,
    reply TEXT NOT NULL,
    exit_status INTEGER,
    stderr TEXT NOT NULL,
    elapsed_seconds REAL,
    limit_seconds REAL,
    UNIQUE (sitting_id, place, kind, number)
) STRICT;

CREATE TABLE sitting_times (
    sitting_id INTEGER PRIMARY KEY REFERENCES sittings (id),
    wall_seconds REAL NOT NULL,
    referee_cpu_seconds REAL NOT NULL,
    stored_at TEXT NOT NULL
) STRICT;

CREATE TABLE entrant_times (
    sitting_id INTEGER NOT NULL REFERENCES sittings (id),
    place INTEGER NOT NULL,
    decisions INTEGER NOT NULL,
    decision_cpu_seconds REAL NOT NULL,
    slowest_cpu_seconds REAL NOT NULL,
    start_cpu_seconds REAL NOT NULL,
    pondering_cpu_seconds REAL NOT NULL,
    sleep_seconds REAL NOT NULL,
    starts INTEGER NOT NULL,
    PRIMARY KEY (sitting_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE rating_basis (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    basis TEXT NOT NULL,
    boards INTEGER NOT NULL,
    planned_boards INTEGER NOT NULL,
    draw_probability REAL NOT NULL,
    sweeps INTEGER NOT NULL,
    converged INTEGER NOT NULL
) STRICT;

CREATE TABLE raw_ratings (
    entrant_id INTEGER PRIMARY KEY REFERENCES entrants (id),
    rank INTEGER NOT NULL,
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    boards INTEGER NOT NULL,
    deals INTEGER NOT NULL,
    penalties_per_deal REAL NOT NULL,
    standard_error REAL,
    marches INTEGER NOT NULL
) STRICT;

CREATE VIEW ratings AS
SELECT raw_ratings.rank, entrants.name AS entrant, substr(entrants.version, 1, 8) AS version,
       entrants.author, raw_ratings.mu, raw_ratings.sigma, raw_ratings.boards, raw_ratings.deals,
       raw_ratings.penalties_per_deal, raw_ratings.standard_error, raw_ratings.marches
FROM raw_ratings JOIN entrants ON entrants.id = raw_ratings.entrant_id
ORDER BY raw_ratings.rank;

CREATE VIEW boards AS
SELECT substr(tables.key, 1, 8) AS "table", raw_deal_logs.deal, entrants.name AS entrant,
       substr(entrants.version, 1, 8) AS version,
       sum(CAST(substr(raw_deal_logs.penalties,
           instr(raw_deal_logs.seats, table_entrants.place), 1) AS INTEGER)) AS penalties,
       count(*) AS rotations
FROM sittings
JOIN raw_deal_logs ON raw_deal_logs.sitting_id = sittings.id
JOIN tables ON tables.id = sittings.table_id
JOIN table_entrants ON table_entrants.table_id = sittings.table_id
JOIN entrants ON entrants.id = table_entrants.entrant_id
WHERE sittings.current
GROUP BY sittings.table_id, raw_deal_logs.deal, table_entrants.place;

CREATE VIEW faults AS
SELECT entrants.name AS entrant, substr(entrants.version, 1, 8) AS version, raw_faults.kind,
       substr(tables.key, 1, 8) || '-' || raw_faults.deal || '-' || sittings.rotation AS deal_log,
       raw_faults.seat, raw_faults.detail, raw_faults.request, raw_faults.reply,
       raw_faults.exit_status, raw_faults.elapsed_seconds, raw_faults.limit_seconds
FROM raw_faults
JOIN sittings ON sittings.id = raw_faults.sitting_id
JOIN tables ON tables.id = sittings.table_id
JOIN table_entrants ON table_entrants.table_id = sittings.table_id
                   AND table_entrants.place = raw_faults.place
JOIN entrants ON entrants.id = table_entrants.entrant_id
WHERE sittings.current;

CREATE VIEW deal_logs AS
SELECT substr(tables.key, 1, 8) || '-' || raw_deal_logs.deal || '-' || sittings.rotation AS name,
       substr(tables.key, 1, 8) AS "table", raw_deal_logs.deal, sittings.rotation,
       (SELECT entrants.name FROM table_entrants JOIN entrants ON entrants.id = entrant_id
        WHERE table_id = sittings.table_id AND place = substr(seats, 1, 1)) AS forehand,
       CASE league.players WHEN 4 THEN
       (SELECT entrants.name FROM table_entrants JOIN entrants ON entrants.id = entrant_id
        WHERE table_id = sittings.table_id AND place = substr(seats, 2, 1)) END AS middlehand,
       (SELECT entrants.name FROM table_entrants JOIN entrants ON entrants.id = entrant_id
        WHERE table_id = sittings.table_id AND place = substr(seats, -2, 1)) AS rearhand,
       (SELECT entrants.name FROM table_entrants JOIN entrants ON entrants.id = entrant_id
        WHERE table_id = sittings.table_id AND place = substr(seats, -1, 1)) AS dealer,
       raw_deal_logs.hands, raw_deal_logs.shoves, raw_deal_logs.plays, raw_deal_logs.penalties,
       raw_deal_logs.fault,
       (SELECT entrants.name FROM table_entrants JOIN entrants ON entrants.id = entrant_id
        WHERE table_id = sittings.table_id AND place = substr(seats, fault_seat + 1, 1))
           AS fault_entrant,
       sittings.current
FROM raw_deal_logs
JOIN sittings ON sittings.id = raw_deal_logs.sitting_id
JOIN tables ON tables.id = sittings.table_id
JOIN league ON league.id = 1;
"""


_SECOND = """
ALTER TABLE sittings ADD COLUMN isolation TEXT NOT NULL DEFAULT 'off'
CHECK (isolation IN ('bubblewrap', 'landlock', 'limits', 'off'));

ALTER TABLE entrants ADD COLUMN memory_mb INTEGER NOT NULL DEFAULT 0;

ALTER TABLE entrants ADD COLUMN threads INTEGER NOT NULL DEFAULT 0;
"""


_SUBMISSIONS = """
CREATE TABLE submissions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL REFERENCES bots (version),
    author TEXT NOT NULL,
    submitted_at TEXT NOT NULL,
    withdrawn_at TEXT
) STRICT;

CREATE INDEX submissions_name ON submissions (name);

CREATE TABLE commitment (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    committed_at TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    secret TEXT,
    beacon TEXT
) STRICT;

CREATE TABLE committed_versions (
    name TEXT NOT NULL,
    version TEXT NOT NULL REFERENCES bots (version),
    PRIMARY KEY (name, version)
) STRICT, WITHOUT ROWID;

ALTER TABLE entrants ADD COLUMN entered_at TEXT NOT NULL DEFAULT '';
"""


def _execute_all(db: Database, statements: str) -> None:
    for statement in statements.split(";\n"):
        if statement.strip():
            db.execute(statement)


@migrations()
def m001_first(db: Database) -> None:
    """The league, its bots and entrants, its sittings, deal logs, faults, times and ratings."""
    _execute_all(db, _FIRST)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")


@migrations()
def m002_isolation(db: Database) -> None:
    """What isolation each sitting had, and what entrants may use other than the limits say."""
    _execute_all(db, _SECOND)


@migrations()
def m010_teams(db: Database) -> None:
    """The teams of entrants, and whether team-mates meet."""
    db.execute("ALTER TABLE entrants ADD COLUMN team TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE league ADD COLUMN same_team_tables INTEGER NOT NULL DEFAULT 1")


@migrations()
def m020_submissions(db: Database) -> None:
    """Submitted versions, the commitment before a beacon, and when each version first came."""
    _execute_all(db, _SUBMISSIONS)
