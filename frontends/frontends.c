/* The table of frontends. A language is one row here and one folder beside. */
#include "analyzer/frontend.h"

#include <string.h>

static const Frontend *const frontends[] = {&frontend_c, &frontend_python};

const Frontend *frontend_for(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof frontends / sizeof *frontends; i++)
        for (const char *const *suffix = frontends[i]->suffixes; *suffix != NULL; suffix++)
            if (strcmp(dot, *suffix) == 0)
                return frontends[i];
    return NULL;
}
