"""Milec et al. 2024, figure 5: gain and exploitability of robust responses in Leduc, for several p. It prints no numbers.

SES looks five levels ahead, the most that the paper lets it (appendix G); its alpha is p (appendix H).
"""

from __future__ import annotations

from collections.abc import Callable

from counterplay import BNE, BR, CDBRNE, CDRNR, RNR, SES, LookAhead
from counterplay_papers import paper_sources
from counterplay_papers.cells.claims import largest, never_less
from counterplay_papers.cells.model_cells import EXPLOITABILITY, GAIN, Way
from counterplay_papers.cells.opponent_families import CFR, RANDOM, lines
from counterplay_papers.experiment import Average, Cell, Derived, Experiment
from counterplay_papers.panels import Panel

_TRUST, _QUICK = (0.1, 0.3, 0.5, 0.8), (0.1, 0.5)
_FAMILIES = (CFR, RANDOM)
_LATE = ("CDRNR VF",)
"""Columns that take half a minute for each number: 1,000 iterations, in each of which the value function iterates 500 times.
They are computed for the fewer p, and left out by `--quick`."""

_METHODS: dict[str, Callable[[float], Way]] = {
    "BR": lambda _: BR(),
    "BNE": lambda _: BNE(),
    "RNR": lambda p: RNR(p),
    "CDBR-NE": lambda p: CDBRNE(p, LookAhead(1)),
    "SES": lambda p: SES(alpha=p, look=LookAhead(5)),
    "CDRNR": lambda p: CDRNR(p, LookAhead(1)),
    "CDRNR VF": lambda p: CDRNR(p, LookAhead(1, leaf="cfr:500")),
}


def experiment() -> Experiment:
    """A column of panels for each p; for each family of opponents gain above and exploitability below."""
    cells: list[Cell | Average | Derived] = []
    panels: list[list[Panel]] = []
    for family in _FAMILIES:
        gains: list[Panel] = []
        risks: list[Panel] = []
        for p in _TRUST:
            ways = {name: way(p) for name, way in _METHODS.items() if name not in _LATE or p in _QUICK}
            more, (gain, risk) = lines(
                "leduc", "leduc", family, ways, [GAIN, EXPLOITABILITY], f"p={p:g}", p not in _QUICK, _LATE
            )
            cells += more
            cells += _claims(f"leduc, {family.name}, p={p:g}", tuple(gain.rows))
            gains.append(gain)
            risks.append(risk)
        panels += [gains, risks]
    title = (
        "gain and exploitability in Leduc against averages after N iterations, and against random opponents; depth 1"
    )
    return Experiment("cdrnr-leduc", title, f"{paper_sources.CDRNR}, figure 5", 4, cells, panels)


def _claims(name: str, rows: tuple[str, ...]) -> list[Derived]:
    """What the text says of SES: it "performs poorly", which we read as no more gain than CDRNR's, and it is almost not
    exploitable."""
    reason = "the best equilibrium wins more, too: p is too small to pay for leaving it"
    return [
        never_less(f"{name}: CDRNR gains no less than SES", rows, "CDRNR gain", "SES gain", reason),
        largest(name, rows, "SES exploitability"),
    ]
