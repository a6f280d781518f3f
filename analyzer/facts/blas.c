/* Names of BLAS, LAPACK and FFT routines that run on threads of their own. Left out are those of
 * vectors (axpy, dot, scal): too little work for that, mostly. */
#include "analyzer/facts/library.h"

#include <string.h>

/* The stem of "cblas_dgemm", "dgemm_", "LAPACKE_dgesvd_work": "gemm", "gesvd". */
static bool stem_of(const char *name, char stem[16])
{
    static const char *const prefixes[] = {"cblas_", "LAPACKE_", "scipy_cblas_", "flexiblas_"};
    static const char *const suffixes[] = {"_work", "_", "_64_", "64_"};
    bool prefixed = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !prefixed; i++) {
        size_t length = strlen(prefixes[i]);
        prefixed = strncmp(name, prefixes[i], length) == 0;
        name += prefixed ? length : 0;
    }
    size_t length = strlen(name);
    bool suffixed = false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !suffixed; i++) {
        size_t end = strlen(suffixes[i]);
        suffixed = length > end && strcmp(name + length - end, suffixes[i]) == 0;
        length -= suffixed ? end : 0;
    }
    if (length < 4 || length > 15 || strchr("sdcz", name[0]) == NULL)
        return false;
    memcpy(stem, name + 1, length - 1);
    stem[length - 1] = '\0';
    return prefixed || suffixed || length >= 5;
}

bool library_is_blas(const char *name)
{
    static const char *const stems[] = {
        "gemm",  "gemm3m", "symm",  "hemm",  "syrk",  "herk",  "syr2k", "her2k", "trmm",  "trsm",
        "gemv",  "gesv",   "gesvx", "getrf", "getri", "getrs", "potrf", "potri", "potrs", "posv",
        "sysv",  "sytrf",  "gels",  "gelsd", "gelss", "gelsy", "geqrf", "geqp3", "orgqr", "ormqr",
        "ungqr", "unmqr",  "gesvd", "gesdd", "syev",  "syevd", "syevr", "syevx", "heev",  "heevd",
        "heevr", "geev",   "geevx", "gees",  "gehrd", "sytrd", "gebrd", "sygv",  "sygvd", "hegv"};
    char stem[16];
    if (!stem_of(name, stem))
        return false;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (strcmp(stem, stems[i]) == 0)
            return true;
    return false;
}

bool library_is_fft(const char *name)
{
    return strncmp(name, "fftw_execute", 12) == 0 || strncmp(name, "fftwf_execute", 13) == 0 ||
           strncmp(name, "fftwl_execute", 13) == 0;
}
