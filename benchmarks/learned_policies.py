"""Learned responses to uniform play beside best responses, and self-play by its exact NashConv over time. It needs torch
(`counterplay[learn]`), and one core for some minutes:

    .venv/bin/python benchmarks/learned_policies.py responses
    .venv/bin/python benchmarks/learned_policies.py self-play [rounds]

The share is that of the gain of a best response over the value of the game. Beside it stands column ABR of table 1 in Milec
et al. 2024.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np

import counterplay as cp
from common import table
from counterplay.learning.learn_by_play import RESPONSE, SELF_PLAY, learn_by_self_play, learn_response, measure_response
from counterplay.learning.learn_policy import nash_conv

PAPER = {"leduc": 98, "goofspiel:4": 97, "goofspiel:5": 95, "goofspiel:6": 97}
"""Shares in per cent that the paper prints for its learned response (Timbers et al. 2022)."""
SEEDS = range(5)


def responses() -> None:
    """Five seeds of a response in each game, in seat 0."""
    rows = []
    for spec, printed in PAPER.items():
        game = cp.load(spec)
        rules: Any = game.rules
        value = cp.respond(game, cp.opponent(game, "uniform"), "br").game_value
        shares, begin = [], time.process_time()
        for seed in SEEDS:
            net = measure_response(game, learn_response(rules, 0, "uniform", replace(RESPONSE, seed=seed)))
            found = net.about["figures"]
            shares.append(100.0 * (found["value"] - value) / (found["best response"] - value))
        spent = (time.process_time() - begin) / len(shares)
        rows.append([spec, float(np.mean(shares)), min(shares), printed, spent])
        print(spec, [round(share, 2) for share in shares], flush=True)
    table("Learned responses to uniform play", ["game", "mean share, %", "least", "paper", "CPU s a seed"], rows)


def self_play(rounds: int) -> None:
    """NashConv ten times on the way, in Goofspiel 5 by win and loss, where uniform play has 1.55."""
    game = cp.load("goofspiel:5,win")
    rules: Any = game.rules
    begin = time.process_time()
    seen = list[list[float]]()

    def measure(net: Any) -> float:
        found = nash_conv(game, net)
        seen.append([time.process_time() - begin, found, found / 2.0])
        print(*(f"{one:.4f}" for one in seen[-1]), flush=True)
        return found

    learn_by_self_play(rules, replace(SELF_PLAY, rounds=rounds), measure=measure)
    table("Self-play in goofspiel:5,win", ["CPU s", "NashConv", "exploitability"], seen)


if __name__ == "__main__":
    if sys.argv[1:2] == ["responses"]:
        responses()
    elif sys.argv[1:2] == ["self-play"]:
        self_play(int(sys.argv[2]) if len(sys.argv) > 2 else SELF_PLAY.rounds)
    else:
        sys.exit(__doc__)
