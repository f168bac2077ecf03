"""A whole league, computed once more by other means: deals, seats, and every card played."""

import json
import runpy
from collections import Counter, defaultdict
from hashlib import sha256
from inspect import signature

import pytest

from tests import reference
from tests.leagues import play, rows, write_league

FIVE = ("random.py", "low.py", "high.py", "sensible.py", "tiny.sh")
SECRET = sha256(b"letzter seed a whole league").digest()


def canonical(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def version_of(file):
    """The version of a bot of one file."""
    command = ["sh"] if file.suffix == ".sh" else ["python", "-S", "-s"]
    content = sha256(file.read_bytes()).hexdigest()
    return canonical({"command": [*command, file.name], "files": {file.name: content}})


def chooser(file, players):
    """What a bot answers to a request, called in this process."""
    if file.suffix == ".sh":
        return lambda request: (
            request["legal"][0]
            if request["type"] == "play"
            else request["hand"][: request["count"]]
        )
    choose = runpy.run_path(str(file))["choose"]
    told = {"players": players} if "players" in signature(choose).parameters else {}
    return lambda request: choose(request, **told)


@pytest.fixture(
    scope="module", params=[(4, "anticlockwise", FIVE), (3, "clockwise", FIVE[:4])], ids=str
)
def league(request, tmp_path_factory):
    """A league's players and direction, its exported deals, and its bots by entrant."""
    players, direction, files = request.param
    path = write_league(
        tmp_path_factory.mktemp("whole"),
        files,
        players=players,
        play=direction,
        seed="a whole league",
        deals=9,
        deals_per_sitting=6,
    )
    play(path)
    bots = {file.partition(".")[0]: path.parent / file for file in files}
    return players, direction, rows(path, "deals"), bots


def test_league_of_a_seed_has_the_hands_and_seats_that_a_second_implementation_finds(league):
    players, direction, logs, bots = league
    versions = {name: version_of(file) for name, file in bots.items()}
    for log in logs:
        names = sorted(log["entrants"])
        key = canonical(
            {
                "entrants": sorted([name, versions[name]] for name in names),
                "play": direction,
                "players": players,
            }
        )
        assert log["table"] == key
        assert log["versions"] == [versions[name] for name in log["entrants"]]
        dealt = reference.dealt(SECRET, key, log["deal"], players)
        assert log["hands"] == [reference.in_pack_order(hand) for hand in dealt]
        places = reference.seated(key, log["deal"], log["rotation"], players)
        assert log["entrants"] == [names[place] for place in places]


def test_league_holds_each_deal_of_each_table_once_in_each_rotation(league):
    players, _, logs, bots = league
    entrants = {name for log in logs for name in log["entrants"]}
    tables = {log["table"] for log in logs}
    assert len(tables) == {4: 5, 3: 4}[players]
    expected = {
        (table, deal, rotation)
        for table in tables
        for deal in range(1, 10)
        for rotation in range(players)
    }
    assert Counter((log["table"], log["deal"], log["rotation"]) for log in logs) == Counter(
        expected
    )
    assert len({frozenset(log["entrants"]) for log in logs}) == len(tables)
    assert all(len(set(log["entrants"])) == players for log in logs)
    assert entrants == bots.keys()


def test_league_never_shows_a_sitting_a_deal_twice_nor_a_table_the_deal_of_another(league):
    players, _, logs, _ = league
    sittings = defaultdict(list)
    tables_of_hands = defaultdict(set)
    for log in logs:
        sittings[log["sitting"]].append(log)
        hands = tuple(map(tuple, log["hands"]))
        tables_of_hands[hands].add((log["table"], log["deal"]))
    assert len(sittings) == {4: 5, 3: 4}[players] * players * 2
    for played in sittings.values():
        assert len({(log["table"], log["rotation"]) for log in played}) == 1
        assert len({log["deal"] for log in played}) == len(played)
        assert {log["deal"] for log in played} in (set(range(1, 7)), set(range(7, 10)))
    assert all(len(where) == 1 for where in tables_of_hands.values())


def test_league_was_played_card_by_card_as_its_bots_play_for_a_second_referee(league):
    players, direction, logs, bots = league
    choosers = {name: chooser(file, players) for name, file in bots.items()}
    for log in logs:
        game = reference.Game(players, direction, log["hands"])
        while not game.done():
            choose = choosers[log["entrants"][game.turn()]]
            if game.shoving():
                game.shove(choose(game.request(0, 0)))
            elif len(legal := game.legal()) == 1:
                game.play(legal[0])
            else:
                game.play(choose(game.request(0, 0)))
        assert {name: log[name] for name in game.record()} == game.record()
        assert log["fault"] is None
