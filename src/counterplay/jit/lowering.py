"""Lowering of kernels to intermediate code that has little to undo.

Numba keeps each variable that outlives its block on the stack, reads a whole record for each of its fields, asks after every
call whether it failed, and makes an object of each loop's range. LLVM finds out that nearly none of this is needed, which is
much of a kernel's compilation. Here a variable that is set once is the value that it was set to, a field of a record that
was just put together is what was put there, and only calls that can fail are asked.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import Any

from llvmlite.ir import Function
from numba.core import ir, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import register_pass
from numba.core.errors import LoweringError, new_error_context  # type: ignore[attr-defined]
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from counterplay.jit.entry import KernelEntry
from counterplay.jit.light_builder import LightBuilder, cannot_fail, drop_needless, whole
from counterplay.jit.linking import SharedLibrary, take_file
from counterplay.jit.range_loops import begin, is_plain_range, next_number, range_of


class KernelLower(Lower):  # type: ignore[misc]
    """Numba's lowering of a function."""

    def setup_function(self, fndesc: Any) -> None:
        super().setup_function(fndesc)
        self.builder = LightBuilder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)

    def lower_normal_function(self, fndesc: Any) -> None:
        """Lower a function, and note whether it can fail."""
        super().lower_normal_function(fndesc)
        drop_needless(self.function)
        can = cannot_fail(self.function)
        if isinstance(self.library, SharedLibrary):
            self.library.function = fndesc.llvm_func_name
            if not can:
                raise LoweringError(f"{fndesc.qualname} is shared, but can fail")
        else:
            self.library.cannot_fail = can

    def create_cpython_wrapper(self, release_gil: bool = False) -> None:
        """Add the entry from Python."""
        if self._counts:
            super().create_cpython_wrapper(release_gil)
            return
        module, about = self.context.create_module("wrapper"), self.fndesc
        kind = self.context.call_conv.get_function_type(about.restype, about.argtypes)
        KernelEntry(self, module, Function(module, kind, about.llvm_func_name), nogil=release_gil).build()
        self.library.add_ir_module(module)

    def _find_singly_assigned_variable(self) -> None:
        """Find the variables that need no place on the stack: all that are set once, before every use."""
        self._counts = counts(self.flags, self.func_ir)
        if self._counts:
            super()._find_singly_assigned_variable()
        else:
            self._singly_assigned_vars, self._blk_local_varmap = _set_once(self.func_ir.blocks), dict[str, Any]()

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        """Set a variable, without a look at what it was where no references are counted."""
        if self._counts or name in self._singly_assigned_vars:
            super().storevar(value, name, argidx)
        else:
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """Clear a variable that counts references."""
        if self._counts:
            super().delvar(name)

    def lower_block(self, block: Any) -> None:
        """Lower a block; its instructions are put in words only if one of them fails."""
        self.pre_block(block)
        for instruction in block.body:
            self.loc = instruction.loc
            try:
                self.lower_inst(instruction)
            except Exception as error:
                words = partial(LoweringError, loc=self.loc)
                with new_error_context('lowering "{inst}" at {loc}', inst=instruction, loc=self.loc, errcls_=words):
                    raise error
        self.post_block(block)

    def lower_inst(self, inst: Any) -> None:
        """Lower an instruction, without its text for a log."""
        if type(inst) is ir.Assign:
            name = inst.target.name
            self.storevar(self.lower_assign(self.typeof(name), inst), name)
        elif type(inst) is ir.Del:
            self.delvar(inst.value)
        else:
            super().lower_inst(inst)

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        """The value of an assignment; a kernel that is called has no address."""
        if isinstance(ty, types.Dispatcher):
            return self.context.get_dummy_value()
        return super().lower_assign(ty, inst)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """The value of an expression."""
        if expr.op in ("pair_first", "pair_second") and not self._counts:
            return self.builder.extract_value(self.loadvar(expr.value.name), int(expr.op == "pair_second"))
        if expr.op == "getiter" and is_plain_range(self.typeof(expr.value.name)):
            found = begin(self.builder, self.loadvar(expr.value.name), self.context.get_value_type(resty))
            if found is not None:
                return found
        if expr.op == "iternext" and self.typeof(expr.value.name) is types.range_iter64_type:
            return next_number(self.builder, self.loadvar(expr.value.name), self.context.get_value_type(resty))
        return super().lower_expr(resty, expr)

    def _lower_call_normal(self, fnty: Any, expr: Any, signature: Any) -> Any:
        """The value of a call."""
        if is_plain_range(signature.return_type) and getattr(fnty, "typing_key", None) is range:
            bounds = self.fold_call_args(fnty, signature, expr.args, expr.vararg, expr.kws)
            return range_of(self.builder, bounds, self.context.get_value_type(signature.return_type))
        callee = _callee(fnty, signature)
        if callee is None:
            return super()._lower_call_normal(fnty, expr, signature)
        return self._call(callee, self.fold_call_args(fnty, signature, expr.args, expr.vararg, expr.kws))

    def _call(self, callee: Any, values: Any) -> Any:
        """Call a kernel that cannot fail."""
        about, call_conv, builder = callee.fndesc, self.call_conv, self.builder
        function = self.module.globals.get(about.llvm_func_name)
        if function is None:  # its own module names its arguments
            kind = call_conv.get_function_type(about.restype, about.argtypes)
            function = Function(self.module, kind, about.llvm_func_name)
        with builder.goto_entry_block():
            place = builder.alloca(call_conv.get_return_type(about.restype).pointee)
        flat = call_conv._get_arg_packer(about.argtypes).as_arguments(builder, values)
        builder.call(function, [place, call_conv._get_excinfo_argument(self.function), *flat])
        self.context.add_linking_libs([callee.library])
        return self.context.get_returned_value(builder, about.restype, whole(builder, place))


def _callee(function: Any, signature: Any) -> Any:
    """The compiled kernel that is called, if it cannot fail."""
    twin = getattr(getattr(function, "dispatcher", None), "twin", None)
    found = twin and twin.overloads.get(tuple(signature.args))
    if not found or not getattr(found.library, "cannot_fail", False):
        return None
    return None if isinstance(found.fndesc.restype, types.Optional) else found  # type: ignore[attr-defined]


def counts(flags: Any, code: Any) -> bool:
    """Whether a function counts references, or outlives a call: then variables have ends."""
    return bool(flags.nrt or code.is_generator)


def _set_once(blocks: Any) -> set[str]:
    """The variables of a function that are set at one place, which comes before all their uses on every way to them."""
    home, outside, often = dict[str, int](), dict[int, set[str]](), defaultdict[str, int](int)
    for number, block in blocks.items():
        here, outside[number] = set[str](), set[str]()
        for statement in block.body:
            named = statement.target.name if isinstance(statement, ir.Assign) else None
            outside[number] |= {one.name for one in statement.list_vars() if one.name not in here and one.name != named}
            if named is not None:
                if _reads(statement.value, named) and named not in here:
                    outside[number].add(named)
                here.add(named)
                home[named] = number
                often[named] += 1
    found = {name for name, times in often.items() if times == 1}
    above = compute_cfg_from_blocks(blocks).dominators()
    for number, used in outside.items():
        found -= {name for name in used & found if home[name] >= number or home[name] not in above[number]}
    return found


def _reads(value: Any, name: str) -> bool:
    """Whether an assigned value is made from a variable."""
    if isinstance(value, ir.Var):
        return bool(value.name == name)
    return isinstance(value, ir.Inst) and any(one.name == name for one in value.list_vars())


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):  # type: ignore[misc]
    """The pass."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> Any:
        return KernelLower

    def run_pass(self, state: Any) -> bool:
        """Lower a function. A shared one has a library of its own kind, and a name that is the same in every process."""
        file = take_file()
        if file:
            state.library = SharedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            state.library.file, state.func_id.unique_id = file, file.split(".")[-2]
        return bool(super().run_pass(state))
