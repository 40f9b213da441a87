"""The value from which exploitability and gains of a blueprint are counted."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.problem.solvable_game import SolvableGame
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.subgames.plan_store import ArrayPlans, MeasuredPlans
from counterplay.treeplex.strategy import Strategy

NOTE = (
    "The value of this game is not known: in its place stands what both parts of the blueprint win from each other, and "
    "exploitability is counted from that. Values before and after are against the model."
)


@dataclass(frozen=True)
class Baseline:
    """A value of a game for player 0, in chips. error: by how much the value of either player may be larger, where the game
    is not solved exactly. known: whether it is the value of the game; in a whole game of hold'em it is what both parts
    of the blueprint win from each other, and a strategy may be less exploitable than 0."""

    name: str
    value: float
    known: bool = True
    error: float = 0.0

    @staticmethod
    def of(game: SolvableGame) -> Baseline:
        """The value of a game in memory."""
        found = equilibrium_of(game)
        return Baseline(game.name, found.value, error=0.0 if found.method == "lp" else found.exploitability)

    @property
    def note(self) -> str | None:
        """Caveat about what is counted from it, if there is one."""
        return None if self.known else NOTE

    def of_player(self, player: int) -> float:
        """The value for a player, in chips; an upper bound."""
        return (self.value if player == 0 else -self.value) + self.error

    def exploitability(self, plans: MeasuredPlans, player: int) -> float:
        """Gain of a best response to a player's plan beyond the value, in chips; below 0 by rounding."""
        return self.of_player(player) + plans.best_value(1 - player)

    def shown(self, exploitability: float) -> float:
        """An exploitability without rounding below 0."""
        return max(0.0, exploitability) if self.known else exploitability


def exploitability(game: SolvableGame, strategy: Strategy) -> float:
    """The exploitability of a strategy, in chips."""
    return Baseline.of(game).exploitability(ArrayPlans.of(game.subgame, strategy), strategy.player)
