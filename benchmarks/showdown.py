"""Microseconds an evaluation of a terminal between two full ranges on a river board: one alone, and in batches.

One evaluation gives every one of 1,081 hands its payoff against the reach of 1,081. Least time of many rounds, all
interleaved; one thread. "both" is a showdown and a fold at the same reach, in the time of the pair. "river tree" is one
player's 25 showdowns and 20 folds, of which 10 share a reach; its time is that of all 45. The dense product is the
witness: every answer is compared with it before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common import interleaved, table
from counterplay.jit import kernel
from counterplay.poker.cards.deck import cards_of
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.showdown.showdown import evaluate_at
from counterplay.poker.showdown.terminals import Fold, RankedBoard, Showdown, lay_board, scratch_of, terminals_of
from counterplay.treeplex.simd import pointer
from counterplay.treeplex.sweeps import zeros

BOARDS = {"few flushes": "Qs Jh 2h 8d 3c", "many flushes": "Qh Jh 2h 8d 3c"}
KINDS = {"float64": (1, 2, 8, 16, 64), "float32": (1, 2, 16, 64)}
RUN, ROUNDS, REPEATS = 1088, 300, 128
Terminal = Showdown | Fold


def main() -> None:
    for name, text in BOARDS.items():
        cards, rank = _hands(text)
        board = lay_board(cards, rank.astype(np.int64), 52)
        apart = ~(cards[:, None, :, None] == cards[None, :, None, :]).any((2, 3))
        payoff = apart * np.sign(rank[:, None].astype(int) - rank).astype(float)
        calls, sizes = _calls(board, payoff, apart.astype(float))
        reach = np.random.default_rng(0).random(len(rank))
        calls["dense"], sizes["dense"] = lambda payoff=payoff, reach=reach: payoff @ reach, 1
        seconds = interleaved(calls, ROUNDS, of=name, peer="dense", sizes=sizes)
        micros = {call: 1e6 * taken for call, taken in seconds.items()}
        rows = [
            (kind, count, *(micros[f"{what} {kind} {count}"] for what in ("showdown", "fold", "both")))
            for kind, counts in KINDS.items()
            for count in counts
        ]
        print(f"\n## {name}: {text}, {len(rank)} hands, {board.groups} different")
        table("Microseconds an evaluation", ("dtype", "batch of", "showdown", "fold", "both"), rows)
        others = [(call, micros[call]) for call in ("tree float64", "tree float32", "dense")]
        table("Microseconds", ("what", "µs"), others)


def _hands(text: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """The hands that a board leaves and their ranks, in order of strength."""
    left = sorted(set(range(52)) - set(cards_of(text)))
    cards = np.array(list(combinations(left, 2)))
    rank = hand_ranks(text, cards)
    order = np.argsort(rank, kind="stable")
    return cards[order], rank[order]


def _calls(
    board: RankedBoard, payoff: NDArray[Any], apart: NDArray[Any]
) -> tuple[dict[str, Callable[[], object]], dict[str, int]]:
    """What is timed, and how many evaluations each is."""
    calls: dict[str, Callable[[], object]] = {}
    sizes: dict[str, int] = {}
    for kind, counts in KINDS.items():
        for count in counts:
            shows = [Showdown(RUN * k, RUN * k, 1, 1) for k in range(count)]
            folds = [Fold(RUN * k, RUN * (count + k), 1) for k in range(count)]
            for what, terminals in (("showdown", shows), ("fold", folds), ("both", shows + folds)):
                name, times = f"{what} {kind} {count}", max(1, REPEATS // count)
                calls[name], sizes[name] = _call(board, terminals, kind, times, payoff, apart), times * count
        tree = [Showdown(RUN * k, RUN * k, 1, 1) for k in range(25)]
        tree += [Fold(RUN * k, RUN * (k + 10), 1) for k in range(15, 35)]
        calls[f"tree {kind}"], sizes[f"tree {kind}"] = _call(board, tree, kind, 2, payoff, apart), 2
    return calls, sizes


@kernel
def _repeat(board: Any, terminals: Any, plan: Any, out: Any, scratch: Any, times: int) -> None:
    for _ in range(times):
        evaluate_at(board, terminals, pointer(plan), pointer(out), pointer(scratch))


def _call(
    board: RankedBoard, terminals: Sequence[Terminal], kind: str, times: int, payoff: NDArray[Any], apart: NDArray[Any]
) -> Callable[[], object]:
    """Evaluate the terminals so many times, storing as a solver would; checked against the dense product first."""
    runs = 1 + max(max(terminal[:2]) for terminal in terminals) // RUN
    plan, out = (zeros(runs * RUN).view(kind)[: runs * RUN] for _ in range(2))
    plan[:] = np.random.default_rng(0).random(runs * RUN)
    laid = terminals_of(board, terminals, (len(plan), len(out)), kind, store=True)
    scratch = scratch_of(board, kind)
    _repeat(board, laid, plan, out, scratch, 1)
    wanted, n = np.zeros(len(out)), board.hands
    for terminal in terminals:
        matrix = apart if isinstance(terminal, Fold) else payoff
        wanted[terminal.cfv : terminal.cfv + n] += matrix @ plan[terminal.reach : terminal.reach + n].astype(float)
    assert np.abs(out - wanted).max() <= (1e-13 if kind == "float64" else 2e-5) * np.abs(wanted).max()
    return lambda: _repeat(board, laid, plan, out, scratch, times)


if __name__ == "__main__":
    main()
