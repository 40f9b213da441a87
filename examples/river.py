"""A river spot against a player who folds too much: what can be won, at what risk, and what changes hand by hand."""

import numpy as np

import counterplay as cp
from counterplay.poker.cards.deck import hand_text

if __name__ == "__main__":
    spot = cp.Spot(
        "Qs Jh 2h 8d 3c", "QQ,KQs,T9s,76s,A5s", "JJ,AQs,98s,65s,ATs", pot=100, stack=200, bets="75%, a", raises=2
    )
    model = cp.opponent(spot, "bias:fold=3:nash", player=1)
    for most in ("0%", "1%", "5%", "20%"):
        found = cp.respond(spot, model, max_exploitability=most)
        print(
            f"risk {most:>3} of the pot: wins {found.gain:6.2f} chips more, loses {found.exploitability:6.2f} at most"
        )
    found = cp.respond(spot, model, max_exploitability="5%")
    node = cp.load(spot).with_strategies(found.strategy, model).node("")
    held = np.flatnonzero(node.ranges[0] > 0.0)
    print("first action: " + ", ".join(node.actions))
    for hand in held[:8]:
        shares = " ".join(f"{100 * share:4.0f}%" for share in node.probabilities[hand])
        print(f"  {hand_text(spot.deck.hands[hand].tolist())}  {shares}")
