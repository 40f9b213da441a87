"""What hands show of a player, as arrays: at every decision, what the prior does with every hand that may be held.

Decisions at the same node share what the prior does there, and those on the same board the lanes of hands, so that a hidden
hand takes a few bytes for each holding, not for each holding and action.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.opponents.tilting.categories import KINDS, QUANTILES, Categories, TreeDecision
from counterplay.opponents.tilting.evidence_kernels import SeenHands, add_expected, share_out, tilt_rows
from counterplay.opponents.tilting.mapped_hands import MappedDecision, MappedHand
from counterplay.poker.cards.deck import Ints
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.holdem import Floats, HoldemGame

LEAST = 1e-4
"""The least probability of the prior's actions: what it never does may yet be seen."""
MOST_BYTES = 1 << 30
"""The most that lanes and holdings of hidden hands may take."""
_CHUNK = 1000
Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PriorRows:
    """What the prior does at some decisions with some hands: a row for each decision and lane.

    Attributes:
        kinds: (rows, KINDS) its probability of each kind of action.
        category: (rows,) context · QUANTILES + quantile.
        parts: of actions that were seen, the share of the action in its kind, lane by lane.
    """

    kinds: Singles
    category: NDArray[np.int16]
    parts: Singles

    def softened(self, sharpness: float) -> PriorRows:
        """The same with probabilities of kinds to this power (`soften_kinds`)."""
        return self if sharpness == 1.0 else replace(self, kinds=soften_kinds(self.kinds.T, sharpness).T.copy())


@dataclass(frozen=True, eq=False)
class Evidence:
    """Decisions in order, those of a hand together, and the hands that the player may hold in each.

    Holding j at decision d has the row `row[d] + lanes[board[d], j]`, and the part `part[d] + lanes[board[d], j]`.

    Attributes:
        first: (hands + 1,) the first decision of each hand, and the number of all.
        may: (hands, holdings) whether a holding is possible.
        kind: (decisions,) the kind that was seen.
        board: (decisions,) a row of `lanes`.
        row, part: (decisions,) see above.
        lanes: (boards, holdings).
        rows: what the prior does.
    """

    first: Ints
    may: NDArray[np.bool_]
    kind: Ints
    board: Ints
    row: Ints
    part: Ints
    lanes: NDArray[Any]
    rows: PriorRows

    @property
    def hand(self) -> Ints:
        """(decisions,) the number of its hand."""
        return np.repeat(np.arange(len(self.may)), np.diff(self.first))

    def of_holdings(self, decision: int) -> Ints:
        """(holdings,) the row of each holding at a decision."""
        own: Ints = self.row[decision] + self.lanes[self.board[decision]].astype(np.int64)
        return own

    def kept(self, hands: NDArray[np.bool_]) -> Evidence:
        """That of some hands. hands: (hands,)."""
        keep = hands[self.hand]
        first = np.concatenate([[0], np.cumsum(np.diff(self.first)[hands])])
        return replace(
            self, first=first, may=self.may[hands], kind=self.kind[keep], board=self.board[keep], row=self.row[keep],
            part=self.part[keep],
        )  # fmt: skip

    def half(self, which: int) -> Evidence:
        """Every other hand, from the first or the second."""
        return self.kept(np.arange(len(self.may)) % 2 == which)

    def softened(self, sharpness: float) -> Evidence:
        """The same evidence with the prior's probabilities of kinds of action taken to this power (`soften_kinds`)."""
        return replace(self, rows=self.rows.softened(sharpness))

    def shares(self, weights: Floats) -> Iterator[Floats]:
        """Of each hand in turn, (holdings,) how likely each holding is.

        Args:
            weights: (categories, KINDS) of the tilt.
        """
        tilted = self._tilted(weights)
        for begin in range(0, len(self.may), _CHUNK):
            odds = np.empty(self.may[begin : begin + _CHUNK].shape)
            share_out(self._seen, tilted, begin, odds)
            yield from odds

    def expected(self, weights: Floats) -> tuple[Floats, Floats, Floats, float]:
        """Expected numbers, each (categories, KINDS): what was seen, what the tilted strategy and what the prior do there;
        and the log-likelihood of all hands."""
        tilted, found = self._tilted(weights), np.zeros((3, len(weights), len(KINDS)))
        mass, odds = np.zeros(len(tilted)), np.empty(self.may.shape[1])
        likely: float = add_expected(self._seen, tilted, *found, mass, odds)
        return found[0], found[1], found[2], likely

    def _tilted(self, weights: Floats) -> Floats:
        """(rows, KINDS) the tilted strategy."""
        tilted = np.empty(self.rows.kinds.shape)
        tilt_rows(self.rows.kinds, self.rows.category, np.ascontiguousarray(weights), tilted)
        return tilted

    @property
    def _seen(self) -> SeenHands:
        rows = self.rows
        return SeenHands(
            self.first, self.may, self.kind, self.board, self.row, self.part, self.lanes, rows.kinds, rows.category,
            rows.parts,
        )  # fmt: skip


def soften_kinds(kinds: NDArray[Any], sharpness: float) -> NDArray[Any]:
    """(KINDS, hands) probabilities to a power, and normalised. A kind that is not offered has 0 and keeps it."""
    out = kinds**sharpness
    return out / out.sum(axis=0)  # type: ignore[no-any-return]


def gather(game: HoldemGame, categories: Categories, hands: Sequence[MappedHand]) -> Evidence:
    """The evidence of hands in all of which the player's cards are known, or in none of which they are.

    Raises:
        InputError: hidden hands take too much memory.
    """
    first = np.concatenate([[0], np.cumsum([len(hand.decisions) for hand in hands])])
    decisions = [one for hand in hands for one in hand.decisions]
    kind = np.array([int(categories.decisions[one.node].kinds[one.choice]) for one in decisions])
    if hands[0].hole:
        held = [game.deck.hand(*hand.hole) for hand in hands for _ in hand.decisions]
        places = _known_places(categories, decisions, held)
        may = np.ones((len(hands), 1), np.bool_)
    else:
        _check_memory(game, hands)
        places = _hidden_places(categories, decisions)
        may = np.stack([holdings(game, hand) for hand in hands])
    return Evidence(first, may, kind, *places)


Places = tuple[Ints, Ints, Ints, NDArray[Any], PriorRows]
"""board, row, part, lanes and rows of `Evidence`."""


class _RowWriter:
    """The rows of an evidence, as they come."""

    def __init__(self) -> None:
        self._kinds, self._category, self._parts = list[Singles](), list[NDArray[np.int16]](), list[Singles]()
        self._rows = self._length = 0

    def add(
        self, one: TreeDecision, rows: NDArray[Any], quantile: Ints, choices: Sequence[int]
    ) -> tuple[int, dict[int, int]]:
        """Rows of a decision: the first of them, and the first part of each action.

        Args:
            one: the decision.
            rows: (actions, lanes) the prior.
            quantile: (lanes,).
            choices: actions that were seen.
        """
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

    def rows(self) -> PriorRows:
        """All of them."""
        return PriorRows(np.concatenate(self._kinds), np.concatenate(self._category), np.concatenate(self._parts))


def _known_places(categories: Categories, decisions: Sequence[MappedDecision], held: Sequence[int]) -> Places:
    """A row for each decision. held: the player's hands, by number in the deck."""
    writer, row, part = _RowWriter(), list[int](), list[int]()
    for one, hand in zip(decisions, held, strict=True):
        rows, quantile, _, _ = categories.held(one.node, one.board, hand)
        at, parts = writer.add(categories.decisions[one.node], rows[:, None], np.array([quantile]), (one.choice,))
        row.append(at)
        part.append(parts[one.choice])
    board = np.zeros(len(decisions), np.int64)
    return board, np.array(row), np.array(part), np.zeros((1, 1), np.uint16), writer.rows()


def _hidden_places(categories: Categories, decisions: Sequence[MappedDecision]) -> Places:
    """Rows of lanes, which decisions at a node share; where these are more than the holdings of the decisions there, each of
    them has its own."""
    boards = list(dict.fromkeys(one.board for one in decisions))
    blocks, lanes = zip(*(categories.lanes(board) for board in boards), strict=True)
    size = len(lanes[0])
    every = np.stack([np.arange(size), *lanes]).astype(np.uint16 if max(map(np.max, lanes)) < 1 << 16 else np.int32)
    number = {one: k for k, one in enumerate(boards, 1)}  # 0 is the order of holdings itself
    board = np.array([number[one.board] for one in decisions])
    row, part = np.zeros(len(decisions), np.int64), np.zeros(len(decisions), np.int64)
    at: dict[tuple[int, int], list[int]] = {}
    for d, one in enumerate(decisions):
        at.setdefault((one.node, blocks[board[d] - 1]), []).append(d)
    writer = _RowWriter()
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
    return board, row, part, every, writer.rows()


def _is_shorter(lanes: int, own: int) -> bool:
    """Whether all lanes of a decision take fewer rows than its holdings each time."""
    return lanes <= own


def _check_memory(game: HoldemGame, hands: Sequence[MappedHand]) -> None:
    """Reject what would take too much memory."""
    boards = {one.board for hand in hands for one in hand.decisions}
    if len(game.deck.hands) * (2 * len(boards) + len(hands)) > MOST_BYTES:
        raise InputError(
            f"{len(hands):,} hands with hidden cards, on {len(boards):,} boards, take more than {MOST_BYTES >> 30} GiB; "
            "fewer hands fit"
        )


def holdings(game: HoldemGame, hand: MappedHand) -> NDArray[np.bool_]:
    """(hands of the deck,) what the player may hold: no card that is seen elsewhere, and after a lost showdown nothing that
    would have won."""
    may = game.deck.live(hand.dead)
    if hand.beaten:
        live = np.flatnonzero(may)
        ranks = hand_ranks(hand.board, np.vstack([game.deck.hands[live], [hand.beaten]]), deck=game.deck)
        may = may.copy()
        may[live[ranks[:-1] > ranks[-1]]] = False
    return may


def observed_strengths(evidence: Sequence[tuple[Sequence[MappedHand], Evidence]], weights: Floats) -> dict[int, Floats]:
    """(QUANTILES,) expected numbers of decisions with each strength of hands, by betting node.

    Args:
        evidence: hands, and what was gathered from them.
        weights: (categories, KINDS) of the tilt, by which hidden holdings are shared out.
    """
    found: dict[int, Floats] = {}
    for hands, one in evidence:
        decision = 0
        for hand, odds in zip(hands, one.shares(weights), strict=True):
            for seen in hand.decisions:
                here = found.setdefault(seen.node, np.zeros(QUANTILES))
                here += np.bincount(one.rows.category[one.of_holdings(decision)] % QUANTILES, odds, QUANTILES)
                decision += 1
    return found
