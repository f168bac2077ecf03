"""Messages that point into a file: the line, its excerpt, the caret."""

import pytest

from runner.config.yaml_nodes import Problems, Source, parse


def test_message_points_at_a_column() -> None:
    source = Source("x.yaml", "one\r\ntwo three\n")
    assert source.message(9, "bad") == "x.yaml:2:5: bad\n  two three\n      ^"


@pytest.mark.parametrize(
    "line,column,expected",
    [
        ("a\tb", 2, ("  a b", "    ^")),
        ("花札: x", 4, ("  花札: x", "        ^")),
        ("e\u0301: x", 4, ("  e\u0301: x", "     ^")),
        ("\u202ea: x", 4, ("  \\u202ea: x", "           ^")),
        ("a" * 150, 3, ("  " + "a" * 100 + "…", "     ^")),
        ("a" * 300, 200, ("  …" + "a" * 100 + "…", "  " + " " * 51 + "^")),
        ("a" * 300, 299, ("  …" + "a" * 51, "  " + " " * 51 + "^")),
    ],
)
def test_excerpt_shows_the_place_whatever_the_line_holds(
    line: str, column: int, expected: tuple[str, str]
) -> None:
    _, *excerpt = Source("x", f"\n{line}\n").message(1 + column, "bad").split("\n")
    assert tuple(excerpt) == expected


def test_lines_count_as_editors_count_them() -> None:
    source = Source("x", "a\u2028b\x85c\rd\r\ne\n\nf")
    assert [source.line_of(source.text.index(char)) for char in "abcdef"] == [1, 1, 1, 2, 3, 5]


def test_end_of_the_text_is_a_place() -> None:
    assert Source("x", "a\n").message(2, "bad") == "x:2:1: bad\n  \n  ^"


def test_many_mistakes_are_cut_to_a_hundred() -> None:
    problems = Problems(Source("x", "a" * 300))
    for at in reversed(range(300)):
        problems.add(at, f"number {at}")
    heads = [line for line in str(problems.error()).split("\n") if line.startswith("x:")]
    assert heads[99] == "x:1:100: number 99"
    assert heads[100:] == ["x:1:101: from here on, 200 more mistakes are not shown"]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing", "---", "--- \n...\n"])
def test_text_without_a_value_has_no_root(text: str) -> None:
    assert parse(Problems(Source("x", text))) is None
