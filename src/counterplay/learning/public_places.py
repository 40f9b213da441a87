"""Public states of a game that need not be in memory, along drawn paths, with the game below, or a look-ahead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I32, I64
from counterplay.gadgets.gadget import unsafe_entry
from counterplay.games.game import LIMIT
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import Depth
from counterplay.gametree.compile.partial_game import END, expand_within, only_root
from counterplay.gametree.table.histories import TooLargeError
from counterplay.lookahead.step import value_leaves
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import CFR_PLUS
from counterplay.subgames.cut import cut_below
from counterplay.subgames.cut_game import CutGame, build_gadget_game
from counterplay.subgames.cut_shape import Border
from counterplay.treeplex.sweeps import best
from counterplay.value_functions.leaf_value import Evaluate, ValueFunction

_PATH = 20_000_000
"""Histories by which a step along a path may grow the game."""


class PublicPlace(NamedTuple):
    """A public state of a partly expanded game.

    Attributes:
        border: its histories.
        beside: it and its siblings at which look-aheads of the depth stop, which are not expanded; None if they do not
            stop there.
    """

    border: Border
    beside: Border | None


def drawn_places(rules: FastGame, depth: Depth, rng: np.random.Generator) -> Iterator[PublicPlace]:
    """The public states of one drawn path, from the root on; each next one is drawn evenly."""
    game, fresh, chosen, before = only_root(rules), np.zeros(1, np.int64), np.zeros(1, np.int64), 0
    while True:
        clock = depth.whole_clock(game)
        stop = fresh[clock[fresh] > max(before, depth.span)]
        beside = Border.at(game, stop) if np.isin(chosen, stop).all() else None
        yield PublicPlace(Border.at(game, chosen), beside)
        old, before = len(game.histories), int(clock[chosen].min())
        game = expand_within(game, chosen, 1, _PATH)
        fresh = old + np.flatnonzero(game.histories.player[old:] == LIMIT)
        if not len(fresh):
            return
        states = game.public[0][game.histories.info[0][fresh]]
        chosen = fresh[states == rng.choice(np.unique(states))]


def whole_below(border: Border, most: int) -> Border | None:
    """The border in its game with all that follows; None if that is more than `most` histories."""
    try:
        game = expand_within(border.game, border.histories, END, most)
    except TooLargeError:
        return None
    return Border.at(game, border.histories)


@dataclass(frozen=True, eq=False)
class PublicLookAhead:
    """A look-ahead from a public state, at which both players' ranges are given.

    Attributes:
        problem: its game down to the limit.
        iterations: of CFR+.
    """

    problem: CutGame
    iterations: int

    @staticmethod
    def below(border: Border, depth: Depth, most: int, iterations: int) -> PublicLookAhead:
        """As a player's look-ahead who decides there.

        Raises:
            TooLargeError: it has more than `most` histories.
        """
        until = int(depth.clock(border.game)[border.histories].max()) + depth.span
        game = _expanded(border.game, border.histories, depth, until, most)
        chosen = np.zeros(len(game.histories), np.bool_)
        chosen[border.histories] = True
        piece, (mine, theirs) = cut_below(game, chosen, resolver=0), [np.ones(tree.size) for tree in game.trees]
        return PublicLookAhead(build_gadget_game(piece, unsafe_entry(piece.size), mine, theirs), iterations)

    @property
    def limit(self) -> Border:
        """Where it stops; it may see to the end."""
        return self.problem.piece.limit

    def over(self, value: ValueFunction) -> Evaluate:
        """CFVs of both players' best responses at the public state, (size,) each, by ranges there."""
        problem = self.problem
        subgame = problem.subgame
        if len(self.limit.histories):
            subgame = replace(subgame, beyond=value_leaves(problem, value.at(self.limit)))
        first, second = subgame.restrictions

        def evaluate(range0: F64, range1: F64) -> tuple[F64, F64]:
            first.mix[problem.choices[0]], second.mix[problem.choices[1]] = range0, range1
            plans = solve_cfr(subgame, CFR_PLUS, Stop(iterations=self.iterations), look=False).plans
            further = subgame.beyond(*plans) if subgame.beyond else (0.0, 0.0)
            claims = [_claim(subgame, i, plans[1 - i], further[i], problem.choices[i]) for i in (0, 1)]
            return claims[0], claims[1]

        return evaluate


def _claim(subgame: Subgame, player: int, plan: F64, further: F64 | float, choices: I32) -> F64:
    tree, free = subgame.trees[player], np.zeros(0)
    cfv = subgame.leaves.product(player, plan) + further
    best(tree.arrays, free, free, cfv, np.zeros(tree.size))
    return np.asarray(cfv[choices], np.float64)


def _expanded(game: GameTree, which: I64, depth: Depth, until: int, most: int) -> GameTree:
    """The game with everything below some histories whose clock is at most `until`."""
    room = len(game.histories) + most
    while True:
        clock = depth.clock(game)[which]
        which = which[clock <= until]
        if not len(which):
            return game
        now = which[depth.clock(game)[which] == clock.min()]
        levels, old = until + 1 - int(clock.min()) if depth.levels else 1, len(game.histories)
        game = expand_within(game, now, levels, room - old)
        fresh = old + np.flatnonzero(game.histories.player[old:] == LIMIT)
        which = np.concatenate([np.setdiff1d(which, now), fresh])
