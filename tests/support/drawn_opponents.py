"""Models of the opponent and minimisers as records, drawn by lot."""

from __future__ import annotations

from hypothesis import strategies as st

import counterplay as cp
from counterplay.opponents.reference_players import STYLES
from counterplay.solvers.minimiser import MINIMISERS

SEEDS, SHARES = st.none() | st.integers(0, 10**18 - 1), st.floats(0.0, 1.0)
EXPONENTS = st.floats(-30.0, 30.0) | st.just(float("inf"))
METHODS = st.one_of(
    st.sampled_from(list(MINIMISERS.values())),
    st.builds(
        lambda kin, alpha, beta, gamma, together: cp.Minimiser("own", *kin, alpha, beta, gamma, together),
        st.sampled_from([(False, False), (True, False), (True, True)]),
        EXPONENTS, EXPONENTS, st.floats(0.0, 30.0), st.booleans(),
    ),
)  # fmt: skip
FACTORS = st.dictionaries(st.text('abAB -1,=:;["', min_size=1), st.floats(0.0, 1e300), min_size=1, max_size=3)
NAMES = st.text('ab,[]:=;|"\\ é', min_size=1, max_size=6)
"""Of files and players, which any characters may be in."""
MODEL = st.recursive(
    st.one_of(
        st.sampled_from([cp.Uniform(), cp.Nash(), cp.GamePlayer("even"), cp.GamePlayer("last:A1,0.5")]),
        st.builds(cp.Random, SEEDS, st.floats(1e-300, 1e9)),
        st.builds(cp.Checkpoint, METHODS, st.integers(0, 10**18 - 1), st.booleans()),
        st.builds(cp.LeducPlayer, st.sampled_from(STYLES)),
        st.builds(cp.LearnedPlayer, st.sampled_from(["kuhn.cpn", "a folder/x,y:z.cpn"])),
        st.builds(cp.StrategyFile, st.sampled_from(["a.json", "b/c.cps", "river.spot", "toy.fhp", "toy.cpb"])),
        st.just(cp.UserCode("mine:player:3")),
        st.just(cp.Locked("leaks/caller.txt")),
        st.just(cp.HandsModel("hands.phhs", player="bob", prior=cp.Bias((("call", 2.0),), cp.Uniform()))),
        st.just(cp.HandsModel("a.jsonl", player="cfr+:5", weight="3.5", by="convex", reveal="showdown")),
        st.builds(cp.TrainedBlueprint, buckets=st.integers(1, 10**9 - 1), method=st.sampled_from(["public", "cfr+"])),
    ),
    lambda inner: st.one_of(
        st.builds(cp.Noise, SHARES, inner),
        st.builds(cp.Shuffle, SHARES, inner, SEEDS),
        st.builds(cp.Observed, st.integers(1, 10**18 - 1), inner, SEEDS),
        st.builds(cp.BestResponseTo, inner),
        st.builds(lambda file, player, prior: cp.HandsModel(file, player=player, prior=prior), NAMES, NAMES, inner),
        st.builds(cp.Profile, st.just((("VPIP", 45.0), ("fold to c-bet", 70.5))), inner),
        st.builds(cp.QuantalResponse, st.floats(0.0, 1e6), inner),
        st.builds(lambda factors, to: cp.Bias(tuple(factors.items()), to), FACTORS, inner),
        st.builds(
            cp.Incentive, st.sampled_from([(("call", "0.5bb"),), (("a,=:", "-1"), ("bet", "3%"))]), st.none() | inner
        ),
        st.builds(lambda to, file: cp.Incentive((), to, file), st.none() | inner, NAMES),
    ),
    max_leaves=8,
)
