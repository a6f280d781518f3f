/* Compiler arguments: what decides how a file is read, from compile_commands.json and --extra-arg,
 * and nothing else. No plugin, response file or output option ever reaches clang. */
#ifndef FRONTENDS_C_FLAGS_H
#define FRONTENDS_C_FLAGS_H

#include "analyzer/frontend.h"

typedef LIST(const char *) Flags;
typedef struct Commands Commands;

/* The compile_commands.json of the run, or NULL if there is none. */
Commands *commands_open(Arena *arena, const FrontendOptions *options);
void commands_close(Commands *commands);

/* Appends what the file (absolute path) is compiled with, and tells by which compiler; returns
 * whether an entry was found, be it one that was inferred from a neighbour. Safe to call from
 * several threads. */
bool commands_of(Commands *commands, Arena *arena, const char *path, Flags *out,
                 Compiler *compiler);

/* By the name of its program: "/usr/bin/clang-19", "x86_64-linux-gnu-gcc". cc and mpicc may be any.
 */
Compiler compiler_named(const char *program);

/* Appends those of the arguments that are accepted: -I -isystem -iquote -D -U -std -include -x.
 * Relative paths are seen from `folder`. */
void flags_accept(Arena *arena, const char *const *arguments, uint32_t count, const char *folder,
                  Flags *out);

/* Whether the list holds this text. */
bool flags_hold(const Flags *list, const char *text);

#endif
