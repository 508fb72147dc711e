/* Ordered keys: signed integers in the order of the values, so that one selection serves every dtype. */
#ifndef GP_KEYS_H
#define GP_KEYS_H

#include "../../core/tensor/dtypes.h"

/* How stored bits become a key: for negative floats all bits but the sign are inverted; for unsigned integers the top bit
 * is inverted. A NaN is below -Inf or above +Inf, by its sign. */
typedef enum gp_key_kind { GP_KEY_SIGNED, GP_KEY_UNSIGNED, GP_KEY_FLOAT } gp_key_kind;

GP_FN gp_key_kind gp_key_kind_of(gp_dtype dtype)
{
    switch (dtype) {
    case GP_I8:
    case GP_I16:
    case GP_I32:
    case GP_I64: return GP_KEY_SIGNED;
    case GP_U8:
    case GP_U16:
    case GP_U32:
    case GP_U64: return GP_KEY_UNSIGNED;
    default: return GP_KEY_FLOAT;
    }
}

GP_FN int16_t gp_key_16(int16_t bits, gp_key_kind kind)
{
    if (kind == GP_KEY_FLOAT)
        return (int16_t)(bits ^ ((bits >> 15) & INT16_MAX));
    return kind == GP_KEY_SIGNED ? bits : (int16_t)(bits ^ INT16_MIN);
}

GP_FN int32_t gp_key_32(int32_t bits, gp_key_kind kind)
{
    if (kind == GP_KEY_FLOAT)
        return bits ^ ((bits >> 31) & INT32_MAX);
    return kind == GP_KEY_SIGNED ? bits : bits ^ INT32_MIN;
}

GP_FN int64_t gp_key_64(int64_t bits, gp_key_kind kind)
{
    if (kind == GP_KEY_FLOAT)
        return bits ^ ((bits >> 63) & INT64_MAX);
    return kind == GP_KEY_SIGNED ? bits : bits ^ INT64_MIN;
}

/* The keys first..last of one dtype's finite values (values above zero if is_positive_only). */
typedef struct gp_key_range {
    int64_t first, last;
} gp_key_range;

gp_key_range gp_keys_of(gp_dtype dtype, bool is_positive_only);

/* The value of a key; +0.0 for either zero. */
double gp_value_of_key(gp_dtype dtype, int64_t key);

#endif
