"""What each gadget keeps of an optimal continuation: `python benchmarks/gadget_shares.py [BLUEPRINTS]`.

Strategies of several solvers and lengths are solved again at one place of a game, one subgame after the other, by the
linear program. Printed is the share of the exploitability that the best strategy inside would have saved, on average and
at worst, for every gadget and prior. A negative share: more exploitable than before.
"""

from __future__ import annotations

import sys

import numpy as np

import counterplay as cp

PLACES = {"leduc:merged=true": "round", "goofspiel:4": "moves:2", "liars_dice:1,3": "moves:2"}
BLUEPRINTS = ("cfr:5", "cfr:20", "cfr+:5", "cfr+:20", "random:1", "random:2", "noise:0.2:nash", "noise:0.5:nash")
GADGETS = ("unsafe", "resolving", "max-margin", "reach-max-margin", "path")
PRIORS = ("none", "uniform", "blueprint")


def main() -> None:
    """One table a game."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else len(BLUEPRINTS)
    for spec, place in PLACES.items():
        game = cp.load(spec)
        print(f"\n{spec} at {place}: share of an optimal continuation saved, mean (worst) of {many} blueprints")
        for gadget in GADGETS:
            for prior in ("none",) if gadget in ("unsafe", "path") else PRIORS:
                shares = [_share(game, place, blueprint, gadget, prior) for blueprint in BLUEPRINTS[:many]]
                print(f"  {gadget:17} {prior:10} {np.mean(shares):6.2f} ({np.min(shares):.2f})", flush=True)


def _share(game: cp.GameTree, place: str, blueprint: str, gadget: str, prior: str) -> float:
    found = cp.resolve(
        game, (blueprint, blueprint), place, seat=0, gadget=gadget, prior=prior, solver="lp", continuation=True
    )
    assert found.continuation is not None
    return (found.before - found.after) / (found.before - found.continuation)


if __name__ == "__main__":
    main()
