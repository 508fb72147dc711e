/* gp_elems: the element class that this module is compiled for (-DGP_CLASS=F32), and how its elements are read. */
#ifndef GP_ELEMENT_CLASSES_CUH
#define GP_ELEMENT_CLASSES_CUH

#include "single_value.cuh"

/*
 * A class is a stored size and a value type that holds every value exactly; which dtype of the class it is, is known at
 * run time and the same for all elements. Each class has
 *
 *   stored, value   types of an element in memory and in registers
 *   sum             what values are added up in: exactly, 32767 of them, in integers; else float64
 *   K               elements of one run: the 16 bytes that a thread loads at once, 8 or 4 where an element has one
 *   is_float        elements may be not finite
 *   is_typed        false for ONE and ANY: there are no runs, every element is worked out
 *   has_stages      elements may be reduced over hidden axes, for which memory of its own is needed
 *   common_dtype    loops are written twice, once for this dtype alone, where every instruction counts; else GP_N_DTYPES
 *   codec           what decoding needs to know of the dtype, looked up by codec_of(dtype) once for a run
 *   value_of(stored, codec)
 *
 * Elements of a typed class are aligned to their size and in the machine's byte order; all else is ONE, or ANY where axes are hidden.
 */
#define GP_JOIN2_(a, b) a##b
#define GP_JOIN_(a, b) GP_JOIN2_(a, b)
/* GP_OF_CLASS(sum_narrow) is sum_narrow_F32 in module reduce_F32: names of kernels are unique in the process. */
#define GP_OF_CLASS(name) GP_JOIN_(GP_JOIN_(name, _), GP_CLASS)

/* What classes are, for the preprocessor: #if GP_CLASS_IS(BYTE). Kernels that a class has no use for are not compiled. */
#define GP_CLASS_IS(WHAT) GP_JOIN_(GP_IS_##WHAT##_, GP_CLASS)
#define GP_IS_BYTE_I8 1
#define GP_IS_BYTE_F8 1
#define GP_IS_SHORT_I8 1 /* keys have one digit; those of e3m4, of 13 bits, have two */
#define GP_IS_INTEGER_I8 1
#define GP_IS_INTEGER_I16 1
#define GP_IS_INTEGER_I32 1
#define GP_IS_INTEGER_I64 1
#define GP_IS_STAGED_ANY 1

GP_DEVICE bool gp_is_finite(float x) { return fabsf(x) < gp_f32_from_bits(0x7f800000u); }
GP_DEVICE bool gp_is_finite(double x) { return fabs(x) < gp_f64_from_bits(0x7ff0000000000000u); }
GP_DEVICE bool gp_is_finite(int) { return true; }
GP_DEVICE bool gp_is_finite(int64_t) { return true; }

/* Element k of a run's words, for elements of 1, 2, 4 and 8 bytes. */
GP_DEVICE void gp_pick(const uint32_t *words, int k, uint8_t *out) { *out = (uint8_t)(words[k / 4] >> (k % 4 * 8)); }
GP_DEVICE void gp_pick(const uint32_t *words, int k, uint16_t *out) { *out = (uint16_t)(words[k / 2] >> (k % 2 * 16)); }
GP_DEVICE void gp_pick(const uint32_t *words, int k, uint32_t *out) { *out = words[k]; }
GP_DEVICE void gp_pick(const uint32_t *words, int k, uint64_t *out) { *out = (uint64_t)words[2 * k + 1] << 32 | words[2 * k]; }

/* What every class has; decoding needs no more than the dtype, but for 8-bit floats. */
template <class STORED, class VALUE, class SUM, int RUN_ELEMS, bool IS_FLOAT> struct gp_elems_of {
    typedef STORED stored;
    typedef VALUE value;
    typedef SUM sum;
    static const int K = RUN_ELEMS, common_dtype = GP_N_DTYPES;
    static const bool is_float = IS_FLOAT, is_typed = true, has_stages = false;
    typedef int codec;
    GP_DEVICE codec codec_of(int dtype) { return dtype; }
};

/* uint8, int8, bool */
struct gp_elems_I8 : gp_elems_of<uint8_t, int, int, 8, false> {
    static const int common_dtype = GP_U8;
    GP_DEVICE value value_of(stored x, int dtype)
    {
        return dtype == GP_I8 ? (int)(int8_t)x : dtype == GP_BOOL ? (int)(x != 0) : (int)x;
    }
};

/* uint16, int16 */
struct gp_elems_I16 : gp_elems_of<uint16_t, int, int, 8, false> {
    GP_DEVICE value value_of(stored x, int dtype) { return dtype == GP_I16 ? (int)(int16_t)x : (int)x; }
};

/* float16, bfloat16 */
struct gp_elems_H16 : gp_elems_of<uint16_t, float, double, 8, true> {
    static const int common_dtype = GP_F16;
    GP_DEVICE float from_f16(uint16_t x)
    {
#if defined(GP_EMULATED)
        return gp_f32_from_f16(x);
#else
        float value; /* exact, and one instruction */
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x));
        return value;
#endif
    }
    GP_DEVICE value value_of(stored x, int dtype) { return dtype == GP_F16 ? from_f16(x) : gp_f32_from_bf16(x); }
};

/* How an 8-bit float is decoded in ten instructions: the code at the top of a word, in whose lowest bits nothing is. */
struct gp_f8_ways {
    uint32_t magnitude, sign; /* bits of them */
    int shift; /* of the magnitude, to where a float has its exponent and mantissa */
    float scale; /* between the biases; it also makes subnormals right */
    uint32_t least; /* bits of the smallest magnitude: all but a bare exponent have zero */
    uint32_t flipped, looked_at, top; /* no number: (code ^ flipped) & looked_at is not below top */
    uint32_t special; /* bits that a float has then, those of its mantissa as well */
};

GP_DEVICE gp_f8_ways gp_f8_ways_of(int mantissa_bits, int bias, gp_specials specials)
{
    gp_f8_codec codec = gp_f8_codec_of(mantissa_bits, bias, specials);
    bool is_power = specials == GP_SPECIALS_POWER, is_unsigned = specials == GP_SPECIALS_UNSIGNED;
    gp_f8_ways ways = {
        codec.mask << 24, (~codec.mask & 0x80u) << 24, mantissa_bits + 1, 0, codec.zero, 0, codec.mask << 24, codec.top << 24,
        0x7f800000u};
    ways.scale = gp_f32_from_bits((uint32_t)(254 - bias) << 23);
    if (is_unsigned) /* the code of the negative zero alone */
        ways.flipped = 0x7fu << 24, ways.looked_at = ways.top = 0xffu << 24;
    if (is_unsigned || is_power)
        ways.special = 0x7fc00000u;
    return ways;
}

/* Every code that is not a number becomes Inf or some NaN. */
GP_DEVICE float gp_f8_decode(uint8_t stored, const gp_f8_ways &ways)
{
    uint32_t code = (uint32_t)stored << 24;
    uint32_t bits = gp_bits_from_f32(gp_f32_from_bits((code & ways.magnitude) >> ways.shift) * ways.scale);
    bits = bits > ways.least ? bits : ways.least;
    bits |= ((code ^ ways.flipped) & ways.looked_at) >= ways.top ? ways.special : 0u;
    return gp_f32_from_bits(bits | (code & ways.sign));
}

/* 8-bit floats */
struct gp_elems_F8 : gp_elems_of<uint8_t, float, double, 4, true> {
    typedef gp_f8_ways codec;
    GP_DEVICE codec codec_of(int dtype)
    {
        switch (dtype) {
#define GP_CODEC_CASE(NAME, storage, KIND, name, code, bits, mantissa_bits, bias, SPECIALS)                                      \
    case GP_##NAME: return gp_f8_ways_of(mantissa_bits, bias, GP_SPECIALS_##SPECIALS);
            GP_F8_DTYPES(GP_CODEC_CASE)
#undef GP_CODEC_CASE
        default: return gp_f8_ways_of(3, 7, GP_SPECIALS_FINITE);
        }
    }
    GP_DEVICE value value_of(stored code, const codec &c) { return gp_f8_decode(code, c); }
};

/* uint32, int32 */
struct gp_elems_I32 : gp_elems_of<uint32_t, int64_t, int64_t, 4, false> {
    GP_DEVICE value value_of(stored x, int dtype) { return dtype == GP_I32 ? (int64_t)(int32_t)x : (int64_t)x; }
};

struct gp_elems_F32 : gp_elems_of<uint32_t, float, double, 4, true> {
    GP_DEVICE value value_of(stored x, int) { return gp_f32_from_bits(x); }
};

/* uint64, int64: as float64. Rounding never turns the order of two numbers round, so extremes of it are right, too. */
struct gp_elems_I64 : gp_elems_of<uint64_t, double, double, 2, false> {
    GP_DEVICE value value_of(stored x, int dtype) { return dtype == GP_I64 ? (double)(int64_t)x : (double)x; }
};

struct gp_elems_F64 : gp_elems_of<uint64_t, double, double, 2, true> {
    GP_DEVICE value value_of(stored x, int) { return gp_f64_from_bits(x); }
};

/* Elements that are one of the tensor's each: masks, components, channels, bytes in any order, anywhere. stored: a float64 that
 * gp_plane_value has made. Scaled elements are ANY, but for those of slices: registers of reductions are few. */
struct gp_elems_ONE : gp_elems_of<uint64_t, double, double, 1, true> {
    static const bool is_typed = false;
    GP_DEVICE value value_of(stored x, int) { return gp_f64_from_bits(x); }
};

/* Every plane there is. */
struct gp_elems_ANY : gp_elems_ONE {
    static const bool has_stages = true;
};

typedef GP_JOIN_(gp_elems_, GP_CLASS) gp_elems;
typedef gp_elems::stored gp_stored;
typedef gp_elems::value gp_value;

enum {
    GP_RUN_ELEMS = gp_elems::K,
    GP_RUN_BYTES = gp_elems::K * (int)sizeof(gp_stored),
    GP_RUN_WORDS = GP_RUN_BYTES / 4 /* 2 for integers of one byte, ONE and ANY, 1 for 8-bit floats, else 4 */
};

/* Two 8-bit floats by the instruction that newer devices have; false, and nothing done, for the other formats. */
#if !defined(GP_EMULATED) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
GP_DEVICE bool gp_f8_pairs(const uint32_t *words, int dtype, float *out)
{
    if (dtype != GP_F8_E4M3FN && dtype != GP_F8_E5M2)
        return false;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k += 2) {
        uint16_t codes = (uint16_t)(words[k / 4] >> (k % 4 * 8));
        uint32_t halves;
        if (dtype == GP_F8_E4M3FN)
            asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(codes));
        else
            asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(halves) : "h"(codes));
        out[k] = gp_elems_H16::from_f16((uint16_t)halves), out[k + 1] = gp_elems_H16::from_f16((uint16_t)(halves >> 16));
    }
    return true;
}
#else
GP_DEVICE bool gp_f8_pairs(const uint32_t *, int, float *) { return false; }
#endif
template <class T> GP_DEVICE bool gp_f8_pairs(const uint32_t *, int, T *) { return false; }

/* All elements of a run. What decoding needs of the dtype is looked up once, not for every element. */
GP_DEVICE void gp_run_values(const uint32_t *words, int dtype, gp_value *out)
{
    gp_stored x;
    if (gp_elems::is_float && sizeof(gp_stored) == 1 && gp_f8_pairs(words, dtype, out))
        return;
    if (gp_elems::common_dtype != GP_N_DTYPES && dtype == gp_elems::common_dtype) {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            gp_pick(words, k, &x);
            out[k] = gp_elems::value_of(x, gp_elems::codec_of(gp_elems::common_dtype));
        }
        return;
    }
    gp_elems::codec codec = gp_elems::codec_of(dtype);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        gp_pick(words, k, &x);
        out[k] = gp_elems::value_of(x, codec);
    }
}

#endif
