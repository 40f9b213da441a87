"""Portfolios: the strategies by which both players may go on behind the limit of a look-ahead (ABD paper, section 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.games.game import LIMIT, TERMINAL
from counterplay.leaves.states import States
from counterplay.opponents.opponent import opponent
from counterplay.subgames.compile import GameTree
from counterplay.subgames.cut import Border
from counterplay.subgames.expectation import chance_odds, player_odds, sum_up
from counterplay.treeplex.strategy import Strategy

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Portfolio:
    """A value function by matrix-valued states: at the limit each player chooses one of its strategies for the rest, the
    model goes on as the model. Exact, by evaluating the whole tree once for each pair.

    Attributes:
        sources: what makes the strategies of each seat: texts, functions or strategies, as `opponents.opponent` takes them.
        name: as on the command line.
    """

    sources: tuple[Sequence[Any], Sequence[Any]]
    name: str = "portfolio"
    _known: WeakKeyDictionary[GameTree, Floats] = field(default_factory=WeakKeyDictionary, repr=False)
    _models: WeakKeyDictionary[Strategy, Floats] = field(default_factory=WeakKeyDictionary, repr=False)

    def __post_init__(self) -> None:
        if not all(self.sources):
            raise InputError("a portfolio needs at least one strategy of each player")

    @staticmethod
    def of(texts: Sequence[str], name: str) -> Portfolio:
        """The portfolio of these opponents' texts, the same for both players."""
        return Portfolio((tuple(texts), tuple(texts)), name)

    def strategies(self, game: GameTree, player: int) -> list[Strategy]:
        """A player's strategies.

        Raises:
            InputError: one is none of this game.
        """
        return [opponent(game, source, player) for source in self.sources[player]]

    def states(self, border: Border, resolver: int, model: Strategy | None) -> States:
        """What the continuations are worth at a border.

        Args:
            border: where the look-ahead stops.
            resolver: whose continuations meet the model's.
            model: of the other player; None for none.

        Raises:
            InputError: the game is not in memory as a whole.
        """
        game = border.game
        if (game.histories.player == LIMIT).any():
            raise InputError(f"{self.name} needs all of {game.name} in memory")
        if game not in self._known:
            mine, theirs = (self.strategies(game, player) for player in (0, 1))
            self._known[game] = np.stack([np.stack([expected(game, a, b) for b in theirs], -1) for a in mine], 1)
        if model is None:
            return States(self._known[game][border.histories])
        if model not in self._models:
            own = self.strategies(game, resolver)
            pairs = [(one, model) if resolver == 0 else (model, one) for one in own]
            self._models[model] = np.stack([expected(game, *pair) for pair in pairs], -1)
        return States(self._known[game][border.histories], self._models[model][border.histories])


def expected(game: GameTree, first: Strategy, second: Strategy) -> Floats:
    """(H,) chips of player 0 from each history on, if the players go on by these strategies."""
    table, odds = game.histories, chance_odds(game)
    for strategy in (first, second):
        odds *= player_odds(game, strategy.player, strategy.behaviour)
    worth = np.where(table.player == TERMINAL, table.utility, 0.0)
    sum_up(table.parent, np.ones(len(table), np.bool_), odds, worth)
    return worth
