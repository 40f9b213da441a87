"""Models and predictions of observed hands in whole games of hold'em: the parts of `model` and `evaluate` there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from counterplay.commands.options.inputs import opponent_of
from counterplay.commands.options.shared_options import ResultFlags, RunFlags
from counterplay.commands.printing.coverage import show_row_coverage
from counterplay.commands.printing.frequencies import show_frequency_rows
from counterplay.commands.printing.left_out import tell_left_out
from counterplay.commands.printing.output import say, show_rows
from counterplay.commands.value_output import report
from counterplay.endings import BLUEPRINT
from counterplay.errors import InputError, quoted
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.opponents.histories.hand_record import HoldemHand
    from counterplay.opponents.tilting.prediction import HandPrediction
    from counterplay.poker.whole_game.strategy import BucketedStrategy

HELD_OUT, FEW = 4, 40
"""One hand in so many is left out to test a model, from so many hands on."""


def predict_holdem(
    rules: Any,
    strategy: str,
    prior: str,
    files: Sequence[Path] | None,
    player: str | None,
    coverage: bool,
    shown: RunFlags,
) -> None:
    """Show the nats a decision of a strategy, a prior, the betting line alone and uniform play on hands of a player, by
    street. coverage: whether what the strategy, a model from hands, does not know is shown, too."""
    from counterplay.measure.models.row_coverage import row_coverage
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.tilting.prediction import predict_hands
    from counterplay.poker.whole_game.strategies.observed_strategy import ObservedStrategy

    if not files or player is None:
        raise InputError("in whole games of hold'em --coverage goes with --hands and --player")
    found = read_hands(files)
    own = found.holdem_of(player)
    tell_left_out(found)
    plays = {text: _play(rules, text, shown.seed) for text in (prior, strategy)}
    if coverage and not isinstance(plays[strategy], ObservedStrategy):
        raise InputError(f"{quoted(strategy)} has no counts: it was not made from hands")
    covered = row_coverage(rules.game, plays[strategy], plays[prior], seed=shown.seed) if coverage else []
    rows = predict_hands(rules.game, plays, own, player)
    facts = {
        "game": rules.name, "player": player, "hands": len(own), "left_out": len(found.left_out),
        "predictions": [asdict(row) for row in rows], "coverage": [asdict(row) for row in covered], "seed": shown.seed,
    }  # fmt: skip
    below = [partial(_show, rows, prior), *([partial(show_row_coverage, covered)] if covered else [])]
    report(rules, facts, ["game", "player", "hands"], shown, below=below)


def model_holdem(
    rules: Any,
    prior: str,
    files: Sequence[Path],
    player: str,
    trust: str,
    weight: float | None,
    coverage: bool,
    result: ResultFlags,
) -> None:
    """Make a model of a player, show how a fit of three quarters of the hands predicts the fourth, and save the model.
    coverage: whether what the model does not know is shown, too."""
    from counterplay.measure.models.row_coverage import row_coverage
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.tilting.prediction import predict_hands
    from counterplay.opponents.tilting.tilted_model import model_of_hands
    from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, ObservedRows
    from counterplay.poker.whole_game.blueprints.blueprint_digest import digest_play
    from counterplay.poker.whole_game.blueprints.blueprint_file import save
    from counterplay.poker.whole_game.strategy import BucketedStrategy

    found = read_hands(files)
    own = found.holdem_of(player)
    tell_left_out(found)
    start, begin = _play(rules, prior, result.seed), process_time()
    start = getattr(start, "play", start)  # of a model from other hands
    if not isinstance(start, BucketedStrategy):
        raise InputError(f"only a strategy by buckets can be tilted toward hands, not {prior!r}")
    if result.output is not None and result.output.suffix != BLUEPRINT:
        raise InputError(f"a model from hands is kept with its counts, in a file with the ending {BLUEPRINT}")
    _check_output(rules, start, result)
    with progress_line("fitting", result.as_json):
        made = model_of_hands(rules.game, start, own, player, trust, weight)
        rows: list[HandPrediction] = []
        if len(own) >= FEW:
            rest = _part(own, held_out=False)
            first = model_of_hands(rules.game, start, rest, player, weight=weight)
            plays = {prior: start, "model": first.play}
            rows = predict_hands(rules.game, plays, _part(own, held_out=True), player, rest)
    covered = row_coverage(rules.game, made, start, seed=result.seed) if coverage else []
    digest, seconds = digest_play(rules.game, start), process_time() - begin
    if result.output is not None:
        seen = ObservedRows(made.counts, made.weights, digest, len(made.mapped.hands))
        about = Blueprint(made.play, f"hands of {player}", 0, result.seed, seconds, observed=seen)
        save(result.output, rules.game, about)
    facts = {
        "game": rules.name, "player": player, "hands": len(own), "left_out": len(found.left_out), "prior": prior,
        "prior_digest": digest, "trust": trust, "weight_in_rows": made.row_strength,
        "weight": made.strength, "sharpness": made.sharpness, "made of": made.note(),
        "held_out": [asdict(row) for row in rows], "coverage": [asdict(row) for row in covered], "seed": result.seed,
    }  # fmt: skip
    below = [partial(_show, rows, prior)] if rows else []
    below += [partial(show_row_coverage, covered)] if covered else []
    report(
        rules,
        facts,
        ["game", "player", "hands", "prior", "weight", "sharpness", "weight_in_rows", "made of"],
        ResultFlags(result.as_json),
        below=below,
    )


def profile_holdem(rules: Any, text: str, result: ResultFlags) -> None:
    """Make a model of a player from figures, show what was asked for and what was reached, and save the model."""
    from counterplay.opponents.leaky_players import Profile
    from counterplay.opponents.model import MODELS
    from counterplay.opponents.tilting.tendencies import BOARDS, tilt_game
    from counterplay.poker.whole_game.blueprints.blueprint import Blueprint
    from counterplay.poker.whole_game.blueprints.blueprint_file import save
    from counterplay.poker.whole_game.strategy import BucketedStrategy

    model = MODELS.parse(text)
    assert isinstance(model, Profile)
    prior = str(model.to)
    start, begin = _play(rules, prior, result.seed), process_time()
    if not isinstance(start, BucketedStrategy):
        raise InputError(f"only a strategy by buckets can be changed, not {prior!r}")
    _check_output(rules, start, result)
    with progress_line("fitting", result.as_json):
        made = tilt_game(rules.game, start, model.shares, seed=result.seed)
    if result.output is not None:
        about = Blueprint(made.play, str(model), 0, result.seed, process_time() - begin)
        save(result.output, rules.game, about)
    facts = {
        "game": rules.name, "profile": str(model), "boards": BOARDS, "seed": result.seed,
        "frequencies": [row.facts() for row in made.rows],
    }  # fmt: skip
    below = [partial(say, [""]), partial(show_frequency_rows, made.rows, prior)]
    report(rules, facts, ["game", "profile", "boards"], ResultFlags(result.as_json), below=below)


def _check_output(rules: Any, start: BucketedStrategy, result: ResultFlags) -> None:
    """Reject, before the fit, what no file can hold.

    Raises:
        InputError: see `check_listed`.
    """
    from counterplay.poker.whole_game.blueprints.blueprint_file import check_listed

    if result.output is not None:
        check_listed(rules.game, start.buckets)


def _part(hands: Sequence[HoldemHand], *, held_out: bool) -> list[HoldemHand]:
    return [hand for k, hand in enumerate(hands) if (k % HELD_OUT == 0) == held_out]


def _play(rules: Any, text: str, seed: int) -> Any:
    """Both seats' strategy of a text."""
    made: Any = opponent_of(rules, text, 0, seed)
    return made.play


def _show(rows: Sequence[HandPrediction], prior: str) -> None:
    """Predictions as a table."""
    print("\nNats a decision, with 95 % intervals:")
    table = [["", "street", "decisions", "nats", "", f"  better than {prior}"], *map(_cells, rows)]
    widths = [2 + max(len(row[k]) for row in table) for k in range(len(table[0]))]
    show_rows([f"{side}{width}" for side, width in zip("<<>><<", widths, strict=True)], table)


def _cells(row: HandPrediction) -> list[str]:
    return [
        row.name, row.street, f"{row.decisions:,}", f"{row.nats:.4f}", _error(row.error),
        f"  {row.better:+.4f}{_error(row.better_error)}",
    ]  # fmt: skip


def _error(error: float | None) -> str:
    return "" if error is None else f" ± {error:.4f}"
