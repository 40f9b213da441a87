"""One hand of any game, compiled or not, between two agents; what agents observe of it at its end, and the log of a match.
Chance draws from a separate stream.

Two agents that know different sizes of bets in hold'em sit in one real game, in which any bet is legal (`TranslatedTable`).
Each follows the hand in its own betting tree: what the other bets is taken for a size of that tree by the pseudo-harmonic
mapping (Ganzfried and Sandholm 2013; see `line_notation.translate_raise`), and its own bets become chips of the real pot. If
the tree has ended while the real hand goes on, because a bet was mapped to an all-in that the agent called, the agent checks
and calls (`TranslatedHand`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, Self, TextIO

from counterplay.agents.agent import Agent, Player, name_of
from counterplay.errors import InputError, quoted, reason
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name, chance_fault
from counterplay.gametree.build.preorder import error_after, player_fault
from counterplay.gametree.compile.compile import GameTree
from counterplay.jit.clock import run_time
from counterplay.opponents.counting.terminal_infosets import (
    HIDDEN,
    SHOWDOWN,
    SHOWN,
    TerminalInfosets,
    checked_reveal,
    consistent_ends,
)
from counterplay.opponents.counting.terminal_infosets import Move as ObservedMove
from counterplay.opponents.histories.hand_logs import first_line, hand_line, move_line
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.histories.replay import line_of_moves
from counterplay.poker.betting.line_notation import BettingLine, Step, raise_share, real_share, translate_raise
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, act, all_in, chips_won, legal, pot, start
from counterplay.poker.cards.deck import FULL, Deck, cards_of, cards_text
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.rules import Holdem, Seen, as_whole_game
from counterplay.problem.solvable_game import by_kind, rules_of

_PASSIVE = (Move.CHECK, Move.CALL)


class TreeStep(NamedTuple):
    """A step of the real hand in the tree of an agent: the betting node before it, None if the tree has none, and the
    number of the action that the agent chose there, None if the step is not its choice."""

    node: int | None
    number: int | None = None


class TranslatedHand:
    """A real hand as an agent of a game sees it, who holds two cards; draws: of the choice between two sizes of the
    tree."""

    def __init__(self, game: Holdem, agent: Player, hand: tuple[int, int], draws: random.Random) -> None:
        self._game, self._agent, self._hand, self._draws = game, agent, hand, draws
        self._node: int | None = 0
        self._seen = 0
        self._own: tuple[Action, int | None, int | None] | None = None
        self._steps: list[TreeStep] = []
        agent.new_hand()

    @property
    def rules(self) -> BettingRules:
        """The rules of the real hand: any size of bet is allowed."""
        return self._game.limits

    @property
    def steps(self) -> tuple[TreeStep, ...]:
        """The steps that were followed, and where the hand is now."""
        return (*self._steps, TreeStep(self._node))

    def follow(self, line: BettingLine) -> None:
        """Follow the real hand since the last call; line: the whole hand so far."""
        for step in line.steps[self._seen :]:
            before, number = self._node, None
            if self._own is not None and step.action[1:] == self._own[0][1:] and step.state.kind == self._agent.seat:
                _, self._node, number = self._own
            else:
                self._node = self._after(step)
            self._steps.append(TreeStep(before, number))
            self._own = None
        self._seen = len(line.steps)

    def decide(self, state: BettingState, board: Sequence[int]) -> Action:
        """The agent's action in real chips, at the end of the line that was followed, where its seat acts; board: in
        the order of the deal."""
        tree, node = self._game.betting, self._node
        if node is None or tree.kind[node] != self._agent.seat:  # the tree has ended, or the agent does not act there
            self._own = _passive(self.rules, state), None, None
            return self._own[0]
        text = self._game.write(Seen(self._hand, node, in_rising_order(board)))
        labels = tree.actions(node)
        number = labels.index(self._agent.act(text, labels))
        child = tree.children(node)[number]
        action = self._real(state, child)
        if tree.move[child] >= Move.BET and action.move in _PASSIVE:
            child = self._passive_child(node)
        self._own = action, child, number
        return action

    def _after(self, step: Step) -> int | None:
        """The node of the tree after a real step; None if the tree has none."""
        tree, node = self._game.betting, self._node
        if node is None or not tree.children(node):
            return None
        if tree.kind[node] == Kind.DEAL or step.action.move is Move.DEAL:
            dealt = tree.kind[node] == Kind.DEAL and step.action.move is Move.DEAL
            return tree.children(node)[0] if dealt else None
        if step.action.move is Move.FOLD:
            return next((child for child in tree.children(node) if tree.move[child] == Move.FOLD), None)
        if step.action.move in _PASSIVE:
            return self._passive_child(node)
        share = real_share(self.rules, step.state, step.action.to)
        is_all_in = step.action.to >= all_in(self.rules, step.state)
        return translate_raise(tree, node, share, all_in=is_all_in, draws=self._draws)

    def _passive_child(self, node: int) -> int:
        tree = self._game.betting
        return next(child for child in tree.children(node) if tree.move[child] in _PASSIVE)

    def _real(self, state: BettingState, child: int) -> Action:
        """An action of the tree in real chips."""
        tree, can, move = self._game.betting, legal(self.rules, state), Move(self._game.betting.move[child])
        if move is Move.FOLD and can.fold:
            return Action(Move.FOLD)
        if move < Move.BET or not can.most:
            return _passive(self.rules, state)
        top = min(all_in(self.rules, state), can.most)
        level, called = max(state.put) - state.base, pot(self.rules, state) + can.call
        to = top if move is Move.ALL_IN else round(level + raise_share(tree, child) * called)
        return Action(Move.RAISE if level else Move.BET, min(max(to, can.least), top))


def _passive(rules: BettingRules, state: BettingState) -> Action:
    return Action(Move.CALL if legal(rules, state).call else Move.CHECK)


def in_rising_order(board: Sequence[int]) -> tuple[int, ...]:
    """A board with the cards of each street in ascending order, as the rules deal them."""
    streets = [sorted(board[begin:end]) for begin, end in pairwise(DEALT)]
    return tuple(card for street in streets for card in street)


_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Hand:
    """The record of one hand; pairs of numbers are of seats 0 and 1. utility: chips that seat 0 won. moves: the acting
    player (0, 1 or `CHANCE`) and the text of the action, in order. seconds, slowest: of all decisions, and of the
    longest one. house: chips that neither won, the rake."""

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
"""A seat's observation of a hand when it is over (see `observer_of`)."""


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


SEATS = ("big blind", "button")
_FOLD = "fold"


def holdem_hand(limits: BettingRules, hand: Hand, players: tuple[str, str] = SEATS, deck: Deck = FULL) -> HoldemHand:
    """The record of a hand with all cards; limits and deck are those of the game, of the real one where bets were
    translated."""
    if isinstance(hand, TranslatedRecord):
        limits, line = hand.limits, hand.line
    else:
        line = line_of_moves(limits, hand.moves)
    dealt = tuple(card for who, text in hand.moves if who == CHANCE for card in cards_of(text))
    end = line.end._replace(street=limits.last) if line.end.kind is Kind.SHOWDOWN else line.end
    holes = dealt[:2], dealt[2:4]
    return HoldemHand(players, limits, line._replace(end=end), holes, dealt[4:], hand.utility, deck=deck)


def holdem_observer(rules: Holdem, reveal: str = SHOWDOWN) -> ResultObserver:
    """Finished hands of a whole game as a seat may know them: `HoldemHand`, without the other's cards unless these are
    revealed: after all hands, after a showdown, or never."""

    def observe(hand: Hand, seat: int) -> HoldemHand:
        record = holdem_hand(rules.limits, hand, deck=rules.deck)
        if reveal == SHOWN or (record.line.end.kind is Kind.SHOWDOWN and reveal != HIDDEN):
            return record
        one, two = record.holes
        return replace(record, holes=(one, ()) if seat == 0 else ((), two))

    return observe


def move_observer(game: GameTree, reveal: str = SHOWDOWN) -> ResultObserver:
    """The moves of finished hands of a compiled game, None for the texts that the seat cannot know; reveal: see
    `TerminalInfosets`."""
    sights = tuple(TerminalInfosets(game, seat, reveal) for seat in (0, 1))

    @cache
    def moves(seat: int, end: int) -> tuple[ObservedMove, ...]:
        return sights[seat].observed_moves(end)

    return lambda hand, seat: moves(seat, int(consistent_ends(game, hand)[0]))


def spot_observer(game: SpotGame, reveal: str = SHOWDOWN) -> ResultObserver:  # noqa: ARG001 - one shape for all
    """The moves of finished hands of a spot, None for the other's hand where it was not revealed (see
    `holdem_observer`)."""

    def observe(hand: Hand, seat: int) -> tuple[ObservedMove, ...]:
        folded = hand.moves[-1][1] == _FOLD
        if reveal == SHOWN or (not folded and reveal != HIDDEN):
            return hand.moves
        return tuple((who, None if number == 1 - seat else name) for number, (who, name) in enumerate(hand.moves))

    return observe


def observer_of(agents: Iterable[Any], reveal: str = SHOWDOWN) -> ResultObserver | None:
    """What agents observe of hands, if one of them learns; else None."""
    checked_reveal(reveal)
    game = next((game for agent in agents if (game := getattr(agent, "learns_in", None))), None)
    kinds: dict[type, Callable[[Any, str], ResultObserver]] = {Holdem: holdem_observer, SpotGame: spot_observer}
    return None if game is None else by_kind(kinds, game, move_observer)(game, reveal)


LIMITS: dict[type, Callable[[Any], BettingRules | None]] = {Holdem: lambda rules: rules.limits}
"""The betting rules of games whose hands are kept as those of hold'em; others are kept move by move."""
DIGESTS: dict[type, Callable[[Any], str]] = {SpotRules: lambda rules: str(rules.digest)}
"""Tell a game from others whose texts may be the same: a path may name another spot tomorrow."""


class MatchRecorder:
    """A file that grows by one line a hand; used as a context. It is not touched before the first hand is over, so that
    a match that fails at its start leaves what was there. The log can be read without the text of its game, but not
    compared."""

    def __init__(self, path: Path, game: str, rules: Any, agents: Sequence[str], seed: int) -> None:
        self._path, self._limits = path, by_kind(LIMITS, rules, lambda _: None)(rules)
        alike = len(set(agents)) < len(agents)
        self._agents = [f"{name} {k}" if alike else name for name, k in zip(agents, "AB", strict=True)]
        digest = by_kind(DIGESTS, rules, lambda _: "")(rules)
        self._first = first_line(game, self._agents, {"seed": seed} | ({"spot": digest} if digest else {}))
        self._stream: TextIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            with suppress(OSError):  # the lines that could not be written have been told
                self._stream.close()

    def keep(self, number: int, seat_of_a: int, hand: Hand) -> None:
        """Write a hand."""
        seats = (0, 1) if seat_of_a == 0 else (1, 0)
        limits = hand.limits if isinstance(hand, TranslatedRecord) else self._limits
        if limits is None:
            line = move_line(number, seats, hand.moves, hand.utility)
        else:
            names = (self._agents[seats[0]], self._agents[seats[1]])
            line = hand_line(number, holdem_hand(limits, hand, names), self._agents, own_rules=False)
        try:
            if self._stream is None:
                self._stream = self._path.open("w", encoding="utf-8")
                line = f"{self._first}\n{line}"
            self._stream.write(line + "\n")
            self._stream.flush()
        except OSError as error:  # the hands before it are whole lines
            raise InputError(f"cannot write {self._path}: {error.strerror}") from None
