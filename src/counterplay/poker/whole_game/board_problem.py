"""The rest of a hand after some betting on some board as a problem, for gadgets, search and look-aheads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from counterplay.arrays import I64
from counterplay.errors import InputError
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.subtrees.public_subtree import betting_below
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import reach
from counterplay.poker.whole_game.strategy import BlueprintStrategy


def first_node(game: HoldemGame, street: int, entry: int) -> int:
    """The betting node at which a street begins after an entry, a number in `HoldemGame.roots` of the street; an
    `InputError` for an unknown one, or a showdown there without further betting."""
    if street == 0:
        return 0
    roots = game.roots[street]
    if not 0 <= entry < len(roots):
        raise InputError(f"entry {entry} is none of 0 to {len(roots) - 1}")
    after = game.betting.children(int(roots[entry]))
    if not after:
        path = game.betting.path(int(roots[entry]))
        raise InputError(f"after '{path}' there is a showdown without a decision on the {STREETS[street]}")
    return after[0]


def betting_after(game: HoldemGame, street: int, entry: int) -> BettingTree:
    """The betting from a street on as a tree of its own, with the utilities of the whole game; arguments and errors as of
    `first_node`."""
    return betting_below(game.betting, first_node(game, street, entry), street)


def board_problem(
    game: HoldemGame, entry: int, board: str | Iterable[int], play: BlueprintStrategy | None = None
) -> PublicTree:
    """The subgame of one entry and one board, to the end of the hand.

    Args:
        game: a whole game of hold'em.
        entry: a number in `HoldemGame.roots` of the board's street.
        board: the cards of the flop, and those of turn and river where they are dealt.
        play: strategy of both players up to there, which gives their ranges; None for all hands.
    """
    shown, street = street_of(game, board)
    node = first_node(game, street, entry)
    cards = cards_after(game, shown)
    if play is not None:
        live = game.deck.live(shown)
        cards = replace(cards, weights=np.array([reach(game, play, who, node, shown)[live] for who in (0, 1)]))
    return public_tree(betting_below(game.betting, node, street), cards)


def whole_tree(game: HoldemGame) -> PublicTree:
    """A whole game as one problem, on all its boards: for decks of a few cards."""
    return public_tree(game.betting, cards_after(game, ()))


def cards_after(game: HoldemGame, board: tuple[int, ...]) -> Cards:
    """All hands that a board leaves, with equal weights, and the cards that may still be dealt."""
    deck = game.deck
    hands = deck.hands[deck.live(board)]

    def rank(shown: tuple[int, ...], held: I64) -> I64:
        return hand_ranks(shown, held, deck=deck).astype(np.int64)

    return Cards(deck.cards, board, hands, np.ones((2, len(hands))), rank)


def street_of(game: HoldemGame, board: str | Iterable[int]) -> tuple[tuple[int, ...], int]:
    """The cards of a board and its street."""
    cards = game.deck.held(board)
    if len(cards) not in DEALT[1 : game.last + 1]:
        known = " or ".join(f"{DEALT[street]} on the {STREETS[street]}" for street in range(1, game.last + 1))
        raise InputError(f"a board has {known} cards, not {len(cards)}")
    return cards, DEALT.index(len(cards))
