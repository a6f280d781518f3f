#include "analyzer/profile.h"

#include "analyzer/base/target.h"
#include "bench/team.h"

#include <stdio.h>
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

static bool is_this_processor(const Machine *machine)
{
    char cpu[sizeof machine->cpu];
    machine_cpu(cpu, sizeof cpu);
    return strcmp(cpu, machine->cpu) == 0;
}

/* The same processor with as many threads: a profile that was calibrated here, or on a twin. */
static bool describes_this_machine(const Machine *machine)
{
    return is_this_processor(machine) && machine->threads == team_processors();
}

/* What `calibrate` left; on fewer threads than then (an affinity mask) it still speaks of this
 * machine. */
static bool choose_own(Profile *profile, const char *path, Text *error)
{
    if (path == NULL || access(path, F_OK) != 0)
        return true;
    if (!read_profile(&profile->machine, path, error))
        return false;
    if (!is_this_processor(&profile->machine)) {
        profile->stale = path;
        profile->machine = machine_generic();
    }
    return true;
}

static bool choose_machine(Profile *profile, Arena *arena, const char *name, bool isolated,
                           Text *error)
{
    *profile = (Profile){.machine = machine_generic()};
    if (name != NULL && strcmp(name, "generic") == 0)
        return true;
    if (name == NULL)
        return choose_own(profile, isolated ? NULL : profile_path(arena), error);
    if (!read_profile(&profile->machine, name, error))
        return false;
    profile->other_machine = !describes_this_machine(&profile->machine);
    return true;
}

/* What `calibrate` heard from the numba that is here, else what a recent one calls this processor.
 */
static const char *own_target(const Profile *profile)
{
    const char *told = profile->other_machine ? "" : profile->machine.target;
    return *told != '\0' ? told : target_word(target_of_processor());
}

bool profile_choose(Profile *profile, Arena *arena, const char *name, bool isolated, Text *error)
{
    bool good = choose_machine(profile, arena, name, isolated, error);
    const char *asked = target_asked();
    Machine *machine = &profile->machine;
    profile->target = arena_strdup(arena, *asked != '\0' ? asked : own_target(profile));
    if (*asked != '\0' && !profile->other_machine)
        snprintf(machine->target, sizeof machine->target, "%s", asked);
    return good;
}
