"""Characters of random texts: those that texts stumble over, and in the long profile any at all.

Hypothesis lists Unicode to draw from it, which takes seconds in a fresh clone.
"""

from __future__ import annotations

import os

from hypothesis import strategies as st

_AWKWARD = (
    "aZ0_.:;,=|/%-+ \t\n\r\x00\x1f\x7f\"'\\{}[]()"  # quotes, brackets, and what separates, escapes or ends a line
    "é߀\u0301\u2028\u202e\ufeff\uffff🂡\U0010ffff"  # of two to four bytes; a mark, a line end, a turn, a beginning, an end
)
CHARACTERS = st.sampled_from(_AWKWARD) if os.environ.get("HYPOTHESIS_PROFILE", "ci") == "ci" else st.characters()
