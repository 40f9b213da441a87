"""Solved values: the game below the limit, solved anew for every pair of ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from counterplay.arrays import F64, Flags
from counterplay.gadgets.gadget import unsafe_entry
from counterplay.gametree.compile.compile import GameTree
from counterplay.poker.subtrees.street_limit import StreetEnd, solves_beyond
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import CFR, CFR_PLUS, Minimiser, minimiser
from counterplay.subgames.cut import cut_below
from counterplay.subgames.cut_game import Border, CutGame, build_gadget_game
from counterplay.texts.readers import Whole
from counterplay.treeplex.sweeps import best
from counterplay.value_functions.leaf_value import Evaluate, LeafValue

EXACT_BY_LP = "lp"


@dataclass(frozen=True)
class SolvedValue(LeafValue):
    """A value function that solves the game below the border anew for every pair of ranges.

    The CFV of an infoset is its player's best-response value against the other's strategy: a supergradient of the
    value, also at infosets with range 0. Both players' claims sum to the gap of the solution, not to 0.

    Attributes:
        iterations: iterations of the minimiser; None solves exactly, by linear program.
    """

    iterations: int | None = None
    method: Minimiser = CFR_PLUS

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", minimiser(self.method))
        if self.iterations is not None:
            object.__setattr__(self, "iterations", _iterations(str(self.method), self.iterations))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """From `lp` or `METHOD:N`, with the minimiser's parameters before N. `cfr:N` runs CFR+, as the paper's
        imperfect value function of that name does; CFR itself is `cfr:inf,inf,0:N`."""
        if text == EXACT_BY_LP:
            return cls()
        method, _, number = text.rpartition(":")
        iterations = _iterations(method or text, number if method else "")
        return cls(iterations, CFR_PLUS if method == CFR.name else minimiser(method))

    def __str__(self) -> str:
        if self.iterations is None:
            return EXACT_BY_LP
        method = f"{CFR}:inf,inf,0" if self.method == CFR else str(self.method)
        return f"{method}:{self.iterations}"

    def at(self, border: Border | StreetEnd) -> Evaluate:
        """One problem for all public states of the border together, which are independent."""
        if isinstance(border, StreetEnd):
            beyond = solves_beyond(border)

            def evaluate_ranges(range0: F64, range1: F64) -> tuple[F64, F64]:
                beyond.enter(0, range0)
                beyond.enter(1, range1)
                plans = beyond.solve(self.method, self.iterations)
                return beyond.claim(0, plans), beyond.claim(1, plans)

            return evaluate_ranges
        # the game below a border, with both players' ranges there as fixed decisions
        game = border.game
        piece = cut_below(game, _flags(game, border), resolver=0)
        if len(piece.limit.histories):  # a game expanded on the way, here and there further than the border
            from counterplay.gametree.compile.load import to_the_end

            game = to_the_end(game, piece.limit.histories)
            piece = cut_below(game, _flags(game, border), resolver=0)
        ones = np.ones(game.trees[0].size), np.ones(game.trees[1].size)
        problem = build_gadget_game(piece, unsafe_entry(piece.size), *ones)
        subgame = problem.subgame
        first, second = subgame.restrictions

        def evaluate(range0: F64, range1: F64) -> tuple[F64, F64]:
            first.mix[problem.choices[0]], second.mix[problem.choices[1]] = range0, range1
            if self.iterations is None:
                plans = solve_lp(subgame).plans
            else:
                plans = solve_cfr(subgame, self.method, Stop(iterations=self.iterations), look=False).plans
            return _claim(problem, 0, plans[1]), _claim(problem, 1, plans[0])

        return evaluate


def _iterations(method: str, number: object) -> int:
    return Whole(least=1, digits=9).read(str(number), f"{method}: iterations below the limit")


def _flags(game: GameTree, border: Border) -> Flags:
    """(H,) whether each history of a game, which may have been expanded since, is in a border."""
    chosen = np.zeros(len(game.histories), np.bool_)
    chosen[border.histories] = True
    return chosen


def _claim(problem: CutGame, player: int, plan: F64) -> F64:
    """(size,) CFVs of a player's best response at each augmented infoset of the top."""
    tree = problem.subgame.trees[player]
    cfv = problem.subgame.leaves.product(player, plan)
    free = np.zeros(0)
    best(tree.arrays, free, free, cfv, np.zeros(tree.size))
    return np.asarray(cfv[problem.choices[player]], np.float64)
