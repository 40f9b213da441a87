"""A player who re-solves boards, as a strategy of the whole game, which can be measured exactly."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, U32, AnyArray
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, board_subtree, entries_of
from counterplay.blueprints.whole_game.portfolio_look_ahead import valued_board
from counterplay.blueprints.whole_game.solved_board import SolvedBoard, known_at_board
from counterplay.errors import InputError
from counterplay.gadgets import Gadget, Unsafe
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.poker.cards.deck import cards_text, compatible_weight
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.look_ahead_strategy import LookAheadStrategy, NextStreetValues
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    normalise_rows,
    own_tables,
    places_of_hands,
    reach,
    reaches,
)
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import preflop_values_against
from counterplay.value_functions.leaf_value import EXACT
from counterplay.work.run_work import Executor, complete_work
from counterplay.work.work_record import WorkRecord


def gifts_before(
    game: HoldemGame, blueprint: BlueprintStrategy, player: int, board: tuple[int, ...] = (), early: F64 | None = None
) -> F64:
    """(entries, hands of the deck) gifts of a player on the path to each entry of a street against the blueprint (reach
    max-margin, Brown and Sandholm 2017): for each action, the best value there less that of the action, in chips per
    opposing hand."""
    street = DEALT.index(len(board)) if board else 1
    if street == 1:
        return _before_the_flop(game, blueprint, player) if early is None else early
    cards, side, street = board[: DEALT[street - 1]], game.sides[player], street - 1
    lost = np.zeros((side.sizes[street], len(game.deck.hands)))
    above = gifts_before(game, blueprint, player, cards, early)
    lost[: len(above)] = above
    here, places = places_of_hands(game, cards)
    worth = BoardWalk(game, player, blueprint).values_on(here)[:, places].astype(np.float64)

    def weight(node: int) -> F64:
        met = compatible_weight(game.deck.hands, reach(game, blueprint, 1 - player, node, cards))
        return np.asarray(met * game.deals_after(street) * game.deck.live(cards))

    _gifts_on(side.decisions[street], worth, lost, weight)
    return np.asarray(lost[side.entries[street + 1]])


def _gifts_on(decisions: I64, worth: F64, lost: F64, weight: Callable[[int], F64]) -> None:
    """Add to the gifts `lost` (sequences, hands) on the path those of a street, by values right after each sequence.
    weight: at a betting node, (hands,) of the pairs of hands and deals that come there."""
    for _, before, first, count in decisions[::-1]:
        worth[before] += worth[first : first + count].max(axis=0)
    for node, before, first, count in decisions.tolist():
        rows = slice(first, first + count)
        given, there = worth[rows].max(axis=0) - worth[rows], weight(node)
        lost[rows] = lost[before] + np.divide(given, there, out=np.zeros_like(given), where=there > 0.0)


def _before_the_flop(game: HoldemGame, blueprint: BlueprintStrategy, player: int) -> F64:
    boards, betting, side = game.boards, game.betting, game.sides[player]
    met = reaches(game.sides[1 - player], blueprint.preflop[1 - player])
    last = {int(row[0]): int(row[2]) for one in game.sides for row in one.preflop}

    def weight(node: int) -> F64:  # by the opponent's last sequence above the decision
        theirs = 0
        while node > 0 and theirs == 0:
            above = int(betting.parent[node])
            if betting.kind[above] == 1 - player:
                theirs = last[above] + int(betting.action[node])
            node = above
        return np.asarray((met[theirs] @ boards.meets) * game.deals_after(0))

    worth = preflop_values_against(game, player, blueprint, BoardWalk(game, player, blueprint).entry_values())
    lost = np.zeros_like(worth)
    _gifts_on(side.preflop, worth, lost, weight)
    return np.asarray(lost[side.entry][:, boards.group], np.float64)


ITERATIONS = 300
"""Of both players: the least margin is then within some 0.01 chips of where it comes to rest."""


@dataclass(frozen=True, eq=False)
class RefinedBlueprint:
    """A blueprint with some boards of one player re-solved: a strategy of the whole game. tables: by cards, (sequences,
    lanes of the board), for each re-solved board and those after it. seconds: mean CPU time per board."""

    base: BlueprintStrategy
    player: int
    tables: Mapping[tuple[int, ...], AnyArray]
    seconds: float

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.base.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        if player == self.player and board.cards in self.tables:
            return self.tables[board.cards], board.lane
        return self.base.on(player, board)

    def own_tables(self, player: int) -> Iterator[AnyArray]:
        yield from own_tables(self.base, player)
        if player == self.player:
            for cards in sorted(self.tables):
                yield np.array(cards)
                yield self.tables[cards]


@dataclass(frozen=True)
class EstimateError:
    """A deliberate error of an estimate. distance: L1 distance, 0 to 2. seed: seed of the draws."""

    distance: float = 0.0
    seed: int = 0


def solve_boards(
    work: BoardSearches, *, record: WorkRecord | None = None, executor: Executor | None = None
) -> RefinedBlueprint:
    """The blueprint with re-solved boards; each is kept as soon as it is solved."""
    return work.finish(complete_work(work, record=record, executor=executor))


@dataclass(eq=False)
class BoardSearches:
    """Boards of one street solved again to the end of the hand, with any gadget, after every betting line that leads
    there, as work: a piece for each.

    Args:
        blueprint: of both players.
        model: of the opponent, for p and alpha.
        boards: the boards, none of which follows another.
        profile: alternative values are those of the opponent's part of the blueprint, not of a best response.
        error: error of the estimate of the model's range.
        later: whether each later board is solved again behind the gadget when it is dealt, as agents do.
        lines: the betting after which boards are solved again, as numbers in `HoldemGame.roots`; all of it unless given.
        worth: of the opponent's hands there by a look-ahead, by these numbers (see `valued_board`).

    Raises:
        InputError: a gadget that a single board does not support, an unknown player, or more error than a range allows.
    """

    game: HoldemGame
    blueprint: BlueprintStrategy
    me: int
    model: BlueprintStrategy | None
    boards: Sequence[Board]
    search: Search
    profile: bool = False
    error: EstimateError = EstimateError()
    later: bool = False
    lines: tuple[int, ...] | None = None
    worth: Mapping[int, NextStreetValues] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.me not in (0, 1):
            raise InputError(f"the resolver must be player 0 or 1, not {self.me}")

    def identity(self) -> dict[str, Any]:
        """What a player may see of it; whoever keeps the boards knows which blueprint and model they are of."""
        facts = {"player": self.me, "profile": self.profile, "error": [self.error.distance, self.error.seed]}
        more = {"later": True} if self.later else {}
        return {**facts, **more} if self.lines is None else {**facts, **more, "lines": list(self.lines)}

    def keys(self) -> list[str]:
        return list(self._pieces)

    def compute(self, key: str) -> dict[str, Any]:
        """`tables`: (sequences, lanes) of the board and of those after it, by their cards; `seconds`: processor
        time."""
        begin, game, me, board = time.process_time(), self.game, self.me, self._pieces[key]
        tables, draw = dict[tuple[int, ...], AnyArray](), np.random.default_rng((self.error.seed, board.number, me))
        given = None if self._early is None else gifts_before(game, self.blueprint, 1 - me, board.cards, self._early)
        for entry in entries_of(game, board.street):
            if entry in self.worth:
                piece = valued_board(game, entry, board.cards, me, self.worth[entry])
            else:
                piece = board_subtree(game, entry, board.cards, me, given)
            if self.lines is None or entry in self.lines:
                known = known_at_board(
                    piece, self.blueprint, self.model, self.search, profile=self.profile, error=self.error.distance,
                    draw=draw,
                )  # fmt: skip
                found = resolve_subtree(piece, self.search, known)
                if found is not None and found.interrupted:
                    raise KeyboardInterrupt
                solved = SolvedBoard.of(piece, known, found, self.search)
                put_in(tables, piece, me, (solved.solve_all() if self.later else solved).mine)
            else:
                put_in(tables, piece, me, piece.behaviour(self.blueprint, me))
        ready = {}
        for cards, table in tables.items():  # once every betting that leads to a board is in its table
            decisions = game.sides[me].decisions[DEALT.index(len(cards))]
            ready[cards_text(cards)] = normalise_rows(table, decisions).astype(game.dtype)
        return {"tables": ready, "seconds": time.process_time() - begin}

    def finish(self, results: Mapping[str, Any]) -> RefinedBlueprint:
        held = self.game.deck.held
        tables = {tuple(held(cards)): table for one in results.values() for cards, table in one["tables"].items()}
        seconds = sum(one["seconds"] for one in results.values())
        return RefinedBlueprint(self.blueprint, self.me, tables, seconds / max(1, len(results)))

    @cached_property
    def _pieces(self) -> dict[str, Board]:
        return {cards_text(board.cards): board for board in self.boards}

    @cached_property
    def _early(self) -> F64 | None:
        return gifts_before(self.game, self.blueprint, 1 - self.me) if self.search.gadget.takes_gifts else None


def put_in(tables: dict[tuple[int, ...], AnyArray], piece: BoardSubtree, me: int, behaviour: F64) -> None:
    """Add a behaviour to the (sequences, lanes) of each board; hands that differ only by suit names share a lane."""
    for cards, numbers, rows in piece.board_rows(me):
        board, places = places_of_hands(piece.game, cards)
        table = tables.setdefault(board.cards, np.zeros((piece.game.sides[me].sizes[board.street], board.lanes)))
        lane = board.lane[places[numbers]]
        for row, sequences in rows:
            np.add.at(table[row], lane, behaviour[sequences])


def next_boards(
    game: HoldemGame,
    player: int,
    model: BlueprintStrategy | None,
    found: LookAheadStrategy,
    line: int,
    boards: Sequence[Board],
    search: Search,
) -> BoardSearches:
    """Boards behind a look-ahead as work."""
    street = found.board.street
    first, roots = int(game.roots[street][line]), game.roots[street + 1].tolist()
    end = int(game.betting.end[first])
    lines = tuple(k for k, node in enumerate(roots) if first <= node < end and game.betting.children(node))
    gadget = next_gadget(search.value, search.gadget)
    later = search.looking(leaf=EXACT, gadget=gadget, depth=None)
    return BoardSearches(game, found, player, model, boards, later, lines=lines, worth=found.worth)


def next_gadget(value: object, gadget: Gadget) -> Gadget:
    """The entry of boards behind a value function: unsafe, unless it knows the values of the opponent's hands on each.
    What it solved itself needs no gadget."""
    return gadget if hasattr(value, "on_boards") else Unsafe()
