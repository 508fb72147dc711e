/* The smallest and largest key of each dtype, and the value of a key. */
#include "keys.h"

gp_key_range gp_keys_of(gp_dtype dtype, bool is_positive_only)
{
    int bits = 8 * gp_dtype_size_bytes(dtype);
    int64_t top = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1, last = top;
    gp_key_range range = {.first = -top - 1};
    if (gp_key_kind_of(dtype) == GP_KEY_FLOAT) {
        last = top - ((int64_t)1 << gp_dtype_mantissa_bits(dtype)); /* the largest finite value's bits, one below those of Inf */
        range.first = -last - 1;
    }
    range.last = last;
    if (is_positive_only)
        range.first = gp_key_kind_of(dtype) == GP_KEY_UNSIGNED ? -top : 1;
    return range;
}

double gp_value_of_key(gp_dtype dtype, int64_t key)
{
    switch (dtype) { /* each map to keys is an involution */
#define FLOAT_16_CASE(NAME, ...)                                                                                                 \
    case GP_##NAME: return gp_value_##NAME((uint16_t)gp_key_16((int16_t)key, GP_KEY_FLOAT)) + 0.0;
        GP_FLOAT_16_DTYPES(FLOAT_16_CASE)
#undef FLOAT_16_CASE
    case GP_F32: return (double)gp_f32_from_bits((uint32_t)gp_key_32((int32_t)key, GP_KEY_FLOAT)) + 0.0;
    case GP_F64: return gp_f64_from_bits((uint64_t)gp_key_64(key, GP_KEY_FLOAT)) + 0.0;
    case GP_U8: return (double)(key + 128);
    case GP_U16: return (double)(key + 32768);
    case GP_U32: return (double)(key + 2147483648);
    case GP_U64: return (double)((uint64_t)key ^ (uint64_t)INT64_MIN);
    default: return (double)key;
    }
}
