/* State that decays into denormals in a hot loop, with nothing that flushes them to zero. A note:
 * what it costs depends on the processor. */
#include "analyzer/pass.h"

enum { MANY_STATES = 512 }; /* states of an array: so many steps later comes the same one again */

static void report(Pass *pass, const Unit *unit, AstNode assign, const Decay *decay)
{
    Finding finding = pass_finding_at(pass, unit, assign, assign);
    const char *state = pass_text_at(pass, unit, decay->state);
    const char *by = decay->factor != 0
                         ? arena_printf(pass->arena, "by a factor of %.6g", decay->factor)
                         : "by a factor below one";
    finding.what = arena_printf(pass->arena, "decay of %s", state);
    finding.per = "cell";
    finding.message = arena_printf(
        pass->arena,
        "%s decays %s in each step and never reaches zero by itself: where nothing is added to it "
        "any more, late steps compute with denormals, which some processors do in microcode",
        state, by);
    finding.note_only = true;
    finding.assumed = "the state has decayed";
    finding.exposure.places = decay->apart ? MANY_STATES : 1;
    if (decay->loop != 0) {
        AstNode body = loop_body(unit->ast, decay->loop);
        finding.exposure.work_ns = work_ns(pass->work, unit, body);
        pass_assume(pass, &finding, pass->work, unit, body);
    }
    LIST_PUSH(
        pass->arena, &finding.fixes,
        (Fix){.description = unit->language == LANGUAGE_PYTHON
                                 ? "set small values to zero now and then, or add a tiny constant; "
                                   "numba's fastmath does not flush denormals"
                                 : "flush denormals on every thread: _MM_SET_FLUSH_ZERO_MODE and "
                                   "_MM_SET_DENORMALS_ZERO_MODE in the parallel region"});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    if (decay_is_flushed(pass->facts))
        return;
    for (uint32_t i = 0; i < pass->program->unit_count; i++) {
        const Unit *unit = pass->program->units[i];
        for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
            Decay decay;
            if (ast_kind(unit->ast, node) == AST_ASSIGN &&
                decay_step(pass->facts, unit, node, &decay))
                report(pass, unit, node, &decay);
        }
    }
}

const Rule rule_denormal_decay = {
    .id = "denormal-decay",
    .summary = "state decays into denormals in a hot loop",
    .help = "A value that is multiplied by a factor between a half and one each step ends as a "
            "denormal, not as zero. Many processors compute with denormals in microcode, at over "
            "100 cycles an operation. Flush them to zero on every thread.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_denormal,
};
