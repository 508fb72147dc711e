/*
 * Elements as they are, side by side: the first step of every copy to the host of what does not lie side by side already.
 *
 * gather_rows_N: items of N bytes, one a thread, in the order of the output; writes are whole lines, and reads are where
 *   columns are dense. Launched with any number of blocks.
 * gather_tiles_N: where rows are the dense direction, tiles of 32 x 32 items cross in shared memory, so that reads and
 *   writes are dense both. One block for each tile: grid x along the columns, y along the rows.
 * gather_bytes: the slow way for odd alignments and swapped bytes, byte by byte. Launched as gather_rows.
 */
#include "device.cuh"

#include "gather_args.h"

template <typename ITEM> GP_DEVICE void gather_rows(const gp_gather_args &args)
{
    uint32_t n = args.n_rows * args.n_cols, stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint32_t row = i / args.n_cols, col = i - row * args.n_cols;
        const char *from = args.from + row * args.row_stride_bytes + col * args.col_stride_bytes;
        ((ITEM *)args.out)[i] = *(const ITEM *)from;
    }
}

/* A tile has one column more than it needs: its columns then lie in different banks. */
template <typename ITEM> GP_DEVICE void gather_tile(const gp_gather_args &args, ITEM *tile)
{
    const uint32_t side = GP_GATHER_TILE, n_lines = blockDim.x / GP_GATHER_TILE;
    uint32_t lane = threadIdx.x % side, line = threadIdx.x / side;
    uint32_t row0 = blockIdx.y * side, col0 = blockIdx.x * side;
    for (uint32_t i = line; i < side; i += n_lines) {
        uint32_t row = row0 + lane, col = col0 + i;
        if (row < args.n_rows && col < args.n_cols)
            tile[i * (side + 1) + lane] =
                *(const ITEM *)(args.from + row * args.row_stride_bytes + col * args.col_stride_bytes);
    }
    __syncthreads();
    for (uint32_t i = line; i < side; i += n_lines) {
        uint32_t row = row0 + i, col = col0 + lane;
        if (row < args.n_rows && col < args.n_cols)
            ((ITEM *)args.out)[row * args.n_cols + col] = tile[lane * (side + 1) + i];
    }
}

#define GATHER_KERNELS(bytes, ITEM)                                                                                    \
    GP_KERNEL(gather_rows_##bytes, gp_gather_args, GP_BLOCK) { gather_rows<ITEM>(args); }                              \
    GP_KERNEL(gather_tiles_##bytes, gp_gather_args, GP_BLOCK)                                                          \
    {                                                                                                                  \
        GP_SHARED(ITEM, tile, GP_GATHER_TILE *(GP_GATHER_TILE + 1));                                                   \
        gather_tile<ITEM>(args, tile);                                                                                 \
    }
GATHER_KERNELS(1, uint8_t)
GATHER_KERNELS(2, uint16_t)
GATHER_KERNELS(4, uint32_t)
GATHER_KERNELS(8, uint2)
GATHER_KERNELS(16, uint4)
#undef GATHER_KERNELS

GP_KERNEL(gather_bytes, gp_gather_args, GP_BLOCK)
{
    uint32_t n = args.n_rows * args.n_cols, stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint32_t row = i / args.n_cols, col = i - row * args.n_cols;
        const char *from = args.from + row * args.row_stride_bytes + col * args.col_stride_bytes;
        char *to = args.out + (int64_t)i * args.item_bytes;
        for (int byte = 0; byte < args.item_bytes; byte++) {
            int in_part = byte % args.part_bytes, source = byte - in_part + args.part_bytes - 1 - in_part;
            to[byte] = from[args.is_swapped ? source : byte];
        }
    }
}
