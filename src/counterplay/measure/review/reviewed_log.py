"""The review of a player's hands in a log, in both seats, against the strategy of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterplay.agents.factory.make_agent import agent
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name
from counterplay.games.identity import is_other_game
from counterplay.measure.match_recorder import DIGESTS, LIMITS
from counterplay.measure.play_hand import Hand
from counterplay.measure.review.hand_review import HandReview, Moves, steps_of
from counterplay.measure.review.running_result import PlayedMatch, RunningResult
from counterplay.opponents.histories.hand_record import DEAL, AnyHand, FileLine, GameHand, HandStep, HoldemHand, LeftOut
from counterplay.opponents.histories.replay import step_of_move
from counterplay.opponents.histories.replay import steps_of as steps_of_line
from counterplay.poker.cards.deck import card_text
from counterplay.problem.solvable_game import by_kind


@dataclass(frozen=True)
class ReviewedHand:
    """A hand of a log, reviewed. place: where it is written. won: chips of the player so far, with this hand."""

    place: FileLine
    review: HandReview
    won: float

    def facts(self, beliefs: int | None = None) -> dict[str, Any]:
        """Plain data, with so many beliefs at most after each decision."""
        return {"line": self.place.line, "won_so_far": self.won, **self.review.facts(beliefs)}


@dataclass
class ReviewedLog:
    """The reviews of a log as they are made.

    Attributes:
        against: text of the strategy that prices are against, an agent that plays one strategy in every hand.
        seed: of agents and drawn boards.
        aivat: whether luck is taken out of results, too.
        result: of the player, in both seats.
        left_out: hands that are none of this game, or are not told whole.
    """

    ground: PlayableGame
    against: str
    seed: int = 0
    aivat: bool = False
    result: RunningResult = field(default_factory=RunningResult)
    left_out: list[LeftOut] = field(default_factory=list)
    _matches: dict[int, PlayedMatch] = field(default_factory=dict)

    def review(self, hands: Sequence[AnyHand], player: str) -> Iterator[ReviewedHand]:
        """The reviews of a player's hands, in the order of the log; each counts in the result when it comes. Refused:
        an agent that does not fit the game, or does not play one strategy in every hand."""
        for kept in hands:
            try:
                hand = played_hand(self.ground.rules, kept)
            except InputError as error:
                self.left_out.append(LeftOut(kept.place, "game", str(error)))
                continue
            match = self.match(kept.players.index(player))
            review = match.review(hand)
            if self.aivat:
                match.without_luck(hand, review)
            yield ReviewedHand(kept.place, review, sum(self.result.won))

    def match(self, seat: int) -> PlayedMatch:
        """The match of the player in a seat; errors as of `review`."""
        if seat not in self._matches:
            other = agent(self.ground, self.against, 1 - seat, self.seed)
            found = PlayedMatch(self.ground, other, self.seed, self.result)
            if not found.reviewer.waits or getattr(other, "learns_in", None) is not None:
                raise InputError(
                    f"{self.against} does not play one strategy in every hand, and a log does not tell what it had decided; "
                    "price against one that does, such as nash"
                )
            self._matches[seat] = found
        return self._matches[seat]

    @property
    def matches(self) -> tuple[PlayedMatch, ...]:
        """Those so far, the one of the seat that came first in front."""
        return tuple(self._matches.values())


def reviewed_player(names: Sequence[str], wanted: str | None, against: str) -> str:
    """Whose hands are reviewed: the player of this name; without one, the player other than the named strategy. Refused
    where there is no such player, or it is not clear who."""
    others = [name for name in names if name != against]
    if wanted is None and len(others) == 1:
        return others[0]
    if wanted in names:
        return str(wanted)
    said = "--player must name whose hands are reviewed" if wanted is None else f"no hand is of {wanted!r}"
    raise InputError(f"{said}; the log has {', '.join(map(repr, list(names)[:8]))}")


_TOLERANCE = 1e-6


def played_hand(rules: Game, kept: AnyHand) -> Hand:
    """The record of a hand that a log has kept, without times of decisions. Refused: no finished hand of these rules,
    something hidden, or another result."""
    holdem = by_kind(LIMITS, rules, lambda _: None)(rules) is not None
    if isinstance(kept, GameHand) and not holdem:
        if is_other_game(kept.game, rules.name):
            raise InputError(f"this is a hand of {kept.game}, not of {rules.name}")
        if kept.spot and kept.spot != by_kind(DIGESTS, rules, lambda _: kept.spot)(rules):
            raise InputError(f"this is a hand of another spot, that of {kept.game}, not of {rules.name}")
        if any(text is None for _, text in kept.moves):
            raise InputError("a move of this hand is hidden")
        moves: Moves = [(who, str(text)) for who, text in kept.moves]
    elif isinstance(kept, HoldemHand) and holdem:
        moves = tuple(_moves_of(rules, kept))
    else:
        raise InputError(f"this is no hand of {rules.name}")
    return _finished(rules, moves, kept.won)


def _finished(rules: Game, moves: Moves, won: float | None) -> Hand:
    state = rules.root()
    for step in steps_of(rules, moves):
        state = step.after
    if rules.player(state) != TERMINAL:
        raise InputError("this hand stops before its end")
    utility = float(rules.utility(state))
    if won is not None and abs(won - utility) > _TOLERANCE * max(1.0, abs(utility)):
        raise InputError(f"the log says {won:g} chips for seat 0, and the rules say {utility:g}")
    both: Callable[[Any], Any] | None = getattr(rules, "utilities", None)
    counts = [sum(who == seat for who, _ in moves) for seat in (0, 1)]
    never = (0.0, 0.0)
    return Hand(
        utility, tuple(moves), (counts[0], counts[1]), never, never, -sum(both(state)) if both is not None else 0.0
    )


def _moves_of(rules: Any, kept: HoldemHand) -> Iterator[tuple[int, str]]:
    """The moves of a hand of hold'em in the texts of a game, which may lack some of its bets."""
    if not all(kept.holes):
        raise InputError("the cards of a player are hidden")
    cards = iter([*kept.holes[0], *kept.holes[1], *kept.board])
    told = iter([step for step in steps_of_line(kept.line) if step.letter != DEAL])
    state = rules.root()
    while (who := rules.player(state)) != TERMINAL:
        actions = list(rules.actions(state))
        names = [action_name(rules, state, action) for action in actions]
        wanted = _card(cards) if who == CHANCE else _bet(rules, names, who, told)
        if wanted not in names:
            raise InputError(f"{rules.name} has no '{wanted}' there, but {', '.join(names[:8])}")
        yield who, wanted
        state = rules.child(state, actions[names.index(wanted)])


def _card(cards: Iterator[int]) -> str:
    card = next(cards, None)
    if card is None:
        raise InputError("a card of this hand is missing")
    return card_text(card)


def _bet(rules: Any, names: list[str], who: int, told: Iterator[HandStep]) -> str:
    """The name of the next step of a log; in games of fixed bets, the letter alone tells it."""
    step = next(told, None)
    if step is None:
        raise InputError("this hand stops before its end")
    limits = rules.limits
    for name in names:
        mine = step_of_move(limits, who, name)
        if mine.letter == step.letter and (limits.bets is not None or mine.number == step.number):
            return name
    return f"{step.letter}{step.number:d}" if step.number else step.letter
