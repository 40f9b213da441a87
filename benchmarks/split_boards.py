"""What it costs in convergence that workers add up their regrets only every so many boards.

    python benchmarks/split_boards.py            # a small deck, exact exploitability
    python benchmarks/split_boards.py fcpa       # heads-up no-limit at the quick size, on a few fixed boards

Blueprints of equal numbers of boards, whole and split, so of equal CPU time: their exploitability, and how many more boards
a split one needs for that of the whole one, read off its curve. Everything runs in this process: who sweeps the shares
changes no bit.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np

from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.whole_game.blueprints.blueprint import fixed_boards
from counterplay.poker.whole_game.blueprints.board_split import BoardSplit
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.split_sampling import SplitSampling
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.values.measure import measure
from counterplay.work.run_work import InProcess

SMALL, LARGE = (
    "holdem:deck=12,stack=6bb,bets=fcpa,last=turn,buckets=lossless",
    "holdem:stack=200bb,bets=fcpa,buckets=quick",
)

SHARES = (2, 4, 8)


@dataclass
class _Curve:
    """Iterations, and the exploitability after them."""

    iterations: list[int] = field(default_factory=list)
    exploitability: list[float] = field(default_factory=list)

    def needed(self, exploitability: float) -> float:
        """Iterations for an exploitability, between the points by powers; NaN beyond them."""
        falling = np.minimum.accumulate(self.exploitability)[::-1]
        logs = np.log(self.iterations)[::-1]
        found = np.interp(np.log(exploitability), np.log(falling), logs, left=np.nan, right=np.nan)
        return float(np.exp(found))


def main() -> None:
    """Print the table."""
    large = sys.argv[1:] == ["fcpa"]
    text, marks, seeds = (LARGE, (500, 1000, 2000, 4000), 2) if large else (SMALL, (500, 1000, 2000, 4000, 8000), 4)
    rules = read_holdem(text)
    game, lanes = rules.game, make_buckets(rules.game.boards, rules.buckets)

    def curve(split: BoardSplit | None, seed: int) -> _Curve:
        problem = SamplingProblem(game, lanes, seed)
        whole = PublicSampling(problem)
        solver = whole if split is None else SplitSampling(problem, "public", split, InProcess(), 1)
        assert solver is not None
        found, boards = _Curve(), fixed_boards(game.boards) if large else None
        for mark in marks:
            solver.sample(mark - solver.iterations)
            found.iterations.append(solver.iterations)
            found.exploitability.append(measure(game, solver.average(), boards).exploitability)
        return found

    print(
        f"{text}: exploitability (mbb a hand) after {' / '.join(map(str, marks))} boards; more boards needed at the end"
    )
    whole = [curve(None, seed) for seed in range(seeds)]
    _line("one process", whole, whole)
    for shares in SHARES:
        _line(f"{shares} shares", [curve(BoardSplit(shares), seed) for seed in range(seeds)], whole)


def _line(name: str, found: list[_Curve], whole: list[_Curve]) -> None:
    rows = np.mean([one.exploitability for one in found], axis=0)
    mean = _Curve(found[0].iterations, rows.tolist())
    target = float(np.mean([one.exploitability for one in whole], axis=0)[-2])
    more = mean.needed(target) / whole[0].iterations[-2] - 1.0
    print(f"{name:<24}" + "".join(f"{number:9.4g}" for number in rows) + f"   {more:+.1%}", flush=True)


if __name__ == "__main__":
    main()
