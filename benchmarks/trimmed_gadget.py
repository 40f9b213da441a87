"""The full gadget and the trimmed one of Milec et al. 2025 beside each other: `python benchmarks/trimmed_gadget.py`.

Every public state is searched alone by ABD, by linear program. Printed are the size of the gadget games after the first
look-ahead, in kB of working arrays as the solver counts them, and gain and exploitability of the whole strategy.
"""

from __future__ import annotations

import counterplay as cp
from common import table
from counterplay.lookahead.decisions import SearchState, decision_groups
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.step import decide_group, pose

CASES = (
    ("leduc:merged=true", "uniform", "portfolio:passive;aggressive;nash", 1),
    ("leduc:merged=true", "uniform", "portfolio:passive;aggressive;nash", "round"),
    ("goofspiel:4", "random:1", "portfolio:uniform;nash", 2),
    ("liars_dice:1,3", "random:1", "portfolio:uniform;nash", 1),
    ("liars_dice:1,3", "random:1", "portfolio:uniform;nash", 2),
)
TRUST = (0.0, 0.5)


def main() -> None:
    """One table."""
    rows: list[list[object]] = []
    for spec, to, leaf, depth in CASES:
        game = cp.load(spec)
        model = cp.opponent(game, to, player=1)
        for gadget in ("full", "trimmed"):
            look = LookAhead(depth, leaf, gadget=gadget, solve="per-state")
            sizes = _sizes(game, model, Search(look, p=TRUST[-1]))
            answers = [cp.respond(game, model, cp.ABD(p, look), solver="lp") for p in TRUST]
            pairs = [f"{one.gain:.2f}, {one.exploitability:.2f}" for one in answers]
            rows.append([spec, to, leaf, depth, gadget, f"{sum(sizes) / len(sizes):.0f}", max(sizes), *pairs])
    head = ["game", "against", "portfolio", "depth", "gadget", "mean kB", "largest", *(f"p = {p:g}" for p in TRUST)]
    table("ABD per state: kB of a gadget game; gain, exploitability (chips)", head, rows)


def _sizes(game: cp.GameTree, model: cp.Strategy, search: Search) -> list[int]:
    """kB of each look-ahead after the first."""
    chain, found = SearchState(game, 0, search, model), []
    for unit in decision_groups(game, 0, search.depth, False):
        if unit.before is not None:
            found.append(pose(chain, unit, search).solve.bytes // 1000)
        decide_group(chain, unit)
    return found


if __name__ == "__main__":
    main()
