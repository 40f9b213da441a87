"""Regret minimisation methods as records: every named method is a setting of the same numbers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf

from counterplay.display import brief
from counterplay.errors import InputError, quoted, unknown
from counterplay.texts.readers import number_text


@dataclass(frozen=True)
class Minimiser:
    """A regret minimiser: the update of regrets, the weights of the average, and the order of the players' updates.

    After each iteration t (from 1) positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by
    t^beta / (t^beta + 1) (Brown and Sandholm 2019, DCFR); `inf` means no discount. The average weighs iteration t by
    t^gamma.

    Attributes:
        name: label in tables; not compared.
        floor: regrets never fall below 0 (regret matching plus, Tammelin 2014).
        predictive: the next strategy comes from regrets plus the last instantaneous regrets (Farina et al. 2021).
        alpha: exponent of the discount of positive regrets.
        beta: exponent of the discount of negative regrets.
        gamma: exponent of the weight in the average.
        alternating: player 1 responds to the new strategy of player 0; otherwise both update at once.
        single: in float32: half of the memory, and errors of about a millionth of the largest payoff. Exploitability is
            measured in float64.
    """

    name: str = field(compare=False)
    floor: bool = False
    predictive: bool = False
    alpha: float = inf
    beta: float = inf
    gamma: float = 0.0
    alternating: bool = True
    single: bool = False

    def __repr__(self) -> str:
        return brief(self, self.name, *([str(self)] if str(self) != self.name else []))

    @staticmethod
    def from_text(text: str) -> Minimiser:
        """`cfr`, `cfr+`, `dcfr`, `pcfr+` or `pdcfr+`; after a colon the exponents alpha, beta and gamma, as in
        `dcfr:1.5,0,2`, `simultaneous`, where both players update at once, and `single` for float32.

        Raises:
            InputError: unknown method or parameter.
        """
        head, _, rest = text.partition(":")
        if text == "lp":
            raise InputError(f"lp is no regret minimiser, and here one is needed: {', '.join(MINIMISERS)}")
        if head not in MINIMISERS:
            raise unknown("method", head, ("lp", *MINIMISERS))
        numbers = rest.split(",") if rest else []
        found = MINIMISERS[head]
        if numbers and numbers[-1] == _SINGLE:
            found = replace(found, name=text, single=True)
            numbers.pop()
        if numbers and numbers[-1] == _TOGETHER:
            found = replace(found, name=text, alternating=False)
            numbers.pop()
        if numbers:
            alpha, beta, gamma = _exponents(head, rest, numbers)
            found = replace(found, name=text, alpha=alpha, beta=beta, gamma=gamma)
        return found

    def __str__(self) -> str:
        """The text of an equal method; the name if no text gives it."""
        words = ([] if self.alternating else [_TOGETHER]) + ([_SINGLE] if self.single else [])
        kin = [one for one in MINIMISERS.values() if (one.floor, one.predictive) == (self.floor, self.predictive)]
        base = next(
            (one for one in kin if replace(one, alternating=self.alternating, single=self.single) == self), None
        )
        if base is None and kin:
            base, words = kin[0], [*map(number_text, (self.alpha, self.beta, self.gamma)), *words]
        return self.name if base is None else ":".join([base.name, *([",".join(words)] if words else [])])


CFR = Minimiser("cfr")
CFR_PLUS = Minimiser("cfr+", floor=True, gamma=1.0)
DCFR = Minimiser("dcfr", alpha=1.5, beta=0.0, gamma=2.0)
PCFR_PLUS = Minimiser("pcfr+", floor=True, predictive=True, gamma=2.0)
PDCFR_PLUS = Minimiser("pdcfr+", floor=True, predictive=True, alpha=1.5, gamma=4.0)
"""Discounted PCFR+ (Xu et al. 2024), with the exponents that did best here on games without chance."""
MINIMISERS = {method.name: method for method in (CFR, CFR_PLUS, DCFR, PCFR_PLUS, PDCFR_PLUS)}


_TOGETHER, _SINGLE = "simultaneous", "single"
_STEEPEST = 30.0
"""Largest exponent: a million iterations to this power are still a number."""


Solver = str | Minimiser
"""A method to solve by: a minimiser, its text, `lp`, or where it says so `auto`."""


def minimiser(source: Solver) -> Minimiser:
    """A method from its text; a record is returned unchanged.

    Raises:
        InputError: unknown method or parameter.
    """
    if isinstance(source, Minimiser):
        return source
    if not isinstance(source, str):
        raise InputError(f"a method must be a text or a Minimiser, not {type(source).__name__}")
    return Minimiser.from_text(source)


def _exponents(head: str, rest: str, words: list[str]) -> tuple[float, float, float]:
    try:
        alpha, beta, gamma = (float(word) for word in words)
        if not all(abs(x) <= _STEEPEST or x == inf for x in (alpha, beta)) or not 0.0 <= gamma <= _STEEPEST:
            raise ValueError
    except ValueError:
        raise InputError(
            f"{head} takes '{_TOGETHER}', '{_SINGLE}' or three numbers alpha,beta,gamma of at most {_STEEPEST:g}, "
            f"not {quoted(rest)}"
        ) from None
    return alpha, beta, gamma
