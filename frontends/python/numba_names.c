/* numba's own names, and names that are followed through modules, re-exports and fall-backs. */
#include "frontends/python/numba.h"

#include <string.h>

enum { LONGEST_NAME = 512 };

static const struct {
    const char *name;
    DecoratorKind decorator;
    uint32_t flags;
} decorators[] = {
    {"njit", DECORATOR_COMPILES, FN_COMPILED},
    {"jit", DECORATOR_COMPILES, FN_COMPILED},
    {"cfunc", DECORATOR_COMPILES, FN_COMPILED},
    {"jit_module", DECORATOR_COMPILES, FN_COMPILED},
    {"register_jitable", DECORATOR_COMPILES, FN_COMPILED},
    {"vectorize", DECORATOR_COMPILES, FN_COMPILED | FN_UFUNC},
    {"guvectorize", DECORATOR_COMPILES, FN_COMPILED | FN_UFUNC},
    {"stencil", DECORATOR_COMPILES, FN_OFFLOAD},
    {"generated_jit", DECORATOR_OVERLOAD, FN_COMPILED},
    {"overload", DECORATOR_OVERLOAD, FN_COMPILED},
    {"overload_method", DECORATOR_OVERLOAD, FN_COMPILED},
    {"overload_attribute", DECORATOR_OVERLOAD, FN_COMPILED},
    {"overload_classmethod", DECORATOR_OVERLOAD, FN_COMPILED},
    {"jitclass", DECORATOR_CLASS, FN_COMPILED | FN_METHOD},
    {"intrinsic", DECORATOR_INTRINSIC, FN_INTRINSIC},
};

static bool top_is(const char *qualified, const char *top)
{
    size_t length = strlen(top);
    return strncmp(qualified, top, length) == 0 &&
           (qualified[length] == '.' || qualified[length] == '\0');
}

static const char *last_part(const char *qualified)
{
    const char *dot = strrchr(qualified, '.');
    return dot == NULL ? qualified : dot + 1;
}

static bool of_device(const char *qualified)
{
    return strstr(qualified, ".cuda.") != NULL || strstr(qualified, ".roc.") != NULL ||
           strstr(qualified, ".hsa.") != NULL || top_is(qualified, "numba_dpex") ||
           top_is(qualified, "numba_cuda");
}

static bool known_numba(const char *qualified, Value *value)
{
    *value = (Value){.kind = VALUE_PLAIN};
    if (of_device(qualified)) {
        *value = (Value){.kind = VALUE_DECORATOR, .flags = FN_OFFLOAD};
        return true;
    }
    for (size_t i = 0; i < sizeof decorators / sizeof *decorators; i++)
        if (strcmp(last_part(qualified), decorators[i].name) == 0)
            *value = (Value){.kind = VALUE_DECORATOR,
                             .decorator = decorators[i].decorator,
                             .flags = decorators[i].flags};
    return true;
}

/* What the standard library and the usual packages have to decorate with leaves the body as it is.
 */
static bool known_plain(const char *qualified)
{
    static const char *const tops[] = {"functools",  "abc",        "typing",    "dataclasses",
                                       "contextlib", "pytest",     "warnings",  "enum",
                                       "numpy",      "atexit",     "unittest",  "click",
                                       "hypothesis", "deprecated", "overrides", "typing_extensions",
                                       NULL};
    for (const char *const *top = tops; *top != NULL; top++)
        if (top_is(qualified, *top))
            return true;
    static const char *const builtins[] = {"staticmethod", "classmethod", "property", NULL};
    for (const char *const *word = builtins; *word != NULL; word++)
        if (strcmp(qualified, *word) == 0)
            return true;
    return false;
}

/* A decorator of a package that is not linted, whose name says that it compiles:
 * libpysal.common.jit. Bare `njit` of fast_array_utils compiles a parallel build too. */
static bool foreign_jit(const char *qualified, Value *value)
{
    static const char *const others[] = {
        "jax",  "torch", "equinox", "eqx",     "tensorflow", "taichi", "triton", "flax", "haiku",
        "warp", "chex",  "mlx",     "pythran", "pyopencl",   "cupy",   "cupyx",  NULL};
    for (const char *const *top = others; *top != NULL; top++)
        if (top_is(qualified, *top))
            return false;
    if (strchr(qualified, '.') == NULL || strstr(last_part(qualified), "jit") == NULL)
        return false;
    bool fast = top_is(qualified, "fast_array_utils");
    *value = (Value){.kind = VALUE_DECORATOR,
                     .flags = FN_COMPILED | (fast ? 0 : FN_UNKNOWN_DECORATOR),
                     .parallel = fast ? TRUTH_MAYBE : TRUTH_NO};
    return true;
}

bool numba_known(const char *qualified, Value *value)
{
    *value = (Value){.kind = VALUE_UNKNOWN};
    if (top_is(qualified, "numba") || top_is(qualified, "numba_cuda") ||
        top_is(qualified, "numba_dpex"))
        return known_numba(qualified, value);
    if (known_plain(qualified)) {
        value->kind = VALUE_PLAIN;
        return true;
    }
    return foreign_jit(qualified, value);
}

/* ---- following ---- */

static Name join(Linker *linker, const char *head, const char *tail)
{
    char text[LONGEST_NAME];
    size_t head_length = strlen(head), tail_length = strlen(tail);
    if (head_length + tail_length + 2 > sizeof text)
        return 0;
    memcpy(text, head, head_length);
    if (tail_length > 0 && head_length > 0)
        text[head_length++] = '.';
    memcpy(text + head_length, tail, tail_length);
    return intern_add(linker->program->names, text, head_length + tail_length);
}

/* The unit that the longest prefix names; *rest is what follows it. */
static const Unit *split_module(Linker *linker, const Unit *from, const char *qualified,
                                const char **rest)
{
    char prefix[LONGEST_NAME];
    size_t length = strlen(qualified);
    if (length >= sizeof prefix)
        return NULL;
    memcpy(prefix, qualified, length + 1);
    for (char *dot = prefix + length; dot != NULL; dot = strrchr(prefix, '.')) {
        *dot = '\0';
        const Unit *unit = program_module(linker->program, from, prefix);
        if (unit != NULL) {
            size_t used = (size_t)(dot - prefix);
            *rest = qualified[used] == '.' ? qualified + used + 1 : "";
            return unit;
        }
    }
    return NULL;
}

/* `from x import *`. What leads out of what is linted ends there: its package may be linted, and
 * would lead here again with a longer name each time (scipy.linalg alone: 9 s). */
static void follow_stars(Linker *linker, const Unit *unit, const char *name, const char *after,
                         NameVisit *visit, void *context, int depth)
{
    const char *own = intern_text(linker->program->names, join(linker, unit->module, name));
    for (uint32_t i = 0; i < unit->ast->exports.count; i++) {
        const AstExport *star = &unit->ast->exports.items[i];
        const char *target = intern_text(linker->program->names, star->target);
        if (star->name != linker->word_star)
            continue;
        bool linted = program_module(linker->program, unit, target) != NULL;
        bool itself = !linted && strcmp(target, own) == 0; /* the name of a submodule */
        Name whole = itself ? join(linker, own, after)
                            : join(linker, target,
                                   intern_text(linker->program->names, join(linker, name, after)));
        if (linted)
            numba_follow(linker, unit, whole, visit, context, depth + 1);
        else
            visit(context, NULL, 0, whole);
        if (itself)
            return;
    }
}

static void follow_member(Linker *linker, const Unit *unit, Name name, const char *after,
                          NameVisit *visit, void *context, int depth)
{
    const LIST(AstExport) *exports = (const void *)&unit->ast->exports;
    bool found = false;
    for (uint32_t i = 0; i < exports->count; i++) {
        const AstExport *export = &exports->items[i];
        if (export->name != name)
            continue;
        found = true;
        if (export->target != 0)
            numba_follow(linker, unit,
                         join(linker, intern_text(linker->program->names, export->target), after),
                         visit, context, depth + 1);
        else if (after[0] == '\0' && export->node != 0)
            visit(context, unit, export->node, 0);
    }
    if (!found)
        follow_stars(linker, unit, intern_text(linker->program->names, name), after, visit, context,
                     depth);
}

void numba_follow_own(Linker *linker, const Unit *unit, Name name, NameVisit *visit, void *context,
                      int depth)
{
    if (depth < NUMBA_DEEPEST)
        follow_member(linker, unit, name, "", visit, context, depth);
}

void numba_follow(Linker *linker, const Unit *from, Name qualified, NameVisit *visit, void *context,
                  int depth)
{
    if (qualified == 0 || depth >= NUMBA_DEEPEST || linker->budget == 0)
        return;
    linker->budget--; /* stars of stars fan out */
    const char *text = intern_text(linker->program->names, qualified), *rest;
    const Unit *unit = top_is(text, "numba") ? NULL : split_module(linker, from, text, &rest);
    if (unit == NULL || rest[0] == '\0') {
        visit(context, NULL, 0, qualified);
        return;
    }
    size_t length = strcspn(rest, ".");
    Name member = intern_add(linker->program->names, rest, length);
    follow_member(linker, unit, member, rest[length] == '.' ? rest + length + 1 : "", visit,
                  context, depth);
}
