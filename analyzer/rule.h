/* The table of rules. The record (struct Rule) stands in report/finding.h, so that what prints and
 * numbers findings can read it. Rules are language-neutral: they read facts (analyzer/facts/) and
 * the tree, never a parser's own nodes. One folder a rule: rules/<id>/rule.c defines `const Rule
 * rule_<id with _>`. */
#ifndef ANALYZER_RULE_H
#define ANALYZER_RULE_H

#include "analyzer/number/exposure.h"
#include "analyzer/report/finding.h"
#include "bench/machine.h"

/* The table the build writes from the list of folders. */
extern const Rule *const rule_table[];
extern const struct Kernel
    *const kernel_table[];             /* same order; NULL where a rule has none of its own */
extern const char *const rule_pages[]; /* the README.md of each */
extern const unsigned rule_count;

/* By id; NULL if there is none. */
const Rule *rule_find(const char *id);

/* The reference kernel of a rule; NULL if it has none. */
const struct Kernel *rule_kernel(const Rule *rule);

#endif
