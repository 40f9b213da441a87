"""The contests of a comparison, checked before any long computation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterplay.errors import InputError
from counterplay.games import DOORS, GAMES
from counterplay.games.plugin import is_plugin
from counterplay.gametree.compile.compile import GameTree
from counterplay.measure.comparison.per_game_text import name_of, opponents_of, values_of
from counterplay.measure.frontier import check_points, frontier_work, methods_of
from counterplay.opponents.opponent import check_text, opponent
from counterplay.poker.spots.load import load
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.lbr import LBR
from counterplay.responses.method import ALPHA, Method
from counterplay.responses.worlds import world_of
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.value_function import value_function


@dataclass(frozen=True)
class ContestSettings:
    """The settings of a comparison.

    Attributes:
        games: specs.
        opponents: texts, for all games or for one (`leduc=s1;s2`), several in one text split by `;`.
        methods: by name.
        within: limits of exploitability, as shares of the span of payoffs.
        points: number of points of each method.
        seat: the responder's.
        seed: of random opponents whose text has none.
        far: options of look-aheads, without value functions.
        values: texts of value functions, for all games and methods or for one; the last that applies counts.
        solver: as in `respond`.
    """

    games: Sequence[str]
    opponents: Sequence[str]
    methods: Sequence[str]
    within: Sequence[float] = (0.01, 0.05, 0.2)
    points: int = 7
    seat: int = 0
    seed: int = 0
    far: Mapping[str, Any] | None = None
    values: Sequence[str] = ()
    solver: str = "auto"


@dataclass(frozen=True, eq=False)
class Contest:
    """One opponent in one game, loaded. spec: the game's text. source: the opponent's. methods: by name."""

    spec: str
    source: str
    game: GameTree | SpotGame
    model: Strategy
    methods: Mapping[str, Method]

    @property
    def name(self) -> str:
        """For tables and sentences."""
        return f"{self.spec} against {self.source}"

    @property
    def facts(self) -> dict[str, str]:
        """For files."""
        return {"game": self.spec, "opponent": self.source}


def contests(asked: ContestSettings, bring: Callable[[str], Any] = load) -> list[Contest]:
    """All contests, game by game.

    Args:
        asked: the settings.
        bring: loads a game from its spec.

    Raises:
        InputError: naming the first invalid game, opponent, method, value function or share.
    """
    if not asked.games:
        raise InputError("a comparison needs at least one game")
    for share in asked.within:
        if not 0.0 <= share <= 1.0:
            raise InputError(f"--within takes shares of the span of payoffs, from 0 to 1, not {share:g}")
    specs = list(dict.fromkeys(asked.games))
    sources = {spec: opponents_of(spec, specs, asked.opponents) for spec in specs}
    check_points(asked.points)
    methods = {spec: _methods(spec, specs, asked) for spec in specs}
    for spec in specs:
        if not sources[spec]:
            raise InputError(
                f"{spec} has no opponent: give one for all games, or one as in --to {name_of(spec)}=uniform"
            )
        if not is_plugin(spec, (*GAMES, *DOORS)):
            for source in sources[spec]:
                check_text(source)
    found = []
    for spec in specs:
        game = bring(spec)
        for number, source in enumerate(sources[spec]):
            model = opponent(game, source, 1 - asked.seat, asked.seed)
            contest = Contest(spec, source, game, model, methods[spec])
            if number == 0:
                _check(contest, asked)
            found.append(contest)
    return found


def _methods(spec: str, specs: Sequence[str], asked: ContestSettings) -> dict[str, Method]:
    """The methods in a game; each text of a value function becomes one object, which caches its results."""
    texts = values_of(spec, specs, asked.methods, asked.values)
    made = {text: value_function(text) for text in texts.values()}
    far = dict(asked.far or {})
    if texts:
        far["value"] = {method: made[text] for method, text in texts.items()}
    return methods_of(asked.methods, far)


def _check(contest: Contest, asked: ContestSettings) -> None:
    """Check what depends on the game: whether it has rounds, and the strategies of a portfolio."""
    match: Any = world_of(contest.game).matchup(contest.game, contest.model, asked.solver)
    frontier_work(match, contest.methods, asked.points)
    if not match.has_corners:
        if asked.within:
            raise InputError(f"{contest.spec} has no method safe, which says what can be won within limits")
        return
    for method in contest.methods.values():
        look = method.in_game(contest.game).look
        if look:
            match.check_look(look, float(method.DIAL == ALPHA))
        elif method.HEAD == LBR.HEAD:
            match.check_local()
