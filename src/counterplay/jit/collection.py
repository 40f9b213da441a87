"""Suspended garbage collection, where many objects are made and few of them are in cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_suspended() -> Iterator[None]:
    """No collection inside: it would look through all objects again and again."""
    usual = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if usual:
            gc.enable()
