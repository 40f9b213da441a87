"""A responder against a model in a spot of hold'em."""

from __future__ import annotations

from typing import Any

from counterplay.lookahead.search import Search
from counterplay.poker.betting.stakes import NO_BOUND
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.matchup.depth_limited import depth_limited_by_street
from counterplay.responses.matchup.lbr_ranges import local_best_response_of_hands
from counterplay.responses.matchup.matchup import Matchup
from counterplay.responses.matchup.outcome import Outcome
from counterplay.responses.matchup.pairing import Searching
from counterplay.responses.matchup.street_parts import check_search


class SpotMatchup(Matchup):
    """`Matchup` with ranges, stakes and rake: solves are as exact as the spot wants them, look-aheads decide streets."""

    game: SpotGame

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.solver == "auto":
            self.solver = self.game.solver

    def refine_for(self, risk: float) -> None:
        """See `Pairing`."""
        self.game = self.game.refined_for(risk)

    @property
    def rake(self) -> float:
        return self.game.rake

    @property
    def fine(self) -> float:
        return self.game.fine

    def _worth(self, player: int) -> float:
        return self.game.value_of(player, self._solution)

    @property
    def about(self) -> dict[str, Any]:
        stakes = self.game.stakes
        return {"pot": stakes.pot, "big_blind": stakes.big_blind, "note": NO_BOUND if self.game.rake else None}

    def _check_search(self, search: Search) -> None:
        check_search(self.game, search)

    def check_local(self) -> None:
        """Every spot is a poker game."""

    def depth_limited(self, method: Searching, p: float, alpha: float = 0.0) -> Outcome:
        return depth_limited_by_street(self, method.far, p, alpha)

    def local_best_response(self) -> Outcome:
        return local_best_response_of_hands(self)
