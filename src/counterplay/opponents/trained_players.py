"""Computed opponents: checkpoints of a regret minimiser, blueprints of whole games of hold'em, learned policies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Self

from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.errors import InputError, quoted, unknown
from counterplay.files import check_readable
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.compile.policy_behaviour import policy_behaviour
from counterplay.networks.network import NetworkPath, read_once
from counterplay.networks.policy_network import PolicyNetwork, check_game, load_hand_policy, load_policy_network
from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.poker.whole_game.blueprints.blueprint import blueprint, usual_lanes
from counterplay.poker.whole_game.blueprints.board_split import PUBLIC
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.strategies.learned_hands import LearnedHands
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import Minimiser, minimiser
from counterplay.texts.readers import OneOf, Whole
from counterplay.treeplex.strategy import Strategy

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
        return read_once(self.path, load_policy_network)
