"""Regret minimisation methods as records: every named method is a setting of the same numbers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from counterplay.display import brief
from counterplay.errors import InputError, quoted, unknown
from counterplay.texts.arguments import Checked, shown
from counterplay.texts.readers import number_text


@dataclass(frozen=True)
class Minimiser(metaclass=Checked):
    """A regret minimiser: the update of regrets, the weights of the average, and the order of the players' updates.

    After each iteration t (from 1) positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by
    t^beta / (t^beta + 1) (Brown and Sandholm 2019, DCFR); `inf` means no discount. The average weighs iteration t by
    t^gamma.

    Attributes:
        name: label in tables; not compared. A name that `from_text` reads belongs to those settings alone.
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

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InputError(f"the name of a minimiser must be a text, not {type(self.name).__name__}")
        if self.name.partition(":")[0] not in MINIMISERS and self.name != _LP:
            return
        due = _settings(self.name)
        wrong = next((key for key, value in due.items() if getattr(self, key) != value), None)
        if wrong:
            raise InputError(
                f"{self.name} has {wrong}={due[wrong]}, not {getattr(self, wrong)}: take "
                f"Minimiser.from_text({self.name!r}), or give these settings another name"
            )

    def __repr__(self) -> str:
        return brief(self, self.name, *([str(self)] if str(self) != self.name else []))

    @staticmethod
    def from_text(text: str) -> Minimiser:
        """`cfr`, `cfr+`, `dcfr`, `pcfr+` or `pdcfr+`; after a colon the exponents alpha, beta and gamma, as in
        `dcfr:1.5,0,2`, `simultaneous`, where both players update at once, and `single` for float32.

        Raises:
            InputError: unknown method or parameter.
        """
        return Minimiser(text, **_settings(text))

    def changed(self, **settings: Any) -> Minimiser:
        """The minimiser with other settings, under the name that these have."""
        made = replace(self, name="", **settings)
        return self if made == self else replace(made, name=str(made) or self.name)

    def __str__(self) -> str:
        """The text of an equal method; the name if no text gives it."""
        words = ([] if self.alternating else [_TOGETHER]) + ([_SINGLE] if self.single else [])
        kin = [one for one in MINIMISERS.values() if (one.floor, one.predictive) == (self.floor, self.predictive)]
        exponents = self.alpha, self.beta, self.gamma
        base = next((one for one in kin if (one.alpha, one.beta, one.gamma) == exponents), None)
        if base is None and kin:
            base, words = kin[0], [*map(number_text, exponents), *words]
        return self.name if base is None else ":".join([base.name, *([",".join(words)] if words else [])])


_LP, _TOGETHER, _SINGLE = "lp", "simultaneous", "single"
_STEEPEST = 30.0
"""Largest exponent: a million iterations to this power are still a number."""
MINIMISERS: dict[str, Minimiser] = {}
"""The named methods."""
CFR = Minimiser("cfr")
CFR_PLUS = Minimiser("cfr+", floor=True, gamma=1.0)
DCFR = Minimiser("dcfr", alpha=1.5, beta=0.0, gamma=2.0)
PCFR_PLUS = Minimiser("pcfr+", floor=True, predictive=True, gamma=2.0)
PDCFR_PLUS = Minimiser("pdcfr+", floor=True, predictive=True, alpha=1.5, gamma=4.0)
"""Discounted PCFR+ (Xu et al. 2024), with the exponents that did best here on games without chance."""
MINIMISERS |= {method.name: method for method in (CFR, CFR_PLUS, DCFR, PCFR_PLUS, PDCFR_PLUS)}
Solver = str | Minimiser
"""A method to solve by: a minimiser, its text, `lp`, or where it says so `auto`."""


def discount(t: int, exponent: float) -> float:
    """The factor of regrets after iteration t, counted from 1."""
    power = float(t) ** exponent if exponent < inf else inf
    return power / (power + 1.0) if power < inf else 1.0


def minimiser(source: Solver) -> Minimiser:
    """A method from its text; a record is returned unchanged. Unknown ones are an InputError."""
    if isinstance(source, Minimiser):
        return source
    if not isinstance(source, str):
        raise InputError(f"a solver must be a text or a Minimiser, not {shown(source)}")
    return Minimiser.from_text(source)


def _settings(text: str) -> dict[str, Any]:
    """The fields of the method that a text names, without the name."""
    head, _, rest = text.partition(":")
    if text == _LP:
        raise InputError(f"lp is no regret minimiser, and here one is needed: {', '.join(MINIMISERS)}")
    if head not in MINIMISERS:
        raise unknown("method", head, (_LP, *MINIMISERS))
    settings = {key: value for key, value in vars(MINIMISERS[head]).items() if key != "name"}
    numbers = rest.split(",") if rest else []
    if numbers and numbers[-1] == _SINGLE:
        settings["single"] = True
        numbers.pop()
    if numbers and numbers[-1] == _TOGETHER:
        settings["alternating"] = False
        numbers.pop()
    if not numbers:
        return settings
    try:
        alpha, beta, gamma = (float(word) for word in numbers)
        if not all(abs(x) <= _STEEPEST or x == inf for x in (alpha, beta)) or not 0.0 <= gamma <= _STEEPEST:
            raise ValueError
    except ValueError:
        raise InputError(
            f"{head} takes '{_TOGETHER}', '{_SINGLE}' or three numbers alpha,beta,gamma of at most {_STEEPEST:g}, "
            f"not {quoted(rest)}"
        ) from None
    return settings | {"alpha": alpha, "beta": beta, "gamma": gamma}
