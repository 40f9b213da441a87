"""Value functions: what is said of the game below the limit of a look-ahead.

A value function is prepared for the border at which a look-ahead stops, and then asked many times: both players' ranges in,
both players' CFVs out. A range is what a player's plan gives to each own augmented infoset of the border; a CFV is chips of
its player times chance's and the other's reach, so that range · CFV, summed, is the player's value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError, reason
from counterplay.gametree.compile.compile import GameTree
from counterplay.poker.subtrees.street_limit import Below, StreetEnd
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.equilibrium import solve_lp
from counterplay.solvers.minimiser import CFR_PLUS, Minimiser
from counterplay.subgames.cut import Border, cut_below
from counterplay.subgames.gadget_entry import build_gadget_game
from counterplay.subgames.gadget_game import CutGame
from counterplay.subgames.gadgets.unsafe import unsafe_entry
from counterplay.treeplex.sweeps import best

Floats = NDArray[np.float64]
Evaluate = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Ranges of players 0 and 1 at a border in, CFVs of both out; arrays of the border's sizes."""


@runtime_checkable
class ValueFunction(Protocol):
    """What stands behind the limit of a look-ahead."""

    @property
    def name(self) -> str:
        """As on the command line."""

    def at(self, border: Any) -> Evaluate:
        """Prepare it for a border: a `subgames.cut.Border`, or in spots of hold'em a
        `poker.subtrees.street_limit.StreetEnd`."""


@runtime_checkable
class EstimatedValue(Protocol):
    """A value function that knows each history's worth whatever the ranges: a heuristic. It is linear, so that it serves the
    linear program too."""

    @property
    def name(self) -> str:
        """As on the command line."""

    def chips(self, border: Border) -> Floats:
        """(n,) chips of player 0 at each history of a border."""


@dataclass(frozen=True)
class SolvedValue:
    """Solves what lies below the border anew for every pair of ranges.

    The CFV of an infoset is what its player gets by a best response to the other's strategy: that is a supergradient of the
    value, also at infosets with range 0, and what both players claim together exceeds 0 by the gap of the solution.

    Attributes:
        iterations: of the minimiser; None solves exactly, by linear program.
        method: the minimiser.
    """

    iterations: int | None = None
    method: Minimiser = CFR_PLUS

    @property
    def name(self) -> str:
        return "lp" if self.iterations is None else f"{self.method.name}:{self.iterations}"

    def at(self, border: Border | StreetEnd) -> Evaluate:
        """One problem for all public states of the border together: they do not touch each other."""
        if isinstance(border, StreetEnd):
            return self._on_ranges(border.below())
        problem = _below(border)
        subgame = problem.subgame
        first, second = subgame.restrictions

        def evaluate(range0: Floats, range1: Floats) -> tuple[Floats, Floats]:
            first.mix[problem.choices[0]], second.mix[problem.choices[1]] = range0, range1
            plans = self._plans(subgame)
            return _claim(problem, 0, plans[1]), _claim(problem, 1, plans[0])

        return evaluate

    def _on_ranges(self, below: Below) -> Evaluate:
        """The same in a spot of hold'em."""

        def evaluate(range0: Floats, range1: Floats) -> tuple[Floats, Floats]:
            below.enter(0, range0)
            below.enter(1, range1)
            plans = self._plans(below.subgame)
            return below.claim(0, plans[1]), below.claim(1, plans[0])

        return evaluate

    def _plans(self, subgame: Subgame) -> tuple[Floats, Floats]:
        if self.iterations is None:
            return solve_lp(subgame).plans
        return solve_cfr(subgame, self.method, Stop(iterations=self.iterations), look=False).plans


def _below(border: Border) -> CutGame:
    """Everything below a border, each player's range there a decision that is made already."""
    game = border.game
    piece = cut_below(game, _flags(game, border), resolver=0)
    if len(piece.limit.histories):  # a game expanded on the way, here and there further than the border
        from counterplay.gametree.compile.partial_game import to_the_end

        game = to_the_end(game, piece.limit.histories)
        piece = cut_below(game, _flags(game, border), resolver=0)
    ones = np.ones(game.trees[0].size), np.ones(game.trees[1].size)
    return build_gadget_game(piece, unsafe_entry(piece.size), *ones)


def _flags(game: GameTree, border: Border) -> NDArray[np.bool_]:
    """(H,) which histories of a game, perhaps expanded since, are those of a border."""
    chosen = np.zeros(len(game.histories), np.bool_)
    chosen[border.histories] = True
    return chosen


def _claim(problem: CutGame, player: int, plan: Floats) -> Floats:
    """(size,) CFVs of a player's best response at each augmented infoset of the top."""
    tree = problem.subgame.trees[player]
    cfv = problem.subgame.leaves.product(player, plan)
    free = np.zeros(0)
    best(tree.arrays, free, free, cfv, np.zeros(tree.size))
    return np.asarray(cfv[problem.choices[player]], np.float64)


@dataclass(frozen=True, eq=False)
class Heuristic:
    """A function of the user's from a state to chips of player 0."""

    function: Callable[[Any], float]
    name: str = "heuristic"

    def chips(self, border: Border) -> Floats:
        """Asks the function for each history.

        Raises:
            InputError: it fails, or returns no number.
        """
        out = np.zeros(len(border.histories))
        for i, history in enumerate(border.histories.tolist()):
            try:
                out[i] = float(self.function(border.game.state(history)))
            except Exception as error:
                raise InputError(f"the value function {self.name} failed: {reason(error)}") from None
        if not np.isfinite(out).all():
            raise InputError(f"the value function {self.name} returned something that is no number")
        return out


@dataclass(frozen=True)
class Rollouts:
    """The mean of random games from each history on, both players uniform; for games written as rules."""

    samples: int
    seed: int = 0

    @property
    def name(self) -> str:
        return f"rollout:{self.samples},{self.seed}" if self.seed else f"rollout:{self.samples}"

    def chips(self, border: Border) -> Floats:
        """(n,) means; equal seeds give equal means."""
        from counterplay.games.kernel_rules import FastGame
        from counterplay.gametree.build.partial_tree import rollouts, states_at

        rules = border.game.rules
        if not isinstance(rules, FastGame):
            raise InputError(f"{self.name} plays games that are written as rules, not {border.game.name}")
        states = states_at(rules, border.game.histories, border.histories)
        return np.asarray(rollouts(rules, states, self.samples, self.seed)[0], np.float64)


def linear(border: Border, chips: Floats) -> Evaluate:
    """An estimate as a value function of two ranges."""
    weight = border.chance * chips
    known0, known1 = border.known
    size0, size1 = border.sizes

    def evaluate(range0: Floats, range1: Floats) -> tuple[Floats, Floats]:
        return (
            np.bincount(known0, weight * range1[known1], size0).astype(np.float64),
            np.bincount(known1, -weight * range0[known0], size1).astype(np.float64),
        )

    return evaluate
