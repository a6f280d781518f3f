#include "analyzer/facts/affine.h"

Affine affine_constant(int64_t value)
{
    return (Affine){.constant = value, .exact = true};
}

Affine affine_variable(Sym sym)
{
    return (Affine){.exact = true, .count = 1, .terms = {{sym, 1, true, true}}};
}

Affine affine_unknown(void)
{
    return (Affine){0};
}

/* Adds factor * sym; a form with too many variables loses its exactness, not its silence about
 * them. */
static void add_term(Affine *form, AffineTerm added)
{
    for (uint8_t i = 0; i < form->count; i++) {
        AffineTerm *term = &form->terms[i];
        if (term->sym != added.sym)
            continue;
        term->direct |= added.direct;
        term->linear &=
            added.linear &&
            !__builtin_add_overflow(term->coefficient, added.coefficient, &term->coefficient);
        form->exact &= term->linear;
        if (term->linear && term->coefficient == 0)
            form->terms[i] = form->terms[--form->count];
        return;
    }
    if (form->count == AFFINE_TERMS)
        form->exact = false;
    else
        form->terms[form->count++] = added;
}

Affine affine_add(Affine left, Affine right, int sign)
{
    Affine sum = left;
    sum.exact = left.exact && right.exact;
    sum.loaded |= right.loaded;
    sum.folded |= right.folded;
    int64_t constant;
    sum.exact &= !__builtin_mul_overflow(right.constant, sign, &constant);
    sum.exact &= !__builtin_add_overflow(left.constant, constant, &sum.constant);
    for (uint8_t i = 0; i < right.count; i++) {
        AffineTerm term = right.terms[i];
        bool fits = !__builtin_mul_overflow(term.coefficient, sign, &term.coefficient);
        sum.exact &= fits;
        term.linear &= fits;
        add_term(&sum, term);
    }
    return sum;
}

static Affine bend(Affine form)
{
    form.exact = false;
    for (uint8_t i = 0; i < form.count; i++)
        form.terms[i].linear = false;
    return form;
}

Affine affine_mix(Affine left, Affine right)
{
    left = bend(left);
    right = bend(right);
    return affine_add(left, right, 1);
}

bool affine_fixed(const Affine *form)
{
    return form->exact && form->count == 0;
}

static Affine scale(Affine form, int64_t factor)
{
    form.exact &= !__builtin_mul_overflow(form.constant, factor, &form.constant);
    for (uint8_t i = 0; i < form.count; i++) {
        AffineTerm *term = &form.terms[i];
        term->linear &= !__builtin_mul_overflow(term->coefficient, factor, &term->coefficient);
        form.exact &= term->linear;
    }
    if (factor == 0)
        form.count = 0;
    return form;
}

Affine affine_multiply(Affine left, Affine right)
{
    if (affine_fixed(&right) && left.exact)
        return scale(left, right.constant);
    if (affine_fixed(&left) && right.exact)
        return scale(right, left.constant);
    return affine_mix(left, right);
}

Affine affine_replace(Affine form, Sym sym, Affine value)
{
    for (uint8_t i = 0; i < form.count; i++) {
        if (form.terms[i].sym != sym)
            continue;
        AffineTerm term = form.terms[i];
        form.terms[i] = form.terms[--form.count];
        value = term.linear   ? scale(value, term.coefficient)
                : term.direct ? bend(value)
                              : affine_hidden(value);
        return affine_add(form, value, 1);
    }
    return form;
}

bool affine_depends(const Affine *form, Sym sym)
{
    for (uint8_t i = 0; i < form->count; i++)
        if (form->terms[i].sym == sym)
            return true;
    return false;
}

int64_t affine_coefficient(const Affine *form, Sym sym)
{
    for (uint8_t i = 0; i < form->count; i++)
        if (form->terms[i].sym == sym && form->terms[i].linear)
            return form->terms[i].coefficient;
    return 0;
}

bool affine_same(const Affine *left, const Affine *right)
{
    Affine difference = affine_add(*left, *right, -1);
    return difference.exact && difference.count == 0 && difference.constant == 0;
}

Affine affine_hidden(Affine form)
{
    form = bend(form);
    for (uint8_t i = 0; i < form.count; i++)
        form.terms[i].direct = false;
    return form;
}
