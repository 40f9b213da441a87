"""Models in whole games of hold'em that are made row by row: random ones, others with noise, and those of observed hands.

Trust in a model is given row by row: at each decision of each lane its player follows it with some probability, drawn anew
there, and is free otherwise (data-biased responses, Johanson and Bowling 2009). Decisions that stand always follow it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, U32, AnyArray, Flags
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.boards.board import DEALT, HAND, HANDS, Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    BucketedStrategy,
    LastBoardCache,
    ModelMixture,
    change_tables,
    empty_blocks,
    normalise_rows,
    places_of_hands,
    strategy_of,
)
from counterplay.poker.whole_game.values.board_walk import BoardWalk, ChoiceRule, raise_classes
from counterplay.poker.whole_game.values.measure import preflop_values_against
from counterplay.treeplex.sweeps import ENOUGH

Cards = tuple[int, ...]
_KEPT = 16
"""Boards that are remembered."""
_DEAL, _SHOWDOWN = int(Kind.DEAL), int(Kind.SHOWDOWN)  # members of enumerations are slow to look up
Plays = tuple[BlueprintStrategy | None, BlueprintStrategy | None]
"""The strategies of seats 0 and 1; None plays uniformly."""


class DrawnChoice(NamedTuple):
    """A decision of a hand. player: who acts. node: of the betting tree. choice: number of the action. board: its cards
    then."""

    player: int
    node: int
    choice: int
    board: Cards


class DrawnHand(NamedTuple):
    """A hand. holes: of both seats. board: the cards dealt. ended: the last betting node. choices: of both, in
    order."""

    holes: tuple[Cards, Cards]
    board: Cards
    ended: int
    choices: tuple[DrawnChoice, ...]


class HandDraw:
    """Draws hands of a game. first: by player, the first row of each of the betting nodes in the tables of
    strategies."""

    def __init__(self, game: HoldemGame, seed: int | Sequence[int]) -> None:
        self._game, self._rng = game, np.random.default_rng(seed)
        self._cards = np.array(game.deck.cards)
        self._kind, self._street = game.betting.kind.tolist(), game.betting.street.tolist()
        self._met: dict[Cards, tuple[Board, I64]] = {}
        self.first = [{int(row[0]): int(row[2]) for rows in side.decisions for row in rows} for side in game.sides]

    def hand(self, plays: Plays) -> DrawnHand:
        """A hand between two strategies."""
        betting, kind = self._game.betting, self._kind
        cards = self._rng.permutation(self._cards)[: HANDS + DEALT[self._game.last]].tolist()
        holes = tuple(sorted(cards[:HAND])), tuple(sorted(cards[HAND:HANDS]))
        shown, node = (*sorted(cards[HANDS : HANDS + DEALT[1]]), *cards[HANDS + DEALT[1] :]), 0
        choices: list[DrawnChoice] = []
        while kind[node] <= _DEAL and (children := betting.children(node)):
            who, choice = kind[node], 0
            if who != _DEAL:
                board = shown[: DEALT[self._street[node]]]
                choice = self._choice(plays[who], who, node, holes[who], board)
                choices.append(DrawnChoice(who, node, choice, board))
            node = children[choice]
        street = self._game.last if kind[node] == _SHOWDOWN else self._street[node]
        return DrawnHand(holes, shown[: DEALT[street]], node, tuple(choices))

    def _choice(self, play: BlueprintStrategy | None, player: int, node: int, hole: Cards, board: Cards) -> int:
        count = len(self._game.betting.children(node))
        if play is None:
            return int(self._rng.integers(count))
        first, hand = self.first[player][node], self._game.deck.hand(*hole)
        if board:
            if board not in self._met:  # both players meet it, and more than once
                if len(self._met) >= _KEPT:
                    self._met.clear()
                self._met[board] = places_of_hands(self._game, board)
            here, places = self._met[board]
            table, lane = play.on(player, here)
            at = int(lane[places[hand]])
        else:
            table, at = play.preflop[player], int(self._game.boards.group[hand])
        odds = np.asarray(table[first : first + count, at], np.float64)
        up_to = np.cumsum(odds / odds.sum())  # as `Generator.choice` draws, without its checks
        return int(np.searchsorted(up_to / up_to[-1], self._rng.random(), side="right"))


def random_strategy(game: HoldemGame, lanes: CardAbstraction, seed: int, alpha: float) -> BucketedStrategy:
    """Both players' strategies, every row of the lanes drawn from a symmetric Dirichlet distribution."""
    rng = np.random.default_rng(seed)

    def blocks(player: int, street: int) -> list[AnyArray]:
        tables = empty_blocks(game, lanes, player, street)
        for table in tables:
            for _, _, first, count in game.sides[player].decisions[street].tolist():
                table[first : first + count] = rng.dirichlet(np.full(count, alpha), table.shape[1]).T
        return tables

    return strategy_of(game, lanes, blocks)


@dataclass(frozen=True, eq=False)
class NoisyStrategy:
    """A strategy that at every decision is uniform with probability `weight`, else as `base`."""

    game: HoldemGame
    base: BlueprintStrategy
    weight: float
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False, init=False)

    @property
    def preflop(self) -> tuple[F64, F64]:
        (one, two), early = self.game.sides, self.base.preflop
        return noisy(early[0], one.preflop, self.weight), noisy(early[1], two.preflop, self.weight)

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        table, lane = self.base.on(player, board)
        decisions = self.game.sides[player].decisions[board.street]
        return self._latest.get(player, board, lambda *_: noisy(table, decisions, self.weight)), lane


def add_noise(game: HoldemGame, play: BlueprintStrategy, weight: float) -> BlueprintStrategy:
    """A strategy with noise, in the same tables if it has them."""
    if not isinstance(play, BucketedStrategy):
        return NoisyStrategy(game, play, weight)
    return change_tables(game, play, lambda table, decisions: noisy(table, decisions, weight))


def noisy(table: AnyArray, decisions: I64, weight: float) -> AnyArray:
    """(sequences, lanes) a table mixed with the uniform one; decisions are (decisions, 4) as in `StreetDecisions`."""
    out = table.copy()
    for _, _, first, count in decisions.tolist():
        out[first : first + count] = (1.0 - weight) * table[first : first + count] + weight / count
    return out


@dataclass(frozen=True, eq=False)
class ObservedStrategy:
    """Relative frequencies of actions; rows without an observation are uniform. counts: how often each action was
    seen."""

    play: BucketedStrategy
    counts: BucketedStrategy
    tells_visits = True

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.play.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return self.play.on(player, board)

    def known_on(self, player: int, board: Board) -> F64:
        """(sequences, lanes) how well the rows of a board are known, from 0 to 1; before the flop (sequences,
        classes)."""
        seen = self.counts.on(player, board)[0] if board.street else self.counts.preflop[player]
        return np.minimum(1.0, np.asarray(seen, np.float64) / ENOUGH)


def observe_hands(
    game: HoldemGame, play: BlueprintStrategy, lanes: CardAbstraction, hands: int, seed: int
) -> ObservedStrategy:
    """Model of each player by their hands against a uniform one, all cards seen. lanes: what has a row of its own.
    hands: for each player."""
    counts = []
    for player in (0, 1):
        draw, met = HandDraw(game, (seed, player)), (play, None) if player == 0 else (None, play)
        tables = [empty_blocks(game, lanes, player, street) for street in range(game.last + 1)]
        for drawn in (draw.hand(met) for _ in range(hands)):
            hand = game.deck.hand(*drawn.holes[player])
            for _, node, choice, board in (one for one in drawn.choices if one.player == player):
                block, lane = 0, int(lanes.preflop[game.boards.group[hand]])
                if board:
                    here, places = places_of_hands(game, board)
                    block, lane_at = lanes.lanes_on(here)
                    lane = int(lane_at[places[hand]])
                tables[int(game.betting.street[node])][block][draw.first[player][node] + choice, lane] += 1.0
        counts.append(tables)

    def totals(table: F64, decisions: I64) -> F64:
        """(sequences, lanes) observations of the whole row, at each of its actions."""
        out = np.zeros_like(table)
        for _, _, first, count in decisions.tolist():
            out[first : first + count] = table[first : first + count].sum(axis=0)
        return out

    def strategy(change: Callable[[F64, I64], F64]) -> BucketedStrategy:
        def blocks(player: int, street: int) -> list[AnyArray]:
            return [change(table, game.sides[player].decisions[street]) for table in counts[player][street]]

        return strategy_of(game, lanes, blocks)

    return ObservedStrategy(strategy(normalise_rows), strategy(totals))


class TrustedRows(NamedTuple):
    """Rows of a model on a board: (sequences, lanes) probabilities, and those with which it is followed; (n,) lane of
    the hand at each place."""

    table: AnyArray
    trust: AnyArray
    lane: U32

    def followed(self, free: AnyArray) -> AnyArray:
        """(sequences, n) what is played where the free player chooses (sequences, n) `free`."""
        trust = self.trust[:, self.lane]
        with np.errstate(invalid="ignore", over="ignore"):  # row 0 of `free` is neither written nor read
            return np.ascontiguousarray(trust * self.table[:, self.lane] + (1.0 - trust) * free, free.dtype)


class RowTrust:
    """The trust in a model at all of its rows: p where it was in training, 0 where it never was, and p at all of them
    if it does not tell; 1 where it is drawn for whole hands."""

    def __init__(self, game: HoldemGame, mixture: ModelMixture) -> None:
        self.player, self.game, self._mixture = mixture.player, game, mixture
        self._latest = LastBoardCache()
        classes = np.arange(game.boards.classes, dtype=np.uint32)
        self._early = self._rows(game.boards.root, mixture.model.preflop[self.player], classes)

    def binds(self, street: int) -> bool:  # noqa: ARG002 - decisions that stand do so on some streets only
        """Return whether rows of a street are trusted."""
        return True

    def on(self, board: Board) -> TrustedRows:
        """The rows of a board after the flop is dealt."""
        model = self._mixture.model
        return self._latest.get(self.player, board, lambda who, here: self._rows(here, *model.on(who, here)))

    def before_flop(self, free: F64, group: U32) -> F64:
        """(sequences, classes) what is played where the free player chooses (sequences, lanes); group: (classes,)
        lanes."""
        return self._early.followed(free[:, group])

    def raise_before_flop(self, free: F64, group: U32, worth: F64, summed: F64) -> None:
        """Add to (sequences, lanes) `summed` the values of all sequences before the flop (see `raise_classes`)."""
        by_class = np.zeros_like(worth)
        played, every = self.before_flop(free, group), self._early.lane
        raise_classes(self.game.sides[self.player].preflop, played, every, worth, by_class)
        np.add.at(summed.T, group, by_class.T)

    def _rows(self, board: Board, table: AnyArray, lane: U32) -> TrustedRows:
        mixture, model = self._mixture, self._mixture.model
        trust = np.full(table.shape, mixture.p if mixture.by_row else 1.0, table.dtype)
        if mixture.by_row and getattr(model, "tells_visits", False):
            trust *= getattr(model, "known_on")(self.player, board)  # noqa: B009
        return TrustedRows(table, trust, lane)


class StandingDecisions(RowTrust):
    """The decisions of a player before a street, bound to a strategy: trusted rows with probability 1. street: at whose
    deal the player becomes free. beside: whether the player is also free wherever no betting leads to that street."""

    def __init__(
        self, game: HoldemGame, player: int, play: BlueprintStrategy, street: int = 1, *, beside: bool = False
    ) -> None:
        self.play, self.street = play, street
        side, betting, self._rows_on = game.sides[player], game.betting, list[Flags]()
        nodes = [int(node) for node in game.roots[street] if betting.children(int(node))]
        for before in range(street):  # of each street, (sequences,) whether each stands
            self._rows_on.append(np.zeros(side.sizes[before], np.bool_))
            for node, _, first, count in side.decisions[before].tolist():
                leads = any(node < later < int(betting.end[node]) for later in nodes)
                self._rows_on[-1][first : first + count] = leads or not beside
        super().__init__(game, ModelMixture(player, play, 1.0, by_row=True))

    def binds(self, street: int) -> bool:
        return street < self.street

    def all_on(self, street: int) -> bool:
        """Return whether all decisions of a street stand."""
        side = self.game.sides[self.player]
        return self.binds(street) and bool(self._rows_on[street][side.decisions[street][:, 2]].all())

    def raise_rows(self, street: int, played: AnyArray, worth: AnyArray) -> None:
        """Add to the values (sequences, hands) of every sequence those of what follows: the mean where a decision
        stands, else the best."""
        for _, before, first, count in self.game.sides[self.player].decisions[street][::-1].tolist():
            rows = slice(first, first + count)
            stands = self._rows_on[street][first]
            worth[before] += (played[rows] * worth[rows]).sum(axis=0) if stands else worth[rows].max(axis=0)

    def freed(self, street: int, table: AnyArray) -> AnyArray:
        """(sequences, lanes) the player's own reach: free decisions as in `table`, others at 1, since what stands
        weighs alike in all iterations."""
        return np.where(self._rows_on[street][:, None], table.dtype.type(1.0), table)

    def continued(self, free: BucketedStrategy) -> BlueprintStrategy:
        """The strategy before the street, a free one from there on."""
        if self.street == 1 and self.all_on(0):
            early = list(free.preflop)
            early[self.player] = self.play.preflop[self.player]
            return BucketedStrategy(free.buckets, (early[0], early[1]), free.tables)
        return ContinuedStrategy(self, free)

    def best_value(self, theirs: BlueprintStrategy) -> float:
        """Chips a hand of a player who responds best where they are free."""
        game, player = self.game, self.player
        walk = BoardWalk(game, player, theirs, rule=_Continuing(self) if self.street > 1 else None)
        worth = preflop_values_against(game, player, theirs, walk.entry_values())
        self.raise_rows(0, self.play.preflop[player], worth)
        return float(worth[0].sum() / game.deals)

    def _rows(self, board: Board, table: AnyArray, lane: U32) -> TrustedRows:
        trust = np.zeros(table.shape, table.dtype)
        if self.binds(board.street):
            trust[self._rows_on[board.street]] = 1.0
        return TrustedRows(table, trust, lane)


@dataclass(frozen=True, eq=False)
class ContinuedStrategy:
    """A strategy whose decisions before a street are those of another one."""

    standing: StandingDecisions
    free: BlueprintStrategy

    @cached_property
    def preflop(self) -> tuple[F64, F64]:
        early, player = list(self.free.preflop), self.standing.player
        early[player] = self.standing.before_flop(early[player], np.arange(early[player].shape[1], dtype=np.uint32))
        return early[0], early[1]

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        table, lane = self.free.on(player, board)
        if player != self.standing.player or not self.standing.binds(board.street):
            return table, lane
        return self.standing.on(board).followed(table[:, lane]), np.arange(len(lane), dtype=np.uint32)


@dataclass(frozen=True)
class _Continuing(ChoiceRule):
    """The choices of a best responder some of whose decisions stand."""

    standing: StandingDecisions

    def estimates(self, board: Board, plan: AnyArray, values: AnyArray) -> AnyArray | None:  # noqa: ARG002
        if not self.standing.binds(board.street):
            return None
        rows = self.standing.on(board)
        out = np.zeros_like(values)
        out[:, : len(board.hand)] = rows.table[:, rows.lane]
        return out

    def raise_values(self, decisions: AnyArray, estimates: AnyArray, values: AnyArray, n: int, run: int) -> None:
        of_streets = self.standing.game.sides[self.standing.player].decisions
        street = next(street for street, own in enumerate(of_streets) if own is decisions)
        self.standing.raise_rows(street, estimates[:, :n], values.reshape(-1, run)[:, :n])
