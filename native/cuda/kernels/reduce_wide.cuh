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

/* Columns low..high of a row, of which inner_low..inner_high begin and end at aligned addresses: whole runs. */
struct gp_row_runs {
    int64_t inner_low, inner_high;
};

GP_DEVICE gp_row_runs gp_row_runs_of(const gp_plane &plane, int64_t row, int64_t low, int64_t high)
{
    int64_t n_after = (int64_t)((uint64_t)gp_address(plane, row, low) % GP_RUN_BYTES / sizeof(gp_stored));
    gp_row_runs runs = {low + (GP_RUN_ELEMS - n_after) % GP_RUN_ELEMS, 0};
    if (runs.inner_low > high)
        runs.inner_low = high;
    runs.inner_high = runs.inner_low + (high - runs.inner_low) / GP_RUN_ELEMS * GP_RUN_ELEMS;
    return runs;
}

/* Where the run at a walk's place begins; null where the row has no more whole ones, or there are no more rows. */
GP_DEVICE const char *gp_walk_address(const gp_plane &plane, const gp_part &rows, int64_t low, int64_t high, const gp_walk &walk)
{
    if (walk.row >= rows.inner_end)
        return nullptr;
    gp_row_runs inner = gp_row_runs_of(plane, walk.row, low, high);
    int64_t col = inner.inner_low + walk.run * GP_RUN_ELEMS;
    return col < inner.inner_high ? gp_address(plane, walk.row, col) : nullptr;
}

/* The whole runs of a box, several under way at once. Their addresses are not kept, which takes fewer registers: the way is gone
 * once more where a run is odd. */
template <int KIND, bool WANT, int THREADS>
GP_DEVICE void gp_walk_runs(const gp_plane &plane, const gp_part &rows, int64_t low, int64_t high, gp_columns<KIND> &columns,
                            gp_seen<WANT> &seen)
{
    static_assert((int)GP_RUNS_AT_ONCE <= (int)gp_columns<KIND>::MOST_RUNS, "sums are settled after each of these steps");
    if (high - low < GP_RUN_ELEMS)
        return;
    gp_walk walk = gp_walk_from<THREADS>(rows.inner_begin, (high - low) / GP_RUN_ELEMS);
    while (walk.row < rows.inner_end) {
        gp_run runs[GP_RUNS_AT_ONCE];
        gp_walk again = walk;
        unsigned is_loaded = 0, odd = 0;
        GP_UNROLL
        for (int i = 0; i < GP_RUNS_AT_ONCE; i++, gp_walk_on(walk)) {
            const char *at = gp_walk_address(plane, rows, low, high, walk);
            if (at != nullptr)
                gp_run_load_aligned(at, runs[i]), is_loaded |= 1u << i;
        }
        GP_UNROLL
        for (int i = 0; i < GP_RUNS_AT_ONCE; i++)
            if ((is_loaded >> i & 1) && !gp_take_plain<KIND, WANT>(columns, seen, runs[i], (int)plane.dtype))
                odd |= 1u << i;
        for (; odd != 0; odd >>= 1, gp_walk_on(again)) {
            if (!(odd & 1))
                continue;
            gp_run_load_aligned(gp_walk_address(plane, rows, low, high, again), runs[0]);
            gp_take_odd<KIND, WANT>(columns, seen, runs[0], (int)plane.dtype);
        }
        gp_columns<KIND>::settle(columns);
    }
}

/* What whole runs leave over at either end of each row. */
template <int KIND, bool WANT, int THREADS>
GP_DEVICE void gp_walk_ends(const gp_plane &plane, const gp_part &rows, int64_t low, int64_t high, gp_columns<KIND> &columns,
                            gp_seen<WANT> &seen)
{
    for (gp_walk walk = gp_walk_from<THREADS>(rows.inner_begin, 2 * GP_RUN_ELEMS); walk.row < rows.inner_end; gp_walk_on(walk)) {
        gp_row_runs inner = gp_row_runs_of(plane, walk.row, low, high);
        bool is_before = walk.run < GP_RUN_ELEMS;
        int64_t col = is_before ? low + walk.run : inner.inner_high + walk.run - GP_RUN_ELEMS;
        if (col < (is_before ? inner.inner_low : high))
            gp_take_elements<KIND, WANT>(plane, walk.row, col, 0, 1u, columns, seen);
    }
}

/* Elements that are not side by side, dealt to the lanes of a warp. */
template <int KIND, bool WANT, int THREADS>
GP_DEVICE void gp_walk_spread(const gp_plane &plane, const gp_part &rows, int64_t low, int64_t high, gp_columns<KIND> &columns,
                              gp_seen<WANT> &seen)
{
    const int64_t warp_cols = GP_WARP * GP_RUN_ELEMS;
    gp_walk walk = gp_walk_from<THREADS>(rows.inner_begin, (high - low + warp_cols - 1) / warp_cols * GP_WARP);
    for (; walk.row < rows.inner_end; gp_walk_on(walk)) {
        int64_t col = low + walk.run / GP_WARP * warp_cols + walk.run % GP_WARP;
        uint32_t mask = 0;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            mask |= col + k * GP_WARP < high ? 1u << k : 0u;
        gp_take_elements<KIND, WANT>(plane, walk.row, col, GP_WARP, mask, columns, seen);
    }
}

/* Everything of weight 1. */
template <int KIND, bool WANT, int THREADS>
GP_DEVICE void gp_walk_box(const gp_plane &plane, const gp_part &rows, const gp_part &cols, bool is_spread,
                           gp_columns<KIND> &columns, gp_seen<WANT> &seen)
{
    int64_t low = cols.inner_begin, high = cols.inner_end;
    if (low >= high)
        return;
    if (is_spread) {
        gp_walk_spread<KIND, WANT, THREADS>(plane, rows, low, high, columns, seen);
    } else {
        gp_walk_runs<KIND, WANT, THREADS>(plane, rows, low, high, columns, seen);
        gp_walk_ends<KIND, WANT, THREADS>(plane, rows, low, high, columns, seen);
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
        bool had_nan = false;
        gp_value x = gp_value_at(args.plane, walk.row, col0 + walk.run, had_nan);
        double weight = gp_weight_at(row_span, walk.row) * gp_weight_at(col_span, col0 + walk.run);
        gp_state_add<KIND>(state, x, had_nan, weight);
        gp_seen<WANT>::add_any(seen, x, had_nan);
    }
}

/* The four sides of the part: border rows whole, border columns between them. */
template <int KIND, bool WANT, int THREADS>
GP_DEVICE void gp_walk_borders(const gp_reduce_args &args, const gp_span &row_span, const gp_span &col_span, const gp_part &rows,
                               const gp_part &cols, gp_cell_state &state, gp_seen<WANT> &seen)
{
    int64_t row_sides[4] = {rows.begin, rows.inner_begin, rows.inner_end, rows.end};
    int64_t col_sides[4] = {cols.begin, cols.inner_begin, cols.inner_end, cols.end};
    GP_UNROLL
    for (int side = 0; side < 4; side += 2) {
        gp_walk_border<KIND, WANT, THREADS>(args, row_span, col_span, row_sides[side], row_sides[side + 1], cols.begin, cols.end,
                                            state, seen);
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
    gp_part rows = gp_part_of(args.rows[q], part / args.n_col_parts, args.n_row_parts, KIND != GP_STATE_EXTREMES);
    gp_part cols = gp_part_of(args.cols[p], part % args.n_col_parts, args.n_col_parts, KIND != GP_STATE_EXTREMES);
    gp_columns<KIND> columns;
    gp_seen<WANT> seen;
    gp_columns<KIND>::start(columns);
    gp_seen<WANT>::start(seen);
    bool is_spread = !gp_elems::is_typed || args.layout == GP_LAYOUT_SPREAD;
    gp_walk_box<KIND, WANT, THREADS>(args.plane, rows, cols, is_spread, columns, seen);
    __syncthreads(); /* the cell's spans are read again behind it: the box needs the registers */
    gp_cell_state state = gp_columns<KIND>::total(columns);
    if (KIND != GP_STATE_EXTREMES)
        gp_walk_borders<KIND, WANT, THREADS>(args, args.rows[q], args.cols[p], rows, cols, state, seen);
    gp_seen_flush(seen, args.limits);
    gp_state_join_lanes<KIND>(state, GP_WARP);
    gp_state_join_warps<KIND, THREADS>(state, pool);
    if (threadIdx.x == 0)
        gp_put_cell(args, q, p, part, n_parts, state);
}

#endif
