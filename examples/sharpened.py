"""A kind of opponent of your own: another one whose probabilities are raised to a power and scaled to sum to 1.

A power above 1 makes a mixed strategy purer, one below 1 flattens it. The fields of the record also say how its text,
`sharpen:POWER:OPPONENT`, is read and written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import counterplay as cp
from counterplay.opponents.model import MODELS
from counterplay.texts.readers import Positive


@dataclass(frozen=True)
class Sharpened(cp.OpponentModel):
    """At every infoset the probabilities of `to`, raised to `power`."""

    HEAD = "sharpen"
    power: Annotated[float, Positive(what="the power", example="2")]
    to: Annotated[cp.OpponentModel, MODELS.nested("the opponent that it sharpens")]

    def make(self, game: cp.GameTree, player: int, seed: int) -> cp.Strategy:
        inner = self.to.strategy(game, player, seed)
        behaviour = inner.behaviour.copy()
        for lane in inner.tree.visit_order:  # one infoset with a choice after the other
            here = inner.tree.sequences_of(int(lane))
            raised = behaviour[here] ** self.power
            behaviour[here] = raised / raised.sum()
        return cp.Strategy(inner.tree, behaviour)


if __name__ == "__main__":
    game = cp.load("leduc")
    for power in (0.25, 1.0, 4.0):
        model = cp.opponent(game, Sharpened(power, "cfr+:10"), player=1)
        risk, gain = cp.evaluate(game, model).exploitability, cp.respond(game, model, cp.Safe(0.05)).gain
        print(f"{Sharpened(power, 'cfr+:10')!s:22} exploitability {risk:.3f}, gain {gain:.3f}")
