"""Classes of decisions in a spot: by street, what came before and the size of a bet faced; and by the usual statistics."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.opponents.villain.statistics import kind_of
from counterplay.opponents.villain.strategy_figures import walk_tree
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Move
from counterplay.poker.betting.tree import BettingTree

LARGE = 0.6
"""The share of the pot from which a bet is large."""
FOLDS, RAISES, BETS = "folds", "raises", "bets"


class NodeActions(NamedTuple):
    """A decision in a class. node: of the betting tree. hits: the actions whose frequency it is. among: those that count."""

    node: int
    hits: tuple[int, ...]
    among: tuple[int, ...]


class FrequencyClass(NamedTuple):
    """Decisions of one player that are counted together. name: as in "river, facing a raise: folds"."""

    name: str
    nodes: tuple[NodeActions, ...]


def situations(betting: BettingTree, player: int) -> tuple[FrequencyClass, ...]:
    """The classes of a player's decisions by situation: how often they bet, or fold and raise."""
    found: dict[tuple[int, int, str], list[NodeActions]] = {}
    for node in range(betting.nodes):
        moves = [Move(int(betting.move[child])) for child in betting.children(node)]
        if betting.kind[node] != player or len(moves) < 2:
            continue
        order, name = _situation(betting, node)
        every, street = tuple(range(len(moves))), int(betting.street[node])
        raises = tuple(k for k in every if moves[k] >= Move.BET)
        folds = tuple(k for k in every if moves[k] is Move.FOLD)
        for hits, verb in ((folds, FOLDS), (raises, RAISES if folds else BETS)):
            if hits:
                found.setdefault((street, order, f"{name}: {verb}"), []).append(NodeActions(node, hits, every))
    return tuple(FrequencyClass(name, tuple(nodes)) for (_, _, name), nodes in sorted(found.items()))


def _situation(betting: BettingTree, node: int) -> tuple[int, str]:
    """The rank and the name of a decision's situation."""
    street, player = STREETS[betting.street[node]], int(betting.kind[node])
    faced = float(betting.committed[node, 1 - player] - betting.committed[node, player])
    if faced <= 0.0:
        checked = Move(int(betting.move[node])) is Move.CHECK
        return (1, f"{street}, after a check") if checked else (0, f"{street}, first")
    above = int(betting.parent[node])
    if betting.committed[above, 0] != betting.committed[above, 1]:
        return 4, f"{street}, facing a raise"
    large = faced / (float(betting.pot[node]) - faced) >= LARGE
    size = f"{100.0 * LARGE:.0f}%"
    return (3, f"{street}, facing a bet of at least {size}") if large else (2, f"{street}, facing a bet below {size}")


def statistic_classes(betting: BettingTree, player: int) -> tuple[FrequencyClass, ...]:
    """The classes of a player's decisions by the statistics of the villain card (`villain.statistics.STATISTICS`)."""
    found: dict[str, list[NodeActions]] = {}
    for node, state, watch in walk_tree(betting):
        if state.kind != player:
            continue
        kinds = [kind_of(Move(int(betting.move[child]))) for child in betting.children(node)]
        for one in watch.statistics(state):
            hits, among = (tuple(k for k, kind in enumerate(kinds) if kind in asked) for asked in (one.hits, one.among))
            if hits and len(kinds) > len(hits):
                found.setdefault(one.name, []).append(NodeActions(node, hits, among))
    return tuple(FrequencyClass(name, tuple(nodes)) for name, nodes in found.items())
