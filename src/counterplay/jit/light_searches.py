"""Searches of Numba's compiler that find nothing in a kernel, or what they have found before.

Numba looks for new implementations in all its registries whenever one is not found where it is looked for first, orders all
templates of a function at each call, tries the rules for arrays at each operator of numbers, computes the hash of a nested
type part by part, and follows exceptions and `with` blocks through code that has none.
"""

from __future__ import annotations

from typing import Any

from numba.core import base, byteflow, interpreter, ir, ssa, types, utils
from numba.core.typing import npydecl

_usual_refresh = base.BaseContext.refresh
_usual_order = utils.order_by_target_specificity
_usual_hash = types.Type.__hash__  # type: ignore[attr-defined]
_usual_rules = npydecl.NumpyRulesArrayOperator.generic
_usual_exits = interpreter.peep_hole_delete_with_exit
_usual_advance = byteflow.Flow._run_handle_exception

_known: dict[int, int] = {}
"""Registrations that a context has read, by its id; contexts stay."""


def _registrations(context: Any) -> int:
    """The number of implementations and rules in all registries of a context and of its types; it only grows."""
    count = 0
    for one in (context, context.typing_context):
        for registry, loader in one._registries.items():
            count += sum(len(getattr(registry, name)) for name in loader.registry_items)
    return count


def _refresh(context: Any) -> None:
    """Read new registrations, if there are any."""
    if _known.get(id(context)) != _registrations(context):
        _usual_refresh(context)
        _known[id(context)] = _registrations(context)


_orders: dict[Any, list[Any]] = {}


def _order(target: Any, templates: Any, fnkey: Any = "") -> list[Any]:
    """The templates of a function, the most specific for a target first."""
    key = target, tuple(templates)
    found = _orders.get(key)
    if found is None:
        found = _orders[key] = _usual_order(target, templates, fnkey)
    return list(found)


_hashes: dict[int, tuple[Any, int]] = {}


def _hash(kind: Any) -> int:
    """The hash of a type, which is kept with the type, so that its id stays its own."""
    found = _hashes.get(id(kind))
    if found is None:
        found = _hashes[id(kind)] = kind, _usual_hash(kind)
    return found[1]


def _rules(rules: Any, args: Any, kws: Any) -> Any:
    """The signature of an operator of arrays; None for other operands, without trying all of its loops."""
    if not any(isinstance(kind, types.ArrayCompatible) for kind in args):  # type: ignore[attr-defined]
        return None
    return _usual_rules(rules, args, kws)


def _without_exits(code: Any) -> Any:
    """Intermediate code without the exits of its `with` blocks."""
    for block in code.blocks.values():
        for one in block.body:
            if isinstance(one, ir.Assign) and one.target.name.startswith("$setup_with_exitfn"):
                return _usual_exits(code)
    return code


def _advance(flow: Any, runner: Any, state: Any) -> Any:
    """Go to the next instruction, or to the handler of its exception."""
    if flow._bytecode.exception_entries or state._blockstack:
        return _usual_advance(flow, runner, state)
    return state.advance_pc()


class _Silent:
    """A log that nobody reads."""

    def debug(self, *_: object) -> None:
        """No-op."""


LIGHTER: list[tuple[Any, str, Any]] = [
    (base.BaseContext, "refresh", _refresh),
    (utils, "order_by_target_specificity", _order),
    (types.Type, "__hash__", _hash),
    (npydecl.NumpyRulesArrayOperator, "generic", _rules),
    (interpreter, "peep_hole_delete_with_exit", _without_exits),
    (byteflow.Flow, "_run_handle_exception", _advance),
    (byteflow, "_logger", _Silent()),
    (ssa, "_logger", _Silent()),
]


def forget() -> None:
    """Let go of all types."""
    _hashes.clear()
    _orders.clear()
