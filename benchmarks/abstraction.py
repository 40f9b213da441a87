"""Card abstraction of heads-up hold'em: making the tables, once, and the lanes of a board's hands, millions of times.

Tables of the full deck are made from nothing, without the cache, with the buckets `quick`; `counterplay blueprint` with
`buckets=default` makes larger ones in the same way. Lanes are those of one board that is there already, in microseconds.
"""

from __future__ import annotations

import os
import time
from functools import partial

import numpy as np

from common import interleaved, table
from counterplay.cache_folder import FOLDER
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.poker.cards.deck import FULL, Deck
from counterplay.poker.whole_game.boards import Board, GameBoards

KINDS = ("emd:quick", "moments:quick")
CALLS, ROUNDS = 50, 20


def main() -> None:
    os.environ[FOLDER] = ""
    make_buckets(GameBoards(Deck.from_rank("T"), 3), read_abstraction("emd:5", 3))  # compiles
    boards, rows = GameBoards(FULL, 3), []
    made = {}
    for text in KINDS:
        begin = time.process_time()
        made[text] = make_buckets(boards, read_abstraction(text, 3))
        rows.append((str(made[text]), time.process_time() - begin))
    table("making tables: CPU seconds", ("what", "seconds"), rows)
    for street, board in enumerate(_deal(boards), 1):
        calls = {text: partial(_lanes, lanes, board) for text, lanes in made.items()}
        seconds = interleaved(calls, ROUNDS, of=f"lanes of street {street}", sizes=dict.fromkeys(calls, CALLS))
        title = f"lanes of one board of street {street}: microseconds"
        table(title, ("what", "µs"), [(text, 1e6 * seconds[text]) for text in calls])


def _deal(boards: GameBoards) -> list[Board]:
    """A flop, a turn and a river."""
    random, found, board = np.random.default_rng(0), [], boards.root
    for _ in range(boards.last):
        board = boards.child(board, int(random.integers(len(boards.choices(board)[0]))))
        found.append(board)
    return found


def _lanes(lanes, board: Board) -> None:  # type: ignore[no-untyped-def]
    for _ in range(CALLS):
        lanes.lanes_on(board)


if __name__ == "__main__":
    main()
