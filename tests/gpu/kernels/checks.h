/* The groups of checks: each runs one part of the CUDA backend and holds it against the CPU's, within what rounding allows. */
#ifndef GP_TEST_CHECKS_H
#define GP_TEST_CHECKS_H

#include "samples.h"
#include "tally.h"

/* Planes of the shape lists times this. */
typedef struct check_sizes {
    int64_t scale;
} check_sizes;

void check_reduce(tally *all, const check_sizes *sizes);      /* every kind, shape, aggregation and NaN policy */
void check_repeats(tally *all, const check_sizes *sizes);     /* the same bits on every run */
void check_limits(tally *all, const check_sizes *sizes);
void check_percentiles(tally *all, const check_sizes *sizes);
void check_collect(tally *all, const check_sizes *sizes);     /* ranges of values, with room for all and for a few */
void check_summarize(tally *all, const check_sizes *sizes);
void check_histogram(tally *all, const check_sizes *sizes);   /* even and uneven edges, few bins and many, ranges of integers */
void check_joint(tally *all, const check_sizes *sizes);       /* counts and sums, few bins and many, of one plane and of two */
void check_difference(tally *all, const check_sizes *sizes);  /* of a plane and itself turned round: cells and numbers */
void check_bin_points(tally *all, const check_sizes *sizes);  /* counts, aggregations of values, classes */
void check_bin_lines(tally *all, const check_sizes *sizes);   /* in order and in none, counted and normalized, by knots */
void check_find(tally *all, const check_sizes *sizes);        /* every kind of element, both directions */
void check_series(tally *all, const check_sizes *sizes);      /* columns of one block and of several; order; search; samples */
void check_summarize_slices(tally *all, const check_sizes *sizes); /* of all rows of a plane at once, and of all columns */
void check_histogram_slices(tally *all, const check_sizes *sizes);
void check_percentiles_slices(tally *all, const check_sizes *sizes);
void check_gather(tally *all, const check_sizes *sizes);
void check_convert(tally *all, const check_sizes *sizes);     /* every dtype to every dtype, targets with and without gaps */
void check_points(tally *all);
void check_shade(tally *all, const check_sizes *sizes);       /* every norm */
void check_shade_rgb(tally *all, const check_sizes *sizes);
void check_angle(tally *all, const check_sizes *sizes);
void check_filter(tally *all, const check_sizes *sizes);      /* every NaN policy */
void check_huge(tally *all);                                  /* more than 2^32 bytes, and more than 2^31 elements a row */

/* Calls `check` for every kind and size, on a sample that is made where the case runs. */
typedef void check_of_sample(tally *all, const sample *s, const sample_kind *kind, int number);
void for_every_sample(tally *all, const check_sizes *sizes, check_of_sample *check);

/* Whether kernels may be run whose bytes depend on the order of threads, which an emulated device that compares orders would report:
 * on a GPU, and where typical cases are among the chosen ones. */
bool may_depend_on_order(const tally *all);

/* The same number, mark or empty cell: marks are told apart by kind, not by payload, and zero by its sign. */
bool is_same_value(double got, double want);

/* False, and a failure told, where limits differ in what was asked for; computed values may differ by `tolerance`. */
bool check_facts(tally *all, const gp_limits *got, const gp_limits *want, unsigned asked, double tolerance);

/* The summary of some elements of a sample, within what rounding allows; bins of all its elements. */
void check_summary(tally *all, const gp_summary *got, const gp_summary *want, const sample *s, const sample_kind *kind,
                   int64_t n_elems);
void check_bins(tally *all, const int64_t *got, const int64_t *want, int64_t n_bins, const sample *s, const sample_kind *kind);

#endif
