/* Cuts a reduction into pieces of about 2^19 elements. */
#include "plan.h"

#include "../../core/base/alloc.h"
#include "../../core/base/arithmetic.h"

#define PIECE_ELEMS ((int64_t)1 << 19)
#define MAX_CELL_ROWS_PER_PIECE 16
#define ENOUGH_PIECES 64
#define MIN_GROUP_COLS 2048
#define MAX_GROUPS 65536
#define MAX_PARTIAL_STATES ((int64_t)1 << 18)

/* Cells that touch nothing lie at the ends. */
static void touching_cells(const gp_axis *axis, int64_t *begin, int64_t *end)
{
    *begin = 0, *end = axis->n_cells;
    while (*begin < *end && axis->spans[*begin].touched_begin >= axis->spans[*begin].touched_end)
        ++*begin;
    while (*end > *begin && axis->spans[*end - 1].touched_begin >= axis->spans[*end - 1].touched_end)
        --*end;
}

/* Groups of whole cells. */
static void group_cells(const gp_axis *cols, gp_plan *plan)
{
    int64_t n_cells = plan->col_cell1 - plan->col_cell0;
    for (int64_t g = 0; g < plan->n_groups; g++) {
        gp_col_group *group = &plan->groups[g];
        group->cell0 = plan->col_cell0 + n_cells * g / plan->n_groups;
        group->cell1 = plan->col_cell0 + n_cells * (g + 1) / plan->n_groups;
        group->col0 = cols->spans[group->cell0].touched_begin;
        group->col1 = cols->spans[group->cell1 - 1].touched_end;
    }
}

/* Groups of columns that may cut cells. */
static void group_cols(const gp_axis *cols, int64_t begin, int64_t end, gp_plan *plan)
{
    int64_t cell = plan->col_cell0;
    for (int64_t g = 0; g < plan->n_groups; g++) {
        gp_col_group *group = &plan->groups[g];
        group->col0 = begin + (end - begin) / plan->n_groups * g + (end - begin) % plan->n_groups * g / plan->n_groups;
        group->col1 = begin + (end - begin) / plan->n_groups * (g + 1) +
                      (end - begin) % plan->n_groups * (g + 1) / plan->n_groups;
        while (cols->spans[cell].touched_end <= group->col0)
            cell++;
        group->cell0 = cell;
        group->cell1 = cell + 1;
        while (group->cell1 < plan->col_cell1 && cols->spans[group->cell1].touched_begin < group->col1)
            group->cell1++;
    }
}

/* How many groups of columns and blocks of rows one row of cells is worth. */
static void choose_cuts(int64_t row_elems, int64_t n_reads, int64_t n_cols, int64_t n_cell_rows, gp_plan *plan)
{
    int64_t n_wanted = row_elems / gp_larger(PIECE_ELEMS / n_reads, 1);
    int64_t min_cols = n_cell_rows >= ENOUGH_PIECES ? 4 * MIN_GROUP_COLS : MIN_GROUP_COLS;
    plan->n_groups = gp_larger(gp_smaller(gp_smaller(n_wanted, n_cols / min_cols), MAX_GROUPS), 1);
    n_wanted /= plan->n_groups;
    int64_t n_missing = ENOUGH_PIECES / (n_cell_rows * plan->n_groups);
    plan->n_row_blocks = gp_larger(gp_smaller(gp_smaller(n_wanted, n_missing), row_elems / n_cols), 1);
}

gp_status gp_plan_make(const gp_axis *rows, const gp_axis *cols, int64_t n_reads, gp_plan *out, gp_error *error)
{
    int64_t row0, row1, col0, col1;
    gp_plan plan = {0};
    touching_cells(rows, &plan.row_cell0, &plan.row_cell1);
    touching_cells(cols, &plan.col_cell0, &plan.col_cell1);
    gp_axis_touched(rows, &row0, &row1);
    gp_axis_touched(cols, &col0, &col1);
    int64_t n_cell_rows = plan.row_cell1 - plan.row_cell0, n_cells = plan.col_cell1 - plan.col_cell0;
    if (n_cell_rows <= 0 || n_cells <= 0) {
        *out = plan;
        return GP_OK;
    }
    plan.n_elems = (row1 - row0) * (col1 - col0);
    int64_t row_elems = gp_larger(plan.n_elems / n_cell_rows, 1);
    choose_cuts(row_elems, n_reads, col1 - col0, n_cell_rows, &plan);
    bool is_cutting = plan.n_groups > 1 && n_cells < 4 * plan.n_groups;
    GP_TRY(gp_alloc((size_t)plan.n_groups * sizeof *plan.groups, &plan.groups, error));
    if (is_cutting)
        group_cols(cols, col0, col1, &plan);
    else
        group_cells(cols, &plan);
    for (int64_t g = 0; g < plan.n_groups; g++) {
        plan.groups[g].first_state = plan.n_states;
        plan.n_states += plan.groups[g].cell1 - plan.groups[g].cell0;
    }
    plan.n_row_blocks = gp_larger(gp_smaller(plan.n_row_blocks, MAX_PARTIAL_STATES / (plan.n_states * n_cell_rows)), 1);
    plan.is_partial = is_cutting || plan.n_row_blocks > 1;
    int64_t n_rows_worth = PIECE_ELEMS / n_reads / gp_larger(row_elems, n_cells);
    plan.cell_rows_per_piece = plan.n_row_blocks > 1 ? 1 : gp_larger(gp_smaller(n_rows_worth, MAX_CELL_ROWS_PER_PIECE), 1);
    plan.n_row_groups = (n_cell_rows + plan.cell_rows_per_piece - 1) / plan.cell_rows_per_piece;
    *out = plan;
    return GP_OK;
}

void gp_plan_free(gp_plan *plan)
{
    free(plan->groups);
    *plan = (gp_plan){0};
}
