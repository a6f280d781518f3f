/* The tree of one file: one array of nodes in pre-order with 32-bit ids; node 0 is "none"; the
 * subtree of n is the slice [n, ast_end(n)). One language-neutral shape for C and Python; beside it
 * stand tables of symbols, types and functions. Owner: the unit (unit.h); everything is allocated
 * in the unit's arena.
 *
 * A frontend is a recursion of ast_open and ast_close. */
#ifndef ANALYZER_TREE_AST_H
#define ANALYZER_TREE_AST_H

#include "analyzer/base/intern.h"
#include "analyzer/base/text.h"

#include <stdbool.h>

typedef uint32_t AstNode;     /* index into Ast.nodes */
typedef uint32_t AstSymbol;   /* index into Ast.symbols; 0 none */
typedef uint32_t AstType;     /* index into Ast.types; 0 unknown */
typedef uint32_t AstFunction; /* index into Ast.functions; 0 is code outside functions */

typedef enum AstKind {
#define NODE(KIND, word, children) AST_##KIND,
#include "analyzer/tree/kinds.def"
#undef NODE
    AST_KIND_COUNT
} AstKind;

/* Operators, of UNARY, BINARY, COMPARE, LOGIC, ASSIGN and reduction clauses. OP_NONE is plain
 * assignment. */
typedef enum AstOp {
    OP_NONE,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_FLOORDIV,
    OP_MOD,
    OP_POW,
    OP_MATMUL,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_SHL,
    OP_SHR,
    OP_NOT,
    OP_INVERT,
    OP_NEG,
    OP_PLUS,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_IN,
    OP_IS,
    OP_LOGIC_AND,
    OP_LOGIC_OR,
    OP_MIN,
    OP_MAX,
    OP_USER,
    OP_COUNT
} AstOp;

/* LOOP: `target` is the induction variable's NAME (or a TUPLE, or NONE). */
typedef enum AstLoopForm {
    LOOP_COUNTED, /* first, limit, step as in `for i in range(first, limit, step)`: runs while i <
                     limit (step > 0), or i > limit (step < 0). NONE stands for first 0 and step 1.
                     C: `i <= n` has limit BINARY(n + 1); a loop that counts down has a negative
                     step. */
    LOOP_EACH,    /* first is the iterable: `for v in x` */
    LOOP_WHILE,   /* limit is the condition; also `for (;;)` that is not counted: then target NONE,
                     first is the init   (ASSIGN, DECL or BLOCK), step is the increment statement */
    LOOP_DO,      /* limit is the condition, tested after the body */
} AstLoopForm;

/* How the iterations of a loop are run; LOOP nodes carry it in `value.loop`. */
typedef enum AstLoopRun {
    RUN_SERIAL,
    RUN_PARALLEL,  /* opens a team and deals iterations out: omp parallel for, the outermost prange
                    */
    RUN_WORKSHARE, /* deals out iterations to the team that runs it (omp for, taskloop): parallel
                      only inside a region */
    RUN_SIMD,      /* omp simd */
    RUN_PRANGE_SERIAL, /* prange that does not run in parallel: nested in another, or parallel is
                          not set */
    RUN_OFFLOAD,       /* target …: left alone */
} AstLoopRun;

typedef struct AstLoopInfo {
    uint8_t run;      /* AstLoopRun */
    uint8_t collapse; /* loops that share the iteration space, 0 or 1: this one */
    uint8_t schedule; /* AstSchedule */
    uint8_t flags;    /* LOOP_NOWAIT | … */
    uint32_t chunk;   /* 0: not given or not a constant (then see the clause) */
} AstLoopInfo;

typedef enum AstSchedule {
    SCHEDULE_DEFAULT,
    SCHEDULE_STATIC,
    SCHEDULE_DYNAMIC,
    SCHEDULE_GUIDED,
    SCHEDULE_AUTO,
    SCHEDULE_RUNTIME
} AstSchedule;
enum {
    LOOP_NOWAIT = 1,
    LOOP_ORDERED = 2,
    LOOP_TASKLOOP = 4,
    LOOP_RUNTIME_CHOICE = 8, /* range or prange, by a flag */
    LOOP_IN_REGION = 16      /* its directive made the region around it too, and is placed there */
};

typedef enum AstRegion {
    REGION_PARALLEL, /* body run by every thread of a team. `omp parallel for` is one LOOP with
                        RUN_PARALLEL, not this */
    REGION_CRITICAL,
    REGION_ATOMIC /* value.integer: AstAtomic */,
    REGION_ORDERED,
    REGION_SINGLE,
    REGION_MASTER,
    REGION_SECTIONS,
    REGION_SECTION,
    REGION_TASK,
    REGION_BARRIER,
    REGION_TASKWAIT,
    REGION_FLUSH,
    REGION_OFFLOAD,
    REGION_OBJMODE, /* numba: with objmode */
    REGION_OTHER,
} AstRegion;

typedef enum AstAtomic {
    ATOMIC_UPDATE,
    ATOMIC_READ,
    ATOMIC_WRITE,
    ATOMIC_CAPTURE,
    ATOMIC_COMPARE
} AstAtomic;

typedef enum AstClause {
    CLAUSE_PRIVATE,
    CLAUSE_FIRSTPRIVATE,
    CLAUSE_LASTPRIVATE,
    CLAUSE_SHARED,
    CLAUSE_LINEAR,
    CLAUSE_REDUCTION, /* name: "+", "max", … */
    CLAUSE_COPYIN,
    CLAUSE_COPYPRIVATE,
    CLAUSE_DEFAULT /* name: none, shared, … */,
    CLAUSE_IF,
    CLAUSE_NUM_THREADS,
    CLAUSE_SCHEDULE,
    CLAUSE_COLLAPSE,
    CLAUSE_ORDERED,
    CLAUSE_NOWAIT,
    CLAUSE_SAFELEN,
    CLAUSE_OTHER,
} AstClause; /* list clauses have NAME children with symbols; an array section is INDEX(NAME, SLICE)
              */

/* Node flags. */
enum {
    AST_ARROW = 1,   /* FIELD through a pointer */
    AST_POSTFIX = 2, /* ASSIGN that is i++ or i-- */
    AST_UNLIKELY =
        4, /* BRANCH whose condition is wrapped in __builtin_expect(…, 0) (macro or not) */
    AST_QUALIFIED =
        8, /* NAME whose `name` is a full dotted name of something imported: "numpy.full" */
    AST_MACRO = 16,    /* came out of a macro; the span is where the macro is used */
    AST_DOUBTFUL = 32, /* FUNCTION, LOOP: holds parse errors */
    AST_ASYNC = 64,
    AST_DEFAULT = 128, /* CASE: `default:` and nothing else */
};

typedef struct AstNodeData {
    uint8_t kind; /* AstKind */
    uint8_t op;   /* AstOp, AstLoopForm, AstRegion or AstClause, by kind */
    uint16_t flags;
    AstNode end; /* one past the subtree */
    AstNode parent;
    Name name;
    AstSymbol symbol;
    AstType type;         /* C: of the expression; Python: 0, inferred later */
    uint32_t file;        /* index into the unit's files */
    uint32_t start, stop; /* byte offsets in that file, [start, stop) */
    union {
        int64_t integer;
        double real;
        AstLoopInfo loop;
        AstFunction function; /* FUNCTION, LAMBDA: its record */
    } value;
} AstNodeData;

typedef enum AstSymbolKind {
    SYMBOL_NONE,
    SYMBOL_PARAM,
    SYMBOL_LOCAL,
    SYMBOL_STATIC /* static inside a function */,
    SYMBOL_GLOBAL,
    SYMBOL_FUNCTION,
    SYMBOL_MODULE, /* an imported module or name; `qualified` says what */
    SYMBOL_CLASS,
    SYMBOL_ENUM /* enumerator; `value` */,
} AstSymbolKind;

enum {
    SYMBOL_INTERNAL = 1,      /* static linkage */
    SYMBOL_THREADPRIVATE = 2, /* also _Thread_local */
    SYMBOL_CONST = 4,
    SYMBOL_ATOMIC = 8,
    SYMBOL_EXTERN = 16,      /* declared, not defined, here */
    SYMBOL_KNOWN_VALUE = 32, /* `value` is its value: module constant, enumerator, const int */
    SYMBOL_VARARGS = 64,     /* *args or **kwargs */
    SYMBOL_REGISTER = 128,
    SYMBOL_REASSIGNED = 256, /* Python: bound by more than one statement */
};

typedef struct AstSymbolData {
    Name name;
    uint8_t kind;  /* AstSymbolKind */
    uint8_t index; /* PARAM: its number from 0 */
    uint16_t flags;
    AstFunction function; /* owner; 0 for globals */
    AstNode decl; /* node that declares it: PARAM, DECL, FUNCTION, first ASSIGN target's NAME */
    AstType type;
    Name qualified; /* what an imported name stands for: "numpy", "numba.njit", "pkg.mod.func" */
    uint32_t align; /* bytes, where declared with an alignment; else 0 */
    int64_t value;
} AstSymbolData;

typedef enum AstTypeKind {
    TYPE_UNKNOWN,
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_INT,
    TYPE_REAL,
    TYPE_COMPLEX,
    TYPE_POINTER,
    TYPE_ARRAY /* C array */,
    TYPE_STRUCT,
    TYPE_UNION,
    TYPE_ENUM,
    TYPE_FUNCTION,
    TYPE_LOCK /* omp_lock_t, pthread_mutex_t, … */,
    TYPE_NDARRAY,
    TYPE_TYPED_LIST,
    TYPE_LIST /* reflected */,
    TYPE_TYPED_DICT,
    TYPE_TUPLE,
    TYPE_RECORD /* namedtuple, instance */,
    TYPE_FUNCTION_VALUE /* numba first-class function type */,
    TYPE_STRING,
    TYPE_OTHER,
} AstTypeKind;

typedef struct AstFieldData {
    Name name;
    AstType type;
    int64_t offset; /* bytes; -1 unknown */
} AstFieldData;

enum {
    TYPE_CONST = 1,
    TYPE_VOLATILE = 2,
    TYPE_ATOMIC = 4,
    TYPE_RESTRICT = 8,
    TYPE_UNSIGNED = 16,
    TYPE_CONTIGUOUS = 32 /* f8[::1] */
};

typedef struct AstTypeData {
    uint8_t kind; /* AstTypeKind */
    uint8_t rank; /* NDARRAY: dimensions, 0 unknown */
    uint16_t flags;
    AstType element;                   /* POINTER, ARRAY, NDARRAY, lists: what they hold */
    int64_t count;                     /* ARRAY: elements, -1 unknown or variable */
    int64_t size;                      /* bytes, 0 unknown */
    int64_t align;                     /* bytes, 0 unknown */
    Name name;                         /* STRUCT tag or typedef */
    uint32_t first_field, field_count; /* STRUCT, UNION, RECORD: slice of Ast.fields */
} AstTypeData;

/* How a function is compiled; set by the Python frontend's link step. */
enum {
    FN_COMPILED = 1,        /* numba nopython */
    FN_PARALLEL = 2,        /* parallel=True in at least one of its builds */
    FN_PARALLEL_CHOICE = 4, /* also compiled without, or the flag is only known at run time */
    FN_INLINE_ALWAYS = 8,
    FN_FASTMATH = 16,
    FN_ERROR_NUMPY = 32, /* error_model='numpy' */
    FN_NOGIL = 64,
    FN_UFUNC = 128,   /* vectorize, guvectorize: no live counts */
    FN_OFFLOAD = 256, /* numba.cuda, stencil on a device */
    FN_BOUNDSCHECK = 512,
    FN_SIGNATURE = 1024,      /* explicit signature */
    FN_INTRINSIC = 2048,      /* numba.extending.intrinsic: its body generates code */
    FN_ATOMIC_UPDATES = 4096, /* a decorator or generator turns its updates into atomics */
    FN_VARARGS = 8192,
    FN_INTERNAL = 16384,          /* C static */
    FN_UNKNOWN_DECORATOR = 32768, /* wrapped by something that could not be resolved */
    FN_METHOD = 65536,
    FN_STATIC = 131072, /* Python: a method whose first parameter is no object (staticmethod) */
};

typedef struct AstFunctionData {
    AstNode node;
    Name name;      /* as written */
    Name qualified; /* Python: "pkg.mod.outer.func"; C: the name */
    uint32_t flags; /* FN_… */
    AstSymbol symbol;
    AstFunction outer;      /* the function it is nested in, 0 none */
    uint32_t overload;      /* FunctionId of what compiled code calls in its place, 0 none */
    LIST(AstSymbol) params; /* in order */
    AstType returns;
} AstFunctionData;

/* Python: a module-level name that other modules can import and what it stands for. */
typedef struct AstExport {
    Name name;    /* "ngjit" */
    Name target;  /* "pkg.utils.ngjit" when re-exported; 0: see `node` */
    AstNode node; /* value expression of a module-level assignment, or 0 */
} AstExport;

typedef struct Ast {
    Arena *arena;
    Intern *names;
    LIST(AstNodeData) nodes;
    LIST(AstSymbolData) symbols;
    LIST(AstTypeData) types;
    LIST(AstFieldData) fields;
    LIST(AstFunctionData) functions;
    LIST(AstExport) exports;
    LIST(AstNode) open; /* stack of nodes that are being built */
} Ast;

/* An empty tree: node 0, symbol 0, type 0 and function 0 exist and mean "none". */
Ast *ast_new(Arena *arena);

/* The same tree in `arena`, without the room that growing left: the arena it was built in may go.
 */
Ast *ast_copy(const Ast *ast, Arena *arena);

/* Building, in pre-order. ast_open returns the new node, whose parent is the innermost open one;
 * ast_close ends it. */
AstNode ast_open(Ast *ast, AstKind kind, uint32_t file, uint32_t start, uint32_t stop);
void ast_close(Ast *ast, AstNode node);
AstNode ast_leaf(Ast *ast, AstKind kind, uint32_t file, uint32_t start, uint32_t stop);
AstNode ast_none(Ast *ast); /* a NONE child */

AstSymbol ast_symbol(Ast *ast, Name name, AstSymbolKind kind, AstFunction function, AstNode decl);
AstType ast_type(
    Ast *ast, AstTypeData type); /* no de-duplication but for plain kinds without name or fields */
AstFunction ast_function(Ast *ast, AstNode node, Name name,
                         AstFunction outer); /* also sets node's value.function */

/* Reading. */
static inline AstNodeData *ast_at(const Ast *ast, AstNode node)
{
    return &ast->nodes.items[node];
}
static inline AstKind ast_kind(const Ast *ast, AstNode node)
{
    return (AstKind)ast->nodes.items[node].kind;
}
static inline AstNode ast_end(const Ast *ast, AstNode node)
{
    return ast->nodes.items[node].end;
}
static inline AstNode ast_parent(const Ast *ast, AstNode node)
{
    return ast->nodes.items[node].parent;
}
static inline bool ast_leafless(const Ast *ast, AstNode node)
{
    return ast_end(ast, node) == node + 1;
}

/* First child, or 0; the next sibling, or 0. */
static inline AstNode ast_first(const Ast *ast, AstNode node)
{
    return ast_leafless(ast, node) ? 0 : node + 1;
}
static inline AstNode ast_next(const Ast *ast, AstNode child)
{
    AstNode next = ast_end(ast, child);
    return next < ast_end(ast, ast_parent(ast, child)) ? next : 0;
}

/* Child number `index` from 0, or 0 past the last. A NONE child is returned as the NONE node it is.
 */
AstNode ast_child(const Ast *ast, AstNode node, uint32_t index);
uint32_t ast_child_count(const Ast *ast, AstNode node);

/* Whether `inside` lies in the subtree of `node` (or is it). */
static inline bool ast_holds(const Ast *ast, AstNode node, AstNode inside)
{
    return inside >= node && inside < ast_end(ast, node);
}

/* for every node of the subtree, `root` first */
#define FOR_EACH_NODE(ast, node, root)                                                             \
    for (AstNode node = (root), node##_end = ast_end((ast), (root)); node < node##_end; node++)
#define FOR_EACH_CHILD(ast, child, of)                                                             \
    for (AstNode child = ast_first((ast), (of)); child != 0; child = ast_next((ast), child))

/* What is cast, through all casts. */
static inline AstNode ast_without_casts(const Ast *ast, AstNode node)
{
    while (ast_kind(ast, node) == AST_CAST)
        node = ast_first(ast, node);
    return node;
}

/* Named children of the kinds with fixed positions. */
static inline AstNode loop_target(const Ast *a, AstNode n)
{
    return ast_child(a, n, 0);
}
static inline AstNode loop_start(const Ast *a, AstNode n)
{
    return ast_child(a, n, 1);
}
static inline AstNode loop_limit(const Ast *a, AstNode n)
{
    return ast_child(a, n, 2);
}
static inline AstNode loop_step(const Ast *a, AstNode n)
{
    return ast_child(a, n, 3);
}
static inline AstNode loop_body(const Ast *a, AstNode n)
{
    return ast_child(a, n, 4);
}

/* The function whose body holds `node`; 0 for code outside functions. */
AstFunction ast_function_of(const Ast *ast, AstNode node);

/* Whether a subtree names the variable; whether it holds a node of the kind (itself counts). */
bool ast_mentions(const Ast *ast, AstNode root, AstSymbol symbol);
bool ast_holds_kind(const Ast *ast, AstNode root, AstKind kind);

/* What a declaration (its first child) or an assignment, by whatever operator, sets the variable
 * to; 0 for other nodes. */
AstNode ast_value_set(const Ast *ast, AstNode node, AstSymbol symbol);

/* Whether an assignment, by whatever operator, sets the node. */
bool ast_is_target(const Ast *ast, AstNode node);

/* The type of an expression, or of the variable that it names. */
const AstTypeData *ast_type_at(const Ast *ast, AstNode node);

/* Whether a loop or a region starts a team; whether it starts one or deals its turns out to one. */
bool ast_starts_team(const Ast *ast, AstNode node);
bool ast_is_construct(const Ast *ast, AstNode node);

/* Whether a statement in a loop leaves the loop: return, break out of it, goto behind it. */
bool ast_leaves_loop(const Ast *ast, AstNode statement, AstNode loop);

/* Whether nothing takes the value of an expression; the step of a loop is none. */
bool ast_is_statement(const Ast *ast, AstNode node);

/* Whether two subtrees are written alike, names meaning the same variables. */
bool ast_same(const Ast *ast, AstNode left, AstNode right);

/* An integer the expression is known to be: literals, enumerators, known constants, sizeof,
 * arithmetic on them. */
bool ast_constant(const Ast *ast, AstNode node, int64_t *value);

/* One node a line, indented by depth: "(assign += (name s #3) (name x #4)) 12:9-12:15"; the format
 * of --dump tree. */
struct Unit;
void ast_dump(const struct Unit *unit, Text *out);

/* One line for each loop that a directive or a prange speaks about, "a.c:12: parallel, loop at 14":
 * the directive's line, how it runs the loop, the line of the loop's head. A loop of an included
 * file stands under that file's path, once for each unit that includes it. */
void ast_dump_loops(const struct Unit *unit, Text *out);

const char *ast_kind_word(AstKind kind);
const char *ast_op_word(AstOp op); /* "+", "max", … */

#endif
