/* What there is in blocks of elements of each dtype, at one level of vector instructions. */
#include "look.h"

#include "loops_integers.h"

/* So many elements that follow each other have lanes of their own: the same bits at every level. */
#define LANES 16
/* So many elements are compared between two decisions. */
#define STRETCH 64
/* Bins that are counted in four tables in turns, as adding to what was just stored takes time. */
#define FEW_BINS 256

#define FN_JOIN_(name, suffix) name##_##suffix
#define FN_JOIN(name, suffix) FN_JOIN_(name, suffix)
#define FN(name) FN_JOIN(name, NAME)

extern const gp_look_loops GP_LEVELED(gp_look_loops)[GP_N_DTYPES];

ALWAYS_INLINE double sum_of_lanes(const double *lanes)
{
    double sums[LANES];
    memcpy(sums, lanes, sizeof sums);
    for (int n = LANES / 2; n > 0; n /= 2)
        for (int j = 0; j < n; j++)
            sums[j] += sums[j + n];
    return sums[0];
}

/* From the sums about a mean: the first one says what it was rounded by, which matters where elements differ by as little. */
ALWAYS_INLINE gp_moments moments_from(double weight, double mean, const double *first, const double *second)
{
    double away = sum_of_lanes(first), squares = sum_of_lanes(second), m2 = squares - away * away / weight;
    return (gp_moments){weight, mean, m2 < 0 ? 0.0 : m2 >= 0 ? m2 : squares};
}

/* ---- bins ------------------------------------------------------------------------------------------------------------ */

/* Where the guess is too near to an edge, the edges decide. */
static void correct(const double *values, int n, const gp_bins *bins, int32_t *slots)
{
    int32_t last = (int32_t)bins->n_bins - 1;
    for (int i = 0; i < n; i++) {
        int32_t slot = slots[i];
        if (slot > last)
            continue;
        slot -= slot > 0 && values[i] < bins->edges[slot];
        slot += slot < last && values[i] >= bins->edges[slot + 1];
        slots[i] = slot;
    }
}

/*
 * Bins of a stretch by arithmetic; true if an element is too near to an edge for that. The outer edges are none of these: what is
 * there is moved inwards, and what counts nowhere to the middle behind the last bin. A number is rounded to an integer by adding
 * to it what leaves no bits for more: at every level of instructions that is a vector operation.
 */
ALWAYS_INLINE bool guess(const double *restrict values, int n, const gp_bins *bins, int32_t *restrict slots)
{
    const double rounder = 0x1.8p52;
    double lowest = bins->edges[0], highest = bins->edges[bins->n_bins], scale = bins->scale, certain = 0.5 - bins->doubt;
    double nowhere = (double)bins->n_bins + 0.5, top = (double)bins->n_bins - 0.25;
    int32_t any = 0;
    for (int i = 0; i < n; i++) {
        double x = values[i], place = (x - lowest) * scale;
        place = place > 0.25 ? place : 0.25;
        place = place < top ? place : top;
        place = x >= lowest ? place : nowhere;
        place = x <= highest ? place : nowhere;
        double rounded = (place - 0.5) + rounder;
        slots[i] = (int32_t)gp_bits_from_f64(rounded);
        any |= fabs(place - 0.5 - (rounded - rounder)) >= certain ? -1 : 0;
    }
    return any != 0;
}

static void find_slots(const double *values, int n, const gp_bins *bins, int32_t *slots)
{
    if (!(bins->doubt < 0.25)) {
        for (int i = 0; i < n; i++)
            slots[i] = (int32_t)gp_bin_of(bins, values[i]);
        return;
    }
    int i = 0;
    for (; i + STRETCH <= n; i += STRETCH)
        if (guess(values + i, STRETCH, bins, slots + i))
            correct(values + i, STRETCH, bins, slots + i);
    (void)guess(values + i, n - i, bins, slots + i);
    correct(values + i, n - i, bins, slots + i);
}

static void tally(const int32_t *slots, int n, int64_t n_bins, int64_t *counts)
{
    uint32_t tables[4][FEW_BINS + 1];
    int i = 0;
    if (n_bins <= FEW_BINS && n >= 2 * n_bins) {
        size_t n_bytes = (size_t)(n_bins + 1) * sizeof tables[0][0];
        for (int t = 0; t < 4; t++)
            memset(tables[t], 0, n_bytes);
        for (; i + 4 <= n; i += 4)
            for (int t = 0; t < 4; t++)
                tables[t][slots[i + t]]++;
        for (int64_t bin = 0; bin <= n_bins; bin++)
            counts[bin] += (int64_t)tables[0][bin] + tables[1][bin] + tables[2][bin] + tables[3][bin];
    }
    for (; i < n; i++)
        counts[slots[i]]++;
}

#define NAME F32
#define T float
#define BITS int32_t
#define SIGN_BIT INT32_MIN
#define INF_BITS 0x7f800000
#include "loops_look_float.h"

#define NAME F64
#define T double
#define BITS int64_t
#define SIGN_BIT INT64_MIN
#define INF_BITS 0x7ff0000000000000
#include "loops_look_float.h"

/* Floats of 16 bits are looked at as float32, which holds each of them. */
#define SUMMARIZE_AS_F32(NAME, to_f32)                                                                                           \
    static void summarize_##NAME(const void *elems, int n, double smallest_normal, gp_part *part)                                \
    {                                                                                                                            \
        float values[GP_LOOK_ELEMS];                                                                                             \
        for (int i = 0; i < n; i++)                                                                                              \
            values[i] = to_f32(((const uint16_t *)elems)[i]);                                                                    \
        summarize_F32(values, n, smallest_normal, part);                                                                         \
    }
SUMMARIZE_AS_F32(F16, gp_f32_from_f16)
SUMMARIZE_AS_F32(BF16, gp_f32_from_bf16)
#undef SUMMARIZE_AS_F32

#define NAME F16
#define T uint16_t
#define BITS int16_t
#define SIGN_BIT INT16_MIN
#define INF_BITS 0x7c00
#define VALUE(x) ((double)gp_f32_from_f16(x))
#include "loops_look_bits.h"

#define NAME BF16
#define T uint16_t
#define BITS int16_t
#define SIGN_BIT INT16_MIN
#define INF_BITS 0x7f80
#define VALUE(x) ((double)gp_f32_from_bf16(x))
#include "loops_look_bits.h"

#define NAME F32
#define T float
#define BITS int32_t
#define SIGN_BIT INT32_MIN
#define INF_BITS 0x7f800000
#define VALUE(x) ((double)(x))
#include "loops_look_bits.h"

#define NAME F64
#define T double
#define BITS int64_t
#define SIGN_BIT INT64_MIN
#define INF_BITS 0x7ff0000000000000
#define VALUE(x) (x)
#include "loops_look_bits.h"

#define NAME U8
#define T uint8_t
#define IS_NEG(x) false
#define N_WIDE 64
#include "loops_look_narrow.h"
#define VALUE(x) ((double)(x))
#define ORDER(x) ((int64_t)(x))
#include "loops_look_integer.h"

#define NAME I8
#define T int8_t
#define IS_NEG(x) ((x) < 0)
#define N_WIDE 64
#include "loops_look_narrow.h"
#define VALUE(x) ((double)(x))
#define ORDER(x) ((int64_t)(x))
#include "loops_look_integer.h"

#define NAME U16
#define T uint16_t
#define IS_NEG(x) false
#define N_WIDE 32
#include "loops_look_narrow.h"
#define VALUE(x) ((double)(x))
#define ORDER(x) ((int64_t)(x))
#include "loops_look_integer.h"

#define NAME I16
#define T int16_t
#define IS_NEG(x) ((x) < 0)
#define N_WIDE 32
#include "loops_look_narrow.h"
#define VALUE(x) ((double)(x))
#define ORDER(x) ((int64_t)(x))
#include "loops_look_integer.h"

#define NAME U32
#define T uint32_t
#define IS_NEG(x) false
#define SUM int64_t
#define IS_EXACT 1
#define VALUE(x) f64_from_u32(x)
#define ORDER(x) ((int64_t)(x))
#include "loops_look_wide.h"
#include "loops_look_integer.h"

#define NAME I32
#define T int32_t
#define IS_NEG(x) ((x) < 0)
#define SUM int64_t
#define IS_EXACT 1
#define VALUE(x) ((double)(x))
#define ORDER(x) ((int64_t)(x))
#include "loops_look_wide.h"
#include "loops_look_integer.h"

#define NAME U64
#define T uint64_t
#define IS_NEG(x) false
#define SUM double
#define IS_EXACT 0
#define VALUE(x) f64_from_u64(x)
#define ORDER(x) gp_order_of_u64(x)
#include "loops_look_wide.h"
#include "loops_look_integer.h"

#define NAME I64
#define T int64_t
#define IS_NEG(x) ((x) < 0)
#define SUM double
#define IS_EXACT 0
#define VALUE(x) f64_from_i64(x)
#define ORDER(x) (x)
#include "loops_look_wide.h"
#include "loops_look_integer.h"

#define LOOPS(NAME) {summarize_##NAME, count_##NAME, find_kinds_##NAME, find_order_##NAME}

const gp_look_loops GP_LEVELED(gp_look_loops)[GP_N_DTYPES] = {
    [GP_U8] = LOOPS(U8),   [GP_I8] = LOOPS(I8),     [GP_U16] = LOOPS(U16), [GP_I16] = LOOPS(I16),
    [GP_U32] = LOOPS(U32), [GP_I32] = LOOPS(I32),   [GP_U64] = LOOPS(U64), [GP_I64] = LOOPS(I64),
    [GP_F16] = LOOPS(F16), [GP_BF16] = LOOPS(BF16), [GP_F32] = LOOPS(F32), [GP_F64] = LOOPS(F64),
};
