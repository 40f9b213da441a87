"""How far the model is trusted: an affine map of a player's strategy set.

Plan scope: the played plan is `p · model + (1 - p) · y` (the opponent is the model with probability p).
Local scope: the played behaviour at infoset I is `τ(I) · model + (1 - τ(I)) · s(I)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import Treeplex

Floats = NDArray[np.float64]
_NONE = np.zeros(0)


def check_p(p: float) -> None:
    """Refuse a weight of the model that is no probability.

    Raises:
        InputError: p outside [0, 1].
    """
    if not 0.0 <= p <= 1.0:
        raise InputError(f"p must be between 0 and 1, not {p:g}")


@dataclass(frozen=True, eq=False)
class Restriction:
    """What binds one player's strategy.

    Attributes:
        p: weight of the model's plan, in [0, 1].
        plan: (size,) the model's plan; length 0 if p is 0.
        keep: (lanes,) 1 - τ, the freedom left at each infoset; length 0 if there is no local restriction.
        mix: (size,) τ · model's behaviour, length 0 likewise.
    """

    p: float = 0.0
    plan: Floats = field(default_factory=lambda: _NONE)
    keep: Floats = field(default_factory=lambda: _NONE)
    mix: Floats = field(default_factory=lambda: _NONE)

    @staticmethod
    def of_plan(tree: Treeplex, model: Floats, p: float) -> Restriction:
        """The player is the behaviour `model` with probability p, decided before the game."""
        check_p(p)
        return Restriction(p=p, plan=reach(tree, model)) if p > 0.0 else Restriction()

    @staticmethod
    def local(tree: Treeplex, model: Floats, trust: Floats) -> Restriction:
        """At each lane the player is the behaviour `model` with probability trust[lane]."""
        if not ((trust >= 0.0) & (trust <= 1.0)).all():
            raise InputError("trust must be between 0 and 1 at every infoset")
        by_sequence = np.zeros(tree.size)
        inside = tree.owner >= 0
        by_sequence[inside] = trust[tree.owner[inside]]
        return Restriction(keep=1.0 - trust, mix=by_sequence * model)

    @property
    def is_local(self) -> bool:
        """Whether some infoset is restricted."""
        return len(self.keep) > 0

    def behaviour(self, tree: Treeplex, free: Floats) -> Floats:
        """(size,) what is played locally when `free` is chosen."""
        if not self.is_local:
            return free
        played = self.mix.copy()
        inside = tree.owner >= 0
        played[inside] += self.keep[tree.owner[inside]] * free[inside]
        played[0] = 1.0
        return played
