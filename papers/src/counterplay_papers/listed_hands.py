"""Witnesses of walks over boards: a hold'em game of a few cards, listed history by history; and checks of walks over the
boards of the full deck, as numbers that must be 0: kernels against plain NumPy, pairs of hands from street to street, and
what one seat wins against what the other loses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations, pairwise
from math import comb
from typing import Any, NamedTuple

import numpy as np

from counterplay import BlueprintStrategy, GameTree, Holdem, Strategy, respond
from counterplay.arrays import F64, I64, AnyArray
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.gametree.compile.load import load
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import Fold, scratch_of, terminals_of
from counterplay.poker.whole_game.boards.board import DEALT, HANDS, Board, DrawnBoards
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.rules import HoldemState, read_holdem
from counterplay.poker.whole_game.strategy import (
    BucketedStrategy,
    normalise_blocks,
    normalise_rows,
    probabilities,
    reaches,
)
from counterplay.poker.whole_game.values.board_walk import BoardWalk, raise_chosen, values_against
from counterplay.poker.whole_game.values.measure import PreflopBackup, preflop_values_against
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
        """The value of a rule, by walks over all flops."""
        return respond_on_all(self.game, self.player, self.play, asked)

    def in_full(self, name: str) -> float:
        """The same in the listed game; a look-ahead sees its street, and hands are checked down behind it."""
        options: dict[str, Any] = {}
        if name == LOOK_AHEAD:
            options = {"depth": "round", "leaf": lambda state: checked_down(self.rules, state)}
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


_PAIRS = 1_624_350.0
"""Of hands before the flop, each of both orders."""
_LANES = 3


@cache
def full_deck() -> HoldemGame:
    """No-limit hold'em with 200 big blinds and the bets of the pot and all-in."""
    return read_holdem("holdem:stack=200bb,bets=fcpa").game


def some_river(game: HoldemGame) -> Board:
    """A last board of the full deck."""
    board = game.boards.root
    for number in (700, 5, 5):
        board = game.boards.child(board, number)
    return board


class ThreeLanes:
    """Random probabilities for three lanes of hands, which take turns on every board, and for every class of hands."""

    def __init__(self, game: HoldemGame, seed: int = 3) -> None:
        rng = np.random.default_rng(seed)

        def table(street: int, player: int, lanes: int) -> F64:
            side = game.sides[player]
            return normalise_rows(rng.random((side.sizes[street], lanes)), side.decisions[street])

        self.preflop = table(0, 0, game.boards.classes), table(0, 1, game.boards.classes)
        self._late = [
            tuple(table(street, player, _LANES).astype(game.dtype) for player in (0, 1))
            for street in range(1, game.last + 1)
        ]

    def on(self, player: int, board: Board) -> tuple[AnyArray, Any]:
        return self._late[board.street - 1][player], (np.arange(len(board.hand)) % _LANES).astype(np.uint32)


def pair_error(game: HoldemGame, last: Board) -> float:
    """The largest relative error of the pairs of hands on the boards up to `last`, as the kernel of folds counts them.
    From street to street a pair is met on as many boards as two hands leave, of all that may be dealt.

    Args:
        game: of the full deck.
        last: on the river.
    """
    way, pairs, worst = [last], _PAIRS, 0.0
    while way[0].before is not None:
        way.insert(0, way[0].before)
    for above, board in pairwise(way):
        dealt = float(game.boards.choices(above)[1].sum())
        pairs *= comb(len(game.deck.cards) - 4 - len(above.cards), len(board.cards) - len(above.cards)) / dealt
        run, some = game.run_on(board.street), game.some_board(board.street)
        paid = terminals_of(some, [Fold(0, 0, 1.0)], (run, run), np.float64)
        values = np.zeros(run)
        evaluate(board.layout, paid, np.ones(run), values, scratch_of(some, np.float64))
        worst = max(worst, abs(float(values[: len(board.hand)].sum()) / pairs - 1.0))
    return worst


def river_error(game: HoldemGame, board: Board, play: BlueprintStrategy, player: int = 0) -> float:
    """The largest difference between the values of all betting lines of a river by the kernels and by plain NumPy, every
    hand against every hand, as a share of the largest value; best play of `player`, random ranges at the entries."""
    n, run, street = len(board.hand), game.run_on(board.street), board.street
    entry = np.random.default_rng(3).random((len(game.roots[street]), n)).astype(game.dtype)
    table, lane = play.on(1 - player, board)
    them, own, room = game.sides[1 - player], game.sides[player], game.room(street)
    values_against(
        board.layout, game.terminals_on[street - 1][player], them.decisions[street], (entry, table, lane),
        np.arange(n, dtype=np.uint32), run, room,
    )  # fmt: skip
    # room[1]: values of sequences, flat, in rows of `run` places; those of the entries come first.
    values: Any = room[1]
    raise_chosen(own.decisions[street], values.copy(), values, n, run, True)
    found = values.reshape(-1, run)[: len(entry), :n]
    plan = np.concatenate([entry, np.zeros((them.sizes[street] - len(entry), n))])
    for _, before, first, count in them.decisions[street].tolist():
        plan[first : first + count] = plan[before] * table[first : first + count][:, lane]
    plain = _plain_values(game, board, player, plan)
    for _, before, first, count in own.decisions[street].tolist()[::-1]:
        plain[before] += plain[first : first + count].max(axis=0)
    return float(np.abs(found - plain[: len(entry)]).max() / np.abs(plain).max())


def _plain_values(game: HoldemGame, board: Board, player: int, plan: F64) -> F64:
    """(sequences, n) folds and showdowns of a river by matrices of hands."""
    cards, rank = game.deck.hands[board.hand], hand_ranks(board.cards, game.deck.hands[board.hand])
    # (hands, hands): whether two hands share no card, and which of them wins.
    apart = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    wins, loses = (apart & (rank[:, None] > rank)).astype(float), (apart & (rank[:, None] < rank)).astype(float)
    found = np.zeros((game.sides[player].sizes[board.street], len(rank)))
    win, lose, met = plan @ wins.T, plan @ loses.T, plan @ apart.T.astype(float)
    # A terminal: row of the other's plan, row of the own values, and the stakes.
    for theirs, ours, won, lost, tied in game.payoffs[board.street - 1][player]:
        reach = int(theirs)
        ties = met[reach] - win[reach] - lose[reach]
        found[int(ours)] += won * met[reach] if won == lost else won * win[reach] + lost * lose[reach] + tied * ties
    return found


def seat_error(game: HoldemGame, play: BlueprintStrategy, boards: int, seed: int = 0) -> float:
    """The largest sum of what a strategy wins from itself in the two seats on one drawn board, each by the walk of its own
    seat, as a share of a stack: what one wins the other loses."""
    seen, worst = DrawnBoards(game.boards, np.random.default_rng(seed), (1,) * game.last), 0.0
    for _ in range(boards):
        seen.draw_anew()
        worst = max(worst, abs(sum(_own_value(game, play, player, seen) for player in (0, 1))))
    return worst / float(game.betting.committed.max())


def _own_value(game: HoldemGame, play: BlueprintStrategy, player: int, seen: DrawnBoards) -> float:
    """Chips of a player, by its own walk."""
    below = BoardWalk(game, player, play, play, seen).entry_values()
    backup = PreflopBackup(game, player, preflop_values_against(game, player, play))
    return float(backup.values(reaches(game.sides[player], play.preflop[player]), below[None])[0])
