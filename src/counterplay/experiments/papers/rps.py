"""Milec et al. 2024, figure 15: gain over exploitability in two rounds of biased rock-paper-scissors.

The paper prints neither its opponent nor numbers; the opponent here is ours.
"""

from __future__ import annotations

from collections.abc import Callable

from counterplay.experiments.experiment import Experiment
from counterplay.experiments.model_cells import Way
from counterplay.experiments.paper_sources import CDRNR
from counterplay.experiments.tradeoffs import tradeoffs
from counterplay.responses.methods import check_request

_OPPONENT = "random:1"
_TRUST = tuple(step / 20 for step in range(21))
_FEW = _TRUST[::2]

_METHODS: dict[str, Callable[[float], Way]] = {
    "RNR": lambda p: check_request("rnr", p=p),
    "CDRNR": lambda p: check_request("cdrnr", p=p, depth=1),
    "resolving": lambda p: check_request("cdrnr", p=p, depth=1, gadget="resolving"),
    "max-margin": lambda p: check_request("cdrnr", p=p, depth=1, gadget="max-margin"),
    "CDBR-NE": lambda p: check_request("cdbr-ne", p=p, depth=1),
}


def experiment() -> Experiment:
    """One panel; depth 1 is the move and the answer of a round."""
    cells, panel = tradeoffs("rps 2", "rps:2", [_OPPONENT], _METHODS, _TRUST, lambda _, p: p not in _FEW)
    title = f"two-round biased rock-paper-scissors against {_OPPONENT} (an opponent of ours: the paper prints none)"
    return Experiment("rps", title, f"{CDRNR}, figure 15", 4, cells, [panel])
