"""Re-solving a blueprint: what a refined entry costs per iteration, and one subgame from the blueprint to the solution."""

from __future__ import annotations

import time

import numpy as np

import counterplay as cp
import ledger
from common import interleaved, table
from counterplay.blueprints.resolved_blueprint import BlueprintInputs, ResolveSettings
from counterplay.lookahead.resolver import enter, pose
from counterplay.lookahead.search import LookAhead
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.cut import Place, subgames_at

PLACES = {
    "Leduc after the card": ("leduc", Place.of("round")),
    "Goofspiel 5 after one turn": ("goofspiel:5", Place.of("moves:2", declared=True)),
    "Liar's dice 1×4 after the first bid": ("liars_dice:1,4", Place.of("moves:1")),
}
ITERATIONS, ROUNDS, COPIES = 200, 40, 9


def main() -> None:
    rows = []
    for name, (spec, place) in PLACES.items():
        game = cp.load(spec)
        mine, theirs = (cp.opponent(game, "cfr:20", player) for player in (0, 1))
        pieces = subgames_at(game, place, 0)
        piece = pieces[len(pieces) // 2]
        for gadget in ("resolving", "max-margin"):
            plain, refined = (
                ResolveSettings(LookAhead(gadget=gadget)),
                ResolveSettings(LookAhead(gadget=gadget, prior="blueprint")),
            )
            known = BlueprintInputs.of(game.subgame, mine, theirs).knowledge(plain)
            problem = enter(piece, plain.search, known)
            trembling = refined.search.tremble.refined(problem, piece, theirs.plan, refined.solver)[0]
            calls = {}
            for number in range(
                COPIES
            ):  # where arrays happen to lie in memory makes a difference at half a microsecond
                for label, one in (("plain", problem), ("refined", trembling)):
                    iterates = Iterates(one.subgame, minimiser("cfr+"))
                    iterates.advance(1000)
                    calls[f"{label} {number}"] = lambda it=iterates: it.advance(ITERATIONS)
            sizes = dict.fromkeys(calls, ITERATIONS)
            best = interleaved(calls, ROUNDS, sizes=sizes, noted=False)
            each = [
                1e6 * float(np.median([best[f"{label} {number}"] for number in range(COPIES)]))
                for label in ("plain", "refined")
            ]
            ledger.note(f"{name}, {gadget}: an iteration with a prior", "without", each[1] / each[0])
            rows.append([name, gadget, *each, each[1] / each[0], *_whole(piece, refined, mine, theirs)])
    head = ["place", "gadget", "plain, µs", "refined, µs", "ratio", "building, ms", "5,000 iterations, ms"]
    table("One CFR+ iteration of a gadget game, and one subgame re-solved with the prior of the blueprint", head, rows)


def _whole(piece: object, way: ResolveSettings, mine: cp.Strategy, theirs: cp.Strategy) -> tuple[float, float]:
    """Milliseconds of building a gadget game and of solving it; medians."""
    building, solving = [], []
    for _ in range(9):
        begin = time.perf_counter()
        known = BlueprintInputs(piece.game.subgame, mine, theirs).knowledge(way)
        problem = enter(piece, way.search, known)
        middle = time.perf_counter()
        pose(problem, piece, way.search, known, blind=True).solve.advance()
        building.append(middle - begin)
        solving.append(time.perf_counter() - middle)
    return 1e3 * float(np.median(building)), 1e3 * float(np.median(solving))


if __name__ == "__main__":
    main()
