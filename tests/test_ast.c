/* Trees built by hand: their shape, constants, and expressions that are alike. Expressions are read
 * from C. */
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* module(block(int, none, block()), int) */
static Ast *small_tree(Arena *arena)
{
    Ast *ast = ast_new(arena);
    AstNode module = ast_open(ast, AST_MODULE, 0, 0, 100);
    AstNode block = ast_open(ast, AST_BLOCK, 0, 0, 50);
    (void)ast_leaf(ast, AST_INT, 0, 1, 2);
    (void)ast_none(ast);
    AstNode inner = ast_open(ast, AST_BLOCK, 0, 3, 4);
    ast_close(ast, inner);
    ast_close(ast, block);
    (void)ast_leaf(ast, AST_INT, 0, 60, 61);
    ast_close(ast, module);
    return ast;
}

static void nodes_stand_in_pre_order_and_know_their_parents(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Ast *ast = small_tree(arena);
    assert_int_equal(ast->nodes.count, 7);
    assert_int_equal(ast_end(ast, 1), 7);
    assert_int_equal(ast_end(ast, 2), 6);
    assert_int_equal(ast_parent(ast, 1), 0);
    assert_int_equal(ast_parent(ast, 2), 1);
    assert_int_equal(ast_parent(ast, 5), 2);
    assert_int_equal(ast_parent(ast, 6), 1);
    arena_free(arena);
}

static void node_zero_is_none_and_has_no_children(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Ast *ast = ast_new(arena);
    assert_int_equal(ast_kind(ast, 0), AST_NONE);
    assert_int_equal(ast_first(ast, 0), 0);
    assert_int_equal(ast_child_count(ast, 0), 0);
    assert_int_equal(ast_function_of(ast, 0), 0);
    assert_int_equal(ast->symbols.count, 1);
    assert_int_equal(ast->types.count, 1);
    assert_int_equal(ast->functions.count, 1);
    arena_free(arena);
}

static void children_are_counted_with_those_that_are_none(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Ast *ast = small_tree(arena);
    assert_int_equal(ast_child_count(ast, 1), 2);
    assert_int_equal(ast_child_count(ast, 2), 3);
    assert_int_equal(ast_child(ast, 2, 0), 3);
    assert_int_equal(ast_child(ast, 2, 1), 4);
    assert_int_equal(ast_kind(ast, ast_child(ast, 2, 1)), AST_NONE);
    assert_int_equal(ast_child(ast, 2, 2), 5);
    assert_int_equal(ast_child(ast, 2, 3), 0);
    assert_int_equal(ast_child(ast, 3, 0), 0);
    arena_free(arena);
}

static void the_next_of_the_last_child_is_none(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Ast *ast = small_tree(arena);
    assert_int_equal(ast_next(ast, 2), 6);
    assert_int_equal(ast_next(ast, 6), 0);
    assert_int_equal(ast_next(ast, 5), 0);
    assert_int_equal(ast_first(ast, 5), 0);
    arena_free(arena);
}

static void a_subtree_holds_itself_and_what_is_in_it(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Ast *ast = small_tree(arena);
    uint32_t seen = 0;
    FOR_EACH_NODE (ast, node, 2)
        seen = seen * 10 + node;
    assert_int_equal(seen, 2345);
    seen = 0;
    FOR_EACH_CHILD (ast, child, 2)
        seen = seen * 10 + child;
    assert_int_equal(seen, 345);
    assert_true(ast_holds(ast, 2, 2) && ast_holds(ast, 2, 5));
    assert_false(ast_holds(ast, 2, 1) || ast_holds(ast, 2, 6));
    arena_free(arena);
}

static void plain_types_are_made_once_and_named_ones_each_time(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Ast *ast = ast_new(arena);
    AstTypeData number = {.kind = TYPE_INT, .size = 4};
    AstType first = ast_type(ast, number);
    assert_int_equal(ast_type(ast, number), first);
    number.size = 8;
    assert_int_not_equal(ast_type(ast, number), first);
    AstTypeData named = {.kind = TYPE_STRUCT, .name = intern(ast->names, "lane")};
    first = ast_type(ast, named);
    assert_int_not_equal(ast_type(ast, named), first);
    arena_free(arena);
}

static void every_kind_and_operator_has_a_word_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < AST_KIND_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(ast_kind_word((AstKind)i), ast_kind_word((AstKind)k));
    for (int i = 0; i < OP_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(ast_op_word((AstOp)i), ast_op_word((AstOp)k));
}

/* ---- constants ---- */

static const char head[] = "enum { LINE = 64, SLOTS = LINE / 8 };\n"
                           "static const long WIDE = 3;\n"
                           "long n;\n"
                           "struct lane { double hits; char pad[56]; };\n"
                           "void use(long);\n";

/* The value of an expression, where it is known; 0 in *known else. */
static int64_t constant(const char *expression, bool *known)
{
    Text text = {0};
    text_printf(&text, "%svoid f(long m) { use(%s); }\n", head, expression);
    Lint lint = lint_c(text_string(&text));
    FunctionId function = lint_function(&lint, "f");
    const Ast *ast = program_function_unit(lint.program, function)->ast;
    AstNode node = program_function_data(lint.program, function)->node;
    while (ast_kind(ast, node) != AST_CALL)
        node++;
    int64_t value = 0;
    *known = ast_constant(ast, ast_child(ast, node, 1), &value);
    lint_free(&lint);
    text_free(&text);
    return value;
}

static void is_known(const char *expression, int64_t expected)
{
    bool known;
    int64_t value = constant(expression, &known);
    if (!known || value != expected)
        fail_msg("%s is %s%lld", expression, known ? "" : "unknown, not ", (long long)value);
}

static void is_unknown(const char *expression)
{
    bool known;
    (void)constant(expression, &known);
    if (known)
        fail_msg("%s is known", expression);
}

static void literals_and_arithmetic_on_them_are_known(void **state)
{
    (void)state;
    is_known("42", 42);
    is_known("-7", -7);
    is_known("2 + 3 * 4 - 1", 13);
    is_known("(100 / 7) % 4", 2);
    is_known("1 << 10 | 3", 1027);
    is_known("0xff & 0x1c", 28);
    is_known("(long)16", 16);
}

static void enumerators_constants_and_sizes_are_known(void **state)
{
    (void)state;
    is_known("LINE", 64);
    is_known("SLOTS * 2", 16);
    is_known("WIDE", 3);
    is_known("sizeof(struct lane)", 64);
    is_known("sizeof(double) * LINE", 512);
}

static void variables_and_parameters_are_not_known(void **state)
{
    (void)state;
    is_unknown("n");
    is_unknown("m");
    is_unknown("LINE + n");
    is_unknown("use");
}

static int64_t folded(AstOp op, int64_t left, int64_t right, bool *known)
{
    Arena *arena = arena_new();
    Ast *ast = ast_new(arena);
    AstNode binary = ast_open(ast, AST_BINARY, 0, 0, 0);
    ast_at(ast, binary)->op = (uint8_t)op;
    AstNode leaf = ast_leaf(ast, AST_INT, 0, 0, 0);
    ast_at(ast, leaf)->value.integer = left;
    leaf = ast_leaf(ast, AST_INT, 0, 0, 0);
    ast_at(ast, leaf)->value.integer = right;
    ast_close(ast, binary);
    int64_t value = 0;
    *known = ast_constant(ast, binary, &value);
    arena_free(arena);
    return value;
}

static void what_overflows_or_divides_by_zero_is_not_known(void **state)
{
    (void)state;
    static const struct {
        AstOp op;
        int64_t left, right;
    } cases[] = {{OP_ADD, INT64_MAX, 1},  {OP_SUB, INT64_MIN, 1},  {OP_MUL, INT64_MAX, 2},
                 {OP_DIV, 1, 0},          {OP_FLOORDIV, 1, 0},     {OP_MOD, 1, 0},
                 {OP_DIV, INT64_MIN, -1}, {OP_MOD, INT64_MIN, -1}, {OP_SHL, 1, 63},
                 {OP_SHL, 1, -1},         {OP_SHL, -1, 1},         {OP_SHR, 1, 64},
                 {OP_SHL, INT64_MAX, 1},  {OP_SHR, 1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool known;
        (void)folded(cases[i].op, cases[i].left, cases[i].right, &known);
        if (known)
            fail_msg("%lld %s %lld", (long long)cases[i].left, ast_op_word(cases[i].op),
                     (long long)cases[i].right);
    }
}

static void the_negative_of_the_least_number_is_not_known(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Ast *ast = ast_new(arena);
    AstNode minus = ast_open(ast, AST_UNARY, 0, 0, 0);
    ast_at(ast, minus)->op = OP_NEG;
    AstNode leaf = ast_leaf(ast, AST_INT, 0, 0, 0);
    ast_at(ast, leaf)->value.integer = INT64_MIN;
    ast_close(ast, minus);
    int64_t value;
    assert_false(ast_constant(ast, minus, &value));
    ast_at(ast, leaf)->value.integer = INT64_MAX;
    assert_true(ast_constant(ast, minus, &value));
    assert_int_equal(value, -INT64_MAX);
    arena_free(arena);
}

/* A floor division rounds down, Python's remainder takes the sign of the divisor. */
static void pythons_division_of_negative_numbers_rounds_down(void **state)
{
    (void)state;
    bool known;
    assert_int_equal(folded(OP_FLOORDIV, -7, 2, &known), -4);
    assert_true(known);
    assert_int_equal(folded(OP_FLOORDIV, 7, 2, &known), 3);
    assert_int_equal(folded(OP_FLOORDIV, 7, -2, &known), -4);
    assert_int_equal(folded(OP_FLOORDIV, -8, 2, &known), -4);
    assert_int_equal(folded(OP_DIV, -7, 2, &known), -3);
}

/* ---- alike ---- */

static bool same(const char *left, const char *right)
{
    Text text = {0};
    text_printf(&text,
                "struct lane { double hits, *rows; } *lane;\nlong use(double, double);\n"
                "void f(double *a, double *b, long i, long j) { use(%s, %s); }\n",
                left, right);
    Lint lint = lint_c(text_string(&text));
    FunctionId function = lint_function(&lint, "f");
    const Ast *ast = program_function_unit(lint.program, function)->ast;
    AstNode node = program_function_data(lint.program, function)->node;
    while (ast_kind(ast, node) != AST_CALL)
        node++;
    bool result = ast_same(ast, ast_child(ast, node, 1), ast_child(ast, node, 2));
    lint_free(&lint);
    text_free(&text);
    return result;
}

/* -7 % 4 is -3 in C and 1 in Python, and the tree does not say which it is. */
static void a_remainder_of_different_signs_is_not_known(void **state)
{
    (void)state;
    bool known;
    (void)folded(OP_MOD, -7, 4, &known);
    assert_false(known);
    (void)folded(OP_MOD, 7, -4, &known);
    assert_false(known);
    assert_int_equal(folded(OP_MOD, -8, 4, &known), 0);
    assert_true(known);
    assert_int_equal(folded(OP_MOD, -7, -4, &known), -3);
    assert_true(known);
}

static void expressions_written_alike_are_the_same(void **state)
{
    (void)state;
    assert_true(same("a[i]", "a[ i ]"));
    assert_true(same("lane[i + 1].hits", "lane[i + 1].hits"));
    assert_true(same("2 * a[j]", "2*a[j]"));
    assert_true(same("-a[i]", "-a[i]"));
}

static void another_variable_number_field_or_operator_is_another_expression(void **state)
{
    (void)state;
    assert_false(same("a[i]", "a[j]"));
    assert_false(same("a[i]", "b[i]"));
    assert_false(same("a[i + 1]", "a[i + 2]"));
    assert_false(same("a[i + 1]", "a[i - 1]"));
    assert_false(same("a[1]", "a[i]"));
    assert_false(same("lane[i].hits", "*lane[i].rows"));
    assert_false(same("1.5 * a[i]", "2.5 * a[i]"));
    assert_false(same("-a[i]", "+a[i]"));
}

static void the_same_leaves_in_another_tree_are_not_the_same(void **state)
{
    (void)state;
    assert_false(same("(i - j) - 1", "i - (j - 1)"));
    assert_false(same("a[i]", "a[i] + 0"));
}

static void a_name_in_an_inner_scope_is_another_variable(void **state)
{
    (void)state;
    Lint lint = lint_c("void use(long);\n"
                       "void f(long i) { use(i + 1); { long i = 2; use(i  + 1); } }\n");
    const Ast *ast = lint.program->units[0]->ast;
    AstNode calls[2];
    int count = 0;
    FOR_EACH_NODE (ast, node, 1)
        if (ast_kind(ast, node) == AST_CALL && count < 2)
            calls[count++] = node;
    assert_int_equal(count, 2);
    assert_false(ast_same(ast, ast_child(ast, calls[0], 1), ast_child(ast, calls[1], 1)));
    lint_free(&lint);
}

static void the_function_of_a_node_is_the_innermost_around_it(void **state)
{
    (void)state;
    Lint lint = lint_python("def outer(n):\n"
                            "    def inner(k):\n"
                            "        return k + 1\n"
                            "    return inner(n + 2)\n"
                            "top = 3 + 4\n");
    const Ast *ast = lint.program->units[0]->ast;
    AstFunction outer = ast_function_of(ast, lint_node(&lint, 0, "n + 2"));
    AstFunction inner = ast_function_of(ast, lint_node(&lint, 0, "k + 1"));
    assert_string_equal(intern_text(ast->names, ast->functions.items[outer].name), "outer");
    assert_string_equal(intern_text(ast->names, ast->functions.items[inner].name), "inner");
    assert_int_equal(ast->functions.items[inner].outer, outer);
    assert_int_equal(ast_function_of(ast, lint_node(&lint, 0, "3 + 4")), 0);
    lint_free(&lint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_stand_in_pre_order_and_know_their_parents),
        cmocka_unit_test(node_zero_is_none_and_has_no_children),
        cmocka_unit_test(children_are_counted_with_those_that_are_none),
        cmocka_unit_test(the_next_of_the_last_child_is_none),
        cmocka_unit_test(a_subtree_holds_itself_and_what_is_in_it),
        cmocka_unit_test(plain_types_are_made_once_and_named_ones_each_time),
        cmocka_unit_test(every_kind_and_operator_has_a_word_of_its_own),
        cmocka_unit_test(literals_and_arithmetic_on_them_are_known),
        cmocka_unit_test(enumerators_constants_and_sizes_are_known),
        cmocka_unit_test(variables_and_parameters_are_not_known),
        cmocka_unit_test(what_overflows_or_divides_by_zero_is_not_known),
        cmocka_unit_test(the_negative_of_the_least_number_is_not_known),
        cmocka_unit_test(pythons_division_of_negative_numbers_rounds_down),
        cmocka_unit_test(a_remainder_of_different_signs_is_not_known),
        cmocka_unit_test(expressions_written_alike_are_the_same),
        cmocka_unit_test(another_variable_number_field_or_operator_is_another_expression),
        cmocka_unit_test(the_same_leaves_in_another_tree_are_not_the_same),
        cmocka_unit_test(a_name_in_an_inner_scope_is_another_variable),
        cmocka_unit_test(the_function_of_a_node_is_the_innermost_around_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
