#include "frontends/python/python.h"
void numba_link(struct Program *program)
{
    (void)program;
}
