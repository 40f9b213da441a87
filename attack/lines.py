"""Working lines of every command, which are then spoiled, and what a person types. A new command needs one line in `LINES`.

Everything is tiny: a case should take milliseconds.
"""

from __future__ import annotations

_SPOT = "spot --board 'Qs Jh 2h 8d 3c' --oop AA --ip KK --pot 10 --stack 5 --bets a --raises 1"
LINES: dict[str, tuple[str, ...]] = {
    "examples": (
        "examples",
        "examples new",
        "examples new --json",
    ),
    "games": (
        "games",
        "games --json",
    ),
    "solve": (
        "solve kuhn",
        "solve kuhn --solver cfr+ --iterations 2 -o new.json --json",
        "solve 'matrix:1 -1/-1 1' --json -o new.json",
        "solve coin.efg --json -o new.json",
        "solve kuhn --solver dcfr --exploitability 0.5 -o new.cps",
        "solve hidden.efg --solver lp --json -o new.json",
        "solve river.toml --iterations 2 -o new.spot --json",
        "solve river.toml --solver cfr --iterations 2",
        "solve rps:1 --solver pcfr+ --seconds 0.01 --json -o new.json",
    ),
    "respond": (
        "respond kuhn --to uniform --method rnr --p 0.5 --json -o new.json",
        "respond kuhn --to cfr+:2 --max-exploitability 0.1 -o new.json --json",
        "respond coin.efg --to uniform --method br --json -o new.json",
        "respond kuhn --to uniform --method cdrnr --p 0.5 --depth 1 --json -o new.json",
        "respond kuhn --to zero.json --seat 1 --method safe --max-exploitability 0 --json -o new.json",
        "respond ses_matrix --to uniform --seat 1 --method ses --alpha 0.5 --depth 1",
        "respond kuhn --to uniform --method abd --p 0.5 --depth 1 --leaf 'portfolio:uniform;nash' --json -o new.json",
        "respond kuhn --to random:1 --method bne -o new.json --json",
        "respond kuhn --to observed:5:uniform --method dbr --p 0.5 -o new.json --json",
        "respond river.toml --to uniform --method rnr --p 0.5 --solver dcfr --seconds 0.05",
        "respond kuhn --to uniform --method mix --p 0.5 -o new.json --json",
        "respond kuhn --to nash --method cdrnr --p 0.5 --depth 1 --gadget resolving --prior "
        "uniform --epsilon 0.01 --solver cfr+ --seconds 0.01",
    ),
    "evaluate": (
        "evaluate kuhn zero.json --json",
        "evaluate kuhn one.cps --against uniform --json",
        "evaluate kuhn uniform --seat 1 --against nash --json",
        "evaluate coin.efg uniform --json",
        "evaluate river.spot river.spot --against uniform",
    ),
    "frontier": (
        "frontier kuhn --to uniform --points 2 --methods rnr,mix --json",
        "frontier kuhn --to uniform --points 2 --methods safe -o new.csv",
        "frontier kuhn rps:1 --to uniform --points 2 --methods br,bne --json",
        "frontier kuhn --to 'uniform;random:1' --points 2 --methods rnr --within 0.1 --json",
        "frontier kuhn --to uniform --points 2 --methods cdrnr --depth 1",
    ),
    "resolve": (
        "resolve kuhn --blueprint uniform --at moves:1 --json -o new.json",
        "resolve kuhn --blueprint cfr:3 --at moves:1 --gadget max-margin --prior blueprint --solver lp --json",
        "resolve kuhn --blueprint uniform --at moves:1 --gadget full --iterations 3",
        "resolve kuhn --blueprint uniform --at moves:1 --alpha 0.5 --to random:1 --bounds --interval --solver lp",
        "resolve kuhn --blueprint uniform --at moves:1,moves:2 --continuation --gadget resolving "
        "--iterations 2 --seat 1",
    ),
    "match": (
        "match kuhn uniform nash --hands 2 --json",
        "match kuhn cdrnr:p=0.5,depth=1,to=uniform uniform --hands 2",
        "match kuhn resolve:depth=1 zero.json --hands 2",
        "match river.toml uniform uniform --hands 2 --json",
        "match kuhn ses:alpha=0.5,depth=1,to=uniform random:1 --hands 3 --json",
        "match coin.efg uniform uniform --hands 1",
    ),
    "play": (
        "play kuhn --against uniform --hands 2",
        "play kuhn --against nash --seat 1",
        "play river.toml --against uniform --hands 1",
        "play kuhn --against resolve:depth=1 --hands 1",
        "play coin.efg --against uniform",
    ),
    "review": (
        "review kuhn hands.jsonl --against uniform --player nash",
        "review kuhn hands.jsonl --against uniform --worst 1 --aivat --json",
    ),
    "spot": (
        f"{_SPOT} --iterations 2",
        f"{_SPOT} --iterations 2 --json -o new.spot",
        f"{_SPOT} --exploitability 1 --node x",
        "spot --file river.toml --iterations 2 --node 'x x'",
        "spot --file river.spot --node x --json",
        "spot --file river.spot --lock leaks.txt",
        "spot --file river.spot --lock leaks.txt --p 0.5 --grid",
        "spot --file river.spot --lock leaks.txt --max-exploitability 1% --json",
        f"{_SPOT} --rake 0.05 --rake-cap 1 --iterations 2 --solver cfr",
    ),
    "blueprint": (
        "blueprint holdem:flop,lowest=Q --file toy.cpb --json",
        "blueprint holdem:flop,lowest=Q --file toy.cpb --node 'c x x' --board 'Qs Kh Ac'",
        "blueprint holdem:flop,lowest=Q --file toy.cpb --node 'raise 4'",
    ),
    "reproduce": (
        "reproduce nosuch",
        "reproduce rps --quick -o out",
    ),
    "demo": ("demo --plot new.txt",),
}
"""By command. One without a line is only ever called with something bad."""
RARE = {"warm": 0.02, "demo": 0.05, "examples": 0.1, "reproduce": 0.1, "games": 0.1, "blueprint": 0.4, "frontier": 0.6}
"""Commands that are drawn less often than the others: they take longer, or there is little to them."""
STDIN = (
    "", "q\n", "1\n", "Pass\nBet\n", "h\n?\nq\n", "\n\n\n", "x" * 5000 + "\n", "\x00\xff\n", "p\nb\np\nb\np\nb\n",
    "-1\n0\n99\nq", "1\n" * 50,
)  # fmt: skip
"""What a person types."""
