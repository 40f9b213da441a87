"""Values and exploitability in the whole game: exact, over all flops and all hands, by vectors of hands.

Whatever buckets a strategy was made with, a best response sees every card.

The rest of a hand after one line of betting is a whole game in which all other lines are left out. From the line's street on
sequences are numbered again, so that a walk over boards takes only the time and the memory of this line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, U32, AnyArray
from counterplay.jit.clock import run_time
from counterplay.poker.whole_game.boards.board import Board, DrawnBoards, SeenBoards, deals_to_come
from counterplay.poker.whole_game.holdem import HoldemGame, StreetDecisions, terminal_nodes
from counterplay.poker.whole_game.strategy import BlueprintStrategy, reaches
from counterplay.poker.whole_game.values.board_walk import BoardWalk, add_met


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


@dataclass(frozen=True, eq=False)
class RestOfGame:
    """A game of one line from a street on; betting nodes are those of the whole. kept: of each street from that on and
    of each player, the sequences of the whole game."""

    game: HoldemGame
    street: int
    kept: dict[int, tuple[I64, I64]]

    def strategy(self, play: BlueprintStrategy) -> RestStrategy:
        """A strategy of the whole game in the numbers of the rest."""
        return RestStrategy(self, play)


@dataclass(frozen=True, eq=False)
class RestStrategy:
    """A strategy's rows of a line."""

    rest: RestOfGame
    play: BlueprintStrategy
    _latest: dict[tuple[int, int], tuple[Any, Any]] = field(default_factory=dict, repr=False)

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.play.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        table, lane = self.play.on(player, board)
        if board.street < self.rest.street:
            return table, lane
        found = self._latest.get((player, board.street))
        if found is None or found[0] is not table:  # boards that share lanes share a table
            rows = np.ascontiguousarray(table[self.rest.kept[board.street][player]])
            found = self._latest[player, board.street] = table, rows
        return found[1], lane


def rest_of_game(game: HoldemGame, street: int, entry: int) -> RestOfGame:
    """The rest of a hand from a street on (1 for the flop) after one line, a number in `HoldemGame.roots` of the
    street."""
    root = int(game.roots[street][entry])
    end = int(game.betting.end[root])
    roots, payoffs = list(game.roots), list(game.payoffs)
    parts = [(list(side.decisions), list(side.entries), list(side.sizes)) for side in game.sides]
    kept: dict[int, tuple[I64, I64]] = {}
    before: list[I64 | None] = [None, None]
    for number in range(street, game.last + 1):
        lines = np.flatnonzero((game.roots[number] >= root) & (game.roots[number] < end))
        roots[number] = game.roots[number][lines]
        # (sequences,) of each player: the new numbers of all, and the old ones of those that are kept.
        numbers, old = list[I64](), list[I64]()
        for side, part, above in zip(game.sides, parts, before, strict=True):
            decisions = side.decisions[number]
            decisions = decisions[(decisions[:, 0] >= root) & (decisions[:, 0] < end)].copy()
            acts = (np.arange(first, first + count) for _, _, first, count in decisions.tolist())
            old.append(np.concatenate([lines, *acts]))
            numbers.append(np.full(side.sizes[number], -1, np.int64))
            numbers[-1][old[-1]] = np.arange(len(old[-1]))
            decisions[:, 1:3] = numbers[-1][decisions[:, 1:3]]
            entries = side.entries[number][lines]
            part[0][number], part[1][number] = decisions, entries if above is None else above[entries]
            part[2][number] = len(old[-1])
        nodes = terminal_nodes(game.betting, number)
        paid = game.payoffs[number - 1][:, (nodes >= root) & (nodes < end)]
        for player in (0, 1):
            for column, owner in ((0, 1 - player), (1, player)):
                paid[player, :, column] = numbers[owner][paid[player, :, column].astype(np.int64)]
        payoffs[number - 1], kept[number], before = paid, (old[0], old[1]), [numbers[0], numbers[1]]
    first, second = (StreetDecisions(tuple(d), tuple(e), tuple(s)) for d, e, s in parts)
    return RestOfGame(replace(game, sides=(first, second), roots=tuple(roots), payoffs=tuple(payoffs)), street, kept)


class RunOutValues:
    """Values of a line's streets to come, with a board of the line's street, if players 0 and 1 go on by one of their
    plays. Boards of each street are drawn, which gives unbiased estimates; all are seen where `random` is None."""

    def __init__(
        self,
        game: HoldemGame,
        line: tuple[int, int],
        board: Board,
        plays: tuple[Sequence[BlueprintStrategy], Sequence[BlueprintStrategy]],
        random: np.random.Generator | None,
    ) -> None:
        rest = rest_of_game(game, *line)
        self._board, self._dtype, self.drawn = board, game.dtype, random is not None
        self._deals = deals_to_come(game.deck, board.street, game.last)
        each = (1,) * (game.last + 1)
        self._seen = None if random is None else DrawnBoards(rest.game.boards, random, each)
        known = [[rest.strategy(play) for play in side] for side in plays]
        self._walks = [
            [[BoardWalk(rest.game, who, theirs, ours, self._seen) for theirs in known[1 - who]] for ours in known[who]]
            for who in (0, 1)
        ]

    def draw(self) -> None:
        if self._seen is not None:
            self._seen.draw_anew()

    def values(self, player: int, reach: AnyArray) -> F64:
        """(own strategies, ends, places) chips of a player by each of their strategies, for each pair of hands of reach
        1. reach: (strategies of the other, ends, places of the board)."""
        entries = reach.astype(self._dtype)
        met = [k for k, entry in enumerate(entries) if entry.any()]
        found = [
            sum((walks[k].below(self._board, entries[k]) for k in met), np.zeros(reach.shape[1:]))
            for walks in self._walks[player]
        ]
        return np.stack(found) / self._deals
