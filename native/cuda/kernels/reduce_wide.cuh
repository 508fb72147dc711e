/* Cells that are wide: a block takes one cell, or a part of it, and its threads go through its rows as through one long list. */
#ifndef GP_REDUCE_WIDE_CUH
#define GP_REDUCE_WIDE_CUH

#include "reduce_narrow.cuh"

/* A thread's way through a box of elements: THREADS runs at a time along a row, on to the next one where it ends. Runs begin at
 * aligned addresses, so the ones at either end of a row may reach beyond the box. */
struct gp_walk {
    int64_t row, run, runs_per_row;
    int64_t row_step, run_step; /* THREADS runs as rows and a rest */
};

template <int THREADS> GP_DEVICE gp_walk gp_walk_from(int64_t first_row, int64_t runs_per_row)
{
    gp_walk walk = {first_row, 0, runs_per_row, THREADS / runs_per_row, THREADS % runs_per_row};
    walk.row += threadIdx.x / runs_per_row, walk.run = threadIdx.x % runs_per_row;
    return walk;
}

GP_DEVICE void gp_walk_on(gp_walk &walk)
{
    walk.run += walk.run_step, walk.row += walk.row_step;
    if (walk.run >= walk.runs_per_row)
        walk.run -= walk.runs_per_row, walk.row++;
}

/* The run of a row's columns low_col..high_col at which the walk stands, and which of its elements these are. */
GP_DEVICE uint32_t gp_walk_load(const gp_plane &plane, const gp_walk &walk, int64_t low_col, int64_t high_col, bool is_spread,
                                gp_run &run)
{
    uint32_t mask = 0;
    if (is_spread) { /* one element a time */
        gp_run_clear(run);
        if (gp_elems::is_typed)
            gp_run_put(run, 0, *(const gp_stored *)gp_address(plane, walk.row, low_col + walk.run));
        else
            gp_run_put(run, 0, (gp_stored)gp_bits_from_f64(gp_element_value(plane, walk.row, low_col + walk.run)));
        return 1u;
    }
    const char *low = gp_address(plane, walk.row, low_col), *high = low + (high_col - low_col) * (int64_t)sizeof(gp_stored);
    const char *at = low - (uint64_t)low % GP_RUN_BYTES + walk.run * GP_RUN_BYTES;
    if (at >= low && at + GP_RUN_BYTES <= high) {
        gp_run_load_aligned(at, run);
        return (uint32_t)GP_ALL_ELEMS;
    }
    gp_run_load_single(at, low, high, run);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        const char *here = at + k * (int)sizeof(gp_stored);
        mask |= here >= low && here < high ? 1u << k : 0u;
    }
    return mask;
}

/* Everything of weight 1. */
template <int KIND, bool WANT, int THREADS>
GP_DEVICE void gp_walk_box(const gp_plane &plane, const gp_part &rows, const gp_part &cols, bool is_spread,
                           gp_columns<KIND> &columns, gp_seen<WANT> &seen)
{
    int64_t n_cols = cols.inner_end - cols.inner_begin;
    if (n_cols <= 0)
        return;
    gp_walk walk = gp_walk_from<THREADS>(rows.inner_begin, is_spread ? n_cols : (n_cols + GP_RUN_ELEMS - 1) / GP_RUN_ELEMS + 1);
    while (walk.row < rows.inner_end) {
        gp_run runs[GP_RUNS_AT_ONCE];
        uint32_t masks[GP_RUNS_AT_ONCE];
        GP_UNROLL
        for (int i = 0; i < GP_RUNS_AT_ONCE; i++) {
            masks[i] = 0;
            if (walk.row < rows.inner_end)
                masks[i] = gp_walk_load(plane, walk, cols.inner_begin, cols.inner_end, is_spread, runs[i]);
            gp_walk_on(walk);
        }
        GP_UNROLL
        for (int i = 0; i < GP_RUNS_AT_ONCE; i++)
            if (masks[i] != 0)
                gp_take_run<KIND, WANT>(columns, seen, runs[i], (int)plane.dtype, masks[i]);
    }
}

/* Adds the elements of weight w_y * w_x of a box, one by one. */
template <int KIND, bool WANT, int THREADS>
GP_DEVICE void gp_walk_border(const gp_reduce_args &args, const gp_span &row_span, const gp_span &col_span, int64_t row0,
                              int64_t row1, int64_t col0, int64_t col1, gp_cell_state &state, gp_seen<WANT> &seen)
{
    if (row0 >= row1 || col0 >= col1)
        return;
    for (gp_walk walk = gp_walk_from<THREADS>(row0, col1 - col0); walk.row < row1; gp_walk_on(walk)) {
        gp_value x = gp_value_at(args.plane, walk.row, col0 + walk.run);
        double weight = gp_weight_at(row_span, walk.row) * gp_weight_at(col_span, col0 + walk.run);
        gp_state_add<KIND>(state, x, weight);
        gp_seen<WANT>::add_any(seen, x);
    }
}

/* The four sides of the part: border rows whole, border columns between them. */
template <int KIND, bool WANT, int THREADS>
GP_DEVICE void gp_walk_borders(const gp_reduce_args &args, const gp_span &row_span, const gp_span &col_span,
                               const gp_part &rows, const gp_part &cols, gp_cell_state &state, gp_seen<WANT> &seen)
{
    int64_t row_sides[4] = {rows.begin, rows.inner_begin, rows.inner_end, rows.end};
    int64_t col_sides[4] = {cols.begin, cols.inner_begin, cols.inner_end, cols.end};
    for (int side = 0; side < 4; side += 2) {
        gp_walk_border<KIND, WANT, THREADS>(args, row_span, col_span, row_sides[side], row_sides[side + 1], cols.begin,
                                            cols.end, state, seen);
        gp_walk_border<KIND, WANT, THREADS>(args, row_span, col_span, rows.inner_begin, rows.inner_end, col_sides[side],
                                            col_sides[side + 1], state, seen);
    }
}

/* One part of the rows and of the columns of one cell. */
template <int KIND, bool WANT, int THREADS> GP_DEVICE void gp_reduce_wide(const gp_reduce_args &args, gp_cell_state *pool)
{
    unsigned rest = blockIdx.x / (unsigned)args.n_tiles;
    int n_parts = args.n_row_parts * args.n_col_parts, part = (int)(rest % (unsigned)n_parts);
    int64_t q = args.first_cell_row + rest / (unsigned)n_parts, p = args.tiles[blockIdx.x % (unsigned)args.n_tiles].cell0;
    const gp_span row_span = args.rows[q], col_span = args.cols[p];
    gp_part rows = gp_part_of(row_span, part / args.n_col_parts, args.n_row_parts, KIND != GP_KIND_EXTREMES);
    gp_part cols = gp_part_of(col_span, part % args.n_col_parts, args.n_col_parts, KIND != GP_KIND_EXTREMES);
    gp_columns<KIND> columns;
    gp_seen<WANT> seen;
    gp_columns<KIND>::start(columns);
    gp_seen<WANT>::start(seen);
    bool is_spread = !gp_elems::is_typed || args.layout == GP_LAYOUT_SPREAD;
    gp_walk_box<KIND, WANT, THREADS>(args.plane, rows, cols, is_spread, columns, seen);
    gp_cell_state state = gp_columns<KIND>::total(columns);
    if (KIND != GP_KIND_EXTREMES)
        gp_walk_borders<KIND, WANT, THREADS>(args, row_span, col_span, rows, cols, state, seen);
    gp_seen_flush(seen, args.facts);
    gp_state_join_lanes<KIND>(state, GP_WARP);
    if (threadIdx.x % GP_WARP == 0)
        pool[threadIdx.x / GP_WARP] = state;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int warp = 1; warp < THREADS / GP_WARP; warp++)
        gp_state_join<KIND>(state, pool[warp]);
    gp_put_cell(args, q, p, part, n_parts, state);
}

#endif
