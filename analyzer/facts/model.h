/* The inside of facts/: tables that its files share. Not for rules: they use facts.h. */
#ifndef ANALYZER_FACTS_MODEL_H
#define ANALYZER_FACTS_MODEL_H

#include "analyzer/facts/effect.h"
#include "analyzer/facts/facts.h"

/* What is known about a variable from the function bodies that assign it. */
typedef struct SymbolUse {
    uint32_t writes; /* assignments of any form, its declaration's initialiser included */
    AstNode value;   /* the only value it gets, where writes == 1 and it is plain */
    AstNode loop; /* the loop whose induction variable it is (then writes counts that loop once) */
    uint32_t swaps; /* of the writes: x, y = y, x */
    bool augmented; /* also changed by op=, ++ */
    bool address_taken;
    bool condition_value; /* the only value is assigned under a branch */
    bool thread;          /* one of its values is the id of the running thread */
    bool team;            /* … the size of the team */
} SymbolUse;

/* Python: what a variable holds. */
enum {
    SHAPE_ARRAY = 1,
    SHAPE_TYPED_LIST = 2,
    SHAPE_LIST = 4,
    SHAPE_TUPLE = 8,
    SHAPE_DICT = 16,
    SHAPE_SCALAR = 32,
    SHAPE_ARRAY_USE = 64 /* .shape, several indices, a slice */,
    SHAPE_RANK_TESTED = 128 /* x.ndim == 2 */
};

enum { SHAPE_MIXED = 0xffff };

typedef struct Shape {
    uint8_t kinds;         /* SHAPE_… evidence */
    uint8_t rank;          /* dimensions, where known exactly (arrays); 0 unknown */
    uint8_t depth;         /* indices that can surely be put on it before a scalar is reached */
    uint8_t element_kinds; /* of a list's elements */
    uint8_t column;        /* a strided view x[:, i], along the short side as a rule */
    uint8_t used;          /* the part of depth that its function's own uses ask for */
    uint16_t record;       /* number of the namedtuple it is; 0 none known, SHAPE_MIXED several */
} Shape;

/* What a function is like as the helper that gets a view. */
typedef struct Traits {
    bool known, busy;
    bool loops, nested, several; /* a loop; loops in loops; more than one loop side by side */
    bool writes;                 /* stores to elements inside a loop */
    bool raises;                 /* by raise, assert or division, depending on data */
    bool raises_length;          /* only by a test of lengths */
    bool divides;                /* the reason is a division */
    bool allocates;
    bool wraps;               /* hands its array to another function that loops */
    uint8_t reductions;       /* np.sum and the like */
    bool heavy_library;       /* np.dot, np.mean of variable bounds, … */
    bool forwards_allocation; /* C: returns what it allocated, and does nothing else of weight */
    bool ends_program;        /* C: never returns, and runs once at most: it tells and exits */
} Traits;

typedef struct Caller {
    const Unit *unit;
    AstNode call;
} Caller;

typedef struct FunctionFacts {
    Effects effects; /* own ones and those of callees, in order of the source */
    LIST(FunctionId) callees;
    LIST(Caller) callers; /* all of the program, also code outside functions */
    LIST(Caller) starts;  /* C: calls that start threads with it */
    bool parallel;        /* holds a construct that starts threads */
    bool reached;         /* is called, through any chain, from inside such a construct */
    uint8_t state;        /* of the depth-first walk */
    bool recursive;
    int lock_balance; /* locks taken minus locks released by one call */
    Traits traits;
} FunctionFacts;

typedef struct Candidate {
    FunctionId function;
    uint32_t next; /* index into candidates, 0 end */
} Candidate;

struct Facts {
    Arena *arena;
    const Program *program;
    FunctionFacts *functions; /* by FunctionId */
    SymbolUse **uses;         /* by unit id, by symbol */
    Shape **shapes;           /* by unit id, by symbol (Python) */
    Shape *returns;           /* by FunctionId: what it returns (Python) */
    Map record_of; /* Sym of a variable that is a namedtuple class -> its number (Python) */
    Map field_of;  /* (record, 0 any; name of a field) -> index + 1 into fields (Python) */
    LIST(Shape) fields;
    Map counted_fields; /* names of fields of jitclass instances: what they hold carries a live
                           count */
    Map callee_of;      /* (unit id, call) -> FunctionId + 1 */
    Map candidate_of; /* Sym of a parameter -> first index into candidates: functions passed for it
                       */
    LIST(Candidate) candidates;
    LIST(FunctionId) order; /* callees first */
    Map external_of; /* C: name of a variable with external linkage -> index + 1 into externals */
    LIST(Sym) externals;
    struct Library *library;
    struct Paths *paths; /* the steps of places (path.h) */
    Map *seldom_behind;  /* seldom.c: (function, branch) -> 1 no, 2 yes; filled when it is asked */
    LIST(Event) events;
};

/* uses.c */
void uses_collect(Facts *facts);
void uses_mark_threads(Facts *facts); /* needs the call graph */
/* infer.c */
void shapes_infer(Facts *facts);
/* shape.c */
Shape shape_of(const Facts *facts, FunctionId function, AstNode expression);
Container shape_container(Shape shape, bool *likely);
/* callgraph.c */
void callgraph_build(Facts *facts);
/* The function a call reaches, if exactly one is known. */
FunctionId facts_callee(const Facts *facts, const Unit *unit, AstNode call);

/* Which parameter of `callee` the first argument of the call is for: 1 in owner.method(first). */
uint32_t facts_first_parameter(const Facts *facts, const Unit *unit, AstNode call,
                               FunctionId callee);
enum { CALLEES_MOST = 4 }; /* of those that are passed for one parameter */
/* First of the functions that a call through a parameter, or through a table that is one, may
 * reach; 0 none. */
uint32_t callgraph_candidates(const Facts *facts, const Unit *unit, AstNode call);
/* traits.c */
const Traits *traits_of(const Facts *facts, FunctionId function);
/* view.c */
bool view_classify(const Facts *facts, FunctionId function, AstNode index, ViewUse *use);
/* rare.c: `part` is the then or the else of `branch` */
bool branch_handles_error(const Ast *ast, AstNode branch, AstNode part); /* except: */
bool branch_is_rare(const Facts *facts, FunctionId function, AstNode branch, AstNode part);
/* seldom.c: no error branch perhaps, but entered seldom all the same: a test for NaN or for a full
 * buffer, or one that the branch itself makes false: `if (x > best) { lock(); if (x > best) best =
 * x; … }`. */
bool branch_is_seldom(const Facts *facts, FunctionId function, AstNode branch, AstNode part);
/* Rare by no other sign than that it prints, though not to stderr, and under a condition that
 * changes from turn to turn: results, not complaints. */
bool branch_only_prints(const Facts *facts, FunctionId function, AstNode branch, AstNode part);
/* fallback.c: `label` is the default of `choice`, a switch, and with what follows it prints, or
 * fails, as no other case does. The same of the last else of a chain of tests for equality. */
bool default_is_rare(const Facts *facts, FunctionId function, AstNode choice, AstNode label);
bool else_is_rare(const Facts *facts, FunctionId function, AstNode branch, AstNode part);
/* A string that begins with the word warning, error or fatal, and goes on in words. */
bool text_warns(const Unit *unit, AstNode node);
/* The part is the one that runs where the condition holds: the then, b of a && b. */
bool branch_holds(const Ast *ast, AstNode branch, AstNode part);
/* It ends the iteration or the function. */
bool branch_leaves(const Ast *ast, AstNode part);
/* never.c: literals that the calls on its way pass decide branches so that it is never run */
bool effect_never_runs(const Facts *facts, const Effect *effect);
/* effects.c: own effects and folded ones of one function */
void effects_collect(Facts *facts, FunctionId function);
/* event.c */
void events_collect(Facts *facts);

#endif
