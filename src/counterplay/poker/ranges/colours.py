"""Colours of actions in grids, distinct for colour-blind readers: blue folds, green checks and calls, yellow to purple bets.

The colours follow Okabe and Ito (2008), whose hues differ for all common kinds of colour blindness; bets grow darker with
their size besides, so that they can be told apart by lightness alone.
"""

from __future__ import annotations

from collections.abc import Sequence

FOLD, PASSIVE = "#0072b2", "#009e73"
BETS = ("#f0e442", "#e69f00", "#d55e00", "#8c2d62", "#3b0f4a")
"""Of bets from the smallest to the largest; where there are fewer or more of them, colours between these."""
_CALM = {"fold": FOLD, "check": PASSIVE, "call": PASSIVE}
_DARK = 0.179
"""Luminance below which white letters stand out more than black ones."""
Triple = tuple[float, float, float]


def colours(actions: Sequence[str]) -> list[str]:
    """One colour an action, as "#rrggbb"; bets and raises are expected from the smallest on."""
    bets = [name for name in actions if _word(name) not in _CALM]
    step = (len(BETS) - 1) / max(1, len(bets) - 1)
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
    """The colour at a place on the way through `BETS`."""
    first = min(int(place), len(BETS) - 2)
    share = place - first
    mixed = (
        (1.0 - share) * one + share * other for one, other in zip(rgb(BETS[first]), rgb(BETS[first + 1]), strict=True)
    )
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in mixed)


def _word(action: str) -> str:
    return action.lower().split(" ")[0]
