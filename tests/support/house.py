"""Size of the source and length of its journeys, the same figures for everybody.

`python -m tests.support.house size` prints lines by package and kind; `... journeys` functions, files, stays, returns and
depth of six calls, as traced; `... journeys --show 3` also the files of journey 3 in the order of their first call.

A journey counts every function of the package that runs, whatever its arguments are, with kernels warm and modules imported
(each call is made twice, the second one is traced). Functions are taken in the order of their first call: a stay is a run of
them within one file, a return a stay in a file that was left before.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NamedTuple

import counterplay as cp
from counterplay import cli

SOURCE = Path(cp.__file__).parent
KINDS = ("code", "signature", "import", "docstring", "comment", "blank")
Call = Callable[[], Any]


def kinds_of(path: Path) -> Counter[str]:
    """Lines of a file by kind."""
    text = path.read_text()
    lines = text.splitlines()
    kind = ["code" if line.strip() else "blank" for line in lines]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and lines[token.start[0] - 1].strip().startswith("#"):
            kind[token.start[0] - 1] = "comment"
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else []:
            if isinstance(statement, ast.Expr) and _is_text(statement.value):
                _mark(kind, statement, "docstring")
        if isinstance(node, ast.Import | ast.ImportFrom):
            _mark(kind, node, "import")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for line in range(node.lineno - 1, node.body[0].lineno - 1):
                kind[line] = "signature" if kind[line] == "code" else kind[line]
    return Counter(kind)


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _mark(kind: list[str], node: ast.stmt, name: str) -> None:
    end = node.end_lineno or node.lineno
    kind[node.lineno - 1 : end] = [name] * (end - node.lineno + 1)


def package_of(path: Path) -> str:
    """A file's package: its first folder, of `poker` the first two."""
    parts = path.relative_to(SOURCE).parts
    if len(parts) == 1:
        return "(top)"
    return "/".join(parts[:2]) if parts[0] == "poker" and len(parts) > 2 else parts[0]


def lines_by_package() -> dict[str, Counter[str]]:
    """Lines by kind, and `files`, of each package."""
    rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(SOURCE.rglob("*.py")):
        rows[package_of(path)] += kinds_of(path) + Counter(files=1)
    return dict(rows)


def lines_of(row: Counter[str]) -> int:
    """All lines of a row of `lines_by_package`."""
    return sum(row[kind] for kind in KINDS)


class Trace(NamedTuple):
    """A journey: how many functions run; the files in the order of their first call; stays; the deepest stack."""

    functions: int
    files: list[str]
    stays: int
    depth: int

    @property
    def returns(self) -> int:
        """Stays in files that were left before."""
        return self.stays - len(self.files)


def traced(call: Call) -> Trace:
    """The functions of the package that a call runs."""
    root, order, functions = f"{SOURCE.resolve()}/", list[str](), set[tuple[str, str]]()
    depth = deepest = 0

    def watch(frame: Any, event: str, _: Any) -> None:
        nonlocal depth, deepest
        name = frame.f_code.co_filename
        if event not in ("call", "return") or not name.startswith(root) or frame.f_code.co_name.startswith("<"):
            return
        if event == "return":
            depth -= 1
            return
        depth += 1
        deepest = max(deepest, depth)
        function = (name, frame.f_code.co_qualname)
        if function not in functions:
            functions.add(function)
            order.append(name.removeprefix(root))

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    stays = [name for k, name in enumerate(order) if k == 0 or order[k - 1] != name]
    return Trace(len(functions), list(dict.fromkeys(stays)), len(stays), deepest)


def _shell(line: str) -> Callable[[], Call]:
    """A command line."""

    def run() -> None:
        before, sys.argv = sys.argv, ["counterplay", *line.split()]
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
                cli.main()
        finally:
            sys.argv = before

    return lambda: run


def _leduc(method: Any) -> Callable[[], Call]:
    """A response in Leduc poker; game and model are made before."""

    def make() -> Call:
        game = cp.load("leduc")
        model = cp.opponent(game, "cfr+:10", player=1)
        return lambda: cp.respond(game, model, method)

    return make


def _flop() -> Call:
    """A solve of a flop."""
    spot = cp.Spot("Td 9d 6h", "AA,KQs,T9s,87s", "TT,AKs,QJs,65s", pot=200, stack=500, bets="60%, a")
    return lambda: cp.solve_spot(spot, percent_of_pot=1.0, precision="half")


JOURNEYS: dict[str, Callable[[], Call]] = {
    "best response, Leduc": _leduc(cp.BR()),
    "safe, Leduc": _leduc(cp.Safe(0.05)),
    "CDRNR one step ahead, Leduc": _leduc(cp.CDRNR(p=0.5, look=cp.LookAhead(depth=1, gadget=cp.FullGadget()))),
    "a flop in 16 bits": _flop,
    "command: respond in Leduc": _shell("respond leduc --to noise:0.5:nash --max-exploitability 0.1"),
    "command: respond in hold'em": _shell(
        "respond holdem:deck=20,stack=4bb,bets=fcpa,buckets=8 --to passive --p 0.5 --json"
    ),
}


def journey(name: str) -> Trace:
    """The second call of a journey."""
    make = JOURNEYS[name]
    make()()
    return traced(make())


def print_sizes() -> None:
    """Print the lines of each package."""
    rows = lines_by_package()
    print(f"{'package':24}{'files':>7}{'lines':>8}" + "".join(f"{kind:>11}" for kind in KINDS))
    listed = sorted(rows.items(), key=lambda item: -lines_of(item[1]))
    for name, row in [*listed, ("all", sum(rows.values(), Counter()))]:
        print(f"{name:24}{row['files']:7}{lines_of(row):8}" + "".join(f"{row[kind]:11}" for kind in KINDS))


def print_journeys(show: int | None) -> None:
    """Print a row for each journey. show: the number of one whose files are listed."""
    print(f"{'':3}{'journey':32}{'functions':>10}{'files':>7}{'stays':>7}{'returns':>9}{'depth':>7}")
    for number, name in enumerate(JOURNEYS, 1):
        found = journey(name)
        print(
            f"{number:2} {name:32}{found.functions:10}{len(found.files):7}{found.stays:7}{found.returns:9}{found.depth:7}"
        )
        if show == number:
            print("\n".join(f"     {file}" for file in found.files))


if __name__ == "__main__":
    words = sys.argv[1:]
    if "journeys" in words:
        print_journeys(int(words[words.index("--show") + 1]) if "--show" in words else None)
    else:
        print_sizes()
