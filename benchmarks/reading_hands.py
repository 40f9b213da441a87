"""Hands of poker sites and of logs that are read, replayed and reconciled a CPU second, at two and at six seats."""

from __future__ import annotations

import random
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the generator of hands is the tests'

from common import table
from counterplay.jit.clock import collection_suspended
from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.hand_record import HoldemHand, LeftOut
from tests.support.site_hands import random_site_hand
from tests.support.site_writers import NO_STRADDLES, WRITERS, phh

HANDS, COPIES, ROUNDS = 100, 5, 3


def main() -> None:
    warnings.simplefilter("ignore")  # PokerKit's, which plays the hands
    for seats in (2, 6):
        rng = random.Random(seats)
        hands = [random_site_hand(rng, seats) for _ in range(HANDS)]
        plain = [hand for hand in hands if not hand.straddle]
        texts = {
            site: "".join(map(write, plain if site in (*NO_STRADDLES, "PartyPoker") else hands))
            for site, write in WRITERS.items()
        }
        texts["phh"] = "".join(f"[{k}]\n{phh(hand)}\n" for k, hand in enumerate(hands, 1))
        read = [one for one in REGISTRY["phh"].read(texts["phh"], "", None) if isinstance(one, HoldemHand)]
        texts |= {form: REGISTRY[form].write(read) for form in ("match",) if read}  # type: ignore[attr-defined]
        rows = [(name, *_rate(name, text)) for name, text in texts.items()]
        table(f"Hands of {seats} seats", ("format", "hands a CPU second", "left out"), rows)


def _rate(name: str, text: str) -> tuple[float, int]:
    """Hands a CPU second, the best of some rounds, and how many were left out."""
    form, best, left = REGISTRY.get(name, REGISTRY["site"]), 0.0, 0
    whole = text * COPIES if name != "match" else text
    for _ in range(ROUNDS):
        with collection_suspended():
            begin = time.process_time()
            found = list(form.read(whole, "", None))
            best = max(best, len(found) / (time.process_time() - begin))
        left = sum(isinstance(one, LeftOut) for one in found)
    return best, left


if __name__ == "__main__":
    main()
