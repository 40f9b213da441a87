"""Errors about unknown infosets, with the most similar ones."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from counterplay.errors import InputError, quoted

_SHOWN, _QUOTED = 3, 60
_COMPARED = 4000
"""The most texts compared with a wrong one; a hundred comparisons take a millisecond."""


def no_infoset(whose: str, text: str, infosets: Sequence[str], where: str = "") -> InputError:
    """The error for a text, as the user wrote it, that is not an infoset of `whose` game; `where` is appended, as in "
    of player 0". Of many infosets those with a common prefix are compared first."""
    begin = [one for one in infosets if one[:1] == text[:1]] if len(infosets) > _COMPARED else []
    near = get_close_matches(text[:_QUOTED], (begin or list(infosets))[:_COMPARED], n=_SHOWN, cutoff=0.0)
    texts = " or ".join(quoted(one) for one in near)
    hint = f"; did you mean {texts}?" if near else ""
    return InputError(f"{whose} has no infoset {quoted(text)}{where}{hint}")


def check_observation(observation: object) -> None:
    """Raise an InputError for an observation that is not a text."""
    if not isinstance(observation, str):
        kind = type(observation).__name__
        raise InputError(f"an observation must be the text of an infoset, as the game prints it, not a {kind}")
