"""How a player searches: everything that one look-ahead after the other is solved with, and its texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from counterplay.catalogue import VALUES, heads
from counterplay.errors import InputError, quoted, unknown
from counterplay.games.plugin import called, is_plugin
from counterplay.gametree.compile.levels import Depth
from counterplay.leaf_values.equity import EQUITY, Equity
from counterplay.leaf_values.leaf_value import EstimatedValue, Heuristic, Rollouts, SolvedValue, ValueFunction
from counterplay.leaf_values.portfolio import PURE, Portfolio
from counterplay.leaf_values.sampled_portfolio import SampledPortfolio
from counterplay.lookahead.tremble import Tremble
from counterplay.opponents.opponent import is_strategy_text
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import MINIMISERS, minimiser
from counterplay.subgames.gadgets import FullGadget, Gadget, gadget_of
from counterplay.treeplex.restriction import check_p

EXACT = "exact"
Value = ValueFunction | EstimatedValue | Portfolio


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
