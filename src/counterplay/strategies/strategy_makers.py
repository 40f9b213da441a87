"""What models are made of, by kind of game: uniform play, equilibrium, best responses, changes of another strategy.

In a game in memory strategies are arrays. In a large spot they stand in a store, and are made one betting node after the
other, so that a model need not know which it is. In a spot, models may be changes of its equilibrium, or a lock.

Decision rows are the decisions of a player, infoset by infoset, in an enumerated game or in a spot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import F32, F64, I64, AnyArray
from counterplay.errors import InputError, quoted
from counterplay.gametree.compile.compile import GameTree
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.locking.node_lock import NodeLock
from counterplay.poker.plan_stores.compact_plans import StoredStrategy
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans, packed_probabilities, unpacked_choices
from counterplay.poker.public_tree.hand_treeplex import DEAL, PublicNode, layer_of
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.solve_spot import METHOD
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame
from counterplay.problem.solvable_game import by_kind
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import best_response
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.restriction import Numbers
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import Treeplex


class DecisionRows(NamedTuple):
    """Infosets with the same actions, (actions, infosets) their sequences, none for one action; in a spot a betting node."""

    actions: tuple[str, ...]
    sequences: I64
    node: int = -1


def decision_rows(game: GameTree | SpotGame, player: int) -> Iterator[DecisionRows]:
    """All decisions of a player, including forced ones if the game lists them."""
    listed: Callable[..., Iterator[DecisionRows]] = by_kind(LISTED, game, _of_tree)
    return listed(game, player)


def _of_tree(game: GameTree, player: int) -> Iterator[DecisionRows]:
    tree = game.trees[player]
    labels = tree.labels
    for actions, lane in zip(labels.actions, labels.lanes, strict=True):
        found = tree.sequences_of(lane) if lane >= 0 else slice(0, 0, 1)
        yield DecisionRows(actions, np.arange(found.start, found.stop, found.step)[:, None])


def _of_spot(game: SpotGame, player: int) -> Iterator[DecisionRows]:
    """One group for each betting node where the player has a choice, with the hands of all its boards."""
    betting = game.tree.betting
    for node in np.flatnonzero(game.tree.runs[player].lane[:DEAL] >= 0).tolist():
        yield DecisionRows(betting.actions(node), game.tree.sequences_at(player, node).T, node)


LISTED: dict[type, Callable[..., Iterator[DecisionRows]]] = {SpotGame: _of_spot}
"""What lists the decisions of a kind of game; those of others are listed by infosets."""


def situations(game: SpotGame, node: int) -> Iterator[tuple[str, str]]:
    """Path and hand of each infoset of a decision: "check, bet 100, Ah" and "KsKd"."""
    here = layer_of(game.tree.betting, node)
    for board in range(len(game.tree.boards.layers[here].boards)):
        part = PublicNode(node, here, board)
        path = game.tree_path(part)
        for number in hands_on(game.tree, part)[1]:
            yield path, hand_text(game.tree.boards.cards.hands[number].tolist())


def hands_on(tree: PublicTree, part: PublicNode) -> tuple[int, I64]:
    """The offset of a board's hands in its layer, and their numbers (n,)."""
    layer = tree.boards.layers[part.layer]
    first, end = layer.first[part.board : part.board + 2].tolist()
    return first, layer.hand[first:end]


_BY_GAMMA = 0.1
"""The least alpha at which NumPy draws a Dirichlet distribution by gamma variates."""


def by_infoset(tree: Treeplex, row: Callable[[int, slice], F64]) -> F64:
    """(size,) a behaviour made infoset by infoset in the order of the labels, so that seeds mean the same in every
    layout; `row` gets the number of actions and their indices."""
    behaviour = np.zeros(tree.size)
    behaviour[0] = 1.0
    actions = tree.lane_sequences[2]
    for lane in tree.visit_order.tolist():
        where = tree.sequences_of(lane)
        behaviour[where] = row(int(actions[lane]), where)
    return behaviour


def dirichlet(tree: Treeplex, seed: int, alpha: float = 1.0) -> Strategy:
    """Every infoset's probabilities drawn from a symmetric Dirichlet distribution."""
    rng = np.random.default_rng(seed)
    if alpha < _BY_GAMMA:
        return Strategy(tree, by_infoset(tree, lambda n, _: rng.dirichlet(np.full(n, alpha))), {"seed": seed})
    # The same numbers, all drawn at once: each row is as many gamma variates over their sum.
    rows, draws = rows_at_once(tree)
    drawn = rng.standard_gamma(alpha, draws)
    behaviour = np.zeros(tree.size)
    behaviour[0] = 1.0
    for sequences, last in rows:
        n = sequences.shape[1]
        columns = [drawn[last - n + k] for k in range(n)]
        scale = 1.0 / sum(columns)
        for k, column in enumerate(columns):
            behaviour[sequences[:, k]] = column * scale
    return Strategy(tree, behaviour, {"seed": seed})


def rows_at_once(tree: Treeplex, spare: int = 0) -> tuple[list[tuple[I64, I64]], int]:
    """All rows in the order of `by_infoset`, those with equally many actions together: (m, n) their sequences, and (m,)
    where the draws of each end, if a row takes `spare` draws and one an action; and the number of all draws."""
    first, stride, actions = (numbers[tree.visit_order] for numbers in tree.lane_sequences)
    last, rows = np.cumsum(spare + actions), list[tuple[I64, I64]]()
    for n in np.unique(actions).tolist():
        here = actions == n
        rows.append((first[here][:, None] + stride[here][:, None] * np.arange(n), last[here]))
    return rows, int(last[-1]) if len(last) else 0


Change = Callable[[DecisionRows, F64], F64]
"""New (actions, n) probabilities of some infosets from those so far; called for every group, also for one without
choice."""


@dataclass(frozen=True)
class ArrayStrategies:
    """Strategies of a game in memory."""

    game: Any

    def owns(self, strategy: Any, player: int) -> bool:
        """Return whether it is a strategy of a player of this game."""
        return isinstance(strategy, Strategy) and strategy.player == player and strategy.is_of(self.game)

    def uniform(self, player: int) -> Strategy:
        return Strategy.uniform(self.game.trees[player])

    def random(self, player: int, seed: int, alpha: float) -> Strategy:
        """Every infoset's probabilities drawn from a symmetric Dirichlet distribution."""
        return dirichlet(self.game.trees[player], seed, alpha)

    def equilibrium(self, player: int) -> Strategy:
        return Strategy.from_plan(self.game.trees[player], equilibrium_of(self.game).plans[player])

    def best_response(self, player: int, other: Strategy) -> Strategy:
        """A best response to the other player's strategy."""
        return Strategy(self.game.trees[player], best_response(self.game.subgame, player, other.plan).behaviour)

    def noisy(self, inner: Strategy, weight: float) -> Strategy:
        """A strategy mixed at every infoset with uniform play of this weight."""
        mixed = (1.0 - weight) * inner.behaviour + weight * inner.tree.uniform()
        return Strategy(inner.tree, mixed, counts=inner.counts)

    def size(self, player: int) -> int:
        """How many numbers a file has of a player."""
        return int(self.game.trees[player].size)

    def numbers(self, behaviour: Numbers, player: int) -> F64:  # noqa: ARG002 - others need it
        """(size,) a player's probabilities as they stand in a file."""
        return np.asarray(behaviour[:])

    def from_numbers(self, player: int, numbers: AnyArray, facts: dict[str, Any] | None = None) -> Strategy:
        """The strategy of the (size,) numbers in a file."""
        return Strategy(self.game.trees[player], numbers.astype(np.float64), facts or {})

    def changed(self, inner: Strategy, change: Change) -> Strategy:
        """A strategy with the rows of every infoset changed."""
        behaviour = inner.behaviour.copy()
        for decision in decision_rows(self.game, inner.player):
            rows = change(decision, behaviour[decision.sequences])
            if decision.sequences.size:
                behaviour[decision.sequences] = rows
        return Strategy(inner.tree, behaviour)


@dataclass(frozen=True)
class StoredStrategies:
    """Strategies of a large spot."""

    game: StoredSpotGame

    def owns(self, strategy: Any, player: int) -> bool:
        if isinstance(strategy, StoredStrategy):
            return strategy.plans.tree is self.game.tree and strategy.player == player
        return isinstance(strategy, Strategy) and strategy.tree is self.game.tree.runs[player].tree

    def uniform(self, player: int) -> StoredStrategy:
        """Every action with equal probability, on the boards of the equilibrium."""
        return StoredStrategy(self.game.uniform_plans, player)

    def random(self, player: int, seed: int, alpha: float) -> StoredStrategy:
        """Every infoset's probabilities drawn from a symmetric Dirichlet distribution, by other draws than in memory: those
        of a betting node do not wait for others."""
        betting, layers = self.game.tree.betting, self.game.tree.boards.layers

        def read(node: int, lanes: I64) -> F64:
            shares = np.full(len(betting.children(node)), alpha)
            rows = np.random.default_rng((seed, node)).dirichlet(shares, layers[layer_of(betting, node)].places)
            return rows[lanes].T

        return StoredStrategy(self.game.uniform_plans.with_choices(player, read, keep=False), player, {"seed": seed})

    def equilibrium(self, player: int) -> StoredStrategy:
        return StoredStrategy(self.game.equilibrium_plans(), player)

    def best_response(self, player: int, other: StoredStrategy) -> StoredStrategy:
        return StoredStrategy(other.plans.best_response(player), player)

    def noisy(self, inner: StoredStrategy, weight: float) -> StoredStrategy:
        return self.changed(inner, lambda _, rows: (1.0 - weight) * rows + weight / len(rows))

    def size(self, player: int) -> int:
        return self.game.tree.sequences(player)

    def numbers(self, behaviour: Numbers, player: int) -> F32:
        """(sequences,) a player's probabilities as they stand in a file, in single precision."""
        return packed_probabilities(self.game.tree, player, behaviour)

    def from_numbers(self, player: int, numbers: AnyArray, facts: dict[str, Any] | None = None) -> StoredStrategy:
        """The strategy of the (choices,) numbers in a file."""
        read = unpacked_choices(self.game.tree, player, numbers)
        return StoredStrategy(self.game.uniform_plans.with_choices(player, read), player, facts or {})

    def changed(self, inner: StoredStrategy, change: Change) -> StoredStrategy:
        return StoredStrategy(inner.plans.with_changes(inner.player, self._change(change)), inner.player)

    def _change(self, change: Change) -> Callable[[int, F64], F64]:
        betting, none = self.game.tree.betting, np.zeros((0, 0), np.int64)
        return lambda node, rows: change(DecisionRows(betting.actions(node), none, node), rows)


def strategies_of(game: Any) -> Any:
    """The strategies of a game: an `ArrayStrategies`, or what its kind has."""
    return by_kind(STRATEGIES, game, ArrayStrategies)(game)


STRATEGIES: dict[type, Callable[[Any], Any]] = {StoredSpotGame: StoredStrategies}
"""By kind of game; of others they are arrays."""


_MOST = 20_000
_REFERENCES: WeakKeyDictionary[Subgame, SolvedSpot] = WeakKeyDictionary()


def spot_of(game: Any, model: object) -> Spot:
    """The spot of a game with board, ranges and chips; `model` is named in the message of an InputError."""
    if by_kind(REFERENCES, game, None) is None:
        raise InputError(f"{quoted(model)} is an opponent in a spot of hold'em, not in {game.name}")
    if game.spot is None:
        raise InputError(f"{game.name} has no board, ranges and chips of its own, to which leaks could be applied")
    return game.spot  # type: ignore[no-any-return]


def spot_reference(game: Any, model: object) -> SolvedSpot:
    """The equilibrium of a spot: the one that it was loaded with, or one found once, as `spot` does."""
    spot = spot_of(game, model)
    if game.known is not None and game.known.is_equilibrium:
        return game.known  # type: ignore[no-any-return]
    return by_kind(REFERENCES, game, _reference)(game, spot)


def _reference(game: SpotGame, spot: Spot) -> SolvedSpot:
    if game.subgame not in _REFERENCES:
        found = solve_cfr(game.subgame, minimiser(METHOD), Stop(game.fine, _MOST))
        if found.interrupted:
            raise KeyboardInterrupt
        plans = ArraySpotPlans.of_tree(game.tree, found.plans)
        _REFERENCES[game.subgame] = SolvedSpot(spot, game.tree, plans, {"exploitability": found.exploitability})
    return _REFERENCES[game.subgame]


def _stored_reference(game: StoredSpotGame, spot: Spot) -> SolvedSpot:
    facts = {"exploitability": game.equilibrium().exploitability}
    return SolvedSpot(spot, game.tree, game.equilibrium_plans(), facts)


REFERENCES: dict[type, Callable[[Any, Spot], SolvedSpot]] = {StoredSpotGame: _stored_reference, SpotGame: _reference}
"""Solvers of the kinds of games that take leaks."""


def locked_strategy(lock: NodeLock, game: Any) -> Strategy:
    """The strategy of a lock: the solution's where nothing is locked; where a line is trusted in part, both mixed."""
    return by_kind(LOCKED, game, _locked_arrays)(lock, game)


def _locked_arrays(lock: NodeLock, game: Any) -> Strategy:
    player = lock.opponent
    tree, usual = game.trees[player], lock.solved.plans.behaviour(player)[:]
    trust = np.where(tree.owner >= 0, lock.trust[np.maximum(tree.owner, 0)], 0.0)
    return Strategy(tree, trust * lock.plans.behaviour(player)[:] + (1.0 - trust) * usual)


def _locked_store(lock: NodeLock, game: StoredSpotGame) -> StoredStrategy:
    """The same in a large spot, where only what is locked in part is written anew."""
    player, tree, plans = lock.opponent, game.tree, game.stored(replace(lock.solved, plans=lock.plans))
    usual, runs, partly = lock.solved.plans.behaviour(player), tree.runs[player], lock.trust.trust < 1.0
    for node in lock.nodes:
        first = int(runs.lane[node])
        end = first + tree.boards.layers[layer_of(tree.betting, node)].places
        here = partly & (lock.trust.lanes >= first) & (lock.trust.lanes < end)
        if here.any():
            trust, lanes = lock.trust.trust[here], lock.trust.lanes[here] - first
            every = tree.sequences_at(player, node, lanes).T
            mixed = trust * lock.plans.behaviour(player)[every] + (1.0 - trust) * usual[every]
            plans = plans.put(player, every.ravel(), mixed.ravel())
    return StoredStrategy(plans, player)


LOCKED: dict[type, Callable[..., Any]] = {StoredSpotGame: _locked_store}
"""Strategies of a lock by kind of game; else they are arrays."""
