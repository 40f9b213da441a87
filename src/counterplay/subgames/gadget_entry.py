"""Putting an entry in front of a cut, and what is worth what there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterplay.games.game import TERMINAL
from counterplay.leaves.matrix import Matrix
from counterplay.leaves.matrix_valued import MatrixValued
from counterplay.problem.subgame import Subgame
from counterplay.subgames.continuations import ContinuationCut
from counterplay.subgames.cut import Cut
from counterplay.subgames.entry import Entry, come_or_not, open_entry
from counterplay.subgames.gadget_game import CutGame
from counterplay.subgames.sequences import SubgameSequences
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best
from counterplay.treeplex.treeplex import Treeplex

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


def build_gadget_game(
    piece: Cut,
    entry: Entry,
    plan: Floats,
    other_plan: Floats | None = None,
    estimate: Floats | None = None,
    states: MatrixValued | None = None,
) -> CutGame:
    """Put an entry in front of a cut.

    Args:
        piece: from `cut`.
        entry: from `gadgets`.
        plan: the resolver's plan in the whole game, from which comes the range.
        other_plan: the opponent's plan in the whole game, where the entry fixes the opponent's range.
        estimate: (limit,) chips of player 0 at each history of the limit, as if the game ended there; by default nothing
            is paid there.
        states: matrix-valued states at the histories of the limit, instead.
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
    restrictions = [fix_decisions(tree, choices[0], piece.top.range(me, plan)), Restriction()]
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
        piece,
        subgame,
        (homes[order[0]], homes[order[1]]),
        (choices[order[0]], choices[order[1]]),
        (border[order[0]], border[order[1]]),
        entry,
        other_place[entry.at],
        limit,
    )


def _range(piece: Cut, plan: Floats | None) -> Floats:
    if plan is None:
        raise ValueError("this entry fixes the opponent's range and needs the opponent's plan")
    return piece.top.range(piece.opponent, plan)


def fix_decisions(tree: Treeplex, places: Ints, values: Floats) -> Restriction:
    """The restriction of a player whose first decisions, those of these sequences, are made: a range, not normalised."""
    keep, mix = np.ones(tree.lanes), np.zeros(tree.size)
    keep[tree.owner[places]] = 0.0
    mix[places] = values
    return Restriction(keep=keep, mix=mix)


def _weight(piece: Cut, entry: Entry, histories: Longs) -> Floats:
    """Chance's probability of histories of the subgame, scaled as the entry says."""
    reach = piece.game.histories.reach[histories]
    return reach if entry.scale is None else reach * entry.scale[piece.known(piece.opponent, histories)]


def _entries(
    piece: Cut, entry: Entry, mine: SubgameSequences, theirs: SubgameSequences, plan: Floats, estimate: Floats | None
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


def alternative_values(piece: Cut, strategy: Strategy, other: Strategy | None = None) -> Floats:
    """(size,) what each of the opponent's augmented infosets at the roots can get against the resolver's strategy: CFVs in
    chips of the opponent, times chance's and the resolver's reach.

    Args:
        piece: the subgame.
        strategy: the resolver's, in the whole game.
        other: what the opponent does; by default the best.
    """
    return cfvs_at_top(build_gadget_game(piece, open_entry(piece.size), strategy.plan), strategy, other)


def cfvs_at_top(problem: CutGame, strategy: Strategy, other: Strategy | None = None) -> Floats:
    """The same, given the problem of any entry that is not full and pays no constant."""
    piece = problem.piece
    me, opponent = piece.resolver, piece.opponent
    tree = problem.subgame.trees[me]
    plan = problem.subgame.restrictions[me].played(tree, problem.taken(me, strategy.behaviour))
    cfv = problem.subgame.leaves.product(opponent, plan)
    theirs = problem.subgame.trees[opponent]
    bound = Restriction() if other is None else _playing(theirs, problem.taken(opponent, other.behaviour))
    best(theirs.arrays, bound.keep, bound.mix, cfv, np.zeros(theirs.size))
    return np.asarray(cfv[problem.choices[opponent]], np.float64)


def _playing(tree: Treeplex, behaviour: Floats) -> Restriction:
    return Restriction.local(tree, behaviour, np.ones(tree.lanes))
