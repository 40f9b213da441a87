"""A spot as a game: the interface that methods need, on a public tree with ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary

from counterplay.arrays import F64, I64
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans, SpotPlans
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_terminals import PublicNode, path_to
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.public_tree.size_estimate import HALF, SINGLE
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.spots.solution import SolvedSpot, value_of, worth_of
from counterplay.poker.spots.solution_cache import cached_solution, keep_solution, name_of_spot
from counterplay.poker.spots.solve_spot import METHOD, record_of_arrays
from counterplay.poker.spots.spot import Spot
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Progress, Solution, Stop, solve_cfr
from counterplay.solvers.equilibrium import LP_UP_TO, equilibrium
from counterplay.solvers.minimiser import Minimiser, minimiser
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import Treeplex

FINE = {"flop": 0.5, "turn": 0.1, "river": 0.02}
"""Default accuracy, in per cent of the pot, of spots too large for the linear program."""
RAKED = 20_000
"""The most iterations of a spot with a rake, whose exploitability need not go to 0."""
KEPT = 1 << 20
"""Sequences of both players from which on an equilibrium is kept in the cache folder."""
_EXACT: WeakKeyDictionary[Subgame, tuple[float, Solution]] = WeakKeyDictionary()
"""Equilibria, each with the accuracy that was asked for."""
SAFE_SHARE = 0.25
"""How exactly the equilibrium is known where exploitability is limited, as a share of the limit."""


@dataclass(frozen=True, eq=False)
class SpotGame:
    """A spot as `respond`, `opponent` and `frontier` take it. Chips are net of half of the pot, which counts as each
    player's own: EV is larger by that half.

    Attributes:
        name: such as "spot Qs Jh 2h 8d 3c".
        pot: chips in the middle at its start.
        fine: default accuracy of iterative solves, in chips.
        known: a solution that may be accurate enough to serve as equilibrium.
    """

    name: str
    tree: PublicTree
    pot: float
    fine: float
    spot: Spot | None = None
    known: SolvedSpot | None = field(default=None, repr=False)
    enters_boards_alone: ClassVar[bool] = True
    usual_depth: ClassVar[str] = "round"
    lists_histories: ClassVar[bool] = False

    def __repr__(self) -> str:
        infosets = "+".join(f"{self.tree.infosets(player):,}" for player in (0, 1))
        return brief(self, self.name, labelled("pot", self.pot), f"{infosets} infosets")

    @classmethod
    def of(cls, spot: Spot, tree: PublicTree, known: SolvedSpot | None = None) -> Self:
        fine = 0.01 * FINE[spot.street] * spot.pot
        return cls(f"spot {cards_text(spot.board)}", tree, spot.pot, fine, spot, known)

    @property
    def trees(self) -> tuple[Treeplex, Treeplex]:
        return self.subgame.trees

    @property
    def subgame(self) -> Subgame:
        return self.tree.subgame

    @property
    def payoff(self) -> ShowdownPayoff:
        """The payoff in chips of oop."""
        return self.tree.leaves

    @property
    def stakes(self) -> Stakes:
        return Stakes(self.pot, None if self.spot is None else self.spot.big_blind)

    @property
    def rake(self) -> float:
        """The share of the final pot that the house takes; above 0, what one player wins is not what the other loses."""
        return self.tree.betting.rules.rake

    @cached_property
    def rules(self) -> SpotRules:
        """The rules by which hands are played; an `InputError` if isomorphic suits are dealt once."""
        if self.tree.is_folded:
            raise InputError(
                f"{self.name} deals isomorphic suits once, and is not played hand by hand: write boards=all"
            )
        return SpotRules(self.name, self.tree, self.stakes, self.digest)

    @cached_property
    def digest(self) -> str:
        """The name of the spot in logs of its hands; "" of a public tree that is no spot."""
        return "" if self.spot is None else name_of_spot(self.spot)

    @cached_property
    def span(self) -> float:
        """The largest less the smallest value of a hand, in chips."""
        betting = self.tree.betting
        return float(betting.win.max() - betting.lose.min())

    @property
    def solver(self) -> str:
        """The default solver: the linear program if it is small enough."""
        return "lp" if self.payoff.entries <= LP_UP_TO and not self.rake else METHOD

    @property
    def in_arrays(self) -> SpotGame:
        """The spot with plans as arrays, as they are here."""
        return self

    @property
    def entries(self) -> int:
        """Payoff entries of its linear program."""
        return self.payoff.entries

    def equilibrium(self, progress: Progress | None = None) -> Solution:
        """An equilibrium, computed once: exact for a small spot without a rake, else to `fine`; `KeyboardInterrupt` if
        Ctrl-C cut it short."""
        if self.solver == "lp":
            return equilibrium(self.subgame, progress)
        if self.subgame not in _EXACT or _EXACT[self.subgame][0] > self.fine:
            known = self._told_by(self.known) or self._told_by(self.kept_solution())
            _EXACT[self.subgame] = self.fine, known or self._solved(progress)
        return _EXACT[self.subgame][1]

    def refined_for(self, risk: float) -> Self:
        """The same spot, whose equilibrium is known finely enough to limit exploitability to some chips."""
        fine = min(self.fine, SAFE_SHARE * risk) if risk > 0.0 and not self.rake else self.fine
        return replace(self, fine=fine) if fine < self.fine else self

    def _solved(self, progress: Progress | None) -> Solution:
        """The equilibrium, solved and kept; errors as of `equilibrium`."""
        stop, method = Stop(self.fine, RAKED) if self.rake else Stop(self.fine), minimiser(METHOD)
        solution = self.solved_by(method, stop, progress)
        if solution.interrupted:
            raise KeyboardInterrupt
        if self.is_kept and self.spot is not None:
            keep_solution(record_of_arrays(self.spot, method, lambda: (self.tree, solution)))
        return solution

    def solved_by(self, method: Minimiser, stop: Stop, progress: Progress | None) -> Solution:
        """The spot solved by a minimiser, both dealt from their ranges."""
        return solve_cfr(self.subgame, method, stop, progress)

    @property
    def is_kept(self) -> bool:
        """Whether the cache folder keeps its equilibrium: it takes seconds to compute."""
        return sum(self.tree.sequences(player) for player in (0, 1)) >= KEPT

    def kept_solution(self, precisions: Sequence[str] = (SINGLE, HALF)) -> SolvedSpot | None:
        """The equilibrium in the cache folder, to `fine`, if there is one. precisions: see `cached_solution`."""
        if not self.is_kept or self.spot is None:
            return None
        percent = 100.0 * self.fine / self.spot.pot
        return cached_solution(self.spot, percent, precisions=precisions, tree=self.tree)

    def _told_by(self, known: SolvedSpot | None) -> Solution | None:
        """The equilibrium of a solution, if it is accurate enough."""
        if known is None:
            return None
        plans, facts = known.plans, known.facts
        nash_conv, value = plans.gap()
        if nash_conv > 2.0 * self.fine:
            return None
        both = plans.reach(0)[:], plans.reach(1)[:]
        return Solution(both, value, nash_conv, METHOD, facts.get("iterations", 0), facts.get("seconds", 0.0))

    def value_of(self, player: int, solution: Solution) -> float:
        """The value of a player by a solution, an upper bound, or with a rake what the player has in it; in net chips (see
        `poker.betting.stakes`)."""
        return value_of(self.tree, player, solution) if self.rake else solution.bound(player)

    def worth_of(self, solution: Solution) -> dict[str, Any]:
        """The values of a solution for both players, as facts."""
        return worth_of(self.tree, self.stakes, self.pot, solution)

    def dealt_behaviour(self, player: int, behaviour: F64) -> F64:
        """(size,) a behaviour with the deal by the range, and 1 at the empty sequence."""
        return self.subgame.restrictions[player].behaviour(self.trees[player], behaviour)

    def dealt(self, strategy: Strategy) -> Strategy:
        """The strategy of a player with the deal replaced by the range."""
        kept = self.dealt_behaviour(strategy.player, strategy.behaviour)
        return Strategy(strategy.tree, kept, strategy.facts, strategy.counts)

    def changed(self, strategy: Any, sequences: I64, probabilities: F64, facts: dict[str, Any], counts: F64) -> Any:
        """A strategy with other probabilities (n,) at some sequences (n,), and observations (lanes,) of its infosets."""
        behaviour = strategy.behaviour.copy()
        behaviour[sequences] = probabilities
        return Strategy(strategy.tree, behaviour, facts, counts)

    def tree_path(self, part: PublicNode) -> str:
        """The path of a node as `SolvedSpot.node` reads it: "check, bet 100, Ah"."""
        return path_to(self.tree.betting, self.tree.boards, part)

    def with_strategies(self, one: Any, other: Any) -> SolvedSpot:
        """Two strategies, one of each player, as a solved spot with the facts of the first; an `InputError` for
        strategies of another spot, or both of one player."""
        plans = self._joint_plans(one, other)
        if plans is None or self.spot is None:
            raise InputError(f"these are not strategies of oop and ip in {self.name}")
        return SolvedSpot(self.spot, self.tree, plans, dict(one.facts))

    def _joint_plans(self, one: Any, other: Any) -> SpotPlans | None:
        """A store of two strategies; None unless they are strategies of oop and ip in this tree."""
        both = (one, other) if one.player == 0 else (other, one)
        fits = (both[0].tree, both[1].tree) == self.trees
        return ArraySpotPlans(self.subgame, both, self.tree) if fits else None
