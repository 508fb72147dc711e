/* Casts of elements: a stored element becomes one of five kinds of value, and a value any dtype, with one rounding. */
#ifndef GP_CASTS_H
#define GP_CASTS_H

#include "dtypes.h"

/*
 * Every stored element, and every part of a complex one, is exactly a value of one kind (dtypes.h):
 *
 * gp_load_<DTYPE>(stored) gives the value, gp_store_<DTYPE>_<KIND>(value) the storage of another dtype:
 *
 * - to a float: rounded once to the nearest, ties to even; what is too large is Inf, or NaN in formats without Inf;
 * - integer to integer: the low bits (it wraps);
 * - float to integer: truncated, then saturated; NaN is 0;
 * - to bool: 1 if it is not 0, NaN too.
 *
 * NaNs keep their sign where the format has one. Those of float16 become quiet and keep the bits of their payload that fit, as
 * processors do it; payloads are lost in bfloat16 and 8-bit floats.
 */

/* X(dtype, storage of an element or of one part of it, ...): dtypes whose stored elements are values themselves; the host has more. */
#define GP_CAST_VALUES(X) X(I32, int32_t, W) X(I64, int64_t, I) X(U64, uint64_t, U) X(F32, float, F) X(F64, double, D)
#define GP_CAST_VALUE_SOURCES(X) GP_CAST_VALUES(X) X(C64, float, F) X(C128, double, D)
/* Dtypes whose stored elements have to be decoded to values. */
#define GP_CAST_HALF_SOURCES(X) GP_HALF_DTYPE(X) X(C32, uint16_t, F)
#define GP_CAST_SMALL_INTEGERS(X) X(U8, uint8_t, W) X(U16, uint16_t, W) X(I8, int8_t, W) X(I16, int16_t, W) X(U32, uint32_t, I)
#define GP_CAST_SMALL_SOURCES(X) GP_BOOL_DTYPE(X) GP_CAST_SMALL_INTEGERS(X) GP_NARROW_DTYPES(X)
#define GP_CAST_SOURCES(X) GP_CAST_VALUE_SOURCES(X) GP_CAST_HALF_SOURCES(X) GP_CAST_SMALL_SOURCES(X)

/* X(dtype, storage of an element or of one part of it, ...): all dtypes that are written. Narrow floats are rounded from the float of
 * gp_odd_f32_<KIND>. complex32 is only copied. */
#define GP_CAST_WIDE_TARGETS(X) GP_BOOL_DTYPE(X) GP_PLAIN_DTYPES(X) X(C64, float, F) X(C128, double, D)
#define GP_CAST_HALF_TARGETS(X) GP_HALF_DTYPE(X)
#define GP_CAST_NARROW_TARGETS(X) GP_NARROW_DTYPES(X)
#define GP_CAST_TARGETS(X) GP_CAST_WIDE_TARGETS(X) GP_CAST_HALF_TARGETS(X) GP_CAST_NARROW_TARGETS(X)

/* ---- any value to a float that may be rounded again ----------------------------------------------------------------- */

/*
 * Rounding to odd: a value between two floats becomes the one whose last bit is set. Rounding that to the nearest of a
 * format at least two bits narrower has the same result as rounding the value itself.
 */
GP_FN float gp_odd_f32_from_f64(double value)
{
    float nearest = (float)value;
    double back = (double)nearest;
    uint32_t bits = gp_bits_from_f32(nearest);
    double size = value < 0 ? -value : value, back_size = back < 0 ? -back : back;
    uint32_t is_even = ~bits & 1u;
    bits += size > back_size ? is_even : 0u; /* not for NaN and Inf */
    bits -= size < back_size ? is_even : 0u;
    return gp_f32_from_bits(bits);
}

/* Integers are first rounded to odd to a double. */
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
/* Values in [LOW, TOP) truncate to integers of the type. LOW may be MIN: -0.5 becomes 0 whether it is inside or saturated. */
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
#endif
#undef GP_CAST_ROUND

#define GP_CAST_TRUTH(NAME, KIND)                                                                                                \
    GP_FN uint8_t gp_store_##NAME##_##KIND(gp_kind_##KIND value) { return value != 0; }
GP_CAST_PER_KIND(GP_CAST_TRUTH, BOOL)
#undef GP_CAST_TRUTH

#define GP_CAST_ENCODE_FROM(NAME, storage, KIND)                                                                                 \
    GP_FN storage gp_store_##NAME##_##KIND(gp_kind_##KIND value) { return gp_encode_##NAME(gp_odd_f32_##KIND(value)); }
#define GP_CAST_ENCODE(NAME, storage, ...) GP_CAST_PER_KIND(GP_CAST_ENCODE_FROM, NAME, storage)
GP_CAST_HALF_TARGETS(GP_CAST_ENCODE)
GP_CAST_NARROW_TARGETS(GP_CAST_ENCODE)
#undef GP_CAST_ENCODE
#undef GP_CAST_ENCODE_FROM

#endif
