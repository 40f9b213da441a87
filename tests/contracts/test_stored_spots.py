"""Large spots, whose plans stand in a store: the numbers of the same spot with plans as arrays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import ContinualAgent, InputError, Spot, Stop, solve_spot
from counterplay.agents.worlds.spot import SpotSearch
from counterplay.cache_folder import FOLDER
from counterplay.measure.solution_comparison import compare_solutions
from counterplay.poker.cards.deck import Deck
from counterplay.poker.plan_stores.compact_plans import CompactPlans, StoredStrategy
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots import solve_spot as solving
from counterplay.poker.spots import spot_game
from counterplay.poker.spots.solution import load_spot
from counterplay.poker.spots.spot_game import StoredSpotGame
from tests.support.covering import covering
from tests.support.stored_spots import RIVER, SPOTS, TURN, large_from

TURN_OF_20 = Spot("Qs Jh Th 9d", "QQ+,AK", "JJ+,AQ", 200, 550, "50%, a", raises=1, deck=Deck.from_rank("9"))  # type: ignore[arg-type]
"""With 20 rivers, and still too large for the linear program, so that arrays are solved as stores are."""
DRAWN = "shuffle:1,5:uniform"
MODELS = ["uniform", "noise:0.3:bias:fold=3:uniform", "br:uniform", DRAWN]
METHODS: list[dict[str, Any]] = [{"method": "br"}, {"p": 0.5}, {"method": "dbr", "p": 0.4}, {"method": "lbr"}]
ALWAYS, NEVER = 0, 1 << 60


def measured(name: str, source: str, seat: int, asked: dict[str, Any]) -> list[float]:
    """Chips against the model and against a best responder, of the response and as `evaluate` has them."""
    game = cp.load(SPOTS[name])
    model = cp.opponent(game, source, 1 - seat)
    answer = cp.respond(game, model, solver="dcfr", stop=Stop(0.0, 10), **asked)
    found = cp.evaluate(game, answer.strategy, model)
    assert found.value_against_model == pytest.approx(answer.value_against_model, abs=1e-9)
    return [answer.value_against_model, answer.game_value - answer.exploitability, found.worst_case]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        *covering(("river", "turn"), MODELS),
        *(pytest.param("flop", source, marks=pytest.mark.slow) for source in MODELS[:2]),
    ],
)
def test_responses_are_those_of_arrays(name: str, source: str) -> None:
    """In float64 storage, iteration by iteration; isomorphic suits dealt once or not."""
    seat = MODELS.index(source) % 2
    for asked in METHODS:
        with large_from(NEVER):
            arrays = measured(name, source, seat, asked)
        with large_from(ALWAYS, "double"):
            assert isinstance(cp.load(SPOTS[name]), StoredSpotGame)
            stored = measured(name, source, seat, asked)
        assert stored[0] == pytest.approx(arrays[0], abs=1e-6 * TURN.pot)
        if asked.get("method") != "br":  # of several best responses each has its own worst case
            assert stored[2] == pytest.approx(arrays[2], abs=1e-6 * TURN.pot)
        assert stored[1] == pytest.approx(stored[2], abs=1e-9)


def test_a_solution_is_played_in_the_precision_that_fits(tmp_path: Path) -> None:
    """Files hold single precision; responses in 16 bits take what is said, and win as much."""
    path, found = tmp_path / "river.spot", []
    solve_spot(replace(RIVER, bets="a"), percent_of_pot=0.01).save(path)
    for precision in ("single", "half"):
        with large_from(ALWAYS, precision):
            game = cp.load(str(path))
            answer = cp.respond(game, cp.opponent(game, "uniform"), "mix", p=0.5)
            assert game.equilibrium_plans().averages.precision == precision
            assert answer.strategy.plans.averages.precision == precision
            found.append(answer.value_against_model)
    assert found[0] == pytest.approx(found[1], abs=0.001 * RIVER.pot)


@pytest.mark.parametrize(
    ("bets", "source"),
    [
        ("a", DRAWN),
        *(pytest.param("50%, a", source, marks=pytest.mark.slow) for source in (DRAWN, "bias:fold=2:uniform")),
    ],
)
def test_limits_on_risk_are_met(bets: str, source: str) -> None:
    """In float32, with the gaps that both state: the value within a limit, and the objective at p."""
    found = []
    for sequences in (NEVER, ALWAYS):
        with large_from(sequences):
            game = cp.load(replace(RIVER, bets=bets))
            model = cp.opponent(game, source)
            safe = cp.respond(game, model, solver="dcfr", max_exploitability="1%")
            rnr, mix = (cp.respond(game, model, method, solver="dcfr", p=0.4) for method in ("rnr", "mix"))
            found.append((safe, rnr, mix, 4.0 * game.fine))
            assert safe.exploitability <= 2.0 + 1e-6
    (safe, rnr, mix, fine), (safer, again, mixed, _) = found
    assert safe.gain == pytest.approx(safer.gain, abs=safe.gap + safer.gap + fine)
    ours, theirs = (0.4 * one.gain - 0.6 * one.exploitability for one in (rnr, again))
    assert ours == pytest.approx(theirs, abs=rnr.gap + again.gap + fine)
    assert mix.gain == pytest.approx(mixed.gain, abs=mix.gap + mixed.gap + fine)


@pytest.mark.parametrize(
    ("bets", "source"),
    [
        ("a", "bias:fold=3:uniform"),
        *(pytest.param(bets, DRAWN, marks=pytest.mark.slow) for bets in ("a", "50%, a")),
    ],
)
def test_the_best_equilibrium_of_a_store_wins_about_what_the_linear_program_finds(bets: str, source: str) -> None:
    """Both keep the worst case of an equilibrium: one of a computed one, whose gap bounds the difference."""
    river = replace(RIVER, oop="QQ+,AKs", ip="JJ+,AQs", bets=bets)
    with large_from(NEVER):
        exact = cp.respond(cp.load(river), cp.opponent(cp.load(river), source), "bne")
    with large_from(ALWAYS):
        game = cp.load(river)
        found = cp.respond(game, cp.opponent(game, source), "bne")
        kept = cp.respond(game, cp.opponent(game, source), "safe", max_exploitability=0.0)
        fine = game.fine
    assert found.exploitability <= 2.0 * fine + 1e-6
    assert found.value_against_model >= kept.value_against_model - 1e-6
    assert found.value_against_model == pytest.approx(exact.value_against_model, abs=found.gap + 0.01 * RIVER.pot)


def test_a_lock_is_an_opponent(tmp_path: Path) -> None:
    """Trusted in part, and made of the solution: what a best response wins differs by the accuracy of two solutions."""
    leaks, won = tmp_path / "leak.txt", []
    leaks.write_text("opponent ip\ntrust 0.6 after a check: bet 90%\nfacing a bet: fold 80%\n")
    for sequences in (NEVER, ALWAYS):
        with large_from(sequences):
            game = cp.load(RIVER)
            won.append(cp.respond(game, cp.opponent(game, f"lock:{leaks}", 1)).value_against_model)
    assert won[0] == pytest.approx(won[1], abs=0.01 * RIVER.pot)


def test_answers_are_saved_with_the_model_and_met_again(tmp_path: Path) -> None:
    """A file has both players; a strategy alone is not written."""
    path = tmp_path / "answer.spot"
    with large_from(ALWAYS):
        game = cp.load(TURN)
        model = cp.opponent(game, "bias:fold=2:uniform")
        answer = cp.respond(game, model, p=0.5)
        assert isinstance(answer.strategy, StoredStrategy)
        assert isinstance(answer.strategy.plans, CompactPlans)
        assert max(len(repr(one)) for one in (game, model, answer.strategy)) < 200
        game.with_strategies(answer.strategy, model).save(path)
        found = cp.evaluate(game, cp.opponent(game, path, 0), cp.opponent(game, path, 1))
        with pytest.raises(InputError, match="with the other player's"):
            answer.strategy.save(tmp_path / "alone.json")
        assert not (tmp_path / "alone.json").exists()
    assert found.exploitability == pytest.approx(answer.exploitability, abs=1e-4 * TURN.pot)
    assert found.gain == pytest.approx(answer.gain, abs=1e-4 * TURN.pot)
    with large_from(ALWAYS, "half"):  # files are read in float32, and met in the precision of the spot
        game = cp.load(TURN)
        packed = cp.respond(game, cp.opponent(game, path, 1), "br")
    with large_from(ALWAYS, "single"):
        game = cp.load(TURN)
        single = cp.respond(game, cp.opponent(game, path, 1), "br")
    assert packed.value_against_model == pytest.approx(single.value_against_model, abs=1e-4 * TURN.pot)
    with large_from(NEVER):
        game = cp.load(TURN)
        arrays = cp.evaluate(game, cp.opponent(game, path, 0), cp.opponent(game, path, 1))
    assert arrays.worst_case == pytest.approx(found.worst_case, abs=1e-4 * TURN.pot)


def test_solutions_with_other_ranges_are_compared(tmp_path: Path) -> None:
    """EV of each against each, in the ranges of both: the other solution is met on the own tree."""
    wider, found = replace(TURN_OF_20, ip=Range.parse("TT+,AQ,JTs", TURN_OF_20.deck)), []
    for name, spot in (("a", TURN_OF_20), ("b", wider)):
        solve_spot(spot, percent_of_pot=2.0).save(tmp_path / f"{name}.spot")
    for sequences in (NEVER, ALWAYS):
        with large_from(sequences):
            found.append(compare_solutions(*(load_spot(tmp_path / f"{name}.spot") for name in "ab")))
    arrays, stored = ([one.ev for one in found[k].measured] for k in (0, 1))
    np.testing.assert_allclose(stored, arrays, atol=1e-4 * TURN_OF_20.pot)


def test_what_takes_arrays_says_so_where_they_do_not_fit() -> None:
    with large_from(ALWAYS):
        game = cp.load(TURN)
        model = cp.opponent(game, "uniform")
        small = replace(game, memory=1e6)
        with pytest.raises(InputError, match="arrays of the whole tree, which do not fit"):
            assert small.in_arrays
        with pytest.raises(InputError, match="GiB is the limit"):
            cp.respond(replace(game, memory=1e5), model)
        with pytest.raises(InputError, match="too large for the linear program"):
            cp.respond(game, model, p=0.5, solver="lp")
        with pytest.raises(InputError, match="in turn and without predictions"):
            cp.respond(game, model, p=0.5, solver="pcfr+")
        with pytest.raises(InputError, match="not a strategy of"):
            cp.respond(cp.load(RIVER), model)


def test_random_models_are_drawn_in_the_store() -> None:
    """Decision by decision, whatever is drawn elsewhere: of two actions each has mean 1/2, variance 1/(4 (2 alpha + 1))."""
    with large_from(ALWAYS):
        game = replace(cp.load(TURN), memory=1e5)
        drawn: list[Any] = [cp.opponent(game, f"random:{seed},0.5", 1) for seed in (5, 5, 6)]
    plans = [one.plans for one in drawn]
    assert plans[0].digest() == plans[1].digest() != plans[2].digest()
    averages, found = plans[0].averages, list[Any]()
    for node, one in averages.layout.decisions.items():
        if one.player == 1 and one.actions == 2:
            held = averages.layout.own[1].layers[one.layer].kept.astype(np.int64)
            found.append(averages.played(1, averages.sides[1][0], node, held)[0])
    rows = np.concatenate(found)
    assert len(rows) > 4_000
    assert rows.mean() == pytest.approx(0.5, abs=0.02)
    assert rows.var() == pytest.approx(0.125, rel=0.05)


RESOLVED: list[dict[str, Any]] = [
    {"gadget": "path"}, {"gadget": "full"}, {"only": "x x 9c"},
    {"alpha": 0.5, "model": DRAWN, "values": "profile"},
]  # fmt: skip
MORE: list[dict[str, Any]] = [
    {}, {"prior": "blueprint"}, {"gadget": "max-margin"}, {"gadget": "reach-max-margin"}, {"gadget": "unsafe"},
]  # fmt: skip
"""What goes through the same code as one of those above."""


@pytest.mark.parametrize(
    "asked", [*RESOLVED, *(pytest.param(asked, marks=pytest.mark.slow) for asked in MORE)], ids=str
)
def test_blueprints_are_solved_again(asked: dict[str, Any]) -> None:
    """Board by board behind gadgets, and all boards at once: exploitability and gains before and after."""
    found = []
    for sequences in (NEVER, ALWAYS):
        with large_from(sequences, "double"):
            game = cp.load(TURN_OF_20)
            found.append(cp.resolve(game, "bias:fold=3:uniform", "round", seat=1, stop=Stop(iterations=6), **asked))
    arrays, stored = found
    for name in ("before", "after", "gain_before", "gain_after", "mixing"):
        assert getattr(stored, name) == pytest.approx(getattr(arrays, name), abs=1e-6 * TURN_OF_20.pot), name
    assert (stored.states, stored.skipped) == (arrays.states, arrays.skipped)
    assert isinstance(stored.strategy, StoredStrategy)


@pytest.mark.slow
def test_bounds_of_ses_are_those_of_arrays() -> None:
    """Up to the accuracy of the least exploitable strategy, which arrays find by linear program."""
    found = []
    for sequences in (NEVER, ALWAYS):
        with large_from(sequences, "double"):
            game = replace(cp.load(replace(TURN, oop="QQ,AKs", ip="JJ,AQs")), fine=5e-4 * TURN.pot)
            asked: dict[str, Any] = {
                "alpha": 0.5,
                "model": DRAWN,
                "bounds": True,
                "stop": Stop(iterations=40),
            }
            safety = cp.resolve(game, "bias:fold=3:uniform", "round", seat=1, gadget="max-margin", **asked).safety
            assert safety is not None
            found.append(safety)
    arrays, stored = found
    assert stored.epsilon == pytest.approx(arrays.epsilon, abs=1e-6)
    for name in ("delta", "eta", "measured"):
        assert getattr(stored, name) == pytest.approx(getattr(arrays, name), abs=0.02 * TURN.pot), name


def test_a_blueprint_of_one_player_has_no_range_of_the_other(tmp_path: Path) -> None:
    """And what is solved again is a strategy like any other; the record of the subgames continues."""
    record = tmp_path / "x.work"
    with large_from(ALWAYS):
        game = cp.load(TURN_OF_20)
        mine = cp.opponent(game, "bias:fold=3:uniform", 0)
        with pytest.raises(InputError, match="needs the opponent's part"):
            cp.resolve(game, mine, "round", gadget="unsafe")
        asked: dict[str, Any] = {"gadget": "max-margin", "stop": Stop(iterations=5), "record": record}
        first, again = (cp.resolve(game, mine, "round", **asked) for _ in range(2))
        assert first.after == again.after
        assert cp.evaluate(game, first.strategy).exploitability == pytest.approx(first.after, abs=1e-9)
        with pytest.raises(InputError, match="solved in this process"):
            cp.resolve(game, mine, "round", workers=2)
        with pytest.raises(InputError, match="too large for the interval"):
            cp.resolve(game, mine, "round", interval=True)


LOOKING: list[str] = ["ses:alpha=0.5", "resolve", "resolve:gadget=max-margin", "cdbr", "cdbr:leaf=equity"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            text, marks=[pytest.mark.slow] * (text in ("resolve", "resolve:gadget=max-margin", "cdbr", "cdrnr:p=0.5"))
        )
        for text in (*LOOKING, "cdrnr:p=0.5", "cdrnr:p=0.5,gadget=resolving")
    ],
)
def test_look_aheads_are_those_of_arrays(text: str) -> None:
    """Street by street, on all boards and board by board; with p the opponent is met in two copies, and the equilibria that
    both find may differ."""
    head, _, words = text.partition(":")
    method, found = f"{head}:depth=round,{words}".rstrip(","), []
    for sequences in (NEVER, ALWAYS):
        with large_from(sequences, "double"):
            game = cp.load(TURN_OF_20)
            model = cp.opponent(game, "bias:fold=3:uniform", 0)
            stop = Stop(iterations=6) if text in LOOKING else Stop(0.02, 5000)
            found.append(cp.respond(game, model, method, solver="dcfr", stop=stop))
    arrays, stored = found
    if text in LOOKING:
        assert stored.value_against_model == pytest.approx(arrays.value_against_model, abs=1e-6 * TURN_OF_20.pot)
        assert stored.exploitability == pytest.approx(arrays.exploitability, abs=1e-6 * TURN_OF_20.pot)
    else:
        ours, theirs = (one.gain - one.exploitability for one in found)
        assert ours == pytest.approx(theirs, abs=1.0)
        assert stored.gap <= 2.0 * 0.02


AGENTS = ["nash", "resolve:gadget=max-margin,gap=0.5", "cdrnr:p=0.5,gadget=resolving,gap=0.5,to=bias:fold=3:uniform",
          "ses:alpha=0.5,gap=0.5,to=bias:fold=3:uniform", "rnr:p=0.5,to=uniform"]  # fmt: skip


@pytest.mark.parametrize("text", AGENTS)
def test_agents_play_and_go_on_from_their_files(text: str, tmp_path: Path) -> None:
    """Their decisions are distributions at every node on the way; a saved agent continues with the same ones."""
    with large_from(ALWAYS):
        spot = cp.load(TURN)
        agent = cp.agent(spot, text, 0)
        seen = {path: agent.policy(path) for path in ("AcKc", "x x 8c | AcKc", "x x Ah | KhKs")}
        for row in seen.values():
            assert sum(row.values()) == pytest.approx(1.0, abs=1e-5)
        if isinstance(agent, ContinualAgent):
            assert agent.strategy.player == 0
            assert sum(agent.belief("x x 8c | AcKc").values()) == pytest.approx(1.0)
            agent.save(tmp_path / "x.cpa")
            again = cp.resume(tmp_path / "x.cpa")
            assert isinstance(again, SpotSearch)
            assert isinstance(agent, SpotSearch)
            assert again.done == agent.done
            for path, row in seen.items():
                assert again.policy(path) == pytest.approx(row, abs=1e-6)
        played = cp.match(
            spot, *(lambda seat, one=one: cp.agent(spot, one, seat) for one in (text, "uniform")), 2, seed=1
        )
        assert played.hands == 2


def test_an_agent_with_little_time_goes_on_at_its_next_visit() -> None:
    with large_from(ALWAYS):
        agent = cp.agent(cp.load(TURN_OF_20), "resolve:gadget=max-margin,iterations=2,gap=0.01", 0)
        assert isinstance(agent, ContinualAgent)
        assert isinstance(agent, SpotSearch)
        for _ in range(400):
            agent.policy("AcKc")
            agent.new_hand()
            if agent.done:
                break
        assert agent.final.gap <= 0.02
        assert agent.log[-1].startswith("solved from the root at visit")


@pytest.mark.parametrize(
    ("sequences", "precision"),
    [(ALWAYS, "half"), pytest.param(ALWAYS, "single", marks=pytest.mark.slow), (NEVER, "double")],
)
def test_an_equilibrium_is_solved_once(
    sequences: int, precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process finds it in the cache folder: number by number in a store, in float32 as arrays; a damaged file is
    solved anew, and one of another spot or of less accuracy is not taken."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    monkeypatch.setattr(spot_game, "KEPT", 0)
    monkeypatch.setattr(solving, "WORTH", 0.0)
    solves: list[int] = []
    for name in ("solve_run", "solve_cfr"):
        real = getattr(spot_game, name)
        monkeypatch.setattr(spot_game, name, lambda *args, real=real, **more: solves.append(1) or real(*args, **more))

    def won(spot: Spot) -> tuple[float, float]:
        with large_from(sequences, precision):
            answer = cp.respond(cp.load(spot), cp.opponent(cp.load(spot), "bias:fold=2:nash"), "br")
            return answer.value_against_model, answer.exploitability

    first, again = won(TURN), won(TURN)
    assert len(solves) == 1
    assert again == (first if sequences == ALWAYS else pytest.approx(first, abs=1e-5 * TURN.pot))
    (path,) = (tmp_path / "spots").iterdir()
    path.write_bytes(path.read_bytes()[:-500])
    won(TURN)
    assert len(solves) == 2
    won(replace(TURN, pot=201.0))
    assert len(solves) == 3
    with large_from(sequences, precision):
        finer = replace(cp.load(TURN), fine=0.1 * cp.load(TURN).fine)
        finer.equilibrium()
    assert len(solves) == 4
