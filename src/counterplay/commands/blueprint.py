"""The commands that make and show blueprints of whole games of hold'em. Registered in `registry.py`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from counterplay.commands.blueprint_node import Nodes, facts_of, nodes_of, show
from counterplay.commands.options.blueprint_options import (
    BlueprintFlags,
    FlopGameFlags,
    FlopNodeFlags,
    MeasuredFlags,
    NodeFlags,
)
from counterplay.commands.options.inputs import check_memory
from counterplay.commands.options.option_records import given_options, takes_records
from counterplay.commands.options.shared_options import Spec
from counterplay.commands.options.work_options import check_work, work_tools
from counterplay.commands.printing.solve_progress import SolveProgress
from counterplay.commands.value_output import report
from counterplay.endings import BLUEPRINT, FLOP_BLUEPRINT
from counterplay.errors import InputError, quoted
from counterplay.files import check_writable
from counterplay.poker.betting.stakes import Stakes
from counterplay.progress_line import Update, progress_line
from counterplay.work.processes import processes_here

if TYPE_CHECKING:
    from counterplay.poker.whole_game.blueprints.blueprint import Blueprint
    from counterplay.poker.whole_game.holdem import HoldemGame
    from counterplay.poker.whole_game.rules import Holdem
    from counterplay.poker.whole_game.sampling.board_split import BoardSplit
    from counterplay.poker.whole_game.values.measure import BlueprintMeasure
    from counterplay.work.executor import Executor

_ENDINGS = (BLUEPRINT, FLOP_BLUEPRINT)
_LINES = ("game", "buckets", "method", "iterations", "value", "exploitability", "seconds")


@takes_records
def blueprint(*, game: Spec, how: BlueprintFlags, shown: NodeFlags, result: MeasuredFlags) -> None:
    """Make a blueprint of a whole game of hold'em, or show one: exploitability in the game without buckets, and strategies
    as grids. Ctrl-C keeps the best so far."""
    from counterplay.poker.whole_game.game_text import is_whole_game, read_holdem

    how.check()
    if not is_whole_game(game):
        raise InputError(f"blueprints need a whole game, such as holdem:flop,buckets=200, not {quoted(game)}")
    _Request(how, shown, result, [*given_options(how)]).run(read_holdem(game))


@takes_records
def fhp(*, which: FlopGameFlags, how: BlueprintFlags, shown: FlopNodeFlags, result: MeasuredFlags) -> None:
    """Make a blueprint of Flop Hold'em, or show one: exploitability in the game without buckets, and strategies as grids.
    Ctrl-C keeps the best so far. The same as `blueprint holdem:flop,buckets=200`."""
    how.check()
    rules = None if shown.file is not None else which.rules()
    _Request(how, shown, result, [*given_options(how), *given_options(which)]).run(rules)


@dataclass(frozen=True)
class _Request:
    """A blueprint to make, or to look at.

    Attributes:
        how: it is computed.
        shown: the file it is in already, and nodes.
        result: where it goes, and how it is measured.
        given: options that a blueprint in a file does not take.
    """

    how: BlueprintFlags
    shown: NodeFlags
    result: MeasuredFlags
    given: Collection[str]

    def run(self, rules: Holdem | None) -> None:
        """Make or read it, save it and show it. rules: None is the game of the file."""
        from counterplay.measure.on_boards import blueprint_work, measure_blueprint

        self._check()
        game, made, nodes = self._read(rules) if rules is None or self.shown.file else self._solved(rules)
        source = self.result.output or self.shown.file
        work, asked = (
            blueprint_work(game, made.play, source),
            self.result if source else replace(self.result, workers=1),
        )
        tools = work_tools(work, asked, self.result.as_json, "measured")  # refused before anything is written
        self._save(game, made)
        if brief := self._is_long(game) and self.result.record is None:
            found = self._glance(game, made)
        else:
            with tools as how:
                found = measure_blueprint(game, made.play, source, **vars(how))
        self._show(game, made, found, nodes, brief)

    def _save(self, game: HoldemGame, made: Blueprint) -> None:
        """Write the blueprint, if it is wanted."""
        if self.result.output:
            from counterplay.poker.whole_game.blueprints.blueprint_file import save

            save(self.result.output, game, made)

    def _is_long(self, game: HoldemGame) -> bool:
        """Whether an exact measure takes hours: then it is made for a `--record` only."""
        from counterplay.card_abstraction.street_buckets import MOST_LISTED
        from counterplay.poker.whole_game.boards.flops import Flops

        return not isinstance(game.boards, Flops) and game.boards.most_hands(game.last) > MOST_LISTED

    def _glance(self, game: HoldemGame, made: Blueprint) -> BlueprintMeasure:
        """The measure on a few boards that are always the same."""
        from counterplay.poker.whole_game.blueprints.blueprint import fixed_boards
        from counterplay.poker.whole_game.values.measure import measure

        return measure(game, made.play, fixed_boards(game.boards))

    def _check(self) -> None:
        """Reject invalid options and combinations."""
        file, result = self.shown.file, self.result
        check_writable(result.output, *_ENDINGS)
        check_memory(result.memory)
        if file is not None and self.given:
            one = next(iter(self.given)).replace("_", "-")
            raise InputError(f"{file} is made already: it takes --node and {self.shown.BOARD}, and no --{one}")
        if self.shown.board is not None and not self.shown.node:
            raise InputError(f"{self.shown.BOARD} goes with --node, which is missing")
        check_work(result)
        if result.record is not None and file is None:
            raise InputError("--record keeps the progress of measuring a blueprint in a file: give --file")

    def _read(self, rules: Holdem | None) -> tuple[HoldemGame, Blueprint, Nodes]:
        """The blueprint in the file."""
        from counterplay.poker.whole_game.blueprints.blueprint_file import load

        assert self.shown.file is not None
        game, made = load(self.shown.file, None if rules is None else rules.game)
        return game, made, nodes_of(game.betting, game.deck, self.shown)

    def _solved(self, rules: Holdem) -> tuple[HoldemGame, Blueprint, Nodes]:
        """Check the input, announce the size, and solve."""
        from counterplay.card_abstraction.make_buckets import make_buckets, usual_abstraction
        from counterplay.poker.whole_game.blueprints.blueprint import blueprint as solve
        from counterplay.poker.whole_game.blueprints.blueprint_file import check_savable
        from counterplay.poker.whole_game.blueprints.size_estimate import size_of

        method, options = self.how.name, self.how.options(rules.stakes)
        nodes = nodes_of(rules.betting, rules.deck, self.shown)
        game, quiet = rules.game, self.result.as_json
        options["seed"] = self.result.seed
        options["split"], options["executor"] = split, _ = self._workers(game)
        options["memory"] = memory = None if self.result.memory is None else self.result.memory * 2**30
        kind = rules.buckets or usual_abstraction(game.boards)
        size = size_of(game, kind.buckets_of(game.last), method)
        if not quiet:
            print(size, flush=True)
        here = 1 if split is None else 1 + processes_here(self.result.workers)
        replace(size, memory=here * size.memory).check(memory)
        with progress_line("making buckets", quiet) as line:
            drawn = game.last > 1 and "exploitability" not in options  # the solve measures itself on `fixed_boards`
            told = partial(_tell_boards, line) if line else None
            progress = SolveProgress(line, options, " on a few fixed boards" if drawn else "") if line else None
            if progress:
                options["watch_round"] = progress.watch_round
            buckets = make_buckets(game.boards, kind, watch=told)
            if self.result.output:
                check_savable(self.result.output, game, buckets)
            made = solve(
                game,
                buckets,
                method=method,
                watch=progress.watch if progress else None,
                keep=partial(self._save, game),
                **options,
            )
        return game, made, nodes

    def _workers(self, game: HoldemGame) -> tuple[BoardSplit | None, Executor | None]:
        """Into how many shares the boards are split, and who sweeps them. A training file is gone on with as it was begun.

        Raises:
            InputError: a split, or workers, where the method splits no boards; or the workers cannot be asked.
        """
        from counterplay.poker.whole_game.blueprints.sampling_solver import why_whole
        from counterplay.poker.whole_game.blueprints.training_file import split_of
        from counterplay.work.processes import executor_of

        how, workers = self.how, self.result.workers
        if why := why_whole(game, how.name):
            if how.split is not None:
                raise InputError(f"--split: {why}")
            if workers != 1 and self.result.output is None:
                raise InputError("--workers measures a blueprint in a file: give -o or --file")
            return None, None
        executor = executor_of(workers)
        begun = how.training is not None and how.training.exists()
        if begun and how.split is None and how.sum_every is None:
            assert how.training is not None
            return split_of(how.training), executor
        found = how.board_split(executor.size() if how.split is None else how.split)
        if found is None and how.sum_every is not None:
            raise InputError("--sum-every is for boards that are split: give --split or --workers")
        return found, executor

    def _show(self, game: HoldemGame, made: Blueprint, found: BlueprintMeasure, nodes: Nodes, brief: bool) -> None:
        """The facts of a blueprint and its nodes, as JSON or as lines."""
        stakes = Stakes(None, 1000.0 / found.milli)
        chips = found.exploitability / found.milli
        facts: dict[str, Any] = {
            "game": f"{'flop ' if game.last == 1 else ''}hold'em, {len(game.deck.cards)} cards",
            "buckets": str(made.play.buckets), "method": made.method, "iterations": made.iterations, "value": found.value,
            "seed": made.seed, "exploitability": found.exploitability, "seconds": made.seconds,
            "interrupted": made.interrupted, "split": made.split and made.split.facts(),
            **stakes.facts({"value": found.value, "exploitability": chips}),
        }  # fmt: skip
        lines = {
            "value": f"{stakes.rate(found.value)} for the big blind",
            "exploitability": f"{found.exploitability:.5g} milli-big-blinds a hand, {stakes.others(chips)[0]}, "
            + ("on a few boards that the best response knows" if brief else "without buckets"),
        }
        if self.result.as_json:
            facts["nodes"] = [facts_of(game, made, *one) for one in nodes]
        below = [partial(show, game, made, *one) for one in nodes]
        names = [name for name in _LINES if facts[name] is not None]
        report(None, facts, names, self.result, lines=lines, below=below)


def _tell_boards(line: Update, what: str, done: int, whole: int) -> None:
    """The line of progress of card abstraction tables."""
    line(f"card abstraction, {what}: {done:,} of {whole:,}", done, whole)
