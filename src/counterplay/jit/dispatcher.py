"""The kernel object: a Numba dispatcher that compiles one signature for all constants, and whole kernels at once."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from numba.core.compiler import Compiler, DefaultPassBuilder, Flags, compile_extra
from numba.core.compiler_machinery import PassManager
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.types import Array, BaseTuple, unliteral  # type: ignore[attr-defined]

from counterplay.errors import InputError
from counterplay.jit import notice
from counterplay.jit.cache import KernelCache, SharedCache
from counterplay.jit.clock import collection_suspended, interrupts_held, stopped
from counterplay.jit.linking import Library, LoopLibrary, SharedLibrary, depth, linking
from counterplay.jit.stamp import PACKAGE, stamped

FORBID = "COUNTERPLAY_COMPILE"
"""Environment variable: where it is `no`, a kernel that has to be compiled is an error (see `counterplay warm`)."""
_NEEDLESS = {
    "WithLifting", "InlineClosureLikes", "RewriteDynamicRaises", "MakeFunctionToJitFunction", "InlineInlinables",
    "FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass", "InlineOverloads", "AnnotateTypes",
    "DumpParforDiagnostics",
}  # fmt: skip
"""Passes of Numba without effect on kernels of this package: these have no `with` blocks, closures or comprehensions."""


class KernelCompiler(Compiler):  # type: ignore[misc]
    """The passes over functions of this package; others get all of Numba's."""

    def define_pipelines(self) -> list[Any]:
        usual, ours = DefaultPassBuilder.define_nopython_pipeline(self.state), PassManager("nopython")
        ours.passes = [step for step in usual.passes if step[0].__name__ not in _NEEDLESS]
        ours.finalize()
        return [ours]


@cache
def _stamped() -> frozenset[Path]:
    """The files of the stamp; each kernel asks for its own."""
    return frozenset(stamped())


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function. Kernels that call it share its twin, which has no entry from Python."""

    def __init__(
        self, py_func: Any, locals: Any = None, targetoptions: Any = None, pipeline_class: Any = Compiler
    ) -> None:
        super().__init__(py_func, locals or {}, targetoptions, pipeline_class)
        self._compiler = _Compiler(py_func, self.targetdescr, targetoptions, locals or {}, pipeline_class)
        self.inner, self.shared = bool(targetoptions.get("no_cpython_wrapper")), False
        if not self.inner:
            self._cache = KernelCache(py_func)

    @classmethod
    def of(
        cls, function: Callable[..., Any], *, inline: bool, inner: bool, shared: bool, nogil: bool, allocates: bool,
        loops: bool,
    ) -> Kernel:  # fmt: skip
        """The kernel of a function; options as of `kernel`."""
        path = Path(inspect.getfile(function))
        ours = path in _stamped()
        if not ours and path.is_relative_to(PACKAGE):
            raise RuntimeError(f"{path.name} has a kernel, but is not in the stamp of the kernels")
        options = {"nopython": True, "boundscheck": None, "forceinline": inline, "no_cfunc_wrapper": True}
        options |= {"no_cpython_wrapper": inner or shared, "nogil": nogil, "_nrt": allocates or not ours}
        made = cls(function, {}, options, KernelCompiler if ours else Compiler)
        made._compiler.library = LoopLibrary if loops else Library
        return made.share() if shared and ours else made

    def share(self) -> Kernel:
        """Compile it by itself, once for all kernels that call it."""
        self.shared, self._cache = True, SharedCache(self.py_func)
        self._compiler.shared_cache = self._cache
        return self

    @cached_property
    def twin(self) -> Kernel:
        """The variant that other kernels call."""
        if self.inner:
            return self
        options = {**self.targetoptions, "no_cpython_wrapper": True}
        return Kernel(self.py_func, {}, options, self._compiler.pipeline_class)

    def typeof_pyval(self, val: Any) -> Any:
        """The type of an argument; one type, and so one machine code, for an array and for its read-only twin."""
        found = super().typeof_pyval(val)
        kind = _writable(found)
        self._types_active_call.discard(found)
        self._types_active_call.add(kind)
        return kind

    def get_call_template(self, args: Any, kws: Any) -> Any:
        if not self.inner:
            return self.twin.get_call_template(args, kws)
        args = [unliteral(kind) for kind in args]
        return super().get_call_template(args, {name: unliteral(kind) for name, kind in kws.items()})

    def get_overload(self, sig: Any) -> Any:
        return super().get_overload(sig) if self.inner else self.twin.get_overload(sig)

    def compile(self, sig: Any) -> Any:
        known = self.overloads.get(sig) if depth() else None
        if known:
            return known.entry_point
        if depth() and not self.shared:
            return super().compile(sig)
        kept = self.shared or not self.inner
        alone = self._cache.compiling(sig, self.targetctx) if kept else nullcontext()
        with stopped(), interrupts_held(), alone:
            return super().compile(sig)


def _writable(kind: Any) -> Any:
    """A type with writable arrays in place of read-only ones, in tuples too."""
    if isinstance(kind, Array):
        return kind if kind.mutable else kind.copy(readonly=False)
    if not isinstance(kind, BaseTuple) or not len(kind):
        return kind
    return BaseTuple.from_types([_writable(part) for part in kind.types], getattr(kind, "instance_class", None))


class _Compiler(_FunctionCompiler):  # type: ignore[misc]
    """Compiles kernels that are not on disk, and announces it."""

    shared_cache: SharedCache | None = None
    """The files of a shared function."""
    library: type[Library] = Library
    """The kind of library of a kernel."""

    def compile(self, args: Any, return_type: Any) -> Any:
        codegen = self.targetdescr.target_context.codegen()
        name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
        if depth():
            if self.shared_cache:
                notice.compiled().append((name, args))
            return super().compile(args, return_type)
        if os.environ.get(FORBID) == "no":
            raise InputError(f"{name} is not compiled for ({', '.join(map(str, args))}), and {FORBID} is 'no'")
        _load_declarations()
        with notice.compiling(name, args), collection_suspended(), linking(codegen, kind=self.library):
            result = super().compile(args, return_type)
        for environment in result._find_referenced_environments():
            codegen.set_env(environment.env_name, environment)
        return result

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        """As Numba's, but a shared function has a library of its own kind."""
        context, flags, library = self.targetdescr.target_context, Flags(), None
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        if self.shared_cache and (file := self.shared_cache.file(args, context.codegen())):
            library = SharedLibrary(context.codegen(), self.py_func.__qualname__, file)
        about = self.targetdescr.typing_context, context, self.py_func, args, return_type, flags, self.locals
        return compile_extra(*about, library, self.pipeline_class)


@cache
def _load_declarations() -> None:
    """Load Numba's registries of functions and types without SciPy: Numba loads all of `scipy.linalg` only to find out
    whether there is a BLAS, which takes longer than the rest. A kernel that multiplies matrices still finds it.
    """
    from numba.np import linalg

    usual = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        from numba.np import arraymath
    finally:
        linalg.ensure_blas = usual
    arraymath.ensure_blas = usual
