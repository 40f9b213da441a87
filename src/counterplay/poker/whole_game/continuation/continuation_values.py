"""Values of pairs of continuations from the flop on, class of hand by class of hand.

For every entry that is a matrix, classes of player 0 by classes of player 1, summed over hands, flops and the betting there.
A look-ahead that ends before the flop needs no more of what follows (matrix-valued states, Milec et al. 2025).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.jit.threads import threads
from counterplay.poker.whole_game.continuation.class_pair_sums import add, add_back, bring, cells_of
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_kernels import spread_out

_WIDTH = 16
"""Numbers a row are a multiple of this."""
_ENTRY = 116
"""Bytes of a number: the sum, and an entry of a sparse payoff with what making it takes."""
_TOGETHER = 32
"""Flops that are added up in the game's dtype, before they are added to the others in float64."""


def continuation_values(
    game: HoldemGame,
    first: Sequence[BlueprintStrategy],
    second: Sequence[BlueprintStrategy],
    flops: I64 | None = None,
    weights: F64 | None = None,
) -> F64:
    """Values of continuations to player 0, in chips summed over hands and flops (see `Game.deals`).

    Args:
        game: a game of hold'em that ends on the flop.
        first, second: strategies of players 0 and 1, followed on the flop; what they do before it is not looked at.
        flops, weights: which flops are seen, and how often each counts; all of them unless given.

    Returns:
        (first, second, entries, classes of player 0, classes of player 1).
    """
    numbers = np.arange(len(game.flops)) if flops is None else flops
    times = game.boards.choices(game.boards.root)[1].astype(float) if weights is None else weights
    width = -(-game.boards.classes // _WIDTH) * _WIDTH
    shape = len(first), len(second), len(game.entries), game.boards.classes, width
    terminals, plays = terminals_of(game), (first, second)

    def few(start: int) -> AnyArray:
        out = np.zeros(shape, game.dtype)
        plans = [np.zeros((len(plays[i]), game.sides[i].sizes[1] * game.run), game.dtype) for i in (0, 1)]
        some = slice(start, start + _TOGETHER)
        for f, weight in zip(numbers[some].tolist(), times[some].tolist(), strict=True):
            _add_flop(game, f, weight, terminals, plays, plans, out)
        return out

    pool = ThreadPoolExecutor(threads())
    try:
        found = sum(pool.map(few, range(0, len(numbers), _TOGETHER)), start=np.zeros(shape))
    finally:
        pool.shutdown(cancel_futures=True)  # Ctrl-C waits for what is under way only
    return np.ascontiguousarray(found[..., : game.boards.classes])


def memory_of(game: HoldemGame, first: int, second: int) -> float:
    """Bytes that so many ways to go on of both players take at the peak, the problem made of them included."""
    numbers = float(first * second * len(game.entries) * game.boards.classes**2)
    return numbers * (_ENTRY + (threads() + 1) * game.dtype.itemsize)


def _add_flop(
    game: HoldemGame,
    flop: int,
    weight: float,
    terminals: F64,
    plays: tuple[Sequence[BlueprintStrategy], Sequence[BlueprintStrategy]],
    plans: list[AnyArray],
    out: AnyArray,
) -> None:
    """Add what one flop is worth."""
    cells, board = cells_of(game, flop), game.flops[flop]
    ones = np.ones((len(game.entries), game.boards.classes), game.dtype)
    room = np.zeros((cells.slots + 2, out.shape[-1]), game.dtype)
    for player in (0, 1):
        for play, plan in zip(plays[player], plans[player], strict=True):
            table, lane = play.on(player, board)
            spread_out(game.sides[player].flop, ones, table, lane, board.up, plan, game.run)
    brought = np.zeros((len(plans[0]), len(terminals), len(cells.rows)), game.dtype)
    bring(cells, terminals, plans[0], game.run, brought)
    for j, theirs in enumerate(plans[1]):
        add(cells, terminals, weight, brought, theirs, game.run, room, out, j)
        add_back(cells, terminals, weight, plans[0], theirs, game.run, out, j)


def terminals_of(game: HoldemGame) -> F64:
    """(terminals, 6) on the flop: entry, both players' sequences, and what player 0 gets for a win, a loss and a tie."""
    entry = np.arange(game.sides[0].sizes[1])
    for _, before, first, count in game.sides[0].flop:
        entry[first : first + count] = entry[before]
    theirs, ours = game.shown[0][:, :2].astype(np.int64).T
    return np.column_stack([entry[ours], ours, theirs, game.shown[0][:, 2:]])
