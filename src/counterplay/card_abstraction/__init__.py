"""Card abstractions of whole games of hold'em: which hands share a bucket; one kind per file, each a frozen record.

Door: `make_buckets.make_buckets`, which makes the lanes of a game's boards.

Registry: `REGISTRY` here, name to class. Any object with the members of `CardAbstraction` can take the place of lanes that
they make.
"""

from __future__ import annotations

from counterplay.card_abstraction.abstraction_record import ABSTRACTIONS, Abstraction
from counterplay.card_abstraction.blind import Blind
from counterplay.card_abstraction.emd import EMD
from counterplay.card_abstraction.lossless import Lossless
from counterplay.card_abstraction.moments import Moments
from counterplay.card_abstraction.ochs import OCHS

REGISTRY: dict[str, type[Abstraction]] = {
    "lossless": Lossless,
    "blind": Blind,
    "ochs": OCHS,
    "emd": EMD,
    "moments": Moments,
}
"""Kinds by the first word of their text."""

ABSTRACTIONS.bind(REGISTRY)
