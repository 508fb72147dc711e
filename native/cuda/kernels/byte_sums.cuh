/* Sums of columns of 8-bit integers, two columns in a register. */
#ifndef GP_BYTE_SUMS_CUH
#define GP_BYTE_SUMS_CUH

#include "elements.cuh"

enum { GP_ARE_BYTES = !gp_elems::is_float && gp_elems::is_typed && sizeof(gp_stored) == 1 };

/* Each byte as a number from 0 to 255: of int8 the element plus 128, of bool 0 or 1. */
GP_DEVICE uint32_t gp_bytes_from_zero(uint32_t word, int dtype)
{
    if (dtype == GP_BOOL) /* the top bit of a byte is set where any of its bits is; no sum reaches the next byte */
        return (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u;
    return dtype == GP_I8 ? word ^ 0x80808080u : word;
}

/* What 8-bit integers are added up in, before their sums; nothing for other classes. */
template <bool ARE_BYTES> struct gp_byte_sums {
    GP_DEVICE void start(gp_byte_sums &) {}
    template <int N> GP_DEVICE void add(gp_byte_sums &, const gp_run *, int, gp_elems::sum *) {}
    GP_DEVICE void settle(gp_byte_sums &, int, gp_elems::sum *) {}
};

template <> struct gp_byte_sums<true> {
    enum { MOST_ROWS = 256 }; /* 256 * 255 is below 2^16, so that no column reaches the one beside it: sums are exact */
    uint32_t even[GP_RUN_WORDS], odd[GP_RUN_WORDS]; /* of each word bytes 0 and 2, bytes 1 and 3 */
    int n_rows; /* that are in them */

    GP_DEVICE void start(gp_byte_sums &b)
    {
        GP_UNROLL
        for (int w = 0; w < GP_RUN_WORDS; w++)
            b.even[w] = b.odd[w] = 0;
        b.n_rows = 0;
    }
    /* N rows; those that are zero bits add nothing, since settle takes off what int8 is too large by. */
    template <int N> GP_DEVICE void add(gp_byte_sums &b, const gp_run *runs, int dtype, gp_elems::sum *sum)
    {
        GP_UNROLL
        for (int i = 0; i < N; i++) {
            GP_UNROLL
            for (int w = 0; w < GP_RUN_WORDS; w++) {
                uint32_t bytes = gp_bytes_from_zero(runs[i].words[w], dtype);
                b.even[w] += bytes & 0x00ff00ffu, b.odd[w] += bytes >> 8 & 0x00ff00ffu;
            }
        }
        b.n_rows += N;
        if (b.n_rows > MOST_ROWS - N)
            settle(b, dtype, sum);
    }
    /* To the sums of the columns. */
    GP_DEVICE void settle(gp_byte_sums &b, int dtype, gp_elems::sum *sum)
    {
        int too_large = dtype == GP_I8 ? 128 * b.n_rows : 0;
        GP_UNROLL
        for (int w = 0; w < GP_RUN_WORDS; w++) {
            sum[4 * w] += (int)(b.even[w] & 0xffffu) - too_large, sum[4 * w + 2] += (int)(b.even[w] >> 16) - too_large;
            sum[4 * w + 1] += (int)(b.odd[w] & 0xffffu) - too_large, sum[4 * w + 3] += (int)(b.odd[w] >> 16) - too_large;
        }
        start(b);
    }
};

#endif
