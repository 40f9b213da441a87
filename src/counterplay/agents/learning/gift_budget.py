"""What may be risked for the gifts so far, in steps, so that a response serves many hands."""

from __future__ import annotations

import numpy as np

_LEVELS = 10


class GiftBudget:
    """Chips that were won in expectation above what an equilibrium guarantees.

    Args:
        span: the largest less the smallest value of a hand, in chips.

    Attributes:
        chips: their number so far, at least; by the credit `mean` on average.
    """

    def __init__(self, span: float) -> None:
        self._least, self.chips = span * 2.0**-_LEVELS, 0.0

    @property
    def allowed(self) -> float:
        """The largest power of two times the span, from 2^-`_LEVELS` on, that the chips cover; else 0."""
        if self.chips < self._least:
            return 0.0
        return float(self._least * 2.0 ** np.floor(np.log2(self.chips / self._least)))
