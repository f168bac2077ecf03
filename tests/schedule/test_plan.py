from collections import Counter
from dataclasses import fields, replace
from itertools import groupby, pairwise
from math import comb
from random import Random

import pytest

from runner.game.deals import deal_hands, secret_of_seed
from runner.game.rules import Play, Rules
from runner.records import Limits, canonical_hash
from runner.schedule.plan import Table, deal_out, table_key
from tests import reference
from tests.strategies import vectors

SECRET = secret_of_seed("7")


def ids(plan, **options):
    return {sitting.id for sitting in plan.sittings(**options)}


def plays(plan):
    """Every (table, deal, rotation) of a plan, as often as it is played."""
    return Counter(
        (sitting.table.key, deal, sitting.rotation)
        for sitting in plan.sittings()
        for deal in sitting.deals
    )


@pytest.mark.parametrize("vector", vectors("dealing.jsonl"))
def test_table_key_of_the_vector_comes_again(vector):
    rules = Rules(vector["players"], Play(vector["play"]))
    assert table_key([tuple(each) for each in vector["entrants"]], rules) == vector["table"]
    assert table_key(list(reversed(vector["entrants"])), rules) == vector["table"]


def test_table_key_depends_on_rules_names_and_versions_only(plan_of):
    (table,) = plan_of().tables()
    a, *others = table.entrants
    rules = table.rules
    same = [
        Table(rules, (replace(a, author="somebody"), *others)),
        Table(rules, (*others, a)),
    ]
    different = [
        Table(Rules(4, Play.CLOCKWISE), table.entrants),
        Table(Rules(3, Play.ANTICLOCKWISE), table.entrants),
        Table(rules, (replace(a, name="A"), *others)),
        Table(rules, (replace(a, bot=replace(a.bot, command=("sh", "a.py"))), *others)),
        Table(rules, (replace(a, bot=replace(a.bot, files=(("a.py", "b" * 64),))), *others)),
        Table(rules, (replace(a, bot=replace(a.bot, files=())), *others)),
        Table(rules, (replace(a, bot=others[0].bot), *others)),
        Table(rules, tuple(others)),
    ]
    assert {each.key for each in same} == {table.key}
    assert len({table.key, *(each.key for each in different)}) == len(different) + 1


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("more", [0, 1, 3])
def test_plan_counts_are_those_of_its_sittings(plan_of, players, more):
    plan = plan_of(players + more, players, deals=30)
    sittings = list(plan.sittings())
    assert plan.runs == 3
    assert plan.table_count == len(list(plan.tables())) == comb(players + more, players)
    assert plan.sitting_count == len(sittings) == plan.table_count * 3 * players
    boards = {(each.table.key, deal) for each in sittings for deal in each.deals}
    assert plan.board_count == len(boards) == plan.table_count * 30


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("deals", [1, 11, 12, 13, 24, 30])
def test_plan_every_board_is_played_once_in_every_rotation(plan_of, players, deals):
    plan = plan_of(players + 1, players, deals=deals)
    assert plays(plan) == {
        (table.key, deal, rotation): 1
        for table in plan.tables()
        for deal in range(1, deals + 1)
        for rotation in range(players)
    }


@pytest.mark.parametrize("players", [3, 4])
def test_plan_no_two_sittings_share_an_id(plan_of, players):
    plan = plan_of(players + 2, players)
    assert len(ids(plan)) == plan.sitting_count


@pytest.mark.parametrize("players", [3, 4])
def test_plan_exactly_enough_entrants_make_one_table(plan_of, players):
    plan = plan_of(players, players)
    (table,) = plan.tables()
    assert [entrant.name for entrant in table.entrants] == list("abcd"[:players])
    assert plan.sitting_count == 2 * players


@pytest.mark.parametrize("apart", [1, 2, 3, 5, 100])
def test_plan_rotations_of_a_run_are_adjacent_but_for_tables_that_take_turns(plan_of, apart):
    plan = plan_of(6)
    sittings = list(plan.sittings(apart))
    assert {each.id for each in sittings} == ids(plan)
    assert len(sittings) == plan.sitting_count
    runs = [each.run for each in sittings]
    assert runs == sorted(runs)
    at: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for place, each in enumerate(sittings):
        at.setdefault((each.table.key, each.run), []).append((place, each.rotation))
    for rotations in at.values():
        assert [rotation for _, rotation in rotations] == [0, 1, 2, 3]
        assert all(0 < b - a <= apart for (a, _), (b, _) in pairwise(rotations))
    # So many are played at a time: no two of them are rotations of one run.
    if 15 % apart == 0:
        for first in range(0, len(sittings), apart):
            together = [each.table.key for each in sittings[first : first + apart]]
            assert len(set(together)) == apart


def test_plan_by_default_plays_the_rotations_of_a_run_one_after_another(plan_of):
    groups = groupby(plan_of(6).sittings(), key=lambda each: (each.run, each.table.key))
    assert [len(list(sittings)) for _, sittings in groups] == [4] * 15 * 2


def test_sitting_id_changes_with_rules_secret_table_run_and_rotation(plan_of):
    plan = plan_of(5)
    base = ids(plan)
    assert len(base) == 5 * 2 * 4
    changed = [
        plan_of(5, rules=Rules(4, Play.CLOCKWISE)),
        plan_of(5, 3),
        plan_of(5, secret_hash="0" * 64),
        replace(
            plan, entrants=tuple(replace(each, name=f"{each.name}2") for each in plan.entrants)
        ),
        replace(
            plan,
            entrants=tuple(
                replace(each, bot=replace(each.bot, command=("sh",))) for each in plan.entrants
            ),
        ),
    ]
    for other in changed:
        assert not base & ids(other)


@pytest.mark.parametrize("limit", [field.name for field in fields(Limits)])
def test_sitting_id_changes_with_every_limit(plan_of, limit):
    limits = replace(Limits(), **{limit: getattr(Limits(), limit) + 1})
    assert not ids(plan_of()) & ids(plan_of(limits=limits))


def test_sitting_id_changes_with_nothing_else(plan_of):
    plan = plan_of(5)
    shuffled = list(plan.entrants)
    Random(1).shuffle(shuffled)
    same = [
        replace(plan, entrants=tuple(shuffled)),
        replace(plan, entrants=tuple(replace(each, author="somebody") for each in plan.entrants)),
        plan_of(5),
    ]
    for other in same:
        assert [each.id for each in other.sittings()] == [each.id for each in plan.sittings()]
    assert ids(plan, apart=4) == ids(plan)


def test_sitting_id_is_the_hash_that_it_always_was(plan_of):
    # Databases are resumed by these: a change here replays every league.
    first = next(iter(plan_of().sittings()))
    limits = {field.name: getattr(Limits(), field.name) for field in fields(Limits)}
    assert first.id == canonical_hash(
        {
            "players": 4,
            "play": "anticlockwise",
            "secret": plan_of().secret_hash,
            "table": first.table.key,
            "run": 1,
            "deals": [1, 12],
            "rotation": 0,
            "limits": limits,
        }
    )


@pytest.mark.parametrize("stored", [0, 1, 17, 39, 40])
def test_resume_what_is_stored_is_subtracted_and_the_rest_stays_as_it_was(plan_of, stored):
    plan = plan_of(5)
    done = set(Random(stored).sample(sorted(ids(plan)), stored))
    left = [each for each in plan_of(5).sittings() if each.id not in done]
    assert len(left) == 40 - stored
    assert {each.id for each in left} | done == ids(plan)
    played: Counter[tuple[str, int, int]] = Counter()
    for sittings in (left, [each for each in plan.sittings() if each.id in done]):
        for each in sittings:
            played.update((each.table.key, deal, each.rotation) for deal in each.deals)
    assert played == plays(plan)


@pytest.mark.parametrize("players", [3, 4])
def test_entrant_more_adds_only_tables_that_hold_it(plan_of, players):
    before, after = plan_of(5, players), plan_of(6, players)
    known = ids(before)
    assert known < ids(after)
    new = [each for each in after.sittings() if each.id not in known]
    assert all("f" in [entrant.name for entrant in each.table.entrants] for each in new)
    assert len(new) == comb(5, players - 1) * 2 * players


def test_entrant_first_by_name_adds_only_tables_that_hold_it(plan_of):
    # Places at the tables are by name, so those of other tables must not shift.
    whole = plan_of(6)
    before = replace(whole, entrants=whole.entrants[1:])
    assert ids(before) < ids(whole)


def test_entrant_changed_plays_again_and_others_do_not(plan_of):
    plan = plan_of(5)
    changed = replace(plan.entrants[2], bot=replace(plan.entrants[2].bot, files=()))
    other = replace(plan, entrants=(*plan.entrants[:2], changed, *plan.entrants[3:]))
    kept = ids(plan) & ids(other)
    assert len(kept) == 1 * 2 * 4
    for each in plan.sittings():
        assert (each.id in kept) == ("c" not in [entrant.name for entrant in each.table.entrants])


@pytest.mark.parametrize("deals", [12, 24, 36, 120])
def test_deals_more_add_only_new_runs(plan_of, deals):
    before, after = plan_of(5, deals=deals), plan_of(5, deals=deals + 24)
    known = ids(before)
    assert known < ids(after)
    new = [each for each in after.sittings() if each.id not in known]
    assert {each.run for each in new} == {before.runs + 1, before.runs + 2}
    assert min(each.deals[0] for each in new) == deals + 1


def test_deals_more_after_a_short_run_play_that_run_as_another(plan_of):
    before, after = plan_of(deals=18), plan_of(deals=24)
    kept = ids(before) & ids(after)
    assert {each.run for each in before.sittings() if each.id in kept} == {1}
    assert plays(after).keys() > plays(before).keys()


def test_deals_no_table_plays_one_of_another(plan_of):
    hands = [
        deal_hands(SECRET, table.key, deal, table.rules)
        for table in plan_of(7).tables()
        for deal in range(1, 101)
    ]
    assert len(set(hands)) == len(hands) == 35 * 100


@pytest.mark.parametrize("players", [3, 4])
def test_deal_out_gives_the_hands_and_seats_of_the_second_implementation(plan_of, players):
    plan = plan_of(players, players)
    for planned in plan.sittings():
        sitting = deal_out(planned, plan.limits, SECRET)
        assert sitting.id == planned.id
        assert sitting.limits == plan.limits
        assert sitting.versions == tuple(each.bot.version for each in planned.table.entrants)
        key = planned.table.key
        for deal in sitting.deals:
            dealt = reference.dealt(SECRET, key, deal.deal, players)
            assert [hand.bit_count() for hand in deal.hands] == list(map(len, dealt))
            assert deal.hands == deal_hands(SECRET, key, deal.deal, plan.rules)
            assert list(deal.seats) == reference.seated(key, deal.deal, planned.rotation, players)


def test_deal_out_plays_each_deal_of_the_run_once_in_an_order_of_its_own(plan_of):
    plan = plan_of(deals=48, deals_per_sitting=24)
    orders = []
    for planned in plan.sittings():
        order = tuple(deal.deal for deal in deal_out(planned, plan.limits, SECRET).deals)
        assert sorted(order) == list(planned.deals)
        assert list(order) != list(planned.deals)
        orders.append(tuple(deal - planned.deals[0] for deal in order))
    assert len(set(orders)) == plan.sitting_count


def test_deal_out_a_deal_has_the_same_hands_in_every_rotation(plan_of):
    plan = plan_of()
    hands: dict[int, set[tuple[int, ...]]] = {}
    for planned in plan.sittings():
        for deal in deal_out(planned, plan.limits, SECRET).deals:
            hands.setdefault(deal.deal, set()).add(deal.hands)
    assert [len(each) for each in hands.values()] == [1] * 24
    assert len(set.union(*hands.values())) == 24


def test_plan_of_millions_of_deals_begins_at_once(plan_of):
    plan = plan_of(10, deals=10_000_000)
    assert plan.board_count == 210 * 10_000_000
    assert plan.sitting_count == 210 * 4 * -(-10_000_000 // 12)
    first = next(iter(plan.sittings()))
    assert (first.run, first.rotation, first.deals) == (1, 0, range(1, 13))
