"""Values of a solved spot for both players, net and as EV (see `poker.betting.stakes`), with or without rake."""

from __future__ import annotations

from typing import Any

from counterplay.poker.betting.rake import SOLUTION
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.solvers.cfr import Solution


def value_of(tree: PublicTree, player: int, solution: Solution) -> float:
    """What a player wins by the strategies of a solution, in net chips."""
    return float(solution.plans[player] @ tree.leaves.product(player, solution.plans[1 - player]))


def worth_of(tree: PublicTree, stakes: Stakes, pot: float, solution: Solution) -> dict[str, Any]:
    """As facts: what oop wins by the strategies, the EV of both, as at the root, both and exploitability in other units, and
    the effect of a rake."""
    first, second = (value_of(tree, player, solution) for player in (0, 1))
    return worth_facts((first, second), solution.exploitability, stakes, pot, raked=tree.betting.rules.rake > 0.0)


def worth_facts(
    values: tuple[float, float], exploitability: float, stakes: Stakes, pot: float, *, raked: bool
) -> dict[str, Any]:
    """The facts of `worth_of` from both players' values in net chips."""
    told: dict[str, Any] = {"value": values[0], "ev": [0.5 * pot + value for value in values]}
    told |= {"pot": stakes.pot, "big_blind": stakes.big_blind}
    told |= stakes.facts({"value": values[0], "exploitability": exploitability})
    if raked:
        told |= {"rake": -sum(values), "note": SOLUTION}
    return told
