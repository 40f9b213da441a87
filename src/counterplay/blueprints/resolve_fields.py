"""Settings of `resolve` that are its keywords in Python and the flags of its command; it imports no solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from counterplay.lookahead.keywords import EPSILON, NORMALISED
from counterplay.option import Option
from counterplay.work.processes import Record, Workers


@dataclass(frozen=True, kw_only=True, eq=False)
class ResolveFields:
    """The gadget, its refinement, and further measurements; `resolve_request.ResolveRequest` describes each."""

    gadget: Annotated[Any, Option("unsafe, resolving, max-margin, reach-max-margin or full.", kind=str)] = None
    prior: Annotated[
        str | Mapping[str, float], Option("none, uniform, blueprint or a .json file of weights.", metavar="P", kind=str)
    ] = "none"
    epsilon: Annotated[float | None, EPSILON] = None
    alpha: Annotated[float, "Exploitation level of SES, 0 to 1."] = 0.0
    error: Annotated[float, "Add an error of this L1 distance to the estimated range."] = 0.0
    normalised: Annotated[bool | None, NORMALISED] = None
    values: Annotated[str | None, "Alternative values: best-response, or profile (as SES has it)."] = None
    only: Annotated[str | None, Option("Solve only the subgame of this own infoset.", metavar="INFOSET")] = None
    continuation: Annotated[bool, "Also the optimal continuation: earlier decisions fixed, the rest free."] = False
    interval: Annotated[bool, "Also the least and most exploitable equilibria of the gadget games."] = False
    record: Record = None
    workers: Workers = 1
    bounds: Annotated[bool, "Also the bounds of SES."] = False
