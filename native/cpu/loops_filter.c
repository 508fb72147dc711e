/* Resampling of finite cells: loops over rows and columns that compilers turn into vectors. */
#include "filter_loops.h"
#include "loops_integers.h"

#include <string.h>

extern const gp_filter_loops GP_LEVELED(gp_filter_loops);

static bool are_finite(const double *x, int64_t n)
{
    uint64_t seen = 0; /* the sign bit is set by a full exponent */
    for (int64_t i = 0; i < n; i++)
        seen |= (gp_bits_from_f64(x[i]) & 0x7fffffffffffffffu) + 0x0010000000000000u;
    return seen >> 63 == 0;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

/* The compiler knows k. */
ALWAYS_INLINE void add_k_rows(const double *const *rows, const double *weights, int k, int64_t n, double *restrict sums,
                              double *restrict lows, double *restrict highs)
{
    for (int64_t j = 0; j < n; j++) {
        double x = rows[0][j], sum = weights[0] * x, low = x, high = x;
        for (int i = 1; i < k; i++) {
            x = rows[i][j];
            sum += weights[i] * x;
            low = x < low ? x : low, high = x > high ? x : high;
        }
        sums[j] = sum, lows[j] = low, highs[j] = high;
    }
}

static void add_rows(const double *const *rows, const double *weights, int n_rows, int64_t n, const gp_filter_columns *out)
{
    switch (n_rows) {
    case 1: add_k_rows(rows, weights, 1, n, out->sums, out->lows, out->highs); break;
    case 2: add_k_rows(rows, weights, 2, n, out->sums, out->lows, out->highs); break;
    case 3: add_k_rows(rows, weights, 3, n, out->sums, out->lows, out->highs); break;
    case 4: add_k_rows(rows, weights, 4, n, out->sums, out->lows, out->highs); break;
    case 5: add_k_rows(rows, weights, 5, n, out->sums, out->lows, out->highs); break;
    case 6: add_k_rows(rows, weights, 6, n, out->sums, out->lows, out->highs); break;
    case 7: add_k_rows(rows, weights, 7, n, out->sums, out->lows, out->highs); break;
    default: add_k_rows(rows, weights, GP_MOST_TAPS, n, out->sums, out->lows, out->highs); break;
    }
}

/* ---- columns -------------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE double least(double a, double b) { return b < a ? b : a; }
ALWAYS_INLINE double most(double a, double b) { return b > a ? b : a; }

/* Infinity takes a column without weight out of the extremes. */
ALWAYS_INLINE double add_cell(const double *weights, const double *sums, const double *lows, const double *highs, int reach)
{
    double sum = 0, low = (double)INFINITY, high = -(double)INFINITY;
#pragma GCC unroll 16
    for (int k = 0; k < reach; k++) {
        double outside = weights[(2 * k + 1) * GP_FILTER_BLOCK];
        sum += weights[2 * k * GP_FILTER_BLOCK] * sums[k];
        low = least(low, lows[k] + outside);
        high = most(high, highs[k] - outside);
    }
    return gp_filter_held(sum, low, high) + 0.0;
}

/* The compiler knows the reach. */
ALWAYS_INLINE void add_reach(const gp_filter_table *table, const gp_filter_columns *columns, int reach, int64_t first,
                             int64_t stop, double *restrict out)
{
    for (int64_t b = first; b < stop; b++, out += GP_FILTER_BLOCK) {
        const double *weights = table->weights + b * reach * 2 * GP_FILTER_BLOCK, *sums = columns->sums + table->first[b];
        const double *lows = columns->lows + table->first[b], *highs = columns->highs + table->first[b];
        for (int i = 0; i < GP_FILTER_BLOCK; i++)
            out[i] = add_cell(weights + i, sums + i, lows + i, highs + i, reach);
    }
}

static void add_blocks(const gp_filter_table *table, const gp_filter_columns *columns, int64_t first, int64_t stop, double *out)
{
    switch (table->reach) {
    case 1: add_reach(table, columns, 1, first, stop, out); break;
    case 6: add_reach(table, columns, 6, first, stop, out); break;
    case 8: add_reach(table, columns, 8, first, stop, out); break;
    default: add_reach(table, columns, GP_FILTER_MOST_REACH, first, stop, out); break;
    }
}

static void add_columns(const gp_filter_table *table, const gp_filter_columns *columns, double *out)
{
    int64_t n_whole = table->n_cells / GP_FILTER_BLOCK, n_rest = table->n_cells % GP_FILTER_BLOCK;
    double rest[GP_FILTER_BLOCK];
    add_blocks(table, columns, 0, n_whole, out);
    if (n_rest == 0)
        return;
    add_blocks(table, columns, n_whole, n_whole + 1, rest);
    memcpy(out + n_whole * GP_FILTER_BLOCK, rest, (size_t)n_rest * sizeof *rest);
}

const gp_filter_loops GP_LEVELED(gp_filter_loops) = {are_finite, add_rows, add_columns};
