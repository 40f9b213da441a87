"""Blueprints solved again in any game: `resolve`, which whole games of hold'em answer in their own way.

In a whole game the place is a street: every board of it is solved again to the end of the hand, after every line of betting
that leads there. The value of such a game is not known. Exploitability is therefore counted from what both parts of the
blueprint win from each other, against a best responder who sees every card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, Unpack

from counterplay.about import version
from counterplay.blueprints.report import Resolution
from counterplay.blueprints.resolve import ResolveOptions, given_options, settings_of
from counterplay.blueprints.resolve import resolve as resolve_in_memory
from counterplay.blueprints.resolve_subtrees import Watch
from counterplay.blueprints.settings import ResolveSettings
from counterplay.blueprints.whole_game.as_strategy import BoardSearches, EstimateError
from counterplay.blueprints.whole_game.gifts import is_walked
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.measure import best_response_value, value
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.problem.solvable_game import by_kind
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver
from counterplay.work.run_work import WorkProgress, run_work

_NOT_HERE = ("only", "continuation", "interval", "bounds", "declared", "record")
"""Options that whole games do not have."""


def resolve(
    game: Any,
    blueprint: Any,
    at: str | Sequence[str],
    *,
    seat: int = 0,
    model: Any = None,
    solver: Solver = "cfr+",
    stop: Stop | None = None,
    watch: Watch | None = None,
    **options: Unpack[ResolveOptions],
) -> Resolution:
    """Re-solve the subgames of a blueprint at a place, and splice them into one strategy.

    Args:
        game: from `load`: a game in memory; a spot of hold'em, where the place is `round` (the next street) or `round:N`; or
            a whole game of hold'em with few boards, where it is `flop`, `turn` or `river`.
        blueprint: the resolver's strategy, or both seats' as a pair, or anything that `opponent` takes for either seat.
        at: `moves:N`, `round`, `round:N` or `game`; or several, each inside the previous one (nested re-solving).
        seat: the resolver's seat, 0 or 1.
        model: anything that `opponent` takes; for alpha, and to measure gains.
        solver: `lp` or a regret minimiser.
        stop: stopping rule of a minimiser; by default 5,000 iterations.
        watch: called with the number of solved subgames, and their total.
        options: see `ResolveOptions`.

    Raises:
        InputError: an invalid argument, which the message names; raised before any computation.
    """
    answer: Callable[..., Resolution] = by_kind(RESOLVERS, game, resolve_in_memory)
    return answer(game, blueprint, at, seat=seat, model=model, solver=solver, stop=stop, watch=watch, **options)


@dataclass(frozen=True, eq=False)
class ResolvedBoards:
    """The plans of a resolution in a whole game."""

    rules: Holdem
    play: BlueprintStrategy

    def strategy(self, player: int) -> HoldemStrategy:
        """A player's half."""
        return HoldemStrategy(self.rules, player, self.play)


def resolve_whole_game(
    game: Holdem,
    blueprint: Any,
    at: str | Sequence[str],
    *,
    seat: int = 0,
    model: Any = None,
    solver: Solver = "cfr+",
    stop: Stop | None = None,
    watch: Watch | None = None,
    **options: Unpack[ResolveOptions],
) -> Resolution:
    """`resolve` in a whole game of hold'em.

    Raises:
        InputError: a place that is no street, an option that whole games do not have, or too many boards.
    """
    given = given_options(options)
    street = _checked(game, at, seat, [name for name in _NOT_HERE if given[name]])  # type: ignore[literal-required]
    play = _play(game, blueprint, seat, given["seed"])
    theirs = None if model is None else _play(game, model, 1 - seat, given["seed"])
    way = settings_of(given, solver, stop, both=True)
    if way.alpha and theirs is None:
        raise InputError("alpha needs a model of the opponent")
    return _resolve_boards(game, play, theirs, street, seat, way, given["seed"], watch)


def _resolve_boards(
    game: Holdem, play: BlueprintStrategy, model: BlueprintStrategy | None, street: int, seat: int,
    way: ResolveSettings, seed: int, watch: Watch | None,
) -> Resolution:  # fmt: skip
    whole, begin = game.game, run_time()
    boards = _boards(whole, street)
    error = EstimateError(way.error, seed)
    work = BoardSearches(whole, play, seat, model, boards, way.search, way.profile, error)
    done = run_work(work, watch=None if watch is None else _counted(watch))
    found, seconds = work.finish(done.results), run_time() - begin
    both = value(whole, play, play) * (1 if seat == 0 else -1)

    def risk(one: BlueprintStrategy) -> float:
        return both + best_response_value(whole, one, 1 - seat)

    def gain(one: BlueprintStrategy) -> float | None:
        if model is None:
            return None
        won = value(whole, one, model) if seat == 0 else -value(whole, model, one)
        return won - both

    lines = sum(bool(whole.betting.children(int(node))) for node in whole.roots[street])
    return Resolution(
        plans=ResolvedBoards(game, found), game=game.name, seat=seat, at=STREETS[street],
        states=lines * len(done.results), skipped=0, game_value=both, before=risk(play), after=risk(found),
        gain_before=gain(play), gain_after=gain(found), gain_mixing=None, mixing=None, continuation=None,
        equilibria=None, safety=None, gap=nan, seconds=seconds, interrupted=done.interrupted, seed=seed,
        version=version(), **way.facts(),
    )  # fmt: skip


def _checked(game: Holdem, at: str | Sequence[str], seat: int, given: Sequence[str]) -> int:
    """The street of the place."""
    texts = [at] if isinstance(at, str) else list(map(str, at))
    streets = STREETS[1 : game.game.last + 1]
    if len(texts) != 1 or texts[0] not in streets:
        raise InputError(
            f"in {game.name} a blueprint is solved again at {', '.join(streets)}, not at {', '.join(texts)}"
        )
    if seat not in (0, 1):
        raise InputError(f"the resolver's seat must be 0 or 1, not {seat}")
    if given:
        raise InputError(f"whole games of hold'em have no {given[0]} of a re-solved blueprint")
    if not is_walked(game.game):
        raise InputError(
            f"{game.name} has too many boards to solve all again; the agent resolve solves those that come"
        )
    return STREETS.index(texts[0])


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
