"""Eight floats at once, for the kernels: a vector type for Numba and the few operations that the sweeps need. Games are
solved in float64; float32 serves large trees of ranges, where memory is scarce.

Numba tells LLVM nothing about which arrays overlap, so plain loops over several arrays stay scalar or test for overlap
each time; these operations are explicit. They are generic LLVM vector operations: a machine with narrower registers (or
of another architecture) runs them in several steps, with the same results up to the rounding of fused multiply-adds.

Memory is addressed by `Pointer` and element number: no bounds, no negative numbers, no reference counts. The caller
keeps the arrays alive and guarantees the bounds."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from counterplay.jit import kernel

LANES = 8
_INT, _LONG = ir.IntType(32), ir.IntType(64)
_FLOATS = {types.float64: ir.DoubleType(), types.float32: ir.FloatType()}
_INDEX = ir.VectorType(_INT, LANES)
_NUMBERS = [ir.Constant(_INT, k) for k in range(LANES)]


class Vector(types.Type):  # type: ignore[misc]
    """The type of eight floats."""

    def __init__(self, dtype: Any) -> None:
        super().__init__(name=f"{dtype}x8")
        self.dtype, self.value = dtype, ir.VectorType(_FLOATS[dtype], LANES)


_VECTORS = {dtype: Vector(dtype) for dtype in _FLOATS}
vector = _VECTORS[types.float64]


@register_model(Vector)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.value)


def _arithmetic(symbols: tuple[Any, Any], emit: Callable[[Any, Any, Any], Any]) -> None:
    """Let an operator combine two vectors; `contract` allows a product and a sum to become one fused operation."""

    class _Template(ConcreteTemplate):  # type: ignore[misc]
        cases = [signature(kind, kind, kind) for kind in _VECTORS.values()]  # noqa: RUF012

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)

    for symbol in symbols:
        infer_global(symbol)(type(symbol.__name__, (_Template,), {}))
        for kind in _VECTORS.values():
            lower_builtin(symbol, kind, kind)(lower)


_arithmetic((operator.add, operator.iadd), lambda b, x, y: b.fadd(x, y, flags=("contract",)))
_arithmetic((operator.sub, operator.isub), lambda b, x, y: b.fsub(x, y, flags=("contract",)))
_arithmetic((operator.mul, operator.imul), lambda b, x, y: b.fmul(x, y, flags=("contract",)))
_arithmetic((operator.truediv, operator.itruediv), lambda b, x, y: b.fdiv(x, y))


def _address(builder: Any, kind: Any, pointer: Any, index: Any) -> Any:
    return builder.gep(pointer, [index], source_etype=kind)


def _load(builder: Any, kind: Any, address: Any) -> Any:
    """A vector from any multiple of its element's size."""
    value = builder.load(address, typ=kind)
    value.align = _bytes(kind.element)
    return value


def _bytes(kind: Any) -> int:
    """Size of an element."""
    return int(kind.width // 8) if isinstance(kind, ir.IntType) else 4 if isinstance(kind, ir.FloatType) else 8


def _splat(builder: Any, value: Any, kind: Any = vector.value) -> Any:
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, _NUMBERS[0])
    return builder.shuffle_vector(one, one, ir.Constant(_INDEX, [0] * LANES))


@intrinsic  # type: ignore[untyped-decorator]
def pointer(_: Any, array: Any) -> Any:
    """A pointer to the data of an array; strided arrays are rejected at compile time. Pointers are returned unchanged."""
    same = isinstance(array, types.CPointer)
    if not same and array.layout != "C":
        return None

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if same:
            return args[0]
        return context.make_array(sig.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), emit


@intrinsic  # type: ignore[untyped-decorator]
def with_pointers(_: Any, record: Any) -> Any:
    """A NamedTuple with its arrays as pointers, also those of records inside it: arrays are reference-counted whenever they
    are passed on, and one array among a hundred pointers keeps the compiler from optimising all of them."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _opened(context, builder, sig.args[0], args[0])

    return _with_pointers(record)(record), emit


def _with_pointers(kind: Any) -> Any:
    """The type of a part of a record once it is opened."""
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types(
            [_with_pointers(part) for part in kind], getattr(kind, "instance_class", None)
        )
    if isinstance(kind, types.Array):
        if kind.layout != "C":
            raise TypingError("only contiguous arrays have pointers")
        return types.CPointer(kind.dtype)
    return kind


def _opened(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        parts = [builder.extract_value(value, k) for k in range(len(kind))]
        opened = [_opened(context, builder, *part) for part in zip(kind, parts, strict=True)]
        return context.make_tuple(builder, _with_pointers(kind), opened)
    return context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value


@intrinsic  # type: ignore[untyped-decorator]
def get(_: Any, at: Any, index: Any) -> Any:
    """Element number `index`; small integers come as int64."""
    out = types.int64 if isinstance(at.dtype, types.Integer) else at.dtype

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = context.get_value_type(at.dtype)
        value = builder.load(_address(builder, kind, *args), typ=kind)
        return context.cast(builder, value, at.dtype, out)

    return out(at, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def put(_: Any, at: Any, index: Any, value: Any) -> Any:
    """Set element number `index`."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = context.get_value_type(at.dtype)
        builder.store(args[2], _address(builder, kind, args[0], args[1]))
        return context.get_dummy_value()

    return types.void(at, types.int64, at.dtype), emit


@intrinsic  # type: ignore[untyped-decorator]
def splat(_: Any, value: Any) -> Any:
    """A vector of one float64."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _splat(builder, args[0])

    return vector(types.float64), emit


@intrinsic  # type: ignore[untyped-decorator]
def same_as(_: Any, at: Any, value: Any) -> Any:
    """A vector of one number, of the dtype of a pointer."""
    kind = _VECTORS[at.dtype]

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _splat(builder, context.cast(builder, args[1], types.float64, at.dtype), kind.value)

    return kind(at, types.float64), emit


@intrinsic  # type: ignore[untyped-decorator]
def same_by(_: Any, at: Any, double: Any, single: Any) -> Any:
    """A vector of one number, of the dtype of a pointer: `double` for float64, `single` for float32."""
    kind, which = _VECTORS[at.dtype], 1 if at.dtype == types.float64 else 2

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _splat(builder, context.cast(builder, args[which], types.float64, at.dtype), kind.value)

    return kind(at, types.float64, types.float64), emit


@intrinsic  # type: ignore[untyped-decorator]
def shifted(_: Any, at: Any, elements: Any) -> Any:
    """The pointer to element number `elements`."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _address(builder, context.get_value_type(at.dtype), *args)

    return at(at, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def fetch(_: Any, at: Any, index: Any) -> Any:
    """Bring the line of memory of element number `index`, which need not exist, into the cache: it is needed soon."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = ir.PointerType(ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [place, _INT, _INT, _INT])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [place], kind)
        where = _address(builder, context.get_value_type(at.dtype), *args)
        builder.call(prefetch, [builder.bitcast(where, place), *(ir.Constant(_INT, k) for k in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(at, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def load_small(_: Any, like: Any, at: Any, index: Any) -> Any:
    """Eight int8 packed in two int32 from element `index` on, in the dtype of the pointer `like`."""
    kind = _VECTORS[like.dtype]

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = _load(builder, ir.VectorType(ir.IntType(8), LANES), _address(builder, _INT, *args[1:]))
        return builder.sitofp(value, kind.value)

    return kind(like, at, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def load(_: Any, at: Any, index: Any) -> Any:
    """Eight neighbours from element `index` on; anything but floats is rejected at compile time."""
    kind = _VECTORS.get(at.dtype)
    if kind is None:
        return None

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _load(builder, kind.value, _address(builder, kind.value.element, *args))

    return kind(at, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def store(_: Any, at: Any, index: Any, value: Any) -> Any:
    """Set eight neighbours from element `index` on; a vector of another dtype is rejected."""
    if at.dtype != value.dtype:
        return None

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = value.value
        address = _address(builder, kind.element, args[0], args[1])
        builder.store(args[2], builder.bitcast(address, kind.as_pointer()), align=_bytes(kind.element))
        return context.get_dummy_value()

    return types.void(at, types.int64, value), emit


@intrinsic  # type: ignore[untyped-decorator]
def where_above(_: Any, value: Any, bound: Any, yes: Any, no: Any) -> Any:
    """`yes` where value > bound, else `no`."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return value(value, value, value, value), emit


@intrinsic  # type: ignore[untyped-decorator]
def joined(_: Any, index: Any, at: Any) -> Any:
    """Return whether the eight int32 from element `at` of `index` on are consecutive numbers."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        numbers = _load(builder, _INDEX, _address(builder, _INT, *args))
        first = builder.extract_element(numbers, _NUMBERS[0])
        wanted = builder.add(_splat(builder, first, _INDEX), ir.Constant(_INDEX, list(range(LANES))))
        differ = builder.bitcast(builder.icmp_unsigned("!=", numbers, wanted), ir.IntType(LANES))
        return builder.icmp_unsigned("==", differ, ir.Constant(ir.IntType(LANES), 0))

    return types.boolean(index, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def gather(_: Any, source: Any, index: Any, at: Any) -> Any:
    """Eight elements of `source`, at the numbers in the int32 `index` from element `at` on."""
    kind = _VECTORS[source.dtype]

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source, index, at = args
        value, number = ir.Constant(kind.value, ir.Undefined), kind.value.element
        for k in range(LANES):
            place = builder.load(_address(builder, _INT, index, builder.add(at, ir.Constant(_LONG, k))), typ=_INT)
            element = builder.load(_address(builder, number, source, builder.zext(place, _LONG)), typ=number)
            value = builder.insert_element(value, element, _NUMBERS[k])
        return value

    return kind(source, index, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def scatter_add(_: Any, target: Any, index: Any, at: Any, value: Any) -> Any:
    """Add eight numbers, in order, to the elements of `target` that `index` names; an element may be named twice."""

    number = value.value.element

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        target, index, at, value = args
        for k in range(LANES):
            place = builder.load(_address(builder, _INT, index, builder.add(at, ir.Constant(_LONG, k))), typ=_INT)
            address = _address(builder, number, target, builder.zext(place, _LONG))
            total = builder.fadd(builder.load(address, typ=number), builder.extract_element(value, _NUMBERS[k]))
            builder.store(total, address)
        return context.get_dummy_value()

    return types.void(target, index, types.int64, value), emit


@intrinsic  # type: ignore[untyped-decorator]
def lane_of(_: Any, value: Any, number: Any) -> Any:
    """One of eight numbers."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], builder.trunc(args[1], ir.IntType(32)))

    return value.dtype(value, types.int64), emit


@kernel(inline=True, inner=True)
def store_some(at: Any, index: int, value: Any, first: int, last: int) -> None:
    """Set some of eight neighbours from element `index` on."""
    if last - first == LANES:
        store(at, index, value)
    else:
        for k in range(first, last):
            put(at, index + k, lane_of(value, k))


@intrinsic  # type: ignore[untyped-decorator]
def take_turn(_: Any, at: Any) -> Any:
    """Fetch the counter behind a pointer to int64 and add one, atomically."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", args[0], ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(at), emit
