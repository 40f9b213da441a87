"""Methods of `respond`, from best response to adapting beyond the depth limit, as records, and the match-ups of each kind of
game that they are computed in.

Door: `respond.respond`, `matchup.Matchup`. Registry: `METHODS`, below.
"""

from __future__ import annotations

from counterplay.responses.method import METHOD, Method
from counterplay.responses.methods import ABD, BNE, BR, CDBR, CDBRNE, CDRNR, DBR, LBR, RNR, SES, Mix, Resolve, Safe

METHODS: dict[str, type[Method]] = {
    kind.HEAD: kind for kind in (BR, Mix, DBR, RNR, Safe, BNE, CDBR, CDRNR, CDBRNE, Resolve, SES, ABD, LBR)
}
"""The methods by name, as in the catalogue."""
METHOD.bind(METHODS)
