"""Blueprints of no-limit hold'em, 200 big blinds, fold, call, pot and all-in, with 169 / 5,000 / 5,000 / 1,000 buckets: an
iteration of external sampling, of public chance sampling and of CFR-BR; and what a file of it takes.

One thread, processor time. The tables of the buckets are made first, unless the cache has them.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from common import interleaved, table
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.whole_game.blueprints.blueprint import PUBLIC, Blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import save
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.rules import read_holdem
from counterplay_papers.external_sampling import TOGETHER, StreetExternalSampling

GAME, ROUNDS = "holdem:stack=200bb,bets=fcpa,buckets=quick", 5
PUBLIC_MANY, EXACT_MANY, EXTERNAL_MANY = 20, 10, 20 * TOGETHER


def main() -> None:
    rules = read_holdem(GAME)
    game, lanes = rules.game, make_buckets(rules.game.boards, rules.buckets)
    public, exact = (
        PublicSampling(SamplingProblem(game, lanes)),
        PublicSampling(SamplingProblem(game, lanes), exact=True),
    )
    external = StreetExternalSampling(SamplingProblem(game, lanes))
    calls = {
        "external sampling": lambda: external.sample(EXTERNAL_MANY),
        "public chance sampling": lambda: public.sample(PUBLIC_MANY),
        "CFR-BR": lambda: exact.sample(EXACT_MANY),
    }
    for call in calls.values():
        call()
    sizes = dict(zip(calls, (EXTERNAL_MANY, PUBLIC_MANY, EXACT_MANY), strict=True))
    seconds = interleaved(calls, ROUNDS, of=GAME, peer=next(iter(calls)), sizes=sizes)
    table("An iteration", ("what", "ms"), [(name, 1000.0 * time) for name, time in seconds.items()])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.cpb"
        save(path, game, Blueprint(public.average(), PUBLIC, public.iterations, 0, public.seconds))
        print(f"\nA file after {public.iterations} iterations: {path.stat().st_size / 2**20:.3g} MiB")


if __name__ == "__main__":
    main()
