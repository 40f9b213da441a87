"""Local best response in whole hold'em games (Lisý and Bowling 2017): by class of hand before the flop, then by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, board_subtree
from counterplay.errors import NoDealError
from counterplay.opponents.whole_game import PASSIVE, play_style
from counterplay.poker.betting.state import Move
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.board_problem import board_problem
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import Floats, HoldemGame, is_walked
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, reaches, uniform
from counterplay.poker.whole_game.values.measure import entry_values, preflop_values
from counterplay.responses.matchup.lbr_ranges import local_best_response_of_hands
from counterplay.responses.matchup.pairing import Pairing
from counterplay.treeplex.strategy import Strategy


class LocalBestResponse:
    """The local best response to a model, of one seat.

    Attributes:
        before: a strategy with the response before the flop; on the flop it checks and calls. Where there are too many
            boards for that, the model itself.
    """

    def __init__(self, game: HoldemGame, model: BlueprintStrategy, seat: int) -> None:
        """Compute the response before the flop; about a second for each of the seat's turns there in Flop Hold'em."""
        self._game, self._model, self._seat = game, model, seat
        self.before: BlueprintStrategy = self._preflop() if is_walked(game) else model

    def on(self, entry: int, board: tuple[int, ...]) -> tuple[BoardSubtree, Floats]:
        """The rest of a hand on a board, and the (sequences,) behaviour that answers the model's range there; any range
        where the model has no reach."""
        game, seat = self._game, self._seat
        try:
            tree = board_problem(game, entry, board, _AgainstAnyHand(game, self._model, 1 - seat))
        except NoDealError:
            piece = board_subtree(game, entry, board, seat)
        else:
            piece = BoardSubtree(tree, PublicNode(), tree, seat, game, entry, tree.boards.layers[0].boards[0])
        here = SpotGame("a board", piece.whole, float(game.betting.pot[piece.node(0)]), 0.0)
        other = piece.whole.runs[1 - seat].tree
        model = Strategy(other, here.dealt_behaviour(1 - seat, piece.behaviour(self._model, 1 - seat)))
        found = local_best_response_of_hands(Pairing(here, model)).behaviour
        assert found is not None
        return piece, found

    def _preflop(self) -> BucketedStrategy:
        """The response at each turn to the model's range so far, without further bets."""
        game, me = self._game, self._seat
        calls, side = _passive(game, None), game.sides[me]
        early = [table.copy() for table in calls.preflop]
        depth = _depths(game)
        for level in sorted({int(depth[row[0]]) for row in side.preflop}):
            opponent = _until(game, self._model, 1 - me, level, depth)
            worth = preflop_values(
                game, me, reaches(game.sides[1 - me], opponent.preflop[1 - me]), entry_values(game, me, opponent, calls)
            )
            for _, before, first, count in side.preflop[::-1]:
                rows = slice(first, first + count)
                worth[before] += (calls.preflop[me][rows] * worth[rows]).sum(axis=0)
            for node, _, first, count in side.preflop:
                if depth[node] == level:
                    rows = slice(first, first + count)
                    early[me][rows] = np.arange(count)[:, None] == worth[rows].argmax(axis=0)
        return BucketedStrategy(calls.buckets, (early[0], early[1]), calls.tables)


def _depths(game: HoldemGame) -> list[int]:
    """(nodes,) the depth of each betting node."""
    depth = [0] * game.betting.nodes
    for node in range(1, game.betting.nodes):
        depth[node] = depth[int(game.betting.parent[node])] + 1
    return depth


def _passive(game: HoldemGame, folding: BlueprintStrategy | None) -> BucketedStrategy:
    """Checks and calls; before the flop it folds as often as `folding` does, on the flop, where there are no bets,
    never.
    """
    out = play_style(game, PASSIVE)
    if folding is not None:
        for player, side in enumerate(game.sides):
            table, folds = out.preflop[player], folding.preflop[player]
            for node, _, first, count in side.preflop.tolist():
                if game.betting.move[game.betting.children(node)[0]] == Move.FOLD:
                    table[first : first + count] *= 1.0 - folds[first]
                    table[first] = folds[first]
    return out


def _until(game: HoldemGame, model: BlueprintStrategy, player: int, level: int, depth: list[int]) -> BucketedStrategy:
    """The model down to a level of the betting, and from then on passive."""
    passive = _passive(game, model)
    for node, _, first, count in game.sides[player].preflop:
        if depth[node] < level:
            passive.preflop[player][first : first + count] = model.preflop[player][first : first + count]
    return passive


class _AgainstAnyHand:
    """The model of one player; the other may hold any hand."""

    def __init__(self, game: HoldemGame, model: BlueprintStrategy, player: int) -> None:
        self._model, self._player, self._other = model, player, uniform(game)
        early = list(self._other.preflop)
        early[player] = np.array(model.preflop[player], np.float64)
        self.preflop = early[0], early[1]

    def on(self, player: int, board: Board) -> tuple[NDArray[Any], Small]:
        return (self._model if player == self._player else self._other).on(player, board)
