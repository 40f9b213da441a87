"""Milec et al. 2024, figure 15: gain over exploitability in two rounds of biased rock-paper-scissors.

The paper prints neither its opponent nor numbers; the opponent here is ours.
"""

from __future__ import annotations

from collections.abc import Callable

from counterplay.experiments import paper_sources
from counterplay.experiments.cells.model_cells import Way
from counterplay.experiments.cells.tradeoffs import tradeoffs
from counterplay.experiments.experiment import Derived, Experiment, follows
from counterplay.lookahead.search import LookAhead
from counterplay.responses.cdbr_ne import CDBRNE
from counterplay.responses.cdrnr import CDRNR
from counterplay.responses.rnr import RNR
from counterplay.responses.ses import SES

_OPPONENT = "random:1"
_TRUST = tuple(step / 20 for step in range(21))
_FEW = _TRUST[::2]

_METHODS: dict[str, Callable[[float], Way]] = {
    "RNR": lambda p: RNR(p),
    "CDRNR": lambda p: CDRNR(p, LookAhead(1)),
    "resolving": lambda p: CDRNR(p, LookAhead(1, gadget="resolving")),
    "max-margin": lambda p: CDRNR(p, LookAhead(1, gadget="max-margin")),
    "SES": lambda p: SES(alpha=p, look=LookAhead(1)),
    "CDBR-NE": lambda p: CDBRNE(p, LookAhead(1)),
}


def experiment() -> Experiment:
    """One panel; depth 1 is the move and the answer of a round."""
    cells, panel = tradeoffs("rps 2", "rps:2", [_OPPONENT], _METHODS, _TRUST, lambda _, p: p not in _FEW)
    rows = panel[0].rows
    reason = "SES keeps to an equilibrium, whose value is that of the game"
    paper = Derived(
        "SES never gains: largest", "SES gain", rows, ("SES gain",), lambda x: max(x["SES gain"]), follows(0.0), reason
    )
    title = f"two-round biased rock-paper-scissors against {_OPPONENT} (an opponent of ours: the paper prints none)"
    return Experiment("rps", title, f"{paper_sources.CDRNR}, figure 15", 4, [*cells, paper], [panel])
