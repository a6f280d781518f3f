#include "analyzer/rule.h"

#include <string.h>

const Rule *rule_find(const char *id)
{
    for (unsigned i = 0; i < rule_count; i++) {
        if (strcmp(rule_table[i]->id, id) == 0)
            return rule_table[i];
    }
    return NULL;
}

const Kernel *rule_kernel(const Rule *rule)
{
    for (unsigned i = 0; i < rule_count; i++) {
        if (rule_table[i] == rule)
            return kernel_table[i];
    }
    return NULL;
}
