"""The commands that make and show blueprints of whole games of hold'em."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

from counterplay.commands.options import shared_options as shared
from counterplay.commands.options.option_records import Help, given_options, takes_records
from counterplay.commands.printing import report
from counterplay.errors import InputError, quoted
from counterplay.files import BLUEPRINT, TRAINING, check_writable
from counterplay.option import Option
from counterplay.poker.betting.stakes import MILLI, Stakes
from counterplay.progress_line import RecentPace, Update, progress_line, soonest
from counterplay.work.processes import processes_here

if TYPE_CHECKING:
    from counterplay.poker.betting.tree import BettingTree
    from counterplay.poker.cards.deck import Deck
    from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, BlueprintOptions
    from counterplay.poker.whole_game.blueprints.board_split import BoardSplit, RoundProgress
    from counterplay.poker.whole_game.holdem import HoldemGame
    from counterplay.poker.whole_game.rules import Holdem
    from counterplay.poker.whole_game.values.measure import BlueprintMeasure
    from counterplay.work.run_work import Executor

_LINES = ("game", "buckets", "method", "iterations", "value", "exploitability", "seconds")
_METHODS = ("public", "cfr-br", "cfr", "cfr+", "dcfr")
_ITERATIONS = 4000
_MINUTE = 60.0
Nodes = list[tuple[int, tuple[int, ...]]]
"""Nodes of a betting tree, each with its board."""


@dataclass(frozen=True)
class BlueprintFlags:
    """The method of a blueprint, and its stopping rule."""

    method: Annotated[
        str | None,
        "public sampling; cfr-br, public sampling against best responses on the last street; over all boards cfr, cfr+, "
        "dcfr (public).",
    ] = None
    iterations: Annotated[int | None, "Stop after this many (4000, if nothing else stops it)."] = None
    seconds: Annotated[float | None, "Stop after this many seconds."] = None
    minutes: Annotated[float | None, "Stop after this many minutes."] = None
    exploitability: Annotated[
        str | None, Option("Stop at this many milli-big-blinds per hand, or at 0.01chips.", metavar="MBB")
    ] = None
    threads: Annotated[int | None, "At once (all cores for public sampling on several streets, else 1)."] = None
    training: Annotated[
        Path | None, "Keep the regrets in this file now and then (.train), and go on from it if it is there."
    ] = None
    split: Annotated[
        int | None,
        Option(
            "Sweep so many shares of the boards side by side, and add up their regrets (as many as --workers).",
            metavar="SHARES",
        ),
    ] = None
    sum_every: Annotated[int | None, Option("Most boards of a share between two sums (256).", metavar="BOARDS")] = None

    @property
    def name(self) -> str:
        if self.method is not None and self.method not in _METHODS:
            raise InputError(f"--method must be {', '.join(_METHODS)}, not {quoted(self.method)}")
        return self.method or _METHODS[0]

    def check(self) -> None:
        """Reject an invalid exploitability, two limits of time, a split that is none, and a training file that cannot be
        written."""
        if self.seconds is not None and self.minutes is not None:
            raise InputError("--seconds and --minutes say the same")
        shared.exploitability_of(self.exploitability, MILLI)
        check_writable(self.training, TRAINING)
        self.board_split(self.split or 1)

    def board_split(self, shares: int) -> BoardSplit | None:
        """The split of the boards into so many shares, unless --split says how many; None for one."""
        from counterplay.poker.whole_game.blueprints.board_split import USUAL_BOARDS, BoardSplit

        shares = shares if self.split is None else self.split
        split = BoardSplit(shares, USUAL_BOARDS if self.sum_every is None else self.sum_every)
        return None if split.shares == 1 else split

    def options(self, stakes: Stakes) -> BlueprintOptions:
        """Limits and threads as `blueprint` takes them."""
        from counterplay.jit.threads import check_threads
        from counterplay.poker.whole_game.blueprints.blueprint import BlueprintOptions, check_limits

        limits = BlueprintOptions(training=self.training)
        if self.threads is not None:
            check_threads(self.threads, "--threads")
            limits["threads"] = self.threads
        amount = shared.exploitability_of(self.exploitability, MILLI)
        seconds = self.seconds if self.minutes is None else _MINUTE * self.minutes
        if self.iterations is not None or (seconds is None and amount is None):
            limits["iterations"] = _ITERATIONS if self.iterations is None else self.iterations
        if seconds is not None:
            limits["seconds"] = seconds
        if amount is not None:
            chips = amount.chips(stakes, "--exploitability")
            in_milli = amount.number if amount.unit == MILLI else 1000.0 * chips / (stakes.big_blind or 1.0)
            limits["exploitability"] = in_milli
        check_limits(limits)
        return limits


@dataclass(frozen=True)
class NodeFlags:
    """The existing blueprint to show, and its nodes."""

    file: Annotated[Path | None, "Show an existing blueprint (.cpb, .fhp)."] = None
    node: Annotated[list[str] | None, Option("Show this node: 'raise 4, call', 'c x x'.", metavar="PATH")] = None
    board: Annotated[str | None, "The cards of nodes after the flop is dealt: 'Qs Jh 2h'."] = None

    def nodes(self, betting: BettingTree, deck: Deck) -> Nodes:
        from counterplay.poker.betting.rules import STREETS
        from counterplay.poker.betting.state import Kind
        from counterplay.poker.betting.tree import node_at
        from counterplay.poker.whole_game.boards.board import DEALT

        board = () if self.board is None else deck.held(self.board)
        if self.board is not None and len(board) not in DEALT[1 : betting.rules.last + 1]:
            names = f"a flop has {DEALT[1]}" if betting.rules.last == 1 else "a board has 3, 4 or 5"
            raise InputError(f"{names} cards, not {len(board)}")
        nodes = []
        for path in self.node or [""]:
            node = node_at(betting, path)
            if betting.kind[node] == Kind.DEAL:
                node = betting.children(node)[0]
            if betting.kind[node] > Kind.PLAYER1:
                raise InputError(f"no player acts at '{path}'")
            street = int(betting.street[node])
            if len(board) < DEALT[street]:
                raise InputError(f"'{path}' is on the {STREETS[street]}: name its cards, as in --board 'Qs Jh 2h'")
            nodes.append((node, board[: DEALT[street]]))
        return nodes


@takes_records("blueprint holdem:flop,buckets=200 --seconds 5 -o blueprint.cpb")
def blueprint(
    *,
    game: shared.Spec,
    how: BlueprintFlags,
    shown: NodeFlags,
    result: Annotated[shared.WorkFlags, Help(output="Save the blueprint (.cpb).")],
) -> None:
    """Make a blueprint of a whole game of hold'em, or show one: exploitability in the game without buckets, and strategies
    as grids. Ctrl-C keeps the best so far."""
    from counterplay.card_abstraction.card_abstraction import MOST_LISTED
    from counterplay.measure.on_boards import blueprint_work, measure_blueprint
    from counterplay.poker.whole_game.blueprints.blueprint import fixed_boards
    from counterplay.poker.whole_game.blueprints.blueprint_file import load
    from counterplay.poker.whole_game.rules import read_holdem
    from counterplay.poker.whole_game.values.measure import measure

    how.check()
    if not shared.is_whole_game(game):
        raise InputError(f"blueprints need a whole game, such as holdem:flop,buckets=200, not {quoted(game)}")
    rules = read_holdem(game)
    check_writable(result.output, BLUEPRINT)
    shared.check_memory(result.memory)
    if shown.file is not None and (given := given_options(how)):
        name = next(iter(given)).replace("_", "-")
        raise InputError(f"{shown.file} is made already: it takes --node and --board, and no --{name}")
    if shown.board is not None and not shown.node:
        raise InputError("--board goes with --node, which is missing")
    shared.check_work(result)
    if result.record is not None and shown.file is None:
        raise InputError("--record keeps the progress of measuring a blueprint in a file: give --file")
    if shown.file is not None:
        holdem, made = load(shown.file, rules.game)
        nodes = shown.nodes(holdem.betting, holdem.deck)
    else:
        nodes = shown.nodes(rules.betting, rules.deck)
        holdem, made = rules.game, _solved(rules, how, result)
    source = result.output or shown.file
    work = blueprint_work(holdem, made.play, source)
    workers = result if source else replace(result, workers=1)
    tools = shared.work_tools(work, workers, result.as_json, "measured")  # refused before anything is written
    _save(result, holdem, made)
    is_long = holdem.boards.most_hands(holdem.last) > MOST_LISTED
    brief = is_long and result.record is None  # an exact measure takes hours: it is made for a record only
    if brief:
        measured = measure(holdem, made.play, fixed_boards(holdem.boards))
    else:
        with tools as pieces:
            measured = measure_blueprint(holdem, made.play, source, **pieces)
    _show(holdem, made, measured, nodes, result, brief)


def _save(result: shared.WorkFlags, game: HoldemGame, made: Blueprint) -> None:
    if result.output:
        from counterplay.poker.whole_game.blueprints.blueprint_file import save

        save(result.output, game, made)


def _solved(rules: Holdem, how: BlueprintFlags, result: shared.WorkFlags) -> Blueprint:
    """Announce the size of a solve, and solve."""
    from counterplay.card_abstraction.make_buckets import make_buckets, usual_abstraction
    from counterplay.poker.whole_game.blueprints.blueprint import blueprint as solve
    from counterplay.poker.whole_game.blueprints.blueprint_file import check_listed
    from counterplay.poker.whole_game.blueprints.board_split import size_of

    method, options = how.name, how.options(rules.stakes)
    game, quiet = rules.game, result.as_json
    options["seed"] = result.seed
    options["split"], options["executor"] = split, _ = _workers(game, how, result)
    options["memory"] = memory = None if result.memory is None else result.memory * 2**30
    kind = rules.buckets or usual_abstraction(game.boards)
    size = size_of(game, kind.buckets_of(game.last), method)
    if not quiet:
        print(size, flush=True)
    here = 1 if split is None else 1 + processes_here(result.workers)
    replace(size, memory=here * size.memory).check(memory)
    with progress_line("making buckets", quiet) as line:
        drawn = game.last > 1 and "exploitability" not in options  # the solve measures itself on `fixed_boards`
        progress = SolveProgress(line, options, " on a few fixed boards" if drawn else "") if line else None
        if progress:
            options["watch_round"] = progress.watch_round
        buckets = make_buckets(game.boards, kind, watch=progress.watch_buckets if progress else None)
        if result.output:
            check_listed(game, buckets)
        watch, keep = progress.watch if progress else None, partial(_save, result, game)
        return solve(game, buckets, method=method, watch=watch, keep=keep, **options)


def _workers(
    game: HoldemGame, how: BlueprintFlags, result: shared.WorkFlags
) -> tuple[BoardSplit | None, Executor | None]:
    """The shares into which boards are split, and who sweeps them. A training file is continued as it was begun."""
    from counterplay.poker.whole_game.blueprints.blueprint import split_of
    from counterplay.poker.whole_game.blueprints.board_split import why_whole
    from counterplay.work.processes import executor_of

    workers = result.workers
    if why := why_whole(game, how.name):
        if how.split is not None:
            raise InputError(f"--split: {why}")
        if workers != 1 and result.output is None:
            raise InputError("--workers measures a blueprint in a file: give -o or --file")
        return None, None
    executor = executor_of(workers)
    if how.training is not None and how.training.exists() and how.split is None and how.sum_every is None:
        return split_of(how.training), executor
    split = how.board_split(executor.size() if how.split is None else how.split)
    if split is None and how.sum_every is not None:
        raise InputError("--sum-every is for boards that are split: give --split or --workers")
    return split, executor


def _show(
    game: HoldemGame, made: Blueprint, measured: BlueprintMeasure, nodes: Nodes, result: shared.WorkFlags, brief: bool
) -> None:
    """The facts of a blueprint and its nodes, as JSON or as lines."""
    stakes = Stakes(None, 1000.0 / measured.milli)
    chips = measured.exploitability / measured.milli
    facts: dict[str, Any] = {
        "game": f"{'flop ' if game.last == 1 else ''}hold'em, {len(game.deck.cards)} cards",
        "buckets": str(made.play.buckets), "method": made.method, "iterations": made.iterations,
        "value": measured.value, "seed": made.seed, "exploitability": measured.exploitability,
        "seconds": made.seconds, "interrupted": made.interrupted, "split": made.split and made.split.facts,
        **stakes.facts({"value": measured.value, "exploitability": chips}),
    }  # fmt: skip
    lines = {
        "value": f"{stakes.rate(measured.value)} for the big blind",
        "exploitability": f"{measured.exploitability:.5g} milli-big-blinds a hand, {stakes.others(chips)[0]}, "
        + ("on a few boards that the best response knows" if brief else "without buckets"),
    }
    if result.as_json:
        facts["nodes"] = [_node_facts(game, made, *node) for node in nodes]
    below = [partial(_show_node, game, made, *node) for node in nodes]
    names = [name for name in _LINES if facts[name] is not None]
    report(None, facts, names, result, lines=lines, below=below)


def _node_facts(game: HoldemGame, made: Blueprint, node: int, board: tuple[int, ...]) -> dict[str, Any]:
    from counterplay.poker.cards.deck import cards_text, hand_text
    from counterplay.poker.whole_game.strategy import probabilities, reach

    rows, player = probabilities(game, made.play, node, board), int(game.betting.kind[node])
    weights = reach(game, made.play, player, node, board)
    hands = {
        hand_text(cards): {"reach": float(weights[k]), "probabilities": rows[:, k].tolist()}
        for k, cards in enumerate(game.deck.hands.tolist())
        if weights[k] > 0.0
    }
    path, actions = game.betting.path(node), list(game.betting.actions(node))
    return {"path": path, "flop": cards_text(board), "player": player, "actions": actions, "hands": hands}


def _show_node(game: HoldemGame, made: Blueprint, node: int, board: tuple[int, ...]) -> None:
    """The grid of the player who acts."""
    from counterplay.poker.cards.deck import cards_text
    from counterplay.poker.ranges.grid import show_strategy
    from counterplay.poker.whole_game.strategy import probabilities, reach

    player, shown = int(game.betting.kind[node]), f"board {cards_text(board)}, " if board else ""
    seat = ("big blind", "button")[player]
    print(f"\n{game.betting.path(node) or 'root'}: {shown}pot {game.betting.pot[node]:g}, {seat} to act\n", flush=True)
    weights = reach(game, made.play, player, node, board)
    rows = probabilities(game, made.play, node, board).T
    show_strategy(rows, game.betting.actions(node), weights, board=board, deck=game.deck)


class SolveProgress:
    """The line of progress of a blueprint's solve: iterations, the round under way, exploitability and what it refers to
    (where), and the time left."""

    def __init__(self, line: Update, limits: BlueprintOptions, where: str) -> None:
        self._line, self._limits, self._where = line, limits, where
        self._exploitability, self._round = "", ""
        self._began, self._pace = monotonic(), RecentPace()

    def watch_buckets(self, what: str, done: int, total: int) -> None:
        """A part of a card abstraction's tables is done."""
        self._line(f"card abstraction, {what}: {done:,} of {total:,}", done, total)

    def watch(self, iterations: int, exploitability: float) -> None:
        """Iterations are done; the exploitability is NaN while unknown."""
        if exploitability == exploitability:
            self._exploitability = f", exploitability {exploitability:.3g} milli-big-blinds{self._where}"
        self._tell(iterations)

    def watch_round(self, progress: RoundProgress) -> None:
        """A round begins, or a share of it is done."""
        self._round = f", {progress.done:,} of {progress.boards:,} boards of this round"
        self._tell(progress.iterations)

    def _tell(self, iterations: int) -> None:
        """Show the line, with the time until the first limit. A solve that goes on has done some of its iterations before,
        which are not part of its pace."""
        now, limits, ends = monotonic(), self._limits, list[float | None]()
        self._pace.saw(iterations, now)
        if limits.get("exploitability"):
            ends.append(None)
        if (seconds := limits.get("seconds")) is not None:
            ends.append(seconds - (now - self._began))
        if (most := limits.get("iterations")) is not None:
            ends.append(self._pace.seconds(most - iterations))
        text = f"{iterations:,} iterations{self._round}{self._exploitability}"
        self._line(text, None, None, soonest(ends))
