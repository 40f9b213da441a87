"""The methods of `respond`, and the record that keywords or a text mean; from a requested exploitability to a plan: searches
over p, and mixtures of two plans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from math import isnan, nan
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from counterplay.errors import InputError
from counterplay.gadgets import FullGadget, Gadget, MaxMargin, Resolving
from counterplay.lookahead.keywords import DialOptions, LookOptions
from counterplay.lookahead.search import LookAhead
from counterplay.lookahead.tremble import UNBOUNDED
from counterplay.responses.method import ALPHA, METHOD, RISK, USUAL, AnyMatchup, Look, Method, Outcome, P, Risk, Trust
from counterplay.solvers.bisection import OddsBisection, most_above
from counterplay.texts.arguments import check_keywords, instance
from counterplay.texts.record import keys_of, slots
from counterplay.value_functions.portfolio import Portfolio
from counterplay.work.processes import WorkerCount
from counterplay.work.run_work import Watch

_TRUSTING = 0.999
"""The cap on the p that a bound gives."""
_ENOUGH = 3.0
"""Distance of a safe answer from the optimum at which the search ends, in units of the accuracy of a solve."""
_FINEST = 0.01
"""The most by which solves at small p are made more accurate, since gains have weight p in them."""


def p_from_bound(epsilon: float, gain: float) -> float:
    """The largest p for which exploitability ≤ gain · p / (1 - p) keeps within epsilon, if the gain is at most `gain`
    (theorem 5.3 of Milec et al. 2024; chips). The theorem does not cover p = 1, so p stays below it, even if no gain is
    possible. If exploitability can be measured, bisection finds a larger p."""
    return min(epsilon / (epsilon + gain), _TRUSTING) if epsilon > 0.0 else 0.0


class _Measured(NamedTuple):
    """A response, its chips against the model, and its exploitability."""

    outcome: Outcome
    value: float
    lost: float


def safe_best_response(match: AnyMatchup, epsilon: float) -> Outcome:
    """The largest gain with exploitability at most epsilon.

    By linear program: the guarantee may fall epsilon below the game's value. Iteratively: RNR is the Lagrangian of that
    program, so its two corners around epsilon are found, and mixed to meet epsilon exactly. The next p is the one at which
    the two corners known so far are worth the same: its response beats their mixtures, or shows that nothing does. Every RNR
    also bounds the value of any safe plan, and hence the distance of the answer from the optimum; one whose own gap is not
    known bounds nothing, and the distance is not known then.
    """

    def measured(outcome: Outcome) -> _Measured:
        return _Measured(outcome, match.value_against_model(outcome.plan), match.exploitability(outcome.plan))

    exact = match.exactly_safe(epsilon)
    if exact is not None:
        return exact
    low, high = measured(match.equilibrium()), measured(match.best_response())
    if match.within(high.outcome.plan, epsilon):
        return high.outcome
    bound, proved, odds = high.value, high.value, OddsBisection()
    for _ in range(match.halvings_of_p):
        if bound - _between(low, high, epsilon) <= _ENOUGH * match.stop.exploitability:
            break
        odds = odds.toward_chord(high.value - low.value, high.lost - low.lost)
        p = odds.p
        outcome = match.restricted_nash(p, accuracy=max(p, _FINEST))
        if not isnan(outcome.gap):
            bound = min(bound, _most(match, outcome, p, match.game_value - epsilon))
            proved = min(proved, _most(match, outcome, p, match.least_value - epsilon))
        within = match.within(outcome.plan, epsilon)
        odds = odds.after(within)
        if not within:
            high = measured(outcome)
        elif match.gains(outcome, low.outcome):
            low = measured(outcome)
        if outcome.interrupted:
            break
    best = low.outcome
    if match.gains(high.outcome, low.outcome):
        best = match.mixture_within(low.outcome, high.outcome, epsilon)[0]
    gap = nan if isnan(best.gap) else max(0.0, proved - match.value_against_model(best.plan))
    return replace(best, gap=gap)


def _between(low: _Measured, high: _Measured, epsilon: float) -> float:
    """Lower bound on the value of the best mixture of two responses on either side of epsilon: exploitability is convex in
    its weight. Where the second loses no more than the first, neither is within epsilon, and there is no such mixture."""
    if high.lost <= low.lost:
        return low.value
    return low.value + (high.value - low.value) * max(0.0, epsilon - low.lost) / (high.lost - low.lost)


def _most(match: AnyMatchup, outcome: Outcome, p: float, floor: float) -> float:
    """Upper bound on the value against the model with a worst case of at least `floor`, by the RNR for p and its gap."""
    reached = p * match.value_against_model(outcome.plan) + (1.0 - p) * match.guarantee(outcome.plan)
    return most_above(floor, reached + outcome.gap, p)


# Methods that see the whole game


@dataclass(frozen=True, repr=False)
class BR(Method):
    """The best response to the model: the largest gain, without a bound on the risk."""

    HEAD: ClassVar[str] = "br"
    RAKED: ClassVar[bool] = True

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        return match.best_response()


@dataclass(frozen=True, repr=False)
class BNE(Method):
    """The equilibrium strategy with the largest gain against the model: by linear program, or in large spots and whole games
    of hold'em among the strategies whose worst case is no worse than that of the computed equilibrium or blueprint."""

    HEAD: ClassVar[str] = "bne"

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        exact = match.best_equilibrium()
        return exact or safe_best_response(match, match.exploitability(match.equilibrium().plan))


@dataclass(frozen=True, repr=False)
class LBR(Method):
    """Local best response (Lisý and Bowling 2017), in poker games: the best action if both sides only call from then on.

    At each own decision the opponent's range is the model's, and the value of an action is that against an opponent who
    folds to it as the model does and else calls, with no further bets. It needs no look-ahead and no value function, and
    gives no guarantee: its gain may be negative.
    """

    HEAD: ClassVar[str] = "lbr"
    RAKED: ClassVar[bool] = True

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        return match.local_best_response()


@dataclass(frozen=True, repr=False)
class Safe(Method):
    """The strategy with the largest gain against the model among those whose exploitability is at most
    `max_exploitability` (chips, or a text such as "1%" or "5mbb")."""

    HEAD: ClassVar[str] = "safe"
    DIAL: ClassVar[str | None] = RISK

    max_exploitability: Risk = None

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        return safe_best_response(match, trust)


@dataclass(frozen=True, repr=False)
class TrustingMethod(Method):
    """A method that sees the whole game, by p or by a largest exploitability."""

    DIAL: ClassVar[str | None] = P
    RAKED: ClassVar[bool] = True

    p: Trust = None
    max_exploitability: Risk = None


@dataclass(frozen=True, repr=False)
class RNR(TrustingMethod):
    """Restricted Nash response (Johanson, Zinkevich and Bowling 2007): the equilibrium strategy against an opponent who is
    the model with probability p and free otherwise."""

    HEAD: ClassVar[str] = "rnr"

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        return match.restricted_nash(trust)


@dataclass(frozen=True, repr=False)
class DBR(TrustingMethod):
    """Data-biased response (Johanson and Bowling 2009): as `RNR`, but the model is trusted at each infoset with probability
    p, and less where observations are few."""

    HEAD: ClassVar[str] = "dbr"

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        return match.data_biased(trust)


@dataclass(frozen=True, repr=False)
class Mix(TrustingMethod):
    """The best response with probability p, else an equilibrium, drawn before the game."""

    HEAD: ClassVar[str] = "mix"
    MIXED: ClassVar[bool] = True

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - the weight comes later
        return match.best_response()


# Methods that look ahead


@dataclass(frozen=True, repr=False)
class CDBR(Method):
    """Continual depth-limited best response (Milec et al. 2024), by look-aheads against the model alone."""

    HEAD: ClassVar[str] = "cdbr"

    look: Look = USUAL

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        return match.depth_limited(self, 1.0)


@dataclass(frozen=True, repr=False)
class Resolve(Method):
    """Continual re-solving (Moravčík et al. 2017): look-aheads without a model that the opponent enters through a gadget,
    each as safe as the previous one."""

    HEAD: ClassVar[str] = "resolve"
    GADGET: ClassVar[Gadget | None] = Resolving()

    look: Look = USUAL

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        return match.depth_limited(self, 0.0)


@dataclass(frozen=True, repr=False)
class SES(Method):
    """Continual safe exploitation search: re-solving with the gadget of Liu et al. 2022 at the entry of every look-ahead,
    where the opponent enters with the model's range with probability alpha.

    The paper refines a given blueprint in the subgames of one place, as `resolve` does with alpha above 0; only there its
    bounds can hold. This method has no blueprint: it solves its first look-ahead without a gadget and every later decision
    again.
    """

    HEAD: ClassVar[str] = "ses"
    DIAL: ClassVar[str | None] = ALPHA
    GADGET: ClassVar[Gadget | None] = MaxMargin()
    VARIANT: ClassVar[str | None] = "continual: every decision solved again, without a blueprint"
    BOUND: ClassVar[str | None] = UNBOUNDED

    alpha: Trust = None
    look: Look = USUAL
    max_exploitability: Risk = None

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        return match.depth_limited(self, 0.0, trust)


@dataclass(frozen=True, repr=False)
class TrustingSearch(Method):
    """A method that looks ahead, by p or by a largest exploitability."""

    DIAL: ClassVar[str | None] = P

    p: Trust = None
    look: Look = USUAL
    max_exploitability: Risk = None


@dataclass(frozen=True, repr=False)
class CDBRNE(TrustingSearch):
    """A mixture (Milec et al. 2024), drawn before the game: CDBR with probability p, else an equilibrium."""

    HEAD: ClassVar[str] = "cdbr-ne"
    MIXED: ClassVar[bool] = True

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - the weight comes later
        return match.depth_limited(self, 1.0)


@dataclass(frozen=True, repr=False)
class CDRNR(TrustingSearch):
    """Continual depth-limited restricted Nash response (Milec et al. 2024): look-aheads in which the opponent is the model
    with probability p, and otherwise enters through a gadget."""

    HEAD: ClassVar[str] = "cdrnr"
    GADGET: ClassVar[Gadget | None] = FullGadget()

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        return match.depth_limited(self, trust)


@dataclass(frozen=True, repr=False)
class ABD(CDRNR):
    """Adapting beyond the depth limit (Milec et al. 2025): CDRNR with a portfolio at the limit, where the model continues as
    the model."""

    HEAD: ClassVar[str] = "abd"

    def _check_look(self, look: LookAhead) -> None:
        if not isinstance(look.leaf, Portfolio):
            raise InputError("abd needs a portfolio at the limit, as in leaf=portfolio:uniform;nash")
        super()._check_look(look)


# Methods from keywords


class MethodOptions(DialOptions, LookOptions, total=False):
    """The fields of methods, and of their look-ahead; None means not given."""


class RespondOptions(MethodOptions, total=False):
    """Further arguments of `respond`, in whole games of hold'em: whether a response is kept, and how pieces of long work are
    computed.

    Attributes:
        keep: answer with the response even where it is not better than the blueprint (see `Answer.why_blueprint`).
        record: a file that keeps every board that is solved, and from which a later call continues (.work).
        workers: number of processes; it does not change the result.
        watch: called when a board begins.
    """

    keep: bool
    record: Path | None
    workers: WorkerCount
    watch: Watch | None


_LOOK = {slot.key: slot.field.name for slot in slots(LookAhead)}
"""Options of a look-ahead, and their fields in `LookAhead`."""
_WORDS = {"max_exploitability": "largest exploitability", "leaf": "value function", "solve": "way of solving"}


METHODS_GIVEN = instance("a method, or several in a list", Iterable, Method)
"""The kind of an argument that is one method or several."""


def method_of(method: Method | str | None = None, **options: Any) -> Method:
    """The intended record, ready to be computed; the arguments are those of `open_method`."""
    intended = open_method(method, **options)
    intended.check_set()
    return intended


def open_method(method: Method | str | None = None, **options: Any) -> Method:
    """The intended record, whose dial may be open, as `frontier` takes it."""
    check_keywords("respond", options, MethodOptions)
    given = {key: option for key, option in options.items() if option is not None}
    if isinstance(method, Method) or (isinstance(method, str) and ":" in method):
        if given:
            raise InputError(f"{next(iter(given))} is a field of the method {method} and must be given there")
        return method if isinstance(method, Method) else METHOD.parse(method)
    if isinstance(method, type) and issubclass(method, Method):
        made = f"{method.__name__}({'' if method.DIAL is None else f'{method.DIAL}=0.5'})"
        raise InputError(f"{method.__name__} is a kind of method; write the method that you mean, such as {made}")
    name = method or ("safe" if "max_exploitability" in given else "rnr" if "p" in given else "br")
    if not isinstance(name, str) or name not in METHOD.registry:
        raise METHOD.unknown(name)
    kind = METHOD.registry[name]
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    for key in given:
        if key not in known and not (key in _LOOK and kind.looks_ahead()):
            more = f" but {kind.DIAL}" if key == "p" and kind.DIAL == "alpha" else ""
            assumed = "" if method else ", which is assumed where no method is named,"
            there = [head for head, one in METHOD.registry.items() if key in keys_of(one)]
            raise InputError(f"{name}{assumed} takes no {_WORDS.get(key, key)}{more}; {', '.join(there)} do")
    words: dict[str, Any] = {key: option for key, option in given.items() if key in known}
    if kind.looks_ahead():
        words["look"] = LookAhead(**{_LOOK[key]: option for key, option in given.items() if key in _LOOK})
    return kind(**words)
