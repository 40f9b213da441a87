"""Models made from observed hands in whole games of hold'em, with the counts of each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import Ints
from counterplay.poker.whole_game.boards.board import DEALT, Board, Small
from counterplay.poker.whole_game.boards.deal import HAND, HANDS
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.lookup import places_of_hands
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, normalise_rows
from counterplay.treeplex.visits import ENOUGH


@dataclass(frozen=True, eq=False)
class ObservedStrategy:
    """Relative frequencies of actions; rows without an observation are uniform.

    Attributes:
        play: the frequencies.
        counts: how often each action was seen, in the same tables.
    """

    play: BucketedStrategy
    counts: BucketedStrategy
    tells_visits = True

    @property
    def preflop(self) -> tuple[Floats, Floats]:
        return self.play.preflop

    def on(self, player: int, board: Board) -> tuple[NDArray[Any], Small]:
        return self.play.on(player, board)

    def known_on(self, player: int, board: Board) -> Floats:
        """(sequences, lanes) how well the rows of a board are known, from 0 to 1; before the flop (sequences, classes)."""
        seen = self.counts.on(player, board)[0] if board.street else self.counts.preflop[player]
        return np.minimum(1.0, np.asarray(seen, np.float64) / ENOUGH)


def observe_hands(
    game: HoldemGame, play: BlueprintStrategy, lanes: CardAbstraction, hands: int, seed: int
) -> ObservedStrategy:
    """What hands of each player against a uniform one show, all cards seen.

    Args:
        lanes: what has a row of its own.
        hands: number of hands for each player.
        seed: of cards and actions.
    """
    halves = []
    for player in (0, 1):
        counter = _Counter(game, play, lanes, player, np.random.default_rng((seed, player)))
        for _ in range(hands):
            counter.add_hand()
        halves.append(counter.tables)
    odds, seen = _strategy(game, lanes, halves, normalise_rows), _strategy(game, lanes, halves, _totals)
    return ObservedStrategy(odds, seen)


class _Counter:
    """Counts of a player's actions, in tables (sequences, lanes) by street and block."""

    def __init__(
        self,
        game: HoldemGame,
        play: BlueprintStrategy,
        lanes: CardAbstraction,
        player: int,
        rng: np.random.Generator,
    ) -> None:
        self.game, self.play, self.lanes, self.player, self.rng = game, play, lanes, player, rng
        side = game.sides[player]
        sizes = [[int(lanes.preflop.max()) + 1], *(lanes.sizes_on(s).tolist() for s in range(1, game.last + 1))]
        self.tables = [[np.zeros((side.sizes[s], size)) for size in blocks] for s, blocks in enumerate(sizes)]
        self._first = {int(row[0]): int(row[2]) for rows in side.decisions for row in rows}

    def add_hand(self) -> None:
        """Play one hand against a uniform player, and count the player's actions."""
        betting, deck, rng = self.game.betting, self.game.deck, self.rng
        cards = rng.permutation(np.array(deck.cards))[: HANDS + DEALT[self.game.last]].tolist()
        hand = deck.hand(*cards[HAND * self.player : HAND * (self.player + 1)])
        shown, node = (*sorted(cards[HANDS : HANDS + DEALT[1]]), *cards[HANDS + DEALT[1] :]), 0
        while betting.kind[node] <= Kind.DEAL and (children := betting.children(node)):
            if betting.kind[node] == self.player:
                choice = self._act(node, hand, shown[: DEALT[int(betting.street[node])]], len(children))
            else:
                choice = 0 if betting.kind[node] == Kind.DEAL else int(rng.integers(len(children)))
            node = children[choice]

    def _act(self, node: int, hand: int, board: tuple[int, ...], actions: int) -> int:
        """Draw and count an action."""
        first, street = self._first[node], int(self.game.betting.street[node])
        if street:
            here, places = places_of_hands(self.game, board)
            table, column = self.play.on(self.player, here)
            block, lanes = self.lanes.lanes_on(here)
            at, lane = int(column[places[hand]]), int(lanes[places[hand]])
        else:
            table, block, at = self.play.preflop[self.player], 0, int(self.game.boards.group[hand])
            lane = int(self.lanes.preflop[at])
        odds = np.asarray(table[first : first + actions, at], np.float64)
        choice = int(self.rng.choice(actions, p=odds / odds.sum()))
        self.tables[street][block][first + choice, lane] += 1.0
        return choice


def _totals(counts: Floats, decisions: Ints) -> Floats:
    """(sequences, lanes) observations of the whole row, at each of its actions."""
    out = np.zeros_like(counts)
    for _, _, first, count in decisions.tolist():
        out[first : first + count] = counts[first : first + count].sum(axis=0)
    return out


def _strategy(
    game: HoldemGame, lanes: CardAbstraction, halves: list[list[list[Floats]]], change: Callable[[Floats, Ints], Floats]
) -> BucketedStrategy:
    """Tables made of the counts of both players."""
    one, two = (
        [[change(rows, side.decisions[street]) for rows in blocks] for street, blocks in enumerate(half)]
        for side, half in zip(game.sides, halves, strict=True)
    )
    late = tuple(
        ([rows.astype(game.dtype) for rows in a], [rows.astype(game.dtype) for rows in b])
        for a, b in zip(one[1:], two[1:], strict=True)
    )
    return BucketedStrategy(lanes, (one[0][0][:, lanes.preflop], two[0][0][:, lanes.preflop]), late)
