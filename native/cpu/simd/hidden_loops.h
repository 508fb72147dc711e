/* The inner loops of elements that are computed: magnitudes, colors, and reductions of hidden axes that need not be finite. */
#ifndef GP_HIDDEN_LOOPS_H
#define GP_HIDDEN_LOOPS_H

#include "../../core/tensor/view.h"
#include "level.h"

/*
 * Columns of one stage: how many elements were finite, the first of these, their sum or extreme, a second sum, and the GP_HAS_* bits of
 * all. Deviations are from the first finite element, so that the variance does not drown in the mean; of a norm `sum2` are magnitudes.
 */
typedef struct gp_hidden_columns {
    double *count, *first, *sum, *sum2;
    uint64_t *has;
} gp_hidden_columns;

typedef struct gp_hidden_loops {
    /* For each operation: adds n elements of a slice, one to each column. */
    void (*add[GP_N_HIDDEN_OPS])(const double *elems, int64_t n, const gp_hidden_columns *columns);
    /* gp_magnitude of n complex numbers. False, and nothing of use, if one is not finite or its square beyond the range of float64. */
    bool (*magnitudes)(const double *re, const double *im, int64_t n, double *out);
    /* Squares of the magnitudes of n complex numbers; infinite where they are beyond the range of float64. */
    void (*squares)(const double *re, const double *im, int64_t n, double *out);
    /* gp_unit_part of n complex numbers; `parts` are one of the two. False as for magnitudes. */
    bool (*unit_parts)(const double *re, const double *im, const double *parts, int64_t n, double *out);
    /* The GP_HAS_* bits of n elements, joined to `has`. */
    void (*kinds)(const double *elems, int64_t n, uint64_t *has);
    /* n values times opacities, which are 1 where alpha is `opaque` or more: gp_weighted_by_alpha of colors. */
    void (*weigh)(const double *alpha, double opaque, int64_t n, double *values);
} gp_hidden_loops;

/* The loops for this machine. */
const gp_hidden_loops *gp_hidden_loops_here(void);

#endif
