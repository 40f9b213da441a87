"""Models of the opponent: each a frozen record with a text.

Door: `opponent.opponent`, which makes a strategy from a record, its text, or any other description of a player.

Registry: `REGISTRY` here, name to class; `other_model` handles the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counterplay.games.spec_text import is_plugin
from counterplay.opponents.given_strategy import (
    Checkpoint,
    GivenStrategy,
    LearnedPlayer,
    StrategyFile,
    TrainedBlueprint,
    names_file,
)
from counterplay.opponents.incentive import Incentive
from counterplay.opponents.known_players import HandsModel, Locked, Profile
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.opponents.reference_players import STYLES as LEDUC_STYLES
from counterplay.opponents.reference_players import (
    BestResponseTo,
    Bias,
    LeducPlayer,
    Nash,
    Noise,
    Observed,
    QuantalResponse,
    Random,
    Shuffle,
    Uniform,
)
from counterplay.opponents.user_code import GamePlayer, UserCode
from counterplay.poker.plan_stores.compact_plans import StoredStrategy
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.solvers.minimiser import MINIMISERS
from counterplay.treeplex.strategy import Strategy

REGISTRY: dict[str, type[OpponentModel]] = {
    **{
        model.HEAD: model
        for model in (
            Uniform, Random, Nash, Noise, Shuffle, Observed, BestResponseTo, QuantalResponse, Bias, LearnedPlayer, Incentive,
            Locked, HandsModel, Profile, TrainedBlueprint,
        )
    },
    **dict.fromkeys(MINIMISERS, Checkpoint),
    **dict.fromkeys(LEDUC_STYLES, LeducPlayer),
    **dict.fromkeys(("even", "odd", "last"), GamePlayer),
}  # fmt: skip
"""Models by the first word of their text; `other_model` handles other texts and objects."""


def other_model(source: Any) -> OpponentModel | None:
    """The model of a file name, of code, of a strategy or a table; any other word may be an opponent of the game."""
    if isinstance(source, Path):
        return StrategyFile(str(source))
    if isinstance(source, str):
        if names_file(source):
            return StrategyFile.from_text(source)
        return UserCode(source) if is_plugin(source, REGISTRY) else GamePlayer(source)
    if isinstance(source, Strategy | StoredStrategy | SolvedSpot | Mapping):
        return GivenStrategy(source)
    acts = callable(source) or any(hasattr(source, name) for name in ("action_probabilities", "sample", "odds"))
    return UserCode(source) if acts else None


MODELS.bind(REGISTRY, other_model)
