/* What the errors of a parse tell: a header that is not found, a type or constant that nobody
 * declares. All of it is remembered for the next parse. */
#include "frontends/c/parse.h"
#include "frontends/c/paths.h"

#include <string.h>

enum { STUBS_MOST = 2000 };

/* ---- stubs ---- */

static const char *stub_text(Parse *p, const char *name)
{
    static const struct {
        const char *name, *type;
    } known[] = {{"bool", "_Bool"},
                 {"int8_t", "signed char"},
                 {"uint8_t", "unsigned char"},
                 {"int16_t", "short"},
                 {"uint16_t", "unsigned short"},
                 {"int32_t", "int"},
                 {"uint32_t", "unsigned"},
                 {"int64_t", "long"},
                 {"uint64_t", "unsigned long"},
                 {"size_t", "unsigned long"},
                 {"ssize_t", "long"},
                 {"ptrdiff_t", "long"},
                 {"uint", "unsigned"},
                 {"ulong", "unsigned long"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return arena_printf(p->arena, "typedef %s %s;\n", known[i].type, name);
    return arena_printf(p->arena, "typedef int %s;\n", name);
}

/* Unknown values are enumerators: an assignment to one stays an error and the function doubtful,
 * and they may stand as the size of an array (NPB without its generated header: 1152 errors with
 * `extern const int`). */
const char *repair_stubs(Parse *p)
{
    Text text = {0};
    for (uint32_t i = 0; i < p->stubs.count; i++) {
        const Stub *stub = &p->stubs.items[i];
        if (!stub->wrong)
            text_puts(&text, stub->value ? arena_printf(p->arena, "enum { %s = %u };\n", stub->name,
                                                        GUESSED_VALUE + i)
                                         : stub_text(p, stub->name));
    }
    const char *copy = arena_strdup(p->arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* ---- errors ---- */

/* The text between the first two quotes of a message, or NULL. */
static const char *quoted(Parse *p, const char *message)
{
    const char *open = strchr(message, '\''), *close = open != NULL ? strchr(open + 1, '\'') : NULL;
    return close != NULL && close > open + 1
               ? arena_strndup(p->arena, open + 1, (size_t)(close - open - 1))
               : NULL;
}

static void note_missing(Parse *p, const char *name)
{
    const char *folder = headers_folder_of(p->prepared->headers, p->arena, name, p->absolute);
    if (folder != NULL) {
        p->news |= !flags_hold(&p->found, folder);
        if (!flags_hold(&p->found, folder))
            LIST_PUSH(p->arena, &p->found, folder);
    } else {
        p->news |= parse_lacks(p, name);
    }
}

static Stub *stub_named(Parse *p, const char *name)
{
    for (uint32_t i = 0; i < p->stubs.count; i++)
        if (strcmp(p->stubs.items[i].name, name) == 0)
            return &p->stubs.items[i];
    return NULL;
}

static bool is_identifier(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (*c != '_' && !(*c >= '0' && *c <= '9') && !((*c | 32) >= 'a' && (*c | 32) <= 'z'))
            return false;
    return name[0] != '\0' && !(name[0] >= '0' && name[0] <= '9');
}

static void note_unknown(Parse *p, const char *name, bool value)
{
    Stub *stub = stub_named(p, name);
    bool header = strcmp(strrchr(p->path, '.') != NULL ? strrchr(p->path, '.') : "", ".h") == 0;
    if (!parse_is_cpp(p) && header &&
        (strcmp(name, "namespace") == 0 || strcmp(name, "class") == 0 ||
         strcmp(name, "template") == 0 || strcmp(name, "using") == 0)) {
        p->cpp_header = p->news = true;
        return;
    }
    if (stub != NULL) {
        if (stub->value && !value && !stub->wrong) {
            stub->value = false;
            p->news = true;
        }
        return;
    }
    if (!is_identifier(name) || p->stubs.count >= STUBS_MOST || parse_is_cpp(p))
        return;
    LIST_PUSH(p->arena, &p->stubs, (Stub){name, value, false});
    p->news = true;
}

/* What stands behind an undeclared word tells a type from a value: `T x`, `T *x` at a statement's
 * start, `(T)`, `(T *)`. */
static bool looks_like_type(const char *bytes, size_t size, size_t at, size_t length)
{
    size_t before = at, after = at + length;
    while (before > 0 && (bytes[before - 1] == ' ' || bytes[before - 1] == '\t'))
        before--;
    while (after < size && (bytes[after] == ' ' || bytes[after] == '\t'))
        after++;
    char left = before > 0 ? bytes[before - 1] : '\n', right = after < size ? bytes[after] : '\n';
    bool statement = left == '\n' || left == ';' || left == '{' || left == '}';
    bool star = right == '*';
    while (after < size && (bytes[after] == ' ' || bytes[after] == '*'))
        after++;
    char next = after < size ? bytes[after] : '\n';
    bool word = next == '_' || ((next | 32) >= 'a' && (next | 32) <= 'z');
    return (word && !star) || (star && (statement || next == ')')) ||
           (left == '(' && right == ')' && statement);
}

/* Called like a function, an undeclared word needs no help. */
static void note_undeclared(Parse *p, const char *name, CXFile file, unsigned offset,
                            CXTranslationUnit tu)
{
    size_t size = 0, length = strlen(name);
    const char *bytes = clang_getFileContents(tu, file, &size);
    if (bytes == NULL || offset + length > size)
        return;
    if (memcmp(bytes + offset, name, length) != 0) {
        note_unknown(p, name, true); /* INIT(list, HUGE): out of a macro; types seldom are */
        return;
    }
    size_t after = offset + length;
    while (after < size && bytes[after] == ' ')
        after++;
    if (after < size && bytes[after] != '(')
        note_unknown(p, name, !looks_like_type(bytes, size, offset, length));
}

static void note_clash(Parse *p, const char *name)
{
    Stub *stub = name != NULL ? stub_named(p, name) : NULL;
    if (stub != NULL && !stub->wrong)
        stub->wrong = p->news = true;
}

/* `typedef redefinition with different types` does not name the type: it stands where the message
 * points. */
static const char *word_at(Parse *p, CXTranslationUnit tu, CXFile file, unsigned offset)
{
    size_t size = 0, length = 0;
    const char *bytes = file != NULL ? clang_getFileContents(tu, file, &size) : NULL;
    while (bytes != NULL && offset + length < size &&
           (bytes[offset + length] == '_' ||
            (bytes[offset + length] >= '0' && bytes[offset + length] <= '9') ||
            ((bytes[offset + length] | 32) >= 'a' && (bytes[offset + length] | 32) <= 'z')))
        length++;
    return length > 0 ? arena_strndup(p->arena, bytes + offset, length) : NULL;
}

static void read_message(Parse *p, CXTranslationUnit tu, const char *message, CXFile file,
                         unsigned offset)
{
    const char *name = quoted(p, message);
    if (name == NULL)
        return;
    if (strstr(message, "' file not found") != NULL)
        note_missing(p, name);
    else if (strncmp(message, "unknown type name", 17) == 0)
        note_unknown(p, name, false);
    else if (strncmp(message, "use of undeclared identifier", 28) == 0 && file != NULL)
        note_undeclared(p, name, file, offset, tu);
    else if (strncmp(message, "redefinition of", 15) == 0)
        note_clash(p, name);
    else if (strncmp(message, "typedef redefinition", 20) == 0)
        note_clash(p, word_at(p, tu, file, offset));
}

/* In the body of a macro that an argument defines, as _Pragma is. */
static bool from_command_line(CXSourceLocation place)
{
    CXFile file = NULL, expanded = NULL;
    clang_getSpellingLocation(place, &file, NULL, NULL, NULL);
    clang_getExpansionLocation(place, &expanded, NULL, NULL, NULL);
    return file == NULL && expanded != NULL;
}

void repair_read(Parse *p, CXTranslationUnit tu)
{
    unsigned count = clang_getNumDiagnostics(tu);
    p->news = false;
    p->errors = p->first_line = 0;
    p->operator_errors = false;
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            CXFile file = NULL;
            unsigned line = 0, offset = 0;
            CXString message = clang_getDiagnosticSpelling(diagnostic);
            clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, &line, NULL,
                                       &offset);
            if (p->errors++ == 0) {
                p->first_line =
                    file != NULL && clang_File_isEqual(file, clang_getFile(tu, p->path)) ? line : 0;
                p->first_error = arena_strdup(p->arena, clang_getCString(message));
            }
            p->operator_errors |= from_command_line(clang_getDiagnosticLocation(diagnostic));
            read_message(p, tu, clang_getCString(message), file, offset);
            clang_disposeString(message);
        }
        clang_disposeDiagnostic(diagnostic);
    }
}
