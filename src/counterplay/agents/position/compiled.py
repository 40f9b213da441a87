"""An agent's position in a game that is in memory as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.games.game import CHANCE, LIMIT
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.decisions import Decision, acting_in, decisions
from counterplay.lookahead.search import Search
from counterplay.lookahead.state import SearchState
from counterplay.opponents.opponent import opponent
from counterplay.treeplex.nearest_infosets import check_observation, no_infoset
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class PublicPosition:
    """The position of an agent at a public state.

    Attributes:
        names: texts of its actions.
        lane: lane of its infoset; -1 for one action only.
        decision: the public state; None for one action only.
        follows: whether it can follow the previous position and action.
    """

    names: tuple[str, ...]
    lane: int
    decision: Decision | None
    follows: bool = True


class Tracker:
    """Base class of the positions of searching agents: a chain, and its decisions."""

    def __init__(self, game: GameTree, seat: int, search: Search) -> None:
        self.seat = seat
        self.chain = SearchState(game, seat, search)
        self._decisions: dict[int, Decision] | None = None
        self._last: tuple[int, int] | None = None
        self._texts: tuple[GameTree, dict[int, str]] = game, {}
        self.troubles: list[str] = []  # for the log of whoever looks through it

    @property
    def game(self) -> GameTree:
        """The game, as far as it is expanded."""
        return self.chain.game

    @property
    def by_lane(self) -> dict[int, Decision]:
        """The decision of each infoset with a choice."""
        if self._decisions is None:
            found = decisions(self.game, self.seat)
            self._decisions = {int(lane): decision for decision in found.values() for lane in decision.lanes}
        return self._decisions

    def model(self, source: Any, seed: int = 0) -> Strategy | None:
        """The model of the other seat, or None."""
        raise NotImplementedError

    def new_hand(self) -> None:
        """Return to the root, keeping final decisions."""
        self._last = None
        self.chain = self.chain.final or self.chain

    @property
    def chains(self) -> list[SearchState]:
        """The chain, and the one with which the next hand begins, if different."""
        return [self.chain] if self.chain.final is None else [self.chain, self.chain.final]

    @property
    def keeps(self) -> bool:
        """Whether decisions made now are kept for the next hand."""
        return True

    def changed(self) -> None:
        """Notice a changed search or model."""

    def see(self, observation: str) -> PublicPosition:
        """The position of the agent after an observation."""
        raise NotImplementedError

    def done(self, spot: PublicPosition, action: int) -> None:
        """Record the agent's action, given by its number."""
        raise NotImplementedError

    def state(self) -> dict[str, Any]:
        """Its state besides the chain, as plain values."""
        return {"last": self._last}

    def restore(self, state: dict[str, Any], source: Any = None) -> None:  # noqa: ARG002 - one shape for all
        """Restore such a state."""
        last = state["last"]
        self._last = None if last is None else (int(last[0]), int(last[1]))

    def among(self) -> list[Decision]:
        """All decisions of the seat."""
        return list(dict.fromkeys(self.by_lane.values()))

    def around(self, observation: str) -> I64:
        """(n,) the histories that are possible by common knowledge where the seat observes this, with the same player to
        act.

        Raises:
            InputError: unknown infoset of the seat in the game as far as it is expanded.
        """
        check_observation(observation)
        game, candidates = self.game, self._candidates().tolist()
        for history in candidates:
            if self._text(history) == observation:
                state = int(game.public[0][game.histories.info[0][history]])
                return acting_in(game, state, int(game.histories.player[history]))
        raise no_infoset(game.name, observation, list(map(self._text, candidates)), f" of player {self.seat}")

    def _text(self, history: int) -> str:
        """The seat's infoset at a history; the texts of the game as it is now are kept, since each is a replay."""
        game = self.game
        if self._texts[0] is not game:
            self._texts = game, {}
        texts = self._texts[1]
        if history not in texts:
            texts[history] = game.rules.infoset(game.state(history), self.seat)
        return texts[history]

    def belief(self, observation: str) -> dict[str, float]:
        """The public belief about the other player; see `ContinualAgent.belief`."""
        here, game = self.around(observation), self.game
        weight = self._weights(here, model=True)
        if not weight.sum() > 0.0:
            weight = self._weights(here, model=False)
        if not weight.sum() > 0.0:
            weight = game.histories.reach[here]
        known = game.histories.info[1 - self.seat][here]
        names, first, which = np.unique(known, return_index=True, return_inverse=True)
        total = np.bincount(which, weight, len(names)) / weight.sum()
        texts = [game.rules.infoset(game.state(int(here[i])), 1 - self.seat) for i in first]
        return dict(zip(texts, total.tolist(), strict=True))

    def _weights(self, here: I64, model: bool) -> F64:
        """(n,) the probability of each history by chance, the agent's strategy and possibly the model."""
        chain = self.chain
        weight = chain.game.histories.reach[here] * chain.plan[chain.game.sequences[self.seat][here]]
        if model and chain.model is not None:
            weight = weight * chain.model.plan[chain.game.sequences[1 - self.seat][here]]
        return np.asarray(weight, np.float64)

    def _candidates(self) -> I64:
        """One history for each augmented infoset of the seat and acting player, the latest first."""
        table = self.game.histories
        here = np.flatnonzero(table.info[self.seat] >= 0)
        here = here[table.player[here] != CHANCE]
        pairs = table.info[self.seat][here].astype(np.int64) * (LIMIT + 1) + table.player[here]
        return np.asarray(here[np.sort(np.unique(pairs, return_index=True)[1])[::-1]], np.int64)


class CompiledTracker(Tracker):
    """An agent's position in a compiled game.

    Args:
        game: compiled.
        seat: the agent's seat.
        search: the agent's search.
    """

    def __init__(self, game: GameTree, seat: int, search: Search) -> None:
        super().__init__(game, seat, search)
        search.depth.clock(game)  # refuses a depth that the game has not
        _ = game.trees[seat].labels.index  # made now, so that the first decision is as fast as the rest

    def model(self, source: Any, seed: int = 0) -> Strategy | None:
        """The model of the other seat, from anything that `opponent` takes, or None.

        Raises:
            InputError: an invalid model.
        """
        if source is None:
            return None
        return opponent(self.game, source, 1 - self.seat, seed)

    def see(self, observation: str) -> PublicPosition:
        """The position of the agent after an observation.

        Raises:
            InputError: unknown infoset.
        """
        labels = self.game.trees[self.seat].labels
        check_observation(observation)
        if observation not in labels.index:
            raise no_infoset(self.game.name, observation, labels.infosets, f" of player {self.seat}")
        number = labels.index[observation]
        lane = labels.lanes[number]
        if lane < 0:
            return PublicPosition(labels.actions[number], -1, None)
        return PublicPosition(labels.actions[number], lane, self.by_lane[lane], self._may_follow(lane))

    def done(self, spot: PublicPosition, action: int) -> None:
        """Record the agent's action, given by its number."""
        if spot.lane >= 0:
            self._last = spot.lane, action

    def _may_follow(self, lane: int) -> bool:
        tree = self.game.trees[self.seat]
        if self._last is None:
            return int(tree.arrays.parent[lane]) == 0
        before, action = self._last
        first, stride, _ = tree.lane_sequences
        return lane == before or int(tree.arrays.parent[lane]) == int(first[before] + action * stride[before])
