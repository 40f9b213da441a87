"""Re-solving a blueprint: subtrees of any game are re-solved with a gadget and spliced into one strategy.

As work a subtree is a piece, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from pickle import PicklingError
from typing import Any

import numpy as np

from counterplay.blueprints.resolved_blueprint import BlueprintInputs, Plans, ResolvedBlueprint, ResolveSettings
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.lookahead.resolver import Knowledge, ResolvedSubtree, enter, pose, resolve_subtree
from counterplay.lookahead.tremble import BLUEPRINT, check_used
from counterplay.solvers.cfr import Solution
from counterplay.subgames.plan_store import Branch, GamePlans, SpliceQueue, Subtree
from counterplay.treeplex.strategy import Strategy
from counterplay.work.run_work import Executor, FunctionWork, run_work
from counterplay.work.work_record import WorkRecord

Watch = Callable[[int, int], None]
"""Called with the number of solved subgames, and their total."""


def resolve_subtrees(
    subtrees: Sequence[Subtree | None],
    blueprint: BlueprintInputs[GamePlans],
    way: ResolveSettings,
    *,
    nested: bool = False,
    seed: int = 0,
    watch: Watch | None = None,
    record: Path | None = None,
    executor: Executor | None = None,
) -> ResolvedBlueprint[GamePlans]:
    """Re-solve subtrees one by one."""
    begin = run_time()
    check_given(way, blueprint)
    if isinstance(way.look.prior, Mapping):
        check_used(way.look.prior, [one for one in subtrees if one is not None])
    work = SubtreeSolves(subtrees, blueprint, way, nested=nested, seed=seed)
    kept = WorkRecord(record, None if record is None else work.identity())

    def splice(*_: Any) -> None:
        work.take(kept.results)
        if watch:
            watch(work.spliced, len(subtrees))

    try:
        work.take(kept.results)
        interrupted = False
        for wave in work.waves():
            many = executor if len(wave.pieces) > 1 else None
            interrupted = interrupted or run_work(wave, record=kept, executor=many, done=splice).interrupted
    except KeyboardInterrupt:
        interrupted = True
    now = replace(work.now, interrupted=interrupted)
    if not now.states and not now.interrupted:
        raise InputError("the blueprint never reaches the subgames to re-solve")
    return replace(now, seconds=run_time() - begin)


def resolve_together(
    blueprint: BlueprintInputs[Plans], branches: Sequence[Branch], way: ResolveSettings, states: int
) -> ResolvedBlueprint[Plans]:
    """With the full gadget: all subtrees at once, the opponent free from the root of the game, everything else
    fixed. A single subtree does not support it: each would grant anew what the opponent forgoes before it. states:
    their number."""
    begin, me = run_time(), blueprint.resolver
    plans, solved = blueprint.plans.solved(me, branches, way.solver, way.stop)
    return ResolvedBlueprint(plans, me, states, 0, solved.gap, run_time() - begin, solved.interrupted)


def check_given(way: ResolveSettings, blueprint: BlueprintInputs[Any]) -> None:
    """Reject settings that need an unknown part."""
    for needed, what in (
        (way.gadget.fixes_range, f"the {way.gadget} gadget"),
        (way.look.prior == BLUEPRINT, "the prior 'blueprint'"),
        (way.profile, "values of the blueprint profile"),
    ):
        if needed and not blueprint.plans.knows(blueprint.opponent):
            raise InputError(f"{what} needs the opponent's part of the blueprint")
    if way.alpha > 0.0 and blueprint.model is None:
        raise InputError("alpha needs a model of the opponent")


class SubtreeSolves:
    """Re-solves of subtrees. Each solution is spliced as soon as it and all before it are known: a nested subtree is
    re-solved within the results of earlier ones, as is any behind a gadget that counts on slack, which is spent once,
    and errors of an estimate are drawn one after the other. Subtrees that other processes cut anew have their `game`,
    and the `levels` of each."""

    def __init__(
        self,
        subtrees: Sequence[Subtree | None],
        blueprint: BlueprintInputs[GamePlans],
        way: ResolveSettings,
        *,
        nested: bool,
        seed: int,
    ) -> None:
        self._subtrees, self._blueprint, self._way = subtrees, blueprint, way
        self._in_turn, self._seed = nested or way.gadget.counts_on_slack, seed
        self._inputs = blueprint.knowledge(way, np.random.default_rng(seed))
        self._now: ResolvedBlueprint[GamePlans] = ResolvedBlueprint(blueprint.plans, blueprint.resolver, 0, 0, 0.0, 0.0)
        self.spliced = 0
        self._latest: tuple[int, ResolvedSubtree | None] | None = None
        self._waiting = SpliceQueue()

    def identity(self) -> dict[str, Any]:
        way, model = self._way, self._blueprint.model
        settings = {one.name: str(getattr(way, one.name)) for one in fields(way) if one.init}
        return {
            "nested": self._in_turn, "seed": self._seed, "resolver": self._blueprint.resolver,
            "blueprint": self._blueprint.plans.digest(), "model": model and model.digest(), **settings,
            "subgames": len(self._subtrees),
        }  # fmt: skip

    def keys(self) -> list[str]:
        return [f"subgame {number + 1}" for number in range(len(self._subtrees))]

    def waves(self) -> list[FunctionWork]:
        """The subtrees in groups that do not depend on each other, but on all before. Gifts and the opponent's path
        depend on the plans of the other subtrees, too."""
        way, levels = self._way, getattr(self._subtrees, "levels", range(len(self._subtrees)))
        reads_the_rest = way.gadget.takes_gifts or way.gadget.counts_on_slack
        if way.error or (self._in_turn and reads_the_rest):
            levels = range(len(self._subtrees))
        groups: dict[int, list[str]] = {}
        for key, level in zip(self.keys(), levels, strict=True):
            groups.setdefault(level, []).append(key)
        return [FunctionWork(self.compute, keys, self.identity) for keys in groups.values()]

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process loads the game, and cuts the subtrees anew."""
        if not hasattr(self._subtrees, "game"):
            raise PicklingError("these subtrees do not name their game")
        plans: tuple[Any, ...] = self._known.plans, self._known.model
        parts = [
            [store.strategy(k).behaviour if store is not None and store.knows(k) else None for k in (0, 1)]
            for store in plans
        ]
        return _solves_again, (self._subtrees, self._blueprint.resolver, *parts, self._way, self._seed)

    def compute(self, key: str) -> dict[str, Any] | None:
        number = self.keys().index(key)
        found = resolve_subtree(self._subtrees[number], self._way.search, self._known)
        if found is not None and found.interrupted:
            self._splice(found)
            raise KeyboardInterrupt
        self._latest = number, found
        if found is None:
            return None
        solution = found.solution
        return {
            "plans": [*solution.plans], "value and gap": np.array([solution.value, solution.nash_conv]),
            "method": solution.method, "iterations": solution.iterations, "seconds": solution.seconds,
        }  # fmt: skip

    def take(self, results: dict[str, Any]) -> None:
        """Splice the results up to the first that is missing. Their arrays are dropped, since the plans have them."""
        for key in self.keys()[self.spliced :]:
            if key not in results:
                return
            self._splice(self._found(self.spliced, results[key]))
            results[key] = None
            self.spliced += 1

    @property
    def _known(self) -> Knowledge:
        return replace(self._inputs, plans=self.now.plans) if self._in_turn else self._inputs

    def _found(self, number: int, told: Mapping[str, Any] | None) -> ResolvedSubtree | None:
        """A solution, just computed or of a record: of that the gadget game is posed again, but not solved."""
        if self._latest is not None and self._latest[0] == number:
            return self._latest[1]
        subtree, search = self._subtrees[number], self._way.search
        if told is None or subtree is None:
            return None
        game = enter(subtree, search, self._known)
        assert game is not None  # it was solved
        value, gap = told["value and gap"].tolist()
        first, second = told["plans"]
        return pose(game, subtree, search, self._known).read(  # type: ignore[no-any-return]
            Solution((first, second), value, gap, told["method"], told["iterations"], told["seconds"])
        )

    @property
    def now(self) -> ResolvedBlueprint[GamePlans]:
        self._now = replace(self._now, plans=self._waiting.put_into(self._now.plans))
        return self._now

    def _splice(self, found: ResolvedSubtree | None) -> None:
        now = self._now
        if found is None:
            self._now = replace(now, skipped=now.skipped + 1)
            return
        # Inside other subtrees nothing changed, so that what a player did here stands in the plans without them.
        plans = self.now.plans if self._in_turn or self._waiting.is_full else now.plans
        for player in filter(plans.knows, (0, 1)):
            self._waiting.add(player, *found.changes(plans, player))
        gap, states = max(now.gap, found.gap), now.states + 1
        self._now = replace(now, plans=plans, states=states, gap=gap, interrupted=found.interrupted)


def _solves_again(
    subtrees: Any, resolver: int, plans: list[Any], model: list[Any], way: ResolveSettings, seed: int
) -> SubtreeSolves:
    """The solves in another process, which has the behaviours of the known plans."""
    trees = subtrees.game.trees
    parts = [
        None if behaviour is None else Strategy(trees[player], behaviour)
        for both in (plans, model)
        for player, behaviour in ((resolver, both[resolver]), (1 - resolver, both[1 - resolver]))
    ]
    mine: Any = parts[0]
    blueprint = BlueprintInputs.of(subtrees.game.subgame, mine, parts[1], parts[3])
    return SubtreeSolves(subtrees, blueprint, way, nested=False, seed=seed)
