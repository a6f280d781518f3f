#include "analyzer/facts/library.h"

#include <string.h>

#define ALLOC_SHAPE (LIB_ALLOC | LIB_SHAPE_FIRST)

static const LibraryEntry entries[] = {
    /* C: the heap */
    {"malloc", LIB_ALLOC, 1},
    {"calloc", LIB_ALLOC, 2},
    {"realloc", LIB_ALLOC, 2},
    {"reallocarray", LIB_ALLOC, 3},
    {"aligned_alloc", LIB_ALLOC, 2},
    {"memalign", LIB_ALLOC, 2},
    {"posix_memalign", LIB_ALLOC, 3},
    {"valloc", LIB_ALLOC, 1},
    {"strdup", LIB_ALLOC, 0},
    {"strndup", LIB_ALLOC, 0},
    {"asprintf", LIB_ALLOC, 0},
    {"vasprintf", LIB_ALLOC, 0},
    {"free", LIB_FREE, 0},
    {"_mm_malloc", LIB_ALLOC, 1},
    {"_mm_free", LIB_FREE, 0},
    {"omp_alloc", LIB_ALLOC, 1},
    {"omp_free", LIB_FREE, 0},
    {"g_malloc", LIB_ALLOC, 1},
    {"g_malloc0", LIB_ALLOC, 1},
    {"g_free", LIB_FREE, 0},
    /* threads */
    {"omp_get_thread_num", LIB_THREAD_ID, 0},
    {"omp_get_num_threads", LIB_TEAM_SIZE, 0},
    {"omp_get_max_threads", LIB_TEAM_SIZE, 0},
    {"omp_get_num_procs", LIB_TEAM_SIZE, 0},
    {"pthread_create", LIB_THREADS, 0},
    {"thrd_create", LIB_THREADS, 0},
    {"numba.get_thread_id", LIB_THREAD_ID, 0},
    {"numba.np.ufunc.parallel._get_thread_id", LIB_THREAD_ID, 0},
    {"numba.np.ufunc.parallel.get_thread_id", LIB_THREAD_ID, 0},
    {"numba.get_num_threads", LIB_TEAM_SIZE, 0},
    {"numba.np.ufunc.parallel.get_num_threads", LIB_TEAM_SIZE, 0},
    {"numba.config.NUMBA_NUM_THREADS", LIB_TEAM_SIZE, 0},
    {"numba.config.NUMBA_DEFAULT_NUM_THREADS", LIB_TEAM_SIZE, 0},
    /* locks */
    {"omp_set_lock", LIB_LOCK, 0},
    {"omp_unset_lock", LIB_UNLOCK, 0},
    {"omp_set_nest_lock", LIB_LOCK, 0},
    {"omp_unset_nest_lock", LIB_UNLOCK, 0},
    {"pthread_mutex_lock", LIB_LOCK, 0},
    {"pthread_mutex_unlock", LIB_UNLOCK, 0},
    {"pthread_spin_lock", LIB_LOCK, 0},
    {"pthread_spin_unlock", LIB_UNLOCK, 0},
    {"pthread_rwlock_wrlock", LIB_LOCK, 0},
    {"pthread_rwlock_rdlock", LIB_LOCK, 0},
    {"pthread_rwlock_unlock", LIB_UNLOCK, 0},
    {"mtx_lock", LIB_LOCK, 0},
    {"mtx_unlock", LIB_UNLOCK, 0},
    {"sem_wait", LIB_LOCK, 0},
    {"sem_post", LIB_UNLOCK, 0},
    {"EnterCriticalSection", LIB_LOCK, 0},
    {"LeaveCriticalSection", LIB_UNLOCK, 0},
    {"atomic_flag_clear", LIB_UNLOCK | LIB_SPIN, 0},
    {"atomic_flag_clear_explicit", LIB_UNLOCK | LIB_SPIN, 0},
    {"atomic_store", LIB_UNLOCK | LIB_SPIN, 0},
    {"atomic_store_explicit", LIB_UNLOCK | LIB_SPIN, 0},
    {"__atomic_clear", LIB_UNLOCK | LIB_SPIN, 0},
    {"__atomic_store_n", LIB_UNLOCK | LIB_SPIN, 0},
    {"__sync_lock_release", LIB_UNLOCK | LIB_SPIN, 0},
    {"GOMP_atomic_start", LIB_LOCK, 0},
    {"GOMP_atomic_end", LIB_UNLOCK, 0},
    /* counts of references */
    {"g_object_ref", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"g_object_unref", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"g_atomic_ref_count_inc", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"g_atomic_ref_count_dec", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"g_bytes_ref", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"g_bytes_unref", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"Py_INCREF", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"Py_DECREF", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"Py_XINCREF", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"Py_XDECREF", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"Py_IncRef", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"Py_DecRef", LIB_ATOMIC | LIB_REFCOUNT, 0},
    {"g_atomic_int_inc", LIB_ATOMIC, 0},
    {"g_atomic_int_add", LIB_ATOMIC, 0},
    {"g_atomic_int_dec_and_test", LIB_ATOMIC, 0},
    /* state inside the C library, behind a lock or without one */
    {"rand", LIB_HIDDEN_STATE, 0},
    {"random", LIB_HIDDEN_STATE, 0},
    {"srand", LIB_HIDDEN_STATE, 0},
    {"srandom", LIB_HIDDEN_STATE, 0},
    {"drand48", LIB_HIDDEN_STATE, 0},
    {"lrand48", LIB_HIDDEN_STATE, 0},
    {"mrand48", LIB_HIDDEN_STATE, 0},
    {"strtok", LIB_HIDDEN_STATE, 0},
    {"localtime", LIB_HIDDEN_STATE, 0},
    {"localtime_r", LIB_HIDDEN_STATE, 0},
    {"gmtime", LIB_HIDDEN_STATE, 0},
    {"ctime", LIB_HIDDEN_STATE, 0},
    {"asctime", LIB_HIDDEN_STATE, 0},
    {"setlocale", LIB_HIDDEN_STATE, 0},
    {"getenv", LIB_HIDDEN_STATE, 0},
    {"setenv", LIB_HIDDEN_STATE, 0},
    {"putenv", LIB_HIDDEN_STATE, 0},
    {"fwrite", LIB_HIDDEN_STATE | LIB_STREAM_LAST, 0},
    {"fread", LIB_HIDDEN_STATE | LIB_STREAM_LAST, 0},
    {"fputc", LIB_HIDDEN_STATE | LIB_STREAM_LAST, 0},
    {"putc", LIB_HIDDEN_STATE | LIB_STREAM_LAST, 0},
    {"putchar", LIB_HIDDEN_STATE, 0},
    {"fgets", LIB_HIDDEN_STATE | LIB_STREAM_LAST, 0},
    {"fflush", LIB_HIDDEN_STATE | LIB_STREAM_FIRST, 0},
    {"vfprintf", LIB_HIDDEN_STATE | LIB_STREAM_FIRST, 0},
    {"vprintf", LIB_HIDDEN_STATE, 0},
    {"fscanf", LIB_HIDDEN_STATE | LIB_STREAM_FIRST, 0},
    {"scanf", LIB_HIDDEN_STATE, 0},
    {"fgetc", LIB_HIDDEN_STATE | LIB_STREAM_LAST, 0},
    {"getc", LIB_HIDDEN_STATE | LIB_STREAM_LAST, 0},
    {"getchar", LIB_HIDDEN_STATE, 0},
    {"srand48", LIB_HIDDEN_STATE, 0},
    {"mktime", LIB_HIDDEN_STATE, 0},
    /* state that the caller hands over */
    {"rand_r", LIB_STEPS, 0},
    {"erand48", LIB_STEPS, 0},
    {"nrand48", LIB_STEPS, 0},
    {"jrand48", LIB_STEPS, 0},
    {"random_r", LIB_STEPS, 0},
    {"drand48_r", LIB_STEPS, 0},
    {"lrand48_r", LIB_STEPS, 0},
    {"mrand48_r", LIB_STEPS, 0},
    /* leaving and telling */
    {"exit", LIB_EXIT, 0},
    {"_exit", LIB_EXIT, 0},
    {"abort", LIB_EXIT, 0},
    {"__assert_fail", LIB_EXIT, 0},
    {"longjmp", LIB_EXIT, 0},
    {"pthread_exit", LIB_EXIT, 0},
    {"perror", LIB_MESSAGE, 0},
    {"strerror", LIB_MESSAGE, 0},
    {"fprintf", LIB_MESSAGE | LIB_HIDDEN_STATE | LIB_STREAM_FIRST, 0},
    {"printf", LIB_MESSAGE | LIB_HIDDEN_STATE, 0},
    {"snprintf", LIB_MESSAGE, 0},
    {"sprintf", LIB_MESSAGE, 0},
    {"fputs", LIB_MESSAGE | LIB_HIDDEN_STATE | LIB_STREAM_LAST, 0},
    {"puts", LIB_MESSAGE | LIB_HIDDEN_STATE, 0},
    {"syslog", LIB_MESSAGE, 0},
    {"warn", LIB_MESSAGE, 0},
    {"warnx", LIB_MESSAGE, 0},
    {"err", LIB_EXIT | LIB_MESSAGE, 0},
    {"errx", LIB_EXIT | LIB_MESSAGE, 0},
    {"fmin", LIB_MIN, 0},
    {"fminf", LIB_MIN, 0},
    {"fmax", LIB_MAX, 0},
    {"fmaxf", LIB_MAX, 0},
    {"min", LIB_MIN, 0},
    {"max", LIB_MAX, 0},
    {"MIN", LIB_MIN, 0},
    {"MAX", LIB_MAX, 0},
    /* NumPy inside numba: arrays made anew */
    {"numpy.zeros", ALLOC_SHAPE | LIB_HOISTABLE, 0},
    {"numpy.empty", ALLOC_SHAPE | LIB_HOISTABLE, 0},
    {"numpy.ones", ALLOC_SHAPE | LIB_HOISTABLE, 0},
    {"numpy.full", ALLOC_SHAPE, 0},
    {"numpy.zeros_like", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.empty_like", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.ones_like", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.full_like", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.array", LIB_ALLOC, 0},
    {"numpy.asarray", LIB_LIKE, 0},
    {"numpy.ascontiguousarray", LIB_LIKE, 0},
    {"numpy.copy", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.append", LIB_ALLOC, 0},
    {"numpy.concatenate", LIB_ALLOC, 0},
    {"numpy.delete", LIB_ALLOC, 0},
    {"numpy.roll", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.where", LIB_ALLOC, 0},
    {"numpy.arange", LIB_ALLOC, 0},
    {"numpy.linspace", LIB_ALLOC, 0},
    {"numpy.sort", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.argsort", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.unique", LIB_ALLOC, 0},
    {"numpy.cumsum", LIB_ALLOC | LIB_KEEPS_COUNT | LIB_LIKE, 0},
    {"numpy.cumprod", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.diff", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.repeat", LIB_ALLOC, 0},
    {"numpy.stack", LIB_ALLOC, 0},
    {"numpy.vstack", LIB_ALLOC, 0},
    {"numpy.hstack", LIB_ALLOC, 0},
    {"numpy.column_stack", LIB_ALLOC, 0},
    {"numpy.outer", LIB_ALLOC, 0},
    {"numpy.eye", LIB_ALLOC, 0},
    {"numpy.identity", LIB_ALLOC, 0},
    {"numpy.flip", LIB_LIKE, 0},
    {"numpy.cross", LIB_ALLOC, 0},
    {"numpy.nonzero", LIB_ALLOC, 0},
    {"numpy.argwhere", LIB_ALLOC, 0},
    {"numpy.digitize", LIB_ALLOC, 0},
    {"numpy.histogram", LIB_ALLOC, 0},
    {"numpy.bincount", LIB_ALLOC, 0},
    {"numpy.kron", LIB_ALLOC, 0},
    {"numpy.vander", LIB_ALLOC, 0},
    {"numpy.diag", LIB_ALLOC, 0},
    {"numpy.triu", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.tril", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.partition", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.argpartition", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.flatnonzero", LIB_ALLOC, 0},
    {"numpy.logspace", LIB_ALLOC, 0},
    {"numpy.convolve", LIB_ALLOC, 0},
    {"numpy.correlate", LIB_ALLOC, 0},
    {"numpy.cov", LIB_ALLOC, 0},
    {"numpy.corrcoef", LIB_ALLOC, 0},
    {"numpy.select", LIB_ALLOC, 0},
    {"numpy.ediff1d", LIB_ALLOC, 0},
    {"numpy.intersect1d", LIB_ALLOC, 0},
    {"numpy.random.permutation", LIB_ALLOC, 0},
    {"numpy.linalg.inv", LIB_ALLOC | LIB_KEEPS_COUNT | LIB_LIKE, 0},
    {"numpy.linalg.pinv", LIB_ALLOC | LIB_KEEPS_COUNT | LIB_LIKE, 0},
    {"numpy.linalg.cholesky", LIB_ALLOC | LIB_KEEPS_COUNT | LIB_LIKE, 0},
    {"numpy.linalg.solve", LIB_ALLOC | LIB_KEEPS_COUNT, 0},
    {"numpy.linalg.eigvals", LIB_ALLOC | LIB_KEEPS_COUNT, 0},
    {"numpy.linalg.eigvalsh", LIB_ALLOC | LIB_KEEPS_COUNT, 0},
    {".argsort", LIB_ALLOC | LIB_LIKE, 0},
    {".copy", LIB_ALLOC | LIB_LIKE, 0},
    {".astype", LIB_ALLOC | LIB_LIKE, 0},
    {".flatten", LIB_ALLOC, 0},
    {".tolist", LIB_ALLOC, 0},
    {".repeat", LIB_ALLOC, 0},
    {".reshape", LIB_KEEPS_COUNT | LIB_LIKE, 0},
    {".ravel", LIB_LIKE, 0},
    {".transpose", LIB_LIKE, 0},
    /* NumPy: what a view is handed to */
    {"numpy.sum", LIB_REDUCES | LIB_FUSES, 0},
    {"numpy.searchsorted", LIB_REDUCES, 0},
    {"numpy.argmax", LIB_REDUCES | LIB_FUSES, 0},
    {"numpy.argmin", LIB_REDUCES | LIB_FUSES, 0},
    {"numpy.prod", LIB_REDUCES | LIB_FUSES, 0},
    {"numpy.any", LIB_REDUCES, 0},
    {"numpy.all", LIB_REDUCES, 0},
    {"numpy.mean", LIB_REDUCES | LIB_FUSES, 0},
    {"numpy.isnan", LIB_ARRAY, 0},
    {".sum", LIB_REDUCES | LIB_FUSES, 0},
    {".argmax", LIB_REDUCES | LIB_FUSES, 0},
    {".argmin", LIB_REDUCES | LIB_FUSES, 0},
    {".mean", LIB_REDUCES | LIB_FUSES, 0},
    {".prod", LIB_REDUCES | LIB_FUSES, 0},
    {".any", LIB_REDUCES, 0},
    {".all", LIB_REDUCES, 0},
    {"len", LIB_REDUCES | LIB_PYTHON, 0},
    {"numpy.dot", LIB_KEEPS_COUNT, 0},
    {"numpy.vdot", LIB_KEEPS_COUNT, 0},
    {"numpy.max", LIB_KEEPS_COUNT | LIB_FUSES, 0},
    {"numpy.min", LIB_KEEPS_COUNT | LIB_FUSES, 0},
    {"numpy.amax", LIB_KEEPS_COUNT | LIB_FUSES, 0},
    {"numpy.amin", LIB_KEEPS_COUNT | LIB_FUSES, 0},
    {"numpy.nanmax", LIB_KEEPS_COUNT, 0},
    {"numpy.nanmin", LIB_KEEPS_COUNT, 0},
    {"numpy.median", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.nanmedian", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.std", LIB_KEEPS_COUNT, 0},
    {"numpy.var", LIB_KEEPS_COUNT, 0},
    {"numpy.linalg.norm", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.linalg.det", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.linalg.matrix_rank", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.count_nonzero", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.percentile", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.nanpercentile", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.quantile", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.nanquantile", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.trapz", LIB_KEEPS_COUNT | LIB_ALLOC | LIB_NUMBER, 0},
    {"numpy.interp", LIB_KEEPS_COUNT | LIB_ALLOC, 0},
    {".max", LIB_KEEPS_COUNT | LIB_FUSES, 0},
    {".min", LIB_KEEPS_COUNT | LIB_FUSES, 0},
    {".std", LIB_KEEPS_COUNT, 0},
    {".dot", LIB_KEEPS_COUNT, 0},
    {"numpy.fft.fft", LIB_ALLOC | LIB_LIKE, 0},
    {"numpy.reshape", LIB_KEEPS_COUNT | LIB_LIKE, 0},
    {"numpy.ravel", LIB_LIKE, 0},
    {"numpy.transpose", LIB_LIKE, 0},
    /* element by element: an array in, an array out */
    {"numpy.abs", LIB_ARRAY, 0},
    {"numpy.absolute", LIB_ARRAY, 0},
    {"abs", LIB_ARRAY | LIB_PYTHON, 0},
    {"numpy.exp", LIB_ARRAY, 0},
    {"numpy.log", LIB_ARRAY, 0},
    {"numpy.sqrt", LIB_ARRAY, 0},
    {"numpy.square", LIB_ARRAY, 0},
    {"numpy.sin", LIB_ARRAY, 0},
    {"numpy.cos", LIB_ARRAY, 0},
    {"numpy.tan", LIB_ARRAY, 0},
    {"numpy.tanh", LIB_ARRAY, 0},
    {"numpy.sign", LIB_ARRAY, 0},
    {"numpy.floor", LIB_ARRAY, 0},
    {"numpy.ceil", LIB_ARRAY, 0},
    {"numpy.power", LIB_ARRAY, 0},
    {"numpy.maximum", LIB_ARRAY, 0},
    {"numpy.minimum", LIB_ARRAY, 0},
    {"numpy.multiply", LIB_ARRAY, 0},
    {"numpy.subtract", LIB_ARRAY, 0},
    {"numpy.add", LIB_ARRAY, 0},
    {"numpy.divide", LIB_ARRAY, 0},
    {"numpy.clip", LIB_ARRAY, 0},
    {"numpy.logical_and", LIB_ARRAY, 0},
    {"numpy.arctan", LIB_ARRAY, 0},
    {"numpy.arcsin", LIB_ARRAY, 0},
    {"numpy.arccos", LIB_ARRAY, 0},
    {"numpy.sinh", LIB_ARRAY, 0},
    {"numpy.cosh", LIB_ARRAY, 0},
    {"numpy.arctan2", LIB_ARRAY, 0},
    {"numpy.hypot", LIB_ARRAY, 0},
    {"numpy.exp2", LIB_ARRAY, 0},
    {"numpy.expm1", LIB_ARRAY, 0},
    {"numpy.log2", LIB_ARRAY, 0},
    {"numpy.log10", LIB_ARRAY, 0},
    {"numpy.log1p", LIB_ARRAY, 0},
    {"numpy.isfinite", LIB_ARRAY, 0},
    {"numpy.isinf", LIB_ARRAY, 0},
    {"numpy.copysign", LIB_ARRAY, 0},
    {"numpy.fmax", LIB_ARRAY, 0},
    {"numpy.fmin", LIB_ARRAY, 0},
    {"numpy.fmod", LIB_ARRAY, 0},
    {"numpy.mod", LIB_ARRAY, 0},
    {"numpy.remainder", LIB_ARRAY, 0},
    {"numpy.floor_divide", LIB_ARRAY, 0},
    {"numpy.true_divide", LIB_ARRAY, 0},
    {"numpy.negative", LIB_ARRAY, 0},
    {"numpy.reciprocal", LIB_ARRAY, 0},
    {"numpy.cbrt", LIB_ARRAY, 0},
    {"numpy.trunc", LIB_ARRAY, 0},
    {"numpy.rint", LIB_ARRAY, 0},
    {"numpy.fabs", LIB_ARRAY, 0},
    {"numpy.conj", LIB_ARRAY, 0},
    {"numpy.conjugate", LIB_ARRAY, 0},
    {"numpy.angle", LIB_ARRAY, 0},
    {"numpy.sinc", LIB_ARRAY, 0},
    {"numpy.deg2rad", LIB_ARRAY, 0},
    {"numpy.rad2deg", LIB_ARRAY, 0},
    {"numpy.radians", LIB_ARRAY, 0},
    {"numpy.degrees", LIB_ARRAY, 0},
    {"numpy.logical_or", LIB_ARRAY, 0},
    {"numpy.logical_not", LIB_ARRAY, 0},
    {"numpy.logical_xor", LIB_ARRAY, 0},
    {"numpy.greater", LIB_ARRAY, 0},
    {"numpy.greater_equal", LIB_ARRAY, 0},
    {"numpy.less", LIB_ARRAY, 0},
    {"numpy.less_equal", LIB_ARRAY, 0},
    {"numpy.equal", LIB_ARRAY, 0},
    {"numpy.not_equal", LIB_ARRAY, 0},
    {"numpy.round", LIB_ARRAY, 0},
    /* lists and dicts */
    {"list", LIB_ALLOC | LIB_LIST | LIB_PYTHON, 0},
    {"dict", LIB_ALLOC | LIB_PYTHON, 0},
    {"set", LIB_ALLOC | LIB_PYTHON, 0},
    {"sorted", LIB_ALLOC | LIB_LIST | LIB_PYTHON, 0},
    {"numba.typed.List", LIB_ALLOC | LIB_TYPED_LIST, 0},
    {"numba.typed.List.empty_list", LIB_ALLOC | LIB_TYPED_LIST, 0},
    {"numba.typed.typedlist.List", LIB_ALLOC | LIB_TYPED_LIST, 0},
    {"numba.typed.Dict", LIB_ALLOC | LIB_TYPED_DICT, 0},
    {"numba.typed.Dict.empty", LIB_ALLOC | LIB_TYPED_DICT, 0},
};

struct Library {
    Map by_name; /* Name -> index + 1 */
};

void library_prepare(Facts *facts)
{
    facts->library = arena_alloc(facts->arena, sizeof *facts->library);
    facts->library->by_name = map_new(facts->arena);
    for (uint32_t i = 0; i < sizeof entries / sizeof *entries; i++)
        map_set(&facts->library->by_name, intern(facts->program->names, entries[i].name), i + 1);
}

static const LibraryEntry *entry_of(const Facts *facts, Name name)
{
    uint32_t at = name == 0 ? 0 : map_get(&facts->library->by_name, name);
    return at == 0 ? NULL : &entries[at - 1];
}

/* LOCK, my_mutex_lock, spin_unlock: named like a lock, defined nowhere: taken for one, since
 * unknown means silent. */
static const LibraryEntry *by_habit(const char *name)
{
    static const LibraryEntry lock = {"lock", LIB_LOCK | LIB_BY_HABIT, 0},
                              unlock = {"unlock", LIB_UNLOCK | LIB_BY_HABIT, 0};
    if (strcasestr(name, "unlock") != NULL || strcasestr(name, "unset_lock") != NULL)
        return &unlock;
    const char *at = strcasestr(name, "lock");
    if (at == NULL || strcasestr(name, "clock") != NULL || strcasestr(name, "block") != NULL ||
        strcasestr(name, "init") != NULL || strcasestr(name, "destroy") != NULL ||
        strcasestr(name, "free") != NULL)
        return NULL;
    return &lock;
}

/* GCC's and C11's atomics have too many spellings for a table. */
static const LibraryEntry *atomic_call(const char *name)
{
    static const LibraryEntry atomic = {"atomic", LIB_ATOMIC, 0};
    static const char *const starts[] = {
        "__sync_fetch_and_",  "__sync_add_and_",  "__sync_sub_and_", "__sync_bool_compare",
        "__sync_val_compare", "__atomic_fetch_",  "__atomic_add_",   "__atomic_sub_",
        "__sync_or_and_",     "__sync_and_and_",  "__sync_xor_and_", "__sync_lock_test",
        "__atomic_or_",       "__atomic_and_",    "__atomic_xor_",   "__atomic_test_and_set",
        "__atomic_exchange",  "__atomic_compare", "atomic_fetch_",   "atomic_exchange",
        "atomic_compare",     "atomic_flag_test", "__c11_atomic_"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return &atomic;
    return NULL;
}

/* A method by its name, where the base is no module: x.copy(). */
static const LibraryEntry *method_of(const Facts *facts, const Unit *unit, AstNode field)
{
    char name[64] = ".";
    const char *member = intern_text(facts->program->names, ast_at(unit->ast, field)->name);
    if (strlen(member) + 2 > sizeof name)
        return NULL;
    memcpy(name + 1, member, strlen(member) + 1);
    return entry_of(facts, intern_find(facts->program->names, name));
}

bool library_starts_threads(const Facts *facts, const Unit *unit, AstNode call)
{
    AstNode callee = ast_first(unit->ast, call);
    if (unit->language == LANGUAGE_PYTHON || ast_kind(unit->ast, callee) != AST_NAME)
        return false;
    const LibraryEntry *entry = entry_of(facts, ast_at(unit->ast, callee)->name);
    return entry != NULL && (entry->flags & LIB_THREADS) != 0;
}

/* In C: no builtin of Python (set, list), no variable or parameter that happens to be called so. */
static const LibraryEntry *c_entry(const Facts *facts, const Ast *ast, const AstNodeData *callee)
{
    const LibraryEntry *entry = entry_of(facts, callee->name);
    uint8_t kind = ast->symbols.items[callee->symbol].kind;
    bool variable = callee->symbol != 0 && (kind == SYMBOL_LOCAL || kind == SYMBOL_PARAM);
    return entry == NULL || variable || (entry->flags & LIB_PYTHON) != 0 ? NULL : entry;
}

const LibraryEntry *library_call(const Facts *facts, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    AstNode callee = ast_first(ast, call);
    if (callee == 0)
        return NULL;
    if (ast_kind(ast, callee) == AST_FIELD)
        return unit->language == LANGUAGE_PYTHON ? method_of(facts, unit, callee) : NULL;
    if (ast_kind(ast, callee) != AST_NAME)
        return NULL;
    const AstNodeData *data = ast_at(ast, callee);
    if (unit->language == LANGUAGE_PYTHON) {
        if ((data->flags & AST_QUALIFIED) == 0 && data->symbol != 0)
            return NULL;
        return entry_of(facts, (data->flags & AST_QUALIFIED) != 0
                                   ? program_qualified(facts->program, unit, callee)
                                   : data->name);
    }
    if (facts_callee(facts, unit, call) != 0)
        return NULL;
    const LibraryEntry *entry = c_entry(facts, ast, data);
    const char *name = intern_text(facts->program->names, data->name);
    entry = entry != NULL ? entry : atomic_call(name);
    return entry != NULL ? entry : by_habit(name);
}

/* int my_tid(void) { return omp_get_thread_num(); }, also by way of a variable. */
static uint32_t wrapped_thread_value(const Facts *facts, FunctionId function, int depth);

/* hypre_GetThreadNum, my_thread_id, NumThreads: wrappers whose bodies are not there. */
static uint32_t named_thread_value(const char *name)
{
    if (strcasestr(name, "thread") == NULL)
        return 0;
    if (strcasestr(name, "numthreads") != NULL || strcasestr(name, "num_threads") != NULL ||
        strcasestr(name, "nthreads") != NULL || strcasestr(name, "threadcount") != NULL)
        return LIB_TEAM_SIZE;
    bool number = strcasestr(name, "threadnum") != NULL || strcasestr(name, "thread_num") != NULL ||
                  strcasestr(name, "threadid") != NULL || strcasestr(name, "thread_id") != NULL;
    return number ? LIB_THREAD_ID : 0;
}

static uint32_t thread_value(const Facts *facts, const Unit *unit, AstNode expression, int depth)
{
    const Ast *ast = unit->ast;
    expression = ast_without_casts(ast, expression);
    if (ast_kind(ast, expression) == AST_NAME && unit->language == LANGUAGE_PYTHON) {
        const AstNodeData *data = ast_at(ast, expression);
        const LibraryEntry *entry = (data->flags & AST_QUALIFIED) != 0 ? entry_of(facts, data->name)
                                                                       : NULL;
        return entry == NULL ? 0 : entry->flags & LIB_TEAM_SIZE;
    }
    if (ast_kind(ast, expression) != AST_CALL || depth > 3)
        return 0;
    FunctionId callee = facts_callee(facts, unit, expression);
    if (callee != 0)
        return wrapped_thread_value(facts, callee, depth + 1);
    const LibraryEntry *entry = library_call(facts, unit, expression);
    if (entry != NULL)
        return entry->flags & (LIB_THREAD_ID | LIB_TEAM_SIZE);
    AstNode name = ast_first(ast, expression);
    return unit->language == LANGUAGE_PYTHON || ast_kind(ast, name) != AST_NAME
               ? 0
               : named_thread_value(intern_text(facts->program->names, ast_at(ast, name)->name));
}

static uint32_t wrapped_thread_value(const Facts *facts, FunctionId function, int depth)
{
    const Unit *unit = program_function_unit(facts->program, function);
    const Ast *ast = unit->ast;
    AstNode node = program_function_data(facts->program, function)->node;
    uint32_t value = 0;
    if (ast_end(ast, node) - node > 40)
        return 0;
    FOR_EACH_NODE (ast, at, node) {
        if (ast_kind(ast, at) != AST_RETURN || ast_leafless(ast, at))
            continue;
        uint32_t one = thread_value(facts, unit, ast_first(ast, at), depth);
        AstSymbol held = ast_at(ast, ast_first(ast, at))->symbol;
        bool named = ast_kind(ast, ast_first(ast, at)) == AST_NAME && held != 0;
        for (AstNode set = node; named && one == 0 && set < at; set++) {
            AstNode given = ast_value_set(ast, set, held);
            one = given != 0 ? thread_value(facts, unit, given, depth) : 0;
        }
        value = one != 0 ? one : value; /* the other branch of an #ifdef returns 0 or 1 */
    }
    return value;
}

uint32_t library_thread_value(const Facts *facts, const Unit *unit, AstNode expression)
{
    return thread_value(facts, unit, expression, 0);
}

/* a, (double)b: one of the two parameters; -1 if it is none. */
static int param_of(const Ast *ast, const AstFunctionData *function, AstNode value)
{
    value = ast_without_casts(ast, value);
    AstSymbol symbol = ast_kind(ast, value) == AST_NAME ? ast_at(ast, value)->symbol : 0;
    for (uint32_t i = 0; symbol != 0 && i < function->params.count; i++)
        if (function->params.items[i] == symbol)
            return (int)i;
    return -1;
}

/* a > b, b <= a: two parameters are ordered. */
static bool orders_params(const Ast *ast, const AstFunctionData *function, AstNode node)
{
    AstOp op = ast_kind(ast, node) == AST_COMPARE ? (AstOp)ast_at(ast, node)->op : OP_NONE;
    if (op != OP_LT && op != OP_LE && op != OP_GT && op != OP_GE)
        return false;
    int left = param_of(ast, function, ast_first(ast, node)),
        right = param_of(ast, function, ast_child(ast, node, 1));
    return left >= 0 && right >= 0 && left != right;
}

bool library_is_extreme(const Facts *facts, const Unit *unit, AstNode call)
{
    enum { FEW_NODES = 40, BOTH = 3 };
    const LibraryEntry *entry = library_call(facts, unit, call);
    if (entry != NULL)
        return (entry->flags & (LIB_MIN | LIB_MAX)) != 0;
    FunctionId callee = facts_callee(facts, unit, call);
    if (callee == 0)
        return false;
    const Ast *ast = program_function_unit(facts->program, callee)->ast;
    const AstFunctionData *function = program_function_data(facts->program, callee);
    if (function->params.count != 2 || ast_end(ast, function->node) - function->node > FEW_NODES)
        return false;
    bool ordered = false;
    int returned = 0;
    FOR_EACH_NODE (ast, node, function->node) {
        AstNode value = ast_kind(ast, node) == AST_RETURN ? ast_first(ast, node) : 0;
        bool choice = value != 0 && ast_kind(ast, value) == AST_CONDITIONAL;
        AstNode ways[] = {choice ? ast_child(ast, value, 1) : value,
                          choice ? ast_child(ast, value, 2) : value};
        ordered |= orders_params(ast, function, node);
        for (size_t i = 0; value != 0 && i < 2; i++) {
            int param = param_of(ast, function, ways[i]);
            if (param < 0)
                return false;
            returned |= 1 << param;
        }
        if (ast_kind(ast, node) == AST_ASSIGN)
            return false;
    }
    return ordered && returned == BOTH;
}
