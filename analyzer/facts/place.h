/* Places: what storage an expression means, as a path from a variable or an allocation.
 * "lane[t].hits" is the variable lane, an index affine in t, and a field. The provenance of an
 * array is its base and the steps that were taken from it. */
#ifndef ANALYZER_FACTS_PLACE_H
#define ANALYZER_FACTS_PLACE_H

#include "analyzer/facts/affine.h"
#include "analyzer/tree/program.h"

typedef enum PlaceBase {
    PLACE_UNKNOWN,
    PLACE_VARIABLE,   /* the storage of `sym` itself (and the array or object a Python name stands
                         for) */
    PLACE_POINTEE,    /* what pointer `sym` points to */
    PLACE_ALLOCATION, /* fresh memory made at `node` of `function` */
} PlaceBase;

typedef enum StepKind {
    STEP_INDEX,
    STEP_FIELD,
    STEP_SLICE /* x[a:b] along one axis */,
    STEP_LOAD /* through a pointer that lies in memory */
} StepKind;

/* What is indexed, as far as inference tells (Python). */
typedef enum Container {
    CONTAINER_ANY,
    CONTAINER_ARRAY,
    CONTAINER_TYPED_LIST,
    CONTAINER_LIST,
    CONTAINER_DICT,
    CONTAINER_TUPLE
} Container;

typedef struct PlaceStep {
    uint8_t kind;      /* StepKind */
    uint8_t container; /* Container */
    bool likely;       /* the container is inferred from habits only */
    bool counted;      /* FIELD of a jitclass instance: what it holds carries a live count */
    Name field;        /* FIELD */
    int64_t offset;    /* FIELD: bytes, -1 unknown */
    int64_t size;      /* bytes of what the step arrives at; 0 unknown */
    int64_t align;     /* bytes, 0 unknown */
    Affine index;      /* INDEX */
    FunctionId function;
    AstNode node; /* the expression that takes this step, in `function` */
} PlaceStep;

enum { PLACE_STEPS = 8 };

typedef struct Place {
    uint8_t base; /* PlaceBase */
    uint8_t count;
    bool element; /* a pointer to one element: a further index moves the last step's */
    Sym sym;
    FunctionId function; /* ALLOCATION */
    AstNode node;
    PlaceStep *steps; /* in the arena, never changed once made */
} Place;

struct Facts;

/* What `expression` stores to or reads as an lvalue. */
Place place_of(const struct Facts *facts, FunctionId function, AstNode expression);

/* What a pointer, array or (Python) reference expression refers to. */
Place place_behind(const struct Facts *facts, FunctionId function, AstNode expression);

/* The value of an integer expression. */
Affine place_index(const struct Facts *facts, FunctionId function, AstNode expression);

/* The slice that an index of Python is: a:b, or a variable that holds slice(a, b), whose call it
 * then is; 0 if it is none. */
AstNode place_slice(const struct Facts *facts, const Unit *unit, AstNode index);

/* The same place seen by the caller: formals replaced by the actuals of `call` (in `caller`). */
Place place_at_call(const struct Facts *facts, const Place *place, FunctionId callee,
                    FunctionId caller, AstNode call);
Affine affine_at_call(const struct Facts *facts, Affine form, FunctionId callee, FunctionId caller,
                      AstNode call);

/* `place` with one more step. */
Place place_step(const struct Facts *facts, Place place, PlaceStep step);

/* No step depends on anything: v, v.x, *p, v[3]. */
bool place_fixed(const Place *place);

/* Whether both are the same expression of the same storage, surely. */
bool place_same(const Place *left, const Place *right);

/* The variable a Sym stands for. */
const AstSymbolData *sym_data(const struct Facts *facts, Sym sym);
const char *sym_name(const struct Facts *facts, Sym sym);
Sym sym_of(const Unit *unit, AstSymbol symbol);

/* The same, one and the same for a C variable with external linkage in whatever unit it is named.
 */
Sym sym_global(const struct Facts *facts, const Unit *unit, AstSymbol symbol);
const Unit *sym_unit(const struct Facts *facts, Sym sym);

/* The argument that a call hands to parameter number `index`; 0 if it gives none. For calls that
 * start threads: the one argument of the function that is started. */
AstNode place_argument(const struct Facts *facts, FunctionId callee, const Unit *caller,
                       AstNode call, uint32_t index);

#endif
