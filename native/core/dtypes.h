/* The dtype table, and for each dtype the one function that turns a stored element into its value. */
#ifndef GP_DTYPES_H
#define GP_DTYPES_H

#include "portable.h"

/*
 * X(NAME, storage type, name that users see, DLPack type code, bits of one element)
 *
 * Three lists, because code that loops over types treats them differently: plain C numbers, numbers that have to be
 * decoded, and complex pairs (their storage is the type of one part).
 */
#define GP_PLAIN_DTYPES(X)                                                                                                       \
    X(U8, uint8_t, "uint8", 1, 8)                                                                                                \
    X(U16, uint16_t, "uint16", 1, 16)                                                                                            \
    X(U32, uint32_t, "uint32", 1, 32)                                                                                            \
    X(U64, uint64_t, "uint64", 1, 64)                                                                                            \
    X(I8, int8_t, "int8", 0, 8)                                                                                                  \
    X(I16, int16_t, "int16", 0, 16)                                                                                              \
    X(I32, int32_t, "int32", 0, 32)                                                                                              \
    X(I64, int64_t, "int64", 0, 64)                                                                                              \
    X(F32, float, "float32", 2, 32)                                                                                              \
    X(F64, double, "float64", 2, 64)

#define GP_CODED_DTYPES(X)                                                                                                       \
    X(BOOL, uint8_t, "bool", 6, 8)                                                                                               \
    X(F16, uint16_t, "float16", 2, 16)                                                                                           \
    X(BF16, uint16_t, "bfloat16", 4, 16)                                                                                         \
    X(F8_E4M3FN, uint8_t, "float8_e4m3fn", 10, 8)                                                                                \
    X(F8_E5M2, uint8_t, "float8_e5m2", 12, 8)                                                                                    \
    X(F8_E4M3FNUZ, uint8_t, "float8_e4m3fnuz", 11, 8)                                                                            \
    X(F8_E5M2FNUZ, uint8_t, "float8_e5m2fnuz", 13, 8)                                                                            \
    X(F8_E4M3B11FNUZ, uint8_t, "float8_e4m3b11fnuz", 9, 8)                                                                       \
    X(F8_E4M3, uint8_t, "float8_e4m3", 8, 8)                                                                                     \
    X(F8_E3M4, uint8_t, "float8_e3m4", 7, 8)                                                                                     \
    X(F8_E8M0FNU, uint8_t, "float8_e8m0fnu", 14, 8)

#define GP_COMPLEX_DTYPES(X)                                                                                                     \
    X(C32, uint16_t, "complex32", 5, 32)                                                                                         \
    X(C64, float, "complex64", 5, 64)                                                                                            \
    X(C128, double, "complex128", 5, 128)

/* The host's long double: 80 or 128 bits wide, read as float64; no device has it and DLPack does not carry it. */
#define GP_HOST_DTYPES(X) X(LONGDOUBLE, long double, "longdouble", 255, 8 * (int)sizeof(long double))

#define GP_DTYPES(X) GP_PLAIN_DTYPES(X) GP_CODED_DTYPES(X) GP_COMPLEX_DTYPES(X) GP_HOST_DTYPES(X)

typedef enum gp_dtype {
#define GP_DTYPE_ID(NAME, storage, name, code, bits) GP_##NAME,
    GP_DTYPES(GP_DTYPE_ID)
#undef GP_DTYPE_ID
        GP_N_DTYPES
} gp_dtype;

/* ---- value of a stored element, one function per dtype: gp_value_F32(float) -> double ---------------------------- */

#define GP_PLAIN_VALUE(NAME, storage, name, code, bits)                                                                          \
    GP_FN double gp_value_##NAME(storage stored) { return (double)stored; }
GP_PLAIN_DTYPES(GP_PLAIN_VALUE)
#undef GP_PLAIN_VALUE

/* float16 by shifting exponent and mantissa into place; the multiplication by 2^112 also makes subnormals right. */
GP_FN float gp_f32_from_f16(uint16_t stored)
{
    uint32_t sign = (uint32_t)(stored & 0x8000u) << 16, magnitude = (uint32_t)(stored & 0x7fffu) << 13;
    float value = gp_f32_from_bits(magnitude) * 5.192296858534828e33f; /* 2^112 */
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= (stored & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u; /* Inf and NaN keep their exponent full */
    return gp_f32_from_bits(bits | sign);
}

GP_FN float gp_f32_from_bf16(uint16_t stored) { return gp_f32_from_bits((uint32_t)stored << 16); }

GP_FN double gp_value_BOOL(uint8_t stored) { return stored != 0 ? 1.0 : 0.0; }
GP_FN double gp_value_F16(uint16_t stored) { return (double)gp_f32_from_f16(stored); }
GP_FN double gp_value_BF16(uint16_t stored) { return (double)gp_f32_from_bf16(stored); }

/* 2^exponent for |exponent| < 300, exact. */
GP_FN double gp_power_of_two(int exponent) { return gp_f64_from_bits((uint64_t)(1023 + exponent) << 52); }

/*
 * An 8-bit float of the given format. nan_style says what the top codes are: 0 = as IEEE 754 (full exponent: mantissa
 * 0 is Inf, else NaN), 1 = "fn" (finite: only all ones is NaN), 2 = "fnuz" (only 0x80, the would-be -0, is NaN).
 */
GP_FN double gp_decode_f8(uint8_t stored, int mantissa_bits, int bias, int nan_style)
{
    int exponent = (stored & 0x7f) >> mantissa_bits, mantissa = stored & ((1 << mantissa_bits) - 1);
    int top = (1 << (7 - mantissa_bits)) - 1;
    double sign = stored & 0x80 ? -1.0 : 1.0, nan = gp_f64_from_bits(0x7ff8000000000000u);
    if (nan_style == 2 && stored == 0x80)
        return nan;
    if (nan_style == 1 && (stored & 0x7f) == 0x7f)
        return nan;
    if (nan_style == 0 && exponent == top)
        return mantissa ? nan : sign * gp_f64_from_bits(0x7ff0000000000000u);
    if (exponent == 0)
        return sign * mantissa * gp_power_of_two(1 - bias - mantissa_bits);
    return sign * ((1 << mantissa_bits) + mantissa) * gp_power_of_two(exponent - bias - mantissa_bits);
}

GP_FN double gp_value_F8_E4M3FN(uint8_t stored) { return gp_decode_f8(stored, 3, 7, 1); }
GP_FN double gp_value_F8_E5M2(uint8_t stored) { return gp_decode_f8(stored, 2, 15, 0); }
GP_FN double gp_value_F8_E4M3FNUZ(uint8_t stored) { return gp_decode_f8(stored, 3, 8, 2); }
GP_FN double gp_value_F8_E5M2FNUZ(uint8_t stored) { return gp_decode_f8(stored, 2, 16, 2); }
GP_FN double gp_value_F8_E4M3B11FNUZ(uint8_t stored) { return gp_decode_f8(stored, 3, 11, 2); }
GP_FN double gp_value_F8_E4M3(uint8_t stored) { return gp_decode_f8(stored, 3, 7, 0); }
GP_FN double gp_value_F8_E3M4(uint8_t stored) { return gp_decode_f8(stored, 4, 3, 0); }

/* A bare exponent: 2^(code - 127), no sign, no zero; 255 is NaN. */
GP_FN double gp_value_F8_E8M0FNU(uint8_t stored)
{
    return stored == 0xff ? gp_f64_from_bits(0x7ff8000000000000u) : gp_power_of_two((int)stored - 127);
}

GP_FN double gp_value_C32(uint16_t part) { return gp_value_F16(part); }
GP_FN double gp_value_C64(float part) { return (double)part; }
GP_FN double gp_value_C128(double part) { return part; }

#if !defined(GP_ON_DEVICE)
GP_FN double gp_value_LONGDOUBLE(long double stored) { return (double)stored; }

/* Facts of the table, by id (core/dtypes.c). */
const char *gp_dtype_name(gp_dtype dtype);                 /* "float32", as users know it */
int gp_dtype_size_bytes(gp_dtype dtype);                   /* of one element */
bool gp_dtype_is_complex(gp_dtype dtype);
bool gp_dtype_is_float(gp_dtype dtype);                    /* real floating point of any width */
bool gp_dtype_is_f8(gp_dtype dtype);
bool gp_dtype_from_name(const char *name, gp_dtype *out);  /* false: no such name */
bool gp_dtype_from_dlpack(int code, int bits, gp_dtype *out);
#endif

#endif
