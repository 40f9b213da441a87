"""Methods of `respond`, from best response to adapting beyond the depth limit: records, one per file.

Door: `respond.respond`. Registry: `METHODS`, below.
"""

from __future__ import annotations

from counterplay.responses.abd import ABD
from counterplay.responses.bne import BNE
from counterplay.responses.br import BR
from counterplay.responses.cdbr import CDBR
from counterplay.responses.cdbr_ne import CDBRNE
from counterplay.responses.cdrnr import CDRNR
from counterplay.responses.dbr import DBR
from counterplay.responses.lbr import LBR
from counterplay.responses.method import METHOD, Method
from counterplay.responses.mix import Mix
from counterplay.responses.resolve import Resolve
from counterplay.responses.rnr import RNR
from counterplay.responses.safe import Safe
from counterplay.responses.ses import SES

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
