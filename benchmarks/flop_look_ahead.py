"""What a look-ahead of the flop with portfolios behind it brings at 200 big blinds, to the player and to a best responder.

One line of betting on one flop. The blueprint is that of the package; its variants are the portfolios, the model is the
blueprint that plays uniformly three hands in ten. Everything after the flop is exact, over all turns and rivers: behind it
each hand goes on as the look-ahead chose. Milli-big-blinds for each hand that comes to the flop.

    python benchmarks/flop_look_ahead.py [LINE [P [ITERATIONS,...]]]
"""

from __future__ import annotations

import sys
import time

import numpy as np

import counterplay as cp
from counterplay.blueprints.whole_game.portfolio_look_ahead import SOLVER, LookAheadPlays, look_ahead_on_board
from counterplay.gadgets import Resolving
from counterplay.lookahead.search import LookAhead, Search
from counterplay.poker.whole_game.boards.board import deals_to_come
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import hand_values, rest_of_game
from counterplay.solvers.cfr import Stop
from counterplay_papers.files import GAME, VALUES

FLOP, SEAT = 300, 0


def main(line: int, p: float, counts: list[int]) -> None:
    """Print a row for each number of iterations."""
    rules = read_holdem(GAME)
    rest = rest_of_game(rules.game, 1, line)
    game, path = rest.game, str(VALUES.path())
    texts = path, f"bias:raise=5:{path}", f"bias:fold=5:{path}", f"noise:0.3:{path}"
    whole = [cp.opponent(rules, text, SEAT).play for text in texts]
    base, model = rest.strategy(whole[0]), rest.strategy(whole[3])
    board = game.boards.child(game.boards.root, FLOP)
    ranges = [BoardWalk(game, 1 - who, base).reach(board)[:, board.up].astype(float) for who in (0, 1)]
    deals = float(ranges[0].sum() * ranges[1].sum()) * deals_to_come(game.deck, 1, game.last)

    def measure(play: object) -> list[float]:
        """Won from the model, and by a best responder, in milli-big-blinds."""
        won = hand_values(game, SEAT, model, board, play).astype(float)
        lost = hand_values(game, 1 - SEAT, play, board).astype(float)
        chips = [float((ranges[who] * one).sum()) for who, one in ((SEAT, won), (1 - SEAT, lost))]
        return [1000.0 * each / deals / rules.stakes.big_blind for each in chips]

    plays = LookAheadPlays(whole[0], (whole[:3], whole[:3]), whole[3] if p else None)
    before = measure(base)
    betting = rules.betting.path(int(rules.game.roots[1][line]))
    print(f"{betting}, p = {p:g}; the blueprint wins {before[0]:.0f}, a best responder from it {before[1]:.0f}")
    for count in counts:
        begin = time.process_time()
        search = Search(LookAhead(gadget=Resolving()), p, solver=SOLVER, stop=Stop(iterations=count))
        found = look_ahead_on_board(rules.game, board, SEAT, plays, search, lines=[line])
        spent = time.process_time() - begin
        more = np.array(measure(rest.look_ahead(found))) - before
        print(
            f"{count:6d} iterations {spent:6.1f} CPU s: won {more[0]:+7.1f}, to a best responder {more[1]:+7.1f}",
            flush=True,
        )


if __name__ == "__main__":
    words = dict(enumerate(sys.argv[1:]))
    main(int(words.get(0, 11)), float(words.get(1, 0.5)), [int(n) for n in words.get(2, "50,200").split(",")])
