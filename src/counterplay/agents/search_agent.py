"""The agent that searches while it plays: a look-ahead at every decision, ranges and alternative values carried from
one to the next.

It never aborts. If the model cannot explain an observation, time runs out, or user code fails, it falls back on a safe
decision and logs it.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.agents.agent_archive import search_facts, write
from counterplay.agents.draws import draws_state, restore_draws
from counterplay.agents.player import Player, Source
from counterplay.agents.position.compiled import CompiledTracker, PublicPosition
from counterplay.agents.position.expanding import ExpandingTracker
from counterplay.agents.searching import Searcher
from counterplay.arrays import F64
from counterplay.budget import limited_seconds
from counterplay.errors import InputError
from counterplay.lookahead.decisions import Decision
from counterplay.lookahead.off_path import is_explained, trusts
from counterplay.lookahead.search import Search
from counterplay.lookahead.step import is_model_only
from counterplay.lookahead.tremble import share_of
from counterplay.treeplex.strategy import Strategy


class ContinualAgent(Player):
    """Plays a seat by continual look-aheads: CDBR, CDRNR, or continual re-solving, by its search.

    Args:
        sight: its position, in a compiled game (`CompiledTracker`) or a lazily expanded one (`ExpandingTracker`).
        model: model of the opponent: a strategy, or any text or function that `opponents.opponent` takes; None if p is
            0. It may be changed at any time.
        seed: seed of its draws; equal seeds and observations give equal actions, unless a limit of seconds cuts a solve
            short.
        remember: keep solutions from hand to hand, as long as the model is the same. A look-ahead that a limit or
            Ctrl-C has cut short serves its hand, and is continued when its decision comes back.
        name: for messages.
    """

    def __init__(
        self,
        sight: CompiledTracker | ExpandingTracker,
        model: Source = None,
        *,
        seed: int = 0,
        remember: bool = True,
        name: str = "",
    ) -> None:
        super().__init__(sight.seat, name or "continual")
        self.sight, self.hands = sight, 0
        self._searcher = Searcher(sight, self._note, remember)
        self._draw = random.Random(seed)
        self._stale = False
        self._path: set[int] = set()  # own augmented infosets that were decided in this hand
        self._source: Source = None
        self._take(model)

    @property
    def search(self) -> Search:
        """The agent's search."""
        return self.sight.chain.search

    @property
    def remember(self) -> bool:
        """Whether solutions are kept from hand to hand."""
        return self._searcher.remember

    @remember.setter
    def remember(self, remember: bool) -> None:
        self._searcher.remember = remember

    @property
    def model(self) -> Source:
        """The model of the opponent."""
        return self._source

    @model.setter
    def model(self, source: Source) -> None:
        """Change the model from now on; this hand's decisions stay. An invalid model is rejected and logged, and the
        previous one stays.
        """
        try:
            self._take(source)
        except Exception as error:
            self._note(f"the new model is refused, the previous one stays: {error}")
            return
        self._change()

    @property
    def strategy(self) -> Strategy | None:
        """What it plays, as far as it has decided; None in a game that is not in memory as a whole."""
        if not isinstance(self.sight, CompiledTracker):
            return None
        chain = self.sight.chain
        return Strategy(chain.game.trees[self.seat], chain.behaviour)

    @property
    def p(self) -> float:
        """The probability that the opponent is the model. A new value applies from now on; this hand's
        decisions stay.
        """
        return self.search.p

    @p.setter
    def p(self, p: float) -> None:
        self._search_as(replace(self.search, p=share_of("p", p)), f"p = {p:g}, set in hand {self.hands}")

    @property
    def alpha(self) -> float:
        """The exploitation level of SES, likewise."""
        return self.search.alpha

    @alpha.setter
    def alpha(self, alpha: float) -> None:
        self._search_as(self.search.tilted(share_of("alpha", alpha)), f"alpha = {alpha:g}, set in hand {self.hands}")

    def _search_as(self, search: Search, line: str) -> None:
        if trusts(search) and self.sight.chain.model is None:
            raise InputError(f"{self.name} has no model of the opponent for p or alpha; set its model first")
        for chain in self.sight.chains:
            chain.search = search
        self.log.append(line)
        self._change()

    def _change(self) -> None:
        """Keep this hand's decisions; everything else is solved anew."""
        self._stale = True
        self._searcher.unfinished.clear()
        self.sight.changed()
        self._forget(self._path)

    def _take(self, source: Source) -> None:
        if source is None and trusts(self.search):
            raise InputError(f"{self.name} needs a model of the opponent: it trusts one by p or alpha")
        model = self.sight.model(source)
        for chain in self.sight.chains:
            chain.model = model
        self._source = source

    def new_hand(self) -> None:
        """A new hand begins."""
        self.hands += 1
        self._path = set()
        self.sight.new_hand()
        if self._stale or not self.remember:
            self._forget(self._path)
            self._searcher.unfinished.clear()
            self._stale = False

    def _forget(self, kept: Collection[int]) -> None:
        """Forget all decisions except at these infosets; plans are kept as a fallback."""
        decided, lanes = self.sight.chain.decided, self.sight.game.lanes[self.seat]
        stays = np.zeros(len(decided), np.bool_)
        stays[lanes[sorted(kept)]] = True
        decided &= stays

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - it knows the rules
        """The text of an action.

        Args:
            observation: the text of the agent's infoset.
            legal: not needed.

        Raises:
            InputError: unknown infoset.
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
            InputError: unknown infoset.
        """
        names, odds, _ = self._decide(observation)
        return dict(zip(names, odds.tolist(), strict=True))

    def _decide(self, observation: str) -> tuple[tuple[str, ...], F64, PublicPosition]:
        with limited_seconds(self.search.stop.seconds):
            return self._decided(observation)

    def _decided(self, observation: str) -> tuple[tuple[str, ...], F64, PublicPosition]:
        spot = self.sight.see(observation)
        while self.sight.troubles:
            self._note(self.sight.troubles.pop(0))
        if spot.decision is None:
            return spot.names, np.ones(1), spot
        if not spot.follows:
            self._note(f"'{observation}' does not follow from what was observed and done before; taken as it is")
        chain = self.sight.chain
        if (
            is_model_only(self.search)
            and isinstance(self.sight, CompiledTracker)
            and is_explained(chain, spot.decision)
        ):
            if not chain.decided[spot.lane]:
                self._searcher.respond(spot.lane, spot.decision)
            self._path.update(np.flatnonzero(self.sight.game.lanes[self.seat] == spot.lane).tolist())
        else:
            self._solve_path(spot.decision)
        chain = self.sight.chain
        odds = chain.behaviour[chain.game.trees[self.seat].sequences_of(spot.lane)]
        if not (np.isfinite(odds).all() and (odds >= 0.0).all() and odds.sum() > 0.0):
            self._note(f"no strategy is known at '{observation}': uniform play")
            odds = np.ones(len(spot.names))
        return spot.names, odds / odds.sum(), spot

    def _solve_path(self, decision: Decision) -> None:
        """Solve a decision, and the open ones before it."""
        for one in decision.path:
            if not self.sight.chain.is_decided(one):
                self._searcher.solve(one)
            self._path.update(np.flatnonzero(np.isin(self.sight.game.lanes[self.seat], one.lanes)).tolist())

    def belief(self, observation: str) -> dict[str, float]:
        """The public belief about the other player: the text of each of their infosets with its probability by chance,
        the model and the agent's strategy. The agent's own infoset is not used, so that it is not revealed. The model
        is ignored where it has no reach, and so is the agent's strategy.

        Args:
            observation: the text of the own infoset, also where the other player acts.

        Raises:
            InputError: unknown infoset.
        """
        return self.sight.belief(observation)

    def state(self) -> dict[str, Any]:
        """Its state besides that of its position, as plain values."""
        return {
            "hands": self.hands,
            "path": sorted(self._path),
            "stale": self._stale,
            "draw": draws_state(self._draw),
            "log": list(self.log),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore such a state."""
        self.hands, self._path, self._stale = int(state["hands"]), set(state["path"]), bool(state["stale"])
        restore_draws(self._draw, state["draw"])
        self.log.extend(state["log"])

    def save(self, path: str | Path) -> None:
        """Save the agent to a file, from which `agents.factory.resume.resume` restores it."""
        chain, search = self.sight.chain.final or self.sight.chain, self.search  # what is unfinished is begun anew
        if search.depth.states is not None:
            raise InputError("an agent whose look-ahead stops at given public states cannot be saved")
        facts = {
            "game": chain.game.name,
            "seat": self.seat,
            "name": self.name,
            "search": search_facts(search),
            "whole": isinstance(self.sight, CompiledTracker),
            "remember": self.remember,
            "model": self.model if isinstance(self.model, str) else None,
            "agent": self.state(),
            "sight": self.sight.state(),
        }
        arrays = {
            "behaviour": chain.behaviour,
            "other": chain.other,
            "infosets": chain.claims.infosets,
            "sequences": chain.claims.sequences,
            "decided": chain.decided,
        }
        if chain.model is not None:
            arrays["model"] = chain.model.behaviour
        write(path, facts, arrays)

    def _note(self, line: str) -> None:
        self.log.append(f"hand {self.hands}: {line}")
