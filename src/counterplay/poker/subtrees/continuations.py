"""Matrix-valued states on ranges (Milec et al. 2025): at the end of a street each hand of both players chooses one of a
portfolio of strategies to continue; the value of a pair of choices is a sweep of the rest of the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.leaves.plan_mixture import MixtureMap, PlanMixture
from counterplay.poker.public_tree.hand_treeplex import choices, has_choice, layer_of
from counterplay.poker.subtrees.street_limit import StreetEnd
from counterplay.problem.subgame import Subgame
from counterplay.subgames.cut_game import ContinuationChoices
from counterplay.treeplex.restriction import Numbers
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import Treeplex

T = TypeVar("T")


class BorderChoices(NamedTuple):
    """One player's choices at the end of a street: the treeplex with them, their sequences, (border hands,) the sequence of
    the whole tree that leads to each hand, for each deal the first of its hands, and the layer of their boards."""

    tree: Treeplex
    choices: ContinuationChoices
    came: I64
    first: dict[int, int]
    layer: int


@dataclass(frozen=True, eq=False)
class ContinuationProblem:
    """A look-ahead up to the end of a street, with both players' portfolios there. In `subgame` both are dealt from
    their ranges; the model is not in it. `spreads` map plans to the whole tree."""

    part: StreetEnd
    sides: tuple[BorderChoices, BorderChoices]
    spreads: tuple[MixtureMap, MixtureMap]
    subgame: Subgame

    def behaviour(self, player: int, whole: Numbers, *, model: bool = False) -> F64:
        """(size,) a behaviour of the whole tree, in the look-ahead; for a model, with its own continuation."""
        side = self.sides[player]
        came = reach(self.part.whole.runs[player].tree, whole[:])[side.came] if model else None
        return behaviour_at_border(self.part, side, whole, came)


def behaviour_at_border(part: StreetEnd, side: BorderChoices, whole: Numbers, came: F64 | None) -> F64:
    """(size,) a behaviour (whole size,) of the whole tree in a treeplex with choices at the end of a street; of a
    model, which continues apart, with `came`, its (border hands,) range there."""
    small, large = part.pairs(side.tree.player)
    out = np.zeros(side.tree.size)
    out[small] = whole[large]
    out[0] = 1.0
    if came is not None:
        side.choices.follow_model(out, came)
    return out


def add_continuations(
    part: StreetEnd, portfolios: tuple[Sequence[Strategy], Sequence[Strategy]], model: Strategy | None
) -> ContinuationProblem:
    """Add portfolios at the end of a street: strategies of oop and of ip in the whole tree. The model continues as
    itself."""
    betting, boards, small = part.whole.betting, part.whole.boards, part.subgame()
    sides, spreads = list[BorderChoices](), list[MixtureMap]()
    for player, runs in enumerate(part.whole.runs):
        modelled = model is not None and model.player == player
        portfolio, large = in_portfolio(portfolios[player], modelled=modelled), runs.tree
        side = border_choices(part, player, len(portfolio), modelled=modelled)
        ways = [(strategy, side.choices.own[:, k]) for k, strategy in enumerate(portfolio)]
        ways += [(model, side.choices.apart[:, 0])] if model is not None and modelled else []
        # The player's sequences after the deals in the whole tree, and the border hand of each.
        after, hands = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for deal in part.deals:
            for node in range(deal, int(betting.end[deal])):
                if has_choice(betting, node, player):
                    up = boards.above(layer_of(betting, node), side.layer)
                    for child in betting.children(node):
                        after.append(int(runs.start[child]) + np.arange(len(up)))
                        hands.append(side.first[deal] + up)
        rows, hand = np.concatenate(after), np.concatenate(hands)
        inner, outer = part.pairs(player)
        parts: list[tuple[Any, Any, Any]] = [(outer, inner, np.ones(len(inner)))]
        inside = np.zeros(large.size, np.bool_)
        inside[rows] = True
        for strategy, sequences in ways:
            plan = reach(large, np.where(inside, strategy.behaviour, np.where(large.real, 1.0, 0.0)))
            parts.append((rows, sequences[hand], plan[rows]))
        spreads.append(MixtureMap.of(side.tree.size, large.size, parts))
        sides.append(side)
    restrictions = tuple(side.choices.closed(side.tree, small.restrictions[i]) for i, side in enumerate(sides))
    leaves = PlanMixture(part.whole.leaves, (spreads[0], spreads[1]))
    subgame = Subgame((sides[0].tree, sides[1].tree), leaves, (restrictions[0], restrictions[1]))
    return ContinuationProblem(part, (sides[0], sides[1]), (spreads[0], spreads[1]), subgame)


def border_choices(part: StreetEnd, player: int, count: int, *, modelled: bool) -> BorderChoices:
    """Let each of a player's hands choose among `count` continuations, and a model's go on apart."""
    whole, boards = part.whole, part.whole.boards
    large, small = whole.runs[player], part.runs[player]
    before = choices(part.betting, player)[0]
    parents, came = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    starts: dict[int, int] = {}
    number = {int(node): k for k, node in enumerate(part.nodes.tolist())}
    reached, border = 0, 0
    for deal in part.deals:
        border = layer_of(whole.betting, deal) + 1
        after = int(before[number[deal]])
        made = 0 if after < 0 else layer_of(part.betting, int(part.betting.parent[after]))
        up = boards.above(border, made)
        parents.append(int(small.start[after]) + up)
        came.append(int(large.start[part.nodes[after] if after >= 0 else after]) + up)
        starts[deal] = reached
        reached += len(up)
    tree, made_choices = ContinuationChoices.after(small.tree, np.concatenate(parents), count, modelled=modelled)
    return BorderChoices(tree, made_choices, np.concatenate(came), starts, border)


def in_portfolio(portfolio: Sequence[T], *, modelled: bool) -> list[T]:
    """The strategies between which a player chooses, at least two in front of a model: then it is a decision."""
    return [*portfolio, *portfolio] if modelled and len(portfolio) == 1 else list(portfolio)
