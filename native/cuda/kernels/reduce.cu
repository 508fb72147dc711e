/* Reduces elements to cells, and finds limits of elements: the kernels of one element class. */
#include "reduce_extremes.cuh"
#include "reduce_moments.cuh"
#include "reduce_sums.cuh"
#include "reduce_wide.cuh"

/*
 * What is computed: for every cell the aggregation of the elements that it touches, weighted as gp_span says; the same numbers as
 * native/cpu/reduce/reduce_careful.c gives. Three kinds of state serve all aggregations: sums (mean, sum, count), extremes
 * (max, min, absmax), moments (std).
 *
 * How: elements are read once, 16 bytes a thread. In narrow kernels a block has some rows of cells in one tile of columns;
 * threads add their columns up over the rows of each, and the columns are folded into cells in shared memory. In wide kernels a
 * block has one cell. Where these are too few blocks for the device, rows (and for wide kernels columns) are cut into parts, whose states go
 * to scratch memory, and `finish` joins them. All joins have a fixed order: results are the same bits on every run.
 *
 * Launched by native/cuda/reduce.c and limits.c, which know how many blocks there are; blocks are numbered in x alone, tiles
 * fastest, so that neighboring blocks read neighboring memory.
 */

/* Threads that a multiprocessor must have room for at once, so that enough loads are under way to hide the time that memory takes;
 * it is the number of registers that follows from this: 64, 80 where runs have many elements or a block has a cell to itself, up to
 * 128 for larger states. Fewer registers than a kernel wants are made up for by local memory, of which float32 takes a little: on an H200
 * its sums were 3 % faster with 64 registers and 24 bytes of stack than with 80 and none. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
enum { GP_HAS_LITTLE_SHARED = 1 }; /* columns of floats and moments leave no room for more blocks, whatever registers they take */
#else
enum { GP_HAS_LITTLE_SHARED = 0 };
#endif
enum {
    GP_SUM_THREADS = GP_REDUCE_RESIDENT_THREADS(true, GP_RUN_ELEMS, GP_RUN_BYTES),
    GP_EXTREMES_THREADS = GP_REDUCE_RESIDENT_THREADS(!GP_ARE_PACKED && GP_RUN_ELEMS > 4, GP_RUN_ELEMS, GP_RUN_BYTES),
    GP_WIDE_THREADS = 768,
    GP_MOMENTS_THREADS = GP_RUN_ELEMS > 4 || GP_HAS_LITTLE_SHARED ? 512 : 768,
    GP_FEWER_THREADS = 512
};

#define GP_NARROW_KERNEL(name, CELLS, WANT, WANTED_THREADS)                                                                      \
    GP_KERNEL(name, gp_reduce_args, GP_BOUNDS(GP_NARROW_BLOCK, WANTED_THREADS))                                                  \
    {                                                                                                                            \
        GP_SHARED(double, pool, gp_##CELLS##_pool<GP_NARROW_BLOCK>::SIZE);                                                       \
        GP_SHARED(unsigned, marks, 2 * GP_NARROW_BLOCK / GP_WARP);                                                               \
        GP_SHARED(gp_part_rows, rows, GP_REDUCE_MOST_ROWS);                                                                      \
        gp_##CELLS##_narrow<WANT, GP_NARROW_BLOCK>(args, rows, pool, marks);                                                     \
    }
#define GP_MOMENTS_KERNEL(name, WANTED_THREADS)                                                                                  \
    GP_KERNEL(name, gp_reduce_args, GP_BOUNDS(GP_NARROW_BLOCK, WANTED_THREADS))                                                  \
    {                                                                                                                            \
        GP_SHARED(double, pool, gp_moments_pool<GP_NARROW_BLOCK>::SIZE);                                                         \
        GP_SHARED(gp_part_rows, rows, 1);                                                                                        \
        gp_moments_narrow<GP_NARROW_BLOCK>(args, rows, pool);                                                                    \
    }
#define GP_WIDE_KERNEL(name, KIND, WANT, WANTED_THREADS)                                                                         \
    GP_KERNEL(name, gp_reduce_args, GP_BOUNDS(GP_BLOCK, WANTED_THREADS))                                                         \
    {                                                                                                                            \
        GP_SHARED(gp_cell_state, pool, GP_BLOCK / GP_WARP);                                                                      \
        gp_reduce_wide<KIND, WANT, GP_BLOCK>(args, pool);                                                                        \
    }

GP_NARROW_KERNEL(GP_OF_CLASS(sum_narrow), sum, false, GP_SUM_THREADS)
GP_NARROW_KERNEL(GP_OF_CLASS(sum_narrow_want), sum, true, GP_SUM_THREADS)
GP_NARROW_KERNEL(GP_OF_CLASS(extremes_narrow), extremes, false, GP_EXTREMES_THREADS)
GP_NARROW_KERNEL(GP_OF_CLASS(extremes_narrow_want), extremes, true, GP_SUM_THREADS)
GP_MOMENTS_KERNEL(GP_OF_CLASS(moments_narrow), GP_MOMENTS_THREADS)

GP_WIDE_KERNEL(GP_OF_CLASS(sum_wide), GP_STATE_SUM, false, GP_WIDE_THREADS)
GP_WIDE_KERNEL(GP_OF_CLASS(sum_wide_want), GP_STATE_SUM, true, GP_FEWER_THREADS)
GP_WIDE_KERNEL(GP_OF_CLASS(extremes_wide), GP_STATE_EXTREMES, false, GP_WIDE_THREADS)
GP_WIDE_KERNEL(GP_OF_CLASS(extremes_wide_want), GP_STATE_EXTREMES, true, GP_WIDE_THREADS)
GP_WIDE_KERNEL(GP_OF_CLASS(moments_wide), GP_STATE_MOMENTS, false, GP_FEWER_THREADS)

/* ---- joining parts --------------------------------------------------------------------------------------------------- */

/* Lanes for each cell, a part of a warp or all of a block: each joins every n-th part, then they join each other. */
template <int KIND> GP_DEVICE void gp_finish_cells(const gp_reduce_args &args, gp_cell_state *pool)
{
    int n_lanes = 1 << args.log2_lanes, lane = (int)threadIdx.x & (n_lanes - 1);
    int n_parts = args.n_row_parts * args.n_col_parts;
    int64_t cell = ((int64_t)blockIdx.x * GP_BLOCK + threadIdx.x) >> args.log2_lanes;
    int64_t q = args.first_cell_row + cell / args.n_cell_cols, p = cell % args.n_cell_cols;
    gp_cell_state state = gp_no_state(KIND);
    bool is_there = q < args.n_cell_rows;
    for (int part = lane; is_there && part < n_parts; part += n_lanes)
        gp_state_join<KIND>(state, args.states[((q - args.first_state_row) * n_parts + part) * args.n_cell_cols + p]);
    gp_state_join_lanes<KIND>(state, n_lanes < GP_WARP ? n_lanes : GP_WARP);
    if (n_lanes > GP_WARP)
        gp_state_join_warps<KIND, GP_BLOCK>(state, pool);
    if (lane == 0 && is_there)
        gp_write_cell(args, q, p, state);
}

#define GP_FINISH_KERNEL(name, KIND)                                                                                             \
    GP_KERNEL(name, gp_reduce_args, GP_BLOCK)                                                                                    \
    {                                                                                                                            \
        GP_SHARED(gp_cell_state, pool, GP_BLOCK / GP_WARP);                                                                      \
        gp_finish_cells<KIND>(args, pool);                                                                                       \
    }
GP_FINISH_KERNEL(GP_OF_CLASS(sum_finish), GP_STATE_SUM)
GP_FINISH_KERNEL(GP_OF_CLASS(extremes_finish), GP_STATE_EXTREMES)
GP_FINISH_KERNEL(GP_OF_CLASS(moments_finish), GP_STATE_MOMENTS)

/* ---- cells that need no sums ----------------------------------------------------------------------------------------- */

/* The one element of a cell as it is, or how many elements a cell of integers owns; a thread for each cell. */
GP_KERNEL(GP_OF_CLASS(single), gp_reduce_args, GP_BLOCK)
{
    int64_t cell = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x;
    int64_t q = args.first_cell_row + cell / args.n_cell_cols, p = cell % args.n_cell_cols;
    if (q >= args.n_cell_rows)
        return;
    const gp_span row = args.rows[q], col = args.cols[p];
    double value = gp_empty_cell(); /* without NaN, where hidden axes leave it out */
    bool had_nan = false;
    if (row.touched_begin < row.touched_end && col.touched_begin < col.touched_end) {
        if (args.agg == GP_AGG_COUNT) {
            value = gp_weight_of(row, gp_part_of(row, 0, 1, true)) * gp_weight_of(col, gp_part_of(col, 0, 1, true));
        } else {
            double x = (double)gp_value_at(args.plane, row.touched_begin, col.touched_begin, had_nan);
            unsigned has = gp_class_of(x);
            value = has == GP_HAS_FINITE ? x + 0.0 : gp_mark_value(has);
        }
    }
    double shown = had_nan ? gp_mark_value(GP_HAS_NAN) : value;
    gp_write_value(args, args.out, q, p, shown);
    if (args.without_nan != nullptr && gp_is_nan_cell(shown))
        gp_write_value(args, args.without_nan, q, p, value);
}

/* ---- limits of every element ------------------------------------------------------------------------------------------ */

GP_DEVICE unsigned long long gp_warp_sum(unsigned long long n)
{
    for (int distance = GP_WARP / 2; distance > 0; distance /= 2)
        n += __shfl_down_sync(GP_FULL_WARP, n, (unsigned)distance);
    return n;
}

GP_DEVICE void gp_count_kind(int64_t *to, unsigned long long n)
{
    n = gp_warp_sum(n);
    if (threadIdx.x % GP_WARP == 0 && n != 0)
        atomicAdd((unsigned long long *)to, n);
}

/* All elements of a thread; all but the finite ones are counted here. */
struct gp_limits_visit {
    int dtype;
    gp_seen<true> seen;
    unsigned long long n_nan, n_pos_inf, n_neg_inf, n_masked;

    GP_DEVICE bool whole(gp_limits_visit &v, const gp_run &run, int64_t, int64_t, int64_t)
    {
        gp_value x[GP_RUN_ELEMS];
        bool are_finite = true;
        gp_run_values(run.words, v.dtype, x);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            are_finite = are_finite && (!gp_elems::is_float || gp_is_finite(x[k]));
        GP_UNROLL
        for (int k = 0; are_finite && k < GP_RUN_ELEMS; k++)
            gp_seen<true>::add(v.seen, x[k]);
        return are_finite;
    }
    GP_DEVICE void some(gp_limits_visit &v, const gp_run &run, uint32_t mask, int64_t, int64_t, int64_t)
    {
        gp_value x[GP_RUN_ELEMS];
        gp_run_values(run.words, v.dtype, x);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            if (!(mask >> k & 1))
                continue;
            if (!gp_elems::is_float || gp_is_finite(x[k])) {
                gp_seen<true>::add(v.seen, x[k]);
                continue;
            }
            unsigned kind = gp_class_of((double)x[k]);
            v.n_nan += kind == GP_HAS_NAN, v.n_pos_inf += kind == GP_HAS_POS_INF, v.n_neg_inf += kind == GP_HAS_NEG_INF;
            v.n_masked += kind == GP_HAS_MASKED;
        }
    }
};

/* Any number of blocks. */
GP_KERNEL(GP_OF_CLASS(limits), gp_limits_args, GP_BOUNDS(GP_BLOCK, GP_WIDE_THREADS))
{
    gp_visit_plan plan = gp_visit_plan_of(args.plane);
    gp_limits_visit visit = {(int)args.plane.dtype, {}, 0, 0, 0, 0};
    gp_seen<true>::start(visit.seen);
    for (int64_t job = blockIdx.x; job < plan.n_jobs; job += gridDim.x)
        gp_visit_job(args.plane, plan, job, visit);
    gp_seen_flush(visit.seen, args.limits);
    gp_count_kind(&args.limits->n_nan, visit.n_nan);
    gp_count_kind(&args.limits->n_pos_inf, visit.n_pos_inf);
    gp_count_kind(&args.limits->n_neg_inf, visit.n_neg_inf);
    gp_count_kind(&args.limits->n_masked, visit.n_masked);
}
