"""Hands of four streets: agents, matches and a person at the terminal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, LookAhead, Stop, Strategy
from counterplay.agents.factory import whole_games
from counterplay.agents.worlds import whole_game
from counterplay.agents.worlds.whole_game import (
    BoardSearch,
    HoldemAgent,
    ResponseAgent,
)
from counterplay.blueprints.whole_game.board_subtree import board_subtree
from counterplay.blueprints.whole_game.solved_board import SolvedBehaviour, SolvedBoard, SolvedPlan, known_at_board
from counterplay.lookahead.resolver import pose_subtree, resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.betting.rules import STREETS, holdem
from counterplay.poker.public_tree import payoff as branches
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import save, save_response
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem, Seen, read_holdem
from counterplay.poker.whole_game.strategy import HoldemStrategy, places_of_hands, probabilities, reach
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.walks.make_rule import (
    LocalBestResponseRule,
    RuleResponse,
    RuleSettings,
    best_response,
)
from counterplay.responses.whole_game import lanes_of
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.treeplex.sweeps import reach as treeplex_reach
from counterplay_papers.listed_hands import random_play
from tests.support.commands import Runner
from tests.support.covering import covering
from tests.support.whole_games import NINE, decisions

TWELVE = "holdem:deck=12,stack=4bb,bets=a"
RULES = Holdem(holdem(6, blinds=(1, 2)), "a", NINE, "nine cards")
SHUFFLED = "shuffle:0.7,5:blueprint:iterations=30"
TEXTS = (
    "resolve:iterations=20,blueprint=passive",
    "resolve:iterations=20,street=river,gadget=reach-max-margin,blueprint=passive",
    "ses:alpha=0.4,iterations=20,street=turn,blueprint=passive,to=bias:all-in=3:uniform",
    "cdrnr:p=0.5,iterations=20,street=turn,blueprint=passive,to=bias:all-in=3:uniform",
    "cdbr:blueprint=passive,street=turn,to=bias:all-in=3:uniform", "br:to=passive", "lbr:to=uniform", "br:uniform",
    "passive",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_every_agent_plays_four_streets(text: str) -> None:
    agents = [cp.agent(RULES, text, seat) for seat in (0, 1)]
    streets = set()
    for seat, agent in enumerate(agents):
        for infoset in decisions(RULES, seat, 3, 6):
            row = agent.policy(infoset)
            assert sum(row.values()) == pytest.approx(1.0, abs=1e-5)
            assert agent.act(infoset) in row
            streets.add(int(RULES.betting.street[RULES.read(infoset, seat).node]))
        agent.new_hand()
    assert streets == {0, 1, 2, 3}
    searching = ResponseAgent if "cdbr" in text else BoardSearch
    kind = ResponseAgent if "lbr" in text else searching if "blueprint=" in text else HoldemAgent
    assert all(isinstance(agent, kind) for agent in agents)


def test_the_full_gadget_decides_all_boards_at_once() -> None:
    """As `resolve` does from the flop on; on a full deck there are too many."""
    agent: Any = cp.agent(RULES, "resolve:gadget=full,iterations=5,blueprint=passive", 1)
    found = cp.resolve(RULES, "passive", "flop", seat=1, gadget="full", solver="dcfr:1.5,0,4", stop=Stop(iterations=5))
    for infoset in decisions(RULES, 1, 3, 6):
        seen = RULES.read(infoset, 1)
        row = probabilities(RULES.game, found.strategy.play, seen.node, seen.board)
        np.testing.assert_allclose(agent.rows(seen.node, seen.board), row, atol=1e-6)
    with pytest.raises(InputError, match="solves all boards at once, and this game has too many"):
        cp.agent("holdem:stack=200bb,bets=fcpa", "resolve:gadget=full", 0)


def test_cdbr_ne_draws_before_every_hand() -> None:
    mixed: Any = cp.agent(RULES, "cdbr-ne:p=0.5,blueprint=passive,street=turn,to=uniform", 1)
    parts = [cp.agent(RULES, text, 1) for text in ("cdbr:blueprint=passive,street=turn,to=uniform", "passive")]
    seen = list(decisions(RULES, 1, 3, 4))
    rows = [[part.policy(infoset) for infoset in seen] for part in parts]
    assert rows[0] != rows[1]
    drawn = []
    for _ in range(12):
        mixed.new_hand()
        drawn.append([mixed.policy(infoset) for infoset in seen])
    assert all(row in rows for row in drawn)
    assert rows[0] in drawn
    assert rows[1] in drawn


@pytest.mark.parametrize("text", [TEXTS[3], "bias:all-in=3:uniform", "lbr:to=uniform", "br:to=passive"])
def test_agents_are_saved_between_hands(text: str, tmp_path: Path) -> None:
    rules, path = read_holdem(TWELVE), tmp_path / "agent.cpa"
    seen = list(decisions(rules, 1, 4, 3))
    agent = cp.agent(rules, text, 1, seed=3)
    for infoset in seen:
        agent.act(infoset)
    agent.log.append("a line")
    agent.save(path)
    again = cp.resume(path)
    assert (again.name, again.seat, list(again.log)) == (agent.name, 1, list(agent.log))
    agent.new_hand()
    assert [again.act(infoset) for infoset in seen] == [agent.act(infoset) for infoset in seen]
    with pytest.raises(InputError, match="does not fit holdem:flop"):
        cp.resume(path, game="holdem:flop")


def test_a_saved_agent_opens_no_file_that_it_names(tmp_path: Path) -> None:
    rules, path, blue = read_holdem(f"{TWELVE},buckets=3"), tmp_path / "agent.cpa", str(tmp_path / "blue.cpb")
    save(Path(blue), rules.game, blueprint(rules.game, lanes_of(rules), method="cfr+", iterations=2))
    cp.agent(rules, f"resolve:street=river,iterations=5,blueprint=[{blue}]", 0).save(path)
    with pytest.raises(InputError, match=r"names the blueprint .*blueprint=\.\.\."):
        cp.resume(path)
    assert cp.resume(path, blueprint=blue).name == "resolve"
    cp.agent(rules, blue, 0).save(path)
    with pytest.raises(InputError, match="names the model"):
        cp.resume(path)
    assert cp.resume(path, model=blue).name == blue
    with pytest.raises(InputError, match="cannot be saved"):
        cp.agent(rules, "uniform", 0).save(path)


def test_matches_have_mirrored_deals_and_equal_seeds_play_alike() -> None:
    texts = TEXTS[3], "bias:all-in=3:uniform"
    found = [
        cp.match(
            RULES, *(lambda seat, t=t, k=k: cp.agent(RULES, t, seat, 0, k) for k, t in enumerate(texts)), 24, seed=2
        )
        for _ in range(2)
    ]
    assert found[0].mean == found[1].mean
    same = cp.match(
        RULES, lambda seat: cp.agent(RULES, "passive", seat), lambda seat: cp.agent(RULES, "passive", seat), 20
    )
    assert same.mean == 0.0  # whoever only calls wins with the one seat's cards what is lost with them in the other


def test_the_turn_is_what_is_solved_there_and_the_river_is_solved_again() -> None:
    game, text = RULES.game, "resolve:iterations=30,street=turn,blueprint=uniform"
    agent = cp.agent(RULES, text, 0)
    assert isinstance(agent, BoardSearch)
    node = next(n for n in sorted(agent.entry) if RULES.betting.kind[n] == 0)
    board, hand = game.deck.held("Jc Qd Kh Jd"), "QhKc"
    piece, search = board_subtree(game, agent.entry[node], board, 0), agent.settings.search
    known = known_at_board(piece, strategy_of(game, "uniform"), None, search)
    solved = SolvedBoard.of(piece, known, resolve_subtree(piece, search, known), search)
    path, number = RULES.betting.path(node), game.deck.hand(*game.deck.held(hand))
    row = agent.policy(f"{hand} | {path} | Jc Qd Kh Jd")
    assert list(row.values()) == pytest.approx(solved.rows(0, board)[:, number].tolist())
    before = solved.mine.copy()
    river = next(n for n in range(piece.whole.betting.nodes) if piece.whole.betting.street[n] == 3 and
                 piece.whole.betting.kind[n] == 0)  # fmt: skip
    later = (*board, *game.deck.held("Qc"))
    whole_path = RULES.betting.path(piece.node(river))
    row = agent.policy(f"{hand} | {whole_path} | Jc Qd Kh Jd Qc")
    assert list(row.values()) == pytest.approx(solved.rows(river, later)[:, number].tolist())
    assert not np.array_equal(solved.mine, before)


@pytest.mark.parametrize(("gadget", "seat"), covering(["resolving", "max-margin", "reach-max-margin"], [0, 1]))
def test_rivers_solved_again_give_the_opponent_no_more_on_the_turn(gadget: str, seat: int) -> None:
    game, play = RULES.game, random_play(RULES.game, 1)
    search = Search(LookAhead("round", gadget=gadget), solver="dcfr", stop=Stop(1e-5, 200))
    rough = Search(LookAhead("round", gadget=gadget), solver="dcfr", stop=Stop(iterations=2))
    piece = board_subtree(game, 0, "Jc Qd Kh Jd", seat)
    known = known_at_board(piece, play, None, search)
    solved = SolvedBoard.of(piece, known, resolve_subtree(piece, rough, known), search)
    tree = piece.whole.subgame.trees[seat]

    def values() -> np.ndarray:
        return piece.alternative_values(ArrayPlans.of(piece.whole.subgame, Strategy(tree, solved.mine)))

    before = values()
    betting = piece.whole.betting
    for node in range(betting.nodes):
        if betting.street[node] == 3 and betting.kind[node] == seat:
            for board in piece.whole.boards.layers[1].boards:
                solved.rows(node, board)
    assert (values() <= before + 1e-4 * piece.unit).all()
    assert seat == 1 or values().sum() < before.sum() - 1e-4


@pytest.mark.parametrize(("gadget", "seat"), [pytest.param("resolving", 0, marks=pytest.mark.slow), ("max-margin", 1)])
def test_a_solved_turn_is_read_without_writing_it_out(gadget: str, seat: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sequence by sequence it is what splicing gives, for both players; by branches in float32 as well."""
    monkeypatch.setattr("counterplay.lookahead.search.SINGLE", 0)
    monkeypatch.setattr(branches, "LARGE", 1)
    game, play = RULES.game, random_play(RULES.game, 1)
    piece = board_subtree(game, 0, "Jc Qd Kh Jd", seat)
    search = Search(LookAhead("round", gadget=gadget), 0.5, solver="dcfr:1.5,0,4", stop=Stop(1e-4, 400))
    known = known_at_board(piece, play, random_play(game, 2), search)
    posed = pose_subtree(piece, search, known)
    found = posed.read(posed.solve.advance())
    assert found.solution.plans[0].dtype == np.float32
    exact = resolve_subtree(piece, replace(search, solver="lp"), known)
    assert found.solution.value == pytest.approx(exact.solution.value, abs=1e-3)
    for player in (0, 1):
        before = known.plans.behaviour(player)
        now = SolvedBehaviour(found, player, before)
        np.testing.assert_allclose(now[:], found.splice(player, before), atol=1e-6)
        tree, some = (
            piece.whole.runs[player].tree,
            np.random.default_rng(1).permutation(piece.pairs(player)[0].stop)[:99],
        )
        some = some[tree.real[some]]
        np.testing.assert_allclose(SolvedPlan(tree, now)[some], treeplex_reach(tree, now[:])[some], atol=1e-9)


@pytest.mark.parametrize("street", ["flop", "turn", "river"])
def test_cdbr_is_the_best_response_from_its_street_on(street: str) -> None:
    text = f"bias:all-in=3,fold=2:shuffle:0.9,1:{_BLUE}"
    agent, game = cp.agent(RULES, f"cdbr:street={street},blueprint=uniform,to={text}", 1), RULES.game
    model, met = strategy_of(game, text), list[int]()
    for infoset in decisions(RULES, 1, 5, 20):
        seen = RULES.read(infoset, 1)
        if len(seen.board) >= {"flop": 3, "turn": 4, "river": 5}[street]:
            worth = worth_of_actions(game, model, 1, seen)
            row = list(agent.policy(infoset).values())
            if max(row) == 1.0:  # elsewhere its own play never comes, and the blueprint stands
                assert float(row @ worth) == pytest.approx(worth.max(), abs=1e-4)  # of the sums over deals
                met.append(len(seen.board))
    assert max(met) == 5
    assert len(met) > 3


def worth_of_actions(game: HoldemGame, model: Any, player: int, seen: Seen) -> np.ndarray:
    """(actions,) of one hand against a model, best play afterwards: by the walk over boards."""
    board, places = places_of_hands(game, seen.board)
    worth = BoardWalk(game, player, model).values_on(board)[:, places[game.deck.hand(*seen.hand)]]
    for node, before, first, count in game.sides[player].decisions[board.street][::-1].tolist():
        if node == seen.node:
            return np.asarray(worth[first : first + count], np.float64)
        worth[before] += worth[first : first + count].max()
    raise AssertionError


_BLUE = "blueprint:buckets=20,iterations=20,method=cfr+"


@pytest.mark.parametrize(("text", "error"), [
    ("resolve:street=preflop", "street is flop, turn or river"), ("resolve:gadget=full,values=profile", "no alternative"),
    ("abd:p=0.5,leaf=portfolio:uniform,blueprint=uniform,to=uniform", "ends on the river"),
    ("cdbr:expand=way,to=uniform", "no option 'expand'"), ("cdrnr:max_exploitability=1,to=uniform", "needs p"),
    ("cdbr-ne:max_exploitability=1,to=uniform", "needs p"),
    ("resolve:depth=2", "no option 'depth'"), ("resolve:values=mine", "values is best-response or profile"),
    ("nobody", "there is no agent"), ("s1", "in whole games of hold'em there is no agent 's1'"),
])  # fmt: skip
def test_what_four_streets_do_not_have_is_refused(text: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        cp.agent(RULES, text, 0)


def earn_the_same(seen: Seen, seat: int) -> bool:
    """Whether two actions are of the same use to a local best responder."""
    game, model = RULES.game, strategy_of(RULES.game, SHUFFLED)
    (board, places), number = places_of_hands(game, seen.board), game.deck.hand(*seen.hand)
    walk = BoardWalk(game, seat, model, rule=LocalBestResponseRule(game, seat, model))
    walk.pay(board, walk.reach(board))
    decisions_there = game.sides[seat].decisions[board.street]
    _, _, first, count = decisions_there[decisions_there[:, 0] == seen.node][0]
    found: Any = walk.estimates_on(board)
    worth = np.sort(found[first : first + count, places[number]])
    return bool(worth[-1] - worth[-2] < 1e-4)


@pytest.mark.parametrize("text", ["br", "lbr"])
def test_with_too_many_boards_responses_on_the_board_at_hand_are_the_same(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On its first street and later ones; before that `br` plays as the model, and `lbr` responds by the flops it sees."""
    whole = [cp.agent(RULES, f"{text}:to={SHUFFLED}", seat) for seat in (0, 1)]
    monkeypatch.setattr(whole_games, "is_walked", lambda _: False)
    monkeypatch.setattr(whole_game, "is_walked", lambda _: False)
    monkeypatch.setattr(whole_games, "MOST_SEQUENCES", 500)
    monkeypatch.setattr(whole_game, "EARLY_DRAWS", (1,))  # all boards after each flop
    here = [cp.agent(RULES, f"{text}:to={SHUFFLED}", seat) for seat in (0, 1)]
    model, streets = [cp.agent(RULES, SHUFFLED, seat) for seat in (0, 1)], set()
    for seat in (0, 1):
        for infoset in decisions(RULES, seat, 4, 32, here[seat]):
            at = RULES.read(infoset, seat)
            street = int(RULES.betting.street[at.node])
            if not reach(RULES.game, strategy_of(RULES.game, SHUFFLED), 1 - seat, at.node, at.board).any():
                continue  # the model never comes here, and any action is as good
            same = whole if street or text == "lbr" else model
            if text == "lbr" and street and earn_the_same(at, seat):
                continue
            assert here[seat].policy(infoset) == pytest.approx(same[seat].policy(infoset), abs=1e-6), infoset
            streets.add(street)
        for one in (here[seat], whole[seat]):
            one.new_hand()
    assert streets == {0, 1, 2, 3}


def test_a_response_from_a_file_is_played_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all boards are too many; what is played is the file's."""
    path, model = tmp_path / "best.cpr", strategy_of(RULES.game, "uniform")
    early = best_response(RULES.game, model).preflop[1]
    play = RuleResponse(RULES.game, 1, model, RuleSettings(), early)
    save_response(path, HoldemStrategy(RULES, 1, play))
    monkeypatch.setattr(whole_games, "is_walked", lambda _: False)
    agent: Any = cp.agent(RULES, str(path), 1)
    streets = set()
    assert isinstance(agent, ResponseAgent)
    for infoset in decisions(RULES, 1, 3, 8):
        seen = RULES.read(infoset, 1)
        row = probabilities(RULES.game, play, seen.node, seen.board)
        np.testing.assert_array_equal(agent.rows(seen.node, seen.board), row)
        streets.add(len(seen.board))
    assert streets == {0, 3, 4, 5}


@pytest.mark.parametrize("street", ["flop", "turn", "river"])
def test_a_sure_model_is_answered_by_the_best_response_from_a_street_on(street: str) -> None:
    """The decisions of the walk over all boards, after every line of betting; before the street the blueprint's."""
    here, model, begin = RULES.game, strategy_of(RULES.game, SHUFFLED), STREETS.index(street)
    answer = best_response(here, model)
    for seat in (0, 1):
        agent: Any = cp.agent(RULES, f"cdbr:street={street},blueprint=passive,to={SHUFFLED}", seat)
        assert isinstance(agent, ResponseAgent)
        seen = set()
        for infoset in decisions(RULES, seat, 6, 12):
            at = RULES.read(infoset, seat)
            if not reach(here, model, 1 - seat, at.node, at.board).any():
                continue
            play = answer if RULES.betting.street[at.node] >= begin else agent.play
            assert agent.rows(at.node, at.board) == pytest.approx(probabilities(here, play, at.node, at.board), abs=0)
            seen.add(int(RULES.betting.street[at.node]))
        assert seen == {0, 1, 2, 3}


def test_options_of_whole_games_are_refused_elsewhere() -> None:
    for game in ("kuhn", cp.Spot("Ks 8h 8d 4c 2d", "AcKc", "QdQs", 10, 10, "a")):
        with pytest.raises(InputError, match="no option 'street'"):
            cp.agent(game, "resolve:street=turn", 0)


def test_a_blueprint_plays_a_match_and_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Written by one command, met by others, on four streets."""
    runner, path, game = Runner(monkeypatch, capsys), str(tmp_path / "twelve.cpb"), f"{TWELVE},buckets=5"
    assert runner("blueprint", game, "-o", path, "--iterations", "20").code == 0
    assert "chips per hand of A" in runner("match", game, path, "uniform", "--hands", "20").out
    typed = "h\n" + "call\ncheck\n" * 90
    played = runner(
        "play",
        game,
        "--against",
        path,
        "--hands",
        "6",
        "--seed",
        "3",
        "--seat",
        "1",
        typed=typed,
    )
    assert "6 hands" in played.out
    assert all(f"{street}: " in played.out for street in ("flop", "turn", "river"))
    assert "there is no agent 'unifrom'; did you mean 'uniform'?" in runner("match", game, path, "unifrom").err
