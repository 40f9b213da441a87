"""The command that shows what a wrong model costs. Registered in `registry.py`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from counterplay.catalogue import MISREAD, MISREAD_WHOLE_GAME
from counterplay.commands.options.inputs import RespondSeat, check_opponents, load_game
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import RunFlags, Seat, Spec
from counterplay.commands.printing.output import note_interrupt, number, say, show_json, show_note, show_rows
from counterplay.commands.printing.points import known_value
from counterplay.errors import InputError
from counterplay.progress_line import progress_line
from counterplay.texts.grammar import parts


@takes_records
def misread(
    *,
    game: Spec,
    models: Annotated[
        str, typer.Option("--models", metavar="A;B", help="Two or more models, separated by semicolons.")
    ],
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            help=f"Methods with their dials, separated by semicolons (usually {';'.join(MISREAD)}; whole hold'em: "
            f"{';'.join(MISREAD_WHOLE_GAME)}).",
        ),
    ] = None,
    seat: RespondSeat = Seat.FIRST,
    run: RunFlags,
) -> None:
    """What each response wins when the opponent is another one than its model."""
    from counterplay.measure.misread import misread as misread_models
    from counterplay.responses.method import METHOD

    names = _words(models)
    asked = [METHOD.parse(word) for word in _words(methods)] if methods else None
    if len(names) < 2:
        raise InputError("--models needs two or more models, as in 'uniform;passive'")
    check_opponents(game, *names)
    tree = load_game(game, run.memory)
    with progress_line("responding", run.as_json) as line:
        watch = None if line is None else lambda done, all_: line(f"{done} of {all_} responses", done, all_)
        found = misread_models(tree, names, asked, seat=int(seat), seed=run.seed, watch=watch)
    if found.interrupted and not found:
        raise KeyboardInterrupt
    facts: dict[str, Any] = {"game": game, "models": names, "seed": run.seed, "interrupted": found.interrupted}
    if found.game_value_gap is not None:
        facts |= {"game_value": found.game_value, "game_value_gap": found.game_value_gap}
    if found.note is not None:
        facts["note"] = found.note
    note_interrupt(facts)
    if run.as_json:
        show_json(facts | {"responses": [{k: v for k, v in asdict(one).items() if v != ()} for one in found]})
        return
    letters = [chr(ord("A") + i) for i in range(len(names))]
    say([f"{letter}  {name}" for letter, name in zip(letters, names, strict=True)] + [""])
    head = ("method", "made for", *(f"if {letter}" for letter in letters), "worst")
    rows = [
        (
            one.method,
            letters[number_of_row % len(names)],
            *(number(chips, ".4f") for chips in one.gains or one.edges),
            number(one.worst, ".4f"),
        )
        for number_of_row, one in enumerate(found)
    ]
    wide = 2 + max(len(str(row[0])) for row in [head, *rows])
    width = 1 + max(8, *(len(text) for row in rows for text in row[2:]))
    show_rows((f"<{wide}", "<8", *[f">{width}"] * (len(names) + 1)), [head, *rows])
    beside = any(one.edges for one in found)
    told = "Edges over a blueprint in chips a hand; worst: the risk, with a minus." if beside else _GAINS
    say(["", told])
    if found.game_value_gap is not None:
        value = known_value(found.game_value, found.game_value_gap, tree.span)
        say(f"Gains count from the value of the game, {value}.")
    show_note(facts)


_GAINS = "Gains in chips a hand; worst: against a best responder."


def _words(text: str) -> list[str]:
    return [word for word in parts(text, ";") if word]
