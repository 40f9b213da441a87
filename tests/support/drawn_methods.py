"""Methods and look-aheads as records, drawn by lot."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import counterplay as cp
from counterplay.lookahead.search import WAYS
from counterplay.responses import METHODS
from counterplay.responses.method import Method

DEPTHS = st.sampled_from([1, 2, 7, "round", "game", None])
LEAVES = st.sampled_from([None, "exact", "lp", "cfr:20", "dcfr:5", "rollout:20", "rollout:3,7", "equity"])
GADGETS = st.sampled_from([None, "full", "resolving", "max-margin", "reach-max-margin", "unsafe"])
NUMBERS = st.floats(0.0, 1.0)
RISKS = st.one_of(NUMBERS, st.sampled_from(["1%", "0.5%", "5mbb", "2bb/100"]))


@st.composite
def looks(draw: st.DrawFn, *, alone: bool, refines: bool) -> cp.LookAhead:
    """Any look-ahead; alone: against the model only; refines: with a gadget that has decisions."""
    gadget = None if alone else "max-margin" if refines else draw(GADGETS)
    prior = draw(st.sampled_from(["none", "uniform", "blueprint"])) if refines else "none"
    epsilon = draw(st.none() | NUMBERS) if prior != "none" else None
    rest = {"normalised": draw(st.sampled_from([None, True, False])), "solve": draw(st.sampled_from([None, *WAYS]))}
    return cp.LookAhead(draw(DEPTHS), draw(LEAVES), gadget, prior, epsilon, **rest)


@st.composite
def methods(draw: st.DrawFn) -> Method:
    """Any method but `abd`, whose portfolios are compared by what they are made of."""
    known = METHODS[draw(st.sampled_from([name for name in METHODS if name != "abd"]))]
    words: dict[str, Any] = {}
    if known.DIAL == "max_exploitability" or (known.DIAL and draw(st.booleans())):
        words["max_exploitability"] = draw(RISKS)
    elif known.DIAL:
        words[known.DIAL] = draw(NUMBERS)
    if known.looks_ahead():
        refines = known.GADGET is not None and (known.DIAL == "alpha" or draw(st.booleans()))
        words["look"] = draw(looks(alone=known.GADGET is None, refines=refines))
    return known(**words)
