/*
 * Differences of the elements of two planes as float64, and comparisons of all of them.
 *
 * subtract writes a float64 for each pair. In compare each thread goes through its pairs, and the comparisons of a block's threads are
 * joined in shared memory; compare_join joins those of all blocks. Joining rounds nothing, so the order of threads and blocks does not
 * matter. Elements of any dtype and layout are read one at a time.
 *
 * Launched by native/cuda/difference.c with GP_BLOCK threads a block, and any number of blocks; compare_join with one.
 */
#include "difference_args.h"
#include "single_value.cuh"
#include "stored_elems.cuh"

/* ---- one pair -------------------------------------------------------------------------------------------------------- */

/* A pair of elements as float64, NaN if masked, and their difference. */
struct gp_pair {
    double a, b, difference;
};

GP_DEVICE uint64_t gp_stored_bits(const gp_stored_elems &elems, int64_t row, int64_t col)
{
    return gp_read_bits(gp_stored_address(elems, row, col), gp_number_bytes(elems.dtype), elems.is_byteswapped);
}

GP_DEVICE double gp_stored_number(const gp_stored_elems &elems, uint64_t bits, int64_t row, int64_t col)
{
    return gp_stored_is_masked(elems, row, col) ? gp_mark_value(GP_HAS_NAN) : gp_number_of_bits(elems.dtype, bits);
}

/* The 64 bits of an integer whose float64 is `value`. */
GP_DEVICE uint64_t gp_in_64_bits(const gp_stored_elems &elems, uint64_t stored, double value)
{
    return elems.dtype == GP_I64 || elems.dtype == GP_U64 ? stored : (uint64_t)(int64_t)value;
}

GP_DEVICE gp_pair gp_pair_at(const gp_difference_args &args, int part, int64_t row, int64_t col)
{
    const gp_stored_elems &a = args.a[part], &b = args.b[part];
    uint64_t left = a.data == nullptr ? 0 : gp_stored_bits(a, row, col),
             right = b.data == nullptr ? 0 : gp_stored_bits(b, row, col);
    gp_pair pair = {a.data == nullptr ? 0.0 : gp_stored_number(a, left, row, col),
                    b.data == nullptr ? 0.0 : gp_stored_number(b, right, row, col), 0};
    bool is_number = pair.a == pair.a && pair.b == pair.b;
    if (args.is_exact && is_number)
        pair.difference = gp_subtract_integers(gp_in_64_bits(a, left, pair.a), a.dtype != GP_U64, gp_in_64_bits(b, right, pair.b),
                                               b.dtype != GP_U64);
    else
        pair.difference = gp_subtract(pair.a, pair.b);
    return pair;
}

GP_KERNEL(subtract, gp_difference_args, GP_BLOCK)
{
    int64_t step = (int64_t)gridDim.x * GP_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; i < args.n_elems; i += step) {
        int64_t row, col;
        gp_stored_place(args.n_elems, args.n_cols, i, &row, &col);
        args.out[i] = gp_pair_at(args, 0, row, col).difference;
    }
}

/* ---- all pairs ------------------------------------------------------------------------------------------------------- */

GP_DEVICE gp_apart gp_apart_at(const gp_difference_args &args, int64_t row, int64_t col)
{
    gp_pair re = gp_pair_at(args, 0, row, col);
    if (args.n_parts == 1)
        return gp_apart_of_real(re.a, re.b, re.difference);
    gp_pair im = gp_pair_at(args, 1, row, col);
    double a[2] = {re.a, im.a}, b[2] = {re.b, im.b}, difference[2] = {re.difference, im.difference};
    return gp_apart_of_complex(a, b, difference);
}

/* Joins the comparisons of a block's threads, to `out`. */
GP_DEVICE void gp_join_block(gp_comparison *shared, const gp_comparison &known, gp_comparison *out)
{
    shared[threadIdx.x] = known;
    for (unsigned half = GP_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            gp_comparison_join(&shared[threadIdx.x], &shared[threadIdx.x + half]);
    }
    if (threadIdx.x == 0)
        *out = shared[0];
}

GP_KERNEL(compare, gp_difference_args, GP_BLOCK)
{
    GP_SHARED(gp_comparison, shared, GP_BLOCK);
    gp_comparison known = gp_comparison_none();
    int64_t step = (int64_t)gridDim.x * GP_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; i < args.n_elems; i += step) {
        int64_t row, col;
        gp_stored_place(args.n_elems, args.n_cols, i, &row, &col);
        gp_apart apart = gp_apart_at(args, row, col);
        gp_comparison_add(&known, &apart, args.rtol, args.atol, i);
    }
    gp_join_block(shared, known, &args.blocks[blockIdx.x]);
}

/* Thread 0 writes after a barrier that follows all reads. */
GP_KERNEL(compare_join, gp_difference_args, GP_BLOCK)
{
    GP_SHARED(gp_comparison, shared, GP_BLOCK);
    gp_comparison known = gp_comparison_none();
    for (int64_t i = threadIdx.x; i < args.n_blocks; i += GP_BLOCK)
        gp_comparison_join(&known, &args.blocks[i]);
    gp_join_block(shared, known, &args.blocks[0]);
}
