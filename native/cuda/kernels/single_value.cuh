/* gp_single_value: an element of a plane without hidden axes, with a mask, parts, channels or swapped bytes, in registers. */
#ifndef GP_SINGLE_VALUE_CUH
#define GP_SINGLE_VALUE_CUH

#include "element_value.cuh"

/*
 * The same numbers as gp_tensor_element, which this may not call: what is called keeps registers in memory. So the bytes are read
 * in one way for all dtypes, and the dtype is looked at once for each number, of which an element has one, two or as many as it has
 * channels.
 */

/* The bytes of a number as an integer, by one load if it is aligned. */
GP_DEVICE uint64_t gp_read_bits(const char *at, int n_bytes, bool is_byteswapped)
{
    if (!is_byteswapped && ((uint64_t)at & (uint64_t)(n_bytes - 1)) == 0) {
        switch (n_bytes) {
        case 1: return *(const uint8_t *)at;
        case 2: return *(const uint16_t *)at;
        case 4: return *(const uint32_t *)at;
        default: return *(const uint64_t *)at;
        }
    }
    uint64_t bits = 0;
    for (int i = 0; i < n_bytes; i++)
        bits |= (uint64_t)(unsigned char)at[is_byteswapped ? n_bytes - 1 - i : i] << (8 * i);
    return bits;
}

/* The value of a number of a real dtype, or of one part of a complex one. */
GP_DEVICE int gp_number_bytes(gp_dtype dtype)
{
    switch ((int)dtype) {
#define GP_BYTES_CASE(NAME, storage, ...)                                                                                        \
    case GP_##NAME: return (int)sizeof(storage);
        GP_DEVICE_DTYPES(GP_BYTES_CASE)
#undef GP_BYTES_CASE
    default: return 8;
    }
}

GP_DEVICE double gp_number_of_bits(gp_dtype dtype, uint64_t bits)
{
    switch ((int)dtype) {
#define GP_NUMBER_CASE(NAME, storage, ...)                                                                                       \
    case GP_##NAME: {                                                                                                            \
        storage stored;                                                                                                          \
        memcpy(&stored, &bits, sizeof stored);                                                                                   \
        return gp_value_##NAME(stored);                                                                                          \
    }
        GP_DEVICE_DTYPES(GP_NUMBER_CASE)
#undef GP_NUMBER_CASE
    default: return gp_mark_value(GP_HAS_NAN); /* long double, which no device has */
    }
}

/* The numbers of one element: the first, the last, that of the wanted channel, and the kinds of all. */
struct gp_numbers {
    double first, last, wanted;
    unsigned has;
};

GP_DEVICE gp_numbers gp_numbers_at(const gp_plane &plane, const char *at, int n, int64_t step)
{
    int n_bytes = gp_number_bytes(plane.dtype);
    gp_numbers found = {0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        found.last = gp_number_of_bits(plane.dtype, gp_read_bits(at + i * step, n_bytes, plane.is_byteswapped));
        found.first = i == 0 ? found.last : found.first;
        found.wanted = i == plane.channel ? found.last : found.wanted;
        found.has |= gp_class_of(found.last);
    }
    return found;
}

/* An element at these addresses. It is read even if it is masked, so that its load does not wait for that of the mask. */
GP_DEVICE double gp_single_value(const gp_plane &plane, const char *at, const uint8_t *mask)
{
    bool is_channel = plane.component == GP_COMPONENT_CHANNEL;
    int part_bytes = gp_complex_part_bytes(plane.dtype);
    gp_numbers x = gp_numbers_at(plane, at,
                                 is_channel        ? plane.n_channels
                                 : part_bytes != 0 ? 2
                                                   : 1,
                                 is_channel ? plane.channel_stride_bytes : (int64_t)part_bytes);
    if (mask != nullptr && gp_is_masked(plane, mask))
        return gp_masked_value();
    if (is_channel && x.has != GP_HAS_FINITE)
        return gp_mark_value(x.has);
    if (is_channel)
        return plane.is_alpha_weighted ? gp_weighted_by_alpha(&plane, x.wanted, x.last) : x.wanted;
    if (part_bytes == 0 && (plane.component == GP_COMPONENT_VALUE || plane.component == GP_COMPONENT_RE))
        return x.first;
    if (part_bytes == 0 && plane.component == GP_COMPONENT_IM)
        return 0.0;
    return gp_component_of_complex(plane.component, x.first, part_bytes != 0 ? x.last : 0.0);
}

#endif
