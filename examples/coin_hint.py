"""A game of your own in one class: hide a coin, get a hint, guess.

Player 0 hides a coin, heads or tails up. Player 1 is told which side is up, but the hint is wrong three times in ten;
then player 1 guesses. A wrong guess pays player 0 one chip; finding heads pays player 1 two, finding tails one.
"""

from __future__ import annotations

import counterplay as cp


class CoinHint:
    """A state is the tuple of what happened: the hidden side, the hint, the guess."""

    name = "coin_hint"

    def root(self) -> tuple[str, ...]:
        return ()

    def player(self, state: tuple[str, ...]) -> int:
        return (0, cp.CHANCE, 1, cp.TERMINAL)[len(state)]

    def actions(self, state: tuple[str, ...]) -> list[str]:
        return ["heads", "tails"]

    def chance(self, state: tuple[str, ...]) -> list[float]:
        return [0.7, 0.3] if state[0] == "heads" else [0.3, 0.7]

    def child(self, state: tuple[str, ...], action: str) -> tuple[str, ...]:
        return (*state, action)

    def infoset(self, state: tuple[str, ...], player: int) -> str:
        return "hide" if player == 0 else f"hint {state[1]}"

    def utility(self, state: tuple[str, ...]) -> float:
        hidden, _, guess = state
        if guess != hidden:
            return 1.0
        return -2.0 if hidden == "heads" else -1.0


def trusting(infoset: str) -> dict[str, float]:
    """A model of player 1: always believe the hint."""
    believed = infoset.removeprefix("hint ")
    return {side: float(side == believed) for side in ("heads", "tails")}


if __name__ == "__main__":
    game = cp.load(CoinHint())
    model = cp.opponent(game, trusting, player=1)
    for allowed in (0.0, 0.2, 1.0):
        answer = cp.respond(game, model, max_exploitability=allowed)
        heads = answer.strategy.probabilities("hide")["heads"]
        print(
            f"allowed {allowed}: gain {answer.gain:.4f}, exploitability {answer.exploitability:.4f}, heads {heads:.4f}"
        )
