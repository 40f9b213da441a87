"""The 13×13 grid of hand classes: pairs on the diagonal, suited hands above it, offsuit ones below; aces first.

A class is numbered 13 · row + column. Values of hands become values of classes; probabilities of actions become a picture
for the terminal, in colours or in letters. A cell is filled in proportion to the weight of its class: a class that has
folded, or was dealt at half weight, does not look like a full one.

Colours of actions are distinct for colour-blind readers: blue folds, green checks and calls, yellow to purple bets. They
follow Okabe and Ito (2008), whose hues differ for all common kinds of colour blindness; bets grow darker with their size
besides, so that they can be told apart by lightness alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from numpy.typing import ArrayLike

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.poker.cards.deck import FULL, RANKS, Deck

if TYPE_CHECKING:
    from rich.text import Text

_FOLD, _PASSIVE = "#0072b2", "#009e73"
_BETS = ("#f0e442", "#e69f00", "#d55e00", "#8c2d62", "#3b0f4a")
"""Of bets from the smallest to the largest; where there are fewer or more of them, colours between these."""
_CALM = {"fold": _FOLD, "check": _PASSIVE, "call": _PASSIVE}
_DARK = 0.179
"""Luminance below which white letters stand out more than black ones."""
Triple = tuple[float, float, float]
SIDE = len(RANKS)
WIDTH = 5  # characters of a cell in the picture
WIDE = 120  # characters of a line where the width of the terminal is unknown
LEAST = 1e-3
"""Share of a class below which its cell stays empty."""
KEY = f"a cell has {WIDTH} letters if its whole class is here, fewer if less of it is; {'.' * WIDTH} below {LEAST:.1%}"
"""How the picture is read."""
_NEARLY = 1e-6
"""Of a letter: what rounding may leave."""
_NUMBER_WIDTH = 6
_CELL = 30  # pixels


def colours(actions: Sequence[str]) -> list[str]:
    """One colour an action, as "#rrggbb"; bets and raises are expected from the smallest on."""
    bets = [name for name in actions if _word(name) not in _CALM]
    step = (len(_BETS) - 1) / max(1, len(bets) - 1)
    shades = {name: _between(step * k) for k, name in enumerate(bets)}
    return [shades.get(name) or _CALM[_word(name)] for name in actions]


def style(colour: str) -> str:
    """Letters that can be read on a colour, as `rich` has styles."""
    return f"{'white' if luminance(rgb(colour)) < _DARK else 'black'} on {colour}"


def rgb(colour: str) -> Triple:
    """Red, green and blue from 0 to 1."""
    red, green, blue = (int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    return red, green, blue


def luminance(colour: Triple) -> float:
    """Relative luminance from 0 (black) to 1 (white)."""
    red, green, blue = map(linear, colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear(channel: float) -> float:
    """A channel of sRGB as an amount of light."""
    return float(channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4)


def _between(place: float) -> str:
    """The colour at a place on the way through `_BETS`."""
    first = min(int(place), len(_BETS) - 2)
    share = place - first
    mixed = (
        (1.0 - share) * one + share * other for one, other in zip(rgb(_BETS[first]), rgb(_BETS[first + 1]), strict=True)
    )
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in mixed)


def _word(action: str) -> str:
    return action.lower().split(" ")[0]


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


def mean_rows(rows: F64, weights: F64) -> F64:
    """(columns,) the mean of rows (hands, columns) over hands of positive weight (hands,); NaN without one."""
    held = weights > 0.0
    if not held.any():
        return np.full(rows.shape[1], np.nan)
    return weights[held] @ rows[held] / weights[held].sum()  # type: ignore[no-any-return]


def shares_of(weights: ArrayLike, *, board: Sequence[int] = (), deck: Deck = FULL) -> F64:
    """(13, 13) the share of each class present: the weight of its hands over the number of its hands that the board
    allows. weights: (n,) weights of the hands of the deck, from 0 to 1."""
    free = deck.live(board)
    left = np.bincount(cells(deck)[free], minlength=SIDE**2)
    here = np.bincount(cells(deck)[free], np.asarray(weights, np.float64)[free], SIDE**2)
    return (here / np.maximum(left, 1)).reshape(SIDE, SIDE)


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

    Arguments as of `strategy_lines`."""
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


def draw_grid(ax: Any, probabilities: ArrayLike, actions: Sequence[str], weights: ArrayLike | None = None, *,
              board: Sequence[int] = (), deck: Deck = FULL) -> None:  # fmt: skip
    """Draw the picture into axes of matplotlib; arguments as of `strategy_lines`."""
    bars, names, means = _picture(probabilities, actions, weights, board, deck)
    side = len(names)
    palette = np.array([rgb(colour) for colour in colours(actions)] + [(1.0, 1.0, 1.0)])
    ax.imshow(palette[bars].reshape(side, side * WIDTH, 3), aspect=WIDTH, interpolation="nearest")
    for i, j in np.ndindex(side, side):
        label = cell_name(cell_of(RANKS.index(names[i]), RANKS.index(names[j]), i < j))
        ax.text(WIDTH * (j + 0.5) - 0.5, i, label, ha="center", va="center", fontsize=7)
    ax.set_xticks([])
    ax.set_yticks([])
    for name, colour, share in zip(actions, palette, means, strict=False):
        ax.scatter([], [], color=[colour], marker="s", label=f"{name} {share:.1%}")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3, frameon=False)


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
    ends = np.cumsum(grid[here], axis=-1)
    there = (filled >= LEAST) & (ends[..., -1] > 0)
    letters = np.where(there, np.maximum(1, np.floor(WIDTH * filled + 0.5 + _NEARLY)), 0).astype(int)
    middles = (np.arange(WIDTH) + 0.5) / np.maximum(letters, 1)[..., None] * ends[..., -1:]
    bars: I64 = (middles[..., None] >= ends[..., None, :]).sum(axis=-1)
    bars[np.arange(WIDTH) >= letters[..., None]] = -1
    return bars, "".join(RANKS[rank] for rank in shown), means


def letters_of(actions: Sequence[str]) -> list[str]:
    """One letter per action: its initial if free, else the first free letter of the alphabet."""
    keys: list[str] = []
    for name in actions:
        keys.append(next(key for key in name[:1].lower() + "abcdefghijklmnopqrstuvwxyz0123456789" if key not in keys))
    return keys


def number_lines(values: ArrayLike, weights: ArrayLike, *, deck: Deck = FULL) -> list[str]:
    """Means of the hands of each class, rounded to the width of a cell; blank for classes without weight. values: (n,)
    numbers of the hands of the deck; NaN where there is none. weights: (n,) non-negative weights of the hands."""
    numbers = np.asarray(values, np.float64)
    held = np.where(np.isfinite(numbers), np.asarray(weights, np.float64), 0.0)
    table = to_grid(np.nan_to_num(numbers), held, deck=deck)
    names = [cell_name(k * (SIDE + 1))[0] for k in range(SIDE)]
    head = "  " + "".join(f"{name:>{_NUMBER_WIDTH}}" for name in names)
    rows = zip(names, table.tolist(), strict=True)
    return [head, *(f"{name} {''.join(map(_number, row))}".rstrip() for name, row in rows)]


def _number(number: float) -> str:
    """A number in the width of a cell: as many decimals as there is room for, at most two."""
    if not np.isfinite(number):
        return " " * _NUMBER_WIDTH
    places = (f"{number:z.{digits}f}" for digits in (2, 1, 0))
    return f"{next((text for text in places if len(text) < _NUMBER_WIDTH), f'{number:.0e}'):>{_NUMBER_WIDTH}}"


def grid_html(
    title: str, probabilities: F64, actions: Sequence[str], weights: F64, *, board: Sequence[int] = (),
    deck: Deck = FULL,
) -> str:  # fmt: skip
    """The strategy of a range: in each cell the shares of the actions from left to right, as high as the class is there.
    probabilities: (n, actions) of each hand of the deck. weights: (n,) of the hands, from 0 to 1."""
    shades = colours(actions)
    grid, there = to_grid(probabilities, weights, deck=deck), shares_of(weights, board=board, deck=deck)
    rows = []
    for i in range(SIDE):
        found = [_html_cell(cell_name(SIDE * i + j), grid[i, j], float(there[i, j]), shades) for j in range(SIDE)]
        rows.append(f"<tr>{''.join(found)}</tr>")
    held = weights > 0.0
    means = weights[held] @ probabilities[held] / max(float(weights.sum()), 1e-300)
    keys = (
        f'<span style="color:{shade}">■</span> {escape(name)} {mean:.1%}'
        for name, shade, mean in zip(actions, shades, means.tolist(), strict=True)
    )
    style = "border-collapse:collapse;font:11px sans-serif"
    return f"<div>{escape(title)}</div><table style='{style}'>{''.join(rows)}</table><div>{' '.join(keys)}</div>"


def _html_cell(name: str, odds: F64, share: float, shades: Sequence[str]) -> str:
    """One class: a picture of its own in the background."""
    size = f"width:{_CELL}px;height:{_CELL}px;padding:0;text-align:center;border:1px solid #ccc"
    if share < LEAST or not np.isfinite(odds).all():
        return f'<td style="{size};color:#999">{name}</td>'
    ends = np.cumsum(odds) * 100.0
    stops = [
        f"{shade} {end - 100.0 * part:.1f}% {end:.1f}%" for shade, end, part in zip(shades, ends, odds, strict=True)
    ]
    fill = f"linear-gradient(90deg,{','.join(stops)}) bottom/100% {100.0 * min(share, 1.0):.1f}% no-repeat"
    return f'<td style="{size};background:{fill}">{name}</td>'
