"""A spot as a game: the interface that methods need, on a public tree with ranges. The equilibrium and all strategies of a
large one stand in the store of the compact engine."""

from __future__ import annotations

import copyreg
import sys
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from pickle import PicklingError
from typing import Any, ClassVar, Self, overload
from weakref import WeakKeyDictionary

from counterplay.arrays import F64, I64
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.gametree.build.size_estimate import check_memory
from counterplay.memory_limit import default_memory
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.compact_solve import NO_PLANS, solve_run
from counterplay.poker.compact.layout.compact_layout import layout_of
from counterplay.poker.compact.strategy_memory import WeightedMemory, new_memory
from counterplay.poker.plan_stores.compact_plans import CompactPlans, StoredStrategy, large_strategy
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans, SpotPlans
from counterplay.poker.public_tree.hand_treeplex import PublicNode, path_to
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.public_tree.size_estimate import (
    DOUBLE,
    HALF,
    LARGE,
    SINGLE,
    Leaky,
    Needs,
    response_memory,
    size_of,
)
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.spots.solution import SolvedSpot, value_of, worth_facts
from counterplay.poker.spots.solve_spot import METHOD, cached_solution, keep_solution, name_of_spot, solved_record
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
SAFE_SHARE = 0.25
"""How exactly the equilibrium is known where exploitability is limited, as a share of the limit."""
_GIB = 2**30
_SOLVED: WeakKeyDictionary[Any, tuple[float, tuple[Solution, Any]]] = WeakKeyDictionary()
"""Equilibria, each with the accuracy that was asked for: by problem, with plans; by tree in a store, with averages. Nothing
of one refers to its key, with which it is dropped."""


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

    @property
    def precision(self) -> str:
        return DOUBLE

    def equilibrium(self, progress: Progress | None = None) -> Solution:
        """An equilibrium, computed once: exact for a small spot without a rake, else to `fine`; `KeyboardInterrupt` if
        Ctrl-C cut it short."""
        if self.solver == "lp":
            return equilibrium(self.subgame, progress)
        return self._equilibrium(self.subgame, progress)[0]

    def _equilibrium(self, key: Any, progress: Progress | None) -> tuple[Solution, Any]:
        """An equilibrium to `fine` that is known, or solved and kept: its entry in `_SOLVED`."""
        if key not in _SOLVED or _SOLVED[key][0] > self.fine:
            best = self._told_by(self.known) or self._told_by(self.kept_solution())
            if best is None:
                stop = Stop(self.fine, RAKED) if self.rake else Stop(self.fine)
                plans, solution = best = self._solve(minimiser(METHOD), stop, progress)
                if solution.interrupted:
                    raise KeyboardInterrupt
                if self.is_kept and self.spot is not None:
                    keep_solution(solved_record(self.spot, self.precision, plans, solution))
            _SOLVED[key] = self.fine, self._entry(*best)
        return _SOLVED[key][1]

    def _told_by(self, known: SolvedSpot | None) -> tuple[SpotPlans, Solution] | None:
        """The equilibrium of a solution, if it is accurate enough."""
        plans = None if known is None else self._plans_of(known)
        if known is None or plans is None:
            return None
        nash_conv, value = plans.gap()
        if nash_conv > 2.0 * self.fine:
            return None
        iterations, seconds = known.facts.get("iterations", 0), known.facts.get("seconds", 0.0)
        return plans, Solution(NO_PLANS, value, nash_conv, METHOD, iterations, seconds)

    def _solve(self, method: Minimiser, stop: Stop, progress: Progress | None) -> tuple[SpotPlans, Solution]:
        solution = self.solved_by(method, stop, progress)
        return ArraySpotPlans.of_tree(self.tree, solution.plans), solution

    def _plans_of(self, known: SolvedSpot) -> SpotPlans | None:
        return known.plans

    def _entry(self, plans: SpotPlans, solution: Solution) -> tuple[Solution, Any]:
        return replace(solution, plans=(plans.reach(0)[:], plans.reach(1)[:])), None

    def refined_for(self, risk: float) -> Self:
        """The same spot, whose equilibrium is known finely enough to limit exploitability to some chips."""
        fine = min(self.fine, SAFE_SHARE * risk) if risk > 0.0 and not self.rake else self.fine
        return replace(self, fine=fine) if fine < self.fine else self

    def solved_by(self, method: Minimiser, stop: Stop, progress: Progress | None) -> Solution:
        """The spot solved by a minimiser, both dealt from their ranges."""
        return solve_cfr(self.subgame, method, stop, progress)

    @property
    def is_kept(self) -> bool:
        """Return whether the cache folder keeps its equilibrium: it takes seconds to compute."""
        return sum(self.tree.sequences(player) for player in (0, 1)) >= KEPT

    def kept_solution(self) -> SolvedSpot | None:
        """The equilibrium in the cache folder, to `fine`, if there is one."""
        if not self.is_kept or self.spot is None:
            return None
        percent = 100.0 * self.fine / self.spot.pot
        precisions = (SINGLE, HALF) if self.precision == DOUBLE else (self.precision,)
        return cached_solution(self.spot, percent, precisions=precisions, tree=self.tree)

    def value_of(self, player: int, solution: Solution) -> float:
        """The value of a player by a solution, an upper bound, or with a rake what the player has in it; in net chips (see
        `poker.betting.stakes`)."""
        return value_of(self.tree, player, solution) if self.rake else solution.bound(player)

    def worth_of(self, solution: Solution) -> dict[str, Any]:
        """The values of a solution for both players, as facts."""
        values = value_of(self.tree, 0, solution), value_of(self.tree, 1, solution)
        return worth_facts(values, solution.exploitability, self.stakes, self.pot, raked=self.rake > 0.0)

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


@dataclass(frozen=True, eq=False, repr=False)
class StoredSpotGame(SpotGame):
    """A spot whose strategies are never arrays, unless something asks for the arrays and they fit. `memory` limits the
    bytes of all that is computed; half of the machine's memory by default."""

    memory: float | None = None

    @property
    def _tree_in_arrays(self) -> PublicTree:
        """The tree, whose arrays fit; else an `InputError`."""
        assert self.spot is not None
        try:
            size_of(self.spot.betting, self.spot.cards).check(self.memory)
        except InputError as error:
            raise InputError(f"this takes arrays of the whole tree, which do not fit: {error}") from None
        return self.tree

    @property
    def subgame(self) -> Subgame:
        """The problem as arrays; an `InputError` if they do not fit."""
        return self._tree_in_arrays.subgame

    @property
    def payoff(self) -> ShowdownPayoff:
        """The payoff in chips of oop, of arrays; errors as of `subgame`."""
        return self._tree_in_arrays.leaves

    @property
    def in_arrays(self) -> SpotGame:
        """The same spot with plans as arrays, for what the store does not have; errors as of `subgame`."""
        return SpotGame(self.name, self._tree_in_arrays, self.pot, self.fine, self.spot)

    def check_response(self, opponent: int, needs: Needs, method: str, *, alike: bool) -> None:
        """Reject, before anything is solved, a method of such needs against a model of `opponent`; the error has the
        method and the estimate. `alike`: the model stands where isomorphic suits are dealt once."""
        assert self.spot is not None
        need = response_memory(self.spot.betting, self.spot.cards, self.precision, opponent, needs, alike=alike)
        advice = "ask for fewer bet sizes, a cap on raises or narrower ranges, or another method"
        check_memory(f"{method} in {self.name} takes {need / _GIB:.3g} GiB", need, self.memory, advice)

    def check_savable(self, path: Path) -> None:
        """Reject a file for strategies by infosets, before they are computed."""
        raise large_strategy(path)

    @property
    def solver(self) -> str:
        """The minimiser; a linear program of a large spot would not end."""
        return METHOD

    @property
    def entries(self) -> int:
        """More than any linear program has."""
        return sys.maxsize

    @cached_property
    def precision(self) -> str:
        """Of what is stored: float32, or 16 bits where a response in float32 does not fit."""
        assert self.spot is not None
        return stored_precision(self.spot, self.memory)

    def equilibrium(self, progress: Progress | None = None) -> Solution:
        """An equilibrium, computed once, to `fine`; its plans are read from the store. Errors as of `SpotGame`."""
        solution, plans = self._equilibrium(self.tree, progress)[0], self._plans
        both: Any = (plans.reach(0), plans.reach(1))
        return replace(solution, plans=both)

    def equilibrium_plans(self, progress: Progress | None = None) -> CompactPlans:
        """Both strategies of the equilibrium; errors as of `equilibrium`."""
        self._equilibrium(self.tree, progress)
        return self._plans

    @cached_property
    def _plans(self) -> CompactPlans:
        return CompactPlans(self.tree, self._equilibrium(self.tree, None)[1])

    def _plans_of(self, known: SolvedSpot) -> CompactPlans | None:
        return self.stored(known) if known.is_equilibrium else None

    def _entry(self, plans: Any, solution: Solution) -> tuple[Solution, Averages]:
        return solution, plans.averages

    def _solve(self, method: Minimiser, stop: Stop, progress: Progress | None) -> tuple[CompactPlans, Solution]:
        run = CompactRun(layout_of(self.tree, alike=True), method, self.precision)
        solution = solve_run(run, stop, progress)
        return CompactPlans(self.tree, Averages.of_run(run)), solution

    def value_of(self, player: int, solution: Solution) -> float:
        return self.equilibrium_plans().value(player) if self.rake else solution.bound(player)

    @property
    def uniform_plans(self) -> CompactPlans:
        """Both players play uniformly, on the boards of the equilibrium."""
        return self._blank(alike=True)

    def _blank(self, *, alike: bool = False) -> CompactPlans:
        """Uniform play, whose memory is not used before it is written."""
        tree, layout = self.tree, layout_of(self.tree, alike=alike)
        first, second = (
            (WeightedMemory(1.0, new_memory(layout, player, self.precision, regrets=False)),) for player in (0, 1)
        )
        return CompactPlans(tree, Averages(layout, self.precision, (first, second)))

    def stored(self, solved: SolvedSpot) -> CompactPlans:
        """The strategies of a solution of this spot in a store, in the precision in which responses fit."""
        if isinstance(solved.plans, CompactPlans) and solved.plans.averages.precision == self.precision:
            return solved.plans
        return self._blank().facing(0, solved.plans).facing(1, solved.plans)

    def dealt(self, strategy: Any) -> Any:
        """A strategy in a store, where hands are dealt by the range."""
        return self.kept(strategy)

    def kept(self, strategy: Strategy | StoredStrategy) -> StoredStrategy:
        """A strategy of this spot in a store."""
        if isinstance(strategy, StoredStrategy):
            return strategy
        plans = self._blank().with_behaviour(strategy.player, strategy.behaviour)
        return StoredStrategy(plans, strategy.player, strategy.facts, strategy.counts)

    def changed(self, strategy: Any, sequences: I64, probabilities: F64, facts: dict[str, Any], counts: F64) -> Any:
        plans = self.kept(strategy).plans.put(strategy.player, sequences, probabilities)
        return StoredStrategy(plans, strategy.player, facts, counts)

    def _joint_plans(self, one: Any, other: Any) -> CompactPlans | None:
        first, second = self.kept(one), self.kept(other)
        if one.player == other.player or first.plans.tree is not self.tree or second.plans.tree is not self.tree:
            return None
        return first.plans.facing(other.player, second.plans)


def stored_precision(spot: Spot, memory: float | None) -> str:
    """Float32 if a response to a model fits in so many bytes, by default half of the machine's memory; else 16 bits."""
    limit = default_memory() if memory is None else memory
    for player in (0, 1):
        leaky = Leaky(player, twice=True, bounded=True)
        if size_of(spot.betting, spot.cards, alike=True, precision=SINGLE, leaky=leaky).memory > limit:
            return HALF
    return SINGLE


_TREES = 8
_ANY = float("inf")
"""Bytes of a spot that fitted already."""
_SHARED: OrderedDict[Any, PublicTree] = OrderedDict()


@overload
def as_spot_game(source: Spot | SolvedSpot | SpotGame, memory: float | None = None) -> SpotGame: ...
@overload
def as_spot_game(source: Any, memory: float | None = None) -> SpotGame | None: ...
def as_spot_game(source: Any, memory: float | None = None) -> SpotGame | None:
    """The game of a spot or a solved spot; None if the source is neither. Equal spots share their trees. An
    `InputError` if it needs more bytes than the limit, by default half of the machine's memory."""
    spot, known = source, None
    if isinstance(source, SolvedSpot):
        spot, tree, known = source.spot, source.tree, source
    elif isinstance(source, Spot):  # the trees of the last few are kept, so that equal spots share theirs
        key = source.key
        if key not in _SHARED or memory is not None:
            size = size_of(source.betting, source.cards)
            if size.sequences > LARGE:  # the memory of its equilibrium in a store
                precision = stored_precision(source, memory)
                size = size_of(source.betting, source.cards, alike=True, precision=precision)
            size.check(memory)
        if key not in _SHARED:
            _SHARED[key] = public_tree(source.betting, source.cards)
            while len(_SHARED) > _TREES:
                _SHARED.popitem(last=False)
        _SHARED.move_to_end(key)
        tree = _SHARED[key]
    else:
        return source if isinstance(source, SpotGame) else None
    if tree.sequences(0) + tree.sequences(1) > LARGE:  # plans stand in a store, and not in arrays
        return replace(StoredSpotGame.of(spot, tree, known), memory=memory)
    return SpotGame.of(spot, tree, known)


def _arguments(game: SpotGame) -> tuple[Any, ...]:
    """Those by which another process makes a game."""
    if game.spot is None:
        raise PicklingError(f"{game.name} has no description")
    return as_spot_game, (game.spot, _ANY)


for _made in (SpotGame, StoredSpotGame):
    copyreg.pickle(_made, _arguments)
