#include "bench/topology.h"

#include <hwloc.h>

#include "bench/team.h"

/* Bytes of one cache of that level; 0 where hwloc does not know. `total`: of all of them. */
static double cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type, double *total)
{
    int caches = hwloc_get_nbobjs_by_type(topology, type);
    hwloc_obj_t cache = caches > 0 ? hwloc_get_obj_by_type(topology, type, 0) : NULL;
    double bytes = cache != NULL ? (double)cache->attr->cache.size : 0;
    *total = bytes * (caches > 0 ? caches : 0);
    return bytes;
}

static void set_bytes(double *bytes, double measured)
{
    if (measured >= 1)
        *bytes = measured;
}

static int at_least_one(int count)
{
    return count > 0 ? count : 1;
}

static int cores_of_last_cache(hwloc_topology_t topology, int otherwise)
{
    hwloc_obj_t cache = hwloc_get_obj_by_type(topology, HWLOC_OBJ_L3CACHE, 0);
    if (cache == NULL)
        return otherwise;
    return at_least_one(
        hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE));
}

static bool load(hwloc_topology_t *topology)
{
    if (hwloc_topology_init(topology) != 0)
        return false;
    if (hwloc_topology_load(*topology) == 0)
        return true;
    hwloc_topology_destroy(*topology);
    return false;
}

double topology_describe(Machine *machine)
{
    hwloc_topology_t topology;
    double total = 0;
    machine->line_bytes = machine_line_bytes();
    if (!load(&topology))
        return machine->l3_bytes;
    machine->sockets = at_least_one(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
    machine->numa_nodes = at_least_one(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));
    machine->l3_cores = cores_of_last_cache(topology, machine->cores);
    set_bytes(&machine->l1_bytes, cache_bytes(topology, HWLOC_OBJ_L1CACHE, &total));
    set_bytes(&machine->l2_bytes, cache_bytes(topology, HWLOC_OBJ_L2CACHE, &total));
    set_bytes(&machine->l3_bytes, cache_bytes(topology, HWLOC_OBJ_L3CACHE, &total));
    hwloc_topology_destroy(topology);
    return total > machine->l3_bytes ? total : machine->l3_bytes;
}

static bool is_in(hwloc_obj_t object, hwloc_obj_type_t type)
{
    while (object != NULL && object->type != type)
        object = object->parent;
    return object != NULL;
}

/* The nearest of the levels that holds both; a level between them (a die, a group) counts as the
 * next one above. */
static SharingLevel level_of(hwloc_topology_t topology, hwloc_obj_t one, hwloc_obj_t other)
{
    static const hwloc_obj_type_t types[] = {
        [SHARED_L2] = HWLOC_OBJ_L2CACHE,
        [SHARED_L3] = HWLOC_OBJ_L3CACHE,
        [SHARED_SOCKET] = HWLOC_OBJ_PACKAGE,
    };
    hwloc_obj_t common = hwloc_get_common_ancestor_obj(topology, one, other);
    SharingLevel level = SHARED_L2;
    while (level < SHARED_MACHINE && !is_in(common, types[level]))
        level++;
    return level;
}

/* Takes every step-th pair of each level, so that there are as many as may be. */
static int pick_pairs(hwloc_topology_t topology, const hwloc_obj_t *units, const int *cpus,
                      int cores, const long *of_level, CorePair *pairs)
{
    long seen[SHARED_LEVELS] = {0};
    int taken[SHARED_LEVELS] = {0}, count = 0;
    for (int i = 0; i < cores; i++) {
        for (int j = i + 1; j < cores; j++) {
            SharingLevel level = level_of(topology, units[i], units[j]);
            long step = 1 + (of_level[level] - 1) / TOPOLOGY_PAIRS_PER_LEVEL;
            if (seen[level]++ % step != 0 || taken[level] == TOPOLOGY_PAIRS_PER_LEVEL)
                continue;
            taken[level]++;
            pairs[count++] = (CorePair){{cpus[i], cpus[j]}, level};
        }
    }
    return count;
}

int topology_pairs(const int *cpus, int cores,
                   CorePair pairs[TOPOLOGY_PAIRS_PER_LEVEL * SHARED_LEVELS])
{
    hwloc_topology_t topology;
    hwloc_obj_t units[TEAM_MOST_THREADS];
    long of_level[SHARED_LEVELS] = {0};
    if (!load(&topology))
        return 0;
    int known = 0;
    while (known < cores &&
           (units[known] = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpus[known])) != NULL)
        known++;
    for (int i = 0; i < known; i++)
        for (int j = i + 1; j < known; j++)
            of_level[level_of(topology, units[i], units[j])]++;
    int count = pick_pairs(topology, units, cpus, known, of_level, pairs);
    hwloc_topology_destroy(topology);
    return count;
}
