import copy
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import RulesError
from runner.game.cards import names_of
from runner.game.replay import replay
from runner.game.state import Phase
from tests import reference
from tests.strategies import games, vectors, whole_games

GOOD = vectors("deals.jsonl")
ILLEGAL = vectors("illegal.jsonl")
FIELDS = ("players", "play", "hands", "shoves", "plays", "winners", "penalties")


def refusal(record):
    with pytest.raises(RulesError) as caught:
        replay(record)
    return str(caught.value)


class Broken:
    """An illegal deal beside the good one that it was made from."""

    def __init__(self, vector):
        self.now = vector
        self.good = max(
            GOOD, key=lambda good: sum(good[field] == vector[field] for field in FIELDS)
        )
        self.names = reference.POSITIONS[vector["players"]]

    def first(self, field):
        """Where a field differs first."""
        pairs = zip(self.good[field], self.now[field], strict=False)
        return next(at for at, (good, now) in enumerate(pairs) if good != now)

    def strange(self, field):
        """The cards that only the illegal deal has there."""
        at = self.first(field)
        return "|".join(card for card in self.now[field][at] if card not in self.good[field][at])

    def shover(self):
        """Which shove is broken, and whose."""
        at = self.first("shoves")
        return f"shove {at + 1}, {self.names[-1 - at]}: "

    def player(self, play=None):
        """Which trick is broken, and who played the card."""
        trick, at = divmod(self.first("plays") if play is None else play, len(self.names))
        leader = self.good["winners"][trick - 1] if trick else 0
        turn = 1 if self.good["play"] == "anticlockwise" else -1
        return f"trick {trick + 1}, {self.names[(leader + turn * at) % len(self.names)]}: "

    def played(self):
        """The first card played that differs."""
        return self.now["plays"][self.first("plays")]

    def suit_led(self):
        """The suit of the trick with the first difference."""
        trick = self.first("plays") // len(self.names)
        suit = self.good["plays"][trick * len(self.names)][1]
        return {"C": "clubs", "S": "spades", "H": "hearts", "D": "diamonds"}[suit]

    def winner(self, vector):
        """Who won the first trick with another winner."""
        seat = vector["winners"][self.first("winners")]
        return f"{self.names[seat]} \\(seat {seat}\\)"

    def last(self):
        """Who won the last trick."""
        return self.names[self.good["winners"][-1]]

    def penalties(self):
        """What is to be said of wrong penalties, but for the reason."""
        said = f"penalties: {self.now['penalties']}, must be {self.good['penalties']} after "
        return re.escape(said)


EXPECTED = {
    "a card dealt twice": lambda it: (
        f"deal, ({'|'.join(it.names)}): {it.strange('hands')} was dealt to "
        f"({'|'.join(it.names)}) too"
    ),
    "wrong hand size": lambda it: f"deal, {it.names[it.first('hands')]}: dealt 8 cards, must be 7",
    "too few cards shoved": lambda it: (
        f"{it.shover()}shoved .*{it.now['shoves'][it.first('shoves')][-1]}\\)?, "
        f"must shove {len(it.good['shoves'][it.first('shoves')])} cards?"
    ),
    "shoved a card not held": lambda it: (
        f"{it.shover()}shoved {it.strange('shoves')}, which he does not hold"
    ),
    "shoved one card twice": lambda it: (
        f"{it.shover()}shoved {it.now['shoves'][it.first('shoves')][0]} twice"
    ),
    "a card played twice": lambda it: f"{it.player()}played {it.played()}, which was played before",
    "revoke": lambda it: f"{it.player()}played {it.played()}, must follow {it.suit_led()}",
    "a trick is missing": lambda it: (
        f"{it.player(len(it.now['plays']))}a card is missing, though the trick has a winner"
    ),
    "wrong winner of a trick": lambda it: (
        f"trick {it.first('winners') + 1}: won by {it.winner(it.good)}, "
        f"but the record says {it.winner(it.now)}"
    ),
    "wrong penalties": lambda it: f"{it.penalties()}(a march of|the last trick won by) {it.last()}",
    "a lost deal scored as a march": lambda it: (
        f"{it.penalties()}the last trick won by {it.last()}"
    ),
    "a march scored as a lost deal": lambda it: f"{it.penalties()}a march of {it.last()}",
}
"""What must be said of each kind of illegal deal, from where it differs from the good one."""


@pytest.mark.parametrize("number", range(len(GOOD)))
def test_replay_good_vector_ends_as_recorded(number):
    vector = GOOD[number]
    deal = replay(vector)
    assert deal.phase is Phase.DONE
    assert deal.winners == vector["winners"]
    assert list(deal.penalties()) == vector["penalties"]
    assert names_of(deal.plays) == vector["plays"]


def test_good_vectors_hold_marches_and_lost_deals_of_every_game():
    sums = {(each["players"], each["play"], sum(each["penalties"]) > 1) for each in GOOD}
    assert len(sums) == 8


@pytest.mark.parametrize("number", range(len(ILLEGAL)))
def test_replay_illegal_vector_is_refused_for_what_is_broken(number):
    vector = ILLEGAL[number]
    message = refusal(vector)
    expected = EXPECTED[vector["broken"]](Broken(vector))
    assert re.fullmatch(expected, message), (vector["broken"], expected, message)


def test_illegal_vectors_hold_every_kind():
    assert {vector["broken"] for vector in ILLEGAL} == set(EXPECTED)


@given(whole_games)
def test_replay_of_a_log_equals_the_game(game):
    deal = replay(game.record())
    assert list(deal.penalties()) == game.penalties()
    assert deal.winners == [winner for _, _, winner in game.tricks()]
    assert deal.hands == [0] * game.players


@given(games(), st.data())
def test_replay_of_a_faulted_deal_is_good_as_far_as_it_went(game, data):
    if game.done():
        return
    offender = data.draw(st.integers(0, game.players - 1))
    record = game.record()
    record["fault"] = {"seat": offender, "kind": "illegal"}
    record["penalties"] = [int(seat == offender) for seat in range(game.players)]
    assert names_of(replay(record).plays) == record["plays"]
    record["penalties"][offender - 1] = 1
    assert "after a fault of " in refusal(record)


def test_replay_of_a_faulted_deal_that_was_played_out_is_refused():
    assert refusal({**GOOD[0], "fault": {"seat": 0}}) == (
        "fault: the deal was played to its end, so no fault can have ended it"
    )


@given(games())
def test_replay_of_an_unfinished_deal_without_fault_is_refused(game):
    if game.done():
        return
    record = game.record()
    record["penalties"] = [0] * game.players
    seat = reference.POSITIONS[game.players][game.turn()]
    if game.shoving():
        assert refusal(record) == f"shove {len(game.shoves) + 1}, {seat}: the shove is missing"
    else:
        trick = len(game.tricks()) + 1
        assert refusal(record) == f"trick {trick}, {seat}: a card is missing"


@pytest.mark.parametrize("number", range(0, len(GOOD), 10))
def test_replay_shove_in_another_order_is_the_same_shove(number):
    record = copy.deepcopy(GOOD[number])
    for cards in record["shoves"]:
        cards.reverse()
    assert list(replay(record).penalties()) == record["penalties"]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"players": 5}, "players: expected 3 or 4, got 5"),
        ({"players": 4.0}, "players: expected 3 or 4, got 4.0"),
        ({"players": True}, "players: expected 3 or 4, got True"),
        ({"players": None}, "players: expected 3 or 4, got None"),
        ({"play": "left"}, "play: expected anticlockwise or clockwise, got 'left'"),
        ({"play": []}, "play: expected anticlockwise or clockwise, got []"),
        ({"hands": {}}, "hands: expected a list, got {}"),
        ({"hands": [1, 2, 3, 4]}, "hands: expected a list of cards, got 1"),
        ({"hands": ["7H"] * 4}, "hands: expected a list of cards, got '7H'"),
        ({"hands": []}, "deal: 0 hands for 4 players"),
        ({"shoves": [["7h"]]}, "shoves: '7h' is not a card (rank 789TJQKA, then suit CSHD)"),
        ({"plays": [["7H"]]}, "plays: ['7H'] is not a card (rank 789TJQKA, then suit CSHD)"),
        ({"plays": ["\ud800"]}, "plays: '\\ud800' is not a card (rank 789TJQKA, then suit CSHD)"),
        ({"winners": [0.0]}, "winners: expected whole numbers, got 0.0"),
        ({"winners": [False]}, "winners: expected whole numbers, got False"),
        ({"penalties": "1000"}, "penalties: expected a list, got '1000'"),
        ({"fault": 3}, "fault: expected an object with a seat, got 3"),
        ({"fault": {"seat": 4}}, "fault: expected an object with a seat, got {'seat': 4}"),
        ({"fault": {"seat": -1}}, "fault: expected an object with a seat, got {'seat': -1}"),
    ],
)
def test_replay_malformed_field_is_refused_with_field_and_value(change, message):
    assert refusal({**GOOD[0], **change}) == message


@pytest.mark.parametrize("field", FIELDS)
def test_replay_field_left_out_is_refused_by_name(field):
    record = {key: value for key, value in GOOD[0].items() if key != field}
    assert refusal(record) == f"{field}: the field is missing"


@pytest.mark.parametrize("record", [None, [], "deal", 7, [GOOD[0]]])
def test_replay_what_is_no_object_is_refused(record):
    assert refusal(record).startswith("expected an object, got ")


def test_replay_other_fields_are_ignored():
    assert replay({**GOOD[0], "deal": 7, "fault": None, "entrants": ["a"]}).phase is Phase.DONE


@pytest.mark.parametrize(
    "field, extra, message",
    [
        ("plays", "7D", "trick 9, forehand: played 7D, but all 8 tricks are over"),
        ("shoves", [], "shove 4, forehand: shoved no card, but the shoves are over"),
        ("winners", 0, "winners: 9 for 8 tricks"),
        ("hands", [], "deal: 5 hands for 4 players"),
    ],
)
def test_replay_something_too_many_is_refused(field, extra, message):
    assert refusal({**GOOD[0], field: [*GOOD[0][field], extra]}) == message


@pytest.mark.parametrize("penalties", [[], [1, 0, 0], [1, 0, 0, 0, 0], [10**30, 0, 0, 0], [2]])
def test_replay_penalties_of_another_form_are_refused(penalties):
    assert refusal({**GOOD[0], "penalties": penalties}).startswith("penalties: ")


def test_replay_long_values_are_cut_in_the_message():
    assert len(refusal({**GOOD[0], "play": "x" * 10**6})) < 120
    assert len(refusal({**GOOD[0], "plays": ["x" * 10**6]})) < 120
    assert len(refusal({**GOOD[0], "winners": [10**4000] * 8})) < 120
    assert len(refusal({**GOOD[0], "penalties": [0] * 10**5})) < 200


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=10,
)
cards = st.sampled_from(GOOD[0]["plays"])


@given(st.sampled_from(GOOD), st.sampled_from((*FIELDS, "fault")), anything)
def test_replay_any_value_in_a_field_is_refused_or_right(good, field, value):
    record = {**good, field: value}
    if type(value) in (int, str, list) and value == good.get(field):
        return
    if field == "fault" and value is None:
        replay(record)
    else:
        assert refusal(record).isprintable()


@given(st.sampled_from(GOOD), st.data())
def test_replay_one_change_anywhere_is_refused_or_changes_nothing(good, data):
    record = copy.deepcopy(good)
    inside = [record[field] for field in ("plays", "winners", "penalties")]
    inside += record["hands"] + record["shoves"]
    changed = data.draw(st.sampled_from(inside))
    at = data.draw(st.integers(0, len(changed) - 1))
    changed[at] = data.draw(cards | st.integers(-1, 4) | st.sampled_from([None, True, "x", []]))
    if changed[at] is True or record != good:
        refusal(record)
