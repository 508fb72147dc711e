/* Cells resampled with a few weights along each axis: the result for one cell, on every device. */
#ifndef GP_FILTER_H
#define GP_FILTER_H

#include "../states/reductions.h"

/* The most weights of a cell along an axis. */
#define GP_MOST_TAPS 8

/*
 * Along one axis, for each cell of the result: the first source cell that has a weight, n_taps weights from there on, and
 * touched[2 i] to touched[2 i + 1] (half-open), the source cells that decide about its mark. A cell that touches none is empty.
 */
typedef struct gp_taps {
    const int64_t *first, *touched;
    const double *weights;
    int64_t n_cells;
    int32_t n_taps;
} gp_taps;

/* If the weights of the finite cells sum to at most this, the plain mean of the touched cells is taken. */
#define GP_LEAST_WEIGHT 0.25

/* GP_HAS_* bits of the touched cells; 0 if all are empty. */
GP_FN unsigned gp_filter_kinds(const double *from, int64_t n_cols, const gp_taps *rows, int64_t q, const gp_taps *cols, int64_t p)
{
    unsigned has = 0;
    for (int64_t row = rows->touched[2 * q]; row < rows->touched[2 * q + 1]; row++)
        for (int64_t col = cols->touched[2 * p]; col < cols->touched[2 * p + 1]; col++)
            if (!gp_is_empty_cell(from[row * n_cols + col]))
                has |= gp_class_of(from[row * n_cols + col]);
    return has;
}

/* The mean of the finite touched cells. */
GP_FN double gp_filter_mean(const double *from, int64_t n_cols, const gp_taps *rows, int64_t q, const gp_taps *cols, int64_t p)
{
    double sum = 0, n = 0;
    for (int64_t row = rows->touched[2 * q]; row < rows->touched[2 * q + 1]; row++)
        for (int64_t col = cols->touched[2 * p]; col < cols->touched[2 * p + 1]; col++)
            if (gp_class_of(from[row * n_cols + col]) == GP_HAS_FINITE)
                sum += from[row * n_cols + col], n += 1;
    return sum / n;
}

GP_FN double gp_filter_held(double value, double low, double high) { return value < low ? low : value > high ? high : value; }

/* Cell (q, p): the weighted mean of the finite cells, limited to their range; or the mark of the touched cells. */
GP_FN double gp_filter_cell(const double *from, int64_t n_cols, const gp_taps *rows, int64_t q, const gp_taps *cols, int64_t p,
                            gp_nan nan)
{
    const double *down = rows->weights + q * rows->n_taps, *across = cols->weights + p * cols->n_taps;
    unsigned has = gp_filter_kinds(from, n_cols, rows, q, cols, p);
    double sum = 0, weight = 0, low = 0, high = 0;
    bool is_first = true;
    if (has == 0)
        return gp_empty_cell();
    if (gp_is_marked(has, nan))
        return gp_mark_of(has, nan);
    for (int i = 0; i < rows->n_taps; i++)
        for (int k = 0; k < cols->n_taps; k++) {
            double x = from[(rows->first[q] + i) * n_cols + cols->first[p] + k], w = down[i] * across[k];
            if (w == 0 || gp_class_of(x) != GP_HAS_FINITE)
                continue;
            sum += w * x, weight += w;
            low = is_first || x < low ? x : low, high = is_first || x > high ? x : high;
            is_first = false;
        }
    double value = weight > GP_LEAST_WEIGHT ? sum / weight : gp_filter_mean(from, n_cols, rows, q, cols, p);
    return (is_first ? value : gp_filter_held(value, low, high)) + 0.0;
}

#endif
