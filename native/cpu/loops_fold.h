/* Folds of columns along x: the columns that a cell touches to one value; included into the loops of each level. */
#ifndef GP_LOOPS_FOLD_H
#define GP_LOOPS_FOLD_H

#include "loops.h"

#include "../core/cell_state.h"

/* From so many columns on a single chain of additions or comparisons is slower than eight beside each other. */
#define LONG_FOLD 16

/* The columns of one cell that lie in col0..col1, counted from col0. */
static inline void clip_span(const gp_span *span, int64_t col0, int64_t col1, int64_t *begin, int64_t *end)
{
    *begin = (span->touched_begin > col0 ? span->touched_begin : col0) - col0;
    *end = (span->touched_end < col1 ? span->touched_end : col1) - col0;
}

static inline double sum_of(const double *x, int64_t n)
{
    double sum = 0, lanes[8] = {0};
    int64_t i = 0;
    if (n >= LONG_FOLD) {
        for (; i + 8 <= n; i += 8)
            for (int j = 0; j < 8; j++)
                lanes[j] += x[i + j];
        sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    }
    for (; i < n; i++)
        sum += x[i];
    return sum;
}

static void fold_sums(const double *cols, const double *border, int64_t col0, int64_t col1, const gp_span *spans, int64_t n_cells,
                      double *out)
{
    for (int64_t p = 0; p < n_cells; p++) {
        const gp_span *span = &spans[p];
        int64_t begin, end;
        double sum = 0;
        clip_span(span, col0, col1, &begin, &end);
        out[p] = 0;
        if (begin >= end)
            continue;
        bool is_last_here = col0 + end == span->touched_end;
        double last = border != NULL ? border[p] : cols[end - 1];
        if (is_last_here && span->touched_end - span->touched_begin == 1) {
            out[p] = span->w_first * last;
            continue;
        }
        if (col0 + begin == span->touched_begin)
            sum = span->w_first * cols[begin++];
        sum += sum_of(cols + begin, (is_last_here ? end - 1 : end) - begin);
        out[p] = is_last_here ? sum + span->w_last * last : sum;
    }
}

/* Added in the order of fold_sums; the compiler knows the width. */
static inline __attribute__((always_inline)) void fold_even(const double *restrict cols, int64_t width, int64_t n_cells,
                                                            double *restrict out)
{
    for (int64_t p = 0; p < n_cells; p++) {
        const double *x = cols + p * width;
        double middle = 0;
        for (int64_t i = 1; i < width - 1; i++)
            middle += x[i];
        out[p] = (x[0] + middle) + x[width - 1];
    }
}

static void fold_even_sums(const double *cols, int64_t width, int64_t n_cells, double *out)
{
    switch (width) {
    case 2: fold_even(cols, 2, n_cells, out); return;
    case 3: fold_even(cols, 3, n_cells, out); return;
    case 4: fold_even(cols, 4, n_cells, out); return;
    case 5: fold_even(cols, 5, n_cells, out); return;
    case 8: fold_even(cols, 8, n_cells, out); return;
    default: break;
    }
    for (int64_t p = 0; p < n_cells; p++) {
        const double *x = cols + p * width;
        out[p] = (x[0] + sum_of(x + 1, width - 2)) + x[width - 1];
    }
}

/* gp_mean_settle without branches and without rint, so that it becomes vector instructions at every level: adding and
 * subtracting 2^52 rounds to a whole number. */
static void settle_means(const double *restrict sums, const double *restrict weights, int64_t n, double *restrict out)
{
    for (int64_t i = 0; i < n; i++) {
        double mean = sums[i] / weights[i], magnitude = fabs(mean), tolerance = magnitude * 0x1p-47;
        double rounded = magnitude < 0x1p52 ? (magnitude + 0x1p52) - 0x1p52 : magnitude;
        double single = (double)(float)mean;
        double settled = magnitude < 0x1p127 && fabs(mean - single) <= tolerance ? single : mean;
        bool is_whole = magnitude < 0x1p53 && fabs(magnitude - rounded) <= tolerance;
        out[i] = (is_whole ? copysign(rounded, mean) : settled) + 0.0;
    }
}

#define EXTREME_FOLD(NAME, T, is_better, ORDER, NONE)                                                                            \
    static inline T NAME##_of(const T *x, int64_t n)                                                                             \
    {                                                                                                                            \
        T best = x[0];                                                                                                           \
        int64_t i = 1;                                                                                                           \
        if (n >= LONG_FOLD) {                                                                                                    \
            T lanes[8];                                                                                                          \
            for (int j = 0; j < 8; j++)                                                                                          \
                lanes[j] = x[j];                                                                                                 \
            for (i = 8; i + 8 <= n; i += 8)                                                                                      \
                for (int j = 0; j < 8; j++)                                                                                      \
                    lanes[j] = x[i + j] is_better lanes[j] ? x[i + j] : lanes[j];                                                \
            for (int j = 0; j < 8; j++)                                                                                          \
                best = lanes[j] is_better best ? lanes[j] : best;                                                                \
        }                                                                                                                        \
        for (; i < n; i++)                                                                                                       \
            best = x[i] is_better best ? x[i] : best;                                                                            \
        return best;                                                                                                             \
    }                                                                                                                            \
    static inline __attribute__((always_inline)) void NAME##_even(const T *restrict x, int64_t width, int64_t n_cells,           \
                                                                  double *restrict out)                                          \
    {                                                                                                                            \
        for (int64_t p = 0; p < n_cells; p++) {                                                                                  \
            T best = x[p * width];                                                                                               \
            for (int64_t i = 1; i < width; i++)                                                                                  \
                best = x[p * width + i] is_better best ? x[p * width + i] : best;                                                \
            out[p] = gp_bits_of_order(ORDER(best));                                                                              \
        }                                                                                                                        \
    }                                                                                                                            \
    static bool NAME##_by_width(const T *x, int64_t width, int64_t n_cells, double *out)                                         \
    {                                                                                                                            \
        switch (width) {                                                                                                         \
        case 2: NAME##_even(x, 2, n_cells, out); return true;                                                                    \
        case 3: NAME##_even(x, 3, n_cells, out); return true;                                                                    \
        case 4: NAME##_even(x, 4, n_cells, out); return true;                                                                    \
        case 5: NAME##_even(x, 5, n_cells, out); return true;                                                                    \
        case 8: NAME##_even(x, 8, n_cells, out); return true;                                                                    \
        default: return false;                                                                                                   \
        }                                                                                                                        \
    }                                                                                                                            \
    static void NAME(const T *cols, int64_t col0, int64_t col1, const gp_span *spans, int64_t even_width, int64_t n_cells,       \
                     double *out)                                                                                                \
    {                                                                                                                            \
        if (cols != NULL && even_width > 0 && NAME##_by_width(cols + (spans[0].touched_begin - col0), even_width, n_cells, out)) \
            return;                                                                                                              \
        for (int64_t p = 0; cols == NULL && p < n_cells; p++)                                                                    \
            out[p] = gp_bits_of_order(NONE);                                                                                     \
        for (int64_t p = 0; cols != NULL && p < n_cells; p++) {                                                                  \
            int64_t begin, end;                                                                                                  \
            clip_span(&spans[p], col0, col1, &begin, &end);                                                                      \
            out[p] = gp_bits_of_order(begin < end ? ORDER(NAME##_of(cols + begin, end - begin)) : NONE);                         \
        }                                                                                                                        \
    }
#define ITSELF(x) (x)
EXTREME_FOLD(fold_min_float, float, <, gp_order_of_f64, GP_ORDER_LAST)
EXTREME_FOLD(fold_max_float, float, >, gp_order_of_f64, GP_ORDER_FIRST)
EXTREME_FOLD(fold_min_double, double, <, gp_order_of_f64, GP_ORDER_LAST)
EXTREME_FOLD(fold_max_double, double, >, gp_order_of_f64, GP_ORDER_FIRST)
EXTREME_FOLD(fold_min_int64_t, int64_t, <, ITSELF, GP_ORDER_LAST)
EXTREME_FOLD(fold_max_int64_t, int64_t, >, ITSELF, GP_ORDER_FIRST)
EXTREME_FOLD(fold_min_uint64_t, uint64_t, <, gp_order_of_u64, GP_ORDER_LAST)
EXTREME_FOLD(fold_max_uint64_t, uint64_t, >, gp_order_of_u64, GP_ORDER_FIRST)
#undef EXTREME_FOLD
#undef ITSELF

#endif
