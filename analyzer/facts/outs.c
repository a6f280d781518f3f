/* Arguments by which functions of the C library give back more than one value. */
#include "analyzer/facts/library.h"

#include <string.h>

static const struct {
    const char *name;
    uint8_t first, last; /* arguments from 1; last 0: to the end */
} outs[] = {
    {"frexp", 2, 2},       {"frexpf", 2, 2},   {"modf", 2, 2},      {"modff", 2, 2},
    {"remquo", 3, 3},      {"remquof", 3, 3},  {"sincos", 2, 3},    {"sincosf", 2, 3},
    {"lgamma_r", 2, 2},    {"strtod", 2, 2},   {"strtof", 2, 2},    {"strtold", 2, 2},
    {"strtol", 2, 2},      {"strtoul", 2, 2},  {"strtoll", 2, 2},   {"strtoull", 2, 2},
    {"sscanf", 3, 0},      {"sprintf", 1, 1},  {"snprintf", 1, 1},  {"vsprintf", 1, 1},
    {"vsnprintf", 1, 1},   {"strcpy", 1, 1},   {"strncpy", 1, 1},   {"memcpy", 1, 1},
    {"memmove", 1, 1},     {"strftime", 1, 1}, {"asctime_r", 2, 2}, {"ctime_r", 2, 2},
    {"localtime_r", 2, 2}, {"gmtime_r", 2, 2},
};

AstNode library_output(const Facts *facts, const Unit *unit, AstNode call, AstNode argument)
{
    const Ast *ast = unit->ast;
    AstNode callee = ast_first(ast, call);
    if (unit->language == LANGUAGE_PYTHON || callee == 0 || ast_kind(ast, callee) != AST_NAME ||
        facts_callee(facts, unit, call) != 0)
        return 0;
    uint32_t place = 0;
    for (AstNode at = callee; at != 0 && at != argument; at = ast_next(ast, at))
        place++;
    argument = ast_without_casts(ast, argument);
    AstNode given = ast_kind(ast, argument) == AST_ADDRESS ? ast_first(ast, argument) : argument;
    if (given == 0 || ast_kind(ast, given) != AST_NAME || ast_at(ast, given)->symbol == 0 ||
        (given == argument && ast_type_at(ast, given)->kind != TYPE_ARRAY))
        return 0;
    const char *name = intern_text(facts->program->names, ast_at(ast, callee)->name);
    for (size_t i = 0; i < sizeof outs / sizeof *outs; i++)
        if (strcmp(outs[i].name, name) == 0)
            return place >= outs[i].first && (outs[i].last == 0 || place <= outs[i].last) ? given
                                                                                          : 0;
    return 0;
}
