"""Numbers that were published, or that independent programs agree on; the tables are those of the papers."""

from __future__ import annotations

import pytest

import counterplay as cp
from tests.support.theorems import GameOf

VALUES = {
    "kuhn": -1 / 18,
    "leduc": -0.0856064241,
    "leduc:merged=true": -0.0856064241,
    "leduc:bets=1/2": -0.0524557485,
    "goofspiel:4": 0.0,
    "goofspiel:5": 0.0,
    "goofspiel:5,utility=win": 0.0,
    "liars_dice:1,4": 0.0625,
    "liars_dice:1,4,top=end": 0.0625,
    "liars_dice:1,4,wild=false": -0.125,
    "liars_dice:1,6": -0.0271317829457,
    "battleships:2,2,1x1": 0.25,
    "rps:2": 0.0,
    "cdrnr_fig2": -4 / 3,
    "cdrnr_fig3": 0.0,
    "cdrnr_fig10": 1 / 2,
    "ggse_fig1": 1 / 2,
    "ggse_fig5": 7 / 9,
    "ggse_fig8": 0.0,
    "ggse_fig11": 5 / 6,
}


@pytest.mark.parametrize(
    ("spec", "value"),
    [pytest.param(*known, marks=[pytest.mark.slow] * (known[0] == "liars_dice:1,6")) for known in VALUES.items()],
)
def test_value_of_the_game(game_of: GameOf, spec: str, value: float) -> None:
    solution = cp.solve(game_of(spec), solver="lp")
    assert solution.value == pytest.approx(value, abs=6e-11)
    assert solution.nash_conv <= 1e-9


def test_leduc_in_seat_0_against_a_uniform_player(leduc: cp.GameTree) -> None:
    model = cp.opponent(leduc, "uniform")
    assert cp.respond(leduc, model).value_against_model == pytest.approx(2.0875, abs=1e-9)
    best = cp.respond(leduc, model, method="bne")
    assert best.value_against_model == pytest.approx(0.6221, abs=5e-5)
    assert best.exploitability <= 1e-8
    for epsilon, value in {0.05: 0.9319, 0.2: 1.2314, 1.0: 1.8472}.items():
        answer = cp.respond(leduc, model, max_exploitability=epsilon)
        assert answer.value_against_model == pytest.approx(value, abs=5e-5)
        assert answer.exploitability == pytest.approx(epsilon, abs=1e-7)


@pytest.mark.parametrize(
    ("spec", "gain", "percent"),
    [("leduc", 2.173106, 32.6), ("goofspiel:4", 2.5, 77.1), ("goofspiel:5", 4.0, 50.4)],
)
def test_paper_000_table_1(game_of: GameOf, spec: str, gain: float, percent: float) -> None:
    """Gain of the best response against uniform, and the best equilibrium's share of it."""
    game = game_of(spec)
    model = cp.opponent(game, "uniform")
    best = cp.respond(game, model)
    assert best.gain == pytest.approx(gain, abs=6e-7)
    assert 100.0 * cp.respond(game, model, method="bne").gain / best.gain == pytest.approx(percent, abs=0.06)


@pytest.mark.parametrize(
    ("spec", "percent"),
    [
        ("leduc:merged=true", (74.4, 96.0, 97.1)),
        ("goofspiel:4", (98.5, 100.0, 100.0)),
        ("goofspiel:5", (93.5, 100.0, 100.0)),
    ],
)
def test_paper_000_table_1_with_look_ahead(game_of: GameOf, spec: str, percent: tuple[float, ...]) -> None:
    """CDBR with 1, 3 and 5 levels against uniform, as a share of the best response's gain."""
    game = game_of(spec)
    model = cp.opponent(game, "uniform")
    best = cp.respond(game, model).gain
    for depth, expected in zip((1, 3, 5), percent, strict=True):
        gain = cp.respond(game, model, method="cdbr", depth=depth).gain
        assert 100.0 * gain / best == pytest.approx(expected, abs=0.06), depth


def test_paper_000_figure_2(game_of: GameOf) -> None:
    """Heads with 2/3; the opponent takes its own version q with 2/3, and h there."""
    game = game_of("cdrnr_fig2")
    first, second = cp.solve(game).strategies
    assert first.probabilities("pick a side")["H"] == pytest.approx(2 / 3)
    assert second.probabilities("pick a game")["q"] == pytest.approx(2 / 3)
    assert second.probabilities("guess in q")["h"] == pytest.approx(1.0)


@pytest.mark.parametrize(("heads", "worst"), [(1.0, -2.0), (0.75, -1.5), (1 / 3, -5 / 3), (0.0, -2.0)])
def test_paper_000_figure_2_other_mixtures_are_exploitable(game_of: GameOf, heads: float, worst: float) -> None:
    """By hand: heads with h costs us max(2h, 1-h) in the standard version and max(h + 2(1-h), 2h - (1-h)) in q."""
    game = game_of("cdrnr_fig2")
    strategy = cp.opponent(game, lambda _: {"H": heads, "T": 1.0 - heads}, player=0)
    by_hand = -max(2.0 * heads, 1.0 - heads, heads + 2.0 * (1.0 - heads), 2.0 * heads - (1.0 - heads))
    assert by_hand == pytest.approx(worst)
    assert cp.evaluate(game, strategy).worst_case == pytest.approx(worst)


def test_paper_000_figure_10(game_of: GameOf) -> None:
    """Against h with 2/3 and always x the equilibrium earns 2, the best response 10/3, always heads 2/3."""
    game = game_of("cdrnr_fig10")
    rows = {"guess": {"h": 2 / 3, "t": 1 / 3}, "after tails": {"x": 1.0, "y": 0.0}}
    model = cp.opponent(game, rows.__getitem__, player=1)
    assert cp.respond(game, model).value_against_model == pytest.approx(10 / 3)
    assert cp.respond(game, model, method="bne").value_against_model == pytest.approx(2.0, abs=1e-7)
    heads = cp.opponent(game, lambda _: {"H": 1.0, "T": 0.0}, player=0)
    assert cp.evaluate(game, heads, model).value_against_model == pytest.approx(2 / 3)


def test_paper_000_figure_10_look_ahead(game_of: GameOf) -> None:
    """A look-ahead that does not see the model give away x plays heads: 2/3, below the equilibrium's 2."""
    game = game_of("cdrnr_fig10")
    rows = {"guess": {"h": 2 / 3, "t": 1 / 3}, "after tails": {"x": 1.0, "y": 0.0}}
    model = cp.opponent(game, rows.__getitem__, player=1)
    worth = [cp.respond(game, model, method="cdbr", depth=depth).value_against_model for depth in (1, 2)]
    assert worth == pytest.approx([2 / 3, 10 / 3])


@pytest.mark.parametrize(("depth", "utility"), [(1, 0.25), (3, 0.25), (5, 1.0), (7, 1.0)])
def test_paper_001_table_1(game_of: GameOf, depth: int, utility: float) -> None:
    """CDBR in 2x2 Battleships by how many future opponent moves are fixed to the model, the placement being the first;
    a level is a move of either player. The model hides anywhere and shoots at one cell last."""
    game = game_of("battleships:2,2,1x1")
    placing = game.trees[1].labels.infosets[0]

    def avoids_a1(infoset: str, actions: tuple[str, ...]) -> dict[str, float]:
        others = [action for action in actions if action != "A1"]
        chosen = actions if infoset == placing or not others else others
        return {action: (action in chosen) / len(chosen) for action in actions}

    answer = cp.respond(game, cp.opponent(game, avoids_a1), method="cdbr", depth=depth)
    assert answer.value_against_model == pytest.approx(utility)


@pytest.mark.parametrize(("name", "worth"), [("s1", 2.3), ("s2", 5.0), ("s3", 5.8), ("s4", 5.0)])
def test_paper_001_table_2(leduc: cp.GameTree, name: str, worth: float) -> None:
    """The best responses to the four Leduc players in P1's seat. ABD prints 4.2 for S3, which rests on a tie in its
    first solve; 5.8 is the best response's."""
    model = cp.opponent(leduc, name, player=1)
    assert cp.respond(leduc, model).value_against_model == pytest.approx(worth, abs=1e-9)


def test_paper_001_table_2_random_opponents(leduc: cp.GameTree) -> None:
    """A thousand random opponents gave 2.536 ± 0.015 for ABD, which is below the best response's mean."""
    worth = [cp.respond(leduc, cp.opponent(leduc, f"random:{i}")).value_against_model for i in range(60)]
    mean = sum(worth) / len(worth)
    assert 2.45 <= mean <= 2.75
    assert min(worth) < mean < max(worth)


@pytest.mark.parametrize("p", [0.1, 0.4, 0.49, 0.51, 0.6, 0.9])
def test_paper_001_figure_5(game_of: GameOf, p: float) -> None:
    """2x2 Battleships against an opponent who shoots at one cell last and is else uniform: RNR gains and risks nothing
    for p < 1/2, and gains 0.75 at a risk of 0.75 from there on."""
    game = game_of("battleships:2,2,1x1")

    def avoids_a1(infoset: str, actions: tuple[str, ...]) -> dict[str, float]:
        others = [action for action in actions if action != "A1"]
        chosen = actions if infoset == placing or not others else others
        return {action: (action in chosen) / len(chosen) for action in actions}

    placing = game.trees[1].labels.infosets[0]
    answer = cp.respond(game, cp.opponent(game, avoids_a1, player=1), p=p)
    expected = 0.75 if p > 0.5 else 0.0
    assert answer.gain == pytest.approx(expected, abs=1e-8)
    assert answer.exploitability == pytest.approx(expected, abs=1e-8)


def test_paper_002_matrix_game(game_of: GameOf) -> None:
    """The columns respond to a player who always plays R: O and D at 1/2 are the best equilibrium, F wins 10 but can
    lose 100."""
    game = game_of("ses_matrix")
    model = cp.opponent(game, lambda _: {"L": 0.0, "M": 0.0, "R": 1.0}, player=0)
    best = cp.respond(game, model, method="bne")
    assert best.strategy.probabilities("columns") == pytest.approx({"U": 0.0, "O": 0.5, "D": 0.5, "F": 0.0}, abs=1e-7)
    assert best.exploitability == pytest.approx(0.0, abs=1e-7)
    greedy = cp.respond(game, model)
    assert greedy.strategy.probabilities("columns")["F"] == 1.0
    assert greedy.exploitability == pytest.approx(100.5)
    for alpha in (0.1, 0.4, 0.9):
        assert cp.respond(game, model, method="mix", p=alpha).exploitability == pytest.approx(100.5 * alpha)


@pytest.mark.parametrize("p", [0.5, 0.9, 0.985, 0.991, 0.999])
def test_paper_002_restricted_nash_turns_at_the_same_ratio_as_the_paper_s_bound(game_of: GameOf, p: float) -> None:
    """F costs 100.5 of safety and wins f - d = 1 more: it pays from p = 100.5/101.5 on."""
    game = game_of("ses_matrix")
    model = cp.opponent(game, lambda _: {"L": 0.0, "M": 0.0, "R": 1.0}, player=0)
    answer = cp.respond(game, model, p=p)
    assert answer.strategy.probabilities("columns")["F"] == pytest.approx(float(p > 100.5 / 101.5), abs=1e-7)


def test_paper_004_figure_1(game_of: GameOf) -> None:
    game = game_of("ggse_fig1")
    rows = {"F": 0.5, "H": 0.5, "T": 0.0}
    blueprint = cp.opponent(game, lambda _: rows, player=0)
    assert cp.evaluate(game, blueprint).exploitability == pytest.approx(1.0)


@pytest.mark.parametrize(("spec", "first", "other"), [("ggse_fig5", 2 / 3, 1 / 2), ("ggse_fig11", 1.0, 1 / 4)])
def test_paper_004_figures_5_and_11(game_of: GameOf, spec: str, first: float, other: float) -> None:
    """P1's equilibrium: heads with `first` in state 1 and with `other` in states 2 and 3."""
    game = game_of(spec)
    strategy = cp.solve(game).strategies[0]
    assert strategy.probabilities("state 1")["H"] == pytest.approx(first)
    assert strategy.probabilities("state 2 or 3")["H"] == pytest.approx(other)


def test_figure_15_rock_paper_scissors(game_of: GameOf) -> None:
    """One round with paper over rock worth 2: the equilibrium is 1/4, 1/4, 1/2."""
    game = game_of("rps:1")
    for strategy in cp.solve(game).strategies:
        row = strategy.table().popitem()[1]
        assert row == pytest.approx({"Rock": 0.25, "Paper": 0.25, "Scissors": 0.5})


def test_kuhn_equilibria_of_player_0_are_the_known_family(kuhn: cp.GameTree) -> None:
    """Kuhn 1950: bet the king three times as often as the jack (at most 1/3), never the queen; call with the queen
    1/3 more often than betting the jack."""
    for spec in ("uniform", "random:1", "random:2", "random:3"):
        strategy = cp.respond(kuhn, cp.opponent(kuhn, spec), method="bne").strategy
        jack, queen, king = (strategy.probabilities(card)["Bet"] for card in "012")
        assert -1e-7 <= jack <= 1 / 3 + 1e-7
        assert king == pytest.approx(3.0 * jack, abs=1e-6)
        assert queen == pytest.approx(0.0, abs=1e-6)
        assert strategy.probabilities("1pb")["Bet"] == pytest.approx(jack + 1 / 3, abs=1e-6)
