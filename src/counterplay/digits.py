"""Whole numbers in texts of users, files and servers."""

from __future__ import annotations


def whole_of(word: str, digits: int = 9) -> int | None:
    """The number of a text of decimal digits; None if it is another text, or has more than so many digits: `int` has an
    error of its own for thousands of them.
    """
    return int(word) if word.isdecimal() and len(word) <= digits else None
