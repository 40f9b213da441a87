"""Milec et al. 2024, figures 11 to 14: CDRNR of several depths against RNR and SES over p. They print no numbers.

SES looks five levels ahead ("we only use the highest step value of 5"), or to the end of the round; its alpha is p.
"""

from __future__ import annotations

from collections.abc import Callable

from counterplay import CDRNR, RNR, SES, LookAhead
from counterplay_papers import paper_sources
from counterplay_papers.cells.claims import largest, never_less
from counterplay_papers.cells.model_cells import Way
from counterplay_papers.cells.tradeoffs import tradeoffs
from counterplay_papers.experiment import Cell, Derived, Experiment

_GAMES = {"goofspiel 5": "goofspiel:5", "leduc": "leduc", "liar's dice 1x4": "liars_dice:1,4,wild=false"}
_OPPONENTS, _QUICK = ("cfr:5", "cfr:20", "random:1", "random:2"), ("random:1",)
_TRUST, _FEW = (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9), (0.3, 0.7)

_METHODS: dict[str, Callable[[float], Way]] = {
    "RNR": lambda p: RNR(p),
    "CDRNR1": lambda p: CDRNR(p, LookAhead(1)),
    "CDRNR3": lambda p: CDRNR(p, LookAhead(3)),
    "CDRNR5": lambda p: CDRNR(p, LookAhead(5)),
    "SES5": lambda p: SES(alpha=p, look=LookAhead(5)),
}
# Columns of one game: figure 13 splits Leduc only by the round.
_MORE: dict[str, dict[str, Callable[[float], Way]]] = {
    "leduc": {
        "CDRNR round": lambda p: CDRNR(p, LookAhead("round")),
        "SES round": lambda p: SES(alpha=p, look=LookAhead("round")),
    }
}


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
    cells: list[Cell | Derived] = []
    for (some, drawn), name in zip(made, _GAMES, strict=True):
        cells += some
        cells += _claims(name, tuple(row for panel in drawn for row in panel.rows))
    panels = [drawn for _, drawn in made]
    title = "gain over exploitability of CDRNR by depth, p from 0.1 to 0.9"
    return Experiment("cdrnr-steps", title, f"{paper_sources.CDRNR}, figures 11 to 14", 4, cells, panels)


def _claims(name: str, rows: tuple[str, ...]) -> list[Derived]:
    """SES "performs poorly" beside CDRNR, which we read as: gains no more at equal p; and the exploitability of both."""
    reason = "with a small p both play nearly an equilibrium, and SES happens to find one that wins more"
    return [
        never_less(f"{name}: CDRNR5 gains no less than SES5", rows, "CDRNR5 gain", "SES5 gain", reason),
        largest(name, rows, "SES5 exploitability"),
        largest(name, rows, "CDRNR5 exploitability"),
    ]
