"""Learned responses in whole games of hold'em, for the command `learn response`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from counterplay.commands.learning.network_output import show_steps
from counterplay.commands.options.inputs import load_game
from counterplay.commands.options.shared_options import RunFlags
from counterplay.commands.printing.output import show_facts, show_json
from counterplay.progress_line import progress_line


def hand_response(
    game: str, to: str, boards: int | None, result: RunFlags, output: Path | None, record: Path | None
) -> None:
    """Learn a response of both seats on drawn boards, save it and show what is known of it."""
    from counterplay.learning.hand_response import HandSettings, learn_hand_response
    from counterplay.networks.hand_policy import save_hand_policy
    from counterplay.opponents.opponent import check_strategy, strategy_of
    from counterplay.work.work_record import WorkRecord

    rules = load_game(game, result.memory)
    check_strategy(rules.game, to, result.seed)
    settings = HandSettings(rules.name, to, boards or HandSettings.boards, seed=result.seed)
    theirs = strategy_of(rules.game, to, result.seed)
    kept = WorkRecord(record, settings.identity(rules.game, theirs))
    with progress_line("learning", result.as_json) as line:
        watch = None if line is None else show_steps(line)
        told = None if watch is None else partial(watch, "boards")
        found = learn_hand_response(rules, theirs, settings, kept, told)
    if output:
        save_hand_policy(output, found)
    facts = {"game": rules.name, **found.about, "weights": found.parameters}
    if result.as_json:
        show_json(facts)
    else:
        show_facts(facts, list(facts))
