/* Inside of shape inference, shared by shape.c (what an expression is) and infer.c (the evidence,
 * to a fixed point). */
#ifndef ANALYZER_FACTS_SHAPE_H
#define ANALYZER_FACTS_SHAPE_H

#include "analyzer/facts/model.h"

enum { SHAPE_DEEPEST = 7 /* dimensions that are told apart */ };

/* What `expression` of `unit` holds, by what is known so far. */
Shape shape_value(const Facts *facts, const Unit *unit, AstNode expression);

/* What an index, or a loop over it, gets out of a container. */
Shape shape_element(Shape container);

/* `row = row[i]` reaches a use of row, which then has fewer dimensions than row[i] asks for:
 * row[i]; 0: no. */
AstNode shape_narrowed(const Facts *facts, const Unit *unit, AstNode name);

/* FIELD with this name. */
bool shape_field_is(const Ast *ast, AstNode node, const char *name);

/* Indices that take a dimension away, and whether any keeps one (a slice, an ellipsis, an array).
 */
uint32_t shape_scalar_indices(const Ast *ast, AstNode index, bool *slices);

/* How many indices are arrays, as x[order], x[mask, :] and x[x > 0] have one: these keep a
 * dimension.
 */
uint32_t shape_index_arrays(const Facts *facts, const Unit *unit, AstNode index);

/* x["name"]: a key of a dictionary or a field of a record, which says nothing about dimensions. */
bool shape_indexed_by_name(const Ast *ast, AstNode index);

/* Where the shape of a field is kept: by the record it belongs to (a namedtuple, a class). */
uint64_t shape_record_key(uint16_t record, Name field);

/* The same for the FIELD of an expression. Where the record is not known, only uses speak, how deep
 * it is indexed, and they speak of what is named so in the unit: `grid.lon.values` has to do with
 * `grid.lon.values` alone.
 */
uint64_t shape_field_key(const Unit *unit, uint16_t record, AstNode field);

/* `x.ndim == k` around a use of x says k there: 0 if nothing does. */
uint8_t shape_tested_rank(const Ast *ast, AstNode name);

/* Whether a branch around a use of x tests x.ndim at all, `if x.ndim > 1:` say. */
bool shape_rank_tested(const Ast *ast, AstNode name);

#endif
