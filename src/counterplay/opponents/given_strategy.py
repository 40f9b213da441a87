"""Existing strategies as opponents: a strategy of the game, a table of probabilities, a player of a solved spot, files
of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, cast

import numpy as np

from counterplay.arrays import F64
from counterplay.endings import BLUEPRINT, FLOP_BLUEPRINT, RESPONSE, SPOT, STRATEGY, TEXT_STRATEGY
from counterplay.errors import InputError
from counterplay.files import check_readable
from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.poker.plan_stores.compact_plans import CompactPlans, StoredStrategy
from counterplay.poker.public_tree.hand_treeplex import PublicNode, layer_of
from counterplay.poker.spots.solution import SolvedSpot, load_spot
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame
from counterplay.poker.whole_game.blueprints.blueprint_file import load as load_blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import load_response
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.problem.solvable_game import by_kind
from counterplay.strategies.strategy_makers import hands_on, strategies_of
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
        return f"<{type(self.source).__name__}>"

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
