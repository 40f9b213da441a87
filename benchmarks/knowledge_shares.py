"""What limited knowledge keeps of an optimal continuation: `python benchmarks/knowledge_shares.py [BLUEPRINTS]`.

As `gadget_shares.py`, for a player who re-solves at each own infoset alone, by order-1 knowledge: playing the solutions as
they are, mixing each with the blueprint, or putting each into the blueprint before the next; and by the public state.
"""

from __future__ import annotations

import sys

import numpy as np

import counterplay as cp
from counterplay.blueprints.resolve import pieces_at
from counterplay.blueprints.resolved_blueprint import exploitability
from counterplay.lookahead.search import LookAhead, Search
from counterplay.subgames.cut import Place
from counterplay_papers.knowledge_limited import resolve_by_infoset
from gadget_shares import BLUEPRINTS, PLACES

WAYS = {"alone": (1, "whole"), "alone, shared": (1, "shared"), "in turn": (1, "in turn"), "public state": (9, "whole")}


def main() -> None:
    """One table a game."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else len(BLUEPRINTS)
    for spec, place in PLACES.items():
        game = cp.load(spec)
        print(f"\n{spec} at {place}: share of an optimal continuation saved, mean (worst) of {many} blueprints")
        for gadget in ("resolving", "max-margin", "reach-max-margin"):
            for prior in ("none", "blueprint"):
                found = [_shares(game, place, blueprint, gadget, prior) for blueprint in BLUEPRINTS[:many]]
                told = [
                    f"{way} {np.mean(one):.2f} ({np.min(one):.2f})"
                    for way, one in zip(WAYS, zip(*found, strict=True), strict=True)
                ]
                print(f"  {gadget:17} {prior:10} " + "; ".join(told), flush=True)


def _shares(game: cp.GameTree, place: str, text: str, gadget: str, prior: str) -> list[float]:
    blueprint = cp.opponent(game, text, 0), cp.opponent(game, text, 1)
    cuts = [piece.cut for piece in pieces_at(game, [Place.of(place)], 0)]
    search = Search(LookAhead(gadget=gadget, prior=prior), solver="lp")
    best = cp.resolve(game, (text, text), place, seat=0, gadget=gadget, solver="lp", continuation=True)
    assert best.continuation is not None
    after = [
        exploitability(game, resolve_by_infoset(blueprint, game, cuts, search, order, step))
        for order, step in WAYS.values()
    ]
    return [(best.before - one) / (best.before - best.continuation) for one in after]


if __name__ == "__main__":
    main()
