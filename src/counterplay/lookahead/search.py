"""Records of look-aheads (extent and gadget) and of a player's search (look-ahead, trust and solver)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Annotated, Any, Self

from counterplay.display import by_fields
from counterplay.errors import InputError, quoted
from counterplay.gadgets import FullGadget, Gadget, gadget_of
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.priors import NONE, Prior, check_weights, prior_of
from counterplay.lookahead.tremble import Tremble, check_refinement
from counterplay.problem.solvable_game import SolvableGame
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver, minimiser
from counterplay.texts.readers import OneOf, Parsed, Reader, Share, YesNo
from counterplay.treeplex.restriction import check_p
from counterplay.value_functions.leaf_value import EXACT, EstimatedValue, ExactLeaf
from counterplay.value_functions.portfolio import Portfolio
from counterplay.value_functions.value_function import Value, value_function

JOINT, PER_STATE = WAYS = ("joint", "per-state")
LEAST = 0.25
"""Share of a time limit that is left for iterations, however long the work around them takes."""
BY_LEVEL, BY_DECISION = "by level", "by own decision"
"""Scopes of a look-ahead: all public states of a level at once, which no player could do in play, or each own decision
alone.
"""


@dataclass(frozen=True, repr=False)
class LookAhead:
    """A look-ahead: its extent, its value function and the opponent's entry.

    Attributes:
        depth: levels, `round`, `game` or a `Depth`; None for the default: one level, in hold'em a street.
        leaf: the value function at the limit, as `value_function` takes it; by default `ExactLeaf`: the game below is
            solved together with the look-ahead.
        gadget: the entry of an opponent who is not the model, also by name; None for the method's default.
        prior: selects the equilibrium of the gadget game (GGSE): `none` for any, `uniform`, `blueprint`, a .json file,
            or weights by infoset.
        epsilon: the probability of a tremble toward the prior; None for the limit 0 by the linear program, and
            `tremble.EPSILON` by a minimiser.
        normalised: whether augmented infosets have equal weight, whatever their reach by chance and the resolver; None:
            if alpha is above 0, as in SES.
        solve: `joint` solves all public states of a level together, which no player could do in play, `per-state` each
            alone, as in play; None for the default: together in `respond`, each alone in an agent.

    Raises: InputError: an invalid field; the message names it.
    """

    depth: Annotated[Depth | int | str | None, Reader()] = None
    leaf: Annotated[Any, Parsed(key="value", parse=value_function, text=attrgetter("name"))] = EXACT
    gadget: Annotated[Gadget | str | None, Parsed(parse=gadget_of)] = None
    prior: Annotated[Prior, Reader()] = NONE
    epsilon: Annotated[float | None, Share()] = None
    normalised: Annotated[bool | None, YesNo()] = None
    solve: Annotated[str | None, OneOf(words=WAYS)] = None

    def __post_init__(self) -> None:
        gadget = None if self.gadget is None else gadget_of(self.gadget)
        depth = None if self.depth is None else Depth.of(self.depth)
        prior = prior_of(self.prior) if isinstance(self.prior, str) else check_weights(self.prior)
        leaf = value_function(self.leaf)
        for name, made in {"depth": depth, "leaf": leaf, "gadget": gadget, "prior": prior}.items():
            object.__setattr__(self, name, made)
        check_refinement(self.prior, self.epsilon)
        if self.solve not in (None, *WAYS):
            raise InputError(f"a look-ahead is solved {' or '.join(WAYS)}, not {quoted(self.solve)}")

    def __repr__(self) -> str:
        return by_fields(self)

    @property
    def joint(self) -> bool:
        return self.solve == JOINT

    @property
    def extent(self) -> Depth:
        return Depth(levels=1) if self.depth is None else Depth.of(self.depth)

    def in_game(self, game: SolvableGame) -> Self:
        """The same with the default depth of a game, if it has none.

        Raises:
            InputError: a trimmed path in a game of poker, whose look-aheads see whole streets.
        """
        if self.gadget is not None and gadget_of(self.gadget).trims_path and game.enters_boards_alone:
            raise InputError(
                f"the {self.gadget} gadget needs a game in memory, history by history; {game.name} takes full"
            )
        return replace(self, depth=game.usual_depth) if self.depth is None else self

    @property
    def prior_name(self) -> str:
        return self.prior if isinstance(self.prior, str) else "given"

    @property
    def steps(self) -> str:
        """The scope of one solve in `respond`, in words."""
        return BY_DECISION if self.solve == PER_STATE else BY_LEVEL


@dataclass(frozen=True, eq=False)
class Search:
    """The search of a player's decisions: the look-ahead, the probability p that the opponent is the model, the probability
    alpha of SES that they enter with the model's range, the solver, and its stopping rule."""

    look: LookAhead = field(default_factory=LookAhead)
    p: float = 0.0
    alpha: float = 0.0
    solver: Solver = "lp"
    stop: Stop = field(default_factory=Stop)

    def __post_init__(self) -> None:
        check_p(self.p)
        self.tremble.check(self.gadget)
        if self.solver != "lp":
            minimiser(self.solver)

    def in_game(self, game: SolvableGame) -> Search:
        return replace(self, look=self.look.in_game(game))

    def looking(self, **changes: Any) -> Search:
        return replace(self, look=replace(self.look, **changes))

    def with_seconds(self, seconds: float, spent: float) -> Search:
        """The search with a time limit of which some is spent on other work than iterations."""
        return replace(self, stop=replace(self.stop, seconds=max(LEAST * seconds, seconds - spent)))

    def tilted(self, alpha: float) -> Search:
        """The search with another alpha; normalisation is kept."""
        return replace(self.looking(normalised=self.tremble.normalised or alpha > 0.0), alpha=alpha)

    @property
    def depth(self) -> Depth:
        return self.look.extent

    @property
    def gadget(self) -> Gadget:
        return FullGadget() if self.look.gadget is None else gadget_of(self.look.gadget)

    @property
    def value(self) -> Value:
        found: Value = self.look.leaf
        return found

    @property
    def exact(self) -> bool:
        """Whether the game below the limit is solved together with the look-ahead."""
        return isinstance(self.value, ExactLeaf)

    @property
    def joint(self) -> bool:
        return self.look.joint

    @property
    def tremble(self) -> Tremble:
        look = self.look
        normalised = self.alpha > 0.0 if look.normalised is None else look.normalised
        return Tremble(self.alpha, look.prior, look.epsilon, normalised)

    @property
    def frees_the_opponent(self) -> bool:
        """Whether the opponent is free from the root of the game: by the full gadget, unless they are surely the model."""
        return self.gadget.keeps_path and self.p < 1.0

    @property
    def method(self) -> Solver:
        """The solver in use: a value function that is not linear needs a minimiser."""
        linear = isinstance(self.value, ExactLeaf | EstimatedValue | Portfolio)
        return self.solver if linear or self.solver != "lp" else "cfr+"
