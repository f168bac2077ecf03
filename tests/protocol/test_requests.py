"""What is written to bots: every line that the referee's messages can be."""

import inspect
import json
import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.game.cards import card_of
from runner.game.rules import Play, Rules
from runner.protocol import messages
from runner.records import FaultKind, SittingDeal
from runner.table.deal_in_play import DealInPlay
from tests.strategies import (
    GAMES,
    deal_of,
    fresh_game,
    hands_of,
    random_action,
    rules_of,
    take,
    whole_games,
)

ALLOWED = {
    "hello": {"type", "protocol", "game", "players", "play", "move_seconds"},
    "shove": {"type", "id", "deal", "seat", "count", "hand", "received"},
    "play": {
        "type",
        "id",
        "deal",
        "seat",
        "hand",
        "legal",
        "leader",
        "trick",
        "tricks",
        "received",
        "shoved",
    },
    "result": {"type", "deal", "seat", "penalties", "tricks"},
    "goodbye": {"type"},
}
"""All that bots may be told, by the type of the message; a new key needs a reason."""

ALLOWED_IN_TRICKS = {"leader", "cards", "winner"}

seeds = st.integers(0, 2**64 - 1)


def decoded(line):
    """The object of one line, in which no key stands twice."""
    assert line.endswith("\n")
    assert line.isascii()
    assert "\n" not in line[:-1]

    def unique(pairs):
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    return json.loads(line, object_pairs_hook=unique)


def reply(action):
    """A reply that does a game's action."""
    if isinstance(action, list):
        return messages.Reply(cards=action)
    return messages.Reply(card=action)


def told(game, random, number=7, deal=123456, places=None):
    """Play a fresh game to its end; yields the game before each request, and the request.

    Where the rules leave no choice nothing is asked, and the game moves on by itself.
    """
    places = places or tuple(range(game.players))
    in_play = DealInPlay(rules_of(game), SittingDeal(deal, hands_of(game), places))
    while not in_play.done:
        assert in_play.to_move == places[game.turn()]
        yield game, in_play.request(number, 3)
        action = random_action(game, random)
        take(game, action)
        in_play.answer(reply(action))
        while not game.done() and not game.shoving() and len(game.legal()) == 1:
            game.play(game.legal()[0])
        number += 1
    assert game.done()
    assert in_play.penalties() == tuple(game.penalties())


def all_told(game, seed, **options):
    """The lines of a whole game."""
    return [line for _, line in told(game, Random(seed), **options)]


def samples():
    """For each function that makes a line, one line."""
    lines = {}
    for game in GAMES:
        fresh = fresh_game(game, Random(1))
        for request in all_told(fresh, 2):
            lines[decoded(request)["type"]] = request
        deal = DealInPlay(game, SittingDeal(1, hands_of(fresh), tuple(range(game.players))))
        deal.state = deal_of(fresh)
        lines["hello"] = messages.hello(game, 0.5)
        lines["goodbye"] = messages.goodbye()
        lines["result"] = messages.result(4, 2, deal.penalties(), deal.tricks())
    return lines


def keys_in(value, found):
    """All keys of objects inside a value."""
    if isinstance(value, dict):
        found.update(value)
        for inner in value.values():
            keys_in(inner, found)
    elif isinstance(value, list):
        for inner in value:
            keys_in(inner, found)
    return found


def test_messages_every_function_that_makes_a_line_is_in_the_allow_list():
    makers = {
        name
        for name, function in inspect.getmembers(messages, inspect.isfunction)
        if function.__module__ == messages.__name__
        and inspect.signature(function).return_annotation in (str, bytes)
        and not name.startswith("_")
        and not name.endswith("_json")
    }
    assert makers == set(ALLOWED)


@pytest.mark.parametrize("kind", ALLOWED)
def test_messages_hold_the_allowed_keys_and_no_others(kind):
    message = decoded(samples()[kind])
    assert message["type"] == kind
    assert set(message) == ALLOWED[kind]
    assert keys_in(message, set()) <= ALLOWED[kind] | ALLOWED_IN_TRICKS


@given(st.sampled_from(GAMES), seeds)
def test_requests_of_a_game_hold_no_key_out_of_the_allow_list(game, seed):
    for line in all_told(fresh_game(game, Random(seed)), seed):
        message = decoded(line)
        assert set(message) == ALLOWED[message["type"]]
        for trick in message.get("tricks", []):
            assert set(trick) == ALLOWED_IN_TRICKS


@given(st.sampled_from(GAMES), seeds)
def test_requests_of_a_game_are_what_the_second_implementation_says(game, seed):
    number = 7
    for state, line in told(fresh_game(game, Random(seed)), Random(seed), number):
        assert decoded(line) == state.request(number, 3)
        number += 1


@given(st.sampled_from(GAMES), seeds)
def test_requests_hold_no_card_that_the_seat_has_not_seen(game, seed):
    for state, line in told(fresh_game(game, Random(seed)), Random(seed)):
        seen = state.known(state.turn())
        assert set(re.findall(r'"([789TJQKA][CSHD])"', line)) <= seen


@given(st.sampled_from(GAMES), seeds)
def test_requests_ask_only_where_there_is_a_choice(game, seed):
    for state, line in told(fresh_game(game, Random(seed)), Random(seed)):
        assert state.shoving() or len(decoded(line)["legal"]) > 1


def test_requests_about_24_a_deal_of_four_and_18_of_three():
    counts: dict[int, list[int]] = {3: [], 4: []}
    for game in GAMES:
        for seed in range(50):
            lines = all_told(fresh_game(game, Random(seed)), seed)
            counts[game.players].append(len(lines))
    assert 23 < sum(counts[4]) / 100 < 26
    assert 17 < sum(counts[3]) / 100 < 19.5


@given(st.sampled_from(GAMES), seeds, st.integers(1, 10**9), st.randoms(use_true_random=False))
def test_requests_do_not_depend_on_deal_number_and_entrants(game, seed, deal, random):
    places = random.sample(range(game.players), game.players)
    one = all_told(fresh_game(game, Random(seed)), seed, deal=1)
    other = all_told(fresh_game(game, Random(seed)), seed, deal=deal, places=tuple(places))
    assert one == other


@given(st.sampled_from(GAMES), seeds, st.randoms(use_true_random=False))
def test_first_request_does_not_depend_on_the_hands_of_others(game, seed, random):
    dealt = fresh_game(game, Random(seed))
    line = next(told(dealt, Random(seed)))[1]
    others = [card for hand in dealt.dealt[:-1] for card in hand]
    random.shuffle(others)
    dealt.dealt[:-1] = [others[7 * seat : 7 * seat + 7] for seat in range(game.players - 1)]
    assert next(told(dealt, Random(seed)))[1] == line


@pytest.mark.parametrize("field, value", [("id", 5), ("deal", 6)])
def test_requests_carry_the_numbers_of_the_process(field, value):
    deal = DealInPlay(
        GAMES[0], SittingDeal(99, hands_of(fresh_game(GAMES[0], Random(1))), (0, 1, 2, 3))
    )
    assert decoded(deal.request(5, 6))[field] == value


@given(whole_games)
def test_result_tells_the_penalties_and_all_tricks(game):
    places = tuple(range(game.players))
    deal = DealInPlay(rules_of(game), SittingDeal(1, hands_of(game), places))
    deal.state = deal_of(game)
    line = messages.result(5, 1, deal.penalties(), deal.tricks())
    assert decoded(line) == {
        "type": "result",
        "deal": 5,
        "seat": 1,
        "penalties": game.penalties(),
        "tricks": game.told_tricks(),
    }


@given(st.sampled_from(GAMES), seeds, st.integers(1, 20), st.integers(0, 3))
def test_result_after_a_fault_charges_the_offender_and_shows_what_was_played(
    game, seed, steps, place
):
    place %= game.players
    dealt = fresh_game(game, Random(seed))
    deal = DealInPlay(game, SittingDeal(1, hands_of(dealt), tuple(reversed(range(game.players)))))
    random = Random(seed)
    for _ in range(steps):
        if deal.done:
            return
        action = random_action(dealt, random)
        take(dealt, action)
        deal.answer(reply(action))
        while not dealt.done() and not dealt.shoving() and len(dealt.legal()) == 1:
            dealt.play(dealt.legal()[0])
    deal.forfeit(FaultKind.TIMEOUT, place)
    seat = game.players - 1 - place
    message = decoded(messages.result(1, 0, deal.penalties(), deal.tricks()))
    assert message["penalties"] == [int(each == seat) for each in range(game.players)]
    assert message["tricks"] == dealt.told_tricks()


@pytest.mark.parametrize("seconds, told_as", [(1, 1.0), (0.25, 0.25), (0.001, 0.001), (1e-7, 1e-7)])
def test_hello_tells_the_game_and_the_time(seconds, told_as):
    message = decoded(messages.hello(Rules(3, Play.CLOCKWISE), seconds))
    assert message == {
        "type": "hello",
        "protocol": 1,
        "game": "letzter",
        "players": 3,
        "play": "clockwise",
        "move_seconds": told_as,
    }
    assert isinstance(message["move_seconds"], float)


def test_goodbye_says_no_more():
    assert decoded(messages.goodbye()) == {"type": "goodbye"}


@given(st.sets(st.integers(0, 31), max_size=11))
def test_hand_json_lists_any_hand_in_pack_order(hand):
    mask = sum(1 << card for card in hand)
    listed = json.loads(f"[{messages.hand_json(mask)}]")
    assert [card_of(name) for name in listed] == sorted(hand)
