"""Blueprints of games in memory, enumerated ones and spots, solved again; `whole_game.resolve` is the door for any game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from counterplay.blueprints.baseline import Baseline
from counterplay.blueprints.continuation import check_further, check_interval, measure_in_memory
from counterplay.blueprints.report import Resolution, measure_resolution
from counterplay.blueprints.resolve_places import PlaceSubtrees, StreetSubtrees, parts_of, street_of
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.blueprints.resolve_subtrees import check_given, resolve_subtrees, resolve_together
from counterplay.blueprints.resolved_blueprint import BlueprintInputs
from counterplay.endings import STRATEGY, TEXT_STRATEGY
from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.stakes import check_zero_sum
from counterplay.poker.plan_stores.compact_plans import StoredStrategy
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame, as_spot_game
from counterplay.problem.solvable_game import as_compiled, by_kind
from counterplay.subgames.cut import Place
from counterplay.subgames.plan_store import GamePlans
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.strategy_file import seats_in


def resolve_in_memory(game: Any, blueprint: Any, at: str | Sequence[str], asked: ResolveRequest) -> Resolution:
    """`whole_game.resolve` in a game in memory: an enumerated one at places inside one another, a spot at one street."""
    played: Any = _checked_game(game)
    known = inputs_of(played, blueprint, asked)
    both, spot = known.plans.knows(known.opponent), played.enters_boards_alone
    way = asked.settings(both=both)
    if asked.workers != 1 and by_kind(INPUTS, played, None) is not None:
        raise InputError(
            f"subgames of {played.name} are solved in this process: its strategies are too large to be sent"
        )
    check_further(played.name, asked, both=both, entries=played.entries if spot else 0)
    texts = [str(text) for text in (at if isinstance(at, list | tuple) else [at])]
    subtrees = subtrees_at(played, texts, known.resolver, asked)
    check_given(way, known)
    if spot and way.gadget.keeps_path:
        if asked.record is not None:
            raise InputError("the full gadget solves all subgames of a spot together, and takes no record")
        found = resolve_together(known, [*filter(None, subtrees)], way, len(subtrees))
    else:
        check_interval(asked, way, [*subtrees.levels].count(0))
        found = resolve_subtrees(
            subtrees, known, way, nested=not spot, seed=asked.seed, watch=asked.watch, record=asked.record,
            executor=asked.executor,
        )  # fmt: skip
    base, extra = Baseline.of(played), {}
    if asked.measures_further:
        firsts = [one for one, level in zip(subtrees, subtrees.levels, strict=True) if level == 0 and one is not None]
        joint = spot and way.gadget.keeps_path
        extra = measure_in_memory(played, base, known, found.plans, firsts, way, asked, joint=joint)
    place = texts[0] if spot else ", ".join(str(Place.of(text, asked.declared)) for text in texts)
    return measure_resolution(base, known, found, way, {"at": place, "seed": asked.seed, **extra})


def _checked_game(game: Any) -> Any:
    """The game, if a blueprint of it can be solved again so."""
    spot: SpotGame | None = as_spot_game(game)
    if spot is None:
        compiled: GameTree = as_compiled(game)
        return compiled
    check_zero_sum(spot.rake, "re-solving counts on that: alternative values bound nothing there")
    return spot


def subtrees_at(game: Any, at: Sequence[str], resolver: int, asked: ResolveRequest) -> PlaceSubtrees | StreetSubtrees:
    """The subgames at places of a game in memory; None for one that cannot be reached. Errors as of `resolve`."""
    game = _checked_game(game)
    if not game.enters_boards_alone:
        return PlaceSubtrees(game, [Place.of(text, asked.declared) for text in at], resolver, asked.only)
    if len(at) != 1:
        raise InputError(f"in {game.name} one street is re-solved at a time")
    return StreetSubtrees(game, parts_of(game, street_of(game, at[0]), asked.only), resolver)


def inputs_of(game: Any, blueprint: Any, asked: ResolveRequest) -> BlueprintInputs[GamePlans]:
    """Both parts of a blueprint, as far as they are known, and the model; errors as of `resolve`."""
    game = _checked_game(game)
    mine, theirs = _both(game, blueprint, asked.seat, asked.seed)
    model = None if asked.model is None else opponent(game, asked.model, 1 - asked.seat, asked.seed)
    gather: Callable[..., BlueprintInputs[GamePlans]] = by_kind(INPUTS, game, _of_arrays)
    return gather(game, mine, theirs, model)


def _of_arrays(
    game: Any, mine: Strategy, theirs: Strategy | None, model: Strategy | None
) -> BlueprintInputs[GamePlans]:
    return BlueprintInputs.of(game.subgame, mine, theirs, model)


def _of_store(game: StoredSpotGame, mine: Any, theirs: Any, model: Any) -> BlueprintInputs[GamePlans]:
    own = game.kept(mine)
    plans = own.plans.only(own.player) if theirs is None else own.plans.facing(theirs.player, game.kept(theirs).plans)
    return BlueprintInputs(plans, own.player, None if model is None else game.kept(model).plans)


INPUTS: dict[type, Callable[..., BlueprintInputs[GamePlans]]] = {StoredSpotGame: _of_store}
"""Blueprints of strategies by kind of game; else they are arrays."""


def _both(game: GameTree | SpotGame, blueprint: Any, seat: int, seed: int) -> tuple[Strategy, Strategy | None]:
    """The resolver's part of a blueprint, and the opponent's if given."""
    if isinstance(blueprint, tuple):
        if len(blueprint) != 2:
            raise InputError(
                f"a blueprint must be one strategy or a pair, one for each seat, not {len(blueprint)} strategies"
            )
        first, second = (opponent(game, part, player, seed) for player, part in enumerate(blueprint))
        return (first, second) if seat == 0 else (second, first)
    if isinstance(blueprint, Strategy | StoredStrategy):
        return opponent(game, blueprint, seat), None
    mine = opponent(game, blueprint, seat, seed)
    if mine.facts.get("game", game.name) != game.name:
        raise InputError(f"the blueprint {blueprint} is for another game ({mine.facts['game']}), not for {game.name}")
    text = str(blueprint) if isinstance(blueprint, str | Path) else ""
    if text.endswith((TEXT_STRATEGY, STRATEGY)) and 1 - seat not in seats_in(Path(text)):
        return mine, None
    return mine, opponent(game, blueprint, 1 - seat, seed)
