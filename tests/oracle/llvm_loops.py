"""What is left in the loops of optimised LLVM code: calls by kind, charged to the source lines that they come from.

The text of a module is read, not its objects: llvmlite prints an instruction with its location only by printing the
module around it. Line numbers come from the !dbg chains, so that code that was inlined keeps its own lines.
"""

import pickle
import re
from collections import Counter, defaultdict

NAME = r'(?:"[^"]*"|[-\w.$]+)'
EVENT = re.compile(rf"^(?P<label>{NAME}):|label %(?P<to>{NAME})|\bcall\b[^@\n]*@(?P<callee>{NAME})\([^\n]*", re.MULTILINE)
DBG = re.compile(r"!dbg !(\d+)")
LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+), .*?scope: !(\d+)(?:, inlinedAt: !(\d+))?",
                      re.MULTILINE)
SUBPROGRAM = re.compile(r'^!(\d+) = distinct !DISubprogram\(name: "([^"]*)".*?file: !(\d+)', re.MULTILINE)
FILE = re.compile(r'^!(\d+) = !DIFile\(filename: "([^"]*)", directory: "([^"]*)"', re.MULTILINE)
EXCEPTION = re.compile(r"@\.const\.picklebuf\.([\w.]+)[^\n]*")
EXCEPTION_DATA = re.compile(r"^@\.const\.picklebuf\.([\w.]+) = [^@\n]*@\.const\.pickledata\.([\w.]+)(?:,| to)", re.MULTILINE)
PICKLED = re.compile(r'^@\.const\.pickledata\.([\w.]+) = [^\n]*? c"([^"\n]*)"', re.MULTILINE)
ESCAPED = re.compile(r"\\(\\|[0-9A-F]{2})")  # a backslash is doubled, not written as its number

KINDS = {"increments": re.compile(r"NRT_incref$"),
         "allocations": re.compile(r"NRT_(?:Rea|A)lloc|NRT_MemInfo_(?:alloc|new|varsize_(?:re)?alloc)|numba_(?:list|dict)_new")}


class Module:
    """Functions of one module in LLVM's text form."""

    def __init__(self, text):
        self.texts = {}
        for part in text.split("\ndefine ")[1:]:
            body = part[:part.index("\n}")]
            self.texts[_unquoted(re.search(rf"@({NAME})\(", body).group(1))] = body
        files = {key: f"{folder}/{name}" for key, name, folder in FILE.findall(text)}
        self.scopes = {key: files[file] for key, _, file in SUBPROGRAM.findall(text)}
        self.locations = {key: (int(line), scope, at) for key, line, scope, at in LOCATION.findall(text)}
        pickled = dict(PICKLED.findall(text))
        self.exceptions = {key: pickled[at] for key, at in EXCEPTION_DATA.findall(text)}
        self.calls = {}

    def calls_of(self, name):
        """[(callee, loops around the call, !dbg key or None)]"""
        if name not in self.calls:
            self.calls[name] = _calls_in(self.texts[name])
        return self.calls[name]

    def reached(self, roots):
        """Names of all functions that the roots call, themselves included."""
        seen, todo = set(), list(roots)
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += [callee for callee, _, _ in self.calls_of(name) if callee in self.texts]
        return seen

    def places(self, key):
        """(path, line) of a !dbg key, from the innermost inlined function outwards."""
        chain = []
        while key:
            line, scope, key = self.locations[key]
            chain.append((self.scopes[scope], line))
        return chain

    def in_loops(self, names, loops_around):
        """{(path, line): {kind: calls}} of the calls in the functions `names` that stand inside all loops that the source has
        around them. loops_around(path, line): the number of these, or None for lines that are not ours; what happens in a
        function without lines of ours is charged to the lines that call it."""
        callers = defaultdict(list)
        for name in names:
            for callee, depth, key in self.calls_of(name):
                callers[callee].append((name, depth, key))
        found = defaultdict(Counter)
        for name in names:
            for callee, depth, key in self.calls_of(name):
                for kind, pattern in KINDS.items():
                    if pattern.search(callee):
                        for place in self._charged(name, depth, key, callers, loops_around, set()):
                            found[place][kind] += 1
        return found

    def _charged(self, name, depth, key, callers, loops_around, seen):
        places = self.places(key)
        around = [loops_around(*place) for place in places]
        ours = next((at for at, loops in enumerate(around) if loops is not None), None)
        if ours is not None:
            return {places[ours]} if depth >= sum(loops or 0 for loops in around[ours:]) else set()
        if name in seen:
            return set()
        return set().union(*(self._charged(*caller, callers, loops_around, seen | {name}) for caller in callers[name]))

    def raised(self, names):
        """{(path, line): name of the exception} that the functions `names` can raise. numba keeps exceptions pickled, with
        the function, file and line of a raise. A division has none: it is where its instruction is. Other exceptions without a
        place are those of numba's own machinery."""
        found = {}
        for name in names:
            for use in EXCEPTION.finditer(self.texts[name]):
                content = _unescaped(self.exceptions[use[1]])
                exception, _, place = pickle.loads(content)
                if place is not None:
                    found[place[1], place[2]] = exception.__name__
                elif exception is ZeroDivisionError and (dbg := DBG.search(use[0])):
                    found.update(dict.fromkeys(self.places(dbg[1]), exception.__name__))
        return found


def _unescaped(text):
    return ESCAPED.sub(lambda code: "\\" if code[1] == "\\" else chr(int(code[1], 16)), text).encode("latin-1")


def _unquoted(name):
    return name.strip('"')


def _calls_in(body):
    succ, calls = defaultdict(list), []
    block = ""
    for event in EVENT.finditer(body):
        if event["label"]:
            block = _unquoted(event["label"])
        elif event["to"]:
            succ[block].append(_unquoted(event["to"]))
        elif event["callee"]:
            calls.append((_unquoted(event["callee"]), block, _location(event, body)))
    depth = loop_depths(succ)
    return [(callee, depth.get(at, 0), dbg) for callee, at, dbg in calls]


def _location(event, body):
    """A call that was moved has lost its line. That of an allocation can be told from the code behind it; a count without a
    line is that of an argument, and is charged to the caller."""
    dbg = DBG.search(event[0])
    if dbg is None and KINDS["allocations"].search(_unquoted(event["callee"])):
        dbg = DBG.search(body, event.end())
    return dbg and dbg[1]


def loop_depths(succ):
    """{block: number of loops around it}; succ: {block: [block]}. A loop is a strongly connected part; those inside it
    are found when its entries are taken away."""
    depth = defaultdict(int)
    todo = [set(succ) | {to for all_to in succ.values() for to in all_to}]
    while todo:
        nodes = todo.pop()
        for part in _cycles(nodes, succ):
            for node in part:
                depth[node] += 1
            heads = {to for at, all_to in succ.items() if at not in part for to in all_to if to in part}
            todo.append(part - heads if heads else part - {min(part)})
    return depth


def _cycles(nodes, succ):
    """The strongly connected parts of `nodes` that hold a cycle (Tarjan, without recursion)."""
    order, low, stack, on_stack, parts = {}, {}, [], set(), []
    for root in nodes:
        if root in order:
            continue
        work = [(root, iter(succ.get(root, ())))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for to in rest:
                if to not in nodes:
                    continue
                if to not in order:
                    order[to] = low[to] = len(order)
                    stack.append(to)
                    on_stack.add(to)
                    work.append((to, iter(succ.get(to, ()))))
                    break
                if to in on_stack:
                    low[node] = min(low[node], order[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    part = set()
                    while node not in part:
                        part.add(stack.pop())
                    on_stack -= part
                    if len(part) > 1 or node in succ.get(node, ()):
                        parts.append(part)
    return parts
