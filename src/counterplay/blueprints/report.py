"""Report of a re-solved blueprint: the strategy, how it was made, exploitability and gain before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterplay.about import version
from counterplay.blueprints.continuation import Equilibria, exploitability, value_of
from counterplay.blueprints.resolve_subtrees import ResolvedBlueprint
from counterplay.blueprints.ses_bounds import SesBounds
from counterplay.blueprints.settings import ResolveSettings
from counterplay.display import brief
from counterplay.problem.solvable_game import SolvableGame
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.treeplex.strategy import Strategy

PROFILE, BEST_RESPONSE = VALUES = ("profile", "best-response")
"""Where alternative values come from: what both parts of the blueprint do, or a best response to one."""


@dataclass(frozen=True, eq=False)
class Resolution:
    """A blueprint whose subgames were solved again, and what that did. Chips of the resolver.

    Attributes:
        strategy: the whole strategy.
        game, seat, at: the game, the resolver's seat, the places.
        gadget, prior, epsilon, alpha, error, normalised, values, solver: how (see `resolve`).
        ties: which of the optimal plans of its gadget games SES takes; None without alpha.
        states: how many subgames were solved.
        skipped: how many the blueprint never comes to.
        game_value: what the resolver is guaranteed in equilibrium.
        before, after: exploitability of the blueprint and of the strategy.
        gain_before, gain_after: gain of each against the model; None without one.
        gain_mixing, mixing: gain and exploitability of the baseline of SES, which before every hand takes a best response to
            the model with probability alpha, else the blueprint; None without alpha.
        continuation: the least exploitability with the decisions before the first place as they are; None if not asked
            for.
        equilibria: the interval over all equilibria of the gadget games of the first place; None if not asked for.
        safety: the bounds of SES; None if not asked for.
        gap: largest NashConv of a solution in its gadget game.
        seconds: wall clock of the re-solving alone.
        interrupted: whether Ctrl-C ended it early; subgames not reached are as in the blueprint.
        seed, version: for the record.
    """

    strategy: Strategy
    game: str
    seat: int
    at: str
    gadget: str
    prior: str
    epsilon: float | None
    alpha: float
    error: float
    normalised: bool
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

    def __repr__(self) -> str:
        return brief(
            self, self.game, f"seat {self.seat}", f"at {self.at}", self.gadget, f"{self.states} subgames",
            f"exploitability {self.before:.4g} before, {self.after:.4g} after",
        )  # fmt: skip

    def facts(self) -> dict[str, Any]:
        """Everything but the strategy, as plain numbers and texts."""
        found = {name: value for name, value in vars(self).items() if name not in ("strategy", "equilibria", "safety")}
        for part in ("equilibria", "safety"):
            held = getattr(self, part)
            found[part] = None if held is None else dict(vars(held))
        return found


def measure_resolution(
    game: SolvableGame,
    mine: Strategy,
    found: ResolvedBlueprint,
    way: ResolveSettings,
    model: Strategy | None,
    facts: dict[str, Any],
) -> Resolution:
    """The record of what was found, with exploitability and gain before and after; `facts` is what else is known."""
    value = value_of(game)
    mixing = mix_with_response(game, mine, model, way.alpha) if model and way.alpha > 0.0 else None
    after = max(0.0, exploitability(game, found.strategy))
    known = {"game": game.name, "method": f"resolve {way.gadget}", "exploitability": after}
    return Resolution(
        strategy=Strategy(mine.tree, found.strategy.behaviour, known),
        game=game.name,
        seat=mine.player,
        gadget=str(way.gadget),
        prior=way.tremble.name,
        epsilon=way.epsilon,
        alpha=way.alpha,
        error=way.error,
        normalised=way.normalised,
        values=PROFILE if way.profile else BEST_RESPONSE,
        solver=str(way.solver),
        ties=way.ties,
        states=found.states,
        skipped=found.skipped,
        game_value=value if mine.player == 0 else -value,
        before=max(0.0, exploitability(game, mine)),
        after=after,
        gain_before=_gain(game, mine, model),
        gain_after=_gain(game, found.strategy, model),
        gain_mixing=_gain(game, mixing, model),
        mixing=max(0.0, exploitability(game, mixing)) if mixing else None,
        gap=found.gap,
        seconds=found.seconds,
        interrupted=found.interrupted,
        version=version(),
        **{"continuation": None, "equilibria": None, "safety": None, **facts},
    )


def mix_with_response(game: SolvableGame, blueprint: Strategy, model: Strategy, alpha: float) -> Strategy:
    """Before every hand a coin decides: a best response to the model with probability alpha, else the blueprint
    (Liu et al. 2022, section 4.3, the mixing strategy)."""
    greedy = best_response(game.subgame, blueprint.player, model.plan)
    plan = (1.0 - alpha) * blueprint.plan + alpha * played_plan(game.subgame, blueprint.player, greedy.behaviour)
    return Strategy.from_plan(blueprint.tree, plan)


def _gain(game: SolvableGame, strategy: Strategy | None, model: Strategy | None) -> float | None:
    if model is None or strategy is None:
        return None
    value = value_of(game)
    me = strategy.player
    won = float(strategy.plan @ game.subgame.leaves.product(me, model.plan))
    return won - (value if me == 0 else -value)
