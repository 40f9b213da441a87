"""Matrix games: one simultaneous move each, serialised with player 0, who picks the row, first and unseen."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from counterplay.arrays import check_finite, read_only
from counterplay.display import brief
from counterplay.errors import InputError, quoted
from counterplay.games.game import LARGEST_UTILITY, TERMINAL
from counterplay.games.spec_text import spec_of
from counterplay.texts.arguments import takes

Place = tuple[int, ...]
"""A state: the row, then the column, as far as they are chosen."""


class MatrixGame:
    """The game of a payoff matrix to player 0; both infosets have one name, `rows` and `columns`."""

    augmented = True

    def __init__(self, name: str, payoffs: ArrayLike, rows: Sequence[str], columns: Sequence[str]) -> None:
        self.name = name
        self.payoffs = read_only(payoffs, "the payoffs", (len(rows), len(columns)))
        check_finite(self.payoffs, "the payoffs", self.payoffs.shape)
        self.labels = (tuple(rows), tuple(columns))

    def __repr__(self) -> str:
        return brief(self, self.name)

    def root(self) -> Place:
        return ()

    def player(self, state: Place) -> int:
        return TERMINAL if len(state) == 2 else len(state)

    def actions(self, state: Place) -> range:
        return range(self.payoffs.shape[len(state)])

    def chance(self, state: Place) -> list[float]:  # noqa: ARG002
        return []

    def child(self, state: Place, action: Any) -> Place:
        return (*state, action)

    def infoset(self, state: Place, player: int) -> str:
        own = ("rows", "columns")[player]
        if player == 1 and not state:  # it is known when it is whose turn, so that the columns' decision is a subgame
            return "rows first"
        return f"{own}: {self.labels[player][state[player]]}" if len(state) > player else own

    def action_name(self, state: Place, action: int) -> str:
        return self.labels[len(state)][action]

    def utility(self, state: Place) -> float:
        return float(self.payoffs[state])


@takes()
def matrix_game(
    payoffs: ArrayLike, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None, *, name: str = ""
) -> MatrixGame:
    """The game of a matrix.

    Args:
        payoffs: (rows, columns) chips of player 0, the row player.
        rows: names of the rows; r1, r2, ... if left out.
        columns: names of the columns; c1, c2, ... if left out.
        name: name of the game; the spec `matrix:...` if left out.

    Raises:
        InputError: no matrix of finite numbers, or names that are not one per action and distinct.
    """
    try:
        table = np.asarray(payoffs, float)
    except (TypeError, ValueError):
        raise InputError("matrix: the rows of the payoffs must be numbers and equally long") from None
    if table.ndim != 2 or table.size == 0:
        raise InputError(f"matrix: the payoffs must be a table, not an array of shape {table.shape}")
    if not np.isfinite(table).all():
        raise InputError(f"matrix: the payoffs must be finite numbers, not {table[~np.isfinite(table)][0]}")
    if np.abs(table).max() > LARGEST_UTILITY:
        raise InputError(f"matrix: utilities must lie between -{LARGEST_UTILITY:g} and {LARGEST_UTILITY:g}")
    names = []
    for letter, given, count in zip("rc", (rows, columns), table.shape, strict=True):
        words = [f"{letter}{i + 1}" for i in range(count)] if given is None else [str(word) for word in given]
        if len(set(words)) != count or len(words) != count:
            raise InputError(f"matrix: {count} actions need as many different names, not {', '.join(words) or 'none'}")
        names.append(words)
    rows_of = (" ".join(str(int(x)) if x.is_integer() else repr(x) for x in row) for row in table.tolist())
    return MatrixGame(name or f"matrix:{'/'.join(rows_of)}", table, *names)


def make(payoffs: str = "1 -1/-1 1") -> MatrixGame:
    """A matrix game from text: rows split by `/`, payoffs to the row player split by spaces."""
    try:
        table = [[float(word) for word in row.split()] for row in payoffs.split("/")]
    except ValueError:
        raise InputError(f"matrix: payoffs must be numbers such as 1 -1/-1 1, not {quoted(payoffs)}") from None
    if len({len(row) for row in table}) > 1:
        raise InputError(f"matrix: the rows of '{payoffs}' must be equally long")
    return matrix_game(table)


def matching_pennies(heads: float = 1.0, tails: float = 1.0, mismatch: float = -1.0) -> MatrixGame:
    """Matching pennies: player 0 receives `heads` or `tails` if both show that side, else `mismatch`."""
    if not (isfinite(heads) and isfinite(tails) and isfinite(mismatch)):
        raise InputError("matching_pennies: the payoffs must be finite numbers")
    name = spec_of("matching_pennies", matching_pennies, heads=heads, tails=tails, mismatch=mismatch)
    return matrix_game([[heads, mismatch], [mismatch, tails]], ("Heads", "Tails"), ("Heads", "Tails"), name=name)


def ses_matrix(gift: float = 9.0, flop: float = 10.0) -> MatrixGame:
    """The matrix game of Liu et al. 2022 (table 1), whose payoffs and responder are player 1's, the columns here.

    Against the weak action R, O and D earn player 1 `gift` and the dangerous F earns `flop`."""
    if not (isfinite(gift) and isfinite(flop)):
        raise InputError("ses_matrix: the payoffs must be finite numbers")
    # The paper prints player 1's actions as rows and player 1's payoffs.
    printed = np.array([[3, -2, 4], [-2, 3, gift], [3, -2, gift], [-100, -100, flop]])
    name = spec_of("ses_matrix", ses_matrix, gift=gift, flop=flop)
    return matrix_game(-printed.T, ("L", "M", "R"), ("U", "O", "D", "F"), name=name)
