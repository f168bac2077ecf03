"""Deals that nobody can foresee and everybody can check.

Everything here is a function of the league's secret (32 bytes) and of a table's key; the recipe,
for any language, is in `leagues/README.md`.
"""

import hmac
from collections.abc import Iterable
from hashlib import sha256

from runner.game.rules import Rules


def secret_of_seed(seed: str) -> bytes:
    """The secret of a league whose file names a `seed`: its deals can be foreseen."""
    return sha256(f"letzter seed {seed}".encode()).digest()


def deal_hands(secret: bytes, table_key: str, deal: int, rules: Rules) -> tuple[int, ...]:
    """The hands of one deal as dealt, a mask for each seat.

    x = HMAC-SHA-256(secret, "<table key>/<deal>"), a big-endian integer, draws the cards: for n
    from the size of the pack down to 1, card number x mod n of those left, then x = x div n (its
    bias is under 2^-130). The first 7 cards go to seat 0 and so on, the rest to the dealer.

    Args:
        secret: the league's secret.
        table_key: the table's key, lowercase hex.
        deal: the number of the deal at its table, from 1.
        rules: the game, for its pack and hands.
    """
    draw = int.from_bytes(hmac.digest(secret, f"{table_key}/{deal}".encode(), "sha256"))
    left = list(rules.pack)
    hands = [0] * rules.players
    dealer = rules.players - 1
    for drawn in range(len(left)):
        draw, at = divmod(draw, len(left))
        hands[min(drawn // 7, dealer)] |= 1 << left.pop(at)
    return tuple(hands)


def playing_order(
    secret: bytes, table_key: str, run: int, rotation: int, deals: Iterable[int]
) -> list[int]:
    """The order in which a sitting plays the deals of its run.

    Sorted by HMAC-SHA-256(secret, "order/<table key>/<run>/<rotation>/<deal>"), so that the count
    of deals that a bot sees says nothing to its twin in another rotation of the same run.
    """
    head = f"order/{table_key}/{run}/{rotation}/"
    return sorted(deals, key=lambda deal: hmac.digest(secret, f"{head}{deal}".encode(), "sha256"))
