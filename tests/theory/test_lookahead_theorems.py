"""Theorems of look-aheads, each number found by a second way: horizons, depths, safety, value functions, gifts, the dial."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay.errors import quoted
from counterplay.gametree.compile.levels import Depth, history_levels, least_by_lane
from counterplay.leaf_values.heuristic import Heuristic
from counterplay.leaf_values.leaf_value import linear
from counterplay.leaf_values.rollouts import Rollouts
from counterplay.leaf_values.solved_value import SolvedValue
from counterplay.leaf_values.value_function import value_function
from counterplay.lookahead.decisions import DecisionGroup, decision_groups
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.state import SearchState
from counterplay.lookahead.step import decide_group, value_leaves
from counterplay.responses.matchup.risk_search import p_from_bound
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.equilibrium import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.cut import Cut, cut
from counterplay.subgames.cut_entry import build_gadget_game
from counterplay.subgames.cut_shape import Border
from counterplay.subgames.gadgets.max_margin import max_margin_entry
from counterplay.subgames.gadgets.unsafe import unsafe_entry
from counterplay.subgames.gifts import gifts as gifts_at
from counterplay.treeplex.restriction import Restriction
from tests.support import witness
from tests.support.gadget_games import alternative_values
from tests.support.random_games import Knobs, MatchUp, RandomGame, Scaled, Swapped, Wrapped, games, match_ups

FEW = settings(max_examples=settings().max_examples * 3 // 8)  # 15 in CI, more on a hunt
EXACT = 1e-7
GameOf = Callable[[str], cp.GameTree]
SMALL = ["kuhn", "leduc:merged=true", "goofspiel:4", "liars_dice:1,3,wild=false", "battleships:1,3,1x1"]
OPPONENTS = ["uniform", "random:2", "cfr+:3"]
SAFE = ["resolving", "max-margin", "reach-max-margin"]


def slack(game: cp.GameTree, share: float = EXACT) -> float:
    """A share of the span of payoffs, and the last digits of the largest."""
    return share * game.span + 1e-14 * float(abs(game.histories.utility).max())


def weighed(answer: cp.Answer, p: float) -> float:
    """What RNR and CDRNR maximise, less the value of the game."""
    return p * answer.gain - (1.0 - p) * answer.exploitability


# --- plan scope down to a horizon --------------------------------------------------------------------------------------


class Horizon(witness.TwoCopies):
    """The explicit game of a model that is followed only at some infosets.

    In the model's copy chance draws the opponent's actions where the model is followed; below the opponent acts, and knows
    which copy it is.
    """

    def __init__(self, game: Any, opponent: int, model: witness.Table, p: float, followed: set[str]) -> None:
        super().__init__(game, opponent, model, p)
        self.followed = followed

    def _by_model(self, state: Any) -> bool:
        inner = state[1]
        mine = state[0] and self.game.player(inner) == self.opponent
        return bool(mine and self.game.infoset(inner, self.opponent) in self.followed)

    def player(self, state: Any) -> int:
        return cp.CHANCE if state is None or self._by_model(state) else self.game.player(state[1])

    def infoset(self, state: Any, player: int) -> str:
        text = self.game.infoset(state[1], player)
        return f"{text} in copy {state[0]}" if player == self.opponent else text


def above_a_horizon(tree: Any, seed: int, odds: float) -> np.ndarray:
    """(lanes,) random infosets, each with all the player's own ones before it: nobody comes back from below."""
    rng, followed = np.random.default_rng(seed), np.zeros(tree.lanes, np.bool_)
    for lane in tree.visit_order.tolist():
        before = int(tree.owner[tree.arrays.parent[lane]])
        followed[lane] = (before < 0 or followed[before]) and rng.random() < odds
    return followed


@FEW
@given(match_ups(), st.integers(0, 10**6), st.sampled_from((0.3, 0.7, 0.9)), st.sampled_from((0.1, 0.4, 0.8)))
def test_a_horizon_is_the_explicit_game_of_two_copies(match: MatchUp, seed: int, odds: float, p: float) -> None:
    """Following the model down to a horizon is a game of two copies in which the opponent of both acts below it."""
    game, seat, tree = match.game, match.seat, match.model.tree
    followed = above_a_horizon(tree, seed, odds)
    labels = tree.labels
    names = {text for text, lane in zip(labels.infosets, labels.lanes, strict=True) if lane < 0 or followed[lane]}
    exact = witness.value(Horizon(match.rules, 1 - seat, match.table, p, names), seat)
    problem = game.subgame.restricted(1 - seat, Restriction.until(tree, match.model.behaviour, p, followed))
    sign = 1.0 if seat == 0 else -1.0
    solution = solve_lp(problem, seat)
    assert sign * solution.value == pytest.approx(exact, abs=slack(game))
    iterated = solve_cfr(problem, minimiser("cfr+"), cp.Stop(1e-4 * game.span, 20_000))
    assert abs(sign * iterated.value - exact) <= iterated.nash_conv + slack(game)
    assert iterated.nash_conv <= 1e-3 * game.span


@FEW
@given(match_ups(), st.integers(0, 10**6), st.sampled_from((0.2, 0.6)))
def test_the_value_falls_the_earlier_the_model_is_left(match: MatchUp, seed: int, p: float) -> None:
    """From everywhere (RNR) over a horizon to nowhere (an equilibrium) the responder can only lose."""
    game, seat, tree = match.game, match.seat, match.model.tree
    some = above_a_horizon(tree, seed, 0.6)
    values = []
    for followed in (np.ones(tree.lanes, np.bool_), some, np.zeros(tree.lanes, np.bool_)):
        bound = Restriction.until(tree, match.model.behaviour, p, followed)
        values.append((1.0 if seat == 0 else -1.0) * solve_lp(game.subgame.restricted(1 - seat, bound), seat).value)
    assert values[0] == pytest.approx(witness.restricted_value(match.rules, seat, match.table, p), abs=slack(game))
    assert values[0] >= values[1] - slack(game)
    assert values[1] >= values[2] - slack(game)
    assert values[2] == pytest.approx(witness.value(match.rules, seat), abs=slack(game))


@FEW
@given(match_ups(), st.integers(0, 10**6))
def test_what_is_played_behind_a_horizon_is_two_plans_in_one(match: MatchUp, seed: int) -> None:
    """The played plan is p times the model's with everybody's choices below it, plus 1-p times everybody's."""
    tree, p = match.model.tree, 0.35
    followed = above_a_horizon(tree, seed, 0.6)
    everybody = cp.opponent(match.game, f"random:{seed % 97}", player=1 - match.seat)
    bound = Restriction.until(tree, match.model.behaviour, p, followed)
    inside = np.concatenate([followed, [False]])[tree.owner]
    copy = cp.Strategy(tree, np.where(inside, match.model.behaviour, everybody.behaviour))
    np.testing.assert_allclose(
        bound.played(tree, everybody.behaviour), p * copy.plan + (1.0 - p) * everybody.plan, atol=1e-12
    )


# --- depths ------------------------------------------------------------------------------------------------------------


class Stopping(Wrapped):
    """A game that says itself where a look-ahead stops: as a function has it."""

    def __init__(self, game: Any, stop: Callable[[Any], bool]) -> None:
        super().__init__(game)
        self.stop, self.augmented = stop, getattr(game, "augmented", False)


def states_at_level(game: cp.GameTree, level: int) -> frozenset[int]:
    """The public states with a decision or a chance event at this level."""
    table = game.histories
    here = np.flatnonzero((history_levels(game) == level) & (table.player != cp.TERMINAL))
    return frozenset(game.public[0][table.info[0][here]].tolist())


def same(first: cp.Answer, second: cp.Answer) -> None:
    np.testing.assert_array_equal(first.strategy.behaviour, second.strategy.behaviour)


def test_a_round_of_leduc_ends_at_the_first_public_states_behind_the_card(game_of: GameOf) -> None:
    """Depth `round` is the depth that is given by those public states, for every method and both ways."""
    game = game_of("leduc:merged=true")
    table = game.histories
    up = table.parent
    card = np.flatnonzero((table.player[up] == cp.CHANCE) & (table.player[up[up]] != cp.CHANCE) & (up > 0))
    depth: Any = Depth(states=frozenset(game.public[0][table.info[0][card]].tolist()))
    model = cp.opponent(game, "random:2", player=1)
    for words in ({"method": "cdbr"}, {"method": "cdrnr", "p": 0.4}, {"method": "cdbr", "solve": "per-state"}):
        by_round, by_states = (cp.respond(game, model, depth=far, **words) for far in ("round", depth))
        same(by_round, by_states)
        assert (by_round.depth, by_states.depth) == ("round", "states")


@FEW
@given(match_ups(), st.integers(1, 3))
def test_the_game_s_own_depth_is_that_of_the_states_it_names(match: MatchUp, level: int) -> None:
    """What a game's member `stop` marks, and the same public states given one by one, limit alike."""
    states = states_at_level(match.game, level)
    table = match.game.histories
    inner = np.flatnonzero(table.info[0] >= 0)
    marked = {id(match.game.state(h)) for h in inner.tolist() if int(match.game.public[0][table.info[0][h]]) in states}
    game = cp.load(Stopping(match.rules, lambda state: id(state) in marked))
    model = cp.opponent(game, match.table.__getitem__, player=1 - match.seat)
    own = cp.respond(game, model, method="cdbr", depth="game")
    given_one_by_one: Any = Depth(states=states) if states else 100
    by_states = cp.respond(match.game, match.model, method="cdbr", depth=given_one_by_one)
    assert own.gain == pytest.approx(by_states.gain, abs=slack(game))
    assert own.depth == "game"


@pytest.mark.parametrize("depth", [0, -1, 1.5, True, "", "rounds", "1e3", "-1", 10**12, "1" * 5000, [1], {}, "²"])
def test_a_depth_that_is_none_is_named(kuhn: cp.GameTree, depth: Any) -> None:
    """What is neither a number of levels from 1 on nor a word for one is refused in one line that repeats it."""
    for method in ("cdbr", "resolve"):
        with pytest.raises(cp.InputError) as refused:
            cp.respond(kuhn, cp.opponent(kuhn, "uniform"), method=method, depth=depth)
        message = str(refused.value)
        assert message.startswith("the depth must be")
        assert message.endswith(f"not {quoted(str(depth))}")
        assert "\n" not in message


@pytest.mark.parametrize(("depth", "why"), [("round", "has no rounds"), ("game", "no member 'stop'")])
def test_a_depth_that_the_game_does_not_have_is_refused(kuhn: cp.GameTree, depth: str, why: str) -> None:
    """Kuhn poker has neither rounds nor states of its own, and the message names Kuhn poker."""
    with pytest.raises(cp.InputError, match=f"^kuhn .*{why}"):
        cp.respond(kuhn, cp.opponent(kuhn, "uniform"), method="cdbr", depth=depth)


@pytest.mark.parametrize(
    "words", [{"levels": -2}, {"levels": 0}, {"states": frozenset([999])}, {"states": frozenset()}]
)
def test_a_depth_made_by_hand_is_checked_as_well(leduc: cp.GameTree, words: Any) -> None:
    """Levels below 1 and public states that the game has not are refused too."""
    with pytest.raises(cp.InputError, match=r"-2|0|999|at least one"):
        cp.respond(leduc, cp.opponent(leduc, "uniform"), method="cdbr", depth=Depth(**words))


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("seat", [0, 1])
def test_without_a_limit_look_aheads_are_the_whole_game(game_of: GameOf, spec: str, seat: int) -> None:
    """CDRNR has RNR's objective at every p, CDBR the best response's gain, whichever way it is solved."""
    game = game_of(spec)
    for opponent in OPPONENTS:
        model = cp.opponent(game, opponent, player=1 - seat)
        for p in (0.0, 0.4):
            whole, ahead = (cp.respond(game, model, p=p, **words) for words in ({}, {"method": "cdrnr", "depth": 99}))
            assert weighed(ahead, p) == pytest.approx(weighed(whole, p), abs=slack(game))
        best = cp.respond(game, model).gain
        for solve in ("joint", "per-state"):
            ahead = cp.respond(game, model, method="cdbr", depth=99, solve=solve)
            assert ahead.gain == pytest.approx(best, abs=slack(game))


@pytest.mark.parametrize("solve", ["joint", "per-state"])
@pytest.mark.parametrize("gadget", ["full", "unsafe", *SAFE])
@given(match=match_ups(), depth=st.integers(1, 3))
@settings(max_examples=8)
def test_full_trust_needs_no_gadget(solve: str, gadget: str, match: MatchUp, depth: int) -> None:
    """CDRNR with p = 1 is CDBR to the last digit, whatever the gadget."""
    words: dict[str, Any] = {"depth": depth, "solve": solve}
    full = cp.respond(match.game, match.model, method="cdrnr", p=1.0, gadget=gadget, **words)
    same(full, cp.respond(match.game, match.model, method="cdbr", **words))


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("seat", [0, 1])
def test_against_the_model_alone_public_states_do_not_touch(game_of: GameOf, spec: str, seat: int) -> None:
    """CDBR wins the same whether a level's public states are solved together or each alone."""
    game = game_of(spec)
    model = cp.opponent(game, "random:2", player=1 - seat)
    for depth in (1, 2):
        both = [cp.respond(game, model, method="cdbr", depth=depth, solve=way).gain for way in ("joint", "per-state")]
        assert both[0] == pytest.approx(both[1], abs=slack(game))


# --- safety ------------------------------------------------------------------------------------------------------------


def torn(game: cp.GameTree) -> bool:
    """Whether some public state is not the root of a subgame: an infoset lies partly below it and partly elsewhere."""
    table = game.histories
    for state in range(game.public_states):
        inside = cut(game, [state], 0).root >= 0
        for info in table.info:
            if np.intersect1d(info[inside & (info >= 0)], info[~inside & (info >= 0)]).size:
                return True
    return False


@pytest.mark.parametrize("gadget", SAFE)
def test_safe_gadgets_where_a_public_state_is_entered_again(gadget: str) -> None:
    """Re-solving is safe, or refused, where how many moves were made is not public."""
    game = cp.load(RandomGame(Knobs(depth=5, seed=264, lonely=2, named=False, utilities="whole")))
    model = cp.opponent(game, "random:1", player=1)
    answer = cp.respond(game, model, method="resolve", gadget=gadget, depth=1, solve="per-state")
    assert answer.exploitability <= slack(game)  # it is 0.2995


@FEW
@given(match_ups(), st.integers(1, 3), st.sampled_from(SAFE))
def test_safe_gadgets_without_trust_keep_the_blueprint_s_value(match: MatchUp, depth: int, gadget: str) -> None:
    """From an exact first look-ahead on, no public state that is solved alone behind a safe gadget gives anything away."""
    game = match.game
    assume(not torn(game))
    for method in ({"method": "resolve"}, {"method": "cdrnr", "p": 0.0}):
        for solve in ("per-state", "joint"):
            words: dict[str, Any] = {**method, "depth": depth, "gadget": gadget, "solve": solve}
            answer = cp.respond(game, match.model, **words)
            assert answer.exploitability <= slack(game)
            worth = witness.best_response(match.rules, 1 - match.seat, answer.strategy.table())[0]
            assert -worth >= witness.value(match.rules, match.seat) - slack(game)


@pytest.mark.parametrize("gadget", SAFE)
@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("seat", [0, 1])
def test_safe_gadgets_in_the_catalogue(game_of: GameOf, spec: str, seat: int, gadget: str) -> None:
    """The same in poker, Goofspiel, liar's dice and battleships."""
    game = game_of(spec)
    model = cp.opponent(game, "uniform", player=1 - seat)
    answer = cp.respond(game, model, method="resolve", gadget=gadget, depth=1, solve="per-state")
    assert answer.exploitability <= slack(game)
    assert (answer.gadget, answer.solve, answer.p) == (gadget, "per-state", None)


@pytest.mark.parametrize("spec", ["battleships:2,2,1x1", *SMALL])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_full_gadget_solved_jointly_is_safe(game_of: GameOf, spec: str, seat: int) -> None:
    """Exploitability is at most gain p/(1-p), so 0 for p = 0, and gain is never negative."""
    game = game_of(spec)
    for opponent in ("random:2", "cfr+:3"):
        model = cp.opponent(game, opponent, player=1 - seat)
        for p in (0.0, 0.1, 0.5, 0.8):
            answer = cp.respond(game, model, method="cdrnr", p=p, depth=1)
            assert answer.gain >= -slack(game)
            assert (1.0 - p) * answer.exploitability <= p * answer.gain + slack(game)


@pytest.mark.parametrize(("seat", "lost"), [(0, 0.25), pytest.param(1, 0.1875, marks=pytest.mark.slow)])
def test_the_full_gadget_state_by_state_is_not_safe(game_of: GameOf, seat: int, lost: float) -> None:
    """In 2x2 battleships public states that are solved one by one each count on the others: p = 0 is exploitable."""
    game = game_of("battleships:2,2,1x1")
    model = cp.opponent(game, "random:2", player=1 - seat)
    alone, joint = (
        cp.respond(game, model, method="cdrnr", p=0.0, depth=1, solve=way).exploitability
        for way in ("per-state", "joint")
    )
    assert alone == pytest.approx(lost, abs=1e-9)
    assert joint == pytest.approx(0.0, abs=1e-9)


@FEW
@given(match_ups(), st.integers(1, 3))
def test_look_aheads_against_the_model_never_lose_to_it(match: MatchUp, depth: int) -> None:
    """The gain of CDBR is not negative, also where every public state is solved alone, as in play."""
    for solve in ("joint", "per-state"):
        assert cp.respond(match.game, match.model, method="cdbr", depth=depth, solve=solve).gain >= -slack(match.game)


# --- value functions ---------------------------------------------------------------------------------------------------


def root_of(game: cp.GameTree) -> int:
    """The public state in which the game begins."""
    return int(game.public[0][game.histories.info[0][0]])


def limit(game: cp.GameTree, levels: int) -> Border:
    """Where a look-ahead of so many levels from the root stops."""
    return cut(game, [root_of(game)], 0, history_levels(game) <= levels).limit


class Arrived(Wrapped):
    """What is left of a game below some histories when both players play tables above them; other ends pay nothing."""

    def __init__(self, game: Any, border: list[Any], tables: dict[int, witness.Table]) -> None:
        super().__init__(game)
        self.tables, todo, self.below = tables, list(border), set()
        while todo:
            state = todo.pop()
            self.below.add(id(state))
            if game.player(state) != cp.TERMINAL:
                todo.extend(game.child(state, action) for action in game.actions(state))

    def player(self, state: Any) -> int:
        who = self.game.player(state)
        return cp.CHANCE if who in (0, 1) and id(state) not in self.below else who

    def chance(self, state: Any) -> Any:
        return [odds for odds, _ in witness.branches(self.game, state, self.tables)]

    def utility(self, state: Any) -> float:
        return self.game.utility(state) if id(state) in self.below else 0.0


def parted(game: cp.GameTree, levels: int) -> bool:
    """Whether a limit of so many levels leaves some infoset on both sides."""
    table, beyond_it = game.histories, history_levels(game) > levels
    for player in (0, 1):
        here = table.player == player
        if np.intersect1d(table.info[player][here & beyond_it], table.info[player][here & ~beyond_it]).size:
            return True
    return False


@FEW
@given(match_ups(), st.integers(0, 3), st.integers(0, 96), st.sampled_from((0.0, 0.3, 0.8)))
def test_the_nested_value_is_that_of_the_game_below_the_limit(match: MatchUp, levels: int, seed: int, p: float) -> None:
    """Range times CFV is what the dense program of the game below says, at a range that mixes model and everybody else."""
    game, seat, rules = match.game, match.seat, match.rules
    border = limit(game, levels)
    if not len(border.histories) or parted(game, levels):
        return
    own, other = (cp.opponent(game, f"random:{seed}", player=player) for player in (seat, 1 - seat))
    mixed = p * match.model.plan + (1.0 - p) * other.plan
    plans = (own.plan, mixed) if seat == 0 else (mixed, own.plan)
    tables = {i: cp.Strategy.from_plan(game.trees[i], plan).table() for i, plan in enumerate(plans)}
    rest = Arrived(rules, [game.state(h) for h in border.histories.tolist()], tables)
    ranges = border.range(0, plans[0]), border.range(1, plans[1])
    cfvs = SolvedValue().at(border)(*ranges)
    for player in (0, 1):
        assert ranges[player] @ cfvs[player] == pytest.approx(witness.value(rest, player), abs=slack(game))
    # A CFV is a supergradient: at no other own range is more to be had than it says.
    elsewhere = border.range(seat, cp.opponent(game, f"random:{seed + 1}", player=seat).plan)
    there = [*ranges]
    there[seat] = elsewhere
    worth = elsewhere @ SolvedValue().at(border)(there[0], there[1])[seat]
    assert worth <= elsewhere @ cfvs[seat] + slack(game)


@FEW
@given(match_ups(), st.integers(1, 3), st.sampled_from((0.0, 0.3, 0.8)))
def test_a_look_ahead_over_nested_solves_has_the_value_of_the_joint_program(
    match: MatchUp, levels: int, p: float
) -> None:
    """The first look-ahead with value function `lp`, asked at the mixed range, is the linear program of everything."""
    game, seat = match.game, match.seat
    expanded = history_levels(game) <= levels
    piece = cut(game, [root_of(game)], seat, expanded)
    if not len(piece.limit.histories) or parted(game, levels):
        return
    followed = least_by_lane(game, 1 - seat, expanded.astype(np.int32)) == 1
    bound = Restriction.until(match.model.tree, match.model.behaviour, p, followed)
    exact = solve_lp(game.subgame.restricted(1 - seat, bound), seat).value
    problem = build_gadget_game(piece, unsafe_entry(1, np.ones(1)), np.ones(game.trees[seat].size))
    trusted = problem.trusting(p, match.model.behaviour, match.model.plan, followed).subgame
    nested = replace(trusted, beyond=value_leaves(problem, SolvedValue().at(piece.limit)))
    found = solve_cfr(nested, minimiser("cfr+"), cp.Stop(1e-3 * game.span, 100))
    assert abs(found.value - exact) <= found.nash_conv + slack(game)
    assert found.nash_conv <= 0.1 * game.span


def test_a_limit_that_parts_an_infoset_changes_no_value() -> None:
    """Re-solving over nested exact values is safe also where an infoset holds histories of two levels."""
    game = cp.load(RandomGame(Knobs(depth=4, seed=63, lonely=2, named=False, utilities="whole")))
    assert parted(game, 1)
    model = cp.opponent(game, "uniform", player=0)
    exact = cp.respond(game, model, method="resolve", depth=1)
    assert exact.exploitability <= slack(game)
    nested = cp.respond(game, model, method="resolve", depth=1, value="lp", stop=cp.Stop(1e-3 * game.span, 300))
    assert nested.gap <= 0.01 * game.span
    assert nested.exploitability <= 0.05 * game.span  # it is 0.1 of the span


@pytest.mark.parametrize("spec", SMALL)
def test_the_nested_exact_value_has_no_error(game_of: GameOf, spec: str) -> None:
    """Text `lp` is the exact value function, for every public state and range."""
    game = game_of(spec)
    for depth in (1,) if spec == "kuhn" else (1, 2):
        errors = cp.value_error(game, "lp", depth=depth, samples=3, seed=depth)
        assert max(errors.mean, errors.worst, errors.gap) <= slack(game)
        assert (errors.name, errors.samples) == ("lp", 3)


def test_exact_is_no_value_function_that_has_an_error(kuhn: cp.GameTree) -> None:
    """Text `exact` asks nothing at the limit, so there is nothing to measure; nor is there where no limit is."""
    with pytest.raises(cp.InputError, match="exact value function has no error"):
        cp.value_error(kuhn, "exact")
    with pytest.raises(cp.InputError, match="depth 9 sees all of kuhn"):
        cp.value_error(kuhn, "lp", depth=9)


@pytest.mark.parametrize("spec", SMALL)
def test_iterated_values_come_to_the_exact_one(game_of: GameOf, spec: str) -> None:
    """The errors of cfr:N fall with N towards 0, and what both players claim together is never less than 0."""
    game = game_of(spec)
    errors = [cp.value_error(game, f"cfr:{n}", samples=3) for n in (1, 10, 100, 1000)]
    for what in ("mean", "gap"):
        series = [getattr(e, what) for e in errors]
        assert all(after < 0.5 * before for before, after in pairwise(series))
        assert series[-1] <= 1e-4 * game.span
    # A best response claims at least the value: the error is at most what both claim together.
    assert all(e.mean <= e.gap + slack(game) for e in errors)
    assert all(e.mean <= e.worst + slack(game) for e in errors)


@FEW
@given(match_ups(), st.integers(0, 2), st.integers(0, 96), st.sampled_from((1, 7, 60)))
def test_iterated_claims_lie_above_the_value(match: MatchUp, levels: int, seed: int, iterations: int) -> None:
    """Whatever N, each player's claim at cfr:N is at least the value, since it is a best response to some strategy."""
    game = match.game
    border = limit(game, levels)
    if not len(border.histories):
        return
    ranges = [border.range(i, cp.opponent(game, f"random:{seed}", player=i).plan) for i in (0, 1)]
    rough, exact = (value.at(border)(ranges[0], ranges[1]) for value in (SolvedValue(iterations), SolvedValue()))
    for player in (0, 1):
        assert ranges[player] @ rough[player] >= ranges[player] @ exact[player] - slack(game)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_response_with_nested_values_comes_to_the_exact_one(game_of: GameOf, seat: int) -> None:
    """CDBR with cfr:N at the limit wins what it wins with the exact value, the nearer the larger N."""
    game = game_of("liars_dice:1,3,wild=false")
    model = cp.opponent(game, "random:2", player=1 - seat)
    exact = cp.respond(game, model, method="cdbr", depth=1)
    for value, share in (("lp", 1e-2), ("cfr:500", 1e-2)):
        stop = cp.Stop(1e-4 * game.span, 60)
        answer = cp.respond(game, model, method="cdbr", depth=1, value=value, stop=stop)
        assert answer.value == {"cfr:500": "cfr+:500"}.get(value, value)
        assert answer.gain == pytest.approx(exact.gain, abs=share * game.span)


def test_texts_of_value_functions() -> None:
    """Every text names what it makes, and a wrong one is refused in a line that repeats it."""
    assert value_function("exact") is None
    assert value_function(None) is None
    for text in ("lp", "cfr+:20", "dcfr:3", "rollout:5"):
        found = value_function(text)
        assert found is not None
        assert found.name == text
    for wrong in ("cfr", "cfr:", "cfr:0", "cfr:-3", "cfr:x", "rollout:", "rollout:3,x", "best", "nomodule_here:f"):
        with pytest.raises(cp.InputError) as refused:
            value_function(wrong)
        assert wrong.partition(":")[0] in str(refused.value)
    with pytest.raises(cp.InputError, match="value function must be"):
        value_function(3)


def test_a_value_function_of_the_user_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game_of: GameOf) -> None:
    """Named as module:function, or passed as it is, it is the same; it is asked for states of the rules."""
    (tmp_path / "my_values.py").write_text("def half(state):\n    return len(repr(state)) % 7 - 3.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    game = game_of("leduc:merged=true")
    model = cp.opponent(game, "uniform", player=1)
    words: dict[str, Any] = {"method": "cdrnr", "p": 0.4, "depth": 1}
    named = cp.respond(game, model, value="my_values:half", **words)
    passed = cp.respond(game, model, value=lambda state: len(repr(state)) % 7 - 3.0, **words)
    same(named, passed)
    assert named.value == "my_values:half"
    for broken in (lambda state: state.nothing, lambda _: float("nan"), lambda _: "much"):
        with pytest.raises(cp.InputError, match="the value function <lambda>"):
            cp.respond(game, model, value=broken, **words)


@FEW
@given(match_ups(), st.integers(0, 2), st.integers(0, 96))
def test_an_estimate_as_leaves_gives_one_what_it_takes_from_the_other(match: MatchUp, levels: int, seed: int) -> None:
    """Ranges times the CFVs of a heuristic are the expected chips at the limit, and opposite for the two players."""
    game = match.game
    border = limit(game, levels)
    if not len(border.histories):
        return
    chips = Heuristic(lambda state: len(state.children) + 0.5).chips(border)
    plans = [cp.opponent(game, f"random:{seed}", player=i).plan for i in (0, 1)]
    ranges = border.range(0, plans[0]), border.range(1, plans[1])
    cfvs = linear(border, chips)(*ranges)
    reach = [plans[i][game.sequences[i][border.histories]] for i in (0, 1)]
    expected = float((border.chance * reach[0] * reach[1]) @ chips)
    assert ranges[0] @ cfvs[0] == pytest.approx(expected, abs=1e-9)
    assert ranges[1] @ cfvs[1] == pytest.approx(-expected, abs=1e-9)


@FEW
@given(games(), st.integers(0, 1))
def test_a_perfect_estimate_makes_a_perfect_look_ahead(rules: Any, seat: int) -> None:
    """Against a model that is known all the way down, a heuristic that knows what the rest is worth gains nothing less
    than the joint solution: with one action left below the limit, both agree."""
    game = cp.load(rules)
    model = cp.opponent(game, "random:3", player=1 - seat)
    levels = int(history_levels(game).max()) - 1
    if levels < 1:
        return
    # At the last level but one only ends follow; where chance decides them, their mean is the exact worth.
    here = limit(game, levels)
    if not len(here.histories) or (game.histories.player[here.histories] != cp.CHANCE).any():
        return

    def worth(state: Any) -> float:
        return sum(p * child.utility for p, child in zip(state.odds, state.children, strict=True))

    p = 0.4
    exact, known = (cp.respond(game, model, method="cdrnr", p=p, depth=levels, value=value) for value in (None, worth))
    assert weighed(known, p) == pytest.approx(weighed(exact, p), abs=slack(game))


@pytest.mark.parametrize("spec", ["kuhn", "leduc:merged=true", "goofspiel:4"])
def test_rollouts_are_reproducible(game_of: GameOf, spec: str) -> None:
    """Equal seeds give equal estimates and answers, other seeds others; more samples come nearer to uniform play."""
    game = game_of(spec)
    border = limit(game, 1)
    first, again, other = (Rollouts(20, seed).chips(border) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    model = cp.opponent(game, "uniform", player=1)
    both = [cp.respond(game, model, method="cdbr", depth=1, value="rollout:20,5") for _ in range(2)]
    same(*both)
    truth = np.zeros(len(border.histories))
    for at, history in enumerate(border.histories.tolist()):
        truth[at] = uniform_worth(game.rules, game.state(history))
    errors = [np.abs(Rollouts(n, 1).chips(border) - truth).mean() for n in (4, 400, 40_000)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] <= 0.01 * game.span


def uniform_worth(rules: Any, state: Any) -> float:
    """Chips of player 0 when both play uniformly from a state on, by one recursion."""
    who = rules.player(state)
    if who == cp.TERMINAL:
        return float(rules.utility(state))
    actions = rules.actions(state)
    odds = rules.chance(state) if who == cp.CHANCE else [1.0 / len(actions)] * len(actions)
    return sum(p * uniform_worth(rules, rules.child(state, a)) for p, a in zip(odds, actions, strict=True))


# --- gifts -------------------------------------------------------------------------------------------------------------


def entered(chain: SearchState) -> Iterator[tuple[Cut, DecisionGroup, np.ndarray, np.ndarray]]:
    """Each later unit of a chain that is solved per state, before it is: its cut, what it is, alternative values, gifts."""
    for unit in decision_groups(chain.game, chain.seat, chain.search.depth, joint=False):
        if unit.before is not None:
            piece = cut(chain.game, unit.tops, chain.seat)
            own = cp.Strategy(chain.game.trees[chain.seat], chain.behaviour)
            claims, plan = chain.claims.sequences, chain.plan
            given = gifts_at(piece.top, piece.opponent, claims, plan, unit.since)
            yield piece, unit, alternative_values(piece, own), given
        decide_group(chain, unit)


def offered(chain: SearchState, piece: Cut, plan: np.ndarray) -> float:
    """What an opponent with this plan gave away at the actions on the way to a cut: at each, the best claim less its own."""
    game, player = chain.game, piece.opponent
    table, tree, claims = game.histories, game.trees[player], chain.claims.sequences
    passed = set()
    for history in piece.top.histories.tolist():
        while history > 0:
            passed.add(int(game.sequences[player][history]))
            history = int(table.parent[history])
    given = 0.0
    for sequence in passed - {0}:
        best = claims[tree.sequences_of(int(tree.owner[sequence]))]
        given += 0.0 if np.isnan(best).any() else float(plan[sequence] * (best.max() - claims[sequence]))
    return given


def margin(piece: Cut, values: np.ndarray, chain: SearchState) -> float:
    """The least by which the resolver can beat all of the opponent's claims at once."""
    problem = build_gadget_game(piece, max_margin_entry(values), chain.plan)
    return solve_lp(problem.subgame).value * (1.0 if chain.seat == 0 else -1.0)


@FEW
@given(match_ups(), st.integers(1, 3), st.sampled_from((0.0, 0.5)), st.integers(0, 96))
def test_gifts_are_no_more_than_was_given(match: MatchUp, depth: int, p: float, seed: int) -> None:
    """No gift is negative; whatever the opponent does, the gifts at a public state are together at most what was given away
    on the way there; and the alternative values are what a best response gets."""
    game = match.game
    chain = SearchState(game, match.seat, Search(LookAhead(depth, gadget="reach-max-margin"), p), match.model)
    for piece, _, known, gifts in entered(chain):
        assert np.isfinite(gifts).all()
        assert (gifts >= 0.0).all()
        assert gifts.max(initial=0.0) <= game.span * len(match.model.tree.labels.infosets) + slack(game)
        for opponent in (match.model, cp.opponent(game, f"random:{seed}", player=piece.opponent)):
            claimed = float(piece.top.range(piece.opponent, opponent.plan) @ gifts)
            assert claimed <= offered(chain, piece, opponent.plan) + slack(game)
        noted = chain.claims.infosets[piece.top.infosets[piece.opponent]]
        both = ~np.isnan(noted)
        if not torn(game):
            np.testing.assert_allclose(noted[both], known[both], atol=10.0 * slack(game))


@FEW
@given(match_ups(), st.integers(1, 2))
def test_gifts_only_raise_margins(match: MatchUp, depth: int) -> None:
    """Margins are not negative, with gifts not smaller, and larger by no more than the largest gift."""
    game = match.game
    chain = SearchState(game, match.seat, Search(LookAhead(depth, gadget="max-margin")), match.model)
    for piece, _, known, gifts in entered(chain):
        plain, reaching = margin(piece, known, chain), margin(piece, known + gifts, chain)
        assert plain >= -slack(game)
        assert plain - slack(game) <= reaching <= plain + float(gifts.max(initial=0.0)) + slack(game)


@pytest.mark.parametrize("seat", [0, 1])
def test_leduc_has_gifts(game_of: GameOf, seat: int) -> None:
    """In Leduc poker an opponent who folds less well than possible leaves something to take; where nothing was played
    since the last look-ahead there is no gift."""
    game = game_of("leduc:merged=true")
    chain = SearchState(game, seat, Search(LookAhead("round", gadget="reach-max-margin")))
    most = 0.0
    for piece, _, known, gifts in entered(chain):
        most = max(most, float(gifts.max()))
        plain, reaching = margin(piece, known, chain), margin(piece, known + gifts, chain)
        assert -slack(game) <= plain <= reaching + slack(game)
        here = {int(state): int(h) for state, h in zip(piece.top.public, piece.top.histories, strict=True)}
        fresh = gifts_at(piece.top, piece.opponent, chain.claims.sequences, chain.plan, here)
        np.testing.assert_array_equal(fresh, 0.0)
    assert most > 0.01


# --- p from a requested exploitability ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("seat", [0, 1])
def test_p_is_found_for_a_requested_exploitability(game_of: GameOf, spec: str, seat: int) -> None:
    """The exploitability that is asked for is kept, the answer says that p was found, and more of it wins no less."""
    game = game_of(spec)
    model = cp.opponent(game, "random:2", player=1 - seat)
    words: dict[str, Any] = {"method": "cdrnr", "depth": 1}
    gains = []
    for share in (0.0, 0.02, 10.0):
        answer = cp.respond(game, model, max_exploitability=share * game.span, **words)
        assert answer.exploitability <= share * game.span + slack(game)
        assert answer.p_from == "bisection"
        assert answer.p is not None
        again = cp.respond(game, model, p=answer.p, **words)
        assert again.p_from == "given"
        same(answer, again)
        gains.append(answer.gain)
    assert gains[2] == pytest.approx(cp.respond(game, model, method="cdbr", depth=1).gain, abs=slack(game))
    assert gains[0] >= -slack(game)
    assert answer.p == 1.0
    assert cp.respond(game, model, method="cdbr", depth=1).p_from is None


def test_p_from_the_bound_where_nothing_can_be_won(kuhn: cp.GameTree) -> None:
    """Against an equilibrium there is no gain, and p still must keep what is asked: full trust does not."""
    model, epsilon = cp.opponent(kuhn, "nash", player=0), 0.1
    p = p_from_bound(epsilon, 0.0)
    assert cp.respond(kuhn, model, method="cdrnr", p=p, depth=1).exploitability <= epsilon


@FEW
@given(match_ups(), st.integers(1, 3), st.sampled_from((0.01, 0.1, 0.5)))
def test_p_from_the_bound_keeps_the_exploitability(match: MatchUp, depth: int, share: float) -> None:
    """Milec et al. 2024, theorem 5.3: p = ε / (ε + the best response's gain) is not measured; bisection finds no smaller."""
    game, epsilon = match.game, share * match.game.span
    p = p_from_bound(epsilon, cp.respond(game, match.model).gain)
    assert 0.0 <= p <= 1.0
    assume(p < 1.0 - 1e-9)
    words: dict[str, Any] = {"method": "cdrnr", "depth": depth}
    assert cp.respond(game, match.model, p=p, **words).exploitability <= epsilon + slack(game)
    found = cp.respond(game, match.model, max_exploitability=epsilon, **words)
    assert found.exploitability <= epsilon + slack(game)
    assert found.p is not None
    assert found.p >= p - 2.0**-14


# --- currency and seats ------------------------------------------------------------------------------------------------

LOOKS: list[dict[str, Any]] = [
    {"method": "cdbr", "depth": 1},
    {"method": "cdrnr", "p": 0.4, "depth": 1},
    {"method": "cdrnr", "p": 0.4, "depth": 99},
]


@FEW
@given(match_ups(), st.sampled_from(LOOKS))
def test_doubled_chips_double_what_is_won(match: MatchUp, look: dict[str, Any]) -> None:
    """Twice the utilities: the same strategies, up to ties, and twice the values."""
    game = cp.load(Scaled(match.rules, 2.0))
    model = cp.opponent(game, match.table.__getitem__, player=1 - match.seat)
    before, after = cp.respond(match.game, match.model, **look), cp.respond(game, model, **look)
    p = look.get("p", 1.0)
    assert weighed(after, p) == pytest.approx(2.0 * weighed(before, p), abs=slack(game))


@FEW
@given(match_ups(), st.sampled_from(LOOKS))
def test_changed_seats_change_nothing(match: MatchUp, look: dict[str, Any]) -> None:
    """The responder's objective is the same from the other chair."""
    game = cp.load(Swapped(match.rules))
    model = cp.opponent(game, match.table.__getitem__, player=match.seat)
    before, after = cp.respond(match.game, match.model, **look), cp.respond(game, model, **look)
    p = look.get("p", 1.0)
    assert after.seat == 1 - before.seat
    assert weighed(after, p) == pytest.approx(weighed(before, p), abs=slack(game))


@pytest.mark.parametrize("value", ["lp", "cfr:20"])
def test_errors_of_a_value_function_are_counted_in_chips(game_of: GameOf, value: str) -> None:
    """Twice the utilities, twice the errors; a limit at the same place."""
    game = game_of("liars_dice:1,3,wild=false")
    before = cp.value_error(game, value, samples=2)
    after = cp.value_error(cp.load(Scaled(game.rules, 2.0)), value, samples=2)
    assert after.mean == pytest.approx(2.0 * before.mean, abs=slack(game))
    assert after.worst == pytest.approx(2.0 * before.worst, abs=slack(game))
    assert after.states == before.states
