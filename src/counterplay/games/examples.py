"""Small games as trees of plain Python data (`TreeGame`): examples of the papers, and two of ours. P1 is player 0, P2 is
player 1.

Ours are two games in which a common gadget loses most of the trade-off between gain and safety (Milec et al. 2024,
appendix C).
The payoffs are ours: the paper prints its own (figure 8) only as a picture. The effect is the paper's (figures 4 and 9).
P2 leaves a gift or a trap, P1 sees nothing and reaches in, from "1", not at all, to "5", as far as it goes. In both games
the value is 0 and the actions have the same gain against a P2 who always leaves gifts, and the same exploitability:

    action           "1"       "2"         "3"         "4"         "5"
    gain              0         4           7           9           10
    exploitability    0         1           3           6           10
    RNR for p in    [0, 1/5]  [1/5, 2/5]  [2/5, 3/5]  [3/5, 4/5]  [4/5, 1]

From each action to the next the gain grows by 4, 3, 2, 1 and the exploitability by 1, 2, 3, 4, and both are linear in P1's
probabilities. So p * gain - (1 - p) * exploitability is best at one action alone inside these intervals.

The gadgets resolve P1's decision from the safe plan "1", which is worth 0 everywhere: all alternative values are 0. A gadget
that weighs all of P2's infosets by another constant moves the p at which its answer changes, and brings back no action.
P1 decides only once, so look-aheads from the root of the game on find RNR; the gadget has to be put at that decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from counterplay.display import brief
from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE, TERMINAL, chance_fault


@dataclass(frozen=True)
class DecisionNode:
    """A player chooses. player: 0 or 1. infoset: what the player knows; nodes with the same text are one information
    set. children: action to node. other: what the other player knows here; if left out, only the own last move."""

    player: int
    infoset: str
    children: Mapping[str, Node]
    other: str = ""


@dataclass(frozen=True)
class ChanceNode:
    """Chance chooses; `outcomes` maps each outcome to its probability and node."""

    outcomes: Mapping[str, tuple[float, Node]]


Node: TypeAlias = DecisionNode | ChanceNode | float
"""A node of the tree; a number ends the game and is the utility of player 0."""


class TreeState(NamedTuple):
    """A state: the node, and the last own move of each player."""

    node: Node
    moved: tuple[str, str]


class TreeGame:
    """The game of a tree of `DecisionNode`, `ChanceNode` and numbers.

    Raises:
        InputError: chance that is not a probability distribution, no actions, or an infoset with two sets of actions.
    """

    augmented = True

    def __init__(self, name: str, tree: Node) -> None:
        self.name = name
        self.tree = tree
        infosets: dict[tuple[int, str], tuple[str, ...]] = {}
        for node in _nodes(tree):
            if isinstance(node, ChanceNode):
                fault = chance_fault([odds for odds, _ in node.outcomes.values()], len(node.outcomes))
                if fault:
                    raise InputError(f"{name}: the chance probabilities of {quoted(', '.join(node.outcomes))} {fault}")
            elif isinstance(node, DecisionNode):
                text, actions = quoted(node.infoset), tuple(node.children)
                if node.player not in (0, 1) or not actions:
                    raise InputError(f"{name}: the infoset {text} needs a player, 0 or 1, and at least one action")
                if infosets.setdefault((node.player, node.infoset), actions) != actions:
                    raise InputError(f"{name}: the infoset {text} has different actions at different nodes")

    def __repr__(self) -> str:
        return brief(self, self.name)

    def root(self) -> TreeState:
        return TreeState(self.tree, ("start", "start"))

    def player(self, state: TreeState) -> int:
        if isinstance(state.node, DecisionNode):
            return state.node.player
        return CHANCE if isinstance(state.node, ChanceNode) else TERMINAL

    def actions(self, state: TreeState) -> list[str]:
        if isinstance(state.node, DecisionNode):
            return list(state.node.children)
        return list(state.node.outcomes) if isinstance(state.node, ChanceNode) else []

    def chance(self, state: TreeState) -> list[float]:
        return [odds for odds, _ in state.node.outcomes.values()] if isinstance(state.node, ChanceNode) else []

    def child(self, state: TreeState, action: str) -> TreeState:
        node = state.node
        if isinstance(node, DecisionNode):
            moved = f"{node.infoset}, {action}"
            first, second = state.moved
            return TreeState(node.children[action], (moved, second) if node.player == 0 else (first, moved))
        assert isinstance(node, ChanceNode)
        return TreeState(node.outcomes[action][1], state.moved)

    def infoset(self, state: TreeState, player: int) -> str:
        if isinstance(state.node, DecisionNode):
            known = state.node.infoset if state.node.player == player else state.node.other
            return known or state.moved[player]
        return state.moved[player]

    def utility(self, state: TreeState) -> float:
        assert isinstance(state.node, (int, float))
        return float(state.node)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node, DecisionNode):
        below = list(node.children.values())
    else:
        below = [child for _, child in node.outcomes.values()] if isinstance(node, ChanceNode) else []
    for child in below:
        yield from _nodes(child)


Table = Sequence[Sequence[float]]

ACTIONS = ("1", "2", "3", "4", "5")
GAINS = (0.0, 4.0, 7.0, 9.0, 10.0)
"""What each action wins against the model, in both games."""
EXPLOITABILITIES = (0.0, 1.0, 3.0, 6.0, 10.0)
"""What each action loses to the best answer, in both games."""
SWITCHES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""The restricted Nash response with p between the k-th and the next of these numbers is the k-th action alone."""

MARGIN_MODEL = {f"room {i}": {"gift": 1.0, "trap": 0.0} for i in range(1, 6)}
"""P2 in `margin_counterexample` who always leaves a gift."""
RESOLVING_MODEL = {"rooms": {"gift": 1.0} | {f"trap {i}": 0.0 for i in range(1, 6)}}
"""P2 in `resolving_counterexample` who always leaves a gift."""


def cdrnr_fig2() -> TreeGame:
    """Milec et al. 2024, figure 2: P2 picks a version of biased matching pennies, P1 does not see which.

    Value -4/3: P1 plays H with 2/3, P2 its own version q with 2/3 and h after it. Unsafe resolving may return any H
    between 1/3 and 3/4."""
    standard = {"H": {"h": -2.0, "t": 0.0}, "T": {"h": 0.0, "t": -1.0}}
    own = {"H": {"h": -1.0, "t": -2.0}, "T": {"h": -2.0, "t": 1.0}}

    def version(name: str, payoffs: dict[str, dict[str, float]]) -> Node:
        return DecisionNode(
            0, "pick a side", {side: DecisionNode(1, f"guess in {name}", payoffs[side]) for side in "HT"}
        )

    return TreeGame("cdrnr_fig2", DecisionNode(1, "pick a game", {"p": version("p", standard), "q": version("q", own)}))


def cdrnr_fig3() -> TreeGame:
    """Milec et al. 2024, figure 3: resolving and max-margin gadgets misjudge the cost of leaving the equilibrium Q.

    Playing P costs 3 against the best deviation (RH, GH); the resolving gadget says 3.5, the max-margin gadget 2. These
    numbers fix P against RT (-1), and -4 and -2 against RH and GH in one order or the other; the text does not give P
    against GT, which must be positive: 6 makes P worth playing against a model that plays GT, whatever it plays on red.
    """

    def coin(color: str, heads: float, tails: float) -> Node:
        placed = {color[0].upper() + side: payoff for side, payoff in (("H", heads), ("T", tails))}
        return DecisionNode(
            1,
            color,
            {name: DecisionNode(0, "play or quit", {"P": payoff, "Q": 0.0}) for name, payoff in placed.items()},
        )

    coins = {"red": (0.5, coin("red", -4.0, -1.0)), "green": (0.5, coin("green", -2.0, 6.0))}
    return TreeGame("cdrnr_fig3", ChanceNode(coins))


def cdrnr_fig10() -> TreeGame:
    """Milec et al. 2024, figure 10: against h with 2/3 and always x, a depth-limited best response loses to the equilibrium.

    Value 1/2; against that model the equilibrium earns 2, always T 10/3, and always H 2/3."""
    gift = DecisionNode(1, "after tails", {"x": 10.0, "y": 1.0})
    guess = "guess"
    return TreeGame(
        "cdrnr_fig10",
        DecisionNode(
            0,
            "pick a side",
            {"H": DecisionNode(1, guess, {"h": 1.0, "t": 0.0}), "T": DecisionNode(1, guess, {"h": 0.0, "t": gift})},
        ),
    )


def ggse_fig1() -> TreeGame:
    """Kubíček et al. 2026, figure 1: matching pennies in which P1 may also forfeit (F).

    Value 1/2, at H and T with 1/2 each; the blueprint (1/2, 1/2, 0) on F, H, T has exploitability 1, and the max-margin
    gadget returns (0, 3/4, 1/4)."""

    def guess(other: str) -> Node:
        return DecisionNode(0, "guess", {"F": -1.0, "H": float(other == "H"), "T": float(other == "T")})

    return TreeGame("ggse_fig1", DecisionNode(1, "hide", {side: guess(side) for side in "HT"}))


def _three_states(name: str, tables: Sequence[Table]) -> TreeGame:
    """Chance draws one of three states, then P1 and P2 pick a side each; rows of a table are P1's H and T.

    P1 tells state 1 from the others, P2 tells state 3 from the others."""
    outcomes: dict[str, tuple[float, Node]] = {}
    for state, table in enumerate(tables, 1):
        first, second = "state 1" if state == 1 else "state 2 or 3", "state 3" if state == 3 else "state 1 or 2"
        replies = [DecisionNode(1, second, {"H": row[0], "T": row[1]}) for row in table]
        outcomes[f"state {state}"] = (
            1 / 3,
            DecisionNode(0, first, dict(zip("HT", replies, strict=True)), other=second),
        )
    return TreeGame(name, ChanceNode(outcomes))


def ggse_fig5() -> TreeGame:
    """Kubíček et al. 2026, figure 5: equilibria of one gadget game differ in the whole game.

    Value 7/9; P1 plays H with 2/3 in state 1 and 1/2 in states 2 and 3."""
    pennies = ((1.0, 0.0), (0.0, 1.0))
    return _three_states("ggse_fig5", (((2.0, 1.0), (0.0, 2.0)), pennies, pennies))


def ggse_fig8() -> TreeGame:
    """Kubíček et al. 2026, figure 8: rock-paper-scissors, P2 first; both gadgets return the blueprint "always R"."""

    def reply(hidden: int) -> Node:
        return DecisionNode(0, "reply", {name: (0.0, 1.0, -1.0)[(own - hidden) % 3] for own, name in enumerate("RPS")})

    return TreeGame("ggse_fig8", DecisionNode(1, "hide", {name: reply(i) for i, name in enumerate("RPS")}))


def ggse_fig11() -> TreeGame:
    """Kubíček et al. 2026, figure 11: the max-margin gadget cannot return the game's equilibrium, the resolving gadget can.

    Value 5/6; P1 plays H always in state 1 and with 1/4 in states 2 and 3."""
    tables = (((2.0, 0.0), (0.0, 1.0)), ((1.0, 0.0), (0.0, 3.0)), ((1.0, 0.0), (0.0, 1.0)))
    return _three_states("ggse_fig11", tables)


def _reach(payoffs: Sequence[float]) -> DecisionNode:
    """P1's only decision, at one of its histories; all of them are one infoset."""
    return DecisionNode(0, "reach in", dict(zip(ACTIONS, payoffs, strict=True)))


def margin_counterexample() -> TreeGame:
    """Chance opens one of five rooms, P2 sees which and leaves a gift or a trap: max-margin finds "1" and "5" only.

    The gift pays `GAINS`. The trap of room 1 costs 0, 5, 15, 30, 10, any other 0, 0, 0, 0, 10; each room has chance 1/5.

    RNR, the full and the resolving gadget: P2 may set all five traps, which cost 0, 1, 3, 6, 10 together, so all five
    actions come, on the intervals of `SWITCHES`. Max-margin counts only the worst room, where pure actions lose 0, 1, 3, 6,
    2. It never counts less than room 1, which is linear in P1's probabilities and exact at mixtures of "1" and "5"; and in
    room 1 the points (4, 1), (7, 3), (9, 6) lie above the line from (0, 0) to (10, 2). So it returns "1" for p < 1/6 and
    "5" for p > 1/6, at exploitability 10, more than gain * p / (1 - p) (theorem 5.3) for all p from 1/6 to 1/2."""
    first = (0.0, -5.0, -15.0, -30.0, -10.0)
    other = (0.0, 0.0, 0.0, 0.0, -10.0)
    rooms = {}
    for label in MARGIN_MODEL:
        trap = first if label == "room 1" else other
        rooms[label] = (0.2, DecisionNode(1, label, {"gift": _reach(GAINS), "trap": _reach(trap)}))
    return TreeGame("cdrnr_fig8_margin", ChanceNode(rooms))


def resolving_counterexample() -> TreeGame:
    """P2 leaves a gift, or sets one of five traps: the resolving gadget finds "1" and "5" only.

    The gift pays `GAINS`. Trap 1 costs `EXPLOITABILITIES`, any other 0, 1, 3, 6, 0. There is no chance.

    RNR, the full and the max-margin gadget: P2 sets one trap, and trap 1 costs at least as much as any other, so all five
    actions come, on the intervals of `SWITCHES`. The resolving gadget adds up all five traps, of which P2 can set only one:
    5 times 1, 3 and 6, but once 10. That sum is linear in P1's probabilities, and (4, 5), (7, 15), (9, 30) lie above the
    line from (0, 0) to (10, 10). So it returns "1", and gains nothing, for p < 1/2, and "5" for p > 1/2."""
    first = (0.0, -1.0, -3.0, -6.0, -10.0)
    other = (0.0, -1.0, -3.0, -6.0, 0.0)
    hidden = {name: _reach({"gift": GAINS, "trap 1": first}.get(name, other)) for name in RESOLVING_MODEL["rooms"]}
    return TreeGame("cdrnr_fig8_resolving", DecisionNode(1, "rooms", hidden))
