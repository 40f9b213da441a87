"""Blueprints solved again in any game: `resolve`, which whole games of hold'em answer in their own way.

In a whole game the place is a street: every board of it is solved again to the end of the hand, after every line of betting
that leads there. The value of such a game is not known. Exploitability is therefore counted from what both parts of the
blueprint win from each other, against a best responder who sees every card.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, Unpack

import numpy as np

from counterplay.about import version
from counterplay.blueprints.report import Resolution
from counterplay.blueprints.resolve import resolve_in_memory
from counterplay.blueprints.resolve_request import ResolveOptions, ResolveRequest
from counterplay.blueprints.resolve_subtrees import Watch
from counterplay.blueprints.settings import ResolveSettings
from counterplay.blueprints.whole_game.as_strategy import BoardSearches, EstimateError
from counterplay.blueprints.whole_game.full_gadget import JointSolve
from counterplay.blueprints.whole_game.gifts import is_walked
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.problem.solvable_game import by_kind
from counterplay.work.run_work import WorkProgress, run_work
from counterplay.work.work_record import WorkRecord

_NOT_HERE = ("only", "continuation", "interval", "bounds", "declared")
"""Options that whole games do not have."""


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
class ResolvedBoardPlans:
    """The plans of a resolution in a whole game."""

    rules: Holdem
    play: BlueprintStrategy

    def strategy(self, player: int) -> HoldemStrategy:
        """A player's half."""
        return HoldemStrategy(self.rules, player, self.play)


def resolve_whole_game(game: Holdem, blueprint: Any, at: str | Sequence[str], asked: ResolveRequest) -> Resolution:
    """`resolve` in a whole game of hold'em.

    Raises:
        InputError: a place that is no street, an option that whole games do not have, or too many boards.
    """
    street, seat = _checked(game, at, asked), asked.seat
    play = _play(game, blueprint, seat, asked.seed)
    model = None if asked.model is None else _play(game, asked.model, 1 - seat, asked.seed)
    way = asked.settings(both=True)
    if way.gadget.keeps_path and street > 1:
        raise InputError(
            f"the full gadget solves all boards together, from the flop on, not from the {STREETS[street]}"
        )
    if way.alpha and model is None:
        raise InputError("alpha needs a model of the opponent")
    whole = game.game
    both = value(whole, play, play) * (1 if seat == 0 else -1)

    def risk(one: BlueprintStrategy) -> float:
        return both + best_response_value(whole, one, 1 - seat)

    def gain(one: BlueprintStrategy) -> float | None:
        if model is None:
            return None
        won = value(whole, one, model) if seat == 0 else -value(whole, model, one)
        return won - both

    found = _resolve_boards(whole, play, model, street, way, asked)
    return Resolution(
        plans=ResolvedBoardPlans(game, found.play), game=game.name, seat=seat, at=STREETS[street], states=found.states,
        skipped=0, game_value=both, before=risk(play), after=risk(found.play), gain_before=gain(play),
        gain_after=gain(found.play), gain_mixing=None, mixing=None, continuation=None, equilibria=None, safety=None,
        gap=found.gap, seconds=found.seconds, interrupted=found.interrupted, seed=asked.seed, version=version(),
        **way.facts(),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Found:
    """Boards solved again: the strategy, the number of boards times lines of betting, the largest known distance from the
    optimum in chips, seconds, and whether Ctrl-C ended it."""

    play: BlueprintStrategy
    states: int
    gap: float
    seconds: float
    interrupted: bool


def _resolve_boards(
    game: HoldemGame, play: BlueprintStrategy, model: BlueprintStrategy | None, street: int, way: ResolveSettings,
    asked: ResolveRequest,
) -> _Found:  # fmt: skip
    begin, boards = run_time(), _boards(game, street)
    lines = sum(bool(game.betting.children(int(node))) for node in game.roots[street])
    if way.gadget.keeps_path:
        if asked.record is not None:
            raise InputError("the full gadget solves all boards together, and takes no record")
        joint = JointSolve(game, play, asked.seat, None, way.search).advance()
        return _Found(joint.play, lines * len(boards), joint.gap, run_time() - begin, joint.interrupted)
    error = EstimateError(way.error, asked.seed)
    work = BoardSearches(game, play, asked.seat, model, boards, way.search, way.profile, error)
    record = WorkRecord(asked.record, None if asked.record is None else _identity(work, way, boards))
    watch = None if asked.watch is None else _counted(asked.watch)
    done = run_work(work, record=record, executor=asked.executor, watch=watch)
    found = work.finish(done.results)
    return _Found(found, lines * len(done.results), nan, run_time() - begin, done.interrupted)


def _identity(work: BoardSearches, way: ResolveSettings, boards: Sequence[Board]) -> dict[str, Any]:
    """Everything that the boards solved again depend on."""
    plays = {"blueprint": work.blueprint, "model": work.model}
    digests = {name: play and _digest(work.game, play, boards) for name, play in plays.items()}
    return {**work.identity(), **digests, **way.facts(), "stop": str(way.stop)}


def _digest(game: HoldemGame, play: BlueprintStrategy, boards: Sequence[Board]) -> str:
    """A digest of a strategy before the flop, on boards of a street, and on those after each."""
    found = hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in play.preflop))
    while boards:
        for board in boards:
            for player in (0, 1):
                found.update(b"".join(np.ascontiguousarray(part).tobytes() for part in play.on(player, board)))
        last = boards[0].street == game.last
        boards = [] if last else [child for board in boards for child in game.boards.after(board)]
    return found.hexdigest()[:16]


def _checked(game: Holdem, at: str | Sequence[str], asked: ResolveRequest) -> int:
    """The street of the place."""
    texts = [at] if isinstance(at, str) else list(map(str, at))
    streets = STREETS[1 : game.game.last + 1]
    if len(texts) != 1 or texts[0] not in streets:
        raise InputError(
            f"in {game.name} a blueprint is solved again at {', '.join(streets)}, not at {', '.join(texts)}"
        )
    check_options(asked)
    if not is_walked(game.game):
        raise InputError(
            f"{game.name} has too many boards to solve all again; --boards draws some, and the agent solves those that come"
        )
    return STREETS.index(texts[0])


def check_options(asked: ResolveRequest) -> None:
    """Refuse options that whole games do not have.

    Raises:
        InputError: naming the first of them.
    """
    given = [name for name in _NOT_HERE if getattr(asked, name)]
    if given:
        raise InputError(f"whole games of hold'em have no {given[0]} of a re-solved blueprint")


def _play(game: Holdem, source: Any, player: int, seed: int) -> BlueprintStrategy:
    """Both players' strategy, from anything that `opponent` takes."""
    found: Any = opponent(game, source, player, seed)
    play: BlueprintStrategy = found.play
    return play


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
