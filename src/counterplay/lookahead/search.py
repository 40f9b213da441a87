"""How a player searches: everything that one look-ahead after the other is solved with."""

from __future__ import annotations

from dataclasses import dataclass, field

from counterplay.gametree.compile.levels import Depth
from counterplay.leaf_values.leaf_value import EstimatedValue
from counterplay.leaf_values.portfolio import Portfolio
from counterplay.leaf_values.value_function import Value
from counterplay.lookahead.tremble import Tremble
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.gadgets import FullGadget, Gadget, gadget_of
from counterplay.treeplex.restriction import check_p


@dataclass(frozen=True, eq=False)
class Search:
    """How every decision of a player is searched.

    Attributes:
        depth: how far each look-ahead sees.
        p: probability with which the opponent is the model.
        gadget: how the opponent who is not the model enters; its name will do.
        value: what stands behind the limit; None is exact: the game below is solved together with the look-ahead.
        solver: `lp` or a regret minimiser.
        stop: when a minimiser stops.
        joint: whether all public states of a level are solved together, as no player in a game could.
        tremble: what the opponent is taken to do at the gadget's own decisions, by more or less.
    """

    depth: Depth
    p: float = 0.0
    gadget: Gadget = FullGadget()  # noqa: RUF009 - frozen
    value: Value | None = None
    solver: str = "lp"
    stop: Stop = field(default_factory=Stop)
    joint: bool = False
    tremble: Tremble = field(default_factory=Tremble)

    def __post_init__(self) -> None:
        check_p(self.p)
        object.__setattr__(self, "gadget", gadget_of(self.gadget))
        self.tremble.check(self.gadget)
        if self.solver != "lp":
            minimiser(self.solver)

    @property
    def frees_the_opponent(self) -> bool:
        """Whether the opponent is free from the root of the game: behind the full gadget, if not the model for certain."""
        return self.gadget.keeps_path and self.p < 1.0

    @property
    def method(self) -> str:
        """The solver that is used: a value function that is not linear takes a minimiser."""
        linear = self.value is None or isinstance(self.value, EstimatedValue | Portfolio)
        return self.solver if linear or self.solver != "lp" else "cfr+"
