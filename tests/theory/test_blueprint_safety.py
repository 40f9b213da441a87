"""Safe gadgets never raise a blueprint's exploitability, also at infosets that are impossible or hardly ever reached."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import LookAhead
from counterplay.blueprints.resolve import pieces_at
from counterplay.blueprints.resolved_blueprint import ResolveSettings, exploitability
from counterplay.games.examples import ChanceNode, DecisionNode, TreeGame
from counterplay.solvers.lp import solve_lp
from counterplay.subgames.cut import Cut, Place, subgames_at
from tests.support.blueprint_spots import (
    BLUEPRINTS,
    SPOTS,
    Spot,
    of,
    pieces_of,
    slack,
    spots,
    weighted_prior,
    weights_of,
)
from tests.support.covering import covering
from tests.support.gadget_games import (
    continuation_of,
    gadget_game_of,
    resolve_at,
)
from tests.support.random_games import (
    Knobs,
    NamedRandomGame,
)
from tests.support.seats import seats_in_turn
from tests.support.theorems import FEW, SAFE, GameOf


def ways(prior: dict[str, float], solver: str) -> list[ResolveSettings]:
    """Every safe gadget with every prior, normalised or not, and the full gadget."""
    stop = cp.Stop(iterations=300)
    priors = ("none", "uniform", "blueprint", prior)
    found = [
        ResolveSettings(LookAhead(gadget=g, prior=p, normalised=n), solver=solver, stop=stop)
        for g in SAFE
        for p in priors
        for n in (False, True)
    ]
    return [*found, ResolveSettings(LookAhead(gadget="full"), solver=solver, stop=stop)]


def risen(way: ResolveSettings, found: Any, pieces: list[Cut], mine: cp.Strategy) -> float:
    """How much an inexact solution may raise exploitability: a gap, or a tremble's share of what the prior gains, at each
    infoset of the opponent."""
    if way.solver == "lp":
        return 0.0
    size = sum(piece.size for piece in pieces)
    tremble = 0.0
    if way.look.prior != "none":
        tremble = 1.1e-3 * pieces[0].game.span * max(1.0, sum(float(weights_of(p, mine).sum()) for p in pieces))
    return size * (found.gap * (1.0 / (1.0 - 1e-3)) + tremble)


def check_safe(
    game: cp.GameTree, mine: cp.Strategy, theirs: cp.Strategy, place: Place, chosen: list[ResolveSettings]
) -> None:
    pieces = subgames_at(game, place, mine.player)
    before = exploitability(game, mine)
    least = exploitability(game, continuation_of(game, mine, pieces))
    assert -slack(game) <= least <= before + slack(game)
    if not any(weights_of(piece, mine).any() for piece in pieces):
        with pytest.raises(cp.InputError, match="never reaches"):
            resolve_at(pieces_at(game, [place], mine.player), mine, theirs, chosen[0])
        return
    for way in chosen:
        found = resolve_at(pieces_at(game, [place], mine.player), mine, theirs, way)
        after = exploitability(game, found.strategy)
        assert found.states + found.skipped == len(pieces)
        assert least - slack(game) <= after <= before + slack(game) + risen(way, found, pieces, mine), way
        if way.solver == "lp" and way.gadget == "full":
            assert found.gap <= slack(game)


@pytest.mark.parametrize(("spot", "seat", "solver"), covering(SPOTS, [0, 1], ["lp", "cfr+"]))
def test_a_safe_gadget_never_raises_exploitability(
    game_of: GameOf, spot: tuple[str, str, bool], seat: int, solver: str
) -> None:
    """Nor is it less exploitable than the optimal continuation."""
    spec, at, declared = spot
    game, place = game_of(spec), Place.of(at, declared)
    prior = weighted_prior(pieces_of(game, seat, at, declared))
    every = ways(prior, solver)
    for number, text in enumerate(BLUEPRINTS):
        mine, theirs = (cp.opponent(game, text, player) for player in (seat, 1 - seat))
        check_safe(game, mine, theirs, place, every[number + 4 * seat :: 8] + every[-1:])


@pytest.mark.parametrize(("number", "seat"), seats_in_turn([(0,), (1,)]))
def test_safety_in_leduc(game_of: GameOf, number: int, seat: int) -> None:
    leduc = game_of("leduc:merged=true")
    place = Place.of("round")
    mine, theirs = (cp.opponent(leduc, ("random:3", "cfr+:4")[number], player) for player in (seat, 1 - seat))
    prior = weighted_prior(pieces_of(leduc, seat, "round"))
    check_safe(leduc, mine, theirs, place, ways(prior, "lp")[1 + number :: 7])


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["lp", "cfr+"])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("text", BLUEPRINTS)
def test_every_way_is_safe_in_leduc(leduc: cp.GameTree, seat: int, text: str, solver: str) -> None:
    mine, theirs = (cp.opponent(leduc, text, player) for player in (seat, 1 - seat))
    prior = weighted_prior(pieces_of(leduc, seat, "round"))
    check_safe(leduc, mine, theirs, Place.of("round"), ways(prior, solver))


@FEW
@given(spots(), st.integers(0, 24), st.booleans())
def test_safety_in_random_games(spot: Spot, number: int, iterated: bool) -> None:
    """Blueprints with zeros among them, so that some subgames are never reached."""
    names = {name for piece in spot.pieces for name in piece.names()}
    every = ways({name: len(name) % 3 / 2 for name in names}, "cfr+" if iterated else "lp")
    check_safe(spot.game, spot.mine, spot.theirs, spot.place, [every[number], every[(number + 7) % len(every)]])


@FEW
@given(spots())
def test_a_subgame_holds_whole_infosets(spot: Spot) -> None:
    """A player who acts in a subgame knows that they are in it."""
    for piece, player in itertools.product(spot.pieces, (0, 1)):
        info = spot.game.histories.info[player]
        acting = spot.game.histories.player == player
        held = np.isin(info, info[acting & (piece.root >= 0)]) & acting
        assert (piece.root[held] >= 0).all()


def test_subgames_of_a_place_share_nothing() -> None:
    """Fifteen histories: in state 1 player 1 acts at history 2, chance at 8; states 2 and 3 follow and are taken too."""
    game = cp.load(NamedRandomGame(Knobs(depth=4, seed=1077, lonely=2, named=True, utilities="whole")))
    inside = np.sum([piece.root >= 0 for piece in pieces_of(game, 0, "moves:1")], axis=0)
    assert inside.max() <= 1


@pytest.mark.parametrize(
    ("gadget", "nested", "seat"),
    covering(
        ["resolving", "max-margin", "full"],
        [("kuhn", "moves:1", "moves:2", False), ("goofspiel:4", "moves:2", "moves:4", True),
         ("liars_dice:1,3", "moves:1", "moves:2", False)],
        [0, 1],
    ),
)  # fmt: skip
def test_nested_places_are_never_worse_than_the_first_alone(
    game_of: GameOf, gadget: str, nested: tuple[str, str, str, bool], seat: int
) -> None:
    spec, first, second, declared = nested
    game = game_of(spec)
    for text in ("random:3", "cfr+:4"):
        mine, theirs = (cp.opponent(game, text, player) for player in (seat, 1 - seat))
        for prior in ("none", "uniform") if gadget != "full" else ("none",):
            way = ResolveSettings(LookAhead(gadget=gadget, prior=prior), solver="lp")
            places = [Place.of(first, declared), Place.of(second, declared)]
            alone = resolve_at(pieces_at(game, places[:1], mine.player), mine, theirs, way)
            both = resolve_at(pieces_at(game, places, mine.player), mine, theirs, way)
            assert exploitability(game, both.strategy) <= exploitability(game, alone.strategy) + slack(game)
            assert both.states + both.skipped == sum(len(subgames_at(game, place, 0)) for place in places)
            assert both.states >= alone.states


@pytest.mark.parametrize(("spot", "seat"), covering([*SPOTS[:4], ("leduc", "round", False)], [0, 1]))
def test_only_changes_nothing_else(game_of: GameOf, spot: tuple[str, str, bool], seat: int) -> None:
    """One subgame by `only` is that subgame of the whole run; everything outside is the blueprint, to the last bit."""
    spec, at, declared = spot
    game = game_of(spec)
    both = tuple(cp.opponent(game, "random:3", player) for player in (0, 1))
    words: dict[str, Any] = {"seat": seat, "solver": "lp", "prior": "uniform", "declared": declared}
    whole = cp.resolve(game, both, at, **words).strategy.table()
    pieces, labels = pieces_of(game, seat, at, declared), game.trees[seat].labels
    blueprint, changed = both[seat].table(), 0
    for piece in pieces[:: max(1, len(pieces) // 2)]:
        inside = [
            text
            for text, first in zip(labels.infosets, game.first[seat].tolist(), strict=True)
            if piece.root[first] >= 0
        ]
        if not inside:
            continue
        found = cp.resolve(game, both, at, only=inside[0], **words)
        table = found.strategy.table()
        assert found.states == 1
        assert all(table[text] == blueprint[text] for text in table if text not in set(inside))
        assert all(table[text] == whole[text] for text in inside)
        changed += any(table[text] != blueprint[text] for text in inside)
    assert changed


def test_unreachable_subgames_are_skipped(kuhn: cp.GameTree) -> None:
    """Player 0 never bets at first: the subgame after a bet is unchanged, and cannot be selected."""
    table = cp.opponent(kuhn, "uniform", 0).table()
    for text in ("0", "1", "2"):
        table[text] = {name: float(name == "Pass") for name in table[text]}
    mine = of(kuhn, table)
    found = cp.resolve(kuhn, mine, "moves:1", solver="lp")
    assert (found.states, found.skipped) == (1, 1)
    # From the other seat: the opponent never bets. Unsafe needs a range; safe gadgets do not.
    both = (mine, cp.opponent(kuhn, "uniform", 1))
    for gadget, counts in (("unsafe", (1, 1)), ("resolving", (2, 0)), ("full", (2, 0))):
        found = cp.resolve(kuhn, both, "moves:1", seat=1, gadget=gadget, solver="lp")
        assert (found.states, found.skipped) == counts
    with pytest.raises(cp.InputError, match="never reaches"):
        cp.resolve(kuhn, both, "moves:1", seat=1, gadget="unsafe", only="0b", solver="lp")


def cards(deals: tuple[str, ...]) -> TreeGame:
    """Each deal is a number for P1 and a letter for P2. P1 may quit; inside P1 wins 3 by H from card a, 4 by T from card b,
    and loses 1 by F. Where P1 quits with 1, nobody inside holds c."""

    def dealt(number: str, letter: str) -> DecisionNode:
        pays = {"H": 3.0 * (letter == "a"), "T": 4.0 * (letter == "b"), "F": -1.0}
        inside = DecisionNode(0, f"guess {number}", pays, other=f"{letter}, in")
        return DecisionNode(0, f"enter {number}", {"in": inside, "out": 0.0}, other=letter)

    return TreeGame("cards", ChanceNode({deal: (1.0 / len(deals), dealt(*deal)) for deal in deals}))


def quitting(game: cp.GameTree) -> cp.Strategy:
    rows = {f"guess {n}": {"H": 0.0, "T": 0.0, "F": 1.0} for n in "01"}
    return of(game, {**rows, "enter 0": {"in": 1.0, "out": 0.0}, "enter 1": {"in": 0.0, "out": 1.0}})


@pytest.mark.parametrize(
    "deals",
    [
        ("0a", "1c", "0b", "1a"),
        ("0b", "1c", "0a", "1b"),
    ],
)
def test_an_estimate_of_an_impossible_infoset_is_left_out(deals: tuple[str, ...]) -> None:
    """By the estimate, a and b are alike: T wins 4 from b, H 3 from a, in whatever order chance lists the deals."""
    game = cp.load(cards(deals))
    found = cp.resolve(game, quitting(game), "moves:1", alpha=1.0, model="uniform", normalised=True, solver="lp")
    assert found.strategy.probabilities("guess 0")["T"] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    "normalised",
    [True, False],
)
def test_an_impossible_infoset_is_no_choice(normalised: bool) -> None:
    """Forfeiting is the worst at every infoset that can be, so that every margin can be raised."""
    game = cp.load(cards(("0a", "1c", "0b", "1a")))
    (piece,) = pieces_of(game, 0, "moves:1")
    problem = gadget_game_of(
        piece, ResolveSettings(LookAhead(gadget="max-margin", normalised=normalised)), quitting(game)
    )
    assert solve_lp(problem.subgame, 0).value > 0.1


@pytest.mark.parametrize(
    "solver",
    [
        "cfr+",
        "lp",
    ],
)
@pytest.mark.parametrize("normalised", [False, True])
def test_a_subgame_that_is_hardly_ever_reached(kuhn: cp.GameTree, solver: str, normalised: bool) -> None:
    """With the king one calls, with the jack one folds, however seldom one passed first."""
    table = cp.opponent(kuhn, "random:3", 0).table()
    for card in "012":
        table[card] = {"Pass": 1e-9, "Bet": 1.0}
    mine = of(kuhn, table)
    words: dict[str, Any] = {"gadget": "max-margin", "prior": "uniform", "normalised": normalised}
    strategy = cp.resolve(kuhn, mine, "moves:1", solver=solver, **words).strategy
    assert strategy.probabilities("0pb")["Bet"] == pytest.approx(0.0, abs=1e-2)
    assert strategy.probabilities("2pb")["Bet"] == pytest.approx(1.0, abs=1e-2)
