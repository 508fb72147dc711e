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

ALWAYS_INLINE double least(double a, double b) { return b < a ? b : a; }
ALWAYS_INLINE double most(double a, double b) { return b > a ? b : a; }

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

static void begin_columns(double *restrict sums, double *restrict weights, double *restrict lows, double *restrict highs,
                          int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        sums[j] = 0, weights[j] = 0, lows[j] = (double)INFINITY, highs[j] = -(double)INFINITY;
}

/* A value, or another one in its place where bits of a mask are set. */
ALWAYS_INLINE double instead(uint64_t bits, uint64_t mask, double other)
{
    return gp_f64_from_bits((bits & ~mask) | (gp_bits_from_f64(other) & mask));
}

static void add_finite_row(const double *restrict row, double weight, int64_t n, double *restrict sums, double *restrict weights,
                           double *restrict lows, double *restrict highs)
{
    const uint64_t exponent = 0x7ff0000000000000u;
    for (int64_t j = 0; j < n; j++) {
        uint64_t x = gp_bits_from_f64(row[j]), odd = (x & exponent) == exponent ? ~(uint64_t)0 : 0;
        double low = instead(x, odd, (double)INFINITY), high = instead(x, odd, -(double)INFINITY);
        sums[j] += weight * instead(x, odd, 0);
        weights[j] += instead(gp_bits_from_f64(weight), odd, 0);
        lows[j] = low < lows[j] ? low : lows[j];
        highs[j] = high > highs[j] ? high : highs[j];
    }
}

static void add_finite_rows(const double *const *rows, const double *weights, int n_rows, int64_t n, const gp_filter_columns *out)
{
    begin_columns(out->sums, out->weights, out->lows, out->highs, n);
    for (int i = 0; i < n_rows; i++)
        add_finite_row(rows[i], weights[i], n, out->sums, out->weights, out->lows, out->highs);
}

/* ---- columns -------------------------------------------------------------------------------------------------------- */

/* Columns from one on. */
typedef struct window {
    const double *sums, *weights, *lows, *highs;
} window;

ALWAYS_INLINE window window_at(const gp_filter_columns *columns, int64_t first)
{
    return (window){columns->sums + first, columns->weights + first, columns->lows + first, columns->highs + first};
}

/* More than how far sums of weights are apart when they are added in other orders. */
#define WEIGHT_DOUBT 0x1p-40

/*
 * Infinity takes a column without weight out of the extremes. Where a part of the weights is missing, NaN says that too much is,
 * or that rounding decides: then gp_filter_cell does.
 */
ALWAYS_INLINE double add_cell(const double *weights, window at, int i, int reach, bool is_partial)
{
    double sum = 0, weight = 0, low = (double)INFINITY, high = -(double)INFINITY;
#pragma GCC unroll 16
    for (int k = 0; k < reach; k++) {
        double here = weights[2 * k * GP_FILTER_BLOCK + i], outside = weights[(2 * k + 1) * GP_FILTER_BLOCK + i];
        sum += here * at.sums[i + k];
        weight += is_partial ? here * at.weights[i + k] : 0;
        low = least(low, at.lows[i + k] + outside);
        high = most(high, at.highs[i + k] - outside);
    }
    if (is_partial)
        sum = weight > GP_LEAST_WEIGHT + WEIGHT_DOUBT ? sum / weight : (double)NAN;
    return gp_filter_held(sum, low, high) + 0.0;
}

/* Blocks first to stop - 1. The compiler knows the reach. */
ALWAYS_INLINE void add_reach(const gp_filter_table *table, const gp_filter_columns *columns, int reach, bool is_partial,
                             int64_t first, int64_t stop, double *restrict out)
{
    for (int64_t b = first; b < stop; b++, out += GP_FILTER_BLOCK) {
        const double *weights = table->weights + b * reach * 2 * GP_FILTER_BLOCK;
        window at = window_at(columns, table->first[b]);
        for (int i = 0; i < GP_FILTER_BLOCK; i++)
            out[i] = add_cell(weights, at, i, reach, is_partial);
    }
}

ALWAYS_INLINE void add_blocks(const gp_filter_table *table, const gp_filter_columns *columns, bool is_partial, int64_t first,
                              int64_t stop, double *out)
{
    switch (table->reach) {
    case 1: add_reach(table, columns, 1, is_partial, first, stop, out); break;
    case 6: add_reach(table, columns, 6, is_partial, first, stop, out); break;
    case 8: add_reach(table, columns, 8, is_partial, first, stop, out); break;
    default: add_reach(table, columns, GP_FILTER_MOST_REACH, is_partial, first, stop, out); break;
    }
}

ALWAYS_INLINE void add_all(const gp_filter_table *table, const gp_filter_columns *columns, bool is_partial, double *out)
{
    int64_t n_whole = table->n_cells / GP_FILTER_BLOCK, n_rest = table->n_cells % GP_FILTER_BLOCK;
    double rest[GP_FILTER_BLOCK];
    add_blocks(table, columns, is_partial, 0, n_whole, out);
    if (n_rest == 0)
        return;
    add_blocks(table, columns, is_partial, n_whole, n_whole + 1, rest);
    memcpy(out + n_whole * GP_FILTER_BLOCK, rest, (size_t)n_rest * sizeof *rest);
}

static void add_columns(const gp_filter_table *table, const gp_filter_columns *columns, double *out)
{
    add_all(table, columns, false, out);
}

static void add_finite_columns(const gp_filter_table *table, const gp_filter_columns *columns, double *out)
{
    add_all(table, columns, true, out);
}

const gp_filter_loops GP_LEVELED(gp_filter_loops) = {are_finite, add_rows, add_finite_rows, add_columns, add_finite_columns};
