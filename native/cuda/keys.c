/* Which keys an element class has for its finite values, and back from a key to the value. */
#include "keys.h"

#include "../core/base/ordered.h"

#include <float.h>

static void integer_limits(gp_dtype dtype, int64_t *low, int64_t *high)
{
    int bits = 8 * gp_dtype_size_bytes(dtype);
    bool is_signed = dtype == GP_I8 || dtype == GP_I16 || dtype == GP_I32;
    *low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    *high = dtype == GP_BOOL ? 1 : ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
}

/* The number of low bits that are 0 in the float32 values of the dtype. e8m0 has no mantissa, but its 2^-127 is subnormal in float32. */
static int bits_dropped(gp_dtype dtype)
{
    int mantissa_bits = gp_dtype_mantissa_bits(dtype);
    return 23 - (mantissa_bits > 0 ? mantissa_bits : 1);
}

gp_cuda_key_range gp_cuda_keys_of(const gp_cuda_elements *elements, bool positive_only)
{
    gp_dtype dtype = elements->plane.dtype;
    gp_cuda_key_range keys = {.type = elements->kind->keys};
    uint64_t last;
    if (keys.type == GP_KEYS_INTEGER) {
        int64_t low, high;
        integer_limits(dtype, &low, &high);
        keys.first = (uint64_t)(positive_only ? 1 : low), last = (uint64_t)high;
    } else if (keys.type == GP_KEYS_SINGLE) {
        int dropped = keys.n_dropped = bits_dropped(dtype);
        keys.first = positive_only ? (gp_ordered_f32(0) >> dropped) + 1 : gp_ordered_f32(-FLT_MAX) >> dropped;
        last = gp_ordered_f32(FLT_MAX) >> dropped;
    } else {
        keys.first = positive_only ? gp_ordered_f64(0) + 1 : gp_ordered_f64(-DBL_MAX);
        last = gp_ordered_f64(DBL_MAX);
    }
    keys.span = last - keys.first;
    return keys;
}

double gp_cuda_value_of_key(const gp_cuda_key_range *keys, uint64_t distance)
{
    uint64_t key = keys->first + distance;
    if (keys->type == GP_KEYS_INTEGER)
        return (double)(int64_t)key;
    if (keys->type == GP_KEYS_DOUBLE)
        return gp_f64_of_ordered(key);
    uint32_t bits = (uint32_t)key << keys->n_dropped;
    if (bits >> 31 == 0) /* keys of negative values have all bits inverted, also the dropped ones */
        bits |= ((uint32_t)1 << keys->n_dropped) - 1;
    return (double)gp_f32_of_ordered(bits);
}
