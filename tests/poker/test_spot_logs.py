"""Models of a player from the log of a spot: counts and estimates as in the enumerated game, in arrays and in stores."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import CHANCE, TERMINAL, InputError, Spot
from counterplay.measure.model_quality import line_alone, predict
from counterplay.measure.play_hand import MatchRecorder, play_hand
from counterplay.measure.running_result import played_hand
from counterplay.opponents.counting.terminal_infosets import HIDDEN, REVEALS, SHOWDOWN, SHOWN
from counterplay.opponents.counts import ESTIMATORS, counts_of_player
from counterplay.opponents.histories.hand_record import FileLine, GameHand
from counterplay.opponents.histories.read_hands import Hands, read_hands
from counterplay.opponents.model import MODELS
from counterplay.opponents.spot_counts import SpotCounts, SpotObserver, counts_in_spot
from counterplay.page.tasks import PlayerOfHands
from counterplay.poker.cards.deck import Deck, hand_text
from counterplay.poker.spots.spot_game import as_spot_game
from tests.support.commands import Runner
from tests.support.hands import every_hand
from tests.support.spots import river
from tests.support.stored_spots import large_from

TURN = Spot("Qs Jh 9h 8d", "QQ,AK", "JJ,AQ", 200, 250, "a", raises=1, deck=Deck.from_rank("8"))  # type: ignore[arg-type]
FLOP = Spot("Qs Js 9s", "AdAc,KdKc", "TdTc,AhKh", 200, 250, "a", raises=1, deck=Deck.from_rank("9"))  # type: ignore[arg-type]
SPOTS = {"river": river(), "turn": TURN, "flop": FLOP}
WORLDS = [("river", False), ("turn", False), ("turn", True), ("flop", True)]
NAME = "villain"


@pytest.fixture(params=WORLDS, ids=[f"{name}, {'stored' if large else 'arrays'}" for name, large in WORLDS])
def game(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A spot in arrays, or in a store."""
    name, large = request.param
    with ExitStack() as stack:
        if large:
            stack.enter_context(large_from(0, "single"))
        made = as_spot_game(SPOTS[name])
        assert made is not None
        assert ("Stored" in type(made).__name__) == large
        yield made


def _hands(game: Any, path: Path, hands: int = 120, seat: int = 1) -> Path:
    """A log of a match, in which the villain sits in a seat."""
    agents = [cp.agent(game, "uniform", player) for player in (0, 1)]
    rng, names = random.Random(3), ["hero", NAME]
    with MatchRecorder(path, "some.toml", game.rules, names, 1) as recorder:
        for number in range(hands):
            recorder.keep(number, 1 - seat, play_hand(game.rules, agents, rng))
    return path


def _behaviour(game: Any, strategy: Any, seat: int) -> dict[str, dict[str, float]]:
    """Probabilities by the texts of infosets and actions."""
    labels, tree = game.trees[seat].labels, game.trees[seat]
    behaviour = np.asarray(strategy.behaviour[:])
    return {
        text: dict(zip(names, behaviour[tree.sequences_of(lane)].tolist(), strict=True))
        for text, names, lane in zip(labels.infosets, labels.actions, labels.lanes, strict=True)
        if lane >= 0 and not text.startswith("deal")
    }


@pytest.mark.parametrize("seat", [0, 1])
def test_with_all_cards_known_the_model_is_counts_and_prior(game: Any, seat: int, tmp_path: Path) -> None:
    """Counted here by the rules of the spot alone, infoset by infoset."""
    rules, log = game.rules, _hands(game, tmp_path / "l.jsonl", seat=seat)
    taken, there = Counter[tuple[str, str]](), Counter[str]()
    for hand in read_hands([log]).others:
        state = rules.root()
        for who, name in hand.moves:
            actions = rules.actions(state)
            names = [rules.action_name(state, action) for action in actions]
            if who == seat:
                taken[rules.infoset(state, seat), str(name)] += 1
                there[rules.infoset(state, seat)] += 1
            assert rules.player(state) == who
            state = rules.child(state, actions[names.index(str(name))])
        assert rules.player(state) == TERMINAL
    assert len(there) > 5
    prior = cp.opponent(game, "random:7", seat)
    before = _behaviour(game, prior, seat)
    counts = counts_in_spot(game, seat, read_hands([log]), NAME)
    assert counts is not None
    model = counts.strategy(prior, 3.0)
    for text, row in _behaviour(game, model, seat).items():
        for name, odds in row.items():
            expected = (taken[text, name] + 3.0 * before[text][name]) / (there[text] + 3.0)
            assert odds == pytest.approx(expected, abs=1e-5), (text, name)
    labels = game.trees[seat].labels
    seen = {text: model.counts[lane] for text, lane in zip(labels.infosets, labels.lanes, strict=True) if lane >= 0}
    assert {text: round(count, 6) for text, count in seen.items() if count} == dict(there)


@pytest.mark.parametrize("by", ESTIMATORS)
@pytest.mark.parametrize("reveal", REVEALS)
def test_estimates_are_those_of_the_enumerated_game(reveal: str, by: str, tmp_path: Path) -> None:
    """Hidden hands are shared out in the same proportions by two implementations: over ends, and over a range."""
    game = as_spot_game(river())
    twin, log = cp.load(game.rules), _hands(game, tmp_path / "l.jsonl", 150)
    hands = read_hands([log])
    weight: Any = "auto" if by == "convex" else 2.0
    found = counts_in_spot(game, 1, hands, NAME, reveal)
    assert found is not None
    mine = found.strategy("uniform", weight, by)
    renamed = [replace(hand, game=twin.name) for hand in hands.others]
    theirs = counts_of_player(twin, 1, renamed, NAME, reveal).strategy("uniform", weight, by)
    here, there = _behaviour(game, mine, 1), _behaviour(twin, theirs, 1)
    assert set(there) <= set(here)
    for text, row in there.items():
        assert here[text] == pytest.approx(row, abs=1e-3 if by == "convex" else 1e-9), text
    lanes = game.trees[1].labels.index
    for text, lane in zip(twin.trees[1].labels.infosets, twin.trees[1].labels.lanes, strict=True):
        other = game.trees[1].labels.lanes[lanes[text]]
        assert mine.counts[other] == pytest.approx(theirs.counts[lane], abs=1e-3 if by == "convex" else 1e-6), text


@pytest.mark.parametrize("reveal", [SHOWN, SHOWDOWN])
def test_endless_hands_find_the_true_strategy(reveal: str) -> None:
    """Every hand as often as it is played: the likeliest strategy is the player's own, wherever the player comes to."""
    game = as_spot_game(river())
    true, other = cp.opponent(game, "random:5", 1), cp.opponent(game, "uniform", 0)
    counts, observer = SpotCounts(game, 1), SpotObserver(game, 1, reveal)
    for hand, odds in every_hand(game.rules, (other.probabilities, true.probabilities)):
        counts.see(observer.read(hand.moves, hand.utility), 1e7 * odds)
    model = counts.strategy("uniform", 1.0 if reveal == SHOWN else "auto", "em" if reveal == SHOWN else "convex")
    if reveal == SHOWN:
        assert len(counts.observations.hands) > 100
        assert np.abs(counts.seen_part(model).behaviour - counts.seen_part(true).behaviour).max() < 1e-3
    data, best = counts.observations, counts.seen_part(true)
    assert data.log_likelihood(best.plan) <= data.log_likelihood(counts.seen_part(model).plan) + 1e-3 * counts.hands


def test_many_hands_bring_the_model_nearer(tmp_path: Path) -> None:
    """Hands as they are drawn, the villain uniform, the prior not."""
    game = as_spot_game(river())
    prior, apart = cp.opponent(game, "random:5", 1), []
    for hands in (20, 200, 2000):
        counts = counts_in_spot(game, 1, read_hands([_hands(game, tmp_path / "l.jsonl", hands)]), NAME)
        assert counts is not None
        model = counts.seen_part(counts.strategy(prior, 5.0))
        reached = counts.observations.visits(model.plan)[1]
        off = np.abs(model.behaviour - model.tree.uniform())[model.tree.owner >= 0]
        weight = reached[model.tree.owner[model.tree.owner >= 0]]
        apart.append(float(off @ weight / weight.sum()))
    assert apart[0] > apart[1] > 2 * apart[2]


def test_a_hidden_hand_at_a_showdown_is_known_by_its_result() -> None:
    """Nothing is revealed but who won: hands that would have lost are left out, and those that tie or win stay."""
    game = as_spot_game(river())
    rest = ((CHANCE, None), (0, "check"), (1, "check"))
    names = [hand_text(hand) for hand in game.tree.boards.cards.hands.tolist()]
    observer, moves = SpotObserver(game, 1), ((CHANCE, "KhQh"), *rest)
    lost, won, every = (observer.read(moves, chips).holdings for chips in (-50.0, 50.0, None))
    assert np.array_equal(lost + won, every)
    assert {names[n][0] for n in np.flatnonzero(lost)} == {"J", "A"}  # three jacks; queens with an ace
    assert {names[n][0] for n in np.flatnonzero(won)} == {"9", "6"}


BAD = {
    "no such action": ((CHANCE, "KhQh"), (CHANCE, "JdJc"), (0, "bet 80")),
    "out of turn": ((CHANCE, "KhQh"), (CHANCE, "JdJc"), (1, "check")),
    "cut short": ((CHANCE, "KhQh"), (CHANCE, "JdJc"), (0, "check")),
    "too long": ((CHANCE, "KhQh"), (CHANCE, "JdJc"), (0, "check"), (1, "check"), (0, "check")),
    "not in the range": ((CHANCE, "KhQh"), (CHANCE, "7c2d"), (0, "check"), (1, "check")),
    "hands share a card": ((CHANCE, "QdQc"), (CHANCE, "AdQd"), (0, "check"), (1, "check")),
    "no deal": ((0, "check"), (1, "check")),
    "one deal": ((CHANCE, "KhQh"), (0, "check"), (1, "check")),
    "a card too many": ((CHANCE, "KhQh"), (CHANCE, "JdJc"), (0, "check"), (1, "check"), (CHANCE, "2c")),
    "both hidden": ((CHANCE, None), (CHANCE, None), (0, "check"), (1, "check")),
    "nothing": (),
}


@pytest.mark.parametrize("what", [*BAD, "another result"])
def test_what_is_no_hand_of_the_spot_is_refused_by_its_place(what: str) -> None:
    game = as_spot_game(river())
    won = None if what in BAD else 51.0
    moves = BAD.get(what, ((CHANCE, "KhQh"), (CHANCE, "JdJc"), (0, "check"), (1, "check")))
    hand = GameHand("other.toml", ("hero", NAME), moves, won, "", FileLine("l.jsonl", 4))
    with pytest.raises(InputError, match=r"^l\.jsonl:4: .*; the log is of 'other\.toml'$"):
        counts_in_spot(game, 1, Hands((hand,), ()), NAME)


def test_a_turn_deals_each_card_once() -> None:
    game = as_spot_game(TURN)
    usual = [(CHANCE, "QdQc"), (CHANCE, "JdJc"), (0, "check"), (1, "check"), (CHANCE, "Ts"), (0, "check"), (1, "check")]
    seen = SpotObserver(game, 0).read(tuple(usual))
    assert [(part.layer, number) for part, number in seen.actions] == [(0, 0), (1, 0)]
    for card in ("Qs", "9h", "7c", "xx", None):
        with pytest.raises(InputError):
            SpotObserver(game, 0).read((*usual[:4], (CHANCE, card), *usual[5:]))
    for card in ("Qd", "Jd"):  # which a player holds
        with pytest.raises(InputError):
            SpotObserver(game, 0).read((*usual[:4], (CHANCE, card), *usual[5:]))


def test_logs_of_other_spots_and_players_are_named(tmp_path: Path, run: Runner) -> None:
    game, other = as_spot_game(river()), as_spot_game(replace(river(), pot=120))
    log = _hands(other, tmp_path / "other.jsonl")
    with pytest.raises(InputError, match=r"no hand of 'villain' is of spot .*: there are 120 of 'some\.toml'"):
        counts_in_spot(game, 1, read_hands([log]), NAME)
    with pytest.raises(InputError, match="there are no hands of 'nobody'; there are those of"):
        counts_in_spot(game, 1, read_hands([log]), "nobody")
    with pytest.raises(InputError, match="there are no hands of 'villain' as oop"):
        counts_in_spot(other, 0, read_hands([log]), NAME)
    both = read_hands([log, _hands(game, tmp_path / "own.jsonl", 50)])
    counts = counts_in_spot(game, 1, both, NAME)
    assert counts is not None
    assert counts.hands == 50
    first, *rest = log.read_text().splitlines()
    head = json.loads(first)
    for spot in (7, None, [1]):
        log.write_text("\n".join([json.dumps(head | {"spot": spot}), *rest]))
        assert {one.reason for one in read_hands([log]).left_out} == {"format"}
    del head["spot"]  # as logs were before: what fits counts, and what does not says of what the log is
    log.write_text("\n".join([json.dumps(head), *rest]))
    old = counts_in_spot(other, 1, read_hands([log]), NAME)
    assert old is not None
    assert old.hands == 120
    leduc = tmp_path / "leduc.jsonl"
    assert run("match", "leduc", "uniform", "nash", "--hands", "6", "--log", str(leduc)).code == 0
    with pytest.raises(InputError, match=r"no hand of 'nash' is of spot .*: there are 6 of 'leduc'"):
        counts_in_spot(game, 1, read_hands([leduc]), "nash")


@pytest.mark.parametrize("method", ["br", "dbr"])
def test_a_response_to_a_log_is_the_same_in_a_store(method: str, tmp_path: Path) -> None:
    """The data-biased response takes its trust from the counts of the log."""
    log, found = _hands(as_spot_game(TURN), tmp_path / "l.jsonl", 200), []
    for large in (False, True):
        with ExitStack() as stack:
            if large:
                stack.enter_context(large_from(0, "single"))
            game = as_spot_game(TURN)
            model = cp.opponent(game, f"hands:{log},player={NAME},prior=uniform,weight=2", 1)
            dials = {"p": 0.8} if method == "dbr" else {}
            answer = cp.respond(game, model, method, **dials, stop=cp.Stop(0.02))
            found.append((answer.gain, answer.exploitability))
    assert found[0] == pytest.approx(found[1], abs=0.2)
    assert found[0][0] > 1.0


def test_a_villain_of_a_log_is_locked_by_class(tmp_path: Path) -> None:
    """As with hands of hold'em: what is counted are actions by situation, and the near end of the interval is the lock."""
    solved = cp.solve_spot(river(), percent_of_pot=0.1)
    game = as_spot_game(solved)
    log = _hands(game, tmp_path / "l.jsonl", 300)
    model = MODELS.parse(f"hands:{log},player={NAME}")
    model.check_spot(river(), 1)
    tilt = model.tilt(solved, 1)
    assert tilt.hands is not None
    faced = Counter[bool]()
    for hand in read_hands([log]).others:
        before, action = hand.moves[2][1], hand.moves[3][1] if len(hand.moves) > 3 else None
        if before != "check":
            faced[action == "fold"] += 1
    folds = tilt.hands.counted["river, facing a bet of at least 60%: folds"]
    assert (folds.k, folds.n) == (faced[True], faced.total())
    assert tilt.lock.nodes
    with pytest.raises(InputError, match="as oop"):
        model.check_spot(river(), 0)


def test_reveal_none_hides_what_a_log_has(tmp_path: Path) -> None:
    """The effective counts are fewer: a hidden hand says less than a shown one."""
    game = as_spot_game(river())
    hands = read_hands([_hands(game, tmp_path / "l.jsonl", 100)])
    totals = []
    for reveal in (SHOWN, SHOWDOWN, HIDDEN):
        counts = counts_in_spot(game, 1, hands, NAME, reveal)
        assert counts is not None
        totals.append(float(counts.strategy("uniform", 1.0).counts.sum()))
    assert totals[0] > 1.2 * totals[1] > 1.2 * totals[2] > 0.0


def test_the_page_takes_a_player_of_a_log(tmp_path: Path) -> None:
    solved = cp.solve_spot(river(), percent_of_pot=0.1)
    log = _hands(as_spot_game(solved), tmp_path / "l.jsonl", 300)
    player = PlayerOfHands(log, NAME, 1)
    player.check(river())
    lock, facts = player.lock(solved)
    assert lock.nodes
    assert (facts["villain"]["hands"]["hands"], facts["villain"]["hands"]["player"]) == (300, NAME)
    with pytest.raises(InputError, match="as oop"):
        replace(player, seat=0).check(river())


def test_a_review_takes_logs_of_its_own_spot_alone(tmp_path: Path) -> None:
    """The moves fit the other spot, too; its chips are others."""
    one, other = as_spot_game(river()), as_spot_game(replace(river(), ip="JJ,AQs,98s,65s,KTs"))
    hand = read_hands([_hands(one, tmp_path / "l.jsonl", 1)]).others[0]
    assert played_hand(one.rules, hand).utility == hand.won
    with pytest.raises(InputError, match=r"a hand of another spot, that of some\.toml"):
        played_hand(other.rules, hand)
    assert played_hand(other.rules, replace(hand, spot="")).utility == hand.won


def test_predictions_of_a_log_are_those_of_the_enumerated_game(tmp_path: Path) -> None:
    """Nats of model, prior, line alone and uniform play, in all and by street."""
    game = as_spot_game(TURN)
    twin, hands = cp.load(game.rules), read_hands([_hands(game, tmp_path / "l.jsonl", 200)])
    found = counts_in_spot(game, 1, hands, NAME)
    assert found is not None
    theirs = counts_of_player(twin, 1, [replace(hand, game=twin.name) for hand in hands.others], NAME)
    first, second = (one.strategy("uniform", 2.0) for one in (found, theirs))
    mine = predict(found.observations, found.seen_part(first), found.seen_part(cp.opponent(game, "uniform", 1)), found)
    other = predict(theirs.observations, second, cp.opponent(twin, "uniform", 1), twin)
    assert (mine.hands, mine.decisions) == (other.hands, pytest.approx(other.decisions))
    for name in ("model", "prior", "uniform"):
        assert getattr(mine, name).mean == pytest.approx(getattr(other, name).mean, abs=1e-6), name
    assert [(one.street, one.decisions) for one in mine.streets] == [
        (one.street, one.decisions) for one in other.streets
    ]
    assert [one.model.mean for one in mine.streets] == pytest.approx(
        [one.model.mean for one in other.streets], abs=1e-6
    )
    assert len(mine.streets) == 2
    lines = [line_alone(where, data) for where, data in ((found, found.observations), (twin, theirs.observations))]
    both = [
        data.log_likelihood(line.plan)
        for line, data in zip(lines, (found.observations, theirs.observations), strict=True)
    ]
    assert both[0] == pytest.approx(both[1])
