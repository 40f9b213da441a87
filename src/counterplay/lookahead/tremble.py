"""Trembles of the opponent at a gadget's own decisions: SES tilts them toward an estimate, GGSE toward a prior."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import SupportsFloat, TypeVar

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.gadgets import Gadget
from counterplay.lookahead.priors import NONE, Prior, odds_of, shares
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.gadget_game import GadgetGame
from counterplay.subgames.subtree import Subtree
from counterplay.texts.arguments import shown
from counterplay.treeplex.branch_restriction import Numbers
from counterplay.treeplex.restriction import Restriction

Game = TypeVar("Game", bound=GadgetGame)
UNBOUNDED = "no bound holds: exploitability is measured, not bounded"
"""Of SES, whose theorems need a blueprint, and a range that the model is close to."""
EPSILON = 1e-3
"""As in Kubíček et al. 2026, table 1, by CFR."""


@dataclass(frozen=True)
class Tremble:
    """Trembles of a search, derived from its alpha and its look-ahead (see `search.LookAhead`)."""

    alpha: float = 0.0
    prior: Prior = NONE
    epsilon: float | None = None
    normalised: bool = False

    def check(self, gadget: Gadget) -> None:
        """Check that the numbers are probabilities and that the gadget has decisions for them."""
        check_share("alpha", self.alpha)
        check_refinement(self.prior, self.epsilon)
        if (gadget.fixes_range or gadget.keeps_path or gadget.contracts_path) and (
            self.prior != NONE or self.alpha > 0.0
        ):
            raise InputError(
                f"with the {gadget} gadget the opponent has no decision at the entry that could tremble, so it "
                "takes no prior and no alpha"
            )
        if self.alpha > 0.0 and not gadget.chooses_one:
            raise InputError("alpha weighs estimate against margin: it needs the gadget max-margin or reach-max-margin")

    def estimate(self, piece: Subtree, plan: Numbers, other_plan: Numbers) -> F64:
        """(size,) weights of the opponent's augmented infosets at the top, as `tilted` takes them: the opponent's
        presence for normalised values, else their range."""
        if self.normalised:
            return piece.presence(plan, other_plan)
        return piece.range(piece.opponent, other_plan)

    def tilted(self, problem: Game, estimate: F64 | None) -> Game:
        """The problem with the opponent tilted toward an estimate.

        Args:
            problem: from `enter`.
            estimate: (size,) weights of the opponent's augmented infosets at the top; None, or all 0, for no tilt.
        """
        if self.alpha == 0.0 or estimate is None or not estimate.any():
            return problem
        return problem.trembling([(self.alpha, shares(estimate))])

    def refined(
        self, problem: Game, piece: Subtree, plan: Numbers | None, solver: Solver
    ) -> tuple[Game, Restriction | None]:
        """The problem with the tremble toward the prior, or, for its limit, the restriction of an opponent who follows
        the prior."""
        if self.prior == NONE or not problem.entry.can_tremble:
            return problem, None
        odds = odds_of(self.prior, piece, problem.entry, plan)
        if self.epsilon == 0.0 and solver != "lp":
            raise InputError("a minimiser needs an epsilon above 0; the linear program takes the limit")
        if solver == "lp" and not self.epsilon:
            wholly = problem.trembling([(1.0, odds)])
            return problem, wholly.subgame.restrictions[problem.opponent]
        return problem.trembling([(EPSILON if self.epsilon is None else self.epsilon, odds)]), None


def check_refinement(prior: Prior, epsilon: float | None) -> None:
    """Reject an epsilon that is not a probability, or without a prior."""
    if epsilon is not None:
        check_share("epsilon", epsilon)
    if prior == NONE and epsilon is not None:
        raise InputError("epsilon is a tremble toward a prior, and no prior is given")


def check_share(name: str, number: float) -> None:
    """Reject a number that is not a probability."""
    if not isinstance(number, Real) or not 0.0 <= number <= 1.0:
        raise InputError(f"{name} must be between 0 and 1, not {shown(number)}")


def share_of(name: str, number: object) -> float:
    """A probability from user input."""
    if isinstance(number, bool) or not isinstance(number, SupportsFloat):
        raise InputError(f"{name} must be a number between 0 and 1, not {number!r}")
    check_share(name, float(number))
    return float(number)
