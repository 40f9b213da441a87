"""What a searching agent's text asks for in Flop Hold'em: blueprint, model, gadget, trust, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.agents.fhp_strategies import BLUEPRINT, strategy_of
from counterplay.agents.options import Options
from counterplay.errors import InputError
from counterplay.poker.fhp.game import Game
from counterplay.poker.fhp.play import Bucketed
from counterplay.resolving.priors import NONE, PRIORS
from counterplay.resolving.search import Search
from counterplay.resolving.tremble import Tremble
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.gadgets import FULL, GADGETS, MAX_MARGIN, REACH_MAX_MARGIN, RESOLVING, UNSAFE
from counterplay.subgames.levels import Depth

SEARCHES = {"resolve": RESOLVING, "ses": MAX_MARGIN, "cdbr": UNSAFE, "cdrnr": RESOLVING}
"""The searching agents, with the gadget that each has unless told otherwise."""
SOLVER, GAP, ITERATIONS = "dcfr:1.5,0,4", 1e-3, 2000
"""How a flop is solved unless told otherwise: until its exploitability is this share of a big blind, or so many iterations.
A flop takes a twentieth of a second."""
_VALUES = ("best-response", "profile")
_COMMON = ("blueprint", "solver", "seconds", "iterations", "gap")
_GADGET = ("gadget", "values", "prior", "epsilon")
_OPTIONS = {
    "resolve": (*_GADGET, *_COMMON),
    "ses": ("alpha", "gadget", "values", *_COMMON, "to"),
    "cdbr": (*_COMMON, "to"),
    "cdrnr": ("p", *_GADGET, *_COMMON, "to"),
}


@dataclass(frozen=True, eq=False)
class Wanted:
    """A searching agent.

    Attributes:
        head: its text's first word.
        blueprint: what it plays before the flop, and what the opponent can have from it.
        model: of the opponent.
        search: of each flop.
        profile: alternative values are those of the blueprint's other half.
    """

    head: str
    blueprint: Bucketed
    model: Bucketed | None
    search: Search
    profile: bool


def wanted(game: Game, options: Options, seed: int) -> Wanted:
    """Read the options of a text whose head is in `SEARCHES`.

    `blueprint=` is a text of `fhp_strategies.GRAMMAR`, with `;` where it has commas. `seconds=`, `iterations=` and `gap=`
    (chips) end the solve of a flop, whichever comes first.

    Raises:
        InputError: an option that there is none of, that does not fit, or that is missing.
    """
    head = options.head
    options.allow(_OPTIONS[head])
    source = options.model() if "to" in _OPTIONS[head] else None
    p = options.share("p") if head == "cdrnr" else 1.0 if head == "cdbr" else 0.0
    alpha = options.share("alpha") if head == "ses" else 0.0
    gadget = options.one_of("gadget", GADGETS, SEARCHES[head])
    if gadget == FULL:
        raise InputError(
            "in Flop Hold'em no flop is entered by the full gadget: each would give away anew what the opponent forgoes "
            "before it; reach-max-margin shares that among the flops"
        )
    prior = options.one_of("prior", PRIORS, NONE)
    tremble = Tremble(alpha, prior, options.number("epsilon"), normalised=gadget in (MAX_MARGIN, REACH_MAX_MARGIN))
    search = Search(Depth(), p, gadget, None, _solver(options), _stop(game, options), tremble=tremble)
    play = strategy_of(game, options.text("blueprint", BLUEPRINT).replace(";", ","), seed)
    model = None if source is None else strategy_of(game, source, seed)
    profile = options.one_of("values", _VALUES, _VALUES[0]) == _VALUES[1]
    return Wanted(head, play, model, search, profile)


def _solver(options: Options) -> str:
    name = options.text("solver", SOLVER)
    if name != "lp":
        minimiser(name)
    return name


def _stop(game: Game, options: Options) -> Stop:
    """When a flop is solved."""
    seconds, iterations, gap = options.number("seconds"), options.whole("iterations", least=1), options.number("gap")
    if seconds == 0.0:
        raise InputError(f"{options.head}: seconds must be above 0")
    if gap is None:
        gap = GAP * 1000.0 / game.milli if iterations is None else 0.0
    most = ITERATIONS if iterations is None and seconds is None else iterations or 1 << 62
    return Stop(gap, most, float("inf") if seconds is None else seconds)
