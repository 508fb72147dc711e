/* What there is among the elements of a plane: the answers of summarize, histogram and find, and what may be asked. */
#ifndef GP_SUMMARY_H
#define GP_SUMMARY_H

#include "bins.h"
#include "../states/scaled.h"
#include "../base/status.h"
#include "../states/summary_state.h"
#include "../tensor/view.h"

/* Each element is looked at once. Positions are row-major in the plane, row * n_cols + col, -1 where there is none. */
typedef struct gp_summary {
    /* They sum to the number of elements. Zeros include -0.0; masked elements are of no other kind. */
    int64_t n_nan, n_neg_inf, n_neg, n_zero, n_pos, n_pos_inf, n_masked;
    /* Those of neg and pos whose magnitude is below gp_smallest_normal, decided on bits. */
    int64_t n_subnormal;
    /* Of finite elements, found in the dtype (64-bit integers are compared exactly), then converted. NaN where there are none;
     * zeros are +0.0. */
    double min, max;
    /* Of finite elements: m2 = SUM (x - mean)^2. Merged moments in float64, with the same bits on every run and any number of
     * threads. NaN, 0, 0 where there are none. m2 and sum_of_squares are those of elements multiplied by `scale`. */
    double mean, m2, sum_of_squares;
    /* First occurrences; argmin and argmax are among finite elements. */
    int64_t argmin, argmax, first_nan;
    /* Of planes of integers (gp_plane_is_integer) that no mask is on, the extremes themselves; of uint64 as its bits. */
    int64_t exact_min, exact_max;
    double scale; /* a power of two, 1 where squares of the elements are neither too large nor too small */
} gp_summary;

/* The answer for a plane without elements. */
gp_summary gp_summary_none(void);

/* What is known about all elements, whose extremes are of this type; where those need a scale, moments may be wrong. */
gp_summary gp_summary_state_finish(const gp_summary_state *state, gp_order_type order);

/* The scale by which elements with these extremes are multiplied before they are squared: 1, GP_SCALE_DOWN or GP_SCALE_UP. */
double gp_scale_of_range(double low, double high);

/* Takes the moments of elements that were multiplied by a scale. */
void gp_summary_take_scaled(gp_summary *summary, const gp_summary *scaled, double scale);

/* A state whose moments are those of elements multiplied by `scale`. */
typedef struct gp_partial_summary {
    gp_summary_state state;
    double scale;
} gp_partial_summary;

gp_partial_summary gp_partial_summary_none(void);
void gp_partial_summary_join(gp_partial_summary *to, const gp_partial_summary *from);
gp_summary gp_partial_summary_finish(const gp_partial_summary *partial, gp_order_type order);

/* Makes the answer for some elements that for n of each; positions, which are of the first ones, stay. */
void gp_summary_repeat(gp_summary *summary, int64_t n);

/*
 * Exact limits between which integers count in a histogram, both included; last < first: none does. Of unsigned dtypes both
 * are the bits of uint64_t, and are compared as such.
 */
typedef struct gp_integer_range {
    int64_t first, last;
} gp_integer_range;

/* Whether elements of the plane are integers (or bools) as they are stored, neither computed nor channels. */
bool gp_plane_is_integer(const gp_plane *plane);

/* Fails where edges are not n_bins + 1 finite numbers that rise strictly, or a range is given for what is not an integer. */
gp_status gp_histogram_check(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                             gp_error *error) GP_MUST_CHECK;

/* Fails where kinds is not a union of GP_HAS_* bits, or start is neither an element nor the place just behind the last one
 * (backwards: just before the first), where nothing is found. */
gp_status gp_find_check(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, gp_error *error) GP_MUST_CHECK;

#endif
