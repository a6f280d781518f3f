/* Buffers that come in fresh pages from the kernel in every iteration: larger than what the
 * allocator keeps, several large ones at once, or all kept. */
#include "analyzer/pass.h"

#include <math.h>
#include <stdlib.h>

/* glibc maps blocks from 128 KiB on; the first free of a mapped block raises that to its size, up
 * to 32 MiB, and lets the heap keep twice as much: larger ones, or more than two of a size at once,
 * go back to the kernel each time (three of a mebibyte: 480 faults an iteration; one: 512 in all).
 */
#define MAPPED_BYTES      (128 * 1024)
#define ALWAYS_MAPPED     (32 * 1024 * 1024)
#define KEPT_TIMES        2
#define MOST_THAT_RETURNS 2
/* Arrays that are kept touch each page once: below one page they share it. */
#define PAGE_BYTES 4096

static bool is_python(const Pass *pass, FunctionId function)
{
    return program_function_unit(pass->program, function)->language == LANGUAGE_PYTHON;
}

static void add(Pass *pass, Finding *finding, const char *buffer, int64_t bytes, const char *why)
{
    finding->exposure.bytes = (double)bytes;
    finding->exposure.sharing = SHARING_PRIVATE;
    finding->what = arena_printf(pass->arena, "fresh pages of %s", buffer);
    finding->message = arena_printf(
        pass->arena,
        "%s takes %.3g MiB of fresh pages in every iteration, %s: a fault for each page", buffer,
        (double)bytes / (1024.0 * 1024.0), why);
    finding->portability = "glibc";
    pass_add(pass, finding);
}

/* ---- parallel constructs -----------------------------------------------------------------------
 */

static int64_t bytes_of(const Pass *pass, const Effect *origin)
{
    int64_t bytes = is_python(pass, origin->function)
                        ? arrays_bytes(pass->facts,
                                       program_function_unit(pass->program, origin->function),
                                       origin->node)
                        : 0;
    return bytes > 0 ? bytes : origin->bytes;
}

/* The loop whose turns are iterations; 0 where the allocation runs once per thread. */
static uint32_t iteration_of(const Pass *pass, const Event *event)
{
    bool known = true;
    if (event->loop_count == 0)
        return 0;
    const Unit *unit = program_function_unit(pass->program, event->loops[0].function);
    if (event->dealt.node != 0)
        return event->loops[0].node;
    work_trips(pass->work, unit, event->loops[0].node, &known);
    return known ? 0 : event->loops[0].node; /* for each of three planes, once per thread */
}

/* A turn of the loop gives back what it took. */
static bool frees_within(const Pass *pass, const Event *event, EventLoop loop)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *other = facts_event(pass->facts, i);
        if (other->effect->kind != EFFECT_FREE || other->root != event->root)
            continue;
        for (uint32_t k = 0; k < other->loop_count; k++)
            if (other->loops[k].function == loop.function && other->loops[k].node == loop.node)
                return true;
    }
    return false;
}

/* How many buffers the loops inside an iteration make of one allocation that live at once. */
static double times_of(const Pass *pass, const Event *event)
{
    double times = 1;
    bool frees = event->effect->kind == EFFECT_FREE;
    for (uint32_t i = 1; i < event->loop_count; i++) {
        bool known;
        const Unit *unit = program_function_unit(pass->program, event->loops[i].function);
        double trips = work_trips(pass->work, unit, event->loops[i].node, &known);
        times *= known && (frees || !frees_within(pass, event, event->loops[i])) ? trips : 1;
    }
    return times;
}

/* The most large buffers that live at once in the iteration of an event, and their bytes. */
typedef struct Live {
    double count, bytes, most, most_bytes, largest;
} Live;

static Live live_with(const Pass *pass, const Event *event)
{
    Live live = {0};
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *other = facts_event(pass->facts, i);
        bool frees = other->effect->kind == EFFECT_FREE;
        if (other->root != event->root || other->construct != event->construct ||
            (other->effect->kind != EFFECT_ALLOC && !frees) || other->rare ||
            iteration_of(pass, other) != iteration_of(pass, event))
            continue;
        double bytes = (double)bytes_of(pass, other->origin), times = times_of(pass, other);
        if (!frees && bytes < MAPPED_BYTES)
            continue;
        double each = frees ? -live.largest : bytes;
        live.largest = bytes > live.largest && !frees ? bytes : live.largest;
        live.count += frees ? -times : times;
        live.bytes += each * times;
        live.count = live.count < 0 ? 0 : live.count;
        live.bytes = live.bytes < 0 ? 0 : live.bytes;
        live.most = live.count > live.most ? live.count : live.most;
        live.most_bytes = live.bytes > live.most_bytes ? live.bytes : live.most_bytes;
    }
    return live;
}

static void check_event(Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    if (event->effect->kind != EFFECT_ALLOC || event->rare || event->once ||
        (origin->flags & EFFECT_HOISTED) != 0 || iteration_of(pass, event) == 0)
        return;
    int64_t bytes = bytes_of(pass, origin);
    if (bytes < MAPPED_BYTES)
        return;
    Live live = live_with(pass, event);
    bool several = live.most > MOST_THAT_RETURNS && live.most_bytes > KEPT_TIMES * live.largest;
    if (bytes <= ALWAYS_MAPPED && !several)
        return;
    Finding finding = pass_finding(pass, event, origin->function, origin->node, origin->node);
    const Unit *unit = program_function_unit(pass->program, event->loops[0].function);
    AstNode body = loop_body(unit->ast, event->loops[0].node);
    finding.exposure.work_ns = work_ns(pass->work, unit, body);
    finding.assumed = "";
    pass_assume(pass, &finding, pass->work, unit, body);
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = "allocate once per thread, before the loop, and reuse the "
                                   "buffer"});
    add(pass, &finding, pass_text(pass, origin->function, origin->node), bytes,
        several ? "one of several that live at once, which the allocator gives back to the kernel"
                : "more than the allocator keeps");
}

/* ---- loops of plain NumPy ----------------------------------------------------------------------
 */

static bool is_counted(const LoopArray *made)
{
    return made->fate == ARRAY_PASSING && made->name != 0 && made->loop != 0 &&
           made->bytes >= MAPPED_BYTES;
}

/* Named arrays of one loop live at once, up to its next turn. */
static bool is_one_of_several(const Pass *pass, const Unit *unit, const LoopArray *made)
{
    double count = 0, bytes = 0, largest = 0;
    if (!is_counted(made))
        return false;
    FOR_EACH_NODE (unit->ast, node, made->loop) {
        LoopArray other;
        if (!arrays_in_loop(pass->facts, unit, node, &other) || other.loop != made->loop ||
            !is_counted(&other))
            continue;
        count++;
        bytes += (double)other.bytes;
        largest = (double)other.bytes > largest ? (double)other.bytes : largest;
    }
    return count > MOST_THAT_RETURNS && bytes > KEPT_TIMES * largest;
}

static void check_array(Pass *pass, const Unit *unit, const LoopArray *made)
{
    const char *why = NULL;
    if (made->fate == ARRAY_KEPT && made->bytes >= PAGE_BYTES)
        why = "since all of them are kept";
    else if (made->bytes > ALWAYS_MAPPED)
        why = "more than the allocator keeps";
    else if (is_one_of_several(pass, unit, made))
        why = "one of several that live at once, which the allocator gives back to the kernel";
    if (why == NULL)
        return;
    Finding finding = pass_finding_at(pass, unit, made->node, made->node);
    finding.per = "iteration";
    finding.exposure.threads = 1;
    /* bytes per GB/s are ns */
    double operate = (double)made->bytes / 8 * pass->machine->vector_op_ns.value;
    double read = (double)made->bytes / fmax(curve_at(&pass->machine->bandwidth_gbs, 1), 0.1);
    finding.exposure.work_ns = fmax(operate, read);
    finding.assumed = "one operation on each element, and as much that is read";
    if (made->fate == ARRAY_KEPT && made->loop != 0) {
        bool known;
        finding.exposure.places = work_trips(pass->work, unit, made->loop, &known);
    }
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = made->fate == ARRAY_KEPT
                                       ? "keep what is used of it, or write into one array that "
                                         "holds them all (out=)"
                                       : "make the buffer before the loop and write into it: "
                                         "out="});
    add(pass, &finding, pass_text_at(pass, unit, made->node), made->bytes, why);
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++)
        check_event(pass, facts_event(pass->facts, i));
    for (uint32_t i = 0; i < pass->program->unit_count; i++) {
        const Unit *unit = pass->program->units[i];
        LoopArray made;
        for (AstNode node = 1; unit->language == LANGUAGE_PYTHON && node < unit->ast->nodes.count;
             node++)
            if (arrays_in_loop(pass->facts, unit, node, &made))
                check_array(pass, unit, &made);
    }
}

const Rule rule_fresh_pages = {
    .id = "fresh-pages",
    .summary = "memory comes in fresh pages from the kernel in every iteration",
    .help = "Every page that is touched for the first time costs a fault, and on several threads "
            "the faults queue for the lock of the address space. Reuse one buffer.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_fresh_pages,
};
