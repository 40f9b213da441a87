"""Tables where a person plays against an agent: each is a process, which asks for the person's actions."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from counterplay.errors import InputError, quoted

OPPONENTS = {
    "nash": "an equilibrium",
    "uniform": "every action with equal probability",
    "cfr+:10": "a weak player: ten iterations of CFR+",
    "resolve:depth=1": "searches at every decision",
}
"""Opponents that are offered; in games of the catalogue any model of the library without files and code will do."""
SPOT_OPPONENTS = ("nash", "uniform", "cfr+:10")
"""Those in spots, besides the players of an answer."""
_MOST = 4
"""Tables at once; the oldest is left for another one."""
_WIDTH = 1.96
_PATIENCE = 120.0
"""Seconds for an agent's decision."""


@dataclass(frozen=True)
class TableSetup:
    """A table. source: a game's text, or the file of a solved spot. against: the agent's text. seat: the person's."""

    source: str
    against: str
    seat: int
    seed: int


class PlayTable:
    """A table, and this end of the pipe to its process."""

    def __init__(self, number: int, setup: TableSetup) -> None:
        self.number, self.setup = number, setup
        self._pipe, other = get_context("spawn").Pipe()
        self._process = get_context("spawn").Process(target=_play, args=(other, setup), daemon=True)
        self._process.start()
        other.close()
        self._state: dict[str, Any] = {"kind": "starting"}
        self._lock = threading.Lock()

    def view(self) -> dict[str, Any]:
        """The latest state, as plain data; errors as of `move`."""
        with self._lock:
            while self._pipe.poll(0.0 if self._state["kind"] == "ask" else 0.2):
                self._read()
            return {"table": self.number, "seat": self.setup.seat, "against": self.setup.against, **self._state}

    def move(self, action: str) -> dict[str, Any]:
        """Answer the question; the state after it.

        Raises:
            InputError: there is no question, the action is none of those asked for, or the table has ended.
        """
        with self._lock:
            actions = self._state.get("actions", ())
            if action not in actions:
                raise InputError(
                    f"{quoted(action)} is none of the actions at this table: {', '.join(actions) or 'none now'}"
                )
            self._pipe.send(action)
            self._state = {**self._state, "kind": "thinking", "actions": []}
            if self._pipe.poll(_PATIENCE):
                self._read()
            return {"table": self.number, "seat": self.setup.seat, "against": self.setup.against, **self._state}

    def end(self) -> None:
        """End its process."""
        self._process.terminate()
        self._process.join(5.0)

    def _read(self) -> None:
        try:
            message: dict[str, Any] = self._pipe.recv()
        except (EOFError, OSError):
            raise InputError(f"table {self.number} has ended") from None
        if "error" in message:
            raise InputError(message["error"])
        self._state = message


class PlayTables:
    """The tables of the page."""

    def __init__(self) -> None:
        self._all: dict[int, PlayTable] = {}
        self._made = 0

    def open(self, setup: TableSetup) -> PlayTable:
        """A new table."""
        while len(self._all) >= _MOST:
            self.leave(min(self._all))
        self._made += 1
        self._all[self._made] = PlayTable(self._made, setup)
        return self._all[self._made]

    def table(self, number: int) -> PlayTable:
        """A table that is open.

        Raises:
            InputError: there is none of that number.
        """
        if number not in self._all:
            raise InputError(f"there is no table {number}")
        return self._all[number]

    def leave(self, number: int) -> dict[str, Any]:
        """End a table; errors as of `table`."""
        self.table(number).end()
        del self._all[number]
        return {"left": number}

    def end(self) -> None:
        """End all tables."""
        for number in list(self._all):
            self.leave(number)


@dataclass
class _Score:
    """The person's results, and what their decisions cost."""

    won: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def view(self) -> dict[str, Any]:
        """Hands, chips in all, the mean of a hand, and half of its 95 % interval."""
        n = len(self.won)
        mean = sum(self.won) / n if n else 0.0
        spread = sqrt(sum((one - mean) ** 2 for one in self.won) / (n - 1) / n) if n > 1 else None
        return {
            "hands": n, "won": sum(self.won), "mean": mean, "error": None if spread is None else _WIDTH * spread,
            "cost": sum(self.costs) if self.costs else None,
        }  # fmt: skip


class _Seat:
    """The person as an agent: sends what they know, and waits for an action."""

    name = "you"

    def __init__(self, pipe: Connection, ground: Any, seat: int, other: Any, score: _Score) -> None:
        self.seat, self._pipe, self._rules, self._other, self._score = seat, pipe, ground.rules, other, score
        self._known = getattr(ground.spot, "known", None)
        self.last: dict[str, Any] | None = None
        self.decisions: list[dict[str, Any]] = []

    def new_hand(self) -> None:
        """Nothing to forget."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """Asked only with the state."""
        raise NotImplementedError

    def act_at(self, state: Any) -> str:
        """Ask for an action."""
        from counterplay.games.game import action_name

        rules = self._rules
        names = [action_name(rules, state, action) for action in rules.actions(state)]
        picture, public = getattr(rules, "picture", None), getattr(rules, "public", None)
        infoset = rules.infoset(state, self.seat)
        values = self._values(state, names)
        self._pipe.send({
            "kind": "ask", "infoset": infoset, "picture": picture(state, self.seat) if picture else None,
            "public": str(public(state)) if public else None, "actions": names, "belief": self._belief(state),
            "last": self.last, "score": self._score.view(),
        })  # fmt: skip
        chosen = str(self._pipe.recv())
        if values is not None:
            cost = max(values.values()) - values[chosen]
            self.decisions.append({"infoset": infoset, "action": chosen, "cost": cost, "values": values})
            self._score.costs.append(cost)
        return chosen

    def _values(self, state: Any, names: Sequence[str]) -> dict[str, float] | None:
        """The EV of each action with the held hand in the spot's equilibrium; None in other games."""
        if self._known is None:
            return None
        from counterplay.poker.cards.deck import card_text

        path = self._known.tree.betting.path(state.node)
        node = self._known.node(", ".join(filter(None, [path, *map(card_text, state.dealt)])))
        hand = int(self._known.spot.numbers[state.held[self.seat]])
        return {name: float(node.action_values[hand, node.actions.index(name)]) for name in names}

    def _belief(self, state: Any) -> list[tuple[str, float]]:
        """What the other player believes about the person, likeliest first; empty where it is unknown."""
        believe = getattr(self._other, "belief", None)
        if believe is None or not getattr(self._rules, "augmented", False):
            return []
        try:
            found = believe(self._rules.infoset(state, self._other.seat))
        except InputError:
            return []
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:20]


def _play(pipe: Connection, setup: TableSetup) -> None:
    """Play hands until the pipe ends."""
    try:
        _play_hands(pipe, setup)
    except (EOFError, OSError, KeyboardInterrupt):
        return
    except InputError as error:
        pipe.send({"error": str(error)})


def _play_hands(pipe: Connection, setup: TableSetup) -> None:
    from counterplay.agents.factory.make_agent import agent
    from counterplay.agents.factory.playable_game import PlayableGame
    from counterplay.measure.match import deal
    from counterplay.measure.play_hand import play_hand
    from counterplay.measure.told_moves import told_by

    ground, score = PlayableGame(setup.source, 2.0), _Score()
    other = agent(ground, setup.against, 1 - setup.seat, setup.seed)
    person = _Seat(pipe, ground, setup.seat, other, score)
    pair: Any = (person, other) if setup.seat == 0 else (other, person)
    told = told_by(pair)
    for number in range(10**9):
        hand = play_hand(ground.rules, pair, deal(setup.seed, number), told)
        score.won.append(hand.won(setup.seat))
        person.last = {"moves": list(hand.moves), "won": score.won[-1], "decisions": person.decisions}
        person.decisions = []
        if number % 100 == 99 and not hand.decisions[setup.seat]:
            pipe.send({"kind": "waiting", "actions": [], "score": score.view()})
