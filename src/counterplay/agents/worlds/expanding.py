"""Look-aheads in a game too large for memory, which is expanded along the agent's path."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.agents.agent import Source
from counterplay.agents.worlds.histories import ListedSearch, PublicPosition
from counterplay.archive import Archive
from counterplay.arrays import I64, Flags
from counterplay.errors import InputError
from counterplay.games.game import LIMIT, Game
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.load import expand_game, only_root
from counterplay.lookahead.decisions import Claims, SearchState, top_of
from counterplay.lookahead.search import Search
from counterplay.opponents.opponent import actor, opponent
from counterplay.subgames.cut import cut, in_states
from counterplay.treeplex.strategy import Strategy, check_observation, no_infoset


class ExpandingSearch(ListedSearch):
    """Look-aheads in a game written as rules, which is expanded from each decision down to the limit of its look-ahead,
    within a limit in GiB; the value function must not be the exact one."""

    def __init__(
        self,
        rules: Game,
        seat: int,
        search: Search,
        model: Source = None,
        *,
        memory: float | None = None,
        **settings: Any,
    ) -> None:
        if search.exact:
            raise InputError(f"{rules.name} is expanded lazily and has no exact values; name a value function")
        self._memory = memory
        self._steps: list[tuple[list[int], int]] = []
        self._root = only_root(rules)
        self._opening: tuple[SearchState, list[tuple[list[int], int]]] | None = None
        self._open = True  # whether the first look-ahead is still to be solved, or to be continued
        super().__init__(self._root, seat, search, model, **settings)

    def modelled(self, source: Source) -> Strategy | None:
        if source is not None:
            actor(self.game.rules, source)  # refuses a model that needs the whole game in memory
        model = super().modelled(source)
        self.chain.source = source
        return model

    def changed(self) -> None:
        """Discard the first look-ahead."""
        self._opening, self._open = None, True

    @property
    def keeps(self) -> bool:
        """Only the first look-ahead is kept."""
        return self._last is None and self._open

    def go_back(self) -> None:
        if self._opening is not None:
            self.chain, self._steps = self._opening[0].copy(), list(self._opening[1])
        elif self.game is not self._root:
            self._steps = []
            self.chain = SearchState(self._root, self.seat, self.search)
            self.chain.model, self.chain.source = self._model_of(self._root), self.model
        self._decisions, self._last = None, None

    def see(self, observation: str) -> PublicPosition:
        """The position after an observation; the game is expanded as far as its look-ahead sees. If that fails, nothing
        has changed."""
        check_observation(observation)
        chain, steps = self.chain, len(self._steps)
        try:
            return self.at(self._find(observation))
        except InputError:
            self.chain, self._decisions = chain, None
            del self._steps[steps:]
            raise

    def at(self, history: int) -> PublicPosition:
        """The position at a history where the seat decides."""
        game, depth = self.game, self.search.depth
        until = int(depth.clock(game)[history]) + depth.span
        if game.histories.player[history] == LIMIT:
            public = int(game.public[0][game.histories.info[0][history]])
            self._grow(in_states(game, [public]), until)
        number = int(self.game.histories.info[self.seat][history])
        rules: Any = self.game.rules
        state = self.game.state(history)
        names = tuple(str(rules.action_name(state, action)) for action in rules.actions(state))
        lane = int(self.game.lanes[self.seat][number])
        if lane < 0:
            return PublicPosition(names, -1, None)
        top = top_of(self.game, self.by_lane[lane], depth)
        self._grow(np.asarray(cut(self.game, [top], self.seat).root >= 0), until)
        lane = int(self.game.lanes[self.seat][number])
        return PublicPosition(names, lane, self.by_lane[lane])

    def acted(self, action: int) -> None:
        if self._here.lane >= 0:
            number = int(np.flatnonzero(self.game.lanes[self.seat] == self._here.lane)[0])
            troubled = self.chain.model is None and self.model is not None
            if self.keeps and not troubled:
                self._open = self.chain.final is not None
                self._opening = (self.chain.final or self.chain).copy(), list(self._steps)
            self._last = number, action

    def _find(self, observation: str) -> int:
        """A history of the agent's infoset of this text, after the last own action or where that was taken."""
        if self._last is not None:
            again = int(np.flatnonzero(self.game.histories.info[self.seat] == self._last[0])[0])
            if self._observed(again, observation):
                return again
        while True:
            game, taken = self.game, 0  # the plan index of the last own action
            table, tree = game.histories, game.trees[self.seat]
            if self._last is not None:
                number, action = self._last
                taken = range(tree.size)[tree.sequences_of(int(game.lanes[self.seat][number]))][action]
            mine = game.sequences[self.seat] == taken
            here = np.flatnonzero(mine & ((table.player == self.seat) | (table.player == LIMIT)))
            first = np.unique(table.info[self.seat][here], return_index=True)[1]
            for history in here[first].tolist():
                if self._observed(history, observation):
                    return int(history)
            closed = np.flatnonzero(mine & (table.player == LIMIT))
            if not len(closed):
                known = [game.rules.infoset(game.state(history), self.seat) for history in here[first].tolist()]
                raise no_infoset(game.name, observation, known, f" of player {self.seat} where the agent could be")
            self.expand_at(closed)

    def expand_at(self, closed: I64) -> None:
        """Expand the public states of histories (n,) of the limit by a level."""
        game = self.game
        states = np.unique(game.public[0][game.histories.info[0][closed]]).tolist()
        self._expand(np.flatnonzero(in_states(game, states) & (game.histories.player == LIMIT)), 1)

    def _observed(self, history: int, observation: str) -> bool:
        """Return whether the seat decides at a history with this observation."""
        rules, state = self.game.rules, self.game.state(history)
        return rules.player(state) == self.seat and rules.infoset(state, self.seat) == observation

    def _grow(self, inside: Flags, until: int) -> None:
        """Expand the unexpanded histories inside, (H,), and those below them, up to this clock."""
        depth = self.search.depth
        while True:
            game = self.game
            which = np.flatnonzero(inside & (game.histories.player == LIMIT))
            clock = depth.clock(game)[which]
            which, clock = which[clock <= until], clock[clock <= until]
            if not len(which):
                return
            least = int(clock.min())
            self._expand(which[clock == least], until + 1 - least if depth.levels else 1)
            inside = np.append(inside, np.ones(len(self.game.histories) - len(inside), np.bool_))

    def _expand(self, which: I64, levels: int) -> None:
        game = expand_game(self.game, which, levels, self._memory)
        self._decisions = None
        model = self._model_of(game) if self.chain.model is not None else None
        chain, final = _carried(self.chain, game), self.chain.final
        chain.model = model
        if final is not None:
            chain.final = _carried(final, game)
            chain.final.model = model
        self.chain = chain
        self._steps.append((which.tolist(), levels))

    def state(self) -> dict[str, Any]:
        return {**super().state(), "steps": self._steps}

    def restore(self, archive: Archive, facts: dict[str, Any]) -> None:
        for which, levels in facts["sight"]["steps"]:
            self._expand(np.array(which, np.int64), int(levels))
        super().restore(archive, facts)

    def _model_of(self, game: GameTree) -> Strategy | None:
        """The model in the expanded part of the game; None if it fails there."""
        try:
            return None if self.model is None else opponent(game, self.model, 1 - self.seat)
        except InputError as error:
            self.troubles.append(f"in the rest of this hand there is no model: {error}")
            return None


def _carried(old: SearchState, game: GameTree) -> SearchState:
    """The chain carried to the same game, expanded further; without its model."""
    seat = old.seat
    chain = SearchState(game, seat, old.search, gap=old.gap, planned=old.planned, source=old.source)
    own, other = ((old.game.trees[i], game.trees[i], *_matched(old.game, game, i)) for i in (seat, 1 - seat))
    # own, other: (old tree, new tree, sequences in the old plan, the same sequences in the new plan).
    chain.behaviour[own[3]] = old.behaviour[own[2]]
    chain.other[other[3]] = old.other[other[2]]
    chain.decided[np.unique(own[1].owner[own[3][old.decided[own[0].owner[own[2]]]]])] = True
    infosets, sequences = chain.claims.infosets, chain.claims.sequences
    infosets[: len(old.claims.infosets)] = old.claims.infosets
    sequences[other[3]] = old.claims.sequences[other[2]]
    chain.claims = Claims(infosets, sequences)
    return chain


def _matched(old: GameTree, new: GameTree, player: int) -> tuple[I64, I64]:
    """The plan indices of all sequences that two states of a growing game share."""
    before, after = old.lanes[player], new.lanes[player][: len(old.lanes[player])]
    both = (before >= 0) & (after >= 0)
    places = []
    for tree, lanes in ((old.trees[player], before[both]), (new.trees[player], after[both])):
        first, stride, actions = tree.lane_sequences
        counts = actions[lanes]
        action = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        places.append(np.repeat(first[lanes], counts) + action * np.repeat(stride[lanes], counts))
    return places[0], places[1]
