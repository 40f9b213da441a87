"""What options are attacked with.

A new option is attacked with the texts of its type as it is; one line in `TEXTS` adds its own. Files named here are made by
`attack.ground`. Everything good is tiny: a case should take milliseconds.
"""

from __future__ import annotations

from typing import NamedTuple


class Texts(NamedTuple):
    """What an option may be given. good: works somewhere. bad: mostly does not."""

    good: tuple[str, ...]
    bad: tuple[str, ...] = ()


# fmt: off
JUNK = (
    "", " ", "-", "--", "---", "'", '"', ",", ":", ";", "=", "%", "%s%n", "{0}", "$HOME", "`id`", "a\nb", "a\r\nb\tc",
    "\x1b[31mred\x1b[0m",
    "\x07\x08", "🂡", "é" * 40, "\udcff\udcfe", "\u202eabc", "x" * 5000, "1" * 5000, "[" * 10000, "(" * 10000,
    "uniform " * 300,
    "null", "None", "true", "nan", "inf", "-inf", "-1", "0", "0.0", "1e308", "1e-300", "1e999",
    "99999999999999999999", "0x10", "1_000",
    "٣", "½", "1,5", "1.5.5", "+3", " 3 ", "3 ", "../../../etc/passwd", "/", ".", "..", "~", "*", "folder", "missing",
    "a/b/c", "kuhn\x7f",
)
"""For anything."""
WHOLE = Texts(("1", "2", "3"), ("0", "-1", "1.5", "nan", "inf", "1e3", "", "two", "99999999999999999999", "-0", "٣",
    "1_0", "2 "))
NUMBER = Texts(("0.5", "1", "0.01", "2"), ("0", "-0.0", "-1", "nan", "inf", "-inf", "1e308", "1e-300", "1e999", "",
    "half", "0,5", "1_0"))
FILES = ("zero.json", "one.json", "both.json", "zero.cps", "one.cps", "both.cps")
_NO_FILES = (
    "missing.json", "missing.cps", "folder.json", "folder.cps", "empty.json", "empty.cps", "deep.json", "nan.json",
    "noise.cps", "other.json",
    "booby.json", "nul.json", "loop.json", "fifo/none.json", "river.spot", "kuhn.cpa", "zero.json/", "/dev/null.json",
    "." * 300 + ".json",
    "cut.cps", "twice.json", "bare.json", "list.json", "latin.json",
)
_GAMES = Texts(
    ("kuhn", "kuhn", "kuhn:4", "matrix:1 -1/-1 1", "matrix:0 -1 1/1 0 -1/-1 1 0", "rps:1", "matching_pennies:2,1,0",
     "cdrnr_fig2", "ggse_fig1",
     "ses_matrix", "coin.efg", "hidden.efg", "liars_dice:1,2", "goofspiel:2", "openspiel:kuhn_poker", "plugin:Coin",
     "river.toml", "river.spot",
     "matrix:3", "matrix:1e9 0/0 1e9", "matrix:1e-6 0/0 1e-6"),
    ("nosuch", "kuhm", "kuhn:", "kuhn:1", "kuhn:x", "kuhn:-3", "kuhn:99999999", "kuhn:3,4,5", "kuhn:cards=3",
     "matrix:", "matrix:1 2/3", "matrix:nan 1/1 1",
     "matrix:inf 1/1 1", "matrix:1e308 -1e308/-1e308 1e308", "matrix:1e-320 0/0 1", "matrix:a b/c d", "matrix:/",
     "rps:0", "rps:-1", "rps:99999",
     "leduc:merged=maybe", "goofspiel:0", "goofspiel:-2", "goofspiel:99", "liars_dice:0,0", "liars_dice:9,9",
     "battleships:0,0,1x1",
     "battleships:9,9,9x9", "battleships:1,1,2x2", "openspiel:", "openspiel:nosuch",
     "openspiel:kuhn_poker(players=3)", "openspiel:kuhn_poker(", "openspiel:chess",
     "missing.efg", "folder.efg", "empty.efg", "deep.efg", "general.efg", "forgets.efg", "nan.efg", "booby.efg",
     "latin.efg", "missing.toml", "folder.toml",
     "empty.toml", "deep.toml", "bad.toml", "missing.spot", "noise.spot", "cut.spot", "turn.toml", "fhp", "fhp:x=1",
     "os:getcwd", "math:pi", "plugin:nosuch",
     "plugin:Broken", "plugin:Endless", "plugin:Unfair", "plugin:Twins", "plugin:leaves", "plugin:number",
     "nosuchmodule:Game", "plugin:", ":Coin",
     "plugin:Coin:x", "failing:Game", "leaving:Game"),
)
_OPPONENTS = Texts(
    ("uniform", "nash", "cfr:3", "cfr+:2", "dcfr:2", "dcfr:1.5,0,2:3", "pcfr+:2", "pdcfr+:2", "cfr+:2,current",
     "cfr:2,simultaneous", "random", "random:1",
     "random:1,0.5", "noise:0.2:nash", "noise:1:uniform", "shuffle:0.5:uniform", "shuffle:0.5,1:uniform",
     "observed:5:uniform", "observed:5,2:random:1",
     "br:uniform", "bias:Bet=3:nash", "bias:a=2:uniform", "plugin:policy", *FILES),
    ("nosuch", "uniform:", "unifrom", "uniform:3", "nash:3", "cfr", "cfr:", "cfr:-1", "cfr:x", "cfr:1.5", "cf+:10",
     "cfr:0", "cfr+:2,curent", "dcfr:1000,0,2:3",
     "dcfr:1,-99,2:3", "dcfr:nan,0,2:3", "random:", "random:-1", "random:1,0", "random:1,nan", "random:1,inf",
     "random:1,1e308", "random:1,1e-300", "random:99999999999999999999",
     "noise:", "noise:2:uniform", "noise:nan:uniform", "noise:0.2", "noise:-1:uniform",
     "noise:0.1:" * 300 + "uniform", "br:" * 2000 + "uniform", "br:",
     "shuffle:2:uniform", "shuffle:0.5,x:uniform", "observed:0:uniform", "observed:x:uniform", "observed:-5:uniform",
     "bias:x=1:uniform", "bias:Bet=nan:uniform",
     "bias:Bet=-1:uniform", "bias:Bet=0:uniform", "bias:Pass=0,Bet=0:uniform", "bias:=:uniform", "bias:Bet:uniform",
     "bias:Bet=1e308:nash", "bias:Bet=inf:nash",
     "s1", "s4", "passive", "even", "odd", "last:A1", "last:A1,2", "plugin:nosuch", "plugin:raises", "plugin:nans",
     "plugin:short", "plugin:words", "plugin:leaves",
     "plugin:negative", "plugin:number", "plugin:none", "nosuchmodule:f", "os:getcwd", "math:sqrt", "failing:policy",
     "leaving:policy", "lock:leaks.txt", "leaks.txt", *_NO_FILES),
)
_AGENTS = Texts(
    (*_OPPONENTS.good, "cdrnr:p=0.5,depth=1,to=uniform", "cdbr:depth=1,to=uniform", "resolve:depth=1",
     "resolve:depth=1,seconds=0.001", "cdrnr:p=0,depth=1,to=nash",
     "abd:p=0.5,depth=1,leaf=portfolio:uniform;nash,to=uniform", "ses:alpha=0.5,depth=1,to=uniform",
     "rnr:p=0.5,to=uniform", "safe:max_exploitability=0.1,to=uniform",
     "br:to=uniform", "bne:to=uniform", "cdbr-ne:p=0.5,depth=1,to=uniform", "lbr:to=uniform",
     "resolve:depth=1,iterations=3,gadget=max-margin",
     "cdrnr:p=1,depth=1,iterations=2,remember=no,to=random:1", "resolve:depth=1,leaf=cfr:3"),
    (*_OPPONENTS.bad, "cdrnr", "cdrnr:", "cdrnr:p", "cdrnr:p=", "cdrnr:p=2,to=uniform", "cdrnr:p=nan,to=uniform",
     "cdrnr:p=0.5,p=0.5,to=uniform", "cdrnr:q=1,to=uniform",
     "cdrnr:p=0.5,depth=0,to=uniform", "cdrnr:p=0.5,depth=-1,to=uniform", "cdrnr:p=0.5,depth=9999999999,to=uniform",
     "cdrnr:p=0.5,depth=x,to=uniform", "cdrnr:p=0.5,depth=1",
     "cdrnr:p=0.5,depth=1,to=", "cdrnr:p=0.5,depth=1,leaf=[,to=uniform",
     "cdrnr:p=0.5,depth=1,leaf=plugin:nans,to=uniform", "resolve:depth=1,gadget=nosuch",
     "resolve:depth=1,prior=missing.json", "resolve:depth=1,seconds=0", "resolve:depth=1,seconds=-1",
     "resolve:depth=1,gap=0", "resolve:depth=1,iterations=0",
     "resolve:depth=1,leaf=nosuch", "resolve:depth=1,leaf=plugin:raises", "ses:alpha=2,depth=1,to=uniform",
     "abd:p=0.5,depth=1,to=uniform", "safe:to=uniform",
     "safe:max_exploitability=-1,to=uniform", "rnr:p=0.5", "plugin:Bot", "missing.cpb", "noise.cpb"),
)
_METHODS = Texts(
    ("br", "rnr", "dbr", "bne", "safe", "mix", "cdbr", "cdrnr", "lbr", "abd", "cdbr-ne", "ses"), ("nosuch", "BR",
     "rnr,safe", "rn", "lp")
)
_SOLVERS = Texts(("lp", "cfr", "cfr+", "dcfr", "pcfr+", "pdcfr+", "auto", "dcfr:1.5,0,2"), ("nosuch", "CFR", "dcfr:1",
    "dcfr:1e9,0,0", "dcfr:nan,0,0", "cfr:10", "cfr++"))
_VALUES = Texts(
    ("exact", "lp", "cfr:3", "cfr+:2", "rollout:3", "rollout:3,1", "portfolio:uniform;nash", "plugin:worth",
     "sampled:3,2:uniform"),
    ("nosuch", "cfr", "cfr:0", "cfr:x", "rollout:0", "rollout:-1", "rollout:x", "portfolio:", "portfolio:;",
     "portfolio:nosuch", "portfolio:" + "uniform;" * 50,
     "plugin:nans", "plugin:raises", "plugin:nosuch", "plugin:none", "math:pi", "failing:worth",
     "sampled:0,0:uniform", "sampled:3"),
)
_OUTPUTS = ("new.json", "new.cps", "old.json", "folder/new.json")
_NO_OUTPUTS = (
    "new.txt", "new", ".json", "nofolder/new.json", "folder", "folder.json", "", ".", "/", "-", "/dev/full",
    "/dev/full.json", "old.json/x.json", "n" * 300 + ".json",
    "loop.json", "new.json ", "\udcff.json", "a\nb.json", "new.JSON", "zero.json/", "/proc/new.json",
    "/nonexistent/new.json",
)
_GADGETS = Texts(
    ("full", "trimmed", "resolving", "max-margin", "reach-max-margin", "unsafe"), ("nosuch", "Full", "max margin")
)
_PRIORS = Texts(("none", "uniform", "blueprint", "prior.json"), ("nosuch", "missing.json", "folder.json", "deep.json",
    "nan.json", "zero.json", "list.json", "empty.json"))
_SHARES = Texts(("0", "0.5", "1", "0.1"), ("-0.1", "1.1", "nan", "inf", "", "half", "1e-300", "50%"))
_RANGE = Texts(
    ("AA", "KK", "AA,KK", "AKs", "AKs:0.5", "QQ+", "AhKh", "77-99", "AA:0.5,KK"),
    ("", "A", "XX", "AA:2", "AA:-1", "AA:nan", "AA:", ":0.5", "AhAh", "QsJh", "AKx", "22+:1e-300", "AA," * 500,
     "AA;KK", "100%", "AA-22-33", "[AA", "AA:1e308"),
)
_STACK = Texts(("5", "5,10", "10"), ("0", "-5", "nan", "inf", "5,5,5", ",", "five", "1e308", "1e-300", "5,", "1e15"))
_BETS = Texts(
    ("a", "50%", "50%, a", "x", "river: 50%", "raise: 2x"), ("", "any", "0%", "-50%", "nan%", "1e308%", "50", "50%,,",
     "turn 50%", "nosuch: 50%", "raise: 0x", "50%" + ", 51%" * 300, "a: a: a", "1e-300%")
)
_PATHS = Texts(("", "x", "a", "x x", "x a c"), ("nosuch", "b100", "x x x x", "x " * 500, "x Ah", "c", "|", "x | AcKc",
    "f", "b1e308", "bnan", "raise 4"))
TEXTS: dict[str, Texts] = {
    "game": _GAMES,
    "to": _OPPONENTS,
    "blueprint": _OPPONENTS,
    "strategy": _OPPONENTS,
    "against": _OPPONENTS,
    "play.against": _AGENTS,
    "a": _AGENTS,
    "b": _AGENTS,
    "method": _METHODS,
    "blueprint.method": Texts(("public", "cfr", "cfr+", "dcfr"), ("lp", "nosuch", "pcfr+")),
    "solver": _SOLVERS,
    "methods": Texts(("rnr", "safe,mix", "rnr,bne,br", "cdrnr", "br,,br"), ("nosuch", ",", "rnr;safe", "rnr,nosuch",
    "rnr," * 300, "ses,abd")),
    "p": _SHARES,
    "alpha": _SHARES,
    "epsilon": Texts(("0.001", "0.1", "0"), ("-1", "nan", "inf", "1", "2", "1e-300", "1e308", "")),
    "error": Texts(("0", "0.1", "0.5"), ("-1", "2", "3", "nan", "inf", "1e-300")),
    "max_exploitability": Texts(("0.1", "0", "0.01", "1"), ("-1", "nan", "inf", "1%", "5 %", "%", "-1%", "nan%",
    "1e999%", "x", "1e308", "1e-300", "0%")),
    "depth": Texts(("1", "2", "round", "game"), ("0", "-1", "x", "1.5", "nan", "99999999999999999999", "", "rounds",
    "1,2")),
    "gadget": _GADGETS,
    "leaf": _VALUES,
    "cache.empty": Texts(("samples", "hands"), ("nosuch", "", "../hands")),
    "values": Texts(("best-response", "profile"), ("nosuch", "")),
    "public": Texts(("computed", "declared"), ("nosuch", "")),
    "only": Texts(("0", "0p", "1pb"), ("nosuch",)),
    "solve": Texts(("joint", "per-state"), ("nosuch", "")),
    "prior": _PRIORS,
    "at": Texts(("moves:1", "moves:2", "round", "round:1", "game", "moves:1,moves:2"), ("", "moves", "moves:",
    "moves:0", "moves:-1", "moves:x", "moves:99999999999999999999", "rond", ",", "round,round,round",
    "moves:1;moves:2", "round:99")),
    "output": Texts(_OUTPUTS, _NO_OUTPUTS),
    "spot.output": Texts(("new.spot", "old.spot"), (*_NO_OUTPUTS, "new.json")),
    "blueprint.output": Texts(("new.cpb",), (*_NO_OUTPUTS, "new.json")),
    "frontier.output": Texts(("new.csv", "new.txt"), _NO_OUTPUTS),
    "plot": Texts(("new.svg",), ("new.txt", "new.png.txt", "nofolder/x.png", "folder.json", "", "/dev/full.png")),
    "points": Texts(("2", "3"), ("1", "0", "-1", "x", "99999999999999999999", "1e3")),
    "within": Texts(("0.1", "0.1,0.5", "0,1"), ("", ",", "x", "-1", "nan", "inf", "2", "0.1," * 200)),
    "hands": Texts(("1", "2", "3"), ("0", "-1", "x", "1.5", "nan", "")),
    "iterations": Texts(("1", "2", "3"), ("0", "-1", "x", "1.5", "nan", "", "-99999999999999999999")),
    "seconds": Texts(("0.001", "0.01"), ("0", "-1", "nan", "x", "", "-inf", "1e-300")),
    "exploitability": Texts(("0.5", "1", "10"), ("-1", "nan", "x", "", "-inf")),
    "memory": Texts(("1", "2", "0.5"), ("0", "-1", "nan", "inf", "1e-9", "x", "1e308", "1e-300")),
    "seed": Texts(("0", "1", "7"), ("-1", "1.5", "x", "nan", "99999999999999999999", "")),
    "seat": Texts(("0", "1"), ("2", "-1", "x", "", "first", "0.0")),
    "board": Texts(("Qs Jh 2h 8d 3c", "QsJh2h8d3c"), ("", "Qs", "Qs Jh", "Qs Qs 2h 8d 3c", "Xs Jh 2h 8d 3c",
    "Qs Jh 2h 8d 3c 4c", "Qs Jh 2h 8d 3", "qs jh 2h 8d 3c", "10s Jh 2h 8d 3c")),
    "oop": _RANGE,
    "ip": _RANGE,
    "pot": Texts(("10", "5"), ("0", "-10", "nan", "inf", "1e308", "1e-300", "ten", "1e15")),
    "stack": _STACK,
    "bets": _BETS,
    "raises": Texts(("1", "2"), ("0", "-1", "x", "99999999999999999999", "1.5", "999")),
    "rake": Texts(("0", "0.05"), ("-1", "1", "1.5", "nan", "inf", "5%")),
    "rake_cap": Texts(("1", "3"), ("-1", "nan", "inf", "0")),
    "file": Texts(("river.toml", "river.spot"), ("missing.toml", "folder.toml", "empty.toml", "deep.toml", "bad.toml",
    "noise.spot", "cut.spot", "zero.json", "toy.cpb", "turn.toml")),
    "blueprint.file": Texts(("toy.cpb",), ("missing.cpb", "noise.cpb", "cut.cpb", "river.spot", "zero.json",
    "folder.json")),
    "node": _PATHS,
    "blueprint.board": Texts(("Qs Kh Ac",), ("", "Qs", "2s 3s 4s", "Qs Qs Qs", "nosuch", "Qs Kh Ac Qd")),
    "precision": Texts(("single", "double"), ("half", "")),
    "lock": Texts(("leaks.txt",), ("missing.txt", "empty.txt", "bad.txt", "folder.json", "noise.cps", "nul.txt",
    "leaks_never.txt")),
    "elsewhere": Texts(("free", "solved"), ("nosuch", "as solved", "")),
    "threads": Texts(("1", "2"), ("0", "-1", "x", "9999999", "99999999999999999999", "1.5")),
    "folder": Texts(("new", "folder"), ("old.json", "nofolder/new", "", "/", ".", "/dev/full", "/proc/new", "loop.json")),
    "name": Texts(("rps",), ("nosuch", "rsp", "rps,rps", "../rps", "abd")),
    "reproduce.output": Texts(("out",), ("old.json", "nofolder/out", "/dev/full", "", "zero.json")),
}
"""By the name of a parameter, or by `command.parameter` where that is another thing in one command."""
