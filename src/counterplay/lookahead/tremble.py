"""Trembles of the opponent at a gadget's own decisions: SES tilts them toward an estimate, GGSE toward a prior.

Both assign a number to each augmented infoset of the opponent at the top; the numbers sum to 1. A prior says where the
opponent errs first (Kubíček et al. 2026, section 5), an estimate where they are believed to be (Liu et al. 2022,
section 4.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, SupportsFloat, TypeVar

import numpy as np

from counterplay.arrays import F64
from counterplay.catalogue import PRIORS as ABOUT
from counterplay.errors import InputError, quoted, unknown
from counterplay.files import read_json_file
from counterplay.gadgets import Gadget
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.entry import Entry, GadgetGame
from counterplay.subgames.plan_store import Subtree
from counterplay.texts.arguments import shown
from counterplay.treeplex.restriction import Numbers, Restriction

NONE, UNIFORM, BLUEPRINT = PRIORS = ("none", "uniform", "blueprint")
LEAST = 1e-3
"""The least that a blueprint's prior gives to any augmented infoset (Kubíček et al. 2026, section 5)."""

Prior = str | Mapping[str, float]
"""`none`, `uniform`, `blueprint`, or a weight for each text of the opponent's augmented infosets at the top."""


def prior_of(text: str) -> Prior:
    """A prior from the text of the command line: one of `PRIORS`, or a JSON file of `{infoset: weight}`."""
    if text in PRIORS:
        return text
    if not text.endswith(".json"):
        raise unknown("prior", text, PRIORS, listed=ABOUT)
    try:
        found = read_json_file(text)
    except OSError as error:
        raise InputError(f"cannot read the prior {text}: {error.strerror}") from None
    except InputError as error:
        raise InputError(f"the prior {text}: {error}") from None
    if not isinstance(found, dict):
        raise InputError(f"the prior {text} must be an object of infosets and weights")
    return check_weights(found, text)


def check_weights(weights: Any, name: str = "given") -> Mapping[str, float]:
    """Weights by infoset, checked to be numbers."""
    if not isinstance(weights, Mapping):
        raise InputError(
            f"a prior must be {', '.join(PRIORS)}, a .json file or a mapping of infosets to weights, not {weights!r}"
        )
    for infoset, weight in weights.items():
        number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
        if not number or not 0 <= weight < 1e300:  # written so that NaN is refused, and whole numbers of any length
            shown = str(weight)[:20] if number else repr(weight)
            raise InputError(
                f"the prior {name} gives '{infoset}' the weight {shown}; it must be a number of at least 0"
            )
    return {str(infoset): float(weight) for infoset, weight in weights.items()}


def odds_of(prior: Prior, piece: Subtree, entry: Entry, plan: Numbers | None) -> F64:
    """(size,) the odds of each augmented infoset of the opponent, in the form of the entry's decisions, by a prior other
    than `none`. Resolving: the probability of following there, 1/2 if uniform, and as given otherwise. Max-margin: they
    sum to 1. plan: the opponent's blueprint plan in the whole game, where the prior is `blueprint`."""
    size = piece.size
    if prior == UNIFORM:
        return np.full(size, 0.5 if entry.declines is not None else 1.0 / size)
    if isinstance(prior, str):
        if plan is None:
            raise InputError("the prior 'blueprint' needs the opponent's part of the blueprint")
        weights = np.maximum(shares(piece.range(piece.opponent, plan)), LEAST)
    elif entry.declines is not None:
        weights = _looked_up(prior, piece)
        if weights.max() > 1.0:
            raise InputError(
                f"the prior gives odds of {weights.max():g}; with the resolving gadget they must be at most 1"
            )
    else:
        found = _looked_up(prior, piece)
        if not found.any():
            raise InputError(
                "the prior gives nothing to any infoset at the top of a subgame; max-margin needs some weight"
            )
        weights = shares(found)
    return np.asarray(weights if entry.declines is not None else weights / weights.sum(), np.float64)


def shares(weights: F64) -> F64:
    """(n,) the weights (n,) divided by their sum; uniform if the sum is 0."""
    total = weights.sum()
    even = np.full(len(weights), 1.0 / len(weights))
    return np.asarray(weights / total if total > 0.0 else even, np.float64)


def _looked_up(prior: Mapping[str, float], piece: Subtree) -> F64:
    names = piece.names()
    for name in names:
        if name not in prior:
            raise InputError(f"the prior has no weight for the infoset {quoted(name)} at the top of a subgame")
    return np.array([prior[name] for name in names])


def check_used(prior: Prior, pieces: Sequence[Subtree]) -> None:
    """Check that a prior from a file names only infosets at the top of the given subgames."""
    if isinstance(prior, str):
        return
    known = {name for piece in pieces for name in piece.names()}
    for name in prior:
        if name not in known:
            raise InputError(
                f"the prior names '{name}', which is not an infoset of the opponent at the top of a subgame"
            )


def corrupt_estimate(estimate: F64, error: float, draw: np.random.Generator, possible: Any = True) -> F64:
    """An estimate (size,), which sums to 1, with an error of a given L1 distance, 0 to 2: part of it is moved to one
    infoset, drawn among those that allow it. possible: (size,) flags of the infosets that can be reached; all by default."""
    if error == 0.0 or len(estimate) == 1:  # one infoset leaves nothing to be wrong about
        return estimate
    able = np.flatnonzero((2.0 * (1.0 - estimate) >= error) & possible)
    if not error > 0.0 or not len(able):
        most = 2.0 * (1.0 - float(estimate.min()))
        raise InputError(f"the error of the estimate must be from 0 to {most:g} here, not {error:g}")
    chosen = int(draw.choice(able))
    moved = error / (2.0 * (1.0 - float(estimate[chosen])))
    out = np.asarray((1.0 - moved) * estimate, np.float64)
    out[chosen] += moved
    return out


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
        """The problem with the opponent tilted toward an estimate: (size,) weights of the opponent's augmented infosets
        at the top; None, or all 0, for no tilt."""
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
