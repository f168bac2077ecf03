"""Whatever a league file holds: a league or located messages, nothing else."""

import re
from collections.abc import Callable
from itertools import pairwise

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.config import League, schema
from runner.config.yaml_nodes import MAX_MESSAGES
from runner.errors import LeagueFileError

Load = Callable[[str | bytes], League]

GOOD = """\
name: X
players: 3
seed: "\\u00e9"
limits: {move_seconds: 1.5, max_faults: 3}
entrants:
  - bot: a.py
  - name: no one
    command: [sh, 'sh.sh']
    files: [sh.sh]
  - {bot: c.py, packages: true}
"""

HEAD = re.compile(r"[^\n]*x\.yaml:([1-9][0-9]*):([1-9][0-9]*): \S")

FRAGMENTS = (
    *(": ", "- ", "\n", "\n  ", "? ", "[", "]", "{", "}", ",", "#", "&a ", "*a", "!!str ", "!<"),
    *(">-\n", "|", "'", '"', '"\\U00110000"', '"\\ud800"', "%YAML 1.9", "\n---\n", "\n...\n", "\t"),
    *("\\", "<<", "~", "\ufeff", "no", "010", "1:30", "1e-1", ".inf", "\u202e", "\x85", "\u2028"),
    *("\r", "\0", "\x1b", "=", "@", "`", "bot", "command", "files", "limits", "deals", "/"),
)  # fmt: skip

texts = st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join)

words = st.sampled_from([*FRAGMENTS, *schema()["properties"]]) | st.text(max_size=5)
scalars = words | st.integers() | st.floats() | st.booleans() | st.none()
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=6),
    max_leaves=20,
)
leagues = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(schema()["properties"], scalars | trees),
        "players": st.sampled_from([3, 4, "3", 5]),
        "entrants": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "name": words,
                    "bot": st.sampled_from(["a.py", "tool", "lib", "x"]) | trees,
                    "command": st.lists(words, max_size=3) | trees,
                    "files": st.lists(st.sampled_from(["a.py", "lib/a.py", "lib", ""])) | trees,
                    "packages": st.booleans() | scalars,
                },
            ),
            max_size=5,
        ),
    },
)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A good league file in which a stretch is replaced, once or a few times."""
    text = GOOD
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        length = draw(st.sampled_from([0, 0, 1, 2, 5, 20]))
        text = text[:start] + draw(st.sampled_from(FRAGMENTS) | texts) + text[start + length :]
    return text


def check(load: Load, contents: str | bytes) -> None:
    """Read contents and check what comes of them."""
    try:
        league = load(contents)
    except LeagueFileError as error:
        (message,) = error.args
        assert message.encode()
        lines = message.split("\n")
        assert HEAD.match(lines[0])
        heads = [
            match for line in lines if not line.startswith("  ") and (match := HEAD.match(line))
        ]
        assert len(lines) in (len(heads) * 3, 1)
        assert len(heads) <= MAX_MESSAGES + 1
        places = [(int(head[1]), int(head[2])) for head in heads]
        assert all(one <= other for one, other in pairwise(places))
    else:
        assert isinstance(league, League)
        assert len(league.entrants) >= league.rules.players


relaxed = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@relaxed
@given(contents=texts | st.binary())
def test_any_text_and_any_bytes(load: Load, contents: str | bytes) -> None:
    check(load, contents.encode(errors="replace") if isinstance(contents, str) else contents)


@relaxed
@given(contents=damaged())
def test_any_damage_to_a_league_file(load: Load, contents: str) -> None:
    check(load, contents.encode(errors="replace"))


@relaxed
@given(tree=leagues | trees)
def test_any_tree_of_values(load: Load, tree: object) -> None:
    check(load, yaml.safe_dump(tree, allow_unicode=True, sort_keys=False).encode(errors="replace"))


def test_good_file_of_the_damages_is_good(load: Load) -> None:
    assert load(GOOD).name == "X"
