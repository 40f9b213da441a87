"""The 13×13 grid of hand classes: pairs on the diagonal, suited hands above it, offsuit ones below; aces first.

A class is numbered 13 · row + column. Numbers of single hands become numbers of classes; probabilities of actions become
a picture for the terminal, in colours or, where there are none, in letters.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, TextIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterplay.errors import InputError
from counterplay.poker.cards import FULL, RANKS, Deck, Ints

if TYPE_CHECKING:
    from rich.text import Text

Floats = NDArray[np.float64]
SIDE = len(RANKS)
WIDTH = 5  # characters of a cell in the picture
_FOLD, _PASSIVE, _BETS = "#3a6ea5", "#3f9a54", ("#e9967a", "#dd6b55", "#c2452d", "#9c2f1b", "#731d0e")


def cell_of(high: int, low: int, suited: bool) -> int:
    """The number of a class, from its two ranks in either order."""
    row, column = SIDE - 1 - max(high, low), SIDE - 1 - min(high, low)
    return SIDE * row + column if suited else SIDE * column + row


def cell_name(cell: int) -> str:
    """A class as players write it: "QQ", "AKs", "T9o"."""
    row, column = divmod(cell, SIDE)
    first, second = RANKS[SIDE - 1 - min(row, column)], RANKS[SIDE - 1 - max(row, column)]
    return first + second + ("" if row == column else "s" if row < column else "o")


@cache
def cells(deck: Deck = FULL) -> Ints:
    """(n,) the class of each hand of a deck."""
    found = np.array([cell_of(low // 4, high // 4, low % 4 == high % 4) for low, high in deck.hands.tolist()])
    found.setflags(write=False)
    return found


def to_grid(values: ArrayLike, weights: ArrayLike | None = None, *, deck: Deck = FULL) -> Floats:
    """(13, 13, ...) means of the hands of each class; NaN where no hand of the class has weight.

    Args:
        values: (n, ...) numbers of the hands of the deck.
        weights: (n,) weights of the hands, none negative; equal if left out.

    Raises:
        InputError: the shapes are not those of the deck, or a weight is negative.
    """
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


def strategy_lines(probabilities: ArrayLike, actions: Sequence[str], weights: ArrayLike | None = None, *,
                   deck: Deck = FULL) -> list[str]:  # fmt: skip
    """The picture without colours: five letters a class, shared out among the actions; dots where there is no hand.

    Args:
        probabilities: (n, actions) of each hand.
        actions: their names, such as "fold", "call", "bet 100".
        weights: (n,) the range that plays; all hands alike if left out.

    Raises:
        InputError: the shapes do not fit together.
    """
    bars, names, shares = _picture(probabilities, actions, weights, deck)
    keys = _keys(actions)
    lines = ["  " + " ".join(f"{name:^{WIDTH}}" for name in names)]
    for name, row in zip(names, bars, strict=True):
        lines.append(f"{name} " + " ".join("".join(keys[a] if a >= 0 else "." for a in bar) for bar in row.tolist()))
    legend = (f"{key} = {name} {share:.1%}" for key, name, share in zip(keys, actions, shares, strict=True))
    return [*lines, "", "   ".join(legend)]


def strategy_text(probabilities: ArrayLike, actions: Sequence[str], weights: ArrayLike | None = None, *,
                  deck: Deck = FULL) -> Text:  # fmt: skip
    """The same in colours, for rich: each class as its name on a bar whose parts are the probabilities."""
    from rich.text import Text

    bars, names, shares = _picture(probabilities, actions, weights, deck)
    styles = _styles(actions)
    text = Text()
    for i, row in enumerate(bars.tolist()):
        for j, bar in enumerate(row):
            label = cell_name(cell_of(RANKS.index(names[i]), RANKS.index(names[j]), i < j))
            for letter, action in zip(f"{label:<{WIDTH}}", bar, strict=True):
                text.append(letter, f"white on {styles[action]}" if action >= 0 else "dim")
            text.append(" ")
        text.append("\n")
    text.append("\n")
    for name, style, share in zip(actions, styles, shares, strict=True):
        text.append(f" {name} {share:.1%} ", f"white on {style}").append("  ")
    return text


def show_strategy(probabilities: ArrayLike, actions: Sequence[str], weights: ArrayLike | None = None, *,
                  deck: Deck = FULL, file: TextIO | None = None) -> None:  # fmt: skip
    """Print the picture: in colours on a terminal that has them (and no NO_COLOR), else in letters."""
    from rich.console import Console

    console = Console(file=file or sys.stdout)
    if console.color_system is None or console.no_color:
        print("\n".join(strategy_lines(probabilities, actions, weights, deck=deck)), file=console.file)
    else:
        console.print(strategy_text(probabilities, actions, weights, deck=deck), soft_wrap=True)


def _picture(probabilities: ArrayLike, actions: Sequence[str], weights: ArrayLike | None, deck: Deck
             ) -> tuple[Ints, str, Floats]:  # fmt: skip
    """The bar of each class (rows, columns, WIDTH; action numbers, -1 for nothing), the ranks shown, the mean of all."""
    table = np.asarray(probabilities, np.float64)
    if table.ndim != 2 or table.shape[1] != len(actions) or not actions:
        raise InputError(f"the grid needs probabilities of {len(actions)} actions for each hand, not of {table.shape}")
    grid = to_grid(table, weights, deck=deck)
    share = np.ones(len(table)) if weights is None else np.asarray(weights, np.float64)
    shown = sorted({card // 4 for card in deck.cards}, reverse=True)
    at = SIDE - 1 - np.array(shown)
    held = share > 0
    means = share[held] @ table[held] / share.sum() if held.any() else np.zeros(len(actions))
    return _bars(grid[np.ix_(at, at)]), "".join(RANKS[rank] for rank in shown), means


def _bars(grid: Floats) -> Ints:
    """Which action fills each of WIDTH places of a class: the one at the middle of the place, actions laid end to end."""
    ends = np.cumsum(grid, axis=-1)
    middles = (np.arange(WIDTH) + 0.5) / WIDTH * ends[..., -1:]
    bars: Ints = (middles[..., None] >= ends[..., None, :]).sum(axis=-1)
    bars[~(ends[..., -1] > 0)] = -1
    return bars


def _keys(actions: Sequence[str]) -> list[str]:
    """One letter an action: its first where that is free, else the first free one of the alphabet."""
    keys: list[str] = []
    for name in actions:
        keys.append(next(key for key in name[:1].lower() + "abcdefghijklmnopqrstuvwxyz0123456789" if key not in keys))
    return keys


def _styles(actions: Sequence[str]) -> list[str]:
    """Blue for folding, green for checking and calling, reds for bets, darker for later ones."""
    calm = {"fold": _FOLD, "check": _PASSIVE, "call": _PASSIVE}
    bets = [name for name in actions if _kind(name) not in calm]
    step = (len(_BETS) - 1) / max(1, len(bets) - 1)
    reds = {name: _BETS[round(step * k)] for k, name in enumerate(bets)}
    return [reds.get(name) or calm[_kind(name)] for name in actions]


def _kind(action: str) -> str:
    return action.lower().split(" ")[0]
