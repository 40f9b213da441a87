"""Betting trees: rules by hand, sizes, counts known by hand, arrays and paths."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import InputError
from counterplay.poker.betting import tree as betting_tree
from counterplay.poker.betting.bet_sizes import read_sizes
from counterplay.poker.betting.rules import BettingRules, flop_holdem, holdem, limit_holdem, spot
from counterplay.poker.betting.state import Kind, Legal, call, fold, legal, raise_to, start
from counterplay.poker.betting.tree import amounts, build, count, node_at
from tests.support.random_betting import _act, _dealt


def test_sequences_of_limit_holdem() -> None:
    """A street of k raises: 2 opening decisions, k after either; each but those may fold or call. Preflop a call opens."""
    size = count(limit_holdem())
    assert size.decisions == (8, 7 * 10, 7 * 9 * 10, 7 * 9 * 9 * 10)
    assert size.deals == (7, 7 * 9, 7 * 9 * 9, 0)
    assert size.folds == (7, 7 * 8, 7 * 9 * 8, 7 * 9 * 9 * 8)
    assert size.showdowns == (0, 0, 0, 7 * 9 * 9 * 9)


def test_sequences_of_flop_holdem() -> None:
    """Three raises a street: 7 ways to the flop, 8 decisions and 7 showdowns after each; 26 chips are the largest pot."""
    tree = build(flop_holdem())
    size = count(tree.rules)
    assert (size.decisions, size.folds, size.showdowns) == ((8, 56, 0, 0), (7, 42, 0, 0), (0, 49, 0, 0))
    assert tree.nodes == size.nodes == 64 + 7 + 49 + 49
    assert tree.kind[0] == Kind.PLAYER1
    assert tree.committed[0].tolist() == [2, 1]
    assert tree.label(node_at(tree, "r r r c")) == "call"
    assert tree.pot.max() == 2 * (2 + 3 * 2 + 3 * 2)


def test_sequences_of_leduc() -> None:
    """Two streets that the first player opens, two bets each: 6 decisions a street and 5 ways on."""
    tree = build(spot("flop", pot=2, stack=20, last="turn", bets=(2, 4), raises=2))
    assert count(tree.rules).decisions == (0, 6, 30, 0)
    assert tree.win[node_at(tree, "b r c b r c")] == 1 + 4 + 8
    assert tree.lose[node_at(tree, "b f")] == -1


def test_sequences_of_fcpa() -> None:
    """100 big blinds from the deal, the same number as OpenSpiel's tree above."""
    size = count(holdem(200), "fcpa")
    assert size.nodes == build(holdem(200), "fcpa").nodes == 3541
    assert sum(size.folds) == 1001
    assert "3,541 betting nodes: preflop 20 decisions with 57 actions" in str(size)


def test_usual_menus_make_large_trees_and_wide_ones_are_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many sizes and raises share their states: a million sequences are known by twenty thousand. `any` is not followed."""
    monkeypatch.setattr(betting_tree, "MOST_WIDE", 1_000)
    assert count(holdem(200), "25%, 50%, 75%, 100%, 150%, a; raise: 50%, 100%, a").nodes == 896_641
    menu = "33%, 75%, 150%, a; raise: 50%, 100%, a"
    assert count(holdem(100), menu).nodes == 92_089
    assert build(holdem(30), menu).nodes == count(holdem(30), menu).nodes == 11_275
    with pytest.raises(InputError, match="more than 1,000 different actions"):
        build(holdem(200), "any")


def test_counting_is_not_building() -> None:
    """20 big blinds, every whole chip: two and a half million nodes are rejected by their number."""
    with pytest.raises(InputError, match="nodes are more than 1,000,000"):
        build(holdem(20), "any", most=1_000_000)


def test_least_raise_is_the_last_full_one() -> None:
    rules = spot("river", pot=100, stack=(120, 1000), min_bet=10)
    first = raise_to(rules, start(rules), 40)
    assert legal(rules, first) == Legal(True, 40, 80, 1000)
    second = raise_to(rules, first, 110)  # raised by 70: the next to 180, but 120 all-in is allowed
    assert legal(rules, second) == Legal(True, 70, 120, 120)
    short = raise_to(rules, second, 120)  # short: nobody raises an all-in
    assert legal(rules, short) == Legal(True, 10, 0, 0)
    assert call(rules, short).put == (120, 120)


def test_big_blind_has_the_option() -> None:
    rules = holdem(200)
    limped = call(rules, start(rules))
    assert limped.kind is Kind.PLAYER0
    assert legal(rules, limped) == Legal(False, 0, 4, 200)
    assert call(rules, limped).kind is Kind.DEAL
    with pytest.raises(InputError, match="checking is free"):
        fold(rules, limped)
    with pytest.raises(InputError, match="3 is not between the minimum bet 4"):
        raise_to(rules, limped, 3)


def test_uncalled_chips_come_back() -> None:
    rules = spot("turn", pot=100, stack=(50, 300))
    tree = build(rules, "a")
    assert tree.actions(0) == ("check", "all-in 50")
    done = node_at(tree, "all-in, call")
    assert tree.kind[done] == Kind.SHOWDOWN
    assert (tree.street[done], tree.pot[done], tree.win[done]) == (2, 200, 100)
    folded = node_at(tree, "x a f")
    assert tree.kind[folded] == Kind.FOLD0
    assert (tree.pot[folded], tree.committed[folded].tolist()) == (100, [0, 0])


@pytest.mark.parametrize("stacks", [(1, 100), (100, 1), (2, 100), (100, 2), (1, 1)])
def test_blinds_beyond_the_stack(stacks: tuple[int, int]) -> None:
    """A player who is all-in from a blind is followed by a decision only if the small blind still owes chips."""
    state = start(holdem(stacks))
    assert (state.kind is Kind.PLAYER1) == (min(stacks) == 2)


def test_rake() -> None:
    tree = build(spot("river", pot=100, stack=100, rake=0.05, rake_cap=6), "50%")
    small, large, folded = node_at(tree, "x x"), node_at(tree, "b c"), node_at(tree, "b f")
    assert (tree.win[small], tree.lose[small], tree.tie[small]) == (45, -50, -2.5)
    assert (tree.win[large], tree.lose[large], tree.tie[large]) == (94, -100, -3)
    assert (tree.win[folded], tree.lose[folded]) == (45, -50)
    assert tree.win[node_at(tree, "b")] == 0


def test_tree_from_the_middle_of_a_hand() -> None:
    rules = spot("turn", pot=100, stack=300)
    facing = raise_to(rules, start(rules), 100)
    whole, part = build(rules, "100%, a"), build(rules, "100%, a", root=facing)
    node = node_at(whole, "b100")
    assert part.nodes == whole.end[node] - node
    assert np.array_equal(part.win, whole.win[node : whole.end[node]])


def _menu(rules: BettingRules, text: str, *moves: int | str, all_in_at: float | None = None) -> list[int]:
    state = start(rules)
    for move in moves:
        state = _dealt(rules, _act(rules, state, move))
    return amounts(rules, state, read_sizes(text, all_in_at=all_in_at))


def test_amounts_by_hand() -> None:
    river = spot("river", pot=100, stack=900)
    assert _menu(river, "33%, 75%, 200%, a, min, 50c") == [1, 33, 50, 75, 200, 900]
    assert _menu(spot("river", pot=150, stack=900), "33%, 43%") == [50, 65]  # 49.5 and 64.5: halves up
    assert _menu(river, "50%, 2x, 2.5x, 80c, 300c, min", 100) == [200, 250, 300]  # 50% = 100 + 300 / 2; 80 is no raise
    assert _menu(river, "10%, 1.5x, 2x", 100) == [200]  # all held to the least raise, one action
    assert _menu(river, "e, 1e") == [900]
    assert _menu(spot("flop", pot=100, stack=1300), "e") == [100]  # three pot bets: 100 + 300 + 900 = 1300
    assert _menu(spot("flop", pot=100, stack=400), "2e") == [100]
    assert _menu(holdem(200), "3x, 100%") == [6]
    assert _menu(spot("river", pot=3, stack=10, unit=0.5), "50%, 33%") == [2, 3]  # in units: 1 and 1.5 chips
    assert _menu(river, "50%, 80%", all_in_at=8) == [50, 900]


def test_clauses_choose_streets_players_and_acts() -> None:
    text = "50%, a; turn: 75%; river ip: 150%; flop oop bet: none; raise: 2.5x"
    flop = spot("flop", pot=100, stack=10_000)
    assert _menu(flop, text) == []
    assert _menu(flop, text, "call") == [50, 10_000]
    assert _menu(flop, text, "call", 50) == [125]
    assert _menu(flop, text, "call", "call") == [75]
    assert _menu(flop, text, *["call"] * 5) == [150]
    assert read_sizes({"flop": "33%, a", "river ip raise": "2x"}).at == read_sizes("flop: 33%,a; river ip raise: 2x").at


def test_a_donk_is_a_bet_of_oop_into_the_last_bettor() -> None:
    flop = spot("flop", pot=100, stack=10_000)
    text = "50%, a; turn donk: 25%; raise: 2x"
    assert _menu(flop, text) == [50, 10_000]  # nobody bet before the spot
    assert _menu(flop, text, "call", 50, "call") == [50]  # ip bet, oop called: a quarter of 200
    assert _menu(flop, text, "call", 50, "call", "call") == [100, 9_950]  # ip is no donk
    assert _menu(flop, text, 50, "call") == [100, 9_950]  # oop bet themselves
    assert _menu(flop, text, "call", "call") == [50, 10_000]  # checked through
    assert _menu(flop, text, 50, 100, "call") == [75]  # ip raised last
    assert _menu(flop, "50%; donk: none", "call", 50, "call") == []
    assert _menu(flop, "50%; donk: 25%", "call", 50, "call", "call", "call") == [100]  # only the street before counts


def test_the_initiative_may_outlast_streets_that_are_checked() -> None:
    sizes = "50%; donk: 25%; initiative: kept"
    tree = build(spot("flop", pot=100, stack=10_000), sizes)
    for path, found in {
        "check, bet 50, call, turn": 50,
        "check, bet 50, call, turn, check": 100,  # ip is no donk
        "check, bet 50, call, turn, check, check, river": 50,  # ip still has the initiative
        "check, bet 50, call, turn, bet 50, call, river": 150,  # oop took it: half of 300
        "bet 50, call, turn, check, check, river": 100,
        "check, check, turn, check, check, river": 50,  # nobody had it: half of 100
    }.items():
        assert tree.actions(node_at(tree, path))[1] == f"bet {found}"


def test_the_tree_of_a_peer_has_as_many_decisions() -> None:
    """GTOpen (`bench/new_i16_dcfr.log`) counts 500,748 decisions, with 49 cards dealt on the turn and on the river.

    Its `bench_spot.json` has no donks, and by its `tree.rs` the last bettor of the hand keeps the initiative.
    """
    flop = spot("flop", pot=60, stack=970)
    sizes = (
        "flop oop: 33%; flop ip: 33%, 75%; turn: 75%; river: 75%; raise: 60%; all-in: 85%; donk: none; initiative: kept"
    )
    _, first, turn, river = count(flop, sizes).decisions
    assert first + 49 * turn + 49 * 49 * river == 500_748


def test_near_sizes_merge_into_the_larger_one() -> None:
    river = spot("river", pot=100, stack=900)
    sizes = "50%, 60%, 75%, 150%, 170%"
    assert _menu(river, sizes) == [50, 60, 75, 150, 170]
    assert _menu(river, f"{sizes}; merge: 10%") == [50, 75, 170]  # 270 / 250 and 175 / 160 are below 1.1
    assert _menu(river, f"{sizes}; merge: 1%") == [50, 60, 75, 150, 170]
    assert _menu(river, "50%, 75%; merge: 20%", 100) == [325]  # to 250 and 325: pots of 550 / 475 < 1.2 after a call


def test_bets_that_leave_little_behind_are_all_in() -> None:
    river = spot("river", pot=100, stack=200)
    assert _menu(river, "75%, 150%") == [75, 150]
    assert _menu(river, "75%, 150%; force: 12%") == [75, 150]  # 50 behind, 400 in the pot
    assert _menu(river, "75%, 150%; force: 12.5%") == [75, 200]
    assert _menu(river, "75%, 150%; all-in: 75%") == [75, 200]


@given(
    percents=st.lists(st.integers(5, 400), min_size=1, max_size=8),
    near=st.integers(1, 60),
    force=st.integers(1, 60),
    stack=st.integers(50, 2000),
)
def test_thinned_menus_keep_their_promise(percents: list[int], near: int, force: int, stack: int) -> None:
    rules = spot("river", pot=100, stack=stack)
    text = ", ".join(f"{percent}%" for percent in percents)
    whole, merged = _menu(rules, text), _menu(rules, f"{text}; merge: {near}%")
    assert set(merged) <= set(whole)
    assert merged[-1] == whole[-1]
    assert all((100 + more) * 100 >= (100 + less) * (100 + near) for less, more in itertools.pairwise(merged))
    for left_out in set(whole) - set(merged):
        assert any(kept > left_out and (100 + kept) * 100 < (100 + left_out) * (100 + near) for kept in merged)
    forced = _menu(rules, f"{text}; force: {force}%")
    assert all(to == stack or (stack - to) * 100 > force * (100 + 2 * to) for to in forced)


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("33", "'33' is not a size"),
        ("a; merge: much", "'merge' needs a percentage, as in 'merge: 10%', not 'much'"),
        ("a; force: 0%", "the percentage of 'force', 0% is not in (0, 100] percent"),
        ("a; all-in: 101%", "101% is not in (0, 100] percent of the stack"),
        ("a; initiative: mine", "'initiative' is kept or lost when a street is checked through, not 'mine'"),
        ("a; donk: 2x", "'2x' multiplies the bet"),
        ("a; ip donk: a", "'ip donk' has no place: only oop"),
        ("50%, pot", "'pot' is not a size"),
        ("", "no size is given for the river oop bet"),
        ("oop: a; ip bet: a", "no size is given for the river ip raise"),
        ("reiver: a", "'reiver' is not a street"),
        ("bet: 2x", "'2x' multiplies the bet"),
        ("0%", "'0%' is too small"),
        ("1x", "'1x' is too small"),
        ("1.5e", "whole number of streets"),
        ("950c", "'950c' is beyond the stack of 900 chips"),
        (": a", "no street or player"),
    ],
)
def test_bad_sizes(text: str, culprit: str) -> None:
    with pytest.raises(InputError, match=re.escape(culprit)) as caught:
        build(spot("river", pot=200, stack=900), text)
    assert "\n" not in str(caught.value)


def test_bad_rules() -> None:
    for wrong, culprit in (
        (lambda: spot("river", 1.5, 100), "pot: 1.5 is not a multiple of the smallest chip, 1"),
        (lambda: spot("rivver", 1, 100), "'rivver' is not one of"),
        (lambda: spot("river", 1, 100, last="flop"), "cannot end at the flop"),
        (lambda: spot("river", 1, (100, 0)), "stack of ip: 0 is too little"),
        (lambda: spot("river", -2, 100), "pot: -2 is negative"),
        (lambda: spot("river", float("nan"), 100), "pot: nan is not an amount"),
        (lambda: spot("turn", 1, 9, bets=(1,)), "1 sizes for 2 streets"),
        (lambda: spot("turn", 1, 9, raises=(1,)), "so 2 of them"),
        (lambda: spot("turn", 1, 9, rake=2), "rake"),
        (lambda: holdem(9, blinds=(3, 2)), "small blind 3 is larger"),
        (lambda: read_sizes("a", all_in_at=0), "all-in threshold"),
        (lambda: build(limit_holdem(), "50%"), "a limit game has fixed sizes"),
    ):
        with pytest.raises(InputError, match=culprit):
            wrong()


@st.composite
def games(draw: st.DrawFn) -> tuple[BettingRules, str]:
    """Small random spots and games with random sizes."""
    sizes = ", ".join(
        draw(st.lists(st.sampled_from(["33%", "50%", "100%", "250%", "2x", "3x", "e", "2e", "a", "min"]), min_size=1))
    )
    stacks = (draw(st.integers(1, 60)), draw(st.integers(1, 60)))
    raises = draw(st.integers(0, 3))
    if draw(st.booleans()):
        street = draw(st.sampled_from(["turn", "river"]))
        return spot(
            street, draw(st.integers(0, 30)), stacks, raises=raises, rake=draw(st.sampled_from([0, 0.05]))
        ), sizes
    return holdem(stacks, ante=draw(st.integers(0, 2)), last="flop", raises=raises), sizes


_ASKED = 1000
"""Nodes of a tree that are asked for their children and paths: all, or that many of a large one."""


@settings(deadline=None, max_examples=80)
@given(games())
def test_arrays_agree_with_each_other(game: tuple[BettingRules, str]) -> None:
    tree = build(*game)
    size = count(*game)
    assert size.nodes == tree.nodes
    stop = tree.kind > Kind.DEAL
    children = np.bincount(tree.parent[1:], minlength=tree.nodes)
    first, by_parent = np.cumsum(children) - children, 1 + np.argsort(tree.parent[1:], kind="stable")
    assert ((children > 0) != stop).all()
    assert (tree.action[by_parent] == np.arange(len(by_parent)) - np.repeat(first, children)).all()
    last = by_parent[(first + children - 1)[~stop]]
    assert (tree.end[~stop] == tree.end[last]).all()
    assert (tree.end[stop] == np.flatnonzero(stop) + 1).all()
    for node in range(0, tree.nodes, 1 + tree.nodes // _ASKED):
        assert list(tree.children(node)) == by_parent[first[node] : first[node] + children[node]].tolist()
        assert len(set(tree.actions(node))) == children[node]
        assert node_at(tree, tree.path(node)) == node
    assert tree.pot == pytest.approx(tree.committed.sum(axis=1) + tree.rules.pot)
    assert (tree.committed <= tree.rules.stacks).all()
    assert (tree.committed[stop][:, 0] == tree.committed[stop][:, 1]).all()
    assert tree.win - tree.lose == pytest.approx((tree.pot + 2 * tree.tie) * stop)
    assert tree.win + tree.lose == pytest.approx(2 * tree.tie)
    decisions = np.bincount(tree.street[tree.kind <= Kind.PLAYER1], minlength=4)
    assert decisions.tolist() == list(size.decisions)
    assert sum(size.actions) == np.isin(tree.kind[tree.parent[1:]], (0, 1)).sum()


def test_paths() -> None:
    tree = build(spot("turn", 200, 900), "50%, a")
    node = node_at(tree, "check, bet 100, call")
    assert tree.kind[node] == Kind.DEAL
    assert node_at(tree, "x b100 c") == node_at(tree, "X/B/C") == node
    after = node_at(tree, "x b100 c river")
    assert after == tree.children(node)[0]
    assert tree.path(after) == "check, bet 100, call, river"
    assert node_at(tree, "x b100 c x") == node_at(tree, "x b100 c river x")
    assert tree.actions(node_at(tree, "b100")) == ("fold", "call", "raise 300", "all-in 900")
    assert node_at(tree, "b100 b300") == node_at(tree, "bet 100, raise 300")
    assert node_at(tree, "all in") == node_at(tree, "r900") == node_at(tree, "a")
    assert (node_at(tree, ""), tree.path(0)) == (0, "")


@pytest.mark.parametrize(
    ("path", "culprit"),
    [
        ("x b120", "'bet 120' is not an action here, where there is check, bet 100, bet 150, all-in 900"),
        ("x b", "'bet' fits several actions"),
        ("x zz", "'zz' is not an action here"),
        ("x b100 f x", "'check' is not an action here, where there is nothing"),
        ("x & b100", "cannot read '& b100'"),
    ],
)
def test_bad_paths(path: str, culprit: str) -> None:
    tree = build(spot("turn", 200, 900), "50%, 75%, a")
    with pytest.raises(InputError, match=re.escape(culprit)):
        node_at(tree, path)


def test_chips_of_a_tenth() -> None:
    tree = build(spot("river", 0.3, 1, unit=0.1, min_bet=0.1), "100%")
    assert tree.actions(0) == ("check", "bet 0.3")


_WORDS = st.sampled_from(["33%", "12.5%", "50c", "e", "2e", "min", "a", "any"])
_LISTS = st.lists(_WORDS, max_size=3, unique=True).map(lambda words: ", ".join(words) or "none")
_WHERE = st.sampled_from(["river", "flop ip", "turn oop bet", "raise", "donk", "flop turn oop donk"])
_RAISES = st.just("river ip raise: 2x, 2.5x")
_LIMITS = st.builds(
    "{}: {}%".format, st.sampled_from(["merge", "all-in", "force"]), st.integers(1, 100) | st.floats(0.5, 99.0)
)
_INITIATIVE = st.sampled_from(["initiative: kept", "initiative: lost"])
_CLAUSES = st.builds("{}: {}".format, _WHERE, _LISTS) | _LISTS | _RAISES | _LIMITS | _INITIATIVE


@given(st.lists(_CLAUSES, max_size=5).map("; ".join))
def test_sizes_and_their_text_are_inverse(text: str) -> None:
    sizes = read_sizes(text)
    assert read_sizes(str(sizes)) == sizes


def test_the_text_of_sizes_names_streets_players_and_acts() -> None:
    assert str(read_sizes("river: 50%, a; merge: 10%")) == (
        "river oop bet: 50%, a; river ip bet: 50%, a; river oop raise: 50%, a; river ip raise: 50%, a; merge: 10%"
    )
