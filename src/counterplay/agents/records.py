"""Agents as records, independent of a game: those that play a strategy, compute one before the match, search, learn, or
switch. `factory` makes players of them.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Self

from counterplay.catalogue import METHODS as ABOUT
from counterplay.catalogue import OPPONENTS
from counterplay.display import by_fields
from counterplay.errors import InputError, UnknownError, quoted, unknown
from counterplay.opponents.given_strategy import GivenStrategy
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.opponents.user_code import UserCode
from counterplay.poker.betting.rules import STREETS
from counterplay.responses import METHODS
from counterplay.responses.method import METHOD, Method, P
from counterplay.responses.methods import CDBRNE, Resolve
from counterplay.solvers.minimiser import minimiser
from counterplay.texts.grammar import LAST, bracketed, part_text, parts, split_words
from counterplay.texts.readers import OneOf, Reader, Real, Share, Whole, YesNo
from counterplay.texts.record import Record, RecordKind, Slot, keys_of, slots
from counterplay.value_functions.leaf_value import LeafValue

WHOLE, WAY = "whole", "way"
VALUES = BEST_RESPONSE, PROFILE = "best-response", "profile"
OF_WHOLE_GAMES = ("blueprint", "values", "street")
"""Options that only agents of whole games of hold'em have."""
OF_LISTED_GAMES = ("expand", "memory", "remember", "budget", "particles")
"""Options of games that are listed history by history."""
_DIGITS = 9
EVIDENCE, GIFTS, FIXED = WAYS = ("evidence", "gifts", "fixed")
"""What decides how far a learner trusts its model."""
SURE, MEAN = CREDITS = ("sure", "mean")
"""What a gift counts."""
RESPONSES = ("dbr", "rnr", "ses")
"""How a learner responds with a trust."""
_AFTER = "after="


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
        object.__setattr__(self, "method", METHOD.record(self.method))
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
        if "" in bare:
            raise InputError(f"{quoted(text)}: '' is not key=value")
        own, words = cls._own(method), keys_of(method)
        for key in options:
            if key not in own and key not in words:
                raise unknown("option", key, cls.keys(method), lacks=head)
        named = (f"{key}={bracketed(word)}" for key, word in options.items() if key in words)
        given = ",".join([*map(bracketed, bare), *named])
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


@dataclass(frozen=True, repr=False)
class StrategyBot(AgentRecord):
    """Plays as a model of an opponent does. model: also as text."""

    model: Annotated[Any, MODELS.nested()]

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(text)

    def __str__(self) -> str:
        return str(self.model)

    def check(self) -> None:
        assert isinstance(self.model, OpponentModel)
        try:
            self.model.check()
        except UnknownError as error:
            raise (no_agent(str(self)) if error.name == str(self) else error) from None


@dataclass(frozen=True, repr=False)
class ResponseBot(MethodRecord):
    """Plays the strategy of `respond`, computed before the match, by any method that sees the whole game. to: the model
    of the opponent, also as text."""

    method: Method
    to: Annotated[OpponentModel | str | None, MODELS.nested(keyed=True)] = None


@dataclass(frozen=True, repr=False)
class SearchBot(MethodRecord):
    """Searches every decision while it plays, by a method that looks ahead.

    Attributes:
        method: `CDBR`, `CDRNR`, `ABD`, `Resolve`, `SES` or `CDBRNE`; every public state is solved alone.
        to: the model of the opponent, also as text.
        gain: the largest possible gain in chips, for a bound on p if exploitability cannot be measured.
        solver: `lp` or a regret minimiser.
        seconds, iterations, gap: limits of a look-ahead's solve, whichever comes first; the gap is in chips.
        expand: compile the `whole` game, or expand it lazily along the agent's `way`; None for the whole, unless its
            value function needs only what is above the limit (`on_way`) and the game does not fit.
        memory: GiB that a game may take that is expanded on the way.
        remember: what was solved is kept from hand to hand.
        budget, particles: moves of random games for a decision, and states of the belief, of ABD on the way with p = 1.
        blueprint: in a whole game of hold'em, the strategy before the first search, and the source of alternative values;
            by default one that is computed at once.
        values: there, alternative values of a best response, or of the opponent's part of the blueprint (`profile`).
        street: there, the first street whose boards are solved again: `flop`, `turn` or `river`; by default the first
            whose rest of the hand is small enough.
    """

    method: Method
    to: Annotated[OpponentModel | str | None, MODELS.nested(keyed=True)] = None
    _: KW_ONLY
    gain: Annotated[float | None, Real()] = None
    solver: Annotated[str | None, Reader()] = None
    seconds: Annotated[float | None, Real()] = None
    iterations: Annotated[int | None, Whole(least=1, digits=_DIGITS)] = None
    gap: Annotated[float | None, Real()] = None
    expand: Annotated[str | None, OneOf(words=(WHOLE, WAY))] = None
    memory: Annotated[float | None, Real()] = None
    remember: Annotated[bool, YesNo()] = True
    budget: Annotated[int | None, Whole(least=1, digits=_DIGITS)] = None
    particles: Annotated[int | None, Whole(least=1, digits=_DIGITS)] = None
    blueprint: Annotated[OpponentModel | str | None, MODELS.nested()] = None
    values: Annotated[str | None, OneOf(words=VALUES)] = None
    street: Annotated[str | None, OneOf(words=STREETS[1:])] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.method.looks_ahead():
            raise InputError(f"{self.head} does not look ahead; its strategy is computed before the match: ResponseBot")
        if self.method.look is not None and self.method.look.joint:
            raise InputError(f"{self.head}: an agent solves each public state alone, not joint")
        dial, finds_p = self.method.DIAL, self.method.DIAL == P and self.head != CDBRNE.HEAD
        if dial is not None and not finds_p and self.method.trust is None:
            raise InputError(f"{self.head} needs {dial}, as in {self.head}:{dial}=0.5,to=uniform")
        if self.solver not in (None, "lp"):
            minimiser(self.solver)
        if self.seconds == 0.0:
            raise InputError(f"{self.head}: seconds must be above 0")
        if self.gap == 0.0 and self.seconds is None and self.iterations is None and self.solver != "lp":
            raise InputError(f"{self.head}: a gap of 0 is never reached; iterations= or seconds= must end the solve")

    def check(self) -> None:
        super().check()
        if isinstance(self.blueprint, OpponentModel):
            self.blueprint.check()
        leaf = None if self.method.look is None else self.method.look.leaf
        if isinstance(leaf, LeafValue):
            leaf.check()


@dataclass(frozen=True, repr=False)
class LearningBot(AgentRecord):
    """Counts what it sees of the opponent, and responds to the model that this gives.

    Attributes:
        by: `evidence`, a response whose trust grows as the model predicts better than the prior; `gifts`, the
            response of largest gain that never risks more than the opponent has given away; `fixed`, a response
            with trust p.
        p: the most trust, of `evidence` and `fixed`.
        method: of `evidence` and `fixed`: `dbr`, `rnr`, or `ses`, where the trust is alpha.
        prior: the strategy that the opponent is taken for before anything is seen; by default an equilibrium.
        credit: of `gifts`, whether a gift counts what is sure, or what it is on average (see `learning.studies`).
        iterations: of public chance sampling for each response, in whole hold'em.
    """

    HEAD = "learn"
    by: Annotated[str, OneOf(what="what it trusts the model by", words=WAYS, example=EVIDENCE)]
    _: KW_ONLY
    p: Annotated[float, Share()] = 0.9
    method: Annotated[str, OneOf(words=RESPONSES)] = RESPONSES[0]
    prior: Annotated[OpponentModel | str | None, MODELS.nested()] = None
    credit: Annotated[str, OneOf(words=CREDITS)] = SURE
    iterations: Annotated[int | None, Whole(least=1, what="iterations")] = None

    def check(self) -> None:
        idle = ("p", "method") if self.by == GIFTS else ("credit",)
        for name in idle:
            if getattr(self, name) != getattr(LearningBot, name):
                raise InputError(f"{self.HEAD}:{self.by} takes no {name}")
        if isinstance(self.prior, OpponentModel):
            self.prior.check()


@dataclass(frozen=True, repr=False)
class SwitchingBot(AgentRecord):
    """Plays as each of some agents in turn: `switch:A;B;after=N`. agents: two or more, also as texts; the last one
    stays. after: hands of each."""

    HEAD = "switch"
    agents: tuple[Any, ...]
    after: int

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise InputError("switch needs two or more agents and after=HANDS, as in switch:nash;uniform;after=1000")
        object.__setattr__(self, "agents", tuple(AGENTS.record(agent) for agent in self.agents))
        object.__setattr__(self, "after", Whole(least=1).read(str(self.after), "switch: after"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        words = parts(text.partition(":")[2], ";")
        last = words.pop()
        if not last.startswith(_AFTER):
            raise InputError(f"{quoted(text)} lacks after=HANDS, as in switch:nash;uniform;after=1000")
        hands = Whole(least=1).read(last[len(_AFTER) :], "switch: after")
        return cls(tuple(AGENTS.parse(word) for word in words if word), hands)

    def __str__(self) -> str:
        return f"{self.HEAD}:{';'.join(part_text(str(agent)) for agent in self.agents)};{_AFTER}{self.after}"

    def check(self) -> None:
        for agent in self.agents:
            agent.check()
