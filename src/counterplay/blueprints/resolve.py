"""Blueprints of games in memory, enumerated ones and spots, solved again; `whole_game.resolve` is the door for any game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from counterplay.blueprints.baseline import Baseline
from counterplay.blueprints.further_measures import check_further, check_interval, further_measures
from counterplay.blueprints.report import Resolution, measure_resolution
from counterplay.blueprints.resolve_places import PlaceSubtrees
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.blueprints.resolve_streets import StreetSubtrees, parts_of, resolve_together, street_of
from counterplay.blueprints.resolve_subtrees import check_given, resolve_subtrees
from counterplay.blueprints.resolved_blueprint import BlueprintInputs, ResolvedBlueprint
from counterplay.blueprints.settings import ResolveSettings
from counterplay.endings import STRATEGY, TEXT_STRATEGY
from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.stakes import check_zero_sum
from counterplay.poker.plan_stores.stored_strategy import StoredStrategy
from counterplay.poker.spots.spot_conversion import as_spot_game
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.spots.stored_spot_game import StoredSpotGame
from counterplay.problem.solvable_game import as_compiled, by_kind
from counterplay.subgames.places import Place
from counterplay.subgames.subtree import Subtree
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.strategy_file import seats_in


def resolve_in_memory(game: Any, blueprint: Any, at: str | Sequence[str], asked: ResolveRequest) -> Resolution:
    """`whole_game.resolve` in a game in memory; its arguments and errors."""
    played: Any = _checked_game(game)
    known = inputs_of(played, blueprint, asked)
    way = asked.settings(both=known.plans.knows(known.opponent))
    entries = played.entries if played.enters_boards_alone else 0
    if asked.workers != 1 and by_kind(INPUTS, played, None) is not None:
        raise InputError(
            f"subgames of {played.name} are solved in this process: its strategies are too large to be sent"
        )
    check_further(played.name, asked, both=known.plans.knows(known.opponent), entries=entries)
    texts = [str(text) for text in (at if isinstance(at, list | tuple) else [at])]
    again = by_kind(BY_PLACE, played, _in_tree)
    found, firsts, name = again(played, texts, known, way, asked)
    base, joint = Baseline.of(played), played.enters_boards_alone and way.gadget.keeps_path
    extra = further_measures(played, base, known, found.plans, firsts, way, asked, joint=joint)
    return measure_resolution(base, known, found, way, {"at": name, "seed": asked.seed, **extra})


def _checked_game(game: Any) -> GameTree | SpotGame:
    """The game, if a blueprint of it can be solved again so.

    Raises:
        InputError: it cannot.
    """
    spot: SpotGame | None = as_spot_game(game)
    if spot is None:
        compiled: GameTree = as_compiled(game)
        return compiled
    check_zero_sum(spot.rake, "re-solving counts on that: alternative values bound nothing there")
    return spot


_Found = tuple[ResolvedBlueprint, Sequence[Subtree], str]
"""What was solved again, the subtrees of the first place, and the name of the places."""


def _in_tree(
    game: Any, at: Sequence[str], known: BlueprintInputs, way: ResolveSettings, asked: ResolveRequest
) -> _Found:
    """A blueprint of an enumerated game, solved again at places inside one another."""
    places = [Place.of(text, asked.declared) for text in at]
    subtrees = PlaceSubtrees(game, places, known.resolver, asked.only)
    return _solved(subtrees, known, way, asked, nested=True), subtrees.firsts, ", ".join(map(str, places))


def _in_spot(
    game: Any, at: Sequence[str], known: BlueprintInputs, way: ResolveSettings, asked: ResolveRequest
) -> _Found:
    """A blueprint of a spot with a re-solved street."""
    if len(at) != 1:
        raise InputError(f"in {game.name} one street is re-solved at a time")
    check_given(way, known)
    subtrees = _street_subtrees(game, at[0], known.resolver, asked)
    parts = subtrees.parts
    if way.gadget.keeps_path:
        if asked.record is not None:
            raise InputError("the full gadget solves all subgames of a spot together, and takes no record")
        found = resolve_together(game, known, parts, way)
    else:
        found = _solved(subtrees, known, way, asked, nested=False)
    return found, [*filter(None, subtrees)] if asked.measures_further else [], at[0]


def _tree_subtrees(game: Any, at: str, resolver: int, asked: ResolveRequest) -> PlaceSubtrees:
    return PlaceSubtrees(game, [Place.of(at, asked.declared)], resolver, asked.only)


def _street_subtrees(game: Any, at: str, resolver: int, asked: ResolveRequest) -> StreetSubtrees:
    return StreetSubtrees(game, parts_of(game, street_of(game, at), asked.only), resolver)


def subtrees_at(game: Any, at: str, resolver: int, asked: ResolveRequest) -> Sequence[Subtree | None]:
    """The subgames at one place of a game in memory; None for one that cannot be reached. Errors as of `resolve`."""
    played = _checked_game(game)
    cut: Callable[..., Sequence[Subtree | None]] = by_kind(SUBTREES, played, _tree_subtrees)
    return cut(played, at, resolver, asked)


SUBTREES: dict[type, Callable[..., Any]] = {SpotGame: _street_subtrees}
"""What cuts out the subgames at a place of a kind of game; in others `_tree_subtrees`."""

BY_PLACE: dict[type, Callable[..., _Found]] = {SpotGame: _in_spot}
"""What solves a blueprint again at the places of a kind of game; in others at those of `_in_tree`."""


def _solved(
    subtrees: PlaceSubtrees | StreetSubtrees,
    known: BlueprintInputs,
    way: ResolveSettings,
    asked: ResolveRequest,
    *,
    nested: bool,
) -> ResolvedBlueprint:
    check_interval(asked, way, [*subtrees.levels].count(0))
    return resolve_subtrees(
        subtrees, known, way, nested=nested, seed=asked.seed, watch=asked.watch, record=asked.record,
        executor=asked.executor,
    )  # fmt: skip


def inputs_of(game: Any, blueprint: Any, asked: ResolveRequest) -> BlueprintInputs:
    """Both parts of a blueprint, as far as they are known, and the model; errors as of `resolve`."""
    game = _checked_game(game)
    seat, model, seed = asked.seat, asked.model, asked.seed
    mine, theirs = _both(game, blueprint, seat, seed)
    wanted = opponent(game, model, 1 - seat, seed) if model is not None else None
    gather: Callable[..., BlueprintInputs] = by_kind(INPUTS, game, _of_arrays)
    return gather(game, mine, theirs, wanted)


def _of_arrays(game: Any, mine: Strategy, theirs: Strategy | None, model: Strategy | None) -> BlueprintInputs:
    return BlueprintInputs.of(game.subgame, mine, theirs, model)


def _of_store(game: StoredSpotGame, mine: Any, theirs: Any, model: Any) -> BlueprintInputs:
    """Of a large spot, whose strategies stand in stores."""
    own = game.kept(mine)
    plans = own.plans.only(own.player) if theirs is None else own.plans.facing(theirs.player, game.kept(theirs).plans)
    return BlueprintInputs(plans, own.player, None if model is None else game.kept(model).plans)


INPUTS: dict[type, Callable[..., BlueprintInputs]] = {StoredSpotGame: _of_store}
"""What makes a blueprint of strategies, by kind of game; in others they are arrays."""


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
