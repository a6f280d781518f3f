#include "analyzer/number/predict.h"

#include <math.h>

/* numba's NRT keeps four statistics: blocks allocated and freed, array headers allocated and freed.
 * They explain the measured n-body loop with one array a pair: 37 ns by itself, 76 ns on two
 * threads that count together. */
#define ALLOCATOR_COUNTERS 4.0

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* ns of the work beside the events; an empty cell still steps its loop. */
static double work_of(const Machine *machine, const Exposure *exposure)
{
    return larger(exposure->work_ns, 0.25 * machine->op_ns.value);
}

static double events_of(const Exposure *exposure)
{
    return larger(exposure->events, 0);
}

/* ns that one of `threads` threads needs per update of one number when nobody does anything else,
 * by the curve of such updates. */
static double among(const Curve *updates, double alone, double threads)
{
    return threads <= 1 ? alone : larger(alone, curve_at(updates, threads));
}

static double update_among(const Machine *machine, double threads)
{
    return among(&machine->atomic_shared_ns, machine->atomic_ns.value, threads);
}

/* max(w + k·atomic, k·shared(T)): a line does one thing at a time, so that beside little work the
 * whole team advances at the pace of the line, whatever the size (28 ns a cell on 12 cores in the
 * aeon story). shared(T) is T·transfer on a line that moves for every update, and less where an
 * owner gets several in. Beside much work nobody queues, but T - 1 of T updates still find the line
 * elsewhere: w + k·transfer·(T-1)/T. */
static double line_ns(const Machine *machine, double threads, double work_ns, double events,
                      double update, double queued)
{
    double alone = work_ns + events * update;
    if (threads <= 1)
        return alone;
    double missed = machine->transfer_ns.value * (threads - 1) / threads;
    double spread = work_ns + events * smaller(missed, queued);
    return larger(alone, larger(spread, events * queued));
}

double predict_shared_line(const Machine *machine, double threads, double work_ns, double events)
{
    return line_ns(machine, threads, work_ns, events, machine->atomic_ns.value,
                   update_among(machine, threads));
}

/* The same with floating-point numbers, of which an update can come too late. */
static double exchanged_ns(const Machine *machine, double threads, double work, double events)
{
    double alone = curve_at(&machine->exchange_shared_ns, 1);
    return line_ns(machine, threads, work, events, alone,
                   among(&machine->exchange_shared_ns, alone, threads));
}

/* Threads that go through the same places one after the other, a long stretch at each. While two
 * are at the same place they hold each other up, unevenly, and their distance drifts; once they are
 * apart both are as fast as the other, and it stays. So they come to stand evenly: T / places at
 * each. One query among twelve threads is all of them, eight leave one or two at each. */
static double threads_at_a_place(const Exposure *exposure)
{
    return larger(1, exposure->threads / larger(1, exposure->places));
}

/* ns a cell that a thread waits for counts it shares with `meet` - 1 others: T·transfer where every
 * cell is a visit of its own to the line. In front of its next visit an owner may count several
 * cells while the line is being taken away; how many where nothing stands between them is in the
 * profile (the curve holds the price of updates back to back), and the more work does, the fewer:
 * 1 + (n - 1)·count / cell. On two vCPUs of one cache complex 9.8, 13.8 and 16.7 ns a cell for the
 * team beside 0, 4 and 13 ns, measured 9.8, 13.4 and 14.8. */
static double counted_ns(const Machine *machine, double meet, double alone, double events)
{
    double pair = 2 * update_among(machine, meet), visit = meet * machine->transfer_ns.value;
    if (meet <= 1)
        return 0;
    double back_to_back = larger(1, visit / pair);
    double share = smaller(1, events * 2 * machine->atomic_ns.value / alone);
    return events * larger(pair, visit / (1 + (back_to_back - 1) * share));
}

/* The count's two locked operations and the building of the view overlap: measured 8.5 to 9.3 ns a
 * cell with two counted views on one thread and 8.8 without counts, against 4.1 without views. */
double predict_view(const Machine *machine, const Exposure *exposure)
{
    double work = work_of(machine, exposure), events = events_of(exposure);
    double build = exposure->overhead_ns > 0 ? exposure->overhead_ns : machine->view_ns.value;
    if (exposure->sharing == SHARING_NONE)
        return (work + events * build) / work;
    double alone = work + events * larger(build, 2 * machine->atomic_ns.value);
    if (exposure->sharing == SHARING_PRIVATE)
        return alone / work;
    double meet = threads_at_a_place(exposure);
    double queued = counted_ns(machine, meet, alone, events);
    return larger(queued, larger(alone, predict_shared_line(machine, meet, work, 2 * events))) /
           work;
}

double predict_allocation(const Machine *machine, const Exposure *exposure)
{
    double work = work_of(machine, exposure), events = events_of(exposure);
    int threads = exposure->threads;
    double each = exposure->overhead_ns;
    if (each <= 0) {
        double factor = threads > 1 ? curve_at(&machine->malloc_threads, threads) : 1;
        each = curve_at(&machine->malloc_ns, exposure->bytes) * larger(factor, 1);
    }
    if (exposure->sharing == SHARING_ALL && threads > 1)
        each += ALLOCATOR_COUNTERS * update_among(machine, threads);
    return (work + events * each) / work;
}

/* What threads update with plain reads and writes. */
typedef struct PlainWords {
    double words;   /* that one thread takes at random */
    bool scattered; /* over several lines */
} PlainWords;

/* Of the waiting for a line that another thread has changed a processor hides most behind the work
 * that follows. */
#define NOT_HIDDEN 0.25

/* With a the turn of one thread alone, L the profile's cost of an update that needs a line from
 * another core, and f what it says of updates of one word: max(q, a + min(a, L) / 4), where q is L
 * for words of several lines; min(L, f·a) for one word, of which a thread makes many updates while
 * its stores wait for the line; and L / (1 + L / (T·a·words)) for several words of one line, where
 * a load seldom finds its word among the waiting stores. On two cores with L = 25 ns and f = 1.3:
 * one word beside 3, 12 and 50 ns 1.30, 1.30, 1.13 (measured 1.16, 1.32, 1.07); four
 * words 3.4, 1.7, 1.13 (3.6, 1.7, 1.18); sixteen words of two lines 7.0, 2.0, 1.13
 * (7.9, 1.9, 1.07). On two with L = 15 and f = 3, one word beside 2 and 6.7 ns: 3.0, 1.9
 * (measured 3.0, 1.55). */
static double plain_updates(const Machine *machine, int threads, double work, double events,
                            PlainWords of)
{
    double alone = work + events * machine->load_ns[0].value;
    if (threads < 2)
        return 1;
    double queued = events * curve_at(&machine->plain_shared_ns, threads), line = queued;
    if (!of.scattered && of.words > 1)
        queued = line / (1 + line / (threads * alone * of.words));
    else if (!of.scattered)
        queued = smaller(line, alone * curve_at(&machine->plain_own_threads, threads));
    double waiting = alone + NOT_HIDDEN * smaller(alone, line);
    return larger(queued, waiting) / alone;
}

/* One word, or `bytes` of them, of a thread of its own (SHARING_PRIVATE) or of all. */
static PlainWords words_of(const Machine *machine, const Exposure *exposure)
{
    double words = larger(1, exposure->bytes / sizeof(uint64_t));
    double span = exposure->sharing == SHARING_ALL ? exposure->bytes : 0;
    /* which seldom starts with a line */
    return (PlainWords){words, span > machine->line_bytes / 2};
}

/* Threads whose slots lie on one line. */
static int neighbours(const Machine *machine, const Exposure *exposure)
{
    double stride = exposure->stride, line = machine->line_bytes;
    if (stride >= line)
        return 1;
    if (stride <= 0)
        return exposure->threads;
    return (int)smaller(exposure->threads, ceil(line / stride));
}

/* Stores that a core keeps waiting for their line: 56 on Skylake, 64 on Zen 3, about 110 on Golden
 * Cove and Zen 5. */
#define STORE_BUFFER 64.0

/* Stores to one line of `threads` threads. A core goes on while they wait, and empties its buffer
 * when the line has come: it is held up where the others' turns take longer than it takes to fill
 * the buffer. Two threads are not, beside any work (measured 1.00). */
static double plain_stores(const Machine *machine, int threads, double work, double events)
{
    if (threads < 2)
        return 1;
    double queued = events * curve_at(&machine->plain_shared_ns, threads) / STORE_BUFFER;
    return larger(1, queued / work);
}

double predict_slots(const Machine *machine, const Exposure *exposure)
{
    double work = work_of(machine, exposure), events = events_of(exposure);
    int threads = neighbours(machine, exposure);
    switch (exposure->access) {
    case ACCESS_STORE:
        return plain_stores(machine, threads, work, events);
    case ACCESS_ATOMIC:
    case ACCESS_EXCHANGE:
        return predict_shared_line(machine, threads, work, events) /
               (work + events * machine->atomic_ns.value);
    case ACCESS_UPDATE:
    case ACCESS_CRITICAL:
        break;
    }
    return threads < 2 ? 1
                       : plain_updates(machine, threads, work, events, words_of(machine, exposure));
}

double predict_race(const Machine *machine, const Exposure *exposure)
{
    if (exposure->sharing != SHARING_ALL)
        return 1;
    if (exposure->access == ACCESS_STORE)
        return plain_stores(machine, exposure->threads, work_of(machine, exposure),
                            events_of(exposure));
    return plain_updates(machine, exposure->threads, work_of(machine, exposure),
                         events_of(exposure), words_of(machine, exposure));
}

/* How long a thread that waits at a barrier keeps its core before it gives it away: between the
 * few us that libgomp spins where it sees too many threads of its own, and the 4 ms of a time slice
 * where the others belong to another process. The reference kernel spins as long. */
#define BARRIER_PATIENCE_NS 50e3

/* pthread_create to pthread_join: 25 to 60 us on two virtual cores that are busy, 10 on idle ones.
 */
#define THREAD_START_NS 40e3

/* Each meeting of k threads a core is late by the patience of the k - 1 that hold the core while
 * the last has yet to work. */
double predict_oversubscription(const Machine *machine, const Exposure *exposure)
{
    double barrier = curve_at(&machine->barrier_ns, exposure->threads);
    if (exposure->events > 0 && exposure->events < 1) { /* a team of one does what all would do */
        double part = work_of(machine, exposure);
        return larger(1, exposure->threads * part / (part + barrier));
    }
    double work = larger(work_of(machine, exposure), 1000);
    double over = larger(exposure->events, 1) - 1;
    double late = over * (BARRIER_PATIENCE_NS + exposure->launches * THREAD_START_NS);
    return (work + barrier + late) / (work + barrier);
}

/* w / (w / T + l·launch(T)): Amdahl's law of a loop without a serial part, with the start of the
 * team as its only overhead. Measured with numba 0.56.4 on two vCPUs: see rules/serial-prange. */
double predict_lost_team(const Machine *machine, const Exposure *exposure)
{
    int threads = exposure->threads < 1 ? 1 : exposure->threads;
    if (exposure->launches <= 0)
        return 0;
    double work = work_of(machine, exposure);
    double launch = threads < 2 ? 0 : curve_at(&machine->launch_ns, threads);
    return larger(1, work / (work / threads + exposure->launches * launch));
}

static double part_of(const Exposure *exposure)
{
    return exposure->share > 0 && exposure->share < 1 ? exposure->share : 1;
}

/* Fork to join, and what the team does in between: launch(T) + w·s/T + w·(1 - s). The one region
 * around all pieces is a launch too, of which each piece has its part. */
double predict_launch(const Machine *machine, const Exposure *exposure)
{
    int threads = exposure->threads;
    double work = work_of(machine, exposure), part = part_of(exposure) * work;
    double spread = threads < 2 ? part : part / threads, rest = work - part;
    double each = curve_at(&machine->launch_ns, threads) + exposure->overhead_ns;
    double launch = each * larger(exposure->launches, 1);
    double once = exposure->pieces >= 1 ? each / exposure->pieces : 0;
    double relieved = spread + once,
           call = machine->call_ns.value; /* a loop of three turns is no less */
    if (exposure->sharing == SHARING_ALL)
        relieved = smaller(part, relieved + curve_at(&machine->barrier_ns, threads));
    if (exposure->sharing == SHARING_PRIVATE)
        relieved = part;
    return larger(1, (rest + spread + launch) / (rest + larger(relieved, call)));
}

/* (launch(T) + w/T) / w; where that is below one the team pays. */
double predict_little_work(const Machine *machine, const Exposure *exposure)
{
    int threads = exposure->threads;
    double work = work_of(machine, exposure);
    if (threads < 2)
        return 1;
    return larger(1, (curve_at(&machine->launch_ns, threads) + work / threads) / work);
}

/* ns that each piece of work waits for the line of the neighbouring result: a locked operation
 * begins when all stores before it are done, so that the store's transfer is waited for in full. On
 * two virtual cores 130 ns a piece where the counter alone takes 40 (transfer 65). */
static double results_ns(const Machine *machine, const Exposure *exposure)
{
    bool beside = exposure->bytes > 0 && exposure->bytes < machine->line_bytes;
    return beside && exposure->threads > 1 ? machine->transfer_ns.value : 0;
}

/* Each chunk is one atomic update of the counter that all threads share: 3.7x with libgomp on two
 * threads and a body of two operations. */
double predict_schedule(const Machine *machine, const Exposure *exposure)
{
    double work = work_of(machine, exposure), events = events_of(exposure);
    double each = events >= 1 ? results_ns(machine, exposure)
                              : 0; /* a chunk of several fills a line */
    return (predict_shared_line(machine, exposure->threads, work, events) + each) / work;
}

/* Roofline: the memory bus gives bandwidth(T) to all, T cores compute work_ns each. A GB/s is a
 * byte a ns. */
double predict_stream(const Machine *machine, const Exposure *exposure)
{
    int threads = exposure->threads < 1 ? 1 : exposure->threads;
    double compute = work_of(machine, exposure) / threads;
    double bandwidth = curve_at(&machine->bandwidth_gbs, threads);
    return bandwidth <= 0 ? 1 : larger(compute, exposure->bytes / bandwidth) / compute;
}

/* A lock does one thing at a time: its line and what it protects travel to the next owner (two
 * transfers at least), then the work inside is done. While the team offers less than that there is
 * little waiting; when it offers more, threads sleep and are woken, at the profile's cost of a lock
 * under load and of each ns that it is held. That may be less than what a thread pays that finds
 * the lock free and its line elsewhere: who has it takes it again and again, while the others are
 * still being woken. In between, from half the load on, a straight line. */
static double locked_ns(const Machine *machine, const Curve *lock, int threads, double work,
                        double inside, double events)
{
    double alone = work + events * curve_at(lock, 1);
    if (threads < 2)
        return alone;
    double transfer = machine->transfer_ns.value;
    double spread = alone + events * transfer * (threads - 1) / threads;
    double turns = threads * (events * 2 * transfer + inside);
    double held = curve_at(&machine->lock_held_threads, threads);
    double queued = work - inside + events * curve_at(lock, threads) + held * inside;
    double load = smaller(1, larger(0, 2 * turns / spread - 1));
    return larger(alone, spread + load * (queued - spread));
}

/* By thread count; one thread takes it alone. */
static const Curve *lock_of(const Machine *machine, const Exposure *exposure)
{
    return exposure->access == ACCESS_CRITICAL ? &machine->critical_shared_ns
                                               : &machine->lock_shared_ns;
}

double predict_lock(const Machine *machine, const Exposure *exposure)
{
    double work = work_of(machine, exposure), events = events_of(exposure);
    int threads = exposure->sharing == SHARING_ALL ? exposure->threads : 1;
    return locked_ns(machine, lock_of(machine, exposure), threads, work, exposure->share * work,
                     events) /
           work;
}

double predict_update(const Machine *machine, const Exposure *exposure)
{
    if (exposure->access == ACCESS_UPDATE || exposure->access == ACCESS_CRITICAL)
        return predict_lock(machine, exposure);
    double work = work_of(machine, exposure);
    int threads = exposure->sharing == SHARING_ALL ? exposure->threads : 1;
    double shared = exposure->access == ACCESS_EXCHANGE
                        ? exchanged_ns(machine, threads, work, events_of(exposure))
                        : predict_shared_line(machine, threads, work, events_of(exposure));
    return (shared + results_ns(machine, exposure)) / work;
}

double predict_hidden_state(const Machine *machine, const Exposure *exposure)
{
    double work = work_of(machine, exposure), events = events_of(exposure);
    double call = larger(exposure->overhead_ns, 1);
    if (exposure->sharing != SHARING_ALL)
        return (work + events * call) / work;
    double both = work + events * call;
    if (exposure->access == ACCESS_UPDATE)
        return plain_updates(machine, exposure->threads, both, events, (PlainWords){.words = 1});
    return locked_ns(machine, &machine->lock_shared_ns, exposure->threads, both, events * call,
                     events) /
           both;
}

/* A run that is shorter than a line shares it with others: the line is fetched from another core
 * once by each of its owners. Those who are at the same place at the same time fetch it for every
 * run, but they drift apart; a longer run shares one line with its neighbour. Lines that are walked
 * along come from another core as fast as from memory, by the same prefetchers: 5 to 8 ns each in
 * three programs on two cores, with a transfer of 209 ns and one core's 14 GB/s. */
double predict_interleaved(const Machine *machine, const Exposure *exposure)
{
    double work = work_of(machine, exposure), line = machine->line_bytes;
    double bytes = larger(exposure->bytes, 1), run = larger(exposure->stride, bytes);
    double rate = larger(curve_at(&machine->bandwidth_gbs, 1), 0.1);
    if (exposure->threads < 2)
        return 1;
    double owners = smaller(exposure->threads, larger(2, line / run));
    double fetches = smaller(1, owners * run / line); /* of one run, by each pass */
    double writes = larger(1, run / bytes / larger(exposure->places, 1)); /* of a pass to a run */
    return (work + line / rate * fetches / writes) / work;
}

#define PAGE_BYTES 4096.0

/* A fault for each page, dearer the more threads queue for the lock of the address space; both
 * forms write the buffer once. */
double predict_fresh_pages(const Machine *machine, const Exposure *exposure)
{
    int threads = exposure->threads > 0 ? exposure->threads : 1;
    double bytes = exposure->bytes * larger(events_of(exposure), 1);
    double rate = larger(curve_at(&machine->bandwidth_gbs, 1), 0.1);
    if (bytes * larger(exposure->places, 1) <= machine->l3_bytes)
        rate *= CACHE_OVER_MEMORY;
    double kept = work_of(machine, exposure) + bytes / rate;
    double factor = larger(curve_at(&machine->page_fault_threads, threads), 1);
    return (kept + bytes / PAGE_BYTES * machine->page_fault_ns.value * factor) / kept;
}

/* A step is a subtraction, a multiplication and an addition that wait for each other. The profile's
 * penalty is that of a step with one multiplication: sums of denormals are exact, and processors
 * that need microcode need it for products that are rounded. */
#define DECAY_OPERATIONS 3

/* A penalty below this is a longer latency, which steps on other states hide; one above it is
 * microcode, for which the pipeline is emptied. */
#define LONGEST_LATENCY_NS 10.0

double predict_denormal(const Machine *machine, const Exposure *exposure)
{
    double steps = larger(events_of(exposure), 1);
    double work = work_of(machine, exposure) + steps * DECAY_OPERATIONS * machine->op_ns.value;
    bool hidden = exposure->places > 1 && machine->denormal_ns.value < LONGEST_LATENCY_NS;
    return (work + (hidden ? 0 : steps * machine->denormal_ns.value)) / work;
}

double predict_order(const Machine *machine, const Exposure *exposure)
{
    (void)machine;
    (void)exposure;
    return 1;
}

/* By the two digits that are shown: what reads 1.20x is not below 1.2. */
static Severity severity_of(double slowdown, double min_slowdown, Severity least)
{
    Severity severity = SEVERITY_NOTE;
    slowdown = round(slowdown * 100) / 100;
    if (slowdown >= PREDICT_ERROR)
        severity = SEVERITY_ERROR;
    else if (slowdown >= min_slowdown)
        severity = SEVERITY_WARNING;
    return severity > least ? severity : least;
}

bool predict_stays_on(const Finding *finding, CpuTarget target)
{
    return finding->targets == 0 || target == TARGET_UNKNOWN || (finding->targets & target) != 0;
}

double predict_slowdown(const Finding *finding, const Machine *machine, const Exposure *exposure)
{
    if (!predict_stays_on(finding, target_from_word(machine->target)))
        return 1;
    return finding->rule->predict(machine, exposure);
}

void predict_findings(Findings *findings, Arena *arena, const Machine *machine, int threads,
                      double min_slowdown)
{
    const char *name = arena_strdup(arena, machine->name);
    for (uint32_t i = 0; i < findings->count; i++) {
        Finding *finding = &findings->items[i];
        Exposure *exposure = &finding->exposure;
        if (exposure->threads <= 0 || exposure->threads > threads)
            exposure->threads = threads;
        if (finding->rule->predict == NULL)
            continue;
        double slowdown = predict_slowdown(finding, machine, exposure);
        finding->predicted = isfinite(slowdown) && slowdown > 0 ? slowdown : 0;
        finding->predicted_threads = exposure->threads;
        finding->predicted_machine = name;
        finding->severity = severity_of(finding->predicted, min_slowdown, finding->rule->severity);
        if (finding->note_only)
            finding->severity = SEVERITY_NOTE;
    }
}
