"""Agents that change into others in the middle of a match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from counterplay.agents.record import AGENTS, AgentRecord
from counterplay.errors import InputError, quoted
from counterplay.texts.grammar import part_text, parts
from counterplay.texts.readers import Whole

_AFTER = "after="


@dataclass(frozen=True, repr=False)
class SwitchingBot(AgentRecord):
    """Plays as each of some agents in turn: `switch:A;B;after=N`.

    Attributes:
        agents: two or more, also as texts; the last one stays.
        after: hands of each.
    """

    HEAD = "switch"
    agents: tuple[Any, ...]
    after: int

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise InputError("switch needs two or more agents and after=HANDS, as in switch:nash;uniform;after=1000")
        object.__setattr__(self, "agents", tuple(AGENTS.record(one) for one in self.agents))
        object.__setattr__(self, "after", Whole(least=1).read(str(self.after), "switch: after"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        words = parts(text.partition(":")[2], ";")
        last = words.pop()
        if not last.startswith(_AFTER):
            raise InputError(f"{quoted(text)} lacks after=HANDS, as in switch:nash;uniform;after=1000")
        return cls(
            tuple(AGENTS.parse(word) for word in words if word),
            Whole(least=1).read(last[len(_AFTER) :], "switch: after"),
        )

    def __str__(self) -> str:
        return f"{self.HEAD}:{';'.join(part_text(str(one)) for one in self.agents)};{_AFTER}{self.after}"

    def check(self) -> None:
        for one in self.agents:
            one.check()
