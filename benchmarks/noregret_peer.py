"""NoRegret in a process of its own, by the interpreter that has its libraries, without ours.

The argument is the name of an OpenSpiel game. Each line of the input is a number of iterations of CFR+; a line of the output
says that they are done.
"""

from __future__ import annotations

import contextlib
import sys


def main() -> None:
    import noregret as nr

    kernel = nr.FPKer()
    game = nr.to_efg(kernel, nr.OpenSpielGame(kernel, sys.argv[1]))
    rows, columns = (
        nr.CFR_plus(kernel, game.row_sequence_form_polytope),
        nr.CFR_plus(kernel, game.column_sequence_form_polytope),
    )
    print("ready", flush=True)
    left = int(input())

    def update() -> None:
        """After each iteration: read how many more, when those asked for are done."""
        nonlocal left
        left -= 1
        while left == 0:
            print("done", flush=True)
            left = int(input())

    nr.rm(game, rows, columns, alternation=True, iteration_count=sys.maxsize, update=update, progress_bar=None)


if __name__ == "__main__":
    with contextlib.suppress(EOFError):
        main()
