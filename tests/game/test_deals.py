import hashlib
import shutil
import subprocess

import pytest
from hypothesis import given

from runner.game.cards import card_of, cards_in, mask_of, names_of
from runner.game.deals import deal_hands, playing_order, secret_of_seed
from runner.game.rules import Play, Rules
from tests import reference
from tests.strategies import deal_numbers, rules, secrets, table_keys, vectors

DEALING = vectors("dealing.jsonl")


def names_by_seat(hands):
    return [names_of(cards_in(hand)) for hand in hands]


def rules_in(vector):
    return Rules(vector["players"], Play(vector["play"]))


@pytest.mark.parametrize("vector", DEALING)
def test_secret_of_seed_is_that_of_the_vector(vector):
    assert secret_of_seed(vector["seed"]).hex() == vector["secret"]


@pytest.mark.parametrize("vector", DEALING)
def test_hands_of_the_vector_are_dealt_again(vector):
    hands = deal_hands(
        bytes.fromhex(vector["secret"]), vector["table"], vector["deal"], rules_in(vector)
    )
    assert hands == tuple(mask_of(map(card_of, hand)) for hand in vector["hands"])


@pytest.mark.parametrize("vector", [each for each in DEALING if "sitting_order" in each])
def test_sitting_order_of_the_vector_comes_again(vector):
    sitting = vector["sitting_order"]
    order = playing_order(
        bytes.fromhex(vector["secret"]),
        vector["table"],
        sitting["run"],
        sitting["rotation"],
        sitting["deals"],
    )
    assert order == sitting["order"]


def test_dealing_vectors_hold_sitting_orders():
    assert sum("sitting_order" in vector for vector in DEALING) == 4


@given(secrets, table_keys, deal_numbers, rules)
def test_hands_of_any_deal_are_those_of_the_second_implementation(secret, table, deal, game):
    hands = deal_hands(secret, table, deal, game)
    expected = reference.dealt(secret, table, deal, game.players)
    assert names_by_seat(hands) == [reference.in_pack_order(hand) for hand in expected]


@given(secrets, table_keys, deal_numbers, rules)
def test_hands_of_any_deal_are_the_whole_pack_in_the_right_sizes(secret, table, deal, game):
    hands = deal_hands(secret, table, deal, game)
    assert [hand.bit_count() for hand in hands] == [
        game.dealt_size(seat) for seat in range(game.players)
    ]
    assert sum(hands) == mask_of(game.pack)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
@pytest.mark.parametrize("vector", [DEALING[2], DEALING[5]])
def test_hands_are_those_that_openssl_and_arithmetic_give(vector):
    mac = subprocess.run(
        ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{vector['secret']}"],
        input=f"{vector['table']}/{vector['deal']}".encode(),
        capture_output=True,
        check=True,
    )
    number = int(mac.stdout.split()[-1], 16)
    left = reference.pack_of(vector["players"])
    drawn = []
    while left:
        number, at = divmod(number, len(left))
        drawn.append(left.pop(at))
    seats = range(vector["players"])
    assert [drawn[7 * seat : 7 * seat + len(vector["hands"][seat])] for seat in seats] == [
        list(hand) for hand in vector["hands"]
    ]


@given(secrets, table_keys)
def test_playing_order_is_the_one_that_the_second_implementation_sorts(secret, table):
    def by_mac(deal):
        text = f"order/{table}/3/2/{deal}".encode()
        inner = hashlib.sha256(bytes(b ^ 0x36 for b in secret.ljust(64, b"\0")) + text).digest()
        return hashlib.sha256(bytes(b ^ 0x5C for b in secret.ljust(64, b"\0")) + inner).digest()

    assert playing_order(secret, table, 3, 2, range(49, 73)) == sorted(range(49, 73), key=by_mac)


@given(secrets, table_keys)
def test_playing_order_differs_between_the_rotations_of_a_run(secret, table):
    orders = [
        tuple(playing_order(secret, table, 1, rotation, range(1, 25))) for rotation in range(4)
    ]
    assert len(set(orders)) == 4
    assert {tuple(sorted(order)) for order in orders} == {tuple(range(1, 25))}


@pytest.mark.parametrize("players", [3, 4])
def test_leagues_of_neighbouring_seeds_share_no_deal(players):
    game = Rules(players, Play.ANTICLOCKWISE)
    seen: set[tuple[int, ...]] = set()
    for seed in ("7", "8"):
        secret = secret_of_seed(seed)
        table = DEALING[0]["table"]
        seen.update(deal_hands(secret, table, deal, game) for deal in range(1, 10_001))
    assert len(seen) == 20_000


def test_deals_every_card_comes_to_every_seat_equally_often():
    # 2000 deals of 32 cards; the standard deviation of a count is at most 21.
    game = Rules(4, Play.ANTICLOCKWISE)
    secret = secret_of_seed("7")
    counts = {(seat, card): 0 for seat in range(4) for card in range(32)}
    for deal in range(1, 2001):
        for seat, hand in enumerate(deal_hands(secret, "ab", deal, game)):
            for card in cards_in(hand):
                counts[seat, card] += 1
    for (seat, _), count in counts.items():
        assert abs(count - 2000 * game.dealt_size(seat) / 32) < 6 * 21
