"""Arguments and options that several commands share, and what is made of their texts: games, opponents, limits, files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import counterplay as cp
from counterplay.catalogue import SOLVERS
from counterplay.errors import InputError, quoted
from counterplay.files import BLUEPRINT, QUESTION, RECORD, RESPONSE, SPOT, STRATEGY, TEXT_STRATEGY, check_writable
from counterplay.games import DOORS, GAMES
from counterplay.games.spec_text import is_plugin
from counterplay.option import Option
from counterplay.poker.betting.stakes import CHIPS, Amount, read_amount, stakes_of
from counterplay.progress_line import Update
from counterplay.work.processes import Record as Record
from counterplay.work.processes import Workers as Workers
from counterplay.work.processes import check_workers

if TYPE_CHECKING:
    from counterplay.agents.factory.agent_factory import PlayableGame


class Seat(StrEnum):
    """A seat, as text of the command line."""

    FIRST = "0"
    SECOND = "1"


Json = Annotated[bool, Option("Print one JSON object and nothing else.", "--json")]
Seed = Annotated[int, Option("Seed of all randomness; recorded in the result.", least=0)]
Memory = Annotated[float | None, "Refuse games above this many GiB (default: half)."]
Spec = Annotated[
    str, Option("leduc, openspiel:leduc_poker, game.efg, river.toml, ...", metavar="GAME", positional=True)
]
To = Annotated[
    str, Option("A model: uniform, cfr+:10, s1, file.json, module:policy, and the others below.", metavar="OPPONENT")
]
RespondSeat = Annotated[Seat, "The responder's seat; the opponent has the other."]
Precision = Annotated[str, "double, or single: half of the memory, by a minimiser in float32."]
Blueprint = Annotated[
    str | None,
    Option(
        "With --flops: what edge and risk are counted from; by default made at once by 4,000 iterations.",
        metavar="FILE",
    ),
]
Solver = Annotated[str, f"{', '.join(SOLVERS)}."]
STRATEGIES = (TEXT_STRATEGY, STRATEGY)
_SPOTS, _WHOLE_GAMES = (QUESTION, SPOT), ("holdem", "fhp")


def output_option(help: str) -> Option:
    """The file that a command writes."""
    return Option(help, "-o", "--output")


@dataclass(frozen=True)
class ShownFlags:
    """Output format and seed of a command; one that draws nothing leaves the seed out."""

    as_json: Json = False
    seed: Seed = 0


@dataclass(frozen=True)
class RunFlags(ShownFlags):
    """Memory limit, output format and seed of a command."""

    memory: Memory = None


@dataclass(frozen=True)
class ResultFlags(RunFlags):
    """`RunFlags` and the output file."""

    output: Annotated[Path | None, output_option("Save it (.json or .cps; of a spot of hold'em also .spot).")] = None


@dataclass(frozen=True)
class WorkFlags(ResultFlags):
    """`ResultFlags`, and the workers and the record of long work."""

    workers: Workers = 1
    record: Record = None


@dataclass(frozen=True)
class FlopFlags:
    """In whole games of hold'em: what is won on drawn flops, and who computes that."""

    flops: Annotated[str | None, "In whole games of hold'em: what is won, by so many drawn flops, or all."] = None
    blueprint: Blueprint = None
    workers: Workers = 1
    record: Record = None

    @property
    def count(self) -> int | str:
        return count_of("flops", self.flops)


def count_of(option: str, text: str | None) -> int | str:
    """A number of drawn flops or boards, or "all"."""
    if text == "all":
        return text
    if text is None or not (text.isdecimal() and len(text) < 8):
        raise InputError(f"--{option} is a number or all, not {quoted(text or '')}")
    return int(text)


def check_memory(memory: float | None) -> None:
    if memory is not None and not memory > 0.0:
        raise InputError(f"--memory must be above 0 GiB, not {memory:g}")


def is_whole_game(game: str) -> bool:
    """Return whether a text names a whole game of hold'em, whose rules are not loaded for that."""
    return game.partition(":")[0] in _WHOLE_GAMES


def endings_for(game: str) -> tuple[str, ...]:
    """The endings of files that hold strategies of a game."""
    if is_whole_game(game):
        return (BLUEPRINT,)
    return (SPOT, *STRATEGIES) if game.endswith(_SPOTS) else STRATEGIES


def load_game(spec: str, memory: float | None, output: Path | None = None) -> Any:
    """A compiled game, or a spot of hold'em; refused where its strategies are too large for the output file."""
    from counterplay.measure.progress import ListingBar

    check_memory(memory)
    with ListingBar() as watch:
        game = cp.load(spec, memory=memory, watch=watch)
    if output is not None and output.suffix in STRATEGIES and hasattr(game, "check_savable"):
        game.check_savable(output)
    return game


def playable(game: str, memory: float | None) -> PlayableGame:
    """A game to play, which is compiled only where a player needs that."""
    from counterplay.agents.factory.agent_factory import PlayableGame

    check_memory(memory)
    return PlayableGame(game, memory)


def check_opponents(game: str, *texts: str | None) -> None:
    """Reject, before a game is loaded, texts that are no opponent in any game but a user's own."""
    if not _has_other_names(game):
        from counterplay.opponents.opponent import check_text

        for text in texts:
            if text is not None:
                check_text(text)


def check_agents(game: str, *texts: str) -> None:
    """Reject invalid texts of agents, in enumerated games and in spots."""
    if not _has_other_names(game):
        from counterplay.agents.records import AGENTS

        for text in texts:
            AGENTS.parse(text).check()


def _has_other_names(game: str) -> bool:
    return is_plugin(game, (*GAMES, *DOORS)) or is_whole_game(game)


def exploitability_of(text: str | None, bare: str = CHIPS) -> Amount | None:
    """The amount of `--exploitability`: a number with its unit, or in the unit `bare`."""
    return None if text is None else read_amount(text, bare, "--exploitability")


def chips_of(amount: Amount | None, game: Any) -> float | None:
    return None if amount is None else amount.chips(stakes_of(game), "--exploitability")


def stop_of(
    exploitability: float | None = None, iterations: int | None = None, seconds: float | None = None
) -> cp.Stop | None:
    """The stop that the options describe; None if none was given."""
    for name, number in (("exploitability", exploitability), ("iterations", iterations), ("seconds", seconds)):
        if number is not None and not number >= 0:
            raise InputError(f"--{name} must be at least 0, not {number:g}")
    if exploitability is None and iterations is None and seconds is None:
        return None
    fine, most = exploitability or 0.0, cp.Stop.iterations if iterations is None else iterations
    return cp.Stop(fine, most, cp.Stop.seconds if seconds is None else seconds)


def solver_in(name: str, precision: str) -> str:
    """The text of a solver in a precision; in float32 it is dcfr unless another one is named."""
    from counterplay.solvers.minimiser import DCFR, minimiser

    if name not in ("auto", "lp"):
        minimiser(name)
    if precision == "double":
        return name
    if precision != "single":
        raise InputError(f"--precision takes double or single, not {quoted(precision)}")
    if name == "lp":
        raise InputError("lp is exact, in float64: --precision single is for a minimiser such as dcfr")
    return str((DCFR if name == "auto" else minimiser(name)).changed(single=True))


@contextmanager
def naming_solver() -> Iterator[None]:
    """Name the option that chooses another solver where a linear program fails that a minimiser could replace."""
    from counterplay.solvers.lp import LPError

    try:
        yield
    except LPError as error:
        if not isinstance(error.__cause__, LPError):
            raise
        raise InputError(f"{error.__cause__}; --solver dcfr needs no linear program") from None


def progress_bar(stop: cp.Stop | None, quiet: bool, game: Any = None) -> Any:
    """Progress on stderr; the game gives the unit of exploitability."""
    from counterplay.measure.progress import Bar

    return Bar(stop, quiet, stakes_of(game))


def counter(line: Update | None, text: str) -> Callable[[int, int], None] | None:
    """A watch that shows what is done and the total on a line of progress; the text is a format of both."""
    return None if line is None else lambda done, total: line(text.format(done, total), done, total)


def save_strategies(game: Any, strategies: Sequence[cp.Strategy], path: Path, model: cp.Strategy | None = None) -> None:
    """Write strategies of a game. A `.spot` file needs those of both players: an answer is saved with the model."""
    first: Any = strategies[0]
    if path.suffix == BLUEPRINT:
        from counterplay.poker.whole_game.blueprints.blueprint_file import save_answer

        save_answer(path, first)
    elif path.suffix == RESPONSE:
        from counterplay.poker.whole_game.blueprints.blueprint_file import save_response

        save_response(path, first)
    elif path.suffix == SPOT:
        game.with_strategies(*strategies, *([] if model is None else [model])).save(path)
    elif len(strategies) == 1:
        first.save(path)
    else:
        from counterplay.treeplex.strategy import save

        save(list(strategies), path)


def seat_in(path: str) -> int:
    """The seat of a file's strategy; 0 if it holds both, or is not a file."""
    from counterplay.poker.spots.solution import facts_in
    from counterplay.treeplex.strategy import seats_in

    if path.endswith(SPOT):
        return int(facts_in(path).get("seat", 0))
    response, mark, _ = f"{path}:".partition(f"{RESPONSE}:")
    if mark:
        from counterplay.poker.whole_game.blueprints.blueprint_file import seat_of

        return seat_of(Path(response + RESPONSE))
    return seats_in(Path(path))[0] if path.endswith(STRATEGIES) else 0


def check_work(asked: Any, *endings: str) -> None:
    """Refuse, before anything is computed, invalid workers, a record that cannot be written, and an output file of other
    endings than these, if there are some."""
    if endings:
        check_writable(asked.output, *endings)
    check_writable(asked.record, RECORD)
    check_workers(asked.workers)


def check_no_work(asked: Any, goes_with: str) -> None:
    """Refuse workers and a record where there is no work for them."""
    if asked.workers != 1 or asked.record is not None:
        raise InputError(f"--workers and --record go with {goes_with}")


def work_tools(
    work: Any, asked: Any, quiet: bool, what: str = "computed", named: bool = False
) -> AbstractContextManager[dict[str, Any]]:
    """A context with the arguments of `run_work` that options (asked: `workers` and `record`) determine, in which a line of
    progress is shown. The record is opened before. what: participle for a finished piece; named: show the keys of pieces."""
    from counterplay.work.processes import executor_of
    from counterplay.work.run_work import work_line
    from counterplay.work.work_record import WorkRecord

    record = WorkRecord(asked.record, None if asked.record is None else work.identity())
    executor = executor_of(asked.workers)

    @contextmanager
    def shown() -> Iterator[dict[str, Any]]:
        with work_line(what, quiet, named) as watch:
            yield {"record": record, "executor": executor, "watch": watch}

    return shown()
