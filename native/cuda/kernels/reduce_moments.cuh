/* Moments of narrow cells: sums of deviations of a thread's columns, and border rows on top of them. */
#ifndef GP_REDUCE_MOMENTS_CUH
#define GP_REDUCE_MOMENTS_CUH

#include "reduce_narrow.cuh"

typedef gp_columns<GP_STATE_MOMENTS> gp_moment_columns;

/* ---- rows of weight 1 ---------------------------------------------------------------------------------------------------- */

/* Up to GP_RUNS_AT_ONCE rows, `line_bytes` apart: all loads are under way before the first is waited for. Runs that are odd are loaded once
 * more. */
template <int LAYOUT>
GP_DEVICE void gp_moments_of_batch(const char *at, int64_t line_bytes, int n, int dtype, gp_moment_columns &columns)
{
    gp_seen<false> seen;
    gp_run runs[GP_RUNS_AT_ONCE];
    unsigned odd = 0;
    GP_UNROLL
    for (int i = 0; i < GP_RUNS_AT_ONCE; i++)
        if (i < n)
            gp_run_stream<LAYOUT>(at + i * line_bytes, runs[i]);
    GP_UNROLL
    for (int i = 0; i < GP_RUNS_AT_ONCE; i++)
        if (i < n && !gp_take_plain<GP_STATE_MOMENTS, false>(columns, seen, runs[i], dtype))
            odd |= 1u << i;
    for (; odd != 0; odd &= odd - 1) {
        gp_run run;
        gp_run_stream<LAYOUT>(at + (__ffs((int)odd) - 1) * line_bytes, run);
        gp_take_odd<GP_STATE_MOMENTS, false>(columns, seen, run, dtype);
    }
}

template <int LAYOUT>
GP_DEVICE void gp_moments_of_runs(const gp_plane &plane, const gp_place &place, const gp_part_rows &rows,
                                  gp_moment_columns &columns)
{
    int row = rows.inner_begin + place.line;
    int64_t line_bytes = place.ty * plane.row_stride_bytes;
    const char *at = gp_address(plane, rows.begin + row, place.col);
    int n = row < rows.inner_end ? ((rows.inner_end - 1 - row) >> (31 - __clz(place.ty))) + 1 : 0;
    for (; n > 0; n -= GP_RUNS_AT_ONCE, at += GP_RUNS_AT_ONCE * line_bytes)
        gp_moments_of_batch<LAYOUT>(at, line_bytes, n, (int)plane.dtype, columns);
}

/* The rows of weight 1, however they lie. */
GP_DEVICE void gp_moments_of_rows(const gp_reduce_args &args, const gp_place &place, const gp_part_rows &rows,
                                  gp_moment_columns &columns)
{
    gp_seen<false> seen;
    if (place.has_runs && args.layout == GP_LAYOUT_ALIGNED)
        gp_moments_of_runs<GP_LAYOUT_ALIGNED>(args.plane, place, rows, columns);
    else if (place.has_runs)
        gp_moments_of_runs<GP_LAYOUT_DENSE>(args.plane, place, rows, columns);
    else
        for (int row = rows.inner_begin + place.line; row < rows.inner_end; row += place.ty)
            gp_take_elements<GP_STATE_MOMENTS, false>(args.plane, rows.begin + row, place.col, place.col_step, place.mask,
                                                      columns, seen);
}

/* ---- columns in shared memory -------------------------------------------------------------------------------------------- */

/* The columns of all threads, line after line. */
template <int THREADS> struct gp_moments_pool {
    enum { N = THREADS * GP_RUN_ELEMS, SIZE = 3 * N + N / 8 /* in float64 */ };

    GP_DEVICE uint8_t *has_of(double *pool) { return (uint8_t *)(pool + 3 * N); }

    GP_DEVICE void put(double *pool, int i, const gp_cell_state &s)
    {
        pool[i] = s.a, pool[N + i] = s.b, pool[2 * N + i] = s.c;
        has_of(pool)[i] = (uint8_t)s.has;
    }
    GP_DEVICE gp_cell_state get(double *pool, int i)
    {
        gp_cell_state s = {pool[i], pool[N + i], pool[2 * N + i], has_of(pool)[i]};
        return s;
    }
};

/* One more row for the columns: a run, and which of its elements NaN was left out of. */
struct gp_border_row {
    gp_run run;
    uint32_t had_nan;
};

/* The place's elements of one row as a run, however they lie; those outside the plane are zero bits. */
GP_DEVICE void gp_place_row(const gp_reduce_args &args, const gp_place &place, int64_t row, gp_border_row &out)
{
    const gp_plane &plane = args.plane;
    gp_run_clear(out.run);
    out.had_nan = 0;
    if (place.has_runs && args.layout == GP_LAYOUT_ALIGNED) {
        gp_run_stream<GP_LAYOUT_ALIGNED>(gp_address(plane, row, place.col), out.run);
    } else if (place.has_runs) {
        gp_run_stream<GP_LAYOUT_DENSE>(gp_address(plane, row, place.col), out.run);
    } else {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            bool had_nan = false;
            if (!(place.mask >> k & 1))
                continue;
            gp_run_put(out.run, k, gp_stored_at(plane, row, place.col + k * place.col_step, had_nan));
            out.had_nan |= (uint32_t)had_nan << k;
        }
    }
}

/* One more row, of less weight, to columns in shared memory. */
template <int THREADS>
GP_DEVICE void gp_add_border(const gp_reduce_args &args, const gp_place &place, const gp_border_row &row, double weight,
                             double *pool)
{
    gp_value x[GP_RUN_ELEMS];
    gp_run_values(row.run.words, (int)args.plane.dtype, x);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        if (!(place.mask >> k & 1))
            continue;
        gp_cell_state state = gp_moments_pool<THREADS>::get(pool, gp_slot_of(place, k));
        gp_state_add<GP_STATE_MOMENTS>(state, x[k], row.had_nan >> k & 1, weight);
        gp_moments_pool<THREADS>::put(pool, gp_slot_of(place, k), state);
    }
}

/* Columns to shared memory, and border rows on top of them. */
template <int THREADS>
GP_DEVICE void gp_put_moments(const gp_reduce_args &args, const gp_place &place, const gp_part_rows &rows,
                              const gp_moment_columns &columns, double *pool)
{
    bool has_first = place.is_used && rows.inner_begin > 0 && place.line == 0;
    bool has_last = place.is_used && rows.inner_end < rows.n && place.line == place.ty - 1;
    gp_border_row first, last;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++)
        gp_moments_pool<THREADS>::put(pool, gp_slot_of(place, k), gp_moment_columns::column(columns, k));
    if (has_first)
        gp_place_row(args, place, rows.begin, first);
    if (has_last)
        gp_place_row(args, place, rows.begin + rows.n - 1, last);
    if (has_first)
        gp_add_border<THREADS>(args, place, first, rows.w_first, pool);
    if (has_last)
        gp_add_border<THREADS>(args, place, last, rows.w_last, pool);
}

/* ---- columns to cells ---------------------------------------------------------------------------------------------------- */

/* One lane's share of a cell. */
template <int THREADS>
GP_DEVICE gp_cell_state gp_moments_share(const gp_span &span, const gp_place &place, int lane, int log2_lanes, double *pool)
{
    gp_cell_state state = gp_no_state(GP_STATE_MOMENTS);
    gp_lane_columns c = gp_lane_columns_of(span, place, lane, log2_lanes);
    for (int i = c.i; i < c.width; i += c.side)
        for (int line = c.line; line < place.ty; line += c.line_step) {
            gp_cell_state column = gp_moments_pool<THREADS>::get(pool, gp_slot_at(place, line, c.first + i));
            gp_cell_state_scale(GP_STATE_MOMENTS, &column, gp_weight_at(span, span.touched_begin + i));
            gp_state_join<GP_STATE_MOMENTS>(state, column);
        }
    return state;
}

/* Folds columns into cells of row q. */
template <int THREADS>
GP_DEVICE void gp_fold_moments(const gp_reduce_args &args, const gp_narrow_block &block, int64_t q, double *pool)
{
    int n_cells = block.tile.cell1 - block.tile.cell0, log2_lanes = gp_log2_lanes<THREADS>(block.tile, block.place);
    int lane = (int)threadIdx.x & ((1 << log2_lanes) - 1);
    for (int first = 0; first < n_cells; first += THREADS >> log2_lanes) {
        int cell = first + ((int)threadIdx.x >> log2_lanes);
        gp_cell_state state = gp_no_state(GP_STATE_MOMENTS);
        if (cell < n_cells)
            state = gp_moments_share<THREADS>(args.cols[block.tile.cell0 + cell], block.place, lane, log2_lanes, pool);
        gp_state_join_lanes<GP_STATE_MOMENTS>(state, 1 << log2_lanes);
        if (lane == 0 && cell < n_cells)
            gp_put_cell(args, q, block.tile.cell0 + cell, block.part, args.n_row_parts, state);
    }
}

/* One part of the rows of one row of cells, in one tile of columns: what more rows take has no room in registers. */
template <int THREADS> GP_DEVICE void gp_moments_narrow(const gp_reduce_args &args, gp_part_rows *rows, double *pool)
{
    gp_moment_columns columns;
    gp_moment_columns::start(columns);
    const gp_narrow_block block = gp_narrow_block_of<THREADS>(args, blockIdx.x);
    gp_block_rows(args, block, true, rows);
    if (block.place.is_used)
        gp_moments_of_rows(args, block.place, *rows, columns);
    gp_put_moments<THREADS>(args, block.place, *rows, columns, pool);
    __syncthreads();
    gp_fold_moments<THREADS>(args, block, block.q, pool);
}

#endif
