"""A behaviour strategy of one player in one game, and its files: JSON to read and edit, or a compact archive.

JSON holds the facts of a strategy and `strategy: {infoset: {action: probability}}`, or `strategies: [.., ..]` for both
seats; a bare `{infoset: {action: probability}}` is read too. The archive holds the same per seat.
The game that a file names must match where this can be checked (see `games.identity`); to use a strategy in a variant
of its game, delete the line `"game"` from the JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from math import inf, isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from counterplay.archive import Archive, ArchiveKind, opened, plain, write
from counterplay.arrays import F64, frozen, locked, read_only
from counterplay.display import brief
from counterplay.errors import FileError, InputError, MissingKeyError, in_file, quoted
from counterplay.files import STRATEGY, TEXT_STRATEGY, read_json_file, write_whole
from counterplay.games.identity import is_other_game
from counterplay.jit import kernel
from counterplay.result import frame
from counterplay.texts.arguments import PATH, Checked, shown, takes
from counterplay.treeplex.sweeps import behaviour_of, reach
from counterplay.treeplex.treeplex import ACTIONS, COUNT, LANE, OFFSET, PAD, WIDTH, Labels, Treeplex


@dataclass(frozen=True, eq=False)
class Strategy(metaclass=Checked):
    """Probabilities of every action at every infoset of one player, as a mapping from infosets to `{action: probability}`:
    `strategy["Ks r"]`. Strategies with equal probabilities are equal. Arrays are checked, copied unless they are
    read-only, and read-only from then on.

    Attributes:
        behaviour: (tree.size,) the probability of each sequence's last action; 1 at index 0, 0 in padding.
        facts: metadata for files and tables: game, seat, method, value, exploitability, ...
        counts: (tree.lanes,) number of observations at each infoset, for a model made from data; None otherwise.
    """

    tree: Treeplex
    behaviour: F64
    facts: Mapping[str, Any] = field(default_factory=dict)
    counts: F64 | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.tree, Treeplex):
            raise InputError(f"a strategy needs the treeplex of a player, as in game.trees, not {shown(self.tree)}")
        # (size,) read-only, a behaviour of the tree's player; an InputError names the infoset that is invalid
        what = f"the behaviour of player {self.tree.player}"
        behaviour = read_only(self.behaviour, what, (self.tree.size,))
        if behaviour[0] != 1.0:
            raise InputError(f"{what} must begin with 1, the probability of the empty sequence, not {behaviour[0]:g}")
        lane = _faulty_lane(self.tree.arrays, behaviour, self.tree.dealt, TOLERANCE)
        if lane >= 0 and self.tree.lane_sequences[2][lane]:
            labels = self.tree.labels
            check_row(labels.infosets[labels.lanes.index(lane)], behaviour[self.tree.sequences_of(lane)])
        if lane >= 0 or behaviour[PAD] != 0.0:
            at = next(at for at in np.flatnonzero(~self.tree.real).tolist() if behaviour[at] != 0.0)
            raise InputError(f"{what} must be 0 in padding, not {behaviour[at]:g} at index {at}")
        object.__setattr__(self, "behaviour", behaviour)
        if self.counts is not None:
            counts = read_only(self.counts, f"the counts of player {self.tree.player}", (self.tree.lanes,))
            if not (np.isfinite(counts).all() and (counts >= 0.0).all()):
                raise InputError("counts must be numbers of at least 0")
            object.__setattr__(self, "counts", counts)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy or what another process sent; NumPy restores arrays that can be written to."""
        self.__dict__.update({name: frozen(one) if isinstance(one, np.ndarray) else one for name, one in state.items()})

    def __repr__(self) -> str:
        name = f"of player {self.player}"
        facts = [f"{word} {self.facts[word]}" for word in ("game", "method") if word in self.facts]
        return brief(self, name, *facts, f"{self.tree.infosets:,} infosets")

    @property
    def player(self) -> int:
        """The player of the strategy: 0 or 1."""
        return self.tree.player

    def is_of(self, game: Any) -> bool:
        """Return whether it is a strategy of a compiled game, or of another copy of that: by name and by decisions."""
        tree = game.trees[self.player]
        return self.tree is tree or (self.facts.get("game", game.name) == game.name and self.tree.same_as(tree))

    @cached_property
    def plan(self) -> F64:
        """(tree.size,) the realization plan; read-only."""
        return frozen(reach(self.tree, self.behaviour))

    @staticmethod
    def uniform(tree: Treeplex) -> Strategy:
        """The uniform strategy."""
        return Strategy.made(tree, tree.uniform())

    @staticmethod
    def made(tree: Treeplex, behaviour: F64, facts: Mapping[str, Any] | None = None) -> Strategy:
        """The strategy of a behaviour (size,) that the library has just computed: neither checked nor copied."""
        strategy = object.__new__(Strategy)
        strategy.__dict__.update(tree=tree, behaviour=locked(behaviour), facts=facts or {}, counts=None)
        return strategy

    @staticmethod
    def from_plan(tree: Treeplex, plan: F64, facts: Mapping[str, Any] | None = None) -> Strategy:
        """The strategy of a realization plan (size,); uniform where the plan has no reach. Another shape or type, and
        numbers that are not finite, are an InputError."""
        return Strategy.made(tree, behaviour_of(tree, np.maximum(checked_plan(tree, plan), 0.0)), facts)

    def __getitem__(self, infoset: str) -> dict[str, float]:
        """As `probabilities`; an unknown infoset is a KeyError, too."""
        try:
            return self.probabilities(infoset)
        except InputError as error:
            raise MissingKeyError(str(error)) from None

    def __contains__(self, infoset: object) -> bool:
        return isinstance(infoset, str) and infoset in self.tree.labels.index

    def __iter__(self) -> Iterator[str]:
        """The texts of the infosets that the player decides."""
        labels = self.tree.labels
        return (text for number, text in enumerate(labels.infosets) if number not in labels.given)

    def __len__(self) -> int:
        return len(self.tree.labels.infosets) - len(self.tree.labels.given)

    def keys(self) -> list[str]:
        """The texts of the infosets that the player decides."""
        return list(self)

    def values(self) -> list[dict[str, float]]:
        """The probabilities of each action, in the order of `keys`."""
        return list(self.table().values())

    def get(self, infoset: str, default: Any = None) -> Any:
        """The probabilities at an infoset, or the default for an unknown one."""
        return self.probabilities(infoset) if infoset in self else default

    def items(self) -> list[tuple[str, dict[str, float]]]:
        """Infosets with their probabilities."""
        return list(self.table().items())

    def __eq__(self, other: object) -> bool:
        """Return whether both are of the same player of games with the same infosets, with the same probabilities."""
        if not isinstance(other, Strategy):
            return NotImplemented
        same = self.tree is other.tree or (self.player == other.player and self.tree.same_as(other.tree))
        return same and bool(np.array_equal(self.behaviour, other.behaviour))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.player, self.behaviour.tobytes()))

    def array(self, infosets: Sequence[str] | None = None, actions: Sequence[str] | None = None) -> F64:
        """(infosets, actions) probabilities as an array; NaN where an infoset lacks an action.

        Args:
            infosets: rows; by default all that the player decides, in the order of `keys`. An unknown one is an InputError.
            actions: columns; by default all actions of these infosets, in the order in which they first come.
        """
        rows = [self[infoset] for infoset in infosets] if infosets is not None else self.values()
        names = list(dict.fromkeys(name for row in rows for name in row)) if actions is None else actions
        return np.array([[row.get(name, np.nan) for name in names] for row in rows]).reshape(len(rows), len(names))

    def to_frame(self) -> Any:
        """A `pandas.DataFrame` of `array`, by infoset and action."""
        actions = list(dict.fromkeys(name for row in self.values() for name in row))
        return frame(self.array(actions=actions), index=self.keys(), columns=actions)

    def probabilities(self, infoset: str) -> dict[str, float]:
        """The probability of each action at an infoset, by their texts; an InputError for an unknown infoset."""
        labels = self.tree.labels
        check_observation(infoset)
        if infoset not in labels.index:
            raise no_infoset(f"player {self.player}", infoset, labels.infosets)
        return self._row(labels.index[infoset])

    def _row(self, number: int) -> dict[str, float]:
        labels = self.tree.labels
        lane, names = labels.lanes[number], labels.actions[number]
        if lane < 0:
            return {names[0]: 1.0}
        return dict(zip(names, self.behaviour[self.tree.sequences_of(lane)].tolist(), strict=True))

    def table(self) -> dict[str, dict[str, float]]:
        """All probabilities by text, {infoset: {action: probability}}, without infosets that the player does not decide."""
        labels = self.tree.labels
        return {text: self._row(i) for i, text in enumerate(labels.infosets) if i not in labels.given}

    @staticmethod
    def from_table(
        tree: Treeplex, table: Mapping[str, Mapping[str, float]], facts: Mapping[str, Any] | None = None
    ) -> Strategy:
        """The strategy that a table of probabilities describes. Infosets with one action, and those that the player does not
        decide, may be left out; the latter are uniform until a game fixes them (`SpotGame.dealt`). An InputError: a missing
        or extra infoset or action, a row that does not sum to 1, a negative number or a NaN."""
        labels = tree.labels
        extra = next((text for text in table if text not in labels.index), None)
        if extra is not None:
            raise InputError(f"the game has no infoset {quoted(extra)} of player {tree.player}")
        behaviour = np.zeros(tree.size)
        behaviour[0] = 1.0
        for i, (text, names, lane) in enumerate(zip(labels.infosets, labels.actions, labels.lanes, strict=True)):
            if lane < 0 and text not in table:
                continue
            if i in labels.given and text not in table:
                behaviour[tree.sequences_of(lane)] = 1.0 / len(names)
                continue
            if text not in table:
                raise InputError(f"the infoset {quoted(text)} of player {tree.player} is missing")
            row = checked_row(text, names, table[text])
            if lane >= 0:
                behaviour[tree.sequences_of(lane)] = row
        return Strategy(tree, frozen(behaviour), facts or {})

    @takes(path=PATH)
    def save(self, path: str | Path) -> None:
        """Write the strategy to a file, from which it is read to the last bit: JSON for `.json`, compact binary for `.cps`.
        An InputError for other endings."""
        if Path(path).suffix not in (TEXT_STRATEGY, STRATEGY):
            raise InputError(f"cannot write {path}: the name of a strategy must end in {TEXT_STRATEGY} or {STRATEGY}")
        save(self, Path(path))


def checked_row(infoset: str, actions: tuple[str, ...], row: Mapping[str, float]) -> F64:
    """(actions,) the probabilities of one infoset in the order of its actions, scaled to sum to 1 unless they do so up to
    rounding; an InputError names the infoset and the fault of an invalid row."""
    for action in row:
        if action not in actions:
            raise InputError(
                f"the infoset {quoted(infoset)} has no action {quoted(action)}; it has {', '.join(actions)}"
            )
    numbers = np.zeros(len(actions))
    for a, action in enumerate(actions):
        if action not in row:
            raise InputError(f"the action {quoted(action)} is missing at the infoset {quoted(infoset)}")
        try:
            if isinstance(row[action], str):  # float would read it
                raise TypeError
            numbers[a] = float(row[action])
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"the probability of '{action}' at the infoset {quoted(infoset)} is not a number"
            ) from None
    check_row(infoset, numbers)
    total = numbers.sum()
    return numbers if abs(total - 1.0) <= ROUNDING else numbers / total


ROUNDING = 1e-12
"""By how much the sum of probabilities that were computed differs from 1: these are kept to the last bit."""
TOLERANCE = 1e-6
"""By how much the sum of an infoset's probabilities may differ from 1."""


def checked_plan(tree: Treeplex, values: ArrayLike) -> F64:
    """(size,) finite numbers as a plan of the tree's player; they may be negative, as rounding makes them. Others are
    an InputError."""
    plan: Any = values
    if not (isinstance(plan, np.ndarray) and plan.dtype == np.float64 and plan.shape == (tree.size,)):
        plan = read_only(values, f"the plan of player {tree.player}", (tree.size,))
    if not isfinite(np.add.reduce(plan)):
        raise InputError(f"the plan of player {tree.player} must be finite numbers")
    return plan  # type: ignore[no-any-return]


def check_row(infoset: str, numbers: F64) -> None:
    """Reject numbers (actions,) that are no distribution."""
    if not np.isfinite(numbers).all() or (numbers < 0.0).any():
        raise InputError(f"the probabilities at the infoset {quoted(infoset)} must be numbers from 0 to 1")
    if abs(numbers.sum() - 1.0) > TOLERANCE:
        raise InputError(f"the probabilities at the infoset {quoted(infoset)} sum to {numbers.sum():.6g}, not 1")


@kernel
def _faulty_lane(tree: Any, behaviour: Any, dealt: Any, tolerance: Any) -> Any:
    """The first lane without a distribution, or with padding that is not 0, else -1; `dealt` lanes have any sum."""
    for g in range(len(tree.groups)):
        # Lane i of the group: its sequences are offset + a * width + i, padding from COUNT on.
        offset, width, lane = tree.groups[g, OFFSET], tree.groups[g, WIDTH], tree.groups[g, LANE]
        for i in range(width):
            total, sound = 0.0, True
            for a in range(tree.groups[g, ACTIONS]):
                share = behaviour[offset + a * width + i]
                total += share
                sound = sound and share >= 0.0
            due = 1.0 if i < tree.groups[g, COUNT] else 0.0
            if lane + i < dealt and total < inf:
                due = total
            # Written so that NaN is a fault; padding must be 0 exactly.
            if not (sound and abs(total - due) <= tolerance * due):
                return lane + i
    return -1


_SHOWN, _QUOTED = 3, 60
_COMPARED = 4000
"""The most texts compared with a wrong one; a hundred comparisons take a millisecond."""


def no_infoset(whose: str, text: str, infosets: Sequence[str], where: str = "") -> InputError:
    """The error for a text, as the user wrote it, that is not an infoset of `whose` game; `where` is appended, as in "
    of player 0". Of many infosets those with a common prefix are compared first."""
    begin = [one for one in infosets if one[:1] == text[:1]] if len(infosets) > _COMPARED else []
    near = get_close_matches(text[:_QUOTED], (begin or list(infosets))[:_COMPARED], n=_SHOWN, cutoff=0.0)
    texts = " or ".join(quoted(one) for one in near)
    hint = f"; did you mean {texts}?" if near else ""
    return InputError(f"{whose} has no infoset {quoted(text)}{where}{hint}")


def check_observation(observation: object) -> None:
    """Raise an InputError for an observation that is not a text."""
    if not isinstance(observation, str):
        kind = type(observation).__name__
        raise InputError(f"an observation must be the text of an infoset, as the game prints it, not a {kind}")


HEADERS, NUMBERS = ("header0", "header1"), ("probabilities0", "probabilities1")
COUNTS = "counts0", "counts1"
"""Observations of each infoset, of strategies that were made from data."""
KIND = ArchiveKind("a binary strategy file", 2, frozenset((*NUMBERS, *COUNTS)), packed=True, old=frozenset(HEADERS))


def save(strategies: Strategy | Sequence[Strategy], path: Path) -> None:
    """Write the strategy of one seat, or of both: binary if the name ends in `.cps`, else JSON; whole or not at all."""
    seats = list(strategies) if isinstance(strategies, Sequence) else [strategies]
    if path.suffix != STRATEGY:
        counts = [None if one.counts is None else _counts_by_text(one.tree.labels, one.counts) for one in seats]
        if len(seats) == 1:
            document = {**plain(seats[0].facts), "seat": seats[0].player, "strategy": seats[0].table()}
            document |= {} if counts[0] is None else {"counts": counts[0]}
        else:
            document = {**plain(seats[0].facts), "strategies": [strategy.table() for strategy in seats]}
            document |= {"counts": counts} if any(counts) else {}
        write_whole(path, json.dumps(document, indent=1, ensure_ascii=False).encode())
        return
    told = {str(one.player): {**one.facts, "seat": one.player, "labels": digest(one.tree.labels)} for one in seats}
    arrays = {}
    for one in seats:  # (sequences,) in the order of the visit, without padding
        rows = [one.behaviour[one.tree.sequences_of(lane)] for lane in one.tree.visit_order.tolist()]
        arrays[NUMBERS[one.player]] = np.concatenate(rows) if rows else np.zeros(0)
    arrays |= {COUNTS[one.player]: one.counts[one.tree.visit_order] for one in seats if one.counts is not None}
    write(path, KIND, {"seats": told}, arrays)


def _counts_by_text(labels: Labels, counts: F64) -> dict[str, float]:
    """The observations of each infoset with any."""
    lanes = zip(labels.infosets, labels.lanes, strict=True)
    return {text: float(counts[lane]) for text, lane in lanes if lane >= 0 and counts[lane]}


def digest(labels: Labels) -> str:
    """A fingerprint of all texts: a binary file fits only the game with exactly these infosets and actions."""
    rows = ("\1".join((infoset, *names)) for infoset, names in zip(labels.infosets, labels.actions, strict=True))
    return hashlib.blake2b("\0".join(rows).encode(), digest_size=16).hexdigest()


_OLD_FORMAT = 1  # the magic number of files without a checksum, where each seat has its own header


def load(tree: Treeplex, path: Path, game: str = "") -> Strategy:
    """Read the strategy of the player of `tree`, checking every infoset: arrays where the path ends in `.cps`, else JSON. An
    InputError: missing file, another format, or a strategy that does not fit the tree or names another game than `game`."""
    if path.suffix == STRATEGY:
        return _read_binary(tree, path, game)
    try:
        document = read_json_file(path)
        if not isinstance(document, dict):
            raise InputError("a strategy file must hold an object {infoset: {action: probability}}")
        table, facts = _table_and_facts(document, tree)
        _check_game(facts, game)
        for infoset, row in table.items():
            if not isinstance(row, dict):
                raise InputError(f"the infoset {quoted(infoset)} must map actions to probabilities")
        counts = facts.pop("counts", None)
        return replace(Strategy.from_table(tree, table, facts), counts=_counts_of_table(tree, counts))
    except InputError as error:
        raise FileError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def seats_in(path: Path) -> list[int]:
    """The seats whose strategies a file holds; both if it does not say."""
    try:
        if path.suffix == STRATEGY:
            with opened(path, KIND) as archive:
                seats = [seat for seat in (0, 1) if NUMBERS[seat] in archive]
        else:
            document = read_json_file(path)
            seats = [document["seat"]] if isinstance(document, dict) and document.get("seat") in (0, 1) else []
    except (OSError, InputError):
        return [0, 1]  # loading it will say what is wrong
    return seats or [0, 1]


def game_named(path: Path) -> str:
    """The game that a file of strategies names; empty if none. An InputError if it is no such file."""
    if path.suffix == STRATEGY:
        with opened(path, KIND) as archive:
            return str(next((facts for seat in seats_in(path) if (facts := _facts(archive, seat).get("game"))), ""))
    document = read_json_file(path)
    if not isinstance(document, dict):
        raise InputError("a strategy file must hold an object {infoset: {action: probability}}")
    named = document.get("game", "")
    return named if isinstance(named, str) else ""


def _check_game(facts: dict[str, Any], game: str) -> None:
    """Reject a file that names another game than `game`, if `game` is given."""
    named = facts.get("game", "")
    if not isinstance(named, str):
        raise InputError("the game must be named by a text")
    if named and game and is_other_game(named, game):
        raise InputError(f"this is a strategy for {' '.join(named.split())[:80]}, and one for {game} is needed")


def _table_and_facts(document: dict[str, Any], tree: Treeplex) -> tuple[dict[str, Any], dict[str, Any]]:
    """The table of the tree's player, from any of the three forms."""
    if isinstance(pair := document.get("strategies"), list) and "strategies" not in tree.labels.index:
        if len(pair) != 2 or not all(isinstance(table, dict) for table in pair):
            raise InputError("'strategies' must hold two tables, of seat 0 and of seat 1")
        facts = {key: value for key, value in document.items() if key != "strategies"}
        return pair[tree.player], {**facts, "seat": tree.player}
    if isinstance(table := document.get("strategy"), dict) and "strategy" not in tree.labels.index:
        facts = {key: value for key, value in document.items() if key != "strategy"}
        if facts.get("seat", tree.player) != tree.player:
            raise InputError(f"this is a strategy of seat {facts['seat']}, and one of seat {tree.player} is needed")
        return table, facts
    return document, {}


def _read_binary(tree: Treeplex, path: Path, game: str) -> Strategy:
    seat, count = tree.player, tree.sequences - 1
    with opened(path, KIND) as archive:
        if NUMBERS[seat] not in archive and NUMBERS[1 - seat] in archive:
            raise FileError(f"{path}: this is a strategy of seat {1 - seat}, and one of seat {seat} is needed")
        facts = _facts(archive, seat)
        shape = archive.shape(NUMBERS[seat])
        try:
            _check_game(facts, game)
            if facts.pop("labels", None) != digest(tree.labels):
                raise InputError(f"this is a strategy for another game ({str(facts.get('game', 'unnamed'))[:80]})")
            if shape != (count,):
                raise InputError(f"it holds probabilities {list(shape)} where the game has {count}")
            counts = None
            if COUNTS[seat] in archive:
                counts = np.zeros(tree.lanes)
                counts[tree.visit_order] = archive.array(COUNTS[seat], (tree.infosets,))
            numbers = archive.array(NUMBERS[seat], (count,))
            behaviour, at = tree.uniform(), 0
            for infoset, names, lane in zip(tree.labels.infosets, tree.labels.actions, tree.labels.lanes, strict=True):
                if lane >= 0:
                    row = dict(zip(names, numbers[at : at + len(names)].tolist(), strict=True))
                    behaviour[tree.sequences_of(lane)] = checked_row(infoset, names, row)
                    at += len(names)
            return Strategy(tree, behaviour, facts, counts)
        except InputError as error:
            raise in_file(path, error) from None


def _facts(archive: Archive, seat: int) -> dict[str, Any]:
    if archive.sealed:
        seats = archive.facts.get("seats")
        facts = seats.get(str(seat)) if isinstance(seats, dict) else None
    else:
        facts = archive.old_facts(HEADERS[seat])
        facts = facts if isinstance(facts, dict) and facts.pop("format", None) == _OLD_FORMAT else None
    if not isinstance(facts, dict):
        raise FileError(f"{archive.path} was written in a format that this version does not read")
    return facts


def _counts_of_table(tree: Treeplex, table: Any) -> F64 | None:
    if isinstance(table, list) and len(table) == 2:
        table = table[tree.player]
    if table is None:
        return None
    counts, labels = np.zeros(tree.lanes), tree.labels
    if not isinstance(table, dict):
        raise InputError("'counts' must map infosets to numbers")
    for text, count in table.items():
        lane = labels.lanes[labels.index[text]] if text in labels.index else -1
        if lane < 0 or not isinstance(count, int | float):
            raise InputError(
                f"the counts have {quoted(text)}, which is no number of an infoset of player {tree.player}"
            )
        counts[lane] = count
    return counts
