"""The base class of the library's agents: their members, and errors that name who has what an agent lacks."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from counterplay.display import seated
from counterplay.errors import InputError
from counterplay.treeplex.strategy import Strategy

Source = Strategy | str | Callable[..., Any] | None
"""A model of the opponent: a strategy, or anything that `opponents.opponent` takes."""
LINES = 1000
"""The most lines of a log."""
_SEARCHING = "cdbr, cdrnr, abd, resolve and ses"


class Player:
    """An agent as `cp.agent` makes it; a member that it does not support raises an error that names agents that do.

    Attributes:
        seat: 0 or 1.
        name: for messages and results.
        log: lines about its decisions.
    """

    def __init__(self, seat: int, name: str) -> None:
        self.seat, self.name = seat, name
        self.log: deque[str] = deque(maxlen=LINES)

    def __repr__(self) -> str:
        return seated(self)

    def new_hand(self) -> None:
        """Begin a new hand."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """The text of an action.

        Args:
            observation: the text of the agent's infoset.
            legal: the texts of the legal actions; an agent that knows its game needs none.

        Raises:
            InputError: the agent cannot observe this.
        """
        raise NotImplementedError

    def end_hand(self, result: float, shown: Any) -> None:
        """Take note of a finished hand; by default nothing is learned.

        Args:
            result: chips won.
            shown: the moves of the hand as this seat may know them, each the acting player and the text of the action or
                None; in whole hold'em a `HoldemHand`; None altogether where no agent learns.
        """

    def policy(self, observation: str) -> dict[str, float]:  # noqa: ARG002 - of those that have one
        """The probability of each action at an infoset; nothing is drawn.

        Raises:
            InputError: unknown infoset, or the agent acts without knowing the game.
        """
        raise InputError(f"{self.name} has no policy by texts; agents that hold or compute a strategy have one")

    def belief(self, observation: str) -> dict[str, float]:  # noqa: ARG002
        """The probability of each infoset of the other player, by its text; observation: also where the other acts.

        Raises:
            InputError: the agent holds no belief.
        """
        raise InputError(f"{self.name} has no belief to show; agents that search have one: {_SEARCHING}")

    @property
    def model(self) -> Source:
        """The model of the opponent; None without one. Searching agents accept another one."""
        return None

    @model.setter
    def model(self, source: Source) -> None:  # noqa: ARG002
        raise InputError(self._fixed("model", f"in a spot or a loaded game {_SEARCHING} take another one"))

    @property
    def p(self) -> float | None:
        """The probability that the opponent is the model; None if the agent has none."""
        return None

    @p.setter
    def p(self, p: float) -> None:  # noqa: ARG002
        raise InputError(self._fixed("p", "cdrnr and abd take another one in a spot or a loaded game"))

    @property
    def alpha(self) -> float | None:
        """The exploitation level of SES; None if the agent has none."""
        return None

    @alpha.setter
    def alpha(self, alpha: float) -> None:  # noqa: ARG002
        raise InputError(self._fixed("alpha", "ses takes another one in a spot or a loaded game"))

    def save(self, path: str | Path) -> None:
        """Save the agent to a file with the ending `.cpa`, from which `cp.resume` restores it.

        Raises:
            InputError: the agent cannot be saved, or the file cannot be written.
        """
        raise InputError(
            f"{self.name} cannot be saved to {path}; {_SEARCHING} can, in spots and in games by their text"
        )

    def _fixed(self, what: str, who: str) -> str:
        return f"the {what} of {self.name} is part of its text and cannot be set; {who}"


def cut_short(what: str, interrupted: bool, iterations: int, gap: float, goes_on: bool = True) -> str:
    """The log line about an unfinished solve."""
    why = "Ctrl-C" if interrupted else "its limit"
    far = f" at a gap of {gap:.3g} chips" if isfinite(gap) else ""
    after = "goes on" if goes_on else "begins anew"
    return f"{what}: {why} came after {iterations} iterations{far}; {after} when it comes back"


def draws_state(draws: random.Random) -> list[Any]:
    """The state of a generator as plain numbers."""
    version, numbers, gauss = draws.getstate()
    return [version, list(numbers), gauss]


def restore_draws(draws: random.Random, state: Sequence[Any]) -> None:
    """Set a generator to such a state."""
    version, numbers, gauss = state
    draws.setstate((version, tuple(numbers), gauss))
