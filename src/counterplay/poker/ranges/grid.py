"""The 13×13 grid of hand classes: pairs on the diagonal, suited hands above it, offsuit ones below; aces first.

A class is numbered 13 · row + column. Values of hands become values of classes; probabilities of actions become a picture
for the terminal, in colours or in letters. A cell is filled in proportion to the weight of its class: a class that has
folded, or was dealt at half weight, does not look like a full one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, TextIO

import numpy as np
from numpy.typing import ArrayLike

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.poker.cards.deck import FULL, RANKS, Deck
from counterplay.poker.ranges.colours import colours, style

if TYPE_CHECKING:
    from rich.text import Text

SIDE = len(RANKS)
WIDTH = 5  # characters of a cell in the picture
WIDE = 120  # characters of a line where the width of the terminal is unknown
LEAST = 1e-3
"""Share of a class below which its cell stays empty."""
KEY = f"a cell has {WIDTH} letters if its whole class is here, fewer if less of it is; {'.' * WIDTH} below {LEAST:.1%}"
"""How the picture is read."""
_NEARLY = 1e-6
"""Of a letter: what rounding may leave."""


def cell_of(high: int, low: int, suited: bool) -> int:
    """The number of a class, from its two ranks in either order."""
    row, column = SIDE - 1 - max(high, low), SIDE - 1 - min(high, low)
    return SIDE * row + column if suited else SIDE * column + row


def cell_name(cell: int) -> str:
    """The name of a class: "QQ", "AKs", "T9o"."""
    row, column = divmod(cell, SIDE)
    first, second = RANKS[SIDE - 1 - min(row, column)], RANKS[SIDE - 1 - max(row, column)]
    return first + second + ("" if row == column else "s" if row < column else "o")


@cache
def cells(deck: Deck = FULL) -> I64:
    """(n,) the class of each hand of a deck."""
    found = np.array([cell_of(low // 4, high // 4, low % 4 == high % 4) for low, high in deck.hands.tolist()])
    found.setflags(write=False)
    return found


def to_grid(values: ArrayLike, weights: ArrayLike | None = None, *, deck: Deck = FULL) -> F64:
    """(13, 13, ...) means of the hands of each class; NaN if no hand of the class has weight. values: (n, ...) numbers
    of the hands of the deck. weights: (n,) non-negative weights of the hands; equal if left out."""
    numbers = np.asarray(values, np.float64)
    n = len(deck.hands)
    share = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    if numbers.ndim == 0 or len(numbers) != n or share.shape != (n,) or not (share >= 0).all():
        raise InputError(f"a grid needs numbers and weights ≥ 0 of {n} hands, not {numbers.shape} and {share.shape}")
    held = np.flatnonzero(share)  # values of hands without weight may be NaN
    columns = int(np.prod(numbers.shape[1:]))
    where, flat = cells(deck)[held], numbers[held].reshape(len(held), columns)
    mass = np.bincount(where, share[held], SIDE**2)
    sums = [np.bincount(where, share[held] * column, SIDE**2) for column in flat.T]
    with np.errstate(invalid="ignore"):
        means = np.array(sums).reshape(-1, SIDE**2).T / mass[:, None]
    return means.reshape(SIDE, SIDE, *numbers.shape[1:])


def shares_of(weights: ArrayLike, *, board: Sequence[int] = (), deck: Deck = FULL) -> F64:
    """(13, 13) the share of each class present: the weight of its hands over the number of its hands that the board
    allows. weights: (n,) weights of the hands of the deck, from 0 to 1."""
    free = deck.live(board)
    left = np.bincount(cells(deck)[free], minlength=SIDE**2)
    here = np.bincount(cells(deck)[free], np.asarray(weights, np.float64)[free], SIDE**2)
    shares: F64 = (here / np.maximum(left, 1)).reshape(SIDE, SIDE)
    return shares


def strategy_lines(probabilities: ArrayLike, actions: Sequence[str], weights: ArrayLike | None = None, *,
                   board: Sequence[int] = (), deck: Deck = FULL, width: int = WIDE) -> list[str]:  # fmt: skip
    """The picture without colours: up to five letters per class, divided among the actions; dots for missing weight.
    probabilities: (n, actions) the strategy of each hand. actions: names of the actions, such as "fold", "call", "bet
    100". weights: (n,) the player's range, from 0 to 1; all hands if left out."""
    bars, names, means = _picture(probabilities, actions, weights, board, deck)
    keys = letters_of(actions)
    lines = ["  " + " ".join(f"{name:^{WIDTH}}" for name in names)]
    for name, row in zip(names, bars, strict=True):
        lines.append(f"{name} " + " ".join("".join(keys[a] if a >= 0 else "." for a in bar) for bar in row.tolist()))
    legend = [f"{key} = {name} {share:.1%}" for key, name, share in zip(keys, actions, means, strict=True)]
    return [*lines, "", *map(" ".join, _rows(KEY.split(), width, 1)), *map("   ".join, _rows(legend, width, 3))]


def strategy_text(probabilities: ArrayLike, actions: Sequence[str], weights: ArrayLike | None = None, *,
                  board: Sequence[int] = (), deck: Deck = FULL, width: int = WIDE) -> Text:  # fmt: skip
    """The picture in colours, for rich: the name of each class on a bar divided by the probabilities.

    Arguments as of `strategy_lines`.
    """
    from rich.text import Text

    bars, names, means = _picture(probabilities, actions, weights, board, deck)
    styles = [style(colour) for colour in colours(actions)]
    text = Text()
    for i, row in enumerate(bars.tolist()):
        for j, bar in enumerate(row):
            label = cell_name(cell_of(RANKS.index(names[i]), RANKS.index(names[j]), i < j))
            for letter, action in zip(f"{label:<{WIDTH}}", bar, strict=True):
                text.append(letter, styles[action] if action >= 0 else "dim")
            text.append(" ")
        text.append("\n")
    text.append("\n")
    key = KEY.replace("letters", "coloured letters").replace("." * WIDTH, "none")
    text.append("\n".join(map(" ".join, _rows(key.split(), width, 1))))
    shown = {f" {name} {share:.1%} ": own for name, own, share in zip(actions, styles, means, strict=True)}
    for row in _rows(list(shown), width, 2):
        text.append("\n")
        for word in row:
            text.append(word, shown[word]).append("  ")
    return text


def _rows(words: Sequence[str], width: int, gap: int) -> list[list[str]]:
    """Words wrapped to lines, with a number of blanks between them."""
    rows: list[list[str]] = [[]]
    for word in words:
        if rows[-1] and sum(len(one) + gap for one in rows[-1]) + len(word) > width:
            rows.append([])
        rows[-1].append(word)
    return rows


def show_strategy(probabilities: ArrayLike, actions: Sequence[str], weights: ArrayLike | None = None, *,
                  board: Sequence[int] = (), deck: Deck = FULL, file: TextIO | None = None) -> None:  # fmt: skip
    """Print the picture: in colours on a terminal that supports them (and without NO_COLOR), else in letters; arguments
    as of `strategy_lines`."""
    from rich.console import Console

    console = Console(file=file or sys.stdout)
    if console.color_system is None or console.no_color:
        width = console.width if console.is_terminal else WIDE
        lines = strategy_lines(probabilities, actions, weights, board=board, deck=deck, width=width)
        print("\n".join(lines), file=console.file)
    else:
        text = strategy_text(probabilities, actions, weights, board=board, deck=deck, width=console.width)
        console.print(text, soft_wrap=True)


def _picture(probabilities: ArrayLike, actions: Sequence[str], weights: ArrayLike | None, board: Sequence[int], deck: Deck
             ) -> tuple[I64, str, F64]:  # fmt: skip
    """The bar of each class (rows, columns, WIDTH; action numbers, -1 for nothing), the ranks, the mean of all."""
    table = np.asarray(probabilities, np.float64)
    if table.ndim != 2 or table.shape[1] != len(actions) or not actions:
        raise InputError(
            f"the grid needs probabilities of {len(actions)} actions for each hand, not an array of shape {table.shape}"
        )
    grid = to_grid(table, weights, deck=deck)
    share = np.ones(len(table)) if weights is None else np.asarray(weights, np.float64)
    shown = sorted({card // 4 for card in deck.cards}, reverse=True)
    at = SIDE - 1 - np.array(shown)
    held = share > 0
    means = share[held] @ table[held] / share.sum() if held.any() else np.zeros(len(actions))
    here = np.ix_(at, at)
    filled = shares_of(share, board=board, deck=deck)[here]
    return _bars(grid[here], filled), "".join(RANKS[rank] for rank in shown), means


def _bars(grid: F64, shares: F64) -> I64:
    """The action that fills each of WIDTH places of a class, as many as its share covers: the one at the middle of the
    place, with actions laid end to end."""
    ends = np.cumsum(grid, axis=-1)
    there = (shares >= LEAST) & (ends[..., -1] > 0)
    letters = np.where(there, np.maximum(1, np.floor(WIDTH * shares + 0.5 + _NEARLY)), 0).astype(int)
    middles = (np.arange(WIDTH) + 0.5) / np.maximum(letters, 1)[..., None] * ends[..., -1:]
    bars: I64 = (middles[..., None] >= ends[..., None, :]).sum(axis=-1)
    bars[np.arange(WIDTH) >= letters[..., None]] = -1
    return bars


def letters_of(actions: Sequence[str]) -> list[str]:
    """One letter per action: its initial if free, else the first free letter of the alphabet."""
    keys: list[str] = []
    for name in actions:
        keys.append(next(key for key in name[:1].lower() + "abcdefghijklmnopqrstuvwxyz0123456789" if key not in keys))
    return keys
