"""What solving boards again changes: a table, and the same table with boards of one street solved again behind a gadget,
to the end of the hand or of the street, on the same drawn boards. Nothing before those boards changes, and everything after
them is exact.

What a best responder wins more from the strategy with re-solved boards is a maximum over all boards together, which drawn
ones only bound. *At least*: what a responder wins more who plays up to the boards as is best against the table, and best
from there on. *At most*: what one wins more who knows, before the first decision, which board comes. Over all boards the
bounds hold exactly; means over drawn boards estimate them (without bias, but for the former's decisions
before the flop, which are made by the flops that were drawn).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Any, Unpack

import numpy as np

from counterplay.blueprints.resolve_request import ResolveOptions, ResolveRequest
from counterplay.blueprints.whole_game.portfolio_look_ahead import SOLVER as SAMPLED
from counterplay.blueprints.whole_game.preflop_lookahead import portfolio_of
from counterplay.blueprints.whole_game.resolve import check_drawn
from counterplay.blueprints.whole_game.valued_street import values_ranges
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.measure.flops.resolved_boards_work import (
    LEAST,
    MOST,
    WON,
    BoardDraw,
    ResolvedBoardsWork,
    both_players,
    responder_on,
)
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.whole_game.rules import Holdem, as_whole_game
from counterplay.poker.whole_game.walks.flop_draw import ALL, Interval, interval_of
from counterplay.solvers.cfr import Stop
from counterplay.texts.arguments import MANY_OR_ALL, NUMBER, TEXT, takes
from counterplay.value_functions.leaf_value import EXACT, ExactLeaf
from counterplay.value_functions.value_function import value_function
from counterplay.work.run_work import complete_work
from counterplay.work.work_record import WorkRecord

NOTE = (
    "Differences to the table on the same boards, inside the betting tree; 'error' is half of a 95 % interval. A best "
    "responder wins 'least' more by playing up to the boards as against the table, and at most 'most' more, which takes "
    "knowing beforehand which board comes."
)
ITERATIONS = 100
"""Of a solve that nothing else stops."""


@dataclass(frozen=True)
class ResolvedBoards:
    """What solving boards again changes, in chips a hand.

    Attributes:
        game, seat: where, and whose boards are solved again.
        street: that of the boards.
        boards: how many were drawn.
        edge: what is won more from the model than the table wins.
        least, most: bounds of what a best responder wins more (see above).
        edge_error, least_error, most_error: half of their 95 % intervals; 0 where all boards are seen.
        seconds: of the computation.
        seed: of the draws; None where all are seen.
        big_blind: in chips.
    """

    game: str
    seat: int
    street: str
    boards: int
    edge: float
    edge_error: float
    least: float
    least_error: float
    most: float
    most_error: float
    seconds: float
    seed: int | None
    big_blind: float
    note: str = NOTE

    def __repr__(self) -> str:
        found = (labelled(name, getattr(self, name)) for name in ("edge", "least", "most"))
        return brief(self, self.game, f"seat {self.seat}", *found, f"{self.boards} boards")

    def facts(self) -> dict[str, Any]:
        """Plain numbers and texts; chips in milli-big-blinds, too."""
        told = {name: getattr(self, name) for name in self.__dataclass_fields__}
        chips = [f"{name}{end}" for name in ("edge", "least", "most") for end in ("", "_error")]
        return {**told, **{f"{name}_mbb": 1000.0 * told[name] / self.big_blind for name in chips}}


@takes(at=TEXT, boards=MANY_OR_ALL, p=NUMBER)
def resolve_on_boards(
    game: Holdem,
    table: Any,
    at: str,
    boards: int | str,
    *,
    p: float = 0.0,
    value: Any = None,
    **options: Unpack[ResolveOptions],
) -> ResolvedBoards:
    """Solve drawn boards again, and measure what that changes.

    Args:
        game: a whole game of hold'em.
        table: both players' strategy, anything that `opponent` takes.
        at: the street: `flop`, `turn` or `river`.
        boards: how many are drawn, or "all".
        p: probability with which the opponent is the model.
        value: a portfolio, by which hands go on where the street ends (see `look_ahead_on_board`), or a value function of
            both ranges, behind which each board that follows is solved in turn; a board is solved to the end of the hand
            unless given.
        options: those of `resolve`; unless they stop a solve, it takes 100 iterations.

    Raises:
        InputError: a place that is no street, a gadget that drawn boards do not have, or an option that whole games do not.
        KeyboardInterrupt: Ctrl-C; the record has the boards so far.
    """
    begin = run_time()
    leaf = EXACT if value is None else value_function(value)
    if not isinstance(leaf, ExactLeaf) and not values_ranges(leaf):
        leaf, options = portfolio_of(leaf), {"solver": SAMPLED, **options}
    asked = ResolveRequest.of({**options, "stop": options.get("stop") or Stop(iterations=ITERATIONS)})
    work = _work(game, table, BoardDraw(_street(game, at), boards, asked.seed), (p, leaf), asked)
    record = WorkRecord(asked.record, None if asked.record is None else work.identity())
    told = asked.watch
    watch = None if told is None else (lambda progress: told(progress.done, progress.pieces))
    changed = work.changes(complete_work(work, record=record, executor=asked.executor, watch=watch), responder_on(work))

    def interval(part: str) -> Interval:
        each = changed[part]
        if boards == ALL:
            return Interval(float(each.sum()), 0.0)
        return interval_of(len(each) * each, np.ones(len(each)))

    edge, least, most = (interval(part) for part in (WON, LEAST, MOST))
    return ResolvedBoards(
        game.name, asked.seat, at, len(work.drawn), edge.value, edge.error, least.value, least.error, most.value, most.error,
        run_time() - begin, None if boards == ALL else asked.seed, float(game.stakes.big_blind or nan),
    )  # fmt: skip


def _street(game: Holdem, at: str) -> int:
    """The street of a place."""
    as_whole_game(game, "boards are drawn")
    streets = STREETS[1 : game.game.last + 1]
    if at not in streets:
        raise InputError(f"in {game.name} the place is one street, {' or '.join(streets)}, not '{at}'")
    return STREETS.index(at)


def _work(
    game: Holdem, table: Any, draw: BoardDraw, trust: tuple[float, Any], asked: ResolveRequest
) -> ResolvedBoardsWork:
    """The boards that are asked for; `trust` is p, and the value function where the street ends."""
    check_drawn(asked)
    way, (p, leaf) = asked.settings(both=True), trust
    search = replace(way.search.looking(leaf=leaf), p=p)
    plays = [both_players(game, source, asked.seat, asked.seed) for source in (table, asked.model)]
    assert plays[0] is not None
    return ResolvedBoardsWork(game, plays[0], plays[1], asked.seat, search, draw, way.profile, (table, asked.model))
