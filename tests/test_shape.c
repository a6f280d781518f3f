/* Python in, dimensions and containers of variables out. */
#include "analyzer/facts/model.h"
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* "array 2", "list", "typed-list 3", "scalar", "array >=1", "?" */
static const char *shape_text(const Lint *lint, const char *function, const char *expression)
{
    FunctionId id = lint_function(lint, function);
    Shape shape = shape_of(lint->facts, id, lint_node(lint, id, expression));
    bool likely;
    static const char *const containers[] = {"any", "array", "typed-list", "list", "dict", "tuple"};
    Container container = shape_container(shape, &likely);
    if (container == CONTAINER_ANY && (shape.kinds & SHAPE_SCALAR) != 0)
        return "scalar";
    if (shape.rank > 0)
        return arena_printf(lint->arena, "%s %d", containers[container], shape.rank);
    return arena_printf(lint->arena, "%s%s >=%d", likely ? "likely " : "", containers[container],
                        shape.depth);
}

static void shape_is(Lint lint, const char *expression, const char *expected)
{
    const char *found = shape_text(&lint, "f", expression);
    if (strcmp(found, expected) != 0)
        fail_msg("%s is '%s', not '%s'", expression, found, expected);
    lint_free(&lint);
}

static void in_body(const char *body, const char *expression, const char *expected)
{
    Text text = {0};
    text_printf(&text, "@njit\ndef f(x, y, n):\n%s\n", body);
    shape_is(lint_python(text_string(&text)), expression, expected);
    text_free(&text);
}

static void constructors_tell_the_rank(void **state)
{
    (void)state;
    in_body("    a = np.zeros(3)\n    return a", "a", "array 1");
    in_body("    a = np.zeros((3, n))\n    return a", "a", "array 2");
    in_body("    a = np.zeros((3, n, 4))\n    b = a\n    return b", "b", "array 3");
    in_body("    a = np.array([1.0, 2.0])\n    return a", "a", "array 1");
    in_body("    a = np.array([[1.0, 2.0], [3.0, 4.0]])\n    return a", "a", "array 2");
    in_body("    a = np.empty((3, 3))\n    b = np.zeros_like(a)\n    return b", "b", "array 2");
    in_body("    a = np.empty((3, 3))\n    b = np.zeros(a.shape)\n    return b", "b", "array 2");
    in_body("    a = np.empty((3, 3))\n    b = a.copy()\n    return b", "b", "array 2");
}

static void indexing_takes_dimensions_away(void **state)
{
    (void)state;
    static const char made[] = "    a = np.zeros((3, 4, 5))\n    return ";
    static const struct {
        const char *text, *expected;
    } cases[] = {{"a[0]", "array 2"},
                 {"a[0, 1]", "array 1"},
                 {"a[0, 1, 2]", "scalar"},
                 {"a[0][1][2]", "scalar"},
                 {"a.T", "array 3"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        text_printf(&text, "%s%s", made, cases[i].text);
        in_body(text_string(&text), cases[i].text, cases[i].expected);
        text_free(&text);
    }
}

static void use_tells_the_least_depth(void **state)
{
    (void)state;
    in_body("    return x[0]", "x", "any >=1");
    in_body("    return x[0, 1]", "x", "array >=2");
    in_body("    return x[0][1]", "x", "any >=2");
    in_body("    return x.shape[1]", "x", "array >=2");
    in_body("    return x[:, n]", "x", "array >=2");
    in_body("    return np.sum(x[0])", "x", "any >=2");
    in_body("    rows, cols = x.shape\n    return rows", "x", "array >=2");
    in_body("    return x", "x", "any >=0");
}

static void arithmetic_of_arrays_is_an_array_and_of_scalars_a_scalar(void **state)
{
    (void)state;
    in_body("    a = np.zeros(3)\n    b = a * 2\n    return b", "b", "array 1");
    in_body("    a = np.zeros(3)\n    b = a[0] * 2\n    return b", "b", "scalar");
    in_body("    a = np.zeros((3, 3))\n    b = np.sqrt(a)\n    return b", "b", "array 2");
    in_body("    a = np.zeros(3)\n    b = np.sum(a)\n    return b", "b", "scalar");
    in_body("    for k in range(n):\n        y[k] = k", "k", "scalar");
}

static void lists_are_told_apart(void **state)
{
    (void)state;
    in_body("    a = [1.0, 2.0]\n    return a", "a", "list >=1");
    in_body("    a = List()\n    return a", "a", "typed-list >=1");
    in_body("    a = List()\n    a.append(np.zeros((3, 3)))\n    return a", "a", "typed-list >=3");
    in_body("    a = (1, 2)\n    return a", "a", "tuple >=1");
}

static void what_an_element_is_indexed_with_says_what_it_is(void **state)
{
    (void)state;
    /* miss: three indices at once are an array's, but only the depth is kept of elements */
    in_body("    return x[0][1, 2, 3]", "x[0]", "likely typed-list >=3");
}

static void annotations_and_signatures_are_believed(void **state)
{
    (void)state;
    shape_is(lint_python("@njit\ndef f(x: np.ndarray):\n    return x\n"), "x", "array >=1");
    shape_is(lint_python("@njit\ndef f(x: float):\n    return x\n"), "x", "scalar");
    shape_is(lint_python("@njit('f8(f8[:,:])')\ndef f(x):\n    return x[0, 0]\n"), "x", "array 2");
}

static void what_all_calls_pass_is_known_inside(void **state)
{
    (void)state;
    shape_is(lint_python("@njit\ndef f(x):\n    return x[0]\n"
                         "def run():\n    return f(np.zeros((3, 4)))\n"),
             "x", "array 2");
    shape_is(lint_python("@njit\ndef f(x):\n    return x[0]\n"
                         "def run():\n    return f(x=np.zeros((3, 4)))\n"),
             "x", "array 2");
    shape_is(LINT_FILES({"a.py", "from numba import njit\n@njit\ndef f(x):\n    return x[0]\n"},
                        {"b.py", "import numpy as np\nfrom a import f\n"
                                 "def run():\n    return f(np.zeros((3, 4)))\n"}),
             "x", "array 2");
}

static void what_calls_do_not_agree_on_is_not(void **state)
{
    (void)state;
    shape_is(lint_python("@njit\ndef f(x):\n    return x[0]\n"
                         "def run():\n    return f(np.zeros((3, 4))), f(np.zeros(3))\n"),
             "x", "array >=1");
}

static void what_a_function_returns_is_known_outside(void **state)
{
    (void)state;
    shape_is(lint_python("@njit\ndef g(n):\n    return np.zeros((n, 3))\n"
                         "@njit\ndef f(n):\n    a = g(n)\n    return a\n"),
             "a", "array 2");
    shape_is(lint_python("@njit\ndef g(n):\n    return np.zeros((n, 3)), 1\n"
                         "@njit\ndef f(n):\n    a, k = g(n)\n    return a\n"),
             "a", "array 2");
}

static void depth_flows_back_from_the_callee(void **state)
{
    (void)state;
    shape_is(
        lint_python("@njit\ndef g(u):\n    return u[0, 1]\n@njit\ndef f(x):\n    return g(x)\n"),
        "x", "array >=2");
}

static void a_variable_that_is_bound_anew_says_nothing_of_its_first_value(void **state)
{
    (void)state;
    shape_is(lint_python("@njit\ndef edges(n):\n    return np.zeros(n)\n"
                         "def f(bins, n):\n    if bins is None:\n        bins = n\n"
                         "    bins = edges(bins)\n    return bins[1:], n\n"),
             "n", "any >=0");
}

static void a_mask_keeps_a_dimension(void **state)
{
    (void)state;
    in_body("    r = x[0]\n    s = r[r > 0]\n    return s.shape[0], x[0, 0]", "x", "array >=2");
}

static void fields_of_a_namedtuple_hold_what_was_put_in(void **state)
{
    (void)state;
    shape_is(lint_python("from collections import namedtuple\n"
                         "Choir = namedtuple('Choir', ['voices', 'gains'])\n"
                         "@njit\ndef f(c):\n    return c.voices\n"
                         "def run(n):\n    choir = Choir(np.zeros((n, 3)), np.zeros(n))\n"
                         "    return f(choir)\n"),
             "c.voices", "array 2");
}

static void a_tested_rank_holds_in_its_branch(void **state)
{
    (void)state;
    Lint lint = lint_python("@njit\ndef f(x):\n    if x.ndim == 1:\n        return x[0] + 1\n"
                            "    return x[1, 2]\n");
    FunctionId f = lint_function(&lint, "f");
    const Ast *ast = lint.program->units[0]->ast;
    Shape inside = shape_of(lint.facts, f, ast_first(ast, lint_node(&lint, f, "x[0]")));
    assert_int_equal(inside.rank, 1);
    lint_free(&lint);
}

static void code_that_has_nothing_to_do_with_numba_is_not_looked_at(void **state)
{
    (void)state;
    Lint lint = LINT_FILES({"m.py", "import numpy as np\ndef f(n):\n    a = np.zeros(n)\n"
                                    "    return a\n"});
    assert_null(lint.facts->shapes[0]);
    lint_free(&lint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constructors_tell_the_rank),
        cmocka_unit_test(indexing_takes_dimensions_away),
        cmocka_unit_test(use_tells_the_least_depth),
        cmocka_unit_test(arithmetic_of_arrays_is_an_array_and_of_scalars_a_scalar),
        cmocka_unit_test(lists_are_told_apart),
        cmocka_unit_test(what_an_element_is_indexed_with_says_what_it_is),
        cmocka_unit_test(annotations_and_signatures_are_believed),
        cmocka_unit_test(what_all_calls_pass_is_known_inside),
        cmocka_unit_test(what_calls_do_not_agree_on_is_not),
        cmocka_unit_test(what_a_function_returns_is_known_outside),
        cmocka_unit_test(depth_flows_back_from_the_callee),
        cmocka_unit_test(a_variable_that_is_bound_anew_says_nothing_of_its_first_value),
        cmocka_unit_test(a_mask_keeps_a_dimension),
        cmocka_unit_test(fields_of_a_namedtuple_hold_what_was_put_in),
        cmocka_unit_test(a_tested_rank_holds_in_its_branch),
        cmocka_unit_test(code_that_has_nothing_to_do_with_numba_is_not_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
