"""The shape of the package: imports point one way, names are public once, importing is light, memory is bounded."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import counterplay as cp
import counterplay_papers
from tests.support.sources import parsed

SOURCE, PAPERS = Path(cp.__file__).parent, Path(counterplay_papers.__file__).parent
FILES = sorted([*SOURCE.rglob("*.py"), *PAPERS.rglob("*.py")])
"""Of both distributions."""
ORDER = (
    "work",
    "texts",
    "games",
    "games/formats",
    "treeplex",
    "leaves",
    "problem",
    "gametree/build",
    "gametree/compile",
    "solvers",
    "subgames",
    "networks",
    "gadgets",
    "poker/cards",
    "poker/ranges",
    "poker/betting",
    "poker/showdown",
    "poker/public_tree",
    "poker/compact/layout",
    "poker/compact/kernels",
    "poker/compact",
    "poker/subtrees",
    "poker/whole_game/boards",
    "card_abstraction",
    "poker/whole_game",
    "poker/whole_game/values",
    "poker/whole_game/strategies",
    "poker/whole_game/walks",
    "poker/whole_game/blueprints",
    "poker/plan_stores",
    "poker/spots",
    "poker/locking",
    "poker/reports",
    "strategies",
    "opponents/histories",
    "opponents/histories/sites",
    "opponents/villain",
    "opponents/counting",
    "opponents/tilting",
    "opponents",
    "value_functions",
    "lookahead",
    "blueprints",
    "blueprints/whole_game",
    "responses",
    "learning",
    "agents",
    "agents/worlds",
    "agents/learning",
    "agents/factory",
    "measure",
    "protocols",
    "page",
    "commands/parsing",
    "commands/options",
    "commands",
    "cli",
)
"""Every folder imports from itself and from those before it; the files beside `cli.py`, and `jit`, belong to everybody."""
MOST_FILES = 30
MOST_ARGUMENTS = 8
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 500, 80
CATALOGUES = {"games", "opponents"}
"""Folders with one file for each of a kind."""
SHARED_NAMES = {"Rules"}
"""Class names that several files have on purpose: every game's record of rules is `Rules`."""
BARE_WORDS = {
    "after", "again", "ahead", "alike", "alone", "asked", "back", "before", "behind", "beyond", "blended", "chosen",
    "continued", "copied", "declared", "drawn", "ended", "entered", "estimated", "fixed", "found", "given", "here",
    "known", "laid", "listed", "made", "meant", "met", "mixed", "moved", "named", "obeyed", "paid", "placed", "played",
    "possible", "ranged", "resolved", "restored", "searched", "solved", "spliced", "stacked", "told", "wanted", "way",
    "within", "written",
}  # fmt: skip
"""Participles, prepositions and adverbs that say nothing alone: no public name outside a class is one of them."""


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a file's syntax."""
    return tuple(ast.walk(parsed(path)))


@cache
def _modules() -> dict[str, Path]:
    """Every file by the name that imports it."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


@cache
def _imports(path: Path) -> frozenset[str]:
    """The modules of counterplay that a file imports, wherever in the file: at its head, in functions, for types."""
    found, modules = set(), _modules()
    for node in _nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else node.module for name in whole}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(found & set(modules))


def _folder(path: Path) -> str:
    """Where a file belongs in `ORDER`; "" if it belongs to everybody."""
    inside = path.relative_to(SOURCE)
    if len(inside.parts) == 1:
        return "cli" if inside.name in ("cli.py", "__main__.py") else ""
    if inside.parts[0] == "jit":
        return ""
    return str(inside.parent)


def test_imports_point_one_way_between_folders() -> None:
    modules = _modules()
    for path in modules.values():
        if path == SOURCE / "__init__.py":
            continue
        home = _folder(path)
        for name in _imports(path):
            to = _folder(modules[name])
            if to and modules[name].name != "__init__.py":
                assert home, f"{path.name} belongs to everybody and imports {name}"
                assert ORDER.index(to) <= ORDER.index(home), f"{path.relative_to(SOURCE)} imports {name}"


def test_no_files_import_each_other_in_a_circle() -> None:
    """At file level, imports in functions and for types counted."""
    modules = _modules()
    graph = {name: _imports(path) - {name} for name, path in modules.items() if name != "counterplay"}
    TopologicalSorter(graph).prepare()  # raises CycleError, which lists the files


def test_the_library_knows_nothing_of_the_papers() -> None:
    """`counterplay_papers` is found by its entry points alone."""
    for path in SOURCE.rglob("*.py"):
        imported = {_module_of(node) for node in _nodes(path) if isinstance(node, ast.Import | ast.ImportFrom)}
        assert not any(name.startswith("counterplay_papers") for name in imported), path


def _module_of(node: ast.Import | ast.ImportFrom) -> str:
    return node.module or "" if isinstance(node, ast.ImportFrom) else node.names[0].name


def test_the_papers_use_public_names_and_the_inner_folders_that_they_state() -> None:
    """A public name is imported from `counterplay`; every folder stated is used."""
    used = set[str]()
    for path in PAPERS.rglob("*.py"):
        for node in _nodes(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("counterplay."):
                module = str(node.module)
                public = [one.name for one in node.names if cp._HOME.get(one.name) == module]
                assert not public, f"{path}: {public} from {module}"
                homes = {one for one in counterplay_papers.INNER if f"{module}.".startswith(f"counterplay.{one}.")}
                if not homes:
                    place = module.removeprefix("counterplay.").replace(".", "/")
                    assert place == "jit" or _folder(SOURCE / f"{place}.py") == "", f"{path}: {module}"
                used |= homes
    assert used == set(counterplay_papers.INNER)


def test_every_folder_is_in_the_order_and_small() -> None:
    folders = {str(path.parent.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if path.name != "__init__.py"}
    assert folders - {".", "jit"} == set(ORDER) - {"cli"}
    for folder in folders - CATALOGUES:
        files = [path for path in (SOURCE / folder).glob("*.py") if path.name != "__init__.py"]
        assert len(files) <= MOST_FILES, folder


def test_files_and_functions_are_short() -> None:
    for path in FILES:
        assert path.read_text().count("\n") <= MOST_LINES, path
        for node in _nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                assert lines <= MOST_LINES_OF_A_FUNCTION, f"{path}: {node.name} has {lines} lines"


def test_files_and_public_names_are_no_bare_words() -> None:
    for path in FILES:
        assert path.stem not in BARE_WORDS, path
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                assert node.name.lower() not in BARE_WORDS, f"{path}: {node.name}"


def test_a_class_name_has_one_meaning() -> None:
    homes: dict[str, Path] = {}
    for path in FILES:
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in SHARED_NAMES:
                assert node.name not in homes, f"{node.name}: {homes[node.name]} and {path}"
                homes[node.name] = path


def test_faces_of_folders_name_doors_that_exist() -> None:
    """A folder says in one sentence what is in it; its `Door` and `Registry` name members of its files, or of others'."""
    for path in (path for path in FILES if path.name == "__init__.py"):
        said = ast.get_docstring(parsed(path)) or ""
        assert said, path
        for paragraph in said.split("\n\n"):
            if paragraph.startswith(("Door: ", "Registry: ")):
                for module, name in re.findall(r"`([a-z_.]+)\.(\w+)`", paragraph):
                    place = module.replace(".", "/") + ".py"
                    home = next((x for x in (path.parent / place, SOURCE / place) if x.exists()), None)
                    assert home, f"{path}: {module}"
                    assert name in _defined(home), f"{path}: {module}.{name}"


def _defined(path: Path) -> set[str]:
    """What a file defines at its top level."""
    found = set()
    for node in parsed(path).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def test_public_names_exist() -> None:
    for name in cp.__all__:
        assert getattr(cp, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = cp.nonsense


def test_importing_loads_nothing_heavy() -> None:
    """`import counterplay` and `counterplay games` must not pay for numba, scipy or HiGHS."""
    code = (
        "import sys, counterplay.cli; from counterplay.games import GAMES; counterplay.cli.program();"
        "print([m for m in ('numba', 'scipy', 'highspy', 'matplotlib', 'rich', 'numpy') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_a_run_imports_its_command_alone() -> None:
    """Its help is that of the whole program, and a word that is no command is answered from all of them."""
    code = (
        "import sys; sys.argv = ['counterplay', 'games', '--help']; import counterplay.cli, atexit;"
        "atexit.register(lambda: print([m for m in sys.modules if m.startswith('counterplay.commands.re')]));"
        "counterplay.cli.main()"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "Example: counterplay games" in shown
    assert shown.strip().splitlines()[-1] == "[]"


@pytest.mark.parametrize("spec", ["leduc", "goofspiel:5", "liars_dice:1,5"])
def test_memory_of_a_compiled_game(spec: str) -> None:
    """At most 100 bytes a payoff entry and 200 a sequence, everything in the compiled game counted; both players' plans, 8
    bytes a sequence, are a twentieth of it at most.
    """
    game = cp.load(spec)
    arrays: dict[int, int] = {}
    _count(game, arrays, set())
    sequences = sum(tree.sequences for tree in game.trees)
    assert sum(arrays.values()) <= 100 * game.payoff.entries + 200 * sequences
    assert 8 * sum(tree.size for tree in game.trees) <= 0.05 * sum(arrays.values())


def _count(thing: object, arrays: dict[int, int], seen: set[int]) -> None:
    """Bytes of all arrays that can be reached, each counted once."""
    import numpy as np

    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        arrays[id(thing)] = thing.nbytes
    elif isinstance(thing, tuple | list):
        for item in thing:
            _count(item, arrays, seen)
    elif hasattr(thing, "__dict__") and type(thing).__module__.startswith("counterplay"):
        for item in vars(thing).values():
            _count(item, arrays, seen)


def test_nothing_branches_on_the_words_of_a_message() -> None:
    """Errors have types: no condition looks into the text of an exception."""
    for path in FILES:
        nodes = _nodes(path)
        caught = {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
        for node in nodes:
            if isinstance(node, ast.Compare | ast.If | ast.IfExp):
                test = node if isinstance(node, ast.Compare) else node.test
                assert not _words_of(test, caught), f"{path}:{node.lineno}"


def _words_of(test: ast.expr, caught: set[str]) -> bool:
    """Whether a condition turns a caught exception into text, or asks for its arguments."""
    for part in ast.walk(test):
        asked: list[ast.expr] = []
        if isinstance(part, ast.Call) and ast.unparse(part.func) in ("str", "repr"):
            asked = part.args
        elif isinstance(part, ast.Attribute) and part.attr == "args":
            asked = [part.value]
        if any(isinstance(of, ast.Name) and of.id in caught for of in asked):
            return True
    return False


KINDS_OF_GAMES = {"GameTree", "SpotGame", "StoredSpotGame", "Holdem", "HoldemGame", "SpotRules"}
ASKED_THERE = {"gametree/compile/load.py", "poker/spots/spot_game.py", "poker/whole_game/rules.py"}
"""Where an object is brought to its kind; all others look into a registry by kind (`problem.subgame.by_kind`)."""


def test_nothing_branches_on_the_kind_of_a_game() -> None:
    """A new kind of game is a line in each registry that it has something of its own for."""
    found = set()
    for path in _modules().values():
        for asked in re.findall(r"\bisinstance\([^()]*(?:\([^()]*\)[^()]*)*\)", path.read_text()):
            if KINDS_OF_GAMES & set(re.findall(r"\w+", asked)):
                found.add(path.relative_to(SOURCE).as_posix())
    assert found == ASKED_THERE


def test_public_functions_take_few_arguments() -> None:
    """But commands made from records, whose arguments are options, and kernels, which take arrays."""
    for path in FILES:
        for node in _nodes(path):
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            if any(ast.unparse(one).split("(")[0] in ("kernel", "takes_records") for one in node.decorator_list):
                continue
            named = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            assert len([name for name in named if name not in ("self", "cls")]) <= MOST_ARGUMENTS, (
                f"{path}: {node.name}"
            )


def test_no_test_file_imports_another() -> None:
    """What several of them need is in `tests/support`."""
    tests = Path(__file__).parent.parent
    for path in tests.rglob("*.py"):
        found = re.findall(r"^from tests\.(?!support)\S+ import", path.read_text(), re.MULTILINE)
        assert not found, f"{path}: {found}"
