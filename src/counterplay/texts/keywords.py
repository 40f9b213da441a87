"""Keywords of functions that take many: each is a key of a `TypedDict`; others are errors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, get_type_hints

from counterplay.errors import unknown


def check_keywords(function: str, given: Mapping[str, Any], known: Any) -> None:
    """Reject an unknown keyword.

    Args:
        function: name of the function, for the message.
        given: the given keywords.
        known: the `TypedDict` of known keywords.

    Raises:
        InputError: the message names it, and the most similar known one.
    """
    for key in given:
        if key not in _keys(known):
            raise unknown("option", key, _keys(known), lacks=function)


@cache
def _keys(known: Any) -> Mapping[str, Any]:
    """The types of a `TypedDict`, whose texts take longer to evaluate than a small program to solve."""
    return get_type_hints(known)
