"""How well 23, 49 and 95 flops stand for all 1,755 in what is solved on them: frequencies and EVs of a street of betting.

On each flop the betting of the flop is solved to 0.2 % of the pot, with bets of 33 % and 75 %, all-in and a raise; then the
hands are checked down, so that a showdown is worth the equity over all 1,176 run-outs. The betting is that of a street, the
payoff a matrix, so that all flops take minutes. `python benchmarks/solved_flops.py --record flops.work` goes on from its
record.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.leaves.matrix import Matrix
from counterplay.poker.betting import rules
from counterplay.poker.betting.bet_sizes import read_sizes
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree, build, node_at
from counterplay.poker.cards.deck import FULL, cards_text
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.ranges.range import Range
from counterplay.poker.reports.flop_report import SUBSETS
from counterplay.poker.whole_game.boards.board import flops_of
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import PDCFR_PLUS
from counterplay.work.run_work import WorkRecipe, run_work
from counterplay.work.work_record import WorkRecord

Floats, Bools = NDArray[np.float64], NDArray[np.bool_]
OOP = "TT-88,55,AJs,A5s,KTs,QJs,J9s,98s,76s,AQo"
IP = "AA,QQ,77,66,AKs,ATs,KQs,T9s,87s,AJo"
POT, STACK, BETS, RAISES = 60, 170, "33%, 75%; raise: a", 2
FINE = 0.2  # per cent of the pot
NAMES = ("EV of oop", "oop bets", "oop bets 75 %", "ip bets after a check", "ip folds to 33 %")


@dataclass(frozen=True)
class SolvedFlops(WorkRecipe):
    """The betting of the flop, on every flop up to isomorphism."""

    def identity(self) -> dict[str, Any]:
        return {"what": "solved flops", "ranges": [OOP, IP], "bets": [POT, STACK, BETS, RAISES], "fine": FINE}

    def keys(self) -> list[str]:
        boards = flops_of()
        return [cards_text(cards) for cards in boards.choices(boards.root)[0].tolist()]

    def compute(self, key: str) -> list[float]:
        """The weight of the pairs of hands, and the numbers of `NAMES`."""
        board = FULL.held(key)
        one, two = (Range.parse(text).without(board).weights for text in (OOP, IP))
        dealt = np.flatnonzero((one > 0.0) | (two > 0.0))
        cards = Cards(FULL.cards, board, FULL.hands[dealt], np.stack([one, two])[:, dealt], _unordered)
        tree = public_tree(self.betting, cards)
        problem = replace(tree.subgame, leaves=_payoff(tree, cards))
        found = solve_cfr(problem, PDCFR_PLUS, Stop(0.01 * FINE * POT, 20_000))
        shares = [
            _share(tree, found.plans, *asked) for asked in (("", "bet"), ("", "bet 45"), ("x", "bet"), ("b20", "fold"))
        ]
        return [cards.pairs, 100.0 * (found.value + 0.5 * POT) / POT, *shares]

    @cached_property
    def betting(self) -> BettingTree:
        """The betting of one street."""
        return build(rules.spot("river", POT, STACK, raises=RAISES), read_sizes(BETS))


def _unordered(board: tuple[int, ...], hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """No order: the payoff comes from equities."""
    del board
    return np.zeros(len(hands), np.int64)


def equities(board: tuple[int, ...], hands: NDArray[np.int64], mine: Bools, theirs: Bools) -> tuple[Floats, Bools]:
    """(n, n) for each pair of hands, of which the first may hold `mine` and the other `theirs`, the equity of the first
    over all run-outs, and whether they can be dealt together.
    """
    left = [card for card in FULL.cards if card not in board]
    ranks = np.array([hand_ranks((*board, *two), hands) for two in combinations(left, 2)], np.int32)
    apart = ~(hands[:, None, :, None] == hands[None, :, None, :]).any((2, 3)) & mine[:, None] & theirs
    equity, against = np.zeros((len(hands), len(hands))), np.flatnonzero(theirs)
    faced, shown = ranks[:, against], ranks[:, against] >= 0
    for hand in np.flatnonzero(mine).tolist():
        here = ranks[:, hand] >= 0
        own, other = ranks[here, hand, None], faced[here]
        won = (own > other).sum(axis=0) - (~shown[here]).sum(axis=0) + 0.5 * (own == other).sum(axis=0)
        equity[hand, against] = won / np.maximum(shown[here].sum(axis=0), 1)
    return np.where(apart, equity, 0.0), apart


def _payoff(tree: PublicTree, cards: Cards) -> Matrix:
    """Folds and showdowns of all pairs of hands, as a matrix."""
    betting, runs, hands = tree.betting, tree.runs, tree.boards.layers[0].hand
    equity, apart = equities(cards.board, cards.hands[hands], *(cards.weights[:, hands] > 0.0))
    one, two = np.nonzero(apart)
    parts = []
    for node in tree.leaves.terminals()[0]:
        rows, columns = (
            runs[i].start[runs[i].before[node]] + places for i, places in ((0, one), (1, two))
        )  # fmt: skip
        sign: Any = {Kind.FOLD0: -1.0, Kind.FOLD1: 1.0}.get(Kind(betting.kind[node]))
        won = 2.0 * equity[one, two] - 1.0 if sign is None else np.full(len(one), sign)
        parts.append(
            (rows.astype(np.int32), columns.astype(np.int32), tree.leaves.unit * float(betting.win[node]) * won)
        )
    row, column, value = (np.concatenate(part) for part in zip(*parts, strict=True))
    trees = runs[0].tree, runs[1].tree
    shape = (trees[0].size, trees[1].size)
    return Matrix.from_entries(row, column, value, shape, (trees[0].arrays.groups, trees[1].arrays.groups))


def _share(tree: PublicTree, plans: tuple[Floats, Floats], path: str, action: str) -> float:
    """Per cent of the range that takes actions of a name, at a node."""
    betting = tree.betting
    node = node_at(betting, path)
    player = int(betting.kind[node])
    runs, places = tree.runs[player], tree.boards.layers[0].places
    names, children = betting.actions(node), betting.children(node)
    mass = [float(plans[player][runs.start[child] : runs.start[child] + places].sum()) for child in children]
    chosen = [
        m
        for m, name in zip(mass, names, strict=True)
        if name.startswith(action) or (action == "bet" and "all-in" in name)
    ]
    return 100.0 * sum(chosen) / max(sum(mass), 1e-12)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--record", type=Path, required=True, help="keeps each flop as soon as it is solved")
    work, path = SolvedFlops(), asked.parse_args().record
    done = run_work(work, record=WorkRecord(path, work.identity())).results
    boards = flops_of()
    flops = boards.after(boards.root)
    if len(done) < len(flops):
        print(f"{len(done):,} of {len(flops):,} flops are solved: the same command goes on")
        return
    rows = np.array([done[cards_text(board)] for board in (flop.cards for flop in flops)])
    often, pairs, values = np.array([flop.count for flop in flops], float), rows[:, 0], rows[:, 1:]
    whole = (often * pairs) @ values / (often @ pairs)
    print("all flops: " + ", ".join(f"{name} {number:.2f} %" for name, number in zip(NAMES, whole, strict=True)))
    for count, subset in SUBSETS.items():
        chosen = [boards.find_board(flop)[0].number for flop in subset]
        off = np.abs(pairs[chosen] @ values[chosen] / pairs[chosen].sum() - whole)
        drawn = [np.random.default_rng(k).choice(len(often), count, p=often / often.sum()) for k in range(200)]
        spread = np.sqrt(np.mean([(pairs[k] @ values[k] / pairs[k].sum() - whole) ** 2 for k in drawn], axis=0))
        told = ", ".join(f"{name} {a:.2f} ({b:.2f})" for name, a, b in zip(NAMES, off, spread, strict=True))
        print(f"{count} flops, error in percentage points (of drawn ones): {told}")


if __name__ == "__main__":
    main()
