"""Values and exploitability in the whole game: exact, over all flops and all hands, by vectors of hands.

Whatever buckets a strategy was made with, a best response sees every card.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.jit.clock import run_time
from counterplay.poker.whole_game.boards.board import Board, SeenBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, reaches
from counterplay.poker.whole_game.values.board_kernels import add_met
from counterplay.poker.whole_game.values.board_walk import BoardWalk


@dataclass(frozen=True)
class BlueprintMeasure:
    """Measures of a strategy by two best responses, in chips a hand: its value against itself to player 0, and what
    each player's best response earns against it; milli-big-blinds in a chip, and seconds that it took."""

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


def measure(game: HoldemGame, play: BlueprintStrategy, seen: SeenBoards | None = None) -> BlueprintMeasure:
    """Value and exploitability of a strategy of both players; over drawn boards, of the best responses to what they
    are."""
    begin = run_time()
    best = best_response_value(game, play, 0, seen), best_response_value(game, play, 1, seen)
    return BlueprintMeasure(value(game, play, play, seen), best, game.milli, run_time() - begin)


def value(
    game: HoldemGame, ours: BlueprintStrategy, theirs: BlueprintStrategy, seen: SeenBoards | None = None
) -> float:
    """Value of player 0, in chips a hand, who plays `ours` while player 1 plays `theirs`."""
    return value_from(game, ours, theirs, BoardWalk(game, 0, theirs, ours, seen).entry_values())


def value_from(
    game: HoldemGame, ours: BlueprintStrategy, theirs: BlueprintStrategy, below: F64, player: int = 0
) -> float:
    """`value` to either player, given (entries, classes) what the flops are worth to that player."""
    plan = reaches(game.sides[player], ours.preflop[player])
    worth = preflop_values_against(game, player, theirs, below)
    return float((plan * worth).sum() / game.deals)


def best_response_value(
    game: HoldemGame, play: BlueprintStrategy, player: int, seen: SeenBoards | None = None
) -> float:
    """Value of a player, in chips a hand, who responds best with every hand to the other's strategy."""
    return best_response_from(game, play, player, BoardWalk(game, player, play, seen=seen).entry_values())


def best_response_from(game: HoldemGame, play: BlueprintStrategy, player: int, below: F64) -> float:
    """`best_response_value`, given (entries, classes) what the flops are worth to the player."""
    worth = preflop_values_against(game, player, play, below)
    for _, before, first, count in game.sides[player].preflop[::-1]:
        worth[before] += worth[first : first + count].max(axis=0)
    return float(worth[0].sum() / game.deals)


def hand_values(
    game: HoldemGame, player: int, theirs: BlueprintStrategy, board: Board | int, ours: BlueprintStrategy | None = None
) -> AnyArray:
    """(entries, n) values of every hand on one board, or on the flop of a number, at its place, summed over the
    opponent's hands times their reach: CFVs. Divided by the reach of the hands met, and by the deals still to come,
    they are chips."""
    here = game.boards.child(game.boards.root, board) if isinstance(board, int) else board
    return BoardWalk(game, player, theirs, ours).hand_values(here)


def preflop_values(game: HoldemGame, player: int, reach: F64, below: F64) -> F64:
    """(sequences, classes) earnings of each of a player's sequences before the flop by folds and flops right after it.
    reach: (sequences, classes) the opponent's. below: (entries, classes) values of the flops."""
    worth = np.zeros((game.sides[player].sizes[0], game.boards.classes))
    reach = np.ascontiguousarray(reach)  # another layout would be one more kernel
    add_met(game.folded, player, game.deals_after(0), reach, game.boards.meets, worth)
    for e, sequence in enumerate(game.sides[player].entry.tolist()):
        worth[sequence] += below[e]
    return worth


def preflop_values_against(game: HoldemGame, player: int, theirs: BlueprintStrategy, below: F64 | None = None) -> F64:
    """(sequences, classes) `preflop_values` against a strategy of the other; by folds alone unless values of the
    flops, (entries, classes), are given."""
    worth = np.zeros((len(game.entries), game.boards.classes)) if below is None else below
    return preflop_values(game, player, reaches(game.sides[1 - player], theirs.preflop[1 - player]), worth)


def choose_by_lane(game: HoldemGame, player: int, board: Board, worth: AnyArray, *, backed: bool = True) -> AnyArray:
    """(sequences, lanes of the board) 1 for the best action of every decision, in the game's dtype. worth: (sequences,
    n) of the hand at each place; hands that share a lane are worth the same. backed: as of `choose_best`."""
    decisions = game.sides[player].decisions[board.street]
    return choose_best(decisions, worth[:, board.first], backed=backed).astype(game.dtype)


def choose_best(decisions: I64, worth: AnyArray, *, backed: bool = True) -> F64:
    """(sequences, hands) 1 for the first best action of every decision. worth: (sequences, hands) values of all
    sequences, the entries included; where `backed`, changed in place: the best action after a sequence belongs to its
    value."""
    out = np.zeros(worth.shape)
    hands = np.arange(worth.shape[1])
    for _, before, first, count in decisions[::-1].tolist():
        rows = worth[first : first + count]
        out[first + rows.argmax(axis=0), hands] = 1.0
        if backed:
            worth[before] += rows.max(axis=0)
    return out


@dataclass(frozen=True, eq=False)
class PreflopBackup:
    """The decisions of one player before the flop against a fixed strategy. folded: (sequences, classes) what the
    player's sequences earn by folds there. backed: as of `ChoiceRule`."""

    game: HoldemGame
    player: int
    folded: F64
    backed: bool = True

    def plan(self, below: F64, estimates: F64 | None = None) -> F64:
        """(sequences, classes) 1 where the player goes."""
        return reaches(self.game.sides[self.player], self.choices(below, estimates))

    def choices(self, below: F64, estimates: F64 | None = None) -> F64:
        """(sequences, classes) 1 for the action of every decision.

        Args:
            below: (entries, classes) what all flops together are worth.
            estimates: (sequences, classes) what sequences seem to be worth by all flops; where given, they choose.
        """
        side = self.game.sides[self.player]
        worth = self.folded + (0.0 if estimates is None else estimates)
        if estimates is None:
            worth[side.entry] += below
        return choose_best(side.preflop, worth, backed=self.backed)

    def values(self, plan: F64, rows: F64, folded: F64 | None = None) -> F64:
        """(flops,) chips a hand of a plan (sequences, classes), if flops are together worth what each row of (flops,
        entries, classes) says. folded: other values of folds than those by which plans are made."""
        entry = plan[self.game.sides[self.player].entry]
        before = float((plan * (self.folded if folded is None else folded)).sum())
        return np.asarray((before + (rows * entry).sum(axis=(1, 2))) / self.game.deals)
