"""Claims of Milec et al. 2024 that have no other test: lemma 3.1, and the equalities of section 4, which do not hold."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import counterplay as cp
from counterplay import TERMINAL, LookAhead, Strategy
from counterplay.lookahead.decisions import SearchState, decision_groups
from counterplay.lookahead.search import Search
from counterplay.lookahead.step import pose
from counterplay.problem.subgame import Subgame
from counterplay.treeplex.sweeps import reach
from tests.support.random_games import Node, RandomGame
from tests.support.theorems import GameOf

ITERATIONS = 300


def first_look_ahead(game: cp.GameTree, model: Strategy, leaf: str, depth: int) -> tuple[Subgame, float]:
    """The trunk of CDBR with a value function at its limit, and what is won there at most."""
    found = []
    for value in (leaf, "exact"):
        search = Search(LookAhead(depth, value, solve="joint"), p=1.0)
        chain = SearchState(game, 0, search, model)
        found.append(pose(chain, decision_groups(game, 0, search.depth, True)[0], search))
    return found[0].solve._problem, found[1].solve.advance().value  # type: ignore[attr-defined]


def utilities_of_iterates(problem: Subgame, iterations: int) -> tuple[list[float], int]:
    """Chips of player 0 by the current strategy of each iteration of CFR against the fixed opponent, in plain steps; and the
    number of infosets in the trunk."""
    tree, bound = problem.trees[0], problem.restrictions[0]
    other = problem.restrictions[1].played(problem.trees[1], problem.trees[1].uniform())
    assert problem.beyond is not None
    lanes = [lane for lane in tree.visit_order.tolist() if not bound.is_local or bound.keep[lane] == 1.0]
    regret, won = np.zeros(tree.size), list[float]()
    for _ in range(iterations):
        behaviour = tree.uniform()
        for lane in lanes:
            where = tree.sequences_of(lane)
            positive = np.maximum(regret[where], 0.0)
            if positive.sum() > 0.0:
                behaviour[where] = positive / positive.sum()
        behaviour = bound.behaviour(tree, behaviour)
        plan = reach(tree, behaviour)
        values = problem.leaves.product(0, other) + problem.beyond(plan, other)[0]
        won.append(float(plan @ values))
        for lane in reversed(tree.visit_order.tolist()):
            where = tree.sequences_of(lane)
            mean = float(behaviour[where] @ values[where])
            if lane in lanes:
                regret[where] += values[where] - mean
            values[tree.arrays.parent[lane]] += mean
    return won, len(lanes)


@pytest.mark.parametrize(("spec", "depth"), [("kuhn", 1), ("goofspiel:3", 2), ("rps:2", 1)])
@pytest.mark.parametrize("source", ["uniform", "random:3"])
def test_cfr_against_a_fixed_opponent_converges_in_its_current_strategy(
    game_of: GameOf, spec: str, depth: int, source: str
) -> None:
    """Lemma 3.1 with the exact value function beyond the trunk: after t iterations the best current strategy lacks at most
    Δ √(A / t) times the number of infosets; and it does come near, where the last one need not."""
    game = game_of(spec)
    problem, most = first_look_ahead(game, cp.opponent(game, source, player=1), "lp", depth)
    won, infosets = utilities_of_iterates(problem, ITERATIONS)
    actions = 2 if spec == "kuhn" else 3
    for t in range(1, ITERATIONS + 1):
        lacks = most - max(won[:t])
        assert -1e-7 * game.span <= lacks <= game.span * sqrt(actions / t) * infosets
    assert most - max(won) < 0.01 * game.span


class TwiceOrNever(RandomGame):
    """Player 0 decides twice, a or b; player 1, who has seen neither, then punishes or not."""

    augmented = True
    PAYS = {"aa": (0.0, 0.0), "bb": (-4.0, 1.0)}  # noqa: RUF012

    def __init__(self) -> None:
        self.name = "twice or never"

        def ends(both: str) -> Node:
            chips = self.PAYS.get(both, (-5.0, -5.0))
            behind = tuple(Node(TERMINAL, ("", ""), utility=one) for one in chips)
            return Node(1, (f"done {both}", "reply"), ("punish", "not"), (), behind)

        def again(first: str) -> Node:
            return Node(
                0, (f"second after {first}", "wait 2"), ("a", "b"), (), tuple(ends(first + one) for one in "ab")
            )

        self.tree = Node(0, ("first", "wait 1"), ("a", "b"), (), (again("a"), again("b")))


def test_mixing_by_decision_has_not_the_mean_of_gains_nor_of_exploitabilities() -> None:
    """Section 4 mixes CDBR and an equilibrium at every decision, and says that gain and exploitability are the means of
    theirs. Half and half the player is inconsistent half of the time; drawn before the game, as `cdbr-ne` does it, the gain
    is the mean, and exploitability at most the mean."""
    game = cp.load(TwiceOrNever())
    model = cp.opponent(game, lambda _: {"punish": 0.0, "not": 1.0}, player=1)
    greedy = cp.respond(game, model, cp.CDBR(look=LookAhead(3)))
    safe = cp.respond(game, model, cp.BNE())
    assert (safe.gain, safe.exploitability) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert (greedy.gain, greedy.exploitability) == pytest.approx((1.0, 4.0))
    tables = [one.strategy.table() for one in (greedy, safe)]
    half = {text: {action: 0.5 * (tables[0][text][action] + tables[1][text][action]) for action in "ab"}
            for text in tables[0]}  # fmt: skip
    # Where a strategy never comes its decision is open: as it would go on.
    half |= {f"second after {one}": {"a": 0.5, "b": 0.5} for one in "ab"}
    by_decision = cp.evaluate(game, cp.opponent(game, half.__getitem__, player=0), against=model)
    assert by_decision.gain == pytest.approx(0.25 * 0.0 + 0.25 * 1.0 - 0.5 * 5.0)
    assert by_decision.exploitability == pytest.approx(0.25 * 4.0 + 0.5 * 5.0)
    assert by_decision.exploitability > 0.5 * (greedy.exploitability + safe.exploitability)
    drawn = cp.respond(game, model, cp.CDBRNE(0.5, LookAhead(3)))
    assert drawn.gain == pytest.approx(0.5 * (greedy.gain + safe.gain))
    assert drawn.exploitability <= 0.5 * (greedy.exploitability + safe.exploitability) + 1e-9
