"""What leaves of a general-sum problem lack: one matrix of payoffs, whose saddle point a linear program finds."""

from __future__ import annotations

from typing import Any

from counterplay.errors import InputError


class GeneralSum:
    """The part of `Leaves` that leaves with a payoff for each player share."""

    @property
    def rows(self) -> Any:
        """Raises: InputError: there is no single matrix."""
        raise InputError("the players' payoffs differ, so that there is no saddle point: use a minimiser such as dcfr")

    @property
    def columns(self) -> Any:
        """As `rows`."""
        return self.rows
