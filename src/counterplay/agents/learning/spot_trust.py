"""How far a learner of a spot trusts its model: by p and evidence, or as far as gifts may be risked."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from counterplay.agents.learning.evidence import SOFT, Wealth
from counterplay.agents.learning.gift_budget import GiftBudget
from counterplay.agents.learning.learner_trust import LearnerTrust
from counterplay.agents.learning.spot_gifts import SpotGiftBounds
from counterplay.opponents.spot_counts import SeenHand, sequences_at
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.dbr import DBR
from counterplay.responses.method import Method
from counterplay.responses.rnr import RNR
from counterplay.responses.safe import Safe
from counterplay.treeplex.strategy import Strategy


class SpotTrust(Protocol):
    """Decides how far the model is trusted."""

    @property
    def now(self) -> float:
        """The trust now; 0 for none."""

    @property
    def forgets(self) -> bool:
        """Whether what was seen so far is to be forgotten."""

    def method(self, trust: float) -> Method:
        """How to respond."""

    def see(self, hand: SeenHand, learned: Strategy | None, played: Strategy) -> None:
        """Take note of a hand before it is counted. learned: the model, if there is one. played: our strategy in it."""


class TrustByWealth:
    """A data-biased or a restricted Nash response, with a trust that is fixed or that evidence allows.

    Args:
        game: the spot.
        prior: the opponent's strategy in the solution.
        asked: the settings.

    Attributes:
        wealth: of the bet on the model against the solution.
    """

    def __init__(self, game: SpotGame, prior: Strategy, asked: LearnerTrust) -> None:
        self._game, self._prior, self._asked, self.wealth = game, prior, asked, Wealth()

    @property
    def now(self) -> float:
        """See `SpotTrust`."""
        return self._asked.now(self.wealth)

    @property
    def forgets(self) -> bool:
        """See `SpotTrust`."""
        return self.wealth.has_turned

    def method(self, trust: float) -> Method:
        """See `SpotTrust`."""
        return DBR(p=trust) if self._asked.by_row else RNR(p=trust)

    def see(self, hand: SeenHand, learned: Strategy | None, played: Strategy) -> None:  # noqa: ARG002 - bets on the model
        """See `SpotTrust`."""
        if learned is not None and self._asked.by_evidence:
            self.wealth.bet(*(self._likelihood(play, hand) for play in (learned, self._prior)))

    def _likelihood(self, play: Strategy, hand: SeenHand) -> float:
        """How likely the opponent's actions are, up to a factor."""
        reach = hand.holdings
        for part, number in hand.actions:
            sequences, hands = sequences_at(self._game, play.player, part, number)
            row = np.zeros(len(reach))
            row[hands] = play.behaviour[sequences]
            choices = len(self._game.tree.betting.children(part.node))
            reach = reach * ((1.0 - SOFT) * row + SOFT / choices)
        return float(reach.sum())


class TrustByGifts:
    """The response of largest gain that risks no more than the gifts so far (Ganzfried and Sandholm 2015).

    Args:
        game: the spot.
        safe: our strategy in the solution; what it wins at least is what gifts count from.
        credit: how gifts are counted, one of `learning_bot.CREDITS`.

    Attributes:
        budget: the chips that may be risked.
    """

    forgets = False

    def __init__(self, game: SpotGame, safe: Strategy, credit: str) -> None:
        self._game, self._credit, self.budget = game, credit, GiftBudget(game.span)
        self._bounds = safe, SpotGiftBounds(game, safe, credit)
        self._floor = self._bounds[1].worst_case

    @property
    def now(self) -> float:
        """The exploitability that the response may have, in chips."""
        return self.budget.allowed

    def method(self, trust: float) -> Method:
        """See `SpotTrust`."""
        return Safe(trust)

    def see(self, hand: SeenHand, learned: Strategy | None, played: Strategy) -> None:  # noqa: ARG002 - asks no model
        """See `SpotTrust`."""
        if self._bounds[0] is not played:
            self._bounds = played, SpotGiftBounds(self._game, played, self._credit)
        bounds, last = self._bounds[1], np.zeros(0, np.int64)
        if hand.actions:
            sequences, hands = sequences_at(self._game, 1 - played.player, *hand.actions[-1])
            last = sequences[hand.holdings[hands] > 0.0]
        self.budget.chips += bounds.worst_case - self._floor + bounds.least_gift(last)
