"""The statistics of a strategy that plays itself, exact over hands and actions, on drawn boards.

Both players' reaches are carried down the betting tree, and a statistic is what the reaches of its decisions give: no hand
is drawn, and before the flop nothing is sampled at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from math import comb

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.opponents.villain.seen_decisions import WENT, NodeActions, counted_nodes
from counterplay.poker.betting.state import BettingState, Kind
from counterplay.poker.cards.deck import CARDS
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame, number_sequences
from counterplay.poker.whole_game.strategy import BlueprintStrategy, lanes_of_hands, reaches

Sums = dict[str, F64]
Plans = Sequence[F64]
"""(sequences, hands) reach of both players on a street."""


class StrategyFigures:
    """The statistics of one strategy in both seats. other: whom it meets; itself if None."""

    def __init__(self, game: HoldemGame, play: BlueprintStrategy, other: BlueprintStrategy | None = None) -> None:
        self.game, self.play, self.other = game, play, other
        betting, deck = game.betting, game.deck
        self._last = number_sequences(betting).at
        self._showdowns = [self._last[node] for node in range(betting.nodes) if betting.kind[node] == Kind.SHOWDOWN]
        self._holds = np.zeros((len(deck.hands), CARDS))
        self._holds[np.arange(len(deck.hands))[:, None], deck.hands] = 1.0

    def of_strategy(self, play: BlueprintStrategy) -> StrategyFigures:
        """Those of another strategy, which meets the same player; the decisions are not searched again."""
        other = copy(self)
        other.play = play
        return other

    def figures(self, boards: int, seed: int = 0) -> dict[str, float]:
        """Each statistic that the strategy ever counts in. boards: how many are drawn."""
        rng, sums = np.random.default_rng(seed), dict[str, F64]()
        self._nodes  # noqa: B018 - listed once for all that `of_strategy` makes
        early = self._plans_before_flop(self.play)
        met = early if self.other is None else self._plans_before_flop(self.other)
        self._add(sums, 0, early, met)
        for _ in range(boards):
            dealt = rng.permutation(np.array(self.game.deck.cards))[: DEALT[self.game.last]].tolist()
            self._add_board(sums, early, met, (*sorted(dealt[: DEALT[1]]), *dealt[DEALT[1] :]))
        return {name: float(hit / n) for name, (hit, n) in sums.items() if n > 0.0}

    def _add_board(self, sums: Sums, early: Plans, met: Plans, cards: tuple[int, ...]) -> None:
        plans, others = early, met
        for street in range(1, self.game.last + 1):
            shown = cards[: DEALT[street]]
            plans = [self._plan(self.play, player, street, plans[player], shown) for player in (0, 1)]
            if self.other is not None:
                others = [self._plan(self.other, player, street, others[player], shown) for player in (0, 1)]
            else:
                others = plans
            self._add(sums, street, plans, others)
        live = self.game.deck.live(cards)  # so that both are counted over the same hands
        seats = [(plans[0], others[1], early[0], met[1])]
        if self.other is not None:
            seats.append((others[0], plans[1], met[0], early[1]))
        for one, two, first, second in seats:
            shown_down = sum(self._mass((one, two), *at) for at in self._showdowns)
            begins = [plan[side.entry] * live for side, plan in zip(self.game.sides, (first, second), strict=True)]
            saw_flop = sum(self._mass(begins, entry, entry) for entry in range(len(begins[0])))
            sums[WENT] = sums.get(WENT, np.zeros(2)) + np.array((shown_down, saw_flop))

    def _add(self, sums: Sums, street: int, plans: Plans, others: Plans) -> None:
        met, cards = [self._met(plan) for plan in others], len(self.game.deck.cards) - DEALT[street]
        pairs = comb(cards, 2) * comb(cards - 2, 2)  # of hands that go with a board: the weight of the street
        for name, state, (node, hits, among), first in self._nodes:
            if state.street == street:
                player = int(state.kind)
                plan, other = plans[player][first:], met[1 - player][self._last[node][1 - player]]
                sums[name] = sums.get(name, np.zeros(2)) + [
                    float((plan[list(rows)] @ other).sum()) / pairs for rows in (hits, among)
                ]

    def _mass(self, plans: Plans, first: int, second: int) -> float:
        return float(plans[0][first] @ self._met(plans[1][[second]])[0])

    def _met(self, plan: F64) -> F64:
        """(sequences, hands) the reach of all hands of a player that go with each hand of the other."""
        by_card = plan @ self._holds
        one, two = self.game.deck.hands.T
        out: F64 = plan.sum(axis=1)[:, None] - by_card[:, one] - by_card[:, two] + plan
        return out

    def _plans_before_flop(self, play: BlueprintStrategy) -> Plans:
        group = self.game.boards.group
        return [reaches(side, play.preflop[k])[:, group] for k, side in enumerate(self.game.sides)]

    def _plan(self, play: BlueprintStrategy, player: int, street: int, before: F64, cards: tuple[int, ...]) -> F64:
        """(sequences, hands) a player's reach on a board."""
        side = self.game.sides[player]
        table, lane = lanes_of_hands(self.game, play, player, cards)
        rows: AnyArray = np.asarray(table, np.float64)[:, lane]
        plan = np.zeros((side.sizes[street], before.shape[1]))
        plan[: len(side.entries[street])] = before[side.entries[street]] * self.game.deck.live(cards)
        for _, above, first, count in side.decisions[street].tolist():
            plan[first : first + count] = plan[above] * rows[first : first + count]
        return plan

    @cached_property
    def _nodes(self) -> list[tuple[str, BettingState, NodeActions, int]]:
        """Every decision of the tree in every statistic, and the first sequence of the player there."""
        firsts = {int(row[0]): int(row[2]) for side in self.game.sides for rows in side.decisions for row in rows}
        return [(*counted, firsts[counted[2].node]) for counted in counted_nodes(self.game.betting)]
