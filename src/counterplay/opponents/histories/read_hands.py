"""The door: hands of any files, checked, without duplicates; what is left out is listed by file, line and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from counterplay.budget import spend
from counterplay.errors import InputError, in_file, quoted
from counterplay.files import write_whole
from counterplay.jit.collection import collection_suspended
from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.hand_history import HandHistory, WritableHistory
from counterplay.opponents.histories.hand_record import (
    NO_VENUE,
    AnyHand,
    GameHand,
    HoldemHand,
    LeftOut,
    ReadHand,
    TableHand,
)
from counterplay.poker.betting.rules import BettingRules

EVERYONE = "everyone"
"""In place of a player's name: all players together, as one."""
_MOST_BYTES = 1 << 29
_PIECE = 1 << 20
_HEAD = 4096
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""Marks of the encoding in which Full Tilt wrote."""


@dataclass(frozen=True)
class Hands:
    """Hands of files.

    Attributes:
        hands: of two players, in the order of the files.
        left_out: those that cannot be used.
        tables: hands of more players, which heads-up models do not use.
    """

    hands: tuple[AnyHand, ...]
    left_out: tuple[LeftOut, ...]
    tables: tuple[TableHand, ...] = ()

    @property
    def holdem(self) -> tuple[HoldemHand, ...]:
        """Those of hold'em."""
        return tuple(hand for hand in self.hands if isinstance(hand, HoldemHand))

    @property
    def others(self) -> tuple[GameHand, ...]:
        """Those of other games."""
        return tuple(hand for hand in self.hands if isinstance(hand, GameHand))

    def players(self) -> Counter[str]:
        """The number of hands of each player."""
        return Counter(name for hand in self.hands for name in hand.players)

    def of(self, player: str) -> tuple[AnyHand, ...]:
        """The hands of a player; those of `EVERYONE` are each hand twice, once with either player of this name.

        Raises:
            InputError: there are none; the message names who has most, or why no hand at all can be used.
        """
        found = tuple(hand for hand in self.hands if player in hand.players)
        if not found and player == EVERYONE:
            found = tuple(_renamed(hand, seat) for hand in self.hands for seat in (0, 1))
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
        """The hands of hold'em of a player.

        Raises:
            InputError: there are none.
        """
        found = tuple(hand for hand in self.of(player) if isinstance(hand, HoldemHand))
        if not found:
            raise InputError(f"the hands of {player!r} are of other games than hold'em")
        return found

    def others_of(self, player: str) -> tuple[GameHand, ...]:
        """The hands of a player of other games than hold'em.

        Raises:
            InputError: there are none.
        """
        found = tuple(hand for hand in self.of(player) if isinstance(hand, GameHand))
        if not found:
            raise InputError(f"the hands of {player!r} are of hold'em, which is a game of spots and whole games alone")
        return found


def _renamed(hand: AnyHand, seat: int) -> AnyHand:
    """A hand whose player in a seat is everyone."""
    first, second = hand.players
    return replace(hand, players=(EVERYONE, second) if seat == 0 else (first, EVERYONE))


def read_hands(paths: Iterable[str | Path], rules: BettingRules | None = None, form: str | None = None) -> Hands:
    """The hands of files, in one currency: those of hold'em in another one than most of them are left out.

    Args:
        paths: files of any known format.
        rules: stacks and blinds of formats that do not say them.
        form: name of the format; None to recognise it.

    Raises:
        InputError: a file that cannot be read, or of an unknown format. A hand that cannot be used is no error.
    """
    found: list[AnyHand] = []
    tables: list[TableHand] = []
    out: list[LeftOut] = []
    seen: set[str | ReadHand] = set()
    for path in paths:
        try:
            with collection_suspended():  # which would take two fifths of the time
                for one in _read(Path(path), rules, form):
                    spend("hands of a file")
                    if isinstance(one, LeftOut):
                        out.append(one)
                    elif one.key and _mark(one) in seen:
                        out.append(LeftOut(one.place, "duplicate", "this hand is there already"))
                    elif isinstance(one, TableHand):
                        seen.add(_mark(one))
                        tables.append(one)
                    else:
                        seen.add(_mark(one))
                        found.append(one)
        except InputError as error:
            raise in_file(path, error) from None
    return _in_one_currency(Hands(tuple(found), tuple(out), tuple(tables)))


def _mark(hand: ReadHand) -> str | ReadHand:
    """What tells a hand from others: its key; or the whole hand where that is a number without a venue, since each file may
    count from 1."""
    return hand if hand.key.startswith(NO_VENUE) else hand.key


def _in_one_currency(found: Hands) -> Hands:
    """The hands in the currency of most: play for euros, dollars and points need not be alike, and their chips are not added
    up. What names no currency counts as one of its own."""
    most = Counter(hand.currency for hand in found.holdem).most_common(1)
    if not most:
        return found
    (currency, _), other = most[0], list[LeftOut]()
    kept = list[AnyHand]()
    for hand in found.hands:
        if isinstance(hand, HoldemHand) and hand.currency != currency:
            about = f"its chips are in {_told(hand.currency)}, those of most hands in {_told(currency)}"
            other.append(LeftOut(hand.place, "currency", about))
        else:
            kept.append(hand)
    return replace(found, hands=tuple(kept), left_out=(*found.left_out, *other)) if other else found


def _told(currency: str) -> str:
    """A currency in words."""
    return quoted(currency) if currency else "none that is named"


def _read(path: Path, rules: BettingRules | None, form: str | None) -> Iterator[ReadHand | LeftOut]:
    text = read_text(path)
    return format_of(path.suffix, text[:_HEAD], form).read(text, str(path), rules)


def write_hands(path: Path, hands: Sequence[HoldemHand]) -> None:
    """Write hands of hold'em, in the first writable format of the file's ending.

    Raises:
        InputError: no format has this ending, or it cannot hold a hand.
    """
    for one in REGISTRY.values():
        if path.suffix in one.endings and isinstance(one, WritableHistory):
            write_whole(path, one.write(hands).encode())
            return
    raise InputError(f"cannot write {path}: no format that is written has this ending")


def read_text(path: Path) -> str:
    """The text of a file of bounded size.

    Raises:
        InputError: it cannot be read, is too large, or is not UTF-8.
    """
    content = bytearray()
    if path.is_dir():
        raise InputError(f"it is a folder; its files are hand histories, as in {path / '*.phhs'}")
    try:
        with path.open("rb") as stream:
            while piece := stream.read(_PIECE):
                content += piece
                if len(content) > _MOST_BYTES:
                    raise InputError(f"more than {_MOST_BYTES >> 20} MiB; split it")
        return content.decode("utf-16" if content[:2] in _UTF16 else "utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start:,} is not text (UTF-8); save the file in this encoding") from None


def format_of(ending: str, head: str, form: str | None = None) -> HandHistory:
    """The format of a file by its name, else by its ending and first characters.

    Raises:
        InputError: no format fits.
    """
    if form is not None:
        if form not in REGISTRY:
            raise InputError(f"there is no hand-history format {form!r}; there are {', '.join(REGISTRY)}")
        return REGISTRY[form]
    fits = [one for one in REGISTRY.values() if one.recognises(head)]
    if not fits:
        endings = ", ".join(dict.fromkeys(end for one in REGISTRY.values() for end in one.endings))
        raise InputError(f"is no hand history; formats are {', '.join(REGISTRY)} ({endings})")
    return next((one for one in fits if ending in one.endings), fits[0])
