"""Inputs that commands share: texts and numbers of a user to games, opponents and limits; strategies to files."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.options.shared_options import STRATEGIES, Seat
from counterplay.endings import BLUEPRINT, QUESTION, RESPONSE, SPOT
from counterplay.errors import InputError, quoted
from counterplay.games import DOORS, GAMES
from counterplay.games.plugin import is_plugin
from counterplay.poker.betting.stakes import CHIPS, Amount, read_amount, stakes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from counterplay.agents.factory.playable_game import PlayableGame
    from counterplay.solvers.cfr import Stop
    from counterplay.treeplex.strategy import Strategy

_SPOTS = (QUESTION, SPOT)
_WHOLE_GAMES, _BLUEPRINTS, RESPONSES = ("holdem", "fhp"), (BLUEPRINT,), (RESPONSE,)


RespondSeat = Annotated[Seat, typer.Option("--seat", help="The responder's seat; the opponent has the other.")]


def check_memory(memory: float | None) -> None:
    """Reject a memory limit that is not positive."""
    if memory is not None and not memory > 0.0:
        raise InputError(f"--memory must be above 0 GiB, not {memory:g}")


def endings_for(game: str) -> tuple[str, ...]:
    """Of the files that hold strategies of a game."""
    if game.partition(":")[0] in _WHOLE_GAMES:
        return _BLUEPRINTS
    return (SPOT, *STRATEGIES) if game.endswith(_SPOTS) else STRATEGIES


def load_game(spec: str, memory: float | None, output: Path | None = None) -> Any:
    """A compiled game, or a spot of hold'em. output: the file of one strategy or both.

    Raises:
        InputError: no such game, it takes too much memory, or strategies of a spot this large cannot be written to such a
            file.
    """
    from counterplay.measure.progress import ListingBar
    from counterplay.poker.spots.load import load

    check_memory(memory)
    with ListingBar() as watch:
        game = load(spec, memory=memory, watch=watch)
    if output is not None and output.suffix in STRATEGIES and hasattr(game, "check_savable"):
        game.check_savable(output)
    return game


def playable(game: str, memory: float | None) -> PlayableGame:
    """A game to play, which is compiled only if that is asked for."""
    from counterplay.agents.factory.playable_game import PlayableGame

    check_memory(memory)
    return PlayableGame(game, memory)


def check_opponents(game: str, *texts: str | None) -> None:
    """Reject, before a game is loaded, texts that are not an opponent in any game; a user's game may provide further
    ones.
    """
    from counterplay.poker.whole_game.game_text import is_whole_game

    if _is_own(game) or is_whole_game(game):
        return
    from counterplay.opponents.opponent import check_text

    for text in texts:
        if text is not None:
            check_text(text)


def _is_own(game: str) -> bool:
    """Whether a game is the user's own."""
    return is_plugin(game, (*GAMES, *DOORS))


def check_agents(game: str, *texts: str) -> None:
    """Reject invalid texts of agents, in enumerated games and in spots."""
    from counterplay.poker.whole_game.game_text import is_whole_game

    if _is_own(game) or is_whole_game(game):
        return
    from counterplay.agents.record import AGENTS

    for text in texts:
        AGENTS.parse(text).check()


def opponent_of(tree: Any, text: str, player: int, seed: int) -> Strategy:
    """The model that a text names."""
    from counterplay.opponents.opponent import opponent

    return opponent(tree, text, player, seed)


def exploitability_of(text: str | None, bare: str = CHIPS) -> Amount | None:
    """The amount of `--exploitability`: a number with its unit, or in the unit `bare`."""
    return None if text is None else read_amount(text, bare, "--exploitability")


def chips_of(amount: Amount | None, game: Any) -> float | None:
    """An exploitability in chips of a game."""
    return None if amount is None else amount.chips(stakes_of(game), "--exploitability")


def stop_of(
    exploitability: float | None = None, iterations: int | None = None, seconds: float | None = None
) -> Stop | None:
    """The stop that the options describe; None if none was given."""
    from counterplay.solvers.cfr import Stop

    for name, number in (("exploitability", exploitability), ("iterations", iterations), ("seconds", seconds)):
        if number is not None and not number >= 0:
            raise InputError(f"--{name} must be at least 0, not {number:g}")
    if exploitability is None and iterations is None and seconds is None:
        return None
    fine, most = exploitability or 0.0, Stop.iterations if iterations is None else iterations
    return Stop(fine, most, Stop.seconds if seconds is None else seconds)


def check_solver(name: str) -> None:
    """Reject, before a game is loaded, an unknown solver."""
    from counterplay.solvers.minimiser import minimiser

    if name not in ("auto", "lp"):
        minimiser(name)


def solver_in(name: str, precision: str) -> str:
    """The text of a solver in a precision, "double" or "single"; in float32 it is dcfr unless another one is named.

    Raises:
        InputError: an unknown solver or precision, or the linear program in float32.
    """
    from counterplay.solvers.minimiser import DCFR, minimiser

    check_solver(name)
    if precision == "double":
        return name
    if precision != "single":
        raise InputError(f"--precision takes double or single, not {quoted(precision)}")
    if name == "lp":
        raise InputError("lp is exact, in float64: --precision single is for a minimiser such as dcfr")
    return str((DCFR if name == "auto" else minimiser(name)).changed(single=True))


@contextmanager
def naming_solver(option: str = "solver") -> Iterator[None]:
    """Let a linear program that fails where a minimiser would do name the option that chooses one.

    Raises:
        InputError: in place of an `LPError` of `avoidable`.
    """
    from counterplay.solvers.lp import LPError

    try:
        yield
    except LPError as error:
        if not isinstance(error.__cause__, LPError):
            raise
        raise InputError(f"{error.__cause__}; --{option} dcfr needs no linear program") from None


def progress_bar(stop: Stop | None, quiet: bool, game: Any = None) -> Any:
    """Progress on stderr; the game gives the unit of exploitability."""
    from counterplay.measure.progress import Bar

    return Bar(stop, quiet, stakes_of(game))


def save_strategies(game: Any, strategies: Sequence[Strategy], path: Path, model: Strategy | None = None) -> None:
    """Write strategies of a game. A `.spot` file needs those of both players: an answer is saved with the model."""
    if path.suffix in _BLUEPRINTS:
        from counterplay.poker.whole_game.blueprints.blueprint_file import save_answer

        found: Any = strategies[0]
        save_answer(path, found)
        return
    if path.suffix in RESPONSES:
        from counterplay.poker.whole_game.blueprints import response_file

        response: Any = strategies[0]
        response_file.save(path, response)
        return
    if path.suffix == SPOT:
        game.with_strategies(*strategies, *([] if model is None else [model])).save(path)
        return
    if len(strategies) == 1:
        strategies[0].save(path)
        return
    from counterplay.treeplex.strategy_writer import save

    save(list(strategies), path)


def seat_in(path: str) -> int:
    """The seat of a file's strategy; 0 if it holds both, or is not a file."""
    from counterplay.poker.spots.spot_file import facts_in
    from counterplay.treeplex.strategy_file import seats_in

    if path.endswith(SPOT):
        return int(facts_in(path).get("seat", 0))
    response, mark, _ = f"{path}:".partition(f"{RESPONSES[0]}:")
    if mark:
        from counterplay.poker.whole_game.blueprints.response_file import seat_of

        return seat_of(Path(response + RESPONSES[0]))
    return seats_in(Path(path))[0] if path.endswith(STRATEGIES) else 0
