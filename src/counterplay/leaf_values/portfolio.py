"""Portfolios: the strategies by which both players may go on behind the limit of a look-ahead (ABD paper, section 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.games.game import LIMIT, TERMINAL
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import chance_odds, player_odds, sum_up
from counterplay.leaves.matrix_valued import MatrixValued
from counterplay.opponents.opponent import opponent
from counterplay.opponents.pure_strategies import pure_strategies
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.subgames.cut_shape import Border
from counterplay.treeplex.strategy import Strategy

Floats = NDArray[np.float64]
PURE = "pure"
"""Stands for all pure strategies of a player."""


@dataclass(frozen=True, eq=False)
class Portfolio:
    """A value function by matrix-valued states: at the limit each player chooses one of its strategies for the rest, the
    model goes on as the model. Exact, by evaluating the whole tree once for each pair.

    Attributes:
        sources: what makes the strategies of each seat: texts, functions or strategies, as `opponents.opponent` takes them;
            `pure` stands for all pure strategies.
        name: as on the command line.
    """

    sources: tuple[Sequence[Any], Sequence[Any]]
    name: str = "portfolio"
    _known: WeakKeyDictionary[GameTree, Any] = field(default_factory=WeakKeyDictionary, repr=False)
    _models: WeakKeyDictionary[Strategy, Any] = field(default_factory=WeakKeyDictionary, repr=False)

    def __post_init__(self) -> None:
        if not all(self.sources):
            raise InputError(f"'{self.name}': a portfolio needs at least one strategy of each player")

    @staticmethod
    def of(texts: Sequence[str], name: str) -> Portfolio:
        """The portfolio of these opponents' texts, the same for both players."""
        return Portfolio((tuple(texts), tuple(texts)), name)

    def strategies(self, game: GameTree | SpotGame, player: int) -> list[Strategy]:
        """A player's strategies.

        Raises:
            InputError: one is none of this game.
        """
        found: list[Strategy] = []
        for source in self.sources[player]:
            if source != PURE:
                found.append(opponent(game, source, player))
            elif isinstance(game, SpotGame):
                raise InputError(f"{game.name} has too many pure strategies for a portfolio of all of them")
            else:
                found += pure_strategies(game, player)
        return found

    def states(self, border: Border, resolver: int, model: Strategy | None, source: Any = None) -> MatrixValued:
        """What the continuations are worth at a border.

        Args:
            border: where the look-ahead stops.
            resolver: whose continuations meet the model's.
            model: of the other player; None for none.
            source: what the model was made of, for a game that is not in memory as a whole.

        Raises:
            InputError: the game is not in memory as a whole.
        """
        del source  # the model's strategy is known everywhere
        game = _whole(border.game, self.name)
        if game not in self._known:
            self._known[game] = stack_pairs(self, game, lambda one, other: expected_value(game, one, other))
        chips = self._known[game][border.histories]
        return MatrixValued(chips, None if model is None else self.against(border, resolver, model).model)

    def against(self, border: Border, resolver: int, model: Strategy, source: Any = None) -> MatrixValued:
        """The same where nobody but the model may be the opponent: no pairs, only the model's column."""
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


def stack_pairs(portfolio: Portfolio, game: GameTree, worth: Callable[[Strategy, Strategy], Floats]) -> Floats:
    """(n, K0, K1) what `worth`, (n,), says of each pair of strategies."""
    mine, theirs = (portfolio.strategies(game, player) for player in (0, 1))
    return np.stack([np.stack([worth(a, b) for b in theirs], -1) for a in mine], 1)


def pairs(own: Sequence[Any], other: Any, player: int) -> list[tuple[Any, Any]]:
    """Each of a player's strategies with the other player's, in the order of the seats."""
    return [(one, other) if player == 0 else (other, one) for one in own]


def expected_value(game: GameTree, first: Strategy, second: Strategy) -> Floats:
    """(H,) chips of player 0 from each history on, if the players go on by these strategies."""
    table, odds = game.histories, chance_odds(game)
    for strategy in (first, second):
        odds *= player_odds(game, strategy.player, strategy.behaviour)
    worth = np.where(table.player == TERMINAL, table.utility, 0.0)
    sum_up(table.parent, np.ones(len(table), np.bool_), odds, worth)
    return worth
