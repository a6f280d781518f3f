/* Sections of one construct and sibling tasks: each is run by one thread, and another thread may
 * run the next one at the same time. */
#ifndef ANALYZER_FACTS_PEERS_H
#define ANALYZER_FACTS_PEERS_H

#include "analyzer/facts/model.h"

/* The section or task of the event's root that the event lies in, the outermost one; 0: none. */
AstNode event_part(const Facts *facts, const Event *event);

/* Whether the event's place, a variable or a fixed part of one, is also written in another section
 * of the same construct, or in another task that nothing makes wait for this one: no taskwait, no
 * depend clause, directly or through other tasks. A task that every thread makes has itself. */
bool event_has_peer(const Facts *facts, const Event *event);

#endif
