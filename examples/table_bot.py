"""A bot from a file, as an opponent: how readily it folds, calls and raises on each street with hands of each strength.

The first line of the file is the game; the others are a street, three weights, and how many times more readily the best hand
raises than the worst one: `flop,2,3,1,9`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import counterplay as cp
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.strategies.lines import node_of_line

STREETS = {0: "preflop", 3: "flop", 4: "turn", 5: "river"}
KINDS = {"fold": 0, "check": 1, "call": 1}


class TableBot:
    """All that a whole game asks of an opponent is `probabilities`."""

    def __init__(self, path: str):
        game, *rows = Path(path).read_text().split()
        self.betting = cp.load(game).betting
        self.rows = {street: [float(x) for x in row] for street, *row in (row.split(",") for row in rows)}
        self.columns, self.asked = cache(self.columns_of), (None, None)

    def probabilities(self, line: str, board: tuple[int, ...], hands: Any) -> Any:
        """(hands, actions), in the order of the game's tree; `line` is such as "r300c/cr900"."""
        if self.asked[0] != board or self.asked[1] is not hands:  # all lines of a board are asked one after the other
            fold, call, bet, eager = self.rows[STREETS[len(board)]]
            raises = bet * eager ** self.strengths(board, hands)
            self.weights = np.stack([np.full_like(raises, fold), np.full_like(raises, call), raises], axis=1)
            self.asked = board, hands
        offered = self.weights[:, self.columns(line)]
        return offered / offered.sum(axis=1, keepdims=True)

    def columns_of(self, line: str) -> list[int]:
        """The kind of each action that is offered: to fold, to call or to raise."""
        return [KINDS.get(action, 2) for action in self.betting.actions(node_of_line(self.betting, line))]

    def strengths(self, board: tuple[int, ...], hands: Any) -> Any:
        """(hands,) from 0, the worst one, to 1; only ranks count, so that names of suits do not."""
        rank = hand_ranks(board, hands) if board else (hands // 4).sum(axis=1)
        return (rank - rank.min()) / max(1, rank.max() - rank.min())

    def visited(self, line: str, board: tuple[int, ...], hands: Any) -> Any:
        """(hands,) whether it ever came there in training: this one never saw three bets on a street."""
        return np.full(len(hands), line.split("/")[-1].count("r") < 3)


if __name__ == "__main__":
    folder = Path(__file__).parent
    game = cp.load((folder / "table_bot.txt").read_text().split()[0])
    model = cp.opponent(game, TableBot(str(folder / "table_bot.txt")), player=1)
    print(cp.evaluate_on_boards(game, cp.opponent(game, "uniform", player=0), model, 40))
