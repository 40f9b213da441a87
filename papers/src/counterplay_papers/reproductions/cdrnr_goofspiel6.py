"""Milec et al. 2024, appendix D: the large experiment, Goofspiel 6 against the average of three iterations of CFR.

The paper says that it ran it, and prints neither table nor numbers. Equilibria and responses are iterated, not exact: PDCFR+
stops at 1e-5 of the span of payoffs. The value of the game is 0 by symmetry.
"""

from __future__ import annotations

from functools import cache, partial

from counterplay import BR, CDRNR, RNR, SES, LookAhead, opponent
from counterplay.responses.matchup.matchup import Matchup
from counterplay.responses.method import Method
from counterplay_papers import paper_sources
from counterplay_papers.cells.model_cells import EXPLOITABILITY, GAIN, ResponseCell, game
from counterplay_papers.experiment import Cell, Derived, Experiment

_SPEC, _OPPONENT, _SOLVER = "goofspiel:6", "cfr:3", "pdcfr+"
_TRUST = (0.1, 0.3, 0.5, 0.8)
_QUICK = ("BR",)


def _ways() -> dict[str, tuple[Method, float]]:
    """The responses by row, each with its dial."""
    ways: dict[str, tuple[Method, float]] = {"BR": (BR(), 1.0)}
    for p in _TRUST:
        ways[f"RNR, p={p:g}"] = RNR(p), p
        ways[f"CDRNR5, p={p:g}"] = CDRNR(p, LookAhead(5)), p
        ways[f"SES5, p={p:g}"] = SES(alpha=p, look=LookAhead(5)), p
    return ways


def experiment() -> Experiment:
    """A row for each method and p."""
    cells: list[Cell | Derived] = [
        Cell(row, column, None, row not in _QUICK, partial(_number, row, column))
        for row in _ways()
        for column in (GAIN, EXPLOITABILITY)
    ]
    cells += [_difference(p) for p in _TRUST]
    title = f"Goofspiel 6 against {_OPPONENT}: gain and exploitability (points)"
    return Experiment(
        "cdrnr-goofspiel6",
        title,
        f"{paper_sources.CDRNR}, appendix D",
        4,
        cells,
        measure="gain, exploitability (points)",
    )


def _number(row: str, column: str) -> float:
    found = _measured(row)
    return found.gain if column == GAIN else found.exploitability


@cache
def _measured(row: str) -> ResponseCell:
    """The numbers of one response.

    Raises:
        KeyboardInterrupt: the solve was cut short, so its numbers must not be kept.
    """
    tree, (method, dial) = game(_SPEC), _ways()[row]
    pair = Matchup(tree, opponent(tree, _OPPONENT, player=1), solver=_SOLVER)
    found = method.in_game(tree).response(pair, dial)
    if found.interrupted:
        raise KeyboardInterrupt
    return ResponseCell(pair.value_against_model(found.plan), -pair.guarantee(found.plan))


def _difference(p: float) -> Derived:
    """By how much CDRNR gains more than SES."""
    rows = (f"CDRNR5, p={p:g}", f"SES5, p={p:g}")
    return Derived(f"CDRNR5 less SES5, p={p:g}", GAIN, rows, (GAIN,), lambda found: found[GAIN][0] - found[GAIN][1])
