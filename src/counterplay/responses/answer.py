"""The record that every method returns: the response, its gain and its exploitability."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from counterplay.display import brief, labelled
from counterplay.poker.betting.stakes import Stakes
from counterplay.treeplex.strategy import Strategy

_WHOLE_GAME = (
    "blueprint_value", "edge", "risk", "edge_against_blueprint", "iterations", "cut", "why_blueprint",
)  # fmt: skip
"""Fields that whole games of hold'em alone have."""


@dataclass(frozen=True, eq=False)
class Answer:
    """A counter-strategy with its gain and exploitability; in a whole game of hold'em, whose value is not known, with its
    edge and risk beside a blueprint. All values are chips of the responder.

    Attributes:
        strategy: the responder's strategy.
        game: name of the game.
        seat: the responder's seat, 0 or 1.
        method: as in `METHODS`.
        p: weight of the model (rnr, cdrnr), trust (dbr) or weight of the exploiting strategy (mix, cdbr-ne); else None.
        alpha: exploitation level (ses); else None.
        p_from: where p or alpha comes from: given, or found by bisection over measured exploitability; None without them.
        depth: levels of look-ahead, or round; None for methods that see the whole game.
        gadget: the entry of an opponent who is not the model into a look-ahead; None without one.
        prior: the prior that refines the gadget's equilibrium; None without one.
        value: the value function at the limit of a look-ahead, by name; None without look-ahead.
        solve: whether look-aheads were solved jointly or per state; None without look-ahead.
        steps: `solve` in words: `by level` or `by own decision`.
        game_value: the responder's equilibrium value, an upper bound where it is iterated; NaN in a whole game.
        value_against_model: value of the strategy against the model.
        gain: value_against_model - game_value, at most `game_value_gap` below the true one; NaN in a whole game.
        exploitability: game_value less the strategy's value against a best responder; in a whole game an upper bound.
        seconds: wall-clock time of computing the strategy, without the game and its value.
        solver: lp, a regret minimiser, or sweep (best response).
        gap: bound on the distance from the optimum of the objective, in chips; 0 up to rounding for lp and sweep.
        interrupted: whether Ctrl-C cut it short.
        seed, version: of the library, for reproduction.
        pot: pot of a spot of hold'em, in chips; None in other games.
        game_value_gap: the most by which the value of the game is below `game_value`; 0 where it is exact. None where no
            value is known, as with a rake: what counts from `game_value` is then no gain.
        big_blind: the big blind in chips; None if unknown.
        note: a caveat about the numbers, such as that the spot has a rake; None without one.
        variant: which of several algorithms of its name the method is (ses); else None.
        bound: what is known of exploitability beforehand, where that is less than one may expect (ses); else None.
        blueprint_value: in a whole game, what the blueprint wins from the model; None elsewhere.
        edge: value_against_model - blueprint_value.
        risk: what a best responder wins from the strategy beyond what one wins from the blueprint.
        edge_against_blueprint: where the model is of hands, the edge against a player who plays as the blueprint; else NaN.
        iterations: of a sampled solve; None of others.
        cut: the limit that ended a sampled solve before its iterations: "seconds" or "Ctrl-C".
        why_blueprint: where the response, which the numbers measure, is not better than the blueprint, the sentence that
            says why; `strategy` is then the blueprint, or the response where that is kept. Else None.
    """

    strategy: Strategy
    game: str
    seat: int
    method: str
    p: float | None
    alpha: float | None
    p_from: str | None
    depth: int | str | None
    gadget: str | None
    prior: str | None
    value: str | None
    solve: str | None
    game_value: float
    value_against_model: float
    gain: float
    exploitability: float
    seconds: float
    solver: str
    gap: float
    interrupted: bool
    seed: int | None
    version: str
    pot: float | None = None
    game_value_gap: float | None = None
    steps: str | None = None
    big_blind: float | None = None
    note: str | None = None
    variant: str | None = None
    bound: str | None = None
    blueprint_value: float | None = None
    edge: float | None = None
    risk: float | None = None
    edge_against_blueprint: float = nan
    iterations: int | None = None
    cut: str | None = None
    why_blueprint: str | None = None

    def __repr__(self) -> str:
        return brief(
            self, self.game, f"seat {self.seat}", self.method, labelled("p", self.p), labelled("alpha", self.alpha),
            *(
                (labelled("gain", self.gain), labelled("exploitability", self.exploitability))
                if self.edge is None
                else (labelled("edge", self.edge), labelled("risk", self.risk))
            ),
        )  # fmt: skip

    @property
    def percent(self) -> dict[str, float]:
        """Gain and exploitability in per cent of a spot's pot; empty in other games."""
        if self.pot is None:
            return {}
        return {
            "gain_percent": 100.0 * self.gain / self.pot,
            "exploitability_percent": 100.0 * self.exploitability / self.pot,
        }

    def facts(self) -> dict[str, Any]:
        """Everything but the strategy, as plain numbers and texts."""
        left = ("strategy",) if self.pot is not None else ("strategy", "pot", "big_blind", "note")
        told = {name: value for name, value in vars(self).items() if name not in left}
        if self.edge is None:
            told = {name: value for name, value in told.items() if name not in _WHOLE_GAME}
        else:
            told = {name: value for name, value in told.items() if name not in ("game_value", "gain")}
            told |= {"big_blind": self.big_blind, "note": self.note}
            if isnan(self.edge_against_blueprint):
                del told["edge_against_blueprint"]
            if isnan(self.gap):
                told["gap"] = None
        if self.pot is not None:
            half = 0.5 * self.pot
            told |= {"game_ev": half + self.game_value, "ev_against_model": half + self.value_against_model}
        rates = ("gain", "exploitability", "edge", "risk")
        return told | Stakes(self.pot, self.big_blind).facts({name: told[name] for name in rates if name in told})
