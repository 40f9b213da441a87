"""Nodes of a public tree: their paths, and the boards on which they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from counterplay.errors import InputError
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree, node_at, split
from counterplay.poker.cards.deck import card_text, parse_card
from counterplay.poker.public_tree.boards import Boards


class PublicNode(NamedTuple):
    """A node of a public tree: a betting node on a board, given by its layer and its number there."""

    node: int = 0
    layer: int = 0
    board: int = 0


def part_at(betting: BettingTree, boards: Boards, path: str) -> PublicNode:
    """The node at the end of a path; an `InputError` for an unknown or illegal step, an impossible card, or a wrong
    number of cards."""
    cards = boards.cards
    node, board = place_of(betting, cards.deck, cards.board, path)
    layer = len(board) - len(cards.board)
    return PublicNode(node, layer, boards.layers[layer].boards.index(board))


def place_of(
    betting: BettingTree, deck: Sequence[int], board: tuple[int, ...], path: str
) -> tuple[int, tuple[int, ...]]:
    """The betting node and the board at the end of a path, without a tree; errors as in `part_at`."""
    actions, cards = split(path)
    node = node_at(betting, actions)
    dealt = int(betting.street[node]) - betting.rules.first
    if betting.kind[node] == Kind.DEAL and len(cards) == dealt + 1:
        node, dealt = betting.children(node)[0], dealt + 1
    if len(cards) != dealt:
        raise InputError(f"the path '{path}' needs {dealt} dealt cards, and names {len(cards)}")
    whole = (*board, *(parse_card(card) for card in cards))
    if len(set(whole)) < len(whole) or not set(whole) <= set(deck):
        raise InputError(f"the path '{path}' deals a card that is no longer in the deck")
    return node, whole


def path_to(betting: BettingTree, boards: Boards, part: PublicNode) -> str:
    """The path of a node, as `part_at` reads it: "check, bet 100, Ah"."""
    board = boards.layers[part.layer].boards[part.board]
    dealt = map(card_text, board[len(boards.cards.board) :])
    return ", ".join(text for text in (betting.path(part.node), *dealt) if text)
