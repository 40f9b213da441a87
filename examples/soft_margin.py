"""A gadget of your own: max-margin, with margins that count somewhere between "as likely as they are" and "all alike".

Max-margin compares margins as counterfactual values, which are small where chance and the resolver hardly ever come;
normalised margins compare them given that the infoset is reached. Here a margin is divided by a power of its reach: 0 is the
first, 1 the second. All margins of the blueprint are 0, so that the result is never more exploitable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import counterplay as cp
from counterplay.gadgets.gadget import max_margin_entry
from counterplay.subgames.entry import Entry
from counterplay.subgames.plan_store import Root


@dataclass(frozen=True)
class SoftMargin(cp.Gadget):
    """The opponent chooses the root whose margin, divided by its reach to the `power`, is smallest."""

    name: ClassVar[str] = "soft-margin"
    chooses_one: ClassVar[bool] = True
    never_worse: ClassVar[bool] = True
    power: float = 0.5

    def entry(self, root: Root) -> Entry:
        """One decision over the roots; payoffs and alternative values behind each are scaled alike."""
        reached = root.weight > 0.0
        scale = np.where(reached, np.where(reached, root.weight, 1.0) ** -self.power, 0.0)
        return max_margin_entry(root.values, scale, root.weight)


if __name__ == "__main__":
    game = cp.load("leduc")
    for power in (0.0, 0.5, 1.0):
        found = cp.resolve(game, "random:1", "round", gadget=SoftMargin(power), solver="lp")
        print(f"power {power}: exploitability {found.before:.3f} before, {found.after:.3f} after")
