"""The base class of our agents: what may be asked of one, and a clear sentence where it has no answer."""

from __future__ import annotations

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
"""Lines that a log keeps."""
_SEARCHING = "cdbr, cdrnr, abd, resolve and ses"


class Player:
    """An agent of a text: `cp.agent` makes one. Not every agent can do everything that is here; what one cannot do it
    refuses in a sentence that says who can.

    Args:
        seat: 0 or 1.
        name: for messages and results.

    Attributes:
        log: lines about its decisions.
    """

    def __init__(self, seat: int, name: str) -> None:
        self.seat, self.name = seat, name
        self.log: deque[str] = deque(maxlen=LINES)

    def __repr__(self) -> str:
        return seated(self)

    def new_hand(self) -> None:
        """A new hand begins; here nothing is remembered."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """The text of an action.

        Args:
            observation: the text of the own infoset.
            legal: the texts of the legal actions; an agent that knows its game needs none.

        Raises:
            InputError: it cannot be where it observes this.
        """
        raise NotImplementedError

    def policy(self, observation: str) -> dict[str, float]:  # noqa: ARG002 - of those that have one
        """The probability of each action at an infoset; nothing is drawn.

        Raises:
            InputError: there is no such infoset, or the agent acts without knowing the game.
        """
        raise InputError(f"{self.name} has no policy by texts; agents that hold or compute a strategy have one")

    def belief(self, observation: str) -> dict[str, float]:  # noqa: ARG002
        """How likely the other player is in each situation, by its text.

        Args:
            observation: of the own seat, also where the other player acts.

        Raises:
            InputError: the agent holds no belief.
        """
        raise InputError(f"{self.name} has no belief to show; agents that search have one: {_SEARCHING}")

    @property
    def model(self) -> Source:
        """The model of the opponent; None without. Those that search take another one; when it counts they say."""
        return None

    @model.setter
    def model(self, source: Source) -> None:  # noqa: ARG002
        raise InputError(self._fixed("model", f"in a spot or a game that is loaded {_SEARCHING} take another one"))

    @property
    def p(self) -> float | None:
        """The probability with which the opponent is the model; None where there is no such number."""
        return None

    @p.setter
    def p(self, p: float) -> None:  # noqa: ARG002
        raise InputError(self._fixed("p", "cdrnr and abd take another one in a spot or a game that is loaded"))

    @property
    def alpha(self) -> float | None:
        """The exploitation level of SES; None where there is none."""
        return None

    @alpha.setter
    def alpha(self, alpha: float) -> None:  # noqa: ARG002
        raise InputError(self._fixed("alpha", "ses takes another one in a spot or a game that is loaded"))

    def save(self, path: str | Path) -> None:
        """Write it to a file that ends in `.cpa`, from which `cp.resume` brings it back.

        Raises:
            InputError: the agent cannot be saved, or the file cannot be written.
        """
        raise InputError(
            f"{self.name} cannot be saved to {path}; {_SEARCHING} can, in spots and in games by their text"
        )

    def _fixed(self, what: str, who: str) -> str:
        return f"the {what} of {self.name} stands in its text and cannot be set; {who}"


def cut_short(what: str, interrupted: bool, iterations: int, gap: float, goes_on: bool = True) -> str:
    """The line of a log on a solve that is not finished."""
    why = "Ctrl-C" if interrupted else "its limit"
    far = f" at a gap of {gap:.3g} chips" if isfinite(gap) else ""
    after = "goes on" if goes_on else "begins anew"
    return f"{what}: {why} came after {iterations} iterations{far}; {after} when it comes back"
