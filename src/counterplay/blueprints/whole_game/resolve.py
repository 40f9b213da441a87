"""Blueprints solved again in any game: `resolve`, which whole games of hold'em answer in their own way.

In a whole game the place is a street: every board of it is solved again to the end of the hand, after every line of betting
that leads there. The value of such a game is not known. Exploitability is therefore counted from what both parts of the
blueprint win from each other, against a best responder who sees every card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, NamedTuple, Unpack

from counterplay.blueprints.baseline import Baseline
from counterplay.blueprints.report import Resolution, measure_resolution
from counterplay.blueprints.resolve import resolve_in_memory
from counterplay.blueprints.resolve_request import ResolveOptions, ResolveRequest
from counterplay.blueprints.resolve_subtrees import Watch
from counterplay.blueprints.settings import ResolveSettings
from counterplay.blueprints.whole_game.as_strategy import BoardSearches, EstimateError
from counterplay.blueprints.whole_game.further_measures import (
    check_measures,
    measure_further,
    solved_in_memory,
    subtrees_on,
)
from counterplay.blueprints.whole_game.whole_game_plans import WholeGamePlans
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.paths import node_at, split
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.cards.deck import parse_card
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import by_kind
from counterplay.work.run_work import WorkProgress, run_work
from counterplay.work.work_record import WorkRecord

_OF_ALL = ("only", "continuation", "interval", "bounds")
"""Options that drawn boards do not have: one line on one board, and what needs all boards."""


def resolve(game: Any, blueprint: Any, at: str | Sequence[str], **options: Unpack[ResolveOptions]) -> Resolution:
    """Re-solve the subgames of a blueprint at a place, and splice them into one strategy.

    Args:
        game: from `load`: a game in memory; a spot of hold'em, where the place is `round` (the next street) or `round:N`; or
            a whole game of hold'em with few boards, where it is `flop`, `turn` or `river`.
        blueprint: the resolver's strategy, or both seats' as a pair, or anything that `opponent` takes for either seat.
        at: `moves:N`, `round`, `round:N` or `game`; or several, each inside the previous one (nested re-solving).
        options: the fields of `ResolveRequest`.

    Raises:
        InputError: an invalid argument, which the message names; raised before any computation.
    """
    answer: Callable[..., Resolution] = by_kind(RESOLVERS, game, resolve_in_memory)
    return answer(game, blueprint, at, ResolveRequest.of(options))


@dataclass(frozen=True, eq=False)
class WholeGameBlueprint:
    """The blueprint of a whole game to re-solve.

    Attributes:
        plans: both parts.
        resolver: 0 or 1.
        model: the opponent's modelled strategy.
    """

    plans: WholeGamePlans
    resolver: int
    model: WholeGamePlans | None

    @property
    def opponent(self) -> int:
        """The other player."""
        return 1 - self.resolver


def resolve_whole_game(game: Holdem, blueprint: Any, at: str | Sequence[str], asked: ResolveRequest) -> Resolution:
    """`resolve` in a whole game of hold'em."""
    street, seat = _checked(game, at, asked), asked.seat
    place = _place(game, street, asked)
    model = None if asked.model is None else _plans(game, asked.model, 1 - seat, asked.seed)
    known = WholeGameBlueprint(_plans(game, blueprint, seat, asked.seed), seat, model)
    way = asked.settings(both=True)
    if way.alpha and model is None:
        raise InputError("alpha needs a model of the opponent")
    if way.gadget.keeps_path and asked.only is not None:
        raise InputError("the full gadget solves all boards together, and not one of them")
    base = Baseline(game.name, known.plans.value(0), known=False)
    if way.gadget.keeps_path:
        found = _resolve_together(known, place, way, asked)
    else:
        found = _resolve_boards(known, place, way, asked)
    extra = measure_further(game, base, known, found.plans, place.boards, way, asked)
    return measure_resolution(base, known, found, way, {"at": STREETS[street], "seed": asked.seed, **extra})


class _Place(NamedTuple):
    """What is solved again. boards: of one street. lines: the betting before them, as numbers in `HoldemGame.roots`."""

    boards: Sequence[Board]
    lines: Sequence[int]

    @property
    def states(self) -> int:
        """The number of public states."""
        return len(self.boards) * len(self.lines)


@dataclass(frozen=True, eq=False)
class _Found:
    """Boards solved again: the strategies, the number of boards times lines of betting, the largest known distance from
    the optimum in chips, seconds, and whether Ctrl-C ended it."""

    plans: WholeGamePlans
    states: int
    gap: float
    seconds: float
    interrupted: bool
    skipped: int = 0


def _resolve_together(known: WholeGameBlueprint, place: _Place, way: ResolveSettings, asked: ResolveRequest) -> _Found:
    """Behind the full gadget: by linear program where the game fits it, else by the solver of blueprints."""
    if asked.record is not None:
        raise InputError("the full gadget solves all boards together, and takes no record")
    begin, plans, me = run_time(), known.plans, known.resolver
    if way.solver == "lp":
        joint, solved = solved_in_memory(plans, me, place.boards[0].street)
    else:
        joint, solved = plans.solved(me, subtrees_on(plans.game, place.boards[:1], me), way.solver, way.stop)
    return _Found(joint, place.states, solved.gap, run_time() - begin, solved.interrupted)


def _resolve_boards(known: WholeGameBlueprint, place: _Place, way: ResolveSettings, asked: ResolveRequest) -> _Found:
    begin, game, plans = run_time(), known.plans.game, known.plans
    error, model = EstimateError(way.error, asked.seed), known.model.play if known.model else None
    lines = None if asked.only is None else tuple(place.lines)
    work = BoardSearches(
        game, plans.play, known.resolver, model, place.boards, way.search, way.profile, error, lines=lines
    )
    record = WorkRecord(asked.record, None if asked.record is None else _identity(work, known, way))
    watch = None if asked.watch is None else _counted(asked.watch)
    done = run_work(work, record=record, executor=asked.executor, watch=watch)
    if asked.watch is not None:
        asked.watch(len(done.results), len(work.keys()))
    found = replace(plans, play=work.finish(done.results))
    states = len(place.lines) * len(done.results)
    return _Found(found, states, nan, run_time() - begin, done.interrupted)


def _identity(work: BoardSearches, known: WholeGameBlueprint, way: ResolveSettings) -> dict[str, Any]:
    """Everything that the boards solved again depend on."""
    plans = {"blueprint": known.plans, "model": known.model}
    digests = {name: one and one.digest(work.boards) for name, one in plans.items()}
    return {**work.identity(), **digests, **way.facts(), "stop": str(way.stop)}


def _checked(game: Holdem, at: str | Sequence[str], asked: ResolveRequest) -> int:
    """The street of the place."""
    texts = [at] if isinstance(at, str) else list(map(str, at))
    streets = STREETS[1 : game.game.last + 1]
    if len(texts) != 1 or texts[0] not in streets:
        raise InputError(f"in {game.name} the place is one street, {' or '.join(streets)}, not '{', '.join(texts)}'")
    if not is_walked(game.game):
        raise InputError(
            f"{game.name} has too many boards to solve all again; --boards draws some, and the agent solves those that come"
        )
    check_measures(game, asked)
    return STREETS.index(texts[0])


def check_drawn(asked: ResolveRequest) -> None:
    """Refuse options that need more than drawn boards."""
    given = [name for name in _OF_ALL if getattr(asked, name)]
    if given:
        raise InputError(f"drawn boards have no {given[0]} of a re-solved blueprint")


def _plans(game: Holdem, source: Any, player: int, seed: int) -> WholeGamePlans:
    """Both players' strategies, from anything that `opponent` takes."""
    found: Any = opponent(game, source, player, seed)
    return WholeGamePlans(game, found.play)


def _place(game: Holdem, street: int, asked: ResolveRequest) -> _Place:
    """All boards of a street after all betting that goes on, or the one that is asked for: a path such as "c x Ah Kd 2c"."""
    here = game.game
    lines = [entry for entry, node in enumerate(here.roots[street].tolist()) if game.betting.children(node)]
    if asked.only is None:
        return _Place(_boards(here, street), lines)
    if asked.measures_further:
        raise InputError("only one board is solved again: continuation, interval and bounds need all of them")
    path, cards = split(asked.only)
    node = node_at(game.betting, path)
    entry = next((entry for entry in lines if int(here.roots[street][entry]) == node), None)
    if entry is None or len(cards) != DEALT[street]:
        raise InputError(
            f"no {STREETS[street]} begins at '{asked.only}'; name the betting before it and its {DEALT[street]} cards"
        )
    return _Place([here.boards.find_board(map(parse_card, cards))[0]], [entry])


def _boards(game: HoldemGame, street: int) -> list[Board]:
    """All different boards of a street."""
    found: list[Board] = [game.boards.root]
    for _ in range(street):
        found = [child for board in found for child in game.boards.after(board)]
    return found


def _counted(watch: Watch) -> Callable[[WorkProgress], None]:
    return lambda progress: watch(progress.done, progress.pieces)


RESOLVERS: dict[type, Callable[..., Resolution]] = {Holdem: resolve_whole_game}
"""Kinds of games that re-solve in their own way; all others are in memory."""
