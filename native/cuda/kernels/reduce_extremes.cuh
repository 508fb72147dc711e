/* Extremes of narrow cells: all rows of a cell in one stream; what is not finite is looked at apart. */
#ifndef GP_REDUCE_EXTREMES_CUH
#define GP_REDUCE_EXTREMES_CUH

#include "packed_extremes.cuh"
#include "byte_sums.cuh"
#include "reduce_narrow.cuh"

/*
 * A thread compares all elements of its columns without a question, so that NaN and infinities stay in what comes out: where there are
 * any, it takes its rows once more, one element after the other. Extremes have no weights: border rows are rows as others.
 */

/* ---- the rows of a part -------------------------------------------------------------------------------------------------- */

typedef gp_columns<GP_STATE_EXTREMES> gp_extreme_columns;

/* Compares the rows of a line, as gp_stream shows them, without a look at what they are. */
template <bool WANT, bool MAY_BE_BOOL> struct gp_extremes_take {
    enum { MOST_ROWS = 0 };
    gp_extreme_columns columns;
    gp_seen<WANT> seen;
    int dtype, plain_begin, plain_end; /* rows of the line: all of them */
    gp_byte_codec<MAY_BE_BOOL> codec;

    GP_DEVICE void start(gp_extremes_take &take) { gp_extreme_columns::start(take.columns); }
    GP_DEVICE void settle(gp_extremes_take &) {}

    template <bool IS_PLAIN> GP_DEVICE void row(gp_extremes_take &take, const gp_run &run, int)
    {
        gp_value x[GP_RUN_ELEMS];
        gp_extreme exact[GP_RUN_ELEMS];
        gp_run_values(run.words, take.dtype, x);
        gp_run_extremes<GP_STATE_EXTREMES>(run, x, take.dtype, exact);
        gp_extreme_columns::add_unseen(take.columns, exact);
        GP_UNROLL
        for (int k = 0; WANT && k < GP_RUN_ELEMS; k++)
            gp_seen<WANT>::add(take.seen, x[k]);
    }
    GP_DEVICE const gp_extreme_columns &columns_of(gp_extremes_take &take) { return take.columns; }
};

/* The same of packed columns. */
template <bool MAY_BE_BOOL> struct gp_packed_take {
    enum { MOST_ROWS = 0 };
    gp_extreme_columns columns;
    gp_seen<false> seen;
    int dtype, plain_begin, plain_end;
    gp_byte_codec<MAY_BE_BOOL> codec;
    gp_packed_extremes packed;

    GP_DEVICE void start(gp_packed_take &take) { gp_packed_extremes::start(take.packed, take.dtype); }
    GP_DEVICE void settle(gp_packed_take &) {}
    template <bool IS_PLAIN> GP_DEVICE void row(gp_packed_take &take, const gp_run &run, int)
    {
        gp_packed_extremes::add(take.packed, run, take.dtype, take.codec);
    }
    GP_DEVICE const gp_extreme_columns &columns_of(gp_packed_take &take)
    {
        take.columns.has = 0;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            take.columns.lo[k] = (gp_extreme)gp_packed_extremes::value(take.packed.lo, k, take.dtype);
            take.columns.hi[k] = (gp_extreme)gp_packed_extremes::value(take.packed.hi, k, take.dtype);
        }
        return take.columns;
    }
};

/* Limits look at every element, which may as well be compared by itself. */
template <bool WANT, bool ARE_PACKED, bool MAY_BE_BOOL> struct gp_take_of {
    typedef gp_extremes_take<WANT, MAY_BE_BOOL> type;
};
template <bool MAY_BE_BOOL> struct gp_take_of<false, true, MAY_BE_BOOL> {
    typedef gp_packed_take<MAY_BE_BOOL> type;
};

/* By runs, the first of which are under way; then those of the next row of cells are. */
template <bool WANT, int LAYOUT, bool MAY_BE_BOOL>
GP_DEVICE void gp_compare_runs(const gp_plane &plane, const gp_place &place, const gp_part_rows &rows, const gp_line_rows &next,
                               gp_run (&ring)[GP_RING_RUNS], gp_extreme_columns &columns, gp_seen<WANT> &seen)
{
    typedef typename gp_take_of<WANT, GP_ARE_PACKED != 0, MAY_BE_BOOL>::type take_of;
    const int64_t line_bytes = place.ty * plane.row_stride_bytes;
    gp_line_rows line = gp_line_rows_of(place, rows);
    take_of take;
    take.seen = seen, take.dtype = (int)plane.dtype, take.plain_begin = 0, take.plain_end = line.n;
    take.codec = gp_byte_codec<MAY_BE_BOOL>::of(take.dtype);
    take_of::start(take);
    gp_stream<LAYOUT>(line, next, line_bytes, ring, take);
    if (line.n <= 0)
        return;
    const gp_extreme_columns &found = take_of::columns_of(take);
    if (gp_extreme_columns::are_finite(found)) {
        columns = found, seen = take.seen;
        return;
    }
    GP_NO_UNROLL
    for (const char *at = line.at; line.n > 0; line.n--, at += line_bytes) {
        gp_run run;
        gp_run_stream<LAYOUT>(at, run);
        gp_take_odd<GP_STATE_EXTREMES, WANT>(columns, seen, run, take.dtype);
    }
}

/* However they lie. */
template <bool WANT>
GP_DEVICE void gp_compare_rows(const gp_plane &plane, int layout, const gp_place &place, const gp_part_rows &rows,
                               const gp_line_rows &next, gp_run (&ring)[GP_RING_RUNS], gp_extreme_columns &columns,
                               gp_seen<WANT> &seen)
{
    if (layout == GP_LAYOUT_ALIGNED && GP_ARE_BYTES && plane.dtype != GP_BOOL)
        gp_compare_runs<WANT, GP_LAYOUT_ALIGNED, false>(plane, place, rows, next, ring, columns, seen);
    else if (layout == GP_LAYOUT_ALIGNED)
        gp_compare_runs<WANT, GP_LAYOUT_ALIGNED, true>(plane, place, rows, next, ring, columns, seen);
    else if (layout == GP_LAYOUT_DENSE)
        gp_compare_runs<WANT, GP_LAYOUT_DENSE, true>(plane, place, rows, next, ring, columns, seen);
    else if (place.is_used)
        for (int row = place.line; row < rows.n; row += place.ty)
            gp_take_elements<GP_STATE_EXTREMES, WANT>(plane, rows.begin + row, place.col, place.col_step, place.mask, columns,
                                                      seen);
}

/* ---- columns to cells ---------------------------------------------------------------------------------------------------- */

/* Shared memory: extremes of the columns of one row of cells, and where there is room those of the next one, too; kinds of elements. */
template <int THREADS> struct gp_extremes_pool {
    enum {
        N = THREADS * GP_RUN_ELEMS,
        N_BUFFERS = N * sizeof(gp_extreme) <= 4096 ? 2 : 1,
        N_EXTREMES = 2 * N * N_BUFFERS * (int)sizeof(gp_extreme) / 8,
        SIZE = N_EXTREMES + (gp_elems::is_float ? N / 8 : 0) /* in float64 */
    };
    gp_extreme *lo, *hi;
    uint8_t *kinds;

    GP_DEVICE gp_extremes_pool of(double *memory, int turn)
    {
        gp_extreme *lo = (gp_extreme *)memory + turn % N_BUFFERS * 2 * N;
        gp_extremes_pool pool = {lo, lo + N, (uint8_t *)(memory + N_EXTREMES)};
        return pool;
    }
};

/* One lane's share of a cell. */
template <bool IS_MARKED, int THREADS>
GP_DEVICE gp_cell_state gp_extremes_share(const gp_span &span, const gp_place &place, int lane, int log2_lanes,
                                          const gp_extremes_pool<THREADS> &pool)
{
    gp_lane_columns c = gp_lane_columns_of(span, place, lane, log2_lanes);
    gp_extreme lo, hi;
    unsigned has = 0;
    gp_start_extremes(&lo, &hi);
    for (int line = c.line; line < place.ty; line += c.line_step)
        for (int i = c.i; i < c.width; i += c.side) {
            int slot = gp_slot_at(place, line, c.first + i);
            lo = gp_smaller(lo, pool.lo[slot]), hi = gp_larger(hi, pool.hi[slot]);
            if (IS_MARKED)
                has |= pool.kinds[slot];
        }
    gp_cell_state state = gp_no_state(GP_STATE_EXTREMES);
    state.has = has;
    if (lo <= hi) {
        state.a = gp_bits_of_order(gp_order_of_extreme(lo)), state.b = gp_bits_of_order(gp_order_of_extreme(hi));
        state.has |= GP_HAS_FINITE;
    }
    return state;
}

template <bool IS_MARKED, int THREADS>
GP_DEVICE void gp_fold_extremes(const gp_reduce_args &args, const gp_narrow_block &block, int64_t q,
                                const gp_extremes_pool<THREADS> &pool)
{
    int n_cells = block.tile.cell1 - block.tile.cell0, log2_lanes = gp_log2_lanes<THREADS>(block.tile, block.place);
    int lane = (int)threadIdx.x & ((1 << log2_lanes) - 1);
    for (int first = 0; first < n_cells; first += THREADS >> log2_lanes) {
        int cell = first + ((int)threadIdx.x >> log2_lanes);
        gp_cell_state state = gp_no_state(GP_STATE_EXTREMES);
        if (cell < n_cells)
            state = gp_extremes_share<IS_MARKED, THREADS>(args.cols[block.tile.cell0 + cell], block.place, lane, log2_lanes,
                                                          pool);
        gp_state_join_lanes<GP_STATE_EXTREMES>(state, 1 << log2_lanes);
        if (lane == 0 && cell < n_cells)
            gp_put_cell(args, q, block.tile.cell0 + cell, block.part, args.n_row_parts, state);
    }
}

/* The cells of row q from what all threads have put down. */
template <int THREADS>
GP_DEVICE void gp_end_extremes(const gp_reduce_args &args, const gp_narrow_block &block, int64_t q, uint32_t has,
                               const unsigned *marks, const gp_extremes_pool<THREADS> &pool)
{
    bool is_marked = gp_has_marks<THREADS>(marks);
    if (is_marked) {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            pool.kinds[gp_slot_of(block.place, k)] = (uint8_t)(has >> (4 * k % 32) & (unsigned)GP_HAS_BAD);
        __syncthreads();
        gp_fold_extremes<true, THREADS>(args, block, q, pool);
    } else {
        gp_fold_extremes<false, THREADS>(args, block, q, pool);
    }
    if (is_marked || gp_extremes_pool<THREADS>::N_BUFFERS == 1)
        __syncthreads(); /* the next row's extremes come there */
}

/* ---- the kernel ---------------------------------------------------------------------------------------------------------- */

/* One part of the rows of some rows of cells, in one tile of columns; as gp_sum_narrow. */
template <bool WANT, int THREADS>
GP_DEVICE void gp_extremes_narrow(const gp_reduce_args &args, gp_part_rows *rows, double *memory, unsigned *marks)
{
    enum { N_WARPS = THREADS / GP_WARP };
    gp_seen<WANT> seen;
    gp_run ring[GP_RING_RUNS];
    const gp_narrow_block block = gp_narrow_block_of<THREADS>(args, blockIdx.x);
    const gp_place &place = block.place;
    const int layout = place.is_used && place.has_runs ? args.layout : (int)GP_LAYOUT_SPREAD;
    gp_seen<WANT>::start(seen);
    gp_block_rows(args, block, false, rows);
    gp_ring_begin(args.plane, layout, place, rows[0], ring);
    for (int i = 0; i < block.n_rows; i++) {
        gp_extremes_pool<THREADS> pool = gp_extremes_pool<THREADS>::of(memory, i & 1);
        gp_extreme_columns columns;
        gp_line_rows next = gp_next_line_rows(place, rows, i + 1, block.n_rows);
        gp_extreme_columns::start(columns);
        gp_compare_rows<WANT>(args.plane, layout, place, rows[i], next, ring, columns, seen);
        gp_note_marks(columns.has, marks + (i & 1) * N_WARPS);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            pool.lo[gp_slot_of(place, k)] = columns.lo[k], pool.hi[gp_slot_of(place, k)] = columns.hi[k];
        __syncthreads();
        gp_end_extremes<THREADS>(args, block, block.q + i, columns.has, marks + (i & 1) * N_WARPS, pool);
    }
    gp_seen_flush(seen, args.limits);
}

#endif
