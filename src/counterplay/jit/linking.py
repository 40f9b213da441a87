"""Linking of kernels: functions that only kernels call stay intermediate code until the whole is optimised.

By default Numba optimises every compiled function together with all its callees and emits machine code for it; code eight
calls deep is processed eight times. Here a function without an entry from Python stays as it was written, and a kernel links
all that it calls, directly or not, once before it is optimised and emitted. Large functions that many kernels call are
*shared*: each is optimised and emitted by itself, once, and the kernels call its machine code.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary

_ENTRY, _ENVIRONMENT, _COUNT = "_ZN7cpython", "_ZN08NumbaEnv", "NRT_incref"
_thread = threading.local()


class _NoEngine:
    """A stand-in for the execution engine of a library without machine code."""

    def set_env(self, name: str, environment: Any) -> None:
        """No-op: environments are set where the code ends up."""


class Library(JITCodeLibrary):  # type: ignore[misc]
    """The code of one function; of all its callees too if it has an entry from Python."""

    _linked_only, _loops = False, False
    _shared_module: Any
    _linking_libraries: Any
    needs: tuple[tuple[str, str], ...] = ()
    """Files and symbols of the shared functions that it calls."""

    @property
    def codegen(self) -> Any:
        return _NoEngine() if self._linked_only else self._codegen

    def finalize(self) -> None:
        self._linked_only = not any(self._is_kept(function) for function in self._final_module.functions)
        if self._linked_only:
            self._raise_if_finalized()
            self._finalize_dynamic_globals()
            self._finalized = True
            return
        # The libraries of all callees, callers first: LLVM drops functions that nothing calls yet.
        found, needs = dict[Any, None](), set[tuple[str, str]]()
        waiting = list(reversed(self._linking_libraries))
        while waiting:
            library = waiting.pop()
            if isinstance(library, SharedLibrary):
                needs.add((library.file, library.symbol))
            elif library not in found:
                found[library] = None
                if getattr(library, "_linked_only", False):
                    waiting += reversed(library._linking_libraries)
        self.needs, self._linking_libraries = tuple(sorted(needs)), list(found)
        super().finalize()

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout  # the passes run over the whole kernel

    def _optimize_final_module(self) -> None:
        # Inline the kernel into its entry point, so that unused argument fields are eliminated.
        for function in self._final_module.functions:
            is_public = function.linkage == llvm.Linkage.external and not function.is_declaration
            if is_public and not self._is_kept(function):
                function.linkage = "internal"
        if any(function.name == _COUNT for function in self._final_module.functions):
            super()._optimize_final_module()
            return
        # Without the first round of passes, which only prunes reference counts; and unless the kernel asks for it, without
        # copies of the bodies of loops, which make code that computes in lanes, or follows a tree, no faster.
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        options.loop_unrolling = options.loop_vectorization = options.slp_vectorization = self._loops
        options.loop_interleaving = self._loops
        builder = llvm.create_pass_builder(self._codegen._tm, options)
        builder.getModulePassManager().run(self._final_module, builder)

    def _is_kept(self, function: Any) -> bool:
        """Return whether others call a function of the library by its name."""
        return bool(function.name.startswith(_ENTRY) and not function.is_declaration)

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()
        if self._linked_only and self._shared_module is None:  # nobody else has it: no copy
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"
            self._shared_module = self._final_module
        return super()._get_module_for_linking()

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0 if self._linked_only else int(super().get_pointer_to_function(name))

    def serialize_using_object_code(self) -> Any:
        """The machine code and the names that are asked for; no intermediate code of a kernel is ever linked."""
        self._ensure_finalized()
        module = self._final_module
        lines = [f'define void @"{f.name}"() {{ ret void }}' for f in module.functions if self._is_kept(f)]
        lines += [f'@"{v.name}" = global i8 0' for v in module.global_variables if v.name.startswith(_ENVIRONMENT)]
        return self.name, "object", (self._get_compiled_object(), llvm.parse_assembly("\n".join(lines)).as_bitcode())


class LoopLibrary(Library):
    """The code of a kernel whose plain loops over arrays are unrolled and become vector instructions."""

    _loops = True


class SharedLibrary(Library):
    """The machine code of one function that kernels call, with all its callees. file: where it is kept."""

    def __init__(self, codegen: Any, name: str, file: str = "") -> None:
        super().__init__(codegen, name)
        self.file, self.symbol = file, ""
        self.enable_object_caching()

    @property
    def codegen(self) -> Any:
        return _NoEngine()  # it makes no objects of Python

    def finalize(self) -> None:
        defined = (f for f in self._final_module.functions if not f.is_declaration)
        self.symbol = next(f.name for f in defined if f.linkage == llvm.Linkage.external)
        super().finalize()

    def _is_kept(self, function: Any) -> bool:
        return bool(function.name == self.symbol)


def depth() -> int:
    """The nesting depth of compilations in this thread."""
    return getattr(_thread, "depth", 0)


@contextmanager
def linking(codegen: Any, kind: type[Library] = Library) -> Iterator[None]:
    """Make libraries of this kind inside the block; the caller holds the compiler's lock."""
    usual = codegen._library_class
    _thread.depth, codegen._library_class = depth() + 1, kind
    try:
        yield
    finally:
        _thread.depth, codegen._library_class = depth() - 1, usual
