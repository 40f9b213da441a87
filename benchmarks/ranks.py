"""Poker: ranks of hands a second on one core, all hands of a board, and exact equities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from common import interleaved, table
from counterplay.poker.cards.deck import FULL, card_text
from counterplay.poker.cards.hand_rank import hand_ranks, ranks
from counterplay.poker.ranges.equity import equity
from counterplay.poker.ranges.range import Range

HANDS, ROUNDS = 200_000, 10
BOARD = "Qs Jh 2h 8d 3c"


def main() -> None:
    rng = np.random.default_rng(0)
    hands = np.ascontiguousarray(np.argsort(rng.random((HANDS, len(FULL.cards))), axis=1)[:, :7])
    small = hands.astype(np.int8)
    calls = {"ours, int64 cards": lambda: ranks(hands), "ours, int8 cards": lambda: ranks(small), **_peer(hands)}
    ranks(hands), ranks(small), hand_ranks(BOARD)  # compiled
    sizes = dict.fromkeys(calls, HANDS)
    seconds = interleaved(calls, ROUNDS, of="a hand of seven cards", peer="eval7, single calls", sizes=sizes)
    table("Hands of seven cards", ("what", "million a second"), [(k, 1e-6 / s) for k, s in seconds.items()])
    board = interleaved({"all hands of a board": lambda: hand_ranks(BOARD)}, 20 * ROUNDS)
    table("A board", ("what", "µs"), [(name, 1e6 * s) for name, s in board.items()])
    _equities()


def _peer(hands: Any) -> dict[str, Callable[[], object]]:
    try:
        import eval7
    except ImportError:
        print("eval7 is not installed: no comparison")
        return {}
    peers = [eval7.Card(card_text(card)) for card in FULL.cards]
    rows = [[peers[card] for card in hand] for hand in hands.tolist()]
    return {"eval7, single calls": lambda: [eval7.evaluate(row) for row in rows]}


def _equities() -> None:
    every = Range.full()
    aces, kings, ace_king = (Range.parse(text) for text in ("AA", "KK", "AhKs"))
    calls = {
        "all against all, river": lambda: equity(every, every, BOARD),
        "all against all, turn": lambda: equity(every, every, BOARD[:11]),
        "all against all, flop": lambda: equity(every, every, BOARD[:8]),
        "AA against KK, before the flop": lambda: equity(aces, kings),
        "AhKs against AA, before the flop": lambda: equity(ace_king, aces),
    }
    equity(every, every, BOARD)  # compiled
    table("Exact equities", ("what", "ms"), [(name, 1e3 * s) for name, s in interleaved(calls, 5).items()])


if __name__ == "__main__":
    main()
