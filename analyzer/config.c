#include "analyzer/config.h"

#include "analyzer/base/nearest.h"
#include "analyzer/tree/source.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the reader ---- */

typedef struct Reader {
    Arena *arena;
    const char *path;
    const char *at, *end;
    uint32_t line;
    Text *error;
} Reader;

__attribute__((format(printf, 2, 3))) static bool fail(Reader *reader, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_printf(reader->error, "%s:%u: %s", reader->path, (unsigned)reader->line, message);
    return false;
}

static bool next_is(const Reader *reader, char c)
{
    return reader->at < reader->end && *reader->at == c;
}

static void step(Reader *reader)
{
    if (*reader->at++ == '\n')
        reader->line++;
}

/* Blanks; with `lines` also line ends and comments. */
static void skip_space(Reader *reader, bool lines)
{
    while (reader->at < reader->end) {
        char c = *reader->at;
        if (c == '#' && lines)
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
        else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && lines))
            step(reader);
        else
            break;
    }
}

static bool read_escape(Reader *reader, Text *text)
{
    static const char letters[] = "btnfr\"\\", meant[] = "\b\t\n\f\r\"\\";
    const char *found =
        reader->at < reader->end && *reader->at != '\0' ? strchr(letters, *reader->at) : NULL;
    if (found == NULL)
        return fail(reader,
                    "this escape in a text is not supported; write the character itself, or the "
                    "text in single quotes");
    text_putc(text, meant[found - letters]);
    reader->at++;
    return true;
}

/* "…" or '…' on one line. */
static bool read_text(Reader *reader, const char **value)
{
    char quote = *reader->at++;
    Text text = {0};
    bool good = true;
    while (good && reader->at < reader->end && *reader->at != quote && *reader->at != '\n') {
        char c = *reader->at++;
        if (c == '\\' && quote == '"')
            good = read_escape(reader, &text);
        else
            text_putc(&text, c);
    }
    if (good && !next_is(reader, quote))
        good = fail(reader, "the text has no closing %c on its line", quote);
    if (good) {
        reader->at++;
        *value = arena_strndup(reader->arena, text_string(&text), text.length);
    }
    text_free(&text);
    return good;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+' || c == '.';
}

/* A key, number or boolean as it is written; empty if none stands there. */
static const char *read_word(Reader *reader)
{
    const char *start = reader->at;
    while (reader->at < reader->end && is_word(*reader->at))
        reader->at++;
    return arena_strndup(reader->arena, start, (size_t)(reader->at - start));
}

static bool read_array(Reader *reader, ConfigEntry *entry)
{
    entry->is_array = true;
    reader->at++;
    for (;;) {
        const char *value;
        skip_space(reader, true);
        if (next_is(reader, ']')) {
            reader->at++;
            return true;
        }
        if (!next_is(reader, '"') && !next_is(reader, '\''))
            return fail(reader, "'%s' takes a list of texts in quotes, such as [\"a\", \"b\"]",
                        entry->key);
        if (!read_text(reader, &value))
            return false;
        LIST_PUSH(reader->arena, &entry->values, value);
        skip_space(reader, true);
        if (next_is(reader, ','))
            reader->at++;
        else if (!next_is(reader, ']'))
            return fail(reader, "the list of '%s' lacks a comma or its closing ]", entry->key);
    }
}

static bool read_value(Reader *reader, ConfigEntry *entry)
{
    const char *value = "";
    if (next_is(reader, '['))
        return read_array(reader, entry);
    if (next_is(reader, '"') || next_is(reader, '\'')) {
        if (!read_text(reader, &value))
            return false;
    } else {
        value = read_word(reader);
        if (*value == '\0')
            return fail(reader,
                        "'%s' needs a text in quotes, a number, true, false or a list of texts",
                        entry->key);
    }
    LIST_PUSH(reader->arena, &entry->values, value);
    return true;
}

static bool read_entry(Reader *reader, ConfigEntries *entries)
{
    ConfigEntry entry = {.line = reader->line};
    if (next_is(reader, '"') || next_is(reader, '\'')) {
        if (!read_text(reader, &entry.key))
            return false;
    } else {
        entry.key = read_word(reader);
    }
    skip_space(reader, false);
    if (*entry.key == '\0' || !next_is(reader, '='))
        return fail(reader, "expected 'key = value'");
    reader->at++;
    skip_space(reader, false);
    if (!read_value(reader, &entry))
        return false;
    skip_space(reader, false);
    if (reader->at < reader->end && *reader->at != '\n' && *reader->at != '#')
        return fail(reader, "there is more behind the value of '%s'; one entry a line", entry.key);
    for (uint32_t i = 0; i < entries->count; i++)
        if (strcmp(entries->items[i].key, entry.key) == 0)
            return fail(reader, "'%s' is given twice, first on line %u", entry.key,
                        (unsigned)entries->items[i].line);
    LIST_PUSH(reader->arena, entries, entry);
    return true;
}

static bool starts_with(const Reader *reader, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, word, length) == 0;
}

/* Over a text of any kind, of sections that are not ours. */
static void skip_text(Reader *reader)
{
    char quote = *reader->at;
    const char triple[4] = {quote, quote, quote, '\0'};
    bool lines = starts_with(reader, triple);
    reader->at += lines ? 3 : 1;
    while (reader->at < reader->end) {
        if (*reader->at == '\\' && quote == '"' && reader->at + 1 < reader->end) {
            step(reader);
        } else if (lines ? starts_with(reader, triple)
                         : *reader->at == quote || *reader->at == '\n') {
            reader->at += lines ? 3 : *reader->at == quote;
            return;
        }
        step(reader);
    }
}

/* Over an entry of a section that is not ours: to the end of its line, brackets closed. */
static void skip_entry(Reader *reader)
{
    int depth = 0;
    while (reader->at < reader->end && (depth > 0 || *reader->at != '\n')) {
        char c = *reader->at;
        if (c == '"' || c == '\'') {
            skip_text(reader);
            continue;
        }
        if (c == '#') {
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
            continue;
        }
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        step(reader);
    }
}

/* The name between the brackets, blanks and quotes dropped; the reader stands behind the line. */
static const char *read_header(Reader *reader, bool *is_list)
{
    Text name = {0};
    reader->at++;
    *is_list = next_is(reader, '[');
    for (; reader->at < reader->end && *reader->at != '\n' && *reader->at != ']'; reader->at++)
        if (strchr(" \t\"'[", *reader->at) == NULL)
            text_putc(&name, *reader->at);
    while (reader->at < reader->end && *reader->at != '\n')
        reader->at++;
    const char *kept = arena_strdup(reader->arena, text_string(&name));
    text_free(&name);
    return kept;
}

bool config_read(Arena *arena, const char *path, const char *bytes, size_t size,
                 const char *section, ConfigEntries *entries, bool *found, Text *error)
{
    Reader reader = {arena, path, bytes, bytes + size, 1, error};
    bool inside = *section == '\0';
    size_t length = strlen(section);
    *found = inside;
    if (starts_with(&reader, "\xEF\xBB\xBF"))
        reader.at += 3;
    for (;;) {
        skip_space(&reader, true);
        if (reader.at >= reader.end)
            return true;
        if (next_is(&reader, '[')) {
            bool is_list;
            const char *name = read_header(&reader, &is_list);
            inside = !is_list && strcmp(name, section) == 0;
            *found = *found || inside;
            if (!inside &&
                (length == 0 || (strncmp(name, section, length) == 0 && name[length] == '.')))
                return fail(&reader, "there is no section [%s]; %s", name,
                            length == 0 ? "the keys of ponglint.toml stand at its top"
                                        : "the keys stand in [tool.ponglint]");
        } else if (!inside) {
            skip_entry(&reader);
        } else if (!read_entry(&reader, entries)) {
            return false;
        }
    }
}

/* ---- applying it ---- */

typedef struct KeyLine {
    const char *key;
    const char *option; /* as options_set knows it */
    bool is_list;
} KeyLine;

static const KeyLine key_lines[] = {
    {"select", "select", true},
    {"ignore", "ignore", true},
    {"exclude", "exclude", true},
    {"assume", "assume", true},
    {"extra-args", "extra-arg", true},
    {"output", "output", true},
    {"severity", "severity", false},
    {"fail-on", "fail-on", false},
    {"min-slowdown", "min-slowdown", false},
    {"threads", "threads", false},
    {"machine", "machine", false},
    {"measure", "measure", false},
    {"measure-budget", "measure-budget", false},
    {"file-limit", "file-limit", false},
    {"baseline", "baseline", false},
};
enum { KEY_COUNT = sizeof key_lines / sizeof *key_lines };

static const KeyLine *find_key(const char *key, Text *error)
{
    Nearest nearest = nearest_to(key);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (strcmp(key_lines[i].key, key) == 0)
            return &key_lines[i];
        nearest_try(&nearest, key_lines[i].key);
    }
    text_printf(error, "there is no key '%s'", key);
    if (nearest.best != NULL)
        text_printf(error, "; did you mean '%s'?", nearest.best);
    return NULL;
}

/* A list of rules as the command line writes it. */
static const char *joined(Arena *arena, const Words *words)
{
    Text text = {0};
    for (uint32_t i = 0; i < words->count; i++)
        text_printf(&text, "%s%s", i > 0 ? "," : "", words->items[i]);
    const char *kept = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return kept;
}

/* Paths in the file are relative to its folder. */
static const char *beside(Arena *arena, const char *folder, const char *path)
{
    return path[0] == '/' || *folder == '\0' ? path : arena_printf(arena, "%s%s", folder, path);
}

static bool apply_values(Options *options, Arena *arena, const char *folder, const KeyLine *line,
                         const ConfigEntry *entry, Text *error)
{
    for (uint32_t i = 0; i < entry->values.count; i++) {
        const char *value = entry->values.items[i];
        if (strcmp(line->key, "exclude") == 0) {
            LIST_PUSH(arena, &options->excluded, value);
            continue;
        }
        if ((strcmp(line->key, "machine") == 0 && strcmp(value, "generic") != 0) ||
            strcmp(line->key, "baseline") == 0)
            value = beside(arena, folder, value);
        if (!options_set(options, arena, line->option, value, error))
            return false;
    }
    return true;
}

static bool apply_entry(Options *options, Arena *arena, const char *folder,
                        const ConfigEntry *entry, Text *error)
{
    const KeyLine *line = find_key(entry->key, error);
    if (line == NULL)
        return false;
    if (line->is_list != entry->is_array) {
        text_printf(error, "'%s' takes %s", line->key,
                    line->is_list ? "a list of texts, such as [\"a\"]" : "one value, not a list");
        return false;
    }
    if (strcmp(line->key, "select") == 0)
        return options_select(options, joined(arena, &entry->values), error);
    if (strcmp(line->key, "ignore") == 0)
        return options_ignore(options, joined(arena, &entry->values), error);
    return apply_values(options, arena, folder, line, entry, error);
}

/* `select` first: it starts from nothing, wherever it stands in the file. */
static bool apply_entries(Options *options, Arena *arena, const char *path, const char *folder,
                          const ConfigEntries *entries, Text *error)
{
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < entries->count; i++) {
            const ConfigEntry *entry = &entries->items[i];
            Text why = {0};
            bool first = strcmp(entry->key, "select") == 0;
            bool good = first != (round == 0) || apply_entry(options, arena, folder, entry, &why);
            if (!good)
                text_printf(error, "%s:%u: %s", path, (unsigned)entry->line, text_string(&why));
            text_free(&why);
            if (!good)
                return false;
        }
    options->exclude_root = folder;
    return true;
}

/* Reads one candidate. 1: applied, 0: not there or without our section, -1: an error. */
static int try_file(Options *options, Arena *arena, const char *folder, const char *name,
                    const char *section, Text *error)
{
    const char *path = arena_printf(arena, "%s%s", folder, name), *why;
    if (access(path, F_OK) != 0)
        return 0;
    Source *source = source_read(arena, path, &why);
    if (source == NULL) {
        text_printf(error, "%s: configuration %s; --isolated does without it", path, why);
        return -1;
    }
    ConfigEntries entries = {0};
    bool found;
    if (!config_read(arena, path, source->bytes, source->size, section, &entries, &found, error))
        return -1;
    if (!found)
        return 0;
    return apply_entries(options, arena, path, folder, &entries, error) ? 1 : -1;
}

/* The real path of the folder `start` is or lies in; NULL where there is none. The caller frees it.
 */
static char *real_folder(Arena *arena, const char *start)
{
    struct stat about;
    if (stat(start, &about) == 0 && S_ISDIR(about.st_mode))
        return realpath(start, NULL);
    const char *slash = strrchr(start, '/');
    return realpath(slash == NULL ? "." : arena_strndup(arena, start, (size_t)(slash - start) + 1),
                    NULL);
}

/* The folder of a path, absolute, with a slash behind it; "" if there is none. */
static const char *first_folder(Arena *arena, const char *start)
{
    char *real = real_folder(arena, start);
    if (real == NULL)
        real = realpath(".", NULL);
    if (real == NULL)
        return "";
    const char *folder = arena_printf(arena, strcmp(real, "/") == 0 ? "%s" : "%s/", real);
    free(real);
    return folder;
}

bool config_apply(Options *options, Arena *arena, const char *start, Text *error)
{
    char *folder = arena_strdup(arena, first_folder(arena, start));
    while (*folder != '\0') {
        int state = try_file(options, arena, folder, "ponglint.toml", "", error);
        if (state == 0)
            state = try_file(options, arena, folder, "pyproject.toml", "tool.ponglint", error);
        if (state != 0)
            return state > 0;
        size_t length = strlen(folder);
        folder = arena_strndup(arena, folder, length - 1);
        char *slash = strrchr(folder, '/');
        if (slash == NULL)
            break;
        slash[1] = '\0';
    }
    return true;
}
