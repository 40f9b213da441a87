"""One flop after some betting as a piece of a public tree, so that every gadget and every search there is can enter it.

The public tree deals all hands alike; with which hands a player comes, and what it does, is said by a behaviour that is read
off a strategy of the whole game. Suits keep their names here: a model may be asked about any flop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.public_tree.boards import Cards, Ints
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.subtrees.public_subtree import PublicSubtree
from counterplay.poker.whole_game.flop_problem import flop_betting
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.lookup import probabilities, reach
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.subgames.plan_store import PlanStore


@dataclass(frozen=True, eq=False)
class FlopPiece(PublicSubtree):
    """A flop.

    Attributes:
        game: what it is part of.
        entry: how the betting before it ended, a number in `Game.entries`.
        board: the cards of the flop.
        given: (entries, hands of the deck) chips that the opponent gave away on the way, from `gifts_before`; None if nobody
            asked.
    """

    game: HoldemGame
    entry: int
    board: tuple[int, ...]
    given: Floats | None = None

    @property
    def numbers(self) -> Ints:
        """(hands,) the number in the deck of the hand at each place."""
        held = self.whole.boards.cards.hands[self.whole.boards.layers[0].hand]
        return np.asarray(self.game.flops.deck.numbers[held[:, 0], held[:, 1]], np.int64)

    def node(self, node: int) -> int:
        """The node in the betting of the whole game."""
        return self.game.betting.children(int(self.game.entries[self.entry]))[0] + node

    @property
    def alike(self) -> Ints:
        """(hands,) the lane of each hand on the flop: hands that differ by the names of suits only share one."""
        flops, deck = self.game.flops, self.game.flops.deck
        flop, turn = flops.find(self.board)
        lanes = np.zeros(len(deck.hands), np.int64)
        lanes[flops.hand[flop]] = flops.lane[flop]
        cards = turn[deck.hands[self.numbers]]
        return np.asarray(lanes[deck.numbers[cards[:, 0], cards[:, 1]]], np.int64)

    def gifts(self, plans: PlanStore) -> Floats:
        """(hands,) what the opponent gave away before the flop, in the unit of CFVs, shared among all flops."""
        if self.given is None:
            return np.zeros(self.size)
        return np.asarray(self.given[self.entry][self.numbers] * self.weight(plans.reach(self.resolver)), np.float64)

    def behaviour(self, play: BlueprintStrategy, player: int) -> Floats:
        """(size,) what a strategy of the whole game does here, with its range in place of the deal."""
        runs, numbers = self.whole.runs[player], self.numbers
        out = runs.tree.uniform()
        for node in np.flatnonzero(runs.lane[:DEAL] >= 0).tolist():
            rows = probabilities(self.game, play, self.node(node), self.board)[:, numbers]
            for child, row in zip(self.whole.betting.children(node), rows, strict=True):
                start = int(runs.start[child])
                out[start : start + len(row)] = row
        came = reach(self.game, play, player, int(self.game.entries[self.entry]), ())[numbers]
        out[int(runs.start[DEAL]) : int(runs.start[DEAL]) + len(came)] = came
        return out

    def row(self, behaviour: Floats, player: int, node: int, hand: int) -> Floats:
        """(actions,) what a behaviour does at a node of the piece with a hand of the deck."""
        runs = self.whole.runs[player]
        place = int(np.flatnonzero(self.numbers == hand)[0])
        return np.array([behaviour[int(runs.start[child]) + place] for child in self.whole.betting.children(node)])


def flop_piece(
    game: HoldemGame, entry: int, board: str | Iterable[int], resolver: int, given: Floats | None = None
) -> FlopPiece:
    """The flop that a board shows after one of `Game.entries`, for the one who solves it again.

    Raises:
        InputError: there is no such entry, nobody acts there, or the board is no flop.
    """
    tree = _laid_out(game, entry, board)
    return FlopPiece(tree, PublicNode(), tree, resolver, game, entry, tree.boards.layers[0].boards[0], given)


def _laid_out(game: HoldemGame, entry: int, board: str | Iterable[int]) -> PublicTree:
    """All hands that the board leaves, each as likely."""
    deck, betting = game.flops.deck, flop_betting(game, entry)
    shown = deck.held(board)
    game.flops.find(shown)
    hands = deck.hands[deck.live(shown)]

    def rank(cards: tuple[int, ...], held: Ints) -> Ints:
        return hand_ranks(cards, held, deck=deck).astype(np.int64)

    return public_tree(betting, Cards(deck.cards, shown, hands, np.ones((2, len(hands))), rank))
