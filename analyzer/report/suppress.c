/* Comments that hide findings, and those that hide nothing. */
#include "analyzer/base/nearest.h"
#include "analyzer/report/comments.h"
#include "analyzer/report/report.h"

#include <string.h>

const Rule rule_unused_allow = {
    .id = "unused-allow",
    .summary = "a suppression comment that hides nothing",
    .help = "The comment names a rule that finds nothing here. It would hide the next finding "
            "unseen: remove it.",
    .severity = SEVERITY_WARNING,
    .status = RULE_ON,
};

/* One rule of one comment. */
typedef struct Allow {
    const Source *source;
    uint32_t start, stop; /* the rule's name in the comment */
    const char *id;       /* "*" stands for every rule */
    const Rule *rule;     /* NULL: there is none of that name */
    uint32_t line;        /* the line it covers; 0: the whole file */
    uint32_t from, to;    /* bytes of the function it covers; equal: none */
    const char *function;
    bool used;
} Allow;

typedef struct Suppress {
    RunReport *report;
    Arena *arena;
    LIST(Allow) allows;
    bool (*selected)(const Rule *rule, void *data);
    void *data;
} Suppress;

/* ---- what a comment covers ---- */

/* The first line below the comments that follow on a lone comment. */
static uint32_t line_below(const Source *source, const Comments *comments, uint32_t index)
{
    uint32_t line = source_position(source, comments->items[index].stop).line;
    while (++index < comments->count && comments->items[index].alone &&
           source_position(source, comments->items[index].start).line == line + 1)
        line = source_position(source, comments->items[index].stop).line;
    return line + 1;
}

static uint32_t first_line_of(const Unit *unit, AstNode function)
{
    uint32_t line = unit_start(unit, function).line;
    FOR_EACH_CHILD (unit->ast, child, function)
        if (ast_kind(unit->ast, child) == AST_DECORATOR && unit_start(unit, child).line < line)
            line = unit_start(unit, child).line;
    return line;
}

/* The last line of a function's head: where its body opens in C, the line before its body in
 * Python. */
static uint32_t last_head_line(const Unit *unit, AstNode function)
{
    AstNode body = ast_child(unit->ast, function, 0);
    uint32_t start = unit_start(unit, function).line;
    if (body == 0 || ast_kind(unit->ast, body) == AST_NONE || ast_at(unit->ast, body)->file != 0)
        return start;
    uint32_t line = unit_start(unit, body).line;
    if (unit->language == LANGUAGE_PYTHON)
        line--;
    return line > start ? line : start;
}

/* Sets the function whose head holds the line that is covered, if there is one; of nested ones, the
 * innermost. */
static void cover_function(Allow *allow, const Unit *unit)
{
    for (uint32_t i = 1; i < unit->ast->functions.count; i++) {
        const AstFunctionData *function = &unit->ast->functions.items[i];
        const AstNodeData *node = ast_at(unit->ast, function->node);
        if (function->node == 0 || node->file != 0 ||
            allow->line < first_line_of(unit, function->node) ||
            allow->line > last_head_line(unit, function->node))
            continue;
        allow->from = node->start;
        allow->to = node->stop;
        allow->function = intern_text(unit->ast->names, function->name);
    }
}

/* ---- reading a comment ---- */

static const Rule *rule_named(const RunReport *report, const char *id)
{
    for (unsigned i = 0; i < report->rule_count; i++)
        if (strcmp(report->rules[i]->id, id) == 0)
            return report->rules[i];
    return strcmp(id, rule_unused_allow.id) == 0 ? &rule_unused_allow : NULL;
}

typedef struct Directive {
    const char *word;   /* in front of the parenthesis */
    const char *prefix; /* of each rule's name */
    bool file, next_line, c_only;
} Directive;

static const Directive directives[] = {
    {"ponglint: allow-file(", "", true, false, false},
    {"ponglint: allow(", "", false, false, false},
    {"ponglint:allow-file(", "", true, false, false},
    {"ponglint:allow(", "", false, false, false},
    {"NOLINTNEXTLINE(", "ponglint-", false, true, true},
    {"NOLINT(", "ponglint-", false, false, true},
};

static bool is_separator(char c)
{
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The names between the parentheses at `at`; each becomes an allow like `sample`. */
static void read_names(Suppress *suppress, const Unit *unit, const Directive *directive,
                       Allow sample, uint32_t at, uint32_t stop)
{
    const char *bytes = sample.source->bytes;
    size_t prefix = strlen(directive->prefix);
    while (at < stop && bytes[at] != ')') {
        if (is_separator(bytes[at])) {
            at++;
            continue;
        }
        uint32_t start = at;
        while (at < stop && bytes[at] != ')' && !is_separator(bytes[at]))
            at++;
        if (at - start <= prefix || memcmp(bytes + start, directive->prefix, prefix) != 0)
            continue;
        Allow allow = sample;
        allow.start = start;
        allow.stop = at;
        allow.id = arena_strndup(suppress->arena, bytes + start + prefix, at - start - prefix);
        allow.rule = rule_named(suppress->report, allow.id);
        if (allow.line > 0 && !directive->next_line && !directive->c_only)
            cover_function(&allow, unit);
        LIST_PUSH(suppress->arena, &suppress->allows, allow);
    }
}

static const char *find_word(const char *from, const char *end, const char *word)
{
    return memmem(from, (size_t)(end - from), word, strlen(word));
}

static void read_comment(Suppress *suppress, const Unit *unit, const Comments *comments,
                         uint32_t index)
{
    const Source *source = unit->files.items[0];
    const Comment *comment = &comments->items[index];
    const char *end = source->bytes + comment->stop;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        const Directive *directive = &directives[i];
        const char *at = source->bytes + comment->start;
        if (directive->c_only && unit->language == LANGUAGE_PYTHON)
            continue;
        while ((at = find_word(at, end, directive->word)) != NULL) {
            uint32_t place = (uint32_t)(at - source->bytes),
                     line = source_position(source, place).line;
            Allow sample = {.source = source, .line = line};
            if (directive->file)
                sample.line = 0;
            else if (directive->next_line)
                sample.line = line + 1;
            else if (comment->alone && !directive->c_only)
                sample.line = line_below(source, comments, index);
            at += strlen(directive->word);
            read_names(suppress, unit, directive, sample, (uint32_t)(at - source->bytes),
                       comment->stop);
        }
    }
}

/* Most files hold no directive: they are not scanned for comments. */
static void read_unit(Suppress *suppress, const Unit *unit)
{
    const Source *source = unit->files.items[0];
    const char *end = source->bytes + source->size;
    if (find_word(source->bytes, end, "ponglint") == NULL)
        return;
    Comments comments = {0};
    comments_find(suppress->arena, source, unit->language, &comments);
    for (uint32_t i = 0; i < comments.count; i++)
        read_comment(suppress, unit, &comments, i);
}

/* ---- hiding ---- */

static bool covers(const Allow *allow, const Finding *finding, const Region *region)
{
    if ((allow->rule != finding->rule && strcmp(allow->id, "*") != 0) ||
        (allow->source != region->source && strcmp(allow->source->path, region->source->path) != 0))
        return false;
    if (allow->line == 0 || (region->start >= allow->from && region->start < allow->to))
        return true;
    return allow->line >= source_position(region->source, region->start).line &&
           allow->line <= source_position(region->source, region->stop).line;
}

/* A place that a finding of the same cause stands for, at another one: without that it would be a
 * finding, and hidden. */
static bool covers_joined(const Allow *allow, const Finding *finding)
{
    for (uint32_t i = 0; finding->cause.kind != CAUSE_OWN && i < finding->related.count; i++)
        if (covers(allow, finding, &finding->related.items[i].region))
            return true;
    return false;
}

static void hide(Suppress *suppress, uint32_t first)
{
    Findings *findings = &suppress->report->findings;
    for (uint32_t i = first; i < findings->count; i++)
        for (uint32_t j = 0; j < suppress->allows.count; j++)
            if (covers(&suppress->allows.items[j], &findings->items[i],
                       &findings->items[i].region)) {
                findings->items[i].suppressed = true;
                suppress->allows.items[j].used = true;
            } else if (covers_joined(&suppress->allows.items[j], &findings->items[i])) {
                suppress->allows.items[j].used = true;
            }
}

/* ---- what hides nothing ---- */

static const char *unused_message(Suppress *suppress, const Allow *allow)
{
    if (allow->rule != NULL)
        return arena_printf(suppress->arena, "allow(%s) hides nothing: remove it", allow->id);
    Nearest nearest = nearest_to(allow->id);
    for (unsigned i = 0; i < suppress->report->rule_count; i++)
        nearest_try(&nearest, suppress->report->rules[i]->id);
    if (nearest.best != NULL)
        return arena_printf(suppress->arena, "there is no rule '%s' to allow; did you mean '%s'?",
                            allow->id, nearest.best);
    return arena_printf(suppress->arena, "there is no rule '%s' to allow", allow->id);
}

static bool is_unused(const Suppress *suppress, const Allow *allow)
{
    if (allow->used || strcmp(allow->id, "*") == 0)
        return false;
    return allow->rule == NULL || suppress->selected == NULL ||
           suppress->selected(allow->rule, suppress->data);
}

static void report_unused(Suppress *suppress, bool about_itself)
{
    for (uint32_t i = 0; i < suppress->allows.count; i++) {
        const Allow *allow = &suppress->allows.items[i];
        if ((allow->rule == &rule_unused_allow) != about_itself || !is_unused(suppress, allow))
            continue;
        Finding finding = {
            .rule = &rule_unused_allow,
            .severity = SEVERITY_WARNING,
            .region = {allow->source, allow->start, allow->stop},
            .function = allow->function != NULL ? allow->function : "",
            .message = unused_message(suppress, allow),
        };
        LIST_PUSH(suppress->arena, &suppress->report->findings, finding);
    }
}

void suppress(RunReport *report, Arena *arena, Unit *const *units, uint32_t unit_count,
              bool (*selected)(const Rule *rule, void *data), void *data)
{
    Suppress all = {.report = report, .arena = arena, .selected = selected, .data = data};
    for (uint32_t i = 0; i < unit_count; i++)
        read_unit(&all, units[i]);
    hide(&all, 0);
    if (all.allows.count > 0 && (selected == NULL || selected(&rule_unused_allow, data))) {
        uint32_t first = report->findings.count;
        report_unused(&all, false);
        hide(&all, first);
        report_unused(&all, true);
    }
    findings_finish(&report->findings, arena);
}
