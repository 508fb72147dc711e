/* Cuts a reduction into blocks by its geometry alone, so that results have the same bits on every run. */
#include "../core/base/alloc.h"
#include "../core/base/arithmetic.h"
#include "reduce_plan.h"

#define BLOCK 256
#define RUNS_AT_ONCE 4
#define FIXED_STEPS 3
#define MOST_PARTS (1 << 16)
#define RUNS_PER_BLOCK 8192.0

/* A cell is wide from a quarter of a tile on, if it has work enough for a block of its own. */
#define WIDE_PER_TILE 4
#define WIDE_LEAST_RUNS (4 * BLOCK)

/* Tiles side by side are not narrower: their neighbors would read the same sectors of memory. */
#define LEAST_TX 32

static int64_t width_of(const gp_span *span) { return span->touched_end - span->touched_begin; }

static int64_t widest(const gp_axis *axis)
{
    int64_t width = 0;
    for (int64_t p = 0; p < axis->n_cells; p++)
        width = gp_larger(width_of(&axis->spans[p]), width);
    return width;
}

static int layout_of(const gp_cuda_elements *elements, int run_bytes)
{
    const gp_plane *plane = &elements->plane;
    if (elements->run_elems == 1 || plane->col_stride_bytes != run_bytes / elements->run_elems)
        return GP_LAYOUT_SPREAD;
    return plane->row_stride_bytes % run_bytes == 0 ? GP_LAYOUT_ALIGNED : GP_LAYOUT_DENSE;
}

/* Columns that a tile of tx threads may span: aligned runs may begin before its first column. */
static int64_t tile_cols(const gp_reduce_plan *plan, int tx)
{
    return (int64_t)tx * plan->run_elems - (plan->layout == GP_LAYOUT_ALIGNED ? plan->run_elems - 1 : 0);
}

/* Cells of more columns are wide. */
static int64_t narrow_most(const gp_reduce_plan *plan, int64_t height)
{
    int64_t most = tile_cols(plan, plan->n_threads), worth = WIDE_LEAST_RUNS * plan->run_elems / gp_larger(height, 1);
    return gp_smaller(gp_larger(most / WIDE_PER_TILE, worth), most);
}

static bool is_wide(const gp_reduce_plan *plan, const gp_span *span) { return width_of(span) > plan->narrow_most; }

/* Tiles of as many whole narrow cells as fit `most` columns; cells without elements go along. */
static int cut_narrow(const gp_reduce_plan *plan, const gp_axis *cols, int64_t most, gp_reduce_tile *tiles)
{
    int n_tiles = 0;
    for (int64_t p = 0; p < cols->n_cells;) {
        if (is_wide(plan, &cols->spans[p])) {
            p++;
            continue;
        }
        gp_reduce_tile tile = {.cell0 = (int32_t)p};
        for (; p < cols->n_cells; p++) {
            const gp_span *span = &cols->spans[p];
            bool has_cols = tile.col1 > 0;
            if (width_of(span) <= 0)
                continue;
            if (is_wide(plan, span) || (has_cols && span->touched_end - tile.col0 > most))
                break;
            tile.col0 = has_cols ? tile.col0 : span->touched_begin;
            tile.col1 = gp_larger(span->touched_end, tile.col1);
        }
        tile.cell1 = (int32_t)p;
        tiles[n_tiles++] = tile;
    }
    return n_tiles;
}

static int cut_wide(const gp_reduce_plan *plan, const gp_axis *cols, gp_reduce_tile *tiles)
{
    int n_tiles = 0;
    for (int64_t p = 0; p < cols->n_cells; p++) {
        const gp_span *span = &cols->spans[p];
        if (is_wide(plan, span))
            tiles[n_tiles++] = (gp_reduce_tile){span->touched_begin, span->touched_end, (int32_t)p, (int32_t)p + 1};
    }
    return n_tiles;
}

/* What the cells of the two axes are like, in elements. */
typedef struct measures {
    int64_t height, width;                  /* of the largest cell */
    int64_t narrow_width, n_narrow_cols;    /* of the widest narrow cell; touched by all of them */
    double n_touched;                       /* elements of all cells, those between two cells twice */
} measures;

static void measure_cols(const gp_reduce_plan *plan, const gp_axis *rows, const gp_axis *cols, measures *m)
{
    int64_t end = 0;
    m->width = 0, m->narrow_width = 1, m->n_narrow_cols = 0, m->n_touched = 0;
    for (int64_t p = 0; p < cols->n_cells; p++) {
        const gp_span *span = &cols->spans[p];
        int64_t width = width_of(span);
        m->width = gp_larger(width, m->width);
        m->n_touched += (double)width;
        if (width <= 0 || is_wide(plan, span))
            continue;
        m->narrow_width = gp_larger(width, m->narrow_width);
        m->n_narrow_cols += gp_larger(span->touched_end - gp_larger(span->touched_begin, end), 0);
        end = gp_larger(span->touched_end, end);
    }
    m->n_touched *= (double)m->height * (double)rows->n_cells;
}

/* About how many tiles of so many columns there will be: half a cell stays empty in each. */
static int64_t estimate_tiles(int64_t n_cols, int64_t widest_cell, int64_t most)
{
    return n_cols <= most ? 1 : gp_n_parts(n_cols, most - widest_cell / 2);
}

/*
 * Threads along a row. A block takes about as long as its threads wait for memory: once for each step of RUNS_AT_ONCE rows, and
 * FIXED_STEPS times before and after. The best of the powers of two reads the most columns in that time.
 */
static void choose_tx(gp_reduce_plan *plan, const measures *m)
{
    int64_t n_best = 1;
    double best = 0;
    for (int log2_tx = 8; log2_tx >= 0; log2_tx--) {
        int tx = 1 << log2_tx;
        if (tx > plan->n_threads || tile_cols(plan, tx) < m->narrow_width)
            continue;
        int64_t n_tiles = estimate_tiles(m->n_narrow_cols, m->narrow_width, tile_cols(plan, tx));
        int64_t n_steps = FIXED_STEPS + gp_n_parts(m->height, (int64_t)(plan->n_threads / tx) * RUNS_AT_ONCE);
        double rate = 1.0 / ((double)n_tiles * (double)n_steps);
        if ((n_tiles == 1 || tx >= LEAST_TX) && rate > best)
            plan->log2_tx = log2_tx, best = rate, n_best = n_tiles;
    }
    /* Tiles of equal width; one more cell than the mean, so that the last tile is not a small rest. */
    plan->most_cols = gp_smaller(m->n_narrow_cols / n_best + m->narrow_width, tile_cols(plan, 1 << plan->log2_tx));
}

/* ---- parts ---------------------------------------------------------------------------------------------------------- */

/* What one block of a cell goes through, in steps of its threads. */
static int64_t wide_steps(const gp_reduce_plan *plan, int64_t width, int64_t height)
{
    int64_t run_elems = plan->layout == GP_LAYOUT_SPREAD ? 1 : plan->run_elems;
    return (int64_t)((double)gp_n_parts(width, run_elems) * (double)height / BLOCK) + 1;
}

/* Blocks in all: those that keep the device busy, and where each has much to do more of them, so that the last ones to end do not
 * keep the rest of the device waiting for long. */
static int64_t blocks_for(const gp_reduce_plan *plan, const measures *m, int64_t wanted_blocks)
{
    double n = m->n_touched / plan->run_elems / RUNS_PER_BLOCK, most = 4.0 * (double)wanted_blocks;
    return n > most ? 4 * wanted_blocks : gp_larger((int64_t)n, wanted_blocks);
}

static void choose_parts(gp_reduce_plan *plan, const measures *m, int64_t n_cell_rows, int64_t wanted_blocks)
{
    int64_t n_blocks = (plan->n_narrow + plan->n_wide) * n_cell_rows, ty = plan->n_threads >> plan->log2_tx;
    int64_t n = (blocks_for(plan, m, wanted_blocks) + n_blocks / 2) / gp_larger(n_blocks, 1);
    int64_t steps = wide_steps(plan, m->width, m->height), least = 1, most = 1;
    if (plan->n_narrow > 0) {
        most = gp_larger(m->height / (ty * RUNS_AT_ONCE), most);
        least = gp_n_parts(m->height, ty * GP_REDUCE_MAX_STEPS);
    }
    if (plan->n_wide > 0) {
        most = gp_larger(steps / RUNS_AT_ONCE, most);
        least = gp_larger(steps / (GP_REDUCE_MAX_STEPS / 2) + 1, least);
    }
    plan->least_parts = (int)least;
    plan->n_row_parts = plan->n_parts = (int)gp_larger(gp_smaller(gp_smaller(n, most), MOST_PARTS), gp_larger(least, 1));
    plan->n_col_parts = 1;
    if (plan->n_wide > 0 && plan->n_parts > m->height) { /* too few rows: columns as well */
        plan->n_row_parts = (int)gp_larger(m->height, 1);
        plan->n_col_parts = (int)gp_n_parts(plan->n_parts, plan->n_row_parts);
        plan->n_parts = plan->n_row_parts * plan->n_col_parts;
    }
}

void gp_reduce_plan_join_parts(gp_reduce_plan *plan)
{
    if (plan->least_parts > 1)
        return;
    plan->n_parts = plan->n_row_parts = plan->n_col_parts = 1;
}

gp_status gp_reduce_plan_make(const gp_cuda_elements *elements, const gp_axis *rows, const gp_axis *cols, gp_agg agg,
                              int64_t wanted_blocks, gp_reduce_plan *out, gp_error *error)
{
    gp_reduce_plan plan = {.kind = gp_agg_kind(agg), .run_elems = elements->run_elems};
    measures m = {.height = widest(rows)};
    plan.layout = layout_of(elements, elements->run_bytes);
    plan.n_threads = GP_REDUCE_NARROW_THREADS(plan.run_elems);
    plan.narrow_most = narrow_most(&plan, m.height);
    measure_cols(&plan, rows, cols, &m);
    choose_tx(&plan, &m);
    GP_TRY(gp_alloc((size_t)cols->n_cells * sizeof *plan.tiles, &plan.tiles, error)); /* no tile is without cells */
    plan.n_narrow = cut_narrow(&plan, cols, plan.most_cols, plan.tiles);
    plan.n_wide = cut_wide(&plan, cols, plan.tiles + plan.n_narrow);
    choose_parts(&plan, &m, rows->n_cells, wanted_blocks);
    *out = plan;
    return GP_OK;
}

void gp_reduce_plan_free(gp_reduce_plan *plan)
{
    free(plan->tiles);
    plan->tiles = NULL;
}
