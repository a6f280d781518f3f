"""Compiles functions of a case with numba, and gives what its passes leave of them, as LLVM text for each CPU target.

The front end (types, parallel loops, reference counts as they are written) knows no CPU, and takes most of the time: it runs
once a function. Every library of code that it makes is kept as it was before optimisation, and then built once per target
by numba's own classes, with numba's passes in numba's order. Run as a program, this file compiles in the plain way, without
any of this: the test compares the two.

Line tables: numba's debug mode changes the code (no inlining, longer lives, bounds checks). LineTable gives locations only.
"""

import contextlib
import importlib
import importlib.util
import os
import sys
from pathlib import Path

import llvmlite.binding as ll
import llvmlite.ir as ir
import numba
from numba.core import codegen, config, cpu, debuginfo, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

PARALLEL_BODY = "__numba_parfor_gufunc"
LINES_ONLY = 2  # DICompileUnit's emissionKind


class LineTable(debuginfo.DIBuilder):
    """Locations of instructions, nothing else. Takes the place of the builder that writes nothing."""

    dealt_out, plain = set(), set()  # (path, line) of what is compiled as the body of a parallel loop, and as anything else
    _being_lowered = []  # files of the functions that are being lowered, outermost first

    def __init__(self, module, filepath, cgctx):
        # The body of a parallel loop is put into a function of its own, "<string>": its lines are those of the file it is from.
        self.lines = self.plain
        if not os.path.isfile(filepath) and self._being_lowered:
            filepath = self._being_lowered[-1]
            self.lines = self.dealt_out
        self._being_lowered.append(filepath)
        super().__init__(module, filepath, cgctx)

    def finalize(self):
        self._being_lowered.pop()
        super().finalize()

    def mark_location(self, builder, line):
        self.lines.add((self.filepath, line))
        super().mark_location(builder, line)

    def mark_variable(self, *_args, **_kwargs):
        pass

    def mark_subprogram(self, function, qualname, argnames, argtypes, line):
        function.set_metadata("dbg", self._add_subprogram(qualname, function.name, line, function, {}))

    def _di_subroutine_type(self, line, function, argmap):
        return self.module.add_debug_info("DISubroutineType", {"types": self.module.add_metadata([])})

    def _di_compile_unit(self):
        return self.module.add_debug_info("DICompileUnit", {
            "language": ir.DIToken("DW_LANG_C_plus_plus"), "file": self.difile, "producer": "numba", "runtimeVersion": 0,
            "isOptimized": True, "emissionKind": LINES_ONLY}, is_distinct=True)


class TargetLibrary(codegen.JITCodeLibrary):
    """A library that is optimised, and not turned into machine code."""

    def _finalize_final_module(self):
        self._finalized = True


class TargetCodegen(codegen.JITCPUCodegen):
    """numba's code generator for another CPU than that of this process."""

    _library_class = TargetLibrary

    def __init__(self, cpu_name):
        self._cpu_name = cpu_name
        self._built = {}
        super().__init__("numba.exec")

    def _get_host_cpu_name(self):
        return self._cpu_name

    def _get_host_cpu_features(self):
        return ""  # those of the named CPU; numba takes the host's for all names but "generic"

    def build(self, library):
        """The library as this target's passes leave it, with all that it links."""
        if library not in self._built:
            twin = self._built[library] = self.create_library(library.name)
            for bitcode in library.before_passes:
                _add_llvm_module(twin, ll.parse_bitcode(bitcode))
            for linked in library._linking_libraries:
                twin.add_linking_library(self.build(linked))
            with global_compiler_lock:
                twin.finalize()
        return self._built[library]


def bodies_of_parallel_loops(library, seen=None):
    """The libraries, among all that `library` links, that hold the body of a parallel loop."""
    seen = set() if seen is None else seen
    for linked in library._linking_libraries:
        if linked not in seen:
            seen.add(linked)
            if PARALLEL_BODY in linked.name:
                yield linked
            yield from bodies_of_parallel_loops(linked, seen)


_add_llvm_module = codegen.CPUCodeLibrary.add_llvm_module


def _add_and_keep(library, module):
    library.__dict__.setdefault("before_passes", []).append(module.as_bitcode())
    _add_llvm_module(library, module)


def install():
    """Once a process, before the first function is compiled: line tables, and libraries that remember."""
    debuginfo.DummyDIBuilder = LineTable
    codegen.CPUCodeLibrary.add_llvm_module = _add_and_keep
    numba.njit("i8(i8)")(lambda x: x)  # numba's runtime is built and started here


@contextlib.contextmanager
def _front_end_only():
    """No passes and no machine code in the process's own libraries: nothing that is compiled can be called."""
    finalize, executable = codegen.JITCodeLibrary.finalize, cpu.CPUContext.get_executable

    def mark(library):
        library._finalized = True

    codegen.JITCodeLibrary.finalize = lambda library: (
        finalize(library) if isinstance(library, TargetLibrary) else mark(library))
    cpu.CPUContext.get_executable = lambda *_: [].append  # a builtin of its own for each: numba uses it as a key
    try:
        yield
    finally:
        codegen.JITCodeLibrary.finalize, cpu.CPUContext.get_executable = finalize, executable


def load(path):
    """The module of a file; a file of a package is imported as part of it."""
    path = Path(path).resolve()
    if (path.parent / "__init__.py").exists():
        sys.path.insert(0, str(path.parent.parent))
        return importlib.import_module(f"{path.parent.name}.{path.stem}")
    name = f"{path.parent.name}_{path.stem}".replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def names_of(module):
    """What types and functions are written with in the table."""
    return {**vars(types), "List": types.ListType, "reflected": lambda item: types.List(item, reflected=True),
            "f8": numba.f8, "f4": numba.f4, "i8": numba.i8, "i4": numba.i4, "u1": numba.u1, "b1": numba.b1,
            "typeof": numba.typeof, **{k: v for k, v in vars(module).items() if k not in ("List", "types")}}


def library_of(module, function, signature):
    """(the code before any target's passes, its name in there) of a function for argument types, both as expressions.
    Raises what numba raises where it does not compile."""
    names = names_of(module)
    dispatcher = eval(function, names)
    arguments = eval(f"({signature},)", names) if signature else ()
    if not isinstance(dispatcher, Dispatcher):
        raise TypeError(f"{function} is not compiled by numba")
    LineTable._being_lowered.clear()
    with _front_end_only():
        if arguments not in dispatcher.overloads:
            dispatcher.compile(arguments)
    result = dispatcher.overloads[arguments]
    return result.library, result.fndesc.llvm_func_name


def plain_numba(path, function, signature):
    """Prints how often counts are raised in the code that numba makes by itself, for the CPU that the environment names."""
    names = names_of(load(path))
    dispatcher = eval(function, names)
    dispatcher.compile(eval(f"({signature},)", names))
    print(next(iter(dispatcher.overloads.values())).library.get_llvm_str().count("call void @NRT_incref("))


if __name__ == "__main__":
    plain_numba(*sys.argv[1:])
