"""The boards after a look-ahead over a value function, solved again to the end of the hand when they are dealt."""

from __future__ import annotations

from collections.abc import Sequence

from counterplay.blueprints.whole_game.as_strategy import BoardSearches
from counterplay.gadgets import Gadget
from counterplay.gadgets.unsafe import Unsafe
from counterplay.lookahead.search import Search
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.look_ahead_strategy import LookAheadStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.value_functions.exact_leaf import EXACT


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
    """The entry of boards behind a value function: unsafe, unless it knows what the opponent's hands are worth on each. What
    it solved itself needs no gadget: the same solution is found again."""
    return gadget if hasattr(value, "on_boards") else Unsafe()
