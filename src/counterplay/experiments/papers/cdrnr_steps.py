"""Milec et al. 2024, figures 11 to 14: CDRNR of several depths against RNR over p. They print no numbers."""

from __future__ import annotations

from collections.abc import Callable

from counterplay.experiments import paper_sources
from counterplay.experiments.experiment import Experiment
from counterplay.experiments.model_cells import Way
from counterplay.experiments.tradeoffs import tradeoffs
from counterplay.lookahead.search import LookAhead
from counterplay.responses.cdrnr import CDRNR
from counterplay.responses.rnr import RNR

_GAMES = {"goofspiel 5": "goofspiel:5", "leduc": "leduc", "liar's dice 1x4": "liars_dice:1,4,wild=false"}
_OPPONENTS, _QUICK = ("cfr:5", "cfr:20", "random:1", "random:2"), ("random:1",)
_TRUST, _FEW = (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9), (0.3, 0.7)

_METHODS: dict[str, Callable[[float], Way]] = {
    "RNR": lambda p: RNR(p),
    "CDRNR1": lambda p: CDRNR(p, LookAhead(1)),
    "CDRNR3": lambda p: CDRNR(p, LookAhead(3)),
    "CDRNR5": lambda p: CDRNR(p, LookAhead(5)),
}
# Columns of one game: figure 13 splits Leduc only by the round.
_MORE: dict[str, dict[str, Callable[[float], Way]]] = {"leduc": {"CDRNR round": lambda p: CDRNR(p, LookAhead("round"))}}


def experiment() -> Experiment:
    """A row of panels for each game, a panel for each opponent."""
    made = [
        tradeoffs(
            name,
            spec,
            _OPPONENTS,
            {**_METHODS, **_MORE.get(spec, {})},
            _TRUST,
            lambda source, p: source not in _QUICK or p not in _FEW,
        )
        for name, spec in _GAMES.items()
    ]
    cells = [cell for some, _ in made for cell in some]
    panels = [drawn for _, drawn in made]
    title = "gain over exploitability of CDRNR by depth, p from 0.1 to 0.9"
    return Experiment("cdrnr-steps", title, f"{paper_sources.CDRNR}, figures 11 to 14", 4, cells, panels)
