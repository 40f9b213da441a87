"""Flop Hold'em played hand by hand: its rules against exact values, its agents against what they should compute."""

from __future__ import annotations

import random
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import CHANCE, TERMINAL, InputError, LookAhead, SearchBot, Stop, Strategy, match
from counterplay.agents.factory.whole_games import search_settings
from counterplay.agents.worlds.whole_game import (
    BoardSearch,
    HoldemAgent,
    ResponseAgent,
    decide_early,
)
from counterplay.blueprints.whole_game.as_strategy import gifts_before
from counterplay.blueprints.whole_game.board_subtree import board_subtree
from counterplay.blueprints.whole_game.solved_board import known_at_board
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.lookahead.search import Search, Solve
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.whole_game.rules import Holdem, read_holdem
from counterplay.poker.whole_game.strategy import probabilities, reach
from counterplay.poker.whole_game.values.measure import best_response_value, hand_values, value
from counterplay.poker.whole_game.walks.make_rule import LOCAL, RuleSettings
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.treeplex import sweeps
from counterplay_papers.refined_flops import search_all_flops, ses_search
from tests.support.agents import seated_agent
from tests.support.flop_holdem import random_play
from tests.support.flop_holdem_agents import SEVEN, base, compiled, model, rules, solved_over_hands, strategy, tiny
from tests.support.flop_margins import estimate_range, flop_root, margins
from tests.support.seats import seats_in_turn

_GADGETS = ("resolving", "max-margin", "reach-max-margin")


def search(gadget: str, p: float = 0.0, alpha: float = 0.0, solver: str = "dcfr", iterations: int = 400) -> Search:
    stop = Stop(1e-5, iterations) if solver != "lp" else Stop()
    return Search(LookAhead("round", gadget=gadget), p, alpha, solver, stop)


def test_the_rules_enumerated_are_worth_what_the_solvers_say() -> None:
    game, tree = tiny().game, compiled()
    one, two = random_play(game, 1), random_play(game, 2)
    plans = strategy(tree, tiny(), one, 0).plan, strategy(tree, tiny(), two, 1).plan
    assert tree.payoff.value(*plans) == pytest.approx(value(game, one, two), abs=1e-6)
    best = cp.respond(tree, strategy(tree, tiny(), one, 0), method="br")
    assert best.value_against_model == pytest.approx(best_response_value(game, one, 1), abs=1e-6)


def test_every_deal_is_as_likely() -> None:
    """Cards come in rising order, so each deal is one history."""
    game = tiny()
    odds: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(4):
        after = {}
        for cards, chance in odds.items():
            state = game.root()._replace(cards=cards)
            assert game.player(state) == CHANCE
            assert sum(game.chance(state)) == pytest.approx(1.0)
            for card, share in zip(game.actions(state), game.chance(state), strict=True):
                after[game.child(state, card).cards] = chance * share
        odds = after
    assert len(odds) == 21 * 10
    assert np.allclose(list(odds.values()), 1 / 210)


def test_a_match_of_fixed_strategies_comes_to_the_exact_value() -> None:
    game = rules().game
    one, two = random_play(game, 1), random_play(game, 2)
    found = match(
        rules(),
        lambda seat: HoldemAgent(rules(), one, seat, seat, "one"),
        lambda seat: HoldemAgent(rules(), two, seat, 2 + seat, "two"),
        1000,
        seed=4,
    )
    exact = (value(game, one, two) - value(game, two, one)) / 2
    assert found.interval is not None
    assert abs(found.mean - exact) < found.interval[1] - found.mean  # 1.96 standard errors; the seed is a usual one
    assert found.agents == ("one", "two")


def test_observations_are_read_as_they_are_written() -> None:
    game, draw, texts = Holdem(), random.Random(0), set()
    for _ in range(30):
        state = game.root()
        while (who := game.player(state)) != TERMINAL:
            if who != CHANCE:
                text = game.infoset(state, who)
                seen = game.read(text, who)
                assert set(seen.hand) == set(state.cards[2 * who : 2 * who + 2])
                assert (seen.node, seen.board) == (state.node, state.cards[4:])
                assert text.endswith(game.public(state)) or game.public(state) == "preflop"
                assert str(int(game.betting.pot[state.node])) in game.picture(state, who)
                texts.add(text)
            state = game.child(state, draw.choice(list(game.actions(state))))
    assert game.read("AhKs | raise 4, call | Qd 7c 2s", 0).board == (41, 20, 3)
    assert max(len(text.split(" | ")) for text in texts) == 3


@pytest.mark.parametrize(("text", "error"), [
    ("AhAh", "given twice"), ("Ah", "is not a hand"), ("AhKs | jump", "not an action"),
    ("AhKs | raise 4, call", "does not act"),
    ("AhKs | raise 4, call | Ah 7c 2s", "is not a hand"), ("AhKs | raise 4", "seat 1 of fhp does not act"),
])  # fmt: skip
def test_what_is_no_observation_is_refused(text: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        Holdem().read(text, 1)


def test_rules_have_texts() -> None:
    assert (read_holdem("fhp").betting.nodes, len(read_holdem("fhp:lowest=T").deck.cards)) == (169, 20)
    assert read_holdem("fhp:raises=1").betting.nodes < 169
    for text in ("fhp:x=1", "fhp:raises=0", "leduc", "fhp:lowest=1"):
        with pytest.raises(InputError):
            read_holdem(text)


@pytest.mark.parametrize(("gadget", "me"), seats_in_turn([(gadget,) for gadget in _GADGETS]))
def test_safe_gadgets_do_not_raise_exploitability(gadget: str, me: int) -> None:
    game = rules().game
    play = search_all_flops(game, base(), me, None, range(len(game.flops)), search(gadget))
    before, after = (best_response_value(game, one, 1 - me) for one in (base(), play))
    assert after < before + 1e-3
    if gadget == "reach-max-margin":  # it may give up what the opponent has forgone already
        assert gifts_before(game, base(), 1 - me).max() > 0.1


@pytest.mark.parametrize("me", [0, 1])
def test_max_margin_on_a_piece_is_that_of_all_entries_at_once(me: int) -> None:
    """Piece by piece by the linear program and by a minimiser, measured by the margins of all of them at once."""
    game, flop, alpha = rules().game, 3, 0.4
    at = flop_root(game, base(), flop, me)
    share = estimate_range(game, at, model())
    ours = search_all_flops(game, base(), me, model(), [flop], search("max-margin", alpha=alpha, solver="lp"))
    theirs = search_all_flops(game, base(), me, model(), [flop], ses_search(alpha, 3000))
    found = []
    for play in (ours, theirs):
        left = margins(game, at, play)
        kept = np.where(np.isfinite(left), left, 0.0)
        found.append((1 - alpha) * left.min(axis=1) + alpha * (share * kept).sum(axis=1))
    np.testing.assert_allclose(found[0], found[1], atol=0.02)


@pytest.mark.slow
def test_trust_wins_more_from_the_model_and_risks_more() -> None:
    game, me = rules().game, 1
    won, lost = [], []
    for p, gadget in ((0.0, "resolving"), (0.5, "resolving"), (0.9, "resolving"), (1.0, "unsafe")):
        play = search_all_flops(game, base(), me, model(), range(len(game.flops)), search(gadget, p, iterations=40))
        won.append(-value(game, model(), play))
        lost.append(best_response_value(game, play, 1 - me))
    assert won == sorted(won)
    assert lost[0] < lost[2] < lost[3]  # behind a resolving gadget little trust may cost nothing
    assert won[-1] > -value(game, model(), base())


def test_cdbr_is_the_best_response_on_the_flop() -> None:
    game, me = rules().game, 0
    play = search_all_flops(game, base(), me, model(), range(len(game.flops)), search("unsafe", 1.0))
    for flop in (0, 4):
        best, ours = (hand_values(game, me, model(), flop, one) for one in (None, play))
        np.testing.assert_allclose(best, ours, atol=5e-3)


@pytest.mark.parametrize(("text", "me"), seats_in_turn([(gadget,) for gadget in reversed(_GADGETS)]))
def test_agents_are_exact_enough_to_be_safe(text: str, me: int) -> None:
    """What they do unless told otherwise, on all flops."""
    game = rules().game
    asked = search_settings(game, SearchBot.from_text(f"resolve:gadget={text},blueprint=uniform"), 0)
    blunt = replace(asked.search, stop=Stop(10 * asked.search.stop.exploitability))  # fast, and still safe
    play = search_all_flops(game, base(), me, None, range(len(game.flops)), blunt)
    assert best_response_value(game, play, 1 - me) < best_response_value(game, base(), 1 - me)


def test_a_piece_has_the_ranges_of_the_game_at_its_places() -> None:
    game = rules().game
    piece = board_subtree(game, 2, "Jc Qd Kh", 0, gifts_before(game, base(), 1))
    for player in (0, 1):
        plan = sweeps.reach(piece.whole.runs[player].tree, piece.behaviour(base(), player))
        came = reach(game, base(), player, int(game.entries[2]))[piece.numbers]
        np.testing.assert_allclose(piece.range(player, plan), came)
        flop = game.boards.find_board(piece.board)[0].number
        if player == 0:
            plans = ArrayPlans.of(piece.whole.subgame, Strategy(piece.whole.runs[0].tree, piece.behaviour(base(), 0)))
            claims, met = piece.alternative_values(plans), piece.weight(plan)
            canonical = flop_root(game, base(), flop, 0)
            by_hand = np.sort((canonical.shift * canonical.weight)[2])
            np.testing.assert_allclose(np.sort(claims / piece.unit), by_hand, atol=1e-5)
            given = piece.gifts(plans)
            assert (given >= 0.0).all()
            np.testing.assert_allclose(given, met * gifts_before(game, base(), 1)[2][piece.numbers])


@pytest.mark.parametrize("text", [
    "resolve", "resolve:gadget=reach-max-margin,values=profile", "resolve:gadget=max-margin,prior=uniform,epsilon=0.01",
    "ses:alpha=0.5,to=uniform", "cdbr:to=uniform", "cdrnr:p=0.5,to=uniform", "cdrnr:p=0.5,gadget=unsafe,to=uniform",
])  # fmt: skip
def test_agents_play_what_is_computed(text: str) -> None:
    blue = "blueprint=[blueprint:buckets=6,iterations=50,method=dcfr]"
    head, _, rest = text.partition(":")
    full = f"{head}:iterations=40,{blue}" + (f",{rest}" if rest else "")
    agent = seated_agent(rules(), full, 0, seed=0, draws=1)
    assert isinstance(agent, BoardSearch)
    asked, game = agent.settings, rules().game
    entry, board = 1, "Jc Qd Kh"
    gifts = gifts_before(game, asked.blueprint, 1) if "reach" in text else None
    piece = board_subtree(game, entry, board, 0, gifts)
    known = known_at_board(piece, asked.blueprint, asked.model, asked.search, profile=asked.profile)
    found = resolve_subtree(piece, asked.search, known)
    assert found is not None
    mine = found.splice(0, piece.behaviour(asked.blueprint, 0))
    path = game.betting.path(int(game.entries[entry]))
    odds = agent.policy(f"JhQh | {path} | {board}")
    assert list(odds) == ["check", "bet 2"]
    assert list(odds.values()) == pytest.approx(piece.rows(mine, 0, 0)[:, game.deck.hand(38, 42)].tolist())
    assert agent.name == head
    before = probabilities(game, asked.blueprint, 2)[:, game.deck.hand(38, 42)]
    assert list(agent.policy("JhQh | call").values()) == pytest.approx(before.tolist())


def test_a_flop_is_solved_once_in_a_hand_and_within_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "resolve:seconds=0.05,gap=0,blueprint=[blueprint:buckets=6,iterations=50,method=dcfr]"
    agent = seated_agent(rules(), text, 0, seed=0, draws=1)
    calls = []
    real = Solve.advance
    monkeypatch.setattr(Solve, "advance", lambda self: calls.append(1) or real(self))
    begin = perf_counter()
    agent.act("JhQh | call, check | Jc Qd Kh")
    assert perf_counter() - begin < 1.0
    agent.act("JhQh | call, check, flop, check, bet 2 | Jc Qd Kh")
    assert len(calls) == 1
    agent.new_hand()
    agent.act("JhQh | call, check, flop, check, bet 2 | Jc Qd Kh")
    agent.act("JhQh | raise 4, call | Jc Qd Kh")
    assert len(calls) == 3


def test_agents_meet_in_a_match() -> None:
    blue = "blueprint:buckets=6,iterations=50,method=dcfr"
    texts = (f"ses:alpha=0.5,iterations=20,blueprint=[{blue}],to={blue}", f"shuffle:0.5:{blue}")
    found = [
        match(rules(), *(lambda seat, t=t: seated_agent(rules(), t, seat, 0, seat) for t in texts), 40, seed=1)
        for _ in range(2)
    ]
    assert found[0].mean == found[1].mean  # equal seeds, equal hands
    assert found[0].hands == 40


class _Named(Holdem):
    """The rules with the names that the local best response of enumerated games knows."""

    def action_name(self, state: Any, action: int) -> str:
        name = super().action_name(state, action)
        return {"fold": "Fold", "call": "Call", "check": "Call"}.get(name, name)


@pytest.mark.parametrize("me", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_local_best_response_is_that_of_the_enumerated_game(me: int) -> None:
    named = _Named(flop_holdem(1), deck=SEVEN)
    game, play = named.game, random_play(named.game, 3)
    tree = cp.load(named, say=lambda _: None)
    known = cp.respond(tree, strategy(tree, named, play, 1 - me), method="lbr").strategy
    early = decide_early(game, me, play)
    agent = ResponseAgent(named, (early, play), me, 1, RuleSettings(LOCAL))
    labels, same = known.tree.labels, []
    for infoset, lane in zip(labels.infosets, labels.lanes, strict=True):
        if lane >= 0 and known.plan[known.tree.arrays.parent[lane]] > 0.0:  # elsewhere it says nothing
            row = known.behaviour[known.tree.sequences_of(lane)]
            same.append(np.allclose(row, list(agent.policy(infoset).values())))
    assert np.mean(same) > 0.99  # equal worths may fall either way
    assert early.preflop[me].max() == 1.0


@pytest.mark.parametrize(("text", "error"), [
    ("s1", "there is no agent"),
    ("ses:to=uniform", "needs either alpha"), ("cdrnr:p=2,to=uniform", "between 0 and 1"), ("cdbr", "needs a model"),
    ("cdbr:gadget=resolving,to=uniform", "takes no gadget"), ("resolve:depth=2", "no option 'depth'"),
    ("resolve:prior=a.json", "a.json"), ("resolve:seconds=0", "above 0"), ("resolve:iterations=x", "whole number"),
    ("resolve:solver=newton", "no method"), ("lbr", "needs a model"), ("shuffle:2:uniform", "between 0 and 1"),
    ("shuffle:0.3", "lacks the opponent"), ("uniform:3", "it takes none"), ("blueprint:buckets=0", "of at least 1"),
    ("blueprint:method=lp", "method is"), ("cdbr:to=nobody", "there is no opponent"), ("x.fhp", "cannot read"),
    ("ses:alpha=0.5,gadget=resolving,to=uniform", "needs the gadget max-margin"), ("resolve:p", "is not key=value"),
])  # fmt: skip
def test_agents_that_are_none_are_refused(text: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        seated_agent(rules(), text, 0, 0, 0)


def test_no_such_seat() -> None:
    with pytest.raises(InputError, match="player must be 0 or 1"):
        seated_agent(rules(), "uniform", 2, 0, 0)


def test_a_flop_cut_short_goes_on_when_it_comes_again() -> None:
    """Within a hand its answer stays; in later hands it converges to that of an agent without a limit."""
    text = "resolve:gap=0.02{},blueprint=[blueprint:buckets=6,iterations=50,method=dcfr]"
    short, unlimited = (seated_agent(rules(), text.format(more), 0, seed=0, draws=1) for more in (",iterations=8", ""))
    flop = "JhQh | call, check | Jc Qd Kh"
    assert solved_over_hands(short, flop) == pytest.approx(unlimited.policy(flop), abs=0.02)
