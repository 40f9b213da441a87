"""Blueprints of games in memory, enumerated ones and spots, solved again; `whole_game.resolve` is the door for any game.

Refined equilibria are checked here, too: whether a strategy is a GGSE of the gadget games at a place, for a prior."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.blueprints.report import (
    Resolution,
    check_further,
    check_interval,
    measure_in_memory,
    measure_resolution,
)
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.blueprints.resolve_subtrees import check_given, resolve_subtrees, resolve_together
from counterplay.blueprints.resolved_blueprint import Baseline, BlueprintInputs, ResolveSettings
from counterplay.errors import InputError, quoted
from counterplay.files import STRATEGY, TEXT_STRATEGY
from counterplay.gadgets import Resolving, gadget_of
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.resolver import enter
from counterplay.lookahead.search import LookAhead
from counterplay.lookahead.tremble import NONE, UNIFORM, Prior, check_weights, prior_of
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.stakes import check_zero_sum
from counterplay.poker.betting.state import Kind
from counterplay.poker.plan_stores.compact_plans import StoredStrategy
from counterplay.poker.public_tree.hand_treeplex import PublicNode, part_at
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame, as_spot_game
from counterplay.poker.subtrees.public_subtree import subtree_at
from counterplay.problem.solvable_game import as_compiled, by_kind
from counterplay.solvers.refined_equilibrium import Gaps, Refinement
from counterplay.subgames.cut import Cut, Place, subgames_at
from counterplay.subgames.plan_store import GamePlans
from counterplay.texts.arguments import TEXT, instance, takes
from counterplay.texts.readers import whole_of
from counterplay.treeplex.strategy import Strategy, seats_in


@dataclass(frozen=True, eq=False)
class GadgetPiece:
    """A subgame to re-solve, with the start of the previous re-solving, and the number of its place, from 0."""

    cut: Cut
    level: int


class PlaceSubtrees(list[Any]):
    """The subtrees at some places of a compiled game, and the number of each one's place; other processes cut them
    anew."""

    def __init__(self, game: GameTree, places: Sequence[Place], player: int, only: str | None = None) -> None:
        self.game, self._asked = game, (places, player, only)
        pieces = pieces_at(game, places, player, only)
        self.levels = [piece.level for piece in pieces]
        super().__init__(piece.cut for piece in pieces)

    def __reduce__(self) -> tuple[Any, ...]:
        return PlaceSubtrees, (self.game, *self._asked)


def pieces_at(game: GameTree, places: Sequence[Place], player: int, only: str | None = None) -> list[GadgetPiece]:
    """The subgames at these places, those of the first place first."""
    found: list[GadgetPiece] = []
    began = np.zeros(len(game.histories), np.int32)
    for number, place in enumerate(places):
        earlier = np.concatenate([np.zeros(0, np.int64), *(one.cut.top.histories for one in found)])
        here = subgames_at(game, place, player)
        for piece in here:
            if any(np.array_equal(piece.top.histories, one.cut.top.histories) for one in found):
                continue  # on some paths both places are the same
            if (piece.root[earlier] >= 0).any():
                raise InputError(
                    f"the place {place} is not inside the place {places[number - 1]}; name the outer one first"
                )
            since = dict(zip(piece.top.public.tolist(), began[piece.top.histories].tolist(), strict=True))
            found.append(GadgetPiece(replace(piece, since=since), number))
        for piece in here:
            began = np.where(piece.root >= 0, piece.root, began)
    if only is None:
        return found
    held = [one for one in found if _holds(one.cut, only)]
    if not held:
        raise InputError(f"no subgame at {', '.join(map(str, places))} contains the infoset {quoted(only)}")
    return held


def _holds(piece: Cut, infoset: str) -> bool:
    """Return whether an infoset of the resolver is in a subgame."""
    game, me = piece.game, piece.resolver
    labels = game.trees[me].labels
    if infoset not in labels.index:
        raise InputError(f"{game.name} has no infoset {quoted(infoset)} of player {me}")
    return bool(piece.root[game.first[me][labels.index[infoset]]] >= 0)


def street_of(game: SpotGame, at: str) -> int:
    """The street of a place, counted from that of the spot: `round` is the next one, `round:N` the Nth from there."""
    head, _, rest = at.partition(":")
    number = (whole_of(rest) or 0) if rest else 1
    streets = len(game.tree.boards.layers)
    if streets == 1:
        raise InputError(f"{game.name} has no later street to re-solve")
    if head != "round" or not 1 <= number < streets:
        to_come = f"{streets - 1} street{'s' * (streets > 2)} to come"
        raise InputError(f"{game.name} has {to_come}: the place is 'round' or 'round:N', not {quoted(at)}")
    return number


def parts_of(game: SpotGame, street: int, only: str | None = None) -> list[PublicNode]:
    """The roots of the subgames of a street: after each deal, on each board."""
    betting, layer = game.tree.betting, game.tree.boards.layers[street]
    deals = (betting.kind == Kind.DEAL) & (betting.street == betting.rules.first + street - 1)
    firsts = [betting.children(deal)[0] for deal in np.flatnonzero(deals).tolist()]
    every = [PublicNode(node, street, board) for node in firsts for board in range(len(layer.boards))]
    if only is None:
        return every
    if game.spot is None:
        raise InputError(f"{game.name} has no paths")
    wanted = part_at(game.tree.betting, game.tree.boards, only)
    if wanted not in every:
        raise InputError(f"no street begins at '{only}'; name the actions up to a card, and the card")
    return [wanted]


class StreetSubtrees(Sequence[Any]):
    """The subtrees that begin at some parts of a spot, each cut out on demand; none is inside another."""

    def __init__(self, game: SpotGame, parts: Sequence[PublicNode], resolver: int) -> None:
        self.game, self.parts, self._resolver = game, list(parts), resolver
        self.levels = [0] * len(parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, number: Any) -> Any:
        return subtree_at(self.game.tree, self.parts[number], self._resolver)


def resolve_in_memory(game: Any, blueprint: Any, at: str | Sequence[str], asked: ResolveRequest) -> Resolution:
    """`whole_game.resolve` in a game in memory: an enumerated one at places inside one another, a spot at one
    street."""
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
    spot: SpotGame | None = as_spot_game(game)
    if spot is None:
        return as_compiled(game)
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
    gather: Callable[..., BlueprintInputs[GamePlans]] | None = by_kind(INPUTS, game, None)
    return (gather or BlueprintInputs.of)(game.subgame if gather is None else game, mine, theirs, model)


def _of_store(game: StoredSpotGame, mine: Any, theirs: Any, model: Any) -> BlueprintInputs[GamePlans]:
    own = game.kept(mine)
    plans = own.plans.only(own.player) if theirs is None else own.plans.facing(theirs.player, game.kept(theirs).plans)
    return BlueprintInputs(plans, own.player, None if model is None else game.kept(model).plans)


INPUTS: dict[type, Callable[..., BlueprintInputs[GamePlans]]] = {StoredSpotGame: _of_store}
"""Blueprints of strategies by kind of game; else they are arrays."""


def _both(game: GameTree | SpotGame, blueprint: Any, seat: int, seed: int) -> tuple[Strategy, Strategy | None]:
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


@takes(at=TEXT, strategy=instance("a Strategy", Strategy))
def refinement_gaps(
    game: GameTree,
    blueprint: Any,
    strategy: Strategy,
    at: str,
    *,
    gadget: Any = Resolving.name,
    prior: str | Mapping[str, float] = UNIFORM,
    normalised: bool = False,
    declared: bool = False,
) -> Gaps:
    """The distance of a strategy from a gadget game sequential equilibrium in every subgame at a place: both numbers
    are 0 up to rounding if and only if it is one (Kubíček et al. 2026, definition 2).

    Args:
        game: from `load`.
        blueprint: the strategy that defines the gadget games: for the strategy's seat, or both seats' as a pair.
        strategy: the one that is measured.
        at: a place, as for `resolve`.
        gadget, prior, normalised, declared: as for `resolve`; not the prior `none`.

    Raises:
        InputError: the gadget has no decisions to refine, the blueprint never reaches the place, or bad arguments.
    """
    if not hasattr(game, "subgame"):
        raise InputError(f"refinements are checked in games that `load` compiles, not in {type(game).__name__}")
    seat = strategy.player
    parts = blueprint if isinstance(blueprint, tuple) else (blueprint, blueprint)
    mine = opponent(game, parts[seat], seat)
    wanted: Prior = prior_of(prior) if isinstance(prior, str) else check_weights(prior)
    theirs = None if isinstance(parts[1 - seat], Strategy) and parts[1 - seat].player == seat else parts[1 - seat]
    other = None if theirs is None else opponent(game, theirs, 1 - seat)
    if wanted == NONE:
        raise InputError("without a prior any equilibrium of a gadget game will do; name a prior")
    way = ResolveSettings(LookAhead(gadget=gadget_of(gadget), prior=wanted, normalised=normalised), solver="lp")
    known = BlueprintInputs.of(game.subgame, mine, other).knowledge(way)
    plan = None if other is None else other.plan
    found = []
    for piece in subgames_at(game, Place.of(at, declared), seat):
        problem = enter(piece, way.search, known)
        if problem is None:
            continue
        problem, toward = way.search.tremble.refined(problem, piece, plan, "lp")
        if toward is not None:
            tree, bound = problem.subgame.trees[seat], problem.subgame.restrictions[seat]
            played = bound.played(tree, problem.taken(seat, strategy.behaviour))
            gaps = Refinement(problem.subgame, toward, seat).gaps(played)
            found.append(Gaps(problem.unit * gaps.value, problem.unit * gaps.prior))
    if not found:
        raise InputError(f"the blueprint never reaches {at}, or there is nothing to refine")
    return Gaps(max(one.value for one in found), max(one.prior for one in found))
