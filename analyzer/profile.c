#include "analyzer/profile.h"

#include "bench/team.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *profile_path(Arena *arena)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache != NULL && cache[0] == '/')
        return arena_printf(arena, "%s/ponglint/machine.json", cache);
    if (home != NULL && home[0] == '/')
        return arena_printf(arena, "%s/.cache/ponglint/machine.json", home);
    return NULL;
}

static bool read_profile(Machine *machine, const char *path, Text *error)
{
    char why[512];
    bool good = machine_read(path, machine, why, sizeof why);
    if (!good)
        text_puts(error, why);
    return good;
}

/* The same processor with as many threads: a profile that was calibrated here, or on a twin. */
static bool describes_this_machine(const Machine *machine)
{
    char cpu[sizeof machine->cpu];
    machine_cpu(cpu, sizeof cpu);
    return strcmp(cpu, machine->cpu) == 0 && machine->threads == team_processors();
}

bool profile_choose(Profile *profile, Arena *arena, const char *name, bool isolated, Text *error)
{
    profile->machine = machine_generic();
    profile->other_machine = false;
    if (name != NULL && strcmp(name, "generic") == 0)
        return true;
    if (name == NULL) {
        const char *own = isolated ? NULL : profile_path(arena);
        return own == NULL || access(own, F_OK) != 0 || read_profile(&profile->machine, own, error);
    }
    if (!read_profile(&profile->machine, name, error))
        return false;
    profile->other_machine = !describes_this_machine(&profile->machine);
    return true;
}
