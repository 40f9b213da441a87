"""The methods that `misread` compares unless others are named; the command line shows them without loading any."""

WHOLE_GAME = ("br", "rnr:p=0.75")
"""In whole games of hold'em, which have no per cent of a pot or a span."""
USUAL = (*WHOLE_GAME, "safe:max_exploitability=1%")
"""In all others."""
