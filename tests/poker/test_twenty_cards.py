"""The walk on four streets of a deck of twenty cards, against plain NumPy on every board, none standing for others."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.strategy import entry_reach, normalise_rows
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import best_response_value, value
from tests.support.whole_games import TWENTY

LANES = 5


@cache
def twenty() -> HoldemGame:
    rules = holdem(6, blinds=(1, 2), last="river")
    return holdem_game(rules, "a; turn: none", deck=TWENTY, dtype=np.float64)


class ByRanks:
    """Random probabilities for lanes of hands that depend on ranks, suitedness and suits met on the flop."""

    def __init__(self, seed: int) -> None:
        here, rng = twenty(), np.random.default_rng(seed)

        def table(street: int, player: int, lanes: int) -> Any:
            side = here.sides[player]
            return normalise_rows(rng.random((side.sizes[street], lanes)), side.decisions[street])

        self.preflop = table(0, 0, here.boards.classes), table(0, 1, here.boards.classes)
        self.tables = [[table(street, player, LANES) for player in (0, 1)] for street in range(1, here.last + 1)]

    def lanes(self, cards: tuple[int, ...], hands: Any) -> Any:
        """(n,) lanes of hands on a board; the same when suits are renamed."""
        met = (hands[:, :, None] % 4 == np.array(cards[:3]) % 4).sum(axis=(1, 2))
        ranks = hands // 4
        return (
            ranks.sum(axis=1) + 2 * (hands[:, 0] % 4 == hands[:, 1] % 4) + met + sum(card // 4 for card in cards[3:])
        ) % LANES

    def on(self, player: int, board: Board) -> Any:
        lane = self.lanes(board.cards, twenty().deck.hands[board.hand])
        return self.tables[board.street - 1][player], lane.astype(np.uint32)


def plain_values(cards: tuple[int, ...], reach: Any, player: int, theirs: ByRanks, ours: ByRanks | None) -> Any:
    """(entries, hands of the deck) values on a board of any street after the first, against (entries, hands) of reach."""
    here, other = twenty(), 1 - player
    street, every = DEALT.index(len(cards)), here.deck.hands
    live = ~np.isin(every, cards).any(axis=1)
    hands = every[live]
    plan = np.zeros((here.sides[other].sizes[street], len(hands)))
    plan[: len(reach)] = reach[:, live]
    _multiply(
        plan, here.sides[other].decisions[street], theirs.tables[street - 1][other][:, theirs.lanes(cards, hands)]
    )
    values = _paid(cards, hands, plan, player)
    if street < here.last:
        onward, entries = np.zeros((len(here.roots[street + 1]), len(every))), here.sides[other].entries[street + 1]
        onward[:, live] = plan[entries]
        for card in sorted({*here.deck.cards} - {*cards}):
            below = plain_values((*cards, card), onward, player, theirs, ours)
            np.add.at(values, here.sides[player].entries[street + 1], below[:, live])
    for _, before, first, count in here.sides[player].decisions[street].tolist()[::-1]:
        rows = values[first : first + count]
        if ours is not None:
            rows = rows * ours.tables[street - 1][player][first : first + count][:, ours.lanes(cards, hands)]
        values[before] += rows.max(axis=0) if ours is None else rows.sum(axis=0)
    found = np.zeros((len(reach), len(every)))
    found[:, live] = values[: len(reach)]
    return found


def _multiply(plan: Any, decisions: Any, odds: Any) -> None:
    for _, before, first, count in decisions.tolist():
        plan[first : first + count] = plan[before] * odds[first : first + count]


def _paid(cards: tuple[int, ...], hands: Any, plan: Any, player: int) -> Any:
    """Folds and showdowns, every hand against every hand."""
    here, street = twenty(), DEALT.index(len(cards))
    apart = (hands[:, None, :, None] != hands[None, :, None, :]).all(axis=(2, 3)).astype(float)
    values = np.zeros((here.sides[player].sizes[street], len(hands)))
    beats = np.zeros(apart.shape)
    if street == here.last:
        rank = hand_ranks(cards, hands, deck=here.deck).astype(int)
        beats = apart * np.sign(rank[:, None] - rank)
    for theirs, own, win, lose, _ in here.payoffs[street - 1][player].tolist():
        if win == lose:
            values[int(own)] += win * here.deals_after(street) * (apart @ plan[int(theirs)])
        else:
            values[int(own)] += win * (beats @ plan[int(theirs)])
    return values


def by_class(values: Any) -> Any:
    """(entries, classes) of (entries, hands)."""
    here = twenty()
    return np.array([np.bincount(here.boards.group, row, here.boards.classes) for row in values])


@pytest.mark.parametrize("suits", [(0, 1, 2), (0, 0, 1), (0, 0, 0)])
@pytest.mark.parametrize(("player", "with_strategy"), [(0, False), (1, True)])
@pytest.mark.slow
def test_a_flop_is_worth_what_plain_numpy_says(suits: tuple[int, ...], player: int, with_strategy: bool) -> None:
    """With all 272 turns and rivers: under the best actions, and under a strategy."""
    here, theirs = twenty(), ByRanks(1)
    ours = ByRanks(2) if with_strategy else None
    board, _ = here.boards.find_board([4 * rank + suit for rank, suit in zip((8, 10, 12), suits, strict=True)])
    entry = entry_reach(here, 1 - player, theirs)
    known = by_class(plain_values(board.cards, entry[:, here.boards.group], player, theirs, ours))
    found = BoardWalk(here, player, theirs, ours).below(here.boards.root, entry, [(board, 1.0)])
    np.testing.assert_allclose(found, known, atol=1e-9 * np.abs(known).max())


def plain_game_value(player: int, theirs: ByRanks, ours: ByRanks | None) -> float:
    """Chips a hand of a player in the whole game: 95 flops, each as often as it is dealt, and folds before them."""
    here, other = twenty(), 1 - player
    group, mine, side = here.boards.group, here.sides[player], here.sides[other]
    plan = np.ones((side.sizes[0], len(group)))
    _multiply(plan, side.preflop, theirs.preflop[other][:, group])
    values = np.zeros((mine.sizes[0], here.boards.classes))
    flops, counts = here.boards.choices(here.boards.root)
    for flop, count in zip(flops.tolist(), counts.tolist(), strict=True):
        below = by_class(plain_values(tuple(flop), plan[side.entry], player, theirs, ours))
        np.add.at(values, mine.entry, count * below)
    hands = here.deck.hands
    apart = (hands[:, None, :, None] != hands[None, :, None, :]).all(axis=(2, 3)).astype(float)
    for row in here.folded:
        at, to = int(row[player]), int(row[other])
        values[at] += row[2 + player] * here.deals_after(0) * by_class((apart @ plan[to])[None])[0]
    for _, before, first, count in mine.preflop.tolist()[::-1]:
        rows = values[first : first + count]
        if ours is not None:
            rows = rows * ours.preflop[player][first : first + count]
        values[before] += rows.max(axis=0) if ours is None else rows.sum(axis=0)
    return float(values[0].sum() / here.deals)


@pytest.mark.parametrize(("player", "with_strategy"), [(0, True), (1, False)])
@pytest.mark.slow
def test_the_whole_game_is_worth_what_plain_numpy_says(player: int, with_strategy: bool) -> None:
    """From the deal of the hands on. Listed history by history it would have 2.5 billion deals, each with 14 ends."""
    here, theirs, ours = twenty(), ByRanks(1), ByRanks(2)
    known = plain_game_value(player, theirs, ours if with_strategy else None)
    if not with_strategy:
        found = best_response_value(here, theirs, player)
    else:
        found = value(here, ours, theirs) if player == 0 else -value(here, theirs, ours)
    assert found == pytest.approx(known, abs=1e-9)
