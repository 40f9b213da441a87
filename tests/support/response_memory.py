"""Memory of responses in a large spot, measured in a process of its own: for each method named, bytes above the start at
the peak, and the estimate. Linux only."""

from __future__ import annotations

import ctypes
import gc
import sys
from dataclasses import replace
from pathlib import Path

import counterplay as cp
from counterplay import Spot, Stop
from counterplay.poker.public_tree.size_estimate import response_memory
from counterplay.responses.methods import method_of
from counterplay.responses.spot_matchups import needs_of
from tests.support.stored_spots import TURN, large_from

BOARDS = {"plain": "Qs Jh 9d 8c", "isomorphic": "Qs Js 9s 8s"}
MODEL = "bias:fold=2:uniform"
_RESET = Path("/proc/self/clear_refs")


def _status(word: str) -> int:
    """Bytes of a line of the process's status."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(word))


def main(board: str, methods: list[str]) -> None:
    """Print (method, bytes measured, bytes estimated), a line each."""
    with large_from(0, "single"):
        _respond(TURN, methods, show=False)  # compiles
        _respond(Spot(BOARDS[board], "random", "random", 200, 900, "60%, a; raise: 2.5x"), methods, show=True)  # type: ignore[arg-type]


def _respond(spot: Spot, methods: list[str], *, show: bool) -> None:
    base = _status("VmRSS")
    game = cp.load(spot)
    game = replace(game, fine=0.25 * spot.pot)
    model = cp.opponent(game, MODEL, 1)
    game.equilibrium()
    alike = model.plans.averages.layout is game.equilibrium_plans().averages.layout
    for text in methods:
        gc.collect()
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        _RESET.write_text("5")  # the peak is now
        cp.respond(game, model, text, solver="dcfr", stop=Stop(iterations=3))
        needs = needs_of(method_of(text).in_game(game), game)
        said = response_memory(spot.betting, spot.cards, "single", 1, needs, alike=alike)
        if show:
            print(text, _status("VmHWM") - base, int(said), sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
