/* The table of rules. Its definition is written at build time from the list of folders (cmake/rule_table.cmake); all
 * arrays are in the order of the rules' names, have `rule_count` entries, and a NULL behind the last one. */
#ifndef RULES_TABLE_H
#define RULES_TABLE_H

#include "analyzer/rule.h"
#include "bench/kernel.h"

extern const unsigned rule_count;
extern const Rule *const rule_table[];

/* The reference kernel of each rule; NULL where its folder has none. */
extern const Kernel *const kernel_table[];

/* The page of each rule (its README.md) as Markdown; "" where its folder has none. */
extern const char *const rule_pages[];

#endif
