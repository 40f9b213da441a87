"""Random small games of imperfect information for Hypothesis, and games made from other games.

A random game is a nested record. What a player knows is the sequence of the own actions and of what the player was
shown, so that perfect recall holds by construction; hidden moves and private deals put several histories into one
infoset.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, NamedTuple

from hypothesis import strategies as st

import counterplay as cp
from counterplay import CHANCE, TERMINAL
from tests.support.witness import Table, infosets

_SHOWN = ("public", "coarse", "to 0", "to 1", "hidden", "hidden", "hidden")


class Knobs(NamedTuple):
    """What shapes a random game; Hypothesis shrinks these, `seed` decides the rest.

    depth: most moves on a path. lonely: the player who never has a choice (2: nobody). named: actions are numbers with
    names, and infosets may be asked of both players. utilities: whole numbers up to 4, decimals, or outcomes -1, 0, 1.
    """

    depth: int
    seed: int
    lonely: int
    named: bool
    utilities: str


@dataclass(frozen=True, eq=False)
class Node:
    """A place in the tree. known: what each player knows here. odds: of the actions, where chance acts."""

    player: int
    known: tuple[str, str]
    actions: tuple[Any, ...] = ()
    odds: tuple[float, ...] = ()
    children: tuple[Node, ...] = ()
    utility: float = 0.0


class RandomGame:
    """The game of a tree of nodes."""

    def __init__(self, knobs: Knobs) -> None:
        self.name = f"random game {tuple(knobs)}"
        self.tree = _grown(knobs)

    def root(self) -> Node:
        return self.tree

    def player(self, state: Node) -> int:
        return state.player

    def actions(self, state: Node) -> tuple[Any, ...]:
        return state.actions

    def chance(self, state: Node) -> tuple[float, ...]:
        return state.odds

    def child(self, state: Node, action: Any) -> Node:
        return state.children[state.actions.index(action)]

    def infoset(self, state: Node, player: int) -> str:
        return state.known[player]

    def utility(self, state: Node) -> float:
        return state.utility


class NamedRandomGame(RandomGame):
    """The same with the two optional members of the protocol."""

    augmented = True

    def action_name(self, state: Node, action: Any) -> str:
        return f"{'deal' if state.player == CHANCE else 'move'} {action}"


def _grown(knobs: Knobs) -> Node:
    rng = random.Random(knobs.seed)
    # Who moves at a depth and who sees it are mostly the same for all histories of that depth: only then do many
    # histories look alike to a player. Most games begin with a private deal, and then the players mostly alternate.
    usual = [(rng.choice((0, 1, 0, 1, CHANCE)), rng.choice(_SHOWN)) for _ in range(knobs.depth)]
    if rng.random() < 0.75:
        dealt, first = rng.choice((1, 1, 2)), rng.randrange(2)
        for depth in range(knobs.depth):
            private = (CHANCE, rng.choice(("to 0", "to 1", "to 0", "to 1", "hidden")))
            move = ((first + depth) % 2, rng.choice(("public", "public", "coarse", "hidden")))
            usual[depth] = private if depth < dealt else move
    menus: dict[tuple[int, str], int] = {}

    def grow(depth: int, known: tuple[str, str]) -> Node:
        if depth == knobs.depth or (depth > 0 and rng.random() < 0.05):
            return Node(TERMINAL, known, utility=_utility(rng, knobs.utilities))
        who, shown = usual[depth]
        if rng.random() < 0.1:
            who = rng.choice((0, 1, CHANCE))
        odds: tuple[float, ...] = ()
        if who == CHANCE:
            odds = _odds(rng)
            size = len(odds)
        else:
            menu = 1 if who == knobs.lonely else rng.choice((1, 2, 2, 2, 2, 2, 3, 3, 3, 3))
            size = menus.setdefault((who, known[who]), menu)
        actions = tuple(range(size)) if knobs.named else tuple("abc"[:size])
        children = tuple(grow(depth + 1, _after(known, who, shown, a)) for a in range(size))
        return Node(who, known, actions, odds, children)

    return grow(0, ("start", "start"))


def _after(known: tuple[str, str], who: int, shown: str, action: int) -> tuple[str, str]:
    """What both know after an action: the own ones for certain, others as far as they are shown."""
    texts = []
    for player in (0, 1):
        seen = {"public": f" sees {action}", "coarse": f" sees {action > 0}", f"to {player}": f" sees {action}"}
        texts.append(known[player] + (f" does {action}" if player == who else seen.get(shown, "")))
    return texts[0], texts[1]


def _odds(rng: random.Random) -> tuple[float, ...]:
    """Two or three probabilities; rarely one of them is 0 or small."""
    weights = [rng.choice((1, 1, 1, 2, 3, 5)) for _ in range(rng.choice((2, 2, 3)))]
    if rng.random() < 0.1:
        weights[-1] = rng.choice((0, 0.02))
    return tuple(w / sum(weights) for w in weights)


def _utility(rng: random.Random, kind: str) -> float:
    if kind == "decimal":
        return round(rng.uniform(-10.0, 10.0), 2)
    return float(rng.randint(-4, 4) if kind == "whole" else rng.randint(-1, 1))


@st.composite
def games(draw: st.DrawFn) -> RandomGame:
    """A random game; every fifth or so leaves one player without a choice."""
    knobs = Knobs(
        depth=draw(st.sampled_from((1, 2, 3, 4, 5, 5, 6, 6))),
        seed=draw(st.integers(0, 10**6)),
        lonely=draw(st.sampled_from((2, 2, 2, 2, 2, 2, 2, 2, 0, 1))),
        named=draw(st.booleans()),
        utilities=draw(st.sampled_from(("whole", "decimal", "outcome"))),
    )
    return NamedRandomGame(knobs) if knobs.named else RandomGame(knobs)


def random_table(game: Any, player: int, kind: str, seed: int) -> Table:
    """Probabilities at every infoset: `mixed` (all positive), `sparse` (some 0), `pure`, or `uniform`."""
    rng = random.Random(seed)
    table: Table = {}
    for infoset, names in infosets(game, player).items():
        weights = [1.0] * len(names)
        if kind == "mixed":
            weights = [rng.uniform(0.05, 1.0) for _ in names]
        elif kind == "sparse":
            weights = [rng.choice((0.0, rng.random())) for _ in names]
        if kind == "pure" or sum(weights) == 0.0:
            weights = [0.0] * len(names)
            weights[rng.randrange(len(names))] = 1.0
        table[infoset] = {name: w / sum(weights) for name, w in zip(names, weights, strict=True)}
    return table


KINDS = ("mixed", "sparse", "pure", "uniform")


@dataclass(frozen=True)
class MatchUp:
    """A random game, loaded, with a random model of one player. seat: the responder's."""

    rules: Any
    game: cp.GameTree
    seat: int
    table: Table
    model: cp.Strategy


@st.composite
def match_ups(draw: st.DrawFn) -> MatchUp:
    """A random game with a responder and a random model of the other player."""
    rules = draw(games())
    seat = draw(st.integers(0, 1))
    table = random_table(rules, 1 - seat, draw(st.sampled_from(KINDS)), draw(st.integers(0, 10**6)))
    game = cp.load(rules)
    return MatchUp(rules, game, seat, table, cp.opponent(game, table.__getitem__, player=1 - seat))


class Wrapped:
    """Another game with some of its methods replaced by a subclass. It tells as much of those who do not act."""

    def __init__(self, game: Any) -> None:
        self.game, self.augmented = game, getattr(game, "augmented", False)
        self.name = f"{type(self).__name__} {game.name}"

    def root(self) -> Any:
        return self.game.root()

    def player(self, state: Any) -> int:
        return self.game.player(state)

    def actions(self, state: Any) -> Any:
        return self.game.actions(state)

    def chance(self, state: Any) -> Any:
        return self.game.chance(state)

    def child(self, state: Any, action: Any) -> Any:
        return self.game.child(state, action)

    def infoset(self, state: Any, player: int) -> str:
        return self.game.infoset(state, player)

    def action_name(self, state: Any, action: Any) -> str:
        named = getattr(self.game, "action_name", None)
        return str(named(state, action)) if named else str(action)

    def utility(self, state: Any) -> float:
        return self.game.utility(state)


class Renamed(Wrapped):
    """Every text is another one, and every list of actions runs backwards."""

    def actions(self, state: Any) -> Any:
        return list(self.game.actions(state))[::-1]

    def chance(self, state: Any) -> Any:
        return list(self.game.chance(state))[::-1]

    def infoset(self, state: Any, player: int) -> str:
        return f"({self.game.infoset(state, player)[::-1]})"

    def action_name(self, state: Any, action: Any) -> str:
        return f"to {super().action_name(state, action)}"


class Swapped(Wrapped):
    """The players have changed seats."""

    def player(self, state: Any) -> int:
        who = self.game.player(state)
        return 1 - who if who in (0, 1) else who

    def infoset(self, state: Any, player: int) -> str:
        return self.game.infoset(state, 1 - player)

    def utility(self, state: Any) -> float:
        return -self.game.utility(state)


class Scaled(Wrapped):
    """All utilities are multiplied by `factor`."""

    def __init__(self, game: Any, factor: float) -> None:
        super().__init__(game)
        self.factor = factor

    def utility(self, state: Any) -> float:
        return self.factor * self.game.utility(state)
