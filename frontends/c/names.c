/* Declarations to symbols, and names to the symbols they mean at a place (for clauses, which clang
 * does not resolve). */
#include "frontends/c/lower.h"

#include <stdlib.h>
#include <string.h>

static CursorSlot *slot_of(Lower *l, CXCursor cursor)
{
    uint32_t at = clang_hashCursor(cursor) * 0x9e3779b1u & (l->symbols.size - 1);
    while (l->symbols.slots[at].symbol != 0 &&
           !clang_equalCursors(l->symbols.slots[at].cursor, cursor))
        at = (at + 1) & (l->symbols.size - 1);
    return &l->symbols.slots[at];
}

static void remember(Lower *l, CXCursor cursor, AstSymbol symbol)
{
    if (l->symbols.count * 2 >= l->symbols.size) {
        CursorSlot *old = l->symbols.slots;
        uint32_t size = l->symbols.size;
        l->symbols.size = size == 0 ? 256 : size * 2;
        l->symbols.slots = arena_alloc(l->arena, l->symbols.size * sizeof *l->symbols.slots);
        for (uint32_t i = 0; i < size; i++)
            if (old[i].symbol != 0)
                *slot_of(l, old[i].cursor) = old[i];
    }
    *slot_of(l, cursor) = (CursorSlot){cursor, symbol};
    l->symbols.count++;
}

static bool is_function(enum CXCursorKind kind)
{
    return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
           kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
           kind == CXCursor_ConversionFunction || kind == CXCursor_FunctionTemplate;
}

static AstSymbolKind kind_of(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (is_function(kind))
        return SYMBOL_FUNCTION;
    if (kind == CXCursor_ParmDecl)
        return SYMBOL_PARAM;
    if (kind == CXCursor_EnumConstantDecl)
        return SYMBOL_ENUM;
    if (kind != CXCursor_VarDecl)
        return SYMBOL_NONE;
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
    if (!is_function(clang_getCursorKind(clang_getCursorSemanticParent(cursor))) ||
        storage == CX_SC_Extern)
        return SYMBOL_GLOBAL;
    return storage == CX_SC_Static ? SYMBOL_STATIC : SYMBOL_LOCAL;
}

/* ---- alignment ---- */

/* From the text of the attribute: the largest number or known constant in its parentheses. */

typedef struct AlignVisit {
    Lower *l;
    uint32_t align;
} AlignVisit;

static uint32_t align_of_text(Lower *l, Span span)
{
    const Source *source = l->unit->files.items[span.file];
    int64_t value = 0, best = 0;
    uint32_t at = span.start, stop = at;
    while (at < source->size && source->bytes[at] != '(' && source->bytes[at] != ';')
        at++;
    for (stop = at;
         stop < source->size && source->bytes[stop] != ')' && source->bytes[stop] != ';';)
        stop++;
    OmpDirective *text = arena_alloc(l->arena, sizeof *text);
    omp_tokens(l->arena, text, source->bytes + at, stop - at, NULL, NULL);
    for (uint32_t i = 0; i + 1 < text->tokens.count; i++) {
        const OmpToken *token = &text->tokens.items[i];
        const AstSymbolData *symbol =
            &l->ast->symbols.items[scope_find(l, intern(l->ast->names, token->text))];
        const char *body = NULL;
        for (uint32_t f = 0; f < l->files.count && body == NULL && token->kind == OMP_WORD; f++)
            body = l->files.items[f].scan != NULL
                       ? scan_macro(l->files.items[f].scan, token->text, strlen(token->text))
                       : NULL;
        if (token->kind == OMP_NUMBER)
            value = strtoll(token->text, NULL, 0);
        else if (body != NULL)
            value = strtoll(body[0] == '(' ? body + 1 : body, NULL, 0);
        else if (token->kind == OMP_WORD && (symbol->flags & SYMBOL_KNOWN_VALUE) != 0)
            value = symbol->value;
        if (value > best && value <= 1 << 20)
            best = value;
    }
    return (best & (best - 1)) == 0 ? (uint32_t)best : 0;
}

static enum CXChildVisitResult visit_align(CXCursor cursor, CXCursor parent, CXClientData data)
{
    AlignVisit *visit = data;
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_AlignedAttr) {
        uint32_t align = align_of_text(visit->l, lower_span(visit->l, cursor));
        if (align > visit->align)
            visit->align = align;
    }
    return CXChildVisit_Continue;
}

static uint32_t align_of(Lower *l, CXCursor cursor)
{
    if (!clang_Cursor_hasAttrs(cursor))
        return 0;
    AlignVisit visit = {.l = l};
    clang_visitChildren(cursor, visit_align, &visit);
    return visit.align;
}

/* ---- symbols ---- */

static bool is_constant(CXType type)
{
    CXType canonical = clang_getCanonicalType(type);
    while (canonical.kind == CXType_ConstantArray)
        canonical = clang_getArrayElementType(canonical);
    return clang_isConstQualifiedType(canonical) != 0;
}

static uint16_t flags_of(CXCursor cursor, AstSymbolKind kind, CXType type)
{
    uint16_t flags = 0;
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
    if (clang_getCursorLinkage(cursor) == CXLinkage_Internal)
        flags |= SYMBOL_INTERNAL;
    if (clang_getCursorTLSKind(cursor) != CXTLS_None)
        flags |= SYMBOL_THREADPRIVATE;
    if (storage == CX_SC_Register)
        flags |= SYMBOL_REGISTER;
    if (clang_getCanonicalType(type).kind == CXType_Atomic)
        flags |= SYMBOL_ATOMIC;
    if (kind != SYMBOL_FUNCTION && is_constant(type))
        flags |= SYMBOL_CONST;
    if ((kind == SYMBOL_FUNCTION || kind == SYMBOL_GLOBAL) &&
        clang_Cursor_isNull(clang_getCursorDefinition(cursor)) &&
        (kind == SYMBOL_FUNCTION || storage == CX_SC_Extern))
        flags |= SYMBOL_EXTERN;
    return flags;
}

/* A declaration with a composed type (`extern int a[]; int a[8];`): the definition knows more. */
static CXType best_type(CXCursor cursor)
{
    CXCursor definition = clang_getCursorDefinition(cursor);
    return clang_getCursorType(clang_Cursor_isNull(definition) ? cursor : definition);
}

static void set_value(Lower *l, AstSymbolData *data, CXCursor cursor, AstSymbolKind kind,
                      CXType type)
{
    enum CXTypeKind canonical = clang_getCanonicalType(type).kind;
    bool integer = canonical == CXType_Enum || canonical == CXType_Bool ||
                   (canonical >= CXType_Char_U && canonical <= CXType_LongLong);
    if (kind == SYMBOL_ENUM) {
        data->value = clang_getEnumConstantDeclValue(cursor);
        bool guess = l->guessed && data->value >= GUESSED_LEAST;
        data->flags |= guess ? SYMBOL_CONST : SYMBOL_KNOWN_VALUE | SYMBOL_CONST;
    } else if (kind != SYMBOL_FUNCTION && kind != SYMBOL_PARAM &&
               (data->flags & SYMBOL_CONST) != 0 && integer &&
               constant_of(clang_getCursorDefinition(cursor), &data->value)) {
        data->flags |= SYMBOL_KNOWN_VALUE;
    }
}

/* An array parameter is a pointer, though clang gives the type as it is written. */
static AstType parameter_type(Lower *l, AstType type)
{
    const AstTypeData *data = &l->ast->types.items[type];
    if (data->kind != TYPE_ARRAY)
        return type;
    return ast_type(l->ast, (AstTypeData){.kind = TYPE_POINTER,
                                          .element = data->element,
                                          .size = sizeof(void *),
                                          .align = sizeof(void *)});
}

AstSymbol symbol_known(Lower *l, CXCursor declaration)
{
    return l->symbols.size > 0 ? slot_of(l, clang_getCanonicalCursor(declaration))->symbol : 0;
}

AstSymbol symbol_of(Lower *l, CXCursor declaration)
{
    AstSymbolKind kind = kind_of(declaration);
    if (kind == SYMBOL_NONE)
        return 0;
    CXCursor canonical = kind == SYMBOL_PARAM ? declaration : clang_getCanonicalCursor(declaration);
    if (l->symbols.size > 0 && slot_of(l, canonical)->symbol != 0)
        return slot_of(l, canonical)->symbol;
    Name name = lower_name(l, clang_getCursorSpelling(declaration));
    bool outside = kind == SYMBOL_GLOBAL || kind == SYMBOL_FUNCTION || kind == SYMBOL_ENUM;
    AstSymbol symbol = ast_symbol(l->ast, name, kind, outside ? 0 : l->function, 0);
    remember(l, canonical, symbol);
    CXType type = kind == SYMBOL_FUNCTION ? clang_getCursorType(declaration)
                                          : best_type(declaration);
    AstType tree_type = kind == SYMBOL_PARAM ? parameter_type(l, type_of(l, type))
                                             : type_of(l, type);
    uint32_t align = kind == SYMBOL_FUNCTION ? 0 : align_of(l, declaration);
    AstSymbolData *data = &l->ast->symbols.items[symbol];
    data->type = tree_type;
    data->align = align;
    data->flags = flags_of(canonical, kind, type);
    set_value(l, data, declaration, kind, type);
    return symbol;
}

void scope_add(Lower *l, AstSymbol symbol)
{
    if (symbol != 0)
        LIST_PUSH(l->arena, &l->scope, symbol);
}

AstSymbol scope_find(const Lower *l, Name name)
{
    for (uint32_t i = l->scope.count; i-- > 0 && name != 0;)
        if (l->ast->symbols.items[l->scope.items[i]].name == name)
            return l->scope.items[i];
    return 0;
}
