import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import RulesError
from runner.game.cards import (
    GERMAN_RANKS,
    GERMAN_SUITS,
    NAMES,
    PACKS,
    RANKS,
    SUIT_MASKS,
    SUITS,
    card_of,
    cards_in,
    cards_of,
    mask_of,
    names_of,
    text_of,
)
from tests import reference

cards = st.integers(0, 31)


@pytest.mark.parametrize("players", [3, 4])
def test_pack_of_players_holds_the_cards_of_the_rules_in_pack_order(players):
    assert names_of(PACKS[players]) == reference.pack_of(players)


def test_pack_of_three_players_has_no_sevens_and_eights():
    assert len(PACKS[3]) == 24
    assert set(NAMES) - set(names_of(PACKS[3])) == {r + s for r in "78" for s in "CSHD"}


def test_card_ints_within_a_suit_run_from_lowest_to_ace():
    assert names_of(range(24, 32)) == ["7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD"]


def test_suit_masks_cut_the_pack_in_four():
    assert [sorted(names_of(cards_in(mask))) for mask in SUIT_MASKS] == [
        sorted(rank + suit for rank in RANKS) for suit in SUITS
    ]


@given(st.sets(cards))
def test_hand_mask_there_and_back_gives_the_cards_in_pack_order(hand):
    assert list(cards_in(mask_of(hand))) == sorted(hand)


@given(st.lists(cards))
def test_compact_text_there_and_back_gives_the_same_cards(hand):
    assert text_of(hand) == "".join(names_of(hand))
    assert cards_of(text_of(hand)) == hand


@pytest.mark.parametrize("card", range(32))
def test_card_of_a_name_gives_the_card(card):
    assert card_of(NAMES[card]) == card


@pytest.mark.parametrize(
    "name",
    ["", "7", "7h", "H7", "10H", "7H ", "1H", "7X", "\uff17H", "7♥", None, 7, 7.0, ["7H"], {}],
)
def test_card_of_no_name_is_refused_with_what_came(name):
    with pytest.raises(RulesError) as caught:
        card_of(name)
    assert str(caught.value) == f"{name!r} is not a card (rank 789TJQKA, then suit CSHD)"


@given(st.text(max_size=8).filter(lambda text: text not in NAMES))
def test_card_of_any_other_text_is_refused(text):
    with pytest.raises(RulesError, match="is not a card"):
        card_of(text)


@pytest.mark.parametrize("text", ["7", "7H8", "7H8Ü", "H77H"])
def test_cards_of_text_that_is_no_cards_is_refused(text):
    with pytest.raises(RulesError, match="is not a card"):
        cards_of(text)


def test_german_names_exist_for_every_rank_and_suit():
    assert list(GERMAN_SUITS.values()) == ["Eichel", "Laub", "Herz", "Schellen"]
    assert set(GERMAN_RANKS) == set(RANKS)
    assert [GERMAN_RANKS[rank] for rank in "AKQJT987"] == ["A", "K", "O", "U", "10", "9", "8", "7"]
