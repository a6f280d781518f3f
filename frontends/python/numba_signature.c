#include "frontends/python/numba.h"
void numba_set_types(Linker *linker, FunctionId function, Expression signature)
{
    (void)linker; (void)function; (void)signature;
}
