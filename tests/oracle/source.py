"""What the Python source of a case says: loops around a line, parallel loops, and functions that should be compiled."""

import ast
import re
from functools import lru_cache
from pathlib import Path

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)
COMPILER = re.compile(r"jit|vectorize|stencil")


class Source:
    """One file."""

    def __init__(self, path):
        self.path = str(Path(path).resolve())
        self.tree = ast.parse(Path(path).read_text(encoding="utf-8"))
        self.loops = []
        self.functions = {}  # qualified name: (first line of its code, last, is marked as compiled)
        self.calls = {}  # line: names of what is called there
        self.raising = set()  # lines with a raise, an assertion or a division
        self.nodes = {}  # name of a function: its node
        self._walk(self.tree, [], False)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                self.calls.setdefault(node.lineno, set()).add(ast.unparse(node.func).rpartition(".")[2])
            if isinstance(node, (ast.Raise, ast.Assert)) or isinstance(getattr(node, "op", None), DIVISIONS):
                self.raising.update(range(node.lineno, node.end_lineno + 1))
            if isinstance(node, FUNCTIONS):
                self.nodes[node.name] = node

    def is_dealt_out(self, line):
        """The line stands in a parallel loop, at whatever depth."""
        return any(loop.is_parallel and line in loop.body for loop in self.loops)

    def is_in_prange(self, line):
        """No loop is nearer than the parallel one."""
        inner = self._innermost(line)
        return inner is not None and inner.is_parallel

    def _innermost(self, line):
        return min((loop for loop in self.loops if loop.first < line <= loop.last), default=None,
                   key=lambda loop: loop.last - loop.first)

    def _walk(self, node, names, in_parallel):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                inner = [*names, child.name]
                if isinstance(child, FUNCTIONS):
                    first = child.body[1 if ast.get_docstring(child) is not None and len(child.body) > 1 else 0]
                    self.functions[".".join(inner)] = (first.lineno, child.end_lineno, _is_compiled(child))
                self._walk(child, inner, False)
            elif isinstance(child, (ast.For, ast.While)):
                parallel = isinstance(child, ast.For) and is_prange(child.iter)
                self.loops.append(Loop(child, parallel and not in_parallel))
                self._walk(child, names, in_parallel or parallel)
            else:
                self._walk(child, names, in_parallel)

    @lru_cache(maxsize=None)
    def loops_around(self, line):
        """Loops whose body holds the line; a loop over a fixed range may be unrolled and does not count. None outside of
        functions: numba writes the loop around the body of a prange itself, and counts its lines from 1, so that they may seem to be
        those of a docstring."""
        if not any(first <= line <= last for first, last, _ in self.functions.values()):
            return None
        return sum(1 for loop in self.loops if loop.first < line <= loop.last and not loop.is_fixed)

    def holds_loops(self, line):
        """The innermost loop around the line, or the function where there is none, has loops of its own."""
        first, last = self._cell(line)
        return any(first < loop.first and loop.last <= last for loop in self.loops)

    def called_beside(self, line):
        """Names of what is called in the innermost loop around the line, or in the function where there is none."""
        first, last = self._cell(line)
        return set().union(*(self.calls.get(other, ()) for other in range(first + 1, last + 1)))

    def called_on(self, line):
        return self.calls.get(line, set())

    def function_at(self, line):
        """Name of the innermost function whose body holds the line."""
        inside = [(last - first, name) for name, (first, last, _) in self.functions.items() if first <= line <= last]
        return min(inside)[1].rpartition(".")[2] if inside else None

    def _cell(self, line):
        inner = self._innermost(line)
        if inner is not None:
            return inner.first, inner.last
        inside = [(last - first, first - 1, last) for first, last, _ in self.functions.values() if first <= line <= last]
        return min(inside)[1:] if inside else (line - 1, line)


class Loop:
    """is_parallel: over prange, and the outermost of its nest."""

    def __init__(self, node, is_parallel):
        self.first, self.last, self.is_parallel = node.lineno, node.end_lineno, is_parallel
        self.body = range(node.body[0].lineno, node.end_lineno + 1)
        self.is_fixed = (isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and not is_prange(node.iter)
                         and all(isinstance(a, ast.Constant) for a in node.iter.args))


def deepest_nest(node, functions, seen=frozenset()):
    """How many loops are nested in one another in `node` and in what it calls; functions: {name: node}."""
    inside = max((deepest_nest(child, functions, seen) for child in ast.iter_child_nodes(node)), default=0)
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func).rpartition(".")[2]
        if name in functions and name not in seen:
            inside = max(inside, deepest_nest(functions[name], functions, seen | {name}))
    return inside + isinstance(node, (ast.For, ast.While))


def is_prange(expression):
    return (isinstance(expression, ast.Call)
            and bool(re.search(r"prange$|parallel_range$", ast.unparse(expression.func))))


def _is_compiled(function):
    return (any(COMPILER.search(ast.unparse(decorator)) for decorator in function.decorator_list)
            or any(is_prange(node) for node in ast.walk(function)))
