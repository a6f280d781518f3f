/* The Python frontend: from text to trees, and how functions are compiled across modules. */
#include "analyzer/frontend.h"
#include "analyzer/tree/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_FILES = 8 };

typedef struct File {
    const char *path, *text;
    size_t size; /* 0: up to the NUL */
} File;

typedef struct Trees {
    Arena *arena;
    Unit *units[MOST_FILES];
    uint32_t count;
    Program *program;
} Trees;

/* Parses and links the files, which must be sorted by path. */
static Trees read_files(const File *files, uint32_t count)
{
    Trees trees = {.arena = arena_new(), .count = count};
    const char **paths = arena_alloc(trees.arena, count * sizeof *paths);
    for (uint32_t i = 0; i < count; i++)
        paths[i] = files[i].path;
    FrontendOptions *options = arena_alloc(trees.arena, sizeof *options);
    *options = (FrontendOptions){.paths = paths, .path_count = count};
    void *prepared = frontend_python.prepare(trees.arena, options);
    void *worker = frontend_python.worker_open(prepared);
    for (uint32_t i = 0; i < count; i++) {
        Unit *unit = trees.units[i] = arena_alloc(trees.arena, sizeof *unit);
        *unit = (Unit){.arena = trees.arena, .language = LANGUAGE_PYTHON};
        size_t size = files[i].size != 0 ? files[i].size : strlen(files[i].text);
        LIST_PUSH(trees.arena, &unit->files,
                  source_from(trees.arena, files[i].path, files[i].text, size));
        frontend_python.parse(prepared, worker, unit);
    }
    frontend_python.worker_close(worker);
    trees.program = program_new(trees.arena, trees.units, count);
    frontend_python.link(trees.program);
    return trees;
}

static Trees read_text(const char *text)
{
    return read_files(&(File){"m.py", text, 0}, 1);
}

static void drop(Trees *trees)
{
    arena_free(trees->arena);
}

/* The dump of the first unit without places and without the line of the module. */
static char *shape(const Trees *trees)
{
    Text dump = {0};
    ast_dump(trees->units[0], &dump);
    char *out = arena_alloc(trees->arena, dump.length + 1), *at = out;
    const char *line = strchr(text_string(&dump), '\n');
    while (line != NULL && line[1] != '\0') {
        const char *next = strchr(++line, '\n');
        const char *stop = next != NULL ? next : line + strlen(line);
        const char *place = stop;
        while (place > line && place[-1] != ' ')
            place--;
        if (place > line && memchr(place, ':', (size_t)(stop - place)) != NULL &&
            memchr(place, '-', (size_t)(stop - place)) != NULL)
            stop = place - 1;
        line += 2; /* the module's indentation */
        memcpy(at, line, (size_t)(stop - line));
        at += stop - line;
        *at++ = '\n';
        line = next;
    }
    *at = '\0';
    text_free(&dump);
    return out;
}

static void assert_shape(const char *text, const char *expected)
{
    Trees trees = read_text(text);
    assert_string_equal(shape(&trees), expected);
    drop(&trees);
}

static void assert_holds(const char *text, const char *line)
{
    Trees trees = read_text(text);
    char *dump = shape(&trees);
    if (strstr(dump, line) == NULL)
        fail_msg("'%s' is not in\n%s", line, dump);
    drop(&trees);
}

static void assert_lacks(const char *text, const char *line)
{
    Trees trees = read_text(text);
    char *dump = shape(&trees);
    if (strstr(dump, line) != NULL)
        fail_msg("'%s' is in\n%s", line, dump);
    drop(&trees);
}

static const AstFunctionData *find_function(const Trees *trees, const char *qualified)
{
    for (FunctionId id = 1; id < trees->program->functions.count; id++) {
        const AstFunctionData *data = program_function_data(trees->program, id);
        if (strcmp(intern_text(trees->program->names, data->qualified), qualified) == 0)
            return data;
    }
    fail_msg("no function %s", qualified);
    return NULL;
}

static uint32_t flags_of(const Trees *trees, const char *qualified)
{
    return find_function(trees, qualified)->flags & ~(uint32_t)(FN_VARARGS | FN_METHOD | FN_STATIC);
}

/* The flags of function `name` of a module `m`. */
static uint32_t flags_in(const char *text, const char *name)
{
    Trees trees = read_text(text);
    uint32_t flags = flags_of(&trees, name);
    drop(&trees);
    return flags;
}

/* How the loops run, in order, one letter each. */
static const char *runs_in(const Trees *trees, uint32_t unit)
{
    static const char letters[] = {'s', 'P', 'w', 'v', 'r', 'o'};
    const Ast *ast = trees->units[unit]->ast;
    char *out = arena_alloc(trees->arena, ast->nodes.count + 1), *at = out;
    for (AstNode node = 1; node < ast->nodes.count; node++)
        if (ast_kind(ast, node) == AST_LOOP)
            *at++ = letters[ast_at(ast, node)->value.loop.run];
    return out;
}

static void assert_runs(const char *text, const char *expected)
{
    Trees trees = read_text(text);
    assert_string_equal(runs_in(&trees, 0), expected);
    drop(&trees);
}

#define NUMBA "from numba import njit, prange, jit\nimport numba as nb\nimport numpy as np\n"
#define LOOP  "(x):\n    for i in prange(9):\n        x[i] = 1\n"

/* ---- trees ---- */

static void names_of_imports_are_qualified_whole(void **state)
{
    (void)state;
    assert_shape("import numpy as np\nnp.random.rand(3).T\n",
                 "other import\n  name numpy #1\nexpr\n"
                 "  field T\n    call\n      name numpy.random.rand\n"
                 "      int 3\n");
    assert_holds("from numba import typed as t\nt.List()\n", "name numba.typed.List\n");
    assert_holds("import os.path\nos.path.join(1)\n", "name os.path.join\n");
    assert_holds("import numpy as np\nx[np.newaxis]\n", "constant None\n");
}

static void a_local_that_shadows_an_import_is_not_qualified(void **state)
{
    (void)state;
    assert_lacks("import numpy as np\ndef f(np):\n    return np.full(3)\n", "numpy.full");
    assert_lacks("import numpy as np\ndef f():\n    np = 3\n    return np\n",
                 "return\n      name numpy");
}

static void relative_imports_count_from_the_package(void **state)
{
    (void)state;
    File files[] = {
        {"src/pkg/__init__.py", "from .sub.a import f\n", 0},
        {"src/pkg/sub/__init__.py", "", 0},
        {"src/pkg/sub/a.py",
         "from ..b import g\nfrom . import c\nfrom ... import d\ng(c.x)\ndef f(): pass\n", 0}};
    Trees trees = read_files(files, 3);
    assert_string_equal(trees.units[0]->module, "pkg");
    assert_string_equal(trees.units[2]->module, "pkg.sub.a");
    assert_string_equal(trees.units[2]->root, "src");
    const Ast *ast = trees.units[2]->ast;
    const char *call = NULL, *argument = NULL;
    for (AstNode node = 1; node < ast->nodes.count; node++)
        if (ast_kind(ast, node) == AST_CALL) {
            call = intern_text(ast->names, ast_at(ast, node + 1)->name);
            argument = intern_text(ast->names, ast_at(ast, node + 2)->name);
        }
    assert_string_equal(call, "pkg.b.g");
    assert_string_equal(argument, "pkg.sub.c.x");
    drop(&trees);
}

static void names_belong_to_the_scope_that_binds_them(void **state)
{
    (void)state;
    /* the closure's y is the outer function's; x is its own */
    assert_shape(
        "def f(x):\n    y = x\n    def g(x):\n        return x + y\n    return g\n",
        "function m.f\n  block\n    assign =\n      name y #3\n      name x #2\n"
        "    function m.f.g\n      block\n        return\n          binary +\n            name x "
        "#5\n"
        "            name y #3\n      param x #5\n        none\n    return\n      name g #4\n"
        "  param x #2\n    none\n");
    assert_holds("n = 1\ndef f():\n    global n\n    n = 2\n", "      name n #1\n");
    assert_holds("def f():\n    k = 1\n    def g():\n        nonlocal k\n        k = 2\n",
                 "          name k #2\n");
    assert_holds("class A:\n    n = 1\n    def f(self):\n        return n\n",
                 "return\n        name n\n");
}

static void loop_variables_walrus_with_and_except_bind_names(void **state)
{
    (void)state;
    assert_holds("def f(a):\n    if (n := len(a)) > 1:\n        return n\n",
                 "return\n          name n #3\n");
    assert_holds("def f(a):\n    with a as (b, c):\n        return c\n",
                 "return\n          name c #4\n");
    assert_holds("def f(a):\n    try:\n        a()\n    except E as e:\n        return e\n",
                 "return\n          name e #3\n");
    assert_holds("def f(a):\n    match a:\n        case [b, *c]:\n            return c\n",
                 "return\n              name c #4\n");
    assert_holds("x = [i * j for i in y for j in range(i)]\n",
                 "  comprehension list\n    binary *\n      name i #2\n      name j #3\n    loop "
                 "each serial\n");
}

static void calls_of_range_and_its_kin_are_counted(void **state)
{
    (void)state;
    assert_shape("for i in range(2, n, 3):\n    pass\n",
                 "loop counted serial\n  name i #1\n  int 2\n  name n\n  int 3\n  block\n");
    assert_shape("for i in range(n):\n    pass\n",
                 "loop counted serial\n  name i #1\n  none\n  name n\n  none\n  block\n");
    assert_holds(NUMBA "for (i) in nb.prange(9): pass\n", "loop counted prange-serial\n  name i");
    assert_holds("for i in range(*a): pass\n", "loop each");
    assert_holds("for i in enumerate(a): pass\n", "loop each");
    assert_holds("for i in date_range(a, b): pass\n", "loop each");
    assert_holds("for i in orange(a): pass\n", "loop each");
}

static void a_range_in_a_variable_is_followed(void **state)
{
    (void)state;
    assert_holds(NUMBA
                 "@njit(parallel=True)\ndef f(n):\n    loop = prange(n) if n > 300 else range(n)\n"
                 "    for i in loop:\n        pass\n",
                 "loop counted parallel runtime-choice\n");
    assert_holds(NUMBA "@njit(parallel=True)\ndef f(n, p):\n    r = prange if p else range\n    "
                       "for i in r(n): pass\n",
                 "loop counted parallel runtime-choice\n");
    assert_holds("def f(a):\n    x = a\n    for i in x: pass\n", "loop each");
}

static void else_of_a_loop_stands_behind_it(void **state)
{
    (void)state;
    assert_shape("while x:\n    break\nelse:\n    y()\n",
                 "loop while serial\n  none\n  none\n  name x\n  none\n  block\n"
                 "    break\nblock\n  expr\n    call\n      name y\n");
}

static void assignments_take_their_plain_forms(void **state)
{
    (void)state;
    assert_shape(
        "a, b = x, y\n",
        "assign =\n  tuple\n    name a #1\n    name b #2\n  tuple\n    name x\n    name y\n");
    assert_shape(
        "a = b = f()\n",
        "assign =\n  name a #1\n  call\n    name f\nassign =\n  name b #2\n  call\n    name f\n");
    assert_shape("a[i, 1:, ...] += 2\n",
                 "assign +\n  index\n    name a\n    name i\n    slice\n      int 1\n      none\n"
                 "      none\n    constant ...\n  int 2\n");
    assert_shape("x: int = 3\ny: int\n", "assign =\n  name x #1\n  int 3\n");
}

static void expressions_take_their_plain_forms(void **state)
{
    (void)state;
    assert_shape("a not in b\n", "expr\n  unary not\n    compare in\n      name a\n      name b\n");
    assert_shape("a if b else c\n", "expr\n  conditional\n    name b\n    name a\n    name c\n");
    assert_shape("f(1, k=2, *a, **b)\n",
                 "expr\n  call\n    name f\n    int 1\n    keyword k\n      int 2\n    spread\n"
                 "      name a\n    spread\n      name b\n");
    assert_shape("{1: 2, **a}\n",
                 "expr\n  dict\n    int 1\n    int 2\n    none\n    spread\n      name a\n");
    assert_shape("f'a{x}b' 'c'\n", "expr\n  string abc\n    name x\n");
    assert_shape("0x_ff + 1_0 - 1e3 + 2j\n",
                 "expr\n  binary +\n    binary -\n      binary +\n        int 255\n        int 10\n"
                 "      real 1000\n    constant 2j\n");
    assert_shape("x[(i, j)]\n", "expr\n  index\n    name x\n    name i\n    name j\n");
}

static void statements_take_their_plain_forms(void **state)
{
    (void)state;
    assert_shape("if a:\n    pass\nelif b:\n    pass\nelse:\n    c\n",
                 "branch\n  name a\n  block\n  branch\n    name b\n    block\n    block\n      "
                 "expr\n        name c\n");
    assert_shape("try:\n    a\nexcept E:\n    b\nfinally:\n    c\n",
                 "try\n  block\n    expr\n      name a\n  block except for\n"
                 "    expr\n      name b\n  block finally\n    expr\n"
                 "      name c\n");
    assert_shape(
        "try:\n    a\nexcept (E, F):\n    b\nexcept Exception as e:\n    c\nexcept:\n    d\n",
        "try\n  block\n    expr\n      name a\n  block except for\n    expr\n      name b\n"
        "  block except\n    expr\n      name c\n  block except\n    expr\n      name d\n");
    assert_holds("from numba import objmode\nwith objmode(y='f8'):\n    y = 1\n",
                 "region objmode\n  block\n");
    assert_holds("with open(p) as f:\n    pass\n",
                 "with\n  block\n  assign =\n    name f #1\n    call\n");
}

static void module_constants_are_known(void **state)
{
    (void)state;
    Trees trees =
        read_text("A = 8\nB = A * 4\nC = 1\nC = 2\nD = 5\ndef f():\n    global D\n    D = 6\n");
    const Ast *ast = trees.units[0]->ast;
    int64_t known[4] = {0};
    for (uint32_t i = 0; i < ast->exports.count && i < 5; i++) {
        AstNode target = ast_first(ast, ast_parent(ast, ast->exports.items[i].node));
        const char *name = intern_text(ast->names, ast->exports.items[i].name);
        const AstSymbolData *symbol = &ast->symbols.items[ast_at(ast, target)->symbol];
        if ((symbol->flags & SYMBOL_KNOWN_VALUE) != 0)
            known[name[0] - 'A'] = symbol->value;
    }
    assert_int_equal(known[0], 8);
    assert_int_equal(known[1], 32);
    assert_int_equal(known[2], 0);
    assert_int_equal(known[3], 0);
    drop(&trees);
}

static void imported_constants_are_known(void **state)
{
    (void)state;
    File files[] = {{"pkg/__init__.py", "", 0},
                    {"pkg/a.py",
                     "from .b import SIZE\nfrom . import b\nx = SIZE\ny = b.TWICE\nz = b.CHANGED\n",
                     0},
                    {"pkg/b.py", "SIZE = 8\nTWICE = SIZE * 2\nCHANGED = 1\nCHANGED = 2\n", 0}};
    Trees trees = read_files(files, 3);
    const Ast *ast = trees.units[1]->ast;
    int64_t values[3] = {0}, value;
    for (uint32_t i = 0; i < ast->exports.count; i++) {
        const char *name = intern_text(ast->names, ast->exports.items[i].name);
        if (ast->exports.items[i].node != 0 &&
            ast_constant(ast, ast->exports.items[i].node, &value))
            values[name[0] - 'x'] = value;
    }
    assert_int_equal(values[0], 8);
    assert_int_equal(values[1], 16);
    assert_int_equal(values[2], 0);
    drop(&trees);
}

/* ---- what is broken ---- */

static void a_syntax_error_costs_its_function_only(void **state)
{
    (void)state;
    Trees trees = read_text(
        "def a(x):\n    return x\ndef b(x):\n    y = = 3\n    return\ndef c(x):\n    return x\n");
    assert_int_equal(trees.units[0]->notes.count, 1);
    assert_int_equal(trees.units[0]->notes.items[0].line, 4);
    assert_int_equal(trees.units[0]->notes.items[0].level, SEVERITY_ERROR);
    assert_non_null(strstr(trees.units[0]->notes.items[0].message, "'b'"));
    const Ast *ast = trees.units[0]->ast;
    assert_false(ast_at(ast, find_function(&trees, "m.a")->node)->flags & AST_DOUBTFUL);
    assert_true(ast_at(ast, find_function(&trees, "m.b")->node)->flags & AST_DOUBTFUL);
    assert_false(ast_at(ast, find_function(&trees, "m.c")->node)->flags & AST_DOUBTFUL);
    drop(&trees);
}

static char *repeated(Arena *arena, const char *piece, int times, const char *end)
{
    size_t length = strlen(piece);
    char *text = arena_alloc(arena, length * (size_t)times + strlen(end) + 1);
    for (int i = 0; i < times; i++)
        memcpy(text + length * (size_t)i, piece, length);
    memcpy(text + length * (size_t)times, end, strlen(end));
    return text;
}

static void hostile_files_leave_a_valid_tree(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    const File files[] = {{"a.py", "", 0},
                          {"b.py", "\xff\xfe\x00x = 1\n", 9},
                          {"c.py", repeated(arena, "(", 20000, "1"), 0},
                          {"d.py", repeated(arena, "x = [", 5000, ""), 0},
                          {"e.py", repeated(arena, "not ", 20000, "x\n"), 0},
                          {"f.py", repeated(arena, "lambda: ", 3000, "x\n"), 0},
                          {"g.py", repeated(arena, "a.b + ", 20000, "x\n"), 0},
                          {"h.py", repeated(arena, "x = ", 2000, "1\n"), 0}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        Trees trees = read_files(&files[i], 1);
        const Ast *ast = trees.units[0]->ast;
        assert_int_equal(ast_kind(ast, 1), AST_MODULE);
        assert_int_equal(ast_end(ast, 1), ast->nodes.count);
        drop(&trees);
    }
    arena_free(arena);
}

static void thousands_of_elifs_are_not_nested_thousands_deep(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    char *text = repeated(arena, "elif a:\n    b\n", 3000, "else:\n    c\n");
    File file = {"m.py", arena_printf(arena, "if z:\n    y\n%s", text), 0};
    Trees trees = read_files(&file, 1);
    const Ast *ast = trees.units[0]->ast;
    int branches = 0, deepest = 0;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        int depth = 0;
        for (AstNode up = node; up != 0 && ast_kind(ast, node) == AST_BRANCH;
             up = ast_parent(ast, up))
            depth++;
        branches += ast_kind(ast, node) == AST_BRANCH;
        deepest = depth > deepest ? depth : deepest;
        if (ast_kind(ast, node) == AST_BRANCH)
            assert_int_equal(ast_child_count(ast, node), 3);
    }
    assert_int_equal(branches, 3001);
    assert_true(deepest < 250);
    drop(&trees);
    arena_free(arena);
}

/* ---- how functions are compiled ---- */

static void decorators_of_numba_compile(void **state)
{
    (void)state;
    const uint32_t parallel = FN_COMPILED | FN_PARALLEL;
    assert_int_equal(flags_in("def f" LOOP, "m.f"), 0);
    assert_int_equal(flags_in(NUMBA "@njit\ndef f" LOOP, "m.f"), FN_COMPILED);
    assert_int_equal(flags_in(NUMBA "@njit()\ndef f" LOOP, "m.f"), FN_COMPILED);
    assert_int_equal(flags_in(NUMBA "@nb.njit(parallel=True)\ndef f" LOOP, "m.f"), parallel);
    assert_int_equal(flags_in(NUMBA "@jit(nopython=True, parallel=True)\ndef f" LOOP, "m.f"),
                     parallel);
    assert_int_equal(flags_in(NUMBA "@njit(parallel=False)\ndef f" LOOP, "m.f"), FN_COMPILED);
    assert_int_equal(flags_in("from numba import *\n@njit(parallel=True)\ndef f" LOOP, "m.f"),
                     parallel);
    assert_int_equal(flags_in(NUMBA "@njit('f8(f8[:])', inline='always', error_model='numpy', "
                                    "fastmath={'nnan'}, nogil=True)\n"
                                    "def f(x): pass\n",
                              "m.f"),
                     FN_COMPILED | FN_SIGNATURE | FN_INLINE_ALWAYS | FN_ERROR_NUMPY | FN_FASTMATH |
                         FN_NOGIL);
    assert_int_equal(flags_in(NUMBA "@nb.vectorize\ndef f(x): pass\n", "m.f"),
                     FN_COMPILED | FN_UFUNC);
    assert_int_equal(flags_in("from numba import cuda\n@cuda.jit\ndef f(x): pass\n", "m.f"),
                     FN_OFFLOAD);
    assert_int_equal(
        flags_in(NUMBA "class A:\n    @staticmethod\n    @njit\n    def f(x): pass\n", "m.A.f"),
        FN_COMPILED);
    assert_int_equal(flags_in("@mystery\ndef f(x): pass\n", "m.f"), FN_UNKNOWN_DECORATOR);
    assert_int_equal(flags_in("from jax import jit\n@jit\ndef f(x): pass\n", "m.f"),
                     FN_UNKNOWN_DECORATOR);
    assert_int_equal(
        flags_in("import functools\n@functools.lru_cache(maxsize=None)\ndef f(x): pass\n", "m.f"),
        0);
}

static void options_in_dictionaries_are_read(void **state)
{
    (void)state;
    const uint32_t parallel = FN_COMPILED | FN_PARALLEL;
    assert_int_equal(flags_in(NUMBA "O = {'parallel': True}\n@njit(**O)\ndef f" LOOP, "m.f"),
                     parallel);
    assert_int_equal(flags_in(NUMBA "O = dict(parallel=True)\n@njit(**O)\ndef f" LOOP, "m.f"),
                     parallel);
    assert_int_equal(
        flags_in(NUMBA "O = {'parallel': True}\n@njit(**{**O, **{'parallel': False}})\ndef f" LOOP,
                 "m.f"),
        FN_COMPILED);
    assert_int_equal(
        flags_in(NUMBA "O = {'nogil': True}\n@njit(**(O | {'parallel': True}))\ndef f" LOOP, "m.f"),
        parallel | FN_NOGIL);
    assert_int_equal(flags_in(NUMBA "P = True\n@njit(parallel=P)\ndef f" LOOP, "m.f"), parallel);
    assert_int_equal(
        flags_in(NUMBA "import os\nP = os.environ.get('P')\n@njit(parallel=P)\ndef f" LOOP, "m.f"),
        parallel | FN_PARALLEL_CHOICE);
    assert_int_equal(flags_in(NUMBA "@njit(**unknown())\ndef f" LOOP, "m.f"),
                     parallel | FN_PARALLEL_CHOICE);
}

static void what_is_put_into_dictionaries_of_options_counts(void **state)
{
    (void)state;
    const uint32_t parallel = FN_COMPILED | FN_PARALLEL;
    assert_int_equal(flags_in(NUMBA "O = {}\nO['parallel'] = True\n@njit(**O)\ndef f" LOOP, "m.f"),
                     parallel);
    assert_int_equal(
        flags_in(NUMBA "O = {}\nO.update(parallel=True)\n@njit(**O)\ndef f" LOOP, "m.f"), parallel);
    assert_int_equal(
        flags_in(NUMBA "O = {}\nO.update({'parallel': True})\n@njit(**O)\ndef f" LOOP, "m.f"),
        parallel);
    assert_int_equal(
        flags_in(NUMBA
                 "O = {'parallel': False}\nO.setdefault('parallel', True)\n@njit(**O)\ndef f" LOOP,
                 "m.f"),
        FN_COMPILED);
    assert_int_equal(flags_in(NUMBA
                              "O = {}\nif TURBO:\n    O['parallel'] = True\n@njit(**O)\ndef f" LOOP,
                              "m.f"),
                     parallel | FN_PARALLEL_CHOICE);
    const char *wrapper = NUMBA "def pj(*a, **kw):\n    kw.setdefault('parallel', True)\n"
                                "    return njit(*a, **kw)\n%s\ndef f" LOOP;
    Arena *arena = arena_new();
    assert_int_equal(flags_in(arena_printf(arena, wrapper, "@pj"), "m.f"), parallel);
    assert_int_equal(flags_in(arena_printf(arena, wrapper, "@pj(nogil=True)"), "m.f"),
                     parallel | FN_NOGIL);
    assert_int_equal(flags_in(arena_printf(arena, wrapper, "@pj(parallel=False)"), "m.f"),
                     FN_COMPILED);
    arena_free(arena);
}

/* A decorator that returns a function of its own, which calls one of several builds. */
static void builds_inside_decorators_count(void **state)
{
    (void)state;
    const char *decorator = NUMBA
        "def pj(fn=None, /):\n    def decorate(f):\n"
        "        builds = {p: njit(f, parallel=p) for p in (True, False)}\n"
        "        def call(*a):\n            return builds[quiet()](*a)\n        return call\n"
        "    return decorate if fn is None else decorate(fn)\n%s\ndef f" LOOP;
    const uint32_t choice = FN_COMPILED | FN_PARALLEL | FN_PARALLEL_CHOICE;
    Arena *arena = arena_new();
    assert_int_equal(flags_in(arena_printf(arena, decorator, "@pj"), "m.f"), choice);
    assert_int_equal(flags_in(arena_printf(arena, decorator, "@pj()"), "m.f"), choice);
    arena_free(arena);
    assert_int_equal(flags_in(NUMBA
                              "def pj(f):\n    one = njit(f)\n    two = njit(f, parallel=True)\n"
                              "    def call(*a):\n        return two(*a)\n    return call\n"
                              "@pj\ndef f" LOOP,
                              "m.f"),
                     choice);
    assert_int_equal(flags_in(NUMBA "def pj(f):\n    def call(*a):\n        return f(*a)\n"
                                    "    return call\n@pj\ndef f" LOOP,
                              "m.f"),
                     FN_UNKNOWN_DECORATOR);
}

static void aliases_and_factories_are_followed(void **state)
{
    (void)state;
    const uint32_t parallel = FN_COMPILED | FN_PARALLEL;
    assert_int_equal(
        flags_in(NUMBA "pj = nb.jit(nopython=True, parallel=True)\n@pj\ndef f" LOOP, "m.f"),
        parallel);
    assert_int_equal(
        flags_in(NUMBA
                 "import functools\npj = functools.partial(njit, parallel=True)\n@pj\ndef f" LOOP,
                 "m.f"),
        parallel);
    assert_int_equal(flags_in(NUMBA "import functools\npj = functools.partial(njit, "
                                    "parallel=True)\n@pj(cache=True)\ndef f" LOOP,
                              "m.f"),
                     parallel);
    assert_int_equal(
        flags_in(
            NUMBA
            "import functools\nnjit = functools.partial(njit, parallel=True)\n@njit\ndef f" LOOP,
            "m.f"),
        parallel);
    assert_int_equal(
        flags_in(NUMBA
                 "def k(**e):\n    return njit(parallel=True, **e)\n@k(fastmath=True)\ndef f" LOOP,
                 "m.f"),
        parallel | FN_FASTMATH);
    assert_int_equal(
        flags_in(NUMBA "def k(p):\n    return njit(parallel=p)\n@k(True)\ndef f" LOOP, "m.f"),
        parallel);
    assert_int_equal(
        flags_in(NUMBA "def k(f):\n    return njit(parallel=True)(f)\n@k\ndef f" LOOP, "m.f"),
        parallel);
    assert_int_equal(flags_in(NUMBA "def k(n):\n    def w(f):\n        return "
                                    "njit(fastmath=True)(f)\n    return w\n@k(3)\ndef f" LOOP,
                              "m.f"),
                     FN_COMPILED | FN_FASTMATH);
    assert_int_equal(
        flags_in(NUMBA
                 "def k(f=None, **o):\n    if f is None:\n        return lambda g: k(g, **o)\n"
                 "    return njit(f, **o)\n@k\ndef f" LOOP,
                 "m.f"),
        FN_COMPILED);
    assert_int_equal(flags_in("try:\n    from numba import njit\nexcept ImportError:\n    def "
                              "njit(f):\n        return f\n"
                              "@njit\ndef f(x): pass\n",
                              "m.f"),
                     FN_COMPILED);
    assert_int_equal(flags_in("if HAVE:\n    import numba\n    jit = numba.njit\nelse:\n    def "
                              "jit(f):\n        return f\n"
                              "@jit\ndef f(x): pass\n",
                              "m.f"),
                     FN_COMPILED);
}

static void functions_compiled_by_a_call_count(void **state)
{
    (void)state;
    const uint32_t parallel = FN_COMPILED | FN_PARALLEL;
    assert_int_equal(flags_in(NUMBA "def f" LOOP "g = njit(f)\n", "m.f"), FN_COMPILED);
    assert_int_equal(flags_in(NUMBA "def f" LOOP "g = njit(parallel=True)(f)\n", "m.f"), parallel);
    assert_int_equal(
        flags_in(NUMBA "def f" LOOP "g = njit(f)\nh = njit(f, parallel=True)\n", "m.f"),
        parallel | FN_PARALLEL_CHOICE);
    assert_int_equal(
        flags_in(NUMBA "def f" LOOP "def use(p):\n    return njit(f, parallel=p)\n", "m.f"),
        parallel | FN_PARALLEL_CHOICE);
    assert_int_equal(
        flags_in(NUMBA "class A:\n    def __init__(self, o):\n        self.f = jit(**o)(self._f)\n"
                       "    def _f(self, x):\n        pass\n",
                 "m.A._f"),
        parallel | FN_PARALLEL_CHOICE);
}

static void overloads_classes_and_closures_compile_what_they_hold(void **state)
{
    (void)state;
    Trees trees = read_text(
        "from numba.extending import overload, intrinsic, register_jitable\n"
        "from numba.experimental import jitclass\nfrom numba import njit\n"
        "@overload(abs, inline='always')\ndef ol(x):\n    def impl(x):\n        return x\n    "
        "return impl\n"
        "@intrinsic\ndef low(t, x):\n    def codegen(c):\n        pass\n    return x, codegen\n"
        "@jitclass([])\nclass A:\n    def get(self):\n        return 1\n"
        "@njit(parallel=True)\ndef out(x):\n    def inner(y):\n        return y\n    return "
        "inner(x)\n"
        "@register_jitable\ndef help(x): pass\n"
        "import numba\ndef gen(*a, **o):\n    def w(f):\n        return "
        "numba.generated_jit(*a, **o)(f)\n    return w\n"
        "@gen(parallel=True)\ndef made(x):\n    def impl(x):\n        return x\n    return impl\n");
    assert_int_equal(flags_of(&trees, "m.made.impl"), FN_COMPILED | FN_PARALLEL);
    assert_int_equal(flags_of(&trees, "m.ol"), FN_INLINE_ALWAYS);
    assert_int_equal(flags_of(&trees, "m.ol.impl"), FN_COMPILED | FN_INLINE_ALWAYS);
    assert_int_equal(flags_of(&trees, "m.low"), FN_INTRINSIC);
    assert_int_equal(flags_of(&trees, "m.low.codegen"), 0);
    assert_int_equal(flags_of(&trees, "m.A.get"), FN_COMPILED);
    assert_true(find_function(&trees, "m.A.get")->flags & FN_METHOD);
    assert_int_equal(flags_of(&trees, "m.out.inner"), FN_COMPILED | FN_PARALLEL);
    assert_int_equal(flags_of(&trees, "m.help"), FN_COMPILED);
    drop(&trees);
}

static void signatures_give_types_to_parameters(void **state)
{
    (void)state;
    assert_holds(NUMBA "@njit('f8(f8[:, ::1], ListType(i4[:]), intp)')\ndef f(x, l, n): pass\n",
                 "  param x #7 : ndarray2d of real64\n    none\n  param l #8 : typed-list of "
                 "ndarray1d of int32\n    none\n"
                 "  param n #9 : int64\n");
    assert_holds(NUMBA "@njit(nb.float32(nb.float32[:, :, ::1]))\ndef f(x): pass\n",
                 "param x #7 : ndarray3d of real32\n");
    assert_holds(NUMBA "S = ['void(f4[:])']\n@njit(S)\ndef f(x): pass\n",
                 "param x #8 : ndarray1d of real32\n");
}

static void decorators_are_found_in_other_modules(void **state)
{
    (void)state;
    File files[] = {
        {"pkg/__init__.py", "from .utils import *\nfrom .utils import pj as exported\n", 0},
        {"pkg/opts.py", "OPTS = {'parallel': True}\nCACHE = True\n", 0},
        {"pkg/use.py",
         "from pkg.utils import pj, ngjit, factory, prange, _p\nfrom . import exported, opts\nfrom "
         ".opts import OPTS\nimport numba\n"
         "@pj\ndef a" LOOP "@ngjit\ndef b" LOOP
         "@factory(True)\ndef c(x):\n    for i in _p(3): pass\n"
         "@exported\ndef d" LOOP "@numba.njit(**OPTS)\ndef e" LOOP
         "@numba.njit(parallel=opts.CACHE)\ndef f" LOOP,
         0},
        {"pkg/utils.py",
         "try:\n    import numba as nb\n    from numba import njit, prange\nexcept ImportError:\n  "
         "  prange = range\n"
         "    def njit(f): return f\nngjit = nb.jit(nopython=True, nogil=True)\npj = "
         "njit(parallel=True)\n_p = nb.prange\n"
         "def factory(flag):\n    return njit(parallel=flag)\n",
         0}};
    Trees trees = read_files(files, 4);
    assert_int_equal(flags_of(&trees, "pkg.use.a"), FN_COMPILED | FN_PARALLEL);
    assert_int_equal(flags_of(&trees, "pkg.use.b"), FN_COMPILED | FN_NOGIL);
    assert_int_equal(flags_of(&trees, "pkg.use.c"), FN_COMPILED | FN_PARALLEL);
    assert_int_equal(flags_of(&trees, "pkg.use.d"), FN_COMPILED | FN_PARALLEL);
    assert_int_equal(flags_of(&trees, "pkg.use.e"), FN_COMPILED | FN_PARALLEL);
    assert_int_equal(flags_of(&trees, "pkg.use.f"), FN_COMPILED | FN_PARALLEL);
    assert_string_equal(runs_in(&trees, 2),
                        "PrsPPP"); /* miss: `_p`, a name that says nothing, is not known to count */
    drop(&trees);
}

/* ---- which loops run in parallel ---- */

/* Each name led back to the package with a longer name, 24 deep and once for each star. */
static void stars_of_modules_that_are_not_linted_end_there(void **state)
{
    (void)state;
    Text text = {0};
    for (int i = 0; i < 40; i++)
        text_printf(&text, "from ._m%d import *\n", i);
    for (int i = 0; i < 40; i++)
        text_printf(&text, "@wrapper%d(parallel=True)\ndef f%d(x): return x\n", i, i);
    Trees trees = read_files(&(File){"pkg/sub/__init__.py", text_string(&text), 0}, 1);
    assert_true(arena_bytes(trees.arena) < 8 * 1024 * 1024);
    text_free(&text);
    drop(&trees);
}

static void only_the_outermost_prange_of_a_parallel_function_is_parallel(void **state)
{
    (void)state;
    assert_runs(
        NUMBA
        "@njit(parallel=True)\ndef f(x):\n    for i in prange(9):\n        for j in prange(9):\n"
        "            for k in range(9): pass\n    for i in prange(9): pass\n",
        "PrsP");
    assert_runs(NUMBA "@njit(parallel=True)\ndef f(x):\n    for t in range(9):\n        for j in "
                      "prange(9): pass\n",
                "sP");
    assert_runs(NUMBA "@njit\ndef f" LOOP, "r");
    assert_runs(NUMBA "def f" LOOP, "r");
}

static void prange_is_what_it_finally_names(void **state)
{
    (void)state;
    const char *parallel = "@njit(parallel=True)\ndef f(x):\n    for i in prange(9): pass\n";
    Arena *arena = arena_new();
    assert_runs(
        arena_printf(
            arena,
            "from numba import njit\ntry:\n    from numba import prange\nexcept ImportError:\n"
            "    prange = range\n%s",
            parallel),
        "P");
    assert_runs(arena_printf(arena,
                             "from numba import njit\nimport numba\nprange = numba.prange\n%s",
                             parallel),
                "P");
    assert_runs(arena_printf(arena,
                             "from numba import njit\ndef prange(n):\n    return range(n)\n%s",
                             parallel),
                "s");
    assert_runs(arena_printf(arena, "from numba import njit\nprange = range\n%s", parallel), "s");
    assert_runs(arena_printf(arena, "from numba import *\n%s", parallel), "P");
    arena_free(arena);
}

static void closures_follow_the_function_they_are_inlined_into(void **state)
{
    (void)state;
    assert_runs(NUMBA "@njit(parallel=True)\ndef f(x):\n    def g(y):\n        for i in prange(9): "
                      "pass\n    g(x)\n",
                "P");
    assert_runs(NUMBA "def f(x):\n    @njit(parallel=True)\n    def g(y):\n        for i in "
                      "prange(9): pass\n    return g\n",
                "P");
    assert_runs(NUMBA "@njit(parallel=True)\ndef f(x):\n    @njit\n    def g(y):\n        for i in "
                      "prange(9): pass\n    g(x)\n",
                "r");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_imports_are_qualified_whole),
        cmocka_unit_test(a_local_that_shadows_an_import_is_not_qualified),
        cmocka_unit_test(relative_imports_count_from_the_package),
        cmocka_unit_test(names_belong_to_the_scope_that_binds_them),
        cmocka_unit_test(loop_variables_walrus_with_and_except_bind_names),
        cmocka_unit_test(calls_of_range_and_its_kin_are_counted),
        cmocka_unit_test(a_range_in_a_variable_is_followed),
        cmocka_unit_test(else_of_a_loop_stands_behind_it),
        cmocka_unit_test(assignments_take_their_plain_forms),
        cmocka_unit_test(expressions_take_their_plain_forms),
        cmocka_unit_test(statements_take_their_plain_forms),
        cmocka_unit_test(module_constants_are_known),
        cmocka_unit_test(imported_constants_are_known),
        cmocka_unit_test(a_syntax_error_costs_its_function_only),
        cmocka_unit_test(hostile_files_leave_a_valid_tree),
        cmocka_unit_test(thousands_of_elifs_are_not_nested_thousands_deep),
        cmocka_unit_test(decorators_of_numba_compile),
        cmocka_unit_test(options_in_dictionaries_are_read),
        cmocka_unit_test(what_is_put_into_dictionaries_of_options_counts),
        cmocka_unit_test(builds_inside_decorators_count),
        cmocka_unit_test(aliases_and_factories_are_followed),
        cmocka_unit_test(functions_compiled_by_a_call_count),
        cmocka_unit_test(overloads_classes_and_closures_compile_what_they_hold),
        cmocka_unit_test(signatures_give_types_to_parameters),
        cmocka_unit_test(decorators_are_found_in_other_modules),
        cmocka_unit_test(stars_of_modules_that_are_not_linted_end_there),
        cmocka_unit_test(only_the_outermost_prange_of_a_parallel_function_is_parallel),
        cmocka_unit_test(prange_is_what_it_finally_names),
        cmocka_unit_test(closures_follow_the_function_they_are_inlined_into),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
