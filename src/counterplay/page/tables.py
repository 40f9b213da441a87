"""Tables where a person plays against an agent: each is a process, which asks for the person's actions.

A table goes on until it is left, or too many others are opened: closing the tab leaves it where it is.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterplay.errors import InputError, quoted
from counterplay.files import BLUEPRINT
from counterplay.games.game import action_name
from counterplay.memory_limit import lacking
from counterplay.page.jobs import Worker

if TYPE_CHECKING:
    from counterplay.agents.factory.agent_factory import PlayableGame
    from counterplay.measure.hand_review import HandReview
    from counterplay.measure.play_hand import Hand
    from counterplay.measure.running_result import PlayedMatch

_MOST = 4
"""Tables at once; the oldest is left for another one."""
_PATIENCE = 0.3
"""Seconds that a request waits for an agent's decision; then it is asked for again."""
_GRACE = 0.3
"""Seconds before work begins that a person waits for who acts meanwhile: who acts at once does not wait."""
_BELIEFS = 30
"""Hands of a range that are sent."""
_MEMORY = 2.0
"""GiB of a game in memory."""


@dataclass(frozen=True)
class TableSetup:
    """A table: the text of a game, the file of a solved spot, or of a blueprint, whose game is played; the agent's text; the
    person's seat; and game and opponent as the browser named them (`asked`)."""

    source: str
    against: str
    seat: int
    seed: int
    asked: tuple[str, str] = ("", "")


class PlayTable:
    """A table, and this end of the pipe to its process."""

    def __init__(self, number: int, setup: TableSetup) -> None:
        self.number, self.setup, self.worker = number, setup, Worker(_play, setup)
        self._pipe, self._state = self.worker.pipe, dict[str, Any](kind="starting")
        self._lock, self._ended = threading.Lock(), ""

    def view(self) -> dict[str, Any]:
        """The latest state, as plain data; errors as of `move`."""
        with self._lock:
            while self._pipe.poll(0.0 if self._state["kind"] == "ask" else 0.2):
                self._read()
            return self._view()

    def move(self, action: str) -> dict[str, Any]:
        """Answer the question; the state after it. Refused if the action is not offered, or the table has ended."""
        with self._lock:
            actions = self._state.get("actions", ())
            if action not in actions:
                known = ", ".join(actions) or "none now"
                raise InputError(f"{quoted(action)} is none of the actions at this table: {known}")
            try:
                self._pipe.send(action)
            except OSError:
                raise self._gone() from None
            self._state = {**self._state, "kind": "thinking", "actions": []}
            if self._pipe.poll(_PATIENCE):
                self._read()
            return self._view()

    def _view(self) -> dict[str, Any]:
        game, against = self.setup.asked
        return {"table": self.number, "seat": self.setup.seat, "game": game, "against": against, **self._state}

    def _read(self) -> None:
        try:
            message: dict[str, Any] = self._pipe.recv()
        except (EOFError, OSError):
            raise self._gone() from None
        if "error" in message:
            self._ended = str(message["error"])
            raise InputError(self._ended)
        self._state = message

    def _gone(self) -> InputError:
        return InputError(self._ended or f"table {self.number} has ended")


class PlayTables:
    def __init__(self) -> None:
        self._all: dict[int, PlayTable] = {}
        self._made, self._lock = 0, threading.Lock()

    @property
    def processes(self) -> list[int]:
        return [table.worker.pid for table in list(self._all.values())]

    def open(self, setup: TableSetup) -> PlayTable:
        with self._lock:
            while len(self._all) >= _MOST:
                self.leave(min(self._all))
            self._made += 1
            made = self._all[self._made] = PlayTable(self._made, setup)
            return made

    def table(self, number: int) -> PlayTable:
        if number not in self._all:
            raise InputError(f"there is no table {number}")
        return self._all[number]

    def leave(self, number: int) -> dict[str, Any]:
        self.table(number).worker.end()
        self._all.pop(number, None)
        return {"left": number}

    def end(self) -> None:
        for table in list(self._all.values()):
            table.worker.end(wait=False)
        for number in list(self._all):
            self.leave(number)


class _Seat:
    """The person as an agent: sends what they know, and waits for an action. While they think, prices are worked on."""

    name = "you"

    def __init__(self, pipe: Connection, ground: PlayableGame, seat: int, match: PlayedMatch) -> None:
        self.seat, self._pipe, self._rules, self._match = seat, pipe, ground.rules, match
        self._uncorrected: list[tuple[Hand, HandReview]] = []
        self.last: dict[str, Any] | None = None

    def new_hand(self) -> None:
        """Nothing to forget."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """Asked only with the state."""
        raise NotImplementedError

    def act_at(self, state: Any) -> str:
        rules = self._rules
        picture, public = getattr(rules, "picture", None), getattr(rules, "public", None)
        self._pipe.send({
            "kind": "ask", "infoset": rules.infoset(state, self.seat),
            "picture": picture(state, self.seat) if picture else None,
            "public": str(public(state)) if public else None,
            "actions": [action_name(rules, state, action) for action in rules.actions(state)], **self._score(),
        })  # fmt: skip
        if self._pipe.poll(_GRACE):
            return str(self._pipe.recv())
        for _ in self._ahead(state):
            if self._pipe.poll():
                break  # a step takes a moment; the price of a flop of a full deck a second or two
        return str(self._pipe.recv())

    def _ahead(self, state: Any) -> Iterator[None]:
        """Work while the person thinks: the price of this decision, luck in hands so far, then prices of later hands."""
        yield from self._match.reviewer.prepare(state)
        yield from self._match.correct_ahead()
        while self._uncorrected:
            self._match.without_luck(*self._uncorrected.pop(0))
            yield
        yield from self._match.reviewer.refine()

    def _score(self) -> dict[str, Any]:
        match = self._match
        words = {"against": match.against, "corrected_by": match.corrected_by}
        return {"last": self.last, "score": {**match.result.facts, **words}}

    def finish(self, hand: Hand) -> None:
        """Show the hand, then what its decisions cost. Luck is taken out of results while the person thinks; with
        an agent that searches at once, while it knows what it did."""
        self.last = {"moves": list(hand.moves), "won": hand.won(self.seat)}
        self._pipe.send({"kind": "pricing", "actions": [], **self._score()})
        review = self._match.review(hand)
        self.last = {**self.last, **review.facts(beliefs=_BELIEFS)}
        self._uncorrected.append((hand, review))
        if not self._match.reviewer.waits:
            self._pipe.send({"kind": "correcting", "actions": [], **self._score()})
            self._match.without_luck(*self._uncorrected.pop())


def _play(pipe: Connection, setup: TableSetup) -> None:
    """Play hands until the pipe ends."""
    from counterplay.agents.factory.agent_factory import PlayableGame
    from counterplay.agents.factory.make_agent import agent
    from counterplay.measure.match import deal
    from counterplay.measure.play_hand import observer_of, play_hand
    from counterplay.measure.running_result import PlayedMatch

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        ground = PlayableGame(_game_in(setup.source), _MEMORY)
        other = agent(ground, setup.against, 1 - setup.seat, setup.seed)
        other.name = setup.asked[1] or other.name  # a file is named as the browser knows it
        person = _Seat(pipe, ground, setup.seat, PlayedMatch(ground, other, setup.seed))
        pair: Any = (person, other) if setup.seat == 0 else (other, person)
        tellers = observer_of((other,))
        for number in range(10**9):
            person.finish(play_hand(ground.rules, pair, deal(setup.seed, number), tellers))
    except (EOFError, OSError, KeyboardInterrupt):
        return
    except InputError as error:
        pipe.send({"error": str(error)})
    except MemoryError as error:
        pipe.send({"error": lacking(error)})


def _game_in(source: str) -> Any:
    """The game to play: a text or a spot's file as they are, or the game of a blueprint."""
    from counterplay.poker.whole_game.blueprints.blueprint_file import game_in
    from counterplay.poker.whole_game.rules import Holdem

    return Holdem(*game_in(Path(source)), Path(source).stem) if source.endswith(BLUEPRINT) else source
