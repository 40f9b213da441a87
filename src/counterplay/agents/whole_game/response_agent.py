"""Agents whose opponent is surely the model: from some street on the best response, exact to the end of the hand, or the
local best response.

One walk over the boards to come decides a street, for every hand and every action of the opponent that the model has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from counterplay.agents.whole_game.agents import BlueprintAgent
from counterplay.arrays import F64, AnyArray
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.cards.deck import hand_text
from counterplay.poker.whole_game.boards.board import DEALT, Board, Small
from counterplay.poker.whole_game.boards.seen_boards import DrawnBoards
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.lookup import probabilities, reach
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.measure import BestResponseStrategy
from counterplay.poker.whole_game.values.rest_of_game import rest_of_game
from counterplay.poker.whole_game.walks.local_best_response import early_choices
from counterplay.poker.whole_game.walks.make_rule import RuleSettings
from counterplay.poker.whole_game.walks.rule_response import RuleResponse

EARLY_DRAWS = (1, 2, 1)
"""Boards that `lbr` draws after each board where there are too many to see all: after every flop two turns, and a river
after each. That takes 7 CPU seconds before a match."""
ResponseOnBoards = BestResponseStrategy | RuleResponse
ResponseMaker = Callable[[HoldemGame, int, BlueprintStrategy, tuple[F64, F64]], ResponseOnBoards]
"""What makes a response: game, player, model, and the strategy before the flop."""
MOST_ROWS = 6_000_000
"""Rows of hands that a decision may take, of all sequences on all boards to come: a flop at 200 big blinds with pots and
all-ins has 5.4 million, which takes up to 3 CPU seconds."""


def respond_best(
    game: HoldemGame,
    player: int,  # noqa: ARG001 - it is both players' response
    model: BlueprintStrategy,
    preflop: tuple[F64, F64],
) -> BestResponseStrategy:
    """The best response; preflop: per player, (sequences, classes)."""
    return BestResponseStrategy(game, model, preflop)


def respond_by(asked: RuleSettings) -> ResponseMaker:
    """What makes responses by a rule, such as the local best response (Lisý and Bowling 2017)."""

    def make(game: HoldemGame, player: int, model: BlueprintStrategy, preflop: tuple[F64, F64]) -> RuleResponse:
        return RuleResponse(game, player, model, asked, preflop[player])

    return make


def decide_early(game: HoldemGame, player: int, model: BlueprintStrategy) -> BlueprintStrategy:
    """The model with a player's local best response before the flop, by all flops and all or some boards after each."""
    seen = None if is_walked(game) else DrawnBoards(game.boards, np.random.default_rng(0), EARLY_DRAWS)
    early = early_choices(game, player, model, seen)
    one, two = model.preflop
    return EarlyResponse(model, (early, two) if player == 0 else (one, early))


@dataclass(frozen=True, eq=False)
class EarlyResponse:
    """A strategy with other decisions before the flop.

    Attributes:
        play: the strategy.
        preflop: per player, (sequences, classes) probabilities.
    """

    play: BlueprintStrategy
    preflop: tuple[F64, F64]

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        """See `BlueprintStrategy`."""
        return self.play.on(player, board)


class ResponseAgent(BlueprintAgent):
    """Plays a strategy before some street, and from there on a response to the model.

    Args:
        rules: rules of the game.
        plays: the strategy before that street, and the model.
        seat: 0 or 1.
        draws: seed of its draws.
        name: for messages.
        street: the first on which it responds.
        by: makes the response of a rest of the game.
    """

    def __init__(
        self, rules: Holdem, plays: tuple[BlueprintStrategy, BlueprintStrategy], seat: int, draws: int, name: str,
        street: int, by: ResponseMaker = respond_best,
    ) -> None:  # fmt: skip
        super().__init__(rules, plays[0], seat, draws, name)
        self._model, self._street, self._by = plays[1], street, by
        self._after = cache(self._response)
        self._warm()

    @property
    def expected(self) -> BlueprintStrategy:
        return self._model

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        betting, game = self._rules.betting, self._game
        if betting.street[node] < self._street:
            return super().rows(node, board)
        if not reach(game, self._model, 1 - self.seat, node, board).any():
            shown = f"{STREETS[int(betting.street[node])]} {hand_text(board)}" if board else "preflop"
            self.log.append(f"{shown}: the model never plays '{betting.path(node)}'; the blueprint is played")
            return super().rows(node, board)
        street = int(betting.street[node])
        root = max(
            top for top in game.roots[street].tolist() if top < node
        )  # the last one before it in the walk of the tree
        response = self._after(street, root)
        return probabilities(response.game, response, node, board)

    def _warm(self) -> None:
        """Respond once on the last street, so that compilation does not use up the time of the first decision."""
        game, board = self._game, self._game.boards.root
        for _ in range(game.last):
            board = game.boards.child(board, 0)
        self._response(game.last, int(game.roots[game.last][0])).on(self.seat, board)

    def _response(self, street: int, root: int) -> ResponseOnBoards:
        """The response where a street is dealt at a betting node; it keeps the last board of each street."""
        entry = self._game.roots[street].tolist().index(root)
        rest = rest_of_game(self._game, street, entry)
        return self._by(rest.game, self.seat, rest.strategy(self._model), self._model.preflop)


def first_walked_street(game: HoldemGame) -> int:
    """The first street, from the flop on, from which all boards are walked within seconds."""
    return next(k for k in range(1, game.last + 1) if k == game.last or _rows(game, k) <= MOST_ROWS)


def _rows(game: HoldemGame, street: int) -> float:
    """Rows of hands of all boards of the last street, of either player, after one of a street."""
    cards = len(game.deck.cards)
    boards = 1.0
    for number in range(street, game.last):
        boards *= cards - DEALT[number]
    return boards * max(side.sizes[game.last] for side in game.sides)
