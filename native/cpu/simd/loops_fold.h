/* Folds of columns along x: the columns that a cell touches to one value; included into the loops of each level. */
#ifndef GP_LOOPS_FOLD_H
#define GP_LOOPS_FOLD_H

#include "loops.h"
#include "loops_integers.h"
#include "loops_windows.h"

#include "../../core/states/cell_state.h"

/* From so many columns on a single chain of additions or comparisons is slower than eight beside each other. */
#define LONG_FOLD 16

/* Extremes of so many cells at a time stay in the nearest cache until they are what the cells come to. */
#define FOLD_BLOCK 256

/* What no value of a type is above, and what none is below. */
#define highest_float INFINITY
#define lowest_float (-INFINITY)
#define highest_double ((double)INFINITY)
#define lowest_double (-(double)INFINITY)
#define highest_int64_t INT64_MAX
#define lowest_int64_t INT64_MIN
#define highest_uint64_t UINT64_MAX
#define lowest_uint64_t ((uint64_t)0)

/* The columns at hand of cell p, counted from col0. */
ALWAYS_INLINE void clip_span(const gp_fold *fold, int64_t p, int64_t *begin, int64_t *end)
{
    const gp_span *span = &fold->spans[p];
    *begin = (span->touched_begin > fold->col0 ? span->touched_begin : fold->col0) - fold->col0;
    *end = (span->touched_end < fold->col1 ? span->touched_end : fold->col1) - fold->col0;
}

/* At most FOLD_BLOCK cells from the given one on. */
ALWAYS_INLINE gp_fold fold_part(const gp_fold *fold, int64_t first)
{
    gp_fold part = *fold;
    part.spans += first, part.cell0 += first, part.n_cells -= first;
    part.n_cells = part.n_cells < FOLD_BLOCK ? part.n_cells : FOLD_BLOCK;
    return part;
}

/* ---- sums ----------------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE double sum_of(const double *x, int64_t n)
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

/* Cells of any kind, whole or not. */
static void sums_of_spans(const gp_fold *fold, const double *cols, const double *border, double *out)
{
    for (int64_t p = 0; p < fold->n_cells; p++) {
        const gp_span *span = &fold->spans[p];
        int64_t begin, end;
        double sum = 0;
        clip_span(fold, p, &begin, &end);
        out[p] = 0;
        if (begin >= end)
            continue;
        bool is_last_here = fold->col0 + end == span->touched_end;
        double last = border != NULL ? border[p] : cols[end - 1];
        if (is_last_here && span->touched_end - span->touched_begin == 1) {
            out[p] = span->w_first * last;
            continue;
        }
        if (fold->col0 + begin == span->touched_begin)
            sum = span->w_first * cols[begin++];
        sum += sum_of(cols + begin, (is_last_here ? end - 1 : end) - begin);
        out[p] = is_last_here ? sum + span->w_last * last : sum;
    }
}

/* Two columns beside each other: a vector that every processor has, which loops over cells of several columns don't find by themselves. */
typedef double column_pair __attribute__((vector_size(16), aligned(8), may_alias));

/* The compiler knows the width. */
ALWAYS_INLINE double even_sum_of(const double *x, int64_t width)
{
    column_pair pair = *(const column_pair *)x;
    for (int64_t i = 2; i + 2 <= width; i += 2)
        pair += *(const column_pair *)(x + i);
    return width % 2 == 0 ? pair[0] + pair[1] : (pair[0] + pair[1]) + x[width - 1];
}

ALWAYS_INLINE void even_sums_of(const double *restrict cols, int64_t width, int64_t n_cells, double *restrict out)
{
    for (int64_t p = 0; p < n_cells; p++)
        out[p] = even_sum_of(cols + p * width, width);
}

/* Cells of two or three columns become vectors of cells. */
ALWAYS_INLINE void narrow_sums_of(const double *restrict cols, int64_t width, int64_t n_cells, double *restrict out)
{
    for (int64_t p = 0; p < n_cells; p++) {
        const double *x = cols + p * width;
        out[p] = width == 2 ? x[0] + x[1] : (x[0] + x[1]) + x[2];
    }
}

static void even_sums(const double *cols, int64_t width, int64_t n_cells, double *out)
{
    switch (width) {
    case 2: narrow_sums_of(cols, 2, n_cells, out); return;
    case 3: narrow_sums_of(cols, 3, n_cells, out); return;
    case 4: even_sums_of(cols, 4, n_cells, out); return;
    case 5: even_sums_of(cols, 5, n_cells, out); return;
    case 6: even_sums_of(cols, 6, n_cells, out); return;
    case 7: even_sums_of(cols, 7, n_cells, out); return;
    case 8: even_sums_of(cols, 8, n_cells, out); return;
    case 9: even_sums_of(cols, 9, n_cells, out); return;
    case 10: even_sums_of(cols, 10, n_cells, out); return;
    case 11: even_sums_of(cols, 11, n_cells, out); return;
    case 12: even_sums_of(cols, 12, n_cells, out); return;
    case 13: even_sums_of(cols, 13, n_cells, out); return;
    case 14: even_sums_of(cols, 14, n_cells, out); return;
    case 15: even_sums_of(cols, 15, n_cells, out); return;
    case 16: even_sums_of(cols, 16, n_cells, out); return;
    default: break;
    }
    for (int64_t p = 0; p < n_cells; p++) {
        const double *x = cols + p * width;
        out[p] = (x[0] + sum_of(x + 1, width - 2)) + x[width - 1];
    }
}

/* A cell of k columns or one less, of which the first and the last have weights; without a branch. */
ALWAYS_INLINE double regular_sum_of(const double *x, int k, int32_t last, double first_weight, double last_weight)
{
    double sum = first_weight * x[0], between = x[k - 2];
    for (int j = 1; j < k - 2; j++)
        sum += x[j];
    sum += last == k - 1 ? between : 0.0;
    return sum + last_weight * x[last];
}

/* Cells of a table with at most k columns, which the compiler knows. */
ALWAYS_INLINE void table_sums_of(const gp_fold *fold, const double *restrict cols, int k, double *restrict out)
{
    const gp_cell_columns *table = fold->table;
    const int32_t *first = table->first + fold->cell0, *last = table->last + fold->cell0;
    const double *weights = table->weights + fold->cell0, *x = cols - fold->col0;
    const double *last_weights = table->last_weights + fold->cell0;
    int64_t n = table->n_cells, p = window_sums(fold, cols, k, out);
    for (; k > 2 && table->is_regular && p < fold->n_cells; p++)
        out[p] = regular_sum_of(x + first[p], k, last[p], weights[p], last_weights[p]);
    for (; p < fold->n_cells; p++) {
        const double *from = x + first[p];
        double sum = weights[p] * from[0];
        for (int j = 1; j < k; j++)
            sum += weights[j * n + p] * from[j < last[p] ? j : last[p]];
        out[p] = sum;
    }
}

static void table_sums(const gp_fold *fold, const double *cols, double *out)
{
    switch (fold->table->n_columns) {
    case 1: table_sums_of(fold, cols, 1, out); break;
    case 2: table_sums_of(fold, cols, 2, out); break;
    case 3: table_sums_of(fold, cols, 3, out); break;
    case 4: table_sums_of(fold, cols, 4, out); break;
    case 5: table_sums_of(fold, cols, 5, out); break;
    case 6: table_sums_of(fold, cols, 6, out); break;
    case 7: table_sums_of(fold, cols, 7, out); break;
    default: table_sums_of(fold, cols, GP_MAX_CELL_COLUMNS, out); break;
    }
}

static void fold_sums(const gp_fold *fold, const double *cols, const double *border, double *out)
{
    if (border == NULL && fold->even_width > 0)
        even_sums(cols + (fold->spans[0].touched_begin - fold->col0), fold->even_width, fold->n_cells, out);
    else if (border == NULL && fold->table != NULL)
        table_sums(fold, cols, out);
    else
        sums_of_spans(fold, cols, border, out);
}

/* ---- means ---------------------------------------------------------------------------------------------------------- */

/* gp_mean_settle without branches and without rint, so that it becomes vector instructions at every level: adding and
 * subtracting 2^52 rounds to a whole number. */
ALWAYS_INLINE double settled(double mean)
{
    double magnitude = fabs(mean), tolerance = magnitude * 0x1p-47;
    double rounded = magnitude < 0x1p52 ? (magnitude + 0x1p52) - 0x1p52 : magnitude;
    double single = (double)(float)mean;
    double near_single = magnitude < 0x1p127 && fabs(mean - single) <= tolerance ? single : mean;
    bool is_whole = magnitude < 0x1p53 && fabs(magnitude - rounded) <= tolerance;
    return (is_whole ? copysign(rounded, mean) : near_single) + 0.0;
}

/* The same of means below 2^24, where whole numbers are floats. */
ALWAYS_INLINE double settled_small(double mean)
{
    double single = (double)(float)mean;
    return (fabs(mean - single) <= fabs(mean) * 0x1p-47 ? single : mean) + 0.0;
}

ALWAYS_INLINE uint64_t magnitude_bits(double x) { return gp_bits_from_f64(x) & 0x7fffffffffffffffu; }

/* The sign bit of the result is set if the exponent is full. */
ALWAYS_INLINE uint64_t exponent_overflow(double x) { return magnitude_bits(x) + 0x0010000000000000u; }

/* The sign bit of the result is set if x is 2^24 or more, or not finite. */
ALWAYS_INLINE uint64_t is_large(double x) { return 0x416fffffffffffffu - magnitude_bits(x); }

/* How sums become means: times a factor, or over a weight, or over this times one of each cell. */
typedef struct mean_rule {
    bool is_factor;
    double by;
    const double *weights; /* NULL, or of each cell */
} mean_rule;

ALWAYS_INLINE double mean_at(const mean_rule *rule, const double *sums, int64_t i)
{
    if (rule->weights != NULL)
        return sums[i] / (rule->by * rule->weights[i]);
    return rule->is_factor ? sums[i] * rule->by : sums[i] / rule->by;
}

/* So many means are settled at a time, as small ones unless one of them is not. */
#define MEANS_AT_ONCE 64

ALWAYS_INLINE bool settle_by(const mean_rule *rule, const double *restrict sums, int64_t n, double *restrict out)
{
    uint64_t overflow = 0;
    for (int64_t begin = 0; begin < n; begin += MEANS_AT_ONCE) {
        int64_t end = begin + MEANS_AT_ONCE < n ? begin + MEANS_AT_ONCE : n;
        uint64_t large = 0;
        for (int64_t i = begin; i < end; i++) {
            double mean = mean_at(rule, sums, i);
            large |= is_large(mean);
            out[i] = settled_small(mean);
        }
        for (int64_t i = begin; i < end && large >> 63 != 0; i++) {
            overflow |= exponent_overflow(sums[i]);
            out[i] = settled(mean_at(rule, sums, i));
        }
    }
    return overflow >> 63 == 0;
}

static bool settle_means(const double *restrict sums, double weight, const double *restrict weights, int64_t n,
                         double *restrict out)
{
    int exponent;
    if (weights != NULL)
        return settle_by(&(mean_rule){.by = weight, .weights = weights}, sums, n, out);
    if (frexp(weight, &exponent) == 0.5) /* the same bits as by division */
        return settle_by(&(mean_rule){.is_factor = true, .by = 1 / weight}, sums, n, out);
    return settle_by(&(mean_rule){.by = weight}, sums, n, out);
}

static bool unsign_zeros(double *values, int64_t n)
{
    uint64_t seen = 0;
    for (int64_t i = 0; i < n; i++) {
        seen |= exponent_overflow(values[i]);
        values[i] += 0.0;
    }
    return seen >> 63 == 0;
}

/* ---- deviations from means ------------------------------------------------------------------------------------------ */

static void column_moments(double *restrict first, double *restrict second, const double *restrict shift, double weight,
                           int64_t n)
{
    double inverse = 1 / weight;
    for (int64_t i = 0; i < n; i++) {
        double mean = first[i] * inverse;
        second[i] -= first[i] * mean;
        first[i] = shift[i] + mean;
    }
}

ALWAYS_INLINE void even_deviations(const double *restrict x, int64_t width, double weight, const double *restrict means,
                                   int64_t n_cells, double *restrict sums)
{
    for (int64_t p = 0; p < n_cells; p++) {
        double sum = 0, mean = means[p];
        for (int64_t i = 0; i < width; i++)
            sum += (x[p * width + i] - mean) * (x[p * width + i] - mean);
        sums[p] += weight * sum;
    }
}

ALWAYS_INLINE void table_deviations(const gp_fold *fold, const double *restrict cols, int k, double weight,
                                    const double *restrict means, double *restrict sums)
{
    const gp_cell_columns *table = fold->table;
    const int32_t *first = table->first + fold->cell0, *last = table->last + fold->cell0;
    const double *weights = table->weights + fold->cell0, *x = cols - fold->col0;
    int64_t n = table->n_cells, p = window_deviations(fold, cols, k, weight, means, sums);
    for (; p < fold->n_cells; p++) {
        const double *from = x + first[p];
        double mean = means[p], sum = weights[p] * ((from[0] - mean) * (from[0] - mean));
        for (int j = 1; j < k; j++) {
            double deviation = from[j < last[p] ? j : last[p]] - mean;
            sum += weights[j * n + p] * (deviation * deviation);
        }
        sums[p] += weight * sum;
    }
}

static void span_deviations(const gp_fold *fold, const double *cols, double weight, const double *means, double *sums)
{
    for (int64_t p = 0; p < fold->n_cells; p++) {
        const gp_span *span = &fold->spans[p];
        const double *x = cols - fold->col0;
        int64_t begin = span->touched_begin, last = span->touched_end - 1;
        double mean = means[p], sum = span->w_first * ((x[begin] - mean) * (x[begin] - mean));
        for (int64_t i = begin + 1; i < last; i++)
            sum += (x[i] - mean) * (x[i] - mean);
        if (last > begin)
            sum += span->w_last * ((x[last] - mean) * (x[last] - mean));
        sums[p] += weight * sum;
    }
}

ALWAYS_INLINE void deviations_of(const gp_fold *fold, const double *cols, int k, double weight, const double *means, double *sums)
{
    if (fold->even_width > 0)
        even_deviations(cols + (fold->spans[0].touched_begin - fold->col0), k, weight, means, fold->n_cells, sums);
    else
        table_deviations(fold, cols, k, weight, means, sums);
}

static void deviations(const gp_fold *fold, const double *cols, double weight, const double *means, double *sums)
{
    switch (fold->even_width > 0 ? fold->even_width : fold->table != NULL ? fold->table->n_columns : 0) {
    case 1: deviations_of(fold, cols, 1, weight, means, sums); break;
    case 2: deviations_of(fold, cols, 2, weight, means, sums); break;
    case 3: deviations_of(fold, cols, 3, weight, means, sums); break;
    case 4: deviations_of(fold, cols, 4, weight, means, sums); break;
    case 5: deviations_of(fold, cols, 5, weight, means, sums); break;
    case 6: deviations_of(fold, cols, 6, weight, means, sums); break;
    case 7: deviations_of(fold, cols, 7, weight, means, sums); break;
    case 8: deviations_of(fold, cols, 8, weight, means, sums); break;
    default: span_deviations(fold, cols, weight, means, sums); break;
    }
}

static bool spreads(const double *restrict deviations, const double *restrict means, double weight,
                    const double *restrict weights, int64_t n, bool is_std, double *restrict out)
{
    uint64_t seen = 0;
    for (int64_t i = 0; i < n; i++) {
        double least = means[i] * GP_LEAST_DEVIATION, variance = deviations[i] / (weights != NULL ? weight * weights[i] : weight);
        seen |= exponent_overflow(variance);
        out[i] = variance > least * least ? variance : 0.0;
    }
    for (int64_t i = 0; is_std && i < n; i++)
        out[i] = sqrt(out[i]);
    return seen >> 63 == 0;
}

/* ---- extremes ------------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE gp_order order_of_float(float x) { return gp_order_of_f64((double)x); }
ALWAYS_INLINE gp_order order_of_double(double x) { return gp_order_of_f64(x); }
ALWAYS_INLINE gp_order order_of_int64_t(int64_t x) { return x; }
ALWAYS_INLINE gp_order order_of_uint64_t(uint64_t x) { return gp_order_of_u64(x); }

/* gp_cell_state_value of extremes without branches, but for the sign of zeros. */
ALWAYS_INLINE double extreme_value(gp_agg agg, double lo, double hi)
{
    if (agg == GP_AGG_ABSMAX)
        return -lo > hi ? lo : hi; /* both are elements and lo <= hi: that is gp_absmax_join */
    return agg == GP_AGG_RANGE ? gp_held(hi - lo) : agg == GP_AGG_MIN ? lo : hi;
}

#define EXTREME_FOLD(NAME, T, is_better, NONE)                                                                                   \
    ALWAYS_INLINE T NAME##_of(const T *x, int64_t n)                                                                             \
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
    ALWAYS_INLINE void NAME##_even(const T *restrict x, int64_t width, int64_t n_cells, T *restrict out)                         \
    {                                                                                                                            \
        for (int64_t p = NAME##_quads(x, width, n_cells, out); p < n_cells; p++) {                                               \
            T best = x[p * width];                                                                                               \
            for (int64_t i = 1; i < width; i++)                                                                                  \
                best = x[p * width + i] is_better best ? x[p * width + i] : best;                                                \
            out[p] = best;                                                                                                       \
        }                                                                                                                        \
    }                                                                                                                            \
    ALWAYS_INLINE void NAME##_table(const gp_fold *fold, const T *restrict cols, int k, T *restrict out)                         \
    {                                                                                                                            \
        const int32_t *first = fold->table->first + fold->cell0, *last = fold->table->last + fold->cell0;                        \
        const T *x = cols - fold->col0;                                                                                          \
        int64_t p = NAME##_windows(fold, cols, k, out);                                                                          \
        for (; fold->table->is_regular && p < fold->n_cells; p++) { /* conditions on what is read would become branches */       \
            const T *from = x + first[p];                                                                                        \
            T best = from[last[p]];                                                                                              \
            for (int j = 0; j < k - 1; j++)                                                                                      \
                best = from[j] is_better best ? from[j] : best;                                                                  \
            out[p] = best;                                                                                                       \
        }                                                                                                                        \
        for (; p < fold->n_cells; p++) {                                                                                         \
            const T *from = x + first[p];                                                                                        \
            T best = from[0];                                                                                                    \
            for (int j = 1; j < k; j++) {                                                                                        \
                T other = from[j < last[p] ? j : last[p]];                                                                       \
                best = other is_better best ? other : best;                                                                      \
            }                                                                                                                    \
            out[p] = best;                                                                                                       \
        }                                                                                                                        \
    }                                                                                                                            \
    static bool NAME##_by_width(const gp_fold *fold, const T *cols, T *out)                                                      \
    {                                                                                                                            \
        const T *x = fold->even_width > 0 ? cols + (fold->spans[0].touched_begin - fold->col0) : NULL;                           \
        switch (fold->even_width > 0 ? fold->even_width : fold->table != NULL ? -fold->table->n_columns : 0) {                   \
        case 2: NAME##_even(x, 2, fold->n_cells, out); return true;                                                              \
        case 3: NAME##_even(x, 3, fold->n_cells, out); return true;                                                              \
        case 4: NAME##_even(x, 4, fold->n_cells, out); return true;                                                              \
        case 5: NAME##_even(x, 5, fold->n_cells, out); return true;                                                              \
        case 6: NAME##_even(x, 6, fold->n_cells, out); return true;                                                              \
        case 7: NAME##_even(x, 7, fold->n_cells, out); return true;                                                              \
        case 8: NAME##_even(x, 8, fold->n_cells, out); return true;                                                              \
        case -2: NAME##_table(fold, cols, 2, out); return true;                                                                  \
        case -3: NAME##_table(fold, cols, 3, out); return true;                                                                  \
        case -4: NAME##_table(fold, cols, 4, out); return true;                                                                  \
        case -5: NAME##_table(fold, cols, 5, out); return true;                                                                  \
        case -6: NAME##_table(fold, cols, 6, out); return true;                                                                  \
        case -7: NAME##_table(fold, cols, 7, out); return true;                                                                  \
        case -8: NAME##_table(fold, cols, 8, out); return true;                                                                  \
        default: return false;                                                                                                   \
        }                                                                                                                        \
    }                                                                                                                            \
    static void NAME(const gp_fold *fold, const T *cols, T *out)                                                                 \
    {                                                                                                                            \
        if (NAME##_by_width(fold, cols, out))                                                                                    \
            return;                                                                                                              \
        const T *x = cols + (fold->spans[0].touched_begin - fold->col0);                                                         \
        int64_t p = fold->even_width > 0 ? NAME##_quads(x, fold->even_width, fold->n_cells, out) : 0;                            \
        for (; p < fold->n_cells; p++) {                                                                                         \
            int64_t begin, end;                                                                                                  \
            clip_span(fold, p, &begin, &end);                                                                                    \
            out[p] = begin < end ? NAME##_of(cols + begin, end - begin) : NONE;                                                  \
        }                                                                                                                        \
    }
#define fold_min_double_windows(fold, cols, k, out) 0
#define fold_min_double_quads(cols, width, n_cells, out) ((void)(cols), (int64_t)0)
#define fold_max_double_windows(fold, cols, k, out) 0
#define fold_max_double_quads(cols, width, n_cells, out) ((void)(cols), (int64_t)0)
#define fold_min_int64_t_windows(fold, cols, k, out) 0
#define fold_min_int64_t_quads(cols, width, n_cells, out) ((void)(cols), (int64_t)0)
#define fold_max_int64_t_windows(fold, cols, k, out) 0
#define fold_max_int64_t_quads(cols, width, n_cells, out) ((void)(cols), (int64_t)0)
#define fold_min_uint64_t_windows(fold, cols, k, out) 0
#define fold_min_uint64_t_quads(cols, width, n_cells, out) ((void)(cols), (int64_t)0)
#define fold_max_uint64_t_windows(fold, cols, k, out) 0
#define fold_max_uint64_t_quads(cols, width, n_cells, out) ((void)(cols), (int64_t)0)
EXTREME_FOLD(fold_min_float, float, <, highest_float)
EXTREME_FOLD(fold_max_float, float, >, lowest_float)
EXTREME_FOLD(fold_min_double, double, <, highest_double)
EXTREME_FOLD(fold_max_double, double, >, lowest_double)
EXTREME_FOLD(fold_min_int64_t, int64_t, <, highest_int64_t)
EXTREME_FOLD(fold_max_int64_t, int64_t, >, lowest_int64_t)
EXTREME_FOLD(fold_min_uint64_t, uint64_t, <, highest_uint64_t)
EXTREME_FOLD(fold_max_uint64_t, uint64_t, >, lowest_uint64_t)
#undef EXTREME_FOLD

#endif
