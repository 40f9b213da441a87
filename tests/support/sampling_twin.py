"""Public chance sampling hand by hand, with matrices of all pairs of hands: slow, short and independent of the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import normalise_rows

Tables = list[list[Any]]


class SamplingTwin:
    """Regrets and sums of both players, by street (sequences, lanes); in CFR-BR regrets of their opponents, too."""

    def __init__(self, solver: PublicSampling) -> None:
        self.solver, self.game, lanes = solver, solver.game, solver.buckets.sizes_on
        sizes = [[(s.sizes[k], int(lanes(k).sum())) for k in range(self.game.last + 1)] for s in self.game.sides]
        self.regrets, self.sums, self.opponents = (
            [[np.zeros(one) for one in side] for side in sizes] for _ in range(3)
        )

    def iterate(self, t: int) -> None:
        """Both players move against each other's regrets."""
        self._deal(t)
        for player in (0, 1):
            reach = self._reaches(1 - player, self.regrets, t)
            self._come_back(player, self.regrets, reach, t)

    def iterate_against_responses(self, t: int) -> None:
        """CFR-BR: each player has an opponent of their own, who moves first and answers the last street."""
        self._deal(t)
        for player in (0, 1):
            other = 1 - player
            answers = self._come_back(other, self.opponents, self._reaches(player, self.regrets, t), t, respond=True)
            self._come_back(player, self.regrets, self._reaches(other, self.opponents, 0, answers), t)

    def _deal(self, t: int) -> None:
        """The boards of an iteration."""
        self.boards: list[Any] = [self.game.boards.root, *(dealt.board for dealt in self.solver._deal(t - 1))]

    def _lane(self, board: Any) -> Any:
        if board.street == 0:
            return self.solver.buckets.preflop.astype(int)
        block, lane = self.solver.buckets.lanes_on(board)
        return lane + int(self.solver.buckets.sizes_on(board.street)[:block].sum())

    def _chances(self, tables: Tables, player: int, board: Any) -> Any:
        decisions = self.game.sides[player].decisions[board.street]
        return normalise_rows(np.maximum(tables[player][board.street], 0), decisions)[:, self._lane(board)]

    def _reaches(self, player: int, tables: Tables, t: float, answers: Any = None) -> list[Any]:
        """By street (sequences, hands), a player's reach; `t` times it is added to their average."""
        reach: list[Any] = []
        for s, board in enumerate(self.boards):
            side, lane = self.game.sides[player], self._lane(board)
            answered = answers is not None and s == self.game.last
            chances = answers if answered else self._chances(tables, player, board)
            plan = np.ones(chances.shape)
            if s:
                plan[: len(side.entries[s])] = reach[-1][side.entries[s]][:, board.up]
            for _, before, first, count in side.decisions[s]:
                plan[first : first + count] = plan[before] * chances[first : first + count]
                for k in range(first, first + count) if t else ():
                    share = plan[k] if s else plan[k] / np.bincount(lane)[lane]
                    np.add.at(self.sums[player][s][k], lane, t * share)
            reach.append(plan)
        return reach

    def _come_back(self, player: int, tables: Tables, reach: list[Any], t: int, respond: bool = False) -> Any:
        """New regrets; a best response on the last street where that is asked, which is returned."""
        game, below, answers = self.game, None, None
        for s in range(game.last, -1, -1):
            board, side, lane = self.boards[s], game.sides[player], self._lane(self.boards[s])
            chances, worth = (
                self._chances(tables, player, board),
                np.zeros((game.sides[player].sizes[s], len(board.hand))),
            )
            for theirs, ours, pays in terminal_payoffs(game, player, board):
                worth[ours] += pays @ reach[s][theirs]
            if below is not None:
                worth[side.entries[s + 1]] += below
            answering = respond and s == game.last
            if answering:
                answers = chances
            for _, before, first, count in side.decisions[s][::-1]:
                here = slice(first, first + count)
                if answering:
                    chances[here] = np.arange(count)[:, None] == worth[here].argmax(axis=0)
                mean = (chances[here] * worth[here]).sum(axis=0)
                for k in () if answering else range(first, first + count):
                    np.add.at(tables[player][s][k], lane, t * (worth[k] - mean))
                worth[before] += mean
            if s:
                ways = game.boards.choices(self.boards[s - 1])[1].sum()
                below = np.zeros((len(side.entries[s]), len(self.boards[s - 1].hand)))
                for entry in range(len(below)):
                    np.add.at(below[entry], board.up, worth[entry])
                below *= ways * game.deals_after(s) / game.deals_after(s - 1)
        return answers


def terminal_payoffs(game: HoldemGame, player: int, board: Any) -> Iterator[tuple[int, int, Any]]:
    """Folds and showdowns on a board: the other's sequence, the player's, and (hands, hands) what each pair pays."""
    if board.street == 0:
        for row in game.folded:
            yield int(row[1 - player]), int(row[player]), row[2 + player] * game.boards.meets
        return
    own = game.deck.hands[board.hand]
    apart = (own[:, None, :, None] != own[None, :, None, :]).all(axis=(2, 3)).astype(float)
    rank = hand_ranks(board.cards, own, deck=game.deck) if board.street == game.last else np.zeros(len(own))
    order = np.sign(rank[:, None] - rank[None])
    for theirs, ours, win, lose, tie in game.payoffs[board.street - 1][player]:
        yield int(theirs), int(ours), apart * np.select([order > 0, order < 0], [win, lose], tie)


def set_regrets(solver: PublicSampling, twin: SamplingTwin, draw: Callable[[tuple[int, ...]], Any]) -> None:
    """Give both the same regrets, drawn table row by table row."""
    for player in (0, 1):
        for street in range(solver.game.last + 1):
            dense = twin.regrets[player][street]
            for sequence, place in rows_of(solver, solver.regrets, player, street):
                place[:] = dense[sequence] = draw(dense.shape[1:])


def check_tables(solver: PublicSampling, twin: SamplingTwin) -> None:
    """Regrets and sums of both are equal to 1e-9."""
    for player in (0, 1):
        for street in range(solver.game.last + 1):
            for which in ("regrets", "sums"):
                known = getattr(twin, which)[player][street]
                for sequence, place in rows_of(solver, getattr(solver, which), player, street):
                    np.testing.assert_allclose(place, known[sequence], rtol=1e-9, atol=1e-9)


def rows_of(solver: PublicSampling, early: Any, player: int, street: int) -> list[tuple[int, Any]]:
    """Every sequence after the entries, and its numbers by lanes in the solver's regrets or sums."""
    if street == 0:
        decisions = solver.game.sides[player].preflop
        return [(s, early[player][s]) for _, _, first, count in decisions for s in range(first, first + count)]
    here = solver.streets[street - 1]
    table = (here.regrets if early is solver.regrets else here.sums)[player]
    return [(s, table[place]) for s, place in here.bundles.places(player, here.lanes).items()]
