"""What a model from hands does not know, as the command line prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.commands.printing.output import number, show_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from counterplay.measure.coverage import Coverage, RowCoverage


def show_coverage(found: Coverage) -> None:
    """Shares of decisions by what was seen there, and the largest blanks."""
    print(
        f"\nOf the opponent's decisions {100 * found.seen:.0f} % lie where enough was seen, {100 * found.little:.0f} % "
        f"where little was, {100 * found.unseen:.0f} % where nothing was."
    )
    if found.blanks:
        wide = 2 + max(len("infoset"), *(len(one.infoset) for one in found.blanks))
        rows = [(one.infoset, f"{100 * one.share:.2f} %", number(one.count, ".3g")) for one in found.blanks]
        show_rows((f"<{wide}", ">10", ">10"), [("infoset", "decisions", "seen"), *rows])


def show_row_coverage(found: Sequence[RowCoverage]) -> None:
    """Shares of decisions by street and by what was seen of their rows."""
    print("\nOf the player's decisions in drawn hands, by what was seen of the same decision with such a hand:")
    rows = [
        (one.street, f"{one.decisions:,}", *(f"{100 * share:.0f} %" for share in (one.seen, one.little, one.unseen)))
        for one in found
    ]
    show_rows(("<9", ">10", ">8", ">8", ">9"), [("street", "decisions", "enough", "little", "nothing"), *rows])
