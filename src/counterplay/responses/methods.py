"""The methods by name: what each takes, and the few calls that it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from counterplay.catalogue import METHODS as ABOUT
from counterplay.errors import InputError, unknown
from counterplay.leaf_values.portfolio import Portfolio
from counterplay.lookahead.priors import NONE, prior_of
from counterplay.lookahead.tremble import Tremble, check_share
from counterplay.poker.betting.rake import RISK, check_zero_sum
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.depth_limited import LookSettings, depth_limited, look_of
from counterplay.responses.lbr import local_best_response
from counterplay.responses.lbr_ranges import local_best_response_of_hands
from counterplay.responses.matchup import Matchup, Outcome
from counterplay.responses.risk_search import corner_responses, mixture, mixture_within, safe_best_response
from counterplay.subgames.gadgets import FullGadget, MaxMargin, Resolving
from counterplay.treeplex.restriction import check_p

ABD = "abd"


class TrustParameter(Enum):
    """What sets how far the model is trusted."""

    NONE = "nothing"
    P = "p, the trust in the model"
    WEIGHT = "p, the weight against an equilibrium"
    ALPHA = "alpha, the exploitation level"
    EXPLOITABILITY = "the largest exploitability"


@dataclass(frozen=True)
class Request:
    """What a user asks of a method: its name and its numbers, and how it looks ahead. p is alpha where that is the dial.
    Chips for exploitability."""

    method: str
    p: float | None = None
    max_exploitability: float | None = None
    look: LookSettings | None = None


@dataclass(frozen=True)
class Method:
    """about: one line. dial: what sets the trust. plan: the response for a number of the dial (0 where there is none), and
    for a look-ahead where the method is `limited` to one. gadget: its usual one; None where nobody but the model is met."""

    about: str
    dial: TrustParameter
    plan: Callable[..., Outcome]
    limited: bool = False
    gadget: str | None = None


def _local(match: Matchup, _: float) -> Outcome:
    """LBR, of infosets or of hands."""
    if isinstance(match.game, SpotGame):
        return local_best_response_of_hands(match, match.game)
    return local_best_response(match)


METHODS = {
    "br": Method(ABOUT["br"], TrustParameter.NONE, lambda m, _: m.best_response()),
    "mix": Method(ABOUT["mix"], TrustParameter.WEIGHT, lambda m, _: m.best_response()),
    "dbr": Method(ABOUT["dbr"], TrustParameter.P, lambda m, p: m.data_biased(p)),
    "rnr": Method(ABOUT["rnr"], TrustParameter.P, lambda m, p: m.restricted_nash(p)),
    "safe": Method(ABOUT["safe"], TrustParameter.EXPLOITABILITY, safe_best_response),
    "bne": Method(ABOUT["bne"], TrustParameter.NONE, lambda m, _: m.best_equilibrium()),
    "cdbr": Method(
        ABOUT["cdbr"],
        TrustParameter.NONE,
        lambda m, _, look: depth_limited(m, look, 1.0),
        limited=True,
    ),
    "cdrnr": Method(
        ABOUT["cdrnr"],
        TrustParameter.P,
        lambda m, p, look: depth_limited(m, look, p),
        limited=True,
        gadget=FullGadget.name,
    ),
    "cdbr-ne": Method(
        ABOUT["cdbr-ne"],
        TrustParameter.WEIGHT,
        lambda m, _, look: depth_limited(m, look, 1.0),
        limited=True,
    ),
    "resolve": Method(
        ABOUT["resolve"],
        TrustParameter.NONE,
        lambda m, _, look: depth_limited(m, look, 0.0),
        limited=True,
        gadget=Resolving.name,
    ),
    "ses": Method(
        ABOUT["ses"],
        TrustParameter.ALPHA,
        lambda m, alpha, look: depth_limited(m, look, 0.0, alpha),
        limited=True,
        gadget=MaxMargin.name,
    ),
    "abd": Method(
        ABOUT["abd"],
        TrustParameter.P,
        lambda m, p, look: depth_limited(m, look, p),
        limited=True,
        gadget=FullGadget.name,
    ),
    "lbr": Method(ABOUT["lbr"], TrustParameter.NONE, _local),
}
"""The methods by name, as in the catalogue."""


def check_request(
    method: str | None,
    p: float | None = None,
    max_exploitability: float | None = None,
    depth: Any = None,
    *,
    gadget: Any = None,
    value: Any = None,
    ways: str | None = None,
    alpha: float | None = None,
    prior: Any = None,
    epsilon: float | None = None,
) -> Request:
    """The request that is meant, once its numbers are seen to fit the method.

    Without a method it is `safe` if max_exploitability is given, `rnr` if p is, else `br`.

    Raises:
        InputError: an unknown method, a number outside its range, or one that the method needs or does not take.
    """
    name = method or ("safe" if max_exploitability is not None else "rnr" if p is not None else "br")
    if name not in METHODS:
        raise unknown("method", name, METHODS)
    if p is not None:
        check_p(p)
    if max_exploitability is not None and not 0.0 <= max_exploitability < float("inf"):
        raise InputError(f"the largest exploitability must be a number of chips from 0 on, not {max_exploitability:g}")
    known = METHODS[name]
    look = None
    if known.limited:
        if depth is None:
            raise InputError(f"{name} needs a depth")
        if known.gadget is None and (prior is not None or epsilon is not None):
            raise InputError(f"{name} faces the model alone and takes no prior")
        tremble = Tremble(0.0, prior_of(prior) if isinstance(prior, str) else prior or NONE, epsilon)
        look = look_of(depth, gadget, value, ways, known.gadget, tremble)
        if name == ABD and not isinstance(look.value, Portfolio):
            raise InputError("abd needs a portfolio at the limit, as in --value 'portfolio:uniform;nash'")
    else:
        asked = {"depth": depth, "gadget": gadget, "value function": value, "way of solving": ways, "prior": prior}
        for what, given in {**asked, "epsilon": epsilon}.items():
            if given is not None:
                raise InputError(f"{name} takes no {what}")
    if known.dial is TrustParameter.ALPHA:
        if p is not None:
            raise InputError(f"{name} takes no p but alpha")
        if alpha is not None:
            check_share("alpha", alpha)
    elif alpha is not None:
        raise InputError(f"{name} takes no alpha")
    trust = p if alpha is None else alpha
    _check_dial(name, known.dial, trust, max_exploitability)
    return Request(name, trust, max_exploitability, look)


def _check_dial(name: str, dial: TrustParameter, p: float | None, epsilon: float | None) -> None:
    if dial in (TrustParameter.P, TrustParameter.WEIGHT, TrustParameter.ALPHA):
        if (p is None) == (epsilon is None):
            what = "alpha" if dial is TrustParameter.ALPHA else "p"
            raise InputError(f"{name} needs either {what} or a largest exploitability")
        return
    if p is not None:
        raise InputError(f"{name} takes no p")
    if dial is TrustParameter.EXPLOITABILITY and epsilon is None:
        raise InputError(f"{name} needs a largest exploitability")
    if dial is TrustParameter.NONE and epsilon is not None:
        raise InputError(f"{name} takes no largest exploitability")


RAKED = ("br", "mix", "dbr", "rnr", "lbr")
"""Methods that make sense where what one player wins is not what the other loses."""


def check_raked(request: Request, rake: float) -> None:
    """Refuse what a spot with a rake does not have.

    Raises:
        InputError: a method that counts on zero sum, or a largest exploitability.
    """
    known = f"with a rake there are {', '.join(RAKED)}, and locks"
    if request.method not in RAKED:
        limit = request.method == "safe" or request.max_exploitability is not None
        risk = "no bound on the risk holds: " if limit else ""
        check_zero_sum(rake, f"{risk}{request.method} counts on that; {known}")
    if request.max_exploitability is not None:
        check_zero_sum(rake, RISK)


def carried_out(match: Matchup, request: Request) -> tuple[Outcome, float | None]:
    """The plan that a request asks for, and the p that it used (None if the method has none)."""
    method, p, epsilon = METHODS[request.method], request.p, request.max_exploitability
    look = (request.look,) if request.look else ()
    if method.dial is TrustParameter.NONE:
        return method.plan(match, 0.0, *look), None
    if method.dial is TrustParameter.EXPLOITABILITY:
        return method.plan(match, epsilon or 0.0, *look), None
    if method.dial is TrustParameter.WEIGHT:
        safe, greedy = match.equilibrium(), method.plan(match, 0.0, *look)
        return (mixture(safe, greedy, p), p) if p is not None else mixture_within(match, safe, greedy, epsilon or 0.0)
    if p is None:
        return corner_responses(match, lambda trust: method.plan(match, trust, *look), epsilon or 0.0)[0]
    return method.plan(match, p, *look), p
