"""Games of OpenSpiel, with OpenSpiel's own texts for infosets and actions; needs the optional package `open_spiel`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from counterplay.display import brief
from counterplay.errors import InputError, quoted, reason, unknown
from counterplay.games.game import CHANCE, TERMINAL

_CHANCE, _TERMINAL = -1, -4  # OpenSpiel's numbers for them


def from_openspiel(game: Any) -> OpenSpielGame:
    """The game that OpenSpiel loads from a string such as `leduc_poker`, or an OpenSpiel game itself.

    A game of simultaneous moves becomes one in which player 0 moves first and player 1 does not see it. The returns of
    a constant-sum game are shifted by half that constant, so that they sum to zero.

    Raises:
        InputError: OpenSpiel is missing or does not know the game; or the game does not have two players, is not
            zero-sum, samples its chance events, or has no information states.
    """
    try:
        import pyspiel
    except ImportError:
        raise InputError("games of OpenSpiel need the package open_spiel: pip install counterplay[openspiel]") from None
    name = f"openspiel:{game}"
    if isinstance(game, str):
        game = _load(pyspiel, game)
    kind, types = game.get_type(), pyspiel.GameType
    if game.num_players() != 2:
        raise InputError(f"{name} has {game.num_players()} players, and not 2")
    if kind.utility not in (types.Utility.ZERO_SUM, types.Utility.CONSTANT_SUM):
        raise InputError(f"{name} is not zero-sum: OpenSpiel says {kind.utility.name}")
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        raise InputError(f"{name} samples its chance events and does not tell their probabilities")
    if kind.dynamics == types.Dynamics.MEAN_FIELD:
        raise InputError(f"{name} is a mean field game, and not one of two players in turn")
    if not kind.provides_information_state_string:
        raise InputError(f"{name} has no information_state_string, so its infosets are not known")
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    return OpenSpielGame(name, game)


def _load(pyspiel: Any, text: str) -> Any:
    short = text.partition("(")[0].strip()
    if short not in pyspiel.registered_names():  # asked first: OpenSpiel's own message lists every game it has
        raise unknown("game", short, pyspiel.registered_names(), listed=(), lacks="OpenSpiel")
    try:
        return pyspiel.load_game(text)
    except Exception as error:  # some games let C++'s own errors through: nfg_game an IndexError
        why = reason(error).removeprefix("SpielError: ").rstrip(".")
        raise InputError(f"OpenSpiel cannot load {quoted(text)}: {why}") from None


class OpenSpielGame:
    """A game of OpenSpiel behind the protocol of all games; its states are OpenSpiel's."""

    augmented = True

    def __init__(self, name: str, game: Any) -> None:
        self.name = name
        self.game = game
        self._utility = _utility_of(name, game)
        self.expand = _expander(game, self._utility)

    def __repr__(self) -> str:
        return brief(self, self.name)

    def root(self) -> Any:
        return self.game.new_initial_state()

    def player(self, state: Any) -> int:
        who: int = state.current_player()
        return CHANCE if who == _CHANCE else TERMINAL if who == _TERMINAL else who

    def actions(self, state: Any) -> list[int]:
        return state.legal_actions()  # type: ignore[no-any-return]

    def chance(self, state: Any) -> list[float]:
        return [p for _, p in state.chance_outcomes()]

    def child(self, state: Any, action: int) -> Any:
        return state.child(action)

    def infoset(self, state: Any, player: int) -> str:
        return str(state.information_state_string(player))

    def action_name(self, state: Any, action: int) -> str:
        return str(state.action_to_string(state.current_player(), action))

    def utility(self, state: Any) -> float:
        return self._utility(state)


def _utility_of(name: str, game: Any) -> Callable[[Any], float]:
    """The utility of player 0 at a terminal state, which makes sure that the returns sum to what they should."""
    total = float(game.utility_sum() or 0.0)

    def utility(state: Any) -> float:
        mine, other = state.returns()
        if not abs(mine + other - total) <= 1e-9 * max(1.0, abs(mine), abs(other)):
            raise InputError(
                f"{name} is not zero-sum: the returns are {mine} and {other} after '{state.history_str()}'"
            )
        return float(mine - 0.5 * total)

    return utility


def _expander(game: Any, utility: Callable[[Any], float]) -> Callable[[Any], Any]:
    """The fast way to walk the game (see `counterplay.gametree.build.enumerate_game`), with as few calls across the
    border as possible.

    The last child is made of the state itself, which saves one copy in each family; returns that sum to exactly zero,
    as nearly all do, are not looked at again."""
    from pyspiel import State

    current, legal, label = State.current_player, State.legal_actions, State.information_state_string
    outcomes, child, apply, returns = State.chance_outcomes, State.child, State.apply_action, State.returns
    zero_sum = not game.utility_sum()

    def expand(state: Any) -> Any:
        who = current(state)
        if who == _CHANCE:
            who = CHANCE
            actions, odds = zip(*outcomes(state), strict=True)
        else:
            actions, odds = legal(state), ()
        label0, label1 = label(state, 0), label(state, 1)
        children: list[Any] = []
        for action in actions:
            if len(children) < len(actions) - 1:
                after = child(state, action)
            else:
                apply(state, action)
                after = state
            if current(after) == _TERMINAL:
                mine, other = returns(after)
                children.append(mine if zero_sum and mine + other == 0.0 else utility(after))
            else:
                children.append(after)
        return who, actions, odds, label0, label1, children

    return expand
