"""A responder and a model, with the limits of solves: the fields of every kind of match-up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

from counterplay.lookahead.search import LookAhead
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Solver
from counterplay.work.work_settings import WorkSettings


class Fitting(Protocol):
    """A method that may be written for many games."""

    def in_game(self, game: Any) -> Any:
        """The method as it is in one of them."""


T = TypeVar("T", bound=Fitting)


class Searching(Protocol):
    """A method that looks ahead, as a match-up sees it."""

    HEAD: ClassVar[str]

    @property
    def far(self) -> LookAhead:
        """Its look-ahead."""


@dataclass(eq=False)
class Pairing:
    """One responder, one model.

    Attributes:
        game: the game.
        model: the opponent's modelled strategy; the responder has the other seat.
        solver: `lp`, a regret minimiser, or `auto`.
        stop: stopping rule of iterative solvers.
        progress: called with iterations and exploitability of iterative solves.
        seed: seed of draws.
        pieces: how what is computed in pieces is.
    """

    game: Any
    model: Any
    solver: Solver = "auto"
    stop: Stop = field(default_factory=Stop)
    progress: Progress | None = None
    seed: int | None = None
    pieces: WorkSettings = field(default_factory=WorkSettings, kw_only=True)

    @property
    def seat(self) -> int:
        """The responder's seat."""
        seat: int = 1 - self.model.player
        return seat

    @property
    def value_gap(self) -> float | None:
        """See `worlds.AnyMatchup`."""
        return None

    def measures(self, plan: Any) -> dict[str, float]:
        """See `worlds.AnyMatchup`."""
        match: Any = self
        value, won, exploitability = match.game_value, match.value_against_model(plan), match.exploitability(plan)
        if match.has_corners:  # the game's value is known, and less than nothing is rounding
            exploitability = max(0.0, exploitability)
        return {
            "game_value": value, "game_value_gap": match.value_gap, "value_against_model": won, "gain": won - value,
            "exploitability": exploitability,
        }  # fmt: skip

    def is_in_pieces(self, method: Any) -> bool:  # noqa: ARG002 - few are
        """Whether the response of a method is computed in pieces that a record keeps."""
        return False

    def refine_for(self, risk: float) -> None:
        """Solve the game more finely, where it is iterated, for an answer whose exploitability is limited to some chips."""

    def gap_of(self, method: Any, trust: float | None, outcome: Any) -> float:  # noqa: ARG002 - few measure it
        """See `worlds.AnyMatchup`."""
        gap: float = outcome.gap
        return gap

    def why_blueprint(self, method: Any, answer: Any) -> str | None:  # noqa: ARG002 - in whole games alone
        """See `worlds.AnyMatchup`."""
        return None

    def in_game(self, method: T) -> T:
        """A method with its amounts in chips of the game, and with the look-ahead that it has there."""
        found: T = method.in_game(self.game)
        return found
