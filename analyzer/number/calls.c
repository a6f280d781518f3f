#include "analyzer/number/work.h"

#include <string.h>

/* Words between blanks. Names of math.h stand without their suffix f or l; numpy and math functions
 * without module. */
static const char simple_words[] =
    " abs fabs labs llabs fmin fmax floor ceil round trunc rint nearbyint lround isnan isinf "
    "isfinite "
    "copysign sign minimum maximum fma absolute square signbit modf frexp ldexp popcount "
    "__builtin_popcount ";
static const char quick_words[] = " exp exp2 expm1 log log2 log10 log1p ";
static const char libm_words[] =
    " pow power float_power sin cos tan asin acos atan atan2 "
    "arcsin arccos arctan arctan2 sinh cosh tanh erf erfc gamma lgamma tgamma cbrt hypot fmod "
    "remainder sincos cexp clog omp_get_wtime atoi atol atof strtol strtod ";
static const char array_words[] =
    " sum prod mean std var median percentile ptp dot vdot inner matmul argmin argmax any all "
    "cumsum norm searchsorted count_nonzero nonzero partition argpartition bincount nansum nanmean "
    "nanmin nanmax amin amax memcpy memset memmove memcmp strlen strcmp diff allclose fill ";
static const char sorting_words[] = " sort argsort lexsort unique digitize histogram interp qsort ";
static const char free_words[] =
    " len range prange int float bool complex isinstance float32 float64 int8 int16 int32 int64 "
    "uint8 uint16 uint32 uint64 intp omp_get_thread_num omp_get_num_threads omp_get_max_threads "
    "omp_get_num_procs omp_in_parallel omp_get_level get_thread_id _get_thread_id get_num_threads "
    "__builtin_expect astype reshape ravel ";
/* Events with rules of their own: the exposure counts them, the work beside them does not. */
static const char event_words[] =
    " malloc calloc realloc free aligned_alloc posix_memalign strdup strndup zeros empty ones full "
    "array copy append concatenate zeros_like empty_like ones_like full_like asarray "
    "ascontiguousarray arange linspace roll where omp_set_lock omp_unset_lock omp_test_lock "
    "pthread_mutex_lock pthread_mutex_unlock pthread_mutex_trylock pthread_spin_lock "
    "pthread_spin_unlock pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock "
    "mtx_lock mtx_unlock mtx_trylock omp_set_nest_lock omp_unset_nest_lock omp_test_nest_lock rand "
    "random drand48 lrand48 strtok localtime gmtime printf fprintf puts putchar "
    "fputs fwrite getenv setenv ";

static bool is_among(const char *words, const char *word, size_t length)
{
    for (const char *at = words; length > 0 && (at = strstr(at + 1, word)) != NULL;) {
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    }
    return false;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Reading, writing and converting of text: it walks through formats and buffers. */
static const char text_words[] =
    " printf fprintf sprintf snprintf vsnprintf scanf fscanf sscanf fgets fputs puts fread "
    "fwrite getline strtod strtof atof strtol fopen fclose ";

static CallClass class_of_word(const char *word)
{
    size_t length = strlen(word);
    if (starts_with(word, "atomic_") || starts_with(word, "__atomic_") ||
        starts_with(word, "__sync_"))
        return CALL_FREE;
    if (is_among(free_words, word, length) || is_among(event_words, word, length))
        return CALL_FREE;
    if (strcmp(word, "sqrt") == 0)
        return CALL_SQRT;
    if (is_among(simple_words, word, length))
        return CALL_OP;
    if (is_among(quick_words, word, length))
        return CALL_LIBM_QUICK;
    if (is_among(libm_words, word, length))
        return CALL_LIBM;
    if (is_among(text_words, word, length))
        return CALL_TEXT;
    if (is_among(sorting_words, word, length))
        return CALL_SORTING;
    return is_among(array_words, word, length) ? CALL_ARRAY : CALL_UNKNOWN;
}

/* sqrtf and expl as sqrt and exp. */
static CallClass class_of_suffixed(const char *word)
{
    char shorter[32];
    size_t length = strlen(word);
    if (length < 4 || length > sizeof shorter ||
        (word[length - 1] != 'f' && word[length - 1] != 'l'))
        return CALL_UNKNOWN;
    memcpy(shorter, word, length - 1);
    shorter[length - 1] = '\0';
    CallClass class = class_of_word(shorter);
    if ((class == CALL_LIBM || class == CALL_LIBM_QUICK) && word[length - 1] == 'f')
        class = CALL_LIBM_SINGLE;
    bool good = class == CALL_OP || class == CALL_SQRT || class == CALL_LIBM ||
                class == CALL_LIBM_QUICK || class == CALL_LIBM_SINGLE;
    return good ? class : CALL_UNKNOWN;
}

/* min and max are one operation as builtins, and run over the array as numpy.min, x.max(). */
static CallClass class_of_extreme(const char *module, bool method)
{
    return method || strcmp(module, "numpy.") == 0 ? CALL_ARRAY : CALL_OP;
}

CallClass call_class(const WorkModel *work, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    AstNode callee = ast_first(ast, call);
    Name qualified = program_qualified(work->program, unit, callee);
    const char *full =
        intern_text(ast->names, qualified != 0 ? qualified : ast_at(ast, callee)->name);
    const char *dot = strrchr(full, '.');
    const char *word = dot == NULL ? full : dot + 1;
    bool method = qualified == 0 && ast_kind(ast, callee) == AST_FIELD;
    if (strcmp(word, "min") == 0 || strcmp(word, "max") == 0)
        return class_of_extreme(starts_with(full, "numpy.") ? "numpy." : "", method);
    CallClass class = class_of_word(word);
    return class == CALL_UNKNOWN && unit->language != LANGUAGE_PYTHON ? class_of_suffixed(word)
                                                                      : class;
}

bool work_knows_call(const WorkModel *work, const Unit *unit, AstNode call)
{
    static const char short_words[] =
        " time clock sprintf snprintf fflush strcpy strncpy strcat "
        "strncmp atoi atof atol exit abort srand omp_get_wtime "
        "gettimeofday clock_gettime rand_r erand48 nrand48 jrand48 random_r drand48_r lrand48_r "
        "sched_yield ctime __assert_fail fputc fgetc putc strtoul strtoll strtoull ";
    CallClass class = call_class(work, unit, call);
    if (class != CALL_UNKNOWN && class != CALL_TEXT) /* which may wait for a disk */
        return true;
    const char *word =
        intern_text(unit->ast->names, ast_at(unit->ast, ast_first(unit->ast, call))->name);
    return is_among(short_words, word, strlen(word));
}
