/* Cuts a reduction into blocks by its geometry alone, so that results have the same bits on every run. */
#include "reduce_plan.h"

#include <stdlib.h>

#define BLOCK 256
#define RUNS_AT_ONCE 4
#define FIXED_STEPS 3
#define RUNS_PER_BLOCK 8192.0

/* A cell is wide from a quarter of a tile on, if it has work enough for a block of its own. */
#define WIDE_PER_TILE 4
#define WIDE_LEAST_RUNS (4 * BLOCK)

/* Tiles side by side are no narrower: their neighbours would read the same sectors of memory. */
#define LEAST_TX 32

static int64_t at_least(int64_t n, int64_t low) { return n < low ? low : n; }
static int64_t at_most(int64_t n, int64_t high) { return n > high ? high : n; }
static int64_t ceil_div(int64_t n, int64_t by) { return n / by + (n % by != 0); }

static int64_t width_of(const gp_span *span) { return span->touched_end - span->touched_begin; }

static int64_t widest(const gp_axis *axis)
{
    int64_t width = 0;
    for (int64_t p = 0; p < axis->n_cells; p++)
        width = at_least(width_of(&axis->spans[p]), width);
    return width;
}

bool gp_reduce_is_partition(const gp_axis *axis)
{
    int64_t end = 0;
    for (int64_t p = 0; p < axis->n_cells; p++) {
        const gp_span *span = &axis->spans[p];
        if (span->touched_begin >= span->touched_end)
            continue;
        if (span->owned_begin != end || span->owned_end < end)
            return false;
        end = span->owned_end;
    }
    return end == axis->n_elems;
}

static gp_reduce_kind kind_of(gp_agg agg)
{
    if (agg == GP_AGG_STD)
        return GP_REDUCE_MOMENTS;
    return agg == GP_AGG_MIN || agg == GP_AGG_MAX || agg == GP_AGG_ABSMAX ? GP_REDUCE_EXTREMES : GP_REDUCE_SUM;
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

static bool is_wide(const gp_reduce_plan *plan, int64_t width, int64_t height)
{
    int64_t most = tile_cols(plan, plan->n_threads);
    bool has_work = width > INT64_MAX / at_least(height, 1) ||
                    width * height >= (int64_t)WIDE_LEAST_RUNS * plan->run_elems;
    return width > most || (width > most / WIDE_PER_TILE && has_work);
}

/* Tiles of as many whole narrow cells as fit `most` columns; cells without elements go along. NULL: only counts them. */
static int cut_narrow(const gp_reduce_plan *plan, const gp_axis *cols, int64_t height, int64_t most, gp_reduce_tile *tiles)
{
    int n_tiles = 0;
    for (int64_t p = 0; p < cols->n_cells;) {
        if (is_wide(plan, width_of(&cols->spans[p]), height)) {
            p++;
            continue;
        }
        gp_reduce_tile tile = {.cell0 = (int32_t)p};
        for (; p < cols->n_cells; p++) {
            const gp_span *span = &cols->spans[p];
            bool has_cols = tile.col1 > 0;
            if (width_of(span) <= 0)
                continue;
            if (is_wide(plan, width_of(span), height) || (has_cols && span->touched_end - tile.col0 > most))
                break;
            tile.col0 = has_cols ? tile.col0 : span->touched_begin;
            tile.col1 = at_least(span->touched_end, tile.col1);
        }
        tile.cell1 = (int32_t)p;
        if (tiles != NULL)
            tiles[n_tiles] = tile;
        n_tiles++;
    }
    return n_tiles;
}

static int cut_wide(const gp_reduce_plan *plan, const gp_axis *cols, int64_t height, gp_reduce_tile *tiles)
{
    int n_tiles = 0;
    for (int64_t p = 0; p < cols->n_cells; p++) {
        const gp_span *span = &cols->spans[p];
        if (!is_wide(plan, width_of(span), height))
            continue;
        if (tiles != NULL)
            tiles[n_tiles] = (gp_reduce_tile){span->touched_begin, span->touched_end, (int32_t)p, (int32_t)p + 1};
        n_tiles++;
    }
    return n_tiles;
}

/* The widest narrow cell and how many columns narrow cells touch, those between two cells twice. */
static void measure_narrow(const gp_reduce_plan *plan, const gp_axis *cols, int64_t height, int64_t *widest_cell, int64_t *n_cols)
{
    *widest_cell = 1, *n_cols = 0;
    for (int64_t p = 0; p < cols->n_cells; p++) {
        int64_t width = width_of(&cols->spans[p]);
        bool is_new = p == 0 || cols->spans[p].touched_begin != cols->spans[p - 1].touched_begin;
        if (is_wide(plan, width, height))
            continue;
        *widest_cell = at_least(width, *widest_cell);
        *n_cols += is_new ? width : 0;
    }
}

/*
 * Threads along a row. A block takes about as long as its threads wait for memory: once for each step of RUNS_AT_ONCE rows, and
 * FIXED_STEPS times before and after. The best of the powers of two reads the most columns in that time.
 */
static void choose_tx(gp_reduce_plan *plan, const gp_axis *cols, int64_t height)
{
    int64_t widest_cell, n_cols, n_best = 1;
    double best = -1;
    measure_narrow(plan, cols, height, &widest_cell, &n_cols);
    for (int log2_tx = 8; log2_tx >= 0; log2_tx--) {
        int tx = 1 << log2_tx;
        if (tx > plan->n_threads || tile_cols(plan, tx) < widest_cell)
            continue;
        int64_t n_tiles = cut_narrow(plan, cols, height, tile_cols(plan, tx), NULL);
        int64_t n_steps = FIXED_STEPS + ceil_div(height, (int64_t)(plan->n_threads / tx) * RUNS_AT_ONCE);
        double rate = 1.0 / ((double)at_least(n_tiles, 1) * (double)n_steps);
        if ((n_tiles <= 1 || tx >= LEAST_TX) && rate > best)
            plan->log2_tx = log2_tx, best = rate, n_best = n_tiles;
    }
    /* Tiles of equal width, where that takes no more of them. */
    plan->most_cols = tile_cols(plan, 1 << plan->log2_tx);
    int64_t even = n_cols / at_least(n_best, 1) + widest_cell;
    if (even < plan->most_cols && cut_narrow(plan, cols, height, even, NULL) == n_best)
        plan->most_cols = even;
}

/* ---- parts ---------------------------------------------------------------------------------------------------------- */

/* What one block of a cell goes through, in steps of its threads. */
static int64_t wide_steps(const gp_reduce_plan *plan, int64_t width, int64_t height)
{
    int64_t run_elems = plan->layout == GP_LAYOUT_SPREAD ? 1 : plan->run_elems;
    return (int64_t)((double)ceil_div(width, run_elems) * (double)height / BLOCK) + 1;
}

/* Blocks in all: those that keep the device busy, and where each has much to do more of them, so that the last ones to end do not
 * keep the rest of the device waiting for long. */
static int64_t blocks_for(const gp_reduce_plan *plan, const gp_axis *rows, const gp_axis *cols, int64_t wanted_blocks)
{
    double n_runs = 0;
    for (int64_t p = 0; p < cols->n_cells; p++)
        n_runs += (double)width_of(&cols->spans[p]) / plan->run_elems;
    n_runs *= (double)widest(rows) * (double)rows->n_cells;
    double n = n_runs / RUNS_PER_BLOCK, most = 4.0 * (double)wanted_blocks;
    return n > most ? 4 * wanted_blocks : at_least((int64_t)n, wanted_blocks);
}

static void choose_parts(gp_reduce_plan *plan, const gp_axis *rows, const gp_axis *cols, int64_t wanted_blocks)
{
    int64_t height = widest(rows), width = widest(cols), n_blocks = (plan->n_narrow + plan->n_wide) * rows->n_cells;
    int64_t ty = plan->n_threads >> plan->log2_tx;
    int64_t n = at_most((blocks_for(plan, rows, cols, wanted_blocks) + n_blocks / 2) / at_least(n_blocks, 1), 1 << 16);
    int64_t narrow_most = at_least(height / (ty * RUNS_AT_ONCE), 1), narrow_least = ceil_div(height, ty * GP_REDUCE_MAX_STEPS);
    int64_t steps = wide_steps(plan, width, height), wide_most = at_least(steps / RUNS_AT_ONCE, 1);
    int64_t least = 1;
    if (plan->n_narrow > 0)
        least = at_least(narrow_least, least);
    if (plan->n_wide > 0)
        least = at_least(steps / (GP_REDUCE_MAX_STEPS / 2) + 1, least);
    n = at_most(n, at_least(plan->n_narrow > 0 ? narrow_most : 1, plan->n_wide > 0 ? wide_most : 1));
    plan->least_parts = (int)least;
    plan->n_row_parts = plan->n_parts = (int)at_least(n, least);
    plan->n_col_parts = 1;
    if (plan->n_wide > 0 && plan->n_parts > height) { /* too few rows: columns as well */
        plan->n_row_parts = (int)at_least(height, 1);
        plan->n_col_parts = (int)ceil_div(plan->n_parts, plan->n_row_parts);
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
    gp_reduce_plan plan = {.kind = kind_of(agg), .run_elems = elements->run_elems, .n_threads = BLOCK};
    int64_t height = widest(rows);
    plan.layout = layout_of(elements, elements->run_bytes);
    if (plan.kind == GP_REDUCE_MOMENTS && plan.run_elems > 4)
        plan.n_threads = 1024 / plan.run_elems; /* three float64 for each column have to fit into shared memory */
    choose_tx(&plan, cols, height);
    plan.n_narrow = cut_narrow(&plan, cols, height, plan.most_cols, NULL);
    plan.n_wide = cut_wide(&plan, cols, height, NULL);
    size_t n_bytes = (size_t)(plan.n_narrow + plan.n_wide) * sizeof *plan.tiles;
    plan.tiles = malloc(n_bytes > 0 ? n_bytes : 1);
    if (plan.tiles == NULL)
        return gp_fail_memory(error, (double)n_bytes);
    cut_narrow(&plan, cols, height, plan.most_cols, plan.tiles);
    cut_wide(&plan, cols, height, plan.tiles + plan.n_narrow);
    choose_parts(&plan, rows, cols, wanted_blocks);
    *out = plan;
    return GP_OK;
}

void gp_reduce_plan_free(gp_reduce_plan *plan)
{
    free(plan->tiles);
    plan->tiles = NULL;
}
