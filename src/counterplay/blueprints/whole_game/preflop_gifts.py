"""Gifts before the flop, which reach max-margin may give back on it (Brown and Sandholm 2017)."""

from __future__ import annotations

import numpy as np

from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.measure import entry_values, preflop_values
from counterplay.poker.whole_game.strategy import BlueprintStrategy, reaches


def gifts_before(game: HoldemGame, blueprint: BlueprintStrategy, player: int) -> Floats:
    """(entries, hands of the deck) chips that a player who comes to each entry gave away on the way against the blueprint:
    at each of its actions by how much another one was better, in chips a hand met (reach max-margin)."""
    flops, side = game.flops, game.sides[player]
    met = reaches(game.sides[1 - player], blueprint.preflop[1 - player])
    worth = preflop_values(game, player, met, entry_values(game, player, blueprint))
    for _, before, first, count in side.preflop[::-1]:
        worth[before] += worth[first : first + count].max(axis=0)
    lost = np.zeros_like(worth)
    weight = _passing(game, player, met)
    for _, before, first, count in side.preflop:
        best = worth[first : first + count].max(axis=0)
        lost[first : first + count] = lost[before]
        for s in range(first, first + count):
            given, there = np.maximum(best - worth[s], 0.0), weight[s]
            lost[s] += np.divide(given, there, out=np.zeros_like(given), where=there > 0.0)
    return np.asarray(lost[side.entry][:, flops.group], np.float64)


def _passing(game: HoldemGame, player: int, met: Floats) -> Floats:
    """(sequences, classes) pairs of hands and flops that come by each of a player's decisions, in the unit of its values.

    The opponent's reach at a decision is that of its last sequence above, the same for all actions there."""
    flops, betting, side = game.flops, game.betting, game.sides[player]
    out = np.zeros((side.sizes[0], flops.classes))
    last = {int(row[0]): row for one in game.sides for row in one.preflop}
    for node, _, first, count in side.preflop:
        theirs, at = 0, int(node)
        while at > 0 and theirs == 0:
            above = int(betting.parent[at])
            if betting.kind[above] == 1 - player:
                theirs = int(last[above][2]) + int(betting.action[at])
            at = above
        out[first : first + count] = (met[theirs] @ flops.meets) * flops.deals[1]
    return out
