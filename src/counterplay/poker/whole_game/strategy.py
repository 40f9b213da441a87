"""Strategies of whole games: by class of hand before the flop, and on each board by lanes, which hands may share; and the
answer of a strategy by cards: what it does with every hand at a betting node, and with which hands it gets there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from counterplay.arrays import F64, I64, U32, AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction, OneLane
from counterplay.errors import InputError
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.holdem import HoldemGame, StreetDecisions
from counterplay.poker.whole_game.rules import Holdem

T = TypeVar("T")
Pair = tuple[list[AnyArray], list[AnyArray]]
"""Of each player, the tables of all blocks."""

_JOINED = 4096
"""Most lanes of blocks that are taken together."""


class BlueprintStrategy(Protocol):
    """The protocol of strategies of both players: these two members."""

    @property
    def preflop(self) -> tuple[F64, F64]:
        """Per player, (sequences, classes) the probability of every action before the flop; row 0 is not read."""

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        """(sequences, lanes) the probability of every action on a board, in the game's dtype, and (n,) the lane of the
        hand at each place; the rows of the entries are not read."""


class LastBoardCache:
    """Values, by player and street, of the last board alone: as a rule (sequences, lanes)."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int], tuple[Board, Any]] = {}

    def get(self, player: int, board: Board, make: Callable[[int, Board], T]) -> T:
        """The value, from `make` if it is not cached; thread-safe."""
        entry = self._kept.get((player, board.street))
        if entry is None or entry[0] is not board:
            entry = self._kept[player, board.street] = board, make(player, board)
        return entry[1]


@dataclass(frozen=True, eq=False)
class TablesOnDemand:
    """Base of strategies whose table of a board is computed when it is asked for, by the board's own lanes."""

    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False, init=False)

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return self._latest.get(player, board, self.table_on), board.lane

    def table_on(self, player: int, board: Board) -> AnyArray:
        """(sequences, lanes of the board) the probability of every action."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class BucketedStrategy:
    """A strategy of both players by buckets.

    Attributes:
        preflop: per player, (sequences, classes) probabilities.
        tables: per street after the first and per player, a (sequences, lanes) table for each block.
    """

    buckets: CardAbstraction
    preflop: tuple[F64, F64]
    tables: tuple[Pair, ...]

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        block, lane = self.buckets.lanes_on(board)
        return self.tables[board.street - 1][player][block], lane


@dataclass(frozen=True, eq=False)
class SeatHalves:
    """Player 0 plays as one strategy has it, player 1 as another."""

    halves: tuple[BlueprintStrategy, BlueprintStrategy]

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.halves[0].preflop[0], self.halves[1].preflop[1]

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return self.halves[player].on(player, board)


@dataclass(frozen=True, eq=False)
class ModelMixture:
    """A restricted Nash response: a player follows a model with probability p and is free otherwise.

    Attributes:
        model: the strategy assumed of that player.
        p: trust in the model, from 0 to 1.
        by_row: whether it is drawn anew at each decision, and p is the most trust in a row (see `row_models`), instead of
            once before the hand: a data-biased response.
        reference: whose value to the responder is taken off the model's, so that only what the model does otherwise counts;
            None for nothing.
    """

    player: int
    model: BlueprintStrategy
    p: float
    by_row: bool = False
    reference: BlueprintStrategy | None = None

    def differs_in_p(self, other: ModelMixture) -> bool:
        """Return whether another has the same model, bound in the same way."""
        same = self.model is other.model and self.reference is other.reference
        return same and (self.player, self.by_row) == (other.player, other.by_row)

    def __post_init__(self) -> None:
        if self.player not in (0, 1):
            raise InputError(f"the modelled player must be 0 or 1, not {self.player}")
        if not 0 <= self.p <= 1:
            raise InputError(f"the trust in a model must be between 0 and 1, not {self.p:g}")
        if self.by_row and self.reference is not None:
            raise InputError("a model that is trusted row by row has no reference")


def uniform(game: HoldemGame) -> BucketedStrategy:
    """The uniform strategy."""

    def blocks(player: int, street: int) -> list[AnyArray]:
        side = game.sides[player]
        return [normalise_rows(np.zeros((side.sizes[street], 1)), side.decisions[street])]

    return strategy_of(game, OneLane(game.boards.classes), blocks)


def strategy_of(
    game: HoldemGame, buckets: CardAbstraction, blocks: Callable[[int, int], list[AnyArray]]
) -> BucketedStrategy:
    """The strategy of blocks (sequences, lanes) by player and street; the one before the flop by the lanes of the
    classes."""
    one, two = (blocks(player, 0)[0][:, buckets.preflop] for player in (0, 1))
    late = []
    for street in range(1, game.last + 1):
        first, second = ([table.astype(game.dtype, copy=False) for table in blocks(k, street)] for k in (0, 1))
        late.append((first, second))
    return BucketedStrategy(buckets, (one, two), tuple(late))


def empty_blocks(game: HoldemGame, buckets: CardAbstraction, player: int, street: int) -> list[AnyArray]:
    """(sequences, lanes) zeros of each block of a street; before the flop of its lanes."""
    sizes: list[int] = buckets.sizes_on(street).tolist() if street else [int(buckets.preflop.max()) + 1]
    return [np.zeros((game.sides[player].sizes[street], size)) for size in sizes]


def change_rows(
    game: HoldemGame, play: BucketedStrategy, change: Callable[[int, AnyArray], AnyArray]
) -> BucketedStrategy:
    """A strategy in equal buckets. change: maps a betting node and its (actions, lanes) probabilities to new ones."""

    def table(rows: AnyArray, decisions: I64) -> AnyArray:
        out = np.zeros(rows.shape)
        for node, _, first, count in decisions.tolist():
            out[first : first + count] = change(node, rows[first : first + count])
        return out.astype(rows.dtype)

    return change_tables(game, play, table)


def change_tables(
    game: HoldemGame, play: BucketedStrategy, change: Callable[[AnyArray, I64], AnyArray]
) -> BucketedStrategy:
    """A strategy in equal buckets. change: maps (sequences, lanes) and `StreetDecisions`' decisions to such an array,
    the tables before the flop first."""
    one, two = game.sides
    early = change(play.preflop[0], one.preflop), change(play.preflop[1], two.preflop)
    late = tuple(
        ([change(rows, one.decisions[k]) for rows in pair[0]], [change(rows, two.decisions[k]) for rows in pair[1]])
        for k, pair in enumerate(play.tables, 1)
    )
    return replace(play, preflop=early, tables=late)


def normalise_rows(weights: AnyArray, decisions: I64) -> AnyArray:
    """(sequences, lanes) probabilities at each of `StreetDecisions`' decisions from non-negative weights, equal if all
    are 0."""
    out = np.zeros_like(weights)
    for _, _, first, count in decisions.tolist():
        rows = weights[first : first + count]
        total = rows.sum(axis=0)
        np.divide(rows, total, out=out[first : first + count], where=total > 0)
        out[first : first + count, total <= 0] = 1.0 / count
    return out


def normalise_blocks(blocks: Sequence[AnyArray], decisions: I64) -> list[AnyArray]:
    """(sequences, lanes) of each block as of `normalise_rows`; small ones side by side."""
    parts, begin, ends = list[AnyArray](), 0, np.cumsum([block.shape[1] for block in blocks])
    while begin < len(blocks):
        lanes = int(ends[begin]) - blocks[begin].shape[1]
        end = max(begin + 1, int(np.searchsorted(ends, lanes + _JOINED, "right")))
        table = normalise_rows(np.concatenate(blocks[begin:end], axis=1), decisions)
        parts += [np.ascontiguousarray(part) for part in np.split(table, ends[begin : end - 1] - lanes, axis=1)]
        begin = end
    return parts


def entry_reach(game: HoldemGame, player: int, play: BlueprintStrategy) -> AnyArray:
    """(entries, classes) a player's reach at the deal of the flop."""
    side = game.sides[player]
    return reaches(side, play.preflop[player])[side.entry].astype(game.dtype)


def reaches(side: StreetDecisions, preflop: F64) -> F64:
    """(sequences, classes) products of a player's probabilities down to each sequence before the flop."""
    plan = np.ones_like(preflop)
    for _, before, first, count in side.preflop.tolist():
        plan[first : first + count] = plan[before] * preflop[first : first + count]
    return plan


@dataclass(frozen=True, eq=False)
class Deviation:
    """A strategy that is the reference, changed, in equal buckets. Restricted Nash responses to it count what they earn
    from the change alone (`ModelMixture.reference`)."""

    play: BucketedStrategy
    reference: BucketedStrategy

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.play.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return self.play.on(player, board)


def own_tables(play: BlueprintStrategy, player: int) -> Iterable[AnyArray]:
    """(sequences, lanes) of each of a player's boards, in an order that the boards alone decide, from strategies with
    an `own_tables` method; none where all boards share tables, or a rule makes them."""
    made: Callable[[int], Iterable[AnyArray]] | None = getattr(play, "own_tables", None)
    return () if made is None else made(player)


def digest_of(game: HoldemGame, player: int, play: BlueprintStrategy) -> str:
    """Letters that distinguish a player's strategy from others: before the flop, on one board of every street, and on
    every board that was solved for it alone."""
    board, tables = game.boards.root, [play.preflop[player]]
    for _ in range(game.last):
        board = game.boards.child(board, 0)
        tables += [np.asarray(part) for part in play.on(player, board)]
    tables += own_tables(play, player)
    return hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in tables)).hexdigest()[:16]


_PLAYERS = int(Kind.PLAYER0), int(Kind.PLAYER1)  # members of enumerations are slow to look up


def probabilities(game: HoldemGame, play: BlueprintStrategy, node: int, board: str | Iterable[int] = ()) -> F64:
    """(actions, hands of the deck) how likely each action is with each hand, in the order of the betting tree's
    children.

    Args:
        game, play: the game, and the strategy of both players.
        node: of the betting tree, at which a player acts.
        board: the cards of the node's street, in the order of the deal; hands that hold one of them get 0.

    Raises:
        InputError: no player acts there, or the board is not what the street needs.
    """
    player = int(game.betting.kind[node]) if 0 <= node < game.betting.nodes else -1
    if player not in _PLAYERS:
        raise InputError(f"no player acts at betting node {node}")
    street, cards = int(game.betting.street[node]), game.deck.held(board)
    if len(cards) != DEALT[street]:
        raise InputError(f"'{game.betting.path(node)}' needs a board of {DEALT[street]} cards, not of {len(cards)}")
    decisions = game.sides[player].decisions[street]
    _, _, first, count = decisions[decisions[:, 0] == node][0]
    table, lanes = lanes_of_hands(game, play, player, cards)
    return np.where(game.deck.live(cards), table[first : first + count][:, lanes].astype(np.float64), 0.0)


def reach(game: HoldemGame, play: BlueprintStrategy, player: int, node: int, board: str | Iterable[int] = ()) -> F64:
    """(hands of the deck,) the product of a player's probabilities on the way to a betting node, not yet weighed by the
    cards that the other holds. Hands that hold a card of the board get 0."""
    betting, cards = game.betting, game.deck.held(board)
    out: F64 = game.deck.live(cards).astype(float)
    while node > 0:
        above = int(betting.parent[node])
        if betting.kind[above] == player:
            shown = cards[: DEALT[int(betting.street[above])]]
            out *= probabilities(game, play, above, shown)[int(betting.action[node])]
        node = above
    return out


def lanes_of_hands(
    game: HoldemGame, play: BlueprintStrategy, player: int, cards: tuple[int, ...]
) -> tuple[AnyArray, I64]:
    """A player's (sequences, lanes) probabilities on a board given by its cards, or before the flop, and (hands of the
    deck,) the lane of each hand; of no meaning where the cards block the hand."""
    if not cards:
        return play.preflop[player], np.asarray(game.boards.group, np.int64)
    board, places = places_of_hands(game, cards)
    table, lane = play.on(player, board)
    return table, np.asarray(lane, np.int64)[places]


def places_of_hands(game: HoldemGame, cards: tuple[int, ...]) -> tuple[Board, I64]:
    """The board that represents given cards, in the order of the deal, and (hands of the deck,) the place on it of what
    each hand becomes; of no meaning where the cards block the hand."""
    deck, (board, turn) = game.deck, game.boards.find_board(cards)
    place = np.zeros(len(deck.hands), np.int64)
    place[board.hand] = np.arange(len(board.hand))
    return board, place[deck.numbers[turn[deck.hands[:, 0]], turn[deck.hands[:, 1]]]]


@dataclass(frozen=True, eq=False)
class HoldemStrategy:
    """One seat's half of a strategy; 0 is the big blind, 1 the button. facts: what is known of it, for tables."""

    rules: Holdem
    player: int
    play: BlueprintStrategy
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"HoldemStrategy({self.rules.name}, player {self.player}, {self.facts.get('method', '')})"

    def probabilities(self, infoset: str) -> dict[str, float]:
        """The probability of each action at a text of `Holdem.infoset`, where the player acts."""
        game, seen = self.rules.game, self.rules.read(infoset, self.player)
        row = probabilities(game, self.play, seen.node, seen.board)[:, game.deck.hand(*seen.hand)]
        return dict(zip(game.betting.actions(seen.node), row.tolist(), strict=True))
