"""The entry of a kernel from Python: it turns Python's objects into arguments, and the result into an object.

Numba writes out how each array of each record is read, hands all its parts to the function, and words every failure: a
third of the code of a kernel whose records hold many arrays. Here objects are read by small functions of the module, and a
function that cannot fail is not asked. Objects are what the dispatcher has found them to be, which chose the entry by their
types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.callwrapper import PyCallWrapper
from numba.core.types import BaseTuple, NoneType, Omitted  # type: ignore[attr-defined]
from numba.np.numpy_support import as_dtype

from counterplay.jit.light_builder import LightBuilder, drop_needless, whole

_BIT, _LONG, _OBJECT = ir.IntType(1), ir.IntType(64), ir.PointerType(ir.IntType(8))
_WRONG = "can't unbox array from PyObject into native value.  The object maybe of a different type"


class KernelEntry(PyCallWrapper):  # type: ignore[misc]
    """The entry of a kernel that counts no references.

    Args:
        lower: the lowering of the kernel.
    """

    def __init__(self, lower: Any, module: Any, function: Any, *, nogil: bool) -> None:
        super().__init__(lower.context, module, function, lower.fndesc, lower.env, lower.call_helper, nogil)
        self._cannot_fail, self._failures = lower.library.cannot_fail, list[Any]()

    def build(self) -> None:
        """Add the function to the module."""
        kind = ir.FunctionType(_OBJECT, [_OBJECT] * 3)
        function = ir.Function(self.module, kind, name=self.fndesc.llvm_cpython_wrapper_name)
        builder = LightBuilder(function.append_basic_block("entry"))
        self._emit(self.context.get_python_api(builder), builder, function.args[1])
        drop_needless(function)

    def _emit(self, api: Any, builder: Any, args: Any) -> None:
        """Read the arguments, call, and return the result."""
        about, call_conv = self.fndesc, self.context.call_conv
        values = [
            None if isinstance(kind, Omitted) else self._read(api, kind, api.tuple_getitem(args, k))
            for k, kind in enumerate(about.argtypes)
        ]
        failed = ir.Constant(_BIT, 0)
        for one in self._failures:
            failed = builder.or_(failed, one)
        with builder.if_then(failed, likely=False):
            builder.ret(api.get_null_object())
        manager = self._environment(api, builder)
        state = api.save_thread() if self.release_gil else None
        status, result = call_conv.call_function(builder, self.func, about.restype, about.argtypes, values)
        if state is not None:
            api.restore_thread(state)
        if self._cannot_fail:
            self._return(api, builder, status, result, manager)
            return
        with builder.if_then(status.is_ok, likely=True):
            self._return(api, builder, status, result, manager)
        call_conv.raise_error(builder, api, status)
        builder.ret(api.get_null_object())

    def _environment(self, api: Any, builder: Any) -> Any:
        """What objects of Python are made with; numbers need nothing, but loading a kernel sets its place."""
        if not isinstance(self._simplified_return_type(), (types.Number, types.Boolean, NoneType)):
            return self.get_env(api, builder)
        self.context.declare_env_global(builder.module, self.context.get_env_name(self.fndesc))
        return None

    def _return(self, api: Any, builder: Any, status: Any, result: Any, manager: Any) -> None:
        with builder.if_then(status.is_none):
            api.return_none()
        builder.ret(api.from_native_return(self._simplified_return_type(), result, manager))

    def _read(self, api: Any, kind: Any, found: Any) -> Any:
        """The value of an object."""
        builder = api.builder
        if isinstance(kind, BaseTuple):
            parts = [self._read(api, part, api.tuple_getitem(found, k)) for k, part in enumerate(kind)]
            return self.context.make_tuple(builder, kind, parts)
        if isinstance(kind, types.Array):
            size = ir.Constant(_LONG, as_dtype(kind.dtype).itemsize)
            return self._by(api, _read_array, kind, f"array{kind.ndim}", found, size)
        if kind in (types.int64, types.float64):
            return self._by(api, _read_number, kind, str(kind), found)
        native = api.to_native_value(kind, found)
        self._failures.append(native.is_error)
        return native.value

    def _by(self, api: Any, emit: Callable[[Any, Any, Any], None], kind: Any, name: str, *given: Any) -> Any:
        """What a function of the module reads; it is made when it is first asked for."""
        about = ir.FunctionType(_BIT, [_OBJECT, *(one.type for one in given)])
        function = self.module.globals.get(f"read_{name}")
        if function is None:
            function = ir.Function(self.module, about, name=f"read_{name}")
            function.linkage = "internal"
            function.attributes.add("noinline")
            emit(self.context, function, kind)
        builder = api.builder
        with builder.goto_entry_block():
            place = builder.alloca(self.context.get_value_type(kind))
        self._failures.append(builder.call(function, [builder.bitcast(place, _OBJECT), *given]))
        return whole(builder, place)


def _read_array(context: Any, function: Any, kind: Any) -> None:
    """Emit the function that reads an array of items of a size."""
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    api, (place, found, size) = context.get_python_api(builder), function.args
    code = api.numba_array_adaptor(found, place)
    ours = builder.bitcast(place, context.get_value_type(kind).as_pointer())
    items = context.make_array(kind)(context, builder, ref=ours).itemsize
    failed = builder.or_(cgutils.is_not_null(builder, code), builder.icmp_unsigned("!=", items, size))
    with builder.if_then(failed, likely=False):
        api.err_set_string("PyExc_TypeError", _WRONG)
    builder.ret(failed)


def _read_number(context: Any, function: Any, kind: Any) -> None:
    """Emit the function that reads a number."""
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    place, found = function.args
    native = context.get_python_api(builder).to_native_value(kind, found)
    builder.store(native.value, builder.bitcast(place, native.value.type.as_pointer()))
    builder.ret(native.is_error)
