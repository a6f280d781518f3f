/* The table of frontends. */
#include "analyzer/frontend.h"

#include <string.h>

static const Frontend *const frontends[] = {&frontend_c, &frontend_python};

const Frontend *frontend_for(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof frontends / sizeof *frontends; i++)
        for (const char *const *suffix = frontends[i]->suffixes; *suffix != NULL; suffix++) {
            size_t size = strlen(*suffix);
            if (length > size && strcmp(path + length - size, *suffix) == 0)
                return frontends[i];
        }
    return NULL;
}
