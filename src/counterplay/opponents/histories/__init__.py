"""Hand histories: one format per file, which reads hands into the records of `hand_record`.

Door: `read_hands.read_hands`.

Registry: `REGISTRY` here, name to format.
"""

from counterplay.opponents.histories.acpc_log import AcpcLog
from counterplay.opponents.histories.hand_history import HandHistory
from counterplay.opponents.histories.match_log import MatchLog
from counterplay.opponents.histories.openspiel_trajectory import OpenSpielTrajectory
from counterplay.opponents.histories.phh import PHH
from counterplay.opponents.histories.sites import SiteText
from counterplay.opponents.histories.slumbot_hands import SlumbotHands

REGISTRY: dict[str, HandHistory] = {
    "phh": PHH(),
    "match": MatchLog(),
    "acpc": AcpcLog(),
    "slumbot": SlumbotHands(),
    "openspiel": OpenSpielTrajectory(),
    "site": SiteText(),
}
"""Formats of hand histories, tried in this order."""
