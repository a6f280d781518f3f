/* The configuration file: ponglint.toml, or [tool.ponglint] of pyproject.toml. A strict reader of
 * the part of TOML that is needed: `key = value` with text, numbers, true and false, and arrays of
 * text; sections. */
#ifndef ANALYZER_CONFIG_H
#define ANALYZER_CONFIG_H

#include "analyzer/options.h"

typedef struct ConfigEntry {
    const char *key;
    uint32_t line;
    bool is_array;
    Words values; /* one, unless an array; numbers and booleans as they are written */
} ConfigEntry;

typedef LIST(ConfigEntry) ConfigEntries;

/* The entries of section `section` ("" is the part before the first header). Other sections are
 * skipped, whatever TOML they hold; *found tells whether the section is there. false: `error` names
 * path, line and remedy. */
bool config_read(Arena *arena, const char *path, const char *bytes, size_t size,
                 const char *section, ConfigEntries *entries, bool *found, Text *error)
    __attribute__((warn_unused_result));

/* The nearest ponglint.toml, or pyproject.toml that has the section, from folder `start` upwards;
 * applied to what the command line left open. */
bool config_apply(Options *options, Arena *arena, const char *start, Text *error)
    __attribute__((warn_unused_result));

#endif
