"""External sampling (Lanctot et al. 2009): a board, two hands and the opponent's actions are drawn, ours are all followed.

`python -m counterplay_papers.external_sampling GAME --iterations N -o FILE` trains a blueprint by it; `--training FILE`
keeps the regrets and goes on from them.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.games.random_numbers import scramble, uniform
from counterplay.jit import kernel
from counterplay.jit.clock import interrupts_held, run_time
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, train
from counterplay.poker.whole_game.blueprints.blueprint_file import save
from counterplay.poker.whole_game.blueprints.public_sampling import SamplingProblem
from counterplay.poker.whole_game.boards.board import DrawnBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.strategy import BucketedStrategy, normalise_blocks

_DEAL, _SHOWDOWN, _FOLD0 = int(Kind.DEAL), int(Kind.SHOWDOWN), int(Kind.FOLD0)
EXTERNAL = "external"
TOGETHER = 256
"""Iterations on one board of `StreetExternalSampling`."""
_STREETS = 4


class WalkTree(NamedTuple):
    """The betting tree: kinds, children, and for decisions the table and the first sequence in it."""

    kind: AnyArray
    first: AnyArray
    child: AnyArray
    table: AnyArray
    sequence: AnyArray
    paid: AnyArray
    """(nodes, 3) win, lose, tie."""


class DealtCards(NamedTuple):
    """Deals: the kind of each of all flops, and by flop and place the cards, rank, class and lane."""

    pick: AnyArray
    pairs: AnyArray
    rank: AnyArray
    early: AnyArray
    late: AnyArray


class BoardHands(NamedTuple):
    """The hands of a last board: their cards, ranks, and (streets, n) rows in the tables of every street."""

    pairs: AnyArray
    rank: AnyArray
    rows: AnyArray


class ExternalSampling:
    """Regrets and averages of both players in a game that ends on the flop, changed by `sample`: each deal has a flop of its
    own.

    Numbers of one bucket stand together, in one array for each player and street: number 2 · street + player.

    Args:
        problem: game, buckets, seed and memory.
        power: iteration t weighs t to this power, in regrets and in the average.

    Attributes:
        iterations: done so far; one follows all actions of each player once, on a deal of its own.
        seconds: that they took.

    Raises:
        InputError: the arrays would take more memory than there may be.
    """

    def __init__(self, problem: SamplingProblem, *, power: float = 1.0) -> None:
        game, buckets = self.game, self.buckets = problem.game, problem.buckets
        self.seed, self.power, self.iterations, self.seconds = problem.seed, power, 0, 0.0
        self._sizes = [buckets.sizes_on(street) for street in range(game.last + 1)]
        kind = np.dtype(np.float32 if len(self._sizes[1]) > 1 else np.float64)
        shapes = [(int(s.sum()), side.sizes[k]) for k, s in enumerate(self._sizes) for side in game.sides]
        problem.check_room(2.5 * kind.itemsize * sum(rows * columns for rows, columns in shapes), "sampling")
        self.regrets, self.sums = (tuple(np.zeros(shape, kind) for shape in shapes) for _ in range(2))
        self._tree, nodes = _walk_tree(game), game.betting.nodes
        self._room = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), np.zeros(nodes), np.zeros(nodes)
        self._begin()

    def sample(self, iterations: int) -> None:
        """So many iterations."""
        begin = run_time()
        deal = self._random, self._tree, self._cards
        walk(iterations, self.iterations, self.power, *deal, self.regrets, self.sums, self._room)
        self.iterations += iterations
        self.seconds += run_time() - begin

    def average(self) -> BucketedStrategy:
        """The average strategy."""
        early, late = [], []
        for player, side in enumerate(self.game.sides):
            sums = normalise_blocks([self.sums[player].T.astype(float)], side.preflop)[0]
            early.append(sums[:, self.buckets.preflop])
        for street in range(1, self.game.last + 1):
            ends, pair = np.cumsum(self._sizes[street])[:-1], []
            for player, side in enumerate(self.game.sides):
                blocks = np.split(self.sums[2 * street + player].T, ends, axis=1)
                pair.append([b.astype(self.game.dtype) for b in normalise_blocks(blocks, side.decisions[street])])
            late.append((pair[0], pair[1]))
        return BucketedStrategy(self.buckets, (early[0], early[1]), tuple(late))

    def _begin(self) -> None:
        """The cards of all flops, and the state of the draws."""
        flops = self.game.flops
        block, lane = zip(*(self.buckets.lanes_on(flop) for flop in flops), strict=True)
        starts = np.append(0, np.cumsum(self._sizes[1]))[list(block)]
        hands = self.game.deck.hands
        self._random = np.array([self.seed], np.uint64)
        self._cards = DealtCards(
            np.repeat(np.arange(len(flops)), [flop.count for flop in flops]),
            np.array([flop.layout.pairs for flop in flops if flop.layout is not None]),
            np.array([hand_ranks(flop.cards, hands[flop.hand], deck=self.game.deck) for flop in flops]),
            np.array([self.buckets.preflop[flop.up] for flop in flops]),
            (np.array(lane) + starts[:, None]).astype(np.uint32),
        )


class StreetExternalSampling(ExternalSampling):
    """External sampling in games of any number of streets: many pairs of hands are drawn on every board.

    A board costs more than a walk down the betting: its hands have to be ranked and told apart. So `TOGETHER` iterations in
    a row play one board. That changes no expectation, only how much neighbouring iterations have in common. Regrets and
    averages are float64, and the board of an iteration depends on the seed and on its number alone, so that a solve can be
    put aside.
    """

    def _begin(self) -> None:
        self._seed, self._state = np.uint64(self.seed), np.zeros(1, np.uint64)
        self.regrets, self.sums = (tuple(t.astype(np.float64) for t in tables) for tables in (self.regrets, self.sums))
        # The kernel has a place for every street; those that are not played are never read.
        self._none = tuple(np.zeros((1, 1)) for _ in range(2 * _STREETS - len(self.regrets)))

    def sample(self, iterations: int) -> None:
        """So many iterations. Ctrl-C waits for those on the board at hand."""
        begin, last = run_time(), self.iterations + iterations
        tables = (*self.regrets, *self._none), (*self.sums, *self._none)
        with ThreadPoolExecutor(1) as pool:
            ahead = pool.submit(self._deal, self.iterations // TOGETHER)
            while self.iterations < last:
                hands, number = ahead.result(), self.iterations // TOGETHER
                end = min(last, (number + 1) * TOGETHER)
                if end < last:  # the next board is dealt meanwhile
                    ahead = pool.submit(self._deal, number + 1)
                with interrupts_held():
                    span = self.iterations + 1, end + 1
                    walk_on_board(*span, self.power, self._seed, self._state, self._tree, hands, *tables, self._room)
                    self.iterations = end
        self.seconds += run_time() - begin

    def state(self) -> dict[str, AnyArray]:
        """Everything that iterations change, by name: the arrays themselves, (lanes, sequences) each."""
        named = (("regrets", self.regrets), ("sums", self.sums))
        return {f"{what}{k % 2}_{k // 2}": table for what, tables in named for k, table in enumerate(tables)}

    def _deal(self, number: int) -> BoardHands:
        """The hands of a board, which depends on the seed and on its number."""
        game = self.game
        drawn = DrawnBoards(game.boards, np.random.default_rng((self.seed, number)), [1] * game.last)
        board, rows = game.boards.root, [self.buckets.preflop.astype(np.int64)]
        for street in range(1, game.last + 1):
            board = drawn.after(board)[0][0]
            block, lane = self.buckets.lanes_on(board)
            start = int(self._sizes[street][:block].sum())
            rows = [row[board.up] for row in rows] + [lane.astype(np.int64) + start]
        rows += [np.zeros_like(rows[0])] * (_STREETS - len(rows))
        hands = game.deck.hands[board.hand]
        rank = hand_ranks(board.cards, hands, deck=game.deck).astype(np.int64)
        return BoardHands(hands.astype(np.int64), rank, np.array(rows))


def external_blueprint(game: HoldemGame, buckets: CardAbstraction, *, seed: int = 0, **options: Any) -> Blueprint:
    """A blueprint by external sampling; options as of `train`."""
    problem = SamplingProblem(game, buckets, seed, options.pop("memory", None))
    solver = ExternalSampling(problem) if game.last == 1 else StreetExternalSampling(problem)
    return train(solver, solver.sample, method=EXTERNAL, **options)


def main() -> None:
    """Train a blueprint and save it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", help="a whole game of hold'em, such as holdem:stack=200bb,bets=fcpa")
    parser.add_argument("--iterations", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--training", type=Path, help="the regrets, kept now and then, and gone on from (.train)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the blueprint (.cpb)")
    words = parser.parse_args()
    game = read_holdem(words.game).game
    buckets = make_buckets(game.boards, game.buckets)
    options = {} if words.training is None else {"training": words.training}
    save(words.output, game, external_blueprint(game, buckets, iterations=words.iterations, seed=words.seed, **options))


def _walk_tree(game: HoldemGame) -> WalkTree:
    """The betting, with tables numbered 2 * street + player."""
    betting = game.betting
    table, sequence = (np.full(betting.nodes, -1, np.int64) for _ in range(2))
    for player, side in enumerate(game.sides):
        for street, decisions in enumerate(side.decisions):
            table[decisions[:, 0]] = 2 * street + player
            sequence[decisions[:, 0]] = decisions[:, 2]
    paid = np.stack([betting.win, betting.lose, betting.tie], axis=1)
    return WalkTree(betting.kind, betting.first, betting.child, table, sequence, paid)


@kernel(nogil=True)
def walk(
    iterations: int, done: int, power: float, random: Any, tree: Any, cards: Any, regrets: Any, sums: Any, room: Any
) -> None:
    """Run a number of iterations after those `done`; `random` holds the generator's state, `room` has
    scratch by node.
    """
    for t in range(done + 1, done + iterations + 1):
        weight = float(t) ** power
        for player in range(2):
            f, one, two = _deal(cards, random)
            lanes = (cards.early[f, one], cards.early[f, two], cards.late[f, one], cards.late[f, two])
            better = np.sign(cards.rank[f, one] - cards.rank[f, two]) * (1 - 2 * player)
            order, chosen, chances, values = room
            count = _go_down(player, better, weight, lanes, random, tree, regrets, sums, order, chosen, chances, values)
            _come_back(player, weight, count, lanes, tree, regrets, order, chosen, chances, values)


@kernel(nogil=True)
def walk_on_board(
    first: int,
    last: int,
    power: float,
    seed: Any,
    random: Any,
    tree: Any,
    hands: Any,
    regrets: Any,
    sums: Any,
    room: Any,
) -> None:
    """Iterations from `first` up to but without `last`, all on one board; the draws of each hang on the seed and on its
    number. random: (1,) room for their state."""
    for t in range(first, last):
        random[0] = scramble(seed, t)
        weight = float(t) ** power
        for player in range(2):
            one, two = _draw_hands(hands.pairs, random)
            rows = hands.rows
            lanes = (
                rows[0, one], rows[0, two], rows[1, one], rows[1, two], rows[2, one], rows[2, two], rows[3, one],
                rows[3, two],
            )  # fmt: skip
            better = np.sign(hands.rank[one] - hands.rank[two]) * (1 - 2 * player)
            order, chosen, chances, values = room
            count = _go_down(player, better, weight, lanes, random, tree, regrets, sums, order, chosen, chances, values)
            _come_back(player, weight, count, lanes, tree, regrets, order, chosen, chances, values)


@kernel(inline=True)
def _deal(cards: Any, random: Any) -> Any:
    """A flop and the places of two hands without a common card."""
    f = cards.pick[int(uniform(random) * len(cards.pick))]
    one, two = _draw_hands(cards.pairs[f], random)
    return f, one, two


@kernel(inline=True)
def _draw_hands(pairs: Any, random: Any) -> Any:
    """The places of two hands without a common card."""
    one = int(uniform(random) * len(pairs))
    while True:
        two = int(uniform(random) * len(pairs))
        a, b, c, d = pairs[one, 0], pairs[one, 1], pairs[two, 0], pairs[two, 1]
        if a != c and a != d and b != c and b != d:
            return one, two


@kernel
def _go_down(
    player: int, better: int, weight: float, lanes: Any, random: Any, tree: Any, regrets: Any, sums: Any, order: Any,
    chosen: Any, chances: Any, values: Any,
) -> int:  # fmt: skip
    """List the visited nodes, parents first, with the player's probabilities at their children; returns their number."""
    count, top = 0, 1
    order[0] = 0
    while count < top:  # a queue: its front are nodes already visited
        node = order[count]
        count += 1
        kind, first, end = tree.kind[node], tree.first[node], tree.first[node + 1]
        if kind > _DEAL:
            values[node] = _payoff(tree, node, kind, player, better)
        elif kind == _DEAL:
            order[top] = chosen[node] = tree.child[first]
            top += 1
        else:
            table, s = tree.table[node], tree.sequence[node]
            _match(regrets[table][lanes[table]], s, first, end, tree.child, chances)
            if kind == player:
                for k in range(first, end):
                    order[top] = tree.child[k]
                    top += 1
            else:
                pick = _draw(first, end, tree.child, chances, uniform(random))
                row = sums[table][lanes[table]]
                for k in range(first, end):
                    row[s + k - first] += weight * chances[tree.child[k]]
                order[top] = chosen[node] = tree.child[pick]
                top += 1
    return count


@kernel
def _come_back(
    player: int, weight: float, count: int, lanes: Any, tree: Any, regrets: Any, order: Any, chosen: Any, chances: Any,
    values: Any,
) -> None:  # fmt: skip
    """Compute the values of the visited nodes, and the player's regrets."""
    # Backwards through the visited nodes; the children of a node are tree.child[first:end].
    for at in range(count - 1, -1, -1):
        node = order[at]
        kind, first, end = tree.kind[node], tree.first[node], tree.first[node + 1]
        if kind == player:
            mean = 0.0
            for k in range(first, end):
                mean += chances[tree.child[k]] * values[tree.child[k]]
            values[node] = mean
            table, s = tree.table[node], tree.sequence[node]
            row = regrets[table][lanes[table]]
            for k in range(first, end):
                row[s + k - first] += weight * (values[tree.child[k]] - mean)
        elif kind <= _DEAL:
            values[node] = values[chosen[node]]


@kernel(inline=True)
def _payoff(tree: Any, node: int, kind: int, player: int, better: int) -> Any:
    """The player's payoff at a terminal."""
    sign = better if kind == _SHOWDOWN else (-1 if kind - _FOLD0 == player else 1)
    return tree.paid[node, 0] if sign > 0 else (tree.paid[node, 1] if sign < 0 else tree.paid[node, 2])


@kernel(inline=True)
def _match(row: Any, s: int, first: int, end: int, child: Any, chances: Any) -> None:
    """Write the probabilities of regret matching to the children."""
    total = 0.0
    for k in range(end - first):
        total += max(row[s + k], 0.0)
    for k in range(end - first):
        chances[child[first + k]] = max(row[s + k], 0.0) / total if total > 0 else 1.0 / (end - first)


@kernel(inline=True)
def _draw(first: int, end: int, child: Any, chances: Any, u: float) -> int:
    """The child that a random number draws."""
    k = first
    while k < end - 1 and u >= chances[child[k]]:
        u -= chances[child[k]]
        k += 1
    return k


if __name__ == "__main__":
    main()
