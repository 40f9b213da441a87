"""Keywords of methods and their look-aheads: those of `respond` and `frontier` in Python, and the flags of these commands.

It imports no solver, so that a command knows its flags at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from counterplay.catalogue import GADGETS
from counterplay.option import Option

EPSILON = "Tremble toward the prior (0.001; lp takes its limit 0)."
NORMALISED = Option("Give all infosets equal weight, as SES does.", "--normalised/--unnormalised")


class DialOptions(TypedDict, total=False):
    """The dials of methods; None means not given. max_exploitability: chips, or "1%" of a spot's pot, in other games of the
    span between the largest and the smallest payoff; in a spot also "5mbb". Instead of p or alpha it takes the largest value
    within it. alpha: the probability that the opponent enters a look-ahead with the model's range."""

    p: Annotated[float | None, "Trust in the model, 0 to 1; weight in mix and cdbr-ne."]
    max_exploitability: Annotated[
        float | str | None,
        Option(
            "For safe, or instead of --p: chips a hand, or 1% of a spot's pot (of the span).", metavar="CHIPS", kind=str
        ),
    ]
    alpha: Annotated[float | None, "Exploitation level of ses, 0 to 1."]


class LookOptions(TypedDict, total=False):
    """The fields of a look-ahead (see `search.LookAhead`); None means not given. depth: also a `Depth`; prior: also weights
    by infoset; leaf: also a function from a state to chips of player 0, or an object with a protocol of
    `value_functions.leaf_value`."""

    depth: Annotated[
        Any,
        Option(
            "How far cdbr, cdrnr, abd, cdbr-ne, resolve, ses look (1; in hold'em round).",
            metavar="N|round|game",
            kind=str,
        ),
    ]
    gadget: Annotated[str | None, f"{', '.join(GADGETS)} (cdrnr, abd, resolve, ses)."]
    solve: Annotated[str | None, "joint: all states of a level at once; per-state: each alone, as in play."]
    prior: Annotated[
        str | Mapping[str, float] | None,
        Option("Refines a gadget's equilibrium: none, uniform, blueprint or a .json file of weights.", kind=str),
    ]
    epsilon: Annotated[float | None, EPSILON]
    normalised: Annotated[bool | None, NORMALISED]
    leaf: Annotated[
        Any,
        Option(
            "At the limit: exact, lp, cfr:N, rollout:N[,SEED], portfolio:A;B, net:FILE or module:function.", kind=str
        ),
    ]
