/*
 * Elements of any layout to items of another dtype, or of the same one, side by side: for every copy to the host that is not a
 * plain one.
 *
 * convert_rows: one item per thread in the order of the output; writes are whole lines, and so are reads if the fastest axis is
 *   dense. Launched with any number of blocks.
 * convert_tiles: if another axis is the dense one, tiles of 32 x 32 items are transposed in shared memory, so that both reads and
 *   writes are dense. One block for each tile: tiles along axis 0 first, then along axis 1, then along the other axes.
 */
#include "stored.cuh"

#include "convert_args.h"
#include "../../core/tensor/casts.h"

/* ---- one item -------------------------------------------------------------------------------------------------------- */

/*
 * A value of one kind as any dtype. Floats narrower than 32 bits are rounded from a float32 that was rounded to odd, so that the kernel
 * has their code once and not for all five kinds.
 */
#define STORE_CASE(NAME, storage, KIND)                                                                                          \
    case GP_##NAME: *(storage *)to = gp_store_##NAME##_##KIND(value); return;
#define STORE_CASE_W(NAME, storage, ...) STORE_CASE(NAME, storage, W)
#define STORE_CASE_I(NAME, storage, ...) STORE_CASE(NAME, storage, I)
#define STORE_CASE_U(NAME, storage, ...) STORE_CASE(NAME, storage, U)
#define STORE_CASE_F(NAME, storage, ...) STORE_CASE(NAME, storage, F)
#define STORE_CASE_D(NAME, storage, ...) STORE_CASE(NAME, storage, D)
GP_DEVICE_CALL void store_F(gp_dtype dtype, float value, char *to)
{
    switch ((int)dtype) {
        GP_CAST_TARGETS(STORE_CASE_F)
    case GP_C32: *(uint16_t *)to = gp_encode_F16(value); return;
    default: return;
    }
}

#define STORE_KIND(KIND)                                                                                                         \
    GP_DEVICE_CALL void store_##KIND(gp_dtype dtype, gp_kind_##KIND value, char *to)                                             \
    {                                                                                                                            \
        switch ((int)dtype) {                                                                                                    \
            GP_CAST_WIDE_TARGETS(STORE_CASE_##KIND)                                                                              \
        default: store_F(dtype, gp_odd_f32_##KIND(value), to); return;                                                           \
        }                                                                                                                        \
    }
STORE_KIND(W)
STORE_KIND(I)
STORE_KIND(U)
STORE_KIND(D)
#undef STORE_KIND
#undef STORE_CASE_W
#undef STORE_CASE_I
#undef STORE_CASE_U
#undef STORE_CASE_F
#undef STORE_CASE_D
#undef STORE_CASE

/*
 * A GPU's conversions between float and double give one canonical NaN; here a NaN keeps its sign and the upper bits of its payload, as
 * on the host.
 */
GP_DEVICE void store_kept(gp_dtype dtype, gp_kind_W value, char *to) { store_W(dtype, value, to); }
GP_DEVICE void store_kept(gp_dtype dtype, gp_kind_I value, char *to) { store_I(dtype, value, to); }
GP_DEVICE void store_kept(gp_dtype dtype, gp_kind_U value, char *to) { store_U(dtype, value, to); }
GP_DEVICE void store_kept(gp_dtype dtype, gp_kind_F value, char *to)
{
    uint64_t bits = gp_bits_from_f32(value);
    if (value != value && (dtype == GP_F64 || dtype == GP_C128))
        *(uint64_t *)to = (bits & 0x80000000u) << 32 | 0x7ff8000000000000u | (bits & 0x3fffffu) << 29;
    else
        store_F(dtype, value, to);
}
GP_DEVICE void store_kept(gp_dtype dtype, gp_kind_D value, char *to)
{
    uint64_t bits = gp_bits_from_f64(value);
    if (value != value && dtype != GP_F64 && dtype != GP_C128)
        store_F(dtype, gp_f32_from_bits((uint32_t)(bits >> 32 & 0x80000000u) | 0x7fc00000u | (uint32_t)(bits >> 29 & 0x3fffffu)),
                to);
    else
        store_D(dtype, value, to);
}

/* A real element, or one part of a complex one. */
GP_DEVICE_CALL void cast_part(const gp_convert_args &args, const char *from, char *to)
{
    switch ((int)args.from_dtype) {
#define LOAD_CASE(NAME, storage, ...)                                                                                            \
    case GP_##NAME: store_kept(args.to_dtype, gp_load_##NAME(gp_read_stored<storage>(from, args.is_swapped)), to); return;
        GP_CAST_SOURCES(LOAD_CASE)
#undef LOAD_CASE
    default: return; /* long double, which no device has */
    }
}

/* A real number has the imaginary part 0. */
GP_DEVICE void cast_item(const gp_convert_args &args, const char *from, char *to)
{
    cast_part(args, from, to);
    if (args.n_to_parts == 2 && args.n_from_parts == 2)
        cast_part(args, from + args.from_part_bytes, to + args.to_part_bytes);
    else if (args.n_to_parts == 2)
        store_W(args.to_dtype, 0, to + args.to_part_bytes);
}

GP_DEVICE void copy_bytes(const gp_convert_args &args, const char *from, char *to)
{
    int part_bytes = args.from_part_bytes, n_bytes = args.n_from_parts * part_bytes;
    for (int byte = 0; byte < n_bytes; byte++) {
        int in_part = byte % part_bytes, turned = byte - in_part + part_bytes - 1 - in_part;
        to[byte] = from[args.is_swapped ? turned : byte];
    }
}

GP_DEVICE void move_item(const char *from, char *to, int n_bytes)
{
    switch (n_bytes) {
    case 1: *to = *from; return;
    case 2: *(uint16_t *)to = *(const uint16_t *)from; return;
    case 4: *(uint32_t *)to = *(const uint32_t *)from; return;
    case 8: *(uint2 *)to = *(const uint2 *)from; return;
    default: *(uint4 *)to = *(const uint4 *)from; return;
    }
}

GP_DEVICE int item_bytes(const gp_convert_args &args) { return args.n_to_parts * args.to_part_bytes; }

GP_DEVICE void convert_item(const gp_convert_args &args, const char *from, const uint8_t *mask, char *to)
{
    if (mask != nullptr && (*mask != 0) != args.is_mask_inverted) {
        for (int part = 0; part < args.n_to_parts; part++)
            store_kept(args.to_dtype, gp_f32_from_bits(0x7fc00000u), to + part * args.to_part_bytes);
    } else if (args.way == GP_CONVERT_MOVE) {
        move_item(from, to, item_bytes(args));
    } else if (args.way == GP_CONVERT_BYTES) {
        copy_bytes(args, from, to);
    } else {
        cast_item(args, from, to);
    }
}

/* ---- where it is ------------------------------------------------------------------------------------------------------- */

struct place {
    int64_t from, mask;
    uint32_t to;
};

/* The offsets of item number i, counted along axes first, first + 1, ... */
GP_DEVICE place place_of(const gp_convert_args &args, uint32_t i, int first)
{
    place at = {0, 0, 0};
    for (int k = first; k < args.n_axes; k++) {
        const gp_convert_axis &axis = args.axes[k];
        uint32_t rest = k + 1 < args.n_axes ? i / axis.size : 0, index = i - rest * axis.size;
        at.from += index * axis.from_stride;
        at.mask += index * axis.mask_stride;
        at.to += index * axis.to_stride;
        i = rest;
    }
    return at;
}

GP_DEVICE const uint8_t *mask_at(const gp_convert_args &args, int64_t offset)
{
    return args.mask != nullptr ? args.mask + offset : nullptr;
}

GP_KERNEL(convert_rows, gp_convert_args, GP_BLOCK)
{
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < args.n_items; i += stride) {
        place at = place_of(args, i, 0);
        convert_item(args, args.from + at.from, mask_at(args, at.mask), args.out + (int64_t)i * item_bytes(args));
    }
}

/* A tile has one column more than it needs, so that rows and columns of 4-byte items are in different banks. */
GP_KERNEL(convert_tiles, gp_convert_args, GP_BLOCK)
{
    GP_SHARED(uint4, memory, GP_CONVERT_TILE * (GP_CONVERT_TILE + 1));
    char *tile = (char *)memory;
    const gp_convert_axis &across = args.axes[0], &along = args.axes[1]; /* `across` is dense in `out`, `along` in `from` */
    const uint32_t side = GP_CONVERT_TILE, n_lines = blockDim.x / side, lane = threadIdx.x % side, line = threadIdx.x / side;
    uint32_t n_across = (across.size + side - 1) / side, n_along = (along.size + side - 1) / side;
    uint32_t turn = blockIdx.x / n_across, x0 = (blockIdx.x - turn * n_across) * side;
    uint32_t outer = turn / n_along, y0 = (turn - outer * n_along) * side;
    place at = place_of(args, outer, 2);
    for (uint32_t i = line; i < side; i += n_lines) {
        uint32_t x = x0 + i, y = y0 + lane;
        if (x < across.size && y < along.size)
            convert_item(args, args.from + at.from + x * across.from_stride + y * along.from_stride,
                         mask_at(args, at.mask + x * across.mask_stride + y * along.mask_stride),
                         tile + (i * (side + 1) + lane) * (uint32_t)item_bytes(args));
    }
    __syncthreads();
    for (uint32_t i = line; i < side; i += n_lines) {
        uint32_t x = x0 + lane, y = y0 + i;
        if (x < across.size && y < along.size)
            move_item(tile + (lane * (side + 1) + i) * (uint32_t)item_bytes(args),
                      args.out + (int64_t)(at.to + x * across.to_stride + y * along.to_stride) * item_bytes(args),
                      item_bytes(args));
    }
}
