"""Agents as records, independent of a game. `factory` makes players of them."""

from __future__ import annotations

from typing import Any, Self

from counterplay.catalogue import METHODS as ABOUT
from counterplay.catalogue import OPPONENTS
from counterplay.display import by_fields
from counterplay.errors import InputError, UnknownError, quoted, unknown
from counterplay.opponents.given_strategy import GivenStrategy
from counterplay.opponents.model import MODELS
from counterplay.opponents.user_code import UserCode
from counterplay.responses import METHODS
from counterplay.responses.method import Method
from counterplay.responses.methods import Resolve
from counterplay.texts.grammar import LAST, bracketed, split_words
from counterplay.texts.record import Record, RecordKind, Slot, keys_of, slots


class AgentRecord(Record):
    """An agent independent of a game: a frozen dataclass."""

    def check(self) -> None:
        """Reject a record that fits no game, naming the word, file or module; what depends on the game is checked
        later."""

    def __repr__(self) -> str:
        return by_fields(self)


class MethodRecord(AgentRecord):
    """An agent that plays by a method of `respond`. Its text begins with the method's name and has the method's options
    beside its own. to: the model of the opponent; None for methods without one."""

    method: Method
    to: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.method.check_set()
        if self.to is None and not isinstance(self.method, Resolve):
            raise InputError(f"{self.head} needs a model of the opponent, as in {self.head}:to=uniform")
        if self.to is not None and isinstance(self.method, Resolve):
            raise unknown("option", LAST, self.keys(Resolve), lacks=self.head)

    @property
    def head(self) -> str:
        """The first word of its text."""
        return self.method.HEAD

    @property
    def source(self) -> Any:
        """The model as `opponents.opponent` takes it: its text, if it has one."""
        if self.to is None or isinstance(self.to, GivenStrategy | UserCode):
            return None if self.to is None else self.to.source
        try:
            return str(self.to) if MODELS.parse(str(self.to)) == self.to else self.to
        except InputError:
            return self.to

    def check(self) -> None:
        if self.to is not None:
            self.to.check()

    def refuse(self, *names: str) -> None:
        """Reject options, by their fields, that a game does not use."""
        for slot in slots(type(self)):
            if slot.field.name in names and getattr(self, slot.field.name) != slot.default:
                there = [key for key in self.keys(type(self.method)) if key not in names]
                raise unknown("option", slot.key, there, lacks=self.head)

    @classmethod
    def keys(cls, method: type[Method]) -> list[str]:
        """The options of an agent with a method."""
        return [*keys_of(method), *cls._own(method)]

    @classmethod
    def _own(cls, method: type[Method]) -> dict[str, Slot]:
        return {slot.key: slot for slot in slots(cls) if not (slot.key == LAST and method is Resolve)}

    @classmethod
    def from_text(cls, text: str) -> Self:
        head, _, rest = text.partition(":")
        method = METHODS[head]
        bare, options = split_words(text, rest)
        if bare:
            raise InputError(f"{quoted(text)}: {quoted(bare[0])} is not key=value, as in {head}:key=value,to=OPPONENT")
        own, words = cls._own(method), keys_of(method)
        for key in options:
            if key not in own and key not in words:
                raise unknown("option", key, cls.keys(method), lacks=head)
        given = ",".join(f"{key}={bracketed(word)}" for key, word in options.items() if key in words)
        fields: dict[str, Any] = {
            slot.field.name: slot.reader.read(options[key], slot.where(head))
            for key, slot in own.items()
            if key in options
        }
        fields["method"] = method.from_text(f"{head}:{given}" if given else head)
        return cls(**fields)

    def __str__(self) -> str:
        words = []
        for slot in sorted(slots(type(self)), key=lambda slot: slot.key == LAST):  # which takes all that follows it
            value = getattr(self, slot.field.name)
            if value != slot.default:
                word = slot.reader.write(value)
                words.append(f"{slot.key}={word if slot.key == LAST else bracketed(word)}")
        method = str(self.method)
        return ",".join([method if ":" in method or not words else f"{method}:{words.pop(0)}", *words])


def no_agent(text: str) -> UnknownError:
    """The error for a text that is not an agent."""
    return unknown("agent", text, (*METHODS, *MODELS.registry), listed=(*ABOUT, *OPPONENTS))


AGENTS: RecordKind[AgentRecord] = RecordKind("agent", AgentRecord, accepts="a text, a record of an agent, or a model")
"""All agents; the registry is in `agents/__init__.py`."""
