import io
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from runner.game.cards import NAMES
from runner.report.listings import (
    CARD_NAMES,
    crosstable_listing,
    deal_listing,
    faults_listing,
    plain,
    ratings_listing,
)
from runner.report.standing import standing_of
from runner.storage.reader import open_reader

NASTY = "[red]\x1b[31m\u202e名前\n"


@pytest.fixture
def reader(finished):
    with open_reader(finished.with_suffix(".db")) as reader:
        yield reader


@pytest.fixture
def entrants(reader):
    return {each.id: each for each in reader.entrants()}


def shown(listing, width=160):
    """A listing as it is printed, without styles."""
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(listing)
    return file.getvalue()


def renamed(standing, name):
    """A standing whose entrants, and whose league, all have this name."""
    lines = [replace(line, entrant=replace(line.entrant, name=name)) for line in standing.lines]
    conditions = replace(standing.conditions, name=name)
    return replace(standing, lines=tuple(lines), conditions=conditions)


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("listing", [ratings_listing, crosstable_listing])
def test_listing_at_any_width_names_everybody_and_keeps_to_it(reader, listing, width):
    text = shown(listing(standing_of(reader)), width)
    for name in ("random", "counting", "twin", "wild"):
        assert name in text
    assert max(map(cell_len, text.splitlines())) <= width


@pytest.mark.parametrize("listing", [ratings_listing, crosstable_listing])
def test_listing_shows_names_as_they_are_and_never_acts_on_them(reader, listing):
    text = shown(listing(renamed(standing_of(reader), NASTY)))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]" in text


def test_ratings_listing_says_that_a_league_is_provisional_and_how_much_of_it_is_there(reader):
    standing = standing_of(reader)
    assert "provisional" not in shown(ratings_listing(standing))
    partly = replace(standing, planned_boards=3 * standing.boards)
    assert "provisional, 33% of boards" in shown(ratings_listing(partly))


def test_ratings_listing_names_who_does_not_play_and_why(reader):
    standing = standing_of(reader)
    first, *others = standing.lines
    refused = replace(first.entrant, state="refused", reason="start: \x1b[2J gone")
    changed = replace(standing, lines=(replace(first, entrant=refused), *others))
    text = shown(ratings_listing(changed))
    assert f"Not playing: {first.entrant.name} " in text
    assert "failed its check: start: \\x1b[2J gone" in text


def test_deal_listing_shows_every_card_dealt_and_played(reader, entrants):
    log = next(log for log in reader.deal_logs() if log.fault is None)
    for card in CARD_NAMES.values():
        text = shown(deal_listing(log, reader.rules(), entrants, card))
        pack = [name for name in NAMES if name[0] not in "78"]
        for name in pack:
            assert text.count(card(NAMES.index(name))) >= 2
        for entrant in log.entrants:
            assert entrants[entrant].name in text
        assert f"Deal log {log.name}" in text


def test_deal_listing_of_a_fault_ends_with_who_lost_by_what(reader, entrants):
    log = next(log for log in reader.deal_logs() if log.fault == "exit")
    text = shown(deal_listing(log, reader.rules(), entrants, CARD_NAMES["french"]))
    assert "Lost by wild" in text
    assert "through a fault (exit)" in text


def test_deal_listing_of_many_logs_can_be_shown(reader, entrants):
    rules = reader.rules()
    for log in list(reader.deal_logs())[::7]:
        assert shown(deal_listing(log, rules, entrants, CARD_NAMES["german"]))


def test_faults_listing_shows_each_fault_with_its_log_and_on_request_all_of_it(reader, entrants):
    faults = list(reader.faults())
    brief = shown(faults_listing(faults, reader.fault_counts(), entrants, verbose=False), 10_000)
    assert len(brief.splitlines()) == len(faults)
    whole = shown(faults_listing(faults, reader.fault_counts(), entrants, verbose=True), 10_000)
    for fault in faults:
        assert f"{fault.table[:8]}-{fault.deal}-{fault.rotation}" in brief
        assert fault.request in whole
    assert "exit code 7" in brief
    assert shown(faults_listing([], {}, {}, verbose=True)) == "No faults.\n"


@pytest.mark.parametrize(
    "text, safe",
    [
        ("plain", "plain"),
        ("名 é ♣", "名 é ♣"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\u202e\ufeff", "\\u202e\\ufeff"),
        ("\ud800", "\\ud800"),
    ],
)
def test_plain_text_keeps_what_can_be_seen_and_escapes_what_acts(text, safe):
    assert plain(text) == safe
