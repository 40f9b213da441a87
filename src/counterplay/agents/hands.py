"""Agents in a spot of hold'em, who know their own hand: a fixed strategy, and one who searches street by street."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from math import isfinite
from time import perf_counter
from typing import Any

import numpy as np

from counterplay.display import seated
from counterplay.errors import InputError
from counterplay.poker.betting import Kind
from counterplay.poker.cards import hand_text
from counterplay.poker.leaves import Part
from counterplay.poker.parts import part_at
from counterplay.poker.ranged import Ranged, ranged
from counterplay.poker.ranges import Range
from counterplay.poker.solved import SolvedSpot
from counterplay.poker.spot import Spot
from counterplay.resolving.search import Search
from counterplay.responses.streets import Streets
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach

_KEPT = 1000  # lines of a log
_SWEEPS = 20
"""What a solve of a whole tree does besides iterating takes about so many sweeps (14 million sequences were measured)."""


class StrategyPlayer:
    """Plays a strategy of the spot.

    Args:
        spot: the spot, solved or not.
        strategy: of the seat that is taken.
        seed: of its draws.
        name: for messages.
    """

    def __init__(self, spot: Any, strategy: Strategy, seed: int = 0, name: str = "") -> None:
        self._game, self.seat = _game(spot), strategy.player
        if strategy.tree is not self._game.trees[self.seat]:
            raise InputError(f"that is not a strategy of {self._game.name}")
        self.name = name or str(strategy.facts.get("method", "strategy"))
        self.strategy, self._draw = strategy, random.Random(seed)

    def __repr__(self) -> str:
        return seated(self)

    def new_hand(self) -> None:
        """Nothing is remembered."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - the strategy knows
        """An action, drawn; errors as in `policy`."""
        return _drawn(self.policy(observation), self._draw)

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action.

        Args:
            observation: betting, cards and hand, such as "check, bet 100, call, river | Ah | KsKd" or "x b100 c Ah | KsKd".

        Raises:
            InputError: the betting leads elsewhere, or nobody can hold that hand.
        """
        part, hand = _seen(self._game, observation)
        return _row(self._game, self.seat, self.strategy.behaviour, part, hand)


class SearchingPlayer:
    """Solves each street anew on coming to it, with the range that its own play left it: continual re-solving, CDBR,
    CDRNR, SES or ABD.

    The first street is solved at its first decision; a later one, for the card that came, behind the gadget, or, with the
    full gadget, for all cards at once. What is solved is kept from hand to hand.

    Args:
        spot: the spot, solved or not.
        seat: 0 (oop) or 1 (ip).
        search: how; its depth is the street.
        model: of the opponent, where p or alpha is above 0.
        seed: of its draws.
        name: for messages.

    Attributes:
        log: lines on what was solved.
    """

    def __init__(
        self, spot: Any, seat: int, search: Search, model: Strategy | None = None, *, seed: int = 0, name: str = ""
    ) -> None:
        if seat not in (0, 1):
            raise InputError(f"the seat must be 0 or 1, not {seat}")
        if (search.p > 0.0 or search.tremble.alpha > 0.0) and (model is None or model.player == seat):
            raise InputError("p and alpha need a model of the other player")
        self.seat, self.name, self.search, self.model = seat, name or "street by street", search, model
        self.game = _game(spot)
        self.log: deque[str] = deque(maxlen=_KEPT)
        self.chain = Streets(self.game, seat, search, model)
        self.done: set[Part] = set()
        self._draw = random.Random(seed)
        self._spare = _SWEEPS * _sweep(self.game) if isfinite(search.stop.seconds) else 0.0

    def __repr__(self) -> str:
        return seated(self)

    def new_hand(self) -> None:
        """Nothing is forgotten."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - it knows the rules
        """An action, drawn; errors as in `policy`."""
        return _drawn(self.policy(observation), self._draw)

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action; the look-ahead that decides here is solved first, if it is not yet.

        Args:
            observation: as `StrategyPlayer.policy` has it.

        Raises:
            InputError: the betting leads elsewhere, or nobody can hold that hand.
        """
        part, hand = _seen(self.game, observation)
        _place(self.game, self.seat, part, hand)  # refused before anything is solved
        self._decide(part)
        return _row(self.game, self.seat, self.chain.behaviour, part, hand)

    def belief(self, observation: str) -> dict[str, float]:
        """How likely the opponent holds each hand, as the look-aheads have seen it play, or as the model does.

        Args:
            observation: of the own seat, also where the opponent acts.
        """
        part, hand = _seen(self.game, observation)
        theirs = self.chain.other if self.model is None else self.model.behaviour
        plans = [reach(self.game.trees[i], self.chain.behaviour if i == self.seat else theirs) for i in (0, 1)]
        deck = self.spot.deck
        came = _shown(self.game, (plans[0], plans[1])).node_ranges(part)[1 - self.seat]
        odds = np.where(np.isin(deck.hands, deck.hands[hand]).any(axis=1), 0.0, came)
        total = odds.sum()
        return {hand_text(deck.hands[k].tolist()): float(odds[k] / total) for k in np.flatnonzero(odds).tolist()}

    def save(self, path: Any) -> None:
        """Write it to a file that ends in `.cpa`, from which `resume` brings it back."""
        from counterplay.agents.saved_hands import save

        save(self, path)

    def state(self) -> list[Any]:
        """Of its draws, as plain numbers."""
        version, numbers, rest = self._draw.getstate()
        return [version, list(numbers), rest]

    def restore(self, state: list[Any]) -> None:
        """Go on drawing from there."""
        version, numbers, rest = state
        self._draw.setstate((version, tuple(numbers), rest))

    @property
    def spot(self) -> Spot:
        """Where it plays."""
        return _spot(self.game)

    @property
    def strategy(self) -> Strategy:
        """What is decided so far, and planned."""
        return Strategy(self.game.trees[self.seat], self.chain.behaviour)

    def _decide(self, part: Part) -> None:
        top = _top(self.game, part)
        if part.layer > 0:
            self._decide(_before(self.game, top))
        one = part.layer > 0 and self.chain.by_part
        unit = top if one else Part(0, part.layer, 0)
        if unit in self.done:
            return
        before = self.chain.interrupted
        if one:
            self.chain.solve_part(top)
        else:
            self.chain.solve(part.layer, self._spare)
        self.done.add(unit)
        where = self.game.tree_path(top) or "the root"
        self.log.append(f"solved from {where}, largest gap so far {self.chain.gap:.3g} chips")
        if self.chain.interrupted and not before:
            raise KeyboardInterrupt


def _drawn(row: dict[str, float], draw: random.Random) -> str:
    return draw.choices(list(row), list(row.values()))[0]


def _game(spot: Any) -> Ranged:
    game: Ranged | None = ranged(spot)
    if game is None or game.spot is None:
        raise InputError("a player of hands needs a spot of hold'em")
    return game


def _sweep(game: Ranged) -> float:
    """Seconds of a sweep down both treeplexes."""
    begin = perf_counter()
    for tree in game.trees:
        reach(tree, tree.uniform())
    return perf_counter() - begin


def _spot(game: Ranged) -> Spot:
    assert game.spot is not None
    return game.spot


def _shown(game: Ranged, plans: tuple[Any, Any]) -> SolvedSpot:
    return SolvedSpot(_spot(game), game.tree, plans, {})


def _seen(game: Ranged, observation: str) -> tuple[Part, int]:
    """Where a player is, and the number of the hand in the deck.

    Raises:
        InputError: that is nowhere, or no hand.
    """
    *path, hand = observation.split("|")
    numbers = np.flatnonzero(Range.parse(hand.strip(), _spot(game).deck).weights)
    if len(numbers) != 1:
        raise InputError(f"'{hand.strip()}' is not one hand, at the end of '{observation}'")
    return part_at(game.tree, ", ".join(path)), int(numbers[0])


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


def _place(game: Ranged, player: int, part: Part, hand: int) -> int:
    """Where a hand stands on its layer.

    Raises:
        InputError: the player does not act there, or cannot hold that hand.
    """
    if game.tree.betting.kind[part.node] != player:
        raise InputError(f"player {player} does not act at '{game.tree_path(part)}'")
    layer = game.tree.boards.layers[part.layer]
    first, end = layer.first[part.board : part.board + 2].tolist()
    at = np.flatnonzero(_spot(game).numbers[layer.hand[first:end]] == hand)
    if len(at) != 1:
        text = hand_text(_spot(game).deck.hands[hand].tolist())
        where = f"'{path}'" if (path := game.tree_path(part)) else "the root"
        raise InputError(f"player {player} cannot hold '{text}' at {where}")
    return int(first + at[0])


def _row(game: Ranged, player: int, behaviour: Any, part: Part, hand: int) -> dict[str, float]:
    """What a behaviour does with a hand at a part; errors as in `_place`."""
    betting, runs, place = game.tree.betting, game.tree.runs[player], _place(game, player, part, hand)
    names, after = betting.actions(part.node), betting.children(part.node)
    if len(after) == 1:
        return {names[0]: 1.0}
    return {name: float(behaviour[int(runs.start[child]) + place]) for name, child in zip(names, after, strict=True)}
