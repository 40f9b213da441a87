"""The commands on hand histories: what is in them, and the card of a player."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cache_folder import FOLDER
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import Json, ShownFlags, output_option
from counterplay.commands.printing import percent, say, show_json, show_rows, show_sizes, tell_left_out
from counterplay.display import csv_of
from counterplay.errors import InputError, escaped
from counterplay.files import TABLE, check_writable, write_whole
from counterplay.option import Option
from counterplay.poker.betting.rules import PLAYERS
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.opponents.histories.hand_record import HoldemHand
    from counterplay.opponents.histories.read_hands import HandSummary
    from counterplay.opponents.villain.villain_card import ShownHands, VillainReport
    from counterplay.poker.betting.rules import BettingRules

_FILES = Option("Hand histories of any format (--format), and folders of them.", metavar="FILES...", positional=True)
Format = Annotated[str | None, Option("phh, match, acpc, slumbot, openspiel or site; else recognised.", "--format")]
_PLAYERS, _BOARDS = 8, 20
"""The most players that are listed, and the usual number of drawn boards."""


@takes_records("hands session.phhs --json")
def hands(
    *,
    files: Annotated[list[Path] | None, _FILES] = None,
    form: Format = None,
    game: Annotated[
        str | None, Option("Stacks and blinds of logs without them: holdem:stack=...", metavar="GAME")
    ] = None,
    empty: Annotated[
        bool, Option("Remove all hands that the cache folder keeps, and read none.", "--empty-store")
    ] = False,
    output: Annotated[Path | None, output_option("Write the hands of hold'em (.phhs or .jsonl).")] = None,
    as_json: Json = False,
) -> None:
    """List what is in hand histories: players, stacks, streets, showdowns, and what is left out and why."""
    from counterplay.opponents.histories.hand_store import empty_store
    from counterplay.opponents.histories.read_hands import endings_of, files_in, read_hands, summarise, write_hands

    if empty:
        if files or output is not None:
            raise InputError("--empty-store stands alone: no file is read or written")
        store = empty_store()
        if as_json:
            show_json({} if store is None else {"store": str(store.place), "files": store.files, "bytes": store.size})
        elif store is None:
            print(f"no hands are kept: {FOLDER} is empty")
        else:
            print(f"removed the hands of {store.files:,} files, {store.size:,} bytes, from {escaped(str(store.place))}")
        return
    if not files:
        raise InputError("name files of hands, or folders of them; --empty-store removes what the cache folder keeps")
    check_writable(output, ".phhs", ".jsonl")
    if output is not None and output.exists():
        read = (file for path in files for file in (files_in(path, endings_of(form)) if path.is_dir() else [path]))
        if any(file.exists() and output.samefile(file) for file in read):
            raise InputError(f"cannot write {output}: it is one of the files that are read")
    histories = read_hands(files, _stakes_of_game(game), form)
    if output is not None:
        if not histories.holdem:
            raise InputError(f"cannot write {output}: the files have no hands of hold'em")
        write_hands(output, histories.holdem)
        if histories.others:
            typer.echo(f"not written: {len(histories.others):,} hands of other games than hold'em", err=True)
    summary = summarise(histories)
    if as_json:
        show_json(summary.facts)
    else:
        _show_summary(summary)


def _stakes_of_game(game: str | None) -> BettingRules | None:
    """Stacks and blinds of the whole game of hold'em that a text names; None without a text."""
    if game is None:
        return None
    from counterplay.poker.whole_game.rules import is_whole_game, read_holdem

    if not is_whole_game(game):
        raise InputError(f"--game must be a whole game of hold'em, such as holdem:stack=200bb, not {game!r}")
    return read_holdem(game).limits


def _show_summary(summary: HandSummary) -> None:
    players = [f"{escaped(name)} {count:,}" for name, count in summary.players.items()]
    rest = len(players) - _PLAYERS
    rows = [
        ("hands", f"{summary.hands:,}"),
        ("players", ", ".join(players[:_PLAYERS]) + (f" and {rest:,} more" if rest > 0 else "")),
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
    if summary.tables:
        seats = ", ".join(f"{count:,} of {number} seats" for number, count in summary.tables.items())
        rows.append(("larger tables", f"{seats}: not used by heads-up models"))
    if summary.left_out:
        rows.append(("left out", ", ".join(f"{count:,} {reason}" for reason, count in summary.left_out.items())))
    width = max(len(name) for name, _ in rows)
    say(f"{name:{width}}  {text}" for name, text in rows)
    if summary.reports:
        say(["", *(escaped(report) for report in summary.reports)])
        if (more := sum(summary.left_out.values()) - len(summary.reports)) > 0:
            say(f"and {more:,} more")
    if summary.skipped:
        say(["", *(f"skipped: {escaped(line)}" for line in summary.skipped)])


@takes_records("villain session.phhs --player bob --game holdem:stack=100bb --to hunl.cpb")
def villain(
    *,
    files: Annotated[list[Path], _FILES],
    player: Annotated[str, Option("Whose card.", metavar="NAME")],
    game: Annotated[str | None, Option("The game of --to: holdem:stack=100bb,bets=fcpa", metavar="GAME")] = None,
    to: Annotated[str | None, Option("Compare with it: a blueprint (.cpb), nash, ...", metavar="STRATEGY")] = None,
    boards: Annotated[int | None, Option(f"Drawn boards for the figures of --to ({_BOARDS}).", least=1)] = None,
    form: Format = None,
    output: Annotated[Path | None, output_option("Write the card, too (.csv).")] = None,
    spot: Annotated[
        Path | None, "A solved .spot file: how much of the player's play there was seen, and mapped sizes."
    ] = None,
    seat: Annotated[str | None, "The player's: oop or ip; --spot and --show count only their hands there."] = None,
    show: Annotated[
        str | None, Option("The hands behind it: fold-to-cbet, or 'on river facing a bet'.", metavar="STATISTIC")
    ] = None,
    shown: ShownFlags,
) -> None:
    """The statistics of a player with their intervals, beside those of a strategy: where the player differs most."""
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.villain.villain_card import hands_behind, report_villain
    from counterplay.poker.spots.solution import load_spot

    check_writable(output, TABLE)
    if to is not None and game is None:
        raise InputError("--to needs --game: the game whose strategy it is")
    if boards is not None and to is None:
        raise InputError("--boards goes with --to")
    if seat not in (None, *PLAYERS):
        raise InputError(f"--seat is oop or ip, not {seat!r}")
    if spot is not None and seat is None:
        raise InputError("--spot needs --seat: where the player sits in it, oop or ip")
    number, stakes = None if seat is None else PLAYERS.index(seat), _stakes_of_game(game)
    histories = read_hands(files, None if to is not None else stakes, form)
    own = histories.holdem_of(player)
    tell_left_out(histories)
    if show is not None:
        behind = hands_behind(own, player, show, number)
        show_json(behind.facts) if shown.as_json else _show_hands(behind)
        return
    known, tree, boards = None, None, boards or _BOARDS
    if to is not None and game is not None:
        own, known, tree = _compared(game, to, own, player, boards, shown)
    solved = None if spot is None else load_spot(spot)
    card = report_villain(own, player, known, solved, number, tree)
    facts = {**card.facts, "to": to, "game": game, "boards": boards if to else None, "seed": shown.seed}
    if output is not None:
        rows = facts["rows"]
        write_whole(output, csv_of(list(rows[0]), [list(row.values()) for row in rows]))
    if shown.as_json:
        show_json(facts)
    else:
        _show_card(card, to)


def _compared(
    game: str, to: str, hands: tuple[HoldemHand, ...], player: str, boards: int, shown: ShownFlags
) -> tuple[tuple[HoldemHand, ...], dict[str, float], Any]:
    """The hands that a game can hold, the statistics of a strategy in it, and its betting tree. How many of the other hands
    are not compared is said on stderr."""
    from counterplay.opponents.opponent import strategy_of
    from counterplay.opponents.tilting.mapped_hands import misfit
    from counterplay.opponents.villain.seen_decisions import StrategyFigures
    from counterplay.poker.whole_game.rules import read_holdem

    holdem = read_holdem(game).game
    reasons = [misfit(holdem, hand) for hand in hands]
    counted = ", ".join(f"{count:,} {why}" for why, count in Counter(filter(None, reasons)).items())
    if all(reasons):
        raise InputError(f"no hands of {player!r} fit the game: {counted}")
    if counted:
        typer.echo(f"not counted: {counted}", err=True)
    with progress_line(f"figures of {to}", shown.as_json) as line:
        if line:
            line(f"figures of {to} on {boards} boards", None, None)
        figures = StrategyFigures(holdem, strategy_of(holdem, to, shown.seed)).figures(boards, shown.seed)
    return tuple(hand for hand, why in zip(hands, reasons, strict=True) if not why), figures, holdem.betting


def _show_hands(behind: ShownHands) -> None:
    """A line for each decision that counts, which stands in brackets."""
    share = f"{behind.counted.k} / {behind.counted.n}" if any(one.hit is not None for one in behind.decisions) else ""
    say(f"{', '.join(behind.what)}: {share or f'{behind.counted.n:,} decisions'}")
    if not behind.decisions:
        return
    print()
    words = {True: "yes", False: "no", None: ""}
    rows = []
    for decision in behind.decisions:
        hand, steps = decision.facts, list[str]()
        for number, step in enumerate(hand["steps"]):  # streets with their boards, and in brackets what counts
            word = f"| {step['board']}:" if step["seat"] is None else step["action"]
            steps.append(f"[{word}]" if number == hand["step"] else word)
        betting = ", ".join(steps).replace(", |", " |").replace(":,", ":")
        betting += " [end]" if hand["step"] == len(steps) else ""
        rows.append(
            [escaped(str(decision.hand.place)), words[decision.hit], hand["holes"][decision.seat] or "", betting]
        )
    show_rows(("<", "<", "<", "<1"), rows)


def _show_card(report: VillainReport, to: str | None) -> None:
    """The card, and where there is a tree coverage of a spot and mapped sizes."""
    card, coverage = report.card, report.coverage
    say(f"{escaped(card.player)}: {card.hands:,} hands{f', against {to}' if to else ''}")
    print()
    rows = [["", "k / n", "share", "  95 %", *(["known", "figure", "", "bb/100", "surely"] if to else [])]]
    for row in card.rows:
        low, high = row.counted.interval
        shown = f"  {100 * low:.0f} to {100 * high:.0f}" if row.counted.n else ""
        rows.append([row.name, f"{row.counted.k} / {row.counted.n}", percent(row.counted.share), shown])
        if to is not None:
            won = ["" if worth is None else f"{worth:.1f}" for worth in (row.worth, row.sure)]
            rows[-1] += [percent(row.known), percent(row.figure), f"  {row.basis}", *won]
    show_rows("<>><>><>>"[: len(rows[0])], rows)
    if card.notes:
        say(["", *card.notes])
    if coverage.share("seen") is not None:
        words = {"seen": "enough was seen", "little": "little was", "guessed": "nothing was: that is guessed"}
        shares = [f"{percent(coverage.share(basis) or 0.0)} lie where {word}" for basis, word in words.items()]
        say(["", f"Of the player's decisions in the spot {', '.join(shares)}.", ""])
        rows = [[str(one.place), f"{one.n:,}", percent(one.share), f"  {one.basis}"] for one in coverage.places]
        show_rows(("<28", ">6", ">6", "<1"), [["place", "seen", "share", ""], *rows])
    if report.sizes:
        show_sizes(report.sizes)
