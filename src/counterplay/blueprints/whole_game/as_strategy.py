"""A player who re-solves boards, as a strategy of the whole game, which can be measured exactly."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.blueprints.whole_game.board_knowledge import known_at_board
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, board_subtree
from counterplay.blueprints.whole_game.gifts import gifts_before
from counterplay.errors import InputError
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.lookahead.search import LookAhead, Search
from counterplay.poker.whole_game.boards.board import DEALT, Board, Small
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.lookup import places_of_hands
from counterplay.poker.whole_game.strategy import BlueprintStrategy, normalise_rows
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.gadgets import MaxMargin

ITERATIONS = 300
"""Of both players: the least margin is then within some 0.01 chips of where it comes to rest."""


@dataclass(frozen=True, eq=False)
class RefinedBlueprint:
    """A blueprint with some boards of one player re-solved: a strategy of the whole game.

    Attributes:
        base: the blueprint.
        player: the resolver.
        tables: by cards, (sequences, lanes of the board), for each re-solved board and those after it.
        seconds: mean CPU time per board.
    """

    base: BlueprintStrategy
    player: int
    tables: Mapping[tuple[int, ...], NDArray[Any]]
    seconds: float

    @property
    def preflop(self) -> tuple[Floats, Floats]:
        return self.base.preflop

    def on(self, player: int, board: Board) -> tuple[NDArray[Any], Small]:
        if player == self.player and board.cards in self.tables:
            return self.tables[board.cards], board.lane
        return self.base.on(player, board)


@dataclass(frozen=True)
class EstimateError:
    """A deliberate error of an estimate. distance: L1 distance, 0 to 2. seed: seed of the draws."""

    distance: float = 0.0
    seed: int = 0


def ses_search(alpha: float, iterations: int = ITERATIONS, solver: Solver = "dcfr") -> Search:
    """Safe exploitation search (Liu et al. 2022): max-margin with normalised margins, tilted toward the model's range.

    Args:
        alpha: weight of the model's range; 0 is max-margin, 1 full trust.
        iterations, solver: those of each flop.
    """
    look = LookAhead(Depth(), gadget=MaxMargin(), normalised=True)
    return Search(look, alpha=alpha, solver=solver, stop=Stop(iterations=iterations))


def search_all_flops(
    game: HoldemGame,
    blueprint: BlueprintStrategy,
    me: int,
    model: BlueprintStrategy | None,
    flops: Iterable[int],
    search: Search,
    *,
    profile: bool = False,
    error: EstimateError | None = None,
) -> RefinedBlueprint:
    """`search_boards` for flops of a game that ends there, by their numbers in `game.flops`.

    Raises:
        InputError: unknown flop, or as in `search_boards`.
    """
    if me not in (0, 1):
        raise InputError(f"the resolver must be player 0 or 1, not {me}")
    numbers = list(flops)
    for flop in numbers:
        if not 0 <= flop < game.flops.flops:
            raise InputError(f"a flop must be from 0 to {game.flops.flops - 1}, not {flop}")
    boards = (game.flops.listed[flop] for flop in numbers)
    return search_boards(game, blueprint, me, model, boards, search, profile=profile, error=error)


def search_boards(
    game: HoldemGame,
    blueprint: BlueprintStrategy,
    me: int,
    model: BlueprintStrategy | None,
    boards: Iterable[Board],
    search: Search,
    *,
    profile: bool = False,
    error: EstimateError | None = None,
) -> RefinedBlueprint:
    """Re-solve boards of one street to the end of the hand, with any gadget, after every betting line that leads there.

    Args:
        blueprint: of both players.
        me: the searching player.
        model: of the opponent, for p and alpha.
        boards: the boards, none of which follows another.
        search: the search of each board.
        profile: alternative values are those of the opponent's part of the blueprint, not of a best response.
        error: error of the estimate of the model's range.

    Raises:
        InputError: a gadget that a single board does not support, an unknown player, or more error than a range allows.
    """
    if me not in (0, 1):
        raise InputError(f"the resolver must be player 0 or 1, not {me}")
    wrong = error or EstimateError()
    begin, tables, solved = time.process_time(), dict[tuple[int, ...], NDArray[Any]](), 0
    early = gifts_before(game, blueprint, 1 - me) if search.gadget.takes_gifts else None
    for board in boards:
        solved += 1
        draw = np.random.default_rng((wrong.seed, board.number, me))
        given = None if early is None else gifts_before(game, blueprint, 1 - me, board.cards, early)
        for entry, node in enumerate(game.roots[board.street].tolist()):
            if game.betting.children(node):
                piece = board_subtree(game, entry, board.cards, me, given)
                known = known_at_board(
                    piece, blueprint, model, search, profile=profile, error=wrong.distance, draw=draw
                )
                found, mine = resolve_subtree(piece, search, known), piece.behaviour(blueprint, me)
                put_in(tables, piece, me, mine if found is None else found.splice(me, mine))
    for cards, table in tables.items():
        street = DEALT.index(len(cards))
        tables[cards] = normalise_rows(table, game.sides[me].decisions[street]).astype(game.dtype)
    return RefinedBlueprint(blueprint, me, tables, (time.process_time() - begin) / max(1, solved))


def put_in(tables: dict[tuple[int, ...], NDArray[Any]], piece: BoardSubtree, me: int, behaviour: Floats) -> None:
    """Add a behaviour to the (sequences, lanes) of each board; hands that differ only by suit names share a lane."""
    runs, betting, side = piece.whole.runs[me], piece.whole.betting, piece.game.sides[me]
    for at in piece.decisions(me):
        board, places = places_of_hands(piece.game, at.board)
        shape = side.sizes[board.street], board.lanes
        table, lane = tables.setdefault(board.cards, np.zeros(shape)), board.lane[places[at.numbers]]
        for node, sequence in at.nodes:
            for k, child in enumerate(betting.children(node)):
                start = int(runs.start[child]) + at.first
                np.add.at(table[sequence + k], lane, behaviour[start : start + len(lane)])
