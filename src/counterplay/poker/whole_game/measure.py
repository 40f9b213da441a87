"""Values and exploitability in the whole game: exact, over all flops and all hands, by vectors of hands.

Nothing is sampled and nothing is forgotten: whatever buckets a strategy was made with, a best response sees every card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.jit.clock import run_time
from counterplay.poker.whole_game.board_kernels import add_best, add_played, values_against
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.preflop_kernels import add_met
from counterplay.poker.whole_game.strategy import BlueprintStrategy, entry_reach, reaches


@dataclass(frozen=True)
class BlueprintMeasure:
    """What two best responses say of a strategy, in chips a hand.

    Attributes:
        value: of the strategy against itself, to player 0.
        best: what each player's best response earns against it.
        milli: milli-big-blinds in a chip.
        seconds: that it took.
    """

    value: float
    best: tuple[float, float]
    milli: float
    seconds: float

    @property
    def nash_conv(self) -> float:
        return self.best[0] + self.best[1]

    @property
    def exploitability(self) -> float:
        """Mean over both seats, in milli-big-blinds a hand."""
        return self.nash_conv / 2 * self.milli


def measure(game: HoldemGame, play: BlueprintStrategy) -> BlueprintMeasure:
    """Value and exploitability of a strategy of both players."""
    begin = run_time()
    best = best_response_value(game, play, 0), best_response_value(game, play, 1)
    return BlueprintMeasure(value(game, play, play), best, game.milli, run_time() - begin)


def value(game: HoldemGame, ours: BlueprintStrategy, theirs: BlueprintStrategy) -> float:
    """What player 0 earns, in chips a hand, when it plays `ours` and player 1 plays `theirs`."""
    below = entry_values(game, 0, theirs, ours)
    plan = reaches(game.sides[0], ours.preflop[0])
    worth = _terminal_values(game, 0, theirs, below)
    return float((plan * worth).sum() / game.deals)


def best_response_value(game: HoldemGame, play: BlueprintStrategy, player: int) -> float:
    """What a player earns, in chips a hand, who knows how the other plays and answers best with every hand."""
    worth = _terminal_values(game, player, play, entry_values(game, player, play))
    for _, before, first, count in game.sides[player].preflop[::-1]:
        worth[before] += worth[first : first + count].max(axis=0)
    return float(worth[0].sum() / game.deals)


def entry_values(
    game: HoldemGame, player: int, theirs: BlueprintStrategy, ours: BlueprintStrategy | None = None
) -> Floats:
    """(entries, classes) what the flop is worth to a player, summed over the hands of a class, all flops and all of the
    opponent's hands; by the best response there unless a strategy is given."""
    flops, side, entry = game.flops, game.sides[player], entry_reach(game, 1 - player, theirs)
    out, room = np.zeros((len(game.entries), flops.classes)), game.room()
    for f in range(flops.flops):
        group, weight = flops.at[f], float(flops.counts[f])
        _play_flop(game, player, theirs, f, entry, room)
        if ours is None:
            add_best(side.flop, weight, group, game.run, room, out)
        else:
            add_played(side.flop, weight, group, *ours.on(player, f), game.run, room, out)
    return out


def hand_values(
    game: HoldemGame, player: int, theirs: BlueprintStrategy, flop: int, ours: BlueprintStrategy | None = None
) -> NDArray[Any]:
    """(entries, n) the same of every hand on one flop, at the place where it stands, summed over the opponent's hands times
    their reach: counterfactual values, such as a gadget asks for. Divided by the reach of the hands met they are chips."""
    room = game.room()
    _play_flop(game, player, theirs, flop, entry_reach(game, 1 - player, theirs), room)
    rows, group, side = len(game.entries), game.flops.at[flop], game.sides[player]
    nothing = np.zeros((rows, game.flops.classes))
    if ours is None:
        add_best(side.flop, 1.0, group, game.run, room, nothing)
    else:
        add_played(side.flop, 1.0, group, *ours.on(player, flop), game.run, room, nothing)
    return room[1][: rows * game.run].reshape(rows, game.run)[:, : game.flops.places].copy()


def values_on(game: HoldemGame, player: int, theirs: BlueprintStrategy, flop: int) -> NDArray[Any]:
    """(sequences, n) what each of a player's sequences on a flop earns by the folds and showdowns right after it, in the
    units of `hand_values`."""
    room, rows = game.room(), game.sides[player].sizes[1]
    _play_flop(game, player, theirs, flop, entry_reach(game, 1 - player, theirs), room)
    return room[1][: rows * game.run].reshape(rows, game.run)[:, : game.flops.places].copy()


def preflop_values(game: HoldemGame, player: int, reach: Floats, below: Floats) -> Floats:
    """(sequences, classes) what each of a player's sequences before the flop earns by folds and flops right after it.

    Args:
        reach: (sequences, classes) the opponent's.
        below: (entries, classes) values of the flops.
    """
    worth = np.zeros((game.sides[player].sizes[0], game.flops.classes))
    add_met(game.folded, player, game.flops.deals[1], reach, game.flops.meets, worth)
    for e, sequence in enumerate(game.sides[player].entry.tolist()):
        worth[sequence] += below[e]
    return worth


def _terminal_values(game: HoldemGame, player: int, theirs: BlueprintStrategy, below: Floats) -> Floats:
    return preflop_values(game, player, reaches(game.sides[1 - player], theirs.preflop[1 - player]), below)


def _play_flop(
    game: HoldemGame, player: int, theirs: BlueprintStrategy, flop: int, entry: NDArray[Any], room: Any
) -> None:
    """What the player's sequences are worth right after them, against a strategy on one flop."""
    values_against(
        game.flops.layouts[flop], game.terminals[player], game.sides[1 - player].flop, entry, game.flops.at[flop],
        *theirs.on(1 - player, flop), game.run, room,
    )  # fmt: skip
