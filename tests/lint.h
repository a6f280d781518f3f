/* For tests of what stands behind the frontends: texts in, a program and its facts out, and facts
 * as texts. The texts are written into a folder of their own, read by the real frontends, and gone
 * again when lint_files returns. */
#ifndef TESTS_LINT_H
#define TESTS_LINT_H

#include "analyzer/facts/facts.h"
#include "analyzer/parse.h"

typedef struct LintFile {
    const char *path, *text; /* relative: "pkg/kernels.py" */
} LintFile;

/* Owner: the caller, who gives it back with lint_free. Texts that the functions below return live
 * in `arena`. */
typedef struct Lint {
    Arena *arena;
    Parsed parsed;
    Program *program;
    Facts *facts;
} Lint;

Lint lint_files(const LintFile *files, uint32_t count);
#define LINT_FILES(...)                                                                            \
    lint_files((const LintFile[]){__VA_ARGS__},                                                    \
               sizeof((const LintFile[]){__VA_ARGS__}) / sizeof(LintFile))

/* One file, m.c or m.py; the Python one starts with the imports of np, njit, prange, List and Dict.
 */
Lint lint_c(const char *text);
Lint lint_python(const char *text);
void lint_free(Lint *lint);

extern const char lint_imports[];

/* The function of that name, qualified or as written; the test fails where there is none. */
FunctionId lint_function(const Lint *lint, const char *name);
const Unit *lint_unit(const Lint *lint, const char *path);

/* The first, innermost node of a function (0: of the first unit's tree) that is written `text`,
 * white space aside. */
AstNode lint_node(const Lint *lint, FunctionId function, const char *text);

/* "2*i + thread + 1"; what is no linear form: "2*i + ~k + …" with "loaded" and "folded" behind it;
 * "?" for nothing. */
const char *lint_affine(const Lint *lint, const Affine *form);

/* "lane[thread].hits"; `*p` for the pointee of p, `[:]` for a slice, `->` for a load of a pointer
 * from memory, `new(malloc(n))` for fresh memory, "?" for an unknown place. */
const char *lint_place(const Lint *lint, const Place *place);

/* One line an effect: "accumulate + total"; flags follow in words, "via g" where a callee's is
 * repeated. */
const char *lint_effects(const Lint *lint, const char *function);

/* One line an event: "accumulate + total over d: shared rare", the loops outermost first. */
const char *lint_event(const Lint *lint, const Event *event);
const char *lint_events(const Lint *lint);

/* The events of a file that holds one parallel construct, compared with what is expected: lines,
 * each with its end. */
void lint_expect_c(const char *text, const char *expected);
void lint_expect_python(const char *text, const char *expected);

#endif
