/* Sums of a few rows in registers of 32 bits, before they go to the sums of their columns, which are of 64 bits and slower. */
#ifndef GP_SHORT_SUMS_CUH
#define GP_SHORT_SUMS_CUH

#include "byte_sums.cuh"

/*
 * What sums of a class are made of first.
 *
 *   fits(dtype)          whether elements of a dtype can be added up so
 *   OF_WORDS, add_words  whether rows are added as they are loaded
 *   OF_VALUES, add_values  whether they are added as values
 *   MOST_ROWS, settle    after how many rows at most these have to go to the sums of the columns; 0: there are none
 *
 * Those that several columns may share have also
 *
 *   COLUMNS              how many do
 *   is_plain(value)      whether an element may be added so without leaving the range
 */

/* Nothing: values go to the sums of their columns. */
struct gp_no_short_sums {
    enum { OF_WORDS = 0, OF_VALUES = 0, COLUMNS = 1, MOST_ROWS = 0 };

    GP_DEVICE bool fits(int) { return true; }
    GP_DEVICE bool is_plain(gp_value x) { return gp_is_finite(x); }
    GP_DEVICE void start(gp_no_short_sums &, int) {}
    GP_DEVICE void add_words(gp_no_short_sums &, const gp_run &) {}
    GP_DEVICE void add_values(gp_no_short_sums &, const gp_value *) {}
    GP_DEVICE void settle(gp_no_short_sums &, gp_elems::sum *) {}
};

/*
 * Float32 sums of 8-bit floats, exact: with at least three bits of mantissa their elements are multiples of the smallest one below 2^18
 * of it, and 64 of these are below 2^24. What is no number makes the sum none.
 */
struct gp_float8_sums {
    enum { OF_WORDS = 0, OF_VALUES = 1, MOST_ROWS = 64 };
    float part[GP_RUN_ELEMS];

    GP_DEVICE bool fits(int dtype) { return dtype != GP_F8_E5M2 && dtype != GP_F8_E5M2FNUZ && dtype != GP_F8_E8M0FNU; }
    GP_DEVICE void start(gp_float8_sums &s, int)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            s.part[k] = 0;
    }
    GP_DEVICE void add_words(gp_float8_sums &, const gp_run &) {}
    GP_DEVICE void add_values(gp_float8_sums &s, const gp_value *x)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            s.part[k] += (float)x[k];
    }
    GP_DEVICE void settle(gp_float8_sums &s, gp_elems::sum *sum)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            sum[k] += (gp_elems::sum)s.part[k];
        start(s, 0);
    }
};

/*
 * Pairs of float32, for GPUs whose float64 is slow: a sum, and the sum of what each of its additions rounded off, which is known exactly
 * (TwoSum; Knuth, The Art of Computer Programming, volume 2, section 4.2.2, theorem B). Only the second one rounds: of 8 additions by less
 * than 64 * 2^-48 of the sum of magnitudes, 2.3e-13. Eight elements below 2^124 stay in the range of float32. A pair has COLUMNS
 * neighbors, whose sum is the first one's: one, or several where only the sum of all columns is wanted.
 */
template <int N_COLUMNS> struct gp_pair_sums {
    enum {
        OF_WORDS = 0,
        OF_VALUES = 1,
        COLUMNS = N_COLUMNS,
        MOST_ROWS = 8 / COLUMNS,
        N = (GP_RUN_ELEMS + COLUMNS - 1) / COLUMNS
    };
    float high[N], low[N];

    GP_DEVICE bool fits(int) { return true; }
    GP_DEVICE bool is_plain(gp_value x) { return fabsf((float)x) < gp_f32_from_bits((124u + 127u) << 23); }
    GP_DEVICE void start(gp_pair_sums &s, int)
    {
        GP_UNROLL
        for (int i = 0; i < N; i++)
            s.high[i] = s.low[i] = 0;
    }
    GP_DEVICE void add_words(gp_pair_sums &, const gp_run &) {}
    GP_DEVICE void add_values(gp_pair_sums &s, const gp_value *values)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            float x = (float)values[k], high = s.high[k / COLUMNS], both = high + x, added = both - high;
            s.low[k / COLUMNS] += (high - (both - added)) + (x - added);
            s.high[k / COLUMNS] = both;
        }
    }
    GP_DEVICE void settle(gp_pair_sums &s, gp_elems::sum *sum)
    {
        GP_UNROLL
        for (int i = 0; i < N; i++)
            sum[i * COLUMNS] += (gp_elems::sum)((double)s.high[i] + (double)s.low[i]);
        start(s, 0);
    }
};

/* ---- which ones a class has ---------------------------------------------------------------------------------------------- */

template <bool IS_FIRST, class FIRST, class SECOND> struct gp_either {
    typedef FIRST type;
};
template <class FIRST, class SECOND> struct gp_either<false, FIRST, SECOND> {
    typedef SECOND type;
};

enum {
    GP_ARE_FLOAT32 = gp_elems::is_float && gp_elems::is_typed && sizeof(gp_value) == 4,
    GP_TAKES_PAIRS = GP_ARE_FLOAT32 && GP_FLOAT64_IS_SLOW
};

/* Of columns that are wanted together; for every dtype of the class, and for most of them. */
typedef gp_either<GP_TAKES_PAIRS, gp_pair_sums<2>, gp_no_short_sums>::type gp_joint_sums;
typedef gp_either<GP_TAKES_PAIRS, gp_pair_sums<1>, gp_no_short_sums>::type gp_short_float_sums;
typedef gp_either<GP_ARE_BYTES, gp_byte_sums<true>, gp_short_float_sums>::type gp_short_sums;
typedef gp_either<GP_ARE_BYTES, gp_byte_sums<false>,
                  gp_either<GP_ARE_FLOAT32 && sizeof(gp_stored) == 1, gp_float8_sums, gp_short_float_sums>::type>::type
    gp_shorter_sums;

#endif
