/* The curve over threads: time per piece of work, contended and relieved. What was measured is
 * drawn through, what was predicted is dashed. One is the time of the relieved form: on the fewest
 * threads where it was measured, on the same threads in a prediction, which is a ratio and no time.
 */
#include "analyzer/report/html.h"
#include "analyzer/report/text.h"

#include <math.h>
#include <string.h>

/* The picture in its own units, which are pixels on a phone. */
enum { WIDTH = 340, HEIGHT = 176, LEFT = 30, RIGHT = 296, TOP = 10, BOTTOM = 148 };
enum { TICK_APART = 20, LABEL_APART = 13 };

#define TIMES "\xc3\x97"

typedef struct Curves {
    Text *out;
    const Finding *finding;
    unsigned measured; /* points */
    double base_ns;    /* of the relieved form on the fewest threads */
    int most_threads;
    double most; /* upper end of the axis */
} Curves;

typedef enum Series { CONTENDED, RELIEVED, PREDICTED } Series;

static bool is_measured(const ScalingPoint *point)
{
    return point->contended_ns > 0 && point->relieved_ns > 0;
}

static double x_of(const Curves *curves, int threads)
{
    return LEFT + (double)(threads - 1) / (curves->most_threads - 1) * (RIGHT - LEFT);
}

static double y_of(const Curves *curves, double times)
{
    return BOTTOM - times / curves->most * (BOTTOM - TOP);
}

/* The height of a series at a point; 0 where it has none. */
static double times_of(const Curves *curves, Series series, const ScalingPoint *point)
{
    if (series == PREDICTED)
        return point->predicted;
    if (curves->measured < 2 || !is_measured(point))
        return 0;
    return (series == CONTENDED ? point->contended_ns : point->relieved_ns) / curves->base_ns;
}

/* Measured on one thread count only: the finding's own measurement is the one point there is. */
static bool has_lone_point(const Curves *curves)
{
    const Measured *measured = &curves->finding->measured;
    return curves->measured < 2 && measured->slowdown > 0 &&
           measured->threads <= curves->most_threads && measured->threads > 0;
}

static Curves curves_of(Text *out, const Finding *finding)
{
    Curves curves = {.out = out, .finding = finding, .most = 1};
    for (uint32_t i = 0; i < finding->scaling.count; i++) {
        const ScalingPoint *point = &finding->scaling.items[i];
        curves.most_threads = point->threads;
        curves.base_ns = curves.measured == 0 ? point->relieved_ns : curves.base_ns;
        curves.measured += is_measured(point);
    }
    for (uint32_t i = 0; i < finding->scaling.count; i++)
        for (Series series = CONTENDED; series <= PREDICTED; series++)
            curves.most = fmax(curves.most, times_of(&curves, series, &finding->scaling.items[i]));
    if (has_lone_point(&curves))
        curves.most = fmax(curves.most, finding->measured.slowdown);
    curves.most *= 1.1;
    return curves;
}

/* ---- axes ---- */

/* 1, 2 or 5 times a power of ten, three to five of which make up the axis. */
static double step_of(double most)
{
    double unit = pow(10, floor(log10(most / 5)));
    return most <= 5 * unit    ? unit
           : most <= 10 * unit ? 2 * unit
           : most <= 25 * unit ? 5 * unit
                               : 10 * unit;
}

static void add_axes(const Curves *curves)
{
    double step = step_of(curves->most), last = -TICK_APART;
    for (int i = 0; i * step <= curves->most; i++) {
        double y = y_of(curves, i * step);
        text_printf(curves->out,
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g" TIMES "</text>",
                    LEFT, RIGHT, y, y, LEFT - 6, y + 4, i * step);
    }
    for (uint32_t i = 0; i < curves->finding->scaling.count; i++) {
        int threads = curves->finding->scaling.items[i].threads;
        double x = x_of(curves, threads);
        bool room = x - last >= TICK_APART && RIGHT - x >= TICK_APART;
        if (!room && threads != curves->most_threads)
            continue;
        text_printf(curves->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>", x,
                    BOTTOM + 15, threads);
        last = x;
    }
    text_printf(curves->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">threads</text>\n", RIGHT,
                HEIGHT - 1);
}

/* ---- series ---- */

static void add_line(const Curves *curves, Series series, const char *class)
{
    unsigned points = 0;
    for (uint32_t i = 0; i < curves->finding->scaling.count; i++) {
        const ScalingPoint *point = &curves->finding->scaling.items[i];
        double times = times_of(curves, series, point);
        if (times <= 0)
            continue;
        if (points++ == 0)
            text_printf(curves->out, "<polyline class=\"%s\" points=\"", class);
        text_printf(curves->out, "%s%.1f,%.1f", points > 1 ? " " : "", x_of(curves, point->threads),
                    y_of(curves, times));
    }
    text_puts(curves->out, points > 0 ? "\"/>\n" : "");
}

static void add_point(const Curves *curves, const char *class, int threads, double times)
{
    text_printf(curves->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", class,
                x_of(curves, threads), y_of(curves, times));
}

/* The 95 % interval of the ratio, as a bar through the contended point. */
static void add_interval(const Curves *curves, int threads, double low, double high)
{
    double x = x_of(curves, threads), most = curves->most;
    text_printf(curves->out,
                "<line class=\"contended\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x,
                y_of(curves, fmin(low, most)), y_of(curves, fmin(high, most)));
}

static void add_points(const Curves *curves)
{
    const Measured *measured = &curves->finding->measured;
    if (has_lone_point(curves)) {
        add_interval(curves, measured->threads, measured->low, measured->high);
        add_point(curves, "contended", measured->threads, measured->slowdown);
    }
    for (uint32_t i = 0; i < curves->finding->scaling.count; i++) {
        const ScalingPoint *point = &curves->finding->scaling.items[i];
        double relieved = times_of(curves, RELIEVED, point);
        if (relieved <= 0)
            continue;
        add_interval(curves, point->threads, point->low * relieved, point->high * relieved);
        add_point(curves, "relieved", point->threads, relieved);
        add_point(curves, "contended", point->threads, times_of(curves, CONTENDED, point));
    }
}

/* What the two forms come to on the most threads, beside the ends of their curves. */
static void add_ends(const Curves *curves)
{
    const ScalingPoint *last = &curves->finding->scaling.items[curves->finding->scaling.count - 1];
    double contended = times_of(curves, CONTENDED, last), relieved = 1;
    if (contended > 0)
        relieved = times_of(curves, RELIEVED, last);
    else
        contended = times_of(curves, PREDICTED, last);
    const double times[] = {contended, relieved};
    double y[] = {y_of(curves, contended) + 4, y_of(curves, relieved) + 4};
    int upper = contended >= relieved ? 0 : 1;
    if (y[1 - upper] - y[upper] < LABEL_APART) {
        double middle = (y[0] + y[1]) / 2;
        y[upper] = middle - LABEL_APART / 2.0;
        y[1 - upper] = middle + LABEL_APART / 2.0;
    }
    for (int i = 0; i < 2; i++) {
        text_printf(curves->out, "<text class=\"end %s\" x=\"%d\" y=\"%.1f\">",
                    i == 0 ? "contended" : "relieved", RIGHT + 7, y[i]);
        text_ratio(curves->out, times[i]);
        text_puts(curves->out, TIMES "</text>\n");
    }
}

static void add_picture(const Curves *curves, const char *id)
{
    text_printf(curves->out,
                "<svg class=\"curve\" role=\"img\" aria-labelledby=\"%s-curve\" viewBox=\"0 0 %d "
                "%d\"><title id=\"%s-curve\">Time per piece of work over threads, contended "
                "against relieved; the table below has the figures</title>\n",
                id, WIDTH, HEIGHT, id);
    add_axes(curves);
    if (curves->measured < 2)
        text_printf(curves->out,
                    "<line class=\"relieved predicted\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
                    "y2=\"%.1f\"/>\n",
                    LEFT, RIGHT, y_of(curves, 1), y_of(curves, 1));
    add_line(curves, PREDICTED, "contended predicted");
    add_line(curves, RELIEVED, "relieved");
    add_line(curves, CONTENDED, "contended");
    add_points(curves);
    add_ends(curves);
    text_puts(curves->out, "</svg>\n");
}

/* ---- words and figures ---- */

unsigned html_measured_threads(Text *out, const Finding *finding)
{
    unsigned all = 0, said = 0;
    for (uint32_t i = 0; i < finding->scaling.count; i++)
        all += is_measured(&finding->scaling.items[i]);
    for (uint32_t i = 0; i < finding->scaling.count; i++) {
        const ScalingPoint *point = &finding->scaling.items[i];
        if (!is_measured(point))
            continue;
        said++;
        text_printf(out, "%s%d", said == 1 ? "" : said == all ? " and " : ", ", point->threads);
    }
    return all;
}

static void add_key(Text *out, const char *class, const char *words)
{
    text_printf(out,
                "<li><svg aria-hidden=\"true\" viewBox=\"0 0 28 10\"><line class=\"%s\" x1=\"0\" "
                "x2=\"28\" y1=\"5\" y2=\"5\"/></svg>%s</li>",
                class, words);
}

static void add_caption(const Curves *curves)
{
    Text *out = curves->out;
    bool measured = curves->measured >= 2;
    const char *machine = curves->finding->predicted_machine;
    text_puts(out, "<figcaption>Time per piece of work over threads\n<ul class=\"legend\">");
    if (measured) {
        add_key(out, "contended", "contended, measured");
        add_key(out, "relieved", "relieved, measured");
    }
    add_key(out, "contended predicted", "contended, predicted");
    if (!measured)
        add_key(out, "relieved predicted", "relieved");
    text_puts(out, "</ul>\n<p>");
    if (measured) {
        text_puts(out, "Measured here at ");
        html_measured_threads(out, curves->finding);
        text_puts(out, " threads, with 95 % intervals; 1" TIMES
                       " is the relieved form on the fewest. Dashed: predicted for ");
    } else {
        text_puts(out, "Not measured at several thread counts, but predicted for ");
    }
    html_text(out, machine != NULL ? machine : "this machine");
    text_puts(out, measured ? "." : "; 1" TIMES " is the relieved form.");
    if (has_lone_point(curves))
        text_printf(out, " The dot was measured here at %d thread%s.",
                    curves->finding->measured.threads,
                    curves->finding->measured.threads == 1 ? "" : "s");
    text_puts(out, "</p></figcaption>\n");
}

static void add_cell(Text *out, double value, const char *unit)
{
    text_puts(out, "<td>");
    if (value <= 0)
        text_puts(out, "\xe2\x80\x93"); /* a dash */
    else if (*unit != '\0')
        text_printf(out, "%.4g%s", value, unit);
    else {
        text_ratio(out, value);
        text_puts(out, TIMES);
    }
    text_puts(out, "</td>");
}

static void add_row(const Curves *curves, const ScalingPoint *point)
{
    Text *out = curves->out;
    text_printf(out, "<tr><th scope=\"row\">%d</th>", point->threads);
    add_cell(out, point->predicted, "");
    if (curves->measured >= 2) {
        add_cell(out, point->slowdown, "");
        add_cell(out, point->contended_ns, " ns");
        add_cell(out, point->relieved_ns, " ns");
    }
    text_puts(out, "</tr>\n");
}

static void add_table(const Curves *curves)
{
    Text *out = curves->out;
    text_puts(out, "<details><summary>The curve as a table</summary>\n<table><caption "
                   "class=\"visually-hidden\">Slowdown by threads</caption><thead><tr><th "
                   "scope=\"col\">Threads</th><th scope=\"col\">Predicted</th>");
    if (curves->measured >= 2)
        text_puts(out, "<th scope=\"col\">Measured</th><th scope=\"col\">Contended</th><th "
                       "scope=\"col\">Relieved</th>");
    text_puts(out, "</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < curves->finding->scaling.count; i++)
        add_row(curves, &curves->finding->scaling.items[i]);
    text_puts(out, "</tbody></table></details>\n");
}

void html_curve(Text *out, const Finding *finding, const char *id)
{
    if (finding->scaling.count < 2)
        return;
    const Curves curves = curves_of(out, finding);
    text_puts(out, "<figure>\n");
    add_caption(&curves);
    add_picture(&curves, id);
    add_table(&curves);
    text_puts(out, "</figure>\n");
}
