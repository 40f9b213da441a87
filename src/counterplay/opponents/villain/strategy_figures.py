"""The statistics of a strategy that plays itself, exact over hands and actions, on drawn boards.

Both players' reaches are carried down the betting tree, and a statistic is what the reaches of its decisions give: no hand
is drawn, and before the flop nothing is sampled at all.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.opponents.villain.seen_decisions import WENT, kind_of, walk_tree
from counterplay.poker.betting.state import Kind, Move
from counterplay.poker.cards.deck import CARDS
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame, number_sequences
from counterplay.poker.whole_game.lookup import lanes_of_hands
from counterplay.poker.whole_game.strategy import BlueprintStrategy, reaches

Sums = dict[str, F64]


class CountedNode(NamedTuple):
    """A decision that counts in a statistic. before: the player's sequence. other: the other one's. hits, among: sequences
    of the actions that count in its favour, and of those that count at all."""

    name: str
    player: int
    street: int
    other: int
    hits: tuple[int, ...]
    among: tuple[int, ...]


class StrategyFigures:
    """The statistics of one strategy in both seats. other: whom it meets; itself if None."""

    def __init__(self, game: HoldemGame, play: BlueprintStrategy, other: BlueprintStrategy | None = None) -> None:
        self.game, self.play, self.other = game, play, other
        self._numbered = number_sequences(game.betting)
        deck = game.deck
        self._holds = np.zeros((len(deck.hands), CARDS))
        self._holds[np.arange(len(deck.hands))[:, None], deck.hands] = 1.0

    def of_strategy(self, play: BlueprintStrategy) -> StrategyFigures:
        """Those of another strategy, which meets the same player; the decisions are not searched again."""
        found = copy(self)
        found.play = play
        return found

    def figures(self, boards: int, seed: int = 0) -> dict[str, float]:
        """Each statistic that the strategy ever counts in. boards: how many are drawn."""
        rng, sums = np.random.default_rng(seed), dict[str, F64]()
        self._nodes  # noqa: B018 - found once for all that `of_strategy` makes
        early = self._plans_before_flop(self.play)
        met = early if self.other is None else self._plans_before_flop(self.other)
        self._add(sums, 0, early, met)
        for _ in range(boards):
            dealt = rng.permutation(np.array(self.game.deck.cards))[: DEALT[self.game.last]].tolist()
            self._add_board(sums, early, met, (*sorted(dealt[: DEALT[1]]), *dealt[DEALT[1] :]))
        return {name: float(hit / n) for name, (hit, n) in sums.items() if n > 0.0}

    def _add_board(self, sums: Sums, early: tuple[F64, F64], met: tuple[F64, F64], cards: tuple[int, ...]) -> None:
        plans, others = early, met
        for street in range(1, self.game.last + 1):
            shown = cards[: DEALT[street]]
            plans = self._plans(self.play, street, plans, shown)
            others = plans if self.other is None else self._plans(self.other, street, others, shown)
            self._add(sums, street, plans, others)
        live = self.game.deck.live(cards)  # so that both are counted over the same hands
        seats = [(plans[0], others[1], early[0], met[1])]
        if self.other is not None:
            seats.append((others[0], plans[1], met[0], early[1]))
        for one, two, first, second in seats:
            shown_down = sum(self._mass((one, two), *at) for at in self._showdowns)
            begins = [plan[side.entry] * live for side, plan in zip(self.game.sides, (first, second), strict=True)]
            saw_flop = sum(self._mass((begins[0], begins[1]), entry, entry) for entry in range(len(begins[0])))
            self._count(sums, WENT, shown_down, saw_flop)

    def _plans(
        self, play: BlueprintStrategy, street: int, before: tuple[F64, F64], cards: tuple[int, ...]
    ) -> tuple[F64, F64]:
        return self._plan(play, 0, street, before[0], cards), self._plan(play, 1, street, before[1], cards)

    @cached_property
    def _showdowns(self) -> list[tuple[int, int]]:
        """Both players' sequences at the showdowns."""
        betting = self.game.betting
        return [self._numbered.at[n] for n in range(betting.nodes) if betting.kind[n] == Kind.SHOWDOWN]

    def _add(self, sums: Sums, street: int, plans: tuple[F64, F64], others: tuple[F64, F64]) -> None:
        met, pairs = [self._met(plan) for plan in others], self._pairs(street)
        for node in self._nodes:
            if node.street == street:
                other, plan = met[1 - node.player][node.other], plans[node.player]
                hit, among = (float((plan[list(rows)] @ other).sum()) for rows in (node.hits, node.among))
                self._count(sums, node.name, hit / pairs, among / pairs)

    def _pairs(self, street: int) -> int:
        """Pairs of hands that go with a board: streets weigh by their share of these."""
        cards = len(self.game.deck.cards) - DEALT[street]
        return comb(cards, 2) * comb(cards - 2, 2)

    @staticmethod
    def _count(sums: Sums, name: str, hit: float, n: float) -> None:
        sums.setdefault(name, np.zeros(2))
        sums[name] += hit, n

    def _mass(self, plans: tuple[F64, F64], first: int, second: int) -> float:
        return float(plans[0][first] @ self._met(plans[1][[second]])[0])

    def _met(self, plan: F64) -> F64:
        """(sequences, hands) the reach of all hands of a player that go with each hand of the other."""
        by_card = plan @ self._holds
        one, two = self.game.deck.hands.T
        out: F64 = plan.sum(axis=1)[:, None] - by_card[:, one] - by_card[:, two] + plan
        return out

    def _plans_before_flop(self, play: BlueprintStrategy) -> tuple[F64, F64]:
        group = self.game.boards.group
        one, two = (reaches(side, play.preflop[k])[:, group] for k, side in enumerate(self.game.sides))
        return one, two

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
    def _nodes(self) -> list[CountedNode]:
        """Every decision of the tree in every statistic."""
        firsts = {int(row[0]): int(row[2]) for side in self.game.sides for rows in side.decisions for row in rows}
        found = list[CountedNode]()
        for node, state, watch in walk_tree(self.game.betting):
            moves = [kind_of(Move(int(self.game.betting.move[child]))) for child in self.game.betting.children(node)]
            player, first = int(state.kind), firsts[node]
            for name, hits, among in watch.statistics(state):
                rows = [tuple(first + k for k, move in enumerate(moves) if move in kinds) for kinds in (hits, among)]
                other = self._numbered.at[node][1 - player]
                found.append(CountedNode(name, player, state.street, other, rows[0], rows[1]))
        return found
