"""Constructors of agents that learn, and of those that change into others."""

from __future__ import annotations

from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.learning.governors import FixedTrust, Governor, RiskByGifts, TrustByEvidence
from counterplay.agents.learning.learner_trust import LearnerTrust
from counterplay.agents.learning.learning_agent import LearningAgent
from counterplay.agents.learning.spot_learner import SpotLearner
from counterplay.agents.learning_bot import EVIDENCE, GIFTS, LearningBot
from counterplay.agents.whole_game.learning_agent import ITERATIONS, LearningSettings, WholeGameLearner
from counterplay.errors import InputError, quoted
from counterplay.opponents.opponent import opponent, strategy_of
from counterplay.opponents.reference_players import Nash
from counterplay.poker.whole_game.rules import as_whole_game
from counterplay.poker.whole_game.strategies.observed_strategy import ObservedStrategy
from counterplay.poker.whole_game.strategy import BucketedStrategy
from counterplay.responses.dbr import DBR
from counterplay.responses.rnr import RNR
from counterplay.strategies.spot_reference import spot_reference


def make_learning_agent(bot: LearningBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> LearningAgent:
    """An agent that learns in a game in memory."""
    game = ground.compiled
    if not game.lists_histories:
        raise InputError(f"learn plays games in memory, spots and whole hold'em, not {ground.rules.name}")
    if bot.iterations is not None:
        raise InputError("iterations of learn are for whole games of hold'em: in memory responses are exact")
    prior = opponent(game, bot.prior or "nash", 1 - seat, seed)
    governor: Governor
    if bot.by == GIFTS:
        governor = RiskByGifts(game, bot.credit)
    elif bot.by == EVIDENCE:
        governor = TrustByEvidence(game, bot.p, prior, bot.method)
    else:
        governor = FixedTrust(game, bot.p, bot.method)
    return LearningAgent(game, seat, prior, governor, draws, str(bot))


def make_spot_learner(bot: LearningBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> SpotLearner:  # noqa: ARG001
    """An agent that learns in a spot of hold'em.

    Raises:
        InputError: what is known for other games only.
    """
    game = ground.spot
    assert game is not None
    if bot.method not in (DBR.HEAD, RNR.HEAD):
        raise InputError(f"in a spot learn responds by {DBR.HEAD} or {RNR.HEAD}: not {bot}")
    if bot.by == GIFTS and game.rake:
        raise InputError(
            f"in a spot with a rake learn takes no gifts, for what one loses the other does not win: not {bot}"
        )
    if bot.iterations is not None or bot.prior not in (None, Nash(), Nash.HEAD):
        raise InputError(f"in a spot learn has no iterations, and its prior is the solution: not {bot}")
    trusting = bot.credit if bot.by == GIFTS else LearnerTrust(bot.p, bot.by == EVIDENCE, bot.method == DBR.HEAD)
    return SpotLearner(game, spot_reference(game, bot), seat, trusting, draws, str(bot))


def make_whole_game_learner(
    bot: LearningBot, ground: PlayableGame, seat: int, seed: int, draws: int
) -> WholeGameLearner:
    """An agent that learns in a whole game of hold'em.

    Raises:
        InputError: what is known for games in memory only, or a prior without buckets.
    """
    check_whole_game_learner(bot)
    rules = as_whole_game(ground.rules, "such agents play")
    prior = strategy_of(rules.game, bot.prior or Nash(), seed)
    prior = prior.play if isinstance(prior, ObservedStrategy) else prior
    if not isinstance(prior, BucketedStrategy):
        raise InputError(f"only a strategy by buckets can be tilted toward hands, not {quoted(bot.prior)}")
    settings = LearningSettings(bot.p, bot.by == EVIDENCE, bot.method == DBR.HEAD, bot.iterations or ITERATIONS, seed)
    return WholeGameLearner(rules, prior, seat, settings, draws, str(bot))


def check_whole_game_learner(bot: LearningBot) -> None:
    """Refuse what whole games of hold'em do not have.

    Raises:
        InputError: naming it.
    """
    if bot.by == GIFTS:
        raise InputError("gifts need the exact worst case of the agent's strategy, which is known in games in memory; in "
                         "whole hold'em an agent learns by evidence or fixed")  # fmt: skip
    if bot.method not in (DBR.HEAD, RNR.HEAD):
        raise InputError(f"in whole hold'em learn responds by {DBR.HEAD} or {RNR.HEAD}, not {quoted(bot.method)}")
