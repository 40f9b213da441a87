"""Parts of a public tree by the paths that lead to them: actions, and the cards that come, such as "x b100 c Ah x"."""

from __future__ import annotations

from counterplay.errors import InputError
from counterplay.poker.betting import Kind
from counterplay.poker.cards import card_text, parse_card
from counterplay.poker.leaves import Part
from counterplay.poker.paths import split
from counterplay.poker.problem import PublicTree


def part_at(tree: PublicTree, path: str) -> Part:
    """Where a path leads.

    Raises:
        InputError: a step that is none, a card that cannot come, too many cards or too few.
    """
    betting, layers = tree.betting, tree.boards.layers
    actions, cards = split(path)
    node = betting.find(actions)
    dealt = int(betting.street[node]) - betting.rules.first
    if betting.kind[node] == Kind.DEAL and len(cards) == dealt + 1:
        node, dealt = betting.children(node)[0], dealt + 1
    if len(cards) != dealt:
        raise InputError(f"the path '{path}' needs {dealt} dealt cards, and names {len(cards)}")
    board = (*tree.boards.cards.board, *(parse_card(card) for card in cards))
    if board not in layers[dealt].boards:
        raise InputError(f"the path '{path}' deals a card that is not left in the deck")
    return Part(node, dealt, layers[dealt].boards.index(board))


def path_to(tree: PublicTree, part: Part) -> str:
    """How a part is reached, as `part_at` reads it: "check, bet 100, Ah"."""
    board = tree.boards.layers[part.layer].boards[part.board]
    dealt = map(card_text, board[len(tree.boards.cards.board) :])
    return ", ".join(text for text in (tree.betting.path(part.node), *dealt) if text)
