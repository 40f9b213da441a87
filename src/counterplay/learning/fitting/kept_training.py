"""Training that goes on where it was interrupted, to the same bits: its whole state, kept in a record every so often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from counterplay.errors import InputError
from counterplay.work.work_record import WorkRecord

_TIMES = 20
"""How often a state is kept on the way."""


class Stateful(Protocol):
    """What is trained step by step."""

    @property
    def done(self) -> int:
        """Steps so far."""

    def state(self) -> dict[str, Any]:
        """Everything that later steps depend on, as plain data."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up a state."""


class KeptTraining:
    """A training and the record of its state.

    Args:
        record: of this training alone; None keeps nothing.
        trained: what is trained.
        steps: how many there will be.
    """

    def __init__(self, record: WorkRecord | None, trained: Stateful, steps: int) -> None:
        self._record, self._trained = record, trained
        self._steps, self._often = steps, max(1, steps // _TIMES)

    def go_on(self) -> None:
        """Take up the state of the record, if it has one.

        Raises:
            InputError: the state is not one of this training.
        """
        state = None if self._record is None else self._record.results.get("training")
        if state is None:
            return
        try:
            self._trained.restore(state)
        except (KeyError, TypeError, ValueError, RuntimeError):
            raise InputError("cannot go on: the record holds a state of another training") from None

    def step_done(self) -> None:
        """Keep the state after some steps, and after the last."""
        done = self._trained.done
        if self._record is not None and (done % self._often == 0 or done == self._steps):
            self._record.keep("training", self._trained.state())


def kept_tensor(tensor: Any) -> dict[str, Any]:
    """A tensor as plain data. Columns stay together where they are: sums in another order would round otherwise."""
    numbers = tensor.detach().numpy()
    by_columns = numbers.ndim == 2 and not numbers.flags.c_contiguous
    return {"by columns": by_columns, "numbers": np.array(numbers.T if by_columns else numbers, order="C")}


def tensor_of(torch: Any, kept: Mapping[str, Any]) -> Any:
    """The inverse of `kept_tensor`."""
    found = torch.from_numpy(np.array(kept["numbers"]))
    return found.T if kept["by columns"] else found
