/* Predicted slowdowns, and the severity that follows from them. */
#ifndef ANALYZER_NUMBER_PREDICT_H
#define ANALYZER_NUMBER_PREDICT_H

#include "analyzer/report/finding.h"
#include "bench/machine.h"

/* Fills predicted, predicted_threads, predicted_machine of every finding by its rule's formula, and
 * raises or lowers the severity: error at PREDICT_ERROR or above, warning from `min_slowdown`, else
 * note; never below the rule's own least severity (results that can be wrong). */
#define PREDICT_ERROR 2.0
void predict_findings(Findings *findings, Arena *arena, const Machine *machine, int threads,
                      double min_slowdown);

/* What the finding's rule says of `exposure` on `machine`: time as written over time of the
 * relieved form. 1 where the machine's processor is one on which the cost is compiled away. The
 * rule must have a formula. */
double predict_slowdown(const Finding *finding, const Machine *machine, const Exposure *exposure);

/* Whether what a finding is about is left in the code for a processor, as far as is known. */
bool predict_stays_on(const Finding *finding, CpuTarget target);

/* Parts that formulas share; sources of the formulas in predict.c. Times in ns.
 * Time per piece of work when `threads` threads update one location `events` times beside `work_ns`
 * of work (a mean number of threads, over several such locations): the slower of the own work with
 * its uncontended updates, and of the line going round. */
double predict_shared_line(const Machine *machine, double threads, double work_ns, double events);

/* Formulas of rules, with the signature of Rule.predict: time as written over time of the relieved
 * form, at exposure->threads threads beside exposure->work_ns of work.
 *
 * Views: `events` views per cell, each with one increment and one decrement of a count that is
 * shared by all threads (or by those that are at the same one of exposure->places arrays), private,
 * or not there; overhead_ns per view (0: the profile's view_ns). */
double predict_view(const Machine *machine, const Exposure *exposure);

/* Allocations: `events` times malloc, touch and free of `bytes`, or overhead_ns each where that is
 * given (numba: the profile's numba_alloc_ns). SHARING_ALL: the allocator also counts in statistics
 * that all threads share. */
double predict_allocation(const Machine *machine, const Exposure *exposure);

/* Slots of neighbouring threads `stride` bytes apart, written `events` times by `access`. */
double predict_slots(const Machine *machine, const Exposure *exposure);

/* A race: all threads read, modify and write one location `events` times, against a private
 * accumulator each. */
double predict_race(const Machine *machine, const Exposure *exposure);

/* A team with `events` threads a core that meet at a barrier every work_ns, against one a core. */
double predict_oversubscription(const Machine *machine, const Exposure *exposure);

/* A loop that one thread does alone while a team stands by: `work_ns` an iteration, against a share
 * for each thread and `launches` starts of the team per iteration. 0 where nothing is lost that
 * time can tell (launches 0). */
double predict_lost_team(const Machine *machine, const Exposure *exposure);
/* Launches: a team of `threads` per piece of work of work_ns, of which `share` (0: all) is spread
 * over the team, against one launch around all pieces. SHARING_ALL: each piece needs the last one
 * whole, so that the team still meets at a barrier, or one thread does it alone, whichever is
 * faster. */
double predict_launch(const Machine *machine, const Exposure *exposure);

/* A parallel loop of work_ns in all, against the same loop on one thread. */
double predict_little_work(const Machine *machine, const Exposure *exposure);

/* Iterations of work_ns each that threads take from one shared counter, `1 / events` at a time,
 * against large chunks. */
double predict_schedule(const Machine *machine, const Exposure *exposure);

/* A loop that moves `bytes` per iteration of work_ns to and from memory, against one whose data is
 * in the cache. */
double predict_stream(const Machine *machine, const Exposure *exposure);

/* One update of a shared place, atomic (access) or under a lock, `events` times: against a private
 * accumulator. SHARING_PRIVATE: protected for nothing, nobody else comes. */
double predict_update(const Machine *machine, const Exposure *exposure);

/* A lock around `share` of the work, `events` times: against the same work without it. */
double predict_lock(const Machine *machine, const Exposure *exposure);

/* A library call of overhead_ns that works on state of the library: under its lock (SHARING_ALL),
 * in a race (and ACCESS_UPDATE: its line travels), or alone (SHARING_NONE: the call could be left
 * out).
 */
double predict_hidden_state(const Machine *machine, const Exposure *exposure);

/* Writes of `bytes` by `access`, in runs of `stride` bytes for each thread in turn: against a block
 * for each thread. */
double predict_interleaved(const Machine *machine, const Exposure *exposure);

/* `events` buffers of `bytes` in fresh pages beside work_ns of work, against buffers that stay. */
double predict_fresh_pages(const Machine *machine, const Exposure *exposure);

/* `events` steps on denormals beside work_ns of work, against the same on other values. */
double predict_denormal(const Machine *machine, const Exposure *exposure);

/* Sums whose order is left open: nothing that time can tell. */
double predict_order(const Machine *machine, const Exposure *exposure);

#endif
