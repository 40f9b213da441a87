"""Agents of no-limit hold'em at 200 big blinds: milliseconds of processor time of a decision by street, on drawn boards.

    .venv/bin/python benchmarks/holdem_agents.py hunl.cpb

The file is a blueprint of `holdem:stack=200bb,bets=fcpa`, which is also the model. Lines of betting are the
limped one, which has the most decisions to come, and the one in the middle: the median, and in brackets the most. At p =
0.5 a board gets 20 iterations, so that a turn's time is the same whatever else the machine does. Not part of `run.py`.
"""

from __future__ import annotations

import sys
from time import process_time
from typing import Any

import numpy as np

from common import table
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.factory.make_agent import agent
from counterplay.poker.whole_game.boards.board import DEALT

GAME = "holdem:stack=200bb,bets=fcpa"
STREETS = ("flop", "turn", "river")
BOARDS = 1, 5, 10
"""Boards of a flop, a turn and a river."""


def main() -> None:
    blueprint = sys.argv[1]
    ground = PlayableGame(GAME)
    sure: Any = agent(ground, f"cdbr:blueprint={blueprint},to={blueprint}", 1)
    rows = [(street, *timed(ground, sure, number)) for number, street in enumerate(STREETS, 1)]
    table("p = 1", ("street", "limped, ms", "median line, ms"), rows)
    local: Any = agent(ground, f"lbr:to={blueprint}", 1)
    rows = [(street, *timed(ground, local, number)) for number, street in enumerate(STREETS, 1)]
    table("lbr", ("street", "limped, ms", "median line, ms"), rows)
    half: Any = agent(ground, f"cdrnr:p=0.5,iterations=20,blueprint={blueprint},to={blueprint}", 1)
    rows = [("turn", *timed(ground, half, 2))]
    table("p = 0.5", ("street", "limped, ms", "median line, ms"), rows)


def timed(ground: PlayableGame, player: Any, street: int) -> list[str]:
    """Median and most milliseconds of the button's first decision on a street, after the longest and the middle line."""
    rules: Any = ground.rules
    betting, draw = rules.betting, np.random.default_rng(street)
    roots = sorted((int(betting.end[r] - r), int(r)) for r in rules.game.roots[street] if betting.children(int(r)))
    found = []
    for _, root in (roots[-1], roots[len(roots) // 2]):
        first = betting.children(root)[0]
        node = next(child for child in betting.children(first) if betting.kind[child] == 1)
        spent = []
        for _ in range(BOARDS[street - 1]):
            cards = draw.permutation(rules.deck.cards)[: DEALT[street]].tolist()
            player.new_hand()
            begin = process_time()
            player.rows(node, (*sorted(cards[:3]), *cards[3:]))
            spent.append(1e3 * (process_time() - begin))
        found.append(f"{np.median(spent):.1f} ({max(spent):.1f})")
    return found


if __name__ == "__main__":
    main()
