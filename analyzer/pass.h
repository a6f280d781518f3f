/* What a rule's check() works with: the facts, the work model, and a way to report. One pass per
 * rule. */
#ifndef ANALYZER_PASS_H
#define ANALYZER_PASS_H

#include "analyzer/edit.h"
#include "analyzer/facts/access.h"
#include "analyzer/facts/arrays.h"
#include "analyzer/facts/clause.h"
#include "analyzer/facts/deal.h"
#include "analyzer/facts/decay.h"
#include "analyzer/facts/guard.h"
#include "analyzer/facts/launch.h"
#include "analyzer/facts/meet.h"
#include "analyzer/facts/peers.h"
#include "analyzer/facts/promotion.h"
#include "analyzer/facts/slot.h"
#include "analyzer/facts/threads.h"
#include "analyzer/number/bound.h"
#include "analyzer/number/predict.h"
#include "analyzer/rule.h"
#include "bench/numba.h"

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

/* A finding of the pass's rule at the expression from `first` to `last` (both of `function`, on one
 * line if possible), with its trace, its loops, and the exposure that follows from the event's
 * context: threads, work_ns of one turn of the innermost loop around it, events 1. The rule fills
 * in what it knows: message, what, events, sharing, bytes, fixes. */
Finding pass_finding(const Pass *pass, const Event *event, FunctionId function, AstNode first,
                     AstNode last);

/* The same for what no event carries (set-up of threads, code outside parallel constructs): no
 * trace, no loops; threads are the pass's, events 1, work_ns 0. */
Finding pass_finding_at(const Pass *pass, const Unit *unit, AstNode first, AstNode last);

/* One step of a trace, or a related place. */
TraceStep pass_step(const Unit *unit, AstNode node, const char *message);

/* The variable a loop counts with, as messages name it: "i"; "while", "loop" where it has none. */
const char *pass_loop_name(const Pass *pass, const Unit *unit, AstNode loop);

/* ns that code takes at most, with loops at the most iterations that are known of them; INFINITY:
 * unknown. */
double pass_bound(const Pass *pass, const CallChain *chain, const Unit *unit, AstNode node);

/* ns of work beside one event: of one turn of its innermost loop (finding->exposure.work_ns), and
 * where that loop is but a part of what a turn around it does, of its share of the rest. Says in
 * the finding what is assumed for it. */
double pass_work_beside(const Pass *pass, const Event *event, Finding *finding);

/* Adds to finding->assumed what a work model assumes about the sizes under `root`. */
void pass_assume(const Pass *pass, Finding *finding, WorkModel *model, const Unit *unit,
                 AstNode root);

/* The OpenMP runtime that a unit's compiler brings. */
ExposureRuntime pass_runtime(const Unit *unit);

/* The same for a guard of the event, at its site: also share, sharing and access. A note where the
 * work outside is that of functions nobody has seen. */
Finding pass_guard_finding(const Pass *pass, const Event *event, const Guard *guard);

/* ns of work beside one execution of an event, by a work model: one turn of the innermost loop
 * around it, and its part of what else the dealt iteration does. finding->assumed becomes what
 * is assumed for it. */
double pass_work(const Pass *pass, const Event *event, WorkModel *model, Finding *finding);

/* Whether a turn of the innermost loop around the event runs what was handed in: a call through a
 * pointer, or of a method, that leads nobody knows where. Its work is unknown, and as a rule it is
 * what the loop is there for. */
bool pass_runs_unseen(const Pass *pass, const Event *event);

/* The same with what is assumed in the place of what is not known. */
double pass_likely(const Pass *pass, const CallChain *chain, const Unit *unit, AstNode node);

/* How often a launch's serial loops run at most; INFINITY: unknown. */
double pass_launch_times(const Pass *pass, const Launch *launch);

/* Makes plain updates stores where compilers carry the value in a register, and the work beside
 * them no less than the addition that a sum of fractions then waits for. */
void pass_promote(const Pass *pass, Promotion promotion, Exposure *exposure);

/* Sets what the finding has in common with others, and its name among them. Statics: where the
 * event is about a static local of a function that the construct calls. */
void pass_cause_statics(const Pass *pass, const Event *event, const char *name, Finding *finding);
void pass_cause_calls(const Event *event, const char *name, Finding *finding);

/* Names the places that were joined in the messages; once, behind the last rule. */
void pass_close(Pass *pass);

/* Adds it, unless the same rule already has one at that place that is predicted to cost more. One
 * that has its cause in common with another, of any rule, becomes a related place of that one; of
 * one rule, the first place is told. */
void pass_add(Pass *pass, const Finding *finding);

/* "i, j and k": the loops of a finding in words; "" if there is none. */
const char *pass_loops(const Pass *pass, const Finding *finding);

/* Whether a file is part of tests, where a thread more is of no account. */
bool pass_is_test(const Unit *unit);

/* The function's name as written. */
const char *pass_function_name(const Pass *pass, FunctionId function);

/* Source text of an expression, short enough for a message. */
const char *pass_text(const Pass *pass, FunctionId function, AstNode node);

/* The same for a node of a unit; the edit replaces the whole node. */
const char *pass_text_at(const Pass *pass, const Unit *unit, AstNode node);
void pass_edit_at(const Pass *pass, Fix *fix, const Unit *unit, AstNode node, const char *text);

/* For edit_clause and its kin: edits in `function`'s file. */
EditContext pass_edits(const Pass *pass, FunctionId function);

/* Adds an edit that replaces [start, stop) of the file that `node` of `function` lies in. */
void pass_edit(const Pass *pass, Fix *fix, FunctionId function, AstNode node, uint32_t start,
               uint32_t stop, const char *text);

#endif
