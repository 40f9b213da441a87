"""Portfolios: both players' continuation strategies beyond the limit (Milec et al. 2025, section 2.3)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.games.game import LIMIT, TERMINAL
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import chance_odds, children_of, player_odds, sum_up
from counterplay.jit import kernel
from counterplay.leaves.matrix import MatrixValued
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.opponents.opponent import opponent
from counterplay.subgames.cut_game import Border
from counterplay.texts.grammar import cut, part_text, parts
from counterplay.texts.readers import Reader
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.leaf_value import LeafValue

PURE = "pure"
"""Stands for all pure strategies of a player."""
MOST = 10_000
"""The most pure strategies that are listed."""
WHOLE = 2**28
"""Most bytes of a table of values at every history of a game."""


@dataclass(frozen=True, kw_only=True)
class Sources(Reader):
    """Opponents' texts for both players, separated by `;`; those after a `|` are player 1's."""

    what: str = "at least one strategy of each player"
    example: str = "uniform;nash"
    behind: bool = True

    def read(self, word: str, where: str) -> Any:
        first, bar, second = cut(word, "|")
        mine, theirs = (tuple(one for one in parts(part, ";") if one) for part in (first, second))
        return self.checked((mine, theirs if bar else mine), where)

    def write(self, value: Any) -> str:
        texts = [[one if isinstance(one, str) else str(MODELS.record(one)) for one in side] for side in value]
        mine, theirs = (";".join(map(part_text, side)) for side in texts)
        return mine if mine == theirs else f"{mine}|{theirs}"

    @staticmethod
    def _source(source: Any) -> Any:
        has_text = isinstance(source, OpponentModel) and MODELS.parse(str(source)) == source
        return str(source) if has_text else source

    def checked(self, value: Any, where: str) -> Any:
        """Both players' strategies, with records as their texts where possible."""
        if isinstance(value, str):
            return self.read(value, where)
        if not (len(value) == 2 and all(isinstance(side, list | tuple) for side in value)):
            value = (value, value)
        sides = tuple(tuple(map(self._source, side)) for side in value)
        if not all(sides):
            raise InputError(f"'{self.write(sides)}': a portfolio needs at least one strategy of each player")
        return sides


@dataclass(frozen=True)
class Portfolio(LeafValue):
    """A value function by matrix-valued states: at the limit each player chooses one of their continuation strategies;
    the model continues as the model. Exact: the whole tree is evaluated once for each pair.

    Attributes:
        sources: the strategies of each seat, or of both: texts, records, functions or strategies, as
            `opponents.opponent` takes them; `pure` stands for all pure strategies.
    """

    HEAD = "portfolio"
    sources: Annotated[tuple[Sequence[Any], Sequence[Any]], Sources()]
    _known: WeakKeyDictionary[GameTree, Any] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )
    _models: WeakKeyDictionary[Strategy, Any] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )

    def __getstate__(self) -> dict[str, Any]:
        """The record, without what was computed."""
        return {name: value for name, value in vars(self).items() if name not in ("_known", "_models")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in {**state, "_known": WeakKeyDictionary(), "_models": WeakKeyDictionary()}.items():
            object.__setattr__(self, name, value)

    @property
    def name(self) -> str:
        """The text, as on the command line; the bare word if a strategy has no text."""
        texts = all(isinstance(source, str) for side in self.sources for source in side)
        return str(self) if texts else self.HEAD

    def check(self) -> None:
        for source in (*self.sources[0], *self.sources[1]):
            if source != PURE:
                MODELS.record(source).check()

    def is_fixed(self, rules: Any) -> bool:
        return all(one == PURE or MODELS.record(one).is_fixed(rules) for side in self.sources for one in side)

    def strategies(self, game: Any, player: int) -> list[Strategy]:
        """The strategies of a player.

        Raises:
            InputError: a strategy is not of this game.
        """
        found: list[Strategy] = []
        for source in self.sources[player]:
            if source != PURE:
                found.append(opponent(game, source, player))
            elif not game.lists_histories:
                raise InputError(f"{game.name} has too many pure strategies for a portfolio of all of them")
            else:
                found += pure_strategies(game, player)
        return found

    def states(self, border: Border, resolver: int, model: Strategy | None, source: Any = None) -> MatrixValued:
        """The values of the continuations at a border, the limit of a look-ahead. The resolver's also meet the model of the
        other player, if any; source: the model's source, for a game that is only partly in memory.

        Raises:
            InputError: the game is only partly in memory.
        """
        del source  # the model's strategy is known everywhere
        chips = self.between(_whole(border.game, self.name), border.histories)
        return MatrixValued(chips, None if model is None else self.against(border, resolver, model).model)

    def between(self, game: GameTree, histories: I64) -> F64:
        """(n, K0, K1) chips of player 0 between the portfolio's own strategies, at histories (n,) of a whole game.

        Where the values of all histories would take more than `WHOLE` bytes, each branch is walked when it is asked for.
        """
        if game not in self._known:
            if 8 * len(game.histories) * len(self.sources[0]) * len(self.sources[1]) > WHOLE:
                self._known[game] = ContinuationWalks(game, self.strategies(game, 0), self.strategies(game, 1))
            else:
                mine, theirs = (self.strategies(game, player) for player in (0, 1))
                self._known[game] = np.stack(
                    [np.stack([expected_value(game, one, other) for other in theirs], -1) for one in mine], 1
                )
        known = self._known[game]
        return known.at(histories) if isinstance(known, ContinuationWalks) else np.asarray(known[histories])

    def against(self, border: Border, resolver: int, model: Strategy, source: Any = None) -> MatrixValued:
        """The values against the model alone: no pairs, only the model's column."""
        del source
        game = _whole(border.game, self.name)
        if model not in self._models:
            own = self.strategies(game, resolver)
            self._models[model] = np.stack([expected_value(game, *pair) for pair in pairs(own, model, resolver)], -1)
        return MatrixValued(np.zeros((len(border.histories), 0, 0)), self._models[model][border.histories])


def _whole(game: GameTree, name: str) -> GameTree:
    if (game.histories.player == LIMIT).any():
        raise InputError(f"{name} needs all of {game.name} in memory; sampled:N:... does not")
    return game


def pairs(own: Sequence[Any], other: Any, player: int) -> list[tuple[Any, Any]]:
    """Each of a player's strategies with the other player's, in the order of the seats."""
    return [(one, other) if player == 0 else (other, one) for one in own]


def expected_value(game: GameTree, first: Strategy, second: Strategy) -> F64:
    """(H,) chips of player 0 from each history on, if the players continue by these strategies."""
    table, odds = game.histories, chance_odds(game)
    for strategy in (first, second):
        odds *= player_odds(game, strategy.player, strategy.behaviour)
    worth = np.where(table.player == TERMINAL, table.utility, 0.0)
    sum_up(table.parent, np.ones(len(table), np.bool_), odds, worth)
    return worth


def pure_strategies(game: GameTree, player: int) -> list[Strategy]:
    """One strategy for each choice of an action at every infoset."""
    tree = game.trees[player]
    first, stride, counts = tree.lane_sequences
    lanes = np.flatnonzero(counts)
    total = float(np.prod(counts[lanes], dtype=float))
    if total > MOST:
        raise InputError(f"player {player} has {total:.3g} pure strategies in {game.name}, more than {MOST:,}")
    found = []
    for choice in itertools.product(*(range(counts[lane]) for lane in lanes)):
        behaviour = np.zeros(tree.size)
        behaviour[[0, *(first[lanes] + np.array(choice, np.int64) * stride[lanes])]] = 1.0
        found.append(Strategy(tree, behaviour, {"method": "pure"}))
    return found


_FORCED = 2
"""Stands for chance and for players without a choice, whose step has one probability whatever the strategies."""


class ContinuationWalks:
    """The branches of a whole game under all pairs of two lists of strategies, of players 0 and 1.

    The values of all pairs of ten strategies at every history of a game take 800 bytes a history: 38 GB in Goofspiel 7. A
    branch needs one such block a level: it is walked once, and only the values at its top are kept.
    """

    def __init__(self, game: GameTree, first: Sequence[Strategy], second: Sequence[Strategy]) -> None:
        self._game, self._children = game, children_of(game)
        self._odds = tuple(
            np.ascontiguousarray(np.stack([one.behaviour for one in own], -1)) for own in (first, second)
        )
        table, choosing = game.histories, np.full(len(game.histories), _FORCED, np.int8)
        for player in (0, 1):
            here = np.flatnonzero(table.player == player)
            choosing[here[game.lanes[player][table.info[player][here]] >= 0]] = player
        self._choosing, self._chance = choosing, chance_odds(game)

    def at(self, histories: I64) -> F64:
        """(n, K0, K1) chips of player 0 at histories (n,), if the players go on by strategies k and l."""
        game, children = self._game, self._children
        out = np.zeros((len(histories), self._odds[0].shape[1], self._odds[1].shape[1]))
        tree = (children.start, children.members, self._choosing, *game.sequences)
        _walk(*tree, self._chance, *self._odds, game.histories.utility, np.asarray(histories, np.int64), out)
        return out


@kernel(allocates=True)
def _walk(
    start: Any,
    members: Any,
    choosing: Any,
    place0: Any,
    place1: Any,
    chance: Any,
    odds0: Any,
    odds1: Any,
    utility: Any,
    which: Any,
    out: Any,
) -> None:
    """Depth first: `worth[d]` sums what lies below `path[d]`, whose next child is `following[d]`."""
    rows, columns = odds0.shape[1], odds1.shape[1]
    path, following = np.zeros(1, np.int64), np.zeros(1, np.int64)
    worth = np.zeros((1, rows, columns))
    for i in range(len(which)):
        depth = 0
        path[0], following[0] = which[i], start[which[i]]
        worth[0] = 0.0
        if start[which[i]] == start[which[i] + 1]:
            out[i] = utility[which[i]]
            continue
        while depth >= 0:
            here = path[depth]
            if following[depth] == start[here + 1]:
                if depth > 0:
                    _add(choosing[path[depth - 1]], here, place0, place1, chance, odds0, odds1, worth, depth - 1)
                depth -= 1
                continue
            child = members[following[depth]]
            following[depth] += 1
            depth += 1
            if depth == len(path):
                path, following = _longer(path), _longer(following)
                deeper = np.zeros((2 * depth, rows, columns))
                for d in range(depth):
                    _copy(worth[d], deeper[d])
                worth = deeper
            path[depth], following[depth] = child, start[child]
            worth[depth] = utility[child] if start[child] == start[child + 1] else 0.0
        _copy(worth[0], out[i])


@kernel(inner=True, allocates=True)
def _longer(numbers: Any) -> Any:
    found = np.zeros(2 * len(numbers), np.int64)
    for k in range(len(numbers)):
        found[k] = numbers[k]
    return found


@kernel(inner=True)
def _copy(numbers: Any, out: Any) -> None:
    """Copy a matrix number by number: for arrays of any shapes the compiler adds a second for the words of an error."""
    for k in range(numbers.shape[0]):
        for j in range(numbers.shape[1]):
            out[k, j] = numbers[k, j]


@kernel(inner=True)
def _add(
    mover: Any, child: Any, place0: Any, place1: Any, chance: Any, odds0: Any, odds1: Any, worth: Any, depth: Any
) -> None:
    """Add a child's block, times the probability of the step to it under each pair, to its parent's."""
    above, below = worth[depth], worth[depth + 1]
    rows, columns = above.shape
    if mover == 0:
        for k in range(rows):
            weight = odds0[place0[child], k]
            for j in range(columns):
                above[k, j] += weight * below[k, j]
    elif mover == 1:
        own = odds1[place1[child]]
        for k in range(rows):
            for j in range(columns):
                above[k, j] += own[j] * below[k, j]
    else:
        for k in range(rows):
            for j in range(columns):
                above[k, j] += chance[child] * below[k, j]
