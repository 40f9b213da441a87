"""The gadget game of a cut: an entry in front, and its payoffs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterplay.games.game import TERMINAL
from counterplay.leaves.matrix import Matrix
from counterplay.leaves.matrix_valued import MatrixValued
from counterplay.problem.subgame import Subgame
from counterplay.subgames.continuations import ContinuationCut
from counterplay.subgames.cut_game import CutGame
from counterplay.subgames.cut_shape import CutShape
from counterplay.subgames.entry import Entry, come_or_not
from counterplay.subgames.plan_store import Numbers
from counterplay.subgames.sequences import SubgameSequences
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.treeplex import Treeplex

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


def build_gadget_game(
    piece: CutShape,
    entry: Entry,
    plan: Numbers,
    other_plan: Numbers | None = None,
    estimate: Floats | None = None,
    states: MatrixValued | None = None,
    unit: float = 1.0,
) -> CutGame:
    """The gadget game of a cut: `entry` in front of it.

    Args:
        piece: the cut.
        entry: the entry of a gadget.
        plan: the resolver's plan in the whole game, which gives the range.
        other_plan: the opponent's plan in the whole game, if the entry fixes the opponent's range.
        estimate: (limit,) chips of player 0 at each history of the limit, as if the game ended there; 0 by default.
        states: matrix-valued states at the histories of the limit, instead of `estimate`.
        unit: divisor of the resolver's range, and with it of all payoffs; the entry's constants are in this unit.
    """
    game, me = piece.game, piece.resolver
    mine = SubgameSequences(piece, me, *come_or_not(piece.top.sizes[me]))
    theirs = SubgameSequences(piece, 1 - me, entry.actions, None if entry.full else entry.choice)
    limit = None if states is None else ContinuationCut.behind(piece, states, mine, theirs)
    (tree, place, home), (other_tree, other_place, other_home) = mine.tree(), theirs.tree()
    parts = [_entries(piece, entry, mine, theirs, plan, estimate)]
    if limit is not None:
        parts.append(limit.entries(_weight(piece, entry, piece.limit.histories)))
    row, column, value = (np.concatenate([part[i] for part in parts]) for i in range(3))
    trees, homes = (tree, other_tree), (home, other_home)
    indices, shape = (place[row], other_place[column]), (tree.size, other_tree.size)
    choices = (place[mine.choice], other_place[theirs.choice] if not entry.full else np.zeros(piece.size, np.int32))
    border = (place[mine.border()], other_place[theirs.border()])
    restrictions = [fix_decisions(tree, choices[0], piece.top.range(me, plan) / unit), Restriction()]
    if entry.fixed:
        their_range = entry.range if entry.range is not None else _range(piece, other_plan)
        restrictions[1] = fix_decisions(other_tree, choices[1], their_range)
    if limit is not None:
        limit = limit.placed(place, other_place)
        restrictions[1] = limit.without_model(other_tree, restrictions[1])
    order = (0, 1) if me == 0 else (1, 0)
    groups = (trees[order[0]].arrays.groups, trees[order[1]].arrays.groups)
    payoff = Matrix.from_entries(
        indices[order[0]], indices[order[1]], value, (shape[order[0]], shape[order[1]]), groups
    )
    subgame = Subgame(
        (trees[order[0]], trees[order[1]]),
        payoff,
        (restrictions[order[0]], restrictions[order[1]]),
        chance=game.subgame.chance,
    )
    return CutGame(
        me,
        subgame,
        entry,
        (choices[order[0]], choices[order[1]]),
        other_place[[] if entry.declines is None else entry.declines],
        unit,
        piece,
        (homes[order[0]], homes[order[1]]),
        (border[order[0]], border[order[1]]),
        limit,
    )


def _range(piece: CutShape, plan: Numbers | None) -> Floats:
    if plan is None:
        raise ValueError("this entry fixes the opponent's range and needs the opponent's plan")
    return piece.top.range(piece.opponent, plan)


def fix_decisions(tree: Treeplex, places: Ints, values: Floats) -> Restriction:
    """The restriction of a player whose first decisions, at these sequences, are fixed: a range, not normalised."""
    keep, mix = np.ones(tree.lanes), np.zeros(tree.size)
    keep[tree.owner[places]] = 0.0
    mix[places] = values
    return Restriction(keep=keep, mix=mix)


def _weight(piece: CutShape, entry: Entry, histories: Longs) -> Floats:
    """Chance's probability of histories of the subgame, times the entry's scale."""
    reach = piece.game.histories.reach[histories]
    return reach if entry.scale is None else reach * entry.scale[piece.known(piece.opponent, histories)]


def _entries(
    piece: CutShape,
    entry: Entry,
    mine: SubgameSequences,
    theirs: SubgameSequences,
    plan: Numbers,
    estimate: Floats | None,
) -> tuple[Ints, Ints, Floats]:
    """The payoff of player 0 as (raw own sequence, raw opposing sequence, chips times chance)."""
    table = piece.game.histories
    inside, ended = piece.root >= 0, table.player == TERMINAL
    ends = np.flatnonzero(ended & inside)
    rows, columns = [mine.at(ends)], [theirs.at(ends)]
    values = [table.utility[ends] * _weight(piece, entry, ends)]
    if estimate is not None:
        limit = piece.limit.histories
        rows, columns = [*rows, mine.at(limit)], [*columns, theirs.at(limit)]
        values.append(estimate * _weight(piece, entry, limit))
    if entry.full:  # an end outside the subgame: the own part is decided and folded in
        out = np.flatnonzero(ended & ~inside)
        rows.append(np.zeros(len(out), np.int32))
        columns.append(theirs.at(out))
        values.append(table.utility[out] * table.reach[out] * plan[piece.game.sequences[piece.resolver][out]])
    sign = 1.0 if piece.opponent == 0 else -1.0
    rows.append(np.zeros(len(entry.constant), np.int32))
    columns.append(entry.at)
    values.append(sign * entry.constant)
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
