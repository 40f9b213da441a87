"""Techniques of nested solving against each other in games too large to solve every public state of.

A walk goes down the public states from the root. At each, every technique that comes there against some other with at least
a given probability solves its decision; from the first that it comes to less often on, it plays the strategy that the value
function is made of. What two such players win from each other is computed by their reach of each history, and not sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from time import process_time
from typing import Any

import numpy as np

from counterplay import CHANCE, TERMINAL, GameTree, Stop
from counterplay.arrays import F64, I64, Flags
from counterplay.gametree.compile.children import children_of
from counterplay.lookahead.search import Search
from counterplay.work.work import WorkRecipe
from counterplay_papers.cells.ggse_cells import TECHNIQUES
from counterplay_papers.cells.model_cells import game
from counterplay_papers.cells.nested_solving import NestedGame, interval, nested_look, portfolio, worst_results
from counterplay_papers.cells.public_walk import WalkingPlayer, WholePortfolio


@dataclass(frozen=True)
class MatchGame(NestedGame):
    """A larger game.

    Attributes:
        parts: pieces of a value function, between which the first public events are shared out.
        least: the probability from which on a public state is solved.
        iterations: of each look-ahead.
        solver: of each look-ahead.
    """

    parts: int
    least: float
    iterations: int
    solver: str = "cfr+"


@dataclass(frozen=True)
class MatchWork(WorkRecipe):
    """All techniques against all, for several value functions.

    Attributes:
        games: see there.
        value_functions: their number.
    """

    games: tuple[MatchGame, ...]
    value_functions: int

    def identity(self) -> Mapping[str, Any]:
        """Everything but the number of value functions, each of which has pieces of its own."""
        return {"nested matches": [[one.spec, one.parts, one.least, one.iterations, one.solver] for one in self.games]}

    def keys(self) -> Sequence[str]:
        numbers = range(self.value_functions)
        return [key for one in self.games for number in numbers for key in self.keys_of(one, number)]

    def keys_of(self, one: MatchGame, number: int) -> list[str]:
        """The pieces of a value function."""
        return [f"{one.name} | value function {number} | part {part}" for part in range(one.parts)]

    def compute(self, key: str) -> dict[str, Any]:
        """`wins`, `unsolved`, `solved` and `gap` of a `PublicWalk`, and `seconds` of CPU."""
        name, number, part = key.split(" | ")
        one = next(one for one in self.games if one.name == name)
        begin = process_time()
        walk = PublicWalk(one, whole_portfolio(one.spec, int(number.split()[-1])))
        walk.play(int(part.split()[-1]))
        seconds = process_time() - begin
        return {
            "wins": walk.wins, "unsolved": walk.unsolved, "solved": walk.solved, "gap": walk.gap, "seconds": seconds
        }  # fmt: skip


@lru_cache(maxsize=1)
def whole_portfolio(spec: str, number: int) -> WholePortfolio:
    """A value function, with its strategies in the whole game."""
    tree, texts = game(spec), portfolio(number)
    own = tuple(texts.strategies(tree, player) for player in (0, 1))
    return WholePortfolio((own[0], own[1]), whole=tree)


class PublicWalk:
    """A walk through a game.

    Args:
        one: the game.
        values: the value function; the first strategies of its players are the base.
        searches: those of the techniques, if not as in the experiment.
        player: makes a `WalkingPlayer` of the game, a seat and a search.

    Attributes:
        wins: (techniques, techniques) what player 0 by the row wins from player 1 by the column, in chips.
        unsolved: likewise the probability that one of them comes where they play the base.
        solved: number of look-aheads.
        gap: the largest gap of their solutions, in chips.
    """

    def __init__(
        self,
        one: MatchGame,
        values: WholePortfolio,
        searches: Sequence[Search] | None = None,
        player: Callable[[GameTree, int, Search], WalkingPlayer] = WalkingPlayer,
    ) -> None:
        self._one, self._values, self._whole, self._player = one, values, values.whole, player
        self._searches = searches or [
            Search(nested_look(name, values), solver=one.solver, stop=Stop(iterations=one.iterations))
            for name in TECHNIQUES
        ]
        self._base = [values.strategies(values.whole, player)[0].behaviour for player in (0, 1)]
        many = len(TECHNIQUES)
        self.wins, self.unsolved = np.zeros((many, many)), np.zeros((many, many))
        self.solved, self.gap = 0, 0.0

    def play(self, part: int | None) -> None:
        """Walk down one part of the game, of `MatchGame.parts`, or down all of it.

        Raises:
            KeyboardInterrupt: a solve was cut short.
        """
        ones = np.ones((len(TECHNIQUES), 1))
        first, second = ([self._player(self._whole, seat, search) for search in self._searches] for seat in (0, 1))
        self._visit(_Spot(np.zeros(1, np.int64), (ones, ones), ([*first], [*second])), part)

    def _visit(self, spot: _Spot, part: int | None) -> None:
        table, counts = self._whole.histories, part in (None, 0)
        mass = spot.mass(table.reach)
        alive = [np.array([one is not None for one in own]) for own in spot.players]
        if mass.max() < self._one.least or not (alive[0].any() or alive[1].any()):
            if counts:
                self.unsolved += mass * np.outer(*alive)
                self._count(spot, self._values.between(self._whole, spot.histories)[:, 0, 0])
            return
        mover = int(table.player[spot.histories[0]])
        if mover != CHANCE and self._chooses(mover, spot.histories):
            self._solve(spot, mover, mass)
        below = self._below(spot, mover)
        over = table.player[below.histories] == TERMINAL
        if counts:
            end = below.only(over)
            self._count(end, table.utility[end.histories])
        rest = below.only(~over)
        public = self._whole.public[0][table.info[0][rest.histories]]
        states = np.unique(public)
        for number, state in enumerate(states.tolist()):
            if part is None or len(states) == 1 or number % self._one.parts == part:
                self._visit(rest.only(public == state).copied(), part if len(states) == 1 else None)

    def _chooses(self, player: int, histories: I64) -> bool:
        lanes = self._whole.lanes[player][self._whole.histories.info[player][histories]]
        return bool((lanes >= 0).any())

    def _solve(self, spot: _Spot, mover: int, mass: F64) -> None:
        """Solve the decision for all techniques that come there often enough; the others play the base from here on."""
        own, other = spot.players[mover], spot.players[1 - mover]
        often = mass.max(axis=1 - mover) >= self._one.least
        for number, player in enumerate(own):
            if player is None:
                continue
            if often[number]:
                self.gap = max(self.gap, player.solve(spot.histories))
                self.solved += 1
                continue
            own[number] = None
            left = (number, slice(None)) if mover == 0 else (slice(None), number)
            self.unsolved[left] += mass[left] * [one is not None for one in other]

    def _below(self, spot: _Spot, mover: int) -> _Spot:
        """All children."""
        children = children_of(self._whole)
        below = children.of_all(spot.histories)
        counts = np.diff(children.start)[spot.histories]
        up = np.repeat(np.arange(len(counts)), counts)
        action = np.arange(len(below)) - np.repeat(np.cumsum(counts) - counts, counts)
        reach = [own[:, up] for own in spot.reach]
        if mover != CHANCE and self._chooses(mover, spot.histories):
            base = self._base_odds(mover, below, spot.histories[up])
            for number, player in enumerate(spot.players[mover]):
                reach[mover][number] *= base if player is None else player.odds(spot.histories[up], action)
        return _Spot(below, (reach[0], reach[1]), spot.players)

    def _base_odds(self, player: int, below: I64, above: I64) -> F64:
        """(n,) of the steps from histories (n,) to those below."""
        choosing = self._whole.lanes[player][self._whole.histories.info[player][above]] >= 0
        return np.where(choosing, self._base[player][self._whole.sequences[player][below]], 1.0)

    def _count(self, spot: _Spot, chips: F64) -> None:
        weight = self._whole.histories.reach[spot.histories] * chips
        self.wins += (spot.reach[0] * weight) @ spot.reach[1].T


@dataclass(frozen=True, eq=False)
class _Spot:
    """Histories of a walk.

    Attributes:
        histories: (n,) of the whole game.
        reach: two (techniques, n), each technique's own probability of coming there in a seat.
        players: of both seats, for each technique; None from where it plays the base on.
    """

    histories: I64
    reach: tuple[F64, F64]
    players: tuple[list[WalkingPlayer | None], list[WalkingPlayer | None]]

    def mass(self, chance: F64) -> F64:
        """(techniques, techniques) the probability that a pair comes there."""
        return np.asarray((self.reach[0] * chance[self.histories]) @ self.reach[1].T)

    def only(self, which: Flags) -> _Spot:
        """Some of the histories."""
        return _Spot(self.histories[which], (self.reach[0][:, which], self.reach[1][:, which]), self.players)

    def copied(self) -> _Spot:
        """The same with players of their own."""
        first, second = ([one and one.copy() for one in own] for own in self.players)
        return _Spot(self.histories, self.reach, (first, second))


@dataclass(frozen=True)
class MatchResults:
    """What techniques win from each other, over value functions.

    Attributes:
        wins: chips of player 0 for each pair of techniques, of seats 0 and 1.
        worst: of each technique, the mean of both seats against the one that wins most from it, in chips.
        margins: half of the 95 % interval of each `worst`, over value functions; 0 for a single one.
        unsolved: the largest probability, over pairs, that one of them comes where they play the base.
        solved: look-aheads of a value function.
        gap: the largest gap of a solution, in chips.
        seconds: of CPU of a value function.
    """

    wins: Mapping[tuple[str, str], float]
    worst: Mapping[str, float]
    margins: Mapping[str, float]
    unsolved: float
    solved: float
    gap: float
    seconds: float


def match_results(pieces: Sequence[Sequence[Mapping[str, Any]]]) -> MatchResults:
    """The results of some value functions, each by the pieces of its parts."""
    each = [sum(np.asarray(part["wins"]) for part in parts) for parts in pieces]
    tables = [_pairs(one) for one in each]
    wins = {pair: fmean(one[pair] for one in tables) for pair in tables[0]}
    apart = [worst_results(one) for one in tables]
    margins = {name: interval([one[name] for one in apart]) for name in TECHNIQUES}
    unsolved = max(float(np.max(sum(np.asarray(part["unsolved"]) for part in parts))) for parts in pieces)
    solved, seconds = (fmean(sum(part[what] for part in parts) for parts in pieces) for what in ("solved", "seconds"))
    gap = max(float(part["gap"]) for parts in pieces for part in parts)
    return MatchResults(wins, worst_results(wins), margins, unsolved, solved, gap, seconds)


def _pairs(wins: Any) -> dict[tuple[str, str], float]:
    names = list(TECHNIQUES)
    return {(a, b): float(wins[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)}
