/* What casting an element means: a stored element becomes one of five kinds of value, and a value any dtype with one rounding. */
#ifndef GP_CASTS_H
#define GP_CASTS_H

#include "dtypes.h"

/*
 * Every stored element, and every part of a complex one, is exactly one kind of value:
 *
 *   W  int32_t   bool and integers of at most 16 bits, int32
 *   I  int64_t   uint32, int64
 *   U  uint64_t  uint64
 *   F  float     float32 and all narrower floats; parts of complex32 and complex64
 *   D  double    float64, parts of complex128; on the host also long doubles, rounded
 *
 * gp_load_<DTYPE>(stored) gives the value, gp_store_<DTYPE>_<KIND>(value) the storage of another dtype:
 *
 * - to a float: rounded once to the nearest, ties to even; what is too large is Inf, or NaN in formats without Inf;
 * - integer to integer: the low bits (it wraps);
 * - float to integer: truncated, then saturated; NaN is 0;
 * - to bool: 1 if it is not 0, NaN too.
 *
 * NaNs keep their sign where the format has one. Those of float16 are quiet afterwards and keep what they have room for of their
 * payload, as processors do it; payloads are lost in bfloat16 and 8-bit floats.
 */

/* X(dtype, storage of an element or of one part of it, KIND): storage that is the value itself, and storage that becomes it. */
#define GP_CAST_VALUE_SOURCES(X)                                                                                                 \
    X(I32, int32_t, W)                                                                                                           \
    X(I64, int64_t, I)                                                                                                           \
    X(U64, uint64_t, U)                                                                                                          \
    X(F32, float, F)                                                                                                             \
    X(F64, double, D)                                                                                                            \
    X(C64, float, F)                                                                                                             \
    X(C128, double, D)
#define GP_CAST_HALF_SOURCES(X)                                                                                                  \
    X(F16, uint16_t, F)                                                                                                          \
    X(C32, uint16_t, F)
#define GP_CAST_SMALL_SOURCES(X)                                                                                                 \
    X(BOOL, uint8_t, W)                                                                                                          \
    X(U8, uint8_t, W)                                                                                                            \
    X(U16, uint16_t, W)                                                                                                          \
    X(I8, int8_t, W)                                                                                                             \
    X(I16, int16_t, W)                                                                                                           \
    X(U32, uint32_t, I)                                                                                                          \
    X(BF16, uint16_t, F)                                                                                                         \
    X(F8_E4M3FN, uint8_t, F)                                                                                                     \
    X(F8_E5M2, uint8_t, F)                                                                                                       \
    X(F8_E4M3FNUZ, uint8_t, F)                                                                                                   \
    X(F8_E5M2FNUZ, uint8_t, F)                                                                                                   \
    X(F8_E4M3B11FNUZ, uint8_t, F)                                                                                                \
    X(F8_E4M3, uint8_t, F)                                                                                                       \
    X(F8_E3M4, uint8_t, F)                                                                                                       \
    X(F8_E8M0FNU, uint8_t, F)
#define GP_CAST_SOURCES(X) GP_CAST_VALUE_SOURCES(X) GP_CAST_HALF_SOURCES(X) GP_CAST_SMALL_SOURCES(X)

/* X(dtype, storage of an element or of one part of it): all that is written. Narrow ones are rounded from a float that
 * gp_odd_f32_<KIND> made. complex32 is written by nobody but itself. */
#define GP_CAST_WIDE_TARGETS(X)                                                                                                  \
    X(BOOL, uint8_t)                                                                                                             \
    X(U8, uint8_t)                                                                                                               \
    X(U16, uint16_t)                                                                                                             \
    X(U32, uint32_t)                                                                                                             \
    X(U64, uint64_t)                                                                                                             \
    X(I8, int8_t)                                                                                                                \
    X(I16, int16_t)                                                                                                              \
    X(I32, int32_t)                                                                                                              \
    X(I64, int64_t)                                                                                                              \
    X(F32, float)                                                                                                                \
    X(F64, double)                                                                                                               \
    X(C64, float)                                                                                                                \
    X(C128, double)
#define GP_CAST_HALF_TARGETS(X) X(F16, uint16_t)
#define GP_CAST_NARROW_TARGETS(X)                                                                                                \
    X(BF16, uint16_t)                                                                                                            \
    X(F8_E4M3FN, uint8_t)                                                                                                        \
    X(F8_E5M2, uint8_t)                                                                                                          \
    X(F8_E4M3FNUZ, uint8_t)                                                                                                      \
    X(F8_E5M2FNUZ, uint8_t)                                                                                                      \
    X(F8_E4M3B11FNUZ, uint8_t)                                                                                                   \
    X(F8_E4M3, uint8_t)                                                                                                          \
    X(F8_E3M4, uint8_t)                                                                                                          \
    X(F8_E8M0FNU, uint8_t)
#define GP_CAST_TARGETS(X) GP_CAST_WIDE_TARGETS(X) GP_CAST_HALF_TARGETS(X) GP_CAST_NARROW_TARGETS(X)

typedef int32_t gp_kind_W;
typedef int64_t gp_kind_I;
typedef uint64_t gp_kind_U;
typedef float gp_kind_F;
typedef double gp_kind_D;

/* ---- bits -------------------------------------------------------------------------------------------------------------- */

GP_FN uint32_t gp_bits_from_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* a where the condition holds, else b, without a branch that would keep a loop from becoming vector instructions. */
GP_FN uint32_t gp_choose(bool condition, uint32_t a, uint32_t b) { return b ^ ((a ^ b) & (0u - (uint32_t)condition)); }

/* ---- stored element to value ---------------------------------------------------------------------------------------- */

#define GP_CAST_LOAD_PLAIN(NAME, storage, KIND)                                                                                  \
    GP_FN gp_kind_##KIND gp_load_##NAME(storage stored) { return (gp_kind_##KIND)stored; }
GP_CAST_LOAD_PLAIN(U8, uint8_t, W)
GP_CAST_LOAD_PLAIN(U16, uint16_t, W)
GP_CAST_LOAD_PLAIN(I8, int8_t, W)
GP_CAST_LOAD_PLAIN(I16, int16_t, W)
GP_CAST_LOAD_PLAIN(I32, int32_t, W)
GP_CAST_LOAD_PLAIN(U32, uint32_t, I)
GP_CAST_LOAD_PLAIN(I64, int64_t, I)
GP_CAST_LOAD_PLAIN(U64, uint64_t, U)
GP_CAST_LOAD_PLAIN(F32, float, F)
GP_CAST_LOAD_PLAIN(F64, double, D)
GP_CAST_LOAD_PLAIN(C64, float, F)
GP_CAST_LOAD_PLAIN(C128, double, D)
#undef GP_CAST_LOAD_PLAIN

GP_FN int32_t gp_load_BOOL(uint8_t stored) { return stored != 0; }
GP_FN float gp_load_BF16(uint16_t stored) { return gp_f32_from_bf16(stored); }

/* Bits of the |element| with this code, in a format narrower than float. No subnormal float is computed with: processors are
 * slow at that. */
GP_FN uint32_t gp_decode_magnitude(uint32_t code, int mantissa_bits, int bias)
{
    uint32_t normal = (code << (23 - mantissa_bits)) + ((uint32_t)(127 - bias) << 23);
    float unit = gp_f32_from_bits((uint32_t)(128 - bias - mantissa_bits) << 23);
    return gp_choose(code >> mantissa_bits != 0, normal, gp_bits_from_f32((float)(int32_t)code * unit));
}

GP_FN float gp_load_F16(uint16_t stored)
{
    uint32_t code = stored & 0x7fffu, sign = (uint32_t)(stored & 0x8000u) << 16;
    uint32_t bits = gp_choose(code >= 0x7c00u, 0x7f800000u | code << 13, gp_decode_magnitude(code, 10, 15));
    bits |= code > 0x7c00u ? 0x00400000u : 0u;
    return gp_f32_from_bits(bits | sign);
}
GP_FN float gp_load_C32(uint16_t stored) { return gp_load_F16(stored); }

/* The formats of dtypes.h: `infinity` is the code of Inf, and all above it are NaN; 0x7e: there is no Inf, and 0x7f is NaN. */
GP_FN float gp_f32_from_f8(uint8_t stored, int mantissa_bits, int bias, uint32_t infinity)
{
    uint32_t code = stored & 0x7fu, sign = (uint32_t)(stored & 0x80u) << 24;
    uint32_t bits = gp_decode_magnitude(code, mantissa_bits, bias);
    bits = gp_choose(code == infinity && infinity != 0x7e, 0x7f800000u, bits);
    bits = gp_choose(code > infinity, 0x7fc00000u, bits);
    return gp_f32_from_bits(bits | sign);
}
/* No Inf, no negative zero: its code is NaN. */
GP_FN float gp_f32_from_f8_fnuz(uint8_t stored, int mantissa_bits, int bias)
{
    uint32_t sign = (uint32_t)(stored & 0x80u) << 24;
    uint32_t bits = gp_choose(stored == 0x80u, 0x7fc00000u, gp_decode_magnitude(stored & 0x7fu, mantissa_bits, bias));
    return gp_f32_from_bits(bits | sign);
}
GP_FN float gp_load_F8_E4M3FN(uint8_t stored) { return gp_f32_from_f8(stored, 3, 7, 0x7e); }
GP_FN float gp_load_F8_E5M2(uint8_t stored) { return gp_f32_from_f8(stored, 2, 15, 0x7c); }
GP_FN float gp_load_F8_E4M3(uint8_t stored) { return gp_f32_from_f8(stored, 3, 7, 0x78); }
GP_FN float gp_load_F8_E3M4(uint8_t stored) { return gp_f32_from_f8(stored, 4, 3, 0x70); }
GP_FN float gp_load_F8_E4M3FNUZ(uint8_t stored) { return gp_f32_from_f8_fnuz(stored, 3, 8); }
GP_FN float gp_load_F8_E5M2FNUZ(uint8_t stored) { return gp_f32_from_f8_fnuz(stored, 2, 16); }
GP_FN float gp_load_F8_E4M3B11FNUZ(uint8_t stored) { return gp_f32_from_f8_fnuz(stored, 3, 11); }
GP_FN float gp_load_F8_E8M0FNU(uint8_t stored)
{
    uint32_t bits = stored == 0 ? 0x00400000u : (uint32_t)stored << 23; /* 2^-127 is a subnormal float */
    return gp_f32_from_bits(stored == 0xff ? 0x7fc00000u : bits);
}

/* ---- any value to a float that a second rounding cannot spoil ----------------------------------------------------- */

/*
 * Rounded to odd: of the two floats around a value that is none, the one whose last bit is set. Rounding that to the
 * nearest of a format at least two bits narrower gives what rounding the value itself would.
 */
GP_FN float gp_odd_f32_from_f64(double value)
{
    float nearest = (float)value;
    double back = (double)nearest;
    uint32_t bits = gp_bits_from_f32(nearest);
    double size = value < 0 ? -value : value, back_size = back < 0 ? -back : back;
    uint32_t is_even = ~bits & 1u;
    bits += size > back_size ? is_even : 0u; /* never for NaN, nor for Inf */
    bits -= size < back_size ? is_even : 0u;
    return gp_f32_from_bits(bits);
}

/* Integers first lose what a double has no room for, to odd as well. */
GP_FN float gp_odd_f32_from_u64(uint64_t value)
{
    uint64_t shorter = (value & ~(uint64_t)0x7ff) | ((value & 0x7ff) != 0 ? (uint64_t)0x800 : 0u);
    return gp_odd_f32_from_f64((double)(value >> 53 ? shorter : value));
}

GP_FN float gp_odd_f32_from_i64(int64_t value)
{
    uint64_t size = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
    float magnitude = gp_odd_f32_from_u64(size);
    return value < 0 ? -magnitude : magnitude;
}

GP_FN float gp_odd_f32_W(int32_t value) { return gp_odd_f32_from_f64((double)value); }
GP_FN float gp_odd_f32_I(int64_t value) { return gp_odd_f32_from_i64(value); }
GP_FN float gp_odd_f32_U(uint64_t value) { return gp_odd_f32_from_u64(value); }
GP_FN float gp_odd_f32_F(float value) { return value; }
GP_FN float gp_odd_f32_D(double value) { return gp_odd_f32_from_f64(value); }

/* ---- float to narrower formats: integer arithmetic without branches, so that loops become vector instructions -------- */

/*
 * |value| as the code of a format with `mantissa_bits` and `bias`, rounded to the nearest, ties to even, as if its exponents
 * had no end: the caller looks at what is too large. Below the smallest normal number the sum with a power of two, whose
 * last bit is worth as much as a subnormal's, does the rounding.
 */
GP_FN uint32_t gp_encode_magnitude(uint32_t magnitude, int mantissa_bits, int bias)
{
    int shift = 23 - mantissa_bits;
    uint32_t half = ((uint32_t)1 << (shift - 1)) - 1u;
    uint32_t normal = ((magnitude + half + (magnitude >> shift & 1u)) >> shift) - ((uint32_t)(127 - bias) << mantissa_bits);
    uint32_t lowest = (uint32_t)(128 - bias) << 23, unit = (uint32_t)(128 - bias - mantissa_bits + 23) << 23;
    uint32_t subnormal = gp_bits_from_f32(gp_f32_from_bits(magnitude) + gp_f32_from_bits(unit)) - unit;
    return gp_choose(magnitude < lowest, subnormal, normal);
}

GP_FN uint16_t gp_f16_from_f32(float value)
{
    uint32_t bits = gp_bits_from_f32(value), magnitude = bits & 0x7fffffffu;
    uint32_t code = gp_encode_magnitude(magnitude, 10, 15), sign = bits >> 16 & 0x8000u;
    code = gp_choose(code > 0x7c00u, 0x7c00u, code);
    code = gp_choose(magnitude > 0x7f800000u, 0x7e00u | (magnitude >> 13 & 0x3ffu), code);
    return (uint16_t)(code | sign);
}

GP_FN uint16_t gp_bf16_from_f32(float value)
{
    uint32_t bits = gp_bits_from_f32(value);
    uint32_t code = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)gp_choose((bits & 0x7fffffffu) > 0x7f800000u, (bits >> 16 & 0x8000u) | 0x7fc0u, code);
}

/* too_large: the code of numbers beyond `largest`, of Inf too; nan: the code of NaN. Both get the sign if is_signed. */
GP_FN uint8_t gp_encode_f8(float value, int mantissa_bits, int bias, uint32_t largest, uint32_t too_large, uint32_t nan,
                           bool has_negative_zero)
{
    uint32_t bits = gp_bits_from_f32(value), magnitude = bits & 0x7fffffffu, sign = bits >> 24 & 0x80u;
    uint32_t code = gp_encode_magnitude(magnitude, mantissa_bits, bias);
    code = gp_choose(code > largest, too_large, code);
    code = gp_choose(magnitude > 0x7f800000u, nan, code);
    sign = gp_choose(code == 0 && !has_negative_zero, 0u, sign);
    return (uint8_t)(code | sign);
}

GP_FN uint8_t gp_f8_e4m3fn_from_f32(float value) { return gp_encode_f8(value, 3, 7, 0x7e, 0x7f, 0x7f, true); }
GP_FN uint8_t gp_f8_e5m2_from_f32(float value) { return gp_encode_f8(value, 2, 15, 0x7b, 0x7c, 0x7e, true); }
GP_FN uint8_t gp_f8_e4m3fnuz_from_f32(float value) { return gp_encode_f8(value, 3, 8, 0x7f, 0x80, 0x80, false); }
GP_FN uint8_t gp_f8_e5m2fnuz_from_f32(float value) { return gp_encode_f8(value, 2, 16, 0x7f, 0x80, 0x80, false); }
GP_FN uint8_t gp_f8_e4m3b11fnuz_from_f32(float value) { return gp_encode_f8(value, 3, 11, 0x7f, 0x80, 0x80, false); }
GP_FN uint8_t gp_f8_e4m3_from_f32(float value) { return gp_encode_f8(value, 3, 7, 0x77, 0x78, 0x7c, true); }
GP_FN uint8_t gp_f8_e3m4_from_f32(float value) { return gp_encode_f8(value, 4, 3, 0x6f, 0x70, 0x78, true); }

/* The nearest power of two, of two equally near ones the larger; NaN for all that is not above zero, or too large. */
GP_FN uint8_t gp_f8_e8m0fnu_from_f32(float value)
{
    uint32_t bits = gp_bits_from_f32(value); /* the sign bit makes negative numbers too large */
    uint32_t code = bits < 0x00800000u ? (bits >= 0x00600000u ? 1u : 0u) : (bits + 0x00400000u) >> 23;
    return (uint8_t)(bits == 0 || bits >= 0x7f400000u ? 0xffu : code);
}

/* ---- value to stored element ----------------------------------------------------------------------------------------- */

#define GP_CAST_WRAP(NAME, storage, KIND)                                                                                        \
    GP_FN storage gp_store_##NAME##_##KIND(gp_kind_##KIND value) { return (storage)value; }
#define GP_CAST_CLAMP(NAME, storage, MIDDLE, LOW, TOP, MIN, MAX, KIND)                                                           \
    GP_FN storage gp_store_##NAME##_##KIND(gp_kind_##KIND value)                                                                 \
    {                                                                                                                            \
        gp_kind_##KIND inside = value >= (gp_kind_##KIND)LOW && value < (gp_kind_##KIND)TOP ? value : 0;                         \
        storage truncated = (storage)(MIDDLE)inside;                                                                             \
        truncated = value < (gp_kind_##KIND)LOW ? (storage)MIN : truncated;                                                      \
        return value >= (gp_kind_##KIND)TOP ? (storage)MAX : truncated;                                                          \
    }
/* [LOW, TOP) truncates to what the integer can hold; LOW is also MIN, -0.5 being inside or saturated to the same 0. */
#define GP_CAST_TO_INTEGER(NAME, storage, MIDDLE, LOW, TOP, MIN, MAX)                                                            \
    GP_CAST_WRAP(NAME, storage, W)                                                                                               \
    GP_CAST_WRAP(NAME, storage, I)                                                                                               \
    GP_CAST_WRAP(NAME, storage, U)                                                                                               \
    GP_CAST_CLAMP(NAME, storage, MIDDLE, LOW, TOP, MIN, MAX, F)                                                                  \
    GP_CAST_CLAMP(NAME, storage, MIDDLE, LOW, TOP, MIN, MAX, D)
GP_CAST_TO_INTEGER(U8, uint8_t, int32_t, 0.0, 256.0, 0, 0xff)
GP_CAST_TO_INTEGER(U16, uint16_t, int32_t, 0.0, 65536.0, 0, 0xffff)
GP_CAST_TO_INTEGER(U32, uint32_t, uint32_t, 0.0, 4294967296.0, 0, 0xffffffffu)
GP_CAST_TO_INTEGER(U64, uint64_t, uint64_t, 0.0, 18446744073709551616.0, 0, 0xffffffffffffffffu)
GP_CAST_TO_INTEGER(I8, int8_t, int32_t, -128.0, 128.0, -128, 127)
GP_CAST_TO_INTEGER(I16, int16_t, int32_t, -32768.0, 32768.0, -32768, 32767)
GP_CAST_TO_INTEGER(I32, int32_t, int32_t, -2147483648.0, 2147483648.0, -0x7fffffff - 1, 0x7fffffff)
GP_CAST_TO_INTEGER(I64, int64_t, int64_t, -9223372036854775808.0, 9223372036854775808.0, -0x7fffffffffffffff - 1,
                   0x7fffffffffffffff)
#undef GP_CAST_TO_INTEGER
#undef GP_CAST_CLAMP
#undef GP_CAST_WRAP

#define GP_CAST_PER_KIND(X, ...) X(__VA_ARGS__, W) X(__VA_ARGS__, I) X(__VA_ARGS__, U) X(__VA_ARGS__, F) X(__VA_ARGS__, D)

/* C's own conversions to float and double round once, to the nearest, from every kind. */
#define GP_CAST_ROUND(NAME, storage, KIND)                                                                                       \
    GP_FN storage gp_store_##NAME##_##KIND(gp_kind_##KIND value) { return (storage)value; }
GP_CAST_PER_KIND(GP_CAST_ROUND, F32, float)
GP_CAST_PER_KIND(GP_CAST_ROUND, F64, double)
GP_CAST_PER_KIND(GP_CAST_ROUND, C64, float)
GP_CAST_PER_KIND(GP_CAST_ROUND, C128, double)
#if !defined(GP_ON_DEVICE)
GP_CAST_PER_KIND(GP_CAST_ROUND, LONGDOUBLE, long double)
GP_FN double gp_load_LONGDOUBLE(long double stored) { return (double)stored; }
#endif
#undef GP_CAST_ROUND

#define GP_CAST_TRUTH(NAME, KIND)                                                                                                \
    GP_FN uint8_t gp_store_##NAME##_##KIND(gp_kind_##KIND value) { return value != 0; }
GP_CAST_PER_KIND(GP_CAST_TRUTH, BOOL)
#undef GP_CAST_TRUTH

#define GP_CAST_ENCODE(NAME, storage, encode, KIND)                                                                              \
    GP_FN storage gp_store_##NAME##_##KIND(gp_kind_##KIND value) { return encode(gp_odd_f32_##KIND(value)); }
GP_CAST_PER_KIND(GP_CAST_ENCODE, F16, uint16_t, gp_f16_from_f32)
GP_CAST_PER_KIND(GP_CAST_ENCODE, BF16, uint16_t, gp_bf16_from_f32)
GP_CAST_PER_KIND(GP_CAST_ENCODE, F8_E4M3FN, uint8_t, gp_f8_e4m3fn_from_f32)
GP_CAST_PER_KIND(GP_CAST_ENCODE, F8_E5M2, uint8_t, gp_f8_e5m2_from_f32)
GP_CAST_PER_KIND(GP_CAST_ENCODE, F8_E4M3FNUZ, uint8_t, gp_f8_e4m3fnuz_from_f32)
GP_CAST_PER_KIND(GP_CAST_ENCODE, F8_E5M2FNUZ, uint8_t, gp_f8_e5m2fnuz_from_f32)
GP_CAST_PER_KIND(GP_CAST_ENCODE, F8_E4M3B11FNUZ, uint8_t, gp_f8_e4m3b11fnuz_from_f32)
GP_CAST_PER_KIND(GP_CAST_ENCODE, F8_E4M3, uint8_t, gp_f8_e4m3_from_f32)
GP_CAST_PER_KIND(GP_CAST_ENCODE, F8_E3M4, uint8_t, gp_f8_e3m4_from_f32)
GP_CAST_PER_KIND(GP_CAST_ENCODE, F8_E8M0FNU, uint8_t, gp_f8_e8m0fnu_from_f32)
#undef GP_CAST_ENCODE

#endif
