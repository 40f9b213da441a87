"""AIVAT of matches between agents with different betting trees: of mean zero, and equal to that in one tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from counterplay import CHANCE, match
from counterplay.agents.agent import Player, StrategyAgent
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.worlds.whole_game import HoldemAgent
from counterplay.measure import play_hand
from counterplay.measure.holdem_aivat import HoldemAivat, hand_events
from counterplay.measure.make_aivat import aivat_of
from counterplay.measure.match import deal
from counterplay.measure.play_hand import Hand, TranslatedRecord, TranslatedTable, TreePlayer
from counterplay.measure.street_walks import StreetWalks
from counterplay.poker.betting.rules import holdem
from counterplay.poker.betting.state import Move
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.values.lane_values import LaneValues, tally_lanes
from counterplay.steps import finished
from counterplay_papers.listed_hands import EIGHT, random_play
from tests.support.commands import Runner
from tests.support.flop_holdem_agents import SEVEN
from tests.support.hands import mean_and_variance

Pair = tuple[StrategyAgent, StrategyAgent]


@cache
def tree(sizes: str, last: str = "flop", deck: Deck = SEVEN) -> Holdem:
    return Holdem(holdem(11, blinds=(1, 2), last=last), sizes, deck, "small")


@cache
def agents(game: Holdem, seed: int) -> Pair:
    play = random_play(game.game, seed)
    one, two = (HoldemAgent(game, play, seat, seed + seat, "random") for seat in (0, 1))
    return one, two


def positions(game: Holdem, seed: int) -> tuple[HoldemAgent, HoldemAgent]:
    one, two = agents(game, seed)
    assert isinstance(one, HoldemAgent)
    assert isinstance(two, HoldemAgent)
    return one, two


def noise(game: Holdem, player: int) -> dict[int, LaneValues]:
    """Random values of the hands of a player."""
    known, draws = finished(tally_lanes(game.game, player, positions(game, 1)[0].play, 1)), np.random.default_rng(4)
    return {player: replace(known, tables=tuple(draws.uniform(-5.0, 5.0, one.shape) for one in known.tables))}


class Choices:
    """Every sequence of random choices, one after the other, with its probability."""

    def __init__(self) -> None:
        self._taken: list[int] = []
        self._rows: list[Sequence[float]] = []
        self.odds = 1.0

    def choose(self, row: Sequence[float]) -> int:
        """The next choice, of positive probability."""
        at = len(self._rows)
        if at == len(self._taken):
            self._taken.append(next(k for k, p in enumerate(row) if p > 0.0))
        self._rows.append(row)
        self.odds *= row[self._taken[at]]
        return self._taken[at]

    def each(self) -> Iterator[None]:
        """Once for each sequence."""
        more = True
        while more:
            self._rows, self.odds, more = [], 1.0, False
            yield
            while self._taken and not more:
                last, row = self._taken.pop(), self._rows.pop()
                later = next((k for k in range(last + 1, len(row)) if row[k] > 0.0), None)
                if later is not None:
                    self._taken.append(later)
                    more = True


@cache
def deals(cards: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Two hands and a flop."""
    return [
        (*one, *two, *board)
        for one in combinations(cards, 2)
        for two in combinations([card for card in cards if card not in one], 2)
        for board in combinations([card for card in cards if card not in (*one, *two)], 3)
    ]


class Listed:
    """An agent, the deal and the draws of the translation, all as choices; `drawn` keeps the odds of the last."""

    drawn: ClassVar[list[float]] = []

    def __init__(self, choices: Choices, agent: StrategyAgent | None = None) -> None:
        self._choices, self._policy = choices, cache(agent.policy) if agent else None
        self.seat, self.name = getattr(agent, "seat", 0), "listed"

    def new_hand(self) -> None: ...

    def act(self, text: str, labels: Sequence[str]) -> str:
        assert self._policy is not None
        return labels[self._choices.choose([self._policy(text)[label] for label in labels])]

    def getrandbits(self, _: int) -> Any:
        return self

    def sample(self, cards: tuple[int, ...], _: int) -> tuple[int, ...]:
        found = deals(cards)
        return found[self._choices.choose([1.0 / len(found)] * len(found))]

    def random(self) -> Any:
        return self

    def __lt__(self, lower: float) -> bool:
        self.drawn.append(lower)
        return self._choices.choose([lower, 1.0 - lower]) == 0


def every_hand(players: Pair, games: tuple[Holdem, Holdem]) -> Iterator[tuple[TranslatedRecord, float]]:
    """Every hand of two agents with trees of their own, with its probability."""
    choices, table = Choices(), TranslatedTable(*games)
    seated: Any = [TreePlayer(game, Listed(choices, one)) for one, game in zip(players, games, strict=True)]  # type: ignore[arg-type]
    chance: Any = Listed(choices)
    for _ in choices.each():
        hand = table.play((seated[0], seated[1]), chance)
        yield hand, choices.odds


def oddities(hand: TranslatedRecord, known: Holdem, seat: int) -> Iterator[str]:
    """What makes a hand differ from one in the known side's tree."""
    at = hand.steps[seat]
    for (state, _), (node, number), later in zip(hand.line.steps, at[:-1], at[1:], strict=True):
        if state.kind == seat and node is None:
            yield "no node"
        if node is not None and number is not None and known.betting.children(node)[number] != later.node:
            yield "no bet"
    if any(event.scale != 1.0 for event in hand_events(known, hand, seat).events):
        yield "another pot"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seat", "sizes", "met"),
    [(0, "33%, a", {"two sizes", "no node", "another pot"}), (1, "33%", {"no bet", "no node", "another pot"})],
)
def test_the_mean_over_all_hands_is_the_exact_value_for_any_value_function(
    seat: int, sizes: str, met: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all deals, actions and draws of the translation, with values that know nothing."""
    drawn: list[float] = []
    monkeypatch.setattr(Listed, "drawn", drawn)
    monkeypatch.setattr(play_hand, "random", SimpleNamespace(Random=lambda chance: chance))
    known, other = tree(f"none; flop: {sizes}"), tree("a; flop: 75%")
    games = (known, other) if seat == 0 else (other, known)
    one, two = agents(games[0], 1)[0], agents(games[1], 2)[1]
    aivat = HoldemAivat(known, positions(known, 1 if seat == 0 else 2), noise(known, 1 - seat))
    hands = list(every_hand((one, two), games))
    assert sum(odds for _, odds in hands) == pytest.approx(1.0, abs=1e-12)
    between = {"two sizes"} if any(0.0 < lower < 1.0 for lower in drawn) else set()
    assert between | {one for hand, _ in hands for one in oddities(hand, known, seat)} == met
    exact, _ = mean_and_variance([(hand.won(seat), odds) for hand, odds in hands])
    found, _ = mean_and_variance([(aivat.chips(hand, seat), odds) for hand, odds in hands])
    assert found == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_last_street_by_walks_is_of_mean_zero_too(seat: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one flop and one hand of the unknown side: over all hands of the known side, turns, actions and draws of the
    translation the mean is that by tables on the last street, too, and the luck before it is the same."""
    monkeypatch.setattr(play_hand, "random", SimpleNamespace(Random=lambda chance: chance))
    theirs, flop = (EIGHT.cards[0], EIGHT.cards[3]), (EIGHT.cards[1], EIGHT.cards[4], EIGHT.cards[6])
    rest = [card for card in EIGHT.cards if card not in (*theirs, *flop)]
    dealt = [
        (*((*own, *theirs) if seat == 0 else (*theirs, *own)), *flop, turn)
        for own in combinations(rest, 2)
        for turn in rest
        if turn not in own
    ]
    monkeypatch.setitem(globals(), "deals", lambda _: dealt)
    known, other = tree("none; turn: 33%", "turn", EIGHT), tree("none; turn: 75%", "turn", EIGHT)
    games = (known, other) if seat == 0 else (other, known)
    aivat = HoldemAivat(known, positions(known, 1 if seat == 0 else 2), noise(known, 1 - seat))
    hands = list(every_hand((agents(games[0], 1)[0], agents(games[1], 2)[1]), games))
    assert sum(odds for _, odds in hands) == pytest.approx(1.0, abs=1e-12)
    found, spread = mean_and_variance([(aivat.chips(hand, seat), odds) for hand, odds in hands])
    assert {one for hand, _ in hands for one in oddities(hand, known, seat)} == {"no bet", "another pot"}
    monkeypatch.setattr(StreetWalks, "begins", lambda *_: False)
    tabled, other_spread = mean_and_variance([(aivat.chips(hand, seat), odds) for hand, odds in hands])
    assert found == pytest.approx(tabled, abs=1e-5)  # walks are float32
    assert spread < other_spread - 0.1  # the values of the tables know nothing


@pytest.mark.parametrize("seat", [0, 1])
def test_in_equal_trees_the_correction_is_that_of_one_tree(seat: int) -> None:
    """Each hand is told once in real chips and once by the tree's actions."""
    game = tree("50%, a", "turn", EIGHT)
    one, two = agents(game, 1)[0], agents(game, 2)[1]
    aivat = HoldemAivat(game, positions(game, 1 if seat == 0 else 2), noise(game, 1 - seat))
    table = TranslatedTable(game, game)
    for number in range(40):
        hand = table.play((TreePlayer(game, one), TreePlayer(game, two)), deal(5, number))
        assert aivat.chips(hand, seat) == pytest.approx(aivat.chips(in_tree(game, hand), seat), abs=1e-9)


def in_tree(game: Holdem, hand: TranslatedRecord) -> Hand:
    """A hand without bets off the tree, as `play_hand` would tell it."""
    nodes: list[Any] = [step.node for step in hand.steps[0]]
    labels = iter(
        game.betting.actions(node)[game.betting.children(node).index(later)]
        for (_, action), node, later in zip(hand.line.steps, nodes[:-1], nodes[1:], strict=True)
        if action.move is not Move.DEAL
    )
    moves = tuple((who, name if who == CHANCE else next(labels)) for who, name in hand.moves)
    return Hand(hand.utility, moves, hand.decisions, hand.seconds, hand.slowest)


class Caller(Player):
    """Checks and calls; no strategy that could be asked."""

    def new_hand(self) -> None: ...

    def act(self, _: str, legal: Sequence[str] | None = None) -> str:
        return next(label for label in legal or () if label in ("check", "call"))


def test_the_known_side_may_be_b_with_a_tree_of_its_own() -> None:
    one, two = tree("none; flop: 33%, a"), tree("a; flop: 75%")
    found = match(
        TranslatedTable(one, two),
        lambda seat: TreePlayer(one, Caller(seat, "caller")),  # type: ignore[arg-type, return-value]
        lambda seat: TreePlayer(two, agents(two, 1)[seat]),  # type: ignore[arg-type, return-value]
        200,
        aivat=partial(aivat_of, PlayableGame(one), boards=20),
    )
    assert found.aivat is not None
    assert found.aivat.known == "B"
    assert found.aivat.variance is not None
    assert found.aivat.variance < 1.0


def test_the_command_corrects_matches_of_two_trees(run: Runner) -> None:
    deck = "holdem:deck=20,stack=20bb,last=turn,buckets=blind,bets="
    words = "match", f"{deck}fcpa", "uniform", "passive", "--game-b", f"{deck}[50%]", "--hands", "8", "--aivat"
    found = run(*words, "--json").json
    assert found["aivat"]["known"] == "A"
    assert found["aivat"]["interval"][0] < found["aivat"]["mean"] < found["aivat"]["interval"][1]
    assert "AIVAT, A known" in run(*words).out
