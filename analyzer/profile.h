/* Which machine a run speaks about. */
#ifndef ANALYZER_PROFILE_H
#define ANALYZER_PROFILE_H

#include "analyzer/base/arena.h"
#include "analyzer/base/text.h"
#include "bench/machine.h"

typedef struct Profile {
    Machine machine;
    bool other_machine; /* a file that describes a machine that is not this one */
    const char *stale;  /* the default profile, where it is another processor's (a home folder that
                           several machines share) and generic stands in; else NULL */
    const char *target; /* what numba compiles for on this machine, by LLVM's name; "": unknown */
} Profile;

/* The profile `name` ("generic", or a file), or by default what `calibrate` left for this machine,
 * else generic; with `isolated` the user's folder is not looked at. false: `error` names file and
 * remedy. */
bool profile_choose(Profile *profile, Arena *arena, const char *name, bool isolated, Text *error)
    __attribute__((warn_unused_result));

/* Where `calibrate` leaves the profile of this machine: $XDG_CACHE_HOME/ponglint/machine.json or
 * ~/.cache/…; NULL if there is no home. */
const char *profile_path(Arena *arena);

#endif
