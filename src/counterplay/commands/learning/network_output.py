"""What the commands that train networks from solved games share: options, progress, and the printed facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.options.shared_options import Record, RunFlags, Workers
from counterplay.commands.printing.output import show_facts, show_json
from counterplay.progress_line import Update, progress_line

if TYPE_CHECKING:
    from counterplay.work.run_work import Watch


@dataclass(frozen=True)
class NetworkFlags(RunFlags):
    """Where a network and its samples are kept."""

    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save it (.cpn).")] = None
    workers: Workers = 1
    record: Record = None


@contextmanager
def training_tools(identity: Mapping[str, Any], result: NetworkFlags) -> Iterator[dict[str, Any]]:
    """Record, executor and progress of learning from solved games, while its line of progress is shown.

    Raises:
        InputError: the record is of other work.
    """
    from counterplay.work.processes import executor_of
    from counterplay.work.work_record import WorkRecord

    record, executor = WorkRecord(result.record, identity), executor_of(result.workers)
    with progress_line("solving", result.as_json) as line:
        watch, progress = (None, None) if line is None else (show_work(line), show_steps(line))
        yield {"record": record, "executor": executor, "watch": watch, "progress": progress}


def show_work(line: Update) -> Watch:
    """Shows the samples solved."""
    from counterplay.work.run_work import watch_pieces

    return watch_pieces(line, "solved")


def show_steps(line: Update) -> Callable[[str, int, int], None]:
    """Shows the steps of training."""
    return lambda what, done, steps: line(f"training {what}: step {done} of {steps}", done, steps)


def show_network(facts: dict[str, object], result: NetworkFlags) -> None:
    """Print what is known of a network."""
    shown = {**facts, "seed": result.seed}
    if result.as_json:
        show_json(shown)
    else:
        show_facts(shown, list(shown))
