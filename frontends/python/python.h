/* The Python frontend inside. A file goes through three forms: bytes; `Syntax`, tree-sitter's tree
 * copied once into a flat array in pre-order (so that everything behind it is array arithmetic, and
 * no walk of it needs the stack); and the tree of tree/ast.h. Owner of the syntax: the worker, who
 * uses the memory again for the next file. */
#ifndef FRONTENDS_PYTHON_PYTHON_H
#define FRONTENDS_PYTHON_PYTHON_H

#include "analyzer/base/map.h"
#include "analyzer/frontend.h"

#include <tree_sitter/api.h>

typedef enum SyntaxKind {
    SYNTAX_DROPPED, /* comments and the tokens that tell nothing */
#define SYNTAX(NAME, text) SYNTAX_##NAME,
#define TOKEN(NAME, text, op)
#define LABEL(NAME, text)
#include "frontends/python/grammar.def"
#undef SYNTAX
#undef TOKEN
    SYNTAX_OTHER, /* a node with a name that is none of those above */
#define SYNTAX(NAME, text)
#define TOKEN(NAME, text, op) TOKEN_##NAME,
#include "frontends/python/grammar.def"
#undef SYNTAX
#undef TOKEN
#undef LABEL
    SYNTAX_KIND_COUNT
} SyntaxKind;

typedef enum Label {
    LABEL_NONE,
#define SYNTAX(NAME, text)
#define TOKEN(NAME, text, op)
#define LABEL(NAME, text) LABEL_##NAME,
#include "frontends/python/grammar.def"
#undef SYNTAX
#undef TOKEN
#undef LABEL
    LABEL_COUNT
} Label;

typedef uint32_t SyntaxId; /* index into Syntax.nodes; the root is 0, which therefore also means
                              "none" for a child */

enum { SYNTAX_BROKEN = 1 /* holds an error */, SYNTAX_MISSING = 2 /* was made up by the parser */ };

typedef struct SyntaxNode {
    uint8_t kind, label, flags;
    SyntaxId end; /* one past the subtree */
    uint32_t start, stop;
} SyntaxNode;

typedef struct Syntax {
    SyntaxNode *nodes;
    uint32_t count, capacity;
} Syntax;

/* The numbers of the grammar in our terms; made once. */
typedef struct Grammar {
    const TSLanguage *language;
    uint8_t *kinds;  /* by TSSymbol: SyntaxKind */
    uint8_t *labels; /* by TSFieldId: Label */
    uint32_t symbol_count, field_count;
    const FrontendOptions *options;
} Grammar;

typedef enum ScopeKind { SCOPE_MODULE, SCOPE_FUNCTION, SCOPE_CLASS, SCOPE_COMPREHENSION } ScopeKind;

typedef struct Scope {
    struct Scope *outer;
    uint32_t id; /* its number in the file */
    ScopeKind kind;
    AstFunction function; /* what symbols made here belong to */
    const char *prefix;   /* of qualified names: "pkg.mod.outer" */
} Scope;

/* How a symbol is bound; beside Ast.symbols while a file is lowered. */
typedef struct Binding {
    uint16_t count; /* statements that bind it */
    bool imported, defined, conditional;
    SyntaxId definition; /* the function_definition that counts */
    SyntaxId values[2];  /* the first values assigned to it */
} Binding;

typedef struct Lowering {
    const Grammar *grammar;
    Unit *unit;
    Ast *ast;
    const char *text;
    const SyntaxNode *nodes;
    Arena *scratch;
    Scope *scope;
    uint32_t scope_count;
    Map symbols;            /* (scope, name) to symbol */
    LIST(Binding) bindings; /* by AstSymbol */
    int depth;
    Name name_true, name_false, name_none, name_star, name_range;
} Lowering;

/* Parts of a node: those kept, in order, comments left out. */
static inline SyntaxId syntax_first(const Lowering *l, SyntaxId node)
{
    return l->nodes[node].end > node + 1 ? node + 1 : 0;
}
static inline SyntaxId syntax_next(const Lowering *l, SyntaxId parent, SyntaxId child)
{
    SyntaxId next = l->nodes[child].end;
    return next < l->nodes[parent].end ? next : 0;
}
static inline SyntaxKind syntax_kind(const Lowering *l, SyntaxId node)
{
    return (SyntaxKind)l->nodes[node].kind;
}
#define FOR_EACH_PART(l, part, of)                                                                 \
    for (SyntaxId part = syntax_first((l), (of)); part != 0; part = syntax_next((l), (of), part))

/* The first part with this label, or 0; the first part that is no token, or 0. */
SyntaxId syntax_labelled(const Lowering *l, SyntaxId node, Label label);
SyntaxId syntax_operand(const Lowering *l, SyntaxId node);
AstOp syntax_op(SyntaxKind token);
Name syntax_name(Lowering *l, SyntaxId node); /* its text, interned */

/* ---- lower_stmt.c, lower_expr.c, lower_loop.c ---- */

void lower_module(Lowering *l, SyntaxId root);
void lower_statement(Lowering *l, SyntaxId node);
void python_lower_body(Lowering *l, SyntaxId block); /* always one BLOCK (or NONE for 0) */
void python_lower_function(Lowering *l, SyntaxId node, SyntaxId decorated);
void lower_lambda(Lowering *l, SyntaxId node);
void python_lower_expression(Lowering *l, SyntaxId node); /* always one node; NONE for 0 */
void lower_parts(Lowering *l, SyntaxId node);  /* every part that is no token, as expressions */
void lower_target(Lowering *l, SyntaxId node); /* of an assignment or a loop */
void python_lower_for(Lowering *l, SyntaxId node);
void lower_while(Lowering *l, SyntaxId node);
void lower_comprehension(Lowering *l, SyntaxId node);

/* Opens a node over the same text. */
AstNode python_lower_open(Lowering *l, AstKind kind, SyntaxId node);
AstNode python_lower_leaf(Lowering *l, AstKind kind, SyntaxId node);

/* Levels of expressions and statements that are followed; what lies deeper becomes an OTHER without
 * parts. */
enum { DEEPEST = 400 };

/* ---- scope.c ---- */

void scope_enter(Lowering *l, Scope *scope, ScopeKind kind, AstFunction function,
                 const char *prefix);
void scope_leave(Lowering *l);

/* Makes symbols for all names that the slice [from, to) binds in the current scope. */
void scope_collect(Lowering *l, SyntaxId from, SyntaxId to);
void scope_collect_targets(Lowering *l, SyntaxId target); /* of a comprehension */
AstSymbol scope_bind_param(Lowering *l, SyntaxId identifier, uint32_t index, uint16_t flags);

/* The symbol a name means here, or 0; 'own' looks in the current scope only. */
AstSymbol python_scope_find(const Lowering *l, Name name);
AstSymbol scope_own(const Lowering *l, Name name);
Binding *scope_binding(Lowering *l, AstSymbol symbol);

/* Binds an imported name; `qualified` is what it stands for. */
void scope_bind_import(Lowering *l, Name name, Name qualified, bool conditional);

/* ---- imports.c ---- */

/* Sets unit->module and unit->root from the path and the __init__.py files around it. */
void imports_place(Unit *unit, const FrontendOptions *options);
void imports_bind(Lowering *l, SyntaxId statement,
                  bool conditional); /* names of an import statement into the scope */

/* Lowers an import statement to OTHER "import" with a qualified NAME for each thing imported, and
 * exports them. */
void imports_lower(Lowering *l, SyntaxId statement);

/* The full dotted name that an identifier or a chain of attributes stands for, if its head is
 * imported; else 0. */
Name imports_qualified(Lowering *l, SyntaxId node);

/* A module-level assignment of the node `value` (0 unknown) to `target`. */
void imports_export_value(Lowering *l, AstNode target, AstNode value);
void imports_export_node(Lowering *l, Name name, AstNode node);
void imports_prefer(Lowering *l); /* once, at the end of the module */

/* ---- numba.c ---- */

void numba_link(struct Program *program);

#endif
