"""The sentence about an infoset that there is none of: with what infosets look like."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from counterplay.errors import InputError, quoted

_SHOWN, _QUOTED = 3, 60
_COMPARED = 4000
"""Texts that a wrong one is compared with, at most; comparing takes a millisecond for a hundred."""


def no_infoset(whose: str, text: str, infosets: Sequence[str], where: str = "") -> InputError:
    """What to raise where a text is no infoset.

    Args:
        whose: the game.
        text: as the user wrote it.
        infosets: those that there are; of many, those that begin alike are compared first.
        where: behind the text, as in " of player 0".
    """
    begin = [one for one in infosets if one[:1] == text[:1]] if len(infosets) > _COMPARED else []
    near = get_close_matches(text[:_QUOTED], (begin or list(infosets))[:_COMPARED], n=_SHOWN, cutoff=0.0)
    texts = " or ".join(quoted(one) for one in near)
    hint = f"; did you mean {texts}?" if near else ""
    return InputError(f"{whose} has no infoset {quoted(text)}{where}{hint}")


def check_observation(observation: object) -> None:
    """Refuse what is no text.

    Raises:
        InputError: it is something else.
    """
    if not isinstance(observation, str):
        kind = type(observation).__name__
        raise InputError(f"an observation is the text of an infoset, as the game prints it, not a {kind}")
