"""The measurements of Kubíček et al. 2026: player 0 re-solves all subgames of a place; the whole strategy is measured.

The exploitability of a strategy is the gain of a best response to it beyond the value of the game, in chips. The utility of
Goofspiel is the difference of points; the paper does not specify it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from counterplay import LookAhead, MaxMargin, Resolving, Stop, Strategy, Unsafe, opponent
from counterplay.blueprints.baseline import exploitability
from counterplay.blueprints.continuation import optimal_continuation
from counterplay.blueprints.resolve_places import GadgetPiece, pieces_at
from counterplay.blueprints.resolve_subtrees import resolve_subtrees
from counterplay.blueprints.resolved_blueprint import BlueprintInputs
from counterplay.blueprints.settings import ITERATIONS, ResolveSettings
from counterplay.lookahead.priors import BLUEPRINT, NONE, UNIFORM
from counterplay.subgames.places import Place
from counterplay.subgames.plan_store import ArrayPlans
from counterplay_papers.cells.model_cells import game
from counterplay_papers.experiment import Cell


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


def row_of(spot: SubgamePlace, source: str) -> str:
    """The row of a blueprint at a place."""
    return f"{spot.name}, {source}"


def rows(spot: SubgamePlace) -> tuple[str, ...]:
    """The rows of all blueprints at a place."""
    return tuple(row_of(spot, source) for source in sources())


def cells(spot: SubgamePlace, solvers: Sequence[str], bounds: Sequence[str]) -> list[Cell]:
    """For each blueprint the exploitability by each technique and solver, in columns such as `unsafe LP`.

    Args:
        spot: the place.
        solvers: of `SOLVERS`.
        bounds: of `BEFORE` and `CONTINUATION`, columns that come first.
    """
    made = []
    for source in sources():
        ways: dict[str, ResolveSettings | str] = {bound: bound for bound in bounds}
        ways |= {
            f"{name} {solver}": resolve_settings(name, SOLVERS[solver]) for solver in solvers for name in TECHNIQUES
        }
        made += row_cells(spot, source, row_of(spot, source), ways, spot not in _QUICK_SPOTS or source not in _QUICK)
    return made


def row_cells(
    spot: SubgamePlace, source: str, row: str, ways: Mapping[str, ResolveSettings | str], slow: bool
) -> list[Cell]:
    """One row, with a column for each technique and solver."""
    return [
        Cell(row, column, None, slow, partial(exploitability_after, spot, source, how)) for column, how in ways.items()
    ]


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
    """Exploitability of the blueprint (`BEFORE`), of its `CONTINUATION`, or with the subgames solved again.

    Raises:
        KeyboardInterrupt: the solve was cut short, so its number must not be kept.
    """
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
