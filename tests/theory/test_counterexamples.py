"""The two games that break a gadget: RNR and the full gadget find all five actions, the gadget in question only two.

The gadgets are written here straight from their definitions, over tables read off the compiled games, and solved by a linear
program of their own; then the library's cuts must agree with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import counterplay as cp
from counterplay.gadgets.gadget import full_entry, max_margin_entry, resolving_entry
from counterplay.games import examples as ours
from counterplay.solvers.best_response import best_response
from counterplay.subgames.cut import cut
from counterplay.subgames.cut_game import build_gadget_game
from tests.support import witness
from tests.support.gadget_games import alternative_values
from tests.support.linear_program import minimise
from tests.support.theorems import GameOf

Floats = NDArray[np.float64]
Gadget = list[Floats]
"""g(x) is the sum over these tables of the smallest entry of `table @ x`; x sums to 1, so a constant is a row of it."""


class Case(NamedTuple):
    """A game, the gadget that fails in it, what that gadget charges for each action, and the p at which its answer jumps."""

    spec: str
    histories: int
    model: dict[str, dict[str, float]]
    wrong: str
    right: str
    charged: tuple[float, ...]
    jump: float


MARGIN = Case("cdrnr_fig8_margin", 66, ours.MARGIN_MODEL, "max-margin", "resolving", (0, 1, 3, 6, 2), 1 / 6)
RESOLVING = Case("cdrnr_fig8_resolving", 37, ours.RESOLVING_MODEL, "resolving", "max-margin", (0, 5, 15, 30, 10), 1 / 2)
games = pytest.mark.parametrize("case", [MARGIN, RESOLVING], ids=["margin", "resolving"])
GRID = sorted({*np.linspace(0.0, 1.0, 101).tolist(), *ours.SWITCHES, 1 / 6, 1 / 6 - 1e-3, 1 / 6 + 1e-3})
SAFEST, GREEDIEST, MIDDLE = 0, 4, (1, 2, 3)


def pure(action: int) -> dict[str, dict[str, float]]:
    return {"reach in": {name: float(i == action) for i, name in enumerate(ours.ACTIONS)}}


def entering(game: cp.GameTree) -> Floats:
    """What each augmented infoset of P2 before P1's decision gets from each action of P1, times chance: V."""
    table = game.histories
    ends = np.flatnonzero(table.player == cp.TERMINAL)
    names, known = np.unique(table.info[1][table.parent[ends]], return_inverse=True)
    values = np.zeros((len(names), len(ours.ACTIONS)))
    np.add.at(values, (known, table.action[ends]), -table.utility[ends] * table.reach[ends])
    return values


def whole(game: cp.GameTree) -> Floats:
    """P1's utility from each of its actions against each pure strategy of P2 from the root."""
    infosets = witness.infosets(game.rules, 1)
    rows = []
    for chosen in product(*infosets.values()):
        played = zip(infosets.items(), chosen, strict=True)
        theirs = {text: {name: float(name == one) for name in names} for (text, names), one in played}
        rows.append([witness.expected(game.rules, pure(a), theirs) for a in range(len(ours.ACTIONS))])
    return np.array(rows)


@cache
def tables(spec: str) -> dict[str, Gadget]:
    """The three gadgets at P1's decision, resolved from the safe action "1"."""
    game = cp.load(spec)
    follow = entering(game)
    alternative = np.repeat(follow[:, :1], len(ours.ACTIONS), axis=1)
    return {
        "full": [whole(game)],
        "resolving": [np.array([-stay, -go]) for stay, go in zip(alternative, follow, strict=True)],
        "max-margin": [alternative - follow],
    }


def charge(gadget: Gadget, x: Floats) -> float:
    """What the gadget says that playing x costs."""
    return -sum(float((table @ x).min()) for table in gadget)


def most(gadget: Gadget, p: float, actions: Sequence[int]) -> float:
    """The largest probability of these actions together in any optimum of p * gain + (1 - p) * g."""
    n, m = len(ours.ACTIONS), len(gadget)
    below = np.zeros((sum(map(len, gadget)), n + m))  # the worth of each table is at most each of its rows
    below[:, :n] = -np.concatenate(gadget)
    below[np.arange(len(below)), n + np.repeat(np.arange(m), [len(table) for table in gadget])] = 1.0
    worth = np.concatenate([p * np.array(ours.GAINS), np.full(m, 1.0 - p)])
    once = np.concatenate([np.ones(n), np.zeros(m)])[None]
    low = np.where(np.arange(n + m) < n, 0.0, -100.0)
    best = minimise(-worth, below, np.zeros(len(below)), once, [1.0], low)[0]
    wanted = np.isin(np.arange(n + m), actions).astype(float)
    limits = np.append(np.zeros(len(below)), best + 1e-9)
    return -minimise(-wanted, np.vstack([below, -worth]), limits, once, [1.0], low)[0]


def others(action: int) -> list[int]:
    return [a for a in range(len(ours.ACTIONS)) if a != action]


def assert_all_five(gadget: Gadget) -> None:
    """Each action alone is the optimum inside its interval, and at a breakpoint the two beside it are, and no other."""
    for action, (low, high) in enumerate(pairwise(ours.SWITCHES)):
        for p in (low + 1e-3, 0.5 * (low + high), high - 1e-3):
            assert most(gadget, p, others(action)) == pytest.approx(0.0, abs=1e-5)
    for left, p in enumerate(ours.SWITCHES[1:-1]):
        assert most(gadget, p, [left]) == pytest.approx(1.0, abs=1e-5)
        assert most(gadget, p, [left + 1]) == pytest.approx(1.0, abs=1e-5)
        assert most(gadget, p, [a for a in others(left) if a != left + 1]) == pytest.approx(0.0, abs=1e-5)


@games
def test_gain_and_exploitability_of_each_action(game_of: GameOf, case: Case) -> None:
    game = game_of(case.spec)
    assert len(game.histories) == case.histories
    assert game.trees[0].labels.actions == [ours.ACTIONS]
    model = cp.Strategy.from_table(game.trees[1], case.model)
    for action, (gain, exploitability) in enumerate(zip(ours.GAINS, ours.EXPLOITABILITIES, strict=True)):
        measured = cp.evaluate(game, cp.Strategy.from_table(game.trees[0], pure(action)), model)
        assert measured.game_value == pytest.approx(0.0, abs=1e-9)
        assert measured.gain == pytest.approx(gain, abs=1e-9)
        assert measured.exploitability == pytest.approx(exploitability, abs=1e-9)
        assert witness.expected(game.rules, pure(action), case.model) == pytest.approx(gain, abs=1e-12)


@games
@pytest.mark.parametrize("action", range(5))
@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_rnr_plays_each_action_alone_on_its_interval(game_of: GameOf, case: Case, action: int, share: float) -> None:
    game = game_of(case.spec)
    model = cp.Strategy.from_table(game.trees[1], case.model)
    low, high = ours.SWITCHES[action : action + 2]
    answer = cp.respond(game, model, method="rnr", p=low + share * (high - low))
    assert answer.strategy.probabilities("reach in") == pytest.approx(pure(action)["reach in"], abs=1e-7)
    assert answer.gain == pytest.approx(ours.GAINS[action], abs=1e-6)
    assert answer.exploitability == pytest.approx(ours.EXPLOITABILITIES[action], abs=1e-6)


@games
def test_the_full_gadget_finds_all_five_actions(case: Case) -> None:
    assert_all_five(tables(case.spec)["full"])


@games
def test_the_wrong_gadget_finds_two_actions_only(case: Case) -> None:
    """No optimum, mixed ones included, gives the three middle actions any probability, whatever p is."""
    gadget = tables(case.spec)[case.wrong]
    assert [charge(gadget, x) for x in np.eye(5)] == pytest.approx(case.charged, abs=1e-12)
    for p in GRID:
        assert most(gadget, p, MIDDLE) == pytest.approx(0.0, abs=1e-5)
        if p < case.jump - 1e-9:
            assert most(gadget, p, [GREEDIEST]) == pytest.approx(0.0, abs=1e-5)
        if p > case.jump + 1e-9:
            assert most(gadget, p, [SAFEST]) == pytest.approx(0.0, abs=1e-5)
    for action in (SAFEST, GREEDIEST):
        assert most(gadget, case.jump, [action]) == pytest.approx(1.0, abs=1e-5)


@games
def test_scaling_the_wrong_gadget_brings_no_action_back(case: Case) -> None:
    """As normalising chance would: the five rooms of the first game are then weighed by 1 in place of 1/5."""
    gadget = [5.0 * table for table in tables(case.spec)[case.wrong]]
    assert max(most(gadget, p, MIDDLE) for p in GRID) == pytest.approx(0.0, abs=1e-5)


@games
def test_the_other_gadget_is_right(case: Case) -> None:
    """It charges what the full gadget does for every mixed action, and so finds all five."""
    right, full = tables(case.spec)[case.right], tables(case.spec)["full"]
    for x in np.random.default_rng(4).dirichlet(np.ones(5), 100):
        assert charge(right, x) == pytest.approx(charge(full, x), abs=1e-12)
        assert charge(full, x) == pytest.approx(x @ ours.EXPLOITABILITIES, abs=1e-12)
    assert_all_five(right)


@games
def test_the_librarys_cuts_charge_the_same(game_of: GameOf, case: Case) -> None:
    game = game_of(case.spec)
    safe = cp.Strategy.from_table(game.trees[0], pure(SAFEST))
    piece = cut(game, [int(game.public[0][game.histories.info[0][game.histories.player == 0][0]])], 0)
    values = alternative_values(piece, safe)
    assert values == pytest.approx(np.zeros(piece.size), abs=1e-12)
    made = {
        "full": full_entry(piece.size),
        "resolving": resolving_entry(values),
        "max-margin": max_margin_entry(values),
    }
    for name, entry in made.items():
        problem = build_gadget_game(piece, entry, safe.plan)
        for x in [*np.eye(5), *np.random.default_rng(5).dirichlet(np.ones(5), 10)]:
            mixed = cp.Strategy.from_table(game.trees[0], {"reach in": dict(zip(ours.ACTIONS, x, strict=True))})
            inside = problem.taken(0, mixed.behaviour)
            plan = problem.subgame.restrictions[0].played(problem.subgame.trees[0], inside)
            lost = best_response(problem.subgame, 1, plan).value
            assert lost == pytest.approx(charge(tables(case.spec)[name], x), abs=1e-9)


def test_max_margin_exceeds_the_promised_exploitability() -> None:
    """Milec et al. 2024, theorem 5.3: exploitability at most gain * p / (1 - p); max-margin returns "5" from p = 1/6 on."""
    for p in (0.17, 0.3, 0.49):
        assert most(tables(MARGIN.spec)["max-margin"], p, others(GREEDIEST)) == pytest.approx(0.0, abs=1e-5)
        assert ours.EXPLOITABILITIES[GREEDIEST] > ours.GAINS[GREEDIEST] * p / (1.0 - p)
