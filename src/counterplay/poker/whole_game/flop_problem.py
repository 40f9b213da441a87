"""The flop after some betting and with some cards, as a problem like any other: for gadgets, search and look-ahead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from counterplay.errors import InputError
from counterplay.poker.betting.tree import BettingTree, build
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.public_tree.boards import Cards, Ints
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import reach
from counterplay.poker.whole_game.strategy import BlueprintStrategy


def flop_betting(game: HoldemGame, entry: int) -> BettingTree:
    """The betting on the flop after one of `Game.entries`, as a tree of its own with the utilities of the whole game: what
    is in the pot is half each player's own money.

    Raises:
        InputError: there is no such entry, or the hands are shown there without further betting.
    """
    if not 0 <= entry < len(game.entries):
        raise InputError(f"entry {entry} is none of 0 to {len(game.entries) - 1}")
    rules, node = game.betting.rules, int(game.entries[entry])
    if not game.betting.children(node):
        raise InputError(f"after '{game.betting.path(node)}' both hands are shown, and nobody acts on the flop")
    put = [round(float(chips) / rules.unit) for chips in game.betting.committed[node]]
    left = rules.stacks[0] - put[0], rules.stacks[1] - put[1]
    return build(
        replace(rules, stacks=left, pot=rules.pot + sum(put), blinds=(0, 0), ante=0, first=1), game.betting.sizes
    )


def flop_problem(game: HoldemGame, play: BlueprintStrategy, entry: int, board: str | Iterable[int]) -> PublicTree:
    """The subgame of one entry and one flop, where both players come with their ranges.

    Args:
        play: of both players, up to there.
        entry: a number in `Game.entries`.
        board: three cards.

    Raises:
        InputError: as in `flop_betting`, or the board is no flop, or nobody ever comes there.
    """
    deck, betting = game.flops.deck, flop_betting(game, entry)
    cards = deck.held(board)
    if len(cards) != 3:
        raise InputError(f"a flop has 3 cards, not {len(cards)}")
    live, node = deck.live(cards), int(game.entries[entry])
    weights = np.array([reach(game, play, player, node)[live] for player in (0, 1)])

    def rank(shown: tuple[int, ...], hands: Ints) -> Ints:
        return hand_ranks(shown, hands, deck=deck).astype(np.int64)

    return public_tree(betting, Cards(deck.cards, cards, deck.hands[live], weights, rank))
