/* The samples of a series that draw one pixel column (M4): how such a state starts, takes samples, and joins another one. */
#ifndef GP_M4_STATE_H
#define GP_M4_STATE_H

#include "summary_state.h"

/*
 * The first, the last, the smallest and the largest of the finite samples, each with its position in the series; ties go to the lowest
 * position. While n_finite is 0, positions are GP_NOWHERE and orders are not valid. has: GP_HAS_* bits of all samples. Every field is
 * exact, so that states may be joined in any grouping and order.
 *
 * Samples that are not finite interrupt a line: all samples of the column before `first` and after `last` are such, and there are some
 * between these if n_finite < last - first + 1.
 */
typedef struct gp_m4_state {
    int64_t n_finite, first, last, argmin, argmax;
    gp_order y_first, y_last, lowest, highest;
    uint64_t has;
} gp_m4_state;

/* The state of no samples. */
GP_FN gp_m4_state gp_m4_state_none(void)
{
    gp_m4_state none = {0, GP_NOWHERE, GP_NOWHERE, GP_NOWHERE, GP_NOWHERE, 0, 0, GP_ORDER_LAST, GP_ORDER_FIRST, 0};
    return none;
}

/* Adds a sample, whose kind is a GP_HAS_* bit; y is only used if that is GP_HAS_FINITE. */
GP_FN void gp_m4_state_add(gp_m4_state *s, unsigned kind, gp_order y, int64_t position)
{
    s->has |= kind;
    if (kind != GP_HAS_FINITE)
        return;
    if (s->n_finite == 0 || position < s->first)
        s->first = position, s->y_first = y;
    if (s->n_finite == 0 || position > s->last)
        s->last = position, s->y_last = y;
    if (s->n_finite == 0 || y < s->lowest || (y == s->lowest && position < s->argmin))
        s->lowest = y, s->argmin = position;
    if (s->n_finite == 0 || y > s->highest || (y == s->highest && position < s->argmax))
        s->highest = y, s->argmax = position;
    s->n_finite++;
}

GP_FN void gp_m4_state_join(gp_m4_state *to, const gp_m4_state *from)
{
    to->has |= from->has;
    if (from->n_finite == 0)
        return;
    if (to->n_finite == 0 || from->first < to->first)
        to->first = from->first, to->y_first = from->y_first;
    if (to->n_finite == 0 || from->last > to->last)
        to->last = from->last, to->y_last = from->y_last;
    if (to->n_finite == 0 || from->lowest < to->lowest || (from->lowest == to->lowest && from->argmin < to->argmin))
        to->lowest = from->lowest, to->argmin = from->argmin;
    if (to->n_finite == 0 || from->highest > to->highest || (from->highest == to->highest && from->argmax < to->argmax))
        to->highest = from->highest, to->argmax = from->argmax;
    to->n_finite += from->n_finite;
}

#endif
