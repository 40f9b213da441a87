"""A builder of intermediate code that leaves out what is known when it is built."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from llvmlite.ir.instructions import InsertValue, PhiInstr

_COMPARE = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_BIT = ir.IntType(1)


class LightBuilder(ir.IRBuilder):  # type: ignore[misc]
    """A builder that knows the parts of what was put together, and compares constants."""

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        """A part of an aggregate: no instruction if it is at hand."""
        wanted = list(idx) if isinstance(idx, (tuple, list)) else [idx]
        while wanted and isinstance(agg, InsertValue):
            given = list(agg.indices)
            if wanted[: len(given)] == given:
                agg, wanted = agg.value, wanted[len(given) :]
            elif given[: len(wanted)] == wanted:
                break  # a part of what is wanted
            else:
                agg = agg.aggregate
        return super().extract_value(agg, wanted, name) if wanted else agg

    def icmp_signed(self, cmpop: str, lhs: Any, rhs: Any, name: str = "") -> Any:
        """A signed comparison."""
        return _compared(cmpop, lhs, rhs) or super().icmp_signed(cmpop, lhs, rhs, name)

    def icmp_unsigned(self, cmpop: str, lhs: Any, rhs: Any, name: str = "") -> Any:
        """An unsigned comparison; the sign of a constant is not known, so only equality is decided here."""
        known = _compared(cmpop, lhs, rhs) if cmpop in ("==", "!=") else None
        return known or super().icmp_unsigned(cmpop, lhs, rhs, name)

    def cbranch(self, cond: Any, truebr: Any, falsebr: Any) -> Any:
        """A branch on a condition: an unconditional one if the condition is a constant."""
        if _is_number(cond):
            return _Certain(self.branch(truebr if cond.constant else falsebr))
        return super().cbranch(cond, truebr, falsebr)


class _Certain:
    """A branch that is always taken, which takes no weights."""

    def __init__(self, branch: Any) -> None:
        self._branch = branch

    def set_weights(self, weights: Any) -> None:
        """No-op."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._branch, name)


def _is_number(value: Any) -> bool:
    return isinstance(value, ir.Constant) and isinstance(value.constant, int)


def _compared(symbol: str, one: Any, other: Any) -> Any:
    """The result of a comparison of two constants; None if one of them is none."""
    if _is_number(one) and _is_number(other):
        return ir.Constant(_BIT, int(_COMPARE[symbol](one.constant, other.constant)))
    return None


def whole(builder: Any, place: Any) -> Any:
    """What stands at a place: records part by part."""
    kind = place.type.pointee
    if not isinstance(kind, ir.LiteralStructType):
        return builder.load(place)
    number, found = ir.IntType(32), ir.Constant(kind, ir.Undefined)
    for k in range(len(kind.elements)):
        part = builder.gep(place, [number(0), number(k)], inbounds=True)
        found = builder.insert_value(found, whole(builder, part), k)
    return found


def drop_needless(function: Any) -> None:
    """Remove what puts records together that nobody asks for as a whole."""
    needed, waiting = set[int](), []
    for block in function.blocks:
        for instruction in block.instructions:
            if not isinstance(instruction, InsertValue):
                waiting += [one for one in _used_by(instruction) if isinstance(one, InsertValue)]
    while waiting:
        one = waiting.pop()
        if id(one) not in needed:
            needed.add(id(one))
            waiting += [part for part in one.operands if isinstance(part, InsertValue)]
    for block in function.blocks:
        block.instructions[:] = [
            one for one in block.instructions if not isinstance(one, InsertValue) or id(one) in needed
        ]


def _used_by(instruction: Any) -> Any:
    if isinstance(instruction, PhiInstr):
        return [value for value, _ in instruction.incomings]
    return instruction.operands


def cannot_fail(function: Any) -> bool:
    """Whether a function returns no status but success."""
    waiting, met = [function.entry_basic_block], set[int]()
    while waiting:
        block = waiting.pop()
        if id(block) in met:
            continue
        met.add(id(block))
        end = block.terminator
        if end is None or (end.opname == "ret" and not (_is_number(end.operands[0]) and end.operands[0].constant == 0)):
            return False
        waiting += [one for one in end.operands if isinstance(one, ir.Block)]
    return True
