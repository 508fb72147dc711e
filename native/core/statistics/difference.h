/* Differences of elements at the same place of two planes, and the comparison of some such pairs. */
#ifndef GP_DIFFERENCE_H
#define GP_DIFFERENCE_H

#include "../tensor/element.h"
#include "../base/status.h"
#include "../states/summary_state.h"
#include "../tensor/view.h"

/* Two planes, b with the expected values. Elements differ if |a - b| > atol + rtol * |b|. Borrows both planes. */
typedef struct gp_compared {
    const gp_plane *a, *b;
    double rtol, atol;
} gp_compared;

/*
 * The comparison of some pairs: the largest |a - b| and the largest |a - b| / |b|, with the first position of each, which is
 * GP_NOWHERE if there is no difference; how many differ by more than the tolerances, or are NaN in only one of the two; how many are
 * NaN only in a, and only in b, and the first of these. A masked element counts as NaN.
 */
typedef struct gp_comparison {
    double max_abs, max_rel;
    int64_t at_abs, at_rel, first_nan_only, n_beyond, n_nan_only_a, n_nan_only_b;
} gp_comparison;

/* Fails unless both planes have one shape, are on one device, and have stored elements: no hidden axes, repeats or channels. */
gp_status gp_pair_check(const gp_plane *a, const gp_plane *b, gp_error *error) GP_MUST_CHECK;

/* Whether a difference would lose digits in float64: both planes have integers, at least one of them of 64 bits. */
bool gp_pair_is_exact(const gp_plane *a, const gp_plane *b);

/* ---- differences ----------------------------------------------------------------------------------------------------- */

/* The difference of two equal infinities is 0; a NaN result is a plain one, not that of masked elements. */
GP_FN double gp_subtract(double a, double b)
{
    double difference = a == b ? 0.0 : a - b;
    return difference == difference ? difference : gp_mark_value(GP_HAS_NAN);
}

/* Integers of 64 bits, subtracted exactly and then rounded once. */
GP_FN double gp_subtract_u64(uint64_t a, uint64_t b) { return a >= b ? (double)(a - b) : -(double)(b - a); }
GP_FN double gp_subtract_i64(int64_t a, int64_t b)
{
    return a >= b ? (double)((uint64_t)a - (uint64_t)b) : -(double)((uint64_t)b - (uint64_t)a);
}

/* A result of 65 bits is halved before it is rounded: the bit that is lost stays in the lowest one. */
GP_FN double gp_subtract_u64_i64(uint64_t a, int64_t b)
{
    uint64_t size = a - (uint64_t)b;
    if (b >= 0)
        return gp_subtract_u64(a, (uint64_t)b);
    return size >= a ? (double)size : 2 * (double)(size >> 1 | (size & 1) | (uint64_t)1 << 63);
}

/* Integers as their 64 bits; those of uint64 are not signed. */
GP_FN double gp_subtract_integers(uint64_t a, bool is_signed_a, uint64_t b, bool is_signed_b)
{
    if (is_signed_a == is_signed_b)
        return is_signed_a ? gp_subtract_i64((int64_t)a, (int64_t)b) : gp_subtract_u64(a, b);
    return is_signed_b ? gp_subtract_u64_i64(a, (int64_t)b) : 0.0 - gp_subtract_u64_i64(b, (int64_t)a); /* 0 has no sign */
}

/* ---- comparisons ----------------------------------------------------------------------------------------------------- */

/* |a - b|, 0 if either is NaN; |b|; whether a, and b, is NaN. */
typedef struct gp_apart {
    double error, size;
    bool is_nan_a, is_nan_b;
} gp_apart;

GP_FN gp_apart gp_apart_of_real(double a, double b, double difference)
{
    gp_apart apart = {fabs(difference), fabs(b), a != a, b != b};
    if (apart.is_nan_a || apart.is_nan_b)
        apart.error = 0;
    return apart;
}

/* For complex elements; [0] is the real part. */
GP_FN gp_apart gp_apart_of_complex(const double a[2], const double b[2], const double difference[2])
{
    gp_apart apart = {gp_magnitude(difference[0], difference[1]), gp_magnitude(b[0], b[1]), a[0] != a[0] || a[1] != a[1],
                      b[0] != b[0] || b[1] != b[1]};
    if (apart.is_nan_a || apart.is_nan_b)
        apart.error = 0;
    return apart;
}

GP_FN gp_comparison gp_comparison_none(void)
{
    gp_comparison none = {0, 0, GP_NOWHERE, GP_NOWHERE, GP_NOWHERE, 0, 0, 0};
    return none;
}

GP_FN void gp_keep_larger(double *largest, int64_t *at, double x, int64_t position)
{
    if (x > *largest || (x == *largest && x > 0 && position < *at))
        *largest = x, *at = position;
}

GP_FN void gp_comparison_add(gp_comparison *known, const gp_apart *apart, double rtol, double atol, int64_t position)
{
    bool is_only = apart->is_nan_a != apart->is_nan_b, is_finite = gp_class_of(apart->size) == GP_HAS_FINITE;
    gp_keep_larger(&known->max_abs, &known->at_abs, apart->error, position);
    if (apart->size > 0 && is_finite)
        gp_keep_larger(&known->max_rel, &known->at_rel, apart->error / apart->size, position);
    known->n_beyond += is_only || apart->error > atol + rtol * (is_finite ? apart->size : 0.0);
    if (is_only) {
        known->n_nan_only_a += apart->is_nan_a, known->n_nan_only_b += apart->is_nan_b;
        known->first_nan_only = position < known->first_nan_only ? position : known->first_nan_only;
    }
}

/* Comparisons may be joined in any order, as nothing is rounded. */
GP_FN void gp_comparison_join(gp_comparison *to, const gp_comparison *from)
{
    gp_keep_larger(&to->max_abs, &to->at_abs, from->max_abs, from->at_abs);
    gp_keep_larger(&to->max_rel, &to->at_rel, from->max_rel, from->at_rel);
    to->first_nan_only = from->first_nan_only < to->first_nan_only ? from->first_nan_only : to->first_nan_only;
    to->n_beyond += from->n_beyond, to->n_nan_only_a += from->n_nan_only_a, to->n_nan_only_b += from->n_nan_only_b;
}

#endif
