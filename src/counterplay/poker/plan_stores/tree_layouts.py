"""Layouts of public trees for the compact engine, one for each tree, so that strategies of it meet without being moved."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.public_tree.board_tables import tables_of
from counterplay.poker.public_tree.public_tree import PublicTree, boards_of
from counterplay.poker.public_tree.suit_isomorphism import IsomorphicBoards

_LAYOUTS: WeakKeyDictionary[PublicTree, dict[bool, CompactLayout]] = WeakKeyDictionary()


def layout_of(tree: PublicTree, *, alike: bool = False) -> CompactLayout:
    """The layout of a tree of all boards, computed once, so that strategies of it can be met without being moved.

    Args:
        tree: the tree.
        alike: isomorphic suits are dealt once.
    """
    known = _LAYOUTS.setdefault(tree, {})
    if alike not in known:
        boards = boards_of(tree.betting, tree.boards.cards, alike=True) if alike else None
        folded = isinstance(boards, IsomorphicBoards)
        if alike and not folded:
            return layout_of(tree)
        known[alike] = CompactLayout(tree.betting, tables_of(boards) if boards is not None else tree.tables)
    return known[alike]
