"""What a program that uses Counterplay looks like to mypy: the documented calls, with nothing that is Any by accident.

Checked by `make types` and by test_help_and_messages.py, never run.
"""

from __future__ import annotations

from collections.abc import Sequence

import counterplay as cp


def calling_station(infoset: str, actions: Sequence[str]) -> dict[str, float]:  # noqa: ARG001 - as documented
    """Never folds, never raises."""
    return {action: float(action == "Call") for action in actions}


class Caller:
    """An agent of one's own."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    def new_hand(self) -> None:
        """A hand begins."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """Calls where it can."""
        return "Call" if legal and "Call" in legal else (legal or ("Fold",))[0]


class CoinHint:
    """A game of one's own."""

    name = "coin_hint"

    def root(self) -> tuple[str, ...]:
        return ()

    def player(self, state: tuple[str, ...]) -> int:
        return (0, cp.CHANCE, 1, cp.TERMINAL)[len(state)]

    def actions(self, state: tuple[str, ...]) -> list[str]:
        return ["heads", "tails"]

    def chance(self, state: tuple[str, ...]) -> list[float]:
        return [0.7, 0.3] if state[0] == "heads" else [0.3, 0.7]

    def child(self, state: tuple[str, ...], action: str) -> tuple[str, ...]:
        return (*state, action)

    def infoset(self, state: tuple[str, ...], player: int) -> str:
        return "" if player == 0 else "".join(state[1:2])

    def utility(self, state: tuple[str, ...]) -> float:
        return 1.0 if state[0] != state[2] else -2.0


def answer_a_model() -> float:
    """README: load, model, respond, evaluate."""
    game: cp.GameTree = cp.load("leduc")
    model: cp.Strategy = cp.opponent(game, "cfr+:10", player=1)
    mine: cp.Strategy = cp.opponent(game, calling_station, player=0)
    answer: cp.Answer = cp.respond(game, model, max_exploitability=0.05)
    answer.strategy.save("counter.json")
    row: dict[str, float] = answer.strategy.probabilities("Js")
    measured: cp.Evaluation = cp.evaluate(game, mine, against=model)
    points: list[cp.Point] = cp.frontier(game, model, ["rnr", cp.Safe(), cp.CDRNR(look=cp.LookAhead(1))], points=3)
    return answer.gain + answer.exploitability + measured.exploitability + points[0].gain + row["Call"]


def answer_by_records() -> float:
    """Methods, look-aheads, gadgets, value functions, opponents and agents are records."""
    game = cp.load("leduc")
    model = cp.opponent(game, cp.Noise(0.5, cp.Nash()))
    look = cp.LookAhead(depth=1, leaf=cp.Rollouts(20), gadget=cp.MaxMargin())
    safe, search = cp.respond(game, model, cp.Safe(0.05)), cp.respond(game, model, cp.CDRNR(p=0.5, look=look))
    text: cp.Answer = cp.respond(game, model, "cdrnr:p=0.5,depth=1")
    agent = cp.agent(game, cp.SearchBot(cp.SES(0.5, cp.LookAhead("round")), cp.Uniform(), seconds=0.5), player=0)
    return safe.gain + search.gain + text.gain + len(agent.policy("Ks"))


def solve_games() -> float:
    """start.md and extend.md: solve, re-solve, a game of one's own."""
    own: cp.Game = CoinHint()
    game = cp.load(own)
    exact = cp.solve(game)
    rough = cp.solve(game, solver="dcfr", stop=cp.Stop(seconds=1))
    found: cp.Resolution = cp.resolve(game, exact.strategies[0], at="moves:1")
    errors: cp.ValueErrors = cp.value_error(game, "cfr:10")
    solution: cp.Solution = rough.solution
    return exact.value + rough.exploitability + found.after + errors.mean + solution.nash_conv


def solve_a_spot() -> cp.SolvedSpot:
    """poker.md: ranges as texts."""
    spot = cp.Spot("Qs Jh 2h 8d 3c", "QQ+,AK", "JJ+,KQ", 200, 900, bets="50%, a")
    again = cp.Spot(spot.board, spot.oop, spot.ip, spot.pot, (900, 800), bets={"river": "50%, a"}, deck="2")
    solved: cp.SolvedSpot = cp.solve_spot(again, percent_of_pot=0.5)
    return solved


def play() -> float:
    """Agents, and a match with one of one's own."""
    game = cp.load("leduc")
    result: cp.MatchResult = cp.match(game, lambda seat: cp.agent(game, "resolve", seat), Caller, hands=100)
    agent = cp.agent(game, "cdrnr:depth=1,p=0.5,to=uniform", player=0)
    seated: cp.Agent = agent
    seated.new_hand()
    odds: dict[str, float] = agent.policy("Ks")
    belief: dict[str, float] = agent.belief("Ks")
    agent.model = "cfr+:10"
    agent.save("between_two_moves.cpa")
    same = cp.resume("between_two_moves.cpa")
    return result.mean + len(agent.act("Ks")) + sum(odds.values()) + sum(belief.values()) + len(same.policy("Ks"))


def texts_wherever_records_are() -> float:
    """Texts, results and arrays in place of records."""
    noisy, greedy = cp.Noise(0.2, "cfr+:10"), cp.BestResponseTo("uniform")
    answer: cp.Answer = cp.respond("leduc", noisy, "rnr:0.4", player=1)
    exact: cp.Equilibrium = cp.solve(cp.matrix_game([[1.0, -1.0], [-1.0, 1.0]]))
    points: cp.Points[cp.Point] = cp.frontier("kuhn", greedy, "rnr")
    played: cp.MatchResult = cp.match("leduc", "nash", cp.StrategyBot("uniform"), hands=50)
    strategy: cp.Strategy = exact.strategies[0]
    row: dict[str, float] = strategy["rows"]
    document: dict[str, object] = answer.to_dict()
    points.plot()
    return answer.value + played.value + sum(row.values()) + len(document) + strategy.array().sum() + len(strategy)  # type: ignore[no-any-return]


def refuse() -> str:
    """Bad input has one class."""
    try:
        cp.load("leduk")
    except cp.InputError as error:
        return str(error)
    return cp.__version__
