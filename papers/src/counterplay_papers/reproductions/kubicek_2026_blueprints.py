"""Kubíček et al. 2026, figures 2, 3 and 14 to 19: player 0 re-solves all subgames of a place by each technique.

The whole strategy is measured: its exploitability is the gain of a best response to it beyond the value of the game, in
chips. The figures print no numbers. The paper gives neither the checkpoints of its CFR nor the utility of Goofspiel, which
is the difference of points here and, below, win or loss. Checkpoints are spread evenly on a logarithmic axis from 1 to 1,000
iterations; random blueprints are drawn from Dirichlet(1) at every infoset of both players.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import sub
from statistics import fmean

import numpy as np

from counterplay import LookAhead, MaxMargin, Resolving, Stop, Strategy, Unsafe, opponent
from counterplay.blueprints.report import optimal_continuation
from counterplay.blueprints.resolve import GadgetPiece, pieces_at
from counterplay.blueprints.resolve_subtrees import resolve_subtrees
from counterplay.blueprints.resolved_blueprint import ITERATIONS, BlueprintInputs, ResolveSettings, exploitability
from counterplay.lookahead.tremble import BLUEPRINT, NONE, UNIFORM
from counterplay.subgames.cut import Place
from counterplay.subgames.plan_store import ArrayPlans
from counterplay_papers.experiment import KUBICEK_2026, AnyCell, Cell, Derived, Experiment, Numbers, average, grid
from counterplay_papers.panels import HeatPanel, Panel, PointPanel
from counterplay_papers.responses import game


@dataclass(frozen=True)
class SubgamePlace:
    """A place of a game. name: in rows and titles. spec: the game, to load. place: where subgames begin."""

    name: str
    spec: str
    place: Place


GOOFSPIEL_1 = SubgamePlace("goofspiel 5 depth 1", "goofspiel:5", Place("moves", 2, declared=True))
GOOFSPIEL_2 = SubgamePlace("goofspiel 5 depth 2", "goofspiel:5", Place("moves", 4, declared=True))
LEDUC = SubgamePlace("leduc after the card", "leduc", Place("round", 1))
LIARS_DICE = SubgamePlace("liar's dice 1x4 depth 1", "liars_dice:1,4", Place("moves", 1))
GOOFSPIEL_WIN_1 = SubgamePlace("goofspiel 5 win/loss depth 1", "goofspiel:5,win", Place("moves", 2, declared=True))
GOOFSPIEL_WIN_2 = SubgamePlace("goofspiel 5 win/loss depth 2", "goofspiel:5,win", Place("moves", 4, declared=True))
SPOTS = (GOOFSPIEL_1, GOOFSPIEL_2, LEDUC, LIARS_DICE)
BY_WINS = (GOOFSPIEL_WIN_1, GOOFSPIEL_WIN_2)
"""Goofspiel with the other utility that it may have in the paper."""

_CFR = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 28, 36, 46, 60, 77, 100, 130, 170, 220, 280, 360, 470, 700, 1000)
_RANDOM = 20
_QUICK = ("cfr:22", "cfr:100", "random:1")
_QUICK_SPOTS = (LIARS_DICE,)

TECHNIQUES = {
    "unsafe": (Unsafe(), NONE),
    "resolving": (Resolving(), NONE),
    "resolving uniform": (Resolving(), UNIFORM),
    "resolving blueprint": (Resolving(), BLUEPRINT),
    "max-margin": (MaxMargin(), NONE),
    "max-margin uniform": (MaxMargin(), UNIFORM),
    "max-margin blueprint": (MaxMargin(), BLUEPRINT),
}
"""Gadget and prior of each name."""
SAFE = tuple(TECHNIQUES)[1:]
SOLVERS = {"CFR+": "cfr+", "LP": "lp"}
"""Solvers of gadget games: CFR+ for 5,000 iterations with an epsilon of 1e-3, or the exact linear program."""
BEFORE, CONTINUATION = "blueprint", "continuation"
"""The columns of the blueprint itself, and of the optimal continuation."""


def sources() -> list[str]:
    """The blueprints: averages after N iterations of CFR, then random ones."""
    return [*(f"cfr:{number}" for number in _CFR), *(f"random:{seed}" for seed in range(1, _RANDOM + 1))]


def rows(spot: SubgamePlace) -> tuple[str, ...]:
    """The rows of all blueprints at a place."""
    return tuple(f"{spot.name}, {source}" for source in sources())


def cells(spot: SubgamePlace, solvers: Sequence[str], bounds: Sequence[str]) -> list[Cell]:
    """For each blueprint the exploitability by each technique and solver, in columns such as `unsafe LP`.

    Args:
        spot: the place.
        solvers: of `SOLVERS`.
        bounds: of `BEFORE` and `CONTINUATION`, columns that come first.
    """
    ways: dict[str, ResolveSettings | str] = {bound: bound for bound in bounds}
    ways |= {f"{name} {solver}": resolve_settings(name, SOLVERS[solver]) for solver in solvers for name in TECHNIQUES}
    quick = _QUICK if spot in _QUICK_SPOTS else ()
    return grid(
        dict(zip(rows(spot), sources(), strict=True)),
        ways,
        partial(exploitability_after, spot),
        lambda source, _: source not in quick,
    )


def resolve_settings(technique: str, solver: str, iterations: int = ITERATIONS) -> ResolveSettings:
    """The settings of a technique; iterations: of a minimiser."""
    gadget, prior = TECHNIQUES[technique]
    return ResolveSettings(LookAhead(gadget=gadget, prior=prior), solver=solver, stop=Stop(iterations=iterations))


@lru_cache(maxsize=4)
def blueprint(spec: str, source: str) -> tuple[Strategy, Strategy]:
    """Strategies of both seats. Random ones have different seeds, since in a symmetric game equal seeds play alike."""
    head, _, seed = source.partition(":")
    theirs = f"random:{1000 + int(seed)}" if head == "random" else source
    return opponent(game(spec), source, player=0), opponent(game(spec), theirs, player=1)


@lru_cache(maxsize=8)
def pieces(spot: SubgamePlace) -> list[GadgetPiece]:
    """The subgames of a place."""
    return pieces_at(game(spot.spec), [spot.place], 0)


def exploitability_after(spot: SubgamePlace, source: str, how: ResolveSettings | str) -> float:
    """Exploitability of the blueprint (`BEFORE`), of its `CONTINUATION`, or with the subgames solved again."""
    played, (mine, theirs) = game(spot.spec), blueprint(spot.spec, source)
    if how == CONTINUATION:
        plans = ArrayPlans.of(played.subgame, mine)
        mine = optimal_continuation(played, plans, 0, [piece.cut for piece in pieces(spot)]).strategy(0)
    elif isinstance(how, ResolveSettings):
        cuts = [piece.cut for piece in pieces(spot)]
        found = resolve_subtrees(cuts, BlueprintInputs.of(played.subgame, mine, theirs), how, nested=True)
        if found.interrupted:
            raise KeyboardInterrupt
        mine = found.strategy
    return max(0.0, exploitability(played, mine))


def ggse_exploitability() -> Experiment:
    """Figures 2 and 19: for each place its blueprints, then averages and the paper's claims; a panel for each place and
    solver."""
    made: list[AnyCell] = []
    for spot in (*SPOTS, *BY_WINS):
        made += [*cells(spot, tuple(SOLVERS), (BEFORE, CONTINUATION)), *_claims(spot)]
    across, measure = "exploitability of the blueprint (chips)", "exploitability after (chips)"
    panels = [
        [
            PointPanel(
                f"{spot.name}, {solver}", dict.fromkeys(rows(spot)),
                {CONTINUATION: "optimal continuation"} | {f"{name} {solver}": name for name in TECHNIQUES},
                across=across, measure=measure, x=BEFORE,
            ) for spot in (*SPOTS, *BY_WINS)
        ] for solver in SOLVERS
    ]  # fmt: skip
    title = "exploitability after solving all subgames again (chips or points), above by CFR+, below by LP"
    return Experiment("ggse-exploitability", title, f"{KUBICEK_2026}, figures 2 and 19", 4, made, panels)


_EXACT, _ITERATED = 1e-6, 1e-3
"""How far above another number one may be and count as no worse, in chips: by the linear program, and by CFR+, whose answers
are as far as that from equilibria of the gadget games."""


def _claims(spot: SubgamePlace) -> list[Derived]:
    """The averages of all columns, then the claims about them, each of the numbers of one column and of another."""
    of = rows(spot)
    columns = [f"{name} {solver}" for solver in SOLVERS for name in TECHNIQUES]
    made = [average(f"{spot.name}, average", column, of) for column in (BEFORE, CONTINUATION, *columns)]

    def add(claim: str, column: str, other: str, compute: Callable[[Sequence[float], Sequence[float]], float]) -> None:
        needs = (BEFORE, column) if other == BEFORE else (column, other)
        made.append(
            Derived(f"{spot.name}, {claim}", column, of, needs, lambda found: compute(found[column], found[other]))
        )

    def add_share(claim: str, column: str, other: str) -> None:
        """The share of the blueprints for which one column is above another, beyond the tolerance."""
        slack = _EXACT if column.endswith("LP") else _ITERATED
        add(claim, column, other, lambda mine, theirs: fmean(a > b + slack for a, b in zip(mine, theirs, strict=True)))

    for column in columns:
        add_share("share worse than the blueprint", column, BEFORE)
    for column in columns:  # below 0 where it never is above
        add("most above the blueprint", column, BEFORE, lambda mine, theirs: max(map(sub, mine, theirs)))
    for solver in SOLVERS:
        for name in SAFE:
            column, unsafe = f"{name} {solver}", f"unsafe {solver}"
            add("average above unsafe", column, unsafe, lambda mine, theirs: fmean(mine) - fmean(theirs))
            add_share("share above unsafe", column, unsafe)
    for solver in SOLVERS:
        for name in SAFE:
            column, plain = f"{name} {solver}", f"{name.split()[0]} {solver}"
            if column != plain:
                add(
                    "reduction of the average (%)",
                    column,
                    plain,
                    lambda mine, theirs: _less(fmean(mine), fmean(theirs)),
                )
                add("largest reduction (%)", column, plain, lambda mine, theirs: max(map(_less, mine, theirs)))
                add_share("share above no prior", column, plain)
    return made


def _less(mine: float, other: float) -> float:
    """By how many per cent a number is less than another."""
    return 100.0 * (1.0 - mine / other)


CONVERGENCE_SPOTS = (GOOFSPIEL_1, LIARS_DICE)
_SOURCE = "cfr:22"
_COUNTS, _FEW_COUNTS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000), (10, 1000)


def ggse_convergence() -> Experiment:
    """Figure 3: exploitability over the iterations of CFR+ for one blueprint; a panel for each place.

    The paper does not say which blueprint; ours is the average of 22 iterations of CFR.
    """
    made: list[AnyCell] = []
    panels: list[Panel] = []
    names = (BEFORE, CONTINUATION, *TECHNIQUES)
    for spot in CONVERGENCE_SPOTS:
        counts = {f"{spot.name}, {_SOURCE}, {count} iterations": count for count in _COUNTS}
        made += grid(
            counts, {name: name for name in names}, partial(_after_iterations, spot),
            lambda count, _: count not in _FEW_COUNTS,
        )  # fmt: skip
        columns = {CONTINUATION: "optimal continuation", **{name: name for name in TECHNIQUES}, BEFORE: BEFORE}
        at = {row: float(count) for row, count in counts.items()}
        measure = "exploitability (chips)"
        panels.append(PointPanel(spot.name, at, columns, across="iterations", measure=measure, joined=True))
    title = f"exploitability over iterations of CFR+, blueprint {_SOURCE} (chips; Goofspiel for points)"
    return Experiment("ggse-convergence", title, f"{KUBICEK_2026}, figure 3", 4, made, [panels])


def _after_iterations(spot: SubgamePlace, count: int, name: str) -> float:
    how = resolve_settings(name, "cfr+", count) if name in TECHNIQUES else name
    return exploitability_after(spot, _SOURCE, how)


_SHORT = {"resolving": "res", "max-margin": "margin", "uniform": "uni", "blueprint": "bp"}
_DIFFERENCE = "unsafe less resolving blueprint"
_SAFE, _UNSAFE = "resolving blueprint CFR+", "unsafe CFR+"


def ggse_tests() -> Experiment:
    """Figures 14 to 18: paired t-tests between all techniques over the blueprints; unsafe against safe.

    The numbers are those of `ggse-exploitability` by CFR+, and are taken from its record. A matrix for each place shows the
    p-value of the test whose alternative is that the technique of the row is more exploitable than that of the column: near
    1 the row's is better, near 0 the column's. Below it the differences, ordered by the exploitability of the blueprint.
    """
    made: list[AnyCell] = []
    matrices: list[Panel] = []
    differences: list[Panel] = []
    for spot in SPOTS:
        of, tests = rows(spot), {name: f"{spot.name}, t-test: {name}" for name in TECHNIQUES}
        made += cells(spot, ("CFR+",), (BEFORE,))
        made += [
            Derived(row, _DIFFERENCE, (row,), (_SAFE, _UNSAFE), lambda found: found[_UNSAFE][0] - found[_SAFE][0])
            for row in of
        ]
        for first, row in tests.items():
            for second in TECHNIQUES:
                if first != second:
                    needs = (f"{first} CFR+", f"{second} CFR+")
                    made.append(Derived(row, f"better than {second}", of, needs, partial(p_value, *needs)))
        short = {name: " ".join(_SHORT.get(word, word) for word in name.split()) for name in TECHNIQUES}
        down = {tests[name]: words for name, words in short.items()}
        matrices.append(HeatPanel(spot.name, down, {f"better than {name}": words for name, words in short.items()}))
        across, measure = "blueprints, from the least exploitable", "difference (chips)"
        at, column = dict.fromkeys(of), {_DIFFERENCE: _DIFFERENCE}
        differences.append(PointPanel(spot.name, at, column, across=across, measure=measure, x=BEFORE, ranked=True))
    title = "p-values of paired t-tests (near 1: the row is less exploitable), and unsafe less resolving with prior"
    panels = [matrices, differences]
    return Experiment("ggse-tests", title, f"{KUBICEK_2026}, figures 14 to 18", 4, made, panels, "ggse-exploitability")


def p_value(first: str, second: str, found: Numbers) -> float:
    """Of a one-sided paired t-test; 1/2 where all differences are 0, or there is one alone."""
    from scipy.special import stdtr

    apart = np.subtract(found[second], found[first])
    if len(apart) < 2 or not apart.any():
        return 0.5
    error = apart.std(ddof=1) / np.sqrt(len(apart))
    if error == 0.0:
        return float(apart[0] > 0.0)
    return float(stdtr(len(apart) - 1, apart.mean() / error))
