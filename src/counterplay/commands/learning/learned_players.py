"""The commands that train networks of policies: copies of a strategy, self-play, responses. Registered in `learn.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.learning.learned_hands import hand_response
from counterplay.commands.options.inputs import RespondSeat, check_opponents, load_game
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import RECORDS, Record, RunFlags, Seat, Spec, To
from counterplay.commands.printing.output import show_facts, show_json
from counterplay.endings import NETWORK
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.progress_line import Update, progress_line

if TYPE_CHECKING:
    from counterplay.games.kernel_rules import FastGame
    from counterplay.learning.policy_gradient import GradientSettings
    from counterplay.networks.policy_network import PolicyNetwork
    from counterplay.work.work_record import WorkRecord

NETWORKS = (NETWORK,)
_BY_PLAY = "self-play"


@dataclass(frozen=True)
class SizeFlags:
    """The network."""

    width: Annotated[int, typer.Option("--width", min=1, max=1024, help="Units of each hidden layer.")] = 96
    layers: Annotated[int, typer.Option("--layers", min=1, max=7, help="Hidden layers.")] = 2


@dataclass(frozen=True)
class PlayerFlags(RunFlags):
    """Where a policy and the state of its training are kept."""

    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save it (.cpn).")] = None
    record: Record = None

    def check(self) -> None:
        """Reject files that cannot be written."""
        check_writable(self.output, *NETWORKS)
        check_writable(self.record, *RECORDS)

    def record_of(self, identity: Mapping[str, Any]) -> WorkRecord:
        """The record of some work; one in memory if none is named."""
        from counterplay.work.work_record import WorkRecord

        return WorkRecord(self.record, identity)


@takes_records
def policy(
    *,
    game: Spec,
    teacher: Annotated[
        str,
        typer.Option("--teacher", metavar="OPPONENT", help="Whose strategies of both seats it copies; or self-play."),
    ] = "pdcfr+:2000",
    steps: Annotated[
        int | None, typer.Option("--steps", min=1, help="Of training (2000); of self-play, rounds of games (1500).")
    ] = None,
    net: SizeFlags,
    result: PlayerFlags,
) -> None:
    """Learn a policy of both seats, for `net:FILE` wherever an opponent stands. Ctrl-C keeps the network so far."""
    from counterplay.learning.learn_policy import PolicySettings, learn_policy

    result.check()
    if teacher == _BY_PLAY:
        found = _self_taught(game, steps, net, result)
    else:
        check_opponents(game, teacher)
        tree = load_game(game, result.memory)
        settings = PolicySettings(teacher, net.width, net.layers, steps or PolicySettings.steps, result.seed)
        kept = result.record_of(settings.identity(tree.name))
        with progress_line("learning", result.as_json) as line:
            found = learn_policy(tree, settings, _steps(line), kept)
    _finish(found, {"teacher": teacher}, result)


def _self_taught(game: str, rounds: int | None, net: SizeFlags, result: PlayerFlags) -> PolicyNetwork:
    from counterplay.learning.learn_by_play import learn_by_self_play
    from counterplay.learning.learn_policy import nash_conv
    from counterplay.learning.policy_gradient import SELF_PLAY

    rules, tree = _rules_and_tree(game, result.memory)
    settings = _settings(SELF_PLAY, rounds, net, result.seed)
    measure = tree and (lambda found: nash_conv(tree, found))
    kept = result.record_of(settings.identity(rules.name, _BY_PLAY))
    with progress_line("playing", result.as_json) as line:
        return learn_by_self_play(rules, settings, _steps(line), measure, kept)


@takes_records
def response(
    *,
    game: Spec,
    to: To,
    seat: RespondSeat = Seat.FIRST,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, help="Of playing and updating (60); in hold'em, boards (4000).")
    ] = None,
    net: SizeFlags,
    result: PlayerFlags,
) -> None:
    """Learn a response to a fixed opponent from games against them, for `net:FILE`. Ctrl-C keeps the network so far."""
    from counterplay.learning.learn_by_play import learn_response, measure_response
    from counterplay.learning.policy_gradient import RESPONSE
    from counterplay.poker.whole_game.game_text import is_whole_game

    result.check()
    check_opponents(game, to)
    if is_whole_game(game):
        hand_response(game, to, rounds, result, result.output, result.record)
        return
    rules, tree = _rules_and_tree(game, result.memory)
    settings = _settings(RESPONSE, rounds, net, result.seed)
    kept = result.record_of(settings.identity(rules.name, f"response of {seat} to {to}"))
    with progress_line("playing", result.as_json) as line:
        found = learn_response(rules, int(seat), to, settings, _steps(line), kept)
    if tree:
        found = measure_response(tree, found)
    _finish(found, {"response to": to, "seat": int(seat)}, result)


def _settings(usual: GradientSettings, rounds: int | None, net: SizeFlags, seed: int) -> GradientSettings:
    return replace(usual, rounds=rounds or usual.rounds, width=net.width, layers=net.layers, seed=seed)


def _rules_and_tree(game: str, memory: float | None) -> tuple[FastGame, Any]:
    """The rules of a game, and the game in memory, or None if it does not fit."""
    from counterplay.games.kernel_rules import FastGame
    from counterplay.gametree.compile.load import find_game
    from counterplay.gametree.table.histories import TooLargeError

    rules = find_game(game)
    if not isinstance(rules, FastGame):
        raise InputError(f"{game} is not written as rules, which a network of a policy needs")
    _ = rules.network_sizes
    try:
        return rules, load_game(game, memory)
    except TooLargeError:
        return rules, None


def _steps(line: Update | None) -> Callable[[int, int], None] | None:
    return None if line is None else lambda done, steps: line(f"step {done} of {steps}", done, steps)


def _finish(found: PolicyNetwork, facts: dict[str, Any], result: PlayerFlags) -> None:
    """Save a policy, and show what is known of it."""
    from counterplay.networks.policy_network import save_policy_network

    if result.output:
        save_policy_network(result.output, found)
    figures = found.about.get("figures", {})
    shown = {"game": found.game, **facts, **figures, "weights": found.network.parameters, "seed": result.seed}
    if result.as_json:
        show_json({**shown, **{key: one for key, one in found.about.items() if key == "looks"}})
    else:
        show_facts(shown, list(shown))
