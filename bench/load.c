#include "bench/load.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/team.h"

static bool is_among(int cpu, const int *cpus, int count)
{
    for (int i = 0; i < count; i++)
        if (cpus[i] == cpu)
            return true;
    return false;
}

/* user, nice, system, idle, iowait, irq, softirq: all but the two idle ones, in ticks. */
static double busy_ticks(const char *fields)
{
    unsigned long long part[7] = {0};
    if (sscanf(fields, "%llu %llu %llu %llu %llu %llu %llu", &part[0], &part[1], &part[2], &part[3],
               &part[4], &part[5], &part[6]) < 4)
        return 0;
    return (double)(part[0] + part[1] + part[2] + part[5] + part[6]);
}

static double busy_ns(const int *cpus, int count)
{
    double ticks = 0;
    char line[512];
    FILE *file = fopen("/proc/stat", "re");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "cpu", 3) == 0) {
        int cpu, read = 0;
        if (sscanf(line, "cpu%d%n", &cpu, &read) == 1 && is_among(cpu, cpus, count))
            ticks += busy_ticks(line + read);
    }
    fclose(file);
    long per_second = sysconf(_SC_CLK_TCK);
    return ticks * 1e9 / (double)(per_second > 0 ? per_second : 100);
}

static double nanoseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

Load load_now(const int *cpus, int count)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return (Load){0};
    double own = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    return (Load){.wall_ns = team_now_ns(), .busy_ns = busy_ns(cpus, count), .own_ns = own};
}

void load_add(Load *sum, const Load *from, const Load *to)
{
    sum->wall_ns += to->wall_ns - from->wall_ns;
    sum->busy_ns += to->busy_ns - from->busy_ns;
    sum->own_ns += to->own_ns - from->own_ns;
}

double load_of_others(const Load *sum)
{
    double others = sum->busy_ns - sum->own_ns;
    return sum->wall_ns > 0 && others > 0 ? others / sum->wall_ns : 0;
}

bool load_is_crowded(const Load *sum)
{
    return load_of_others(sum) > 0.25;
}
