"""A player who re-solves flops as they come, as a strategy of the whole game, which can be measured exactly."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.blueprints.whole_game.flop_subtree import FlopPiece, flop_piece
from counterplay.blueprints.whole_game.preflop_gifts import gifts_before
from counterplay.blueprints.whole_game.resolve_flop import known_at_flop
from counterplay.errors import InputError
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.lookahead.search import LookAhead, Search
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, normalise_rows
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.gadgets import MaxMargin

ITERATIONS = 300
"""Of both players: the least margin is then within some 0.01 chips of where it comes to rest."""


@dataclass(frozen=True, eq=False)
class RefinedBlueprint:
    """A blueprint with some flops of one player solved again: a strategy like any other.

    Attributes:
        base: the blueprint.
        player: the resolver.
        flops: those of the game.
        tables: for each flop that was solved, (sequences, lanes) of `Flops.lane`.
        seconds: that a flop took in the mean, processor time.
    """

    base: BlueprintStrategy
    player: int
    flops: Flops
    tables: Mapping[int, NDArray[Any]]
    seconds: float

    @property
    def preflop(self) -> tuple[Floats, Floats]:
        return self.base.preflop

    def on(self, player: int, board: Board) -> tuple[NDArray[Any], Small]:
        if player == self.player and board.number in self.tables:
            return self.tables[board.number], board.lane
        return self.base.on(player, board)


@dataclass(frozen=True)
class EstimateError:
    """How an estimate is made wrong on purpose. distance: L1, 0 to 2. seed: of the draws."""

    distance: float = 0.0
    seed: int = 0


def ses_search(alpha: float, iterations: int = ITERATIONS, solver: Solver = "dcfr") -> Search:
    """Safe exploitation search (Liu et al. 2022): max-margin with normalised margins, tilted toward the model's range.

    Args:
        alpha: how much the model counts; 0 is max-margin, 1 trusts the model's range wholly.
        iterations, solver: of each flop.
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
    """Flops solved again behind any gadget, each after every betting that leads there.

    Args:
        blueprint: of both players.
        me: who searches.
        model: of the opponent, for p and alpha.
        flops: their numbers in `game.flops`.
        search: of each.
        profile: alternative values are those of the blueprint's other half, not of a best response.
        error: of the estimate of the model's range.

    Raises:
        InputError: a gadget that a single flop cannot have, no such player or flop, or more error than a range allows.
    """
    if me not in (0, 1):
        raise InputError(f"the resolver must be player 0 or 1, not {me}")
    wrong = error or EstimateError()
    begin, tables = time.process_time(), dict[int, NDArray[Any]]()
    given = gifts_before(game, blueprint, 1 - me) if search.gadget.takes_gifts else None
    for flop in flops:
        if not 0 <= flop < game.flops.flops:
            raise InputError(f"flop {flop} is none of 0 to {game.flops.flops - 1}")
        draw = np.random.default_rng((wrong.seed, flop, me))
        table = np.zeros((game.sides[me].sizes[1], int(game.flops.lanes[flop])))
        for entry, node in enumerate(game.entries.tolist()):
            if game.betting.children(node):
                piece = flop_piece(game, entry, game.flops.boards[flop].tolist(), me, given)
                known = known_at_flop(piece, blueprint, model, search, profile=profile, error=wrong.distance, draw=draw)
                found, mine = resolve_subtree(piece, search, known), piece.behaviour(blueprint, me)
                mine = mine if found is None else found.splice(me, mine)
                put_in(table, piece, me, mine, flop)
        tables[flop] = normalise_rows(table, game.sides[me].flop).astype(game.dtype)
    return RefinedBlueprint(blueprint, me, game.flops, tables, (time.process_time() - begin) / max(1, len(tables)))


def put_in(table: NDArray[Any], piece: FlopPiece, me: int, behaviour: Floats, flop: int) -> None:
    """Add a behaviour to the (sequences, lanes) of a flop; hands that differ by the names of suits only are played alike."""
    game, runs = piece.game, piece.whole.runs[me]
    lanes = np.zeros(len(game.flops.deck.hands), np.int64)
    lanes[game.flops.hand[flop]] = game.flops.lane[flop]
    lane, first = lanes[piece.numbers], {int(row[0]): int(row[2]) for row in game.sides[me].flop}
    for node in np.flatnonzero(runs.lane[:DEAL] >= 0).tolist():
        for k, child in enumerate(piece.whole.betting.children(node)):
            start = int(runs.start[child])
            np.add.at(table[first[piece.node(node)] + k], lane, behaviour[start : start + len(lane)])
