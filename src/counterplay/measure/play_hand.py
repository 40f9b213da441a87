"""One hand of any game, compiled or not, between two agents; chance draws from a separate stream.

Two agents that know different sizes of bets in hold'em sit in one real game, in which any bet is legal (`TranslatedTable`).
Each follows the hand in its own betting tree: what the other bets is taken for a size of that tree by the pseudo-harmonic
mapping (Ganzfried and Sandholm 2013), and its own bets become chips of the real pot.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from counterplay.agents.agent import Agent, Player, name_of
from counterplay.agents.worlds.translated_hand import TranslatedHand, TreeStep
from counterplay.errors import InputError, quoted, reason
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name, chance_fault
from counterplay.gametree.build.preorder import error_after, player_fault
from counterplay.jit.clock import run_time
from counterplay.poker.betting.line_notation import BettingLine, Step
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Action, Kind, Move, act, chips_won, start
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.rules import Holdem, as_whole_game
from counterplay.problem.solvable_game import rules_of

_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Hand:
    """The record of one hand; pairs of numbers are of seats 0 and 1.

    Attributes:
        utility: chips that seat 0 won.
        house: chips that neither won: the rake.
        moves: the acting player (0, 1 or `CHANCE`) and the text of the action, in order.
        seconds, slowest: of all decisions, and of the longest one.
    """

    utility: float
    moves: tuple[tuple[int, str], ...]
    decisions: tuple[int, int]
    seconds: tuple[float, float]
    slowest: tuple[float, float]
    house: float = 0.0

    def won(self, seat: int) -> float:
        """Chips that a seat won."""
        return -self.utility - self.house if seat else self.utility


ResultObserver = Callable[[Hand, int], Any]
"""What a seat observes of a hand when it is over (see `observed_results`)."""


def play_hand(
    game: Any, agents: tuple[Agent, Agent], chance: random.Random, told: ResultObserver | None = None
) -> Hand:
    """Play one hand of seats 0 and 1. An agent is called at every decision of its seat, also with a single legal
    action, and never draws from `chance`. An illegal answer is an error that names agent, action and observation. told:
    what agents learn of the finished hand; None tells them only the result."""
    rules = rules_of(game)
    for agent in agents:
        agent.new_hand()
    moves, times = list[tuple[int, str]](), (list[float](), list[float]())
    with _blamed(rules):
        state = rules.root()
        who = rules.player(state)
    while who != TERMINAL:
        if who == CHANCE:
            with _blamed(rules):
                actions, odds = list(rules.actions(state)), list(rules.chance(state))
                if wrong := chance_fault(odds, len(actions), _TOLERANCE):
                    raise _fault(rules, moves, f"the chance probabilities @ {wrong}")
                action = chance.choices(actions, odds)[0]
                name = action_name(rules, state, action)
        elif wrong := player_fault(who):
            raise _fault(rules, moves, wrong)
        else:
            action, name, seconds = decide(rules, agents[who], state)
            times[who].append(seconds)
        moves.append((who, name))
        with _blamed(rules):
            state = rules.child(state, action)
            who = rules.player(state)
    with _blamed(rules):
        utility = float(rules.utility(state))
        if not isfinite(utility):
            raise InputError(f"{rules.name}: the utility of a hand is {utility}, which is not a finite number")
        both = getattr(rules, "utilities", None)
        house = -sum(both(state)) if both else 0.0
    (one, two), (slow, slow_two) = times, (max(seat, default=0.0) for seat in times)
    hand = Hand(utility, tuple(moves), (len(one), len(two)), (sum(one), sum(two)), (slow, slow_two), house)
    tell_agents(agents, hand, told)
    return hand


def tell_agents(agents: tuple[Any, Any], hand: Hand, told: ResultObserver | None) -> None:
    """Tell both agents of a finished hand; `told` as of `play_hand`."""
    for seat, agent in enumerate(agents):
        end = getattr(agent, "end_hand", None)
        if end is not None:
            end(hand.won(seat), None if told is None else told(hand, seat))


def decide(rules: Game, agent: Agent, state: Any) -> tuple[Any, str, float]:
    """The decision of an agent at a state: the action, its text, and the time in seconds."""
    with _blamed(rules):
        observation = rules.infoset(state, agent.seat)
        actions = list(rules.actions(state))
        names = [action_name(rules, state, action) for action in actions]
        if not actions:
            raise InputError(f"{rules.name}: there are no actions at the infoset {quoted(observation)}")
        if len(set(names)) < len(names):
            raise InputError(f"{rules.name}: two actions at the infoset {quoted(observation)} have the same name")
    with_state = getattr(agent, "act_at", None)
    begin = run_time()
    chosen = with_state(state) if with_state else agent.act(observation, names)
    seconds = run_time() - begin
    if chosen not in names:
        raise InputError(
            f"the agent {name_of(agent)} in seat {agent.seat} answered '{chosen}' at '{observation}', "
            f"where the actions are {', '.join(names)}"
        )
    return actions[names.index(chosen)], chosen, seconds


def _fault(rules: Game, moves: list[tuple[int, str]], sentence: str) -> InputError:
    return error_after(rules, " ".join(name for _, name in moves), sentence)


@contextmanager
def _blamed(rules: Game) -> Iterator[None]:
    """Report failures of rules as errors of the game: rules may be user code."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise InputError(f"{rules.name}: the rules failed with {reason(error)}") from error


@dataclass(frozen=True)
class TreePlayer:
    """An agent, whose members are its own, and the game for which it was made, whose betting tree it knows."""

    rules: Holdem
    agent: Player

    def __getattr__(self, name: str) -> Any:
        return getattr(self.agent, name)


@dataclass(frozen=True)
class TranslatedRecord(Hand):
    """The record of a hand whose players have different trees: rules and line of the real hand, and of each seat the
    steps of the line in its own tree, and the end."""

    limits: BettingRules = field(kw_only=True)
    line: BettingLine = field(kw_only=True)
    steps: tuple[tuple[TreeStep, ...], tuple[TreeStep, ...]] = field(kw_only=True)


class TranslatedTable:
    """The real game of two others of the same deck, stacks and blinds, without limits of bets."""

    def __init__(self, one: Holdem, two: Holdem) -> None:
        for game in (one, two):
            limits = as_whole_game(game, "bets are translated").limits
            if limits.bets is not None or limits.rake:
                raise InputError(f"bets are translated in whole no-limit games of hold'em, and {game.name} is none")
        if (one.deck, one.limits) != (two.deck, two.limits):
            raise InputError(f"{one.name} and {two.name} differ in more than the sizes of bets: deck, stacks, blinds and "
                             "streets must be equal")  # fmt: skip
        self.name, self.stakes, self._deck, self._limits = one.name, one.stakes, one.deck, one.limits

    def play(
        self, players: tuple[TreePlayer, TreePlayer], chance: random.Random, told: ResultObserver | None = None
    ) -> TranslatedRecord:
        """One hand; players of seats 0 and 1 and `told` as `play_hand` has them. Errors are those of the agents."""
        limits, shown = self._limits, [DEALT[street] for street in range(self._limits.last + 1)]
        cards = tuple(chance.sample(self._deck.cards, 4 + shown[-1]))
        holes, board = ((cards[0], cards[1]), (cards[2], cards[3])), cards[4:]
        draws = random.Random(chance.getrandbits(63))
        views = [TranslatedHand(one.rules, one.agent, hole, draws) for one, hole in zip(players, holes, strict=True)]
        moves, times = [(CHANCE, cards_text(hole)) for hole in holes], (list[float](), list[float]())
        state, steps = start(limits), list[Step]()
        while state.kind <= Kind.DEAL:
            if state.kind is Kind.DEAL:
                action = Action(Move.DEAL)
                moves.append((CHANCE, cards_text(board[shown[state.street] : shown[state.street + 1]])))
            else:
                begin, seat = run_time(), int(state.kind)
                views[seat].follow(BettingLine(tuple(steps), state))
                action = views[seat].decide(state, board[: shown[state.street]])
                times[seat].append(run_time() - begin)
                word = action.move.name.lower().replace("_", "-")  # and in real chips, all of the hand counted
                to = "" if action.move < Move.BET else f" {limits.chips(state.base + action.to):g}"
                moves.append((seat, word + to))
            steps.append(Step(state, action))
            state = act(limits, state, action)
        if state.kind is Kind.SHOWDOWN and state.street < limits.last:
            moves.append((CHANCE, cards_text(board[shown[state.street] :])))
        line, (one, two) = BettingLine(tuple(steps), state), times
        for view in views:
            view.follow(line)
        found = TranslatedRecord(
            chips_won(limits, state, holes, board, self._deck), tuple(moves), (len(one), len(two)), (sum(one), sum(two)),
            (max(one, default=0.0), max(two, default=0.0)), limits=limits, line=line, steps=(views[0].steps, views[1].steps),
        )  # fmt: skip
        tell_agents(players, found, told)
        return found
