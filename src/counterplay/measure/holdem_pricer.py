"""Values of actions in whole games of hold'em, against an agent whose play is known.

On a street from which all boards to come are walked within seconds, they are exact: what follows is the player's best
response. On earlier streets of large decks they are means over boards that are drawn, and what follows is the play of a
reference strategy: a best response to the boards that are drawn would win more than it can.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from counterplay.agents.worlds.spot import shares_of_hands
from counterplay.agents.worlds.whole_game import HoldemAgent, first_walked_street
from counterplay.arrays import F64, I64
from counterplay.intervals import half_interval
from counterplay.measure.hand_review import ActionWorth, Belief, PlayedMove, Pricer
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.boards.board import DEALT, Board, DrawnBoards, board_of
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.rules import Holdem, HoldemState
from counterplay.poker.whole_game.strategy import BlueprintStrategy, places_of_hands, probabilities, reach, reaches
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import preflop_values, rest_of_game

FEWEST, MOST = 60, 600
"""Boards that are drawn before the first price, and at most."""
_STREETS = 16
"""Lines of betting whose street is kept: those of some hands."""


class HoldemPricer(Pricer):
    """Values of a seat's actions. theirs: the other's play; it may change from hand to hand (see `SearchedPlay`).
    reference: both players' strategy by which the player's range is found, and how they go on where boards are drawn.
    words: what `Pricer.against` and `Pricer.assumed` say. seed: of the boards that are drawn."""

    def __init__(
        self, rules: Holdem, seat: int, theirs: BlueprintStrategy, reference: BlueprintStrategy, words: tuple[str, str],
        seed: int = 0
    ) -> None:  # fmt: skip
        self.seat, self._rules, self._game, self._theirs, self._reference = seat, rules, rules.game, theirs, reference
        self._exact_from = 0 if is_walked(self._game) else first_walked_street(self._game)
        followed = None if self._exact_from == 0 else reference
        self._early = _DrawnValues(self._game, seat, theirs, followed, MOST, seed)
        self._words, self.assumed = words
        self._after = lru_cache(_STREETS)(self._values_after)

    @property
    def against(self) -> str:  # type: ignore[override]
        """As of `Pricer`, with the boards that are drawn so far."""
        if self._exact_from == 0:
            return f"{self._words}, exactly"
        where = STREETS[self._exact_from]
        return f"{self._words}, exactly from the {where} on, before it over {self._early.draws} drawn boards"

    def refine(self) -> Iterator[None]:
        """Draw more boards for the values of early streets, one a step."""
        while self._early.draws < self._early.most:
            self._early.draw()
            yield

    def begin_hand(self, theirs: BlueprintStrategy) -> None:
        """Take the other's play in the hand that is priced next."""
        if theirs is not self._theirs:
            self._theirs = theirs
            self._after.cache_clear()

    def worth(self, state: HoldemState) -> ActionWorth | None:
        node, board = state.node, board_of(state.cards)
        hand = state.cards[2 * self.seat], state.cards[2 * self.seat + 1]
        number, street = self._game.deck.hand(*hand), int(self._game.betting.street[node])
        met = reach(self._game, self._theirs, 1 - self.seat, node, board)
        met = np.where(np.isin(self._game.deck.hands, hand).any(axis=1), 0.0, met)
        if not met.sum() > 0.0:
            return None
        values = self._values_at(node, board).values(node, number)
        chips, names = values / float(met.sum() * self._game.deals_after(street)), self._game.betting.actions(node)
        means, errors = chips.mean(axis=0), None
        if len(chips) > 1:
            short = chips[:, [int(means.argmax())]] - chips
            spread = half_interval(1.0, len(chips)) * short.std(axis=0, ddof=1) / len(chips) ** 0.5
            errors = dict(zip(names, spread.tolist(), strict=True))
        return ActionWorth(dict(zip(names, means.tolist(), strict=True)), errors)

    def prepare(self, state: HoldemState) -> Iterator[None]:
        work = self._values_at(state.node, board_of(state.cards))
        while work.draws < min(FEWEST, work.most):
            work.draw()
            yield

    def belief(self, step: PlayedMove) -> Belief | None:
        """Likelihood of each hand by the reference strategy, less those that hold the other's cards."""
        game, state, them = self._game, step.state, 1 - self.seat
        board = board_of(state.cards)
        odds = reach(game, self._reference, self.seat, state.node, board)
        row = probabilities(game, self._reference, state.node, board)[step.names.index(step.action)]
        return shares_of_hands(game.deck, odds * row, state.cards[2 * them : 2 * them + 2])

    def _values_at(self, node: int, board: tuple[int, ...]) -> _DrawnValues:
        """The values on the street of a node."""
        betting, street = self._game.betting, int(self._game.betting.street[node])
        if street == 0:
            return self._early
        while betting.kind[node] != Kind.DEAL:
            node = int(betting.parent[node])
        return self._after(street, node, board)

    def _values_after(self, street: int, deal: int, board: tuple[int, ...]) -> _DrawnValues:
        ours = self._reference if street < self._exact_from else None
        rest = rest_of_game(self._game, street, self._game.roots[street].tolist().index(deal))
        followed = None if ours is None else rest.strategy(ours)
        theirs, here = rest.strategy(self._theirs), places_of_hands(self._game, board)
        return _DrawnValues(rest.game, self.seat, theirs, followed, FEWEST, sum(board), here)


class SearchedPlay:
    """What is played where boards are searched when they are dealt: on the boards of one hand the own decisions, on
    those to come what is played before they are searched. The agent is asked at nodes on the line of the hand alone,
    where its searches are done. nodes: of the line, on which a decision of the player was made. board: in the order of
    the deal."""

    def __init__(self, agent: HoldemAgent, nodes: Sequence[int], board: tuple[int, ...]) -> None:
        self._game, self._agent, self._board = agent.game, agent, board
        betting = self._game.betting
        self._asked: dict[int, set[int]] = {}
        for node in nodes:
            top = node
            while top > 0 and betting.kind[int(betting.parent[top])] != Kind.DEAL:
                top = int(betting.parent[top])
            self._asked.setdefault(int(betting.street[node]), set()).update(range(top, int(betting.end[top])))
        self._tables: dict[int, Any] = {}

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self._agent.play.preflop

    def on(self, player: int, board: Any) -> tuple[Any, Any]:
        street = board.street
        if player == self._agent.seat and street in self._asked and len(self._board) >= DEALT[street]:
            here, turn = self._game.boards.find_board(self._board[: DEALT[street]])
            if here.cards == board.cards:
                if street not in self._tables:
                    game, cards, back = self._game, self._board[: DEALT[street]], np.argsort(turn)
                    # (n,) the hand of the deck, by its real cards, at each place of the board that represents the real one.
                    low, high = game.deck.hands[here.hand].T
                    places, side = game.deck.numbers[back[low], back[high]], game.sides[player]
                    table = np.zeros((side.sizes[street], len(here.hand)), game.dtype)
                    for node, _, first, count in side.decisions[street].tolist():
                        if node in self._asked[street]:
                            table[first : first + count] = self._agent.rows(node, cards)[:, places]
                    self._tables[street] = table
                return self._tables[street], np.arange(len(board.hand), dtype=np.uint32)
        return self._agent.play.on(player, board)


class _DrawnValues:
    """A player's values at the decisions of a street: over all boards to come, or means over boards drawn one by one.
    ours: how the player goes on; None for the best response, over all boards. here: the board, and the place of each
    hand; None before the flop."""

    def __init__(
        self, game: HoldemGame, player: int, theirs: BlueprintStrategy, ours: BlueprintStrategy | None, most: int, seed: int,
        here: tuple[Board, I64] | None = None,
    ) -> None:  # fmt: skip
        self._game, self._player, self._theirs, self._ours, self._here = game, player, theirs, ours, here
        self._decisions: Any = game.sides[player].decisions[here[0].street if here else 0]
        rng, self.most = np.random.default_rng(seed), 1 if ours is None else most
        self._seen = None if ours is None else DrawnBoards(game.boards, rng, (1,) * game.last)
        self._drawn = list[F64]()

    @property
    def draws(self) -> int:
        """Boards so far."""
        return len(self._drawn)

    def draw(self) -> None:
        """One more board; all of them, where they are walked."""
        if self._seen is not None:
            self._seen.draw_anew()
        # (sequences, places) chips right after each sequence on the boards that are seen, and how the player goes on.
        game, me, rows = self._game, self._player, None
        if self._here is None:
            theirs = reaches(game.sides[1 - me], self._theirs.preflop[1 - me])
            worth = preflop_values(game, me, theirs, self._walk.entry_values())
            rows = None if self._ours is None else self._ours.preflop[me]
        else:
            worth = np.asarray(self._walk.values_on(self._here[0]), np.float64)
            if self._ours is not None:
                table, lane = self._ours.on(me, self._here[0])
                rows = table[:, lane]
        for _, before, first, count in self._decisions[::-1].tolist():
            after = worth[first : first + count]  # of what follows, the best action or the mean by the probabilities
            worth[before] += after.max(axis=0) if rows is None else (rows[first : first + count] * after).sum(axis=0)
        self._drawn.append(worth)

    def values(self, node: int, hand: int) -> F64:
        """(draws, actions) the values of a hand at a node, times the reach of the hands met and the deals to come."""
        while self.draws < min(FEWEST, self.most):
            self.draw()
        _, _, first, count = self._decisions[self._decisions[:, 0] == node][0]
        place, hands = int((self._game.boards.group if self._here is None else self._here[1])[hand]), 1.0
        if self._here is None:  # of how many hands the values are
            hands = float(self._game.boards.sizes[place])
        return np.array([worth[first : first + count, place] for worth in self._drawn]) / hands

    @cached_property
    def _walk(self) -> BoardWalk:
        return BoardWalk(self._game, self._player, self._theirs, self._ours, self._seen)
