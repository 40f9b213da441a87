"""Nodes of blueprints, as the command `blueprint` names and shows them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from counterplay.errors import InputError

if TYPE_CHECKING:
    from counterplay.commands.options.blueprint_options import NodeFlags
    from counterplay.poker.betting.tree import BettingTree
    from counterplay.poker.cards.deck import Deck
    from counterplay.poker.whole_game.blueprints.blueprint import Blueprint
    from counterplay.poker.whole_game.holdem import HoldemGame


Nodes = list[tuple[int, tuple[int, ...]]]
"""Nodes of a betting tree, each with its board."""


def nodes_of(betting: BettingTree, deck: Deck, shown: NodeFlags) -> Nodes:
    """The nodes to show.

    Raises:
        InputError: unknown node, a node without a decision, or a missing flop.
    """
    from counterplay.poker.betting.paths import node_at
    from counterplay.poker.betting.rules import STREETS
    from counterplay.poker.betting.state import Kind
    from counterplay.poker.whole_game.boards.board import DEALT

    board = () if shown.board is None else deck.held(shown.board)
    if shown.board is not None and len(board) not in DEALT[1 : betting.rules.last + 1]:
        names = f"a flop has {DEALT[1]}" if betting.rules.last == 1 else "a board has 3, 4 or 5"
        raise InputError(f"{names} cards, not {len(board)}")
    found = []
    for path in shown.node or [""]:
        node = node_at(betting, path)
        if betting.kind[node] == Kind.DEAL:
            node = betting.children(node)[0]
        if betting.kind[node] > Kind.PLAYER1:
            raise InputError(f"no player acts at '{path}'")
        street = int(betting.street[node])
        if len(board) < DEALT[street]:
            raise InputError(f"'{path}' is on the {STREETS[street]}: name its cards, as in --board 'Qs Jh 2h'")
        found.append((node, board[: DEALT[street]]))
    return found


def facts_of(game: HoldemGame, made: Blueprint, node: int, board: tuple[int, ...]) -> dict[str, Any]:
    """A node as plain numbers."""
    from counterplay.poker.cards.deck import cards_text, hand_text
    from counterplay.poker.whole_game.lookup import probabilities, reach

    rows, player = probabilities(game, made.play, node, board), int(game.betting.kind[node])
    came = reach(game, made.play, player, node, board)
    hands = {
        hand_text(cards): {"reach": float(came[k]), "probabilities": rows[:, k].tolist()}
        for k, cards in enumerate(game.deck.hands.tolist())
        if came[k] > 0.0
    }
    path, actions = game.betting.path(node), list(game.betting.actions(node))
    return {"path": path, "flop": cards_text(board), "player": player, "actions": actions, "hands": hands}


def show(game: HoldemGame, made: Blueprint, node: int, board: tuple[int, ...]) -> None:
    """The grid of the player who acts."""
    from counterplay.poker.cards.deck import cards_text
    from counterplay.poker.ranges.grid import show_strategy
    from counterplay.poker.whole_game.lookup import probabilities, reach

    player, shown = int(game.betting.kind[node]), f"board {cards_text(board)}, " if board else ""
    seat = ("big blind", "button")[player]
    print(f"\n{game.betting.path(node) or 'root'}: {shown}pot {game.betting.pot[node]:g}, {seat} to act\n")
    sys.stdout.flush()
    weights = reach(game, made.play, player, node, board)
    rows = probabilities(game, made.play, node, board).T
    show_strategy(rows, game.betting.actions(node), weights, board=board, deck=game.deck)
