"""Characters that texts stumble over. For any text at all Hypothesis lists Unicode, which takes seconds in a fresh clone."""

CHARACTERS = (
    "aZ0_.:;,=|/%-+ \t\n\r\x00\x1f\x7f\"'\\{}[]()"  # quotes, brackets, and what separates, escapes or ends a line
    "é߀\u0301\u2028\u202e\ufeff\uffff🂡\U0010ffff"  # of two to four bytes; a mark, a line end, a turn, a beginning, an end
)
