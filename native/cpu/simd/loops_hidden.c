/* Slices of hidden axes to columns, and magnitudes, by loops without branches. */
#include "hidden_loops.h"
#include "loops_integers.h"
#include "../../core/tensor/element.h"

#include <math.h>

extern const gp_hidden_loops GP_LEVELED(gp_hidden_loops);

#define MAGNITUDE 0x7fffffffffffffff
#define INF_BITS 0x7ff0000000000000

/* GP_HAS_* bits of an element. */
ALWAYS_INLINE int64_t kind_of(int64_t bits)
{
    int64_t magnitude = bits & MAGNITUDE;
    int64_t odd = magnitude > INF_BITS ? GP_HAS_NAN : bits < 0 ? GP_HAS_NEG_INF : GP_HAS_POS_INF;
    int64_t kind = magnitude < INF_BITS ? GP_HAS_FINITE : odd;
    return bits == (int64_t)GP_MASKED_BITS ? GP_HAS_MASKED : kind;
}

/* A value where all bits of `mask` are set, 0 where none is. */
ALWAYS_INLINE double only_if(int64_t mask, double x) { return gp_f64_from_bits(gp_bits_from_f64(x) & (uint64_t)mask); }

ALWAYS_INLINE double either(int64_t mask, double x, double other)
{
    return gp_f64_from_bits((gp_bits_from_f64(x) & (uint64_t)mask) | (gp_bits_from_f64(other) & ~(uint64_t)mask));
}

/* The compiler knows the operation. */
ALWAYS_INLINE void add(gp_hidden_op op, const double *restrict elems, int64_t n, double *restrict count, double *restrict first,
                       double *restrict sum, double *restrict sum2, int64_t *restrict has)
{
    for (int64_t i = 0; i < n; i++) {
        double x = elems[i];
        int64_t bits = (int64_t)gp_bits_from_f64(x), is_finite = (bits & MAGNITUDE) < INF_BITS ? -1 : 0;
        double kept = only_if(is_finite, x);
        has[i] |= kind_of(bits);
        if (op == GP_HIDDEN_STD) {
            int64_t is_first = count[i] == 0 ? is_finite : 0;
            double begin = either(is_first, x, first[i]), d = only_if(is_finite, x - begin);
            first[i] = begin, sum[i] += d, sum2[i] += d * d;
        } else if (op == GP_HIDDEN_NORM) {
            sum[i] += kept * kept, sum2[i] += fabs(kept);
        } else if (op == GP_HIDDEN_MAX) {
            kept = either(is_finite, x, -(double)INFINITY);
            sum[i] = kept > sum[i] ? kept : sum[i];
        } else if (op == GP_HIDDEN_MIN) {
            kept = either(is_finite, x, (double)INFINITY);
            sum[i] = kept < sum[i] ? kept : sum[i];
        } else {
            sum[i] += kept;
        }
        count[i] += only_if(is_finite, 1.0);
    }
}

#define ADD(op, name)                                                                                                            \
    static void name(const double *elems, int64_t n, const gp_hidden_columns *c)                                                 \
    {                                                                                                                            \
        add(op, elems, n, c->count, c->first, c->sum, c->sum2, (int64_t *)c->has);                                               \
    }
ADD(GP_HIDDEN_SUM, add_sum)
ADD(GP_HIDDEN_MAX, add_max)
ADD(GP_HIDDEN_MIN, add_min)
ADD(GP_HIDDEN_STD, add_std)
ADD(GP_HIDDEN_NORM, add_norm)

ALWAYS_INLINE int64_t find_magnitudes(const double *restrict re, const double *restrict im, int64_t n, double *restrict out)
{
    int64_t n_plain = 0;
    for (int64_t i = 0; i < n; i++) {
        double square = re[i] * re[i] + im[i] * im[i];
        bool is_zero = (re[i] == 0) & (im[i] == 0);
        n_plain += is_zero | ((square >= GP_LEAST_SQUARE) & (square <= GP_LARGEST_SQUARE));
        out[i] = sqrt(square);
    }
    return n_plain;
}

static bool magnitudes(const double *re, const double *im, int64_t n, double *out)
{
    return find_magnitudes(re, im, n, out) == n;
}

static void squares(const double *re, const double *im, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = re[i] * re[i] + im[i] * im[i];
}

static bool unit_parts(const double *re, const double *im, const double *parts, int64_t n, double *out)
{
    bool are_plain = find_magnitudes(re, im, n, out) == n;
    for (int64_t i = 0; i < n; i++) {
        double length = out[i];
        out[i] = only_if(length > 0 ? -1 : 0, parts[i] / length);
    }
    return are_plain;
}

ALWAYS_INLINE void join_kinds(const double *restrict elems, int64_t n, uint64_t *restrict has)
{
    for (int64_t i = 0; i < n; i++)
        has[i] |= (uint64_t)kind_of((int64_t)gp_bits_from_f64(elems[i]));
}

static void kinds(const double *elems, int64_t n, uint64_t *has) { join_kinds(elems, n, has); }

ALWAYS_INLINE void multiply_by_alpha(const double *restrict alpha, double opaque, int64_t n, double *restrict values)
{
    for (int64_t i = 0; i < n; i++) {
        double above = alpha[i] < 0 ? 0.0 : alpha[i], clipped = above > opaque ? opaque : above;
        values[i] *= clipped / opaque;
    }
}

static void weigh(const double *alpha, double opaque, int64_t n, double *values) { multiply_by_alpha(alpha, opaque, n, values); }

const gp_hidden_loops GP_LEVELED(gp_hidden_loops) = {.magnitudes = magnitudes,
                                                     .squares = squares,
                                                     .unit_parts = unit_parts,
                                                     .kinds = kinds,
                                                     .weigh = weigh,
                                                     .add = {[GP_HIDDEN_MEAN] = add_sum,
                                                             [GP_HIDDEN_SUM] = add_sum,
                                                             [GP_HIDDEN_MAX] = add_max,
                                                             [GP_HIDDEN_MIN] = add_min,
                                                             [GP_HIDDEN_STD] = add_std,
                                                             [GP_HIDDEN_NORM] = add_norm}};
