"""How much variance stays whatever is done, where one side's strategy is unknown (`counterplay_papers.least_variance`).

In Leduc exactly. In hold'em at 200 big blinds from below: of the steps at the unknown side's decisions those on the river
alone, where values are exact for the strategies of both, averaged over drawn hands. The unknown side's action is averaged
out; the cards, the line and the range that the known side has there are those of the hand.

    python benchmarks/aivat_bound.py [HANDS]
"""

from __future__ import annotations

import sys
from math import sqrt

import numpy as np

import counterplay as cp
from common import table
from counterplay.intervals import HALF_95
from counterplay.measure.street_walks import StreetWalks
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategies.row_models import DrawnHand, HandDraw
from counterplay.poker.whole_game.strategy import probabilities, reach
from counterplay_papers.files import BOT, BUCKETS, GAME, VALUES
from counterplay_papers.least_variance import least_variance

RIVER = 3
OTHERS = ("nash", "cfr+:10", "noise:0.4:nash", "uniform", "random:1")


def leduc() -> list[list[str]]:
    """A row for each opponent of an equilibrium, over both seats."""
    game, rows = cp.load("leduc"), []
    for text in OTHERS:
        both = [least_variance(game, cp.opponent(game, "nash", k), cp.opponent(game, text, 1 - k)) for k in (0, 1)]
        least, plain = sum(one.least for one in both), sum(one.plain for one in both)
        rows.append([text, f"{100.0 * least / plain:.1f} %", f"{plain / least if least else np.inf:.1f}"])
    return rows


class Rivers:
    """Sums of squares of hands between two strategies. Arguments: the known side's and the unknown one's."""

    def __init__(self, known: str, unknown: str) -> None:
        self.rules = read_holdem(f"{GAME},{BUCKETS}")
        self.game = self.rules.game
        self.plays = strategy_of(self.game, known), strategy_of(self.game, unknown)
        self._walks = [StreetWalks(self.game, self._seated(seat)) for seat in (0, 1)]

    def _seated(self, seat: int) -> tuple:
        return self.plays if seat == 0 else self.plays[::-1]

    def hands(self, count: int) -> np.ndarray:
        """(hands, 2) result of the known side, and the variance of the unknown side's steps on the river, in big blinds."""
        draw, found = HandDraw(self.game, 0), np.zeros((count, 2))
        blind = float(self.rules.stakes.big_blind or 1.0)
        for number in range(count):
            seat = number % 2
            one = draw.hand(self._seated(seat))
            found[number] = self._paid(one, seat) / blind, self._steps(one, seat) / blind**2
        return found

    def _paid(self, one: DrawnHand, seat: int) -> float:
        """Chips of a seat."""
        betting, node = self.game.betting, one.ended
        win, lose, tie = (float(part[node]) for part in (betting.win, betting.lose, betting.tie))
        if betting.kind[node] != Kind.SHOWDOWN:
            return lose if betting.kind[int(betting.parent[node])] == seat else win
        ranks = hand_ranks(one.board, np.array(one.holes), deck=self.game.deck)
        return tie if ranks[0] == ranks[1] else win if ranks[seat] > ranks[1 - seat] else lose

    def _steps(self, one: DrawnHand, seat: int) -> float:
        """Squared chips."""
        other, betting, total, values = 1 - seat, self.game.betting, 0.0, None
        held = self.game.deck.hand(*one.holes[other])
        play = self._seated(seat)
        for at in one.choices:
            if at.player != other or betting.street[at.node] != RIVER:
                continue
            if values is None:
                entry = at.node
                while betting.kind[entry] != Kind.DEAL:
                    entry = int(betting.parent[entry])
                range_there = reach(self.game, play[seat], seat, entry, one.board[:-1]) * self.game.deck.live(one.board)
                values = self._walks[seat].values(RIVER, entry, one.board, other, range_there)
            odds = probabilities(self.game, play[other], at.node, one.board)[:, held]
            worth = values.after(at.node)[:, held]
            total += float(odds @ (worth - odds @ worth) ** 2)
        return total


def main() -> None:
    """Both tables."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    table("Leduc, an equilibrium known", ["against", "stays", "times fewer hands, at most"], leduc())
    rows = []
    for known, unknown in ((VALUES, BOT), (BOT, VALUES)):
        found = Rivers(str(known.path()), str(unknown.path())).hands(count)
        plain, steps = found[:, 0].var(), found[:, 1]
        error = (
            HALF_95
            * (steps / plain - steps.mean() / plain**2 * (found[:, 0] - found[:, 0].mean()) ** 2).std()
            / sqrt(count)
        )
        rows.append([unknown.name, plain, f"{100.0 * steps.mean() / plain:.1f} ± {100.0 * error:.1f} %"])
    table(f"{GAME}, {count:,} hands: steps on the river alone", ["unknown", "variance, bb²", "stays"], rows)


if __name__ == "__main__":
    main()
