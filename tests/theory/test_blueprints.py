"""Re-solved blueprints: examples of Kubíček et al. 2026, refined equilibria, safety, intervals, places, bad input."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import counterplay as cp
from counterplay.blueprints import resolve_subtrees as blueprints
from counterplay.blueprints.continuation import exploitability
from counterplay.blueprints.resolve_places import pieces_at
from counterplay.blueprints.settings import ResolveSettings
from counterplay.games.explicit_tree import ChanceNode, DecisionNode, TreeGame
from counterplay.lookahead.priors import odds_of, shares
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.solvers import cfr
from counterplay.solvers.best_response import best_response
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.equilibrium import solve_lp
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import minimiser
from counterplay.solvers.refined_equilibrium import Refinement
from counterplay.subgames.cut import Cut
from counterplay.subgames.cut_entry import build_gadget_game
from counterplay.subgames.cut_game import CutGame
from counterplay.subgames.gadgets.unsafe import unsafe_entry
from counterplay.subgames.places import Place, subgames_at
from tests.support import witness
from tests.support.commands import Ended, Runner
from tests.support.gadget_games import (
    alternative_values,
    continuation_of,
    equilibria_at,
    gadget_game_of,
    gadget_unit,
    resolve_at,
    solve_gadget_game,
)
from tests.support.random_games import (
    KINDS,
    Knobs,
    MatchUp,
    NamedRandomGame,
    RandomGame,
    Scaled,
    Swapped,
    match_ups,
    random_table,
)

FEW = settings(max_examples=settings().max_examples * 3 // 8)  # 15 in CI, more on a hunt
EXACT = 1e-6
GameOf = Callable[[str], cp.GameTree]
SAFE = ["resolving", "max-margin", "reach-max-margin"]
SPOTS = [
    ("kuhn", "moves:1", False),
    ("goofspiel:4", "moves:2", False),
    ("goofspiel:4", "moves:2", True),
    ("liars_dice:1,3", "moves:1", False),
    ("ggse_fig1", "moves:1", False),
    ("ggse_fig5", "moves:0", False),
    ("ggse_fig8", "moves:1", False),
    ("ggse_fig11", "moves:0", False),
]
BLUEPRINTS = ["uniform", "random:3", "cfr+:4", "nash"]


def pieces_of(game: cp.GameTree, seat: int, at: str, declared: bool = False) -> list[Cut]:
    return subgames_at(game, Place.of(at, declared), seat)


def of(game: cp.GameTree, table: witness.Table, player: int = 0) -> cp.Strategy:
    return cp.Strategy.from_table(game.trees[player], table)


def signed(seat: int, chips: float) -> float:
    return chips if seat == 0 else -chips


def slack(game: cp.GameTree, share: float = EXACT) -> float:
    return share * game.span + 1e-14 * float(abs(game.histories.utility).max())


def weights_of(piece: Cut, mine: cp.Strategy) -> np.ndarray:
    """Chance's and the resolver's reach of each of the opponent's augmented infosets at the top, one history at a time."""
    out, game = np.zeros(piece.size), piece.game
    for history, known in zip(piece.top.histories.tolist(), piece.top.known[piece.opponent].tolist(), strict=True):
        out[known] += game.histories.reach[history] * mine.plan[game.sequences[piece.resolver][history]]
    return out


# --- a second answer: the subgame from the rules alone, and dense programs ---------------------------------------------


@dataclass
class Forest:
    """A subgame as dense matrices, from the rules: x are own sequences in it (0 the empty one), y opposing ones, the first
    `size` of them the empty ones behind each augmented infoset of the opponent. Chips of the resolver, times chance's and
    the resolver's reach."""

    piece: Cut
    blueprint: witness.Table
    weights: np.ndarray
    own: dict[Any, int] = field(default_factory=lambda: {None: 0})
    own_parent: dict[str, int] = field(default_factory=dict)
    other: dict[Any, int] = field(default_factory=dict)
    other_parent: dict[str, int] = field(default_factory=dict)
    entries: list[tuple[int, int, float]] = field(default_factory=list)

    @staticmethod
    def of(piece: Cut, mine: cp.Strategy) -> Forest:
        game, me = piece.game, piece.resolver
        total = weights_of(piece, mine).sum()  # the library solves a subgame as if it were always reached
        found = Forest(piece, mine.table(), weights_of(piece, mine) / total)
        found.other = {("top", s): s for s in range(piece.size)}
        for history, known in zip(piece.top.histories.tolist(), piece.top.known[piece.opponent].tolist(), strict=True):
            reach = game.histories.reach[history] * mine.plan[game.sequences[me][history]] / total
            found._visit(game.state(history), float(reach), 0, int(known))
        return found

    def _visit(self, state: Any, reach: float, mine: int, theirs: int) -> None:
        rules, me = self.piece.game.rules, self.piece.resolver
        who = rules.player(state)
        if who == cp.TERMINAL:
            self.entries.append((mine, theirs, reach * signed(me, float(rules.utility(state)))))
            return
        odds = list(rules.chance(state)) if who == cp.CHANCE else []
        text = rules.infoset(state, who) if who != cp.CHANCE else ""
        known, before = (self.own, self.own_parent) if who == me else (self.other, self.other_parent)
        last = mine if who == me else theirs
        if who != cp.CHANCE:
            assert before.setdefault(text, last) == last
        for i, action in enumerate(rules.actions(state)):
            after = rules.child(state, action)
            if who == cp.CHANCE:
                self._visit(after, reach * odds[i], mine, theirs)
                continue
            number = known.setdefault((text, witness.name_of(rules, state, action)), len(known))
            self._visit(after, reach, *((number, theirs) if who == me else (mine, number)))

    @property
    def payoff(self) -> np.ndarray:
        A = np.zeros((len(self.own), len(self.other)))
        for i, j, chips in self.entries:
            A[i, j] += chips
        return A

    def program(self, table: witness.Table | None) -> tuple[Any, ...]:
        """Variables: x, V(s), v(J). Inequalities G z <= 0 bound V and v; equalities are the flow, or the table."""
        n, size, infosets = len(self.own), self.piece.size, list(self.other_parent)
        column = {text: n + size + i for i, text in enumerate(infosets)}
        width = n + size + len(infosets)
        A, G = self.payoff, np.zeros((len(self.other), width))
        for key, j in self.other.items():
            G[j, :n] = -A[:, j]
            G[j, n + key[1] if key[0] == "top" else column[key[0]]] += 1.0
        for text, parent in self.other_parent.items():
            G[parent, column[text]] -= 1.0
        rows, right = [np.eye(width)[0]], [1.0]
        for text, parent in self.own_parent.items():
            row = np.zeros(width)
            row[parent] = -1.0
            for (infoset, action), i in list(self.own.items())[1:]:
                if infoset != text:
                    continue
                row[i] = 1.0
                if table is not None:
                    exact = np.zeros(width)
                    exact[i], exact[parent] = 1.0, -table[text][action]
                    rows.append(exact)
                    right.append(0.0)
            rows.append(row)
            right.append(0.0)
        return n, width, G, np.array(rows), np.array(right)

    def values(self, table: witness.Table) -> np.ndarray:
        """(size,) what the resolver gets with each infoset of the opponent who answers best, if it plays this table."""
        n, width, G, E, right = self.program(table)
        cost = np.zeros(width)
        cost[n : n + self.piece.size] = -1.0
        return self._solve(cost, G, np.zeros(len(G)), E, right)[n : n + self.piece.size]

    def _solve(self, cost: np.ndarray, G: np.ndarray, h: np.ndarray, E: np.ndarray, right: np.ndarray) -> np.ndarray:
        n = len(self.own)
        unit = max(np.abs(self.payoff).max(), 1e-300)
        scaled_G, scaled = G.copy(), h.copy()
        scaled_G[: len(self.other), :n] /= unit  # V and v are in this unit
        found = linprog(
            cost, A_ub=scaled_G, b_ub=scaled / unit, A_eq=E, b_eq=right, method="highs",
            bounds=[(0, None)] * n + [(None, None)] * (len(cost) - n),
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )  # fmt: skip
        assert found.status == 0, found.message
        return np.concatenate([found.x[:n], found.x[n:] * unit])

    def refined(
        self, name: str, prior: np.ndarray | None, scale: np.ndarray, trembles: float = 0.0
    ) -> tuple[float, float]:
        """The value of the gadget game, and the most that one of its equilibria has against the prior: the limit in two
        stages. With `trembles`, first the value of the game in which the opponent errs that often, and NaN."""
        size = self.piece.size
        floors = self.values(self.blueprint) * scale
        n, width, G, E, right = self.program(None)
        # More variables: u(s) <= scale V(s), u(s) <= T(s) (resolving), or g <= scale V(s) - T(s) (max-margin).
        more = size if name == "resolving" else 1
        wide = np.hstack([G, np.zeros((len(G), more))])
        extra, bound = [], []
        for s in range(size):
            row = np.zeros(width + more)
            row[n + s], row[width + (s if name == "resolving" else 0)] = -scale[s], 1.0
            if name == "resolving":
                extra.append(row)
                bound.append(0.0)
                ceiling = np.zeros(width + more)
                ceiling[width + s] = 1.0
                extra.append(ceiling)
                bound.append(floors[s])
            elif scale[s] > 0.0:
                extra.append(row)
                bound.append(-floors[s])
        if name != "resolving" and not extra:
            return 0.0, 0.0
        wide, h = np.vstack([wide, extra]), np.concatenate([np.zeros(len(G)), bound])
        E = np.hstack([E, np.zeros((len(E), more))])
        main_cost, prior_cost = np.zeros(width + more), np.zeros(width + more)
        main_cost[width:] = -1.0
        constant = 0.0
        if prior is not None:
            prior_cost[n : n + size] = -prior * scale
            constant = float((1.0 - prior) @ floors) if name == "resolving" else -float(prior @ floors)
        if trembles:
            z = self._solve((1.0 - trembles) * main_cost + trembles * prior_cost, wide, h, E, right)
            return -float((1.0 - trembles) * main_cost @ z + trembles * prior_cost @ z) + trembles * constant, np.nan
        z = self._solve(main_cost, wide, h, E, right)
        best = -float(main_cost @ z)
        if prior is None:
            return best, np.nan
        unit = max(np.abs(self.payoff).max(), 1e-300)
        kept = np.vstack([wide, main_cost])
        z = self._solve(prior_cost, kept, np.append(h, -best + 1e-11 * unit), E, right)
        return best, constant - float(prior_cost @ z)


def matched(problem: CutGame, strategy: cp.Strategy) -> np.ndarray:
    """The plan in a problem of a resolver who plays a strategy of the whole game."""
    me = problem.piece.resolver
    tree = problem.subgame.trees[me]
    return problem.subgame.restrictions[me].played(tree, problem.taken(me, strategy.behaviour))


def refinement(problem: CutGame, prior: Any, other: cp.Strategy | None = None) -> tuple[Refinement, np.ndarray]:
    """The program of a problem with a prior, and the prior's odds."""
    odds = odds_of(prior, problem.piece, problem.entry, other.plan if other else None)
    toward = problem.trembling([(1.0, odds)]).subgame.restrictions[problem.piece.opponent]
    return Refinement(problem.subgame, toward, problem.piece.resolver), odds


@dataclass(frozen=True)
class Spot:
    """Random game, both parts of a blueprint, a place that the game has."""

    rules: Any
    game: cp.GameTree
    seat: int
    mine: cp.Strategy
    theirs: cp.Strategy
    place: Place

    @property
    def pieces(self) -> list[Cut]:
        return subgames_at(self.game, self.place, self.seat)


@st.composite
def spots(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> Spot:
    """Random games at one of their places; a game in which nobody knows how many moves are over is passed by."""
    match: MatchUp = draw(match_ups())
    rules, game, seat = match.rules, match.game, match.seat
    table = random_table(rules, seat, draw(st.sampled_from(kinds)), draw(st.integers(0, 10**6)))
    found = []
    for text in ("moves:1", "moves:2", "moves:3", "moves:0", "round"):
        try:
            pieces = pieces_of(game, seat, text)
        except cp.InputError:
            continue
        if np.sum([piece.root >= 0 for piece in pieces], axis=0).max() <= 1:  # else see below
            found.append(Place.of(text))
    assume(found)
    return Spot(rules, game, seat, of(game, table, seat), match.model, draw(st.sampled_from(found)))


# --- 1. the worked examples of Kubíček et al. 2026 -------------------------------------------------------------------


def two_states(first: float, second: float) -> witness.Table:
    """H with these probabilities, in state 1 and in states 2 and 3."""
    return {"state 1": {"H": first, "T": 1.0 - first}, "state 2 or 3": {"H": second, "T": 1.0 - second}}


def example(game: cp.GameTree, figure: int) -> tuple[cp.Strategy, str]:
    """The blueprint that the printed numbers need, and the place."""
    if figure == 1:
        return of(game, {"guess": {"F": 0.5, "H": 0.5, "T": 0.0}}), "moves:1"
    if figure == 8:
        return of(game, {"reply": {"R": 1.0, "P": 0.0, "S": 0.0}}), "moves:1"
    return of(game, two_states(0.0, 0.5 if figure == 5 else 0.25)), "moves:0"


@pytest.mark.parametrize(("solver", "share"), [("lp", 1e-9), ("cfr+", 3e-3)])
@pytest.mark.parametrize(
    ("figure", "gadget", "after"),
    [
        (5, "resolving", 0.0),
        (5, "max-margin", 0.0),
        (11, "resolving", 0.0),
        (11, "max-margin", 1 / 18),
        (8, "resolving", 1.0),
        (8, "max-margin", 1.0),
        (1, "max-margin", 0.25),
    ],
)
def test_the_examples_of_the_paper(
    game_of: GameOf, figure: int, gadget: str, after: float, solver: str, share: float
) -> None:
    """With a uniform prior; exactly by linear program, nearly by CFR+ with the paper's tremble and iterations."""
    game = game_of(f"ggse_fig{figure}")
    mine, at = example(game, figure)
    found = cp.resolve(game, mine, at, gadget=gadget, prior="uniform", solver=solver)
    assert found.after == pytest.approx(after, abs=share)
    assert found.after == pytest.approx(cp.evaluate(game, found.strategy).exploitability, abs=1e-9)
    assert found.states == 1
    assert found.before == pytest.approx({5: 4 / 9, 11: 2 / 3, 8: 1.0, 1: 1.0}[figure], abs=1e-9)


@pytest.mark.parametrize("gadget", ["resolving", "max-margin"])
def test_figure_5_needs_the_prior(game_of: GameOf, gadget: str) -> None:
    """Without a prior CFR+ always plays heads in state 1, where nobody comes: 1/9; blueprint prior as good as uniform."""
    game = game_of("ggse_fig5")
    mine, at = example(game, 5)
    plain = cp.resolve(game, mine, at, gadget=gadget)
    assert plain.after == pytest.approx(1 / 9, abs=1e-6)
    with_prior = cp.resolve(game, (mine, cp.opponent(game, "uniform", 1)), at, gadget=gadget, prior="blueprint")
    assert with_prior.after < 1e-3
    exact = cp.resolve(game, mine, at, gadget=gadget, prior="uniform", solver="lp").strategy
    assert exact.probabilities("state 1")["H"] == pytest.approx(2 / 3, abs=1e-9)
    assert exact.probabilities("state 2 or 3")["H"] == pytest.approx(1 / 2, abs=1e-9)


@pytest.mark.parametrize("solver", ["lp", "cfr+"])
def test_figure_1(game_of: GameOf, solver: str) -> None:
    """Max-margin has one solution, (0, 3/4, 1/4); resolving none that is worse than half with a prior, and never plays F."""
    game = game_of("ggse_fig1")
    mine, at = example(game, 1)
    margin = cp.resolve(game, mine, at, gadget="max-margin", solver=solver).strategy.probabilities("guess")
    assert list(margin.values()) == pytest.approx([0.0, 0.75, 0.25], abs=1e-9 if solver == "lp" else 1e-3)
    for prior in ("none", "uniform"):
        found = cp.resolve(game, mine, at, gadget="resolving", prior=prior, solver=solver)
        assert found.after <= (1.0 if prior == "none" else 0.5) + 2e-3
    assert found.strategy.probabilities("guess")["F"] <= 1e-3


@pytest.mark.parametrize(("figure", "printed"), [(5, (1 / 4, 1 / 2)), (11, (1 / 8, 1 / 4))])
def test_printed_alternative_values(game_of: GameOf, figure: int, printed: tuple[float, float]) -> None:
    """Figures 6 and 12 print them given that the opponent is there; ours are times the reach, 2/3 and 1/3."""
    game = game_of(f"ggse_fig{figure}")
    mine, at = example(game, figure)
    (piece,) = pieces_of(game, 0, at)
    assert piece.names() == ["state 1 or 2", "state 3"]
    weight = weights_of(piece, mine)
    assert weight.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert (-alternative_values(piece, mine) / weight).tolist() == pytest.approx(list(printed), abs=1e-12)


FIGURES = {
    5: {"1": ((7, 3), (-1, 7)), "2": ((3, -1), (-1, 3)), "3": ((2, -2), (-2, 2)), "unit": 4},
    11: {"1": ((15, -1), (-1, 7)), "2": ((7, -1), (-1, 23)), "3": ((6, -2), (-2, 6)), "unit": 8},
}
"""Payoffs that figures 7 and 13 print, rows P1's H and T."""


def drawn_out(figure: int) -> TreeGame:
    """The max-margin game of figures 7 and 13: the opponent picks the infoset, chance the state in it."""
    numbers, unit = FIGURES[figure], float(FIGURES[figure]["unit"])

    def state(name: str) -> DecisionNode:
        known = "state 1" if name == "1" else "state 2 or 3"
        there = "state 3" if name == "3" else "state 1 or 2"
        rows = [dict(zip("HT", (n / unit for n in row), strict=True)) for row in numbers[name]]
        return DecisionNode(
            0, known, dict(zip("HT", [DecisionNode(1, there, row) for row in rows], strict=True)), other=there
        )

    left = ChanceNode({"1": (0.5, state("1")), "2": (0.5, state("2"))})
    return TreeGame(
        f"figure {figure} drawn out",
        DecisionNode(1, "come", {"left": left, "right": ChanceNode({"3": (1.0, state("3"))})}),
    )


@pytest.mark.parametrize("figure", [5, 11])
def test_normalised_payoffs_are_those_that_the_paper_prints(game_of: GameOf, figure: int) -> None:
    """The normalised entry is the hand-built game of figures 7 and 13: its value, and the worth of any strategy."""
    game = game_of(f"ggse_fig{figure}")
    mine, at = example(game, figure)
    (piece,) = pieces_of(game, 0, at)
    problem = gadget_game_of(piece, ResolveSettings(gadget="max-margin", normalised=True), mine)
    drawn = cp.load(drawn_out(figure))
    assert solve_lp(problem.subgame, 0).value == pytest.approx(cp.solve(drawn).value, abs=1e-9)
    for first, second in itertools.product((0.0, 0.3, 2 / 3, 1.0), repeat=2):
        tables = two_states(first, second)
        worth = -best_response(problem.subgame, 1, matched(problem, of(game, tables))).value
        assert worth == pytest.approx(-best_response(drawn.subgame, 1, of(drawn, tables).plan).value, abs=1e-12)


# --- 2. refinement -----------------------------------------------------------------------------------------------------


def two_answers(spot: Spot, piece: Cut, name: str, normalised: bool, prior: Any) -> None:
    """One subgame, refined by each way there is."""
    game, seat = spot.game, spot.seat
    weight = weights_of(piece, spot.mine)
    if weight.min() <= 1e-3:  # what nobody reaches has tests of its own
        return
    scale = weight.sum() / weight if normalised else np.ones(piece.size)
    problem = gadget_game_of(piece, ResolveSettings(gadget=name, normalised=normalised), spot.mine)
    room = 1e-7 * max(float(np.abs(problem.subgame.leaves.rows.value).max(initial=0.0)), 1e-9)
    forest = Forest.of(piece, spot.mine)
    if not problem.entry.can_tremble:
        best, _ = forest.refined(name, None, scale)
        assert signed(seat, solve_lp(problem.subgame, seat).value) == pytest.approx(best, abs=room)
        return
    refined, odds = refinement(problem, prior, spot.theirs)
    best, against = forest.refined(name, odds, scale)
    assert refined.value() == pytest.approx(best, abs=room)
    assert signed(seat, solve_lp(problem.subgame, seat).value) == pytest.approx(best, abs=room)
    followed = problem.subgame.restricted(piece.opponent, refined.toward)
    staged, shrunk = refined.in_two_stages(), refined.by_shrinking()
    for plan in (
        staged,
        shrunk,
        solve_gadget_game(problem, ResolveSettings(gadget=name, prior=prior, solver="lp"), spot.theirs).plans[seat],
    ):
        if plan is None:
            continue
        gaps = refined.gaps(plan)
        assert gaps.value == pytest.approx(0.0, abs=room)
        assert gaps.prior == pytest.approx(0.0, abs=3.0 * room)
        assert -best_response(followed, piece.opponent, plan).value == pytest.approx(against, abs=3.0 * room)
    for plan in (matched(problem, spot.mine), solve_lp(problem.subgame, seat).plans[seat]):
        gaps = refined.gaps(plan)
        assert gaps.value >= -room
        assert gaps.prior >= -room or gaps.value > room
    for epsilon in (0.02, 0.5, 1.0):
        whole = problem.trembling([(epsilon, odds)]).subgame
        exact = signed(seat, solve_lp(whole, seat).value)
        assert refined.perturbed(epsilon).objective == pytest.approx(exact, abs=room)
        assert exact == pytest.approx(forest.refined(name, odds, scale, epsilon)[0], abs=3.0 * room)
        iterated = solve_cfr(whole, minimiser("cfr+"), cp.Stop(1e-3 * game.span, 2000))
        assert abs(signed(seat, iterated.value) - exact) <= iterated.nash_conv + room


@FEW
@given(
    spots(("mixed", "uniform")),
    st.sampled_from(("resolving", "max-margin")),
    st.booleans(),
    st.sampled_from(("uniform", "blueprint")),
)
def test_refined_equilibria_by_every_way(spot: Spot, name: str, normalised: bool, prior: str) -> None:
    """Shrinking trembles, two stages, and an independent dense program: the same value and worth against the prior; a
    tremble of any size is the restricted game that CFR+ and the linear program solve."""
    for piece in spot.pieces[:2]:
        two_answers(spot, piece, name, normalised, prior)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["resolving", "max-margin"])
@pytest.mark.parametrize(("spec", "at", "declared"), [*SPOTS, ("leduc:merged=true", "round", False)])
def test_refined_equilibria_of_known_games(
    game_of: GameOf, spec: str, at: str, declared: bool, seat: int, name: str
) -> None:
    game = game_of(spec)
    mine, theirs = (cp.opponent(game, "random:5", player) for player in (seat, 1 - seat))
    spot = Spot(game.rules, game, seat, mine, theirs, Place.of(at, declared))
    for number, piece in enumerate(spot.pieces[:3]):
        two_answers(spot, piece, name, number % 2 == 1, ("uniform", "blueprint")[number % 2])


@pytest.mark.parametrize(("seat", "prior"), [(0, "uniform"), (0, "blueprint"), (1, "uniform")])
def test_a_subgame_that_normalised_margins_blow_up(game_of: GameOf, seat: int, prior: str) -> None:
    """A hand that comes once in 700 times counts like any other, so that payoffs are up to 40,000 for a game of 13 points;
    and yet the value is kept, and the best against the prior is met, to 1e-8."""
    game = game_of("goofspiel:5")
    mine, theirs = (cp.opponent(game, "random:1", player) for player in (seat, 1 - seat))
    piece = subgames_at(game, Place.of("moves:4", declared=True), seat)[4]
    way = ResolveSettings("max-margin", prior=prior, normalised=True, solver="lp")
    problem, toward = way.tremble.refined(gadget_game_of(piece, way, mine, theirs), piece, theirs.plan, "lp")
    assert problem.subgame.leaves.largest > 9000.0
    assert toward is not None
    refined = Refinement(problem.subgame, toward, seat)
    for plan in (solve_gadget_game(problem, way, theirs).plans[seat], refined.in_two_stages()):
        gaps = refined.gaps(plan)
        assert gaps.value == pytest.approx(0.0, abs=1e-8)
        assert gaps.prior == pytest.approx(0.0, abs=1e-8)
        assert gadget_unit(piece, way, mine) * gaps.value == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("name", ["resolving", "max-margin"])
def test_figure_5_blueprint_and_a_plain_equilibrium_are_not_refined(game_of: GameOf, name: str) -> None:
    """Both keep the value of the gadget game and lose against the prior: that is the example's point."""
    game = game_of("ggse_fig5")
    mine, at = example(game, 5)
    (piece,) = pieces_of(game, 0, at)
    problem = gadget_game_of(piece, ResolveSettings(gadget=name), mine)
    refined, _ = refinement(problem, "uniform")
    for plan in (matched(problem, mine), solve_lp(problem.subgame, 0).plans[0]):
        assert refined.gaps(plan).value == pytest.approx(0.0, abs=1e-9)
        assert refined.gaps(plan).prior > 0.01
    worse = matched(problem, of(game, two_states(0.0, 0.9)))
    assert refined.gaps(worse).value > 0.01


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 0.7])
def test_a_tremble_maps_strategies_and_regrets_as_the_paper_says(game_of: GameOf, epsilon: float) -> None:
    """Equations 4 to 6: B = (1-ε) I + ε P, every column of P the prior. The strategy is B π; B'r are our regrets, times the
    1-ε that regret matching does not see."""
    game = game_of("ggse_fig1")
    mine, at = example(game, 1)
    (piece,) = pieces_of(game, 0, at)
    plain = gadget_game_of(piece, ResolveSettings(gadget="max-margin"), mine)
    prior = np.array([0.2, 0.8])
    problem = plain.trembling([(epsilon, prior)])
    tree, bound, at_entry = problem.subgame.trees[1], problem.subgame.restrictions[1], problem.choices[1]
    B = (1.0 - epsilon) * np.eye(2) + epsilon * np.outer(prior, np.ones(2))
    free = tree.uniform()
    free[at_entry] = [0.9, 0.1]
    np.testing.assert_allclose(bound.behaviour(tree, free)[at_entry], B @ free[at_entry], atol=1e-15)
    iterates = Iterates(problem.subgame, minimiser("cfr:simultaneous"))
    first = iterates.current()
    iterates.advance(1)
    q = problem.subgame.leaves.product(1, first[0])[at_entry]
    played = B @ np.array([0.5, 0.5])
    np.testing.assert_allclose(first[1][at_entry], played, atol=1e-15)
    regrets = q - played @ q
    np.testing.assert_allclose(B.T @ regrets, (1.0 - epsilon) * iterates.sides[1].regret[at_entry], atol=1e-14)
    assert np.abs(regrets).max() > 0.01


# --- 3. safety ---------------------------------------------------------------------------------------------------------


def weighted_prior(pieces: list[Cut]) -> dict[str, float]:
    """Some odds for a prior from a file, 0 and 1 among them."""
    names = list(dict.fromkeys(name for piece in pieces for name in piece.names()))
    return {name: (3 * i) % 5 / 4 for i, name in enumerate(names)}


def ways(prior: dict[str, float], solver: str) -> list[ResolveSettings]:
    """Every safe gadget with every prior, normalised or not, and the full gadget."""
    stop = cp.Stop(iterations=300)
    priors = ("none", "uniform", "blueprint", prior)
    found = [
        ResolveSettings(g, p, normalised=n, solver=solver, stop=stop)
        for g in SAFE
        for p in priors
        for n in (False, True)
    ]
    return [*found, ResolveSettings("full", solver=solver, stop=stop)]


def risen(way: ResolveSettings, found: Any, pieces: list[Cut], mine: cp.Strategy) -> float:
    """How much an inexact solution may raise exploitability: a gap, or a tremble's share of what the prior gains, at each
    infoset of the opponent."""
    if way.solver == "lp":
        return 0.0
    size = sum(piece.size for piece in pieces)
    tremble = 0.0
    if way.prior != "none":
        tremble = 1.1e-3 * pieces[0].game.span * max(1.0, sum(float(weights_of(p, mine).sum()) for p in pieces))
    return size * (found.gap * (1.0 / (1.0 - 1e-3)) + tremble)


def check_safe(
    game: cp.GameTree, mine: cp.Strategy, theirs: cp.Strategy, place: Place, chosen: list[ResolveSettings]
) -> None:
    pieces = subgames_at(game, place, mine.player)
    before = exploitability(game, mine)
    least = exploitability(game, continuation_of(game, mine, pieces))
    assert -slack(game) <= least <= before + slack(game)
    if not any(weights_of(piece, mine).any() for piece in pieces):
        with pytest.raises(cp.InputError, match="never comes"):
            resolve_at(pieces_at(game, [place], mine.player), mine, theirs, chosen[0])
        return
    for way in chosen:
        found = resolve_at(pieces_at(game, [place], mine.player), mine, theirs, way)
        after = exploitability(game, found.strategy)
        assert found.states + found.skipped == len(pieces)
        assert least - slack(game) <= after <= before + slack(game) + risen(way, found, pieces, mine), way
        if way.solver == "lp" and way.gadget == "full":
            assert found.gap <= slack(game)


@pytest.mark.parametrize("solver", ["lp", "cfr+"])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("spec", "at", "declared"), SPOTS)
def test_a_safe_gadget_never_raises_exploitability(
    game_of: GameOf, spec: str, at: str, declared: bool, seat: int, solver: str
) -> None:
    """Nor is it less exploitable than the optimal continuation."""
    game, place = game_of(spec), Place.of(at, declared)
    prior = weighted_prior(pieces_of(game, seat, at, declared))
    every = ways(prior, solver)
    for number, text in enumerate(BLUEPRINTS):
        mine, theirs = (cp.opponent(game, text, player) for player in (seat, 1 - seat))
        check_safe(game, mine, theirs, place, every[number + 4 * seat :: 8] + every[-1:])


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("number", [0, 1])
def test_safety_in_leduc(leduc: cp.GameTree, seat: int, number: int) -> None:
    place = Place.of("round")
    mine, theirs = (cp.opponent(leduc, ("random:3", "cfr+:4")[number], player) for player in (seat, 1 - seat))
    prior = weighted_prior(pieces_of(leduc, seat, "round"))
    check_safe(leduc, mine, theirs, place, ways(prior, "lp")[1 + number :: 7])


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["lp", "cfr+"])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("text", BLUEPRINTS)
def test_every_way_is_safe_in_leduc(leduc: cp.GameTree, seat: int, text: str, solver: str) -> None:
    mine, theirs = (cp.opponent(leduc, text, player) for player in (seat, 1 - seat))
    prior = weighted_prior(pieces_of(leduc, seat, "round"))
    check_safe(leduc, mine, theirs, Place.of("round"), ways(prior, solver))


@FEW
@given(spots(), st.integers(0, 24), st.booleans())
def test_safety_in_random_games(spot: Spot, number: int, iterated: bool) -> None:
    """Blueprints with zeros among them, so that some subgames are never reached."""
    names = {name for piece in spot.pieces for name in piece.names()}
    every = ways({name: len(name) % 3 / 2 for name in names}, "cfr+" if iterated else "lp")
    check_safe(spot.game, spot.mine, spot.theirs, spot.place, [every[number], every[(number + 7) % len(every)]])


@FEW
@given(spots())
def test_a_subgame_holds_whole_infosets(spot: Spot) -> None:
    """Whoever acts in a subgame knows to be in it."""
    for piece, player in itertools.product(spot.pieces, (0, 1)):
        info = spot.game.histories.info[player]
        acting = spot.game.histories.player == player
        held = np.isin(info, info[acting & (piece.root >= 0)]) & acting
        assert (piece.root[held] >= 0).all()


def test_subgames_of_a_place_share_nothing() -> None:
    """Fifteen histories: in state 1 player 1 acts at history 2, chance at 8; states 2 and 3 follow and are taken too."""
    game = cp.load(NamedRandomGame(Knobs(depth=4, seed=1077, lonely=2, named=True, utilities="whole")))
    inside = np.sum([piece.root >= 0 for piece in pieces_of(game, 0, "moves:1")], axis=0)
    assert inside.max() <= 1


@pytest.mark.parametrize("gadget", ["resolving", "max-margin", "full"])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("spec", "first", "second", "declared"),
    [("kuhn", "moves:1", "moves:2", False), ("goofspiel:4", "moves:2", "moves:4", True),
     ("liars_dice:1,3", "moves:1", "moves:2", False)],
)  # fmt: skip
def test_nested_places_are_never_worse_than_the_first_alone(
    game_of: GameOf, spec: str, first: str, second: str, declared: bool, seat: int, gadget: str
) -> None:
    game = game_of(spec)
    for text in ("random:3", "cfr+:4"):
        mine, theirs = (cp.opponent(game, text, player) for player in (seat, 1 - seat))
        for prior in ("none", "uniform") if gadget != "full" else ("none",):
            way = ResolveSettings(gadget, prior, solver="lp")
            places = [Place.of(first, declared), Place.of(second, declared)]
            alone = resolve_at(pieces_at(game, places[:1], mine.player), mine, theirs, way)
            both = resolve_at(pieces_at(game, places, mine.player), mine, theirs, way)
            assert exploitability(game, both.strategy) <= exploitability(game, alone.strategy) + slack(game)
            assert both.states + both.skipped == sum(len(subgames_at(game, place, 0)) for place in places)
            assert both.states >= alone.states


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("spec", "at", "declared"), [*SPOTS[:4], ("leduc", "round", False)])
def test_only_changes_nothing_else(game_of: GameOf, spec: str, at: str, declared: bool, seat: int) -> None:
    """One subgame by `only` is that subgame of the whole run; everything outside is the blueprint, to the last bit."""
    game = game_of(spec)
    both = tuple(cp.opponent(game, "random:3", player) for player in (0, 1))
    words: dict[str, Any] = {"seat": seat, "solver": "lp", "prior": "uniform", "declared": declared}
    whole = cp.resolve(game, both, at, **words).strategy.table()
    pieces, labels = pieces_of(game, seat, at, declared), game.trees[seat].labels
    blueprint, changed = both[seat].table(), 0
    for piece in pieces[:: max(1, len(pieces) // 2)]:
        inside = [
            text
            for text, first in zip(labels.infosets, game.first[seat].tolist(), strict=True)
            if piece.root[first] >= 0
        ]
        if not inside:
            continue
        found = cp.resolve(game, both, at, only=inside[0], **words)
        table = found.strategy.table()
        assert found.states == 1
        assert all(table[text] == blueprint[text] for text in table if text not in set(inside))
        assert all(table[text] == whole[text] for text in inside)
        changed += any(table[text] != blueprint[text] for text in inside)
    assert changed


def test_unreachable_subgames_are_skipped(kuhn: cp.GameTree) -> None:
    """Player 0 never bets at first: the subgame behind a bet is left as it is, and cannot be asked for."""
    table = cp.opponent(kuhn, "uniform", 0).table()
    for text in ("0", "1", "2"):
        table[text] = {name: float(name == "Pass") for name in table[text]}
    mine = of(kuhn, table)
    found = cp.resolve(kuhn, mine, "moves:1", solver="lp")
    assert (found.states, found.skipped) == (1, 1)
    # From the other seat: the opponent never bets. Unsafe needs a range; safe gadgets do not.
    both = (mine, cp.opponent(kuhn, "uniform", 1))
    for gadget, counts in (("unsafe", (1, 1)), ("resolving", (2, 0)), ("full", (2, 0))):
        found = cp.resolve(kuhn, both, "moves:1", seat=1, gadget=gadget, solver="lp")
        assert (found.states, found.skipped) == counts
    with pytest.raises(cp.InputError, match="never comes"):
        cp.resolve(kuhn, both, "moves:1", seat=1, gadget="unsafe", only="0b", solver="lp")


# --- infosets that nobody can be at ------------------------------------------------------------------------------------


def cards(deals: tuple[str, ...]) -> TreeGame:
    """Each deal is a number for P1 and a letter for P2. P1 may quit; inside P1 wins 3 by H from card a, 4 by T from card b,
    and loses 1 by F. Where P1 quits with 1, nobody inside holds c."""

    def dealt(number: str, letter: str) -> DecisionNode:
        pays = {"H": 3.0 * (letter == "a"), "T": 4.0 * (letter == "b"), "F": -1.0}
        inside = DecisionNode(0, f"guess {number}", pays, other=f"{letter}, in")
        return DecisionNode(0, f"enter {number}", {"in": inside, "out": 0.0}, other=letter)

    return TreeGame("cards", ChanceNode({deal: (1.0 / len(deals), dealt(*deal)) for deal in deals}))


def quitting(game: cp.GameTree) -> cp.Strategy:
    rows = {f"guess {n}": {"H": 0.0, "T": 0.0, "F": 1.0} for n in "01"}
    return of(game, {**rows, "enter 0": {"in": 1.0, "out": 0.0}, "enter 1": {"in": 0.0, "out": 1.0}})


@pytest.mark.parametrize(
    "deals",
    [
        ("0a", "1c", "0b", "1a"),
        ("0b", "1c", "0a", "1b"),
    ],
)
def test_an_estimate_of_an_impossible_infoset_is_left_out(deals: tuple[str, ...]) -> None:
    """By the estimate, a and b are alike: T wins 4 from b, H 3 from a, in whatever order chance lists the deals."""
    game = cp.load(cards(deals))
    found = cp.resolve(game, quitting(game), "moves:1", alpha=1.0, model="uniform", normalised=True, solver="lp")
    assert found.strategy.probabilities("guess 0")["T"] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    "normalised",
    [True, False],
)
def test_an_impossible_infoset_is_no_choice(normalised: bool) -> None:
    """Forfeiting is the worst at every infoset that can be, so that every margin can be raised."""
    game = cp.load(cards(("0a", "1c", "0b", "1a")))
    (piece,) = pieces_of(game, 0, "moves:1")
    problem = gadget_game_of(piece, ResolveSettings("max-margin", normalised=normalised), quitting(game))
    assert solve_lp(problem.subgame, 0).value > 0.1


# --- 4. the interval of equilibria -------------------------------------------------------------------------------------


def check_interval(spot: Spot, name: str, normalised: bool) -> None:
    game, way = spot.game, ResolveSettings(name, normalised=normalised, solver="lp")
    pieces = spot.pieces
    found = equilibria_at(game, spot.mine, pieces, way, other=spot.theirs, seconds=10.0)
    room = 10.0 * slack(game)
    before = exploitability(game, spot.mine)
    assert -room <= found.best <= found.worst + room
    assert found.worst <= found.bound + room
    if name != "unsafe":
        assert found.best >= exploitability(game, continuation_of(game, spot.mine, pieces)) - room
        assert found.bound <= before + room
    if name == "resolving":
        assert found.worst == found.bound == before
    for prior in ("none", "uniform", "blueprint") if name != "unsafe" else ("none",):
        solution = resolve_at(
            pieces_at(game, [spot.place], spot.seat), spot.mine, spot.theirs, replace(way, prior=prior)
        )
        after = exploitability(game, solution.strategy)
        assert found.best - room <= after <= found.bound + room


@FEW
@given(spots(("mixed", "uniform")), st.sampled_from(("resolving", "max-margin", "unsafe")), st.booleans())
def test_solutions_lie_in_the_interval(spot: Spot, name: str, normalised: bool) -> None:
    """The least exploitable equilibria, any that is found, the most exploitable, its bound: in this order."""
    assume(len(spot.game.trees[1 - spot.seat].labels.infosets) <= 40)
    assume(all((weights_of(piece, spot.mine) > 1e-3).all() for piece in spot.pieces))
    check_interval(spot, name, normalised)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["resolving", "max-margin", "unsafe"])
@pytest.mark.parametrize(("spec", "at"), [("kuhn", "moves:1"), ("ggse_fig5", "moves:0"), ("ggse_fig11", "moves:0")])
def test_solutions_of_known_games_lie_in_the_interval(
    game_of: GameOf, spec: str, at: str, name: str, seat: int
) -> None:
    game = game_of(spec)
    mine, theirs = (cp.opponent(game, "random:3", player) for player in (seat, 1 - seat))
    for normalised in (False, True):
        check_interval(Spot(game.rules, game, seat, mine, theirs, Place.of(at)), name, normalised)


@pytest.mark.parametrize("name", ["resolving", "max-margin"])
@pytest.mark.parametrize("figure", [5, 11])
def test_the_interval_by_brute_force(game_of: GameOf, figure: int, name: str) -> None:
    """Of all strategies on a grid of sixtieths, those that keep the value of the gadget game."""
    game = game_of(f"ggse_fig{figure}")
    mine, at = example(game, figure)
    (piece,) = pieces_of(game, 0, at)
    found = equilibria_at(game, mine, [piece], ResolveSettings(name))
    problem = gadget_game_of(piece, ResolveSettings(name), mine)
    value, kept = solve_lp(problem.subgame, 0).value, []
    for first, second in itertools.product(range(61), repeat=2):
        strategy = of(game, two_states(first / 60, second / 60))
        if -best_response(problem.subgame, 1, matched(problem, strategy)).value >= value - 1e-10:
            kept.append(exploitability(game, strategy))
    assert min(kept) == pytest.approx(found.best, abs=1e-7)
    assert max(kept) == pytest.approx(found.worst, abs=1e-7)
    assert found.bound == pytest.approx(found.worst, abs=1e-7)
    expected = {(5, "resolving"): (0.0, 4 / 9), (5, "max-margin"): (0.0, 4 / 9), (11, "resolving"): (0.0, 2 / 3)}
    if (figure, name) in expected:
        assert (found.best, found.worst) == pytest.approx(expected[figure, name], abs=1e-7)
    else:
        assert found.best == pytest.approx(1 / 18, abs=1e-7)


@pytest.mark.parametrize("name", ["resolving", "max-margin"])
@pytest.mark.parametrize("prior", ["uniform", "blueprint", "given"])
def test_the_interval_with_a_prior_by_brute_force(game_of: GameOf, name: str, prior: str) -> None:
    """Of the strategies on a grid that keep the value of the gadget game, those that are best against an opponent who
    follows the prior: the definition of the equilibria that a prior leaves."""
    game = game_of("ggse_fig11")
    mine, at = example(game, 11)
    theirs = cp.opponent(game, "random:2", 1)
    (piece,) = pieces_of(game, 0, at)
    chosen: Any = weighted_prior([piece]) if prior == "given" else prior
    way = ResolveSettings(name, prior=chosen, solver="lp")
    found = equilibria_at(game, mine, [piece], way, other=theirs)
    problem = gadget_game_of(piece, way, mine, theirs)
    odds = odds_of(chosen, piece, problem.entry, theirs.plan)
    wholly = problem.trembling([(1.0, odds)]).subgame
    grid = []
    for first, second in itertools.product(range(61), repeat=2):
        strategy = of(game, two_states(first / 60, second / 60))
        plan = matched(problem, strategy)
        worth, followed = (-best_response(subgame, 1, plan).value for subgame in (problem.subgame, wholly))
        grid.append((worth, followed, exploitability(game, strategy)))
    value = solve_lp(problem.subgame, 0).value
    optimal = [one for one in grid if one[0] >= value - 1e-10]
    most = max(followed for _, followed, _ in optimal)
    kept = [exploited for _, followed, exploited in optimal if followed >= most - 1e-10]
    assert (found.best, found.worst, found.bound) == pytest.approx((min(kept), max(kept), max(kept)), abs=1e-7)
    assert prior == "given" or len(kept) < len(optimal)  # the prior leaves fewer


@pytest.mark.parametrize(("prior", "epsilon"), [("uniform", None), ("blueprint", None), ("uniform", 0.1)])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_refined_solution_lies_in_the_interval_of_its_prior(
    kuhn: cp.GameTree, prior: str, epsilon: float | None, seat: int
) -> None:
    both = tuple(cp.opponent(kuhn, "random:4", player) for player in (0, 1))
    words: dict[str, Any] = {"seat": seat, "solver": "lp", "interval": True, "gadget": "max-margin"}
    found = cp.resolve(kuhn, both, "moves:1", prior=prior, epsilon=epsilon, **words)
    any_ = cp.resolve(kuhn, both, "moves:1", **words)
    assert found.equilibria
    assert any_.equilibria
    assert found.equilibria.best - 1e-6 <= found.after <= found.equilibria.bound + 1e-6
    if epsilon is None:
        assert any_.equilibria.best - 1e-6 <= found.equilibria.best
        assert found.equilibria.worst <= any_.equilibria.bound + 1e-6
        assert found.equilibria.bound - found.equilibria.best < any_.equilibria.bound - any_.equilibria.best


def test_the_interval_of_figure_1(game_of: GameOf) -> None:
    game = game_of("ggse_fig1")
    mine, at = example(game, 1)
    pieces = pieces_of(game, 0, at)
    resolving, margin = (
        equilibria_at(game, mine, pieces, ResolveSettings(name)) for name in ("resolving", "max-margin")
    )
    assert (resolving.best, resolving.worst, resolving.bound) == pytest.approx((0.0, 1.0, 1.0), abs=1e-7)
    assert (margin.best, margin.worst, margin.bound) == pytest.approx((0.25, 0.25, 0.25), abs=1e-6)


def test_the_interval_of_unsafe_solving(game_of: GameOf) -> None:
    """Milec et al. 2024, figure 2: against the equilibrium's range H from 1/3 to 3/4 is as good; the ends are the worst."""
    game = game_of("cdrnr_fig2")
    nash = cp.solve(game).strategies
    found = equilibria_at(game, nash[0], pieces_of(game, 0, "moves:1"), ResolveSettings("unsafe"), other=nash[1])
    label, H = "pick a side", "H"
    ends = [exploitability(game, of(game, {label: {H: p, "T": 1.0 - p}})) for p in (1 / 3, 3 / 4)]
    assert found.best == pytest.approx(0.0, abs=1e-7)
    assert found.worst == pytest.approx(max(ends), abs=1e-6)
    assert found.bound == pytest.approx(max(ends), abs=1e-6)


def test_the_interval_of_ses_is_of_the_estimates_that_were_used(kuhn: cp.GameTree) -> None:
    """With an error of the estimate, the solution is among the equilibria of which the interval speaks."""
    both = tuple(cp.opponent(kuhn, "random:3", player) for player in (0, 1))
    words: dict[str, Any] = {"alpha": 0.9, "model": "random:8", "error": 1.0, "solver": "lp", "interval": True}
    for seed, seat in itertools.product(range(6), (0, 1)):
        found = cp.resolve(kuhn, both, "moves:1", seed=seed, seat=seat, **words)
        assert found.equilibria is not None
        assert found.equilibria.best - 1e-6 <= found.after <= found.equilibria.bound + 1e-6


# --- 5. trembles stack -------------------------------------------------------------------------------------------------


@FEW
@given(spots(("mixed",)), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.integers(0, 99), st.booleans())
def test_trembles_stack(spot: Spot, alpha: float, epsilon: float, seed: int, resolving: bool) -> None:
    """(1-α) [(1-ε) m + ε prior] + α p at the entry, and nothing elsewhere."""
    rng = np.random.default_rng(seed)
    for piece in spot.pieces[:2]:
        problem = gadget_game_of(piece, ResolveSettings("resolving" if resolving else "max-margin"), spot.mine)
        if not problem.entry.can_tremble:
            continue
        tree, at, them = problem.subgame.trees[piece.opponent], problem.choices[piece.opponent], piece.opponent
        first, second = (shares(rng.random(piece.size)) for _ in range(2))
        bound = problem.trembling([(alpha, first), (epsilon, second)]).subgame.restrictions[them]
        free = tree.uniform()
        m, free[at] = np.full(piece.size, 0.25 if resolving else 0.0), 0.25 if resolving else 0.0
        m[0] = free[at[0]] = 0.75 if resolving else 1.0
        if resolving:
            free[problem.declines] = 1.0 - m
        played = bound.behaviour(tree, free)
        expected = (1.0 - alpha) * ((1.0 - epsilon) * m + epsilon * second) + alpha * first
        np.testing.assert_allclose(played[at], expected, atol=1e-12)
        if resolving:
            np.testing.assert_allclose(played[problem.declines], 1.0 - expected, atol=1e-12)
        rest = np.ones(tree.size, bool)
        rest[at] = rest[problem.declines] = False
        np.testing.assert_array_equal(played[rest], free[rest])


@pytest.mark.parametrize("seat", [0, 1])
def test_alpha_is_a_tremble_toward_the_estimate(kuhn: cp.GameTree, seat: int) -> None:
    """SES with weight α is max-margin with a tremble α toward the model's range; with α = 1 that range is given."""
    mine, model = cp.opponent(kuhn, "random:3", seat), cp.opponent(kuhn, "random:4", 1 - seat)
    for piece in pieces_of(kuhn, seat, "moves:1"):
        for normalised in (False, True):
            plain = gadget_game_of(piece, ResolveSettings("max-margin", normalised=normalised), mine)
            estimate = shares(piece.top.range(1 - seat, model.plan) * (piece.weight(mine.plan) if normalised else 1.0))
            for alpha in (0.0, 0.4, 1.0):
                ses = gadget_game_of(
                    piece, ResolveSettings("max-margin", alpha=alpha, normalised=normalised), mine, None, model
                )
                value = solve_lp(ses.subgame, seat).value
                assert value == pytest.approx(
                    solve_lp(plain.trembling([(alpha, estimate)]).subgame, seat).value, abs=1e-9
                )
        estimate, unit = shares(piece.top.range(1 - seat, model.plan)), float(piece.weight(mine.plan).sum())
        given_range = build_gadget_game(piece, unsafe_entry(piece.size, estimate), mine.plan / unit)
        ses = gadget_game_of(piece, ResolveSettings("max-margin", alpha=1.0), mine, None, model)
        shift = float(estimate @ alternative_values(piece, mine)) / unit * (1.0 if seat == 0 else -1.0)
        assert solve_lp(ses.subgame, seat).value == pytest.approx(
            solve_lp(given_range.subgame, seat).value + shift, abs=1e-9
        )


# --- 6. currency and seats ---------------------------------------------------------------------------------------------


def as_told(changed: Any) -> Any:
    """A changed game that tells as much of those who do not act as the game that it is made from."""
    changed.augmented = getattr(changed.game, "augmented", False)
    return changed


@FEW
@given(
    spots(),
    st.sampled_from(("resolving", "max-margin")),
    st.sampled_from(("none", "uniform")),
    st.booleans(),
    st.sampled_from(("lp", "cfr+")),
)
def test_doubled_chips_change_no_strategy(spot: Spot, name: str, prior: str, normalised: bool, solver: str) -> None:
    """To the last bit: a power of two changes no digit of any payoff."""
    doubled = cp.load(as_told(Scaled(spot.rules, 2.0)))
    way = ResolveSettings(name, prior, normalised=normalised, solver=solver, stop=cp.Stop(iterations=50))
    assume(any(weights_of(piece, spot.mine).any() for piece in spot.pieces))
    before = resolve_at(pieces_at(spot.game, [spot.place], spot.seat), spot.mine, None, way)
    after = resolve_at(
        pieces_at(doubled, [spot.place], spot.seat), of(doubled, spot.mine.table(), spot.seat), None, way
    )
    assert after.states == before.states
    assert after.gap == pytest.approx(2.0 * before.gap, abs=slack(spot.game))
    for text, row in before.strategy.table().items():
        assert after.strategy.table()[text] == pytest.approx(row, abs=1e-12)


@FEW
@given(spots(), st.sampled_from(("resolving", "max-margin")), st.booleans())
def test_changed_seats_change_nothing(spot: Spot, name: str, normalised: bool) -> None:
    """The values of all gadget games, what the prior adds, the optimal continuation: from the other chair the same."""
    game = cp.load(as_told(Swapped(spot.rules)))
    mine = of(game, spot.mine.table(), 1 - spot.seat)
    pieces = subgames_at(game, spot.place, 1 - spot.seat)
    assert len(pieces) == len(spot.pieces)
    seen = []
    for which, (blueprint, found) in enumerate([(spot.mine, spot.pieces), (mine, pieces)]):
        numbers = [
            exploitability((spot.game, game)[which], continuation_of((spot.game, game)[which], blueprint, found))
        ]
        for piece in found:
            if not weights_of(piece, blueprint).any():
                continue
            problem = gadget_game_of(piece, ResolveSettings(name, normalised=normalised), blueprint)
            numbers.append(signed(piece.resolver, solve_lp(problem.subgame, piece.resolver).value))
            if problem.entry.can_tremble:
                refined, _ = refinement(problem, "uniform")
                numbers += [refined.value(), refined.perturbed(0.1).objective]
        seen.append(sorted(numbers))
    room = slack(spot.game) * (1.0 if not normalised else 100.0)
    assert seen[0] == pytest.approx(seen[1], abs=room)


# --- 7. places ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", "moves", "moves:", "moves:-1", "moves:x", "moves:1.0", "moves: 1", "moves:1:2", "moves:999999999", "round:0",
     "round:", "round:x", "game:0", "game:", "rounds", "Round", "moves:1,moves:2"],
)  # fmt: skip
def test_no_such_place(text: str) -> None:
    with pytest.raises(cp.InputError, match="a place is") as refused:
        Place.of(text)
    assert f"'{text}'" in str(refused.value)


@pytest.mark.parametrize("text", ["moves:0", "moves:1", "moves:12", "round", "round:2", "game", "game:3"])
def test_places_print_as_they_are_read(text: str) -> None:
    assert str(Place.of(text)) == text
    assert Place.of(str(Place.of(text))) == Place.of(text)
    assert Place.of("round:1") == Place.of("round")


@pytest.mark.parametrize(
    ("spec", "at", "declared", "count"),
    [("goofspiel:5", "moves:2", True, 3), ("goofspiel:5", "moves:4", True, 9), ("leduc", "round", False, 30),
     ("leduc", "round", True, 30), ("liars_dice:1,4", "moves:1", False, 8), ("liars_dice:1,4", "moves:1", True, 8)],
)  # fmt: skip
def test_the_paper_s_places_have_as_many_subgames(
    game_of: GameOf, spec: str, at: str, declared: bool, count: int
) -> None:
    """Kubíček et al. 2026, section 8. Declared states are unions of computed ones; together they hold the same histories."""
    game = game_of(spec)
    found, fine = (subgames_at(game, Place.of(at, flag), 0) for flag in (declared, False))
    assert len(found) == count
    first, second = (np.concatenate([piece.top.histories for piece in pieces]) for pieces in (found, fine))
    assert sorted(first.tolist()) == sorted(second.tolist())
    assert len(np.unique(first)) == len(first)


@pytest.mark.parametrize(
    ("spec", "at", "word"),
    [
        ("goofspiel:4", "moves:1", "not everybody knows"),
        ("goofspiel:4", "moves:3", "not everybody knows"),
        ("kuhn", "moves:3", "no path of kuhn"),
        ("kuhn", "moves:99999", "no path of kuhn"),
        ("leduc", "round:2", "no path of leduc"),
        ("kuhn", "game", "no member 'stop'"),
        ("kuhn", "round", "no rounds"),
    ],
)
def test_places_that_a_game_does_not_have(game_of: GameOf, spec: str, at: str, word: str) -> None:
    with pytest.raises(cp.InputError, match=word):
        subgames_at(game_of(spec), Place.of(at), 0)
    with pytest.raises(cp.InputError, match=word):
        cp.resolve(game_of(spec), "uniform", at)


def test_declared_states_where_none_are_declared(game_of: GameOf) -> None:
    with pytest.raises(cp.InputError, match="declares no public states"):
        cp.resolve(game_of("ggse_fig5"), "uniform", "moves:0", declared=True)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("spec", ["kuhn", "leduc:merged=true", "ggse_fig5"])
def test_the_whole_game_can_be_solved_again(game_of: GameOf, spec: str, seat: int) -> None:
    """At moves:0 there is one subgame. Refined toward any prior it is not worse, and the full gadget's is an equilibrium."""
    game = game_of(spec)
    assert len(subgames_at(game, Place.of("moves:0"), 0)) == 1
    found = cp.resolve(game, "random:3", "moves:0", seat=seat, gadget="full", solver="lp", continuation=True)
    assert found.after == pytest.approx(0.0, abs=slack(game))
    assert found.continuation == pytest.approx(0.0, abs=slack(game))


@pytest.mark.parametrize(
    "spec",
    [
        "ggse_fig5",
        "kuhn",
    ],
)
def test_a_subgame_begins_where_a_player_acts(game_of: GameOf, spec: str) -> None:
    """`tops` says so: deals that follow the last move are over."""
    game = game_of(spec)
    for piece in pieces_of(game, 0, "moves:0"):
        assert np.isin(game.histories.player[piece.top.histories], (0, 1)).all()


# --- 8. bad input ------------------------------------------------------------------------------------------------------

ENTRY = dict.fromkeys(("0p", "1p", "2p", "0b", "1b", "2b"), 1.0)
"""What the opponent may know at the tops of Kuhn poker after one move."""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"prior": {**ENTRY, "3p": 1.0}}, "3p"),
        ({"prior": {k: 1.0 for k in ENTRY if k != "0b"}}, "0b"),
        ({"prior": {}}, "no weight"),
        ({"prior": "uniform", "epsilon": -0.1}, "epsilon"),
        ({"prior": "uniform", "epsilon": 1.1}, "epsilon"),
        ({"prior": "uniform", "epsilon": float("nan")}, "epsilon"),
        ({"epsilon": 0.1}, "there is none"),
        ({"alpha": 1.5, "model": "uniform"}, "alpha"),
        ({"alpha": -0.5}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"alpha": 0.5}, "model"),
        ({"alpha": 0.5, "model": "uniform", "gadget": "resolving"}, "max-margin"),
        ({"alpha": 0.5, "model": "uniform", "gadget": "full"}, "decides nothing"),
        ({"alpha": 0.5, "model": "uniform", "error": 2.5}, "error"),
        ({"alpha": 0.5, "model": "uniform", "error": -0.5}, "error"),
        ({"prior": "uniform", "gadget": "full"}, "decides nothing"),
        ({"prior": "uniform", "gadget": "unsafe"}, "decides nothing"),
        ({"gadget": "safe"}, "safe"),
        ({"prior": "best"}, "best"),
        ({"values": "best"}, "best"),
        ({"solver": "cfr++"}, r"cfr\+\+"),
        ({"only": "9x"}, "9x"),
        ({"only": "0"}, "holds the infoset '0'"),
        ({"seat": 2}, "seat"),
        ({"model": "nobody"}, "nobody"),
        ({"prior": dict.fromkeys(ENTRY, -1.0), "gadget": "max-margin"}, "prior"),
        ({"prior": {**ENTRY, "0p": -1.0}}, "prior"),
        ({"prior": {**ENTRY, "0p": float("nan")}}, "prior"),
        ({"prior": {**ENTRY, "0p": float("inf")}, "gadget": "max-margin"}, "prior"),
        ({"prior": dict.fromkeys(ENTRY, "x")}, "prior"),
        ({"prior": None}, "prior"),
        ({"prior": {**ENTRY, "0p": 2.0}}, "at most 1"),
        ({"error": 0.5}, "error"),
    ],
)  # fmt: skip
def test_what_resolve_refuses(kuhn: cp.GameTree, words: dict[str, Any], message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        cp.resolve(kuhn, "uniform", "moves:1", **{"solver": "lp", **words})


@pytest.mark.parametrize(
    ("blueprint", "at"),
    [
        ("nobody", "moves:1"),
        (3, "moves:1"),
        ("missing.json", "moves:1"),
        (["uniform", "uniform"], "moves:1"),
        (("uniform", "uniform", "uniform"), "moves:1"),
        ("uniform", ["moves:1", "moves"]),
        (("uniform",), "moves:1"),
        ("uniform", []),
        ("uniform", 1),
        ("uniform", ["moves:2", "moves:1"]),
    ],
)
def test_blueprints_and_places_that_resolve_refuses(kuhn: cp.GameTree, blueprint: Any, at: Any) -> None:
    with pytest.raises(cp.InputError):
        cp.resolve(kuhn, blueprint, at, solver="lp")


def test_a_blueprint_of_another_game_or_seat(kuhn: cp.GameTree, game_of: GameOf) -> None:
    with pytest.raises(cp.InputError, match="not a strategy of player 0 in kuhn"):
        cp.resolve(kuhn, cp.opponent(game_of("ggse_fig5"), "uniform", 0), "moves:1")
    with pytest.raises(cp.InputError, match="not a strategy of player 0"):
        cp.resolve(kuhn, cp.opponent(kuhn, "uniform", 1), "moves:1")
    for words in ({"gadget": "unsafe"}, {"prior": "blueprint"}, {"values": "profile"}):
        with pytest.raises(cp.InputError, match=r"needs? the opponent's part"):
            cp.resolve(kuhn, cp.opponent(kuhn, "uniform", 0), "moves:1", **words)


def test_bounds_without_a_model_are_refused_at_once(kuhn: cp.GameTree) -> None:
    solved_so_far: list[int] = []
    with pytest.raises(cp.InputError, match="model"):
        cp.resolve(kuhn, "uniform", "moves:1", bounds=True, watch=lambda done, _: solved_so_far.append(done))
    assert not solved_so_far


def test_a_limit_of_seconds_is_kept(kuhn: cp.GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not run as it is: it would never end."""
    asked: list[int] = []
    advance = Iterates.advance
    monkeypatch.setattr(Iterates, "advance", lambda self, n: (asked.append(n), advance(self, min(n, 1000)))[1])
    cp.resolve(kuhn, "uniform", "moves:1", stop=cp.Stop(seconds=0.05))
    assert max(asked) < 10**9


@pytest.fixture
def run(run: Runner) -> Callable[..., Ended]:
    """A function that runs `counterplay resolve WORDS` in an empty folder."""
    return partial(run, "resolve")


KUHN = ("kuhn", "--blueprint", "uniform", "--at", "moves:1", "--method", "lp")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--at", "moves"), "'moves'"),
        (("--at", "moves:1,"), "not ''"),
        (("--at", "moves:9"), "no path"),
        (("--blueprint", "leduc.json"), "leduc.json"),
        (("--blueprint", "nobody"), "nobody"),
        (("--prior", "best"), "best"),
        (("--prior", "missing.json"), "missing.json"),
        (("--prior", "text.json"), "not JSON"),
        (("--prior", "list.json"), "object"),
        (("--prior", "less.json"), "no weight"),
        (("--prior", "more.json"), "'other'"),
        (("--prior", "negative.json"), "-1"),
        (("--prior", "nan.json"), "nan"),
        (("--prior", "word.json"), "'0p'"),
        (("--prior", "."), "prior"),
        (("--prior", "huge.json"), "0p"),
        (("--prior", "uniform", "--epsilon", "2"), "epsilon"),
        (("--prior", "uniform", "--epsilon", "nan"), "epsilon"),
        (("--epsilon", "0.1"), "there is none"),
        (("--alpha", "2", "--to", "uniform"), "alpha"),
        (("--alpha", "0.5"), "model"),
        (("--gadget", "unsafe", "--prior", "uniform"), "decides nothing"),
        (("--gadget", "full", "--prior", "uniform"), "decides nothing"),
        (("--gadget", "nothing"), "nothing"),
        (("--method", "simplex"), "simplex"),
        (("--iterations", "5"), "iterations"),
        (("--only", "9x"), "9x"),
        (("--only", "0"), "'0'"),
        (("--public", "secret"), "secret"),
        (("--values", "none"), "none"),
        (("--memory", "0"), "memory"),
        (("--blueprint", "single.json", "--gadget", "unsafe"), "opponent's part"),
        (("--blueprint", "single.json", "--prior", "blueprint"), "opponent's part"),
        (("--blueprint", "single.json", "--seat", "1"), "single.json"),
        (("--blueprint", "single.json", "--bounds"), "opponent's part"),
        (("--blueprint", "passive.json", "--only", "0pb", "--gadget", "unsafe", "--seat", "0"), "opponent's part"),
        (("--seat", "2"), "seat"),
        (("--iterations", "0", "--method", "cfr"), "iterations"),
    ],
)
def test_what_the_command_refuses(run, tmp_path: Path, kuhn: cp.GameTree, words: tuple[str, ...], message: str) -> None:
    """Exit code 2, nothing on the output, no traceback, no file."""
    texts = {
        "text": "{", "list": "[1]", "less": json.dumps({"0p": 1.0}), "more": json.dumps({**ENTRY, "other": 1.0}),
        "negative": json.dumps({**ENTRY, "0p": -1.0}), "nan": json.dumps({**ENTRY, "0p": float("nan")}),
        "word": json.dumps({**ENTRY, "0p": "much"}), "huge": json.dumps({**ENTRY, "0p": 10**400}),
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / f"{name}.json").write_text(text)
    cp.opponent(kuhn, "uniform", 0).save(tmp_path / "single.json")
    cp.opponent(kuhn, "uniform", 0).save(tmp_path / "passive.json")
    cp.opponent(cp.load("ggse_fig5"), "uniform", 0).save(tmp_path / "leduc.json")
    code, out, err = run(*KUHN, *words, "-o", "out.json")
    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("seat", ["0", "1"])
def test_the_command_and_the_function_agree(run, tmp_path: Path, kuhn: cp.GameTree, seat: str) -> None:
    """One prior file, one call by each; the file that is written holds the strategy that the numbers speak of."""
    names = [name for piece in pieces_of(kuhn, int(seat), "moves:1") for name in piece.names()]
    prior = {name: 1.0 / (1 + i) for i, name in enumerate(names)}
    (tmp_path / "prior.json").write_text(json.dumps(prior))
    extra = ("--prior", "prior.json", "--seat", seat, "--continuation", "--interval", "--to", "uniform")
    code, out, _ = run(*KUHN, *extra, "--json", "-o", "out.json")
    assert code == 0
    facts = json.loads(out)
    found = cp.resolve(
        kuhn, "uniform", "moves:1", prior=prior, seat=int(seat), solver="lp", continuation=True, interval=True,
        model="uniform",
    )  # fmt: skip
    ours = {name: value for name, value in found.facts().items() if name not in ("seconds", "prior")}
    for name in ("before", "after", "continuation", "gain_before", "gain_after", "game_value"):
        assert facts[name] == pytest.approx(ours[name], abs=1e-12)
    assert facts["equilibria"] == pytest.approx(ours["equilibria"], abs=1e-9)
    saved = cp.opponent(kuhn, "out.json", int(seat))
    assert cp.evaluate(kuhn, saved).exploitability == pytest.approx(found.after, abs=1e-9)
    code, out, _ = run(*KUHN, *extra)
    assert code == 0
    assert "exploitability_after" in out.replace(" ", "_")


# --- 9. Ctrl-C ---------------------------------------------------------------------------------------------------------


def test_the_command_names_its_solver_and_stops_like_the_others(run) -> None:
    """`--solver`, as in respond; `--method` is read on. Looser stops are felt."""
    words = ("kuhn", "--blueprint", "random:1", "--at", "moves:1", "--json")
    by = {name: json.loads(run(*words, name, "lp")[1]) for name in ("--solver", "--method")}
    assert by["--solver"]["solver"] == by["--method"]["solver"] == "lp"
    assert by["--solver"]["after"] == by["--method"]["after"]
    gaps = [json.loads(run(*words, "--exploitability", text)[1])["gap"] for text in ("0.1", "0.000001")]
    assert gaps[0] > 1e-3 > 1e-5 > gaps[1]
    code, out, err = run(*words, "--solver", "cfr+", "--seconds", "0.05")
    assert (code, err) == (0, "")
    assert json.loads(out)["states"] > 0
    for clash in (("--solver", "lp", "--method", "cfr"), ("--solver", "lp", "--seconds", "1")):
        code, _, err = run(*words, *clash)
        assert code == 2
        assert "--method" in err or "--seconds" in err
    assert "--method" not in run("--help")[1]


@pytest.mark.parametrize("solver", ["lp", "cfr+"])
def test_ctrl_c_keeps_what_is_solved(game_of: GameOf, monkeypatch: pytest.MonkeyPatch, run, solver: str) -> None:
    """The first two subgames are as in a whole run, the others as in the blueprint, and the answer says so."""
    game = game_of("liars_dice:1,3")
    both = tuple(cp.opponent(game, "random:3", player) for player in (0, 1))
    words: dict[str, Any] = {"solver": solver, "stop": cp.Stop(iterations=50)}
    whole = cp.resolve(game, both, "moves:1", **words)
    assert not whole.interrupted
    calls: list[int] = []

    def impatient(*args: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return resolve_subtree(*args)

    monkeypatch.setattr(blueprints, "resolve_subtree", impatient)
    found = cp.resolve(game, both, "moves:1", **words)
    assert found.interrupted
    assert found.states == 2
    assert len(calls) == 3
    inside = [piece.root >= 0 for piece in pieces_of(game, 0, "moves:1")]
    firsts = game.first[0].tolist()
    tables = [strategy.table() for strategy in (both[0], whole.strategy, found.strategy)]
    for text, first in zip(game.trees[0].labels.infosets, firsts, strict=True):
        expected = tables[1] if any(held[first] for held in inside[:2]) else tables[0]
        assert tables[2][text] == expected[text]
    calls.clear()
    code, _, err = run(
        "liars_dice:1,3", "--blueprint", "random:3", "--at", "moves:1", "--method", solver, "-o", "o.json"
    )
    assert code == 0
    assert "interrupted" in err
    assert Path("o.json").exists()


def test_ctrl_c_while_somebody_watches(kuhn: cp.GameTree) -> None:
    """The progress bar is where a real Ctrl-C may land too."""

    def impatient(*_: int) -> None:
        raise KeyboardInterrupt

    try:
        found = cp.resolve(kuhn, "uniform", "moves:1", solver="lp", watch=impatient)
    except KeyboardInterrupt:  # which would end pytest
        pytest.fail("nothing is kept")
    assert found.interrupted
    assert found.states == 1


def test_ctrl_c_inside_a_minimiser_ends_the_run(game_of: GameOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit of exploitability solve_cfr hears Ctrl-C itself; the run must not go on with the next subgame."""
    game, asked = game_of("liars_dice:1,3"), []
    advance = Iterates.advance

    def impatient(self: Iterates, n: int) -> None:
        asked.append(n)
        if len(asked) == 3:
            raise KeyboardInterrupt
        advance(self, n)

    monkeypatch.setattr(cfr.Iterates, "advance", impatient)
    found = cp.resolve(game, "random:3", "moves:1", stop=cp.Stop(exploitability=1e-3, iterations=2000))
    assert found.interrupted


# --- more that is not yet so -------------------------------------------------------------------------------------------


def test_the_interval_of_only_is_of_that_subgame(kuhn: cp.GameTree) -> None:
    both = tuple(cp.opponent(kuhn, "random:3", player) for player in (0, 1))
    words: dict[str, Any] = {"seat": 1, "gadget": "max-margin", "solver": "lp", "interval": True}
    found = cp.resolve(kuhn, both, "moves:1", only="0p", **words)
    assert found.equilibria is not None
    assert found.after <= found.equilibria.bound + 1e-6


class Discreet(RandomGame):
    """Without `augmented` nobody may ask what the player knows who does not act (see games/game.py)."""

    def infoset(self, state: Any, player: int) -> str:
        assert player == state.player
        return super().infoset(state, player)


def test_a_prior_by_infoset_asks_only_what_the_rules_promise() -> None:
    game = cp.load(Discreet(Knobs(depth=4, seed=1, lonely=2, named=False, utilities="whole")))
    with pytest.raises(cp.InputError):
        cp.resolve(game, "uniform", "moves:1", prior={"nobody": 1.0}, solver="lp")


@pytest.mark.parametrize(
    "solver",
    [
        "cfr+",
        "lp",
    ],
)
@pytest.mark.parametrize("normalised", [False, True])
def test_a_subgame_that_is_hardly_ever_reached(kuhn: cp.GameTree, solver: str, normalised: bool) -> None:
    """With the king one calls, with the jack one folds, however seldom one passed first."""
    table = cp.opponent(kuhn, "random:3", 0).table()
    for card in "012":
        table[card] = {"Pass": 1e-9, "Bet": 1.0}
    mine = of(kuhn, table)
    words: dict[str, Any] = {"gadget": "max-margin", "prior": "uniform", "normalised": normalised}
    strategy = cp.resolve(kuhn, mine, "moves:1", solver=solver, **words).strategy
    assert strategy.probabilities("0pb")["Bet"] == pytest.approx(0.0, abs=1e-2)
    assert strategy.probabilities("2pb")["Bet"] == pytest.approx(1.0, abs=1e-2)
