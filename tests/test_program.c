/* Several files in; which function a call calls, and what a name stands for, out. */
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* The qualified name of what the call written `call` in function `caller` calls, "" if that is not
 * known. */
static const char *callee(const Lint *lint, const char *caller, const char *call)
{
    FunctionId function = lint_function(lint, caller);
    const Unit *unit = program_function_unit(lint->program, function);
    FunctionId found = program_callee(lint->program, unit, lint_node(lint, function, call));
    return found == 0 ? ""
                      : intern_text(lint->program->names,
                                    program_function_data(lint->program, found)->qualified);
}

static void calls(Lint lint, const char *caller, const char *call, const char *expected)
{
    assert_string_equal(callee(&lint, caller, call), expected);
    lint_free(&lint);
}

/* In which file the callee of a call in `f` stands. */
static void calls_in_file(Lint lint, const char *call, const char *path)
{
    FunctionId function = lint_function(&lint, "f");
    const Unit *unit = program_function_unit(lint.program, function);
    FunctionId found = program_callee(lint.program, unit, lint_node(&lint, function, call));
    assert_string_equal(program_function_unit(lint.program, found)->files.items[0]->path, path);
    lint_free(&lint);
}

/* What the expression written `text` in `function` is called in full. */
static void stands_for(Lint lint, const char *function, const char *text, const char *expected)
{
    FunctionId id = lint_function(&lint, function);
    const Unit *unit = program_function_unit(lint.program, id);
    Name name = program_qualified(lint.program, unit, lint_node(&lint, id, text));
    assert_string_equal(intern_text(lint.program->names, name), expected);
    lint_free(&lint);
}

/* ---- modules ---- */

static const LintFile helper = {"pkg/helpers.py", "def gap(a, b):\n    return a - b\n"};
static const LintFile package = {"pkg/__init__.py", ""};

static void a_function_is_found_through_every_form_of_import(void **state)
{
    (void)state;
    static const struct {
        const char *text, *call;
    } forms[] = {
        {"from pkg.helpers import gap\ndef f(a):\n    return gap(a, 1)\n", "gap(a, 1)"},
        {"from .helpers import gap\ndef f(a):\n    return gap(a, 1)\n", "gap(a, 1)"},
        {"from .helpers import gap as g\ndef f(a):\n    return g(a, 1)\n", "g(a, 1)"},
        {"from . import helpers\ndef f(a):\n    return helpers.gap(a, 1)\n", "helpers.gap(a, 1)"},
        {"import pkg.helpers\ndef f(a):\n    return pkg.helpers.gap(a, 1)\n",
         "pkg.helpers.gap(a, 1)"},
        {"import pkg.helpers as h\ndef f(a):\n    return h.gap(a, 1)\n", "h.gap(a, 1)"},
        {"from .helpers import *\ndef f(a):\n    return gap(a, 1)\n", "gap(a, 1)"},
        {"def f(a):\n    from pkg.helpers import gap\n    return gap(a, 1)\n", "gap(a, 1)"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        Lint lint = LINT_FILES(package, helper, {"pkg/kernel.py", forms[i].text});
        if (strcmp(callee(&lint, "f", forms[i].call), "pkg.helpers.gap") != 0)
            fail_msg("not found by\n%s", forms[i].text);
        lint_free(&lint);
    }
}

static void a_re_export_is_followed_to_the_definition(void **state)
{
    (void)state;
    calls(LINT_FILES({"pkg/__init__.py", "from pkg.helpers import gap\n"}, helper,
                     {"main.py", "import pkg\nfrom pkg import gap\n"
                                 "def f(a):\n    return gap(a, 1)\n"}),
          "f", "gap(a, 1)", "pkg.helpers.gap");
    calls(LINT_FILES({"pkg/__init__.py", "from .helpers import gap as distance\n"}, helper,
                     {"main.py", "import pkg\ndef f(a):\n    return pkg.distance(a, 1)\n"}),
          "f", "pkg.distance(a, 1)", "pkg.helpers.gap");
}

static void a_star_import_of_a_star_import_is_followed(void **state)
{
    (void)state;
    calls(LINT_FILES({"pkg/__init__.py", "from .more import *\n"}, helper,
                     {"pkg/more.py", "from .helpers import *\n"},
                     {"main.py", "from pkg import gap\ndef f(a):\n    return gap(a, 1)\n"}),
          "f", "gap(a, 1)", "pkg.helpers.gap");
}

static void imports_in_a_circle_end(void **state)
{
    (void)state;
    calls(LINT_FILES({"a.py", "from b import gap\n"},
                     {"b.py", "from a import gap\ndef f(x):\n    return gap(x)\n"}),
          "f", "gap(x)", "");
    calls(LINT_FILES({"a.py", "from b import *\nfrom a import *\n"},
                     {"b.py", "from a import *\ndef f(x):\n    return gap(x)\n"}),
          "f", "gap(x)", "");
}

static void a_module_of_another_root_is_not_meant_by_a_bare_name(void **state)
{
    (void)state;
    calls(LINT_FILES({"one/helpers.py", "def gap(a):\n    return a\n"},
                     {"two/kernel.py", "from helpers import gap\ndef f(a):\n    return gap(a)\n"}),
          "f", "gap(a)", "");
}

static void of_two_modules_of_one_name_the_nearer_is_meant(void **state)
{
    (void)state;
    calls_in_file(LINT_FILES({"one/helpers.py", "def gap(a):\n    return a\n"},
                             {"two/helpers.py", "def gap(a):\n    return -a\n"},
                             {"two/kernel.py", "from helpers import gap\n"
                                               "def f(a):\n    return gap(a)\n"}),
                  "gap(a)", "two/helpers.py");
}

static void of_two_programs_that_define_one_name_the_nearer_is_meant(void **state)
{
    (void)state;
    calls_in_file(
        LINT_FILES({"scripts/k.c", "void fail(char *s) { (void)s; }\n"},
                   {"src/a.c", "void fail(char *, int);\nvoid f(void) { fail(0, 1); }\n"},
                   {"src/utils.c", "void fail(char *s, int line) { (void)s, (void)line; }\n"}),
        "fail(0, 1)", "src/utils.c");
}

static void a_library_function_is_no_function_of_the_program_but_has_a_name(void **state)
{
    (void)state;
    static const char text[] = "import numpy as np\nfrom numba import prange as pr\n"
                               "def f(n):\n    loop = pr\n    return np.zeros(n)\n";
    calls(LINT_FILES({"m.py", text}), "f", "np.zeros(n)", "");
    stands_for(LINT_FILES({"m.py", text}), "f", "np.zeros", "numpy.zeros");
    stands_for(LINT_FILES({"m.py", text}), "f", "pr", "numba.prange");
}

static void a_name_re_exported_from_a_library_keeps_its_full_name(void **state)
{
    (void)state;
    stands_for(LINT_FILES({"pkg/__init__.py", ""}, {"pkg/compat.py", "from numba import prange\n"},
                          {"pkg/m.py", "from .compat import prange\n"
                                       "def f(n):\n    loop = prange\n"}),
               "f", "prange", "numba.prange");
}

static void a_module_is_found_by_its_dotted_name(void **state)
{
    (void)state;
    Lint lint = LINT_FILES(package, helper, {"top.py", ""});
    assert_ptr_equal(program_module(lint.program, NULL, "pkg.helpers"),
                     lint_unit(&lint, "pkg/helpers.py"));
    assert_ptr_equal(program_module(lint.program, lint_unit(&lint, "top.py"), "pkg"),
                     lint_unit(&lint, "pkg/__init__.py"));
    assert_null(program_module(lint.program, NULL, "pkg.nowhere"));
    assert_null(program_module(lint.program, NULL, ""));
    lint_free(&lint);
}

/* ---- names that stand for functions ---- */

static void an_alias_made_by_a_compiler_call_is_the_function(void **state)
{
    (void)state;
    static const char *const aliases[] = {"fast = njit(gap)", "fast = njit(parallel=True)(gap)",
                                          "fast = gap", "fast = njit(gap, parallel=True)"};
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        Text text = {0};
        text_printf(&text, "def gap(a):\n    return a\n%s\ndef f(a):\n    return fast(a)\n",
                    aliases[i]);
        Lint lint = lint_python(text_string(&text));
        if (strcmp(callee(&lint, "f", "fast(a)"), "m.gap") != 0)
            fail_msg("not through %s", aliases[i]);
        lint_free(&lint);
        text_free(&text);
    }
}

static void an_alias_is_followed_into_another_module(void **state)
{
    (void)state;
    calls(LINT_FILES(package, helper,
                     {"pkg/fast.py", "from numba import njit\nfrom .helpers import gap\n"
                                     "fast_gap = njit(gap)\n"},
                     {"pkg/kernel.py", "from .fast import fast_gap\n"
                                       "def f(a):\n    return fast_gap(a, 1)\n"}),
          "f", "fast_gap(a, 1)", "pkg.helpers.gap");
}

static void a_nested_function_is_called_by_its_name(void **state)
{
    (void)state;
    calls(lint_python("def f(a):\n    def step(x):\n        return x + 1\n    return step(a)\n"),
          "f", "step(a)", "m.f.step");
}

static void a_method_is_found_through_self_and_its_class(void **state)
{
    (void)state;
    static const char text[] = "class Kernel:\n"
                               "    @staticmethod\n"
                               "    def gap(a):\n        return a\n"
                               "    def run(self, a):\n        return self.step(a)\n"
                               "    def step(self, a):\n        return Kernel.gap(a)\n";
    calls(lint_python(text), "run", "self.step(a)", "m.Kernel.step");
    calls(lint_python(text), "step", "Kernel.gap(a)", "m.Kernel.gap");
}

static void a_method_of_an_unknown_object_is_not_known(void **state)
{
    (void)state;
    static const char text[] = "class Kernel:\n"
                               "    def gap(self, a):\n        return a\n"
                               "def f(thing, kernel):\n    return kernel.gap(thing)\n";
    calls(lint_python(text), "f", "kernel.gap(thing)", "");
}

static void a_parameter_is_nobody_s_function(void **state)
{
    (void)state;
    calls(lint_python("def gap(a):\n    return a\ndef f(gap, a):\n    return gap(a)\n"), "f",
          "gap(a)", "");
    calls(lint_c("int gap(int a) { return a; }\n"
                 "int f(int (*gap)(int), int a) { return gap(a); }\n"),
          "f", "gap(a)", "");
}

/* ---- C
 * -----------------------------------------------------------------------------------------------
 */

static void a_c_function_is_found_in_another_file_by_its_linkage(void **state)
{
    (void)state;
    calls(LINT_FILES({"a.c", "double gap(double a);\n"
                             "double f(double a) { return gap(a); }\n"},
                     {"b.c", "double gap(double a) { return -a; }\n"}),
          "f", "gap(a)", "gap");
}

static void a_static_function_is_seen_in_its_own_file_only(void **state)
{
    (void)state;
    calls(LINT_FILES({"a.c", "double gap(double a);\n"
                             "double f(double a) { return gap(a); }\n"},
                     {"b.c", "static double gap(double a) { return -a; }\n"
                             "double use(double a) { return gap(a); }\n"}),
          "f", "gap(a)", "");
    Lint lint = LINT_FILES({"a.c", "static double gap(double a) { return a; }\n"
                                   "double f(double a) { return gap(a); }\n"},
                           {"b.c", "static double gap(double a) { return -a; }\n"
                                   "double g(double a) { return gap(a); }\n"});
    FunctionId f = lint_function(&lint, "f"), g = lint_function(&lint, "g");
    FunctionId from_f =
        program_callee(lint.program, lint_unit(&lint, "a.c"), lint_node(&lint, f, "gap(a)"));
    FunctionId from_g =
        program_callee(lint.program, lint_unit(&lint, "b.c"), lint_node(&lint, g, "gap(a)"));
    assert_ptr_equal(program_function_unit(lint.program, from_f), lint_unit(&lint, "a.c"));
    assert_ptr_equal(program_function_unit(lint.program, from_g), lint_unit(&lint, "b.c"));
    lint_free(&lint);
}

static void a_function_that_is_only_declared_is_not_known(void **state)
{
    (void)state;
    calls(lint_c("double gap(double a);\ndouble f(double a) { return gap(a); }\n"), "f", "gap(a)",
          "");
}

static void a_function_of_a_header_is_one_function_in_all_units(void **state)
{
    (void)state;
    Lint lint = LINT_FILES({"gap.h", "static inline double gap(double a) { return -a; }\n"},
                           {"a.c", "#include \"gap.h\"\ndouble f(double a) { return gap(a); }\n"},
                           {"b.c", "#include \"gap.h\"\ndouble g(double a) { return gap(a); }\n"});
    FunctionId f = lint_function(&lint, "f"), g = lint_function(&lint, "g");
    FunctionId from_f =
        program_callee(lint.program, lint_unit(&lint, "a.c"), lint_node(&lint, f, "gap(a)"));
    FunctionId from_g =
        program_callee(lint.program, lint_unit(&lint, "b.c"), lint_node(&lint, g, "gap(a)"));
    assert_int_not_equal(from_f, 0);
    assert_int_equal(from_f, from_g);
    uint32_t gaps = 0;
    for (FunctionId id = 1; id < lint.program->functions.count; id++)
        gaps +=
            strcmp(intern_text(lint.program->names, program_function_data(lint.program, id)->name),
                   "gap") == 0;
    assert_int_equal(gaps, 1);
    lint_free(&lint);
}

static void the_address_of_a_function_names_it(void **state)
{
    (void)state;
    Lint lint = lint_c("static void *work(void *p) { return p; }\n"
                       "void keep(void *(*)(void *));\n"
                       "void f(void) { keep(&work); keep((void *(*)(void *))work); }\n");
    FunctionId f = lint_function(&lint, "f"), work = lint_function(&lint, "work");
    const Unit *unit = lint_unit(&lint, "m.c");
    assert_int_equal(program_function_named(lint.program, unit, lint_node(&lint, f, "&work")),
                     work);
    assert_int_equal(
        program_function_named(lint.program, unit, lint_node(&lint, f, "(void *(*)(void *))work")),
        work);
    lint_free(&lint);
}

static void names_of_all_units_are_in_one_table(void **state)
{
    (void)state;
    Lint lint = LINT_FILES({"a.c", "void first(long shared_name) { (void)shared_name; }\n"},
                           {"b.c", "void second(long shared_name) { (void)shared_name; }\n"});
    Name name = intern_find(lint.program->names, "shared_name");
    assert_int_not_equal(name, 0);
    for (uint32_t i = 0; i < 2; i++) {
        const Ast *ast = lint.program->units[i]->ast;
        assert_ptr_equal(ast->names, lint.program->names);
        bool found = false;
        for (AstSymbol symbol = 1; symbol < ast->symbols.count; symbol++)
            found |= ast->symbols.items[symbol].name == name;
        assert_true(found);
    }
    lint_free(&lint);
}

static void functions_are_numbered_once_and_zero_is_none(void **state)
{
    (void)state;
    Lint lint = LINT_FILES({"a.c", "void first(void) {}\n"}, {"b.py", "def second():\n    pass\n"});
    assert_int_equal(lint.program->functions.count, 3);
    assert_int_equal(program_function(lint.program, lint.program->units[0], 0), 0);
    for (FunctionId id = 1; id < 3; id++) {
        FunctionRef ref = lint.program->functions.items[id];
        assert_int_equal(program_function(lint.program, ref.unit, ref.function), id);
    }
    lint_free(&lint);
}

static void a_program_of_no_files_has_no_functions(void **state)
{
    (void)state;
    Lint lint = lint_files(NULL, 0);
    assert_int_equal(lint.program->functions.count, 1);
    assert_int_equal(facts_event_count(lint.facts), 0);
    lint_free(&lint);
}

/* ---- what messages call a place ---- */

static void what_a_macro_writes_is_called_by_its_name(void **state)
{
    (void)state;
    static const char *const expected[] = {"total", "box.count", "to->next->count", "row[i]",
                                           "ADD(row[i + 1], 1)"};
    Lint lint = lint_c("struct s { struct s *next; long count; } box; long total, row[9];\n"
                       "#define ADD(WHAT, BY) ((WHAT) += (BY))\n"
                       "#define COUNT(P) (P)->count++\n"
                       "void f(struct s *to, int i) { ADD(total, 1); COUNT(&box);\n"
                       "    COUNT(to->next); ADD(row[i], 1); ADD(row[i + 1], 1); }\n");
    const Unit *unit = lint.program->units[0];
    size_t seen = 0;
    for (AstNode node = 1; node < unit->ast->nodes.count; node++)
        if (ast_kind(unit->ast, node) == AST_ASSIGN)
            assert_string_equal(unit_excerpt(unit, ast_first(unit->ast, node), lint.arena, 60),
                                expected[seen++]);
    assert_int_equal(seen, 5);
    lint_free(&lint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_found_through_every_form_of_import),
        cmocka_unit_test(a_re_export_is_followed_to_the_definition),
        cmocka_unit_test(a_star_import_of_a_star_import_is_followed),
        cmocka_unit_test(imports_in_a_circle_end),
        cmocka_unit_test(a_module_of_another_root_is_not_meant_by_a_bare_name),
        cmocka_unit_test(of_two_modules_of_one_name_the_nearer_is_meant),
        cmocka_unit_test(of_two_programs_that_define_one_name_the_nearer_is_meant),
        cmocka_unit_test(a_library_function_is_no_function_of_the_program_but_has_a_name),
        cmocka_unit_test(a_name_re_exported_from_a_library_keeps_its_full_name),
        cmocka_unit_test(a_module_is_found_by_its_dotted_name),
        cmocka_unit_test(an_alias_made_by_a_compiler_call_is_the_function),
        cmocka_unit_test(an_alias_is_followed_into_another_module),
        cmocka_unit_test(a_nested_function_is_called_by_its_name),
        cmocka_unit_test(a_method_is_found_through_self_and_its_class),
        cmocka_unit_test(a_method_of_an_unknown_object_is_not_known),
        cmocka_unit_test(a_parameter_is_nobody_s_function),
        cmocka_unit_test(a_c_function_is_found_in_another_file_by_its_linkage),
        cmocka_unit_test(a_static_function_is_seen_in_its_own_file_only),
        cmocka_unit_test(a_function_that_is_only_declared_is_not_known),
        cmocka_unit_test(a_function_of_a_header_is_one_function_in_all_units),
        cmocka_unit_test(the_address_of_a_function_names_it),
        cmocka_unit_test(names_of_all_units_are_in_one_table),
        cmocka_unit_test(functions_are_numbered_once_and_zero_is_none),
        cmocka_unit_test(a_program_of_no_files_has_no_functions),
        cmocka_unit_test(what_a_macro_writes_is_called_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
