"""Cards as small ints, hands as bit masks, and the notation at the border.

A card is `8 * suit + rank`: suits C S H D are 0 to 3, ranks 7 8 9 T J Q K A are 0 to 7. So the
ints run in pack order (design: C S H D, within a suit from lowest to ace), and within a suit the
larger int is the higher card. A hand is the mask of its cards, `1 << card` each.
"""

from collections.abc import Iterable, Iterator

from runner.errors import RulesError

RANKS = "789TJQKA"
SUITS = "CSHD"
SUIT_NAMES = ("clubs", "spades", "hearts", "diamonds")

NAMES: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
CARD_OF: dict[str, int] = {name: card for card, name in enumerate(NAMES)}

SUIT_MASKS: tuple[int, ...] = tuple(0xFF << (8 * suit) for suit in range(4))
"""The mask of all cards of each suit."""

PACKS: dict[int, tuple[int, ...]] = {
    4: tuple(range(32)),
    3: tuple(card for card in range(32) if card % 8 >= 2),
}
"""The pack for each number of players, in pack order; with three the sevens and eights are out."""


def card_of(name: object) -> int:
    """The card that two characters name, rank then suit: `TC` is the ten of clubs.

    Raises:
        RulesError: it is no card's name.
    """
    card = CARD_OF.get(name) if isinstance(name, str) else None
    if card is None:
        raise RulesError(f"{name!r} is not a card (rank {RANKS}, then suit {SUITS})")
    return card


def mask_of(cards: Iterable[int]) -> int:
    """The hand that holds these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_in(mask: int) -> Iterator[int]:
    """The cards of a hand, in pack order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def names_of(cards: Iterable[int]) -> list[str]:
    """The names of cards, in the order given."""
    return [NAMES[card] for card in cards]


def text_of(cards: Iterable[int]) -> str:
    """Cards as compact text, `7HTC`: how deal logs are stored."""
    return "".join([NAMES[card] for card in cards])


def cards_of(text: str) -> list[int]:
    """Cards from compact text; the inverse of `text_of`.

    Raises:
        RulesError: some two characters name no card.
    """
    return [card_of(text[at : at + 2]) for at in range(0, len(text), 2)]


GERMAN_SUITS = dict(zip(SUITS, ("Eichel", "Laub", "Herz", "Schellen"), strict=True))
GERMAN_RANKS = {"A": "A", "K": "K", "Q": "O", "J": "U", "T": "10", "9": "9", "8": "8", "7": "7"}
