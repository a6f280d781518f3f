/* The registry: every folder of rules/ is in it, and every record is whole. What the rules find
 * stands in their cases. */
#include "analyzer/number/predict.h"
#include "analyzer/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void ids_are_lower_case_words_joined_by_dashes(void **state)
{
    (void)state;
    assert_true(rule_count > 0);
    for (unsigned i = 0; i < rule_count; i++) {
        const char *id = rule_table[i]->id;
        assert_true(islower((unsigned char)id[0]));
        for (const char *at = id; *at != '\0'; at++)
            if (!(islower((unsigned char)*at) || isdigit((unsigned char)*at) ||
                  (*at == '-' && isalnum((unsigned char)at[1]))))
                fail_msg("%s", id);
        assert_non_null(strchr(id, '-'));
    }
}

static void ids_are_unique_and_sorted(void **state)
{
    (void)state;
    for (unsigned i = 1; i < rule_count; i++)
        if (strcmp(rule_table[i - 1]->id, rule_table[i]->id) >= 0)
            fail_msg("%s stands before %s", rule_table[i - 1]->id, rule_table[i]->id);
}

static void the_table_holds_the_folders_and_nothing_else(void **state)
{
    (void)state;
    unsigned folders = 0;
    DIR *dir = opendir(PONGLINT_SOURCE_DIR "/rules");
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, PONGLINT_SOURCE_DIR "/rules/%s/rule.c", entry->d_name);
        if (entry->d_name[0] == '.' || access(path, R_OK) != 0)
            continue;
        folders++;
        if (rule_find(entry->d_name) == NULL)
            fail_msg("%s is not in the table", entry->d_name);
    }
    closedir(dir);
    assert_int_equal(folders, rule_count);
}

static void a_rule_is_found_by_its_id_only(void **state)
{
    (void)state;
    for (unsigned i = 0; i < rule_count; i++)
        assert_ptr_equal(rule_find(rule_table[i]->id), rule_table[i]);
    assert_null(rule_find("no-such-rule"));
    assert_null(rule_find(""));
}

static void summaries_are_one_line_and_helps_end_like_sentences(void **state)
{
    (void)state;
    for (unsigned i = 0; i < rule_count; i++) {
        const Rule *rule = rule_table[i];
        size_t length = strlen(rule->summary), help = strlen(rule->help);
        if (length < 10 || length > 100 || strchr(rule->summary, '\n') != NULL ||
            rule->summary[length - 1] == '.')
            fail_msg("summary of %s: %s", rule->id, rule->summary);
        if (help < 40 || strchr(rule->help, '\n') != NULL || rule->help[help - 1] != '.')
            fail_msg("help of %s: %s", rule->id, rule->help);
        assert_true(rule->severity <= SEVERITY_ERROR);
        assert_true(rule->status == RULE_ON || rule->status == RULE_OFF_BY_DEFAULT);
    }
}

static void every_rule_looks_at_facts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < rule_count; i++)
        assert_non_null(rule_table[i]->check);
}

static void every_rule_has_a_page_that_begins_with_its_id(void **state)
{
    (void)state;
    for (unsigned i = 0; i < rule_count; i++) {
        const char *id = rule_table[i]->id, *page = rule_pages[i];
        if (strncmp(page, "# ", 2) != 0 || strncmp(page + 2, id, strlen(id)) != 0 ||
            page[2 + strlen(id)] != '\n')
            fail_msg("page of %s", id);
    }
}

/* A kernel of its own, or its page says whose. */
static void every_rule_has_a_whole_kernel(void **state)
{
    (void)state;
    for (unsigned i = 0; i < rule_count; i++) {
        const Rule *rule = rule_table[i];
        const Kernel *kernel = rule_kernel(rule);
        if (kernel == NULL) {
            if (strstr(rule_pages[i], "ernel of `") == NULL)
                fail_msg("%s has no kernel, and its page does not say whose it has", rule->id);
            continue;
        }
        assert_string_equal(kernel->name, rule->id);
        if (kernel->prepare == NULL || kernel->contended == NULL || kernel->relieved == NULL ||
            kernel->release == NULL)
            fail_msg("kernel of %s", rule->id);
    }
}

static void a_rule_that_is_not_in_the_table_has_no_kernel(void **state)
{
    (void)state;
    static const Rule stranger = {.id = "view-per-cell"};
    assert_null(rule_kernel(&stranger));
}

/* ---- predictions ---- */

static Exposure exposure_of(int threads, double work_ns, double events, int sharing, int access)
{
    return (Exposure){.threads = threads,
                      .work_ns = work_ns,
                      .events = events,
                      .bytes = 64,
                      .stride = 8,
                      .share = 0.5,
                      .launches = 1,
                      .sharing = (ExposureSharing)sharing,
                      .access = (ExposureAccess)access};
}

static double predicted(const Rule *rule, int threads, double work_ns, double events, int sharing,
                        int access)
{
    Machine machine = machine_generic();
    Exposure exposure = exposure_of(threads, work_ns, events, sharing, access);
    return rule->predict(&machine, &exposure);
}

static const int thread_counts[] = {1, 2, 3, 4, 8, 12, 64};
static const double works[] = {0, 0.5, 3, 10, 100, 1e4, 1e7};
static const double event_counts[] = {1, 2, 5, 40};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Calls `look` for every rule that predicts and every exposure of a grid. */
static void over_the_grid(void (*look)(const Rule *, size_t, size_t, size_t, int, int))
{
    for (unsigned r = 0; r < rule_count; r++)
        for (size_t t = 0; rule_table[r]->predict != NULL && t < COUNT(thread_counts); t++)
            for (size_t w = 0; w < COUNT(works); w++)
                for (size_t e = 0; e < COUNT(event_counts); e++)
                    for (int sharing = SHARING_NONE; sharing <= SHARING_ALL; sharing++)
                        for (int access = ACCESS_STORE; access <= ACCESS_EXCHANGE; access++)
                            look(rule_table[r], t, w, e, sharing, access);
}

static double at(const Rule *rule, size_t t, size_t w, size_t e, int sharing, int access)
{
    return predicted(rule, thread_counts[t], works[w], event_counts[e], sharing, access);
}

static void look_if_finite(const Rule *rule, size_t t, size_t w, size_t e, int sharing, int access)
{
    double slowdown = at(rule, t, w, e, sharing, access);
    if (!isfinite(slowdown) || slowdown < 0.99 || slowdown > 1e6)
        fail_msg("%s: %g with %d threads, %g ns, %g events", rule->id, slowdown, thread_counts[t],
                 works[w], event_counts[e]);
}

static void a_prediction_is_a_finite_slowdown(void **state)
{
    (void)state;
    over_the_grid(look_if_finite);
}

static void look_beside_more_work(const Rule *rule, size_t t, size_t w, size_t e, int sharing,
                                  int access)
{
    if (w == 0)
        return;
    double less = at(rule, t, w - 1, e, sharing, access), more = at(rule, t, w, e, sharing, access);
    if (rule->predict == predict_lost_team) { /* the more there is to share out, the more is lost */
        double swap = less;
        less = more;
        more = swap;
    }
    if (more > less * 1.000001)
        fail_msg("%s: between %g and %g ns it turns from %g to %g (%d threads, %g events)",
                 rule->id, works[w - 1], works[w], less, more, thread_counts[t], event_counts[e]);
}

static void beside_more_work_an_event_costs_no_larger_share(void **state)
{
    (void)state;
    over_the_grid(look_beside_more_work);
}

static void look_at_more_events(const Rule *rule, size_t t, size_t w, size_t e, int sharing,
                                int access)
{
    if (e == 0)
        return;
    double less = at(rule, t, w, e - 1, sharing, access), more = at(rule, t, w, e, sharing, access);
    if (more < less * 0.999999)
        fail_msg("%s: %g with %g events, %g with %g (%d threads, %g ns)", rule->id, less,
                 event_counts[e - 1], more, event_counts[e], thread_counts[t], works[w]);
}

static void more_events_cost_no_less(void **state)
{
    (void)state;
    over_the_grid(look_at_more_events);
}

static void look_at_more_threads(const Rule *rule, size_t t, size_t w, size_t e, int sharing,
                                 int access)
{
    /* Teams on the same cores: `events` says how many, `threads` how large one is. A lost team: a
     * larger one takes longer to start. A launch: a larger team also does the work in less time. */
    if (t == 0 || rule->predict == predict_oversubscription || rule->predict == predict_lost_team ||
        rule->predict == predict_launch || rule->predict == predict_little_work)
        return;
    double less = at(rule, t - 1, w, e, sharing, access), more = at(rule, t, w, e, sharing, access);
    if (more < less * 0.999999)
        fail_msg("%s: %g with %d threads, %g with %d (%g ns, %g events)", rule->id, less,
                 thread_counts[t - 1], more, thread_counts[t], works[w], event_counts[e]);
}

static void more_threads_meet_no_less(void **state)
{
    (void)state;
    over_the_grid(look_at_more_threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_lower_case_words_joined_by_dashes),
        cmocka_unit_test(ids_are_unique_and_sorted),
        cmocka_unit_test(the_table_holds_the_folders_and_nothing_else),
        cmocka_unit_test(a_rule_is_found_by_its_id_only),
        cmocka_unit_test(summaries_are_one_line_and_helps_end_like_sentences),
        cmocka_unit_test(every_rule_looks_at_facts),
        cmocka_unit_test(every_rule_has_a_page_that_begins_with_its_id),
        cmocka_unit_test(every_rule_has_a_whole_kernel),
        cmocka_unit_test(a_rule_that_is_not_in_the_table_has_no_kernel),
        cmocka_unit_test(a_prediction_is_a_finite_slowdown),
        cmocka_unit_test(beside_more_work_an_event_costs_no_larger_share),
        cmocka_unit_test(more_events_cost_no_less),
        cmocka_unit_test(more_threads_meet_no_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
