"""A player who re-solves flops as they come, as a strategy of the whole game, which can be measured exactly."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.blueprints.whole_game.flop_subtree import FlopPiece, flop_piece
from counterplay.blueprints.whole_game.preflop_gifts import gifts_before
from counterplay.blueprints.whole_game.resolve_flop import known_at_flop
from counterplay.blueprints.whole_game.ses import RefinedBlueprint
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, normalise_rows


def search_all_flops(
    game: HoldemGame,
    blueprint: BlueprintStrategy,
    me: int,
    model: BlueprintStrategy | None,
    flops: Iterable[int],
    search: Search,
    *,
    profile: bool = False,
) -> RefinedBlueprint:
    """Flops solved again behind any gadget, each after every betting that leads there.

    Args:
        blueprint: of both players.
        me: who searches.
        model: of the opponent, for p and alpha.
        flops: their numbers in `game.flops`.
        search: of each.
        profile: see `solved_again`.

    Raises:
        InputError: a gadget that a single flop cannot have.
    """
    begin, tables = time.process_time(), dict[int, NDArray[Any]]()
    given = gifts_before(game, blueprint, 1 - me) if search.gadget.takes_gifts else None
    for flop in flops:
        table = np.zeros((game.sides[me].sizes[1], int(game.flops.lanes[flop])))
        for entry, node in enumerate(game.entries.tolist()):
            if game.betting.children(node):
                piece = flop_piece(game, entry, game.flops.boards[flop].tolist(), me, given)
                known = known_at_flop(piece, blueprint, model, search, profile=profile)
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
