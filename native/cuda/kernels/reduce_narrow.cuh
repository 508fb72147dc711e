/* Cells that are narrow: a block takes many cells side by side, its threads own columns, which are folded into cells at the end. */
#ifndef GP_REDUCE_NARROW_CUH
#define GP_REDUCE_NARROW_CUH

#include "reduce_limits.cuh"

/* Runs that a thread has under way at once: more of 8 bytes, fewer where accumulators take the registers. */
enum { GP_RUNS_AT_ONCE = gp_elems::is_typed && GP_RUN_WORDS == 2 ? 6 : GP_RUN_ELEMS > 4 ? 3 : 4 };

/* Where a thread stands in its tile: tx threads side by side, each with GP_RUN_ELEMS columns, and ty lines of them that take
 * the rows in turn. */
struct gp_place {
    int tx, ty, lane, line;
    int pool_ty; /* lines whose columns are in shared memory at once: all, or half of them */
    int64_t tile_col; /* the column of lane 0; may be below 0 where runs are aligned */
    int64_t col; /* the thread's first column */
    int col_step; /* to its next one */
    uint32_t mask; /* which of its columns are the plane's */
    bool is_used; /* whether any of them is the tile's */
    bool has_runs; /* the columns are a run that may be loaded as one */
};

template <int THREADS, int TURNS> GP_DEVICE gp_place gp_place_of(const gp_reduce_args &args, const gp_reduce_tile &tile)
{
    gp_place place;
    const gp_plane &plane = args.plane;
    bool is_spread = !gp_elems::is_typed || args.layout == GP_LAYOUT_SPREAD;
    place.tx = 1 << args.log2_tx, place.ty = THREADS >> args.log2_tx, place.pool_ty = place.ty / TURNS;
    place.lane = (int)threadIdx.x & (place.tx - 1), place.line = (int)threadIdx.x >> args.log2_tx;
    place.tile_col = tile.col0;
    if (!is_spread && args.layout == GP_LAYOUT_ALIGNED)
        place.tile_col -= (int64_t)((uint64_t)gp_address(plane, 0, tile.col0) % GP_RUN_BYTES / sizeof(gp_stored));
    place.col = place.tile_col + (is_spread ? place.lane : place.lane * GP_RUN_ELEMS);
    place.col_step = is_spread ? place.tx : 1;
    place.mask = 0, place.is_used = false;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        int64_t col = place.col + k * place.col_step;
        place.mask |= col >= 0 && col < plane.n_cols ? 1u << k : 0u;
        place.is_used |= col >= tile.col0 && col < tile.col1;
    }
    /* Words that are not aligned reach up to three bytes beyond the run on either side. */
    int64_t n_around = args.layout == GP_LAYOUT_ALIGNED ? 0 : (3 + sizeof(gp_stored) - 1) / sizeof(gp_stored);
    place.has_runs = !is_spread && place.col >= n_around && place.col + GP_RUN_ELEMS + n_around <= plane.n_cols;
    return place;
}

/* The place's run at an address. */
template <int LAYOUT> GP_DEVICE void gp_place_load(const char *at, gp_run &run)
{
    if (LAYOUT == GP_LAYOUT_ALIGNED)
        gp_run_load_aligned(at, run);
    else
        gp_run_load_words(at, run);
}

/* Runs of a batch, each looked at by itself; returns those that are odd. */
template <int KIND, bool WANT>
GP_DEVICE unsigned gp_take_each(gp_columns<KIND> &columns, gp_seen<WANT> &seen, const gp_run *runs, int n, int dtype)
{
    unsigned odd = 0;
    GP_UNROLL
    for (int i = 0; i < GP_RUNS_AT_ONCE; i++)
        if (i < n && !gp_take_plain<KIND, WANT>(columns, seen, runs[i], dtype))
            odd |= 1u << i;
    return odd;
}

/* The runs of a batch, all compared without a question: what they come to is looked at once. False, and nothing done, where an element
 * is not finite. */
template <bool WANT>
GP_DEVICE bool gp_take_unseen(gp_columns<GP_STATE_EXTREMES> &columns, gp_seen<WANT> &seen, const gp_run *runs, int dtype)
{
    gp_columns<GP_STATE_EXTREMES> tried = columns;
    gp_seen<WANT> tried_seen = seen;
    GP_UNROLL
    for (int i = 0; i < GP_RUNS_AT_ONCE; i++) {
        gp_value x[GP_RUN_ELEMS];
        gp_extreme exact[GP_RUN_ELEMS];
        gp_run_values(runs[i].words, dtype, x);
        gp_run_extremes<GP_STATE_EXTREMES>(runs[i], x, dtype, exact);
        gp_columns<GP_STATE_EXTREMES>::add_unseen(tried, exact);
        GP_UNROLL
        for (int k = 0; WANT && k < GP_RUN_ELEMS; k++)
            gp_seen<WANT>::add(tried_seen, x[k]);
    }
    if (!gp_columns<GP_STATE_EXTREMES>::are_finite(tried))
        return false;
    columns = tried, seen = tried_seen;
    return true;
}

/* Where extremes are compared so: the columns of longer runs would take too many registers twice, and integers are all finite. */
enum { GP_IS_COMPARED_UNSEEN = gp_elems::is_float && GP_RUN_ELEMS <= 4 };

/* A whole batch; returns the runs that are odd. */
template <int KIND, bool WANT>
GP_DEVICE unsigned gp_take_batch(gp_columns<KIND> &columns, gp_seen<WANT> &seen, const gp_run *runs, int dtype)
{
    if constexpr (KIND == GP_STATE_EXTREMES && GP_IS_COMPARED_UNSEEN)
        return gp_take_unseen<WANT>(columns, seen, runs, dtype) ? 0u : (1u << GP_RUNS_AT_ONCE) - 1;
    else
        return gp_take_each<KIND, WANT>(columns, seen, runs, GP_RUNS_AT_ONCE, dtype);
}

/* So many runs of a batch, `line_bytes` apart: all loads are under way before the first is waited for. */
template <int LAYOUT, bool IS_WHOLE> GP_DEVICE void gp_load_batch(const char *at, int64_t line_bytes, int n, gp_run *runs)
{
    GP_UNROLL
    for (int i = 0; i < GP_RUNS_AT_ONCE; i++, at += line_bytes)
        if (IS_WHOLE || i < n)
            gp_place_load<LAYOUT>(at, runs[i]);
}

/* The odd runs of a batch, loaded once more. */
template <int KIND, bool WANT, int LAYOUT>
GP_DEVICE void gp_take_odd_of(const char *at, int64_t line_bytes, unsigned odd, int dtype, gp_columns<KIND> &columns,
                              gp_seen<WANT> &seen)
{
    for (; odd != 0; odd &= odd - 1) {
        gp_run run;
        gp_place_load<LAYOUT>(at + (__ffs((int)odd) - 1) * line_bytes, run);
        gp_take_odd<KIND, WANT>(columns, seen, run, dtype);
    }
}

/* The rows of weight 1 by runs. */
template <int KIND, bool WANT, int LAYOUT>
GP_DEVICE void gp_place_runs(const gp_plane &plane, const gp_place &place, const gp_part &rows, gp_columns<KIND> &columns,
                             gp_seen<WANT> &seen)
{
    int64_t row = rows.inner_begin + place.line, line_bytes = place.ty * plane.row_stride_bytes;
    const char *at = gp_address(plane, row, place.col);
    const int dtype = (int)plane.dtype, log2_ty = 31 - __clz(place.ty);
    int n = row < rows.inner_end ? (int)((rows.inner_end - 1 - row) >> log2_ty) + 1 : 0;
    gp_run runs[GP_RUNS_AT_ONCE];
    unsigned odd;
    for (; KIND == GP_STATE_EXTREMES && n >= GP_RUNS_AT_ONCE; n -= GP_RUNS_AT_ONCE, at += GP_RUNS_AT_ONCE * line_bytes) {
        gp_load_batch<LAYOUT, true>(at, line_bytes, n, runs);
        odd = gp_take_batch<KIND, WANT>(columns, seen, runs, dtype);
        gp_take_odd_of<KIND, WANT, LAYOUT>(at, line_bytes, odd, dtype, columns, seen);
    }
    for (; n > 0; n -= GP_RUNS_AT_ONCE, at += GP_RUNS_AT_ONCE * line_bytes) { /* once, but for moments */
        gp_load_batch<LAYOUT, false>(at, line_bytes, n, runs);
        odd = gp_take_each<KIND, WANT>(columns, seen, runs, n, dtype);
        gp_take_odd_of<KIND, WANT, LAYOUT>(at, line_bytes, odd, dtype, columns, seen);
    }
}

/* The rows of weight 1, however they lie. */
template <int KIND, bool WANT>
GP_DEVICE void gp_place_rows(const gp_reduce_args &args, const gp_place &place, const gp_part &rows, gp_columns<KIND> &columns,
                             gp_seen<WANT> &seen)
{
    if (place.has_runs && args.layout == GP_LAYOUT_ALIGNED)
        gp_place_runs<KIND, WANT, GP_LAYOUT_ALIGNED>(args.plane, place, rows, columns, seen);
    else if (place.has_runs)
        gp_place_runs<KIND, WANT, GP_LAYOUT_DENSE>(args.plane, place, rows, columns, seen);
    else
        for (int64_t row = rows.inner_begin + place.line; row < rows.inner_end; row += place.ty)
            gp_take_elements<KIND, WANT>(args.plane, row, place.col, place.col_step, place.mask, columns, seen);
}

/* ---- columns in shared memory ---------------------------------------------------------------------------------------- */

/*
 * The columns of the threads of one turn, line after line. Sums of integers need no more than `a`: how much weight they have is known
 * from the geometry. Extremes are kept as they are compared.
 */
template <int KIND, int THREADS> struct gp_pool {
    enum {
        TURNS = GP_POOL_TURNS(KIND == GP_STATE_MOMENTS, GP_RUN_ELEMS),
        N = THREADS / TURNS * GP_RUN_ELEMS,
        N_DOUBLES = KIND == GP_STATE_MOMENTS ? 3 * N
        : KIND == GP_STATE_SUM               ? (gp_elems::is_float ? 2 * N : N)
                                             : 2 * N * (int)sizeof(gp_extreme) / 8,
        HAS_BYTES = gp_elems::is_float || KIND == GP_STATE_MOMENTS ? N : 0,
        SIZE = N_DOUBLES + HAS_BYTES / 8 /* in float64 */
    };

    GP_DEVICE uint8_t *has_of(double *pool) { return (uint8_t *)(pool + N_DOUBLES); }

    GP_DEVICE void put(double *pool, int i, const gp_cell_state &s)
    {
        if (KIND == GP_STATE_EXTREMES) {
            gp_extreme *lo = (gp_extreme *)pool, *hi = lo + N;
            gp_start_extremes(&lo[i], &hi[i]);
            if (s.has & GP_HAS_FINITE)
                lo[i] = gp_extreme_of_order(gp_order_of_bits(s.a)), hi[i] = gp_extreme_of_order(gp_order_of_bits(s.b));
        } else {
            pool[i] = s.a;
            if (N_DOUBLES > N)
                pool[N + i] = s.b;
            if (N_DOUBLES > 2 * N)
                pool[2 * N + i] = s.c;
        }
        if (HAS_BYTES > 0)
            has_of(pool)[i] = (uint8_t)s.has;
    }
    GP_DEVICE gp_cell_state get(double *pool, int i)
    {
        gp_cell_state s = {0, 0, 0, 0};
        if (KIND == GP_STATE_EXTREMES) {
            gp_extreme *lo = (gp_extreme *)pool, *hi = lo + N;
            s.has = HAS_BYTES > 0 ? has_of(pool)[i] : lo[i] <= hi[i] ? GP_HAS_FINITE : 0;
            s.a = gp_no_state(KIND).a, s.b = gp_no_state(KIND).b;
            if (s.has & GP_HAS_FINITE)
                s.a = gp_bits_of_order(gp_order_of_extreme(lo[i])), s.b = gp_bits_of_order(gp_order_of_extreme(hi[i]));
            return s;
        }
        s.a = pool[i];
        if (N_DOUBLES > N)
            s.b = pool[N + i];
        if (N_DOUBLES > 2 * N)
            s.c = pool[2 * N + i];
        if (HAS_BYTES > 0)
            s.has = has_of(pool)[i];
        return s;
    }
};

/*
 * Where a column of the pool is kept. Threads put element k of their runs down at once, GP_RUN_ELEMS columns apart, and those that fold
 * read neighbors: either way 16 threads in a row get 16 float64 of different banks. Columns of threads that are spread lie so anyway.
 */
GP_DEVICE int gp_slot_of_column(const gp_place &place, int column)
{
    return place.col_step == 1 ? column ^ (column >> 4 & (GP_RUN_ELEMS - 1)) : column;
}

/* Where element k of the thread's runs is kept: the first one's column is a multiple of GP_RUN_ELEMS where they are neighbors. */
GP_DEVICE int gp_slot_of(const gp_place &place, int k)
{
    int first = (place.line & (place.pool_ty - 1)) * place.tx * GP_RUN_ELEMS + (int)(place.col - place.tile_col);
    return place.col_step == 1 ? gp_slot_of_column(place, first) ^ k : first + k * place.col_step;
}

/* One more row for the columns: a run, and which of its elements NaN was left out of. */
struct gp_border_row {
    gp_run run;
    uint32_t had_nan;
};

/* The place's elements of one row as a run, however they lie; those outside the plane are zero bits. */
GP_DEVICE void gp_place_row(const gp_reduce_args &args, const gp_place &place, int64_t row, gp_border_row &out)
{
    const gp_plane &plane = args.plane;
    gp_run &run = out.run;
    gp_run_clear(run);
    out.had_nan = 0;
    if (place.has_runs && args.layout == GP_LAYOUT_ALIGNED) {
        gp_place_load<GP_LAYOUT_ALIGNED>(gp_address(plane, row, place.col), run);
    } else if (place.has_runs) {
        gp_place_load<GP_LAYOUT_DENSE>(gp_address(plane, row, place.col), run);
    } else {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            bool had_nan = false;
            if (!(place.mask >> k & 1))
                continue;
            gp_run_put(run, k, gp_stored_at(plane, row, place.col + k * place.col_step, had_nan));
            out.had_nan |= (uint32_t)had_nan << k;
        }
    }
}

/* One more row, of less weight, to columns in shared memory. */
template <int KIND, bool WANT, int THREADS>
GP_DEVICE void gp_add_border(const gp_reduce_args &args, const gp_place &place, const gp_border_row &row, double weight,
                             double *pool, gp_seen<WANT> &seen)
{
    gp_value x[GP_RUN_ELEMS];
    gp_run_values(row.run.words, (int)args.plane.dtype, x);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        if (!(place.mask >> k & 1))
            continue;
        gp_cell_state state = gp_pool<KIND, THREADS>::get(pool, gp_slot_of(place, k));
        gp_state_add<KIND>(state, x[k], row.had_nan >> k & 1, weight);
        gp_pool<KIND, THREADS>::put(pool, gp_slot_of(place, k), state);
        gp_seen<WANT>::add_any(seen, x[k], row.had_nan >> k & 1);
    }
}

/* The columns of all threads, which take their turns; those of one slot are joined. Threads of the last turn own the slots then. */
template <int KIND, int THREADS> GP_DEVICE void gp_put_columns(const gp_place &place, const gp_columns<KIND> &columns,
                                                               double *pool)
{
    typedef gp_pool<KIND, THREADS> pool_of_kind;
    GP_UNROLL
    for (int turn = pool_of_kind::TURNS - 1; turn >= 0; turn--) {
        bool is_first = turn == pool_of_kind::TURNS - 1;
        if (!is_first)
            __syncthreads();
        if (pool_of_kind::TURNS > 1 && (int)(place.line >= place.pool_ty) != turn)
            continue;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            gp_cell_state state = gp_columns<KIND>::column(columns, k);
            if (!is_first)
                gp_state_join<KIND>(state, pool_of_kind::get(pool, gp_slot_of(place, k)));
            pool_of_kind::put(pool, gp_slot_of(place, k), state);
        }
    }
}

/* A column of one line times its weight along x. */
template <int KIND, int THREADS> GP_DEVICE gp_cell_state gp_column_state(double *pool, int slot, double weight)
{
    gp_cell_state state = gp_pool<KIND, THREADS>::get(pool, slot);
    gp_cell_state_scale((gp_state_kind)KIND, &state, weight);
    return state;
}

/* One lane's share of a cell: every n-th column, and where lanes are more than columns, every m-th line. */
template <int KIND, int THREADS>
GP_DEVICE gp_cell_state gp_fold_share(const gp_span &span, const gp_place &place, int lane, int n_lanes, double *pool)
{
    gp_cell_state state = gp_no_state(KIND);
    int n_side = 1;
    while (n_side < n_lanes && n_side < span.touched_end - span.touched_begin)
        n_side *= 2;
    for (int64_t col = span.touched_begin + lane % n_side; col < span.touched_end; col += n_side) {
        double weight = KIND == GP_STATE_EXTREMES ? 1.0 : gp_weight_at(span, col);
        int column = (int)(col - place.tile_col);
        for (int line = lane / n_side; line < place.pool_ty; line += n_lanes / n_side) {
            int slot = gp_slot_of_column(place, line * place.tx * GP_RUN_ELEMS + column);
            gp_state_join<KIND>(state, gp_column_state<KIND, THREADS>(pool, slot, weight));
        }
    }
    return state;
}

/* Lanes for each cell, a power of two: as there are threads enough, but each has some columns to add. */
template <int THREADS> GP_DEVICE int gp_log2_lanes(const gp_reduce_tile &tile, const gp_place &place)
{
    enum { LEAST_COLUMNS = 8 };
    int n_cells = tile.cell1 - tile.cell0, n_columns = (int)(tile.col1 - tile.col0) * place.pool_ty, log2_lanes = 0;
    while (log2_lanes < 5 && n_cells << (log2_lanes + 1) <= THREADS && (n_cells * LEAST_COLUMNS) << (log2_lanes + 1) <= n_columns)
        log2_lanes++;
    return log2_lanes;
}

/* Folds columns into cells. */
template <int KIND, int THREADS>
GP_DEVICE void gp_fold_cells(const gp_reduce_args &args, const gp_reduce_tile &tile, const gp_place &place, int64_t q, int part,
                             double *pool)
{
    int n_cells = tile.cell1 - tile.cell0, n_lanes = 1 << gp_log2_lanes<THREADS>(tile, place);
    int lane = (int)threadIdx.x % n_lanes;
    for (int first = 0; first < n_cells; first += THREADS / n_lanes) {
        int cell = first + (int)threadIdx.x / n_lanes;
        gp_cell_state state = gp_no_state(KIND);
        if (cell < n_cells)
            state = gp_fold_share<KIND, THREADS>(args.cols[tile.cell0 + cell], place, lane, n_lanes, pool);
        gp_state_join_lanes<KIND>(state, n_lanes);
        if (lane == 0 && cell < n_cells)
            gp_put_cell(args, q, tile.cell0 + cell, part, args.n_row_parts, state);
    }
}

/* ---- the kernel ----------------------------------------------------------------------------------------------------- */

/* Which part of which cells a block has. */
struct gp_narrow_job {
    int64_t q;
    int part;
    gp_reduce_tile tile;
    gp_part rows;
    gp_place place;
};

template <int KIND> GP_DEVICE gp_part gp_narrow_rows(const gp_reduce_args &args, const gp_narrow_job &job)
{
    return gp_part_of(args.rows[job.q], job.part, args.n_row_parts, KIND != GP_STATE_EXTREMES);
}

template <int KIND, int THREADS> GP_DEVICE gp_narrow_job gp_narrow_job_of(const gp_reduce_args &args, unsigned block)
{
    gp_narrow_job job;
    unsigned rest = block / (unsigned)args.n_tiles;
    job.part = (int)(rest % (unsigned)args.n_row_parts);
    job.q = args.first_cell_row + rest / (unsigned)args.n_row_parts;
    job.tile = args.tiles[block % (unsigned)args.n_tiles];
    job.rows = gp_narrow_rows<KIND>(args, job);
    job.place = gp_place_of<THREADS, gp_pool<KIND, THREADS>::TURNS>(args, job.tile);
    return job;
}

/* Columns to shared memory, and border rows on top of them. */
template <int KIND, bool WANT, int THREADS>
GP_DEVICE void gp_put_down(const gp_reduce_args &args, gp_narrow_job &job, const gp_columns<KIND> &columns, gp_seen<WANT> &seen,
                           double *pool)
{
    const gp_place &place = job.place;
    gp_put_columns<KIND, THREADS>(place, columns, pool);
    if (KIND == GP_STATE_EXTREMES) /* which have no weights: all their rows are columns' */
        return;
    job.rows = gp_narrow_rows<KIND>(args, job); /* only now: that takes registers, too */
    const gp_span span = args.rows[job.q];
    const gp_part &rows = job.rows;
    bool has_first = place.is_used && rows.begin < rows.inner_begin && place.line == 0;
    bool has_last = place.is_used && rows.inner_end < rows.end && place.line == place.pool_ty - 1;
    gp_border_row first, last;
    if (has_first)
        gp_place_row(args, place, rows.begin, first);
    if (has_last)
        gp_place_row(args, place, rows.end - 1, last);
    if (has_first)
        gp_add_border<KIND, WANT, THREADS>(args, place, first, gp_weight_at(span, rows.begin), pool, seen);
    if (has_last)
        gp_add_border<KIND, WANT, THREADS>(args, place, last, gp_weight_at(span, rows.end - 1), pool, seen);
}

/* The block's number, of which the compiler does not know that it is blockIdx.x: what follows from it is worked out anew, where keeping
 * it would take registers from a loop. */
GP_DEVICE unsigned gp_block_again(void)
{
#if defined(GP_EMULATED)
    return blockIdx.x;
#else
    unsigned block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    return block;
#endif
}

/* One part of the rows of one row of cells, in one tile of columns. */
template <int KIND, bool WANT, int THREADS> GP_DEVICE void gp_reduce_narrow(const gp_reduce_args &args, double *pool)
{
    gp_columns<KIND> columns;
    gp_seen<WANT> seen;
    gp_columns<KIND>::start(columns);
    gp_seen<WANT>::start(seen);
    gp_narrow_job job = gp_narrow_job_of<KIND, THREADS>(args, blockIdx.x);
    if (job.place.is_used)
        gp_place_rows<KIND, WANT>(args, job.place, job.rows, columns, seen);
    if (KIND != GP_STATE_MOMENTS) { /* whose columns leave too few registers for working it out */
        __syncthreads(); /* memory is read again behind it, too: the rows need the registers */
        job = gp_narrow_job_of<KIND, THREADS>(args, gp_block_again());
    }
    gp_put_down<KIND, WANT, THREADS>(args, job, columns, seen, pool);
    gp_seen_flush(seen, args.limits);
    __syncthreads();
    gp_fold_cells<KIND, THREADS>(args, job.tile, job.place, job.q, job.part, pool);
}

#endif
