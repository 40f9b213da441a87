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
    """The dials of methods; None means not given.

    Attributes:
        p: trust in the model, from 0 to 1, for rnr, dbr, cdrnr and abd; weight of the exploiting strategy for mix and
            cdbr-ne.
        max_exploitability: in chips, or as "1%" of a spot's pot, in other games of the span between the largest and the
            smallest payoff; in a spot also as "5mbb". For safe, or instead of p or alpha, of which the largest value
            within it is found.
        alpha: for ses: probability that the opponent enters a look-ahead with the model's range, from 0 to 1.
    """

    p: Annotated[float | None, "Trust in the model, 0 to 1; weight in mix and cdbr-ne."]
    max_exploitability: Annotated[
        float | str | None,
        Option(
            "For safe, or instead of --p: chips a hand, or 1% of a spot's pot (of the span).", metavar="CHIPS", kind=str
        ),
    ]
    alpha: Annotated[float | None, "Exploitation level of ses, 0 to 1."]


class LookOptions(TypedDict, total=False):
    """The fields of a look-ahead; None means not given.

    Attributes:
        depth: levels of look-ahead, `round`, `game`, or a `gametree.compile.levels.Depth`.
        gadget: the entry of an opponent who is not the model: `full` (the default of cdrnr and abd), `trimmed`,
            `resolving` (of resolve), `max-margin` (of ses), `reach-max-margin`, `path` or `unsafe`.
        solve: `joint` (the default) solves all public states of a level together, `per-state` each alone, as in play.
        prior: selects the equilibrium of a gadget game (GGSE): `none`, `uniform`, `blueprint` (the prediction of the
            previous look-ahead), a .json file or a mapping of infosets to weights.
        epsilon: the tremble toward the prior; by default 1e-3 by a minimiser, and its exact limit 0 by `lp`.
        normalised: whether infosets of the opponent have equal weight at a gadget; by default in ses.
        value: the value function at the limit of a look-ahead: `exact` (the default), `cfr:N`, `rollout:N`, `lp`, a
            function from a state to chips of player 0, or an object with the protocol of `value_functions.leaf_value`.
    """

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
    value: Annotated[
        Any,
        Option(
            "At the limit: exact, lp, cfr:N, rollout:N[,SEED], portfolio:A;B, net:FILE or module:function.", kind=str
        ),
    ]
