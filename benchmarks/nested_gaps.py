"""What look-aheads of `reproduce ggse-matches` leave unsolved by minimiser and iterations, on the way down one game.

python benchmarks/nested_gaps.py [GAME [VALUE_FUNCTION [PART]]]

By default at the public states of Goofspiel 7 in docs/resolve.md: six CPU minutes and 4 GB.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from counterplay.lookahead.search import Search
from counterplay.solvers.cfr import Stop
from counterplay_papers.public_walk import PublicWalk, WalkingPlayer
from counterplay_papers.reproductions.kubicek_2026_matches import nested_look, whole_portfolio

PARTS, LEAST = 3, 0.1
WAYS = (
    ("resolving", "pcfr+", 300), ("resolving", "cfr+", 300), ("resolving", "pcfr+", 1000), ("resolving", "cfr+", 3000),
    ("max-margin", "pcfr+", 300), ("max-margin", "cfr+", 3000), ("unsafe", "pcfr+", 300),
)  # fmt: skip
"""Technique, minimiser, iterations; as many as there are techniques, in whose places they play."""


class ToldPlayer(WalkingPlayer):
    """A player who prints the gap of each look-ahead."""

    def solve(self, histories: np.ndarray) -> float:
        begun = process_time()
        gap = super().solve(histories)
        search, seconds = self._tracker.chain.search, process_time() - begun
        print(
            f"{search.solver}  seat {self.seat}  {len(histories):6} histories  gap {gap:.6f}  {seconds:.1f} CPU s",
            flush=True,
        )
        return gap


def main(spec: str = "goofspiel:7,win", number: str = "3", part: str = "1") -> None:
    """Walk down a part of a game."""
    values = whole_portfolio(spec, int(number))
    searches = [Search(nested_look(name, values), solver=by, stop=Stop(iterations=n)) for name, by, n in WAYS]
    walk = PublicWalk(values, searches, LEAST, PARTS, ToldPlayer)
    print("in this order at each public state:", *(" ".join(map(str, way)) for way in WAYS), sep="\n  ")
    walk.play(int(part))


if __name__ == "__main__":
    main(*sys.argv[1:])
