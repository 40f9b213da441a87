"""Existing and computed strategies as opponents: a strategy of the game, a table of probabilities, a player of a solved
spot, files of these; checkpoints of a regret minimiser, blueprints of whole games of hold'em, learned policies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self, cast

import numpy as np

from counterplay.arrays import F64
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.errors import InputError, quoted, unknown
from counterplay.files import BLUEPRINT, FLOP_BLUEPRINT, RESPONSE, SPOT, STRATEGY, TEXT_STRATEGY, check_readable
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.compile.policy_behaviour import policy_behaviour
from counterplay.networks.network import NetworkPath, read_once
from counterplay.networks.policy_network import PolicyNetwork, check_game, load_hand_policy, load_policy_network
from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.poker.plan_stores.compact_plans import CompactPlans, StoredStrategy
from counterplay.poker.public_tree.hand_treeplex import PublicNode, layer_of
from counterplay.poker.spots.solution import SolvedSpot, load_spot
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame
from counterplay.poker.whole_game.blueprints.blueprint import blueprint, usual_lanes
from counterplay.poker.whole_game.blueprints.blueprint_file import load as load_blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import load_response
from counterplay.poker.whole_game.blueprints.board_split import PUBLIC
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.strategies.learned_hands import LearnedHands
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.problem.solvable_game import by_kind
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import Minimiser, minimiser
from counterplay.strategies.strategy_makers import hands_on, strategies_of
from counterplay.texts.readers import OneOf, Whole
from counterplay.treeplex.strategy import Strategy, load

WHOLE_GAMES = (BLUEPRINT, FLOP_BLUEPRINT, RESPONSE)
FILES = (TEXT_STRATEGY, STRATEGY, SPOT, *WHOLE_GAMES)
"""Endings of files that hold strategies."""


@dataclass(frozen=True)
class GivenStrategy(OpponentModel):
    """A given strategy. source: a strategy of the game; or {infoset: {action: probability}}, where infosets with one
    action may be missing; in a spot also another solved spot."""

    FIXED = False
    source: Strategy | StoredStrategy | SolvedSpot | Mapping[str, Mapping[str, float]]

    def __str__(self) -> str:
        method = getattr(self.source, "facts", {}).get("method")
        return f"<{type(self.source).__name__ if method is None else method}>"

    def strategy(self, game: AnyGame, player: int, seed: int = 0) -> Strategy:
        if isinstance(self.source, Strategy | StoredStrategy):
            if not strategies_of(game).owns(self.source, player):
                raise InputError(f"this is not a strategy of player {player} in {game.name}")
            return cast(Strategy, self.source)
        return super().strategy(game, player, seed)

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        if isinstance(self.source, Mapping):
            return Strategy.from_table(game.trees[player], self.source)
        from_solution = by_kind(FROM_SOLUTION, game, None)
        if from_solution is None:
            raise InputError(f"a solved spot cannot be an opponent in {game.name}")
        return from_solution(game, self.source, player)  # type: ignore[no-any-return]


def _from_solution(game: SpotGame, solved: SolvedSpot, player: int) -> Strategy:
    """The strategy of a player in another solution: of the same spot, or of one with other ranges. Hands that are
    missing there play uniformly."""
    tree = game.trees[player]
    if solved.tree.runs[player].tree is tree:
        return Strategy(tree, solved.plans.strategy(player).behaviour, solved.facts)
    read = _choices(game, solved, player)
    makers = strategies_of(game)
    made: Strategy = makers.changed(makers.uniform(player), lambda decision, _: read(decision.node))
    return replace(made, facts=solved.facts)


def _into_store(game: StoredSpotGame, solved: SolvedSpot, player: int) -> StoredStrategy:
    """The same in a large spot; a solution of the same spot stays as it is stored."""
    if game.spot is not None and solved.spot.key == game.spot.key and isinstance(solved.plans, CompactPlans):
        return StoredStrategy(CompactPlans(game.tree, solved.plans.averages), player, solved.facts)
    read = _choices(game, solved, player)
    plans = game.uniform_plans.with_choices(player, lambda node, lanes: read(node)[:, lanes])
    return StoredStrategy(plans, player, solved.facts)


def _choices(game: SpotGame, solved: SolvedSpot, player: int) -> Callable[[int], F64]:
    """For a decision of a player: (actions, places of its layer) probabilities in another solution; errors as of
    `_from_solution`."""
    if game.spot is None:
        raise InputError(f"a solved spot cannot be an opponent in {game.name}")
    theirs = solved.spot
    same = ("board", "pot", "stack", "bets", "raises", "min_bet", "unit", "all_in_at", "deck", "rules")
    for name in same:
        if getattr(theirs, name) != getattr(game.spot, name):
            raise InputError(f"that solution is of a spot with another {name}, so it cannot be a model in this one")
    numbers, behaviour, starts = game.spot.numbers, solved.plans.behaviour(player), solved.tree.runs[player].start

    def read(node: int) -> F64:
        here, children = layer_of(game.tree.betting, node), game.tree.betting.children(node)
        layer = game.tree.boards.layers[here]
        rows = np.full((len(children), layer.places), 1.0 / len(children))
        for board in range(len(layer.boards)):
            mine, other = (hands_on(x, PublicNode(node, here, board)) for x in (game.tree, solved.tree))
            _, at, found = np.intersect1d(
                numbers[mine[1]], theirs.numbers[other[1]], assume_unique=True, return_indices=True
            )
            for row, child in zip(rows, children, strict=True):
                row[mine[0] + at] = behaviour[int(starts[child]) + other[0] + found]
        return rows

    return read


FROM_SOLUTION: dict[type, Callable[..., Any]] = {StoredSpotGame: _into_store, SpotGame: _from_solution}
"""What makes a strategy of a solved spot, in the kinds of games that have it."""


def names_file(text: str) -> bool:
    """Return whether a text is that of a strategy in a file."""
    return text.endswith(FILES) or f"{RESPONSE}:" in text


@dataclass(frozen=True)
class StrategyFile(OpponentModel):
    """The strategy in a `.json` or `.cps` file; in a spot, a player of another solved one in a `.spot` file; in a whole game
    of hold'em, a blueprint in a `.cpb` or `.fhp` file, or a response in a `.cpr` file.

    Attributes:
        path: path of the file.
        to: of a response to a model that is no table, as a bot, the text of that model: `best.cpr:mybot:Bot`.
    """

    FIXED = False
    path: str
    to: str = ""

    @classmethod
    def from_text(cls, text: str) -> Self:
        path, mark, to = text.partition(f"{RESPONSE}:")
        return cls(path + RESPONSE, to) if mark else cls(text)

    def __str__(self) -> str:
        return f"{self.path}:{self.to}" if self.to else self.path

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        if self.path.endswith(SPOT):
            return GivenStrategy(load_spot(self.path)).strategy(game, player, seed)
        if self.path.endswith(WHOLE_GAMES):
            return super().make(game, player, seed)
        return load(game.trees[player], Path(self.path), game.name)

    @property
    def plays_whole_games(self) -> bool:
        return self.path.endswith(WHOLE_GAMES)

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        path = Path(self.path)
        if path.suffix == RESPONSE:
            model = MODELS.parse(self.to) if self.to else None
            if model is not None:
                model.check_whole_game(game)
            return load_response(path, game, None if model is None else model.blueprint(game, seed))
        made = load_blueprint(path, game)[1]
        return made.play if made.observed is None else ObservedStrategy(made.play, made.observed.counts)

    def check(self) -> None:
        check_readable(self.path)


_FLAGS = ("current", "simultaneous")
_PIECE = 256
METHODS = (PUBLIC, "cfr", "cfr+", "dcfr")


@dataclass(frozen=True)
class Checkpoint(OpponentModel):
    """The strategy of a regret minimiser after some iterations: `cfr+:10`, `dcfr:1.5,0,2:100`, `cfr:10,current`.
    current: the last strategy instead of the average."""

    method: Minimiser
    iterations: int
    current: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", minimiser(self.method))
        object.__setattr__(self, "iterations", _iterations(str(self.method), self.iterations))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """From `METHOD:N`, with the minimiser's parameters before N and `,current` or `,simultaneous` (both players
        update at once) after it."""
        head, _, rest = text.partition(":")
        parameters, _, end = rest.rpartition(":")
        method = f"{head}:{parameters}" if parameters else head
        number, *flags = end.split(",")
        iterations = _iterations(method, number)
        for word in sorted(set(flags) - set(_FLAGS)):
            raise unknown("flag", word, _FLAGS, lacks=f"{method}:{iterations}")
        chosen = minimiser(method)
        given = flags if chosen.alternating else ["simultaneous", *flags]
        for word in _FLAGS:
            if given.count(word) > 1:
                raise InputError(f"{method}:{iterations}: duplicate flag {quoted(word)}")
        if "simultaneous" in flags:
            chosen = chosen.changed(alternating=False)
        return cls(chosen, iterations, "current" in flags)

    def __str__(self) -> str:
        return f"{self.method}:{self.iterations}{',current' if self.current else ''}"

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        iterates = Iterates(game.subgame, self.method)
        while iterates.done < self.iterations:  # in pieces, between which Ctrl-C is heard
            iterates.advance(min(_PIECE, self.iterations - iterates.done))
        plans = iterates.current() if self.current else iterates.average()
        return Strategy.from_plan(game.trees[player], plans[player])

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        solver = VectorCFR(game, usual_lanes(game), self.method)
        for _ in range(self.iterations):  # one by one, between which Ctrl-C is heard
            solver.sweep()
        return solver.current() if self.current else solver.average()

    def check_whole_game(self, game: HoldemGame) -> None:
        if not is_walked(game):
            raise InputError(f"{self} iterates over all boards, of which this game has too many; write "
                             f"blueprint:iterations={self.iterations}, or nash")  # fmt: skip


def _iterations(method: str, number: object) -> int:
    return Whole().read(str(number), f"{method}: iterations")


@dataclass(frozen=True, kw_only=True)
class TrainedBlueprint(OpponentModel):
    """A blueprint: an approximate equilibrium of the bucketed game after some iterations. buckets: number of buckets of
    each street after the first. method: one of `METHODS`. seed: seed of a sampling method."""

    HEAD = "blueprint"
    buckets: Annotated[int, Whole(least=1, digits=9)] = 200
    iterations: Annotated[int, Whole(least=1, digits=9)] = 4000
    method: Annotated[str, OneOf(words=METHODS)] = PUBLIC
    seed: Annotated[int, Whole(digits=9)] = 0

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        lanes = make_buckets(game.boards, read_abstraction(str(self.buckets), game.last))
        return blueprint(game, lanes, method=self.method, iterations=self.iterations, seed=self.seed).play


@dataclass(frozen=True)
class LearnedPlayer(OpponentModel):
    """A policy that a network learned (`counterplay learn policy`)."""

    HEAD, FIXED = "net", False
    path: Annotated[str, NetworkPath()]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        """Raises: InputError: a missing or damaged file, or a game that it was not learned in."""
        rules: Any = game.rules
        check_game(rules, game.name, self._network().game)
        tree: Any = game  # of rules, so that it is compiled
        return Strategy(tree.trees[player], policy_behaviour(tree, rules, self.policy(rules), player))

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        policy = read_once(self.path, load_hand_policy)
        with self._named_errors():
            return LearnedHands.of(game, policy)

    def policy(self, game: FastGame) -> Policy:
        net = self._network()
        with self._named_errors():
            return Policy(str(self), net.policy(game).record)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except InputError as error:
            raise InputError(f"{self.path} does not fit: {error}") from None

    def check(self) -> None:
        check_readable(self.path)

    def _network(self) -> PolicyNetwork:
        return read_once(self.path, load_policy_network)  # type: ignore[no-any-return]
