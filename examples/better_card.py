"""What stands behind the limit of a look-ahead, in your own words: in Kuhn poker, the better card wins a chip.

`worth` is the short way: chips of player 0 at a state, whatever the ranges. `BetterCard` says the same as a function of both
ranges, the form for whatever depends on them, such as a network.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import counterplay as cp
from counterplay.value_functions.leaf_value import LeafValue


def worth(state: Any) -> float:
    """Chips of player 0; a state of Kuhn poker begins with both cards."""
    return float(np.sign(state[0] - state[1]))


@dataclass(frozen=True)
class BetterCard(LeafValue):
    """The same, prepared for a border and then asked with two ranges; a record, whose text is `better-card`."""

    HEAD = "better-card"

    def at(self, border: Any) -> Any:
        chips = np.array([worth(border.game.state(history)) for history in border.histories])
        weight = border.chance * chips  # of each history of the border
        known0, known1 = border.known  # each player's infoset at each history, numbered from 0
        size0, size1 = border.sizes  # how many infosets that makes

        def evaluate(range0: Any, range1: Any) -> tuple[Any, Any]:
            cfv0 = np.bincount(known0, weight * range1[known1], size0)
            cfv1 = np.bincount(known1, -weight * range0[known0], size1)
            return cfv0, cfv1

        return evaluate


if __name__ == "__main__":
    game = cp.load("kuhn")
    model = cp.opponent(game, "random:3", player=1)
    for value in ("exact", worth, BetterCard()):
        answer = cp.respond(game, model, method="cdrnr", p=0.3, depth=1, leaf=value)
        print(f"{answer.value}: gain {answer.gain:.3f}, exploitability {answer.exploitability:.3f}")
    error = cp.value_error(game, worth, depth=1)
    print(f"wrong by {error.mean:.3f} chips on average, by {error.worst:.3f} at worst")
