/* clang types to the tree's types, each once. */
#include "frontends/c/lower.h"

#include <string.h>

static uint32_t hash_pointer(const void *pointer)
{
    return (uint32_t)(((uintptr_t)pointer >> 4) * 0x9e3779b97f4a7c15u >> 32);
}

static TypeSlot *slot_of(Lower *l, const void *key)
{
    uint32_t at = hash_pointer(key) & (l->types.size - 1);
    while (l->types.slots[at].key != NULL && l->types.slots[at].key != key)
        at = (at + 1) & (l->types.size - 1);
    return &l->types.slots[at];
}

static void remember(Lower *l, const void *key, AstType type)
{
    if (l->types.count * 2 >= l->types.size) {
        TypeSlot *old = l->types.slots;
        uint32_t size = l->types.size;
        l->types.size = size == 0 ? 256 : size * 2;
        l->types.slots = arena_alloc(l->arena, l->types.size * sizeof *l->types.slots);
        for (uint32_t i = 0; i < size; i++)
            if (old[i].key != NULL)
                *slot_of(l, old[i].key) = old[i];
    }
    *slot_of(l, key) = (TypeSlot){key, type};
    l->types.count++;
}

static bool is_lock(const char *name)
{
    static const char *const names[] = {
        "omp_lock_t",       "omp_nest_lock_t", "pthread_mutex_t", "pthread_spinlock_t",
        "pthread_rwlock_t", "mtx_t",           "GMutex",          "GRWLock",
        "GRecMutex"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static int64_t known(long long value)
{
    return value > 0 ? value : 0;
}

static AstTypeKind kind_of(enum CXTypeKind kind)
{
    switch (kind) {
    case CXType_Void:
        return TYPE_VOID;
    case CXType_Bool:
        return TYPE_BOOL;
    case CXType_Half:
    case CXType_Float16:
    case CXType_BFloat16:
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
    case CXType_Float128:
        return TYPE_REAL;
    case CXType_Complex:
        return TYPE_COMPLEX;
    case CXType_Enum:
        return TYPE_ENUM;
    case CXType_Record:
        return TYPE_STRUCT;
    case CXType_Pointer:
    case CXType_LValueReference:
    case CXType_RValueReference:
    case CXType_BlockPointer:
        return TYPE_POINTER;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
    case CXType_DependentSizedArray:
    case CXType_Vector:
    case CXType_ExtVector:
        return TYPE_ARRAY;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        return TYPE_FUNCTION;
    default:
        break;
    }
    if (kind >= CXType_Char_U && kind <= CXType_Int128)
        return TYPE_INT;
    return kind == CXType_Invalid || kind == CXType_Dependent ? TYPE_UNKNOWN : TYPE_OTHER;
}

static bool is_unsigned(enum CXTypeKind kind)
{
    return kind == CXType_Bool || (kind >= CXType_Char_U && kind <= CXType_UInt128);
}

/* ---- structs ---- */

typedef struct FieldVisit {
    Lower *l;
    LIST(CXCursor) cursors;
} FieldVisit;

static enum CXVisitorResult collect_field(CXCursor cursor, CXClientData data)
{
    FieldVisit *visit = data;
    LIST_PUSH(visit->l->arena, &visit->cursors, cursor);
    return CXVisit_Continue;
}

typedef LIST(AstFieldData) Fields;

static enum CXChildVisitResult see_attribute(CXCursor cursor, CXCursor parent, CXClientData data)
{
    bool *any = data;
    (void)parent;
    *any |= clang_isAttribute(clang_getCursorKind(cursor)) != 0;
    return *any ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* Where a field lies that its type alone puts behind the one that ends at `end`, in bits; negative
 * where more than its type may decide. */
static long long place_behind_of(CXCursor field, long long end)
{
    bool attribute = false;
    CXType type = clang_getCursorType(field);
    enum CXTypeKind kind =
        clang_getCanonicalType(type).kind; /* a reference's size is its target's */
    long long unit = clang_Type_getAlignOf(type) * 8;
    clang_visitChildren(field, see_attribute, &attribute);
    if (unit <= 0 || end < 0 || attribute || kind == CXType_LValueReference ||
        kind == CXType_RValueReference)
        return -1;
    if (clang_Cursor_isBitField(field)) {
        int width = clang_getFieldDeclBitWidth(field);
        if (width <= 0 || width > unit || clang_Type_getSizeOf(type) * 8 != unit)
            return -1;
        if (end % unit + width <= unit)
            return end;
    }
    return (end + unit - 1) / unit * unit;
}

/* Whether the fields lie where their types alone put them. Packing moves all that follow forward,
 * and only bit-fields make room again: so libclang is asked about the last one of them, and of all.
 */
static bool lay_out(const FieldVisit *visit, bool in_union, long long *bits)
{
    uint32_t count = visit->cursors.count;
    long long end = 0;
    for (uint32_t i = 0; i < count; i++) {
        CXCursor field = visit->cursors.items[i];
        bool narrow = clang_Cursor_isBitField(field);
        bool last = i + 1 == count ||
                    (narrow && !clang_Cursor_isBitField(visit->cursors.items[i + 1]));
        bits[i] = place_behind_of(field, in_union ? 0 : end);
        if (bits[i] < 0 || ((i == 0 || last) && clang_Cursor_getOffsetOfField(field) != bits[i]))
            return false;
        long long bytes = clang_Type_getSizeOf(clang_getCursorType(field));
        end = narrow       ? bits[i] + clang_getFieldDeclBitWidth(field)
              : bytes >= 0 ? bits[i] + bytes * 8
                           : -1;
    }
    return true;
}

/* In bits. libclang looks through the whole record for each field that it is asked about (bsim4 of
 * ngspice has records of 1,000 fields: half of the run). */
static const long long *offsets_of(Lower *l, CXType record, const FieldVisit *visit)
{
    enum { FEW = 8 };
    uint32_t count = visit->cursors.count;
    long long *bits = arena_alloc(l->arena, (count + 1) * sizeof *bits);
    bool in_union = clang_getCursorKind(clang_getTypeDeclaration(record)) == CXCursor_UnionDecl;
    if (count > FEW && lay_out(visit, in_union, bits))
        return bits;
    for (uint32_t i = 0; i < count; i++)
        bits[i] = clang_Cursor_getOffsetOfField(visit->cursors.items[i]);
    return bits;
}

/* Fields of unnamed members stand beside the named ones, as the language reads them. */
static void add_fields(Lower *l, CXType record, int64_t base, Fields *out, int depth)
{
    FieldVisit visit = {.l = l};
    clang_Type_visitFields(record, collect_field, &visit);
    const long long *places = offsets_of(l, record, &visit);
    for (uint32_t i = 0; i < visit.cursors.count; i++) {
        CXCursor field = visit.cursors.items[i];
        CXType type = clang_getCursorType(field);
        long long bits = places[i];
        int64_t offset = bits >= 0 && base >= 0 ? base + bits / 8 : -1;
        if (clang_Cursor_isAnonymous(field) ||
            clang_Cursor_isAnonymousRecordDecl(clang_getTypeDeclaration(type))) {
            if (depth < 16)
                add_fields(l, clang_getCanonicalType(type), offset, out, depth + 1);
            continue;
        }
        AstFieldData data = {.name = lower_name(l, clang_getCursorSpelling(field)),
                             .offset = offset};
        data.type = type_of(l, type);
        LIST_PUSH(l->arena, out, data);
    }
}

static void fill_record(Lower *l, AstType id, CXType record)
{
    Fields fields = {0};
    add_fields(l, record, 0, &fields, 0);
    uint32_t first = l->ast->fields.count;
    for (uint32_t i = 0; i < fields.count; i++)
        LIST_PUSH(l->arena, &l->ast->fields, fields.items[i]);
    l->ast->types.items[id].first_field = first;
    l->ast->types.items[id].field_count = fields.count;
}

static AstType record_type(Lower *l, CXType type, AstTypeData data)
{
    CXCursor declaration = clang_getTypeDeclaration(type);
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    data.kind = kind == CXCursor_UnionDecl ? TYPE_UNION : TYPE_STRUCT;
    data.name = clang_Cursor_isAnonymous(declaration)
                    ? 0
                    : lower_name(l, clang_getCursorSpelling(declaration));
    LIST_PUSH(l->arena, &l->ast->types, data);
    AstType id = l->ast->types.count - 1;
    remember(l, type.data[0], id); /* before the fields: they may point back */
    fill_record(l, id, clang_getCanonicalType(type));
    return id;
}

/* ---- one type ---- */

static AstType lock_type(Lower *l, CXType type, AstTypeData data, const char *name)
{
    data.kind = TYPE_LOCK;
    data.name = intern(l->ast->names, name);
    data.size = known(clang_Type_getSizeOf(type));
    data.align = known(clang_Type_getAlignOf(type));
    return ast_type(l->ast, data);
}

/* Behind a name, attributes or _Atomic; keeps the qualifiers. *lock is set where a name on the way
 * is a lock's. */
static CXType resolve(Lower *l, CXType type, uint16_t *flags, const char **lock)
{
    for (int steps = 0; steps < 64; steps++) {
        if (clang_isConstQualifiedType(type))
            *flags |= TYPE_CONST;
        if (clang_isVolatileQualifiedType(type))
            *flags |= TYPE_VOLATILE;
        if (clang_isRestrictQualifiedType(type))
            *flags |= TYPE_RESTRICT;
        if (type.kind == CXType_Elaborated) {
            type = clang_Type_getNamedType(type);
        } else if (type.kind == CXType_Attributed) {
            type = clang_Type_getModifiedType(type);
        } else if (type.kind == CXType_Atomic) {
            *flags |= TYPE_ATOMIC;
            type = clang_Type_getValueType(type);
        } else if (type.kind == CXType_Typedef) {
            CXCursor declaration = clang_getTypeDeclaration(type);
            const char *name =
                intern_text(l->ast->names, lower_name(l, clang_getCursorSpelling(declaration)));
            if (is_lock(name))
                *lock = name;
            type = clang_getTypedefDeclUnderlyingType(declaration);
        } else if (type.kind == CXType_Unexposed || type.kind == CXType_Auto) {
            CXType canonical = clang_getCanonicalType(type);
            if (canonical.kind == type.kind)
                break;
            type = canonical;
        } else {
            break;
        }
    }
    return type;
}

static AstType make_type(Lower *l, CXType type)
{
    uint16_t flags = 0;
    const char *lock = NULL;
    CXType plain = resolve(l, type, &flags, &lock);
    if (is_unsigned(plain.kind))
        flags |= TYPE_UNSIGNED;
    AstTypeData data = {.flags = flags};
    if (lock != NULL)
        return lock_type(l, type, data, lock);
    data.kind = (uint8_t)kind_of(plain.kind);
    /* libclang crashes on the size of what is no type of the language (the callee of a __sync
     * builtin) */
    bool sized = plain.kind != CXType_IncompleteArray && data.kind != TYPE_FUNCTION &&
                 data.kind != TYPE_VOID && data.kind != TYPE_UNKNOWN && data.kind != TYPE_OTHER;
    data.size = sized ? known(clang_Type_getSizeOf(type)) : 0;
    data.align = sized ? known(clang_Type_getAlignOf(type)) : 0;
    if (plain.kind == CXType_Record)
        return record_type(l, type, data);
    if (data.kind == TYPE_POINTER)
        data.element = type_of(l, clang_getPointeeType(plain));
    if (data.kind == TYPE_ARRAY) {
        long long count = clang_getNumElements(plain);
        data.element = type_of(l, clang_getElementType(plain));
        data.count = plain.kind == CXType_ConstantArray || count > 0 ? count : -1;
        if (l->guessed && data.count >= GUESSED_LEAST)
            data.count = -1;
        if (data.count < 0 || l->ast->types.items[data.element].size == 0)
            data.size = 0;
    }
    return ast_type(l->ast, data);
}

AstType type_of(Lower *l, CXType type)
{
    if (type.kind == CXType_Invalid || type.data[0] == NULL)
        return 0;
    if (l->types.size > 0) {
        TypeSlot *slot = slot_of(l, type.data[0]);
        if (slot->key != NULL)
            return slot->type;
    }
    if (l->depth > DEPTH_MOST)
        return 0;
    l->depth++;
    AstType id = make_type(l, type);
    l->depth--;
    TypeSlot *slot = l->types.size > 0 ? slot_of(l, type.data[0]) : NULL;
    if (slot == NULL || slot->key == NULL)
        remember(l, type.data[0], id);
    return id;
}

AstType type_of_cursor(Lower *l, CXCursor cursor)
{
    return type_of(l, clang_getCursorType(cursor));
}
