"""Fast solves of public trees in float64: isomorphic suits dealt once. The solution is on the tree of all
boards, which takes about 26 bytes per sequence; use the smaller tree of `public_tree` if memory is scarce.
"""

from __future__ import annotations

from dataclasses import replace

from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.public_tree import PublicTree, every_plan, public_tree
from counterplay.solvers.cfr import Progress, Solution, Stop, solve_cfr
from counterplay.solvers.minimiser import Minimiser


def solve_tree(
    betting: BettingTree,
    cards: Cards,
    method: Minimiser,
    stop: Stop,
    progress: Progress | None = None,
) -> tuple[PublicTree, Solution]:
    """Solve with both players free within their ranges: the tree of all boards, and the solution on it.

    Args:
        betting: the betting tree.
        cards: the cards; isomorphic suits are solved once.
        method: a regret minimiser.
        stop: stopping rule.
        progress: see `solve_cfr`.
    """
    few = public_tree(betting, cards, alike=True)
    found = solve_cfr(few.subgame, method, stop, progress)
    if not few.is_folded:
        return few, found
    every = public_tree(betting, cards)
    plans = every_plan(few, every, 0, found.plans[0]), every_plan(few, every, 1, found.plans[1])
    return every, replace(found, plans=plans)
