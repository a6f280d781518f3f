/* The tree as text: what `ponglint check --dump tree FILE` and `--dump loops FILE` print. */
#include "analyzer/tree/unit.h"

static const char *const form_words[] = {"counted", "each", "while", "do"};
static const char *const run_words[] = {"serial", "parallel",      "workshare",
                                        "simd",   "prange-serial", "offload"};
static const char *const region_words[] = {"parallel", "critical", "atomic",  "ordered", "single",
                                           "master",   "sections", "section", "task",    "barrier",
                                           "taskwait", "flush",    "offload", "objmode", "other"};
static const char *const atomic_words[] = {"update", "read", "write", "capture", "compare"};
static const char *const clause_words[] = {
    "private",  "firstprivate", "lastprivate", "shared",  "linear",      "reduction",
    "copyin",   "copyprivate",  "default",     "if",      "num_threads", "schedule",
    "collapse", "ordered",      "nowait",      "safelen", "other"};
static const char *const schedule_words[] = {"default", "static", "dynamic",
                                             "guided",  "auto",   "runtime"};
static const struct {
    uint32_t flag;
    const char *word;
} compile_words[] = {{FN_COMPILED, "compiled"},
                     {FN_PARALLEL, "parallel"},
                     {FN_PARALLEL_CHOICE, "parallel-choice"},
                     {FN_INLINE_ALWAYS, "inline-always"},
                     {FN_FASTMATH, "fastmath"},
                     {FN_ERROR_NUMPY, "error-numpy"},
                     {FN_NOGIL, "nogil"},
                     {FN_UFUNC, "ufunc"},
                     {FN_OFFLOAD, "offload"},
                     {FN_BOUNDSCHECK, "boundscheck"},
                     {FN_SIGNATURE, "signature"},
                     {FN_INTRINSIC, "intrinsic"},
                     {FN_ATOMIC_UPDATES, "atomic-updates"},
                     {FN_VARARGS, "varargs"},
                     {FN_INTERNAL, "static"},
                     {FN_UNKNOWN_DECORATOR, "unknown-decorator"},
                     {FN_METHOD, "method"},
                     {FN_STATIC, "static-method"}};

static void dump_type(const Ast *ast, AstType type, Text *out, int depth)
{
    static const char *const words[] = {
        "?",       "void",           "bool",       "int",   "real",       "complex",
        "pointer", "array",          "struct",     "union", "enum",       "function",
        "lock",    "ndarray",        "typed-list", "list",  "typed-dict", "tuple",
        "record",  "function-value", "string",     "other"};
    const AstTypeData *data = &ast->types.items[type];
    text_puts(out, words[data->kind]);
    if (data->size > 0 && data->kind < TYPE_NDARRAY)
        text_printf(out, "%lld", (long long)data->size * 8);
    if (data->rank > 0)
        text_printf(out, "%dd", data->rank);
    if (data->kind == TYPE_ARRAY)
        text_printf(out, "[%lld]", (long long)data->count);
    if (data->name != 0)
        text_printf(out, " %s", intern_text(ast->names, data->name));
    if (data->element != 0 && depth < 4) {
        text_puts(out, " of ");
        dump_type(ast, data->element, out, depth + 1);
    }
}

static void dump_function(const Ast *ast, AstFunction function, Text *out)
{
    const AstFunctionData *data = &ast->functions.items[function];
    text_printf(out, " %s",
                intern_text(ast->names, data->qualified != 0 ? data->qualified : data->name));
    for (size_t i = 0; i < sizeof compile_words / sizeof *compile_words; i++)
        if ((data->flags & compile_words[i].flag) != 0)
            text_printf(out, " :%s", compile_words[i].word);
}

static void dump_loop(const AstNodeData *data, Text *out)
{
    AstLoopInfo info = data->value.loop;
    text_printf(out, " %s %s", form_words[data->op], run_words[info.run]);
    if (info.collapse > 1)
        text_printf(out, " collapse %d", info.collapse);
    if (info.schedule != SCHEDULE_DEFAULT)
        text_printf(out, " schedule %s %u", schedule_words[info.schedule], info.chunk);
    if ((info.flags & LOOP_NOWAIT) != 0)
        text_puts(out, " nowait");
    if ((info.flags & LOOP_TASKLOOP) != 0)
        text_puts(out, " taskloop");
    if ((info.flags & LOOP_RUNTIME_CHOICE) != 0)
        text_puts(out, " runtime-choice");
}

/* What tells a node of this kind from another one. */
static void dump_detail(const Ast *ast, AstNode node, Text *out)
{
    const AstNodeData *data = ast_at(ast, node);
    switch (data->kind) {
    case AST_FUNCTION:
        dump_function(ast, data->value.function, out);
        return;
    case AST_LOOP:
        dump_loop(data, out);
        return;
    case AST_REGION:
        text_printf(out, " %s", region_words[data->op]);
        if (data->op == REGION_ATOMIC)
            text_printf(out, " %s", atomic_words[data->value.integer]);
        break;
    case AST_CLAUSE:
        text_printf(out, " %s", clause_words[data->op]);
        break;
    case AST_INT:
    case AST_SIZEOF:
        text_printf(out, " %lld", (long long)data->value.integer);
        return;
    case AST_REAL:
        text_printf(out, " %g", data->value.real);
        return;
    case AST_ASSIGN:
    case AST_UNARY:
    case AST_BINARY:
    case AST_COMPARE:
    case AST_LOGIC:
        text_printf(out, " %s", ast_op_word((AstOp)data->op));
        break;
    default:
        break;
    }
    if (data->name != 0)
        text_printf(out, " %s", intern_text(ast->names, data->name));
    if (data->symbol != 0)
        text_printf(out, " #%u", data->symbol);
    if (data->kind == AST_DECL || data->kind == AST_PARAM || data->kind == AST_CAST) {
        AstType type = data->type != 0 ? data->type : ast->symbols.items[data->symbol].type;
        if (type != 0) {
            text_puts(out, " : ");
            dump_type(ast, type, out, 0);
        }
    }
}

static void dump_flags(const AstNodeData *data, Text *out)
{
    static const struct {
        uint16_t flag;
        const char *word;
    } words[] = {{AST_ARROW, "->"},
                 {AST_POSTFIX, "postfix"},
                 {AST_UNLIKELY, "unlikely"},
                 {AST_MACRO, "macro"},
                 {AST_DOUBTFUL, "doubtful"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((data->flags & words[i].flag) != 0)
            text_printf(out, " !%s", words[i].word);
}

void ast_dump(const Unit *unit, Text *out)
{
    const Ast *ast = unit->ast;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        for (AstNode up = ast_parent(ast, node); up != 0; up = ast_parent(ast, up))
            text_puts(out, "  ");
        const AstNodeData *data = ast_at(ast, node);
        text_puts(out, ast_kind_word((AstKind)data->kind));
        if (data->kind == AST_NONE) {
            text_putc(out, '\n');
            continue;
        }
        dump_detail(ast, node, out);
        dump_flags(data, out);
        SourcePosition start = unit_start(unit, node), stop = unit_stop(unit, node);
        if (data->file != 0)
            text_printf(out, " %s", unit_source(unit, node)->path);
        text_printf(out, " %u:%u-%u:%u\n", start.line, start.column, stop.line, stop.column);
    }
}

/* The first part of the loop's head that is written down; the loop itself where none is. */
static AstNode loop_head(const Ast *ast, AstNode loop)
{
    FOR_EACH_CHILD (ast, part, loop)
        if (ast_kind(ast, part) != AST_NONE)
            return part;
    return loop;
}

void ast_dump_loops(const Unit *unit, Text *out)
{
    const Ast *ast = unit->ast;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        if (ast_kind(ast, node) != AST_LOOP || ast_at(ast, node)->value.loop.run == RUN_SERIAL)
            continue;
        AstLoopInfo info = ast_at(ast, node)->value.loop;
        AstNode directive = (info.flags & LOOP_IN_REGION) != 0 ? ast_parent(ast, node) : node;
        text_printf(out, "%s:%u: %s, loop at %u\n", unit_source(unit, node)->path,
                    unit_start(unit, directive).line, run_words[info.run],
                    unit_start(unit, loop_head(ast, node)).line);
    }
}
