"""Results as JSON: numbers to their last bit, arrays as text."""

from __future__ import annotations

import base64
import binascii
from math import isfinite, prod
from typing import Any

import numpy as np

from counterplay.errors import InputError

_ARRAY = "array"
_DTYPES = ("float64", "float32", "int64", "int32", "uint32", "uint16", "uint8", "bool")
"""The dtypes read from a file: plain numbers, never objects."""


def encoded(result: Any) -> Any:
    """A result as JSON values.

    Raises:
        TypeError: a value that is not a number, a text, None, an array, a list or a dict.
        ValueError: a non-finite number, which JSON lacks.
    """
    if result is None or isinstance(result, bool | int | str):
        return result
    if isinstance(result, np.ndarray):
        if result.dtype.name not in _DTYPES:
            raise TypeError(f"a result must not hold an array of {result.dtype}")
        little = np.ascontiguousarray(result).astype(result.dtype.newbyteorder("<"), copy=False)
        text = base64.b64encode(little.tobytes()).decode("ascii")
        return {_ARRAY: text, "dtype": result.dtype.name, "shape": list(result.shape)}
    if isinstance(result, float | np.floating | np.integer):
        number = result if isinstance(result, float) else result.item()
        if not isfinite(number):
            raise ValueError(f"a result must be a finite number, not {number}")
        return number
    if isinstance(result, list | tuple):
        return [encoded(one) for one in result]
    if isinstance(result, dict):
        return {str(name): encoded(one) for name, one in result.items()}
    raise TypeError(f"a result must be plain data, not {type(result).__name__}")


def decoded(document: Any) -> Any:
    """The result of JSON values; lists stay lists.

    Raises:
        InputError: a damaged array.
    """
    if isinstance(document, list):
        return [decoded(one) for one in document]
    if not isinstance(document, dict):
        return document
    if _ARRAY not in document:
        return {name: decoded(one) for name, one in document.items()}
    return _array(document[_ARRAY], document.get("dtype"), document.get("shape"))


def _array(text: Any, dtype: Any, shape: Any) -> np.ndarray[Any, Any]:
    sizes = shape if isinstance(shape, list) else [-1]
    if not isinstance(text, str) or dtype not in _DTYPES or not all(type(n) is int and n >= 0 for n in sizes):
        raise InputError("an array of a result is damaged")
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise InputError("an array of a result is damaged") from None
    kind = np.dtype(dtype).newbyteorder("<")
    if len(content) != prod(sizes) * kind.itemsize:
        raise InputError("an array of a result is damaged")
    return np.frombuffer(content, kind).reshape(sizes).astype(np.dtype(dtype))
