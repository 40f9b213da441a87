"""Re-solving a blueprint: subtrees of any game are re-solved with a gadget and spliced into one strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterplay.blueprints.resolved_blueprint import BlueprintInputs, ResolvedBlueprint
from counterplay.blueprints.settings import ResolveSettings
from counterplay.blueprints.subtree_solves import SubtreeSolves
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.lookahead.priors import BLUEPRINT, check_used
from counterplay.subgames.subtree import Subtree
from counterplay.work.executor import Executor
from counterplay.work.run_work import run_work
from counterplay.work.work_record import WorkRecord

Watch = Callable[[int, int], None]
"""Called with the number of solved subgames, and their total."""


def resolve_subtrees(
    subtrees: Sequence[Subtree | None],
    blueprint: BlueprintInputs,
    way: ResolveSettings,
    *,
    nested: bool = False,
    seed: int = 0,
    watch: Watch | None = None,
    record: Path | None = None,
    executor: Executor | None = None,
) -> ResolvedBlueprint:
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
            many = executor if len(wave.some) > 1 else None
            interrupted = interrupted or run_work(wave, record=kept, executor=many, done=splice).interrupted
    except KeyboardInterrupt:
        interrupted = True
    now = replace(work.now, interrupted=interrupted)
    if not now.states and not now.interrupted:
        raise InputError("the blueprint never reaches the subgames to re-solve")
    return replace(now, seconds=run_time() - begin)


def check_given(way: ResolveSettings, blueprint: BlueprintInputs) -> None:
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
