/* Reduces a strip box by box: chunks of columns, and blocks of rows where variances would lose too many bits. */
#include "box.h"

#include "../../core/base/arithmetic.h"
#include "reduce_ways.h"

/* The error of a variance about a shift grows with the elements of its box, so larger boxes are joined from several. */
#define MAX_MOMENT_ELEMS ((int64_t)1 << 20)

/* With so few rows per cell, column sums are not faster; long runs are folded instead (reduce_runs.c). */
#define FEW_ROWS 3
#define LONG_RUN 4096

/* The number of rows of a box: each cell stays below MAX_MOMENT_ELEMS, and kept rows fit in their memory. */
static int64_t rows_at_once(const gp_reduction *job, const gp_span *spans, int64_t n_cells, int64_t n_rows, int64_t n_cols)
{
    int64_t widest = 1, n_most = gp_smaller(n_rows, job->most_rows);
    if (job->kind != GP_STATE_MOMENTS)
        return n_most;
    for (int64_t p = 0; p < n_cells; p++)
        if (spans[p].touched_end - spans[p].touched_begin > widest)
            widest = spans[p].touched_end - spans[p].touched_begin;
    widest = gp_smaller(widest, n_cols);
    return gp_smaller(n_most, MAX_MOMENT_ELEMS / widest > 0 ? MAX_MOMENT_ELEMS / widest : 1);
}

/* A box of cells cell0..cell1; is_whole: it is all of the strip, whose states are those of the box then. */
static void reduce_box(const gp_reduce_target *target, const gp_strip *strip, const int64_t bounds[4], int64_t cell0,
                       int64_t cell1, bool is_whole)
{
    const gp_reduction *job = target->job;
    gp_states here = gp_states_at(target->states, cell0 - strip->cell0), part = target->scratch->part;
    gp_box box = gp_box_from(job, target->scratch, &job->row_axis->spans[strip->q], &job->col_axis->spans[cell0], cell1 - cell0,
                             bounds);
    gp_box_reduce(&box, is_whole ? here : part);
    if (!is_whole)
        gp_states_join(job->kind, here, part, cell1 - cell0);
}

/* Joins the results of a box that has no NaN to the target that leaves NaN out, too: they are the same. */
static void repeat_box(const gp_reduce_target *targets, int64_t first, int64_t n_cells, bool is_whole)
{
    gp_states from = is_whole ? gp_states_at(targets[0].states, first) : targets[0].scratch->part;
    gp_states_join(targets[0].job->kind, gp_states_at(targets[1].states, first), from, n_cells);
}

static void reduce_chunk(const gp_reduce_target *targets, int n_targets, const gp_strip *strip, int64_t col0, int64_t col1,
                         int64_t cell0, int64_t cell1)
{
    const gp_reduction *job = targets[0].job;
    gp_scratch *scratch = targets[0].scratch;
    int64_t n_rows = strip->row1 - strip->row0;
    int64_t n_at_once = rows_at_once(job, &job->col_axis->spans[cell0], cell1 - cell0, n_rows, col1 - col0);
    bool is_whole = n_at_once == n_rows && col0 == strip->col0 && col1 == strip->col1;
    for (int64_t row = strip->row0; row < strip->row1 && !gp_threads_is_stopped(); row += n_at_once) {
        int64_t bounds[4] = {row, gp_smaller(row + n_at_once, strip->row1), col0, col1};
        gp_reduction_keep(job, scratch, bounds);
        reduce_box(&targets[0], strip, bounds, cell0, cell1, is_whole);
        if (n_targets > 1 &&
            (scratch->kept->has_nan || targets[1].scratch->expects_bad)) /* such a box decides what the next one expects */
            reduce_box(&targets[1], strip, bounds, cell0, cell1, is_whole);
        else if (n_targets > 1)
            repeat_box(targets, cell0 - strip->cell0, cell1 - cell0, is_whole);
    }
}

static bool has_long_runs(const gp_reduction *job, const gp_strip *strip)
{
    return job->rows.source == GP_ROWS_IN_PLACE && strip->row1 - strip->row0 <= FEW_ROWS && !gp_agg_is(job->agg, GP_AGG_OWNED) &&
           (strip->col1 - strip->col0) / (strip->cell1 - strip->cell0) >= LONG_RUN;
}

void gp_reduce_strip(const gp_reduce_target *targets, int n_targets, const gp_strip *strip)
{
    const gp_reduction *job = targets[0].job;
    const gp_span *spans = job->col_axis->spans;
    int64_t cell0 = strip->cell0, cell1 = cell0;
    if (has_long_runs(job, strip)) {
        gp_reduce_runs(job, targets[0].scratch, strip, targets[0].states);
        return;
    }
    for (int64_t col = strip->col0; col < strip->col1 && !gp_threads_is_stopped(); col += job->chunk_elems) {
        int64_t end = gp_smaller(col + job->chunk_elems, strip->col1);
        while (cell0 < strip->cell1 - 1 && spans[cell0].touched_end <= col)
            cell0++;
        cell1 = cell1 > cell0 ? cell1 : cell0;
        while (cell1 < strip->cell1 && spans[cell1].touched_begin < end)
            cell1++;
        reduce_chunk(targets, n_targets, strip, col, end, cell0, cell1);
    }
}

/* ---- tiles of whole cells ------------------------------------------------------------------------------------------- */

/* The most columns of a tile: the arrays made from them fit in the nearest cache, of which moments have more. With many rows per cell,
 * reading dominates, which is faster along longer rows. */
#define TILE_COLS 2048
#define MANY_ROWS 8

static int64_t tile_cols(const gp_reduction *job, int64_t n_rows)
{
    int64_t n_cols = n_rows >= MANY_ROWS ? 4 * TILE_COLS : TILE_COLS;
    return gp_smaller(job->chunk_elems, job->kind == GP_STATE_MOMENTS ? n_cols / 2 : n_cols);
}

/* The number of cells of a tile is a multiple of this, the length of vectors. */
#define TILE_CELLS 16

bool gp_can_reduce_tiles(const gp_reduction *job)
{
    const gp_axis *cols = job->col_axis;
    int64_t widest = 0;
    for (int64_t p = 0; p < cols->n_cells; p++) {
        int64_t width = cols->spans[p].touched_end - cols->spans[p].touched_begin;
        widest = width > widest ? width : widest;
    }
    return gp_box_has_values(job) && widest <= gp_smaller(job->chunk_elems, TILE_COLS / TILE_CELLS);
}

int64_t gp_tile_end(const gp_reduction *job, int64_t n_rows, int64_t cell0, int64_t cell1)
{
    const gp_span *spans = job->col_axis->spans;
    int64_t limit = spans[cell0].touched_begin + tile_cols(job, n_rows), low = cell0 + 1, high = cell1;
    while (low < high) { /* binary search for the last end within the limit */
        int64_t middle = low + (high - low + 1) / 2;
        if (spans[middle - 1].touched_end <= limit)
            low = middle;
        else
            high = middle - 1;
    }
    return low < cell1 && low - cell0 >= TILE_CELLS ? low - (low - cell0) % TILE_CELLS : low;
}

static gp_box box_of_tile(const gp_reduction *job, gp_scratch *scratch, const gp_strip *tile)
{
    int64_t bounds[4] = {tile->row0, tile->row1, tile->col0, tile->col1};
    gp_reduction_keep(job, scratch, bounds);
    return gp_box_from(job, scratch, &job->row_axis->spans[tile->q], &job->col_axis->spans[tile->cell0],
                       tile->cell1 - tile->cell0, bounds);
}

bool gp_reduce_tile(const gp_reduction *job, gp_scratch *scratch, const gp_strip *tile, double *out, double *without_nan)
{
    gp_box box = box_of_tile(job, scratch, tile);
    return !scratch->expects_states && gp_box_values(&box, out, without_nan, &scratch->has_nan);
}

bool gp_reduce_tile_states(const gp_reduction *job, gp_scratch *scratch, const gp_strip *tile, gp_states states)
{
    if (job->kind == GP_STATE_EXTREMES || gp_agg_is(job->agg, GP_AGG_OWNED) || scratch->expects_states)
        return false;
    gp_box box = box_of_tile(job, scratch, tile);
    return gp_box_states(&box, states);
}
