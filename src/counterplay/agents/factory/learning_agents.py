"""Constructors of agents that learn, and of those that change into others."""

from __future__ import annotations

from collections.abc import Callable

from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.learning.governors import FixedTrust, Governor, RiskByGifts, TrustByEvidence
from counterplay.agents.learning.learning_agent import LearningAgent
from counterplay.agents.learning_bot import EVIDENCE, GIFTS, LearningBot
from counterplay.agents.player import Player
from counterplay.agents.record import AgentRecord
from counterplay.agents.switching_agent import SwitchingAgent
from counterplay.agents.switching_bot import SwitchingBot
from counterplay.errors import InputError
from counterplay.opponents.opponent import opponent


def make_learning_agent(bot: LearningBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> LearningAgent:
    """An agent that learns in a game in memory."""
    game = ground.compiled
    if not game.lists_histories:
        raise InputError(f"learn plays games in memory, not {ground.rules.name}")
    prior = opponent(game, bot.prior or "nash", 1 - seat, seed)
    governor: Governor
    if bot.by == GIFTS:
        governor = RiskByGifts(game)
    elif bot.by == EVIDENCE:
        governor = TrustByEvidence(game, bot.p, prior, bot.method)
    else:
        governor = FixedTrust(game, bot.p, bot.method)
    return LearningAgent(game, seat, prior, governor, draws, str(bot))


def make_switching_agent(
    bot: SwitchingBot, ground: PlayableGame, seat: int, seed: int, draws: int,
    make: Callable[[AgentRecord, PlayableGame, int, int, int], Player],
) -> SwitchingAgent:  # fmt: skip
    """An agent that plays as others in turn. make: constructs these, called as this function is."""
    made = [make(one, ground, seat, seed, draws + number) for number, one in enumerate(bot.agents)]
    return SwitchingAgent(made, bot.after, str(bot))
