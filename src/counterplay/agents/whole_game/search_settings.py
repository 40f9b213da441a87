"""Settings of a searching agent in Flop Hold'em: blueprint, model, gadget, trust, and stopping rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from counterplay.agents.options import Options
from counterplay.blueprints.whole_game.preflop_lookahead import Ways, portfolio_of
from counterplay.errors import InputError
from counterplay.gametree.compile.levels import Depth
from counterplay.leaf_values.value_function import value_function
from counterplay.lookahead.priors import NONE, PRIORS
from counterplay.lookahead.search import LookAhead, Search
from counterplay.opponents.whole_game import BLUEPRINT, strategy_of
from counterplay.poker.whole_game.abstraction.card_abstraction import lossless
from counterplay.poker.whole_game.blueprints.workspace import check_room
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.responses.abd import ABD
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.gadgets import GADGETS, Gadget, gadget_of

SEARCHES = {"resolve": "resolving", "ses": "max-margin", "cdbr": "unsafe", "cdrnr": "resolving", ABD.HEAD: "resolving"}
"""The searching agents, with their default gadgets."""
SOLVER, GAP, ITERATIONS = "dcfr:1.5,0,4", 1e-3, 2000
"""Default stopping rule of a flop: exploitability as a share of a big blind, and iterations. A flop takes a twentieth
of a second.
"""
ALL_FLOPS = 100
"""Default iterations over all flops at once; two minutes on a full deck with two cores."""
_VALUES = ("best-response", "profile")
_COMMON = ("blueprint", "value", "solver", "seconds", "iterations", "gap")
_GADGET = ("gadget", "values", "prior", "epsilon")
_OPTIONS = {
    "resolve": (*_GADGET, *_COMMON),
    "ses": ("alpha", "gadget", "values", *_COMMON, "to"),
    "cdbr": (*_COMMON, "to"),
    "cdrnr": ("p", *_GADGET, *_COMMON, "to"),
    ABD.HEAD: ("p", *_GADGET, *_COMMON, "to"),
}


@dataclass(frozen=True, eq=False)
class SearchSettings:
    """A searching agent.

    Attributes:
        head: first word of its text.
        blueprint: its strategy before the flop, and the source of alternative values, unless there is a look-ahead.
        model: of the opponent.
        search: search of each flop, or of all of them.
        ahead: search of the street before the flop, and both players' portfolios after it; None to play the blueprint
            there.
        profile: alternative values are those of the opponent's part of the blueprint.
        memory: limit in bytes; None for half of the machine's memory.
    """

    head: str
    blueprint: BlueprintStrategy
    model: BlueprintStrategy | None
    search: Search
    ahead: tuple[Search, Ways] | None
    profile: bool
    memory: float | None = None

    @property
    def together(self) -> bool:
        """Whether all flops are solved at once: with the full gadget, unless the opponent is surely the model."""
        return _together(self.search.gadget, self.search.p)


def parse_settings(
    game: HoldemGame, options: Options, seed: int, memory: float | None = None, made: Callable[..., Any] = strategy_of
) -> SearchSettings:
    """Read the options of a text whose head is in `SEARCHES`.

    `blueprint=` is a text of `strategies.GRAMMAR`, in square brackets if it has commas. `seconds=`, `iterations=` and
    `gap=` (chips) end the solve of a flop, whichever comes first. With `value=` a look-ahead also decides before the
    flop. `made` computes the strategies.

    Raises:
        InputError: unknown, invalid or missing option.
    """
    head = options.head
    options.allow(_OPTIONS[head])
    source = options.model() if "to" in _OPTIONS[head] else None
    p = options.share("p") if head in ("cdrnr", ABD.HEAD) else 1.0 if head == "cdbr" else 0.0
    alpha = options.share("alpha") if head == "ses" else 0.0
    gadget = gadget_of(options.one_of("gadget", tuple(GADGETS), SEARCHES[head]))
    prior = options.one_of("prior", PRIORS, NONE)
    look = LookAhead(Depth(), None, gadget, prior, options.number("epsilon"), normalised=gadget.chooses_one)
    together = _together(gadget, p)
    stop = _stop(game, options, together)
    search = Search(look, p, alpha, _solver(options, together), stop)
    profile = options.one_of("values", _VALUES, _VALUES[0]) == _VALUES[1]
    if profile and together:
        raise InputError(f"{head}: the full gadget has no alternative values")
    if together:
        check_room(game, lossless(game.flops), memory, "ask for a gadget of single flops")
    before, blueprint = _before(game, options, p), options.text("blueprint", BLUEPRINT)
    play = made(game, blueprint, seed)
    model = None if source is None else made(game, source, seed)
    ahead = None if before is None else (before, _ways(game, before, blueprint, seed, made))
    return SearchSettings(head, play, model, search, ahead, profile, memory)


def _together(gadget: Gadget, p: float) -> bool:
    return gadget.keeps_path and p < 1.0


def _before(game: HoldemGame, options: Options, p: float) -> Search | None:
    """The search before the flop, if requested."""
    if "value" not in options:
        if options.head == ABD.HEAD:
            raise InputError("abd needs a portfolio at the limit, as in value=portfolio:blueprint;aggressive")
        return None
    value = portfolio_of(value_function(options.given["value"]))
    return Search(LookAhead(Depth(), value), p, solver=_solver(options, False), stop=_stop(game, options, False))


def _ways(game: HoldemGame, before: Search, blueprint: str, seed: int, made: Callable[..., Any]) -> Ways:
    """The portfolios of both players; in their texts `blueprint` is the agent's own."""

    def known(text: str) -> Any:
        own = text == BLUEPRINT or text.endswith(f":{BLUEPRINT}")
        return made(game, text.removesuffix(BLUEPRINT) + blueprint if own else text, seed)

    first, second = portfolio_of(before.value).sources
    return [known(str(text)) for text in first], [known(str(text)) for text in second]


def _solver(options: Options, together: bool) -> str:
    name = options.text("solver", SOLVER)
    method = None if name == "lp" else minimiser(name)
    if together and (method is None or method.predictive or not method.alternating):
        raise InputError(f"{options.head}: all flops are solved by cfr, cfr+ or dcfr, not by {name}")
    return name


def _stop(game: HoldemGame, options: Options, together: bool) -> Stop:
    """The stopping rule of one flop, or of all."""
    seconds, iterations, gap = options.limits()
    usual = ALL_FLOPS if together and gap is None else 1 << 62 if seconds is not None else ITERATIONS
    if gap is None:
        gap = 0.0 if together or iterations is not None else GAP * 1000.0 / game.milli
    return Stop(gap, iterations or usual, float("inf") if seconds is None else seconds)
