"""Positions in whole games of hold'em whose opponent is surely the model: from some street on the best response, exact to
the end of the hand, or the local best response.

One walk over the boards to come decides a street, for every hand and every action of the opponent that the model has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from counterplay.agents.position.whole_game import HoldemPosition
from counterplay.arrays import F64, AnyArray
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.whole_game.boards.board import DEALT, Board, Small
from counterplay.poker.whole_game.boards.seen_boards import DrawnBoards
from counterplay.poker.whole_game.continuation.rest_of_game import rest_of_game
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.lookup import probabilities, reach
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.best_response import BestResponseStrategy
from counterplay.poker.whole_game.walks.local_best_response import early_choices
from counterplay.poker.whole_game.walks.make_rule import RuleSettings
from counterplay.poker.whole_game.walks.rule_response import RuleResponse

EARLY_DRAWS = (1, 2, 1)
"""Boards that `lbr` draws after each board where there are too many to see all: after every flop two turns, and a river
after each. That takes 7 CPU seconds before a match."""
ResponseOnBoards = BestResponseStrategy | RuleResponse
MOST_ROWS = 6_000_000
"""Rows of hands that a decision may take, of all sequences on all boards to come: a flop at 200 big blinds with pots and
all-ins has 5.4 million, which takes up to 3 CPU seconds."""


def decide_early(game: HoldemGame, player: int, model: BlueprintStrategy) -> BlueprintStrategy:
    """The model with a player's local best response before the flop, by all flops and all or some boards after each."""
    seen = None if is_walked(game) else DrawnBoards(game.boards, np.random.default_rng(0), EARLY_DRAWS)
    early = early_choices(game, player, model, seen)
    first, second = model.preflop
    return EarlyResponse(model, (early, second) if player == 0 else (first, early))


@dataclass(frozen=True, eq=False)
class EarlyResponse:
    """A strategy with other decisions before the flop: per player, (sequences, classes) probabilities."""

    play: BlueprintStrategy
    preflop: tuple[F64, F64]

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        return self.play.on(player, board)


class ResponsePosition(HoldemPosition):
    """Plays a strategy before some street, and from there on a response to the model.

    Args:
        rules: rules of the game.
        plays: the strategy before that street, and the model.
        seat: 0 or 1.
        street: the first on which it responds.
        rule: of the responses, such as the local best response (Lisý and Bowling 2017); None for best responses.
    """

    is_fixed = False

    def __init__(
        self, rules: Holdem, plays: tuple[BlueprintStrategy, BlueprintStrategy], seat: int, street: int,
        rule: RuleSettings | None = None,
    ) -> None:  # fmt: skip
        super().__init__(rules, plays[0], seat)
        self._model, self._street, self._rule = plays[1], street, rule
        self._after = cache(self._response)
        last = self.game.last  # a response there first, so that compilation does not use up the first decision's time
        self._response(last, int(self.game.roots[last][0])).on(seat, self.first_board(last))

    @property
    def expected(self) -> BlueprintStrategy:
        return self._model

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        betting, game = self.rules.betting, self.game
        street = int(betting.street[node])
        if street < self._street:
            return super().rows(node, board)
        if not reach(game, self._model, 1 - self.seat, node, board).any():
            shown = f"{STREETS[street]} {hand_text(board)}" if board else "preflop"
            self.note(f"{shown}: the model never plays '{betting.path(node)}'; the blueprint is played")
            return super().rows(node, board)
        # The last root before the node in the walk of the tree.
        root = max(top for top in game.roots[street].tolist() if top < node)
        response = self._after(street, root)
        return probabilities(response.game, response, node, board)

    def _response(self, street: int, root: int) -> ResponseOnBoards:
        """The response where a street is dealt at a betting node; it keeps the last board of each street."""
        rest = rest_of_game(self.game, street, self.game.roots[street].tolist().index(root))
        model, preflop = rest.strategy(self._model), self._model.preflop
        if self._rule is None:
            return BestResponseStrategy(rest.game, model, preflop)
        return RuleResponse(rest.game, self.seat, model, self._rule, preflop[self.seat])


def first_walked_street(game: HoldemGame) -> int:
    """The first street, from the flop on, from which all boards are walked within seconds."""
    cards, most = len(game.deck.cards), max(side.sizes[game.last] for side in game.sides)
    boards, street = 1.0, game.last
    while street > 1 and boards * (cards - DEALT[street - 1]) * most <= MOST_ROWS:
        street -= 1
        boards *= cards - DEALT[street]
    return street
