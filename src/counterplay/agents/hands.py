"""Players of a spot of hold'em who know their own hand: a fixed strategy, and one who searches street by street."""

from __future__ import annotations

import random
from typing import Any, Protocol

import numpy as np

from counterplay.errors import InputError
from counterplay.poker.betting import Kind
from counterplay.poker.leaves import Part
from counterplay.poker.ranged import Ranged, ranged
from counterplay.poker.ranges import Range
from counterplay.poker.solved import SolvedSpot
from counterplay.resolving.equity import EQUITY, Equity
from counterplay.resolving.priors import NONE, Prior
from counterplay.resolving.search import Search, value_function
from counterplay.resolving.tremble import Tremble
from counterplay.responses.streets import Streets
from counterplay.solvers.cfr import Stop
from counterplay.subgames.gadgets import RESOLVING
from counterplay.subgames.levels import Depth
from counterplay.treeplex.strategy import Strategy


class Player(Protocol):
    """One seat of a spot, hand after hand."""

    seat: int

    def odds(self, path: str, hand: str) -> dict[str, float]:
        """The probability of each action with a hand such as "KsKd" at the end of a path such as "x b150 c Ah"."""


class StrategyPlayer:
    """Plays a strategy of the spot.

    Args:
        spot: the spot, solved or not.
        strategy: of the seat that is taken.
    """

    def __init__(self, spot: Any, strategy: Strategy) -> None:
        self._game, self.seat = _game(spot), strategy.player
        if strategy.tree is not self._game.trees[self.seat]:
            raise InputError(f"that is not a strategy of {self._game.name}")
        self._behaviour = strategy.behaviour

    def odds(self, path: str, hand: str) -> dict[str, float]:
        """See `Player`."""
        return _row(self._game, self.seat, self._behaviour, _part(self._game, path), path, hand)


class SearchingPlayer:
    """Solves each street anew on coming to it, with the range that its own play left it: continual re-solving, CDBR,
    CDRNR, SES or ABD.

    The first street is solved at its first decision; a later one, for the card that came, behind the gadget, or, with the
    full gadget, for all cards at once.

    Args:
        spot: the spot, solved or not.
        seat: 0 (oop) or 1 (ip).
        model: of the opponent, where p or alpha is above 0.
        p: probability that the opponent is the model.
        gadget: `resolving` (the default), `max-margin`, `unsafe` or `full`.
        value: behind the end of a street: `exact`, `equity`, `portfolio:A;B`.
        alpha: of SES, with max-margin.
        prior, epsilon: of GGSE.
        seconds: for each look-ahead, by a minimiser; None for as long as its accuracy takes.
        solver: `lp`, a minimiser, or `auto`.
        seed: of its draws.
    """

    def __init__(
        self, spot: Any, seat: int, *, model: Strategy | None = None, p: float = 0.0, gadget: str = RESOLVING,
        value: Any = None, alpha: float = 0.0, prior: Prior = NONE, epsilon: float | None = None,
        seconds: float | None = None, solver: str = "auto", seed: int = 0,
    ) -> None:  # fmt: skip
        if seat not in (0, 1):
            raise InputError(f"the seat must be 0 or 1, not {seat}")
        if (p > 0.0 or alpha > 0.0) and (model is None or model.player == seat):
            raise InputError("p and alpha need a model of the other player")
        if seconds is not None and not seconds > 0.0:
            raise InputError(f"the seconds of a look-ahead must be above 0, not {seconds:g}")
        self._game, self.seat = _game(spot), seat
        chosen = solver if solver != "auto" else "dcfr:1.5,0,4" if seconds is not None else self._game.solver
        stop = Stop(self._game.fine, seconds=float("inf") if seconds is None else seconds)
        known = Equity() if value == EQUITY else value_function(value)
        tremble = Tremble(alpha, prior, epsilon, alpha > 0.0)
        self._search = Search(Depth(), p, gadget, known, chosen, stop, tremble=tremble)
        self._chain = Streets(self._game, seat, self._search, model)
        self._done: set[Part | int] = set()
        self._draw = random.Random(seed)

    def act(self, path: str, hand: str) -> str:
        """An action, drawn."""
        row = self.odds(path, hand)
        return self._draw.choices(list(row), list(row.values()))[0]

    def odds(self, path: str, hand: str) -> dict[str, float]:
        """See `Player`; the look-ahead that decides here is solved first, if it is not yet."""
        part = _part(self._game, path)
        self._decide(part)
        return _row(self._game, self.seat, self._chain.behaviour, part, path, hand)

    @property
    def strategy(self) -> Strategy:
        """What is decided so far, and planned."""
        return Strategy(self._game.trees[self.seat], self._chain.behaviour)

    def _decide(self, part: Part) -> None:
        top = _top(self._game, part)
        if part.layer > 0:
            self._decide(_before(self._game, top))
        if part.layer > 0 and self._chain.by_part:
            if top not in self._done:
                self._chain.solve_part(top)
            self._done.add(top)
        elif part.layer not in self._done:
            self._chain.solve(part.layer)
            self._done.add(part.layer)


def _game(spot: Any) -> Ranged:
    game = ranged(spot)
    if game is None or game.spot is None:
        raise InputError("a player of hands needs a spot of hold'em")
    return game


def _part(game: Ranged, path: str) -> Part:
    assert game.spot is not None
    return SolvedSpot(game.spot, game.tree, (np.zeros(0), np.zeros(0)), {}).find(path)


def _top(game: Ranged, part: Part) -> Part:
    """Where the street of a part begins."""
    node, betting = part.node, game.tree.betting
    while node > 0 and betting.kind[betting.parent[node]] != Kind.DEAL:
        node = int(betting.parent[node])
    return Part(node, part.layer, part.board)


def _before(game: Ranged, top: Part) -> Part:
    """The deal above the beginning of a street."""
    layer = game.tree.boards.layers[top.layer]
    return Part(int(game.tree.betting.parent[top.node]), top.layer - 1, int(layer.parent[top.board]))


def _row(game: Ranged, player: int, behaviour: Any, part: Part, path: str, hand: str) -> dict[str, float]:
    """What a behaviour does with a hand at a part.

    Raises:
        InputError: the player does not act there, or cannot hold that hand.
    """
    betting, runs = game.tree.betting, game.tree.runs[player]
    if betting.kind[part.node] != player:
        raise InputError(f"player {player} does not act at '{path}'")
    assert game.spot is not None
    numbers = np.flatnonzero(Range.parse(hand, game.spot.deck).weights)
    layer = game.tree.boards.layers[part.layer]
    first, end = layer.first[part.board : part.board + 2].tolist()
    at = np.flatnonzero(np.isin(game.spot.numbers[layer.hand[first:end]], numbers))
    if len(numbers) != 1 or len(at) != 1:
        raise InputError(f"player {player} cannot hold '{hand}' at '{path}'")
    names, after = betting.actions(part.node), betting.children(part.node)
    if len(after) == 1:
        return {names[0]: 1.0}
    place = first + int(at[0])
    return {name: float(behaviour[int(runs.start[child]) + place]) for name, child in zip(names, after, strict=True)}
