#include "analyzer/number/work.h"

#include <string.h>

/* A processor works on several independent operations at once. Where the turns of a loop wait for
 * each other, an operation in the middle of others takes a part of its latency: half for
 * arithmetic, which mostly hangs together, a quarter for loads that hit the first cache. With
 * these, a cell of dynamic time warping on one channel (six operations, five loads) comes to
 * the 4.1 ns that numba takes. */
#define ARITHMETIC_PART 0.5
#define LOAD_PART       0.25
#define WHOLE_PART      0.25 /* whole numbers: one cycle of about four */

/* Where they do not, the next turns fill the gaps, and what counts is how many instructions pass in
 * a cycle: three to four, of which an addition takes its latency, three to four cycles too.
 * Dividers and the library's functions overlap by a third. Measured on two vCPUs (Zen 5,
 * bench/reality): the cells of a hash over eight bytes, a filter of twelve taps and a sum over
 * twenty bytes at 0.08 to 0.13 ns an instruction beside additions of 0.6 ns; a root and a
 * quotient 4.0 ns where the two wait 9.9. */
#define SPREAD_PART        0.12
#define SPREAD_LOAD_PART   0.08
#define SPREAD_DIVIDE_PART 0.35

/* exp, log and functions of single precision take half of the mean of glibc's functions one after
 * the other, and side by side a quarter and less: 3.8 ns for exp and log where the mean is 16, 2.3
 * for cosf. */
#define QUICK_LIBM    0.5
#define SPREAD_LIBM   0.25
#define SPREAD_SINGLE 0.15

/* A branch on data goes another way than foretold in one of eight turns, as is assumed; in one of
 * four where both sides act, neither of which is then the exception. */
#define MISSED_PART      0.125
#define MISSED_BOTH_PART 0.25

/* A loop of so few turns is a part of what stands around it: its own chain is overlapped by that of
 * the next turn around it, where those do not wait. */
#define SHORT_CHAIN 16

#define FEWEST_LANES 4 /* of a vector; a shorter loop is not one */

#define VECTOR_DIVIDE 0.25 /* lanes of one divider */
#define VECTOR_LIBM   0.5  /* libm, where the library has a vector form at all */

/* Each element is compared some times, and half of the comparisons go another way than foretold:
 * np.sort, argsort, unique, digitize and interp of 16 and of 256 elements took 25 to 50 ns for
 * each, np.median 15 (numba 0.56.4, two vCPUs). */
#define SORTING_NS 25.0

/* x[order] and x[mask] copy element by element, through a loop that no vector runs: 1.3 and 2.2 ns
 * each with numba 0.56.4 (256 and 1024 elements, two vCPUs). */
#define COPY_NS 1.5

#define UNKNOWN_CALL_NS 5.0
#define TEXT_CALL_NS                                                                               \
    100.0           /* fgets 60 to 120, snprintf, sscanf and fscanf of a number 100 to 210         \
                     */
#define TINY_NS 3.0 /* a body that small is inlined */

typedef struct Cost {
    WorkModel *work;
    const Machine *machine;
    const Unit *unit;
    const Ast *ast;
    bool vector;     /* inside a loop that runs in vectors */
    bool waits;      /* not inside a loop whose turns overlap */
    AstNode chain;   /* the loop of this function whose turns wait for each other; 0: not known */
    double *divider; /* where they do not: ns that the divider is busy beside the rest; else NULL */
} Cost;

static double cost(const Cost *c, AstNode node);

WorkModel *work_new(Arena *arena, const Program *program, const Machine *machine,
                    const char *const *assumed, uint32_t assumed_count)
{
    WorkModel *work = arena_alloc(arena, sizeof *work);
    *work = (WorkModel){.arena = arena,
                        .program = program,
                        .machine = machine,
                        .assumed = assumed,
                        .assumed_count = assumed_count};
    work->units = arena_alloc(arena, (program->unit_count + 1) * sizeof *work->units);
    work->functions =
        arena_alloc(arena, 2 * (program->functions.count + 1) * sizeof *work->functions);
    return work;
}

WorkModel *work_cells(WorkModel *work)
{
    if (work->cells == NULL) {
        work->cells =
            work_new(work->arena, work->program, work->machine, work->assumed, work->assumed_count);
        work->cells->short_sides = true;
        work->cells->facts = work->facts;
    }
    return work->cells;
}

void work_use_facts(WorkModel *work, const Facts *facts)
{
    work->facts = facts;
}

/* Element by element: an operation is as long as an operand whose length the user has said. */
static bool said_elements(const WorkModel *work, const Ast *ast, AstNode node, double *elements)
{
    if (assume_length(work, ast, node, elements))
        return true;
    AstKind kind = ast_kind(ast, node);
    if (kind != AST_BINARY && kind != AST_UNARY && kind != AST_COMPARE)
        return false;
    FOR_EACH_CHILD (ast, child, node)
        if (said_elements(work, ast, child, elements))
            return true;
    return false;
}

double work_elements(const WorkModel *work, const Unit *unit, AstNode node, bool *known)
{
    bool column;
    *known = false;
    uint32_t rank = work->facts == NULL || unit->language != LANGUAGE_PYTHON
                        ? 0
                        : facts_rank(work->facts, unit, node, &column);
    double said;
    if (rank == 0)
        return 0;
    *known = work->assumed_count > 0 && said_elements(work, unit->ast, node, &said);
    if (*known)
        return said;
    double elements = column || work->short_sides ? WORK_SHORT : WORK_ARRAY;
    for (; rank > 2; rank--)
        elements *= WORK_SHORT;
    return elements;
}

static double array_elements(const Cost *c, AstNode node)
{
    bool known;
    return work_elements(c->work, c->unit, node, &known);
}

UnitTable *unit_table(WorkModel *work, const Unit *unit)
{
    UnitTable *table = &work->units[unit->id];
    if (table->unit == NULL) {
        table->unit = unit;
        trips_prepare(work, table);
    }
    return table;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* An element of the profile's vector loop is two operations, and what they load. */
static double arithmetic(const Cost *c, AstNode node)
{
    double spread = c->machine->op_ns.value * SPREAD_PART;
    if (c->vector)
        return smaller(c->machine->vector_op_ns.value / 2, spread);
    AstType type = ast_at(c->ast, node)->type;
    bool whole = c->ast->types.items[type].kind == TYPE_INT;
    if (!c->waits)
        return spread;
    return c->machine->op_ns.value * (whole ? WHOLE_PART : ARITHMETIC_PART);
}

static double load_ns(const Cost *c)
{
    return c->machine->load_ns[0].value * (c->waits ? LOAD_PART : SPREAD_LOAD_PART);
}

/* Of a division or a root. Where turns overlap the divider works beside the other units, and only
 * the busier of the two is waited for. */
static double divider_ns(const Cost *c, Figure latency)
{
    if (c->divider == NULL || c->vector || c->waits)
        return latency.value * (c->vector ? VECTOR_DIVIDE : c->waits ? 1 : SPREAD_DIVIDE_PART);
    *c->divider += latency.value * SPREAD_DIVIDE_PART;
    return c->machine->op_ns.value * SPREAD_PART;
}

double work_wait_ns(const WorkModel *work, const Unit *unit, AstNode loop)
{
    int chain = loop_chain(unit, loop);
    return chain < 0 ? 0 : work->machine->forward_ns.value + chain * work->machine->op_ns.value;
}

/* What one turn of a loop takes, of which a part may be the divider's alone, or what it waits for
 * from the turn before. */
static double turn_ns(Cost *c, AstNode loop)
{
    double divider = 0;
    c->divider = &divider;
    double ns = cost(c, loop_body(c->ast, loop));
    c->divider = NULL;
    return larger(ns, larger(divider, work_wait_ns(c->work, c->unit, loop)));
}

static double children(const Cost *c, AstNode node)
{
    double sum = 0;
    FOR_EACH_CHILD (c->ast, child, node)
        sum += cost(c, child);
    return sum;
}

static double mean(double a, double b)
{
    return (a + b) / 2;
}

/* x ** 2 is a product, x ** 0.5 a root, other whole powers a few products; the rest goes to the
 * library. */
static double power_ns(const Cost *c, AstNode node)
{
    AstNode exponent = ast_child(c->ast, node, 1);
    int64_t whole;
    if (ast_constant(c->ast, exponent, &whole))
        return arithmetic(c, node) * (whole >= -4 && whole <= 4 ? (whole == 2 ? 1 : 2) : 4);
    if (ast_kind(c->ast, exponent) == AST_REAL) {
        double real = ast_at(c->ast, exponent)->value.real;
        if (real == 2)
            return arithmetic(c, node);
        if (real == 0.5)
            return divider_ns(c, c->machine->sqrt_ns);
    }
    return c->machine->libm_ns.value;
}

/* Dividing by a known whole number is a product and a shift. */
static double division_ns(const Cost *c, AstNode node)
{
    int64_t whole;
    AstOp op = (AstOp)ast_at(c->ast, node)->op;
    bool known = ast_constant(c->ast, ast_child(c->ast, node, 1), &whole);
    if (known && (op != OP_DIV || c->unit->language != LANGUAGE_PYTHON))
        return 2 * arithmetic(c, node);
    return divider_ns(c, c->machine->divide_ns);
}

static double operation_ns(const Cost *c, AstNode node)
{
    switch (ast_at(c->ast, node)->op) {
    case OP_NONE:
        return 0;
    case OP_POW:
        return power_ns(c, node);
    case OP_DIV:
    case OP_FLOORDIV:
    case OP_MOD:
        return division_ns(c, node);
    default:
        return arithmetic(c, node);
    }
}

/* Reading or writing an element. Arithmetic of indices is part of the address; a load inside an
 * index has to be waited for. Slices and rows are views: events of their own. */
static double element_ns(const Cost *c, AstNode node)
{
    const Ast *ast = c->ast;
    double sum = cost(c, ast_first(ast, node)), ns = load_ns(c);
    double elements = array_elements(c, node);
    if (elements > 0 && facts_copies(c->work->facts, c->unit, node))
        return children(c, node) + elements * COPY_NS;
    if (elements > 0)
        return sum;
    for (AstNode index = ast_next(ast, node + 1); index != 0; index = ast_next(ast, index)) {
        if (ast_kind(ast, index) == AST_SLICE)
            return sum;
        if (!ast_holds_kind(ast, index, AST_INDEX) && !ast_holds_kind(ast, index, AST_CALL))
            continue;
        sum += cost(c, index);
        ns = c->waits ? c->machine->load_ns[0].value : ns;
    }
    return c->vector ? sum : sum + ns;
}

static double function_ns(WorkModel *work, FunctionId id, bool waits)
{
    FunctionCost *memo = &work->functions[2 * id + waits];
    if (memo->state != FUNCTION_NEW)
        return memo->ns; /* 0 while busy: recursion is counted once */
    memo->state = FUNCTION_BUSY;
    const Unit *unit = program_function_unit(work->program, id);
    AstNode node = program_function_data(work->program, id)->node;
    AstNode body = ast_first(unit->ast, node);
    Cost c = {
        .work = work, .machine = work->machine, .unit = unit, .ast = unit->ast, .waits = waits};
    double ns = body == 0 ? UNKNOWN_CALL_NS : cost(&c, body);
    *memo = (FunctionCost){FUNCTION_DONE, ns};
    return ns;
}

AstNode call_operand(const Ast *ast, AstNode call)
{
    AstNode callee = ast_first(ast, call), argument = ast_child(ast, call, 1);
    return ast_kind(ast, callee) == AST_FIELD ? ast_first(ast, callee) : argument;
}

/* The profile has the mean of exp, log, sin and pow, one after the other. */
static double libm_ns(const Cost *c, AstNode call)
{
    double ns = c->machine->libm_ns.value;
    CallClass class = call_class(c->work, c->unit, call);
    if (class == CALL_LIBM_QUICK || class == CALL_LIBM_SINGLE)
        ns *= c->waits ? QUICK_LIBM : class == CALL_LIBM_SINGLE ? SPREAD_SINGLE : SPREAD_LIBM;
    return ns;
}

/* An element-wise function of an array runs once per element, in vectors. */
static double library_ns(const Cost *c, AstNode call)
{
    const Machine *machine = c->machine;
    uint32_t arguments = ast_child_count(c->ast, call) - 1;
    AstNode of = call_operand(c->ast, call);
    double elements = of == 0 ? 0 : array_elements(c, of);
    bool vector = c->vector || elements > 0;
    double times = larger(elements, 1);
    switch (call_class(c->work, c->unit, call)) {
    case CALL_FREE:
        return 0;
    case CALL_OP:
        if (elements > 0)
            return elements * machine->vector_op_ns.value;
        return arithmetic(c, call) * (arguments > 2 ? arguments - 1 : 1);
    case CALL_SQRT:
        return times * divider_ns(&(Cost){.vector = vector, .waits = c->waits}, machine->sqrt_ns);
    case CALL_LIBM:
    case CALL_LIBM_QUICK:
    case CALL_LIBM_SINGLE:
        return times * libm_ns(c, call) * (elements > 0 ? VECTOR_LIBM : 1);
    case CALL_ARRAY:
        return machine->call_ns.value + larger(elements, WORK_SHORT) * machine->vector_op_ns.value;
    case CALL_SORTING:
        return machine->call_ns.value + larger(elements, WORK_SHORT) * SORTING_NS;
    case CALL_TEXT:
        return TEXT_CALL_NS;
    case CALL_UNKNOWN:
        break;
    }
    return UNKNOWN_CALL_NS;
}

/* Arithmetic of whole arrays, element by element; a matrix product goes through the long side for
 * each element of its larger operand, whatever is known of the result. */
static double binary_ns(const Cost *c, AstNode node)
{
    if (ast_at(c->ast, node)->op == OP_MATMUL) {
        double elements =
            larger(array_elements(c, node + 1), array_elements(c, ast_child(c->ast, node, 1)));
        return c->machine->call_ns.value +
               larger(elements, WORK_SHORT) * WORK_LONG * c->machine->vector_op_ns.value;
    }
    double elements = array_elements(c, node);
    return elements <= 0 ? operation_ns(c, node) : elements * c->machine->vector_op_ns.value;
}

/* What stands around a call: one that runs ahead of the chain around it does not wait. */
static Cost around_call(const Cost *c, AstNode call)
{
    Cost around = *c;
    if (c->waits && c->chain != 0 && call_runs_ahead(c->unit, c->chain, call))
        around.waits = false;
    return around;
}

static double call_ns(const Cost *outside, AstNode call)
{
    const Cost around = around_call(outside, call), *c = &around;
    const Ast *ast = c->ast;
    AstNode callee = ast_first(ast, call);
    if (callee == 0)
        return 0;
    double sum = ast_kind(ast, callee) == AST_FIELD ? cost(c, ast_first(ast, callee)) : 0;
    for (AstNode argument = ast_next(ast, callee); argument != 0;
         argument = ast_next(ast, argument))
        sum += cost(c, argument);
    FunctionId id = program_callee(c->work->program, c->unit, call);
    if (id == 0)
        return sum + library_ns(c, call);
    if ((program_function_data(c->work->program, id)->flags & FN_INTRINSIC) != 0)
        return sum + arithmetic(c, call); /* its body makes an instruction or a few */
    double body = function_ns(c->work, id, c->waits);
    bool inlined = (program_function_data(c->work->program, id)->flags & FN_INLINE_ALWAYS) != 0;
    return sum + body + (inlined || body < TINY_NS ? 0 : c->machine->call_ns.value);
}

static bool ends_process(const Cost *c, AstNode node)
{
    const Ast *ast = c->ast;
    if (ast_kind(ast, node) == AST_EXPR && ast_first(ast, node) != 0)
        node = ast_first(ast, node);
    if (ast_kind(ast, node) != AST_CALL || ast_first(ast, node) == 0)
        return false;
    const char *name = intern_text(ast->names, ast_at(ast, ast_first(ast, node))->name);
    static const char *const ends[] = {"exit", "abort", "_exit", "err", "errx"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (strcmp(name, ends[i]) == 0)
            return true;
    }
    return false;
}

/* Loops, or calls a function of the program: that is the work itself, as in a function that picks
 * the variant for the shape of its arguments and returns what it gives. */
static bool works(const Cost *c, AstNode side)
{
    FOR_EACH_NODE (c->ast, node, side) {
        AstKind kind = ast_kind(c->ast, node);
        if (kind == AST_LOOP ||
            (kind == AST_CALL && program_callee(c->work->program, c->unit, node) != 0))
            return true;
    }
    return false;
}

/* Whether a side of a branch leaves: it is not what usually happens. */
static bool leaves(const Cost *c, AstNode side)
{
    const Ast *ast = c->ast;
    AstNode last = side;
    if (ast_kind(ast, side) == AST_BLOCK) {
        last = 0;
        FOR_EACH_CHILD (ast, child, side)
            last = child;
    }
    if (last == 0)
        return false;
    AstKind kind = ast_kind(ast, last);
    return kind == AST_RAISE || ends_process(c, last) ||
           ((kind == AST_RETURN || kind == AST_GOTO) && !works(c, side));
}

/* for order in range(start, stop): if order == start: the first turn only. */
static bool is_first_turn(const Cost *c, AstNode branch)
{
    const Ast *ast = c->ast;
    AstNode condition = ast_first(ast, branch), name = ast_first(ast, condition);
    if (ast_kind(ast, condition) != AST_COMPARE || ast_at(ast, condition)->op != OP_EQ ||
        ast_kind(ast, name) != AST_NAME)
        return false;
    for (AstNode up = ast_parent(ast, branch); up != 0; up = ast_parent(ast, up)) {
        AstNode target = ast_kind(ast, up) == AST_LOOP ? loop_target(ast, up) : 0;
        if (target == 0 || ast_kind(ast, target) != AST_NAME ||
            ast_at(ast, target)->symbol != ast_at(ast, name)->symbol)
            continue;
        AstNode start = loop_start(ast, up);
        if (ast_kind(ast, start) == AST_CALL) /* np.arange(start, stop) */
            start = ast_child(ast, start, 1);
        return start != 0 && ast_same(ast, start, ast_child(ast, condition, 1));
    }
    return false;
}

/* Stores where others look, or calls. */
static bool acts(const Ast *ast, AstNode side)
{
    if (side == 0)
        return false;
    FOR_EACH_NODE (ast, node, side) {
        AstNode target = ast_kind(ast, node) == AST_ASSIGN ? ast_first(ast, node) : 0;
        AstKind kind = target == 0 ? AST_NONE : ast_kind(ast, target);
        if (ast_kind(ast, node) == AST_CALL || kind == AST_INDEX || kind == AST_DEREF ||
            kind == AST_FIELD)
            return true;
    }
    return false;
}

/* Of a branch around a store or a call: others become instructions that choose. A condition on data
 * reads an element, or what lies behind a pointer. */
static double missed_ns(const Cost *c, AstNode branch)
{
    const Ast *ast = c->ast;
    AstNode condition = ast_first(ast, branch);
    bool then = acts(ast, ast_child(ast, branch, 1)), other = acts(ast, ast_child(ast, branch, 2));
    bool data = ast_holds_kind(ast, condition, AST_INDEX) ||
                ast_holds_kind(ast, condition, AST_DEREF) ||
                ast_holds_kind(ast, condition, AST_FIELD);
    double part = then && other ? MISSED_BOTH_PART : then || other ? MISSED_PART : 0;
    return data ? part * c->machine->branch_miss_ns.value : 0;
}

static double branch_ns(const Cost *c, AstNode node)
{
    const Ast *ast = c->ast;
    AstNode then = ast_child(ast, node, 1), other = ast_child(ast, node, 2);
    double sum = cost(c, ast_first(ast, node)) + arithmetic(c, node);
    double a = then == 0 ? 0 : cost(c, then), b = other == 0 ? 0 : cost(c, other);
    bool unlikely = (ast_at(ast, node)->flags & AST_UNLIKELY) != 0;
    bool leaves_then = unlikely || is_first_turn(c, node) || (then != 0 && leaves(c, then));
    bool leaves_other = other != 0 && leaves(c, other);
    if (leaves_then && !leaves_other)
        return sum + b;
    if (leaves_other && !leaves_then)
        return sum + a;
    bool loops = ast_holds_kind(ast, node, AST_LOOP);
    sum += missed_ns(c, node);
    return sum + (loops ? larger(a, b) : mean(a, b));
}

static double switch_ns(const Cost *c, AstNode node)
{
    const Ast *ast = c->ast;
    AstNode body = ast_child(ast, node, 1);
    double sum = 0, cases = 0;
    for (AstNode child = body == 0 ? 0 : ast_first(ast, body); child != 0;
         child = ast_next(ast, child)) {
        sum += cost(c, child);
        cases += ast_kind(ast, child) == AST_CASE;
    }
    return cost(c, ast_first(ast, node)) + arithmetic(c, node) + sum / larger(cases, 1);
}

/* Its turns are said to be independent. */
static bool is_dealt(const Unit *unit, AstNode loop)
{
    uint8_t run = ast_at(unit->ast, loop)->value.loop.run;
    return run == RUN_PARALLEL || run == RUN_WORKSHARE || run == RUN_SIMD;
}

/* Known to have so few turns that its chain is overlapped. */
static bool is_short(const WorkModel *work, const Unit *unit, AstNode loop)
{
    const LoopRecord *record = loop_record(&work->units[unit->id], loop);
    return record->known && record->trips <= SHORT_CHAIN;
}

/* Whether a turn of a loop needs what the turn before has made. */
static bool carries(const Unit *unit, AstNode loop)
{
    return !is_dealt(unit, loop) && loop_carries(unit, loop);
}

/* Whether the turns of a loop wait for each other, longer than the processor looks ahead. */
static bool waits_in(const WorkModel *work, const Unit *unit, AstNode loop)
{
    return !is_short(work, unit, loop) && carries(unit, loop);
}

/* A short loop inside another one of its function, whose turns do not wait. */
static bool is_overlapped(const Cost *c, AstNode loop)
{
    AstNode up = ast_parent(c->ast, loop);
    while (up != 0 && ast_kind(c->ast, up) != AST_LOOP && ast_kind(c->ast, up) != AST_FUNCTION)
        up = ast_parent(c->ast, up);
    return !c->waits && ast_kind(c->ast, up) == AST_LOOP && is_short(c->work, c->unit, loop);
}

static double iteration_ns(const Cost *c, AstNode loop)
{
    const Ast *ast = c->ast;
    const Machine *machine = c->machine;
    bool reduces;
    Cost inner = *c;
    double trips = loop_record(unit_table(c->work, c->unit), loop)->trips;
    bool carried = carries(c->unit, loop);
    inner.vector = loop_vectorises(c->work, c->unit, loop, &reduces) && trips >= FEWEST_LANES &&
                   !carried;
    bool waits = carried && !is_short(c->work, c->unit, loop);
    inner.waits = waits || (c->waits && trips <= SHORT_CHAIN && !is_dealt(c->unit, loop));
    inner.chain = waits ? loop : c->chain;
    double body = turn_ns(&inner, loop);
    body = larger(body, stream_ns(c->work, c->unit, loop));
    if (inner.vector)
        return larger(body, machine->vector_op_ns.value);
    if (reduces && !is_overlapped(c, loop))
        body = larger(body, machine->op_ns.value); /* one sum waits for the other */
    AstLoopForm form = (AstLoopForm)ast_at(ast, loop)->op;
    if (form == LOOP_WHILE || form == LOOP_DO)
        body += cost(c, loop_limit(ast, loop)) + cost(c, loop_step(ast, loop));
    return body + (inner.waits ? WHOLE_PART : SPREAD_PART) * machine->op_ns.value;
}

static double loop_ns(const Cost *c, AstNode loop)
{
    const Ast *ast = c->ast;
    if (ast_at(ast, loop)->value.loop.run == RUN_OFFLOAD)
        return 0;
    UnitTable *table = unit_table(c->work, c->unit);
    if (loop_record(table, loop)->ns[c->waits] < 0) {
        double once = cost(c, loop_start(ast, loop));
        if (ast_at(ast, loop)->op == LOOP_COUNTED)
            once += cost(c, loop_limit(ast, loop));
        double each = iteration_ns(c, loop);
        LoopRecord *record = loop_record(table, loop);
        record->ns[c->waits] = once + record->trips * each;
    }
    return loop_record(table, loop)->ns[c->waits];
}

static double comprehension_ns(const Cost *c, AstNode node)
{
    const Ast *ast = c->ast;
    double each = 0, trips = 1;
    FOR_EACH_CHILD (ast, child, node) {
        if (ast_kind(ast, child) == AST_LOOP)
            trips *= loop_record(unit_table(c->work, c->unit), child)->trips;
        else
            each += cost(c, child);
    }
    return trips * each;
}

/* x[i] += k * (y - x[i]): the element is read once. */
static double read_twice_ns(const Cost *c, AstNode target, AstNode value)
{
    double twice = 0;
    if (value == 0 || ast_kind(c->ast, target) != AST_INDEX)
        return 0;
    FOR_EACH_NODE (c->ast, read, value)
        if (ast_kind(c->ast, read) == AST_INDEX && same_expression(c->ast, read, target))
            twice += element_ns(c, read);
    return twice;
}

static double assign_ns(const Cost *c, AstNode node)
{
    const Ast *ast = c->ast;
    AstNode target = ast_first(ast, node), value = ast_child(ast, node, 1);
    double sum = value == 0 ? 0 : cost(c, value);
    if (target != 0 && ast_kind(ast, target) == AST_INDEX && ast_holds_kind(ast, target, AST_SLICE))
        sum += larger(array_elements(c, target), WORK_SHORT) *
               c->machine->vector_op_ns.value; /* a copy, element by element */
    AstNode parent = ast_parent(ast, node);
    if (ast_kind(ast, parent) == AST_BLOCK && ast_child_count(ast, parent) == 1)
        parent = ast_parent(ast, parent);
    if (ast_kind(ast, parent) == AST_REGION && ast_at(ast, parent)->op == REGION_ATOMIC)
        return sum; /* the update is the event */
    if (ast_at(ast, node)->op != OP_NONE)
        sum -= read_twice_ns(c, target, value);
    return sum + cost(c, target) + operation_ns(c, node);
}

/* numba, with objmode: taking the interpreter's lock, boxing what goes in, unboxing what comes out;
 * calls inside cost microseconds of their own. */
enum { OBJMODE_NS = 10000 };

static double region_ns(const Cost *c, AstNode node)
{
    AstRegion region = (AstRegion)ast_at(c->ast, node)->op;
    AstNode body = ast_first(c->ast, node);
    double entered = region == REGION_OBJMODE ? OBJMODE_NS : 0;
    return body == 0 || region == REGION_OFFLOAD ? 0 : entered + cost(c, body);
}

static double compare_ns(const Cost *c, AstNode node)
{
    uint32_t operands = ast_child_count(c->ast, node);
    double elements = array_elements(c, node);
    return children(c, node) +
           (elements > 0 ? elements * c->machine->vector_op_ns.value : arithmetic(c, node)) *
               (operands > 1 ? operands - 1 : 1);
}

/* p.x * p.x, (a[i] - b[i]) * (a[i] - b[i]): what stands there twice is read once. */
static bool is_square(const Ast *ast, AstNode node)
{
    return same_expression(ast, node + 1, ast_child(ast, node, 1));
}

static double cost_of_kind(const Cost *c, AstNode node)
{
    const Ast *ast = c->ast;
    switch (ast_kind(ast, node)) {
    case AST_FUNCTION:
    case AST_LAMBDA:
    case AST_CLASS:
    case AST_CLAUSE:
    case AST_SIZEOF:
        return 0;
    case AST_BINARY:
        if (is_square(ast, node))
            return cost(c, node + 1) + binary_ns(c, node);
        return children(c, node) + binary_ns(c, node);
    case AST_UNARY:
        return children(c, node) + binary_ns(c, node);
    case AST_COMPARE:
        return compare_ns(c, node);
    case AST_LOGIC:
        return cost(c, node + 1) + cost(c, ast_child(ast, node, 1)) / 2;
    case AST_CONDITIONAL:
        return cost(c, node + 1) + arithmetic(c, node) +
               mean(cost(c, ast_child(ast, node, 1)), cost(c, ast_child(ast, node, 2)));
    case AST_ASSIGN:
        return assign_ns(c, node);
    case AST_INDEX:
        return element_ns(c, node);
    case AST_DEREF:
        return children(c, node) + load_ns(c);
    case AST_CALL:
        return call_ns(c, node);
    case AST_BRANCH:
        return branch_ns(c, node);
    case AST_SWITCH:
        return switch_ns(c, node);
    case AST_LOOP:
        return loop_ns(c, node);
    case AST_REGION:
        return region_ns(c, node);
    case AST_COMPREHENSION:
        return comprehension_ns(c, node);
    case AST_TRY:
        return ast_first(ast, node) == 0 ? 0 : cost(c, ast_first(ast, node));
    default:
        return children(c, node);
    }
}

static double cost(const Cost *c, AstNode node)
{
    if (node == 0 || c->work->depth >= WORK_DEEPEST)
        return 0;
    c->work->depth++;
    double ns = cost_of_kind(c, node);
    c->work->depth--;
    return ns;
}

double work_ns(WorkModel *work, const Unit *unit, AstNode node)
{
    const Ast *ast = unit->ast;
    AstNode around = ast_parent(ast, node);
    Cost c = {.work = work, .machine = work->machine, .unit = unit, .ast = ast, .waits = true};
    unit_table(work, unit);
    if (around == 0 || ast_kind(ast, around) != AST_LOOP || loop_body(ast, around) != node)
        return cost(&c, node);
    c.waits = waits_in(work, unit, around);
    c.chain = c.waits ? around : 0;
    return larger(turn_ns(&c, around), stream_ns(work, unit, around));
}
