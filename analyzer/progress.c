#include "analyzer/progress.h"

#include "analyzer/base/text.h"

enum { BAR = 24, BESIDE = 52 /* columns of what stands beside the bar, at most */ };

static void add_bar(Text *line, const Progress *progress, unsigned done, unsigned of)
{
    unsigned full = (unsigned)((double)done / of * BAR + 0.5);
    text_puts(line, progress->colour ? "\x1b[1;36m" : "");
    for (unsigned i = 0; i < full; i++)
        text_puts(line, "\xe2\x94\x81"); /* a heavy line */
    text_puts(line, progress->colour ? "\x1b[0m\x1b[2m" : "");
    for (unsigned i = full; i < BAR; i++)
        text_puts(line, "\xe2\x94\x80"); /* a light one */
    text_puts(line, progress->colour ? "\x1b[0m " : " ");
}

static void add_seconds(Text *line, double seconds)
{
    unsigned long whole = (unsigned long)(seconds + 0.999);
    if (whole >= 60)
        text_printf(line, "%lu min %lu s", whole / 60, whole % 60);
    else
        text_printf(line, "%lu s", whole);
}

void progress_show(void *data, const VerdictProgress *seen)
{
    Progress *progress = data;
    Text line = {0};
    if (seen->done < seen->of && seen->spent >= PROGRESS_FROM_SECONDS) {
        text_puts(&line, "\r\x1b[Kponglint: measuring ");
        if (progress->width == 0 || progress->width >= BAR + BESIDE)
            add_bar(&line, progress, seen->done, seen->of);
        text_printf(&line, "%u of %u, ", seen->done, seen->of);
        add_seconds(&line, seen->left);
        text_puts(&line, " left");
        progress->shown = true;
    } else if (seen->done == seen->of && progress->shown) {
        text_puts(&line, "\r\x1b[K");
        progress->shown = false;
    }
    if (line.length > 0) {
        fputs(text_string(&line), progress->out);
        fflush(progress->out);
    }
    text_free(&line);
}
