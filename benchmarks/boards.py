"""Whole no-limit hold'em, 200 big blinds, fold, call, pot and all-in: one river, and one flop with all turns and rivers.

A river is all 129 betting lines that come there, 1,001 showdowns and 642 folds, for all 1,081 hands: the opponent's range
down, the payoffs, the best response up. The flop is that of every river after it, of one seat.
"""

from __future__ import annotations

import resource
from typing import Any

import numpy as np

from common import interleaved, table
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategy import uniform
from counterplay.poker.whole_game.values.board_walk import add_best, spread_out, values_against
from counterplay.poker.whole_game.walks.make_rule import BEST, LOCAL, LOOK_AHEAD, RuleSettings
from counterplay.poker.whole_game.walks.response_on_flops import ResponseOnFlops

GAME, FLOP, ROUNDS = "holdem:stack=200bb,bets=fcpa", 700, 60


def main() -> None:
    game = read_holdem(GAME).game
    play = uniform(game)
    board = game.boards.root
    for number in (FLOP, 5, 5):
        board = game.boards.child(board, number)
    run, room, them = game.run_on(3), game.room(3), game.sides[1]
    entry = np.random.default_rng(0).random((len(game.roots[3]), len(board.up) + 47)).astype(game.dtype)
    out = np.zeros(entry.shape)
    lanes, ours = play.on(1, board), game.sides[0].decisions[3]

    def river() -> None:
        values_against(board.layout, game.terminals_on[2][0], them.decisions[3], (entry, *lanes), board.up, run, room)
        add_best(ours, 1.0, board.up, run, room, out)

    def spread() -> None:
        spread_out(them.decisions[3], entry, *lanes, board.up, room[0], run)

    river()
    seconds = interleaved({"all lines of a river": river, "of it, the range down": spread}, ROUNDS)
    table("A river", ("what", "ms"), [(name, 1e3 * s) for name, s in seconds.items()])
    rules = {name: ResponseOnFlops(game, 0, play, RuleSettings(name)) for name in (BEST, LOOK_AHEAD, LOCAL)}
    calls: dict[str, Any] = {name: (lambda rule=rule: rule.on(FLOP)) for name, rule in rules.items()}
    rules[BEST].on(FLOP)  # its boards are made
    flops = interleaved(calls, 1)
    table("A flop with all run-outs, one seat", ("what", "s"), [(name, s) for name, s in flops.items()])
    print(f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


if __name__ == "__main__":
    main()
