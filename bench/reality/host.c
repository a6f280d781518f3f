/* Runs a pair: host THREADS SECONDS [ROUNDS]. The two programs are linked with their names changed
 * (prepare to slow_prepare and so on), so that both run in one process, with one team, in turn.
 * Prints one JSON object: ns of each run, which rounds another process disturbed, and what was
 * computed. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

void slow_prepare(int threads);
void fixed_prepare(int threads);
double slow_work(void);
double fixed_work(void);

enum { MOST_ROUNDS = 400, FEWEST_ROUNDS = 9, ENOUGH_CLEAN = 41 };

/* Share of a run that its threads may wait for a core. */
#define MOST_WAITED 0.02

/* Where other processes disturb, a pair gets so many times the seconds. */
#define PATIENCE 3

typedef struct Run {
    double ns, result;
    bool clean; /* no core was taken away */
} Run;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* ns that the threads of this process have waited for a core so far; 0 where the kernel does not
 * tell. */
static double waited_ns(void)
{
    DIR *tasks = opendir("/proc/self/task");
    double sum = 0;
    for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        char path[64 + sizeof task->d_name];
        unsigned long long ran, waited = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            continue;
        if (fscanf(file, "%llu %llu", &ran, &waited) == 2)
            sum += (double)waited;
        fclose(file);
    }
    if (tasks != NULL)
        closedir(tasks);
    return sum;
}

/* Of all threads of this process, those that have ended too. */
static long preemptions(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

static Run run(double (*work)(void))
{
    long preempted = preemptions();
    double waited = waited_ns();
    double start = now_ns();
    double result = work();
    double ns = now_ns() - start;
    bool clean = preemptions() == preempted && waited_ns() - waited < MOST_WAITED * ns;
    return (Run){ns, result, clean};
}

static void rest(void)
{
    struct timespec pause = {0, 10000000};
    nanosleep(&pause, NULL);
}

static void print_ns(const char *name, const Run *runs, int count)
{
    printf("\"%s_ns\": [", name);
    for (int i = 0; i < count; i++)
        printf("%s%.0f", i > 0 ? ", " : "", runs[i].ns);
    printf("], ");
}

static void print_clean(const Run *slow, const Run *fixed, int count)
{
    printf("\"clean\": [");
    for (int i = 0; i < count; i++)
        printf("%s%s", i > 0 ? ", " : "", slow[i].clean && fixed[i].clean ? "true" : "false");
    printf("], ");
}

int main(int argc, char **argv)
{
    static Run slow[MOST_ROUNDS], fixed[MOST_ROUNDS];
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    double seconds = argc > 2 ? atof(argv[2]) : 0.5;
    int fewest = argc > 3 ? atoi(argv[3]) : FEWEST_ROUNDS;
    slow_prepare(threads);
    fixed_prepare(threads);
    run(slow_work);
    run(fixed_work);
    double start = now_ns();
    int count = 0, clean = 0;
    for (;;) {
        double longest = seconds * (clean < fewest ? PATIENCE : 1);
        bool over = count >= fewest && now_ns() - start > longest * 1e9;
        if (over || count == MOST_ROUNDS || clean == ENOUGH_CLEAN)
            break;
        bool slow_first = count % 2 == 0; /* a drift of the clock frequency cancels */
        if (slow_first)
            slow[count] = run(slow_work);
        fixed[count] = run(fixed_work);
        if (!slow_first)
            slow[count] = run(slow_work);
        if (slow[count].clean && fixed[count].clean)
            clean++;
        else
            rest(); /* who has slept is let on a core at once */
        count++;
    }
    printf("{");
    print_ns("slow", slow, count);
    print_ns("fixed", fixed, count);
    print_clean(slow, fixed, count);
    printf("\"slow_result\": %.17g, \"fixed_result\": %.17g}\n", slow[count - 1].result,
           fixed[count - 1].result);
    return 0;
}
