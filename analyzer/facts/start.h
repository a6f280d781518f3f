/* Calls that start a thread with a function of the program: pthread_create, thrd_create; in Python
 * executor.submit(f, …), executor.map(f, …) and Thread(target=f, args=(…)), where f is compiled
 * with nogil: other functions hold the interpreter's lock, one at a time. */
#ifndef ANALYZER_FACTS_START_H
#define ANALYZER_FACTS_START_H

#include "analyzer/facts/model.h"

/* Whether `call` starts threads at all. */
bool start_is(const Facts *facts, const Unit *unit, AstNode call);

/* The function that they run; 0 if it is not known, or if the call starts none. */
FunctionId start_function(const Facts *facts, const Unit *unit, AstNode call);

/* All functions that they may run, as the one above, or those that are passed anywhere for the
 * parameter of a wrapper, begin(f, …) { pthread_create(…, f, …); }. Their number; `to` holds
 * CALLEES_MOST. */
int start_functions(const Facts *facts, const Unit *unit, AstNode call, FunctionId *to);

/* The parameter of its function that names what the call starts; 0 if no parameter does. */
AstSymbol start_parameter(const Facts *facts, const Unit *unit, AstNode call);

/* What the call hands to parameter `index` of that function; 0 if that is not known. */
AstNode start_argument(const Facts *facts, const Unit *unit, AstNode call, uint32_t index);

#endif
