/* Sums of columns of 8-bit integers, two columns in a register. */
#ifndef GP_BYTE_SUMS_CUH
#define GP_BYTE_SUMS_CUH

#include "elements.cuh"

enum { GP_ARE_BYTES = !gp_elems::is_float && gp_elems::is_typed && sizeof(gp_stored) == 1 };

/* Each byte of a bool as 0 or 1: its top bit is set where any of its bits is, and no sum reaches the next byte. */
GP_DEVICE uint32_t gp_bools_of_bytes(uint32_t word) { return (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u; }

/* What the bytes of words are: of int8 the top bit of bytes 0 and 2 is turned round, so that their order is that of unsigned numbers.
 * Loops over bytes that are no bool are compiled apart, since to ask that of every word is half of their work. */
template <bool MAY_BE_BOOL> struct gp_byte_codec {
    uint32_t flip;
    bool is_bool;

    GP_DEVICE gp_byte_codec of(int dtype)
    {
        gp_byte_codec codec = {dtype == GP_I8 ? 0x00800080u : 0u, MAY_BE_BOOL && dtype == GP_BOOL};
        return codec;
    }
    /* Bytes 0 and 2 of a word, and bytes 1 and 3, as numbers from 0 to 255 in its halves. */
    GP_DEVICE void apart(const gp_byte_codec &codec, uint32_t word, uint32_t *even, uint32_t *odd)
    {
        if (MAY_BE_BOOL && codec.is_bool)
            word = gp_bools_of_bytes(word);
        *even = (word ^ codec.flip) & 0x00ff00ffu, *odd = (word >> 8 ^ codec.flip) & 0x00ff00ffu;
    }
};

/* Whole rows of 8-bit integers, before the sums of their columns; see short_sums.cuh. */
template <bool MAY_BE_BOOL> struct gp_byte_sums {
    enum { OF_WORDS = 1, OF_VALUES = 0, MOST_ROWS = 256 }; /* 256 * 255 is below 2^16: no column reaches the one beside it */
    typedef gp_byte_codec<MAY_BE_BOOL> byte_codec;
    byte_codec codec;
    uint32_t even[GP_RUN_WORDS], odd[GP_RUN_WORDS]; /* of each word bytes 0 and 2, bytes 1 and 3 */
    int n_rows; /* that are in them */

    GP_DEVICE bool fits(int dtype) { return MAY_BE_BOOL || dtype != GP_BOOL; }
    GP_DEVICE void start(gp_byte_sums &b, int dtype)
    {
        b.codec = byte_codec::of(dtype);
        clear(b);
    }
    GP_DEVICE void clear(gp_byte_sums &b)
    {
        GP_UNROLL
        for (int w = 0; w < GP_RUN_WORDS; w++)
            b.even[w] = b.odd[w] = 0;
        b.n_rows = 0;
    }
    /* A row; of int8 every element is 128 too large. */
    GP_DEVICE void add_words(gp_byte_sums &b, const gp_run &run)
    {
        GP_UNROLL
        for (int w = 0; w < GP_RUN_WORDS; w++) {
            uint32_t even, odd;
            byte_codec::apart(b.codec, run.words[w], &even, &odd);
            b.even[w] += even, b.odd[w] += odd;
        }
        b.n_rows++;
    }
    GP_DEVICE void add_values(gp_byte_sums &, const gp_value *) {}
    /* To the sums of the columns. */
    GP_DEVICE void settle(gp_byte_sums &b, gp_elems::sum *sum)
    {
        int too_large = b.codec.flip != 0 ? 128 * b.n_rows : 0;
        GP_UNROLL
        for (int w = 0; w < GP_RUN_WORDS; w++) {
            sum[4 * w] += (int)(b.even[w] & 0xffffu) - too_large, sum[4 * w + 2] += (int)(b.even[w] >> 16) - too_large;
            sum[4 * w + 1] += (int)(b.odd[w] & 0xffffu) - too_large, sum[4 * w + 3] += (int)(b.odd[w] >> 16) - too_large;
        }
        clear(b);
    }
};

#endif
