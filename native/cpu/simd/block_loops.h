/* The loops behind summarize, histogram, find and series, over a block of contiguous elements. */
#ifndef GP_BLOCK_LOOPS_H
#define GP_BLOCK_LOOPS_H

#include "../../core/tensor/dtypes.h"
#include "level.h"

#include "../../core/statistics/series.h"
#include "../../core/statistics/summary.h"
#include "tally.h"

/* The most elements of a block, which is read twice while it is in the nearest cache. Sums of 16-bit integers rely on it. */
#define GP_BLOCK_ELEMS 2048

/* For uneven bins: numbers whose orders (gp_order_of_f64) have the same leading bits are in bins first_bin[bucket] to
 * first_bin[bucket + 1], where bucket is the order minus lowest, shifted down. */
typedef struct gp_bin_table {
    gp_order lowest;
    int shift;
    int32_t *first_bin; /* NULL: there is no table */
} gp_bin_table;

/*
 * Bins with rising edges. Numbers in lowest..highest are within the edges; (x - origin) * scale differs from the place of x among the
 * bins by less than `doubt`. All this is so in float64, and again in float32.
 */
typedef struct gp_bins {
    const double *edges; /* n_bins + 1 */
    int64_t n_bins;
    double lowest_double, highest_double, origin_double, scale_double, doubt_double;
    float lowest_single, highest_single, origin_single, scale_single, doubt_single;
    bool has_doubles, has_singles; /* whether estimates of this kind are good enough */
    bool has_range; /* for integers: those of orders first..last are counted, and edges only tell the bin */
    int64_t first, last;
    const int32_t *bin_of_code; /* for 8-bit dtypes: the bin of each code, n_bins if it is not counted */
    gp_bin_table table;
} gp_bins;

/* The bin of x; n_bins for NaN and for numbers beyond the edges. */
GP_FN int64_t gp_bin_of(const gp_bins *bins, double x)
{
    const gp_bin_table *table = &bins->table;
    if (!(x >= bins->edges[0] && x <= bins->edges[bins->n_bins]))
        return bins->n_bins;
    if (table->first_bin == NULL)
        return gp_bin_search(bins->edges, (int32_t)bins->n_bins, x);
    const int32_t *first = table->first_bin + (((uint64_t)gp_order_of_f64(x) - (uint64_t)table->lowest) >> table->shift);
    return first[0] + gp_bin_search(bins->edges + first[0], first[1] - first[0] + 1, x);
}

/* The number and extremes, as orders, of the finite elements of a block (not valid if there are none), and GP_HAS_* bits of all. */
typedef struct gp_block_extremes {
    int64_t n_finite;
    gp_order lowest, highest;
    unsigned has;
} gp_block_extremes;

/* The loops over contiguous elements of a dtype that row_reader.h delivers. */
typedef struct gp_block_loops {
    /* Joins the summary of at most GP_BLOCK_ELEMS elements. */
    void (*summarize)(const void *elems, int n, double smallest_normal, gp_summary_state *state);
    /* The bins of at most GP_BLOCK_ELEMS elements; n_bins for those in no bin. */
    void (*find_slots)(const void *elems, int n, const gp_bins *bins, int32_t *slots);
    /* Counts at most GP_BLOCK_ELEMS elements by their bins, or, for 8-bit dtypes, by their codes. */
    void (*count)(const void *elems, int n, const gp_bins *bins, gp_tally *tally);
    /* The first element (is_backwards: the last) whose kind is one of the GP_HAS_* bits, or -1. */
    int64_t (*find_kinds)(const void *elems, int64_t n, unsigned kinds, bool is_backwards);
    /* The first element of this order, or -1. */
    int64_t (*find_order)(const void *elems, int64_t n, int64_t order);
    /* The finite elements among at most GP_BLOCK_ELEMS. */
    void (*extremes)(const void *elems, int n, gp_block_extremes *out);
    /* GP_RISES and GP_FALLS, of 1 to GP_BLOCK_ELEMS elements. */
    unsigned (*ways)(const void *elems, int n);
} gp_block_loops;

const gp_block_loops *gp_block_loops_for(gp_dtype dtype);

/* The type of order by which the loops of a dtype compare elements. */
gp_order_type gp_block_order(gp_dtype dtype);

#endif
