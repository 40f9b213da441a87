"""A hold'em game of a few cards, listed history by history: the witness of what walks over boards compute."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from counterplay import GameTree, Strategy, respond
from counterplay.arrays import I64
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.gametree.compile.load import load
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards.board import DEALT, HANDS
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.rules import Holdem, HoldemState
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    BucketedStrategy,
    normalise_blocks,
    normalise_rows,
    probabilities,
)
from counterplay.poker.whole_game.walks.make_rule import BEST, LOCAL, LOOK_AHEAD, RuleSettings
from counterplay.poker.whole_game.walks.response_on_flops import ALL, FlopResponse, ResponseOnFlops, draw_flops

EIGHT = Deck(tuple(4 * rank + suit for rank in (9, 10, 11, 12) for suit in range(2)))
"""A deck of eight cards: four ranks of two suits."""
METHODS = (BEST, LOOK_AHEAD, LOCAL)


class NamedHoldem(Holdem):
    """The rules with the names of actions that LBR needs in a game that is listed."""

    def action_name(self, state: HoldemState, action: int) -> str:
        name = super().action_name(state, action)
        return {"fold": "Fold", "check": "Call", "call": "Call"}.get(name, name)


@dataclass(frozen=True, eq=False)
class ListedHands:
    """A game on boards and in full, with a random strategy in both.

    Attributes:
        rules: few cards, and few bets.
        player: the responder.
    """

    rules: NamedHoldem
    player: int

    @cached_property
    def game(self) -> HoldemGame:
        """On boards, in double precision."""
        return holdem_game(self.rules.limits, self.rules.sizes, deck=self.rules.deck, dtype=np.float64)

    @cached_property
    def tree(self) -> GameTree:
        """In full."""
        return load(self.rules, say=lambda _: None)

    @cached_property
    def play(self) -> BucketedStrategy:
        """The strategy on boards."""
        return random_play(self.game, 1)

    @cached_property
    def model(self) -> Strategy:
        """The same of the responder's opponent, in full."""
        return enumerated(self.tree, self.rules, self.game, self.play, 1 - self.player)

    def on_boards(self, asked: RuleSettings) -> FlopResponse:
        """What a rule wins, by walks over all flops."""
        return respond_on_all(self.game, self.player, self.play, asked)

    def in_full(self, name: str) -> float:
        """The same in the listed game; a look-ahead sees its street, and hands are checked down behind it."""
        options: dict[str, Any] = {}
        if name == LOOK_AHEAD:
            options = {"depth": "round", "value": lambda state: checked_down(self.rules, state)}
        return respond(self.tree, self.model, name, **options).value_against_model

    def difference(self, name: str) -> float:
        """Of the two, in chips."""
        return abs(self.on_boards(RuleSettings(name)).upper.value - self.in_full(name))


@cache
def eight_cards() -> ListedHands:
    """Blinds 1 and 2, stacks of 4, all-in or not on the flop, to the turn; player 1 responds. It takes a second to
    list."""
    return ListedHands(NamedHoldem(holdem(4, blinds=(1, 2), last="turn"), "none; flop: a; turn: none", EIGHT, "toy"), 1)


def respond_on_all(
    game: HoldemGame, player: int, theirs: BlueprintStrategy, asked: RuleSettings | None = None
) -> FlopResponse:
    """The response over every flop."""
    found, sample = ResponseOnFlops(game, player, theirs, asked), draw_flops(game.boards, ALL)
    return found.finish(sample, {flop: found.on(flop) for flop in sample.numbers})


def random_play(game: HoldemGame, seed: int) -> BucketedStrategy:
    """A random strategy that does not depend on the names of suits, else on every card."""
    rng, buckets = np.random.default_rng(seed), lossless(game.boards)
    early = [normalise_rows(rng.random((s.sizes[0], game.boards.classes)), s.preflop) for s in game.sides]

    def blocks(player: int, street: int) -> list[Any]:
        side = game.sides[player]
        sizes = buckets.sizes_on(street).tolist()
        return normalise_blocks([rng.random((side.sizes[street], n)) for n in sizes], side.decisions[street])

    tables = tuple((blocks(0, street), blocks(1, street)) for street in range(1, game.last + 1))
    return BucketedStrategy(buckets, (early[0], early[1]), tables)


def enumerated(tree: GameTree, rules: Holdem, game: HoldemGame, play: BlueprintStrategy, player: int) -> Strategy:
    """A player's strategy in the game that is listed history by history."""
    behaviour = np.zeros(tree.trees[player].size)
    behaviour[0] = 1.0
    for seen in _read_infosets(tree, rules, game, player):
        odds = probabilities(game, play, seen.node, seen.board)[:, seen.hands]
        behaviour[seen.sequences] = odds / odds.sum(axis=0)
    return Strategy(tree.trees[player], behaviour)


class _Seen(NamedTuple):
    """Infosets of a listed game at one betting node on one board: (n,) hands, and (actions, n) sequences."""

    node: int
    board: tuple[int, ...]
    hands: I64
    sequences: I64


@lru_cache(maxsize=8)
def _read_infosets(tree: GameTree, rules: Holdem, game: HoldemGame, player: int) -> list[_Seen]:
    """All infosets at which a player has a choice, their texts read."""
    treeplex, found = tree.trees[player], dict[tuple[int, tuple[int, ...]], list[tuple[int, I64]]]()
    for text, lane in zip(treeplex.labels.infosets, treeplex.labels.lanes, strict=True):
        if lane >= 0:
            seen, where = rules.read(text, player), treeplex.sequences_of(lane)
            sequences = np.arange(where.start, where.stop, where.step)
            found.setdefault((seen.node, tuple(seen.board)), []).append((game.deck.hand(*seen.hand), sequences))
    return [
        _Seen(node, board, np.array([hand for hand, _ in here]), np.array([one for _, one in here]).T)
        for (node, board), here in found.items()
    ]


def checked_down(rules: Holdem, state: HoldemState) -> float:
    """Chips of player 0 on the mean of all boards to come, without further bets."""
    left = [card for card in rules.deck.cards if card not in state.cards]
    shown = state.cards[HANDS:]
    half = float(rules.betting.pot[state.node]) / 2
    hands = np.array([state.cards[:2], state.cards[2:4]])
    results = []
    for rest in combinations(left, DEALT[rules.limits.last] - len(shown)):
        one, two = hand_ranks((*shown, *rest), hands, deck=rules.deck).tolist()
        results.append(half * ((one > two) - (one < two)))
    return float(np.mean(results))
