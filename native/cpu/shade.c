/* Cells to pixels: makes a plan (a table of colors, and how a cell's position in it is found), then colors blocks of cells. */
#include "simd/shade_loops.h"

#include "../core/color/shading.h"
#include "../core/base/threads.h"
#include "cpu.h"
#include "../core/color/eq_hist.h"

#include <stdlib.h>

/* How a cell finds its position: by a straight line, by counting edges, or by the norm's formula cell by cell. */
typedef enum way { WAY_LINEAR, WAY_EDGES, WAY_FORMULA } way;

/* Positions of what has no row, behind all that have one: what the norm does not take, then the marks. */
enum { AT_BAD, AT_MARKS, N_SPECIAL = AT_MARKS + GP_N_MARK_ROWS };

enum { CELLS_PER_PIECE = 64 * GP_SHADE_BLOCK, MOST_EDGES = 4096, CELLS_PER_EDGE = 4 };

typedef struct shade_plan {
    const gp_shade_loops *loops;
    gp_scale scale;
    way way;
    gp_threshold_table edges;
    uint32_t *colors;
    int n_plain; /* positions before the special ones */
    const double *cells;
    int64_t n_cells;
    const float *alpha_cells;
    uint8_t *rgba;
} shade_plan;

GP_DECLARE_LEVELS(gp_shade_loops, gp_shade_loops, );

const gp_shade_loops *gp_shade_loops_now(void) { return GP_AT_LEVEL_HERE(gp_shade_loops); }

/* ---- making the plan --------------------------------------------------------------------------------------------- */

/* Edges pay where they are fewer than the cells and the formula is known to rise. */
static way choose_way(const gp_scale *scale, int64_t n_cells)
{
    bool is_sane = isfinite(scale->f_min) && isfinite(scale->f_range) && scale->f_range > 0;
    if (scale->norm == GP_NORM_BOUNDARY)
        return WAY_EDGES;
    if (scale->is_flat)
        return WAY_FORMULA;
    if (scale->norm == GP_NORM_EQ_HIST)
        return WAY_EDGES;
    if (!is_sane || (scale->norm == GP_NORM_POWER && !(scale->params[0] > 0)))
        return WAY_FORMULA;
    if (scale->norm == GP_NORM_LINEAR)
        return WAY_LINEAR;
    return scale->n_colors <= MOST_EDGES && n_cells / CELLS_PER_EDGE >= scale->n_colors ? WAY_EDGES : WAY_FORMULA;
}

static gp_status make_edges(shade_plan *plan, const gp_cells *cells, const gp_style *style, gp_error *error)
{
    bool is_boundary = plan->scale.norm == GP_NORM_BOUNDARY;
    int n_edges = is_boundary ? style->n_boundaries : style->n_colors + 1;
    double *edges = malloc(((size_t)n_edges + 1) * sizeof *edges);
    gp_status status = GP_OK;
    if (edges == NULL)
        return gp_fail_memory(error, ((double)n_edges + 1) * sizeof *edges);
    if (is_boundary) {
        memcpy(edges, style->boundaries, (size_t)n_edges * sizeof *edges);
    } else if (plan->scale.norm == GP_NORM_EQ_HIST) {
        edges[0] = style->vmin;
        status = gp_eq_hist_edges(cells, &plan->scale, edges + 1, error);
        edges[n_edges - 1] = gp_next_double(style->vmax);
    } else {
        gp_thresholds_of_formula(&plan->scale, edges);
    }
    if (status == GP_OK)
        return gp_threshold_table_from(edges, n_edges, &plan->edges, error);
    free(edges);
    return status;
}

/* Which row of the style's table a plain position shows. */
static int row_at(const shade_plan *plan, int position)
{
    int n = plan->scale.n_colors;
    if (plan->way == WAY_FORMULA)
        return position;
    if (position == 0)
        return gp_row_under(&plan->scale);
    if (position == plan->n_plain - 1)
        return gp_row_over(&plan->scale);
    if (plan->scale.norm == GP_NORM_BOUNDARY)
        return plan->scale.edge_rows[position - 1];
    return position <= n ? position - 1 : n - 1;
}

static gp_status make_colors(shade_plan *plan, const gp_style *style, gp_error *error)
{
    float alpha = style->alpha_cells != NULL ? 1 : style->alpha;
    size_t n;
    plan->n_plain = plan->way == WAY_EDGES ? plan->edges.n_edges + 1 : style->n_colors + 3;
    n = (size_t)plan->n_plain + N_SPECIAL;
    plan->colors = malloc(n * sizeof *plan->colors);
    if (plan->colors == NULL)
        return gp_fail_memory(error, (double)(n * sizeof *plan->colors));
    for (int i = 0; i < plan->n_plain; i++)
        plan->colors[i] = gp_color_word(style->table + 4 * (size_t)row_at(plan, i), alpha);
    plan->colors[plan->n_plain + AT_BAD] = gp_color_word(style->table + 4 * ((size_t)style->n_colors + 2), alpha);
    gp_mark_words(style, alpha, plan->colors + plan->n_plain + AT_MARKS);
    return GP_OK;
}

/* ---- following it ------------------------------------------------------------------------------------------------ */

/* Replaces the positions of what the logarithm does not take. */
static void place_bad(const shade_plan *plan, const double *cells, int n, int32_t *positions)
{
    int32_t bad = plan->n_plain + AT_BAD;
    for (int i = 0; i < n; i++)
        positions[i] = cells[i] <= 0 ? bad : positions[i];
}

static bool rows_by_formula(const gp_scale *scale, const double *cells, int n, int32_t *positions)
{
    for (int i = 0; i < n; i++)
        positions[i] = gp_class_of(cells[i]) == GP_HAS_FINITE ? gp_scale_row(scale, cells[i]) : 0;
    return true;
}

static void shade_block(const shade_plan *plan, int64_t at, int n)
{
    const double *cells = plan->cells + at;
    int32_t positions[GP_SHADE_BLOCK];
    bool is_special = false;
    if (plan->way == WAY_LINEAR)
        is_special |= plan->loops->by_line(&plan->scale, cells, n, positions);
    else if (plan->way == WAY_EDGES)
        is_special |= plan->loops->by_edges(&plan->edges, cells, n, positions);
    else
        is_special |= rows_by_formula(&plan->scale, cells, n, positions);
    if (plan->scale.norm == GP_NORM_LOG && !plan->scale.is_flat)
        place_bad(plan, cells, n, positions);
    if (is_special)
        plan->loops->place_marks(plan->n_plain + AT_MARKS, cells, n, positions);
    plan->loops->paint(plan->colors, positions, n, plan->rgba + 4 * at);
    for (int i = 0; i < n && plan->alpha_cells != NULL; i++) {
        uint8_t *alpha = plan->rgba + 4 * (at + i) + 3;
        *alpha = gp_alpha_byte(*alpha, plan->alpha_cells[at + i]);
    }
}

static gp_status shade_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const shade_plan *plan = context;
    int64_t begin = piece * CELLS_PER_PIECE, end = begin + CELLS_PER_PIECE;
    (void)worker, (void)error;
    end = end < plan->n_cells ? end : plan->n_cells;
    for (int64_t at = begin; at < end; at += GP_SHADE_BLOCK)
        shade_block(plan, at, (int)(end - at < GP_SHADE_BLOCK ? end - at : GP_SHADE_BLOCK));
    return GP_OK;
}

gp_status gp_cpu_shade(const gp_cells *cells, const gp_style *style, gp_pixels *out, gp_error *error)
{
    shade_plan plan = {
        .cells = cells->data, .n_cells = cells->n_rows * cells->n_cols, .alpha_cells = style->alpha_cells, .rgba = out->rgba};
    gp_status status = gp_shade_check(cells, style, out, error);
    if (status != GP_OK || plan.n_cells == 0)
        return status;
    plan.loops = gp_shade_loops_now();
    plan.scale = gp_scale_from(style);
    plan.way = choose_way(&plan.scale, plan.n_cells);
    if (plan.way == WAY_EDGES)
        status = make_edges(&plan, cells, style, error);
    if (status == GP_OK)
        status = make_colors(&plan, style, error);
    if (status == GP_OK)
        status = gp_threads_run((plan.n_cells + CELLS_PER_PIECE - 1) / CELLS_PER_PIECE, gp_threads_for(plan.n_cells), shade_piece,
                                &plan, error);
    gp_threshold_table_free(&plan.edges);
    free(plan.colors);
    return status;
}
