"""The shelf: solved spots and answers of the page, which are files of one folder, named by what they hold.

Its methods raise an `InputError` for a text that is no name, a file that is missing, and one that is damaged.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any

import counterplay as cp
from counterplay.errors import InputError
from counterplay.files import SPOT, read_json
from counterplay.page.tasks import ANSWER, EQUILIBRIUM, VILLAIN, corner_file, is_answer
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans
from counterplay.poker.spots.solution import SolvedSpot, facts_in, load_spot, question_in
from counterplay.poker.spots.solve_spot import accuracy_in, name_of_spot

_NAME = re.compile(r"[0-9a-f]{16}")
_ENDING = re.compile(r"\.[a-z]{1,5}")
_LOADED = 12
"""Solved spots that are kept in memory."""


class Shelf:
    """Files of a folder. opened, blueprint: a solved spot, a blueprint that was given at the start, from anywhere."""

    def __init__(self, folder: Path, opened: Path | None = None, blueprint: Path | None = None) -> None:
        self.folder, self.blueprint = folder, blueprint
        self._loaded: OrderedDict[tuple[Path, int], SolvedSpot] = OrderedDict()
        self._lock = threading.Lock()
        self._given: dict[str, Path] = {}
        self.first: str | None = None
        if opened is not None:
            self.first = name_of_spot(self._load(opened).spot)
            self._given[self.first] = opened

    def __getstate__(self) -> dict[str, Any]:
        """Without what is in memory: it travels to the processes that answer questions."""
        return {**self.__dict__, "_loaded": OrderedDict(), "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def path(self, name: str) -> Path:
        own = self.own_path(name)
        return own if own.is_file() else self._given.get(name, own)

    def own_path(self, name: str) -> Path:
        """The file of a spot in the folder, which is written; that which was given never is."""
        return self.folder / f"{_checked(name)}{SPOT}"

    def answer_folder(self, name: str) -> Path:
        return self.folder / f"{_checked(name)}.answer"

    def _spot_path(self, name: str) -> Path:
        path = self.path(name)
        if not path.is_file():
            raise InputError(f"there is no solved spot {name} on this page")
        return path

    def spot(self, name: str) -> SolvedSpot:
        return self._load(self._spot_path(name))

    def question(self, name: str) -> cp.Spot:
        """The spot of a solved spot, whose solution is not read."""
        return question_in(self._spot_path(name))[0]

    def answer(self, name: str) -> dict[str, Any]:
        path = self.answer_folder(name) / ANSWER
        if not path.is_file():
            raise InputError(f"there is no answer {name} on this page")
        facts = table_in(path, f"the answer {name}")
        if not is_answer(facts):
            raise _damaged(f"the answer {name}")
        return facts

    def has_answer(self, name: str) -> bool:
        """Return whether an answer is there, not interrupted, with files of its corners that can be opened."""
        folder = self.answer_folder(name)
        try:
            facts = self.answer(name)
            for file in (EQUILIBRIUM, *map(corner_file, range(len(facts["corners"])))):
                facts_in(folder / file)
        except InputError:
            return False
        return not facts["interrupted"]

    def result_path(self, name: str) -> Path:
        return self.folder / f"{_checked(name)}.json"

    @property
    def reproductions(self) -> Path:
        return self.folder / "reproduce"

    @property
    def players(self) -> Path:
        """The folder of uploaded strategies, and of notes on who is in uploaded files."""
        return self.folder / "players"

    def hands_path(self, name: str, ending: str) -> Path:
        if not _ENDING.fullmatch(ending):
            raise InputError("the file of hand histories has no such ending")
        return self.folder / f"{_checked(name)}{ending}"

    def result(self, name: str) -> dict[str, Any]:
        path = self.result_path(name)
        if not path.is_file():
            raise InputError(f"there is no result {name} on this page")
        return table_in(path, f"the result {name}")

    def has_result(self, name: str) -> bool:
        """Return whether a result of a game is there, whole and not interrupted."""
        try:
            facts = self.result(name)
        except InputError:
            return False
        return bool(facts) and not facts.get("interrupted", False)

    def corner(self, name: str, number: int | None) -> SolvedSpot:
        """A corner of an answer, or the equilibrium that it is compared with (None)."""
        return self._load(self.corner_path(name, number))

    def corner_path(self, name: str, number: int | None) -> Path:
        path = self.answer_folder(name) / (EQUILIBRIUM if number is None else corner_file(number))
        if not path.is_file():
            lacking = f"no answer {name}" if number is None else f"no corner {number} of the answer {name}"
            raise InputError(f"there is {lacking}")
        return path

    def villain_path(self, name: str) -> Path:
        """The file with the player of an answer who has the leaks; of an older answer that of the last corner."""
        path = self.answer_folder(name) / VILLAIN
        return path if path.is_file() else self.corner_path(name, len(self.answer(name)["corners"]) - 1)

    def exploitability(self, name: str) -> float | None:
        """The exploitability of a spot's solution by this version, in per cent of the pot; None without a sound one."""
        return accuracy_in(self.path(name))

    def spots(self) -> list[dict[str, Any]]:
        """The solved spots, the latest first, as plain facts; damaged files and those of other names are left out."""
        names = {given: name for name, given in self._given.items()}
        found: list[tuple[float, dict[str, Any]]] = []
        for path in dict.fromkeys((*names, *self.folder.glob(f"*{SPOT}"))):
            name = names.get(path, path.stem)
            if not is_name(name) or self.path(name) != path:
                continue  # a file of another name is not one of the page's
            try:
                written = path.stat().st_mtime
                spot, facts = question_in(path)
            except (InputError, OSError):
                continue  # damaged, or gone since the folder was read
            exact = facts["exploitability_percent"]
            shown = {"name": name, "file": str(path), **describe(spot), "exploitability_percent": exact}
            found.append((written, shown))
        return [shown for _, shown in sorted(found, key=lambda one: one[0], reverse=True)]

    def _load(self, path: Path) -> SolvedSpot:
        """The spot of a file; equal spots share one tree."""
        with self._lock:
            key = path, path.stat().st_mtime_ns  # a file that was written anew is another one
            if key not in self._loaded:
                solved = load_spot(path)
                twin = next((known for known in self._loaded.values() if known.spot == solved.spot), None)
                self._loaded[key] = solved if twin is None else _on_tree_of(twin, solved)
                while len(self._loaded) > _LOADED:
                    self._loaded.popitem(last=False)
            self._loaded.move_to_end(key)
            return self._loaded[key]


def describe(spot: cp.Spot) -> dict[str, Any]:
    board, blind = cards_text(spot.board), spot.big_blind
    return {"board": board, "street": spot.street, "pot": spot.pot, "bets": spot.bets, "big_blind": blind}


def table_in(path: Path, what: str) -> dict[str, Any]:
    """The table of a JSON file of the page, which can be sent as it is. what: that it holds, for the message."""
    try:
        table = read_json(path.read_bytes(), infinite=False)
        json.dumps(table, allow_nan=False, ensure_ascii=False).encode()  # as it is sent: 1e999 is read as infinity
    except (OSError, ValueError):
        raise _damaged(what) from None
    if not isinstance(table, dict):
        raise _damaged(what)
    return table


def _damaged(what: str) -> InputError:
    return InputError(f"{what} is damaged: ask for it again")


def _on_tree_of(known: SolvedSpot, solved: SolvedSpot) -> SolvedSpot:
    """A solution on another's tree, so that memory holds the tree once."""
    if isinstance(solved.plans, CompactPlans):
        return replace(solved, tree=known.tree, plans=replace(solved.plans, tree=known.tree))
    plans = ArraySpotPlans.of_tree(known.tree, (solved.plans.reach(0)[:], solved.plans.reach(1)[:]))
    return replace(solved, tree=known.tree, plans=plans)


def is_name(text: str) -> bool:
    """Return whether a text may be the name of a spot or an answer."""
    return _NAME.fullmatch(text) is not None


def _checked(name: str) -> str:
    if not is_name(name):
        raise InputError("a name on this page has 16 digits from 0 to f")
    return name
