/* What marks the cells of a box that have elements which are not finite. */
#ifndef GP_BOX_MARKS_H
#define GP_BOX_MARKS_H

#include "box.h"

/* Whether sums of finite elements may be infinite: of narrower floats no float64 sum is, unless an element is. */
bool gp_box_may_overflow(const gp_box *box);

/* The classes of a cell's elements, as far as a NaN. */
unsigned gp_box_classes_of_cell(const gp_box *box, int64_t p);

/* Per cell: NaN, an infinity of either sign (as GP_HAS_POS_INF), or finite; by one pass over all elements. */
void gp_box_classify_cells(const gp_box *box, uint8_t *has);

/* What marks cells whose sums, n_bad of them, are not finite. */
void gp_box_mark_sums(const gp_box *box, const double *sums, int64_t n_bad, uint8_t *has);

/* Where some elements that are not finite mark and others do not, all kinds of element in a cell count. */
bool gp_box_needs_all_kinds(const gp_box *box);

/* Where elements that are not finite may be left out, finite ones are added by themselves. */
bool gp_box_leaves_some_out(const gp_box *box);

/* Columns (3 of the scratch) for the kinds of their elements, which `loops->kinds` adds; NULL where not all of them are needed. */
void *gp_box_kinds_columns(const gp_box *box, bool are_needed);
void gp_box_fold_kinds(const gp_box *box, const void *columns, uint8_t *has);

#endif
