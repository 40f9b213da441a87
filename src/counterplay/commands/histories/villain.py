"""The card of a player: statistics, coverage, mapped sizes, and the hands behind a number. Registered in `registry.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.histories.hands import Files, Format, stakes_of_game
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import ShownFlags
from counterplay.commands.printing.left_out import tell_left_out
from counterplay.commands.printing.mapped_sizes import show_sizes
from counterplay.commands.printing.output import say, show_json, show_rows
from counterplay.endings import TABLE
from counterplay.errors import InputError, escaped
from counterplay.files import check_writable, write_whole
from counterplay.progress_line import progress_line
from counterplay.tables import csv_of

if TYPE_CHECKING:
    from counterplay.opponents.histories.hand_record import HoldemHand
    from counterplay.opponents.villain.shown_hands import ShownHands
    from counterplay.opponents.villain.villain_card import CardRow, VillainCard, VillainReport

_SEATS = ("oop", "ip")
_BOARDS = 20


@dataclass(frozen=True)
class PlaceFlags:
    """What the hands are compared with, and which of them are shown."""

    spot: Annotated[
        Path | None,
        typer.Option(
            "--spot", help="A solved .spot file: how much of the player's play there was seen, and mapped sizes."
        ),
    ] = None
    seat: Annotated[
        str | None,
        typer.Option("--seat", help="The player's: oop or ip; --spot and --show count only their hands there."),
    ] = None
    show: Annotated[
        str | None,
        typer.Option(
            "--show", metavar="STATISTIC", help="The hands behind it: fold-to-cbet, or 'on river facing a bet'."
        ),
    ] = None

    @property
    def number(self) -> int | None:
        """The seat as a number.

        Raises:
            InputError: it is none, or missing.
        """
        if self.seat not in (None, *_SEATS):
            raise InputError(f"--seat is oop or ip, not {self.seat!r}")
        if self.spot is not None and self.seat is None:
            raise InputError("--spot needs --seat: where the player sits in it, oop or ip")
        return None if self.seat is None else _SEATS.index(self.seat)


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
    boards: Annotated[
        int | None, typer.Option("--boards", min=1, help=f"Drawn boards for the figures of --to ({_BOARDS}).")
    ] = None,
    form: Format = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the card, too (.csv).")] = None,
    where: PlaceFlags,
    shown: ShownFlags,
) -> None:
    """The statistics of a player with their intervals, beside those of a strategy: where the player differs most."""
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.villain.shown_hands import hands_behind
    from counterplay.opponents.villain.villain_card import report_villain

    check_writable(output, TABLE)
    if to is not None and game is None:
        raise InputError("--to needs --game: the game whose strategy it is")
    if boards is not None and to is None:
        raise InputError("--boards goes with --to")
    boards = _BOARDS if boards is None else boards
    seat, rules = where.number, stakes_of_game(game)
    found = read_hands(files, None if rules is None or to is not None else rules, form)
    own = found.holdem_of(player)
    tell_left_out(found)
    if where.show is not None:
        behind = hands_behind(own, player, where.show, seat)
        show_json(behind.facts()) if shown.as_json else _show_hands(behind)
        return
    own = own if to is None or game is None else _fitting(game, own, player)
    known = None if to is None or game is None else _figures(game, to, boards, shown)
    report = report_villain(own, player, known, _solved(where.spot), seat, None if to is None else _tree(game))
    facts = {**report.facts(), "to": to, "game": game, "boards": boards if to else None, "seed": shown.seed}
    if output is not None:
        rows = facts["rows"]
        write_whole(output, csv_of(list(rows[0]), [list(row.values()) for row in rows]))
    if shown.as_json:
        show_json(facts)
    else:
        _show_card(report.card, to)
        _show_rest(report)


def _fitting(game: str, hands: tuple[HoldemHand, ...], player: str) -> tuple[HoldemHand, ...]:
    """The hands that a game can hold; how many of the others are not compared is said on stderr.

    Raises:
        InputError: it can hold none.
    """
    from counterplay.opponents.tilting.mapped_hands import misfit
    from counterplay.poker.whole_game.game_text import read_holdem

    holdem = read_holdem(game).game
    reasons = [misfit(holdem, hand) for hand in hands]
    told = ", ".join(f"{count:,} {why}" for why, count in Counter(filter(None, reasons)).items())
    if all(reasons):
        raise InputError(f"no hands of {player!r} fit the game: {told}")
    if told:
        typer.echo(f"not counted: {told}", err=True)
    return tuple(hand for hand, why in zip(hands, reasons, strict=True) if not why)


def _solved(file: Path | None) -> Any:
    """The solved spot of a file; None without one."""
    if file is None:
        return None
    from counterplay.poker.spots.solution import load_spot

    return load_spot(file)


def _tree(game: str | None) -> Any:
    """The betting tree of a whole game; None without one."""
    if game is None:
        return None
    from counterplay.poker.whole_game.game_text import read_holdem

    return read_holdem(game).game.betting


def _show_hands(behind: ShownHands) -> None:
    """A line for each decision that counts, which stands in brackets."""
    share = f"{behind.counted.k} / {behind.counted.n}" if any(one.hit is not None for one in behind.decisions) else ""
    say(f"{', '.join(behind.what)}: {share or f'{behind.counted.n:,} decisions'}")
    if not behind.decisions:
        return
    print()
    words = {True: "yes", False: "no", None: ""}
    rows = [
        [escaped(str(one.hand.place)), words[one.hit], one.facts()["holes"][one.seat] or "", _line(one.facts())]
        for one in behind.decisions
    ]
    widths = [2 + max(map(len, column)) for column in zip(*rows, strict=True)]
    show_rows([f"<{width}" for width in widths[:-1]] + ["<1"], rows)


def _line(hand: dict[str, Any]) -> str:
    """The betting of a hand: what counts in brackets, streets with their boards."""
    words = []
    for number, step in enumerate(hand["steps"]):
        word = f"| {step['board']}:" if step["seat"] is None else step["action"]
        words.append(f"[{word}]" if number == hand["step"] else word)
    return ", ".join(words).replace(", |", " |").replace(":,", ":") + (" [end]" if hand["step"] == len(words) else "")


def _show_rest(report: VillainReport) -> None:
    """Coverage of a spot, and mapped sizes, where there is a tree."""
    if report.coverage.share("seen") is not None:
        told = (
            (report.coverage.share(basis), word)
            for basis, word in (
                ("seen", "enough was seen"),
                ("little", "little was"),
                ("guessed", "nothing was: that is guessed"),
            )
        )
        say(
            [
                "",
                "Of the player's decisions in the spot "
                + ", ".join(f"{100 * (share or 0.0):.0f} % lie where {word}" for share, word in told)
                + ".",
                "",
            ]
        )
        rows = [[str(one.place), f"{one.n:,}", _percent(one.share), f"  {one.basis}"] for one in report.coverage.places]
        show_rows(("<28", ">6", ">6", "<1"), [["place", "seen", "share", ""], *rows])
    if report.sizes:
        show_sizes(report.sizes)


def _figures(game: str, to: str, boards: int, shown: ShownFlags) -> dict[str, float]:
    """The statistics of a strategy."""
    from counterplay.opponents.opponent import strategy_of
    from counterplay.opponents.villain.strategy_figures import StrategyFigures
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
    if card.notes:
        say(["", *card.notes])


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
