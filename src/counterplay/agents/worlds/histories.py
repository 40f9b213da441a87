"""Agents of games by histories: of a known strategy, and of look-aheads in a game that is in memory as a whole.

A search never aborts. If the model cannot explain an observation, time runs out, or user code fails, it falls back on a safe
decision and logs it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from counterplay.agents.agent import ContinualAgent, Source, StrategyAgent
from counterplay.agents.agent_archive import Saved, checked_array, search_facts
from counterplay.archive import Archive
from counterplay.arrays import F64, I64, AnyArray
from counterplay.budget import time_left
from counterplay.errors import InputError
from counterplay.gadgets import Resolving
from counterplay.games.game import CHANCE, LIMIT
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.decisions import (
    Decision,
    DecisionGroup,
    SearchState,
    acting_in,
    decisions,
    group_of_decision,
)
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.step import (
    decide_group,
    decide_infosets,
    is_explained,
    is_model_only,
    make_reachable,
    trusts,
    without_model,
)
from counterplay.opponents.opponent import opponent
from counterplay.treeplex.strategy import Strategy, check_observation, no_infoset


class ListedAgent(StrategyAgent):
    """Plays a strategy of a game in memory."""

    def __init__(self, strategy: Strategy, seed: int = 0, name: str = "") -> None:
        self._strategy: Strategy = strategy
        _ = strategy.tree.labels  # made now, so that the first decision is as fast as the rest
        super().__init__(strategy.player, seed, name)

    def row(self, observation: str) -> dict[str, float]:
        return self._strategy.probabilities(observation)


@dataclass(frozen=True)
class PublicPosition:
    """Where an agent stands after an observation: names and lane of its actions (-1 where there is one only), its
    public state, and whether that can follow the last one."""

    names: tuple[str, ...]
    lane: int
    decision: Decision | None
    follows: bool = True


class ListedSearch(ContinualAgent):
    """Look-aheads within their limits at every decision; ranges and alternative values are carried from one to the
    next. Arguments after `search` are those of `ContinualAgent`. chain: the chain of look-aheads. is_whole: whether the
    whole game is in memory. troubles: lines for the log."""

    draws_forced = False
    is_whole = False

    def __init__(self, game: GameTree, seat: int, search: Search, model: Source = None, **settings: Any) -> None:
        self.chain = SearchState(game, seat, search)
        self.troubles: list[str] = []
        self._decisions: dict[int, Decision] | None = None
        self._here = PublicPosition((), -1, None)
        self._last: tuple[int, int] | None = None
        self._texts: tuple[GameTree, dict[int, str]] = game, {}
        self._path: set[int] = set()  # own augmented infosets that were decided in this hand
        self._stale = False
        super().__init__(seat, search, model, **settings)

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

    @property
    def chains(self) -> list[SearchState]:
        """The chain, and the one with which the next hand begins, if different."""
        return [self.chain] if self.chain.final is None else [self.chain, self.chain.final]

    @property
    def keeps(self) -> bool:
        """Return whether decisions made now are kept for the next hand."""
        return True

    def among(self) -> list[Decision]:
        """All decisions of the seat."""
        return list(dict.fromkeys(self.by_lane.values()))

    @abstractmethod
    def see(self, observation: str) -> PublicPosition:
        """The position after an observation; refused at an unknown infoset."""

    def modelled(self, source: Source) -> Strategy | None:
        """The model of the other seat, from anything that `opponent` takes, or None."""
        return None if source is None else opponent(self.game, source, 1 - self.seat)

    def changed(self) -> None:
        """Notice a changed search or model."""

    def go_back(self) -> None:
        """Return to the root, keeping final decisions."""
        self._last = None
        self.chain = self.chain.final or self.chain

    def begin(self, source: Source) -> None:
        if source is None and trusts(self.search):
            raise InputError(f"{self.name} needs a model of the opponent: it trusts one by p or alpha")
        model = self.modelled(source)
        for chain in self.chains:
            chain.model = model
        self._model = source

    def take(self, source: Source) -> None:
        try:
            self.begin(source)
        except Exception as error:
            self.note(f"the new model is refused, the previous one stays: {error}")
            return
        self._change()

    def search_as(self, search: Search) -> None:
        if trusts(search) and self.chain.model is None:
            raise InputError(f"{self.name} has no model of the opponent for p or alpha; set its model first")
        self.search = search
        for chain in self.chains:
            chain.search = search
        self._change()

    def _change(self) -> None:
        """Keep this hand's decisions; everything else is solved anew."""
        self._stale = True
        self.unfinished.clear()
        self.changed()
        self._forget(self._path)

    def _forget(self, kept: Collection[int]) -> None:
        """Forget all decisions except at these infosets; plans are kept as a fallback."""
        decided, lanes = self.chain.decided, self.game.lanes[self.seat]
        stays = np.zeros(len(decided), np.bool_)
        stays[lanes[sorted(kept)]] = True
        decided &= stays

    def new_hand(self) -> None:
        self.hands += 1
        self._path = set()
        self.go_back()
        if self._stale or not self.remember:
            self._forget(self._path)
            self.unfinished.clear()
            self._stale = False

    def acted(self, action: int) -> None:
        if self._here.lane >= 0:
            self._last = self._here.lane, action

    def row(self, observation: str) -> dict[str, float]:
        here = self._here = self.see(observation)
        while self.troubles:
            self.note(self.troubles.pop(0))
        if here.decision is None:
            return {here.names[0]: 1.0}
        if not here.follows:
            self.note(f"'{observation}' does not follow from what was observed and done before; taken as it is")
        if self.is_whole and is_model_only(self.search) and is_explained(self.chain, here.decision):
            chain, lane = self.chain, here.lane
            if not chain.decided[lane] and self._has_time(here.decision):  # by the own infoset alone
                unit = group_of_decision(chain.game, here.decision, chain.search.depth, [here.decision])
                try:
                    decide_infosets(chain, np.array([lane], np.int32), unit, chain.search)
                except Exception as error:  # a value function may be anybody's code
                    self.note(f"{_name(here.decision)} is not solved, {self._fallback}: {error}")
            chain.decided[lane] = True
            self._path.update(np.flatnonzero(self.game.lanes[self.seat] == lane).tolist())
        else:
            for decision in here.decision.path:
                if not self.chain.is_decided(decision):
                    self._solve(decision)
                self._path.update(np.flatnonzero(np.isin(self.game.lanes[self.seat], decision.lanes)).tolist())
        odds = self.chain.behaviour[self.game.trees[self.seat].sequences_of(here.lane)]
        if not (np.isfinite(odds).all() and (odds >= 0.0).all() and odds.sum() > 0.0):
            self.note(f"no strategy is known at '{observation}': uniform play")
            odds = np.ones(len(here.names))
        return dict(zip(here.names, (odds / odds.sum()).tolist(), strict=True))

    def _solve(self, decision: Decision) -> None:
        """Solve the look-ahead of a decision, and those of the others decided with it, in the order of `decide`;
        decided afterwards even after failures. Ctrl-C cuts it short, and the best so far decides."""
        chain = self.chain
        unit = group_of_decision(chain.game, decision, chain.search.depth, self.among())
        for explained in (True, False):
            part = tuple(other for other in unit.decisions if is_explained(chain, other) == explained)
            if not part:
                continue
            some, first = replace(unit, decisions=part), decision if decision in part else part[0]
            if self._has_time(first):
                search, name = chain.search, _name(first)
                if not explained:
                    self.note(f"the model never reaches {name}: solved without it")
                    search = without_model(search)
                if not self._search(some, search, name) and self.is_whole:
                    # Without user code: the exact value function, no model.
                    look = LookAhead(search.depth, gadget=Resolving(), solve=search.look.solve)
                    stop = replace(search.stop, seconds=max(search.stop.seconds, 1.0))
                    if self._search(some, Search(look, solver=search.solver, stop=stop), name):
                        self.note(f"{name} is solved with exact values and without a model instead")
            for other in part:
                chain.decided[other.lanes] = True

    def _has_time(self, decision: Decision) -> bool:
        stop = self.search.stop
        if stop.iterations == 0 or stop.seconds <= 0.0 or not time_left():
            self.note(f"no budget for {_name(decision)}: {self._fallback}")
            return False
        return True

    @property
    def _fallback(self) -> str:
        """What is played without a solution, in words."""
        return "the previous plan stands" if self.chain.planned else "nothing is planned, uniform play"

    def _search(self, unit: DecisionGroup, search: Search, name: str) -> bool:
        """Solve a unit, or leave everything unchanged; returns whether it is solved."""
        chain, before = self.chain, self.chain.copy()
        keeps = self.remember and chain.final is None and self.keeps
        key = (*sorted(decision.state for decision in unit.decisions), search.p, search.gadget, search.exact)
        kept = self.unfinished.get(key) if keeps else None  # of no use where the game has been expanded since
        posed = kept.posed if kept is not None and kept.rest[0] is chain.game else None
        with make_reachable(chain, unit) as needed:
            if needed:
                self.note(f"the agent's own strategy never reaches {name}: taken as if it did")
            try:
                found = decide_group(chain, unit, search, posed)
                if not (np.isfinite(chain.behaviour).all() and np.isfinite(chain.other).all()):
                    raise InputError("its solution has probabilities that are not numbers")
            except Exception as error:  # a value function may be anybody's code
                chain.behaviour, chain.other, chain.claims = before.behaviour, before.other, before.claims
                self.note(f"{name} is not solved, {self._fallback}: {error}")
                return False
        rest = found.unfinished
        if rest is None:
            if posed is not None:
                self.note(f"{name} is solved, at visit {posed.solve.calls}: gap {found.gap:.3g} chips")
            # A final unit ends solves that depend on other decisions there. With the full gadget a look-ahead depends on the
            # decisions before it, with the others also on those around it.
            states = {decision.state for decision in unit.decisions}
            above = {before.state for decision in unit.decisions for before in decision.path}
            for key, (_, (_, kept_unit, asked)) in list(self.unfinished.items()) if chain.final is None else ():
                on_way = set() if kept_unit.before is None else {decision.state for decision in kept_unit.before.path}
                around = kept_unit.before is None or kept_unit.before.state in above
                same = {decision.state for decision in kept_unit.decisions} == states
                if same or states & on_way or (around and not asked.frees_the_opponent):
                    del self.unfinished[key]
            return True
        if keeps:
            self.unfinished.keep(key, rest, (chain.game, unit, search))
        if not rest.solve.iterations and not found.interrupted:
            chain.behaviour, chain.other, chain.claims = before.behaviour, before.other, before.claims
            self.note(f"no time was left for an iteration at {name}: {self._fallback}")
        # The result serves this hand only; the next one begins from the state before this hand.
        if chain.final is None:
            chain.final = before
        self.note_cut(name, found.interrupted, rest.solve.iterations, found.gap, goes_on=keeps)
        return True

    def note(self, line: str) -> None:
        super().note(f"hand {self.hands}: {line}")

    def around(self, observation: str) -> I64:
        """(n,) the histories that are possible by common knowledge where the seat observes this, with the same player
        to act."""
        check_observation(observation)
        game, table = self.game, self.game.histories
        # One history for each augmented infoset of the seat and acting player, the latest first.
        here = np.flatnonzero((table.info[self.seat] >= 0) & (table.player != CHANCE))
        pairs = table.info[self.seat][here].astype(np.int64) * (LIMIT + 1) + table.player[here]
        candidates = here[np.sort(np.unique(pairs, return_index=True)[1])[::-1]].tolist()
        for history in candidates:
            if self._text(history) == observation:
                return acting_in(game, int(game.public[0][table.info[0][history]]), int(table.player[history]))
        raise no_infoset(game.name, observation, list(map(self._text, candidates)), f" of player {self.seat}")

    def _text(self, history: int) -> str:
        """The seat's infoset at a history; kept for the game as it is now, since each is a replay."""
        game = self.game
        if self._texts[0] is not game:
            self._texts = game, {}
        texts = self._texts[1]
        if history not in texts:
            texts[history] = game.rules.infoset(game.state(history), self.seat)
        return texts[history]

    def belief(self, observation: str) -> dict[str, float]:
        here, game = self.around(observation), self.game
        # The model is ignored where it has no reach, and so is the agent's strategy.
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

    def saved(self) -> Saved:
        chain, search = self.chain.final or self.chain, self.search  # what is unfinished is begun anew
        if search.depth.states is not None:
            raise InputError("an agent whose look-ahead stops at given public states cannot be saved")
        own = {
            "hands": self.hands, "path": sorted(self._path), "stale": self._stale, "draw": self.draws.getstate(),
            "log": list(self.log),
        }  # fmt: skip
        facts = {
            "game": chain.game.name, "seat": self.seat, "name": self.name, "search": search_facts(search),
            "whole": self.is_whole, "remember": self.remember, "agent": own, "sight": self.state(),
            "model": self.model if isinstance(self.model, str) else None,
        }  # fmt: skip
        arrays = _arrays(chain)
        return facts, arrays if chain.model is None else {**arrays, "model": chain.model.behaviour}

    def state(self) -> dict[str, Any]:
        """Where the agent stands besides the chain, as plain values."""
        return {"last": self._last}

    def restore(self, archive: Archive, facts: dict[str, Any]) -> None:
        """Continue from the state and the arrays of a file."""
        own, last, chain = facts["agent"], facts["sight"]["last"], self.chain
        self.hands, self._path, self._stale = int(own["hands"]), set(own["path"]), bool(own["stale"])
        self._last = None if last is None else (int(last[0]), int(last[1]))
        for name, home in _arrays(chain).items():
            home[:] = checked_array(archive, name, home.shape, chain.game.name, home.dtype.kind)
        chain.planned = bool(chain.decided.any())


def _arrays(chain: SearchState) -> dict[str, AnyArray]:
    """The arrays of a chain, as files have them."""
    return {
        "behaviour": chain.behaviour, "other": chain.other, "infosets": chain.claims.infosets,
        "sequences": chain.claims.sequences, "decided": chain.decided,
    }  # fmt: skip


def _name(decision: Decision) -> str:
    """A decision in log lines."""
    return f"public state {decision.state} (level {decision.level})"


class CompiledSearch(ListedSearch):
    """Look-aheads in a compiled game."""

    is_whole = True

    def __init__(self, game: GameTree, seat: int, search: Search, model: Source = None, **settings: Any) -> None:
        search.depth.clock(game)  # refuses a depth that the game has not
        _ = game.trees[seat].labels.index  # made now, so that the first decision is as fast as the rest
        super().__init__(game, seat, search, model, **settings)

    @property
    def strategy(self) -> Strategy:
        return Strategy(self.game.trees[self.seat], self.chain.behaviour)

    def see(self, observation: str) -> PublicPosition:
        labels = self.game.trees[self.seat].labels
        check_observation(observation)
        if observation not in labels.index:
            raise no_infoset(self.game.name, observation, labels.infosets, f" of player {self.seat}")
        number = labels.index[observation]
        lane = labels.lanes[number]
        if lane < 0:
            return PublicPosition(labels.actions[number], -1, None)
        tree, follows = self.game.trees[self.seat], True
        parent = int(tree.arrays.parent[lane])
        if self._last is None:
            follows = parent == 0
        elif lane != self._last[0]:
            follows = parent == range(tree.size)[tree.sequences_of(self._last[0])][self._last[1]]
        return PublicPosition(labels.actions[number], lane, self.by_lane[lane], follows)
