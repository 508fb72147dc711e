/* Extremes of columns of 8- and 16-bit elements, two columns in a register. */
#ifndef GP_PACKED_EXTREMES_CUH
#define GP_PACKED_EXTREMES_CUH

#include "byte_sums.cuh"
#include "extremes.cuh"

/* Pairs of 16-bit floats are compared by one instruction from compute capability 8.0 on, pairs of 16-bit integers from 9.0 on. */
#if defined(GP_EMULATED) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
enum { GP_HAS_INTEGER_PAIRS = 1, GP_HAS_FLOAT_PAIRS = 1 };
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
enum { GP_HAS_INTEGER_PAIRS = 0, GP_HAS_FLOAT_PAIRS = 1 };
#else
enum { GP_HAS_INTEGER_PAIRS = 0, GP_HAS_FLOAT_PAIRS = 0 };
#endif

enum {
    GP_ARE_HALVES = gp_elems::is_float && gp_elems::is_typed && sizeof(gp_stored) == 2,
    GP_ARE_SMALL_INTEGERS = !gp_elems::is_float && gp_elems::is_typed && sizeof(gp_stored) <= 2,
    GP_ARE_PACKED = (GP_ARE_HALVES && GP_HAS_FLOAT_PAIRS) || (GP_ARE_SMALL_INTEGERS && GP_HAS_INTEGER_PAIRS),
};

/* ---- pairs --------------------------------------------------------------------------------------------------------------- */

/* Both halves of two words by themselves: the smaller and the larger one of unsigned integers, and of floats, NaN where either is. */
#if defined(GP_EMULATED)
template <class COMPARE> GP_DEVICE uint32_t gp_of_halves(uint32_t a, uint32_t b, COMPARE compare)
{
    return compare(a & 0xffffu, b & 0xffffu) | compare(a >> 16, b >> 16) << 16;
}
template <class VALUE> GP_DEVICE bool gp_comes_first(uint32_t a, uint32_t b, bool is_smallest, VALUE value)
{
    float x = value(a), y = value(b);
    return x != x || (y == y && (is_smallest ? x < y : x > y));
}
GP_DEVICE uint32_t gp_smaller_integers(uint32_t a, uint32_t b)
{
    return gp_of_halves(a, b, [](uint32_t x, uint32_t y) { return x < y ? x : y; });
}
GP_DEVICE uint32_t gp_larger_integers(uint32_t a, uint32_t b)
{
    return gp_of_halves(a, b, [](uint32_t x, uint32_t y) { return x > y ? x : y; });
}
GP_DEVICE uint32_t gp_extreme_floats(uint32_t a, uint32_t b, bool is_f16, bool is_smallest)
{
    auto value = [=](uint32_t x) { return is_f16 ? gp_f32_from_f16((uint16_t)x) : gp_f32_from_bf16((uint16_t)x); };
    return gp_of_halves(a, b, [=](uint32_t x, uint32_t y) { return gp_comes_first(x, y, is_smallest, value) ? x : y; });
}
template <bool IS_F16> GP_DEVICE uint32_t gp_smaller_floats(uint32_t a, uint32_t b)
{
    return gp_extreme_floats(a, b, IS_F16, true);
}
template <bool IS_F16> GP_DEVICE uint32_t gp_larger_floats(uint32_t a, uint32_t b)
{
    return gp_extreme_floats(a, b, IS_F16, false);
}
#else
#define GP_PAIR_FUNCTION(name, instruction)                                                                                      \
    GP_DEVICE uint32_t name(uint32_t a, uint32_t b)                                                                              \
    {                                                                                                                            \
        uint32_t out;                                                                                                            \
        asm(instruction " %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));                                                            \
        return out;                                                                                                              \
    }
#if __CUDA_ARCH__ >= 900
GP_PAIR_FUNCTION(gp_smaller_integers, "min.u16x2")
GP_PAIR_FUNCTION(gp_larger_integers, "max.u16x2")
#else
GP_DEVICE uint32_t gp_smaller_integers(uint32_t a, uint32_t) { return a; }
GP_DEVICE uint32_t gp_larger_integers(uint32_t a, uint32_t) { return a; }
#endif
#if __CUDA_ARCH__ >= 800
GP_PAIR_FUNCTION(gp_smaller_f16, "min.NaN.f16x2")
GP_PAIR_FUNCTION(gp_larger_f16, "max.NaN.f16x2")
GP_PAIR_FUNCTION(gp_smaller_bf16, "min.NaN.bf16x2")
GP_PAIR_FUNCTION(gp_larger_bf16, "max.NaN.bf16x2")
template <bool IS_F16> GP_DEVICE uint32_t gp_smaller_floats(uint32_t a, uint32_t b)
{
    return IS_F16 ? gp_smaller_f16(a, b) : gp_smaller_bf16(a, b);
}
template <bool IS_F16> GP_DEVICE uint32_t gp_larger_floats(uint32_t a, uint32_t b)
{
    return IS_F16 ? gp_larger_f16(a, b) : gp_larger_bf16(a, b);
}
#else
template <bool IS_F16> GP_DEVICE uint32_t gp_smaller_floats(uint32_t a, uint32_t) { return a; }
template <bool IS_F16> GP_DEVICE uint32_t gp_larger_floats(uint32_t a, uint32_t) { return a; }
#endif
#undef GP_PAIR_FUNCTION
#endif

/* ---- columns ------------------------------------------------------------------------------------------------------------- */

/*
 * The smallest and the largest of the columns of a thread's runs. Pair i of 16-bit elements is word i of the run; of 8-bit ones, whose
 * bytes are widened, pair 2 w has bytes 0 and 2 of word w and the next one bytes 1 and 3. Signed integers have their top bit turned round.
 */
struct gp_packed_extremes {
    enum { N = GP_RUN_ELEMS / 2, ARE_BYTES = sizeof(gp_stored) == 1 };
    uint32_t lo[N < 1 ? 1 : N], hi[N < 1 ? 1 : N];

    /* What no element is above, and what none is below. */
    GP_DEVICE void start(gp_packed_extremes &p, int dtype)
    {
        uint32_t most = GP_ARE_HALVES ? (dtype == GP_F16 ? 0x7c007c00u : 0x7f807f80u) : 0xffffffffu;
        uint32_t least = GP_ARE_HALVES ? most | 0x80008000u : 0u;
        GP_UNROLL
        for (int i = 0; i < N; i++)
            p.lo[i] = most, p.hi[i] = least;
    }
    template <bool IS_F16> GP_DEVICE void add_floats(gp_packed_extremes &p, const gp_run &run)
    {
        GP_UNROLL
        for (int i = 0; i < N; i++)
            p.lo[i] = gp_smaller_floats<IS_F16>(p.lo[i], run.words[i]), p.hi[i] = gp_larger_floats<IS_F16>(p.hi[i], run.words[i]);
    }
    GP_DEVICE void add_pair(gp_packed_extremes &p, int i, uint32_t pair)
    {
        p.lo[i] = gp_smaller_integers(p.lo[i], pair), p.hi[i] = gp_larger_integers(p.hi[i], pair);
    }
    template <class CODEC> GP_DEVICE void add_bytes(gp_packed_extremes &p, const gp_run &run, const CODEC &codec)
    {
        GP_UNROLL
        for (int w = 0; w < GP_RUN_WORDS; w++) {
            uint32_t even, odd;
            CODEC::apart(codec, run.words[w], &even, &odd);
            add_pair(p, 2 * w, even), add_pair(p, 2 * w + 1, odd);
        }
    }
    GP_DEVICE void add_shorts(gp_packed_extremes &p, const gp_run &run, uint32_t flip)
    {
        GP_UNROLL
        for (int i = 0; i < N; i++)
            add_pair(p, i, run.words[i] ^ flip);
    }
    /* What signed integers are turned round by. */
    GP_DEVICE uint32_t flip_of(int dtype) { return dtype == GP_I8 ? 0x00800080u : dtype == GP_I16 ? 0x80008000u : 0u; }

    template <class CODEC> GP_DEVICE void add(gp_packed_extremes &p, const gp_run &run, int dtype, const CODEC &codec)
    {
        if (ARE_BYTES)
            add_bytes(p, run, codec);
        else if (!GP_ARE_HALVES)
            add_shorts(p, run, flip_of(dtype));
        else if (dtype == GP_F16)
            add_floats<true>(p, run);
        else
            add_floats<false>(p, run);
    }
    /* Column k of one of the two. */
    GP_DEVICE gp_value value(const uint32_t *pairs, int k, int dtype)
    {
        int i = ARE_BYTES ? k / 4 * 2 + k % 2 : k / 2, half = ARE_BYTES ? k / 2 % 2 : k % 2;
        uint32_t stored = pairs[i] >> 16 * half & 0xffffu;
        if (!GP_ARE_HALVES)
            stored = (stored ^ flip_of(dtype)) & (ARE_BYTES ? 0xffu : 0xffffu);
        return gp_elems::value_of((gp_stored)stored, gp_elems::codec_of(dtype));
    }
};

#endif
