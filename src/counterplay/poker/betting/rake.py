"""Rake: the game is no longer zero-sum, so no bound on the risk holds."""

from __future__ import annotations

from counterplay.errors import InputError

_RAKED = "With a rake the spot is not zero-sum, and no bound on the risk holds: "
NO_BOUND = (
    f"{_RAKED}gain here counts from the equilibrium found, as the spot has no value, and exploitability is what a best "
    "responder wins beyond that equilibrium; how much of that the strategy loses is another number."
)
"""What is said with every response in a spot with a rake."""
SOLUTION = (
    f"{_RAKED}exploitability here is what a player could still win by another strategy, the mean of both players; there may "
    "be other equilibria, of another value."
)
"""What is said with a solution."""
RISK = "no bound on the risk holds: it takes p, and no largest exploitability"


def check_zero_sum(rake: float, what: str) -> None:
    """Reject, in a spot with a rake, what is meaningful only without one."""
    if rake:
        raise InputError(f"with a rake the spot is not zero-sum, and {what}")
