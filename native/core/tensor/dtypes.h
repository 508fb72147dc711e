/* The dtype table, from which all lists of dtypes are made, and the values of stored elements of each dtype. */
#ifndef GP_DTYPES_H
#define GP_DTYPES_H

#include "../base/portable.h"

/*
 * X(NAME, storage type, KIND, name that users see, DLPack type code, bits of one element, mantissa bits, bias, SPECIALS)
 *
 * The table is several lists, which code that loops over types treats differently: plain C numbers, numbers that have to be
 * decoded, and complex pairs (storage, bits and specials are those of one part).
 *
 * KIND is the kind of value that holds elements exactly:
 *
 *   W  int32_t   bool and integers of at most 16 bits, int32
 *   I  int64_t   uint32, int64
 *   U  uint64_t  uint64
 *   F  float     float32 and all narrower floats; parts of complex32 and complex64
 *   D  double    float64, parts of complex128; on the host also long doubles, rounded
 *
 * SPECIALS are the codes of a float that are not numbers:
 *
 *   NONE      it is not a float, or its bits are not used
 *   IEEE      exponents of all ones are Inf, and NaN with larger codes
 *   FINITE    ("fn") all ones are NaN, and there is no Inf
 *   UNSIGNED  ("fnuz") the negative zero is NaN, and there is no Inf
 *   POWER     ("fnu") a bare exponent, 2^(code - bias) without a sign or a zero; all ones are NaN
 */
#define GP_INTEGER_DTYPES(X)                                                                                                     \
    X(U8, uint8_t, W, "uint8", 1, 8, 0, 0, NONE)                                                                                 \
    X(U16, uint16_t, W, "uint16", 1, 16, 0, 0, NONE)                                                                             \
    X(U32, uint32_t, I, "uint32", 1, 32, 0, 0, NONE)                                                                             \
    X(U64, uint64_t, U, "uint64", 1, 64, 0, 0, NONE)                                                                             \
    X(I8, int8_t, W, "int8", 0, 8, 0, 0, NONE)                                                                                   \
    X(I16, int16_t, W, "int16", 0, 16, 0, 0, NONE)                                                                               \
    X(I32, int32_t, W, "int32", 0, 32, 0, 0, NONE)                                                                               \
    X(I64, int64_t, I, "int64", 0, 64, 0, 0, NONE)
#define GP_FLOAT_DTYPES(X)                                                                                                       \
    X(F32, float, F, "float32", 2, 32, 23, 127, IEEE)                                                                            \
    X(F64, double, D, "float64", 2, 64, 52, 1023, IEEE)

#define GP_PLAIN_DTYPES(X) GP_INTEGER_DTYPES(X) GP_FLOAT_DTYPES(X)

#define GP_BOOL_DTYPE(X) X(BOOL, uint8_t, W, "bool", 6, 8, 0, 0, NONE)
#define GP_HALF_DTYPE(X) X(F16, uint16_t, F, "float16", 2, 16, 10, 15, IEEE)

/* Narrow floats without conversion instructions. */
#define GP_NARROW_16_DTYPES(X) X(BF16, uint16_t, F, "bfloat16", 4, 16, 7, 127, IEEE)
#define GP_F8_DTYPES(X)                                                                                                          \
    X(F8_E4M3FN, uint8_t, F, "float8_e4m3fn", 10, 8, 3, 7, FINITE)                                                               \
    X(F8_E5M2, uint8_t, F, "float8_e5m2", 12, 8, 2, 15, IEEE)                                                                    \
    X(F8_E4M3FNUZ, uint8_t, F, "float8_e4m3fnuz", 11, 8, 3, 8, UNSIGNED)                                                         \
    X(F8_E5M2FNUZ, uint8_t, F, "float8_e5m2fnuz", 13, 8, 2, 16, UNSIGNED)                                                        \
    X(F8_E4M3B11FNUZ, uint8_t, F, "float8_e4m3b11fnuz", 9, 8, 3, 11, UNSIGNED)                                                   \
    X(F8_E4M3, uint8_t, F, "float8_e4m3", 8, 8, 3, 7, IEEE)                                                                      \
    X(F8_E3M4, uint8_t, F, "float8_e3m4", 7, 8, 4, 3, IEEE)                                                                      \
    X(F8_E8M0FNU, uint8_t, F, "float8_e8m0fnu", 14, 8, 0, 127, POWER)

#define GP_FLOAT_16_DTYPES(X) GP_HALF_DTYPE(X) GP_NARROW_16_DTYPES(X)
#define GP_NARROW_DTYPES(X) GP_NARROW_16_DTYPES(X) GP_F8_DTYPES(X)
#define GP_CODED_DTYPES(X) GP_BOOL_DTYPE(X) GP_HALF_DTYPE(X) GP_NARROW_DTYPES(X)

#define GP_COMPLEX_DTYPES(X)                                                                                                     \
    X(C32, uint16_t, F, "complex32", 5, 32, 10, 15, IEEE)                                                                        \
    X(C64, float, F, "complex64", 5, 64, 23, 127, IEEE)                                                                          \
    X(C128, double, D, "complex128", 5, 128, 52, 1023, IEEE)

/* The host's long double: 80 or 128 bits wide, read as float64; no device has it and DLPack does not carry it. */
#define GP_HOST_DTYPES(X) X(LONGDOUBLE, long double, D, "longdouble", 255, 8 * (int)sizeof(long double), 0, 0, NONE)

#define GP_DEVICE_DTYPES(X) GP_PLAIN_DTYPES(X) GP_CODED_DTYPES(X) GP_COMPLEX_DTYPES(X)
#define GP_DTYPES(X) GP_DEVICE_DTYPES(X) GP_HOST_DTYPES(X)

typedef enum gp_dtype {
#define GP_DTYPE_ID(NAME, ...) GP_##NAME,
    GP_DTYPES(GP_DTYPE_ID)
#undef GP_DTYPE_ID
        GP_N_DTYPES
} gp_dtype;

typedef int32_t gp_kind_W;
typedef int64_t gp_kind_I;
typedef uint64_t gp_kind_U;
typedef float gp_kind_F;
typedef double gp_kind_D;
typedef enum gp_kind { GP_KIND_W, GP_KIND_I, GP_KIND_U, GP_KIND_F, GP_KIND_D, GP_N_KINDS } gp_kind;

typedef enum gp_specials {
    GP_SPECIALS_NONE,
    GP_SPECIALS_IEEE,
    GP_SPECIALS_FINITE,
    GP_SPECIALS_UNSIGNED,
    GP_SPECIALS_POWER
} gp_specials;

/* ---- codes of narrow floats ------------------------------------------------------------------------------------------ */

/* a if the condition holds, else b, without a branch, which would keep a loop from becoming vector instructions. */
GP_FN uint32_t gp_choose(bool condition, uint32_t a, uint32_t b)
{
#if defined(GP_ON_DEVICE)
    return condition ? a : b; /* one instruction */
#else
    return b ^ ((a ^ b) & (0u - (uint32_t)condition));
#endif
}

/* float16 by shifting exponent and mantissa into place; the multiplication by 2^112 also normalizes subnormals. */
GP_FN float gp_f32_from_f16(uint16_t stored)
{
    uint32_t sign = (uint32_t)(stored & 0x8000u) << 16, magnitude = (uint32_t)(stored & 0x7fffu) << 13;
    float value = gp_f32_from_bits(magnitude) * 5.192296858534828e33f; /* 2^112 */
    uint32_t bits = gp_bits_from_f32(value);
    bits |= (stored & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u; /* Inf and NaN keep their exponent full */
    return gp_f32_from_bits(bits | sign);
}

GP_FN float gp_f32_from_bf16(uint16_t stored) { return gp_f32_from_bits((uint32_t)stored << 16); }

/* The constants for decoding an 8-bit float; made once before a loop. */
typedef struct gp_f8_codec {
    uint32_t mask; /* of the magnitude */
    int mantissa_bits, bias;
    uint32_t top;      /* magnitudes from here on are not numbers; 0x100: there are none */
    uint32_t infinity; /* the magnitude that is infinite; 0x100: none */
    uint32_t nan;      /* one more code that is NaN; 0x100: none */
    uint32_t zero;     /* bits of the value of magnitude 0 */
} gp_f8_codec;

GP_FN gp_f8_codec gp_f8_codec_of(int mantissa_bits, int bias, gp_specials specials)
{
    gp_f8_codec codec = {0x7fu, mantissa_bits, bias, 0x100u, 0x100u, 0x100u, 0u};
    if (specials == GP_SPECIALS_IEEE)
        codec.top = codec.infinity = 0x80u - (1u << mantissa_bits);
    else if (specials == GP_SPECIALS_FINITE)
        codec.top = 0x7fu;
    else if (specials == GP_SPECIALS_UNSIGNED)
        codec.nan = 0x80u;
    else if (specials == GP_SPECIALS_POWER)
        codec.mask = codec.top = 0xffu, codec.zero = 0x00400000u; /* 2^-127, a subnormal float */
    return codec;
}

/*
 * The float bits of the |element| with this code, as if all codes were numbers. Exponent and mantissa move to their places in a float,
 * and a multiplication normalizes subnormals. As processors compute slowly with subnormal floats, these are made from an integer.
 */
GP_FN uint32_t gp_decode_magnitude(uint32_t code, int mantissa_bits, int bias)
{
#if defined(GP_ON_DEVICE)
    return gp_bits_from_f32(gp_f32_from_bits(code << (23 - mantissa_bits)) * gp_f32_from_bits((uint32_t)(254 - bias) << 23));
#else
    uint32_t normal = (code << (23 - mantissa_bits)) + ((uint32_t)(127 - bias) << 23);
    float unit = gp_f32_from_bits((uint32_t)(128 - bias - mantissa_bits) << 23);
    if (mantissa_bits == 0)
        return normal;
    return gp_choose(code >> mantissa_bits != 0, normal, gp_bits_from_f32((float)(int32_t)code * unit));
#endif
}

/* Every NaN becomes a quiet one without a payload. */
GP_FN float gp_f32_from_f8(uint8_t stored, gp_f8_codec codec)
{
    uint32_t magnitude = stored & codec.mask, sign = (stored & ~codec.mask & 0x80u) << 24;
    uint32_t special = gp_choose(magnitude == codec.infinity, 0x7f800000u, 0x7fc00000u);
    uint32_t bits = gp_decode_magnitude(magnitude, codec.mantissa_bits, codec.bias);
    bits = gp_choose(magnitude == 0 && codec.zero != 0, codec.zero, bits);
    bits = gp_choose(magnitude >= codec.top || stored == codec.nan, special, bits);
    return gp_f32_from_bits(bits | sign);
}

/* ---- floats to codes, in integer arithmetic without branches, so that loops become vector instructions --------------- */

/*
 * |value| as the code of a format with `mantissa_bits` and `bias`, rounded to the nearest, ties to even, as if its exponents
 * had no end: the caller handles values that are too large. Below the smallest normal number, adding a power of two whose last
 * bit is worth as much as a subnormal's does the rounding.
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

GP_FN uint16_t gp_encode_F16(float value)
{
    uint32_t bits = gp_bits_from_f32(value), magnitude = bits & 0x7fffffffu;
    uint32_t code = gp_encode_magnitude(magnitude, 10, 15), sign = bits >> 16 & 0x8000u;
    code = gp_choose(code > 0x7c00u, 0x7c00u, code);
    code = gp_choose(magnitude > 0x7f800000u, 0x7e00u | (magnitude >> 13 & 0x3ffu), code);
    return (uint16_t)(code | sign);
}

GP_FN uint16_t gp_encode_BF16(float value)
{
    uint32_t bits = gp_bits_from_f32(value);
    uint32_t code = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)gp_choose((bits & 0x7fffffffu) > 0x7f800000u, (bits >> 16 & 0x8000u) | 0x7fc0u, code);
}

/* The nearest power of two, of two equally near ones the larger; NaN for values that are not above zero, or too large. */
GP_FN uint8_t gp_encode_power(float value)
{
    uint32_t bits = gp_bits_from_f32(value); /* the sign bit makes negative numbers too large */
    uint32_t code = bits < 0x00800000u ? (bits >= 0x00600000u ? 1u : 0u) : (bits + 0x00400000u) >> 23;
    return (uint8_t)(bits == 0 || bits >= 0x7f400000u ? 0xffu : code);
}

/* Numbers beyond the largest become Inf, or NaN in formats without Inf. */
GP_FN uint8_t gp_encode_f8(float value, int mantissa_bits, int bias, gp_specials specials)
{
    uint32_t infinity = 0x80u - (1u << mantissa_bits), quiet = mantissa_bits > 0 ? 1u << (mantissa_bits - 1) : 0u;
    bool is_ieee = specials == GP_SPECIALS_IEEE, is_unsigned = specials == GP_SPECIALS_UNSIGNED;
    uint32_t too_large = is_ieee ? infinity : is_unsigned ? 0x80u : 0x7fu, nan = is_ieee ? infinity | quiet : too_large;
    uint32_t bits = gp_bits_from_f32(value), magnitude = bits & 0x7fffffffu, sign = bits >> 24 & 0x80u;
    uint32_t code = gp_encode_magnitude(magnitude, mantissa_bits, bias);
    if (specials == GP_SPECIALS_POWER)
        return gp_encode_power(value);
    code = gp_choose(code >= too_large, too_large, code);
    code = gp_choose(magnitude > 0x7f800000u, nan, code);
    sign = gp_choose(code == 0 && is_unsigned, 0u, sign);
    return (uint8_t)(code | sign);
}

/* ---- stored element to value: gp_load_F8_E5M2(uint8_t) -> float, and back from a float: gp_encode_F8_E5M2 ------------------------------------------------------ */

GP_FN int32_t gp_load_BOOL(uint8_t stored) { return stored != 0; }
GP_FN float gp_load_BF16(uint16_t stored) { return gp_f32_from_bf16(stored); }

/* A NaN becomes quiet, as with the processors' instructions. */
GP_FN float gp_load_F16(uint16_t stored)
{
    uint32_t quiet = (stored & 0x7fffu) > 0x7c00u ? 0x00400000u : 0u;
    return gp_f32_from_bits(gp_bits_from_f32(gp_f32_from_f16(stored)) | quiet);
}
GP_FN float gp_load_C32(uint16_t part) { return gp_load_F16(part); }
GP_FN float gp_load_C64(float part) { return part; }
GP_FN double gp_load_C128(double part) { return part; }

#define GP_LOAD_PLAIN(NAME, storage, KIND, ...)                                                                                  \
    GP_FN gp_kind_##KIND gp_load_##NAME(storage stored) { return (gp_kind_##KIND)stored; }
#define GP_CODE_F8(NAME, storage, KIND, name, code, bits, mantissa_bits, bias, SPECIALS)                                         \
    GP_FN uint8_t gp_encode_##NAME(float value) { return gp_encode_f8(value, mantissa_bits, bias, GP_SPECIALS_##SPECIALS); }     \
    GP_FN float gp_load_##NAME(uint8_t stored)                                                                                   \
    {                                                                                                                            \
        return gp_f32_from_f8(stored, gp_f8_codec_of(mantissa_bits, bias, GP_SPECIALS_##SPECIALS));                              \
    }
GP_PLAIN_DTYPES(GP_LOAD_PLAIN)
GP_F8_DTYPES(GP_CODE_F8)
#if !defined(GP_ON_DEVICE)
GP_HOST_DTYPES(GP_LOAD_PLAIN)
#endif
#undef GP_LOAD_PLAIN
#undef GP_CODE_F8

/* A stored element as the nearest double: gp_value_U64(uint64_t) -> double */
#define GP_VALUE(NAME, storage, ...)                                                                                             \
    GP_FN double gp_value_##NAME(storage stored) { return (double)gp_load_##NAME(stored); }
GP_DEVICE_DTYPES(GP_VALUE)
#if !defined(GP_ON_DEVICE)
GP_HOST_DTYPES(GP_VALUE)
#endif
#undef GP_VALUE

#if !defined(GP_ON_DEVICE)
/* ---- facts of the table, by id (core/tensor/dtypes.c) ---------------------------------------------------------------- */

const char *gp_dtype_name(gp_dtype dtype);                 /* "float32", as users know it */
int gp_dtype_size_bytes(gp_dtype dtype);                   /* of one element */
bool gp_dtype_is_complex(gp_dtype dtype);

/* The real dtype of a complex dtype's parts. */
gp_dtype gp_dtype_of_part(gp_dtype dtype);
bool gp_dtype_is_float(gp_dtype dtype);                    /* real floating point of any width */
bool gp_dtype_is_f8(gp_dtype dtype);
gp_kind gp_dtype_kind(gp_dtype dtype);
/* For floats and the parts of complex numbers: bits of the mantissa; and the smallest normal number. That is 0 for dtypes without
 * subnormal numbers: integers, float8_e8m0fnu, and longdouble, whose elements are read as float64. */
int gp_dtype_mantissa_bits(gp_dtype dtype);
double gp_smallest_normal(gp_dtype dtype);
bool gp_dtype_from_name(const char *name, gp_dtype *out);  /* false: no such name */
bool gp_dtype_from_dlpack(int code, int bits, gp_dtype *out);
#endif

#endif
