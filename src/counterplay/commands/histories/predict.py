"""How well strategies predict observed hands: the part of `evaluate` behind `--hands`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.options.inputs import opponent_of
from counterplay.commands.options.shared_options import ShownFlags
from counterplay.commands.printing.output import say, show_json, show_rows
from counterplay.errors import InputError

if TYPE_CHECKING:
    from counterplay.opponents.tilting.prediction import Prediction


@dataclass(frozen=True)
class PredictionFlags:
    """Hands to predict."""

    hands: Annotated[
        list[Path] | None,
        typer.Option(
            "--hands", metavar="FILE", help="In whole hold'em: how well it predicts the hands of --player there."
        ),
    ] = None
    player: Annotated[str | None, typer.Option("--player", metavar="NAME", help="Whose hands --hands has.")] = None
    prior: Annotated[
        str | None,
        typer.Option("--prior", metavar="STRATEGY", help="Another strategy to compare the predictions with."),
    ] = None

    @property
    def asked(self) -> bool:
        """Whether hands are to be predicted.

        Raises:
            InputError: there are none, or whose they are is not said.
        """
        if self.hands and self.player is None:
            raise InputError("--hands needs --player: whose decisions are predicted")
        if not self.hands and (self.player is not None or self.prior is not None):
            raise InputError("--player and --prior go with --hands")
        return bool(self.hands)


def predict(tree: Any, strategy: str, flags: PredictionFlags, shown: ShownFlags) -> None:
    """Show the nats a decision of a strategy, a prior and the uniform one on hands of a player."""
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.tilting.prediction import predict_hands
    from counterplay.poker.whole_game.rules import as_whole_game

    as_whole_game(tree, "hands are predicted")
    assert flags.hands is not None
    assert flags.player is not None
    found = read_hands(flags.hands)
    texts = [text for text in (flags.prior, strategy) if text is not None]
    plays = {text: opponent_of(tree, text, 0, shown.seed).play for text in texts}  # type: ignore[attr-defined]
    rows = predict_hands(tree.game, plays, found.holdem, flags.player)
    facts = {
        "game": tree.name, "player": flags.player, "hands": len(found.of(flags.player)), "left_out": len(found.left_out),
        "predictions": [asdict(row) for row in rows], "seed": shown.seed,
    }  # fmt: skip
    if shown.as_json:
        show_json(facts)
        return
    say(f"{facts['hands']:,} hands of {flags.player}: mean log-likelihood, nats a decision")
    print()
    head = ["", "street", "decisions", "nats", "", *([f"better than {texts[0]}"] if len(rows) else [])]
    table = [head, *map(_cells, rows)]
    widths = [2 + max(len(row[k]) for row in table) for k in range(len(head))]
    show_rows([f"{side}{width}" for side, width in zip("<<>><<", widths, strict=True)], table)
    if any(text.startswith("hands:") for text in texts):
        say(["", "A model from the hands that it predicts looks too good: keep others for this."])


def _cells(row: Prediction) -> list[str]:
    return [
        row.name, row.street, f"{row.decisions:,}", f"{row.nats:.4f}", _error(row.error),
        f"{row.better:+.4f}{_error(row.better_error)}",
    ]  # fmt: skip


def _error(error: float | None) -> str:
    return "" if error is None else f" ± {error:.4f}"
