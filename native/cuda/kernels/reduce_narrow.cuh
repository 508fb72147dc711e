/* Cells that are narrow: a block takes many cells side by side, its threads own columns, which are folded into cells at the end. */
#ifndef GP_REDUCE_NARROW_CUH
#define GP_REDUCE_NARROW_CUH

#include "reduce_limits.cuh"

/* Threads of a block: those whose columns, a float64 or three each, have room in shared memory. */
enum { GP_NARROW_BLOCK = GP_REDUCE_NARROW_THREADS(GP_RUN_ELEMS) };

/* Runs that a thread has under way at once where it takes them together: more of 8 bytes, fewer where accumulators take the registers. */
enum { GP_RUNS_AT_ONCE = gp_elems::is_typed && GP_RUN_WORDS == 2 ? 6 : GP_RUN_ELEMS > 4 ? 3 : 4 };

/* Where a thread stands in its tile: tx threads side by side, each with GP_RUN_ELEMS columns, and ty lines of them that take
 * the rows in turn. */
struct gp_place {
    int tx, ty, lane, line;
    int64_t tile_col; /* the column of lane 0; may be below 0 where runs are aligned */
    int64_t col; /* the thread's first column */
    const char *at; /* its element in the plane's row number `line` */
    int col_step; /* to its next one */
    uint32_t mask; /* which of its columns are the plane's */
    bool is_used; /* whether any of them is the tile's */
    bool has_runs; /* the columns are a run that may be loaded as one */
};

/* The elements of a part of a row of cells: `n` rows from `begin` on, of which inner_begin..inner_end have weight 1. `weight` is that
 * of all; below 0 there are none. */
struct gp_part_rows {
    int64_t begin, offset_bytes; /* the first row, and how far behind the plane's it is */
    int n, inner_begin, inner_end;
    double w_first, w_last, weight;
};

/* Which of the columns col + k * 2^log2_step are 0 to n_cols; the first may be below 0 where they are neighbors. */
GP_DEVICE uint32_t gp_columns_inside(int64_t col, int log2_step, int64_t n_cols)
{
    int64_t after = (n_cols - col + (1 << log2_step) - 1) >> log2_step, before = col < 0 ? -col : 0;
    int n = after < 0 ? 0 : after < GP_RUN_ELEMS ? (int)after : GP_RUN_ELEMS;
    return ((1u << n) - 1) & ~((1u << (before < GP_RUN_ELEMS ? (int)before : GP_RUN_ELEMS)) - 1);
}

template <int THREADS> GP_DEVICE gp_place gp_place_of(const gp_reduce_args &args, const gp_reduce_tile &tile)
{
    gp_place place;
    const gp_plane &plane = args.plane;
    bool is_spread = !gp_elems::is_typed || args.layout == GP_LAYOUT_SPREAD;
    place.tx = 1 << args.log2_tx, place.ty = THREADS >> args.log2_tx;
    place.lane = (int)threadIdx.x & (place.tx - 1), place.line = (int)threadIdx.x >> args.log2_tx;
    place.tile_col = tile.col0;
    if (!is_spread && args.layout == GP_LAYOUT_ALIGNED)
        place.tile_col -= (int64_t)((uint64_t)gp_address(plane, 0, tile.col0) % GP_RUN_BYTES / sizeof(gp_stored));
    place.col = place.tile_col + (is_spread ? place.lane : place.lane * GP_RUN_ELEMS);
    place.col_step = is_spread ? place.tx : 1;
    place.at = gp_address(plane, place.line, place.col);
    place.mask = gp_columns_inside(place.col, is_spread ? args.log2_tx : 0, plane.n_cols);
    place.is_used = place.col < tile.col1 && place.col + (GP_RUN_ELEMS - 1) * place.col_step >= tile.col0;
    /* Words that are not aligned reach up to three bytes beyond the run on either side. */
    int64_t n_around = args.layout == GP_LAYOUT_ALIGNED ? 0 : (3 + sizeof(gp_stored) - 1) / sizeof(gp_stored);
    place.has_runs = !is_spread && place.col >= n_around && place.col + GP_RUN_ELEMS + n_around <= plane.n_cols;
    return place;
}

/* Which cells a block has: those of some rows from q on, in one tile, or a part of them. */
struct gp_narrow_block {
    int64_t q;
    int n_rows, part;
    gp_reduce_tile tile;
    gp_place place;
};

template <int THREADS> GP_DEVICE gp_narrow_block gp_narrow_block_of(const gp_reduce_args &args, unsigned number)
{
    gp_narrow_block block;
    unsigned rest = number / (unsigned)args.n_tiles;
    block.part = (int)(rest % (unsigned)args.n_row_parts);
    block.q = args.first_cell_row + rest / (unsigned)args.n_row_parts * (int64_t)args.rows_per_block;
    block.n_rows = args.end_cell_row - block.q < args.rows_per_block ? (int)(args.end_cell_row - block.q) : args.rows_per_block;
    block.tile = args.tiles[number % (unsigned)args.n_tiles];
    block.place = gp_place_of<THREADS>(args, block.tile);
    return block;
}

GP_DEVICE gp_part_rows gp_part_rows_of(const gp_plane &plane, const gp_span &span, const gp_part &part)
{
    gp_part_rows rows = {part.begin,
                         part.begin * plane.row_stride_bytes,
                         (int)(part.end - part.begin),
                         (int)(part.inner_begin - part.begin),
                         (int)(part.inner_end - part.begin),
                         0,
                         0,
                         -1};
    rows.w_first = gp_weight_at(span, part.begin), rows.w_last = gp_weight_at(span, part.end - 1);
    if (part.begin < part.end)
        rows.weight = gp_weight_of(span, part);
    return rows;
}

/* Those of all of the block's rows of cells, in shared memory: a thread works out one of them for all others. */
GP_DEVICE void gp_block_rows(const gp_reduce_args &args, const gp_narrow_block &block, bool is_weighted, gp_part_rows *out)
{
    int i = (int)threadIdx.x;
    if (i < block.n_rows) {
        const gp_span &span = args.rows[block.q + i];
        out[i] = gp_part_rows_of(args.plane, span, gp_part_of(span, block.part, args.n_row_parts, is_weighted));
    }
    __syncthreads();
}

/* The place's run at an address, of an element that is read once: lines of memory go through, and leave the cache to what is not. */
template <int LAYOUT> GP_DEVICE void gp_run_stream(const char *at, gp_run &run)
{
    if (LAYOUT == GP_LAYOUT_ALIGNED)
        gp_run_load_once(at, run);
    else
        gp_run_load_words(at, run);
}

/* ---- a stream of rows ------------------------------------------------------------------------------------------------------ */

/* Runs that a thread has under way, the array `ring` of N: as soon as it has taken one, it loads another one in its place, of the next row
 * of cells where there are no more of this one. */
enum { GP_RING_RUNS = !gp_elems::is_typed ? 1 : GP_RUN_WORDS > 2 ? 4 : 8 };

/* The rows of one line of threads in a row of cells: every ty-th. */
struct gp_line_rows {
    const char *at; /* of the place's run in the first one */
    int n;
};

GP_DEVICE gp_line_rows gp_line_rows_of(const gp_place &place, const gp_part_rows &rows)
{
    gp_line_rows line = {place.at + rows.offset_bytes, 0};
    if (rows.n > place.line)
        line.n = ((rows.n - 1 - place.line) >> (31 - __clz(place.ty))) + 1;
    return line;
}

/* The line's first rows: the ring is full then, or has all of them. */
template <int LAYOUT, int N> GP_DEVICE void gp_ring_fill(const gp_line_rows &line, int64_t line_bytes, gp_run (&ring)[N])
{
    const char *at = line.at;
    GP_UNROLL
    for (int i = 0; i < N; i++, at += line_bytes)
        if (i < line.n)
            gp_run_stream<LAYOUT>(at, ring[i]);
}

/* Takes some runs of the ring, from row k of the line on, and loads `more` in their place: all of them, or those of rows that there are. */
template <int LAYOUT, bool IS_PLAIN, int N, class Take>
GP_DEVICE void gp_ring_turn(Take &take, int k, int n, const gp_line_rows &more, int64_t line_bytes, gp_run (&ring)[N])
{
    const char *at = more.at;
    GP_UNROLL
    for (int i = 0; i < N; i++, at += line_bytes) {
        if (IS_PLAIN || k + i < n)
            Take::template row<IS_PLAIN>(take, ring[i], k + i);
        if (i < more.n)
            gp_run_stream<LAYOUT>(at, ring[i]);
    }
}

/* Shows `take` rows begin..end of a line; `left` are those that are not shown yet, and get fewer. */
template <int LAYOUT, int N, class Take>
GP_DEVICE void gp_stream_rows(int begin, int end, gp_line_rows &left, const gp_line_rows &line, const gp_line_rows &next,
                              int64_t line_bytes, gp_run (&ring)[N], Take &take)
{
    for (int k = begin; k < end; k += N) {
        left.at += N * line_bytes, left.n -= N;
        gp_line_rows more = left.n > 0 ? left : next;
        if (k >= take.plain_begin && k + N <= take.plain_end)
            gp_ring_turn<LAYOUT, true>(take, k, line.n, more, line_bytes, ring);
        else
            gp_ring_turn<LAYOUT, false>(take, k, line.n, more, line_bytes, ring);
    }
}

/*
 * Shows `take` all rows of a line, whose first ones are in the ring; behind them come those of `next`.
 *
 *   template <bool IS_PLAIN> void row(take, run, k)   row k of the line; those of plain_begin..plain_end may be plain
 *   MOST_ROWS, settle(take)                           how many rows at most are shown between two calls; 0: all, and no call
 */
template <int LAYOUT, int N, class Take>
GP_DEVICE void gp_stream(const gp_line_rows &line, const gp_line_rows &next, int64_t line_bytes, gp_run (&ring)[N], Take &take)
{
    static_assert(Take::MOST_ROWS % N == 0, "the ring is at its beginning before each row that follows a call of settle");
    gp_line_rows left = line;
    if (line.n <= 0)
        gp_ring_fill<LAYOUT>(next, line_bytes, ring);
    if (Take::MOST_ROWS == 0)
        gp_stream_rows<LAYOUT>(0, line.n, left, line, next, line_bytes, ring, take);
    for (int k = 0; Take::MOST_ROWS != 0 && k < line.n; k += Take::MOST_ROWS) {
        int end = line.n - k > Take::MOST_ROWS ? k + Take::MOST_ROWS : line.n;
        gp_stream_rows<LAYOUT>(k, end, left, line, next, line_bytes, ring, take);
        Take::settle(take);
    }
}

/* Those of row i of the block's cells; none behind the last. */
GP_DEVICE gp_line_rows gp_next_line_rows(const gp_place &place, const gp_part_rows *rows, int i, int n)
{
    gp_line_rows none = {nullptr, 0};
    return i < n ? gp_line_rows_of(place, rows[i]) : none;
}

/* Begins to load a line's first rows. */
template <int N>
GP_DEVICE void gp_ring_begin(const gp_plane &plane, int layout, const gp_place &place, const gp_part_rows &rows,
                             gp_run (&ring)[N])
{
    const gp_line_rows line = gp_line_rows_of(place, rows);
    const int64_t line_bytes = place.ty * plane.row_stride_bytes;
    if (layout == GP_LAYOUT_ALIGNED)
        gp_ring_fill<GP_LAYOUT_ALIGNED>(line, line_bytes, ring);
    else if (layout == GP_LAYOUT_DENSE)
        gp_ring_fill<GP_LAYOUT_DENSE>(line, line_bytes, ring);
}

/* ---- columns in shared memory ---------------------------------------------------------------------------------------------- */

/*
 * Where a column is kept, line after line. Threads put element k of their runs down at once, GP_RUN_ELEMS columns apart, and those that
 * fold read neighbors: either way 16 threads in a row get 16 float64 of different banks. Columns of threads that are spread lie so anyway.
 */
GP_DEVICE int gp_slot_at(const gp_place &place, int line, int column)
{
    int slot = line * place.tx * GP_RUN_ELEMS + column;
    return place.col_step == 1 ? slot ^ (slot >> 4 & (GP_RUN_ELEMS - 1)) : slot;
}

/* Where element k of the thread's runs is kept: the first one's column is a multiple of GP_RUN_ELEMS where they are neighbors. */
GP_DEVICE int gp_slot_of(const gp_place &place, int k)
{
    int first = gp_slot_at(place, place.line, (int)(place.col - place.tile_col));
    return place.col_step == 1 ? first ^ k : first + k * place.col_step;
}

/* Lanes for each cell, a power of two: as there are threads enough, but each has some columns to add. */
template <int THREADS> GP_DEVICE int gp_log2_lanes(const gp_reduce_tile &tile, const gp_place &place)
{
    enum { LEAST_COLUMNS = 8 };
    int n_cells = tile.cell1 - tile.cell0, n_columns = (int)(tile.col1 - tile.col0) * place.ty, log2_lanes = 0;
    while (log2_lanes < 5 && n_cells << (log2_lanes + 1) <= THREADS && (n_cells * LEAST_COLUMNS) << (log2_lanes + 1) <= n_columns)
        log2_lanes++;
    return log2_lanes;
}

/* Each warp notes whether any of its threads has elements that are not finite. */
GP_DEVICE void gp_note_marks(uint32_t has, unsigned *marks)
{
    if (!gp_elems::is_float)
        return;
    int any = __any_sync(GP_FULL_WARP, has != 0);
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

/* Which of a cell's columns a lane takes: i, i + side, ... of `width` from column `first` of the tile, in every line_step-th line. */
struct gp_lane_columns {
    int first, width, i, side, line, line_step;
};

GP_DEVICE gp_lane_columns gp_lane_columns_of(const gp_span &span, const gp_place &place, int lane, int log2_lanes)
{
    int log2_side = 0;
    gp_lane_columns c = {(int)(span.touched_begin - place.tile_col), (int)(span.touched_end - span.touched_begin), 0, 0, 0, 0};
    while (log2_side < log2_lanes && 1 << log2_side < c.width)
        log2_side++;
    c.side = 1 << log2_side, c.line_step = 1 << (log2_lanes - log2_side);
    c.i = lane & (c.side - 1), c.line = lane >> log2_side;
    return c;
}

#endif
