/* How functions are compiled, worked out over the whole program: expressions around decorators are
 * evaluated in a small domain of values. Everything lives in the arena of the link step. */
#ifndef FRONTENDS_PYTHON_NUMBA_H
#define FRONTENDS_PYTHON_NUMBA_H

#include "analyzer/base/map.h"
#include "analyzer/tree/program.h"

typedef enum Truth { TRUTH_NO, TRUTH_YES, TRUTH_MAYBE } Truth;

/* Ordered: of the values that several branches give, the highest counts (numba's rather than its
 * fall-back). */
typedef enum ValueKind {
    VALUE_UNKNOWN,
    VALUE_PLAIN,     /* a decorator that leaves its function as it is: staticmethod, lru_cache */
    VALUE_USER,      /* a function of the program; calling it gives what it returns */
    VALUE_TOKEN,     /* the function that is being decorated, as it is */
    VALUE_DECORATOR, /* compiles what it is applied to; called with options alone it is a decorator
                        with options */
    VALUE_COMPILED,  /* a function compiled by a decorator */
} ValueKind;

typedef enum DecoratorKind {
    DECORATOR_COMPILES,
    DECORATOR_OVERLOAD, /* what the decorated function returns is compiled; its first argument is
                           not */
    DECORATOR_CLASS,    /* jitclass */
    DECORATOR_INTRINSIC,
} DecoratorKind;

/* An expression with what its names mean: `env` binds the parameters of the function being
 * evaluated. */
typedef struct Env Env;
typedef struct Expression {
    const Unit *unit;
    AstNode node; /* 0: none */
    const Env *env;
} Expression;

struct Env {
    const Unit *unit; /* of the function that is called */
    AstFunction function;
    Expression call;  /* the CALL that calls it; node 0 if it is applied as a decorator */
    bool token;       /* its first argument is the function that is decorated */
    const Env *outer; /* of the closure it was made in */
};

typedef struct Value {
    ValueKind kind;
    DecoratorKind decorator;
    uint32_t flags; /* FN_… of the build */
    Truth parallel;
    bool chosen;          /* an option says so */
    Expression signature; /* DECORATOR, COMPILED: an explicit one */
    FunctionId function;  /* USER; COMPILED: what was compiled, 0 for the token */
    const Env *env;       /* USER: of the closure */
} Value;

typedef struct Linker {
    Program *program;
    Arena *arena;
    Map known;       /* (root, qualified name) to index in `values` */
    Map ranges;      /* the same to Truth + 1 */
    Map constant_of; /* the same to index + 1 in `constants`, of which the first is nothing */
    LIST(int64_t) constants;
    LIST(Value) values;
    Name *roots; /* by unit id */
    Name word_range, word_star, word_dict;
    uint32_t budget; /* evaluations left for the expression at hand */
} Linker;

/* ---- numba_value.c ---- */

Value value_of(Linker *linker, Expression expression, int depth);
Value value_of_name(Linker *linker, const Unit *from, Name qualified, int depth);
Value value_applied(Linker *linker, Value decorator,
                    int depth); /* to the function that is decorated */
FunctionId value_function(Linker *linker, Expression argument);

/* ---- numba_names.c ---- */

/* What numba's own name stands for; false if it is none of numba's. */
bool numba_known(const char *qualified, Value *value);

/* Names that are followed from module to module. Calls `visit` for everything a name may stand for:
 * a module-level value (node) or, at the end of the way, a name outside the program (node 0). */
typedef void NameVisit(void *context, const Unit *unit, AstNode node, Name outside);
void numba_follow(Linker *linker, const Unit *from, Name qualified, NameVisit *visit, void *context,
                  int depth);

/* The same for a module-level name of `unit`. */
void numba_follow_own(Linker *linker, const Unit *unit, Name name, NameVisit *visit, void *context,
                      int depth);

/* ---- numba_options.c ---- */

/* Adds the keywords, and the first `skip` positional arguments left out, of a call to a decorator's
 * options. */
void numba_add_options(Linker *linker, Value *value, Expression call, int depth);
Truth numba_truth(Linker *linker, Expression expression, int depth);

/* What a parameter stands for in its environment: an expression; *token if it is the decorated
 * function. */
Expression numba_parameter(const Linker *linker, Expression name, bool *token, bool *bound);
bool numba_is_double_star(Expression spread);

/* The first positional argument of a call; *token if it is the decorated function. Node 0 if there
 * is none. */
Expression numba_first_argument(const Linker *linker, Expression call, bool *token);

/* ---- numba_signature.c ---- */

/* Sets the types of a function's parameters from its explicit signature. */
void numba_set_types(Linker *linker, FunctionId function, Expression signature);

enum { NUMBA_DEEPEST = 24 };

#endif
