"""Milec et al. 2024, figures 6 and 7, curve CDBRNN: one-step CDBR over a value network, beside CDBR over exact values.

The paper prints no numbers, and says neither its architecture nor how much it was trained on; ours are five seeds.
As there, CFR+ solves the look-ahead. The claim to compare with is ours: a network loses at most 3 percent of the gain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from counterplay import BR, CDBR, LookAhead, Stop
from counterplay.learning.learn_value import ValueSettings
from counterplay.responses.matchup.any_matchup import Outcome
from counterplay.responses.matchup.matchup import Matchup
from counterplay_papers import paper_sources
from counterplay_papers.cells.learned_files import SEEDS, LearnedFile, interval_margin, value_file
from counterplay_papers.cells.model_cells import GAIN, Way, column
from counterplay_papers.cells.opponent_families import CFR, RANDOM, lines
from counterplay_papers.experiment import Average, Cell, Derived, Experiment
from counterplay_papers.panels import Panel

_USUAL = ValueSettings("", "1", 40_000, 12_000, "cfr+:200", epochs=20, responses=True, rounds=3)
_GAMES = {
    "leduc": replace(_USUAL, game="leduc", width=128, epochs=160),
    "goofspiel 5": replace(_USUAL, game="goofspiel:5", width=256, epochs=70),
    "liar's dice 1x4": replace(_USUAL, game="liars_dice:1,4,wild=false", width=64),
}
_FILES = {"leduc": "leduc", "goofspiel 5": "goofspiel5", "liar's dice 1x4": "liarsdice"}
_FAMILIES = (
    replace(CFR, numbers=(2, 5, 10, 20, 34, 50), quick=(34,)),
    replace(RANDOM, numbers=tuple(range(1, 21)), quick=(1,)),
)
_SOLVES = {"leduc": ("dcfr", 1000), "goofspiel 5": ("cfr+", 300), "liar's dice 1x4": ("cfr+", 300)}
"""Minimiser and iterations of a look-ahead over a network. After 50 even exact values at the limit reach as little as 87
percent of the gain."""
_EXACT = "CDBR1"


def experiment() -> Experiment:
    """Gain of player 0: a row of panels for each game, and below each family the share of the exact gain."""
    cells: list[Cell | Average | Derived] = []
    panels: list[list[Panel]] = []
    for name, settings in _GAMES.items():
        seeds = [seed for seed in SEEDS if network(name, seed).available]
        learned = {_way(seed): partial(_response, name, seed) for seed in seeds}
        ways: dict[str, Way] = {"BR": BR(), _EXACT: CDBR(look=LookAhead(1)), **learned}
        panels.append([])
        for family in _FAMILIES:
            more, drawn = lines(name, settings.game, family, ways, [GAIN], late=list(learned)[1:])
            cells += more
            cells += _shares(f"{name}, {family.name}", list(drawn[0].rows), list(learned))
            panels[-1] += drawn
    title = "gain of one-step CDBR over exact values and over networks"
    source, files = (
        f"{paper_sources.CDRNR}, figures 6 and 7, CDBRNN",
        [network(name, seed) for name in _GAMES for seed in SEEDS],
    )
    return Experiment("cdbrnn", title, source, 4, cells, panels, files=files)


def network(name: str, seed: int) -> LearnedFile:
    """The network of a game and seed."""
    return value_file(f"cdbrnn-{_FILES[name]}-{seed}.cpn", replace(_GAMES[name], seed=seed))


def _way(seed: int) -> str:
    return f"CDBRNN {seed}"


def _response(name: str, seed: int, pair: Matchup) -> Outcome:
    """By a minimiser for some iterations: with a network a look-ahead has no exact answer to wait for."""
    look = LookAhead(1, leaf=f"net:{network(name, seed).path()}")
    solver, iterations = _SOLVES[name]
    return CDBR(look=look).response(
        Matchup(pair.game, pair.model, solver=solver, stop=Stop(iterations=iterations)), 1.0
    )


def _shares(name: str, rows: Sequence[str], ways: Sequence[str]) -> list[Derived]:
    """The share of the exact gain over all opponents: of the first seed, of the mean of all with a 95 % interval."""
    exact, columns = column(_EXACT, GAIN), [column(way, GAIN) for way in ways]
    share, row = "% of CDBR1's gain", f"{name}: share of the exact gain"
    found = [
        Derived(row, f"{way}, {share}", rows, (exact, own), partial(_share, exact, own))
        for way, own in zip(ways, columns, strict=True)
    ]
    if len(ways) > 1:
        needs = (exact, *columns)
        found.append(Derived(row, f"mean of seeds, {share}", rows, needs, partial(_mean, exact, columns)))
        found.append(Derived(row, "mean of seeds, ±", rows, needs, partial(_margin, exact, columns)))
    return found


Found = Mapping[str, Sequence[float]]


def _share(exact: str, own: str, found: Found) -> float:
    return 100.0 * fmean(found[own]) / fmean(found[exact])


def _mean(exact: str, columns: Sequence[str], found: Found) -> float:
    return fmean(_share(exact, own, found) for own in columns)


def _margin(exact: str, columns: Sequence[str], found: Found) -> float:
    return interval_margin([_share(exact, own, found) for own in columns])
