"""Gambit's .efg files, game trees as text in prefix order: `read_efg` reads one, `write_efg` writes any game, and
`write_profile` the strategies of both players beside it."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from counterplay.display import brief
from counterplay.errors import InputError, check_encodable, quoted
from counterplay.files import write_whole
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name, chance_fault

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{},"]+)|(")', re.DOTALL)
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:/(\d+\.?\d*|\.\d+))?", re.ASCII)
_COUNT = re.compile(r"\d{1,9}", re.ASCII)
Numbers = dict[int, dict[Any, int]]


@dataclass(eq=False, slots=True)
class EfgInfoset:
    """One infoset of a player or of chance in a file; `odds` are chance's probabilities."""

    number: int
    text: str
    actions: list[str]
    odds: list[float]


@dataclass(eq=False, slots=True)
class EfgNode:
    """A history; `payoffs` are the sums of the outcomes from the root to here."""

    player: int
    infoset: EfgInfoset | None
    payoffs: tuple[float, float]
    children: list[EfgNode] = field(default_factory=list)


class EfgGame:
    """The game of a .efg file; its states are the nodes, its actions the places in the list of names."""

    def __init__(self, name: str, root: EfgNode) -> None:
        self.name = name
        self._root = root

    def __repr__(self) -> str:
        return brief(self, self.name)

    def root(self) -> EfgNode:
        return self._root

    def player(self, state: EfgNode) -> int:
        return state.player

    def actions(self, state: EfgNode) -> range:
        return range(len(state.children))

    def chance(self, state: EfgNode) -> list[float]:
        return infoset_of(state).odds

    def child(self, state: EfgNode, action: int) -> EfgNode:
        return state.children[action]

    def infoset(self, state: EfgNode, player: int) -> str:  # noqa: ARG002 (the file names infosets only for who acts)
        return infoset_of(state).text

    def action_name(self, state: EfgNode, action: int) -> str:
        return infoset_of(state).actions[action]

    def utility(self, state: EfgNode) -> float:
        return state.payoffs[0]


def infoset_of(node: EfgNode) -> EfgInfoset:
    if node.infoset is None:
        raise ValueError("no player acts at a terminal node")
    return node.infoset


def unique(texts: list[str], numbers: list[int] | None = None) -> list[str]:
    """The same texts, with their numbers (from 1 on, if not given) where they are empty or shared."""
    often, taken = Counter(texts), set(texts)
    unique = []
    for number, text in zip(numbers or range(1, len(texts) + 1), texts, strict=True):
        new = text
        if not text or often[text] > 1:
            new = f"{text} {number}".strip()
            while new in taken:
                new += f" {number}"
        taken.add(new)
        unique.append(new)
    return unique


def read_efg(path: str | Path) -> EfgGame:
    """The two-player zero-sum game of a .efg file; player 1 of the file is player 0 here.

    Infosets are told apart by their numbers. A label that is empty becomes the number; a label that several infosets of
    a player share gets the number added. Outcomes at inner nodes add up along the path.

    Raises:
        InputError: no such file, not the format (with the line), not two players, not zero-sum, or chance that is no
            probability distribution.
    """
    return _Reader(Words(Path(path))).game()


class _Reader:
    """One pass over the words of a file."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.infosets: dict[tuple[int, int], EfgInfoset] = {}
        self.outcomes: dict[int, tuple[float, float]] = {}

    def game(self) -> EfgGame:
        words = self.words
        words.plain("EFG")
        words.plain("2")
        words.plain("R", "D")
        words.quoted("the title")
        line, players = words.line, 0
        words.plain("{")
        while not words.sees("}"):
            words.quoted("the name of a player or '}'")
            players += 1
        words.plain("}")
        if players != 2:
            raise words.error(f"the game has {players} players, and not 2", line)
        if words.sees_quoted():
            words.quoted("a comment")
        root = self._tree()
        words.end()
        for player in (0, 1):  # different texts that are not empty
            own = [infoset for (who, _), infoset in self.infosets.items() if who == player]
            for infoset, text in zip(own, unique([i.text for i in own], [i.number for i in own]), strict=True):
                infoset.text = text
        return EfgGame(f"efg:{words.path}", root)

    def _tree(self) -> EfgNode:
        """The nodes in prefix order; `path` holds the nodes above that still lack children."""
        path: list[EfgNode] = []
        while True:
            words, line = self.words, self.words.line
            kind = words.plain("c", "p", "t")
            words.quoted("the name of the node")
            player = CHANCE if kind == "c" else TERMINAL
            if kind == "p":
                player = words.count("the number of the player", 1) - 1
                if player > 1:
                    raise words.error(f"there is no player {player + 1} in a game of 2 players", line)
            infoset = self._infoset(player) if kind != "t" else None
            mine, other = self._outcome()
            before = path[-1].payoffs if path else (0.0, 0.0)
            node = EfgNode(player, infoset, (before[0] + mine, before[1] + other))
            mine, other = node.payoffs
            if kind == "t" and not abs(mine + other) <= 1e-9 * max(1.0, abs(mine), abs(other)):
                past = " ".join(infoset_of(up).actions[len(up.children) - (up is not path[-1])] for up in path)
                raise words.error(f"not zero-sum: the payoffs after {quoted(past)} are {mine:g} and {other:g}", line)
            if path:
                path[-1].children.append(node)
            root = path[0] if path else node
            if node.infoset:
                path.append(node)
            while path and len(path[-1].children) == len(infoset_of(path[-1]).actions):
                path.pop()
            if not path:
                return root

    def _infoset(self, player: int) -> EfgInfoset:
        """An infoset, whose description may be left out once it was given."""
        words, line = self.words, self.words.line
        key = (player, words.count("the number of the infoset", 1))
        known = self.infosets.get(key)
        if not words.sees_quoted() and not words.sees("{"):
            if known is None:
                raise words.expected(f"the actions of the infoset {key[1]}, which is new")
            return known
        text = words.quoted("the name of the infoset") if words.sees_quoted() else ""
        if known and not words.sees("{"):
            return known
        actions, odds = list[str](), list[float]()
        words.plain("{")
        while not words.sees("}"):
            actions.append(words.quoted("the name of an action or '}'"))
            if player == CHANCE:
                odds.append(words.number("a probability"))
        words.plain("}")
        if not actions:
            raise words.error(f"the infoset {key[1]} has no actions", line)
        if player == CHANCE and (fault := chance_fault(odds, len(actions))):
            raise words.error(f"the chance probabilities {fault}", line)
        infoset = EfgInfoset(key[1], text, unique(actions), odds)
        if known is None:
            self.infosets[key] = known = infoset
        elif (known.actions, known.odds) != (infoset.actions, infoset.odds):
            raise words.error(f"the infoset {key[1]} has other actions here than before", line)
        return known

    def _outcome(self) -> tuple[float, float]:
        """The payoffs of an outcome, which may be left out once they were given; outcome 0 is none."""
        words, line = self.words, self.words.line
        number = words.count("the number of the outcome", 0)
        if words.sees_quoted():
            words.quoted("the name of the outcome")
        if number == 0 and not words.sees("{"):
            return 0.0, 0.0
        if not words.sees("{"):
            if number not in self.outcomes:
                raise words.expected(f"the payoffs of the outcome {number}, which is new")
            return self.outcomes[number]
        words.plain("{")
        payoffs = words.number("the payoff of player 1"), words.number("the payoff of player 2")
        words.plain("}")
        if number == 0:
            raise words.error("the outcome 0 means that there is none, so it has no payoffs", line)
        if self.outcomes.setdefault(number, payoffs) != payoffs:
            raise words.error(f"the outcome {number} has other payoffs here than before", line)
        return payoffs


class Word(NamedTuple):
    """A quoted text, a brace, a plain word, or the end of the file (an empty plain word)."""

    text: str
    quoted: bool
    line: int


class Words:
    """The words of a file in order, with one question for each thing the format may ask for next."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from None
        try:
            self._words = _split(path, raw.decode("utf-8-sig"))
        except UnicodeDecodeError:
            self._words = _split(path, raw.decode("latin-1"))  # older files
        self._at = 0

    @property
    def line(self) -> int:
        """The line of the next word."""
        return self._words[self._at].line

    def error(self, sentence: str, line: int | None = None) -> InputError:
        """An error at the next word, or at another line."""
        return InputError(f"{self.path}, line {self.line if line is None else line}: {sentence}")

    def expected(self, what: str) -> InputError:
        """The error that the next word is not what it should be."""
        word = self._words[self._at]
        shown = quoted(word.text)[1:-1]
        found = f'"{shown}"' if word.quoted else f"'{shown}'" if shown else "the end of the file"
        return self.error(f"expected {what}, found {found}")

    def _next(self) -> str:
        self._at += 1
        return self._words[self._at - 1].text

    def sees_quoted(self) -> bool:
        return self._words[self._at].quoted

    def sees(self, text: str) -> bool:
        word = self._words[self._at]
        return word.text == text and not word.quoted

    def quoted(self, what: str) -> str:
        if not self.sees_quoted():
            raise self.expected(f"{what} in quotes")
        return self._next()

    def plain(self, *choices: str) -> str:
        if not any(self.sees(choice) for choice in choices):
            raise self.expected(" or ".join(f"'{choice}'" for choice in choices))
        return self._next()

    def end(self) -> None:
        if not self.sees(""):
            raise self.expected("the end of the file")

    def count(self, what: str, low: int) -> int:
        """A whole number, `low` or more."""
        word = self._words[self._at]
        if word.quoted or not _COUNT.fullmatch(word.text) or int(word.text) < low:
            raise self.expected(f"{what} (a whole number, {low} or more)")
        return int(self._next())

    def number(self, what: str) -> float:
        """A decimal number or a fraction."""
        word = self._words[self._at]
        match = None if word.quoted else _NUMBER.fullmatch(word.text)
        over = float(match[2]) if match and match[2] else 1.0
        value = float(match[1]) / over if match and over else math.nan
        if not math.isfinite(value):
            raise self.expected(f"{what} (a number)")
        self._at += 1
        return value


def _split(path: Path, text: str) -> list[Word]:
    words, line, at = [], 1, 0
    for match in _WORD.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        quoted, brace, plain, open_quote = match.groups()
        if open_quote:
            raise InputError(f"{path}, line {line}: expected a closing quote, found the end of the file")
        if quoted is None:
            words.append(Word(brace or plain, False, line))
        else:
            words.append(Word(re.sub(r'\\(["\\])', r"\1", quoted), True, line))
    words.append(Word("", False, line + text.count("\n", at)))
    return words


def write_efg(game: Game, path: str | Path) -> None:
    """Write a game as a .efg file that `read_efg` and Gambit read; player 0 becomes player 1 of the file.

    What a player knows where the other acts has no place in the format and is lost.

    Raises:
        InputError: a name, of an outcome of chance say, that cannot be written as UTF-8.
    """
    write_whole(Path(path), lambda stream: _write(game, stream))


def write_profile(game: Game, strategies: Sequence[Mapping[str, Mapping[str, float]]], path: str | Path) -> None:
    """Write a profile as a line of Gambit's, to stand beside the game of `write_efg`: `NE` and the probabilities of all
    actions, player by player and infoset by infoset in the order of their numbers there, with commas.

    Args:
        game: the rules.
        strategies: of player 0 and player 1, as of `Strategy.table`; infosets with one action may be left out.
        path: a text file.

    Raises:
        InputError: an infoset or an action of the game is missing.
    """
    rows: tuple[dict[str, list[float]], ...] = ({}, {})
    for state in _states(game):
        who = game.player(state)
        if who not in (0, 1) or (label := game.infoset(state, who)) in rows[who]:
            continue
        names = [action_name(game, state, action) for action in game.actions(state)]
        row = strategies[who].get(label, {names[0]: 1.0} if len(names) == 1 else {})
        if any(name not in row for name in names):
            raise InputError(f"the strategy of player {who} lacks actions at the infoset {quoted(label)}")
        rows[who][label] = [row[name] for name in names]
    numbers = [_number(p) for player in rows for row in player.values() for p in row]
    write_whole(Path(path), ",".join(["NE", *numbers]).encode() + b"\n")


def _states(game: Game) -> Iterator[Any]:
    """All states in prefix order, in which a file has them."""
    stack = [game.root()]
    while stack:
        yield (state := stack.pop())
        if game.player(state) != TERMINAL:
            stack += [game.child(state, action) for action in list(game.actions(state))[::-1]]


def _write(game: Game, stream: BinaryIO) -> None:
    numbers: Numbers = {}
    file = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
    file.write(f'EFG 2 R {_quoted(game.name)} {{ "Player 1" "Player 2" }}\n\n')
    for state in _states(game):
        who = game.player(state)
        if who == TERMINAL:
            utility = game.utility(state) + 0.0  # no minus zero
            payoffs = f"{{ {_number(utility)}, {_number(0.0 - utility)} }}"
            file.write(f't "" {_numbered(numbers, TERMINAL, utility)} "" {payoffs}\n')
            continue
        names = [_quoted(action_name(game, state, action)) for action in game.actions(state)]
        if who == CHANCE:
            outcomes = " ".join(f"{name} {_number(p)}" for name, p in zip(names, game.chance(state), strict=True))
            number = _numbered(numbers, CHANCE, object())  # each chance node is its own
            file.write(f'c "" {number} "" {{ {outcomes} }} 0\n')
        else:
            label = game.infoset(state, who)
            number = _numbered(numbers, who, label)
            file.write(f'p "" {who + 1} {number} {_quoted(label)} {{ {" ".join(names)} }} 0\n')
    file.detach()  # whoever opened the stream closes it


def _numbered(numbers: Numbers, kind: int, key: Any) -> int:
    """The number of a key among those of its kind, from 1."""
    known = numbers.setdefault(kind, {})
    return known.setdefault(key, len(known) + 1)


def _quoted(text: str) -> str:
    check_encodable([text], "a part of the game")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _number(value: float) -> str:
    """The number exactly, as a small fraction where it is one: Gambit wants probabilities that sum to 1 exactly."""
    near = Fraction(value).limit_denominator(10_000)
    return str(near) if float(near) == value else np.format_float_positional(value, trim="-")
