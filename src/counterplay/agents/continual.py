"""The agent that searches while it plays: a look-ahead at every decision, ranges and claims carried from one to the next.

It never stops playing. Where the model cannot explain what happened, where there is no time, or where somebody else's code
fails, it goes on safely and says so in its log.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.agents.growing import Growing
from counterplay.agents.sight import Spot, Whole
from counterplay.display import seated
from counterplay.errors import InputError
from counterplay.resolving.alone import is_alone
from counterplay.resolving.careful import cautious, is_explained, possible, trusts
from counterplay.resolving.decisions import Decision, Unit, unit_of
from counterplay.resolving.search import Search
from counterplay.resolving.tremble import Tremble
from counterplay.subgames.gadgets import RESOLVING
from counterplay.treeplex.strategy import Strategy

Floats = NDArray[np.float64]
Source = Strategy | str | Callable[..., Any] | None
_KEPT = 1000
_COARSE = 0.05
"""A gap worth a word in the log, as a share of the span of payoffs."""


class ContinualAgent:
    """Plays a seat by continual look-aheads: CDBR, CDRNR, or continual re-solving, as its search says.

    Args:
        sight: the game as it sees it, compiled (`Whole`) or expanded on the way (`Growing`).
        model: of the opponent: a strategy, or any text or function that `opponents.opponent` takes; None where p is 0. It
            may be changed at any time.
        seed: of its draws; equal seeds and observations give equal actions, unless a limit of seconds cuts a solve short.
        remember: keep what was solved from hand to hand, as long as the model is the same.
        name: for messages.
    """

    def __init__(
        self, sight: Whole | Growing, model: Source = None, *, seed: int = 0, remember: bool = True, name: str = ""
    ) -> None:
        self.sight, self.seat, self.remember = sight, sight.seat, remember
        self.name = name or "continual"
        self.log: deque[str] = deque(maxlen=_KEPT)
        self.hands = 0
        self._draw = random.Random(seed)
        self._stale = False
        self._path: set[int] = set()  # own augmented infosets that were decided in this hand
        self._source: Source = None
        self._take(model)

    def __repr__(self) -> str:
        return seated(self)

    @property
    def search(self) -> Search:
        """How it searches."""
        return self.sight.chain.search

    @property
    def model(self) -> Source:
        """The model of the opponent."""
        return self._source

    @model.setter
    def model(self, source: Source) -> None:
        """From now on another model: what is decided in this hand stays. One that is no strategy is refused, and the one
        before stays, which the log says."""
        try:
            self._take(source)
        except Exception as error:
            self._note(f"the new model is refused, the one before stays: {error}")
            return
        self._stale = True
        self._forget(self._path)

    def _take(self, source: Source) -> None:
        if source is None and trusts(self.search):
            raise InputError(f"{self.name} needs a model of the opponent: it trusts one by p or alpha")
        self.sight.chain.model = self.sight.model(source)
        self._source = source

    def new_hand(self) -> None:
        """A new hand begins."""
        self.hands += 1
        self._path = set()
        self.sight.new_hand()
        if self._stale or not self.remember:
            self._forget(self._path)
            self._stale = False

    def _forget(self, kept: Collection[int]) -> None:
        """Nothing is decided any more but at these infosets; what was planned is kept for an emergency."""
        decided, lanes = self.sight.chain.decided, self.sight.game.lanes[self.seat]
        decided[:] = False
        decided[lanes[sorted(kept)]] = True

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - it knows the rules
        """The text of an action.

        Args:
            observation: the text of the own infoset.
            legal: not needed.

        Raises:
            InputError: the game has no such infoset.
        """
        names, odds, spot = self._decide(observation)
        if spot.lane < 0:
            return names[0]
        action = self._draw.choices(range(len(names)), odds.tolist())[0]
        self.sight.done(spot, action)
        return names[action]

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action at an infoset, solved if need be; nothing is drawn.

        Raises:
            InputError: the game has no such infoset.
        """
        names, odds, _ = self._decide(observation)
        return dict(zip(names, odds.tolist(), strict=True))

    def _decide(self, observation: str) -> tuple[tuple[str, ...], Floats, Spot]:
        spot = self.sight.see(observation)
        while self.sight.troubles:
            self._note(self.sight.troubles.pop(0))
        if spot.decision is None:
            return spot.names, np.ones(1), spot
        if not spot.follows:
            self._note(f"'{observation}' does not follow from what was observed and done before; taken as it is")
        chain = self.sight.chain
        if is_alone(self.search) and isinstance(self.sight, Whole) and is_explained(chain, spot.decision):
            if not chain.decided[spot.lane]:
                self._respond(spot.lane, spot.decision)
            self._path.update(np.flatnonzero(self.sight.game.lanes[self.seat] == spot.lane).tolist())
        else:
            self._solve_path(spot.decision)
        chain = self.sight.chain
        odds = chain.behaviour[chain.game.trees[self.seat].sequences_of(spot.lane)]
        if not (np.isfinite(odds).all() and (odds >= 0.0).all() and odds.sum() > 0.0):
            self._note(f"no strategy is known at '{observation}': every action alike")
            odds = np.ones(len(spot.names))
        return spot.names, odds / odds.sum(), spot

    def _solve_path(self, decision: Decision) -> None:
        """Solve a decision, and those before it that are still open."""
        for one in decision.path:
            if not self.sight.chain.is_decided(one):
                self._solve(one)
            self._path.update(np.flatnonzero(np.isin(self.sight.game.lanes[self.seat], one.lanes)).tolist())

    def _respond(self, lane: int, decision: Decision) -> None:
        """Against a model that is certain the own infoset is enough."""
        chain = self.sight.chain
        if self._has_time(decision):
            unit = unit_of(chain.game, decision, self.search.depth, [decision])
            try:
                chain.respond(np.array([lane], np.int32), unit, self.search)
            except Exception as error:  # a value function may be anybody's code
                self._note(f"{decision_name(decision)} is not solved, {self._standing()}: {error}")
        chain.decided[lane] = True

    def _has_time(self, decision: Decision) -> bool:
        stop = self.search.stop
        if stop.iterations == 0 or stop.seconds <= 0.0:
            self._note(f"no budget for {decision_name(decision)}: {self._standing()}")
            return False
        return True

    def _solve(self, decision: Decision) -> None:
        """Solve the look-ahead of a decision, and those of the others that are decided with it, in the order of `decide`."""
        chain = self.sight.chain
        unit = unit_of(chain.game, decision, self.search.depth, self.sight.among())
        for explained in (True, False):
            part = tuple(one for one in unit.decisions if is_explained(chain, one) == explained)
            if part:
                self._solve_part(replace(unit, decisions=part), decision if decision in part else part[0], explained)

    def _solve_part(self, unit: Unit, decision: Decision, explained: bool) -> None:
        """Solve a unit that the model comes to, or not; whatever goes wrong, it is decided afterwards."""
        chain, name = self.sight.chain, decision_name(decision)
        if self._has_time(decision):
            search = self.search
            if not explained:
                self._note(f"the model never comes to {name}: solved as if there were none")
                search = cautious(search)
            solved = self._search(unit, search, name)
            if not solved and isinstance(self.sight, Whole) and self._search(unit, self._exact(search), name):
                self._note(f"{name} is solved with exact values and without a model instead")
        for one in unit.decisions:
            chain.decided[one.lanes] = True

    def _standing(self) -> str:
        """What is played where nothing is solved."""
        return (
            "what was planned before stands" if self.sight.chain.planned else "nothing is planned, every action alike"
        )

    @staticmethod
    def _exact(search: Search) -> Search:
        """A search in which nobody else's code takes part: the exact value function, no model."""
        stop = replace(search.stop, seconds=max(search.stop.seconds, 1.0))
        return replace(search, p=0.0, gadget=RESOLVING, value=None, tremble=Tremble(), stop=stop)

    def _search(self, unit: Unit, search: Search, name: str) -> bool:
        """Solve a unit, or leave everything as it was; whether it is solved."""
        chain = self.sight.chain
        before = chain.behaviour, chain.other, chain.claims
        with possible(chain, unit) as needed:
            if needed:
                self._note(f"the own strategy never comes to {name}: taken as if it could")
            try:
                gap = chain.solve(unit, search)
                if not (np.isfinite(chain.behaviour).all() and np.isfinite(chain.other).all()):
                    raise InputError("its solution has probabilities that are no numbers")
            except Exception as error:  # a value function may be anybody's code
                chain.behaviour, chain.other, chain.claims = before
                self._note(f"{name} is not solved, {self._standing()}: {error}")
                return False
        if gap > _COARSE * chain.game.span and search.stop.seconds < float("inf"):
            self._note(f"{name}: time was up at a gap of {gap:.3g} chips")
        return True

    def _weights(self, here: NDArray[np.int64], model: bool) -> Floats:
        """The same for each of these histories."""
        chain = self.sight.chain
        weight = chain.game.histories.reach[here] * chain.plan[chain.game.sequences[self.seat][here]]
        if model and chain.model is not None:
            weight = weight * chain.model.plan[chain.game.sequences[1 - self.seat][here]]
        return np.asarray(weight, np.float64)

    def belief(self, observation: str) -> dict[str, float]:
        """What everybody may think of the other player's situation: the text of each of the other's infosets with its
        probability by chance, the model and the own strategy. The own situation is not used, so that it is not given away.
        Where the model never comes, it does not count; nor does the own strategy where that never comes.

        Args:
            observation: the text of the own infoset, also where the other player acts.

        Raises:
            InputError: the game has no such infoset.
        """
        here, game = self.sight.around(observation), self.sight.game
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

    def state(self) -> dict[str, Any]:
        """What it needs to go on, besides what its sight knows, as plain values."""
        version, numbers, gauss = self._draw.getstate()
        return {
            "hands": self.hands,
            "path": sorted(self._path),
            "stale": self._stale,
            "draw": [version, list(numbers), gauss],
            "log": list(self.log),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from such values."""
        self.hands, self._path, self._stale = int(state["hands"]), set(state["path"]), bool(state["stale"])
        version, numbers, gauss = state["draw"]
        self._draw.setstate((version, tuple(numbers), gauss))
        self.log.extend(state["log"])

    def save(self, path: str | Path) -> None:
        """Write it to a file, from which `agents.saved.resume` takes it up again (see there)."""
        from counterplay.agents.saved import save

        save(self, path)

    def _note(self, line: str) -> None:
        self.log.append(f"hand {self.hands}: {line}")


def decision_name(decision: Decision) -> str:
    """A decision in a line of a log."""
    return f"public state {decision.state} (level {decision.level})"
