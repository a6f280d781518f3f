#include "analyzer/measure_law.h"

#include <math.h>

static void put_off(Text *out, const char *what, double off)
{
    if (isfinite(off))
        text_printf(out, "%s is off by %.0f %%", what, off * 100);
}

/* Why nothing is said: how far each candidate is off. */
static void put_none(const Law *law, const LawSubject *subject, Text *out)
{
    text_printf(out, "no simple law over %s", subject->name);
    if (!isfinite(law->off[LAW_CONSTANT])) {
        text_puts(out, ": too few points with a cost, or too near to each other");
        return;
    }
    put_off(out, ": a constant", law->off[LAW_CONSTANT]);
    put_off(out, ", a multiple", law->off[LAW_PROPORTIONAL]);
    put_off(out, ", an inverse", law->off[LAW_INVERSE]);
    put_off(out, ", a straight line", law->off[LAW_LINEAR]);
}

void law_words(const Law *law, const LawSubject *subject, Text *out)
{
    switch (law->kind) {
    case LAW_NOTHING:
        text_printf(out, "nothing more, whatever %s", subject->name);
        break;
    case LAW_CONSTANT:
        text_printf(out, "%.3g ns more a piece, whatever %s: extra time follows pieces, not %s",
                    law->base, subject->name, subject->name);
        break;
    case LAW_PROPORTIONAL:
        text_printf(out, "%.3g ns more per %s: extra time follows %s, not pieces", law->slope,
                    subject->unit, subject->name);
        break;
    case LAW_INVERSE:
        text_printf(out, "%.3g ns more a piece over %s: extra time falls as %s grows", law->slope,
                    subject->name, subject->name);
        break;
    case LAW_LINEAR:
        text_printf(out, "%.3g ns more a piece and %.3g ns per %s", law->base, law->slope,
                    subject->unit);
        break;
    default:
        put_none(law, subject, out);
        return;
    }
    text_printf(out, " (%.7g to %.7g", subject->from, subject->to);
    text_puts(out, law->kind == LAW_NOTHING ? ")" : "; ");
    if (law->kind != LAW_NOTHING)
        text_printf(out, "all points within %.0f %%)", law->off[law->kind] * 100);
}
