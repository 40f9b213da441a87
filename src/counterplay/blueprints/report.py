"""Report of a re-solved blueprint: the strategy, its settings, exploitability and gain before and after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

from counterplay.about import version
from counterplay.blueprints.continuation import Equilibria, SesBounds
from counterplay.blueprints.resolved_blueprint import (
    NOTE,
    Baseline,
    BlueprintInputs,
    ResolvedBlueprint,
    ResolveSettings,
)
from counterplay.display import brief
from counterplay.lookahead.tremble import UNBOUNDED
from counterplay.subgames.plan_store import MeasuredPlans


@dataclass(frozen=True, eq=False)
class Resolution:
    """A blueprint with re-solved subgames, and the effect. Chips of the resolver.

    Attributes:
        plans: the resolver's strategy, and the opponent's where it is known.
        game, seat, at: the game, the resolver's seat, the places.
        gadget, prior, epsilon, alpha, error, normalised, values, solver: settings (see `resolve`).
        variant: which of two algorithms of that name SES is; None without alpha.
        ties: which of the optimal plans of its gadget games SES takes; None without alpha.
        states: number of re-solved subgames.
        skipped: number of subgames that the blueprint never reaches.
        game_value: the resolver's equilibrium value, an upper bound where it is iterated; where that is not known, what
            `note` says.
        game_value_gap: the most by which the value is below that; None where it is not known.
        before, after: exploitability of the blueprint and of the strategy.
        gain_before, gain_after: gain of each against the model; None without one. Where the value of the game is not known,
            facts have `value_before` and `value_after` against the model instead.
        gain_mixing, mixing: gain and exploitability of the baseline of SES, which plays a best response to the model
            with probability alpha, drawn before every hand, else the blueprint; None without alpha.
        continuation: the least exploitability with the decisions before the first place fixed; None if not requested.
        equilibria: the interval over all equilibria of the gadget games of the first place; None if not requested.
        safety: the bounds of SES; None if not requested.
        gap: largest NashConv of a solution in its gadget game.
        seconds: wall-clock time of the re-solving alone.
        interrupted: whether Ctrl-C ended it early; subgames not reached are as in the blueprint.
        seed, version: of the library, for reproduction.
        note: caveat about the numbers, if there is one.
    """

    plans: MeasuredPlans
    game: str
    seat: int
    at: str
    gadget: str
    prior: str
    epsilon: float | None
    alpha: float
    error: float
    normalised: bool
    variant: str | None
    values: str
    solver: str
    ties: str | None
    states: int
    skipped: int
    game_value: float
    before: float
    after: float
    gain_before: float | None
    gain_after: float | None
    gain_mixing: float | None
    mixing: float | None
    continuation: float | None
    equilibria: Equilibria | None
    safety: SesBounds | None
    gap: float
    seconds: float
    interrupted: bool
    seed: int
    version: str
    note: str | None = None
    game_value_gap: float | None = None

    def __repr__(self) -> str:
        return brief(
            self, self.game, f"seat {self.seat}", f"at {self.at}", self.gadget, f"{self.states} subgames",
            f"exploitability {self.before:.4g} before, {self.after:.4g} after",
        )  # fmt: skip

    @property
    def bound(self) -> str | None:
        """Of the exploitability of SES; None without alpha."""
        if not self.alpha:
            return None
        if self.safety is None:
            return f"{UNBOUNDED}; --bounds asks for one"
        most = self.safety.exploitability
        return f"at most {most:.6g} chips, by theorem 1 of Liu et al. 2022" if isfinite(most) else UNBOUNDED

    @cached_property
    def strategy(self) -> Any:
        known = {"game": self.game, "method": f"resolve {self.gadget}", "exploitability": self.after}
        return replace(self.plans.strategy(self.seat), facts=known)

    def facts(self) -> dict[str, Any]:
        left = ("plans", "strategy", "equilibria", "safety")
        found = {name: value for name, value in vars(self).items() if name not in left}
        for part in ("equilibria", "safety"):
            held = getattr(self, part)
            found[part] = None if held is None else dict(vars(held))
        if self.note == NOTE:  # without the value of the game nothing has a gain
            for part in ("before", "after", "mixing"):
                gain = found.pop(f"gain_{part}")
                found[f"value_{part}"] = None if gain is None else gain + self.game_value
        return found | {"bound": self.bound}


def measure_resolution(
    base: Baseline,
    blueprint: BlueprintInputs[MeasuredPlans],
    found: ResolvedBlueprint[MeasuredPlans],
    way: ResolveSettings,
    facts: dict[str, Any],
) -> Resolution:
    """The record of a result, with exploitability and gain before and after; `facts` are its other fields."""
    me, model = blueprint.resolver, blueprint.model
    own = base.of_player(me)

    def risk(plans: MeasuredPlans) -> float:
        return base.shown(base.exploitability(plans, me))

    def gain(plans: MeasuredPlans) -> float | None:
        return None if model is None else plans.facing(1 - me, model).value(me) - own

    # Liu et al. 2022, section 4.3, the mixing strategy: the blueprint, or a best response to the model.
    mixing = None
    if model is not None and way.alpha > 0.0:
        faced = blueprint.plans.facing(1 - me, model)
        mixing = faced.mixed(me, faced.best_response(me), way.alpha)
    return Resolution(
        plans=found.plans,
        game=base.name,
        seat=me,
        states=found.states,
        skipped=found.skipped,
        game_value=own,
        before=risk(blueprint.plans),
        after=risk(found.plans),
        gain_before=gain(blueprint.plans),
        gain_after=gain(found.plans),
        gain_mixing=gain(mixing) if mixing else None,
        mixing=risk(mixing) if mixing else None,
        gap=found.gap,
        seconds=found.seconds,
        interrupted=found.interrupted,
        version=version(),
        note=base.note,
        game_value_gap=2.0 * base.error if base.known else None,
        **{**way.facts(), "continuation": None, "equilibria": None, "safety": None, **facts},
    )
