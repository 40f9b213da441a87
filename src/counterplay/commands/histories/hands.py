"""The commands on hand histories: what is in them, and the card of a player. Registered in `cli.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import Json, ShownFlags
from counterplay.commands.printing.output import say, show_json, show_rows
from counterplay.errors import InputError, escaped
from counterplay.files import check_writable, write_whole
from counterplay.progress_line import progress_line
from counterplay.tables import csv_of

if TYPE_CHECKING:
    from counterplay.opponents.histories.hand_summary import HandSummary
    from counterplay.opponents.villain.villain_card import CardRow, VillainCard
    from counterplay.poker.betting.rules import BettingRules

Files = Annotated[list[Path], typer.Argument(metavar="FILES...", help="Hand histories of any format (--format).")]
Format = Annotated[
    str | None, typer.Option("--format", help="phh, match, acpc, slumbot, openspiel or site; else recognised.")
]
Stakes = Annotated[
    str | None, typer.Option("--game", metavar="GAME", help="Stacks and blinds of logs without them: holdem:stack=...")
]
_MOST = 8


@takes_records
def hands(
    *,
    files: Files,
    form: Format = None,
    game: Stakes = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the hands of hold'em (.phhs or .jsonl).")
    ] = None,
    as_json: Json = False,
) -> None:
    """List what is in hand histories: players, stacks, streets, showdowns, and what is left out and why."""
    from counterplay.opponents.histories.hand_summary import summarise
    from counterplay.opponents.histories.read_hands import read_hands, write_hands

    check_writable(output, ".phhs", ".jsonl")
    found = read_hands(files, stakes_of_game(game), form)
    if output is not None:
        write_hands(output, found.holdem)
    summary = summarise(found)
    if as_json:
        show_json(summary.facts())
    else:
        _show(summary)


def stakes_of_game(game: str | None) -> BettingRules | None:
    """Stacks and blinds of the game that a text names; None without a text.

    Raises:
        InputError: another game than whole hold'em.
    """
    if game is None:
        return None
    from counterplay.poker.whole_game.game_text import is_whole_game, read_holdem

    if not is_whole_game(game):
        raise InputError(f"--game must be a whole game of hold'em, such as holdem:stack=200bb, not {game!r}")
    return read_holdem(game).limits


def _show(summary: HandSummary) -> None:
    players = [f"{escaped(name)} {count:,}" for name, count in summary.players.items()]
    rest = len(players) - _MOST
    rows = [
        ("hands", f"{summary.hands:,}"),
        ("players", ", ".join(players[:_MOST]) + (f" and {rest:,} more" if rest > 0 else "")),
        ("games", ", ".join(f"{escaped(name)} {count:,}" for name, count in summary.games.items())),
    ]
    if summary.stacks is not None:
        least, middle, most = summary.stacks
        known, dealt = summary.shown
        rows += [
            ("effective stacks", f"{least:.4g} to {most:.4g} big blinds, median {middle:.4g}"),
            ("ended", ", ".join(f"{street} {count:,}" for street, count in summary.streets.items())),
            ("showdowns", f"{summary.showdowns:,}"),
            ("cards known", f"{known:,} of {dealt:,} hands dealt"),
        ]
    if summary.left_out:
        rows.append(("left out", ", ".join(f"{count:,} {reason}" for reason, count in summary.left_out.items())))
    width = max(len(name) for name, _ in rows)
    say(f"{name:{width}}  {text}" for name, text in rows)
    if summary.reports:
        say(["", *(escaped(report) for report in summary.reports)])
        if (more := sum(summary.left_out.values()) - len(summary.reports)) > 0:
            say(f"and {more:,} more")


@takes_records
def villain(
    *,
    files: Files,
    player: Annotated[str, typer.Option("--player", metavar="NAME", help="Whose card.")],
    game: Annotated[
        str | None, typer.Option("--game", metavar="GAME", help="The game of --to: holdem:stack=100bb,bets=fcpa")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="STRATEGY", help="Compare with it: a blueprint (.cpb), nash, ...")
    ] = None,
    boards: Annotated[int, typer.Option("--boards", min=1, help="Drawn boards for the figures of --to.")] = 20,
    form: Format = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the card, too (.csv).")] = None,
    shown: ShownFlags,
) -> None:
    """The statistics of a player with their intervals, beside those of a strategy: where the player differs most."""
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.villain.villain_card import villain_card

    check_writable(output, ".csv")
    if to is not None and game is None:
        raise InputError("--to needs --game: the game whose strategy it is")
    rules = stakes_of_game(game)
    found = read_hands(files, None if rules is None or to is not None else rules, form)
    own = found.holdem_of(player)
    known = None if to is None or game is None else _figures(game, to, boards, shown)
    card = villain_card(own, player, known)
    facts = card.facts() | {"to": to, "game": game, "boards": boards if to else None, "seed": shown.seed}
    if output is not None:
        rows = facts["rows"]
        write_whole(output, csv_of(list(rows[0]), [list(row.values()) for row in rows]))
    if shown.as_json:
        show_json(facts)
    else:
        _show_card(card, to)


def _figures(game: str, to: str, boards: int, shown: ShownFlags) -> dict[str, float]:
    """The statistics of a strategy."""
    from counterplay.opponents.villain.strategy_figures import StrategyFigures
    from counterplay.opponents.whole_game import strategy_of
    from counterplay.poker.whole_game.game_text import read_holdem

    rules = read_holdem(game)
    with progress_line(f"figures of {to}", shown.as_json) as line:
        if line:
            line(f"figures of {to} on {boards} boards", None, None)
        return StrategyFigures(rules.game, strategy_of(rules.game, to, shown.seed)).figures(boards, shown.seed)


def _show_card(card: VillainCard, to: str | None) -> None:
    """The card as a table."""
    say(f"{escaped(card.player)}: {card.hands:,} hands{f', against {to}' if to else ''}")
    print()
    head = ["", "k / n", "share", "  95 %", *(["known", "figure", "", "bb/100", "surely"] if to else [])]
    rows = [head, *map(_cells(to), card.rows)]
    widths = [2 + max(map(len, column)) for column in zip(*rows, strict=True)]
    show_rows(
        [f"{side}{width}" for side, width in zip("<>> >> >>"[: len(head)].replace(" ", "<"), widths, strict=True)], rows
    )
    if card.spread is not None:
        say(["", f"{card.hands:,} hands fix a frequency after the flop to about ±{100 * card.spread:.0f} points."])


def _cells(to: str | None) -> Callable[[CardRow], list[str]]:
    def cells(row: CardRow) -> list[str]:
        low, high = row.counted.interval
        share = row.counted.share
        out = [row.name, f"{row.counted.k} / {row.counted.n}", _percent(share)]
        out.append(f"  {100 * low:.0f} to {100 * high:.0f}" if row.counted.n else "")
        if to is not None:
            out += [_percent(row.known), _percent(row.figure), f"  {row.basis}", _bb(row.worth), _bb(row.sure)]
        return out

    return cells


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"


def _bb(worth: float | None) -> str:
    return "" if worth is None else f"{worth:.1f}"
