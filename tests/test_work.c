/* The work model over small trees, which are written as texts: (kind word children …). Costs are
 * compared with the machine's figures or with each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/number/exposure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees from texts ---- */

/* `(` kind words children `)`. Words behind a kind: `+` and the like set op, `counted each while
 * do` the form of a loop, `parallel simd` how it runs, numbers a value, `atomic` a region; any
 * other word is a name, which in NAME, DECL and PARAM finds or makes a symbol. `_` is NONE; a bare
 * word is a NAME, a bare number an INT. */
typedef struct Maker {
    Arena *arena;
    Ast *ast;
    const char *at;
    AstFunction function;
} Maker;

static void skip_space(Maker *maker)
{
    while (isspace((unsigned char)*maker->at))
        maker->at++;
}

static char *word_of(Maker *maker)
{
    skip_space(maker);
    const char *start = maker->at;
    while (*maker->at != '\0' && strchr("() \n", *maker->at) == NULL)
        maker->at++;
    return arena_strndup(maker->arena, start, (size_t)(maker->at - start));
}

static AstSymbol symbol_of(Maker *maker, Name name, AstSymbolKind kind, AstNode node)
{
    Ast *ast = maker->ast;
    for (AstSymbol i = 1; i < ast->symbols.count; i++) {
        if (ast->symbols.items[i].name == name && ast->symbols.items[i].function == maker->function)
            return i;
    }
    return ast_symbol(ast, name, kind, maker->function, node);
}

static void set_name(Maker *maker, AstNode node, const char *word)
{
    Ast *ast = maker->ast;
    AstKind kind = ast_kind(ast, node);
    Name name = intern(ast->names, word);
    ast_at(ast, node)->name = name;
    if (kind == AST_FUNCTION) {
        maker->function = ast_function(ast, node, name, 0);
        AstSymbol symbol = ast_symbol(ast, name, SYMBOL_FUNCTION, 0, node);
        ast->functions.items[maker->function].symbol = symbol;
        ast_at(ast, node)->symbol = symbol;
        return;
    }
    for (AstSymbol i = 1; i < ast->symbols.count; i++) {
        if (ast->symbols.items[i].name == name && ast->symbols.items[i].kind == SYMBOL_FUNCTION)
            ast_at(ast, node)->symbol = i;
    }
    bool local = kind == AST_NAME || kind == AST_DECL || kind == AST_PARAM;
    if (local && ast_at(ast, node)->symbol == 0)
        ast_at(ast, node)->symbol =
            symbol_of(maker, name, kind == AST_PARAM ? SYMBOL_PARAM : SYMBOL_LOCAL, node);
}

typedef struct Word {
    const char *text;
    int value;
} Word;

static bool find_word(const Word *words, const char *text, int *value)
{
    for (; words->text != NULL; words++) {
        if (strcmp(words->text, text) == 0) {
            *value = words->value;
            return true;
        }
    }
    return false;
}

static void set_word(Maker *maker, AstNode node, const char *word)
{
    static const Word ops[] = {{"+", OP_ADD},  {"-", OP_SUB},       {"*", OP_MUL}, {"/", OP_DIV},
                               {"**", OP_POW}, {"//", OP_FLOORDIV}, {"<", OP_LT},  {NULL, 0}};
    static const Word forms[] = {{"counted", LOOP_COUNTED},
                                 {"each", LOOP_EACH},
                                 {"while", LOOP_WHILE},
                                 {"do", LOOP_DO},
                                 {NULL, 0}};
    static const Word runs[] = {{"parallel", RUN_PARALLEL}, {"simd", RUN_SIMD}, {NULL, 0}};
    AstNodeData *data = ast_at(maker->ast, node);
    int value;
    if (find_word(ops, word, &value) || (data->kind == AST_LOOP && find_word(forms, word, &value)))
        data->op = (uint8_t)value;
    else if (data->kind == AST_LOOP && find_word(runs, word, &value))
        data->value.loop.run = (uint8_t)value;
    else if (data->kind == AST_REGION && strcmp(word, "atomic") == 0)
        data->op = REGION_ATOMIC;
    else if (data->kind == AST_FUNCTION && strcmp(word, "fastmath") == 0)
        maker->ast->functions.items[maker->function].flags |= FN_FASTMATH;
    else if (data->kind == AST_REAL)
        data->value.real = strtod(word, NULL);
    else
        set_name(maker, node, word);
}

static AstKind kind_of(const char *word)
{
    for (int kind = 0; kind < AST_KIND_COUNT; kind++) {
        if (strcmp(ast_kind_word((AstKind)kind), word) == 0)
            return (AstKind)kind;
    }
    fail_msg("no kind '%s'", word);
    return AST_NONE;
}

static bool takes_words(AstKind kind)
{
    return kind == AST_LOOP || kind == AST_BINARY || kind == AST_ASSIGN || kind == AST_FUNCTION ||
           kind == AST_DECL || kind == AST_PARAM || kind == AST_FIELD || kind == AST_REAL ||
           kind == AST_COMPARE || kind == AST_REGION || kind == AST_UNARY;
}

/* Words that set something of a node, rather than stand for a child. */
static int own_words(AstKind kind)
{
    switch (kind) {
    case AST_LOOP:
    case AST_FUNCTION:
        return 2;
    default:
        return takes_words(kind) ? 1 : 0;
    }
}

static AstNode make(Maker *maker)
{
    Ast *ast = maker->ast;
    skip_space(maker);
    if (*maker->at != '(') {
        const char *word = word_of(maker);
        if (strcmp(word, "_") == 0)
            return ast_none(ast);
        bool number = isdigit((unsigned char)word[word[0] == '-']);
        AstNode leaf = ast_leaf(ast, number ? AST_INT : AST_NAME, 0, 0, 0);
        if (number)
            ast_at(ast, leaf)->value.integer = atoll(word);
        else
            set_name(maker, leaf, word);
        return leaf;
    }
    maker->at++;
    AstKind kind = kind_of(word_of(maker));
    AstNode node = ast_open(ast, kind, 0, 0, 0);
    int words = own_words(kind);
    for (skip_space(maker); *maker->at != ')'; skip_space(maker)) {
        bool word = words > 0 && *maker->at != '(';
        bool plain = kind == AST_ASSIGN && strchr("+-*/", *maker->at) == NULL;
        bool loop = kind == AST_LOOP && words == 1 && strncmp(maker->at, "parallel", 8) != 0 &&
                    strncmp(maker->at, "simd", 4) != 0;
        bool function = kind == AST_FUNCTION && words == 1 &&
                        strncmp(maker->at, "fastmath", 8) != 0;
        words--;
        if (word && !plain && !loop && !function)
            set_word(maker, node, word_of(maker));
        else
            (void)make(maker);
    }
    maker->at++;
    ast_close(ast, node);
    return node;
}

typedef struct Bench {
    Arena *arena;
    Unit *unit;
    Program *program;
    Machine *machine;
    WorkModel *work;
} Bench;

static Bench bench_with(const char *text, const char *const *assumed, uint32_t assumed_count)
{
    Bench bench = {.arena = arena_new()};
    bench.machine = arena_alloc(bench.arena, sizeof *bench.machine);
    *bench.machine = machine_generic();
    bench.unit = arena_alloc(bench.arena, sizeof *bench.unit);
    bench.unit->arena = bench.arena;
    bench.unit->language = LANGUAGE_PYTHON;
    bench.unit->module = "m";
    bench.unit->root = "";
    bench.unit->ast = ast_new(bench.arena);
    Maker maker = {.arena = bench.arena, .ast = bench.unit->ast, .at = text};
    Source *source = source_from(bench.arena, "m.py", "", 0);
    LIST_PUSH(bench.arena, &bench.unit->files, source);
    (void)make(&maker);
    Unit **units = arena_alloc(bench.arena, sizeof *units);
    units[0] = bench.unit;
    bench.program = program_new(bench.arena, units, 1);
    bench.work = work_new(bench.arena, bench.program, bench.machine, assumed, assumed_count);
    return bench;
}

static Bench bench_new(const char *text)
{
    return bench_with(text, NULL, 0);
}

/* Loop number `index` of the tree, from 0. */
static AstNode loop_at(const Bench *bench, int index)
{
    const Ast *ast = bench->unit->ast;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        if (ast_kind(ast, node) == AST_LOOP && index-- == 0)
            return node;
    }
    fail_msg("no such loop");
    return 0;
}

static double trips_with(const char *text, int loop, bool known, const char *const *assumed,
                         uint32_t count)
{
    Bench bench = bench_with(text, assumed, count);
    bool told;
    double trips = work_trips(bench.work, bench.unit, loop_at(&bench, loop), &told);
    assert_int_equal(told, known);
    arena_free(bench.arena);
    return trips;
}

static double trips(const char *text, int loop, bool known)
{
    return trips_with(text, loop, known, NULL, 0);
}

static double ns(const char *text)
{
    Bench bench = bench_new(text);
    double cost = work_ns(bench.work, bench.unit, 1);
    arena_free(bench.arena);
    return cost;
}

static void close_to(double value, double expected)
{
    if (fabs(value - expected) > 1e-6 * (1 + fabs(expected)))
        fail_msg("%g is not %g", value, expected);
}

/* ---- iterations ---- */

static void constants_are_counted(void **state)
{
    (void)state;
    close_to(trips("(module (loop counted k _ 3 _ (block)))", 0, true), 3);
    close_to(trips("(module (loop counted k 2 11 4 (block)))", 0, true), 3);
    close_to(trips("(module (loop counted k 10 0 -1 (block)))", 0, true), 10);
    close_to(trips("(module (loop counted k 5 2 _ (block)))", 0, true), 0);
}

static void limits_that_differ_by_a_constant_are_counted(void **state)
{
    (void)state;
    close_to(trips("(module (loop counted k j (binary + j 3) _ (block)))", 0, true), 3);
    close_to(trips("(module (loop counted k (binary - n 1) (binary + n 1) _ (block)))", 0, true),
             2);
    close_to(trips("(module (loop counted k (index (field shape x) 0)"
                   " (binary + (index (field shape x) 0) 2) _ (block)))",
                   0, true),
             2);
    close_to(trips("(module (loop counted k n m _ (block)))", 0, false), WORK_SHORT);
    close_to(trips("(module (loop counted k (call f) (call f) _ (block)))", 0, false), WORK_SHORT);
}

static void a_local_that_is_set_once_stands_for_its_value(void **state)
{
    (void)state;
    close_to(
        trips("(module (function f (block (assign n 7) (loop counted k _ n _ (block)))))", 0, true),
        7);
    close_to(trips("(module (function f (block (assign n 7) (assign + n 1)"
                   " (loop counted k _ n _ (block)))))",
                   0, false),
             WORK_SHORT);
}

static void literals_that_are_looped_over_are_counted(void **state)
{
    (void)state;
    close_to(trips("(module (loop each v (tuple 1 2 3 4) _ _ (block)))", 0, true), 4);
    close_to(trips("(module (loop each v x _ _ (block)))", 0, false), WORK_SHORT);
}

static void named_sizes_are_taken_from_the_user(void **state)
{
    (void)state;
    static const char *const sizes[] = {"n=1500", "x.shape[0]=40", "len(y)=9"};
    close_to(trips_with("(module (loop counted k _ n _ (block)))", 0, true, sizes, 3), 1500);
    close_to(trips_with("(module (loop counted k 1 (binary + n 1) _ (block)))", 0, true, sizes, 3),
             1500);
    close_to(trips_with("(module (loop counted k _ (binary // n 2) _ (block)))", 0, true, sizes, 3),
             750);
    close_to(trips_with("(module (loop counted k _ (index (field shape x) 0) _ (block)))", 0, true,
                        sizes, 3),
             40);
    close_to(trips_with("(module (loop counted k _ (call len y) _ (block)))", 0, true, sizes, 3),
             9);
    close_to(trips_with("(module (loop counted k _ (field n self) _ (block)))", 0, true, sizes, 3),
             1500);
    close_to(trips_with("(module (loop counted k _ nn _ (block)))", 0, false, sizes, 3),
             WORK_SHORT);
}

static void the_length_of_an_unknown_array_is_the_users_or_assumed_and_told(void **state)
{
    (void)state;
    static const char *const sizes[] = {"len(x)=8"};
    Bench bench = bench_with("(module (expr (index x i)) (expr (index y i)))", sizes, 1);
    const Ast *ast = bench.unit->ast;
    AstNode names[2] = {0};
    int count = 0;
    for (AstNode node = 1; node < ast->nodes.count; node++)
        if (ast_kind(ast, node) == AST_INDEX)
            names[count++] = ast_first(ast, node);
    const char *assumed = "k runs 16 times";
    close_to(work_length(bench.work, bench.arena, bench.unit, names[0], &assumed), 8);
    assert_string_equal(assumed, "k runs 16 times");
    close_to(work_length(bench.work, bench.arena, bench.unit, names[1], &assumed), WORK_ARRAY);
    assert_string_equal(assumed, "k runs 16 times; y has 256 elements (len(y))");
    arena_free(bench.arena);
}

static void unknown_loops_are_long_where_they_are_nested(void **state)
{
    (void)state;
    const char *nest = "(module (loop counted i _ n _ (block (loop counted j _ m _ (block)))))";
    close_to(trips(nest, 0, false), WORK_LONG);
    close_to(trips(nest, 1, false), WORK_LONG);
    close_to(
        trips("(module (loop counted i _ n _ (block (loop counted j _ 3 _ (block)))))", 0, false),
        WORK_SHORT);
    close_to(trips("(module (loop while _ _ c _ (block)))", 0, false), WORK_SHORT);
}

static void loops_of_another_function_do_not_count_as_nested(void **state)
{
    (void)state;
    close_to(trips("(module (loop counted i _ n _ (block"
                   " (function f (block (loop counted j _ m _ (block)))))))",
                   1, false),
             WORK_SHORT);
}

static void the_outermost_parallel_loop_is_taken_as_very_long(void **state)
{
    (void)state;
    close_to(trips("(module (loop counted parallel i _ n _ (block)))", 0, false), WORK_PARALLEL);
    close_to(trips("(module (loop counted parallel i _ 8 _ (block)))", 0, true), 8);
}

static void half_of_a_bound_in_the_condition_of_a_loop_is_what_it_turns(void **state)
{
    (void)state;
    close_to(trips("(module (loop while _ _ (logic (compare < k 12) c) _ (block)))", 0, false), 6);
    close_to(trips("(module (loop while _ _ (logic (compare < k 90) c) _ (block)))", 0, false),
             WORK_SHORT);
    close_to(trips("(module (loop while _ _ (logic (compare < 3 k) c) _ (block)))", 0, false),
             WORK_SHORT);
}

/* ---- costs ---- */

/* What a turn of a dealt loop takes more of memory than of its own: ns per turn. */
static double turn_ns(const char *turns, const char *body)
{
    char text[512];
    snprintf(text, sizeof text, "(module (loop counted parallel i _ %s _ (block %s)))", turns,
             body);
    return ns(text) / atof(turns);
}

static void a_dealt_loop_waits_for_memory_where_it_is_known_to_walk_far(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    double rate = curve_at(&machine.bandwidth_gbs, machine.threads) / machine.threads;
    const char *one = "(assign + s (index x i))",
               *again = "(assign + s (binary + (index x i) (index x i)))";
    const double counting = 0.2; /* at most */
    assert_true(fabs(turn_ns("10000000", one) - 8 / rate) < counting);
    assert_true(fabs(turn_ns("10000000", again) - 8 / rate) < counting);
    const char *two = "(assign + s (binary + (index x i) (index y i)))";
    assert_true(fabs(turn_ns("10000000", two) - 16 / rate) < counting);
    assert_true(turn_ns("1000", "(assign s (index x i))") < 8 / rate);
    assert_true(turn_ns("10000000", "(assign s (index x k))") < 8 / rate);
}

static void a_known_loop_costs_its_iterations(void **state)
{
    (void)state;
    double ten = ns("(module (loop counted k _ 10 _ (block (expr (call f)))))");
    double five = ns("(module (loop counted k _ 5 _ (block (expr (call f)))))");
    close_to(ten, 2 * five);
    assert_true(ten > 50);
}

#define REDUCTION                                                                                  \
    "(block (loop counted k _ 100 _ (block (assign + s (binary * (index x k) (index y k))))))"

static void a_sum_of_reals_runs_in_vectors_only_under_fastmath(void **state)
{
    (void)state;
    double strict = ns("(module (function f " REDUCTION "))");
    assert_true(strict == 0); /* a definition does nothing */
    Bench plain = bench_new("(module (function f " REDUCTION "))");
    Bench fast = bench_new("(module (function f fastmath " REDUCTION "))");
    double slow = work_ns(plain.work, plain.unit, loop_at(&plain, 0));
    double quick = work_ns(fast.work, fast.unit, loop_at(&fast, 0));
    assert_true(quick < slow / 2);
    assert_true(slow >= 100 * plain.machine->op_ns.value);
    arena_free(plain.arena);
    arena_free(fast.arena);
}

#define RECURRENCE                                                                                 \
    "(block (loop counted k _ 100 _ (block (assign s (binary + (binary * s 3) (index x k))))))"

static void a_value_that_a_turn_makes_of_the_last_one_is_no_sum(void **state)
{
    (void)state;
    Bench plain = bench_new("(module (function f " RECURRENCE "))");
    Bench fast = bench_new("(module (function f fastmath " RECURRENCE "))");
    double slow = work_ns(plain.work, plain.unit, loop_at(&plain, 0));
    close_to(work_ns(fast.work, fast.unit, loop_at(&fast, 0)), slow);
    arena_free(plain.arena);
    arena_free(fast.arena);
}

/* ns of a turn of the inner loop, which adds up `turns` elements in each turn of a parallel one. */
static double short_sum_ns(int turns)
{
    char text[256];
    snprintf(text, sizeof text, "(loop counted q _ %d _ (block (assign + s (index x q))))", turns);
    return turn_ns("1000", text) / turns;
}

static void a_short_sum_is_overlapped_by_that_of_the_next_turn_around_it(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    assert_true(short_sum_ns(12) < machine.op_ns.value);
    assert_true(short_sum_ns(1000) >= machine.op_ns.value);
    assert_true(ns("(module (loop counted q _ 12 _ (block (assign + s (index x q)))))") >=
                12 * machine.op_ns.value);
}

static double body_ns(const char *body)
{
    Arena *arena = arena_new();
    const char *text = arena_printf(arena, "(module (loop counted k _ 1000 _ (block %s)))", body);
    double each = ns(text) / 1000;
    arena_free(arena);
    return each;
}

static void elementwise_loops_run_in_vectors(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    double vector = body_ns("(assign (index a k) (binary + (index b k) (index c k)))");
    assert_true(vector <= 3 * machine.vector_op_ns.value);
}

static void what_hinders_vectors_costs_more(void **state)
{
    (void)state;
    double vector = body_ns("(assign (index a k) (binary + (index b k) 1))");
    static const char *const slower[] = {
        "(assign (index a (binary * k 2)) (binary + (index b k) 1))",       /* strided */
        "(assign (index a k) (binary + (index b (index c k)) 1))",          /* gathered */
        "(assign (index a k) (binary + (index a (binary - k 1)) 1))",       /* carried */
        "(assign (index a k 0) (binary + (index b k) 1))",                  /* by rows */
        "(branch c (block (assign (index a k) (binary + (index b k) 1))))", /* branch */
        "(assign (index a k) (call f (index b k)))",                        /* call */
    };
    for (size_t i = 0; i < sizeof slower / sizeof *slower; i++)
        assert_true(body_ns(slower[i]) > 1.5 * vector);
}

static void a_call_that_is_given_nothing_of_the_turn_before_runs_beside_it(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    double waits = body_ns("(assign (index a k) (binary + (index a (binary - k 1)) "
                           "(call sqrt (index a (binary - k 2)))))");
    double ahead = body_ns("(assign (index a k) (binary + (index a (binary - k 1)) "
                           "(call sqrt (index b (binary - k 2)))))");
    assert_true(waits > machine.sqrt_ns.value);
    assert_true(ahead < waits - machine.sqrt_ns.value / 2);
}

static void a_turn_waits_for_the_element_that_the_last_one_stored(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    double op = machine.op_ns.value, forward = machine.forward_ns.value;
    static const char *const texts[] = {
        "(assign (index a k) (binary + (index a (binary - k 1)) 1))",
        "(assign (index a (binary + k 1)) (binary + (index b k) (call min (index a k) 1)))",
        "(assign (index a i k) (binary * 2 (unary - (index a i (binary - k 1)))))",
    };
    for (int i = 0; i < 3; i++)
        assert_true(body_ns(texts[i]) >= forward + (i == 0 ? 1 : 2) * op);
    static const char *const free_of_it[] = {
        "(assign (index a k) (binary + (index a (binary + k 1)) 1))",     /* not written yet */
        "(assign (index a k) (binary + (index b (binary - k 1)) 1))",     /* of another array */
        "(assign (index a i k) (binary + (index a j (binary - k 1)) 1))", /* of another row */
    };
    for (int i = 0; i < 3; i++)
        assert_true(body_ns(free_of_it[i]) < forward + op);
}

static void divisions_roots_and_the_library_cost_what_the_profile_says(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    close_to(ns("(module (expr (binary / a b)))"), machine.divide_ns.value);
    close_to(ns("(module (expr (call sqrt a)))"), machine.sqrt_ns.value);
    close_to(ns("(module (expr (call sin a)))"), machine.libm_ns.value);
    close_to(ns("(module (expr (call exp a)))"), machine.libm_ns.value / 2);
    close_to(ns("(module (expr (binary ** a b)))"), machine.libm_ns.value);
    assert_true(ns("(module (expr (binary ** a 2)))") < 2);
    close_to(ns("(module (expr (binary ** a (real 0.5))))"), machine.sqrt_ns.value);
}

static void views_allocations_locks_and_atomic_updates_are_left_out(void **state)
{
    (void)state;
    close_to(ns("(module (expr (index x i (slice _ _ _))))"), 0);
    close_to(ns("(module (expr (call zeros n)))"), 0);
    close_to(ns("(module (expr (call malloc n)) (expr (call free p)))"), 0);
    close_to(ns("(module (expr (call pthread_mutex_lock p)))"), 0);
    close_to(ns("(module (region atomic (block (assign + s x))))"), 0);
}

static void a_load_behind_a_load_costs_more_than_one_beside_it(void **state)
{
    (void)state;
    assert_true(ns("(module (expr (index x (index y i))))") >
                ns("(module (expr (index x i)) (expr (index y i)))"));
}

static void a_branch_costs_the_mean_of_its_sides_and_none_that_leaves(void **state)
{
    (void)state;
    double call = ns("(module (expr (call f)))");
    double one = ns("(module (branch c (block (expr (call f)))))");
    double both = ns("(module (branch c (block (expr (call f))) (block (expr (call f)))))");
    double error = ns("(module (branch c (block (expr (call f)) (raise e))))");
    close_to(both - one, call / 2);
    close_to(one - error, call / 2);
}

static void calls_cost_the_body_of_what_they_call(void **state)
{
    (void)state;
    Bench bench =
        bench_new("(module (function g (block (expr (binary / a b)) (expr (binary / c d))))"
                  " (function f (block (loop counted k _ 10 _ (block (expr (call g)))))))");
    double loop = work_ns(bench.work, bench.unit, loop_at(&bench, 0));
    double body = 2 * bench.machine->divide_ns.value + bench.machine->call_ns.value;
    assert_true(loop > 10 * body && loop < 10 * (body + 1));
    arena_free(bench.arena);
}

static void recursion_ends(void **state)
{
    (void)state;
    Bench bench = bench_new("(module (function f (block (expr (call f)) (expr (call g))))"
                            " (function g (block (expr (call f)))) (expr (call f)))");
    assert_true(isfinite(work_ns(bench.work, bench.unit, 1)));
    arena_free(bench.arena);
}

static void deep_trees_end(void **state)
{
    (void)state;
    enum { DEEP = 20000 };
    Arena *arena = arena_new();
    char *text = arena_alloc(arena, DEEP * 10 + 64), *at = text;
    at = stpcpy(at, "(module ");
    for (int i = 0; i < DEEP; i++)
        at = stpcpy(at, "(block ");
    for (int i = 0; i <= DEEP; i++)
        *at++ = ')';
    assert_true(isfinite(ns(text)));
    arena_free(arena);
}

static void a_cell_of_time_warping_takes_about_four_ns(void **state)
{
    (void)state;
    double cell = ns("(module (assign d (binary - (index x i) (index y j)))"
                     " (assign (index cost (binary + i 1) (binary + j 1)) (binary + (binary * d d)"
                     " (call min (index cost i j) (index cost (binary + i 1) j)"
                     " (index cost i (binary + j 1))))))");
    assert_true(cell > 3 && cell < 6); /* numba 0.56: 4.1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_counted),
        cmocka_unit_test(limits_that_differ_by_a_constant_are_counted),
        cmocka_unit_test(a_local_that_is_set_once_stands_for_its_value),
        cmocka_unit_test(literals_that_are_looped_over_are_counted),
        cmocka_unit_test(named_sizes_are_taken_from_the_user),
        cmocka_unit_test(the_length_of_an_unknown_array_is_the_users_or_assumed_and_told),
        cmocka_unit_test(unknown_loops_are_long_where_they_are_nested),
        cmocka_unit_test(loops_of_another_function_do_not_count_as_nested),
        cmocka_unit_test(the_outermost_parallel_loop_is_taken_as_very_long),
        cmocka_unit_test(half_of_a_bound_in_the_condition_of_a_loop_is_what_it_turns),
        cmocka_unit_test(a_dealt_loop_waits_for_memory_where_it_is_known_to_walk_far),
        cmocka_unit_test(a_known_loop_costs_its_iterations),
        cmocka_unit_test(a_sum_of_reals_runs_in_vectors_only_under_fastmath),
        cmocka_unit_test(a_value_that_a_turn_makes_of_the_last_one_is_no_sum),
        cmocka_unit_test(a_short_sum_is_overlapped_by_that_of_the_next_turn_around_it),
        cmocka_unit_test(elementwise_loops_run_in_vectors),
        cmocka_unit_test(what_hinders_vectors_costs_more),
        cmocka_unit_test(a_call_that_is_given_nothing_of_the_turn_before_runs_beside_it),
        cmocka_unit_test(a_turn_waits_for_the_element_that_the_last_one_stored),
        cmocka_unit_test(divisions_roots_and_the_library_cost_what_the_profile_says),
        cmocka_unit_test(views_allocations_locks_and_atomic_updates_are_left_out),
        cmocka_unit_test(a_load_behind_a_load_costs_more_than_one_beside_it),
        cmocka_unit_test(a_branch_costs_the_mean_of_its_sides_and_none_that_leaves),
        cmocka_unit_test(calls_cost_the_body_of_what_they_call),
        cmocka_unit_test(recursion_ends),
        cmocka_unit_test(deep_trees_end),
        cmocka_unit_test(a_cell_of_time_warping_takes_about_four_ns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
