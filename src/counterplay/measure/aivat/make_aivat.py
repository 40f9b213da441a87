"""AIVAT for a match: whose strategy is known, and the value function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from counterplay.agents.agent import Agent, StrategyAgent, UniformAgent, name_of
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.whole_game.agents import BlueprintAgent
from counterplay.errors import InputError
from counterplay.measure.aivat.histories import HistoryAivat, Policy, values_of_histories
from counterplay.measure.aivat.holdem_hands import HoldemAivat
from counterplay.measure.play_hand import Hand
from counterplay.measure.translated_table import TreePlayer
from counterplay.opponents.opponent import opponent
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BucketedStrategy, uniform
from counterplay.poker.whole_game.values.lane_values import tally_lanes
from counterplay.problem.solvable_game import by_kind
from counterplay.steps import Steps, finished

BOARDS, MOST_BOARDS, _HANDS_A_BOARD = 100, 400, 5
"""Boards by which the values of hands are computed: at least, at most, and hands of a match for each. More than the most
leave no less of the variance."""
BOARDS_OF_BOTH = 10
"""The same where both sides are known: they serve before the flop and for the flop that comes alone."""
_SOFT = 0.5
MOST_TERMINALS = 50_000
"""Terminal histories of a game that is listed."""
Pair = tuple[Agent, Agent]
"""One side's agents of seats 0 and 1."""
Watch = Callable[[int, int], None]
"""Called with the parts of the value function that are done, and how many there are."""


def boards_for(hands: int) -> int:
    """The boards that are worth their time before a match of so many hands."""
    return min(MOST_BOARDS, max(BOARDS, hands // _HANDS_A_BOARD))


class CorrectedHands(Protocol):
    """Corrected results of hands."""

    def chips(self, hand: Hand, seat: int) -> float:
        """Corrected chips of a seat whose player is known."""


@dataclass(frozen=True)
class MatchAivat:
    """AIVAT of a match between A and B.

    Attributes:
        known: the side whose strategy is known: 0 for A, 1 for B.
        hands: corrects their results.
        both: whether that of the other side is known, too.
    """

    known: int
    hands: CorrectedHands
    both: bool = False

    def chips(self, hand: Hand, seat_of_a: int) -> float:
        """Corrected chips of A."""
        if self.known == 0:
            return self.hands.chips(hand, seat_of_a)
        return -self.hands.chips(hand, 1 - seat_of_a) - hand.house


def aivat_of(
    ground: PlayableGame, a: Pair, b: Pair, *, boards: int = BOARDS, seed: int = 0, watch: Watch | None = None
) -> MatchAivat:
    """AIVAT of a match. A's strategy is the known one, or B's where A's is not.

    In whole games of hold'em the value function is that of a blueprint of either side by itself, over drawn boards, and on
    the last street that of the other side's best response to the known one's range; where both sides are known, that of
    both from the flop on, in the ranges and on the board of the hand. In
    listed games that of the known strategy against itself with a half of uniform play, which is near most opponents and
    leaves no action out, and against uniform play where one seat's strategy alone is known. Where both sides have their own
    trees (`TreePlayer`), it is that of the known side's blueprint in its tree.

    Args:
        ground: the game of both, or of A.
        a, b: agents of both seats.
        boards: how many boards are drawn.
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
    return lambda hand: -made.hands.chips(hand, agent.seat) - hand.house


def _in_steps(
    ground: PlayableGame, sides: tuple[Pair, ...], boards: int, seed: int, watch: Watch | None
) -> Steps[MatchAivat]:
    made: Steps[MatchAivat] = by_kind(_KINDS, ground.rules, _of_histories)(ground, sides, boards, seed, watch)
    return made


def _of_holdem(
    ground: PlayableGame, sides: tuple[Pair, ...], boards: int, seed: int, watch: Watch | None
) -> Steps[MatchAivat]:
    trees: list[Any] = [pair[0].rules if isinstance(pair[0], TreePlayer) else ground.rules for pair in sides]

    def even(side: int, seat: int) -> Agent:
        return BlueprintAgent(trees[side], uniform(trees[side].game), seat, 0, UniformAgent.name)

    bare = [_without_trees(pair) for pair in sides]
    known, agents = _known_side(bare, BlueprintAgent, even, "strategies, blueprints and searching agents")
    rules = trees[known]
    others = _told(bare[1 - known], 1 - known, even) if len(sides) == 2 and trees[0] is trees[1] else ()
    both = len(others) == 2 and all(isinstance(agent, BlueprintAgent) for agent in others)
    boards = min(boards, BOARDS_OF_BOTH) if both else boards
    plays = [agent.play for agent in (*agents, *others) if isinstance(agent, BlueprintAgent)]
    play = next((one for one in plays if isinstance(one, BucketedStrategy)), None)
    if play is None:
        raise InputError(f"AIVAT takes its values from a blueprint by buckets, and {name_of(agents[0])} has none")
    game, values = rules.game, {}
    for player in sorted({1 - agent.seat for agent in agents}):
        told = None if watch is None else lambda done, p=player: watch(p * boards + done, 2 * boards)
        values[player] = yield from tally_lanes(game, player, play, boards, seed=seed, watch=told)
    return MatchAivat(known, HoldemAivat(rules, agents, values, (others[0], others[1]) if both else None, seed), both)


def _without_trees(pair: Pair) -> Pair:
    """The agents of a side; where both sides have their own trees, those are left out."""
    one, two = (agent.agent if isinstance(agent, TreePlayer) else agent for agent in pair)
    return one, two


def _of_histories(ground: PlayableGame, sides: tuple[Pair, ...], *_: Any) -> Steps[MatchAivat]:
    yield
    rules = ground.rules
    if not ground.fits:
        raise _too_many(rules.name)
    tree = ground.compiled
    if tree.terminals > MOST_TERMINALS:
        raise InputError(f"AIVAT takes games of at most {MOST_TERMINALS:,} terminal histories; {rules.name} has "
                         f"{tree.terminals:,}")  # fmt: skip

    def even(_: int, seat: int) -> StrategyAgent:
        return StrategyAgent(opponent(tree, UniformAgent.name, seat), 0)

    known, agents = _known_side(sides, StrategyAgent, even, "strategies and models that are computed before the match")
    first, second = (agent.policy for agent in agents)
    met = [_softened(agent.policy) if agent.seat == seat else even(0, seat).policy for seat, agent in enumerate(agents)]
    values = values_of_histories(rules, (first, met[1])), values_of_histories(rules, (met[0], second))
    return MatchAivat(known, _BySeat(*(HistoryAivat(rules, (first, second), value) for value in values)))


def _softened(policy: Policy) -> Policy:
    """A policy mixed with as much of uniform play."""

    def odds(observation: str) -> dict[str, float]:
        row = policy(observation)
        return {name: (1.0 - _SOFT) * p + _SOFT / len(row) for name, p in row.items()}

    return odds


def _of_spot(ground: PlayableGame, *_: Any) -> Steps[MatchAivat]:
    raise _too_many(ground.rules.name)


def _too_many(name: str) -> InputError:
    return InputError(
        f"AIVAT lists the histories of a game, and {name} has too many; a whole game of hold'em may have any number"
    )


class _BySeat:
    """Another value function for each seat of the known side."""

    def __init__(self, first: HistoryAivat, second: HistoryAivat) -> None:
        self._made = first, second

    def chips(self, hand: Hand, seat: int) -> float:
        return self._made[seat].chips(hand, seat)


def _told(pair: Pair, side: int, even: Callable[[int, int], Agent]) -> tuple[Any, ...]:
    """The agents of a side, one that tells what it does for each that plays uniformly; `even` as of `_known_side`."""
    return tuple(even(side, agent.seat) if type(agent) is UniformAgent else agent for agent in pair)


def _known_side(
    sides: Sequence[Pair], kind: type[Any], even: Callable[[int, int], Agent], which: str
) -> tuple[int, tuple[Any, Any]]:
    """The first side whose agents tell what they do with every hand, and these agents.

    Args:
        kind: class of the agents that do.
        even: makes such an agent of a side and a seat that plays uniformly.
    """
    for side, pair in enumerate(sides):
        told = _told(pair, side, even)
        if all(isinstance(agent, kind) for agent in told):
            return side, (told[0], told[1])
    names = " and ".join(name_of(pair[0]) for pair in sides)
    raise InputError(f"AIVAT needs one side whose strategy is known ({which}), and {names} are none")


_KINDS: dict[type, Callable[..., Steps[MatchAivat]]] = {Holdem: _of_holdem, SpotRules: _of_spot}
"""Kinds of games by their rules; all others are listed history by history."""
