/* Sums of narrow cells: all rows of a cell in one stream, border rows by their weight; what is not finite is looked at apart. */
#ifndef GP_REDUCE_SUMS_CUH
#define GP_REDUCE_SUMS_CUH

#include "reduce_narrow.cuh"
#include "short_sums.cuh"

/*
 * Nearly all elements are finite. So a thread adds up its rows without a question, and looks at the sums: they are finite where all elements
 * are and no sum leaves the range of what it is kept in. Else it takes its rows once more, one element after the other, and the block folds
 * weights and marks of its columns beside their sums.
 */

/* ---- rows ------------------------------------------------------------------------------------------------------------- */

/* What a row is: of weight 1, or on the border. */
enum { GP_INNER_ROW, GP_FIRST_ROW, GP_LAST_ROW };

GP_DEVICE int gp_row_kind(const gp_part_rows &rows, int row)
{
    return row < rows.inner_begin ? GP_FIRST_ROW : row >= rows.inner_end ? GP_LAST_ROW : GP_INNER_ROW;
}

GP_DEVICE double gp_row_weight(const gp_part_rows &rows, int kind)
{
    return kind == GP_INNER_ROW ? 1.0 : kind == GP_FIRST_ROW ? rows.w_first : rows.w_last;
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

/* ---- the columns of one thread ------------------------------------------------------------------------------------------ */

/* The weight of what a column's sum is of, and GP_HAS_* of its elements; or with GP_HAS_LOST, where some were not added. */
struct gp_column_marks {
    double weight;
    unsigned has;
};
enum { GP_HAS_LOST = 0x80 };

/* Sums of a thread's columns over the rows of its line. */
struct gp_line_sums {
    gp_elems::sum sum[GP_RUN_ELEMS];
    gp_run first, last; /* border rows of integers, whose sums have no fractions: they are added last */
    gp_bad_counts bad; /* elements of rows of weight 1 that were not added */
    uint32_t bad_first, bad_last; /* a bit for each element of the border rows that was not */
    uint32_t has; /* four bits for each column: GP_HAS_* of what was not added, or NaN that was left out of hidden axes */

    GP_DEVICE void start(gp_line_sums &s)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            s.sum[k] = 0;
        gp_run_clear(s.first), gp_run_clear(s.last);
        gp_bad_counts::start(s.bad);
        s.bad_first = s.bad_last = s.has = 0;
    }
    GP_DEVICE void leave_out(gp_line_sums &s, int k, gp_value x, int kind)
    {
        s.has |= gp_bad_class(x) << (4 * k % 32);
        gp_bad_counts::add(s.bad, k, kind == GP_INNER_ROW);
        s.bad_first |= kind == GP_FIRST_ROW ? 1u << k : 0u;
        s.bad_last |= kind == GP_LAST_ROW ? 1u << k : 0u;
    }
    GP_DEVICE void add_inner(gp_line_sums &s, const gp_value *x)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            s.sum[k] += (gp_elems::sum)x[k];
    }
    /* A border row, of floats. */
    GP_DEVICE void add_weighted(gp_line_sums &s, const gp_value *x, double weight)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            s.sum[k] += (gp_elems::sum)(weight * (double)x[k]);
    }
    GP_DEVICE bool are_finite(const gp_line_sums &s)
    {
        bool are_finite = true;
        GP_UNROLL
        for (int k = 0; gp_elems::is_float && k < GP_RUN_ELEMS; k++)
            are_finite = are_finite && gp_is_finite(s.sum[k]);
        return are_finite;
    }
    /* SUM weight * x of all columns. */
    GP_DEVICE void totals(const gp_line_sums &s, const gp_part_rows &rows, int dtype, double *out)
    {
        gp_value first[GP_RUN_ELEMS], last[GP_RUN_ELEMS];
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            out[k] = (double)s.sum[k];
        if (gp_elems::is_float)
            return;
        gp_run_values(s.first.words, dtype, first), gp_run_values(s.last.words, dtype, last);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            out[k] += rows.w_first * (double)first[k] + rows.w_last * (double)last[k];
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

/* One row of any weight; false, and nothing done, where an element is not finite. */
template <bool WANT>
GP_DEVICE bool gp_add_row(gp_line_sums &s, gp_seen<WANT> &seen, const gp_run &run, int dtype, double weight)
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
        s.sum[k] += (gp_elems::sum)(weight * (double)x[k]);
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
            s.sum[k] += (gp_elems::sum)(weight * (double)x[k]);
        else
            gp_line_sums::leave_out(s, k, x[k], kind);
        if (gp_elems::has_stages && (had_nan >> k & 1))
            s.has |= (uint32_t)GP_HAS_NAN << (4 * k % 32);
        gp_seen<WANT>::add_any(seen, x[k], had_nan >> k & 1);
    }
}

/* ---- the rows of a part -------------------------------------------------------------------------------------------------- */

/* Runs under way. Pairs take registers; GPUs that have them also have a fifth of an H200's memory to wait for, for each multiprocessor. */
enum { GP_SUM_RING_RUNS = GP_TAKES_PAIRS && GP_RUN_WORDS > 2 ? 2 : GP_RING_RUNS };

/* A row that is loaded, each element looked at where one is not finite. */
template <bool WANT>
GP_DEVICE void gp_sum_row(const gp_run &run, int dtype, int kind, double weight, gp_line_sums &s, gp_seen<WANT> &seen)
{
    if (gp_add_row<WANT>(s, seen, run, dtype, weight))
        return;
    gp_value x[GP_RUN_ELEMS];
    gp_run_values(run.words, dtype, x);
    gp_add_some<WANT>(s, seen, x, (uint32_t)GP_ALL_ELEMS, 0u, kind, weight);
}

/* Adds the rows of a line, as gp_stream shows them, without a look at what they are. */
template <bool WANT, class SHORT> struct gp_sum_take {
    enum { MOST_ROWS = SHORT::MOST_ROWS };
    gp_line_sums &sums;
    gp_seen<WANT> &seen;
    const gp_part_rows &rows;
    int dtype, plain_begin, plain_end; /* rows of the line that have weight 1 */
    SHORT inner; /* those of them that are not yet in `sums` */

    template <bool IS_PLAIN> GP_DEVICE void row(gp_sum_take &take, const gp_run &run, int k)
    {
        bool is_inner = IS_PLAIN || (k >= take.plain_begin && k < take.plain_end);
        if (SHORT::OF_WORDS && !WANT && is_inner) { /* limits look at every element, which may as well be added by itself */
            SHORT::add_words(take.inner, run);
            return;
        }
        gp_value x[GP_RUN_ELEMS];
        gp_run_values(run.words, take.dtype, x);
        if (is_inner)
            add_inner(take, x);
        else if (!gp_elems::is_float)
            (k < take.plain_begin ? take.sums.first : take.sums.last) = run;
        else
            gp_line_sums::add_weighted(take.sums, x, k < take.plain_begin ? take.rows.w_first : take.rows.w_last);
        GP_UNROLL
        for (int i = 0; WANT && i < GP_RUN_ELEMS; i++)
            gp_seen<WANT>::add(take.seen, x[i]);
    }
    GP_DEVICE void settle(gp_sum_take &take) { SHORT::settle(take.inner, take.sums.sum); }
    GP_DEVICE void add_inner(gp_sum_take &take, const gp_value *x)
    {
        if (SHORT::OF_VALUES)
            SHORT::add_values(take.inner, x);
        else
            gp_line_sums::add_inner(take.sums, x);
    }
};

/* The rows of a line once more, for what is not finite in them; each is on its way while the one before it is looked at. */
template <bool WANT, int LAYOUT>
GP_DEVICE void gp_sum_again(const gp_line_rows &line, const gp_place &place, int64_t line_bytes, int dtype,
                            const gp_part_rows &rows, gp_line_sums &sums, gp_seen<WANT> &seen)
{
    gp_run run, coming;
    gp_line_sums::start(sums);
    gp_run_stream<LAYOUT>(line.at, coming); /* there is one: sums of nothing are finite */
    GP_NO_UNROLL
    for (int k = 0, row = place.line; k < line.n; k++, row += place.ty) {
        int kind = gp_row_kind(rows, row);
        run = coming;
        if (k + 1 < line.n)
            gp_run_stream<LAYOUT>(line.at + (k + 1) * line_bytes, coming);
        gp_sum_row<WANT>(run, dtype, kind, gp_row_weight(rows, kind), sums, seen);
    }
}

/* By runs, the first of which are under way; then those of the next row of cells are. */
template <bool WANT, int LAYOUT, class SHORT>
GP_DEVICE void gp_sum_runs(const gp_plane &plane, const gp_place &place, const gp_part_rows &rows, const gp_line_rows &next,
                           gp_run (&ring)[GP_SUM_RING_RUNS], gp_line_sums &sums, gp_seen<WANT> &seen)
{
    const int64_t line_bytes = place.ty * plane.row_stride_bytes;
    const int dtype = (int)plane.dtype;
    gp_line_rows line = gp_line_rows_of(place, rows);
    gp_seen<WANT> tried = seen;
    gp_sum_take<WANT, SHORT> take = {
        sums, tried, rows, dtype, gp_has_first_row(rows, place) ? 1 : 0, line.n - (gp_has_last_row(rows, place) ? 1 : 0), {}};
    SHORT::start(take.inner, dtype);
    gp_stream<LAYOUT>(line, next, line_bytes, ring, take);
    if (gp_line_sums::are_finite(sums))
        seen = tried;
    else
        gp_sum_again<WANT, LAYOUT>(line, place, line_bytes, dtype, rows, sums, seen);
}

/* Element by element: of floats. */
template <bool WANT>
GP_DEVICE void gp_sum_floats(const gp_plane &plane, const gp_place &place, const gp_part_rows &rows, gp_line_sums &s,
                             gp_seen<WANT> &seen)
{
    for (int row = place.line; row < rows.n; row += place.ty) {
        gp_value x[GP_RUN_ELEMS] = {};
        uint32_t had_nan = 0;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            bool is_marked = false;
            if (place.mask >> k & 1)
                x[k] = gp_value_at(plane, rows.begin + row, place.col + k * place.col_step, is_marked);
            had_nan |= (uint32_t)is_marked << k;
        }
        int kind = gp_row_kind(rows, row);
        gp_add_some<WANT>(s, seen, x, place.mask, had_nan, kind, gp_row_weight(rows, kind));
    }
}

/* Of integers; those outside the plane are zero bits, which add nothing. */
template <bool WANT>
GP_DEVICE void gp_sum_integers(const gp_plane &plane, const gp_place &place, const gp_part_rows &rows, gp_line_sums &s,
                               gp_seen<WANT> &seen)
{
    for (int row = place.line; row < rows.n; row += place.ty) {
        gp_value x[GP_RUN_ELEMS];
        gp_run run;
        int kind = gp_row_kind(rows, row);
        gp_run_clear(run);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            if (place.mask >> k & 1)
                gp_run_put(run, k, gp_stored_at(plane, rows.begin + row, place.col + k * place.col_step));
        gp_run_values(run.words, (int)plane.dtype, x);
        if (kind == GP_INNER_ROW)
            gp_line_sums::add_inner(s, x);
        else
            (kind == GP_FIRST_ROW ? s.first : s.last) = run;
        GP_UNROLL
        for (int k = 0; WANT && k < GP_RUN_ELEMS; k++)
            if (place.mask >> k & 1)
                gp_seen<WANT>::add(seen, x[k]);
    }
}

/* However they lie. */
template <bool WANT>
GP_DEVICE void gp_sum_rows(const gp_plane &plane, int layout, const gp_place &place, const gp_part_rows &rows,
                           const gp_line_rows &next, gp_run (&ring)[GP_SUM_RING_RUNS], gp_line_sums &sums, gp_seen<WANT> &seen)
{
    if (layout == GP_LAYOUT_ALIGNED && gp_shorter_sums::fits((int)plane.dtype))
        gp_sum_runs<WANT, GP_LAYOUT_ALIGNED, gp_shorter_sums>(plane, place, rows, next, ring, sums, seen);
    else if (layout == GP_LAYOUT_ALIGNED)
        gp_sum_runs<WANT, GP_LAYOUT_ALIGNED, gp_short_sums>(plane, place, rows, next, ring, sums, seen);
    else if (layout == GP_LAYOUT_DENSE)
        gp_sum_runs<WANT, GP_LAYOUT_DENSE, gp_short_sums>(plane, place, rows, next, ring, sums, seen);
    else if (place.is_used && gp_elems::is_float)
        gp_sum_floats<WANT>(plane, place, rows, sums, seen);
    else if (place.is_used)
        gp_sum_integers<WANT>(plane, place, rows, sums, seen);
}

/* ---- columns to cells ---------------------------------------------------------------------------------------------------- */

/*
 * Shared memory: the sums of the columns of one row of cells, and those of the next one, which some threads have while others still
 * fold. Where elements are not finite, the other one's place takes the weights of columns, and there are their kinds.
 */
template <int THREADS> struct gp_sum_pool {
    enum { N = THREADS * GP_RUN_ELEMS, SIZE = 2 * N + (gp_elems::is_float ? N / 8 : 0) /* in float64 */ };
    double *sums, *weights;
    uint8_t *kinds;

    GP_DEVICE gp_sum_pool of(double *memory, int turn)
    {
        gp_sum_pool pool = {memory + turn * N, memory + (1 - turn) * N, (uint8_t *)(memory + 2 * N)};
        return pool;
    }
};

/* Where some element of the block was not finite: weights and kinds of all columns. */
template <int THREADS>
GP_DEVICE void gp_put_marks(const gp_part_rows &rows, const gp_place &place, const gp_line_sums &s,
                            const gp_sum_pool<THREADS> &pool)
{
    int n = place.line < rows.n ? ((rows.n - 1 - place.line) >> (31 - __clz(place.ty))) + 1 : 0;
    int n_inner = n - gp_has_first_row(rows, place) - gp_has_last_row(rows, place);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        gp_column_marks marks = gp_line_sums::marks(s, k, rows, place, n_inner);
        pool.weights[gp_slot_of(place, k)] = marks.weight;
        pool.kinds[gp_slot_of(place, k)] = (uint8_t)marks.has;
    }
    __syncthreads();
}

/* One lane's share of a cell. */
struct gp_sum_share {
    double sum;
    gp_column_marks marks;
};

/* The lane's columns of one line: the cell's first and last one by their weights, and those between them. */
GP_DEVICE double gp_sum_of_columns(const gp_span &span, const gp_place &place, const gp_lane_columns &c, int line,
                                   const double *values)
{
    double sum = 0;
    int i = c.i, last = c.width - 1;
    if (i == 0) {
        sum = span.w_first * values[gp_slot_at(place, line, c.first)];
        i = c.side;
    }
    for (; i + 3 * c.side < last; i += 4 * c.side) {
        double some[4];
        GP_UNROLL
        for (int k = 0; k < 4; k++)
            some[k] = values[gp_slot_at(place, line, c.first + i + k * c.side)];
        sum += some[0], sum += some[1], sum += some[2], sum += some[3];
    }
    for (; i < last; i += c.side)
        sum += values[gp_slot_at(place, line, c.first + i)];
    if (i == last)
        sum += span.w_last * values[gp_slot_at(place, line, c.first + i)];
    return sum;
}

template <bool IS_MARKED, int THREADS>
GP_DEVICE gp_sum_share gp_sum_share_of(const gp_span &span, const gp_place &place, int lane, int log2_lanes,
                                       const gp_sum_pool<THREADS> &pool)
{
    gp_lane_columns c = gp_lane_columns_of(span, place, lane, log2_lanes);
    gp_sum_share share = {0, {0, 0}};
    if (c.width <= 0) /* its columns are nowhere, perhaps far from the tile's */
        return share;
    for (int line = c.line; line < place.ty; line += c.line_step) {
        share.sum += gp_sum_of_columns(span, place, c, line, pool.sums);
        if (!IS_MARKED)
            continue;
        share.marks.weight += gp_sum_of_columns(span, place, c, line, pool.weights);
        for (int i = c.i; i < c.width; i += c.side)
            share.marks.has |= pool.kinds[gp_slot_at(place, line, c.first + i)];
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

/* Cells of sums, of row q. row_weight below 0: there are no rows. */
template <bool IS_MARKED, int THREADS>
GP_DEVICE void gp_fold_sums(const gp_reduce_args &args, const gp_narrow_block &block, int64_t q, double row_weight,
                            const gp_sum_pool<THREADS> &pool)
{
    int n_cells = block.tile.cell1 - block.tile.cell0, log2_lanes = gp_log2_lanes<THREADS>(block.tile, block.place);
    int lane = (int)threadIdx.x & ((1 << log2_lanes) - 1);
    for (int first = 0; first < n_cells; first += THREADS >> log2_lanes) {
        int cell = first + ((int)threadIdx.x >> log2_lanes);
        gp_sum_share share = {0, {0, 0}};
        if (cell < n_cells)
            share = gp_sum_share_of<IS_MARKED, THREADS>(args.cols[block.tile.cell0 + cell], block.place, lane, log2_lanes, pool);
        gp_join_shares<IS_MARKED>(share, 1 << log2_lanes);
        if (lane != 0 || cell >= n_cells)
            continue;
        gp_cell_state state = gp_state_of_share<IS_MARKED>(share, args.cols[block.tile.cell0 + cell], row_weight);
        gp_put_cell(args, q, block.tile.cell0 + cell, block.part, args.n_row_parts, state);
    }
}

/* The cells of row q from what all threads have put down; `s` is the thread's own. */
template <int THREADS>
GP_DEVICE void gp_end_sums(const gp_reduce_args &args, const gp_narrow_block &block, int64_t q, const gp_part_rows &rows,
                           const gp_line_sums &s, const unsigned *marks, const gp_sum_pool<THREADS> &pool)
{
    if (!gp_has_marks<THREADS>(marks)) {
        gp_fold_sums<false, THREADS>(args, block, q, rows.weight, pool);
        return;
    }
    gp_put_marks<THREADS>(rows, block.place, s, pool);
    gp_fold_sums<true, THREADS>(args, block, q, rows.weight, pool);
    __syncthreads(); /* the next row's sums come where the weights are */
}

/* ---- the kernel ---------------------------------------------------------------------------------------------------------- */

/* One part of the rows of some rows of cells, in one tile of columns. The first elements of a row of cells are on their way while the
 * one before it is folded. */
template <bool WANT, int THREADS>
GP_DEVICE void gp_sum_narrow(const gp_reduce_args &args, gp_part_rows *rows, double *memory, unsigned *marks)
{
    enum { N_WARPS = THREADS / GP_WARP };
    gp_seen<WANT> seen;
    gp_run ring[GP_SUM_RING_RUNS];
    const gp_narrow_block block = gp_narrow_block_of<THREADS>(args, blockIdx.x);
    const gp_place &place = block.place;
    const int layout = place.is_used && place.has_runs ? args.layout : (int)GP_LAYOUT_SPREAD;
    gp_seen<WANT>::start(seen);
    gp_block_rows(args, block, true, rows);
    gp_ring_begin(args.plane, layout, place, rows[0], ring);
    for (int i = 0; i < block.n_rows; i++) {
        gp_sum_pool<THREADS> pool = gp_sum_pool<THREADS>::of(memory, i & 1);
        gp_line_sums sums;
        gp_line_rows next = gp_next_line_rows(place, rows, i + 1, block.n_rows);
        gp_line_sums::start(sums);
        gp_sum_rows<WANT>(args.plane, layout, place, rows[i], next, ring, sums, seen);
        gp_note_marks(sums.has, marks + (i & 1) * N_WARPS);
        double totals[GP_RUN_ELEMS];
        gp_line_sums::totals(sums, rows[i], (int)args.plane.dtype, totals);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            pool.sums[gp_slot_of(place, k)] = totals[k];
        __syncthreads();
        gp_end_sums<THREADS>(args, block, block.q + i, rows[i], sums, marks + (i & 1) * N_WARPS, pool);
    }
    gp_seen_flush(seen, args.limits);
}

#endif
