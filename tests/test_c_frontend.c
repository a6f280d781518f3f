/* C source text in, tree out. */
#include "analyzer/frontend.h"
#include "frontends/c/flags.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Bench {
    Arena *arena;
    void *prepared, *worker;
} Bench;

static Bench bench;

static int set_up(void **state)
{
    static const FrontendOptions options; /* no roots: the folder of the file */
    (void)state;
    bench.arena = arena_new();
    bench.prepared = frontend_c.prepare(bench.arena, &options);
    bench.worker = frontend_c.worker_open(bench.prepared);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    frontend_c.worker_close(bench.worker);
    frontend_c.finish(bench.prepared);
    arena_free(bench.arena);
    return 0;
}

static Unit *parse_as(const char *path, Language language, const char *text, size_t size)
{
    Unit *unit = arena_alloc(bench.arena, sizeof *unit);
    unit->arena = bench.arena;
    unit->language = language;
    LIST_PUSH(bench.arena, &unit->files, source_from(bench.arena, path, text, size));
    frontend_c.parse(bench.prepared, bench.worker, unit);
    return unit;
}

static Unit *parse(const char *text)
{
    return parse_as("no/such/folder/case.c", LANGUAGE_C, text, strlen(text));
}

/* The dump without positions: "(kind detail)" lines become one line, children in parentheses. */
static void shape(const Unit *unit, AstNode node, Text *out)
{
    const Ast *ast = unit->ast;
    const AstNodeData *data = ast_at(ast, node);
    text_printf(out, "%s%s", ast_kind_word((AstKind)data->kind),
                data->op != 0 && data->kind != AST_LOOP && data->kind != AST_REGION &&
                        data->kind != AST_CLAUSE
                    ? " "
                    : "");
    if (data->op != 0 && data->kind != AST_LOOP && data->kind != AST_REGION &&
        data->kind != AST_CLAUSE)
        text_puts(out, ast_op_word((AstOp)data->op));
    if (data->kind == AST_INT || data->kind == AST_SIZEOF)
        text_printf(out, " %lld", (long long)data->value.integer);
    else if (data->name != 0)
        text_printf(out, " %s", intern_text(ast->names, data->name));
    if (ast_leafless(ast, node))
        return;
    text_putc(out, '(');
    FOR_EACH_CHILD (ast, child, node) {
        if (child != ast_first(ast, node))
            text_puts(out, ", ");
        shape(unit, child, out);
    }
    text_putc(out, ')');
}

static AstNode nth(const Unit *unit, AstKind kind, uint32_t number)
{
    FOR_EACH_NODE (unit->ast, node, 1)
        if (ast_kind(unit->ast, node) == kind && number-- == 0)
            return node;
    return 0;
}

static uint32_t count(const Unit *unit, AstKind kind)
{
    uint32_t found = 0;
    FOR_EACH_NODE (unit->ast, node, 1)
        found += ast_kind(unit->ast, node) == kind;
    return found;
}

static const AstSymbolData *symbol(const Unit *unit, const char *name)
{
    for (AstSymbol i = 1; i < unit->ast->symbols.count; i++)
        if (strcmp(intern_text(unit->ast->names, unit->ast->symbols.items[i].name), name) == 0)
            return &unit->ast->symbols.items[i];
    fail_msg("no symbol %s", name);
    return NULL;
}

static void assert_shape(const Unit *unit, AstNode node, const char *wanted)
{
    Text text = {0};
    assert_int_not_equal(node, 0);
    shape(unit, node, &text);
    assert_string_equal(text_string(&text), wanted);
    text_free(&text);
}

/* The first statement of `void f(int n, int *a) { … }`. */
static void assert_statement(const char *text, const char *wanted)
{
    const Unit *unit =
        parse(arena_printf(bench.arena, "void f(int n, int *a) { int i, j; %s }", text));
    AstNode block = nth(unit, AST_BLOCK, 0);
    assert_shape(unit, ast_child(unit->ast, block, 2), wanted);
}

/* ---- loops ---- */

static void a_counted_loop_reads_like_a_range(void **state)
{
    (void)state;
    assert_statement("for (i = 0; i < n; i++) ;", "loop(name i, int 0, name n, int 1, block)");
    assert_statement("for (i = 1; i <= n; i += 2) ;",
                     "loop(name i, int 1, binary +(name n, int 1), int 2, block)");
    assert_statement(
        "for (i = n - 1; i >= 0; --i) ;",
        "loop(name i, binary -(name n, int 1), binary -(int 0, int 1), int -1, block)");
    assert_statement("for (i = 0; n > i; i = i + 3) ;",
                     "loop(name i, int 0, name n, int 3, block)");
    assert_statement("for (i = 0; i != n; i = 1 + i) ;",
                     "loop(name i, int 0, name n, int 1, block)");
    assert_statement("for (i = n; i > 0; i -= j) ;",
                     "loop(name i, name n, int 0, unary neg(name j), block)");
    assert_statement("for (; i < n; i++) ;", "loop(name i, name i, name n, int 1, block)");
}

static void a_loop_declares_its_variable_in_its_target(void **state)
{
    (void)state;
    const Unit *unit = parse("void f(int n) { for (long k = 0; k < n; k++) n--; }");
    AstNode loop = nth(unit, AST_LOOP, 0);
    assert_int_equal(ast_at(unit->ast, loop)->op, LOOP_COUNTED);
    assert_int_equal(symbol(unit, "k")->decl, loop_target(unit->ast, loop));
    assert_int_equal(symbol(unit, "k")->kind, SYMBOL_LOCAL);
}

static void what_is_not_counted_stays_a_while_loop(void **state)
{
    (void)state;
    assert_statement("for (i = 1; i < n; i *= 2) ;",
                     "loop(none, assign(name i, int 1), compare <(name i, name n), assign *(name "
                     "i, int 2), block)");
    assert_statement("for (i = 0; i < n && a[i]; i++) ;",
                     "loop(none, assign(name i, int 0), logic and(compare <(name i, name n), "
                     "index(name a, name i)), "
                     "assign +(name i, int 1), block)");
    assert_statement("for (;;) break;", "loop(none, none, none, none, break)");
    assert_statement("for (i = 0; i < n; i--) ;",
                     "loop(none, assign(name i, int 0), compare <(name i, name n), assign -(name "
                     "i, int 1), block)");
    assert_statement("while (n) n--;", "loop(none, none, name n, none, assign -(name n, int 1))");
    assert_statement("do n--; while (n);",
                     "loop(none, none, name n, none, assign -(name n, int 1))");
}

static void what_runs_once_is_no_loop(void **state)
{
    (void)state;
    assert_statement("do n--; while (0);", "assign -(name n, int 1)");
    assert_statement("do { n--; } while (0);", "block(assign -(name n, int 1))");
    assert_statement("do { if (n) break; n--; } while (0);",
                     "loop(none, none, int 0, none, block(branch(name n, break, none), "
                     "assign -(name n, int 1)))");
    assert_statement("do { while (n) break; } while (0);",
                     "block(loop(none, none, name n, none, break))");
}

static void further_inits_stand_before_the_loop_and_further_steps_behind_its_body(void **state)
{
    (void)state;
    assert_statement("for (j = 3, i = 0; i < n; i++, j--) ;",
                     "block(assign(name j, int 3), loop(name i, int 0, name n, int 1, block(block, "
                     "assign -(name j, int 1))))");
}

/* ---- statements and expressions ---- */

static void expressions_keep_their_operators_and_lose_their_parentheses(void **state)
{
    (void)state;
    assert_statement(
        "i = (a[j]) * -(n + 2);",
        "assign(name i, binary *(index(name a, name j), unary neg(binary +(name n, int 2))))");
    assert_statement("i += n ? *a : a[0];",
                     "assign +(name i, conditional(name n, deref(name a), index(name a, int 0)))");
    assert_statement("a = (int *)&n;", "assign(name a, cast(address(name n)))");
    assert_statement("i = sizeof(double) + 'a';", "assign(name i, binary +(sizeof 8, int 97))");
    assert_statement("f(n, a);", "expr(call(name f, name n, name a))");
    assert_statement("i = j = 1;", "assign(name i, assign(name j, int 1))");
}

static void an_increment_is_an_assignment(void **state)
{
    (void)state;
    const Unit *unit = parse("void f(int n) { n++; --n; }");
    assert_shape(unit, nth(unit, AST_ASSIGN, 0), "assign +(name n, int 1)");
    assert_shape(unit, nth(unit, AST_ASSIGN, 1), "assign -(name n, int 1)");
    assert_true((ast_at(unit->ast, nth(unit, AST_ASSIGN, 0))->flags & AST_POSTFIX) != 0);
    assert_true((ast_at(unit->ast, nth(unit, AST_ASSIGN, 1))->flags & AST_POSTFIX) == 0);
}

static void a_condition_that_is_expected_to_fail_is_unlikely(void **state)
{
    (void)state;
    const Unit *unit =
        parse("#define unlikely(x) __builtin_expect(!!(x), 0)\n#define likely(x) "
              "__builtin_expect(!!(x), 1)\n"
              "void f(int n) { if (unlikely(n > 3)) n = 0; if (likely(n)) n = 1; if (n) n = 2; }");
    AstNode first = nth(unit, AST_BRANCH, 0);
    assert_shape(unit, first, "branch(compare >(name n, int 3), assign(name n, int 0), none)");
    assert_true((ast_at(unit->ast, first)->flags & AST_UNLIKELY) != 0);
    assert_true((ast_at(unit->ast, nth(unit, AST_BRANCH, 1))->flags & AST_UNLIKELY) == 0);
    assert_true((ast_at(unit->ast, nth(unit, AST_BRANCH, 2))->flags & AST_UNLIKELY) == 0);
}

static void statements_behind_a_case_belong_to_it(void **state)
{
    (void)state;
    assert_statement("switch (n) { case 1: case 2: i = 0; break; default: i = 1; }",
                     "switch(name n, block(case(block(assign(name i, int 0), break)), "
                     "case(block(assign(name i, int 1)))))");
}

static void fields_of_unnamed_members_are_fields_of_the_struct(void **state)
{
    (void)state;
    const Unit *unit = parse("struct s { int a; union { int b; float c; }; int d; };\nint f(struct "
                             "s *p) { return p->b; }");
    assert_shape(unit, nth(unit, AST_RETURN, 0), "return(field b(name p))");
    const AstTypeData *pointer = &unit->ast->types.items[symbol(unit, "p")->type];
    const AstTypeData *type = &unit->ast->types.items[pointer->element];
    assert_int_equal(type->kind, TYPE_STRUCT);
    assert_int_equal(type->field_count, 4);
    assert_int_equal(unit->ast->fields.items[type->first_field + 2].offset, 4);
    assert_int_equal(unit->ast->fields.items[type->first_field + 3].offset, 8);
}

#define WIDE                                                                                       \
    char a;                                                                                        \
    double b;                                                                                      \
    unsigned c : 3, d : 30;                                                                        \
    char e;                                                                                        \
    short f;                                                                                       \
    _Bool g : 1, h : 1;                                                                            \
    int i;                                                                                         \
    char j;                                                                                        \
    long k;
#define TEXT_OF(...)  TEXT_OF_(__VA_ARGS__)
#define TEXT_OF_(...) #__VA_ARGS__

#pragma pack(push, 4)
struct in_fours {
    WIDE
};
#pragma pack(pop)
struct plain {
    WIDE
};
struct __attribute__((packed)) close_together {
    WIDE
};
struct apart {
    char z;
    _Alignas(16) char y; /* and the next one lies where it would without */
    double x[8];
    WIDE
};

static void assert_offsets(const char *text, const char *fields, const size_t *wanted)
{
    const Unit *unit = parse(text);
    const AstTypeData *type = &unit->ast->types.items[1];
    for (uint32_t i = 1; type->kind != TYPE_STRUCT && i < unit->ast->types.count; i++)
        type = &unit->ast->types.items[i];
    for (uint32_t i = 0; i < type->field_count; i++) {
        const AstFieldData *field = &unit->ast->fields.items[type->first_field + i];
        const char *name = intern_text(unit->ast->names, field->name);
        const char *at = strchr(fields, name[0]);
        if (at != NULL)
            assert_int_equal(field->offset, wanted[at - fields]);
    }
    assert_true(type->field_count >= strlen(fields));
}

/* Compared with the compiler that makes this test. */
#define OFFSETS(record)                                                                            \
    (const size_t[])                                                                               \
    {                                                                                              \
        offsetof(record, a), offsetof(record, b), offsetof(record, e), offsetof(record, f),        \
            offsetof(record, i), offsetof(record, j), offsetof(record, k)                          \
    }

static void fields_lie_where_the_compiler_puts_them(void **state)
{
    (void)state;
    assert_offsets("struct plain { " TEXT_OF(WIDE) " int l[]; } x;", "abefijk",
                   OFFSETS(struct plain));
    assert_offsets("#pragma pack(push, 4)\nstruct in_fours { " TEXT_OF(WIDE) " } x;", "abefijk",
                   OFFSETS(struct in_fours));
    assert_offsets("struct __attribute__((packed)) close { " TEXT_OF(WIDE) " } x;", "abefijk",
                   OFFSETS(struct close_together));
    assert_offsets(
        "struct apart { char z; _Alignas(16) char y; double x[8]; " TEXT_OF(WIDE) " } w;",
        "zyxabefijk",
        (const size_t[]){offsetof(struct apart, z), offsetof(struct apart, y),
                         offsetof(struct apart, x), offsetof(struct apart, a),
                         offsetof(struct apart, b), offsetof(struct apart, e),
                         offsetof(struct apart, f), offsetof(struct apart, i),
                         offsetof(struct apart, j), offsetof(struct apart, k)});
}

static void atomic_builtins_are_calls(void **state)
{
    (void)state;
    const Unit *unit =
        parse("#include <stdatomic.h>\natomic_int x;\nvoid f(int *a) { atomic_fetch_add(&x, 2); "
              "__atomic_fetch_add(a, 3, __ATOMIC_RELAXED); __sync_fetch_and_add(a, 4); }");
    assert_shape(unit, nth(unit, AST_CALL, 0),
                 "call(name atomic_fetch_add, address(name x), int 2, int 5)");
    assert_shape(unit, nth(unit, AST_CALL, 1),
                 "call(name __atomic_fetch_add, name a, int 3, int 0)");
    assert_shape(unit, nth(unit, AST_CALL, 2), "call(name __sync_fetch_and_add, name a, int 4)");
    assert_true((symbol(unit, "x")->flags & SYMBOL_ATOMIC) != 0);
}

static void code_out_of_a_macro_stands_where_the_macro_is_used(void **state)
{
    (void)state;
    const Unit *unit = parse("#define TWICE(x) ((x) * 2)\nint f(int n) { return TWICE(n + 1); }");
    AstNode product = nth(unit, AST_BINARY, 0);
    assert_shape(unit, product, "binary *(binary +(name n, int 1), int 2)");
    assert_true((ast_at(unit->ast, product)->flags & AST_MACRO) != 0);
    assert_int_equal(unit_start(unit, product).line, 2);
    assert_int_equal(unit_start(unit, product).column, 23);
    assert_int_equal(unit_stop(unit, product).column, 35);
}

/* ---- symbols and types ---- */

static void symbols_know_kind_linkage_alignment_and_value(void **state)
{
    (void)state;
    const Unit *unit = parse(
        "static int hidden; extern int outside; _Thread_local int own; _Alignas(64) long line;\n"
        "double padded[8] __attribute__((aligned(128))); enum { FOUR = 4 }; const int five = FOUR "
        "+ 1;\n"
        "void g(void); static void f(int n, ...) { static int calls; calls += n + outside; g(); }");
    assert_int_equal(symbol(unit, "hidden")->flags & SYMBOL_INTERNAL, SYMBOL_INTERNAL);
    assert_int_equal(symbol(unit, "outside")->flags & SYMBOL_EXTERN, SYMBOL_EXTERN);
    assert_int_equal(symbol(unit, "own")->flags & SYMBOL_THREADPRIVATE, SYMBOL_THREADPRIVATE);
    assert_int_equal(symbol(unit, "line")->align, 64);
    assert_int_equal(symbol(unit, "padded")->align, 128);
    assert_int_equal(symbol(unit, "FOUR")->kind, SYMBOL_ENUM);
    assert_int_equal(symbol(unit, "FOUR")->value, 4);
    assert_int_equal(symbol(unit, "five")->value, 5);
    assert_true((symbol(unit, "five")->flags & SYMBOL_KNOWN_VALUE) != 0);
    assert_int_equal(symbol(unit, "calls")->kind, SYMBOL_STATIC);
    assert_int_equal(symbol(unit, "n")->kind, SYMBOL_PARAM);
    assert_int_equal(symbol(unit, "g")->flags & SYMBOL_EXTERN, SYMBOL_EXTERN);
    assert_int_equal(symbol(unit, "f")->flags & SYMBOL_EXTERN, 0);
    assert_int_equal(unit->ast->functions.items[1].flags, FN_INTERNAL | FN_VARARGS);
}

static void types_have_sizes_elements_and_locks(void **state)
{
    (void)state;
    const Unit *unit = parse("#include <omp.h>\n#include <pthread.h>\nstruct node { struct node "
                             "*next; omp_lock_t lock; } list;\n"
                             "pthread_mutex_t mutex; unsigned grid[3][5]; void f(double x[10], int "
                             "n) { float v[n]; v[0] = x[1]; }");
    const Ast *ast = unit->ast;
    const AstTypeData *list = &ast->types.items[symbol(unit, "list")->type];
    assert_int_equal(list->kind, TYPE_STRUCT);
    assert_int_equal(list->size, 16);
    assert_int_equal(
        ast->types.items[ast->types.items[ast->fields.items[list->first_field].type].element].kind,
        TYPE_STRUCT);
    assert_int_equal(ast->types.items[ast->fields.items[list->first_field + 1].type].kind,
                     TYPE_LOCK);
    assert_int_equal(ast->types.items[symbol(unit, "mutex")->type].kind, TYPE_LOCK);
    assert_int_equal(ast->types.items[symbol(unit, "mutex")->type].size, 40);
    const AstTypeData *grid = &ast->types.items[symbol(unit, "grid")->type];
    assert_int_equal(grid->count, 3);
    assert_int_equal(grid->size, 60);
    assert_int_equal(ast->types.items[grid->element].count, 5);
    assert_int_equal(ast->types.items[symbol(unit, "x")->type].kind, TYPE_POINTER);
    assert_int_equal(ast->types.items[symbol(unit, "v")->type].count, -1);
}

/* ---- OpenMP ---- */

static AstLoopInfo loop_info(const Unit *unit, uint32_t number)
{
    return ast_at(unit->ast, nth(unit, AST_LOOP, number))->value.loop;
}

static void a_parallel_loop_is_one_node_with_its_clauses_behind_the_body(void **state)
{
    (void)state;
    const Unit *unit =
        parse("void f(int n, double *a) { double s = 0; int j;\n"
              "  #pragma omp parallel for reduction(+: s) schedule(dynamic, 4) \\\n    private(j) "
              "collapse(2)\n"
              "  for (int i = 0; i < n; i++) for (j = 0; j < n; j++) s += a[i + j]; }");
    AstNode loop = nth(unit, AST_LOOP, 0);
    AstLoopInfo info = loop_info(unit, 0);
    assert_int_equal(info.run, RUN_PARALLEL);
    assert_int_equal(info.collapse, 2);
    assert_int_equal(info.schedule, SCHEDULE_DYNAMIC);
    assert_int_equal(info.chunk, 4);
    AstNode clause = ast_child(unit->ast, loop, 5);
    assert_int_equal(ast_at(unit->ast, clause)->op, CLAUSE_REDUCTION);
    assert_shape(unit, clause, "clause +(name s)");
    assert_ptr_equal(&unit->ast->symbols.items[ast_at(unit->ast, clause + 1)->symbol],
                     symbol(unit, "s"));
    assert_int_equal(unit_start(unit, loop).line, 2);
    assert_int_equal(unit_start(unit, loop).column, 3);
    assert_int_equal(unit_stop(unit, loop).line, 3);
    assert_int_equal(unit_stop(unit, loop).column, 27);
    assert_int_equal(loop_info(unit, 1).run, RUN_SERIAL);
}

static void clauses_name_the_innermost_declaration(void **state)
{
    (void)state;
    const Unit *unit = parse("int x;\nvoid f(int n) { int x = 0; { long x = 1;\n#pragma omp "
                             "parallel for firstprivate(x)\n"
                             "for (int i = 0; i < n; i++) { char x = 2; (void)x; } } }");
    AstNode name = ast_first(unit->ast, nth(unit, AST_CLAUSE, 0));
    AstType type = unit->ast->symbols.items[ast_at(unit->ast, name)->symbol].type;
    assert_int_equal(unit->ast->types.items[type].size, 8);
}

static void regions_hold_what_their_directive_stands_before(void **state)
{
    (void)state;
    const Unit *unit = parse(
        "void f(int n, int *a) {\n#pragma omp parallel\n{\n#pragma omp for nowait\nfor (int i = 0; "
        "i < n; i++)\n"
        "#pragma omp atomic\na[0] += i;\n#pragma omp critical(log)\nn = 1;\n#pragma omp barrier\n"
        "#pragma omp single\nn = 2;\n#pragma omp barrier\n} }");
    static const AstRegion wanted[] = {REGION_PARALLEL, REGION_ATOMIC, REGION_CRITICAL,
                                       REGION_BARRIER,  REGION_SINGLE, REGION_BARRIER};
    for (uint32_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(ast_at(unit->ast, nth(unit, AST_REGION, i))->op, wanted[i]);
    assert_shape(unit, nth(unit, AST_REGION, 1), "region(assign +(index(name a, int 0), name i))");
    assert_shape(unit, nth(unit, AST_REGION, 2), "region log(assign(name n, int 1))");
    assert_shape(unit, nth(unit, AST_REGION, 3), "region(none)");
    assert_int_equal(loop_info(unit, 0).run, RUN_WORKSHARE);
    assert_int_equal(loop_info(unit, 0).flags, LOOP_NOWAIT);
    assert_int_equal(unit->notes.count, 0);
}

static void sections_gather_their_statements(void **state)
{
    (void)state;
    const Unit *unit = parse("void f(int n) {\n#pragma omp parallel sections\n{ n = 1; n = "
                             "2;\n#pragma omp section\nn = 3; } }");
    assert_shape(unit, nth(unit, AST_REGION, 0),
                 "region(region(block(region(block(assign(name n, int 1), assign(name n, int 2))), "
                 "region(block(assign(name n, int 3))))))");
}

static void offloaded_loops_are_marked(void **state)
{
    (void)state;
    const Unit *unit = parse("void f(int n, int *a) {\n#pragma omp target teams distribute "
                             "parallel for map(tofrom: a[0:n])\n"
                             "for (int i = 0; i < n; i++) a[i] = 0;\n#pragma omp taskloop\nfor "
                             "(int i = 0; i < n; i++) a[i] = 0;\n"
                             "#pragma omp simd\nfor (int i = 0; i < n; i++) a[i] = 0; }");
    assert_int_equal(loop_info(unit, 0).run, RUN_OFFLOAD);
    assert_int_equal(loop_info(unit, 1).run, RUN_WORKSHARE);
    assert_int_equal(loop_info(unit, 1).flags, LOOP_TASKLOOP);
    assert_int_equal(loop_info(unit, 2).run, RUN_SIMD);
    assert_shape(unit, nth(unit, AST_CLAUSE, 0),
                 "clause map(index(name a, slice(int 0, name n, none)))");
}

static void a_pragma_out_of_a_macro_is_read(void **state)
{
    (void)state;
    const Unit *unit =
        parse("#define OMP(x) _Pragma(#x)\n#define LOOP _Pragma(\"omp parallel for\")\nvoid f(int "
              "n, int *a) {\n"
              "OMP(omp parallel for schedule(static, 2))\nfor (int i = 0; i < n; i++) a[i] = 0;\n"
              "LOOP\nfor (int i = 0; i < n; i++) a[i] = 0; }");
    assert_int_equal(loop_info(unit, 0).run, RUN_PARALLEL);
    assert_int_equal(loop_info(unit, 0).chunk, 2);
    assert_int_equal(loop_info(unit, 1).run, RUN_PARALLEL);
    assert_int_equal(unit->notes.count, 0);
}

static void only_pragmas_that_the_preprocessor_keeps_count(void **state)
{
    (void)state;
    const Unit *unit =
        parse("void f(int n, int *a) {\n#if 0\n#pragma omp parallel for\n#endif\nfor (int i = 0; i "
              "< n; i++) a[i] = 0;\n"
              "#ifdef PROJECT_USES_OPENMP\n#pragma omp parallel for\n#endif\nfor (int i = 0; i < "
              "n; i++) a[i] = 0;\n"
              "#ifdef _OPENMP\n/* why */\n#pragma omp parallel for\n#else\n#pragma other\n#endif\n"
              "for (int i = 0; i < n; i++) a[i] = 0; }");
    assert_int_equal(loop_info(unit, 0).run, RUN_SERIAL);
    assert_int_equal(loop_info(unit, 1).run, RUN_PARALLEL);
    assert_int_equal(loop_info(unit, 2).run, RUN_PARALLEL);
}

#define LOOP_IN(name, more)                                                                        \
    "void " name "(int n, int *a) {\n" more                                                        \
    "#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] = 0; }\n"

static uint32_t parallel_loops(const char *text)
{
    const Unit *unit = parse(text);
    uint32_t count = 0;
    for (AstNode node = 1; node < unit->ast->nodes.count; node++)
        count += ast_kind(unit->ast, node) == AST_LOOP &&
                 ast_at(unit->ast, node)->value.loop.run == RUN_PARALLEL;
    return count;
}

static void branches_with_loops_that_need_a_macro_are_read(void **state)
{
    (void)state;
    assert_int_equal(parallel_loops("#if HAVE_SSL\n" LOOP_IN("f", "") "#endif\n"), 1);
    assert_int_equal(parallel_loops("#ifndef SLOW\nint a;\n#else\n" LOOP_IN("f", "") "#endif"), 1);
    assert_int_equal(
        parallel_loops("#if (A && defined(B)) || C\n#if !D\n" LOOP_IN("f", "") "#endif\n#endif\n"),
        1);
    assert_int_equal(parallel_loops("#if 0\n" LOOP_IN("f", "") "#endif\n"), 0);
    assert_int_equal(parallel_loops("#if defined(_OPENMP) && N > 1\n" LOOP_IN("f", "") "#endif"),
                     0);
    assert_int_equal(parallel_loops("#ifdef A\n" LOOP_IN("f", "") "#else\n" LOOP_IN("g", "")
                                        LOOP_IN("h", "") "#endif\n"),
                     2);
    assert_int_equal(parallel_loops("#ifdef A\n#error no\n#endif\n#ifdef A\n" LOOP_IN(
                         "f", "missing *x = ) ;\n") "#endif\n"),
                     0);
}

static void an_undefined_openmp_that_a_configuration_decides_is_not(void **state)
{
    (void)state;
    assert_int_equal(parallel_loops("#if !FAST\n#undef _OPENMP\n#endif\n#ifdef _OPENMP\n" LOOP_IN(
                         "f", "") "#endif\n"),
                     1);
    assert_int_equal(parallel_loops("#undef _OPENMP\n#ifdef _OPENMP\n" LOOP_IN("f", "") "#endif\n"),
                     0);
    assert_int_equal(parallel_loops("#if !FAST\n#undef _OPENMP\n#ifdef _OPENMP\n" LOOP_IN(
                         "f", "") "#endif\n#endif\n"),
                     0);
}

static void macros_that_only_hold_directives_are_switched_on(void **state)
{
    (void)state;
    assert_int_equal(
        parallel_loops("#if defined(PROJECT_OPENMP)\n#define CLAUSE\n#ifndef EACH\n"
                       "#define EACH _Pragma(\"omp parallel for\")\n#endif\n#else\n#define EACH\n"
                       "#endif\nvoid f(int n, int *a) { EACH for (int i = 0; i < n; i++) a[i] = 0; "
                       "}\n"),
        1);
}

static void threadprivate_marks_its_variables(void **state)
{
    (void)state;
    const Unit *unit = parse("int a, b, c;\n#pragma omp threadprivate(a, b)\n");
    assert_true((symbol(unit, "b")->flags & SYMBOL_THREADPRIVATE) != 0);
    assert_true((symbol(unit, "c")->flags & SYMBOL_THREADPRIVATE) == 0);
}

/* ---- what is missing, what is broken ---- */

static void loops_survive_missing_headers_unknown_types_and_constants(void **state)
{
    (void)state;
    const Unit *unit = parse(
        "#include \"nowhere/config.h\"\ndouble grid[NX][NY];\nvoid f(index_t n, field_t *x) {\n"
        "#pragma omp parallel for\nfor (index_t i = 0; i < LIMIT; i++) grid[i][0] = x[i]; }");
    assert_int_equal(loop_info(unit, 0).run, RUN_PARALLEL);
    assert_int_equal(ast_at(unit->ast, nth(unit, AST_LOOP, 0))->op, LOOP_COUNTED);
    assert_int_equal(unit->notes.count, 1);
    assert_string_equal(unit->notes.items[0].message,
                        "header not found: nowhere/config.h; results may be incomplete");
    assert_int_equal(unit->notes.items[0].line, 1);
    assert_int_equal(unit->ast->types.items[symbol(unit, "grid")->type].count, -1);
    assert_int_equal(symbol(unit, "LIMIT")->flags & SYMBOL_KNOWN_VALUE, 0);
}

static void a_function_that_holds_an_error_is_doubtful(void **state)
{
    (void)state;
    const Unit *unit = parse("int good(int n) { return n; }\nint bad(int n) { return n.field; }");
    assert_true((ast_at(unit->ast, nth(unit, AST_FUNCTION, 0))->flags & AST_DOUBTFUL) == 0);
    assert_true((ast_at(unit->ast, nth(unit, AST_FUNCTION, 1))->flags & AST_DOUBTFUL) != 0);
    assert_int_equal(unit->notes.count, 1);
    assert_int_equal(unit->notes.items[0].line, 2);
}

static void a_directive_without_its_loop_is_told(void **state)
{
    (void)state;
    const Unit *unit =
        parse("void f(int n) {\n#pragma omp parallel for\nfor (int i = 0; i < ; i++) n++; }");
    bool told = false;
    for (uint32_t i = 0; i < unit->notes.count; i++)
        told |= unit->notes.items[i].line == 2 &&
                strstr(unit->notes.items[i].message, "directive") != NULL;
    assert_true(told);
}

static void input_that_is_no_program_gives_an_empty_module(void **state)
{
    (void)state;
    const Unit *binary = parse_as("x.c", LANGUAGE_C, "int\0x;", 6);
    assert_int_equal(binary->ast->nodes.count, 2);
    assert_int_equal(binary->notes.items[0].level, SEVERITY_ERROR);
    assert_int_equal(parse("")->ast->nodes.count, 2);
    assert_int_equal(parse("}}}} ((((")->ast->functions.count, 1);
}

static const char *repeated(const char *before, const char *part, uint32_t times, const char *after)
{
    Text text = {0};
    text_puts(&text, before);
    for (uint32_t i = 0; i < times; i++)
        text_puts(&text, part);
    text_puts(&text, after);
    const char *copy = arena_strdup(bench.arena, text_string(&text));
    text_free(&text);
    return copy;
}

static void depth_is_bounded(void **state)
{
    (void)state;
    assert_in_range(
        parse(repeated("int f(int a) { return ", "- ", 10000, "a; }"))->ast->nodes.count, 10, 2000);
    assert_in_range(
        parse(repeated("int f(int a) { return ", "a + ", 10000, "a; }"))->ast->nodes.count, 10,
        2000);
    assert_in_range(parse(repeated("void f(int a) { ", "if (a) { ", 3000, ""))->ast->nodes.count, 2,
                    2000);
    const Unit *refused = parse(repeated("int f(int a) { return ", "- ", 60000, "a; }"));
    assert_int_equal(refused->notes.items[0].level, SEVERITY_ERROR);
}

static void cplusplus_is_read_as_far_as_it_is_c(void **state)
{
    (void)state;
    static const char text[] =
        "namespace n { struct A { int m; void add(int k) {\n#pragma omp parallel for\n"
        "for (int i = 0; i < k; i++) m += i; } }; }\ntemplate <class T> T g(T x) { return x; }\n"
        "int main() { n::A a; auto l = [&](int k) { return a.m + k; }; for (int &x : (int[]){1, "
        "2}) l(x); return g(1); }";
    const Unit *unit = parse_as("no/such/folder/case.cpp", LANGUAGE_CPP, text, strlen(text));
    assert_int_equal(unit->notes.count, 0);
    assert_int_equal(count(unit, AST_FUNCTION), 3);
    assert_int_equal(loop_info(unit, 0).run, RUN_PARALLEL);
    assert_int_equal(ast_at(unit->ast, nth(unit, AST_LOOP, 1))->op, LOOP_EACH);
}

static void of_compiler_arguments_only_what_decides_the_parse_is_taken(void **state)
{
    (void)state;
    static const char *const arguments[] = {
        "-fplugin=/x.so", "-Xclang", "-load", "-Iinc",    "-I",       "../up", "-D", "N=3", "-DX",
        "@file",          "-o",      "a.o",   "-std=c11", "-isystem", "/sys",  "-c", "a.c", "-O2",
        "-include"};
    static const char *const wanted[] = {"-I/top/inc", "-I/up",    "-DN=3",
                                         "-DX",        "-std=c11", "-isystem/sys"};
    Flags flags = {0};
    flags_accept(bench.arena, arguments, sizeof arguments / sizeof *arguments, "/top", &flags);
    assert_int_equal(flags.count, sizeof wanted / sizeof *wanted);
    for (uint32_t i = 0; i < flags.count; i++)
        assert_string_equal(flags.items[i], wanted[i]);
}

static void a_compiler_is_known_by_the_name_of_its_program(void **state)
{
    (void)state;
    assert_int_equal(compiler_named("/usr/bin/clang-19"), COMPILER_LLVM);
    assert_int_equal(compiler_named("icx"), COMPILER_LLVM);
    assert_int_equal(compiler_named("/opt/clang/bin/x86_64-linux-gnu-gcc-12"), COMPILER_GNU);
    assert_int_equal(compiler_named("g++"), COMPILER_GNU);
    assert_int_equal(compiler_named("clang++"), COMPILER_LLVM);
    assert_int_equal(compiler_named("/usr/bin/cc"), COMPILER_UNKNOWN);
}

static void compile_commands_tell_the_compiler_behind_a_launcher_too(void **state)
{
    (void)state;
    char folder[] = "commandsXXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *path = arena_printf(bench.arena, "%s/compile_commands.json", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(
        "[{\"directory\": \"/w\", \"file\": \"/w/a.c\", \"command\": \"ccache clang -DA -c a.c\"},"
        "{\"directory\": \"/w\", \"file\": \"/w/b.c\", \"command\": \"gcc-12 -DB -c b.c\"},"
        "{\"directory\": \"/w\", \"file\": \"/w/c.c\", \"command\": \"mpicc -DC -c c.c\"}]",
        file);
    fclose(file);
    FrontendOptions options = {.compile_commands = folder};
    Commands *commands = commands_open(bench.arena, &options);
    assert_non_null(commands);
    static const Compiler wanted[] = {COMPILER_LLVM, COMPILER_GNU, COMPILER_UNKNOWN};
    for (int i = 0; i < 3; i++) {
        Flags flags = {0};
        Compiler compiler;
        const char *name = arena_printf(bench.arena, "/w/%c.c", 'a' + i);
        assert_true(commands_of(commands, bench.arena, name, &flags, &compiler));
        assert_int_equal(compiler, wanted[i]);
        assert_true(flags_hold(&flags, arena_printf(bench.arena, "-D%c", 'A' + i)));
    }
    commands_close(commands);
    unlink(path);
    rmdir(folder);
}

static void files_go_to_their_frontend_by_suffix(void **state)
{
    (void)state;
    assert_ptr_equal(frontend_for("a/b.c"), &frontend_c);
    assert_ptr_equal(frontend_for("b.hpp"), &frontend_c);
    assert_ptr_equal(frontend_for("b.py"), &frontend_python);
    assert_null(frontend_for("c"));
    assert_null(frontend_for("a.txt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counted_loop_reads_like_a_range),
        cmocka_unit_test(a_loop_declares_its_variable_in_its_target),
        cmocka_unit_test(what_is_not_counted_stays_a_while_loop),
        cmocka_unit_test(what_runs_once_is_no_loop),
        cmocka_unit_test(further_inits_stand_before_the_loop_and_further_steps_behind_its_body),
        cmocka_unit_test(expressions_keep_their_operators_and_lose_their_parentheses),
        cmocka_unit_test(an_increment_is_an_assignment),
        cmocka_unit_test(a_condition_that_is_expected_to_fail_is_unlikely),
        cmocka_unit_test(statements_behind_a_case_belong_to_it),
        cmocka_unit_test(fields_of_unnamed_members_are_fields_of_the_struct),
        cmocka_unit_test(fields_lie_where_the_compiler_puts_them),
        cmocka_unit_test(atomic_builtins_are_calls),
        cmocka_unit_test(code_out_of_a_macro_stands_where_the_macro_is_used),
        cmocka_unit_test(symbols_know_kind_linkage_alignment_and_value),
        cmocka_unit_test(types_have_sizes_elements_and_locks),
        cmocka_unit_test(a_parallel_loop_is_one_node_with_its_clauses_behind_the_body),
        cmocka_unit_test(clauses_name_the_innermost_declaration),
        cmocka_unit_test(regions_hold_what_their_directive_stands_before),
        cmocka_unit_test(sections_gather_their_statements),
        cmocka_unit_test(offloaded_loops_are_marked),
        cmocka_unit_test(a_pragma_out_of_a_macro_is_read),
        cmocka_unit_test(only_pragmas_that_the_preprocessor_keeps_count),
        cmocka_unit_test(branches_with_loops_that_need_a_macro_are_read),
        cmocka_unit_test(an_undefined_openmp_that_a_configuration_decides_is_not),
        cmocka_unit_test(macros_that_only_hold_directives_are_switched_on),
        cmocka_unit_test(threadprivate_marks_its_variables),
        cmocka_unit_test(loops_survive_missing_headers_unknown_types_and_constants),
        cmocka_unit_test(a_function_that_holds_an_error_is_doubtful),
        cmocka_unit_test(a_directive_without_its_loop_is_told),
        cmocka_unit_test(input_that_is_no_program_gives_an_empty_module),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(cplusplus_is_read_as_far_as_it_is_c),
        cmocka_unit_test(of_compiler_arguments_only_what_decides_the_parse_is_taken),
        cmocka_unit_test(a_compiler_is_known_by_the_name_of_its_program),
        cmocka_unit_test(compile_commands_tell_the_compiler_behind_a_launcher_too),
        cmocka_unit_test(files_go_to_their_frontend_by_suffix),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
