"""Methods that have no name: the parts of the papers' methods, put together in other ways.

Each line says what a response wins from a flawed Leduc player and what it risks, in chips a hand.
"""

from __future__ import annotations

import counterplay as cp

game = cp.load("leduc:merged=true")
model = cp.opponent(game, "cfr:20", player=1)
blueprint = tuple(cp.opponent(game, "cfr:100", player=seat) for seat in (0, 1))


def show(name: str, gain: float, exploitability: float) -> None:
    print(f"{name:50} gain {gain:6.3f}, exploitability {exploitability:6.3f}")


# A blueprint whose second round is solved again, tilted to where the model is (SES), and refined by a prior (GGSE).
for name, words in {
    "SES": {"alpha": 0.5},
    "SES, refined entry": {"alpha": 0.5, "prior": "blueprint"},
    "SES at two places, nested": {"alpha": 0.5, "at": ["moves:0", "round"]},
}.items():
    found = cp.resolve(game, blueprint, **{"at": "round", "model": model, "solver": "lp", **words})
    show(name, found.gain_after, found.after)

# Look-aheads: what stands behind the limit is whatever a value function says.
for name, words in {
    "CDRNR behind the resolving gadget": {"method": "cdrnr", "p": 0.5, "gadget": "resolving"},
    "the same, refined": {"method": "cdrnr", "p": 0.5, "gadget": "resolving", "prior": "uniform"},
    "SES over a depth limit": {"method": "ses", "alpha": 0.5},
    "SES over a depth limit and rollouts": {"method": "ses", "alpha": 0.5, "leaf": "rollout:100"},
}.items():
    answer = cp.respond(game, model, depth=2, solve="per-state", solver="lp", **words)
    show(name, answer.gain, answer.exploitability)
