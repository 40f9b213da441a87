"""AIVAT for a match: whose strategy is known, and the value function; and in any game whose histories can be listed, by
sets of histories that the other side cannot tell apart.

A set has every history that agrees with what the other side has seen, weighted by chance and by the known side's
strategy. The other side acts alike in all of them, so its strategy is not needed. At an event of chance or of the known
side, and at an action of the other side from which it learns something, a set splits into those that the other side can tell
apart afterwards; what the value function says of the one that came, less what it says on average, is the luck of the event
(Burch, Schmid, Moravčík and Bowling 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from counterplay.agents.agent import Agent, StrategyAgent, UniformAgent, name_of
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.worlds.histories import ListedAgent
from counterplay.agents.worlds.whole_game import HoldemAgent
from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name
from counterplay.measure.holdem_aivat import HoldemAivat
from counterplay.measure.match import LuckCorrection, Pair
from counterplay.measure.play_hand import Hand, TreePlayer
from counterplay.opponents.opponent import opponent
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BucketedStrategy, uniform
from counterplay.poker.whole_game.values.lane_values import tally_lanes
from counterplay.problem.solvable_game import by_kind
from counterplay.steps import Steps, finished

Policy = Callable[[str], Mapping[str, float]]
"""The probability of each action at an infoset, both as texts."""
HistorySet = list[tuple[Any, float]]
"""States with their weights."""


class HistoryAivat:
    """Corrected results of hands of a game that describes every state to both players (`augmented`). known: of each
    seat, the policy of the known side there. value: of a state to player 0, any function of it."""

    def __init__(self, game: Game, known: tuple[Policy, Policy], value: Callable[[Any], float]) -> None:
        if not getattr(game, "augmented", False):
            raise InputError(f"AIVAT needs rules that say what both players see at every state; {game.name} has none")
        self._game, self._known, self._value = game, known, value

    def chips(self, hand: Hand, seat: int) -> float:
        """Corrected chips of a seat whose player is known."""
        game, state = self._game, self._game.root()
        here, luck = [(state, 1.0)], 0.0
        for who, name in hand.moves:
            state = self._child(state, name)
            sets: dict[Hashable, HistorySet] = {}
            for one, weight in here:
                if who == 1 - seat:
                    moves = [(name, self._child(one, name), weight)]
                else:  # everything that chance and the known side may do
                    row = moves_at(game, one, self._known[seat])
                    moves = [(text, game.child(one, to), weight * p) for text, to, p in row if weight * p > 0.0]
                for text, child, share in moves:
                    sets.setdefault(self._seen(child, text, 1 - seat), []).append((child, share))
            here = sets[self._seen(state, name, 1 - seat)]
            if len(sets) > 1:  # else nothing was learned
                luck += _mean(here, self._value) - _mean([one for some in sets.values() for one in some], self._value)
        paid = getattr(game, "utilities", lambda end: (game.utility(end), -game.utility(end)))
        return _mean(here, lambda end: paid(end)[seat]) - (luck if seat == 0 else -luck)

    def _seen(self, state: Any, name: str, player: int) -> Hashable:
        """What a player has seen, after an event of a name; where the hand is over it no longer matters."""
        who = self._game.player(state)
        return ("end", name) if who == TERMINAL else (who == player, self._game.infoset(state, player))

    def _child(self, state: Any, name: str) -> Any:
        game = self._game
        return next(game.child(state, a) for a in game.actions(state) if action_name(game, state, a) == name)


def moves_at(game: Game, state: Any, policy: Policy) -> Iterator[tuple[str, Any, float]]:
    """The name, action and probability of each move at a state, by chance or by a policy of the acting player."""
    actions, who = list(game.actions(state)), game.player(state)
    names = [action_name(game, state, action) for action in actions]
    if who == CHANCE:
        return zip(names, actions, game.chance(state), strict=True)
    row = policy(game.infoset(state, who))
    return zip(names, actions, [row[name] for name in names], strict=True)


def _mean(states: HistorySet, value: Callable[[Any], float]) -> float:
    """The weighted mean of a value over states."""
    total = sum(weight for _, weight in states)
    return sum(weight * value(state) for state, weight in states) / total


def values_of_histories(game: Game, policies: tuple[Policy, Policy]) -> Callable[[Any], float]:
    """The value of every state of a small game to player 0 when both play their policies; each is computed once."""
    found: dict[Hashable, float] = {}

    def value(state: Any) -> float:
        who = game.player(state)
        if who == TERMINAL:
            return game.utility(state)
        key = state.tobytes() if isinstance(state, np.ndarray) else state
        if key not in found:
            moves = moves_at(game, state, policies[0 if who == CHANCE else who])
            found[key] = sum(p * value(game.child(state, action)) for _, action, p in moves if p > 0.0)
        return found[key]

    return value


BOARDS, MOST_BOARDS, _HANDS_A_BOARD = 100, 400, 5
"""Boards by which the values of hands are computed: at least, at most, and hands of a match for each. More than the most
leave no less of the variance."""
BOARDS_OF_BOTH = 10
"""The same where both sides are known: they serve before the flop and for the flop that comes alone."""
_SOFT = 0.5
MOST_TERMINALS = 50_000
"""Terminal histories of a game that is listed."""
Watch = Callable[[int, int], None]
"""Called with the parts of the value function that are done, and how many there are."""
KnownAgent = TypeVar("KnownAgent", bound=StrategyAgent)


def boards_for(hands: int) -> int:
    """The boards that are worth their time before a match of so many hands."""
    return min(MOST_BOARDS, max(BOARDS, hands // _HANDS_A_BOARD))


def aivat_of(
    ground: PlayableGame, a: Pair, b: Pair, *, boards: int = BOARDS, seed: int = 0, watch: Watch | None = None
) -> LuckCorrection:
    """AIVAT of a match. A's strategy is the known one, or B's where A's is not.

    In whole games of hold'em the value function is that of a blueprint of either side by itself, over drawn boards, and on
    the last street that of the other side's best response to the known one's range; where both sides are known, that of
    both from the flop on, in the ranges and on the board of the hand. In listed games that of the known strategy against
    itself with a half of uniform play, which is near most opponents and leaves no action out, and against uniform play
    where one seat's strategy alone is known. Where both sides have their own trees (`TreePlayer`), it is that of the known
    side's blueprint in its tree.

    Args:
        ground: the game of both, or of A.
        a, b: agents of both seats.
        boards: number of drawn boards.
        seed: of the draws.
        watch: see `Watch`.

    Raises:
        InputError: neither strategy is known, the game is too large to list, or no side has a blueprint by buckets.
    """
    return finished(_in_steps(ground, (a, b), boards, seed, watch))


def aivat_against(
    ground: PlayableGame, agent: Agent, *, boards: int = BOARDS, seed: int = 0
) -> Steps[Callable[[Hand], float]]:
    """What corrects the results of who plays against an agent, in one seat; arguments and errors as of `aivat_of`."""
    made = yield from _in_steps(ground, ((agent, agent),), boards, seed, None)
    return lambda hand: -made.hands[agent.seat](hand, agent.seat) - hand.house


def _in_steps(
    ground: PlayableGame, sides: tuple[Pair, ...], boards: int, seed: int, watch: Watch | None
) -> Steps[LuckCorrection]:
    holdem: dict[type, Steps[LuckCorrection]] = {Holdem: _of_holdem(ground, sides, boards, seed, watch)}
    return by_kind(holdem, ground.rules, _of_histories(ground, sides))


def _of_holdem(
    ground: PlayableGame, sides: tuple[Pair, ...], boards: int, seed: int, watch: Watch | None
) -> Steps[LuckCorrection]:
    trees: list[Any] = [pair[0].rules if isinstance(pair[0], TreePlayer) else ground.rules for pair in sides]

    def even(side: int, seat: int) -> HoldemAgent:
        return HoldemAgent(trees[side], uniform(trees[side].game), seat)

    which = "strategies, blueprints and searching agents"
    known, (first, second) = _known_side(sides, HoldemAgent, even, which)
    rules = trees[known]
    others: list[HoldemAgent] = []
    if len(sides) == 2 and trees[0] is trees[1]:
        others = _known_agents(sides[1 - known], 1 - known, HoldemAgent, even)
    both = len(others) == 2
    plays = [agent.play for agent in (first, second, *others)]
    play = next((play for play in plays if isinstance(play, BucketedStrategy)), None)
    if play is None:
        name = name_of(sides[known][0])
        raise InputError(f"AIVAT takes its values from a blueprint by buckets, and {name} has none")
    boards, values = min(boards, BOARDS_OF_BOTH) if both else boards, {}
    for player in sorted({1 - first.seat, 1 - second.seat}):
        told = None
        if watch is not None:
            told = lambda done, p=player, watch=watch: watch(p * boards + done, 2 * boards)  # noqa: E731
        values[player] = yield from tally_lanes(rules.game, player, play, boards, seed=seed, watch=told)
    pair = (others[0], others[1]) if both else None
    made = HoldemAivat(rules, (first, second), values, pair, seed)
    return LuckCorrection(known, (made.chips, made.chips), both)


def _of_histories(ground: PlayableGame, sides: tuple[Pair, ...]) -> Steps[LuckCorrection]:
    yield
    rules = ground.rules
    if by_kind({SpotRules: True}, rules, False) or not ground.fits:
        raise InputError(f"AIVAT lists the histories of a game, and {rules.name} has too many; a whole game of hold'em may "
                         "have any number")  # fmt: skip
    tree = ground.compiled
    if tree.terminals > MOST_TERMINALS:
        raise InputError(f"AIVAT takes games of at most {MOST_TERMINALS:,} terminal histories; {rules.name} has "
                         f"{tree.terminals:,}")  # fmt: skip

    def even(_: int, seat: int) -> ListedAgent:
        return ListedAgent(opponent(tree, UniformAgent.name, seat))

    which = "strategies and models that are computed before the match"
    known, pair = _known_side(sides, ListedAgent, even, which)
    first, second = (agent.row for agent in pair)

    def softened(policy: Policy, observation: str) -> dict[str, float]:
        """Mixed with as much of uniform play."""
        row = policy(observation)
        return {name: (1.0 - _SOFT) * p + _SOFT / len(row) for name, p in row.items()}

    met = [partial(softened, one.row) if one.seat == k else even(0, k).row for k, one in enumerate(pair)]
    values = values_of_histories(rules, (first, met[1])), values_of_histories(rules, (met[0], second))
    by_seat = [HistoryAivat(rules, (first, second), value) for value in values]
    return LuckCorrection(known, (by_seat[0].chips, by_seat[1].chips))


def _known_agents(
    pair: Pair, side: int, kind: type[KnownAgent], even: Callable[[int, int], KnownAgent]
) -> list[KnownAgent]:
    """A side's agents whose play is known; even: that of uniform play, for a side and a seat."""
    found: list[KnownAgent] = []
    for player in pair:
        agent = player.agent if isinstance(player, TreePlayer) else player
        agent = even(side, agent.seat) if type(agent) is UniformAgent else agent
        if isinstance(agent, kind):
            found.append(agent)
    return found


def _known_side(
    sides: Sequence[Pair], kind: type[KnownAgent], even: Callable[[int, int], KnownAgent], which: str
) -> tuple[int, tuple[KnownAgent, KnownAgent]]:
    """The first side whose agents, of a kind, tell what is played with every hand; `even` as of `_known_agents`."""
    for side, pair in enumerate(sides):
        found = _known_agents(pair, side, kind, even)
        if len(found) == 2:
            return side, (found[0], found[1])
    names = " and ".join(name_of(pair[0]) for pair in sides)
    raise InputError(f"AIVAT needs one side whose strategy is known ({which}), and {names} are none")
