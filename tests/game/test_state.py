from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import RulesError
from runner.game.cards import NAMES, SUIT_NAMES, SUITS, card_of, cards_in, mask_of, names_of
from runner.game.rules import Play, Rules
from runner.game.state import Deal, Phase
from tests import reference
from tests.strategies import deal_of, games, random_action, seeds, take, vectors, whole_games

FOUR = next(each for each in vectors("deals.jsonl") if each["players"] == 4)


def state_of(deal):
    """Everything that a deal holds, to see whether it changed."""
    slots = [name for name in Deal.__slots__ if name != "rules"]
    return {name: repr(getattr(deal, name)) for name in slots}


def begun(vector, shoves=0, plays=0):
    """A deal of the vectors after so many shoves and plays."""
    hands = [mask_of(map(card_of, hand)) for hand in vector["hands"]]
    deal = Deal(Rules(vector["players"], Play(vector["play"])), hands)
    for cards in vector["shoves"][:shoves]:
        deal.shove([card_of(card) for card in cards])
    for card in vector["plays"][:plays]:
        deal.play(card_of(card))
    return deal


@given(games())
def test_state_after_any_actions_is_that_of_the_second_implementation(game):
    deal = deal_of(game)
    players = range(game.players)
    tricks = game.tricks()
    assert [names_of(cards_in(hand)) for hand in deal.hands] == [game.hand(s) for s in players]
    assert [names_of(cards) for cards in deal.received] == [game.received(s) for s in players]
    assert [names_of(cards) for cards in deal.shoved] == [game.shoved(s) for s in players]
    assert names_of(deal.plays) == [card for _, card in game.plays]
    assert names_of(deal.trick) == game.on_table()
    assert deal.winners == [winner for _, _, winner in tricks]
    if game.done():
        assert deal.phase is Phase.DONE
        assert deal.legal == 0
        assert list(deal.penalties()) == game.penalties()
        return
    assert deal.phase is (Phase.SHOVE if game.shoving() else Phase.PLAY)
    assert deal.seat == game.turn()
    assert deal.leader == game.leader()
    if game.shoving():
        assert deal.count == game.turn()
        assert deal.legal == 0
    else:
        assert names_of(cards_in(deal.legal)) == game.legal()


@given(whole_games)
def test_cards_are_conserved_at_every_step(game):
    pack = set(reference.pack_of(game.players))
    replayed = reference.Game(game.players, game.record()["play"], game.dealt)
    deal = deal_of(replayed)
    for action in [*game.shoves, *[card for _, card in game.plays]]:
        if isinstance(action, list):
            deal.shove([card_of(card) for card in action])
        else:
            deal.play(card_of(action))
        held = [card for hand in deal.hands for card in names_of(cards_in(hand))]
        places = [*held, *names_of(deal.plays)]
        assert len(places) == len(pack)
        assert set(places) == pack


@given(games())
def test_play_applies_every_legal_card_and_no_other(game):
    before = state_of(deal_of(game))
    legal = set() if game.shoving() or game.done() else set(game.legal())
    for card, name in enumerate(NAMES):
        deal = deal_of(game)
        if name in legal:
            seat = deal.seat
            deal.play(card)
            assert deal.plays[-1] == card
            assert not deal.hands[seat] >> card & 1
        else:
            with pytest.raises(RulesError):
                deal.play(card)
            assert state_of(deal) == before


@given(st.integers(0, 3).flatmap(games), seeds)
def test_shove_applies_every_set_of_held_cards_and_no_other(game, random):
    # A sample of the thousands of sets, some of them with a card twice.
    seat = game.turn()
    hand = game.hand(seat)
    tried = [random.sample(cards, count) for cards in (hand, NAMES) for count in range(5)] * 4
    tried += [[card, card] for card in hand]
    for cards in tried:
        deal = deal_of(game)
        before = state_of(deal)
        fine = game.shoving() and len(set(cards)) == len(cards) == seat and set(cards) <= set(hand)
        try:
            deal.shove([card_of(card) for card in cards])
        except RulesError:
            assert not fine
            assert state_of(deal) == before
        else:
            assert fine
            assert names_of(deal.received[seat - 1]) == cards


@pytest.mark.parametrize("vector", [FOUR, vectors("deals.jsonl")[150]])
def test_shove_all_sets_the_legal_ones_are_as_many_as_the_rules_allow(vector):
    counts = []
    for number, chosen in enumerate(vector["shoves"]):
        deal, held = begun(vector, shoves=number), 0
        size = len(chosen)
        for cards in combinations(range(32), size):
            try:
                begun(vector, shoves=number).shove(cards)
            except RulesError:
                continue
            held += 1
        counts.append(held)
        assert deal.count == size
    # Out of 11, 10 and 9 cards, or out of 10 and 9.
    assert counts == ([165, 45, 9] if vector["players"] == 4 else [45, 9])


@given(games(), seeds)
def test_any_legal_action_leads_on_to_the_same_state_in_both_implementations(game, random):
    if game.done():
        return
    deal = deal_of(game)
    action = random_action(game, random)
    if game.shoving():
        deal.shove([card_of(card) for card in action])
    else:
        deal.play(card_of(action))
    take(game, action)
    assert state_of(deal) == state_of(deal_of(game))


@pytest.mark.parametrize(
    "shoves, cards, message",
    [
        (0, "KC TD", "dealer: shoved 2 cards (KC, TD), must shove 3 cards"),
        (0, "", "dealer: shoved no card, must shove 3 cards"),
        (0, "KC TD AH JD", "dealer: shoved 4 cards (KC, TD, AH, JD), must shove 3 cards"),
        (0, "KC TD KC", "dealer: shoved KC twice"),
        (0, "KC TD 9H", "dealer: shoved 9H, which he does not hold"),
        (1, "QS", "rearhand: shoved QS, must shove 2 cards"),
        (1, "QS KC", "rearhand: shoved KC, which he does not hold"),
        (2, "TC TC", "middlehand: shoved 2 cards (TC, TC), must shove 1 card"),
        (2, "QH", "middlehand: shoved QH, which he does not hold"),
        (3, "9H", "forehand: shoved 9H, but the shoves are over"),
    ],
)
def test_shove_illegal_is_refused_with_seat_and_cards(shoves, cards, message):
    deal = begun(FOUR, shoves)
    with pytest.raises(RulesError) as caught:
        deal.shove([card_of(card) for card in cards.split()])
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "shoves, plays, card, message",
    [
        (0, 0, "KC", "dealer: played KC, but must shove 3 cards"),
        (2, 0, "7S", "middlehand: played 7S, but must shove 1 card"),
        (3, 0, "KD", "forehand: played KD, which he does not hold"),
        (3, 1, "TS", "middlehand: played TS, must follow diamonds"),
        (3, 1, "7D", "middlehand: played 7D, which was played before"),
        (3, 1, "AH", "middlehand: played AH, which he does not hold"),
        (3, 32, "7D", "forehand: played 7D, but all 8 tricks are over"),
    ],
)
def test_play_illegal_is_refused_with_seat_and_card(shoves, plays, card, message):
    deal = begun(FOUR, shoves, plays)
    with pytest.raises(RulesError) as caught:
        deal.play(card_of(card))
    assert str(caught.value) == message


@given(games())
def test_play_revoke_names_the_suit_that_was_led(game):
    if game.shoving() or game.done() or game.legal() == game.hand(game.turn()):
        return
    seat = reference.POSITIONS[game.players][game.turn()]
    suit = SUIT_NAMES[SUITS.index(game.on_table()[0][1])]
    for card in set(game.hand(game.turn())) - set(game.legal()):
        with pytest.raises(RulesError) as caught:
            deal_of(game).play(card_of(card))
        assert str(caught.value) == f"{seat}: played {card}, must follow {suit}"


def test_shove_received_cards_may_be_passed_on():
    deal = begun(FOUR, shoves=1)
    received = deal.received[2]
    deal.shove(received[:2])
    assert deal.received[1] == received[:2]
    deal.shove(received[:1])
    assert deal.received[0] == received[:1]
    assert deal.hands[0] >> received[0] & 1


@pytest.mark.parametrize("vector", [FOUR, vectors("deals.jsonl")[100], vectors("deals.jsonl")[150]])
def test_play_all_ways_to_end_are_as_many_as_the_second_implementation_has(vector):
    # The last three tricks: up to 3!^4 lines of play, of which the rules allow some.
    players = vector["players"]
    vector = {**vector, "plays": vector["plays"][: 5 * players]}

    def count(game):
        if game.done():
            return 1
        total = 0
        for card in game.legal():
            game.play(card)
            total += count(game)
            game.plays.pop()
        return total

    def count_in_runner(plays):
        deal = begun({**vector, "plays": plays}, players - 1, len(plays))
        if deal.phase is Phase.DONE:
            return 1
        return sum(count_in_runner([*plays, NAMES[card]]) for card in cards_in(deal.legal))

    game = reference.Game(players, vector["play"], vector["hands"])
    game.shoves = vector["shoves"]
    for card in vector["plays"]:
        game.play(card)
    ways = count_in_runner(vector["plays"])
    assert ways == count(game)
    assert ways > 1
