"""Conformance suites: what every entry of a registry promises. `contracts/test_suites.py` runs them over all entries.

A suite takes the thing itself, so that a new entry, or one of the walk-throughs in `docs/extend.md`, is tested for free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np
import pytest

import counterplay as cp
from counterplay import CHANCE, TERMINAL, Game, Minimiser
from counterplay.agents.worlds.histories import ListedAgent
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.games.game import action_name
from counterplay.gametree.compile.levels import Depth
from counterplay.opponents.histories.hand_record import REASONS, GameHand, HandHistory, HoldemHand, LeftOut
from counterplay.opponents.model import MODELS
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.betting.rules import flop_holdem, holdem
from counterplay.poker.betting.state import Kind, act, start
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints import blueprint as usual_blueprint
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.boards import GameBoards
from counterplay.poker.whole_game.holdem import holdem_game
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import probabilities
from counterplay.poker.whole_game.values.measure import measure
from counterplay.responses.method import Method
from counterplay.solvers.minimiser import DCFR
from counterplay.subgames.cut import cut
from counterplay.subgames.cut_game import Border
from counterplay.value_functions.leaf_value import EstimatedValue, LeafValue, linear, value_function
from tests.support import gadget_suite, witness

_MOST = 20_000
"""Histories of a game that are looked at; a game that has more is not solved."""
NINE = Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3)))
_CLOSE = 2e-3
"""Exploitability to which a regret minimiser comes here, as a share of the span of payoffs."""


class Node(NamedTuple):
    """A history of the plain walk."""

    state: Any
    parent: int
    action: int
    player: int
    reach: float


def walk(game: Game) -> Iterator[Node]:
    """All histories in preorder."""
    stack = [Node(game.root(), -1, 0, game.player(game.root()), 1.0)]
    count = 0
    while stack:
        node = stack.pop()
        yield node
        below = []
        if node.player != TERMINAL:
            odds = game.chance(node.state) if node.player == CHANCE else None
            for k, action in enumerate(game.actions(node.state)):
                child = game.child(node.state, action)
                reach = node.reach if odds is None else node.reach * odds[k]
                below.append(Node(child, count, k, game.player(child), reach))
        stack += reversed(below)
        count += 1


class _Passed(NamedTuple):
    """Of a history the player; and of both, their last choice (infoset and number of the action) and what they know."""

    player: int
    past: list[Any]
    labels: list[str]


def check_game(rules: Game) -> None:
    """Chance sums to 1, the same actions wherever a player knows the same, perfect recall, finite payoffs, and one value.

    The linear program's value lies within NashConv of a regret minimiser's: what one player is sure of the other pays.
    """
    menus: dict[tuple[int, str], list[str]] = {}
    moved: dict[tuple[int, str], Any] = {}
    passed: list[_Passed] = []
    both = getattr(rules, "augmented", False)
    for node in islice(walk(rules), _MOST):
        here = _Passed(node.player, [None, None], ["", ""])
        if node.parent >= 0:
            before = passed[node.parent]
            here.past[:] = before.past
            if before.player in (0, 1):
                here.past[before.player] = (before.labels[before.player], node.action)
        passed.append(here)
        if node.player == TERMINAL:
            assert np.isfinite(rules.utility(node.state))
            continue
        words = [action_name(rules, node.state, action) for action in rules.actions(node.state)]
        assert len(set(words)) == len(words) > 0
        if node.player == CHANCE:
            odds = list(rules.chance(node.state))
            assert len(odds) == len(words)
            assert abs(sum(odds) - 1.0) <= 1e-12
        for i in (0, 1) if both else {node.player} & {0, 1}:
            label = here.labels[i] = rules.infoset(node.state, i)
            assert moved.setdefault((i, label), here.past[i]) == here.past[i], label
        if node.player != CHANCE:
            assert menus.setdefault((node.player, here.labels[node.player]), words) == words
    if len(passed) < _MOST:
        compiled = cp.load(rules)
        exact = cp.solve(compiled, solver="lp")
        close = cp.solve(compiled, solver="cfr+", stop=_stop(compiled))
        assert abs(exact.value - close.value) <= close.nash_conv + 1e-9


def check_minimiser(minimiser: Minimiser) -> None:
    """It converges to the linear program's value, to a small exploitability, with and without chance and hidden moves."""
    for spec in ("matching_pennies:2,1,0", "kuhn", "liars_dice:1,3"):
        compiled = _loaded(spec)
        found = cp.solve(compiled, solver=minimiser, stop=_stop(compiled))
        assert found.exploitability <= _CLOSE * compiled.span, spec
        assert abs(found.value - cp.solve(compiled, solver="lp").value) <= found.nash_conv + 1e-9, spec


def _stop(compiled: cp.GameTree) -> cp.Stop:
    return cp.Stop(exploitability=_CLOSE * compiled.span, iterations=30_000)


@cache
def _loaded(spec: str) -> cp.GameTree:
    """A game that all records of a kind meet."""
    return cp.load(spec)


@cache
def _infosets(spec: str, player: int) -> dict[str, list[str]]:
    return witness.infosets(_loaded(spec).rules, player)


def check_opponent(source: Any) -> None:
    """Its text reads back, it gives probabilities at every infoset of games that it fits, and plays what is measured.

    Args:
        source: a record or its text, with seeds.
    """
    model = MODELS.record(source)
    assert type(model).from_text(str(model)) == model
    fits = 0
    for spec, player in product(("kuhn", "leduc:merged=true", "battleships:2,2,1x1"), (0, 1)):
        compiled = _loaded(spec)
        try:
            strategy = cp.opponent(compiled, model, player=player)
        except cp.InputError:  # of another game
            continue
        fits += 1
        if fits > 4:  # a model of any game has shown itself in two
            break
        played, table = ListedAgent(strategy), strategy.table()
        infosets = _infosets(spec, player)
        assert strategy.player == player
        assert table.keys() == infosets.keys()
        for infoset, actions in infosets.items():
            odds = table[infoset]
            assert list(odds) == actions
            assert min(odds.values()) >= 0.0
            assert sum(odds.values()) == pytest.approx(1.0, abs=1e-12)
            assert played.policy(infoset) == pytest.approx(odds, abs=1e-12)
            assert odds[played.act(infoset)] > 0.0
        if spec == "kuhn":
            other = cp.Strategy.uniform(compiled.trees[1 - player])
            both = [strategy.table(), other.table()][:: 1 - 2 * player]
            measured = cp.evaluate(compiled, other, against=strategy).value_against_model
            assert measured == pytest.approx((2 * player - 1) * witness.expected(compiled.rules, *both), abs=1e-9)
    if not fits:
        (_check_in_spot if isinstance(model, cp.Locked) else _check_in_whole_game)(model)


def _check_in_spot(model: cp.OpponentModel) -> None:
    """Probabilities of every hand at every decision of the player with the leaks."""
    table = cp.opponent(cp.load("examples/bluffcatcher.toml"), model, player=1).table()
    assert table
    assert all(sum(row.values()) == pytest.approx(1.0, abs=1e-12) for row in table.values())


def _check_in_whole_game(model: cp.OpponentModel) -> None:
    """Probabilities of every hand that can be held, at every decision before the flop and on one flop."""
    toy = Holdem(flop_holdem(1), deck=NINE).game
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(usual_blueprint, "ITERATIONS", 100)  # of an equilibrium only this is asked
        play, betting = strategy_of(toy, model, seed=3), toy.betting
    for node in np.flatnonzero(betting.kind < Kind.DEAL).tolist():
        board = "Jc Qd Kh" if betting.street[node] else ""
        free = [not set(hand) & set(toy.deck.held(board)) for hand in toy.deck.hands.tolist()]
        odds = probabilities(toy, play, node, board)
        assert odds.shape == (len(betting.children(node)), len(toy.deck.hands))
        assert odds.min() >= 0.0
        np.testing.assert_allclose(odds.sum(axis=0), np.array(free, float), atol=1e-6)


def check_method(method: Method) -> None:
    """Its text reads back; it wins no more than the best response, and no more than is possible at its exploitability; what
    it says of its strategy is what is measured."""
    assert str(type(method).from_text(str(method))) == str(method)
    fits = 0
    for spec, text, seat in (
        ("kuhn", "random:3", 0),
        ("leduc:merged=true", "cfr:5", 0),
        ("leduc:merged=true", "s1", 1),
    ):
        compiled = _loaded(spec)
        model, slack = cp.opponent(compiled, text, player=1 - seat), 1e-6 * compiled.span
        try:
            answer = cp.respond(compiled, model, method)
        except cp.InputError:  # of poker alone
            continue
        fits += 1
        measured = cp.evaluate(compiled, answer.strategy, against=model)
        assert answer.gain == pytest.approx(measured.gain, abs=1e-9)
        assert answer.exploitability == pytest.approx(measured.exploitability, abs=1e-9)
        best = cp.respond(compiled, model, cp.BR())
        safe = cp.respond(compiled, model, cp.Safe(max_exploitability=answer.exploitability + slack))
        assert -slack <= answer.exploitability
        assert answer.gain <= best.gain + slack
        assert answer.gain <= safe.gain + slack
    assert fits


def check_gadget(gadget: cp.Gadget) -> None:
    """What `gadget_suite` says, in enumerated games, spots and whole games of hold'em."""
    for world in gadget_suite.WORLDS:
        gadget_suite.check_gadget(gadget, world, 0)


def check_leaf_value(value: Any, within: float) -> None:
    """Its text, if it has one, reads back; and up to `within` chips it is what it says.

    A value: CFVs have the shapes of the border, what one player is given the other pays, and it is the exact value in Kuhn
    poker. A portfolio: what each pair of strategies earns from each history on. The exact one: look-aheads are as good as
    those that see the whole game. One of spots alone: exact where nobody may bet below the limit.
    """
    compiled = cp.load("kuhn")
    function, far = value_function(value), Depth.of(1)
    assert not isinstance(function, LeafValue) or type(function).from_text(str(function)) == function
    start = int(compiled.public[0][compiled.histories.info[0][0]])
    border = cut(compiled, [start], 0, far.whole_clock(compiled) <= far.span).limit
    if isinstance(function, cp.ExactLeaf):
        _check_exact(compiled, function, within)
    elif isinstance(function, cp.Portfolio):
        _check_pairs(function, border, within)
    elif isinstance(function, cp.Equity):
        with pytest.raises(cp.InputError, match="spots of hold'em"):
            function.chips(border)
        _check_without_bets(function, within)
    else:
        _check_value(function, border, within)


def _check_value(function: Any, border: Border, within: float) -> None:
    ranges = [np.random.default_rng(seed).random(size) for seed, size in enumerate(border.sizes)]
    evaluate = linear(border, function.chips(border)) if isinstance(function, EstimatedValue) else function.at(border)
    assert [cfv.shape for cfv in evaluate(*ranges)] == [(size,) for size in border.sizes]
    errors = cp.value_error(border.game, function, depth=1, samples=3)
    assert errors.worst <= within
    assert -1e-9 <= errors.gap <= within


def _check_exact(game: cp.GameTree, leaf: cp.ExactLeaf, within: float) -> None:
    model, look = cp.opponent(game, "random:3", player=1), cp.LookAhead(1, leaf)
    best, found = (cp.respond(game, model, method) for method in (cp.BR(), cp.CDBR(look)))
    assert found.gain == pytest.approx(best.gain, abs=within)
    assert cp.respond(game, model, cp.Resolve(look)).exploitability <= within


def _check_pairs(portfolio: cp.Portfolio, border: Border, within: float) -> None:
    """Up to five standard errors, where it samples."""
    game, model = border.game, cp.opponent(border.game, "random:3", player=1)
    worth, sides = portfolio.states(border, 0, model), [portfolio.strategies(border.game, i) for i in (0, 1)]
    assert worth.chips.shape == (len(border.histories), len(sides[0]), len(sides[1]))
    assert worth.model is not None
    found = np.concatenate([worth.chips, worth.model[..., None]], axis=-1)
    errors = np.zeros_like(found)
    if worth.error is not None:
        assert worth.model_error is not None
        errors = np.concatenate([worth.error, worth.model_error[..., None]], axis=-1)
    tables = [[one.table() for one in side] for side in (sides[0], [*sides[1], model])]
    for at, history in enumerate(border.histories.tolist()):
        state = game.state(history)
        plain = [[witness.expected(game.rules, one, other, state) for other in tables[1]] for one in tables[0]]
        assert (np.abs(found[at] - plain) <= within + 5.0 * errors[at]).all()


def _check_without_bets(leaf: cp.Equity, within: float) -> None:
    spot = cp.Spot("Ks 8h 8d 4c", "AKs,QJs", "QQ,JTs", 10, 30, "turn: 50%, a; river: none", raises=1)
    model = cp.opponent(spot, "random:1", player=1)
    for method in (cp.CDBR, partial(cp.CDRNR, 0.5)):
        equal, exact = (cp.respond(spot, model, method(look=cp.LookAhead("round", one))) for one in (leaf, None))
        assert equal.gain == pytest.approx(exact.gain, abs=within)
        assert equal.exploitability == pytest.approx(exact.exploitability, abs=within)


def check_card_abstraction(make: Callable[[GameBoards], CardAbstraction], boards: GameBoards | None = None) -> None:
    """Lanes cover the hands of every board, what renaming suits makes equal shares lanes, and a solver takes them.

    Args:
        make: the abstraction for some boards.
        boards: by default flops and turns of a deck of three ranks in three suits.
    """
    boards = GameBoards(NINE, 2) if boards is None else boards
    last = getattr(boards, "last", 1)
    lanes, listed = make(boards), [boards.root]
    assert lanes.name
    assert lanes.preflop.shape == boards.root.lane.shape
    assert lanes.preflop.max() < lanes.sizes_on(0)[0]
    for street in range(1, last + 1):
        listed = [child for board in listed for child in boards.after(board)]
        for board in listed:
            block, lane = lanes.lanes_on(board)
            assert lane.shape == board.hand.shape
            assert lane.max() < lanes.sizes_on(street)[block]
            first = np.unique(board.lane, return_index=True)[1]  # of the hands that suits alone tell apart
            np.testing.assert_array_equal(lane[first][board.lane], lane)
            for turn in boards.turns:
                flop, later = turn[list(board.cards[:3])], turn[list(board.cards[3:])]
                again = lanes.lanes_on(boards.find_board([*sorted(flop.tolist()), *later.tolist()])[0])
                assert again[0] == block
                np.testing.assert_array_equal(again[1], lane)
    rules = holdem(4, blinds=(1, 2), last=("flop", "turn", "river")[last - 1])
    here = holdem_game(rules, "a", deck=NINE, dtype=np.float64)
    solver = VectorCFR(here, make(here.boards), DCFR)
    solver.sweep(3)
    assert 0.0 <= measure(here, solver.average()).nash_conv < np.inf


def check_hand_history(form: HandHistory, sample: str) -> None:
    """Every hand of a sample is read and its chips add up; written, it comes back; no damage makes another hand or an error.

    sample: the text of a file with some hands, none of which is left out.
    """
    hands = _hands_of(form, sample)
    assert hands
    assert form.recognises(sample[:4096])
    assert all(end.startswith(".") for end in form.endings)
    assert form.about
    for hand in hands:
        _check_hand(hand)
    holdem = [hand for hand in hands if isinstance(hand, HoldemHand)]
    if hasattr(form, "write") and holdem:
        assert _hands_of(form, form.write(holdem)) == holdem
    told = [_what_happened(hand) for hand in hands]
    for k in range(1, 24):  # cut short
        kept = [one for one in form.read(sample[: len(sample) * k // 24], "cut", None) if not isinstance(one, LeftOut)]
        assert [_what_happened(hand) for hand in kept] == told[: len(kept)]
    rng = np.random.default_rng(len(sample))
    for at in rng.integers(len(sample), size=40).tolist():  # damaged
        changed = sample[:at] + "9xK\n{'["[int(rng.integers(7))] + sample[at + 1 :]
        for one in form.read(changed, "damaged", None):
            if isinstance(one, LeftOut):
                assert one.reason in REASONS
                assert str(one).startswith("damaged:")
            else:
                _check_hand(one)


def _hands_of(form: HandHistory, text: str) -> list[HoldemHand | GameHand]:
    found = list(form.read(text, "sample", None))
    kept = [one for one in found if not isinstance(one, LeftOut)]
    assert kept == found
    return kept


def _what_happened(hand: HoldemHand | GameHand) -> Any:
    return (hand.line, hand.holes, hand.board, hand.won) if isinstance(hand, HoldemHand) else (hand.moves, hand.won)


def _check_hand(hand: HoldemHand | GameHand) -> None:
    """The rules of betting give the same end once more, both players have put in as much, and no card is there twice."""
    assert len(set(hand.players)) == 2
    if isinstance(hand, GameHand):
        assert hand.moves
        return
    state = start(hand.rules)
    for before, action in hand.line.steps:
        assert state == before
        state = act(hand.rules, state, action)
    assert state._replace(street=hand.line.end.street) == hand.line.end
    assert state.put[0] == state.put[1]
    assert hand.won is None or abs(hand.won) in (0.0, hand.rules.chips(state.put[0]))
    cards = [*hand.holes[0], *hand.holes[1], *hand.board]
    assert len(cards) == len(set(cards))
