"""Blueprints solved again in any game: `resolve`, which whole games of hold'em answer in their own way.

In a whole game the place is a street: every board of it is solved again to the end of the hand, after every line of betting
that leads there. The value of such a game is not known. Exploitability is therefore counted from what both parts of the
blueprint win from each other, against a best responder who sees every card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import nan
from typing import Any, Unpack

from counterplay.blueprints.report import (
    JointSolvers,
    Resolution,
    check_further,
    further_measures,
    measure_in_memory,
    measure_resolution,
)
from counterplay.blueprints.resolve import StreetSubtrees, parts_of, resolve_in_memory
from counterplay.blueprints.resolve_request import ResolveOptions, ResolveRequest
from counterplay.blueprints.resolve_subtrees import resolve_together
from counterplay.blueprints.resolved_blueprint import Baseline, BlueprintInputs, ResolvedBlueprint, ResolveSettings
from counterplay.blueprints.whole_game.as_strategy import BoardSearches, EstimateError
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, board_subtree, entries_of
from counterplay.blueprints.whole_game.whole_game_plans import WholeGamePlans, in_memory, listed_game
from counterplay.card_abstraction.card_abstraction import boards_on
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.tree import node_at, split
from counterplay.poker.cards.deck import parse_card
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import as_game, by_kind
from counterplay.solvers.equilibrium import LP_UP_TO
from counterplay.texts.arguments import takes
from counterplay.work.run_work import WorkProgress, run_work
from counterplay.work.work_record import WorkRecord

_JOINT = "dcfr:1.5,0,4"
"""Solver of a game that is too large for the linear program."""
_OF_ALL = ("only", "continuation", "interval", "bounds")
"""Options that drawn boards do not have: one line on one board, and what needs all boards."""


@takes(ResolveOptions)
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
    game = as_game(game)
    answer: Callable[..., Resolution] = by_kind(RESOLVERS, game, resolve_in_memory)
    return answer(game, blueprint, at, ResolveRequest.of(options))


def resolve_whole_game(game: Holdem, blueprint: Any, at: str | Sequence[str], asked: ResolveRequest) -> Resolution:
    """`resolve` in a whole game of hold'em."""
    texts = [at] if isinstance(at, str) else list(map(str, at))
    streets = STREETS[1 : game.game.last + 1]
    if len(texts) != 1 or texts[0] not in streets:
        raise InputError(f"in {game.name} the place is one street, {' or '.join(streets)}, not '{', '.join(texts)}'")
    if not is_walked(game.game):
        raise InputError(
            f"{game.name} has too many boards to solve all again; --boards draws some, and the agent solves those that come"
        )
    if asked.measures_further:
        entries = LP_UP_TO + 1 if listed_game(game) is None else 0
        check_further(game.name, asked, both=True, entries=entries)
    street, seat = STREETS.index(texts[0]), asked.seat
    boards, lines = _place(game, street, asked)
    model = None if asked.model is None else _plans(game, asked.model, 1 - seat, asked.seed)
    known = BlueprintInputs(_plans(game, blueprint, seat, asked.seed), seat, model)
    way = asked.settings(both=True)
    if way.alpha and model is None:
        raise InputError("alpha needs a model of the opponent")
    if way.gadget.keeps_path and asked.only is not None:
        raise InputError("the full gadget solves all boards together, and not one of them")
    if way.gadget.keeps_path and asked.record is not None:
        raise InputError("the full gadget solves all boards together, and takes no record")
    base = Baseline(game.name, known.plans.value(0), known=False)
    if way.gadget.keeps_path:
        found = resolve_together(known, subtrees_on(game.game, boards[:1], seat), way, len(boards) * len(lines))
    else:
        found = _resolve_boards(known, boards, lines, way, asked)
    extra = _measure_further(game, base, known, found.plans, boards, way, asked) if asked.measures_further else {}
    return measure_resolution(base, known, found, way, {"at": STREETS[street], "seed": asked.seed, **extra})


def _resolve_boards(
    known: BlueprintInputs[WholeGamePlans],
    boards: Sequence[Board],
    lines: Sequence[int],
    way: ResolveSettings,
    asked: ResolveRequest,
) -> ResolvedBlueprint[WholeGamePlans]:
    begin, plans, me = run_time(), known.plans, known.resolver
    error, model = EstimateError(way.error, asked.seed), known.model.play if known.model else None
    some = None if asked.only is None else tuple(lines)
    work = BoardSearches(plans.game, plans.play, me, model, boards, way.search, way.profile, error, lines=some)
    identity = None
    if asked.record is not None:  # everything that the boards depend on
        digests = {name: one and one.digest(boards) for name, one in (("blueprint", plans), ("model", known.model))}
        identity = {**work.identity(), **digests, **way.facts, "stop": str(way.stop)}
    watch: Callable[[WorkProgress], None] | None = None
    if (count := asked.watch) is not None:
        watch = lambda progress: count(progress.done, progress.pieces)  # noqa: E731
    done = run_work(work, record=WorkRecord(asked.record, identity), executor=asked.executor, watch=watch)
    if count is not None:
        count(len(done.results), len(work.keys()))
    found, states = replace(plans, play=work.finish(done.results)), len(lines) * len(done.results)
    return ResolvedBlueprint(found, me, states, 0, nan, run_time() - begin, done.interrupted)


def _measure_further(
    game: Holdem,
    base: Baseline,
    blueprint: BlueprintInputs[WholeGamePlans],
    found: WholeGamePlans,
    boards: Sequence[Board],
    way: ResolveSettings,
    asked: ResolveRequest,
) -> dict[str, Any]:
    """The requested measures, exact where the game fits the linear program, else by the solver of blueprints."""
    listed, me = listed_game(game), blueprint.resolver
    if listed is None:
        joint = (_JOINT if way.solver == "lp" else way.solver), way.stop
        subtrees = subtrees_on(game.game, boards, me)
        return further_measures(base, blueprint, found, subtrees, way, asked, JointSolvers(joint, joint))
    model = None if blueprint.model is None else in_memory(game, listed, blueprint.model)
    inputs = BlueprintInputs(in_memory(game, listed, blueprint.plans), me, model)
    pieces, after = StreetSubtrees(listed, parts_of(listed, boards[0].street), me), in_memory(game, listed, found)
    joined = way.gadget.keeps_path
    return measure_in_memory(listed, base, inputs, after, [*filter(None, pieces)], way, asked, joint=joined)


def subtrees_on(game: HoldemGame, boards: Sequence[Board], me: int) -> list[BoardSubtree]:
    """The subtrees of boards of one street, after every betting that leads there and goes on."""
    lines = entries_of(game, boards[0].street)
    return [board_subtree(game, entry, board.cards, me) for board in boards for entry in lines]


def check_drawn(asked: ResolveRequest) -> None:
    """Refuse options that need more than drawn boards."""
    given = [name for name in _OF_ALL if getattr(asked, name)]
    if given:
        raise InputError(f"drawn boards have no {given[0]} of a re-solved blueprint")


def _plans(game: Holdem, source: Any, player: int, seed: int) -> WholeGamePlans:
    found: Any = opponent(game, source, player, seed)
    return WholeGamePlans(game, found.play)


def _place(game: Holdem, street: int, asked: ResolveRequest) -> tuple[list[Board], list[int]]:
    """All boards of a street, and its lines as numbers in `HoldemGame.roots`; or the one of a path as "c x Ah Kd 2c"."""
    here, lines = game.game, entries_of(game.game, street)
    if asked.only is None:
        return boards_on(here.boards, street), lines
    if asked.measures_further:
        raise InputError("only one board is solved again: continuation, interval and bounds need all of them")
    path, cards = split(asked.only)
    node = node_at(game.betting, path)
    entry = next((entry for entry in lines if int(here.roots[street][entry]) == node), None)
    if entry is None or len(cards) != DEALT[street]:
        raise InputError(
            f"no {STREETS[street]} begins at '{asked.only}'; name the betting before it and its {DEALT[street]} cards"
        )
    return [here.boards.find_board(map(parse_card, cards))[0]], [entry]


RESOLVERS: dict[type, Callable[..., Resolution]] = {Holdem: resolve_whole_game}
"""Kinds of games that re-solve in their own way; all others are in memory."""
