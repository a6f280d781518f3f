#include "analyzer/polyhedral/iterations.h"

#include "analyzer/base/text.h"

#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

/* A question of the wild takes some thousands. */
enum { MOST_OPERATIONS = 200000 };

/* ---- expressions ---- */

static const Quasi *node(Arena *arena, Quasi quasi)
{
    Quasi *made = arena_alloc(arena, sizeof *made);
    *made = quasi;
    return made;
}

const Quasi *quasi_constant(Arena *arena, int64_t value)
{
    return node(arena, (Quasi){.kind = QUASI_CONSTANT, .value = value});
}

const Quasi *quasi_loop(Arena *arena, uint32_t loop)
{
    return node(arena, (Quasi){.kind = QUASI_LOOP, .value = loop});
}

const Quasi *quasi_fixed(Arena *arena, uint32_t fixed)
{
    return node(arena, (Quasi){.kind = QUASI_FIXED, .value = fixed});
}

const Quasi *quasi_sum(Arena *arena, const Quasi *left, int64_t factor, const Quasi *right)
{
    if (left == NULL || right == NULL)
        return NULL;
    return node(arena, (Quasi){QUASI_SUM, factor, left, right});
}

const Quasi *quasi_floor(Arena *arena, const Quasi *left, int64_t divisor)
{
    return left == NULL || divisor < 1 ? NULL
                                       : node(arena, (Quasi){QUASI_FLOOR, divisor, left, NULL});
}

const Quasi *quasi_modulo(Arena *arena, const Quasi *left, int64_t divisor)
{
    return left == NULL || divisor < 1 ? NULL
                                       : node(arena, (Quasi){QUASI_MODULO, divisor, left, NULL});
}

/* ---- the question in isl's notation ---- */

/* Dimensions: a0, b0, a1, b1, …: the loops' variables in the one iteration and in the other; then
 * the fixed values f0, … */
static void write_quasi(Text *out, const Quasi *quasi, char iteration)
{
    switch (quasi->kind) {
    case QUASI_CONSTANT:
        text_printf(out, "%lld", (long long)quasi->value);
        break;
    case QUASI_LOOP:
        text_printf(out, "%c%lld", iteration, (long long)quasi->value);
        break;
    case QUASI_FIXED:
        text_printf(out, "f%lld", (long long)quasi->value);
        break;
    case QUASI_SUM:
        text_puts(out, "(");
        write_quasi(out, quasi->left, iteration);
        text_printf(out, " + %lld * (", (long long)quasi->value);
        write_quasi(out, quasi->right, iteration);
        text_puts(out, "))");
        break;
    case QUASI_FLOOR:
        text_puts(out, "floor((");
        write_quasi(out, quasi->left, iteration);
        text_printf(out, ")/%lld)", (long long)quasi->value);
        break;
    case QUASI_MODULO:
        text_puts(out, "((");
        write_quasi(out, quasi->left, iteration);
        text_printf(out, ") mod %lld)", (long long)quasi->value);
        break;
    }
}

static bool is_symbolic(const Quasi *quasi)
{
    return quasi != NULL &&
           (quasi->kind == QUASI_FIXED || is_symbolic(quasi->left) || is_symbolic(quasi->right));
}

/* A dealt loop whose end is not known is long: it has no end here. Other loops that are not known
 * run twice at least. */
static void write_loop(Text *out, const Nested *loop, uint32_t number, char iteration)
{
    bool up = loop->step > 0, open = is_symbolic(loop->limit) || is_symbolic(loop->first);
    long long step = up ? loop->step : -loop->step;
    text_printf(out, " and (");
    write_quasi(out, loop->first, iteration);
    text_printf(out, ") %s %c%u and (%c%u - (", up ? "<=" : ">=", iteration, number, iteration,
                number);
    write_quasi(out, loop->first, iteration);
    text_printf(out, ")) mod %lld = 0", step);
    if (loop->dealt && is_symbolic(loop->limit))
        return;
    text_printf(out, " and %c%u %s ", iteration, number, up ? "<" : ">");
    write_quasi(out, loop->limit, iteration);
    if (!open)
        return;
    text_puts(out, " and (");
    write_quasi(out, loop->first, iteration);
    text_printf(out, ") %c %lld %s ", up ? '+' : '-', step, up ? "<" : ">");
    write_quasi(out, loop->limit, iteration);
}

/* The iterations are run by different threads. */
static void write_apart(Text *out, const Iterations *question)
{
    uint32_t dealt = 0;
    while (dealt < question->loop_count && question->loops[dealt].dealt)
        dealt++;
    text_puts(out, " and (");
    for (uint32_t i = 0; i < dealt; i++) {
        const Nested *loop = &question->loops[i];
        long long step = loop->step > 0 ? loop->step : -loop->step;
        bool chunked = i + 1 == dealt && question->chunk > 1;
        text_puts(out, i > 0 ? " or " : "");
        for (int side = 0; side < 2; side++) {
            char iteration = "ab"[side];
            if (chunked) {
                text_printf(out, "floor((%c%u - (", iteration, i);
                write_quasi(out, loop->first, iteration);
                text_printf(out, "))/%lld)", step * question->chunk);
            } else {
                text_printf(out, "%c%u", iteration, i);
            }
            text_puts(out, side == 0 ? " != " : "");
        }
    }
    text_puts(out, ")");
}

static void write_conditions(Text *out, const Iterations *question, char iteration)
{
    static const char *const signs[] = {"=", "!=", "<", "<="};
    for (uint32_t i = 0; i < question->condition_count; i++) {
        const Condition *condition = &question->conditions[i];
        text_puts(out, " and ");
        write_quasi(out, condition->left, iteration);
        text_printf(out, " %s ", signs[condition->relation]);
        write_quasi(out, condition->right, iteration);
    }
}

static void write_subscript(Text *out, const Iterations *question, uint32_t i)
{
    bool line = question->stride > 0 && i + 1 == question->subscript_count;
    text_puts(out, " and ");
    for (int side = 0; side < 2; side++) {
        text_puts(out, line ? "floor((" : "");
        if (line)
            text_printf(out, "%lld * ", (long long)question->stride);
        write_quasi(out, question->subscripts[i], "ab"[side]);
        if (line)
            text_printf(out, ")/%lld)", (long long)question->line);
        text_puts(out, side == 0 ? " = " : "");
    }
}

/* All pairs of iterations of different threads; `meet`: that come to one place. */
static isl_set *pairs_of(isl_ctx *ctx, const Iterations *question, bool meet)
{
    Text text = {0};
    text_puts(&text, "{ [");
    for (uint32_t i = 0; i < question->loop_count; i++)
        text_printf(&text, "%sa%u, b%u", i > 0 ? ", " : "", i, i);
    for (uint32_t i = 0; i < question->fixed_count; i++)
        text_printf(&text, ", f%u", i);
    text_puts(&text, "] : 0 = 0");
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < question->loop_count; i++)
            write_loop(&text, &question->loops[i], i, "ab"[side]);
        write_conditions(&text, question, "ab"[side]);
    }
    write_apart(&text, question);
    for (uint32_t i = 0; meet && i < question->subscript_count; i++)
        write_subscript(&text, question, i);
    text_puts(&text, " }");
    isl_set *set = isl_set_read_from_str(ctx, text_string(&text));
    text_free(&text);
    return set;
}

/* ---- the answer ---- */

static isl_set *fixed_values_of(isl_set *pairs, const Iterations *question)
{
    return isl_set_project_out(isl_set_copy(pairs), isl_dim_set, 0, 2 * question->loop_count);
}

/* The first pair of a0 and b0, for fixed values that are not negative. (The least of all dimensions
 * need not exist: loops that begin at -r.) */
static bool find_witness(isl_set *meeting, const Iterations *question, int64_t witness[2])
{
    isl_set *small = isl_set_copy(meeting);
    for (uint32_t i = 0; i < question->fixed_count; i++)
        small = isl_set_lower_bound_si(small, isl_dim_set, 2 * question->loop_count + i, 0);
    uint32_t rest = 2 * question->loop_count + question->fixed_count - 2;
    isl_point *point =
        isl_set_sample_point(isl_set_lexmin(isl_set_project_out(small, isl_dim_set, 2, rest)));
    bool found = point != NULL && isl_point_is_void(point) == isl_bool_false;
    for (int i = 0; found && i < 2; i++) {
        isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, i);
        found = value != NULL && isl_val_is_int(value) == isl_bool_true;
        witness[i] = found ? isl_val_get_num_si(value) : 0;
        isl_val_free(value);
    }
    isl_point_free(point);
    return found;
}

static Answer answer(isl_ctx *ctx, const Iterations *question, int64_t witness[2])
{
    isl_set *meeting = pairs_of(ctx, question, true), *all = pairs_of(ctx, question, false);
    isl_bool empty = isl_set_is_empty(meeting), none = isl_set_is_empty(all);
    Answer result = ANSWER_UNKNOWN;
    if (empty == isl_bool_true && none == isl_bool_false) {
        result = ANSWER_NEVER;
    } else if (empty == isl_bool_false) {
        isl_set *may = fixed_values_of(all, question), *does = fixed_values_of(meeting, question);
        if (isl_set_is_subset(may, does) == isl_bool_true &&
            find_witness(meeting, question, witness))
            result = ANSWER_MEET;
        isl_set_free(may);
        isl_set_free(does);
    }
    isl_set_free(meeting);
    isl_set_free(all);
    return result;
}

static bool is_complete(const Iterations *question)
{
    bool complete = question->loop_count > 0 && question->loops[0].dealt &&
                    question->subscript_count > 0;
    for (uint32_t i = 0; i < question->loop_count; i++)
        complete &= question->loops[i].first != NULL && question->loops[i].limit != NULL &&
                    question->loops[i].step != 0;
    for (uint32_t i = 0; i < question->subscript_count; i++)
        complete &= question->subscripts[i] != NULL;
    return complete;
}

Answer iterations_meet(const Iterations *question, int64_t witness[2])
{
    if (!is_complete(question))
        return ANSWER_UNKNOWN;
    isl_ctx *ctx = isl_ctx_alloc();
    if (ctx == NULL)
        return ANSWER_UNKNOWN;
    isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx, MOST_OPERATIONS);
    Answer result = answer(ctx, question, witness);
    isl_ctx_free(ctx);
    return result;
}
