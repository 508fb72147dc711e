/* The answer about elements of a loop's dtype, but for where its extremes are. */
#ifndef GP_PART_H
#define GP_PART_H

#include "../core/summary.h"
#include "look.h"
#include "rows.h"

/* Joins what there is among n <= GP_LOOK_ELEMS elements that rows have delivered. */
void gp_part_add(const gp_rows *rows, const gp_look_loops *loops, const void *elems, int n, double smallest_normal,
                 gp_part *part);

/* The first element that is a NaN and not masked, or -1. */
int64_t gp_first_nan(const gp_rows *rows, const gp_look_loops *loops, const void *elems, int64_t n);

gp_summary gp_summary_of_part(const gp_part *part, gp_dtype dtype);

#endif
