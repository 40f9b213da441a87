"""Look-aheads: what one sees and how the opponent enters it, and how a player searches one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from counterplay.catalogue import VALUES, heads
from counterplay.display import by_fields
from counterplay.errors import InputError, quoted, unknown
from counterplay.games.plugin import called, is_plugin
from counterplay.gametree.compile.levels import Depth
from counterplay.leaf_values.equity import EQUITY, Equity
from counterplay.leaf_values.leaf_value import EstimatedValue, Heuristic, Rollouts, SolvedValue, ValueFunction
from counterplay.leaf_values.portfolio import PURE, Portfolio
from counterplay.leaf_values.sampled_portfolio import SampledPortfolio
from counterplay.lookahead.priors import NONE, Prior, check_weights, prior_of
from counterplay.lookahead.tremble import Tremble, check_refinement
from counterplay.opponents.opponent import is_strategy_text
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import MINIMISERS, minimiser
from counterplay.subgames.gadgets import FullGadget, Gadget, gadget_of
from counterplay.texts.readers import OneOf, Parsed, Reader, Share, YesNo
from counterplay.treeplex.restriction import check_p

EXACT = "exact"
JOINT, PER_STATE = WAYS = ("joint", "per-state")
BY_LEVEL, BY_DECISION = "by level", "by own decision"
"""How a look-ahead steps: all public states of a level at once, as no player in a game could, or each own decision alone."""
Value = ValueFunction | EstimatedValue | Portfolio


@dataclass(frozen=True, repr=False)
class LookAhead:
    """What one look-ahead sees, and how the opponent enters it: the one description of a look-ahead.

    Attributes:
        depth: how far it sees: levels, `round`, `game` or a `Depth`; None for what is usual: one level, in spots a street.
        leaf: what stands behind the limit, as `value_function` takes it; None is exact: the game below is solved together
            with the look-ahead.
        gadget: how an opponent who is not the model enters; its name will do; None for the method's usual one.
        prior: which equilibrium of the gadget game is taken (GGSE): `none` for any, `uniform`, `blueprint`, a .json file, or
            weights by infoset.
        epsilon: the probability with which the opponent comes as the prior says; None for its limit 0 by the linear program,
            and `tremble.EPSILON` by a minimiser.
        normalised: whether augmented infosets count alike, however likely chance and the resolver make them; None where
            alpha is above 0, as in SES.
        solve: `joint` solves all public states of a level together, as no player in a game could, `per-state` each alone,
            as in play; None for what is usual: together by `respond`, each alone by an agent.

    Raises:
        InputError: naming what is wrong.
    """

    depth: Annotated[Depth | int | str | None, Reader()] = None
    leaf: Annotated[Any, Parsed(key="value", parse=value_function, text=name_of_value)] = None
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
        """Whether all public states of a level are solved together."""
        return self.solve == JOINT

    @property
    def value_name(self) -> str:
        """What stands behind the limit, as on the command line."""
        return name_of_value(self.leaf)

    @property
    def prior_name(self) -> str:
        """The prior, as on the command line."""
        return self.prior if isinstance(self.prior, str) else "given"

    @property
    def steps(self) -> str:
        """What `respond` solves at once, in words."""
        return BY_DECISION if self.solve == PER_STATE else BY_LEVEL


@dataclass(frozen=True, eq=False)
class Search:
    """How every decision of a player is searched: a look-ahead, how far the model is trusted in it, and how it is solved.

    Attributes:
        look: of every decision.
        p: probability with which the opponent is the model.
        alpha: SES: with this probability the opponent comes into a look-ahead as the model would.
        solver: `lp` or a regret minimiser.
        stop: when a minimiser stops.
    """

    look: LookAhead = field(default_factory=LookAhead)
    p: float = 0.0
    alpha: float = 0.0
    solver: str = "lp"
    stop: Stop = field(default_factory=Stop)

    def __post_init__(self) -> None:
        check_p(self.p)
        self.tremble.check(self.gadget)
        if self.solver != "lp":
            minimiser(self.solver)

    def looking(self, **changes: Any) -> Search:
        """The same search with another look-ahead: what is changed in it."""
        return replace(self, look=replace(self.look, **changes))

    def tilted(self, alpha: float) -> Search:
        """The same search at another alpha; infosets that counted alike still do."""
        return replace(self.looking(normalised=self.tremble.normalised or alpha > 0.0), alpha=alpha)

    @property
    def depth(self) -> Depth:
        """How far each look-ahead sees."""
        return Depth(levels=1) if self.look.depth is None else Depth.of(self.look.depth)

    @property
    def gadget(self) -> Gadget:
        """How the opponent who is not the model enters."""
        return FullGadget() if self.look.gadget is None else gadget_of(self.look.gadget)

    @property
    def value(self) -> Value | None:
        """What stands behind the limit; None is exact."""
        found: Value | None = self.look.leaf
        return found

    @property
    def joint(self) -> bool:
        """Whether all public states of a level are solved together."""
        return self.look.joint

    @property
    def tremble(self) -> Tremble:
        """What the opponent is taken to do at the gadget's own decisions."""
        look = self.look
        normalised = self.alpha > 0.0 if look.normalised is None else look.normalised
        return Tremble(self.alpha, look.prior, look.epsilon, normalised)

    @property
    def frees_the_opponent(self) -> bool:
        """Whether the opponent is free from the root of the game: behind the full gadget, if not the model for certain."""
        return self.gadget.keeps_path and self.p < 1.0

    @property
    def method(self) -> str:
        """The solver that is used: a value function that is not linear takes a minimiser."""
        linear = self.value is None or isinstance(self.value, EstimatedValue | Portfolio)
        return self.solver if linear or self.solver != "lp" else "cfr+"


def value_function(source: Any) -> Value | None:
    """A value function from a text, a function of a state, or an object of the protocol; None is the exact one.

    Texts: `exact`; `lp` (the same, nested); `cfr:N`, `cfr+:N` and the other minimisers; `rollout:N[,SEED]`;
    `portfolio:A;B;...` (opponents' texts, for both players or split by `|`); `sampled:N[,SEED]:A;B;...` (the same by N
    random games for each history and pair); `module:function` (chips of player 0 at a state); in spots `equity`.

    Raises:
        InputError: none of these.
    """
    if source is None or source == EXACT:
        return None
    if isinstance(source, str):
        return _by_text(source)
    if isinstance(source, ValueFunction | EstimatedValue | Portfolio):
        return source
    if callable(source):
        return Heuristic(source, str(getattr(source, "__name__", "heuristic")))
    raise InputError(f"a value function must be a text, a function of a state, or have the method at, not {source!r}")


def name_of_value(value: Value | None) -> str:
    """A value function as on the command line."""
    return EXACT if value is None else value.name


def is_fixed_value(rules: Any, text: str) -> bool:
    """Whether a text means the same value function of a game at any time: as `opponents.opponent.is_fixed` has it."""
    head, _, rest = text.partition(":")
    if head in ("portfolio", "sampled"):
        sides = _strategies(rest.partition(":")[2] if head == "sampled" else rest)
        return all(sides) and all(word == PURE or is_strategy_text(rules, word) for side in sides for word in side)
    return text in (EXACT, "lp", EQUITY) or head in ("rollout", *MINIMISERS)


def _by_text(text: str) -> Value:
    head, _, rest = text.partition(":")
    if text == "lp":
        return SolvedValue()
    if text == EQUITY:
        return Equity()
    if head in MINIMISERS:
        # The paper's imperfect value function, called cfr:500 there, iterates CFR+.
        return SolvedValue(_whole(text, rest), minimiser("cfr+" if head == "cfr" else head))
    if head == "portfolio":
        return Portfolio(_strategies(rest), text)
    if head == "sampled":
        return _sampled(text, rest)
    if head == "rollout":
        samples, comma, seed = rest.partition(",")
        return Rollouts(_whole(text, samples), _whole(text, seed if comma else "0", least=0))
    known = heads(VALUES)
    if not is_plugin(text, known):
        raise unknown("value function", text, known, listed=VALUES)
    made = called(text, "value function", known)
    return made if isinstance(made, ValueFunction | EstimatedValue) else Heuristic(made, text)


def _strategies(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Opponents' texts for both players, split by `;`; behind a `|` stand those of player 1."""
    first, bar, second = text.partition("|")
    mine, theirs = (tuple(word.strip() for word in part.split(";") if word.strip()) for part in (first, second))
    return mine, theirs if bar else mine


def _sampled(text: str, rest: str) -> SampledPortfolio:
    numbers, _, portfolio = rest.partition(":")
    samples, comma, seed = numbers.partition(",")
    count, number = _whole(text, samples), _whole(text, seed if comma else "0", least=0)
    return SampledPortfolio(_strategies(portfolio), text, samples=count, seed=number)


def _whole(text: str, number: str, least: int = 1) -> int:
    if not number.isdecimal() or len(number) > _DIGITS or int(number) < least:
        raise InputError(
            f"the value function {quoted(text)} needs a whole number from {least} on, not {quoted(number)}"
        )
    return int(number)


_DIGITS = 9
