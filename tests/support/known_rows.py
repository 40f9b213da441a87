"""A player who tells how well they know each row of a model, on boards and in the game that is listed history by history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay import Strategy
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.lines import LineBlueprint, StrategyLines, line_at


@dataclass(frozen=True, eq=False)
class KnownRows:
    """A strategy of which some hands are known well, some by half, some not at all."""

    lines: StrategyLines

    def probabilities(self, line: str, board: tuple[int, ...], hands: Any) -> Any:
        return self.lines.probabilities(line, board, hands)

    def visited(self, line: str, board: tuple[int, ...], hands: Any) -> Any:
        return ((np.asarray(hands) // 4).sum(axis=1) + len(line) + len(board)) % 3 / 2


def knowing(game: HoldemGame, play: Any) -> LineBlueprint:
    """The strategy as one that tells what it knows."""
    return LineBlueprint(game, KnownRows(StrategyLines(game, play)))


def with_counts(listed: Strategy, question: Holdem, bot: LineBlueprint) -> Strategy:
    """The strategy of the listed game with the counts that mean the same trust: ten observations are enough."""
    tree, counts = listed.tree, np.zeros(listed.tree.lanes)
    tell: Any = bot.lines
    for lane, name in zip(tree.labels.lanes, tree.labels.infosets, strict=True):
        if lane >= 0:
            seen = question.read(name, tree.player)
            known = tell.visited(line_at(bot.game.betting, seen.node), seen.board, [seen.hand])
            counts[lane] = 10.0 * float(known[0])
    return Strategy(tree, listed.behaviour, listed.facts, counts)
