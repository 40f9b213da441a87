"""Hand histories: one format per file, which reads hands into the records of `hand_record`.

Door: `read_hands.read_hands`.

Registry: `REGISTRY` here, name to format.
"""

from counterplay.opponents.histories.hand_logs import AcpcLog, MatchLog, SlumbotHands
from counterplay.opponents.histories.hand_record import HandHistory
from counterplay.opponents.histories.openspiel_trajectory import OpenSpielTrajectory
from counterplay.opponents.histories.phh import PHH
from counterplay.opponents.histories.sites import SiteText

REGISTRY: dict[str, HandHistory] = {
    "phh": PHH(), "match": MatchLog(), "acpc": AcpcLog(), "slumbot": SlumbotHands(), "openspiel": OpenSpielTrajectory(),
    "site": SiteText(),
}  # fmt: skip
"""Formats of hand histories, tried in this order."""
