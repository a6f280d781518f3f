/* Adding findings: each place once, and each cause once. A function with ten static locals, or a
 * region with ten calls of a threaded library, is one edit, and more than one finding for it is
 * noise: 57 of the 69 findings in the f2c'ed BLAS of SuperLU_DIST were the same six words. */
#include "analyzer/base/text.h"
#include "analyzer/pass.h"

#include <string.h>

#define PASS_LEAST 1.02

void pass_cause_statics(const Pass *pass, const Event *event, const char *name, Finding *finding)
{
    const Effect *origin = event->origin;
    if (event->effect->via == NULL || origin->place.base != PLACE_VARIABLE ||
        sym_data(pass->facts, origin->place.sym)->kind != SYMBOL_STATIC)
        return;
    finding->cause = (Cause){.kind = CAUSE_STATICS, .function = origin->function, .name = name};
}

void pass_cause_calls(const Event *event, const char *name, Finding *finding)
{
    finding->cause = (Cause){
        .kind = CAUSE_CALLS, .function = event->root, .node = event->construct, .name = name};
}

static bool is_same_place(const Region *a, const Region *b)
{
    return a->start == b->start && strcmp(a->source->path, b->source->path) == 0;
}

static bool is_told(const Finding *finding, const Region *place)
{
    if (is_same_place(&finding->region, place))
        return true;
    for (uint32_t i = 0; i < finding->related.count; i++)
        if (is_same_place(&finding->related.items[i].region, place))
            return true;
    return false;
}

static bool is_named(const Cause *cause, const char *name)
{
    if (strcmp(cause->name, name) == 0)
        return true;
    for (uint32_t i = 0; i < cause->names.count; i++)
        if (strcmp(cause->names.items[i], name) == 0)
            return true;
    return false;
}

static bool is_joined(const Finding *told, const Finding *added)
{
    const Cause *cause = &told->cause, *own = &added->cause;
    return own->kind != CAUSE_OWN && cause->kind == own->kind && cause->function == own->function &&
           cause->node == own->node && told->note_only == added->note_only &&
           (!own->follows || is_named(cause, own->name));
}

static bool is_worse(const Finding *finding, const Finding *than)
{
    if (finding->note_only != than->note_only)
        return than->note_only;
    return finding->predicted > than->predicted;
}

/* What the number is about. */
static void take_event(Finding *to, const Finding *from)
{
    to->what = from->what;
    to->per = from->per;
    to->loops = from->loops;
    to->shared = from->shared;
    to->exposure = from->exposure;
    to->assumed = from->assumed;
    to->predicted = from->predicted;
    to->only_stores = from->only_stores;
    to->unless = from->unless;
}

static void add_name(const Pass *pass, Cause *cause, const char *name)
{
    if (!is_named(cause, name))
        LIST_PUSH(pass->arena, &cause->names, name);
}

/* `head` also stands for `other`. */
static void join(const Pass *pass, Finding *head, const Finding *other)
{
    LIST_PUSH(pass->arena, &head->related, (TraceStep){other->region, other->what});
    for (uint32_t i = 0; i < other->related.count; i++)
        LIST_PUSH(pass->arena, &head->related, other->related.items[i]);
    add_name(pass, &head->cause, other->cause.name);
    for (uint32_t i = 0; i < other->cause.names.count; i++)
        add_name(pass, &head->cause, other->cause.names.items[i]);
    if (is_worse(other, head))
        take_event(head, other);
}

static void add_to_cause(const Pass *pass, Finding *told, const Finding *added)
{
    if (is_told(told, &added->region)) { /* by another rule */
        if (is_worse(added, told))
            take_event(told, added);
        return;
    }
    bool first = told->rule == added->rule && added->region.start < told->region.start &&
                 strcmp(added->region.source->path, told->region.source->path) == 0;
    if (!first) {
        join(pass, told, added);
        return;
    }
    Finding head = *added;
    join(pass, &head, told);
    *told = head;
}

/* The same place again: what is told of the others there stays. */
static void add_again(Finding *told, const Finding *added)
{
    if (!is_worse(added, told))
        return;
    if (told->related.count > 0 && told->cause.kind != CAUSE_OWN)
        take_event(told, added);
    else
        *told = *added;
}

void pass_add(Pass *pass, const Finding *finding)
{
    Finding added = *finding;
    if (pass->rule->predict != NULL)
        added.predicted = pass->rule->predict(pass->machine, &added.exposure);
    if (added.predicted < PASS_LEAST && added.severity == SEVERITY_NOTE)
        return; /* in front of so much work that it is lost in it: not even a note */
    for (uint32_t i = 0; i < pass->findings->count; i++) {
        Finding *told = &pass->findings->items[i];
        bool alone = added.cause.kind == CAUSE_OWN || told->cause.kind == CAUSE_OWN;
        if (told->rule == added.rule &&
            (alone ? is_same_place(&told->region, &added.region) : is_told(told, &added.region))) {
            add_again(told, &added);
            return;
        }
    }
    for (uint32_t i = 0; i < pass->findings->count; i++)
        if (is_joined(&pass->findings->items[i], &added)) {
            add_to_cause(pass, &pass->findings->items[i], &added);
            return;
        }
    if (added.cause.follows)
        added.cause = (Cause){0};
    LIST_PUSH(pass->arena, pass->findings, added);
}

/* "a, b and c"; "a, b, c, d and 3 more". */
static void add_names(const Cause *cause, Text *text)
{
    enum { NAMED = 5 };
    uint32_t count = cause->names.count, shown = count > NAMED ? NAMED - 1 : count;
    for (uint32_t i = 0; i < shown; i++) {
        bool last = i + 1 == count;
        text_printf(text, "%s%s", i == 0 ? "" : last ? " and " : ", ", cause->names.items[i]);
    }
    if (shown < count)
        text_printf(text, " and %u more", (unsigned)(count - shown));
}

void pass_close(Pass *pass)
{
    for (uint32_t i = 0; i < pass->findings->count; i++) {
        Finding *finding = &pass->findings->items[i];
        const Cause *cause = &finding->cause;
        unsigned more = finding->related.count;
        Text text = {0};
        if (cause->kind == CAUSE_OWN)
            continue;
        text_puts(&text, finding->message);
        if (cause->kind == CAUSE_STATICS && cause->names.count > 0) {
            text_puts(&text, "; so it goes with ");
            add_names(cause, &text);
            text_puts(&text, ", static like it");
        } else if (cause->kind == CAUSE_CALLS && more > 0) {
            text_printf(&text, "; so %s %u more call%s in that region", more == 1 ? "does" : "do",
                        more, more == 1 ? "" : "s");
        }
        finding->message = arena_strdup(pass->arena, text_string(&text));
        text_free(&text);
    }
}
