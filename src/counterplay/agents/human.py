"""A human player at a terminal, as an agent: sees their infoset, answers with an action, may ask for the other player's
belief.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from counterplay.agents.agent import Agent, name_of
from counterplay.errors import InputError, quoted
from counterplay.games.game import Game, action_name

HELP = """Answer with an action: its number, its name, or the beginning of its name where only one begins so.
?  what the other player believes about your situation
h  this help
q  quit"""
_SHOWN = 10  # beliefs
_DIGITS = 6  # of an action's number, at most


class QuitError(Exception):
    """The player quits."""


class HumanAgent:
    """A person in a seat, who is asked for every action and may see the other agent's belief. read: the next line of
    input, with EOFError at its end. tell: prints lines."""

    name = "you"

    def __init__(
        self, rules: Game, seat: int, other: Agent, read: Callable[[], str], tell: Callable[[str], None]
    ) -> None:
        self.seat = seat
        self.other, self._rules = other, rules
        self._read, self._tell = read, tell

    def new_hand(self) -> None:
        """Nothing to forget."""

    def act_at(self, state: Any) -> str:
        """Show what the person knows at `state`, and ask; QuitError where the person quits, or the input ends."""
        rules = self._rules
        public, picture = getattr(rules, "public", None), getattr(rules, "picture", None)
        self._tell(rules.infoset(state, self.seat))
        if picture is not None:
            self._tell(picture(state, self.seat))
        elif public is not None and (seen := public(state)):
            self._tell(f"public: {seen}")
        names = [action_name(rules, state, action) for action in rules.actions(state)]
        return self._asked(names, lambda: self._belief(state))

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """Show the infoset's text, and ask; `legal` must be given."""
        if not legal:
            raise InputError(f"a human player needs the legal actions at '{observation}'")
        self._tell(observation)
        return self._asked(list(legal), lambda: "the other player's belief is not known here")

    def pause(self) -> None:
        """Wait for a line, after a hand in which the person had nothing to decide."""
        self._tell("nothing to decide in this hand; Enter for the next one, q to quit")
        if self._line() == "q":
            raise QuitError

    def _line(self) -> str:
        try:
            return self._read().strip()
        except EOFError:
            raise QuitError from None

    def _asked(self, names: list[str], belief: Callable[[], str]) -> str:
        shown = names if _are_numbers(names) else [f"{i + 1} {name}" for i, name in enumerate(names)]
        self._tell("actions: " + "  ".join(shown))
        while True:
            word = self._line()
            if word == "q":
                raise QuitError
            if word == "h":
                self._tell(HELP)
            elif word == "?":
                self._tell(belief())
            elif (found := parse_choice(word, names)) is not None:
                return found
            else:
                self._tell(f"{quoted(word)} is not one of the actions; h for help, q to quit")

    def _belief(self, state: Any) -> str:
        """The other agent's belief, likeliest first, or the reason why it is unknown."""
        believe = getattr(self.other, "belief", None)
        if believe is None:
            return f"{name_of(self.other)} has no belief to show"
        if not getattr(self._rules, "augmented", False):
            return "this game does not define the other player's infoset where you act"
        try:
            found: dict[str, float] = believe(self._rules.infoset(state, self.other.seat))
        except InputError as error:
            return f"not known here: {error}"
        likeliest = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        lines = [f"{100.0 * probability:5.1f} %  {text}" for text, probability in likeliest[:_SHOWN]]
        if len(likeliest) > _SHOWN:
            lines.append(f"and {len(likeliest) - _SHOWN} more")
        return "\n".join(lines) or "it believes nothing"


def parse_choice(word: str, names: Sequence[str]) -> str | None:
    """The action for an input: a name, a number from 1 unless names are numbers, or an unambiguous prefix; None for
    none."""
    if word in names or not word:
        return word or None
    if word.isdecimal() and len(word) <= _DIGITS and not _are_numbers(names):
        return names[int(word) - 1] if 1 <= int(word) <= len(names) else None
    folded = word.casefold()
    for fits in (str.__eq__, str.startswith):
        found = [name for name in names if fits(name.casefold(), folded)]
        if len(found) == 1:
            return found[0]
    return None


def _are_numbers(names: Sequence[str]) -> bool:
    return any(name.isdecimal() for name in names)
