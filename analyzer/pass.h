/* What a rule's check() works with: the facts, the work model, and a way to report. One pass per rule. */
#ifndef ANALYZER_PASS_H
#define ANALYZER_PASS_H

#include "analyzer/facts/facts.h"
#include "analyzer/rule.h"

struct Pass {
    Arena *arena;
    const Program *program;
    const Facts *facts;
    WorkModel *work;
    const Machine *machine;
    int threads;
    const Rule *rule;
    Findings *findings;
};

#endif
