/* Notebooks (.ipynb): JSON whose code cells form one Python program, in order. Three steps: the
 * places of the code in the file (json.h), the text they hold with the place of each byte
 * (notebook.c), and that text made Python, byte for byte of the same length (magic.c). */
#ifndef FRONTENDS_PYTHON_NOTEBOOK_H
#define FRONTENDS_PYTHON_NOTEBOOK_H

#include "analyzer/tree/unit.h"

/* Whether a path is that of a notebook. */
bool notebook_named(const char *path);

/* The program of the notebook in unit->files[0], in the unit's arena; empty, with a note, where the
 * file is broken or in another language. */
Source *notebook_program(Unit *unit);

/* What a cell is to be taken for. */
typedef enum CellState {
    CELL_CODE,
    CELL_FOREIGN, /* of another language, by its first line */
    CELL_OPEN     /* a bracket or a text is not closed in it */
} CellState;

/* Makes the text of a cell Python: magics, shell lines and questions become blanks, or an
 * expression where a statement must stand; what is timed by them stays. The text of a cell that is
 * no code becomes blank. */
CellState magic_to_python(char *text, size_t length);

#endif
