"""The gadget of a subgame as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.commands.printing.output import say, show_rows

if TYPE_CHECKING:
    from counterplay.blueprints.gadget_drawing import GadgetBranch, GadgetDrawing, GadgetRoot

_MOST = 40
"""The most roots that are printed."""


def show_gadget(found: GadgetDrawing) -> None:
    """The roots with their branches."""
    from counterplay.blueprints.gadget_drawing import KINDS

    say([f"{found.gadget} gadget of {found.game} at {found.at}, subgame {found.number} of {found.subgames}"])
    choice = "one decision of the opponent over all roots" if found.one_choice else "at every root"
    kinds = list(dict.fromkeys(branch.kind for root in found.roots for branch in root.branches))
    say(["", f"{choice}:", *(f"  {kind:8}{KINDS[kind]}" for kind in kinds), ""])
    head = ["root", "reach", "before", "after", "  branches: odds, chips paid"]
    rows = [_row(root) for root in found.roots[:_MOST]]
    width = 2 + max(len(row[0]) for row in [head, *rows])
    show_rows((f"<{width}", ">7", ">10", ">10", "<1"), [head, *rows])
    if len(found.roots) > _MOST:
        say([f"and {len(found.roots) - _MOST} more roots"])
    say(
        [
            "",
            "before, after: the opponent's best value there against blueprint and solution, given that it is reached",
        ]
    )


def _row(root: GadgetRoot) -> list[str]:
    values = ["never" if one is None else f"{one:.4f}" for one in (root.before, root.after)]
    return [root.name, f"{100 * root.share:.1f} %", *values, "  " + "; ".join(map(_told, root.branches))]


def _told(branch: GadgetBranch) -> str:
    paid = "" if branch.pays is None else f", {branch.pays + 0.0:.4f}"
    return f"{branch.kind} {100 * branch.odds:.0f} %{paid}"
