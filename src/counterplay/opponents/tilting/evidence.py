"""What hands show of a player, as arrays: at every decision, what the prior does with every hand that may be held.

Decisions are treated alike by category: context, strength of the hand, and kind of action. The context is street × what is
faced × raises before × seat. The strength of a hand is its quantile by how aggressively a strategy plays it at that very
decision: no other feature of hands is needed.

A row is a decision with a lane of hands. Decisions at the same node share what the prior does there, and those on the same
board the lanes of hands, so that a hidden hand takes a few bytes for each holding, not for each holding and action.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F32, F64, I64, AnyArray, Flags
from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.opponents.tilting.mapped_hands import MappedDecision, MappedHand, holdings
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Move
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy, change_rows, places_of_hands

KINDS = ("fold", "check or call", "bet or raise", "all-in")
KIND_OF = {move: 3 if move is Move.ALL_IN else 2 for move in Move} | {Move.FOLD: 0, Move.CHECK: 1, Move.CALL: 1}
QUANTILES = 5
_FACED, _RAISES = 3, 3
NOTHING_FACED, FACED_BET, FACED_ALL_IN = range(_FACED)
"""What is faced: nothing to call, a bet that can be raised, or one that can only be called."""
CONTEXTS = len(STREETS) * _FACED * _RAISES * 2
_BETTER = 0.1
"""How much more aggressive a bet is than the next smaller one."""
_ROUNDING = 6


class TreeDecision(NamedTuple):
    """A decision of a betting tree. player: who acts. rows: the sequences of its actions. context: from 0 to CONTEXTS -
    1. kinds: (actions,) index in KINDS of each action. scores: (actions,) how aggressive each is."""

    player: int
    rows: slice
    context: int
    kinds: I64
    scores: F64


class Categories:
    """The categories of a game's decisions under a strategy by buckets."""

    def __init__(self, game: HoldemGame, play: BucketedStrategy) -> None:
        self.game, self.play = game, play
        self._quantiles: dict[tuple[int, int], I64] = {}
        self._known: dict[tuple[tuple[int, ...], int], tuple[int, int]] = {}

    @cached_property
    def decisions(self) -> dict[int, TreeDecision]:
        """Decisions by betting node."""
        tree, found = self.game.betting, dict[int, TreeDecision]()
        for player, side in enumerate(self.game.sides):
            for rows in side.decisions:
                for node, _, first, count in rows.tolist():
                    moves = [Move(int(tree.move[child])) for child in tree.children(node)]
                    kinds = np.array([KIND_OF[move] for move in moves])
                    scores = kinds + _BETTER * np.arange(len(moves))  # by kind: 0 is a fold
                    context = context_of(self.game, node, player)
                    found[node] = TreeDecision(player, slice(first, first + count), context, kinds, scores)
        return found

    def lanes(self, board: tuple[int, ...]) -> tuple[int, I64]:
        """The block of a board, by its cards, and (hands,) the lane of each hand, of no meaning if blocked."""
        if not board:
            return 0, np.asarray(self.game.boards.group, np.int64)
        here, places = places_of_hands(self.game, board)
        block, lanes = self.play.buckets.lanes_on(here)
        return block, np.asarray(lanes, np.int64)[places]

    def at(self, node: int, block: int) -> tuple[AnyArray, I64]:
        """At a decision in a block: (actions, lanes) probabilities, and (lanes,) quantiles."""
        table, here = self.table(self.play, node, block)
        if (node, block) not in self._quantiles:
            self._quantiles[node, block] = self._quantiles_at(node, table[here])
        return table[here], self._quantiles[node, block]

    def table(self, play: BucketedStrategy, node: int, block: int) -> tuple[AnyArray, slice]:
        """The table (sequences, lanes) of a strategy that holds a decision, and the rows of its actions there."""
        one, street = self.decisions[node], int(self.game.betting.street[node])
        return play.tables[street - 1][one.player][block] if street else play.preflop[one.player], one.rows

    def changed(self, change: Callable[[int, I64, AnyArray], AnyArray]) -> BucketedStrategy:
        """The strategy changed decision by decision. change: a decision's node, the quantiles of its lanes and its rows
        (actions, lanes) give the new rows."""
        return change_rows(self.game, self.play, lambda node, rows: change(node, self._quantiles_at(node, rows), rows))

    def held(self, node: int, board: tuple[int, ...], hand: int) -> tuple[AnyArray, int, int, int]:
        """Of one hand, by its number in the deck: (actions,) probabilities, its quantile and lane, and the block.
        Lanes are kept: hands are gone through several times, and those of a board take a millisecond."""
        if (board, hand) not in self._known:
            block, lanes = self.lanes(board)
            self._known[board, hand] = block, int(lanes[hand])
        block, lane = self._known[board, hand]
        rows, quantile = self.at(node, block)
        return rows[:, lane], int(quantile[lane]), lane, block

    def _quantiles_at(self, node: int, rows: AnyArray) -> I64:
        """(lanes,) the quantile of each lane of a block; after the flop lanes weigh alike, before it by hands."""
        later = self.game.betting.street[node] > 0
        weights = None if later else np.bincount(self.game.boards.group).astype(float)
        return quantiles(rows, self.decisions[node].scores, weights)


def context_of(game: HoldemGame, node: int, player: int) -> int:
    """The context of a decision."""
    tree = game.betting
    moves = {Move(int(tree.move[child])) for child in tree.children(node)}
    faced = NOTHING_FACED if Move.FOLD not in moves else FACED_ALL_IN if max(moves) < Move.BET else FACED_BET
    raises, above = 0, node
    while above > 0 and tree.street[int(tree.parent[above])] == tree.street[node]:
        raises += tree.move[above] >= Move.BET and tree.move[above] != Move.DEAL
        above = int(tree.parent[above])
    code = int(tree.street[node]) * _FACED + faced
    return (code * _RAISES + min(int(raises), _RAISES - 1)) * 2 + player


def place_of_context(context: I64) -> tuple[I64, I64]:
    """Each (contexts,): the street of contexts, and what is faced there."""
    code = context // (2 * _RAISES)
    return code // _FACED, code % _FACED


def quantiles(rows: AnyArray, scores: F64, weights: F64 | None = None) -> I64:
    """(lanes,) the quantile of each lane by mean aggression, 0 for the most passive; equal ones share the middle. rows:
    (actions, lanes) probabilities. scores: (actions,) aggression of each action. weights: (lanes,) how many hands each
    lane has; None for alike."""
    mean = np.round(scores @ np.asarray(rows, np.float64), _ROUNDING)
    _, tie, count = np.unique(mean, return_inverse=True, return_counts=True)
    mass = count.astype(float) if weights is None else np.bincount(tie, weights)
    middle = (np.cumsum(mass) - 0.5 * mass) / mass.sum()
    return np.minimum(QUANTILES - 1, (QUANTILES * middle).astype(np.int64))[tie]  # type: ignore[no-any-return]


@kernel(loops=True)
def tilt_rows(kinds: Any, category: Any, weights: Any, tilted: Any) -> None:
    """Set `tilted`, (rows, KINDS), to the tilted strategy. weights: (categories, KINDS)."""
    for r in range(len(kinds)):
        factor, total = weights[category[r]], 0.0
        for k in range(len(factor)):
            total += kinds[r, k] * factor[k]
        for k in range(len(factor)):
            tilted[r, k] = kinds[r, k] * factor[k] / total


@kernel(loops=True)
def share_out(seen: Any, tilted: Any, begin: int, odds: Any, by_lane: Any) -> None:
    """Set (hands, holdings) `odds` to how likely each holding is, for the hands from `begin` on. tilted: (rows, KINDS)
    the strategy. odds: (hands, holdings) filled. by_lane: (holdings,) scratch."""
    for number in range(len(odds)):
        _share(seen, tilted, begin + number, odds[number], by_lane)


@kernel(loops=True)
def add_expected(
    seen: Any, tilted: Any, observed: Any, moved: Any, prior: Any, mass: Any, odds: Any, by_lane: Any
) -> float:
    """Add expected numbers of all decisions to (categories, KINDS) what was seen, and what the tilted strategy and the
    prior do there; return the log-likelihood of all hands. seen, tilted: as of `share_out`. observed, moved, prior:
    (categories, KINDS) added to: what was seen, and what the tilted strategy and the prior do. mass: (rows,) zeros; then
    the expected number of decisions in each row. odds, by_lane: (holdings,) scratch."""
    likely = 0.0
    for hand in range(len(seen.may)):
        likely += _share(seen, tilted, hand, odds, by_lane)
        for d in range(seen.first[hand], seen.first[hand + 1]):
            own, at, lanes, span = seen.kind[d], seen.row[d], seen.lanes[seen.board[d]], seen.spans[seen.board[d]]
            if span > len(odds):
                for j in range(len(odds)):
                    _count(seen, at + lanes[j], own, odds[j], mass, observed)
                continue
            for k in range(span):
                by_lane[k] = 0.0
            for j in range(len(odds)):
                by_lane[lanes[j]] += odds[j]
            for k in range(span):
                _count(seen, at + k, own, by_lane[k], mass, observed)
    for r in range(len(mass)):
        if mass[r] > 0.0:
            place = seen.category[r]
            for k in range(tilted.shape[1]):
                moved[place, k] += mass[r] * tilted[r, k]
                prior[place, k] += mass[r] * seen.kinds[r, k]
    return likely


@kernel(inline=True, inner=True)
def _count(seen: Any, row: int, kind: int, number: float, mass: Any, observed: Any) -> None:
    if number > 0.0:
        mass[row] += number
        observed[seen.category[row], kind] += number


@kernel(inner=True)
def _share(seen: Any, tilted: Any, hand: int, odds: Any, by_lane: Any) -> float:
    """Set (holdings,) `odds` to how likely each holding of a hand is; return the log-likelihood of the hand.

    Holdings of a lane do the same, so that a decision is read once for each lane, unless there are more lanes than holdings.
    """
    count, total = 0, 0.0
    for j in range(len(odds)):
        odds[j] = 1.0 if seen.may[hand, j] else 0.0
        count += seen.may[hand, j]
    for d in range(seen.first[hand], seen.first[hand + 1]):
        own, at, part = seen.kind[d], seen.row[d], seen.part[d]
        lanes, span = seen.lanes[seen.board[d]], seen.spans[seen.board[d]]
        if span > len(odds):
            for j in range(len(odds)):
                if odds[j] > 0.0:
                    odds[j] *= tilted[at + lanes[j], own] * seen.parts[part + lanes[j]]
            continue
        for k in range(span):
            by_lane[k] = tilted[at + k, own] * seen.parts[part + k]
        for j in range(len(odds)):
            odds[j] *= by_lane[lanes[j]]
    for j in range(len(odds)):
        total += odds[j]
    for j in range(len(odds)):
        odds[j] /= total
    return log(total / count)


LEAST = 1e-4
"""The least probability of the prior's actions: what it never does may yet be seen."""
MOST_BYTES = 1 << 30
"""The most that holdings and lanes of hidden hands may take, and that rows may."""
_ROW = 54
"""Bytes of a row, the tilted strategy included."""
_CHUNK = 1000


def soften_kinds(kinds: AnyArray, sharpness: float) -> AnyArray:
    """(KINDS, hands) probabilities to a power, and normalised. A kind that is not offered has 0 and keeps it."""
    out = kinds**sharpness
    return out / out.sum(axis=0)  # type: ignore[no-any-return]


class _RowWriter:
    """The rows of an evidence, as they come."""

    def __init__(self) -> None:
        self._kinds, self._category, self._parts = list[F32](), list[NDArray[np.int16]](), list[F32]()
        self._rows = self._length = 0

    def add(
        self, one: TreeDecision, rows: AnyArray, quantile: I64, choices: Sequence[int]
    ) -> tuple[int, dict[int, int]]:
        """Rows of a decision: the first of them, and the first part of each action. rows: (actions, lanes) the prior.
        quantile: (lanes,)."""
        odds = np.asarray(rows, np.float64) + LEAST
        odds /= odds.sum(axis=0)
        kinds = np.zeros((len(KINDS), odds.shape[1]))
        np.add.at(kinds, one.kinds, odds)
        begin, parts = self._rows, {}
        self._kinds.append(kinds.T.astype(np.float32))
        self._category.append((one.context * QUANTILES + quantile).astype(np.int16))
        for choice in choices:
            parts[choice] = self._length
            self._parts.append((odds[choice] / kinds[one.kinds[choice]]).astype(np.float32))
            self._length += odds.shape[1]
        self._rows += odds.shape[1]
        return begin, parts

    def rows(self) -> tuple[F32, NDArray[np.int16], F32]:
        """The kinds, category and parts of an `Evidence`."""
        return np.concatenate(self._kinds), np.concatenate(self._category), np.concatenate(self._parts)


def _hidden_rows(categories: Categories, decisions: Sequence[MappedDecision]) -> tuple[Any, ...]:
    """All of an `Evidence` from `board` on. Decisions at a node share rows of lanes; where these are more than the holdings
    of the decisions there, each decision has its own."""
    boards = list(dict.fromkeys(one.board for one in decisions))
    size, blocks = len(categories.game.deck.hands), list[int]()
    every: AnyArray = np.empty((1 + len(boards), size), np.uint16)
    every[0] = np.arange(size)  # the order of holdings itself
    for number, cards in enumerate(boards, 1):
        block, lanes = categories.lanes(cards)
        if lanes.max() >= 1 << 16 and every.dtype == np.uint16:
            every = every.astype(np.int32)
        blocks.append(block)
        every[number] = lanes
    number_of = {cards: number for number, cards in enumerate(boards, 1)}
    board = np.array([number_of[one.board] for one in decisions])
    row, part = np.zeros(len(decisions), np.int64), np.zeros(len(decisions), np.int64)
    at: dict[tuple[int, int], list[int]] = {}
    for d, one in enumerate(decisions):
        at.setdefault((one.node, blocks[board[d] - 1]), []).append(d)
    writer = _RowWriter()
    rows_of = (min(categories.at(*place)[0].shape[1], size * len(here)) for place, here in at.items())
    check_memory(len(decisions), _ROW * sum(rows_of))
    for (node, block), here in at.items():
        rows, quantile = categories.at(node, block)
        shared = _is_shorter(rows.shape[1], size * len(here))
        for some in [here] if shared else [[d] for d in here]:
            choices = sorted({decisions[d].choice for d in some})
            own = slice(None) if shared else every[board[some[0]]]
            row[some], parts = writer.add(categories.decisions[node], rows[:, own], quantile[own], choices)
            part[some] = [parts[decisions[d].choice] for d in some]
            if not shared:
                board[some] = 0
    return board, row, part, every, every.max(axis=1).astype(np.int64) + 1, *writer.rows()


def _is_shorter(lanes: int, own: int) -> bool:
    """Return whether all lanes of a decision take fewer rows than its holdings each time."""
    return lanes <= own


def check_memory(decisions: int, size: int) -> None:
    """Reject hidden hands that take too much memory. size: in bytes."""
    if size > MOST_BYTES:
        raise InputError(
            f"{decisions:,} decisions with hidden cards take more than {MOST_BYTES >> 30} GiB; fewer hands fit"
        )


class Evidence(NamedTuple):
    """Decisions in order, those of a hand together, and the hands that the player may hold in each; as kernels take them.

    Holding j at decision d has the row `row[d] + lanes[board[d], j]`, and the part `part[d] + lanes[board[d], j]`. A row is
    what the prior does at a decision with a lane of hands.

    Attributes:
        first: (hands + 1,) the first decision of each hand, and the number of all.
        may: (hands, holdings) whether a holding is possible.
        kind: (decisions,) the kind that was seen.
        board, row, part: (decisions,) see above.
        lanes: (boards, holdings).
        spans: (boards,) more than any lane there.
        kinds: (rows, KINDS) the prior's probability of each kind of action.
        category: (rows,) context · QUANTILES + quantile.
        parts: of actions that were seen, the share of the action in its kind, lane by lane.
    """

    first: I64
    may: Flags
    kind: I64
    board: I64
    row: I64
    part: I64
    lanes: AnyArray
    spans: I64
    kinds: F32
    category: NDArray[np.int16]
    parts: F32

    @property
    def hand(self) -> I64:
        """(decisions,) the number of its hand."""
        return np.repeat(np.arange(len(self.may)), np.diff(self.first))

    def of_holdings(self, decision: int) -> I64:
        """(holdings,) the row of each holding at a decision."""
        return self.row[decision] + self.lanes[self.board[decision]].astype(np.int64)  # type: ignore[no-any-return]

    def kept(self, hands: Flags) -> Evidence:
        """That of some hands. hands: (hands,)."""
        keep = hands[self.hand]
        return self._replace(
            first=np.concatenate([[0], np.cumsum(np.diff(self.first)[hands])]), may=self.may[hands],
            kind=self.kind[keep], board=self.board[keep], row=self.row[keep], part=self.part[keep],
        )  # fmt: skip

    def softened(self, sharpness: float) -> Evidence:
        """The same evidence with the prior's probabilities of kinds of action taken to this power (`soften_kinds`)."""
        if sharpness == 1.0:
            return self
        return self._replace(kinds=soften_kinds(self.kinds.T, sharpness).T.copy())

    def shares(self, weights: F64) -> Iterator[F64]:
        """Of each hand in turn, (holdings,) how likely each holding is. weights: (categories, KINDS) of the tilt."""
        tilted = self._tilted(weights)
        for begin in range(0, len(self.may), _CHUNK):
            odds = np.empty(self.may[begin : begin + _CHUNK].shape)
            share_out(self, tilted, begin, odds, np.empty(self.may.shape[1]))
            yield from odds

    def prior_kinds(self) -> F64:
        """(decisions, KINDS) what the prior does at each decision: with the hand that was held, or its mean over hands that
        may have been."""
        found = np.empty((len(self.kind), len(KINDS)))
        for number, odds in enumerate(self.shares(np.ones((CONTEXTS * QUANTILES, len(KINDS))))):
            for decision in range(self.first[number], self.first[number + 1]):
                found[decision] = odds @ self.kinds[self.of_holdings(decision)]
        return found

    @property
    def contexts(self) -> I64:
        """(decisions,) the context of each."""
        return self.category[self.row + self.lanes[self.board, 0]].astype(np.int64) // QUANTILES  # type: ignore[no-any-return]

    def expected(self, weights: F64) -> tuple[F64, F64, F64, float]:
        """Expected numbers, each (categories, KINDS): what was seen, what the tilted strategy and what the prior do there;
        and the log-likelihood of all hands."""
        tilted, found = self._tilted(weights), np.zeros((3, len(weights), len(KINDS)))
        mass, odds, by_lane = np.zeros(len(tilted)), *np.empty((2, self.may.shape[1]))
        likely: float = add_expected(self, tilted, *found, mass, odds, by_lane)
        return found[0], found[1], found[2], likely

    def _tilted(self, weights: F64) -> F64:
        """(rows, KINDS) the tilted strategy."""
        tilted = np.empty(self.kinds.shape)
        tilt_rows(self.kinds, self.category, np.ascontiguousarray(weights), tilted)
        return tilted


def gather(categories: Categories, hands: Sequence[MappedHand]) -> Evidence:
    """The evidence of hands in all of which the player's cards are known, or in none of which they are."""
    deck, first = categories.game.deck, np.concatenate([[0], np.cumsum([len(hand.decisions) for hand in hands])])
    decisions = [one for hand in hands for one in hand.decisions]
    kind = np.array([int(categories.decisions[one.node].kinds[one.choice]) for one in decisions])
    if not hands[0].hole:
        boards = {one.board for one in decisions}
        check_memory(len(decisions), len(deck.hands) * (2 * len(boards) + len(hands)))
        rows = _hidden_rows(categories, decisions)
        return Evidence(first, np.stack([holdings(categories.game, hand) for hand in hands]), kind, *rows)
    writer, row, part = _RowWriter(), list[int](), list[int]()  # a row for each decision
    held = [deck.hand(*hand.hole) for hand in hands for _ in hand.decisions]
    for one, number in zip(decisions, held, strict=True):
        odds, quantile, _, _ = categories.held(one.node, one.board, number)
        at, parts = writer.add(categories.decisions[one.node], odds[:, None], np.array([quantile]), (one.choice,))
        row.append(at)
        part.append(parts[one.choice])
    may, board = np.ones((len(hands), 1), np.bool_), np.zeros(len(decisions), np.int64)
    lanes, spans = np.zeros((1, 1), np.uint16), np.ones(1, np.int64)
    return Evidence(first, may, kind, board, np.array(row), np.array(part), lanes, spans, *writer.rows())


def by_sight(hands: Sequence[MappedHand]) -> list[list[MappedHand]]:
    """Hands whose cards are known, and those whose cards are hidden, where there are any."""
    parts = ([hand for hand in hands if bool(hand.hole) == known] for known in (True, False))
    return [part for part in parts if part]


def observed_strengths(evidence: Sequence[tuple[Sequence[MappedHand], Evidence]], weights: F64) -> dict[int, F64]:
    """(QUANTILES,) expected numbers of decisions with each strength of hands, by betting node. weights: (categories,
    KINDS) of the tilt, by which hidden holdings are shared out."""
    found: dict[int, F64] = {}
    for hands, one in evidence:
        decision = 0
        for hand, odds in zip(hands, one.shares(weights), strict=True):
            for seen in hand.decisions:
                here = found.setdefault(seen.node, np.zeros(QUANTILES))
                here += np.bincount(one.category[one.of_holdings(decision)] % QUANTILES, odds, QUANTILES)
                decision += 1
    return found
