"""Models of the opponent in whole games of hold'em, both seats at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.catalogue import WHOLE_GAME_OPPONENTS, heads
from counterplay.endings import RESPONSE
from counterplay.errors import InputError, quoted, unknown
from counterplay.games.plugin import called
from counterplay.networks.hand_policy import load_hand_policy
from counterplay.networks.network_path import read_once
from counterplay.opponents.best_response import BestResponseTo
from counterplay.opponents.bias import Bias
from counterplay.opponents.biased_blueprint import STYLES, bias_actions, play_style
from counterplay.opponents.checkpoint import Checkpoint
from counterplay.opponents.counts import AUTO
from counterplay.opponents.hands_model import HandsModel, checked_row_weight
from counterplay.opponents.histories.skipped_hands import log_use
from counterplay.opponents.learned_player import LearnedPlayer
from counterplay.opponents.leduc_players import LeducPlayer
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.opponents.nash import Nash
from counterplay.opponents.noise import Noise
from counterplay.opponents.observed import Observed
from counterplay.opponents.profile import Profile
from counterplay.opponents.random_strategy import Random
from counterplay.opponents.shuffle import Shuffle
from counterplay.opponents.strategy_file import WHOLE_GAMES, StrategyFile
from counterplay.opponents.tilting.game_tilt import tilt_game
from counterplay.opponents.tilting.mapped_hands import map_hands
from counterplay.opponents.tilting.tendencies import model_of_tendencies
from counterplay.opponents.tilting.tilted_model import TENDENCIES, model_of_hands
from counterplay.opponents.trained_blueprint import TrainedBlueprint
from counterplay.opponents.uniform import Uniform
from counterplay.opponents.user_code import UserCode
from counterplay.poker.whole_game.blueprints import response_file
from counterplay.poker.whole_game.blueprints.blueprint import blueprint, shuffle_blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import load
from counterplay.poker.whole_game.blueprints.usual_blueprint import usual_blueprint, usual_lanes
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.learned_hands import LearnedHands
from counterplay.poker.whole_game.strategies.lines import LineBlueprint
from counterplay.poker.whole_game.strategies.observed_strategy import ObservedStrategy, observe_hands
from counterplay.poker.whole_game.strategies.row_changes import add_noise, random_strategy
from counterplay.poker.whole_game.strategies.seat_strategy import HoldemStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, uniform
from counterplay.poker.whole_game.values.best_response import best_response

BLUEPRINT = TrainedBlueprint.HEAD
GRAMMAR = WHOLE_GAME_OPPONENTS
"""The texts of models."""
_MADE: WeakKeyDictionary[HoldemGame, dict[tuple[int, OpponentModel], BlueprintStrategy]] = WeakKeyDictionary()


def strategy_of(game: HoldemGame, source: str | OpponentModel, seed: int = 0) -> BlueprintStrategy:
    """The strategy of both players that a model or its text names; equal ones are computed once for a game.

    Args:
        game: a whole game of hold'em.
        source: a text of `GRAMMAR`, or its record.
        seed: seed of random models without their own.

    Raises:
        InputError: unknown strategy.
    """
    model = MODELS.record(source)
    _check_kind(model)
    known = _MADE.setdefault(game, {})
    key = seed, model
    if key not in known or not model.is_fixed(None):  # a file may have changed
        known[key] = _MAKERS[type(model)](game, model, seed)
    return known[key]


def seat_strategy(rules: Holdem, source: Any, player: int, seed: int = 0) -> HoldemStrategy:
    """One seat's strategy in a whole game.

    Args:
        rules: a whole game of hold'em.
        source: a text of `GRAMMAR`, or its record; a strategy of such a game, of one or both seats; or an object with
            `probabilities(line, board, hands)`.
        player: the seat: 0 or 1.
        seed: seed of random models without their own.

    Raises:
        InputError: none of these, or of another game.
    """
    if isinstance(source, HoldemStrategy):
        if source.rules is not rules or source.player != player:
            raise InputError(f"a strategy of another game or seat cannot be a model of seat {player} in {rules.name}")
        return source
    if isinstance(source, str | OpponentModel):
        check_strategy(rules.game, source, seed)
        facts = {"method": str(source), "text": str(source)}
        return HoldemStrategy(rules, player, strategy_of(rules.game, source, seed), facts)
    if hasattr(source, "preflop") and hasattr(source, "on"):
        return HoldemStrategy(rules, player, source, {"method": type(source).__name__})
    if hasattr(source, "probabilities"):
        return HoldemStrategy(rules, player, LineBlueprint(rules.game, source), {"method": type(source).__name__})
    raise InputError(f"an opponent in {rules.name} is a text or answers probabilities(line, board, hands), and "
                     f"{type(source).__name__} does not")  # fmt: skip


def check_strategy(game: HoldemGame, source: str | OpponentModel, seed: int = 0) -> None:  # noqa: ARG001 - as `strategy_of`
    """Reject, without computing anything, an invalid strategy.

    Raises:
        InputError: as in `strategy_of`, but for what only a file's content, or actions that no player has, tell.
    """
    model = MODELS.record(source)
    _check_kind(model)
    _check_swept(game, model)
    model.check()


def _check_kind(model: OpponentModel) -> None:
    """Reject a model that whole games do not support."""
    other_file = isinstance(model, StrategyFile) and not model.path.endswith(WHOLE_GAMES)
    other_style = isinstance(model, LeducPlayer) and model.style not in STYLES
    if type(model) not in _MAKERS or other_file or other_style:
        raise unknown("opponent", str(model), heads(GRAMMAR), listed=GRAMMAR, where="in whole games of hold'em ")
    if isinstance(model, Shuffle | Bias | Profile | BestResponseTo | Noise | Observed):
        _check_kind(model.to)
    if isinstance(model, HandsModel):
        _check_kind(model.prior)


def _styled(game: HoldemGame, model: LeducPlayer, seed: int) -> BucketedStrategy:  # noqa: ARG001 - one shape for all
    return play_style(game, model.style)


def _loaded(game: HoldemGame, model: StrategyFile, seed: int) -> BlueprintStrategy:
    path = Path(model.path)
    if path.suffix == RESPONSE:
        return response_file.load(path, game, strategy_of(game, model.to, seed) if model.to else None)
    made = load(path, game)[1]
    return made.play if made.observed is None else ObservedStrategy(made.play, made.observed.counts)


def _trained(game: HoldemGame, model: TrainedBlueprint, seed: int) -> BucketedStrategy:  # noqa: ARG001
    lanes = make_buckets(game.boards, read_abstraction(str(model.buckets), game.last))
    return blueprint(game, lanes, method=model.method, iterations=model.iterations, seed=model.seed).play


def _shuffled(game: HoldemGame, model: Shuffle, seed: int) -> BucketedStrategy:
    own = seed if model.seed is None else model.seed
    return shuffle_blueprint(game, _by_buckets(game, model, seed), model.share, np.random.default_rng(own))


def _biased(game: HoldemGame, model: Bias, seed: int) -> BucketedStrategy:
    return bias_actions(game, _by_buckets(game, model, seed), dict(model.factors))


def _best(game: HoldemGame, model: BestResponseTo, seed: int) -> BlueprintStrategy:
    return best_response(game, strategy_of(game, model.to, seed))


def _asked_by_lines(game: HoldemGame, model: UserCode, seed: int) -> BlueprintStrategy:  # noqa: ARG001
    """A bot of the user's own: a class is called with what stands behind its name, anything else is taken as it is."""
    source = model.source
    bot = called(source, "opponent", MODELS.registry) if isinstance(source, str) else source
    if not hasattr(bot, "probabilities") and not hasattr(bot, "street_probabilities"):
        asked = "probabilities(line, board, hands)"
        raise InputError(f"{quoted(model)} is no opponent in a whole game of hold'em: it does not answer {asked}")
    return LineBlueprint(game, bot)


def _by_buckets(game: HoldemGame, model: Shuffle | Bias | Profile | HandsModel, seed: int) -> BucketedStrategy:
    """The strategy to change, which must have tables."""
    base = model.prior if isinstance(model, HandsModel) else model.to
    found = strategy_of(game, base, seed)
    if isinstance(found, ObservedStrategy):
        found = found.play
    if not isinstance(found, BucketedStrategy):
        raise InputError(f"'{model}': only a strategy by buckets can be changed, not {quoted(base)}")
    return found


def _from_hands(game: HoldemGame, model: HandsModel, seed: int) -> BlueprintStrategy:
    if replace(model, weight=AUTO).counts_differ:
        raise InputError(f"{quoted(model)}: by and reveal are for games in memory")
    prior, weight = _by_buckets(game, model, seed), checked_row_weight(model.weight)
    if model.trust == TENDENCIES:
        return _from_tendencies(game, model, prior)
    found = model_of_hands(game, prior, model.hands().holdem_of(model.player), model.player, model.trust, weight)
    used = found.mapped
    log_use(model.player, used.about, used.left_out, used.mapped, used.bets)
    return ObservedStrategy(found.play, found.counts)


def _from_tendencies(game: HoldemGame, model: HandsModel, prior: BucketedStrategy) -> BlueprintStrategy:
    if model.weight != AUTO:
        raise InputError(f"{quoted(model)}: tendencies have no weight of the prior: leave it out")
    used = map_hands(game, model.hands().holdem_of(model.player), model.player)
    log_use(model.player, used.about, used.left_out, used.mapped, used.bets)
    return model_of_tendencies(game, prior, used).model


def _profiled(game: HoldemGame, model: Profile, seed: int) -> BucketedStrategy:
    return tilt_game(game, _by_buckets(game, model, seed), model.shares).play


def _drawn(game: HoldemGame, model: Random, seed: int) -> BucketedStrategy:
    return random_strategy(game, usual_lanes(game), seed if model.seed is None else model.seed, model.alpha)


def _checkpoint(game: HoldemGame, model: Checkpoint, seed: int) -> BucketedStrategy:  # noqa: ARG001 - nothing is drawn
    _check_swept(game, model)
    solver = VectorCFR(game, usual_lanes(game), model.method)
    for _ in range(model.iterations):  # one by one, between which Ctrl-C is heard
        solver.sweep()
    return solver.current() if model.current else solver.average()


def _check_swept(game: HoldemGame, model: OpponentModel) -> None:
    """Reject iterations over all boards of a game with too many."""
    if isinstance(model, Checkpoint) and not is_walked(game):
        raise InputError(
            f"{model} iterates over all boards, of which this game has too many; write "
            f"{BLUEPRINT}:iterations={model.iterations}, or nash"
        )


def _learned(game: HoldemGame, model: LearnedPlayer, seed: int) -> BlueprintStrategy:  # noqa: ARG001 - nothing is drawn
    policy = read_once(model.path, load_hand_policy)
    try:
        return LearnedHands.of(game, policy)
    except InputError as error:
        raise InputError(f"{model.path} does not fit: {error}") from None


def _noisy(game: HoldemGame, model: Noise, seed: int) -> BlueprintStrategy:
    return add_noise(game, strategy_of(game, model.to, seed), model.weight)


def _observed(game: HoldemGame, model: Observed, seed: int) -> BlueprintStrategy:
    own = seed if model.seed is None else model.seed
    return observe_hands(game, strategy_of(game, model.to, seed), usual_lanes(game), model.hands, own)


_MAKERS: dict[type[OpponentModel], Callable[[HoldemGame, Any, int], BlueprintStrategy]] = {
    Uniform: lambda game, model, seed: uniform(game),  # noqa: ARG005
    Random: _drawn,
    Nash: lambda game, model, seed: usual_blueprint(game).play,  # noqa: ARG005
    Checkpoint: _checkpoint,
    Noise: _noisy,
    Observed: _observed,
    LeducPlayer: _styled,
    TrainedBlueprint: _trained,
    StrategyFile: _loaded,
    Shuffle: _shuffled,
    HandsModel: _from_hands,
    Profile: _profiled,
    Bias: _biased,
    BestResponseTo: _best,
    LearnedPlayer: _learned,
    UserCode: _asked_by_lines,
}
"""The strategy of each kind of model in a whole game."""
