"""Types of arrays, one name for each dtype; and arrays of records: numbers of one shape, checked once and read-only then."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterplay.errors import InputError

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
I32 = NDArray[np.int32]
I8 = NDArray[np.int8]
U32 = NDArray[np.uint32]
U16 = NDArray[np.uint16]
U8 = NDArray[np.uint8]
Flags = NDArray[np.bool_]
AnyArray = NDArray[Any]


def read_only(values: ArrayLike, what: str, shape: tuple[int, ...], *, single: bool = False) -> AnyArray:
    """Real numbers of a shape, in a float64 array that cannot be written to: `values` if it is such an array and no view of
    one that can, else a copy. what: their name in messages. single: float32 stays float32.
    """
    try:
        given: AnyArray = np.asarray(values)
    except ValueError:  # rows of unequal lengths
        raise InputError(f"{what} must be an array of numbers") from None
    if given.dtype.kind not in "fiub":
        raise InputError(f"{what} must be an array of numbers, not of {given.dtype}")
    if given.shape != shape:
        raise InputError(f"{what} must have the shape {shape}, not {given.shape}")
    kind = np.float32 if single and given.dtype == np.float32 else np.float64
    if given.dtype == kind and given.flags.c_contiguous and _is_frozen(given):
        return given
    return frozen(np.array(given, kind, order="C"))


def frozen(array: AnyArray) -> AnyArray:
    """A new array of any shape, which no other code holds, made read-only in place."""
    array.setflags(write=False)
    return array


def _is_frozen(array: AnyArray) -> bool:
    """Return whether an array and the memory of which it is a view are read-only."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        owner = owner.base
    with suppress(TypeError):
        return owner is None or memoryview(owner).readonly
    return False  # memory of another library


def check_integers(values: Any, what: str, shape: tuple[int, ...], least: int, below: int) -> None:
    """Check that an array holds whole numbers of a shape, from `least` and `below` a bound; `what` it is, for messages."""
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu":
        raise InputError(f"{what} must be an array of whole numbers")
    if values.shape != shape:
        raise InputError(f"{what} must have the shape {shape}, not {values.shape}")
    if values.size and not (
        np.minimum.reduce(values, axis=None) >= least and np.maximum.reduce(values, axis=None) < below
    ):
        raise InputError(f"{what} must be from {least} to {below - 1}")


def check_finite(values: Any, what: str, shape: tuple[int, ...], least: float = -np.inf) -> None:
    """Check an array of finite numbers of at least `least`; errors as of `check_integers`."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        raise InputError(f"{what} must be an array of numbers")
    if values.shape != shape:
        raise InputError(f"{what} must have the shape {shape}, not {values.shape}")
    if not np.isfinite(values).all() or not np.minimum.reduce(values, axis=None, initial=np.inf) >= least:
        raise InputError(f"{what} must be finite numbers" + (f" of at least {least:g}" if least > -np.inf else ""))


def locked(array: AnyArray) -> AnyArray:
    """A read-only view of an array of any shape, whose owner does not change it any more: it spares a copy."""
    view = array.view()
    view.setflags(write=False)
    return view


def lock_fields(record: object, *names: str) -> None:
    """Put read-only views in place of the arrays, or tuples of arrays, in fields of a frozen record."""
    for name in names:
        value = getattr(record, name)
        view = tuple(map(locked, value)) if isinstance(value, tuple) else locked(value)
        object.__setattr__(record, name, view)
