/* Sums of narrow cells: all rows of a cell in one stream, border rows by their weight; what is not finite is looked at apart. */
#ifndef GP_REDUCE_SUMS_CUH
#define GP_REDUCE_SUMS_CUH

#include "byte_sums.cuh"
#include "reduce_narrow.cuh"

/*
 * Nearly all elements are finite. So a thread adds up a few rows without a question, and looks at the sums: they are finite where
 * all elements are, which float64 sums of narrower floats never leave. Else it takes these rows once more, one element after the
 * other, and the block folds weights and marks of its columns beside their sums.
 */

/* ---- rows ------------------------------------------------------------------------------------------------------------- */

/* The rows of a part, counted from its first one: how many there are, those of weight 1, and what the others weigh. */
struct gp_part_rows {
    int n, inner_begin, inner_end;
    double w_first, w_last;
};

/* What a row is: of weight 1, or on the border. */
enum { GP_INNER_ROW, GP_FIRST_ROW, GP_LAST_ROW };

GP_DEVICE gp_part_rows gp_part_rows_of(const gp_span &span, const gp_part &part)
{
    gp_part_rows rows = {(int)(part.end - part.begin), (int)(part.inner_begin - part.begin), (int)(part.inner_end - part.begin),
                         0, 0};
    rows.w_first = gp_weight_at(span, part.begin), rows.w_last = gp_weight_at(span, part.end - 1);
    return rows;
}

GP_DEVICE int gp_row_kind(const gp_part_rows &rows, int row)
{
    return row < rows.inner_begin ? GP_FIRST_ROW : row >= rows.inner_end ? GP_LAST_ROW : GP_INNER_ROW;
}

GP_DEVICE double gp_row_weight(const gp_part_rows &rows, int kind)
{
    return kind == GP_INNER_ROW ? 1.0 : kind == GP_FIRST_ROW ? rows.w_first : rows.w_last;
}

/* The first row of weight 1 of one line of threads, and how many it has; lines are a power of two. */
GP_DEVICE int gp_first_inner_row(const gp_part_rows &rows, const gp_place &place)
{
    return place.line >= rows.inner_begin ? place.line : place.line + place.ty;
}
GP_DEVICE int gp_inner_rows_of_line(const gp_part_rows &rows, const gp_place &place)
{
    int first = gp_first_inner_row(rows, place);
    return first < rows.inner_end ? ((rows.inner_end - 1 - first) >> (31 - __clz(place.ty))) + 1 : 0;
}

/* Whether the line has a border row; a part that is no more than one has it as its first. */
GP_DEVICE bool gp_has_first_row(const gp_part_rows &rows, const gp_place &place)
{
    return rows.inner_begin > 0 && place.line == 0;
}
GP_DEVICE bool gp_has_last_row(const gp_part_rows &rows, const gp_place &place)
{
    return rows.inner_end < rows.n && rows.n > rows.inner_begin && ((rows.n - 1) & (place.ty - 1)) == place.line;
}

/* Rows that a thread has under way at once, besides those on the border: about as many as there are registers for. */
enum { GP_SUM_RUNS = !gp_elems::is_typed ? 1 : GP_RUN_ELEMS > 4 && GP_RUN_WORDS > 2 ? 4 : 8 };

/* ---- the columns of one thread ------------------------------------------------------------------------------------------ */

/* The weight of what a column's sum is of, and GP_HAS_* of its elements; or with GP_HAS_LOST, where some were not added. */
struct gp_column_marks {
    double weight;
    unsigned has;
};
enum { GP_HAS_LOST = 0x80 };

/* Sums of a thread's columns over the rows of its line. */
struct gp_line_sums {
    typedef gp_byte_sums<GP_ARE_BYTES> packed_sums;
    gp_elems::sum sum[GP_RUN_ELEMS];
    packed_sums packed; /* rows of weight 1 that are not yet in `sum` */
    double rest[gp_elems::is_float ? 1 : GP_RUN_ELEMS]; /* border rows of integers, whose sums have no fractions; added last */
    gp_bad_counts bad; /* elements of rows of weight 1 that were not added */
    uint32_t bad_first, bad_last; /* a bit for each element of the border rows that was not */
    uint32_t has; /* four bits for each column: GP_HAS_* of what was not added, or NaN that was left out of hidden axes */

    GP_DEVICE void start(gp_line_sums &s)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            s.sum[k] = 0, s.rest[gp_elems::is_float ? 0 : k] = 0;
        packed_sums::start(s.packed);
        gp_bad_counts::start(s.bad);
        s.bad_first = s.bad_last = s.has = 0;
    }
    GP_DEVICE void add(gp_line_sums &s, int k, gp_value x, int kind, double weight)
    {
        if (gp_elems::is_float)
            s.sum[k] += (gp_elems::sum)(weight * (double)x);
        else if (kind == GP_INNER_ROW)
            s.sum[k] += (gp_elems::sum)x;
        else
            s.rest[k % (int)(sizeof s.rest / sizeof *s.rest)] += weight * (double)x;
    }
    GP_DEVICE void leave_out(gp_line_sums &s, int k, gp_value x, int kind)
    {
        s.has |= gp_bad_class(x) << (4 * k % 32);
        gp_bad_counts::add(s.bad, k, kind == GP_INNER_ROW);
        s.bad_first |= kind == GP_FIRST_ROW ? 1u << k : 0u;
        s.bad_last |= kind == GP_LAST_ROW ? 1u << k : 0u;
    }
    /* SUM weight * x of column k. */
    GP_DEVICE double total(const gp_line_sums &s, int k)
    {
        return gp_elems::is_float ? (double)s.sum[k] : (double)s.sum[k] + s.rest[gp_elems::is_float ? 0 : k];
    }
    /* What column k has beside its sum; `n_inner` rows of the line have weight 1. */
    GP_DEVICE gp_column_marks marks(const gp_line_sums &s, int k, const gp_part_rows &rows, const gp_place &place, int n_inner)
    {
        bool has_first = gp_has_first_row(rows, place), has_last = gp_has_last_row(rows, place);
        bool adds_first = has_first && !(s.bad_first >> k & 1), adds_last = has_last && !(s.bad_last >> k & 1);
        int n_good = n_inner - gp_bad_counts::of(s.bad, k);
        gp_column_marks marks = {(double)n_good + (adds_first ? rows.w_first : 0.0) + (adds_last ? rows.w_last : 0.0), 0};
        marks.has = s.has >> (4 * k % 32) & (unsigned)GP_HAS_BAD;
        marks.has |= n_good > 0 || adds_first || adds_last ? (unsigned)GP_HAS_FINITE : 0u;
        marks.has |= n_good < n_inner || adds_first != has_first || adds_last != has_last ? (unsigned)GP_HAS_LOST : 0u;
        return marks;
    }
};

/* Rows of weight 1, one of each run but for the last ones of an unfinished batch, which are zeros; false, and nothing done, where an
 * element is not finite. */
template <bool WANT>
GP_DEVICE bool gp_add_inner_rows(gp_line_sums &s, gp_seen<WANT> &seen, const gp_run *runs, int n, int dtype)
{
    if (GP_ARE_BYTES && !WANT) { /* limits look at every element, which may as well be added by itself */
        gp_line_sums::packed_sums::add<GP_SUM_RUNS>(s.packed, runs, dtype, s.sum);
        return true;
    }
    gp_elems::sum sum[GP_RUN_ELEMS];
    gp_seen<WANT> tried = seen;
    bool are_finite = true;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++)
        sum[k] = s.sum[k];
    GP_UNROLL
    for (int i = 0; i < GP_SUM_RUNS; i++) {
        gp_value x[GP_RUN_ELEMS];
        gp_run_values(runs[i].words, dtype, x);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            sum[k] += (gp_elems::sum)x[k];
        GP_UNROLL
        for (int k = 0; WANT && i < n && k < GP_RUN_ELEMS; k++)
            gp_seen<WANT>::add(tried, x[k]);
    }
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++)
        are_finite = are_finite && (!gp_elems::is_float || gp_is_finite(sum[k]));
    if (!are_finite)
        return false;
    seen = tried;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++)
        s.sum[k] = sum[k];
    return true;
}

/* One row of any weight; false, and nothing done, where an element is not finite. */
template <bool WANT>
GP_DEVICE bool gp_add_row(gp_line_sums &s, gp_seen<WANT> &seen, const gp_run &run, int dtype, int kind, double weight)
{
    gp_value x[GP_RUN_ELEMS];
    bool are_finite = true;
    gp_run_values(run.words, dtype, x);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++)
        are_finite = are_finite && (!gp_elems::is_float || gp_is_finite(x[k]));
    if (!are_finite)
        return false;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        gp_line_sums::add(s, k, x[k], kind, weight);
        gp_seen<WANT>::add(seen, x[k]);
    }
    return true;
}

/* One row, only the elements in the mask, each looked at. */
template <bool WANT>
GP_DEVICE void gp_add_some(gp_line_sums &s, gp_seen<WANT> &seen, const gp_value *x, uint32_t mask, uint32_t had_nan, int kind,
                           double weight)
{
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        if (!(mask >> k & 1))
            continue;
        if (gp_is_finite(x[k]))
            gp_line_sums::add(s, k, x[k], kind, weight);
        else
            gp_line_sums::leave_out(s, k, x[k], kind);
        if (gp_elems::has_stages && (had_nan >> k & 1))
            s.has |= (uint32_t)GP_HAS_NAN << (4 * k % 32);
        gp_seen<WANT>::add_any(seen, x[k], had_nan >> k & 1);
    }
}

/* ---- the rows of a part -------------------------------------------------------------------------------------------------- */

/* A row of runs that are loaded already. */
template <bool WANT>
GP_DEVICE void gp_sum_row(const gp_run &run, int dtype, int kind, double weight, gp_line_sums &s, gp_seen<WANT> &seen)
{
    if (gp_add_row<WANT>(s, seen, run, dtype, kind, weight))
        return;
    gp_value x[GP_RUN_ELEMS];
    gp_run_values(run.words, dtype, x);
    gp_add_some<WANT>(s, seen, x, (uint32_t)GP_ALL_ELEMS, 0u, kind, weight);
}

/* So many rows, `line_bytes` apart, all loads under way before the first is waited for. */
template <int LAYOUT, bool IS_WHOLE> GP_DEVICE void gp_load_rows(const char *at, int64_t line_bytes, int n, gp_run *runs)
{
    GP_UNROLL
    for (int i = 0; i < GP_SUM_RUNS; i++, at += line_bytes) {
        if (IS_WHOLE || i < n)
            gp_place_load<LAYOUT>(at, runs[i]);
        else
            gp_run_clear(runs[i]);
    }
}

/* The rows of a batch, loaded; where an element is not finite, each row once more by itself. */
template <bool WANT, int LAYOUT>
GP_DEVICE void gp_sum_batch(const char *at, int64_t line_bytes, int n, int dtype, const gp_run *runs, gp_line_sums &s,
                            gp_seen<WANT> &seen)
{
    if (gp_add_inner_rows<WANT>(s, seen, runs, n, dtype))
        return;
    for (; n > 0; n--, at += line_bytes) {
        gp_run run;
        gp_place_load<LAYOUT>(at, run);
        gp_sum_row<WANT>(run, dtype, GP_INNER_ROW, 1.0, s, seen);
    }
}

/* The border rows of the line, loaded. */
template <bool WANT>
GP_DEVICE void gp_sum_borders(const gp_part_rows &rows, const gp_place &place, const gp_run &first, const gp_run &last, int dtype,
                              gp_line_sums &s, gp_seen<WANT> &seen)
{
    if (gp_has_first_row(rows, place))
        gp_sum_row<WANT>(first, dtype, GP_FIRST_ROW, rows.w_first, s, seen);
    if (gp_has_last_row(rows, place))
        gp_sum_row<WANT>(last, dtype, GP_LAST_ROW, rows.w_last, s, seen);
}

/* By runs: border rows are under way with the first batch of others. */
template <bool WANT, int LAYOUT>
GP_DEVICE void gp_sum_runs(const gp_plane &plane, const gp_place &place, const gp_part &part, const gp_part_rows &rows,
                           gp_line_sums &s, gp_seen<WANT> &seen)
{
    const int64_t line_bytes = place.ty * plane.row_stride_bytes;
    const int dtype = (int)plane.dtype;
    const char *at = gp_address(plane, part.begin + gp_first_inner_row(rows, place), place.col);
    int n = gp_inner_rows_of_line(rows, place);
    gp_run first, last, runs[GP_SUM_RUNS];
    gp_run_clear(first), gp_run_clear(last);
    if (gp_has_first_row(rows, place))
        gp_place_load<LAYOUT>(gp_address(plane, part.begin, place.col), first);
    if (gp_has_last_row(rows, place))
        gp_place_load<LAYOUT>(gp_address(plane, part.end - 1, place.col), last);
    if (n >= GP_SUM_RUNS)
        gp_load_rows<LAYOUT, true>(at, line_bytes, n, runs);
    if (gp_elems::is_float)
        gp_sum_borders<WANT>(rows, place, first, last, dtype, s, seen);
    while (n >= GP_SUM_RUNS) {
        gp_sum_batch<WANT, LAYOUT>(at, line_bytes, GP_SUM_RUNS, dtype, runs, s, seen);
        n -= GP_SUM_RUNS, at += GP_SUM_RUNS * line_bytes;
        if (n >= GP_SUM_RUNS)
            gp_load_rows<LAYOUT, true>(at, line_bytes, n, runs);
    }
    if (n > 0) {
        gp_load_rows<LAYOUT, false>(at, line_bytes, n, runs);
        gp_sum_batch<WANT, LAYOUT>(at, line_bytes, n, dtype, runs, s, seen);
    }
    gp_line_sums::packed_sums::settle(s.packed, dtype, s.sum);
    if (!gp_elems::is_float) /* until now they are two runs of integers; their sums are eight float64 */
        gp_sum_borders<WANT>(rows, place, first, last, dtype, s, seen);
}

/* Element by element. */
template <bool WANT>
GP_DEVICE void gp_sum_elements(const gp_plane &plane, const gp_place &place, const gp_part &part, const gp_part_rows &rows,
                               gp_line_sums &s, gp_seen<WANT> &seen)
{
    for (int row = place.line; row < rows.n; row += place.ty) {
        gp_value x[GP_RUN_ELEMS] = {};
        uint32_t had_nan = 0;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            bool is_marked = false;
            if (place.mask >> k & 1)
                x[k] = gp_value_at(plane, part.begin + row, place.col + k * place.col_step, is_marked);
            had_nan |= (uint32_t)is_marked << k;
        }
        int kind = gp_row_kind(rows, row);
        gp_add_some<WANT>(s, seen, x, place.mask, had_nan, kind, gp_row_weight(rows, kind));
    }
}

template <bool WANT>
GP_DEVICE void gp_sum_rows(const gp_reduce_args &args, const gp_narrow_job &job, const gp_part_rows &rows, gp_line_sums &s,
                           gp_seen<WANT> &seen)
{
    if (job.place.has_runs && args.layout == GP_LAYOUT_ALIGNED)
        gp_sum_runs<WANT, GP_LAYOUT_ALIGNED>(args.plane, job.place, job.rows, rows, s, seen);
    else if (job.place.has_runs)
        gp_sum_runs<WANT, GP_LAYOUT_DENSE>(args.plane, job.place, job.rows, rows, s, seen);
    else
        gp_sum_elements<WANT>(args.plane, job.place, job.rows, rows, s, seen);
}

/* ---- columns to cells ---------------------------------------------------------------------------------------------------- */

/* The sums of all threads to shared memory; those of the last turn are added to those of the first. */
template <int THREADS> GP_DEVICE void gp_put_sums(const gp_place &place, const gp_line_sums &s, double *pool)
{
    enum { TURNS = gp_pool<GP_STATE_SUM, THREADS>::TURNS };
    GP_UNROLL
    for (int turn = TURNS - 1; turn >= 0; turn--) {
        if (turn < TURNS - 1)
            __syncthreads();
        if (TURNS > 1 && (int)(place.line >= place.pool_ty) != turn)
            continue;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            double *to = pool + gp_slot_of(place, k);
            *to = turn < TURNS - 1 ? *to + gp_line_sums::total(s, k) : gp_line_sums::total(s, k);
        }
    }
}

/* Beside them, where some element of the block was not finite: weights and kinds. */
template <int THREADS>
GP_DEVICE void gp_put_marks(const gp_part_rows &rows, const gp_place &place, const gp_line_sums &s, double *pool)
{
    typedef gp_pool<GP_STATE_SUM, THREADS> pool_of_sums;
    double *weights = pool + pool_of_sums::N;
    uint8_t *kinds = pool_of_sums::has_of(pool);
    int n_inner = gp_inner_rows_of_line(rows, place);
    GP_UNROLL
    for (int turn = pool_of_sums::TURNS - 1; turn >= 0; turn--) {
        bool is_first = turn == pool_of_sums::TURNS - 1;
        if (!is_first)
            __syncthreads();
        if (pool_of_sums::TURNS > 1 && (int)(place.line >= place.pool_ty) != turn)
            continue;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            int slot = gp_slot_of(place, k);
            gp_column_marks marks = gp_line_sums::marks(s, k, rows, place, n_inner);
            weights[slot] = is_first ? marks.weight : weights[slot] + marks.weight;
            kinds[slot] = (uint8_t)(is_first ? marks.has : kinds[slot] | marks.has);
        }
    }
    __syncthreads();
}

/* One lane's share of a cell. */
struct gp_sum_share {
    double sum;
    gp_column_marks marks;
};

template <bool IS_MARKED, int THREADS>
GP_DEVICE gp_sum_share gp_sum_share_of(const gp_span &span, const gp_place &place, int lane, int log2_lanes, double *pool)
{
    typedef gp_pool<GP_STATE_SUM, THREADS> pool_of_sums;
    int width = (int)(span.touched_end - span.touched_begin), first = (int)(span.touched_begin - place.tile_col), log2_side = 0;
    while (log2_side < log2_lanes && 1 << log2_side < width)
        log2_side++;
    int side = 1 << log2_side, line_cols = place.tx * GP_RUN_ELEMS, line_step = 1 << (log2_lanes - log2_side);
    gp_sum_share share = {0, {0, 0}};
    for (int line = lane >> log2_side; line < place.pool_ty; line += line_step)
        for (int i = lane & (side - 1); i < width; i += side) {
            int slot = gp_slot_of_column(place, line * line_cols + first + i);
            double weight = i == 0 ? span.w_first : i == width - 1 ? span.w_last : 1.0;
            share.sum += weight * pool[slot];
            if (!IS_MARKED)
                continue;
            share.marks.weight += weight * pool[pool_of_sums::N + slot];
            share.marks.has |= pool_of_sums::has_of(pool)[slot];
        }
    return share;
}

/* Joins those of neighboring lanes to the first one's. */
template <bool IS_MARKED> GP_DEVICE void gp_join_shares(gp_sum_share &share, int n_lanes)
{
    for (int distance = n_lanes / 2; distance > 0; distance /= 2) {
        share.sum += __shfl_down_sync(GP_FULL_WARP, share.sum, (unsigned)distance);
        if (!IS_MARKED)
            continue;
        share.marks.weight += __shfl_down_sync(GP_FULL_WARP, share.marks.weight, (unsigned)distance);
        share.marks.has |= __shfl_down_sync(GP_FULL_WARP, share.marks.has, (unsigned)distance);
    }
}

/* The cell of a share: how much it weighs is known from the geometry where nothing was lost, so that its bits are the same whatever
 * other cells hold. */
template <bool IS_MARKED> GP_DEVICE gp_cell_state gp_state_of_share(const gp_sum_share &share, const gp_span &span,
                                                                    double row_weight)
{
    gp_cell_state state = gp_no_state(GP_STATE_SUM);
    if (row_weight < 0 || span.touched_begin >= span.touched_end)
        return state;
    state.a = share.sum;
    state.has = IS_MARKED ? share.marks.has & ~(unsigned)GP_HAS_LOST : (unsigned)GP_HAS_FINITE;
    bool is_whole = !IS_MARKED || !(share.marks.has & GP_HAS_LOST);
    state.b = is_whole ? row_weight * gp_weight_of(span, gp_part_of(span, 0, 1, true)) : share.marks.weight;
    return state;
}

/* Cells of sums. row_weight below 0: there are no rows. */
template <bool IS_MARKED, int THREADS>
GP_DEVICE void gp_fold_sums(const gp_reduce_args &args, const gp_narrow_job &job, double row_weight, double *pool)
{
    int n_cells = job.tile.cell1 - job.tile.cell0, log2_lanes = gp_log2_lanes<THREADS>(job.tile, job.place);
    int lane = (int)threadIdx.x & ((1 << log2_lanes) - 1);
    for (int first = 0; first < n_cells; first += THREADS >> log2_lanes) {
        int cell = first + ((int)threadIdx.x >> log2_lanes);
        gp_sum_share share = {0, {0, 0}};
        if (cell < n_cells)
            share = gp_sum_share_of<IS_MARKED, THREADS>(args.cols[job.tile.cell0 + cell], job.place, lane, log2_lanes, pool);
        gp_join_shares<IS_MARKED>(share, 1 << log2_lanes);
        if (lane != 0 || cell >= n_cells)
            continue;
        gp_cell_state state = gp_state_of_share<IS_MARKED>(share, args.cols[job.tile.cell0 + cell], row_weight);
        gp_put_cell(args, job.q, job.tile.cell0 + cell, job.part, args.n_row_parts, state);
    }
}

/* ---- the kernel ---------------------------------------------------------------------------------------------------------- */

/* Each warp notes whether any of its threads has marks. */
GP_DEVICE void gp_note_marks(const gp_line_sums &s, unsigned *marks)
{
    if (!gp_elems::is_float)
        return;
    int any = __any_sync(GP_FULL_WARP, s.has != 0);
    if (threadIdx.x % GP_WARP == 0)
        marks[threadIdx.x / GP_WARP] = any != 0;
}

/* Whether any warp of the block has. */
template <int THREADS> GP_DEVICE bool gp_has_marks(const unsigned *marks)
{
    unsigned any = 0;
    GP_UNROLL
    for (int warp = 0; gp_elems::is_float && warp < THREADS / GP_WARP; warp++)
        any |= marks[warp];
    return any != 0;
}

/* One part of the rows of one row of cells, in one tile of columns. */
template <bool WANT, int THREADS> GP_DEVICE void gp_sum_narrow(const gp_reduce_args &args, double *pool, unsigned *marks)
{
    gp_line_sums sums;
    gp_seen<WANT> seen;
    gp_line_sums::start(sums);
    gp_seen<WANT>::start(seen);
    gp_narrow_job job = gp_narrow_job_of<GP_STATE_SUM, THREADS>(args, blockIdx.x);
    const gp_span &span = args.rows[job.q];
    gp_part_rows rows = gp_part_rows_of(span, job.rows);
    if (job.place.is_used)
        gp_sum_rows<WANT>(args, job, rows, sums, seen);
    gp_note_marks(sums, marks);
    gp_put_sums<THREADS>(job.place, sums, pool);
    gp_seen_flush(seen, args.limits);
    __syncthreads();
    double row_weight = job.rows.begin < job.rows.end ? gp_weight_of(span, job.rows) : -1.0;
    if (!gp_has_marks<THREADS>(marks)) {
        gp_fold_sums<false, THREADS>(args, job, row_weight, pool);
        return;
    }
    gp_put_marks<THREADS>(rows, job.place, sums, pool);
    gp_fold_sums<true, THREADS>(args, job, row_weight, pool);
}

#endif
