"""Matrix-valued states on ranges (Milec et al. 2025): at the end of a street each hand of both players chooses one of a
portfolio of strategies to continue; the value of a pair of choices is a sweep of the rest of the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.leaves.plan_mixture import MixtureMap, PlanMixture
from counterplay.poker.public_tree.hand_treeplex import choices, has_choice, layer_of
from counterplay.poker.subtrees.truncated import TruncatedTree
from counterplay.problem.subgame import Subgame
from counterplay.subgames.continuation_choices import ContinuationChoices
from counterplay.treeplex.branch_restriction import Numbers
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import Treeplex

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ContinuationSide:
    """One player's decisions: those of the part, and one more at each border hand.

    Attributes:
        tree: the treeplex.
        spread: map of its plans to the whole tree.
        choices: those of the border hands.
        came: (border hands,) the sequence of the whole tree that leads to each.
    """

    tree: Treeplex
    spread: MixtureMap
    choices: ContinuationChoices
    came: Ints


@dataclass(frozen=True, eq=False)
class ContinuationProblem:
    """A look-ahead up to the end of a street, with portfolios there.

    Attributes:
        part: the tree up to the end of the street.
        sides: of both players.
        subgame: the problem, both dealt from their ranges, without the model.
    """

    part: TruncatedTree
    sides: tuple[ContinuationSide, ContinuationSide]
    subgame: Subgame

    def behaviour(self, player: int, whole: Numbers, *, model: bool = False) -> Floats:
        """(size,) a behaviour of the whole tree, in the look-ahead; for a model, with its own continuation."""
        side = self.sides[player]
        out = np.zeros(side.tree.size)
        small, large = self.part.pairs(player)
        out[small] = whole[large]
        out[0] = 1.0
        if model:
            side.choices.follow_model(out, reach(self.part.whole.runs[player].tree, whole[:])[side.came])
        return out


def add_continuations(
    part: TruncatedTree, portfolios: tuple[Sequence[Strategy], Sequence[Strategy]], model: Strategy | None
) -> ContinuationProblem:
    """Add portfolios at the end of a street.

    Args:
        part: from `ended`.
        portfolios: strategies of oop and of ip in the whole tree.
        model: the model, which continues as itself.
    """
    sides = tuple(_side(part, i, portfolios[i], model if model and model.player == i else None) for i in (0, 1))
    small = part.subgame()
    restrictions = tuple(side.choices.closed(side.tree, small.restrictions[i]) for i, side in enumerate(sides))
    leaves = PlanMixture(part.whole.leaves, (sides[0].spread, sides[1].spread))
    subgame = Subgame((sides[0].tree, sides[1].tree), leaves, (restrictions[0], restrictions[1]))
    return ContinuationProblem(part, (sides[0], sides[1]), subgame)


def _side(part: TruncatedTree, player: int, portfolio: Sequence[Strategy], model: Strategy | None) -> ContinuationSide:
    whole, boards = part.whole, part.whole.boards
    large, small = whole.runs[player], part.runs[player]
    before = choices(part.betting, player)[0]
    parents, came = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    starts: dict[int, int] = {}
    number = {int(node): k for k, node in enumerate(part.nodes.tolist())}
    count, border = 0, 0
    for deal in part.deals.tolist():
        border = layer_of(whole.betting, deal) + 1
        after = int(before[number[deal]])
        made = 0 if after < 0 else layer_of(part.betting, int(part.betting.parent[after]))
        up = boards.above(border, made)
        parents.append(int(small.start[after]) + up)
        came.append(int(large.start[part.nodes[after] if after >= 0 else after]) + up)
        starts[deal] = count
        count += len(up)
    above = np.concatenate(parents)
    if model is not None and len(portfolio) == 1:  # the model does not take it, so that it must be a decision
        portfolio = [*portfolio, *portfolio]
    tree, made_choices = ContinuationChoices.after(small.tree, above, len(portfolio), modelled=model is not None)
    ways = [(strategy, made_choices.own[:, k]) for k, strategy in enumerate(portfolio)]
    ways += [(model, made_choices.apart[:, 0])] if model is not None else []
    terms = [part.pairs(player)]
    parts: list[tuple[Any, Any, Any]] = [(terms[0][1], terms[0][0], np.ones(len(terms[0][0])))]
    where = [_below(part, player, deal, starts[deal], border) for deal in part.deals.tolist()]
    rows, hands = (np.concatenate([np.zeros(0, np.int64), *(one[k] for one in where)]) for k in (0, 1))
    inside = np.zeros(large.tree.size, np.bool_)
    inside[rows] = True
    for strategy, sequences in ways:
        plan = reach(large.tree, np.where(inside, strategy.behaviour, np.where(large.tree.real, 1.0, 0.0)))
        parts.append((rows, sequences[hands], plan[rows]))
    return ContinuationSide(tree, MixtureMap.of(tree.size, large.tree.size, parts), made_choices, np.concatenate(came))


def _below(part: TruncatedTree, player: int, deal: int, first: int, border: int) -> tuple[Ints, Ints]:
    """A player's sequences after a deal in the whole tree, and the border hand of each."""
    betting, boards, runs = part.whole.betting, part.whole.boards, part.whole.runs[player]
    rows, hands = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for node in range(deal, int(betting.end[deal])):
        if has_choice(betting, node, player):
            layer = layer_of(betting, node)
            up = boards.above(layer, border)
            for child in betting.children(node):
                rows.append(int(runs.start[child]) + np.arange(boards.layers[layer].places))
                hands.append(first + up)
    return np.concatenate(rows), np.concatenate(hands)
