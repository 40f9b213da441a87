"""Public chance sampling with whole ranges (Johanson et al. 2012), with regrets and averages by Linear CFR.

An iteration deals one complete board; the players move one after the other, with all their hands at all their decisions.
Iteration t counts t times, in regrets and in the average (Brown and Sandholm 2019), so nothing is ever discounted and only
the lanes of the board are touched. The board of an iteration depends on the seed and on its number alone.

CFR-BR (Johanson, Bard, Burch and Bowling 2012) gives each player an opponent of their own, who plays the same buckets until
the last street and there a best response in real cards: their hybrid agent, whose trunk ends where the last card is dealt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeGuard

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.errors import InputError
from counterplay.gametree.build.size_estimate import check_memory
from counterplay.jit.clock import interrupts_held, run_time
from counterplay.jit.threads import check_threads
from counterplay.poker.whole_game.blueprints.sampled_street import (
    BoundPlay,
    DealtBoard,
    SampledStreet,
    Share,
    StreetMove,
    memory_of,
    room_of,
    share_parts,
)  # fmt: skip
from counterplay.poker.whole_game.blueprints.street_regrets import (
    LaneTables,
    Rates,
    StartTable,
    add_classes,
    advance,
    match,
    multiply_down,
)
from counterplay.poker.whole_game.boards.board import DrawnBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import RowTrust
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    BucketedStrategy,
    ModelMixture,
    normalise_rows,
    reaches,
    strategy_of,
)
from counterplay.poker.whole_game.values.board_walk import raise_classes
from counterplay.poker.whole_game.values.line_bundles import LineBundles
from counterplay.poker.whole_game.values.measure import preflop_values

_PROBED = 1 << 40
"""The first number of the boards on which a start is found."""
_COIN = 1
"""Keeps the draws of who plays apart from those of the boards."""
_AHEAD = 8
"""Boards that are dealt in a row: what the first one has brought into the cache serves the others."""
_STILL = Rates(1.0, 1.0, 0.0, floor=False)


@dataclass(frozen=True, eq=False)
class SamplingProblem:
    """A game to be solved by sampling in the lanes that hands share. memory: bytes that may be taken."""

    game: HoldemGame
    buckets: CardAbstraction
    seed: int = 0
    memory: float | None = None

    def check_room(self, needed: float, what: str) -> None:
        text = f"{what} with {self.buckets} takes {needed / 2**30:.3g} GiB"
        check_memory(text, needed, self.memory, "ask for fewer buckets")


class PlayerTables(NamedTuple):
    """A player's regrets: (sequences, lanes) before the flop, and flat of every street after it."""

    preflop: AnyArray
    tables: list[AnyArray]


class SampledModel(NamedTuple):
    """A model in the buckets of the response, as the kernels take regrets: matching turns its probabilities into
    themselves. plan: (sequences, classes) its reach before the flop; tables: flat, of every street after it."""

    plan: AnyArray
    tables: list[AnyArray]

    @staticmethod
    def of(game: HoldemGame, play: BlueprintStrategy, player: int, streets: Sequence[SampledStreet]) -> SampledModel:
        assert isinstance(play, BucketedStrategy)
        tables = zip(streets, play.tables, strict=True)
        flat = [street.flat_table(player, pair[player]) for street, pair in tables]
        return SampledModel(reaches(game.sides[player], play.preflop[player]), flat)


def shares_buckets(trust: ModelMixture, buckets: CardAbstraction, game: HoldemGame) -> bool:
    """Return whether a model, and its reference, have the buckets of the response and are not trusted row by row, so
    that it takes the place of regrets."""
    shared = not trust.by_row and shares_lanes(trust.model, buckets, game)
    if trust.reference is not None and not (shared and shares_lanes(trust.reference, buckets, game)):
        raise InputError("a model and its reference must have the buckets of the response")
    return shared


def shares_lanes(play: BlueprintStrategy, buckets: CardAbstraction, game: HoldemGame) -> TypeGuard[BucketedStrategy]:
    """Return whether a strategy has the buckets of a card abstraction."""
    if not isinstance(play, BucketedStrategy):
        return False
    if play.buckets is buckets:
        return True
    sizes = [(play.buckets.sizes_on(street), buckets.sizes_on(street)) for street in range(1, game.last + 1)]
    return play.buckets.name == buckets.name and all(np.array_equal(*pair) for pair in sizes)


class PublicSampling:
    """Regrets and averages of both players, changed by `sample`."""

    def __init__(
        self, problem: SamplingProblem, *, threads: int = 1, trust: ModelMixture | None = None, exact: bool = False
    ) -> None:
        """Allocate.

        Args:
            threads: lines of betting are shared out among them, and one deals boards ahead; their number changes no bit
                of the result.
            trust: in a model of one player; the other's average is then a restricted Nash response (Johanson, Zinkevich
                and Bowling 2007), for which each iteration draws whether the model or a free opponent plays, or a
                data-biased one. A model in the same buckets is fastest; any other is asked on each board, and has no
                reference.
            exact: CFR-BR: opponents answer on the last street in real cards.
        """
        if exact and trust is not None:
            raise InputError("CFR-BR has a best response for an opponent, and takes no trust in a model")
        check_threads(threads, "threads")
        self.threads, self.trust = threads, trust
        game, buckets = self.game, self.buckets = problem.game, problem.buckets
        self.seed = problem.seed
        self.iterations, self._skipped, self.seconds = 0, 0, 0.0
        bundles = list[LineBundles]()
        for street in range(game.last, 0, -1):
            bundles.insert(0, LineBundles(game, street, bundles[0] if bundles else None))
        lanes = [buckets.sizes_on(street) for street in range(1, game.last + 1)]
        shared = trust is not None and shares_buckets(trust, buckets, game)
        bound = trust is not None and not shared
        sizes = [memory_of(game, one, int(sizes.sum())) for one, sizes in zip(bundles, lanes, strict=True)]
        needed = sum(sizes) + (sum(sizes[:-1]) / 3 if exact else 0.0)
        needed += sum(room_of(game, street, one) for street, one in enumerate(bundles, 1)) if bound else 0.0
        problem.check_room(needed, "solving")
        self.streets = [
            SampledStreet(game, s, one, lanes[s - 1], threads, exact=exact and s == game.last, small=bound)
            for s, one in enumerate(bundles, 1)
        ]
        few = int(buckets.preflop.max()) + 1
        self.regrets, self.sums = ([np.zeros((side.sizes[0], few)) for side in game.sides] for _ in range(2))
        # Each answers the last street, and so has no regrets there.
        self._opponents = [
            PlayerTables(
                np.zeros_like(self.regrets[player]),
                [*(np.zeros_like(street.regrets[player]) for street in self.streets[:-1]), np.zeros(1, game.dtype)],
            )
            for player in (0, 1) if exact
        ]  # fmt: skip
        self._row = np.zeros(few)
        plays = (trust.model, trust.reference) if trust is not None and shared else (None, None)
        self._model, self._reference = (
            SampledModel.of(game, play, trust.player, self.streets) if trust is not None and play is not None else None
            for play in plays
        )
        self._bound = BoundPlay(game, trust, self.streets, buckets.preflop) if trust is not None and bound else None
        self._share: Share = partial(share_parts, None)

    def sample(self, iterations: int) -> None:
        """So many iterations. Ctrl-C waits for the end of the one under way."""
        self.sweep(range(self.iterations, self.iterations + iterations))

    def sweep(self, boards: Sequence[int]) -> None:
        """The iterations on the boards of these ascending numbers, from 0; those between them are not done."""
        begin = run_time()
        with ThreadPoolExecutor(self.threads) as threads, interrupts_held() as came:
            pool = threads if self.threads > 1 else None
            self._share = partial(share_parts, pool)
            for board, deal in zip(boards, _deal_ahead(pool, self._deal, boards), strict=True):
                self.iterations = board
                for player in (0, 1):
                    self._meet(player, deal, float(board + 1 - self._skipped))
                self.iterations += 1
                if came:
                    break
        self.seconds += run_time() - begin

    def state(self) -> dict[str, AnyArray]:
        """Everything that iterations change, by name: (sequences, lanes) before the flop and flat after it."""
        found = {}
        for street, (regrets, sums) in enumerate(self._by_street()):
            for player in (0, 1):
                found[f"regrets{player}_{street}"], found[f"sums{player}_{street}"] = regrets[player], sums[player]
        for player, opponent in enumerate(self._opponents):
            for street, table in enumerate((opponent.preflop, *opponent.tables[:-1])):
                found[f"opponent{player}_{street}"] = table
        return found

    def use(self, tables: Mapping[str, AnyArray]) -> None:
        """Change these tables from now on, by name, each of the shape of the table in use."""
        for street, (regrets, sums) in enumerate(self._by_street()):
            for player in (0, 1):
                regrets[player], sums[player] = tables[f"regrets{player}_{street}"], tables[f"sums{player}_{street}"]
        for player, opponent in enumerate(self._opponents):
            found = [tables[f"opponent{player}_{street}"] for street in range(len(opponent.tables))]
            self._opponents[player] = PlayerTables(found[0], [*found[1:], opponent.tables[-1]])

    def met_lines(self, line: int) -> dict[str, AnyArray]:
        """Of the tables after the flop, by name as in `state`, (lines,) int32, ascending: lines of so many numbers that
        may have changed since the last call."""
        found: dict[str, AnyArray] = {}
        for number, street in enumerate(self.streets, 1):
            for player, lines in enumerate(street.met_lines(line)):
                found |= {f"{what}{player}_{number}": lines for what in ("regrets", "sums", "opponent")}
        return found

    def restart(self, trust: ModelMixture, keep: int) -> None:
        """Go on with another trust in the same model: averages begin anew, and the regrets so far count as those of
        `keep` iterations."""
        if self.trust is None or not trust.differs_in_p(self.trust):
            raise InputError("a solve goes on with another trust in its model only")
        self.trust = trust
        if self._bound is not None:
            self._bound.set_trust(trust)
        for regrets in (*self.regrets, *(one for street in self.streets for one in street.regrets)):
            regrets *= (keep / max(1, self.iterations - self._skipped)) ** 2
        self._skipped = self.iterations - keep
        for sums in (*self.sums, *(one for street in self.streets for one in street.sums)):
            sums[...] = 0

    def begin_from(self, start: Mapping[str, AnyArray], iterations: int, keep: int) -> None:
        """Go on from regrets and sums of so many iterations (see `state`), which count as those of `keep`."""
        for name, table in self.state().items():
            np.multiply(start[name], (keep / iterations) ** 2, out=table)
        self.iterations, self._skipped = iterations, iterations - keep

    def start_tables(self, play: BucketedStrategy) -> list[StartTable]:
        """The tables beside those of a strategy in the solve's buckets."""
        found, (_, first) = list[StartTable](), np.unique(self.buckets.preflop, return_index=True)
        for player, side in enumerate(self.game.sides):
            early = np.ascontiguousarray(play.preflop[player][:, first])
            tables = self.regrets[player], self.sums[player]
            found.append(StartTable(player, 0, side.preflop, lambda row: row, early, *tables))
            for street, late in zip(self.streets, play.tables, strict=True):
                flat, places = street.flat_table(player, late[player]), street.bundles.places(player, street.lanes)
                tables = street.regrets[player], street.sums[player]
                decisions = side.decisions[street.street]
                found.append(StartTable(player, street.street, decisions, places.__getitem__, flat, *tables))
        return found

    def probe(self, player: int, number: int) -> None:
        """Add one player's regrets, and the other's average, on one board, as an iteration of weight 1."""
        self.iterations = _PROBED + number
        self._meet(player, self._deal(self.iterations), 1.0)

    def begin_at(self, iterations: int) -> tuple[float, float]:
        """Count as so many iterations; the sums of the squares of their weights in regrets, and of those in
        averages."""
        self.iterations, self._skipped = iterations, 0
        return iterations**3 / 3.0, iterations**2 / 2.0

    def _by_street(self) -> list[tuple[list[AnyArray], list[AnyArray]]]:
        return [(self.regrets, self.sums), *((street.regrets, street.sums) for street in self.streets)]

    def average(self) -> BucketedStrategy:
        def blocks(player: int, street: int) -> list[AnyArray]:
            if street:
                return self.streets[street - 1].average(player)
            return [normalise_rows(self.sums[player], self.game.sides[player].preflop)]

        return strategy_of(self.game, self.buckets, blocks)

    def _deal(self, number: int) -> Sequence[DealtBoard]:
        random = np.random.default_rng((self.seed, number + 1))
        drawn = DrawnBoards(self.game.boards, random, [1] * self.game.last)
        found, board = list[DealtBoard](), self.game.boards.root
        for street in self.streets:
            board = drawn.after(board)[0][0]
            found.append(street.come_to(board, *self.buckets.lanes_on(board)))
        return found

    def _tables(self, player: int) -> PlayerTables:
        return PlayerTables(self.regrets[player], [street.regrets[player] for street in self.streets])

    def _meet(self, player: int, deal: Sequence[DealtBoard], weight: float) -> None:
        """One player's new regrets: against the other's, whose average moves; a model of the other; or, in CFR-BR, an
        opponent of its own, who moves first."""
        own, last, trust, model, bound = self._tables(player), self.streets[-1], self.trust, None, self._bound
        if trust is not None and not trust.by_row:  # the model is met or not, in the player's lanes or in others
            draw = np.random.default_rng((self.seed, self.iterations + 1, _COIN)).random()
            model, bound = (self._model, bound) if trust.player != player and draw < trust.p else (None, None)
        if self._opponents:
            theirs = self._opponents[1 - player]
            self._move(1 - player, deal, theirs, own, (weight, weight), last.answer)
            self._move(player, deal, own, theirs, (weight, 0.0), last.play_against)
        elif bound is not None:
            other, average = 1 - player, weight if bound.trust.by_row else 0.0
            plan = bound.reach(other, self._early_play(other, self.regrets[other])[0])
            if average:
                self.sums[other] += average * bound.by_lane(plan)
            boards, tables = bound.begin(player, deal)
            worth = self._walk(player, boards, tables, plan, (weight, average), last.play_out)
            bound.end(player)
            self._move_early(player, own.preflop, worth, weight, bound.rows if bound.trust.player == player else None)
        elif model is not None:
            self._move(player, deal, own, model, (weight, 0.0), last.play_out)
            if self._reference is not None:  # on the same board, so that what both do alike cancels
                self._move(player, deal, own, self._reference, (-weight, 0.0), last.play_out)
        else:
            self._move(player, deal, own, self._tables(1 - player), (weight, weight), last.play_out)

    def _move(
        self, player: int, deal: Sequence[DealtBoard], own: PlayerTables, other: PlayerTables | SampledModel,
        weights: tuple[float, float], finish: Callable[[StreetMove], None],
    ) -> None:  # fmt: skip
        """One player's new regrets `own`, and the other's average, by these weights."""
        if isinstance(other, PlayerTables):
            plan = self._early_play(1 - player, other.preflop)[1]
            if weights[1]:
                self.sums[1 - player] += weights[1] * plan
            plan = plan[:, self.buckets.preflop]
        else:
            plan = other.plan
        rows = zip(self.streets, own.tables, other.tables, strict=True)
        tables = [street.tables_of(player, *pair) for street, *pair in rows]
        worth = self._walk(player, deal, tables, plan, weights, finish)
        self._move_early(player, own.preflop, worth, weights[0])

    def _walk(
        self, player: int, deal: Sequence[DealtBoard], tables: Sequence[LaneTables], plan: AnyArray,
        weights: tuple[float, float], finish: Callable[[StreetMove], None],
    ) -> AnyArray:  # fmt: skip
        """(sequences, classes) values of a player's sequences before the flop against the other's `plan`."""
        game, first, last = self.game, self.streets[0], len(self.streets) - 1
        first.reach[:] = 0
        # (classes, lines): the other's reach of each entry of the flop, in the column of its line.
        first.reach[:, first.bundles.slots] = plan[game.sides[1 - player].entry].T
        moves = [StreetMove(player, *pair, *weights, self._share) for pair in zip(deal, tables, strict=True)]
        for k in range(last):
            self.streets[k].go_down(moves[k], self.streets[k + 1].reach)
        finish(moves[last])
        for k in range(last - 1, -1, -1):
            self.streets[k].come_back(moves[k], self.streets[k + 1], deal[k + 1])
        found = np.zeros((len(first.bundles.slots), game.boards.classes))
        add_classes(deal[0].hands.up, first.bundles.slots, first.values, found)
        return preflop_values(game, player, plan, found * (first.factor * game.deals_after(0)))

    def _early_play(self, player: int, regrets: AnyArray) -> tuple[AnyArray, AnyArray]:
        """(sequences, lanes) a player's strategy and plan before the flop by (sequences, lanes) regrets."""
        side, table = self.game.sides[player], np.empty_like(regrets)
        match(side.preflop, regrets, table, self._row)
        plan = np.ones_like(table)
        multiply_down(side.preflop, table, plan)
        return table, plan

    def _move_early(
        self, player: int, regrets: AnyArray, worth: AnyArray, weight: float, bound: RowTrust | None = None
    ) -> None:
        """Add regrets to a player's before the flop, (sequences, lanes), by values (sequences, classes)."""
        side, table = self.game.sides[player], self._early_play(player, regrets)[0]
        summed = np.zeros_like(table)
        if bound is None:
            raise_classes(side.preflop, table, self.buckets.preflop, worth, summed)
        else:
            bound.raise_before_flop(table, self.buckets.preflop, worth, summed)
        nothing = np.zeros_like(table)
        summed *= weight / self.game.deals_after(0)
        advance(side.preflop, summed, nothing, table, regrets, nothing, _STILL, self._row)


def _deal_ahead(
    pool: ThreadPoolExecutor | None, deal: Callable[[int], Sequence[DealtBoard]], boards: Sequence[int]
) -> Iterator[Sequence[DealtBoard]]:
    """The deals of boards by their numbers, in order: one thread of the pool deals the next few, while the players move
    on those before; without a pool in this thread, which takes less processor time where no core is free."""

    def deal_all(numbers: Sequence[int]) -> list[Sequence[DealtBoard]]:
        return [deal(number) for number in numbers]

    if pool is None:
        for begin in range(0, len(boards), _AHEAD):
            yield from deal_all(boards[begin : begin + _AHEAD])
        return
    ahead = pool.submit(deal_all, boards[:1])  # nobody waits for more than the first
    for end in range(1, len(boards) + 1, _AHEAD):
        dealt, ahead = ahead.result(), pool.submit(deal_all, boards[end : end + _AHEAD])
        yield from dealt
    yield from ahead.result()
