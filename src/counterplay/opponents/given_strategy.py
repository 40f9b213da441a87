"""Existing strategies as opponents: a strategy of the game, a table of probabilities, a player of a solved spot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.opponents.decision_rows import hands_on
from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.problem.solvable_game import by_kind
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class GivenStrategy(OpponentModel):
    """A given strategy.

    Attributes:
        source: a strategy of the game; or {infoset: {action: probability}}, where infosets with one action may be
            missing; in a spot also another solved spot.
    """

    source: Strategy | SolvedSpot | Mapping[str, Mapping[str, float]]

    def __str__(self) -> str:
        return f"<{type(self.source).__name__}>"

    def strategy(self, game: AnyGame, player: int, seed: int = 0) -> Strategy:
        if isinstance(self.source, Strategy):
            if self.source.tree is not game.trees[player]:
                raise InputError(f"this is not a strategy of player {player} in {game.name}")
            return self.source
        return super().strategy(game, player, seed)

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        if isinstance(self.source, Mapping):
            return Strategy.from_table(game.trees[player], self.source)
        from_solution = by_kind(FROM_SOLUTION, game, None)
        if from_solution is None:
            raise InputError(f"a solved spot cannot be an opponent in {game.name}")
        return from_solution(game, self.source, player)

    def is_fixed(self, rules: Any) -> bool:  # noqa: ARG002 - it has no text
        return False


def _from_solution(game: SpotGame, solved: SolvedSpot, player: int) -> Strategy:
    """The strategy of a player in another solution: of the same spot, or of one with other ranges. Hands that are
    missing there play uniformly.

    Raises:
        InputError: the other spot has another board, other chips or bets, or other rules.
    """
    tree = game.trees[player]
    if solved.tree.runs[player].tree is tree:
        return Strategy(tree, solved.plans.strategy(player).behaviour, solved.facts)
    if game.spot is None:
        raise InputError(f"a solved spot cannot be an opponent in {game.name}")
    theirs = solved.spot
    same = ("board", "pot", "stack", "bets", "raises", "min_bet", "unit", "all_in_at", "deck", "rules")
    for name in same:
        if getattr(theirs, name) != getattr(game.spot, name):
            raise InputError(f"that solution is of a spot with another {name}, so it cannot be a model in this one")
    behaviour = tree.uniform()
    for node in np.flatnonzero(game.tree.runs[player].lane[:DEAL] >= 0).tolist():
        here = layer_of(game.tree.betting, node)
        there = solved.tree.runs[player]
        for board in range(len(game.tree.boards.layers[here].boards)):
            mine, other = (hands_on(x, PublicNode(node, here, board)) for x in (game.tree, solved.tree))
            _, at, found = np.intersect1d(
                game.spot.numbers[mine[1]], theirs.numbers[other[1]], assume_unique=True, return_indices=True
            )
            for child in game.tree.betting.children(node):
                to = int(game.tree.runs[player].start[child]) + mine[0]
                behaviour[to + at] = solved.plans.behaviour(player)[int(there.start[child]) + other[0] + found]
    return Strategy(tree, behaviour, solved.facts)


FROM_SOLUTION: dict[type, Callable[..., Strategy]] = {SpotGame: _from_solution}
"""What makes a strategy of a solved spot, in the kinds of games that have it."""
