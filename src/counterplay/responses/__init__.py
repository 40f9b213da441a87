"""Methods of `respond`, from best response to adapting beyond the depth limit, as records.

Door: `respond.respond`. Registry: `METHODS`, below.
"""

from __future__ import annotations

from counterplay.responses.look_ahead_methods import ABD, CDBR, CDBRNE, CDRNR, SES, Resolve
from counterplay.responses.method import METHOD, Method
from counterplay.responses.whole_tree_methods import BNE, BR, DBR, LBR, RNR, Mix, Safe

METHODS: dict[str, type[Method]] = {
    "br": BR,
    "mix": Mix,
    "dbr": DBR,
    "rnr": RNR,
    "safe": Safe,
    "bne": BNE,
    "cdbr": CDBR,
    "cdrnr": CDRNR,
    "cdbr-ne": CDBRNE,
    "resolve": Resolve,
    "ses": SES,
    "abd": ABD,
    "lbr": LBR,
}
"""The methods by name, as in the catalogue."""
METHOD.bind(METHODS)
