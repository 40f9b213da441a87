"""Gifts on earlier streets, for reach max-margin (Brown and Sandholm 2017)."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.cards.deck import compatible_weight
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import places_of_hands, reach
from counterplay.poker.whole_game.strategy import BlueprintStrategy, reaches
from counterplay.poker.whole_game.values.measure import entry_values, preflop_values, values_on


def gifts_before(
    game: HoldemGame, blueprint: BlueprintStrategy, player: int, board: tuple[int, ...] = (), early: F64 | None = None
) -> F64:
    """(entries, hands of the deck) gifts of a player on the path to each entry of a street against the blueprint: for
    each action, the best value there less that of the action, in chips per opposing hand (reach max-margin)."""
    street = DEALT.index(len(board)) if board else 1
    if street == 1:
        return _before_the_flop(game, blueprint, player) if early is None else early
    before = board[: DEALT[street - 1]]
    lost = np.zeros((game.sides[player].sizes[street - 1], len(game.deck.hands)))
    above = gifts_before(game, blueprint, player, before, early)
    lost[: len(above)] = above
    return _add_gifts(game, blueprint, player, before, lost)


def _add_gifts(game: HoldemGame, blueprint: BlueprintStrategy, player: int, cards: tuple[int, ...], lost: F64) -> F64:
    """(entries of the next street, hands) the gifts so far, `lost` (sequences, hands), and those of a board's street."""
    side, street = game.sides[player], DEALT.index(len(cards))
    here, places = places_of_hands(game, cards)
    worth = values_on(game, player, blueprint, here)[:, places].astype(np.float64)
    decisions = side.decisions[street]
    for _, before, first, count in decisions[::-1]:
        worth[before] += worth[first : first + count].max(axis=0)
    for node, before, first, count in decisions.tolist():
        rows = slice(first, first + count)
        met = compatible_weight(game.deck.hands, reach(game, blueprint, 1 - player, node, cards))
        there = met * game.deals_after(street) * game.deck.live(cards)
        given = worth[rows].max(axis=0) - worth[rows]
        lost[rows] = lost[before] + np.divide(given, there, out=np.zeros_like(given), where=there > 0.0)
    return np.asarray(lost[side.entries[street + 1]])


def _before_the_flop(game: HoldemGame, blueprint: BlueprintStrategy, player: int) -> F64:
    """(entries, hands of the deck) the gifts before the flop."""
    boards, side = game.boards, game.sides[player]
    met = reaches(game.sides[1 - player], blueprint.preflop[1 - player])
    worth = preflop_values(game, player, met, entry_values(game, player, blueprint))
    for _, before, first, count in side.preflop[::-1]:
        worth[before] += worth[first : first + count].max(axis=0)
    lost = np.zeros_like(worth)
    weight = _passing(game, player, met)
    for _, before, first, count in side.preflop:
        best = worth[first : first + count].max(axis=0)
        # Gifts on the path so far, plus what each action gives up, per weight of the pairs that reach it.
        lost[first : first + count] = lost[before]
        for s in range(first, first + count):
            given, there = np.maximum(best - worth[s], 0.0), weight[s]
            lost[s] += np.divide(given, there, out=np.zeros_like(given), where=there > 0.0)
    return np.asarray(lost[side.entry][:, boards.group], np.float64)


def _passing(game: HoldemGame, player: int, met: F64) -> F64:
    """(sequences, classes) weight of pairs of hands and flops that reach each of a player's decisions, in the unit of
    its values.

    The opponent's reach at a decision is that of its last sequence above, the same for all actions there."""
    boards, betting, side = game.boards, game.betting, game.sides[player]
    out = np.zeros((side.sizes[0], boards.classes))
    last = {int(row[0]): row for one in game.sides for row in one.preflop}
    for node, _, first, count in side.preflop:
        theirs, at = 0, int(node)
        while at > 0 and theirs == 0:
            above = int(betting.parent[at])
            if betting.kind[above] == 1 - player:
                theirs = int(last[above][2]) + int(betting.action[at])
            at = above
        out[first : first + count] = (met[theirs] @ boards.meets) * game.deals_after(0)
    return out
