"""Regret minimisation methods as records: every named method is a setting of the same seven numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from counterplay.errors import InputError, quoted, unknown


@dataclass(frozen=True)
class Minimiser:
    """How regrets are kept, how the average is weighted, and who moves when.

    After each iteration t (from 1) positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by
    t^beta / (t^beta + 1) (Brown and Sandholm 2019, DCFR); `inf` means no discount. The average weighs iteration t by
    t^gamma.

    Attributes:
        name: as on the command line.
        floor: regrets never fall below 0 (regret matching plus, Tammelin 2014).
        predictive: the next strategy comes from regrets plus the last instantaneous regrets (Farina et al. 2021).
        alpha: exponent of the discount of positive regrets.
        beta: exponent of the discount of negative regrets.
        gamma: exponent of the weight in the average.
        alternating: player 1 answers the new strategy of player 0; otherwise both move at once.
    """

    name: str
    floor: bool = False
    predictive: bool = False
    alpha: float = inf
    beta: float = inf
    gamma: float = 0.0
    alternating: bool = True


CFR = Minimiser("cfr")
CFR_PLUS = Minimiser("cfr+", floor=True, gamma=1.0)
DCFR = Minimiser("dcfr", alpha=1.5, beta=0.0, gamma=2.0)
PCFR_PLUS = Minimiser("pcfr+", floor=True, predictive=True, gamma=2.0)
PDCFR_PLUS = Minimiser("pdcfr+", floor=True, predictive=True, alpha=1.5, gamma=4.0)
"""Discounted PCFR+ (Xu et al. 2024), with the exponents that did best here on games without chance."""
MINIMISERS = {method.name: method for method in (CFR, CFR_PLUS, DCFR, PCFR_PLUS, PDCFR_PLUS)}


_STEEPEST = 30.0
"""Largest exponent: a million iterations to this power are still a number."""


def minimiser(name: str | Minimiser) -> Minimiser:
    """The method of that name; `dcfr:1.5,0,2` sets alpha, beta and gamma, `cfr:simultaneous` moves both at once.

    Raises:
        InputError: no such method or parameter.
    """
    if isinstance(name, Minimiser):
        return name
    if not isinstance(name, str):
        raise InputError(f"a method is a text or a Minimiser, not {type(name).__name__}")
    base, _, rest = name.partition(":")
    if base not in MINIMISERS:
        raise unknown("method", base, ("lp", *MINIMISERS))
    method = MINIMISERS[base]
    if rest == "simultaneous":
        return replace(method, name=name, alternating=False)
    if rest:
        try:
            alpha, beta, gamma = (float(word) for word in rest.split(","))
            if not all(abs(x) <= _STEEPEST or x == inf for x in (alpha, beta)) or not 0.0 <= gamma <= _STEEPEST:
                raise ValueError
        except ValueError:
            raise InputError(
                f"{base} takes 'simultaneous' or three numbers alpha,beta,gamma of at most {_STEEPEST:g}, not {quoted(rest)}"
            ) from None
        method = replace(method, name=name, alpha=alpha, beta=beta, gamma=gamma)
    return method
