"""The door: hands of any files, checked, without duplicates; what is left out is counted, and listed line by line.

Where a text such as `hands:FILE,player=NAME` makes a model, lines about skipped hands go to the logger `counterplay.hands`,
each once in a process; it prints them to stderr unless the program has set up logging, and
`logging.getLogger("counterplay.hands").setLevel("ERROR")` turns them off.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from counterplay.budget import BudgetError, spend
from counterplay.errors import InputError, escaped, in_file, quoted
from counterplay.files import write_whole
from counterplay.jit.clock import collection_suspended
from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.hand_record import (
    NO_VENUE,
    REASONS,
    AnyHand,
    GameHand,
    HandHistory,
    HoldemHand,
    LeftOut,
    ReadHand,
    TableHand,
)
from counterplay.opponents.histories.hand_store import HandStore, key_of, opened_store
from counterplay.poker.betting.rules import STREETS, BettingRules
from counterplay.poker.betting.state import Kind

EVERYONE = "everyone"
"""In place of a player's name: all players together, as one."""
_MOST_BYTES = 1 << 29
_PIECE = 1 << 20
_HEAD = 4096
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""Marks of the encoding in which Full Tilt wrote."""


@dataclass(frozen=True)
class Hands:
    """Hands of files. hands: of two players, in the order of the files. left_out: those that cannot be used. tables:
    hands of more players, which heads-up models do not use. skipped: files of folders that are no hand histories, each
    with the reason."""

    hands: tuple[AnyHand, ...]
    left_out: tuple[LeftOut, ...]
    tables: tuple[TableHand, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def holdem(self) -> tuple[HoldemHand, ...]:
        """The hands of hold'em."""
        return tuple(hand for hand in self.hands if isinstance(hand, HoldemHand))

    @property
    def others(self) -> tuple[GameHand, ...]:
        """The hands of other games."""
        return tuple(hand for hand in self.hands if isinstance(hand, GameHand))

    def players(self) -> Counter[str]:
        """The number of hands of each player."""
        return Counter(name for hand in self.hands for name in hand.players)

    def of(self, player: str) -> tuple[AnyHand, ...]:
        """The hands of a player; those of `EVERYONE` are each hand twice, once with either player of this name. An
        InputError if there are none: the message names who has most, or why no hand at all can be used."""
        found = tuple(hand for hand in self.hands if player in hand.players)
        if not found and player == EVERYONE:
            seats = [(hand, hand.players) for hand in self.hands]
            found = tuple(
                replace(hand, players=players)
                for hand, (first, second) in seats
                for players in ((EVERYONE, second), (first, EVERYONE))
            )
        if not self.hands and self.tables:
            raise InputError(f"all hands read have more than two players: {len(self.tables):,}, the first at "
                             f"{self.tables[0].place}")  # fmt: skip
        if not self.hands and self.left_out:
            raise InputError(f"no hand can be used; the first of {len(self.left_out):,} left out: {self.left_out[0]}")
        if not found:
            known = ", ".join(name for name, _ in self.players().most_common(4)) or "nobody"
            raise InputError(f"there are no hands of {player!r}; there are those of {known}")
        return found

    def holdem_of(self, player: str) -> tuple[HoldemHand, ...]:
        """The hands of hold'em of a player; an InputError if there are none."""
        if hands := tuple(hand for hand in self.of(player) if isinstance(hand, HoldemHand)):
            return hands
        raise InputError(
            f"the hands of {player!r} are of other games than hold'em; those of a spot are for `model`, `respond --to "
            "hands:FILE,player=NAME` and `spot --villain hands:FILE,player=NAME`"
        )

    def others_of(self, player: str) -> tuple[GameHand, ...]:
        """The hands of a player of other games than hold'em; an InputError if there are none."""
        if hands := tuple(hand for hand in self.of(player) if isinstance(hand, GameHand)):
            return hands
        raise InputError(f"the hands of {player!r} are of hold'em, which is a game of spots and whole games alone")


def read_hands(paths: Iterable[str | Path], rules: BettingRules | None = None, form: str | None = None) -> Hands:
    """The hands of files, in one currency: those of hold'em in another one than most of them are left out. What was read
    before comes from the store in the user's cache (`hand_store`).

    Args:
        paths: files of any known format, and folders of such files.
        rules: stacks and blinds of formats that do not say them.
        form: name of the format; None to recognise it.

    Raises:
        InputError: a file that cannot be read, or of an unknown format; a folder without any hand history. A hand that
            cannot be used is no error, nor is another file in a folder.
    """
    hands, tables, out, skipped = list[AnyHand](), list[TableHand](), list[LeftOut](), list[str]()
    seen: set[str | ReadHand] = set()
    with collection_suspended(), opened_store(REGISTRY.values()) as store:
        for hand in (hand for path in paths for hand in _records_of(Path(path), rules, form, store, skipped)):
            if isinstance(hand, LeftOut):
                out.append(hand)
                continue
            # Numbers without a venue count from 1 in each file: there the whole hand tells it from others.
            mark = hand if hand.key.startswith(NO_VENUE) else hand.key
            if hand.key and mark in seen:
                out.append(LeftOut(hand.place, "duplicate", "this hand is there already"))
            elif isinstance(hand, TableHand):
                tables.append(hand)
            else:
                hands.append(hand)
            seen.add(mark)
    read = Hands(tuple(hands), tuple(out), tuple(tables), tuple(skipped))
    # Play for euros, dollars and points need not be alike, and chips are not added up; no currency counts as one, too.
    most = Counter(hand.currency for hand in read.holdem).most_common(1)
    if not most:
        return read
    usual, kept, other = most[0][0], list[AnyHand](), list[LeftOut]()
    for hand in read.hands:
        if isinstance(hand, HoldemHand) and hand.currency != usual:
            own, theirs = (quoted(one) if one else "none that is named" for one in (hand.currency, usual))
            about = f"its chips are in {own}, those of most hands in {theirs}"
            other.append(LeftOut(hand.place, "currency", about))
        else:
            kept.append(hand)
    return replace(read, hands=tuple(kept), left_out=(*read.left_out, *other)) if other else read


def _records_of(
    path: Path, rules: BettingRules | None, form: str | None, store: HandStore, skipped: list[str]
) -> Iterator[ReadHand | LeftOut]:
    """Records of a file, or of all files of a folder; lines about those that are no hand histories go into `skipped`."""
    if not os.path.isdir(path):
        try:
            records = _stored_records(path, rules, form, store)
        except InputError as error:
            raise in_file(path, error) from None
        yield from records
        return
    endings, read, before = endings_of(form), 0, len(skipped)
    for file in files_in(path, endings, skipped):
        try:
            records = _stored_records(file, rules, form, store)
        except BudgetError:
            raise
        except InputError as error:
            skipped.append(str(in_file(file, error)))
            continue
        read += 1
        yield from records
    if not read:
        why = f"no name ends in {', '.join(endings)}"
        if len(skipped) > before:
            why = f"the first of {len(skipped) - before:,} files: {skipped[before]}"
        raise InputError(f"no hand history is in the folder {path}; {why}")


def endings_of(form: str | None = None) -> tuple[str, ...]:
    """The endings of hand histories, or of those of one format."""
    formats = REGISTRY.values() if form is None else [_named(form)]
    return tuple(dict.fromkeys(ending for one in formats for ending in one.endings))


def files_in(path: Path, endings: Collection[str], skipped: list[str] | None = None) -> list[Path]:
    """The files below a folder with these endings, sorted; hidden ones are passed over, and links are followed once. Lines
    about folders that cannot be read go into `skipped`."""
    found, seen = dict[Path, Path](), set[Path]()

    def skip(error: OSError) -> None:
        if skipped is not None:
            skipped.append(f"{error.filename}: cannot be read: {(error.strerror or str(error)).lower()}")

    for folder, inner, names in os.walk(path, onerror=skip, followlinks=True):
        place = Path(folder).resolve()
        inner[:] = [] if place in seen else sorted(name for name in inner if not name.startswith("."))
        if place in seen:
            continue
        seen.add(place)
        for file in (Path(folder, name) for name in sorted(names) if not name.startswith(".")):
            if file.suffix.lower() in endings and file.is_file():
                found.setdefault(file.resolve(), file)
    return sorted(found.values())


def _stored_records(
    path: Path, rules: BettingRules | None, form: str | None, store: HandStore
) -> Sequence[ReadHand | LeftOut]:
    """Records of a file, from the store if it was read before."""
    read = bytearray()
    try:
        with path.open("rb") as stream:
            while piece := stream.read(_PIECE):
                read += piece
                if len(read) > _MOST_BYTES:
                    raise InputError(f"more than {_MOST_BYTES >> 20} MiB; split it")
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    content = bytes(read)
    key = key_of(content, path.suffix.lower(), form, rules)
    records = store.read(key, str(path))
    if records is None:
        try:
            text = content.decode("utf-16" if content[:2] in _UTF16 else "utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"byte {error.start:,} is not text (UTF-8); save the file in this encoding") from None
        records = []
        for one in format_of(path.suffix.lower(), text[:_HEAD], form).read(text, str(path), rules):
            spend("hands of a file")
            records.append(one)
        store.write(key, records)
    return records


def write_hands(path: Path, hands: Sequence[HoldemHand]) -> None:
    """Write hands of hold'em, in the first writable format of the file's ending."""
    for one in REGISTRY.values():
        if path.suffix in one.endings and (text_of := getattr(one, "write", None)) is not None:
            write_whole(path, text_of(hands).encode())
            return
    raise InputError(f"cannot write {path}: no format that is written has this ending")


def format_of(ending: str, head: str, form: str | None = None) -> HandHistory:
    """The format of a file by its name, else by its ending and first characters."""
    if form is not None:
        return _named(form)
    fits = [one for one in REGISTRY.values() if one.recognises(head)]
    if not fits:
        raise InputError(f"is no hand history; formats are {', '.join(REGISTRY)} ({', '.join(endings_of())})")
    return next((one for one in fits if ending in one.endings), fits[0])


def _named(form: str) -> HandHistory:
    if form not in REGISTRY:
        raise InputError(f"there is no hand-history format {form!r}; there are {', '.join(REGISTRY)}")
    return REGISTRY[form]


_log = logging.getLogger("counterplay.hands")
_logged = set[str]()


@dataclass(frozen=True)
class HandSummary:
    """Counts over hands.

    Attributes:
        hands: hands read.
        players: hands of each player, most first.
        games: hands by game: blinds and currency of hold'em, the name of other games.
        stacks: least, median and largest effective stack in big blinds; None without hold'em.
        streets: hands of hold'em by the street in which they end.
        showdowns: hands shown down.
        shown: hands of cards that are known, of all that were dealt.
        tables: hands of more than two players, by number of seats; heads-up models do not use them.
        left_out: skipped hands, by reason.
        reports: the first skipped hands, each with file, line and reason.
        skipped: files of folders that are no hand histories, each with the reason.
    """

    hands: int
    players: dict[str, int]
    games: dict[str, int]
    stacks: tuple[float, float, float] | None
    streets: dict[str, int]
    showdowns: int
    shown: tuple[int, int]
    tables: dict[int, int]
    left_out: dict[str, int]
    reports: tuple[str, ...]
    skipped: tuple[str, ...]

    @property
    def facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def summarise(read: Hands, reports: int = 10) -> HandSummary:
    """The counts. reports: the most skipped hands that are listed one by one."""
    holdem = read.holdem
    stacks = sorted(min(hand.rules.stacks) / max(hand.rules.blinds) for hand in holdem)
    games = Counter([_stakes(hand) for hand in holdem] + [hand.game for hand in read.others])
    ended = Counter(STREETS[hand.line.steps[-1].state.street] for hand in holdem if hand.line.steps)
    reasons = Counter(one.reason for one in read.left_out).most_common()
    return HandSummary(
        hands=len(read.hands), players=dict(read.players().most_common()), games=dict(games.most_common()),
        stacks=(stacks[0], stacks[len(stacks) // 2], stacks[-1]) if stacks else None,
        streets={street: ended[street] for street in STREETS if ended[street]},
        showdowns=sum(hand.line.end.kind is Kind.SHOWDOWN for hand in holdem),
        shown=(sum(bool(hole) for hand in holdem for hole in hand.holes), 2 * len(holdem)),
        tables=dict(sorted(Counter(len(hand.players) for hand in read.tables).items())),
        left_out={REASONS[name]: count for name, count in reasons},
        reports=tuple(str(one) for one in read.left_out[:reports]), skipped=read.skipped,
    )  # fmt: skip


def _stakes(hand: HoldemHand) -> str:
    big, small = (hand.rules.chips(units) for units in hand.rules.blinds)
    return f"hold'em {small:g}/{big:g}{' ' + hand.currency if hand.currency else ''}"


def skipped_line(read: Hands) -> str:
    """The numbers of skipped hands by reason, the first of them by file and line, and how many files of folders are no hand
    histories; "" if all are used."""
    parts, reasons = [], Counter(REASONS[one.reason] for one in read.left_out).most_common()
    if read.tables:
        reasons.append(("of more than two players", len(read.tables)))
    if reasons:
        counts = ", ".join(f"{count:,} {reason}" for reason, count in reasons)
        first = f"; the first: {escaped(str(read.left_out[0]))}" if read.left_out else ""
        parts.append(f"left out: {counts}{first}")
    if read.skipped:
        parts.append(f"skipped: {len(read.skipped):,} of the files, the first: {escaped(read.skipped[0])}")
    return "; ".join(parts)


def log_skipped(read: Hands) -> None:
    """Log which hands readers have skipped, if any."""
    _log_once(skipped_line(read))


def log_use(player: str, used: str, not_counted: Mapping[str, int], mapped: int = 0, bets: int = 0) -> None:
    """Log what a model of a player is made of, where hands were not counted or bets were mapped. not_counted: hands, or
    rests of hands, for which the game has no use, by reason. mapped: bets that the betting tree does not have."""
    parts = [f"{mapped:,} of {bets:,} bets mapped to sizes of the tree"] if mapped else []
    if left := ", ".join(f"{count:,} {reason}" for reason, count in not_counted.items() if count):
        parts.append(f"not counted: {left}")
    _log_once(f"{escaped(player)}: {'; '.join([used, *parts])}" if parts else "")


def _log_once(line: str) -> None:
    if line and line not in _logged:
        _logged.add(line)
        _log.warning(line)
