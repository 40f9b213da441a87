"""Keywords of functions that take many: each is one of a `TypedDict`, and any other is refused in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_type_hints

from counterplay.errors import unknown


def check_keywords(function: str, given: Mapping[str, Any], known: Any) -> None:
    """Refuse a keyword that is none.

    Args:
        function: that takes them, for the message.
        given: the keywords.
        known: the `TypedDict` of those that there are.

    Raises:
        InputError: naming it, and the nearest that there is.
    """
    for key in given:
        if key not in get_type_hints(known):
            raise unknown("option", key, get_type_hints(known), lacks=function)
