"""How much of the variance of hands AIVAT leaves in hold'em at 200 big blinds where one side's strategy is known.

    python benchmarks/aivat_one_known.py [DEALS] [BOARDS]

Each deal is played twice, with the seats exchanged, so that both single hands and mirrored pairs are measured.
"""

from __future__ import annotations

import sys
import time
from math import sqrt

import numpy as np

from common import table
from counterplay.agents.worlds.whole_game import HoldemAgent
from counterplay.intervals import HALF_95
from counterplay.measure.holdem_aivat import HoldemAivat
from counterplay.measure.make_aivat import BOARDS
from counterplay.measure.match import deal
from counterplay.measure.play_hand import play_hand
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.values.lane_values import tally_lanes
from counterplay.steps import finished
from counterplay_papers.files import BOT, BUCKETS, GAME, VALUES


def main() -> None:
    """The table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    boards = int(sys.argv[2]) if len(sys.argv) > 2 else BOARDS
    rules = read_holdem(f"{GAME},{BUCKETS}")
    plays = [strategy_of(rules.game, str(file.path())) for file in (VALUES, BOT)]
    known, other = ([HoldemAgent(rules, play, seat, seat, "bot") for seat in (0, 1)] for play in plays)
    values = {player: finished(tally_lanes(rules.game, player, plays[0], boards)) for player in (0, 1)}
    aivat = HoldemAivat(rules, (known[0], known[1]), values)
    found, begin = np.zeros((count, 2, 2)), time.process_time()
    for number in range(count):
        for seat in (0, 1):
            table_of = (known[0], other[1]) if seat == 0 else (other[0], known[1])
            hand = play_hand(rules, table_of, deal(1, number))
            found[number, seat] = hand.won(seat), aivat.chips(hand, seat)
    seconds = time.process_time() - begin
    rows = []
    for name, some in (("single hands", found.reshape(-1, 2)), ("mirrored pairs", found.mean(axis=1))):
        plain, left = some.var(axis=0)
        gap = ((some - some.mean(axis=0)) ** 2) @ np.array([-left / plain, 1.0]) / plain
        error = HALF_95 * gap.std() / sqrt(len(some))
        rows.append([name, f"{100.0 * left / plain:.1f} ± {100.0 * error:.1f} %", plain / left])
    table(
        f"{count:,} deals, {500.0 * seconds / count:.0f} CPU ms a hand",
        ["", "variance left", "times fewer hands"],
        rows,
    )


if __name__ == "__main__":
    main()
