"""One player's strategy of a large spot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.display import brief
from counterplay.errors import InputError
from counterplay.poker.compact.sequence_reader import ReadNumbers
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class StoredStrategy:
    """A strategy in a plan store, a `CompactPlans`; it has the members of a `Strategy`, whose numbers are read branch
    by branch. counts: (lanes,) observations at each infoset, of a model made from data; None otherwise."""

    plans: Any
    player: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    counts: F64 | None = None

    def __repr__(self) -> str:
        facts = [f"{word} {self.facts[word]}" for word in ("game", "method") if word in self.facts]
        return brief(self, f"of player {self.player}", *facts, f"{self.plans.tree.infosets(self.player):,} infosets")

    @property
    def tree(self) -> Treeplex:
        """The player's treeplex, which takes memory for every infoset."""
        found: Treeplex = self.plans.tree.runs[self.player].tree
        return found

    @property
    def behaviour(self) -> ReadNumbers:
        """(size,) probabilities of actions."""
        found: ReadNumbers = self.plans.behaviour(self.player)
        return found

    @property
    def plan(self) -> ReadNumbers:
        """(size,) the realization plan."""
        found: ReadNumbers = self.plans.reach(self.player)
        return found

    @property
    def whole(self) -> Strategy:
        """The same as arrays; the caller knows that they fit."""
        return Strategy(self.tree, np.asarray(self.behaviour[:]), self.facts, self.counts)

    def save(self, path: str | Path) -> None:
        """Refused with an `InputError`: a list of all infosets by text would be far larger than the store."""
        raise large_strategy(path)


def large_strategy(path: str | Path) -> InputError:
    """The refusal to list all infosets of a large spot."""
    return InputError(
        f"cannot write {path}: a strategy of a spot this large is saved with the other player's, in a .spot file"
    )
