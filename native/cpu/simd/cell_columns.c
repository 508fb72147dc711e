/* Makes the table of the columns and weights of each cell. */
#include "cell_columns.h"

#include "../../core/base/alloc.h"

/* With more cells the table would be large compared with the elements. */
#define MAX_CELLS ((int64_t)1 << 17)

static int64_t width_of(const gp_span *span) { return span->touched_end - span->touched_begin; }

/* The most columns of a cell; 0 if there can be no table. */
static int64_t widest(const gp_axis *axis)
{
    int64_t n_columns = 0;
    if (axis->n_cells > MAX_CELLS || axis->n_elems > INT32_MAX)
        return 0;
    for (int64_t p = 0; p < axis->n_cells; p++) {
        int64_t n = width_of(&axis->spans[p]);
        if (n < 1 || n > GP_MAX_CELL_COLUMNS)
            return 0;
        n_columns = n > n_columns ? n : n_columns;
    }
    return n_columns;
}

/* The most columns of n_lanes neighboring cells, from the first to the last of them. */
static int64_t widest_span(const gp_axis *axis, int64_t n_lanes)
{
    int64_t n_columns = 0;
    for (int64_t p = 0; p < axis->n_cells; p++) {
        int64_t last = p + n_lanes - 1 < axis->n_cells ? p + n_lanes - 1 : axis->n_cells - 1;
        int64_t n = axis->spans[last].touched_end - axis->spans[p].touched_begin;
        n_columns = n > n_columns ? n : n_columns;
    }
    return n_columns;
}

static bool is_regular(const gp_axis *axis, int n_columns)
{
    bool are_alike = n_columns > 1;
    for (int64_t p = 0; p < axis->n_cells; p++)
        are_alike &= width_of(&axis->spans[p]) >= n_columns - 1;
    return are_alike;
}

static void fill(const gp_axis *axis, int n_columns, int32_t *first, int32_t *last, double *last_weights, double *weights)
{
    for (int64_t p = 0; p < axis->n_cells; p++) {
        const gp_span *span = &axis->spans[p];
        int64_t n = width_of(span);
        first[p] = (int32_t)span->touched_begin, last[p] = (int32_t)(n - 1);
        last_weights[p] = n > 1 ? span->w_last : span->w_first;
        for (int k = 0; k < n_columns; k++)
            weights[k * axis->n_cells + p] = k >= n ? 0.0 : k == 0 ? span->w_first : k == n - 1 ? span->w_last : 1.0;
    }
}

gp_status gp_cell_columns_make(const gp_axis *axis, gp_cell_columns *out, gp_error *error)
{
    int n_columns = axis->even_width > 0 ? 0 : (int)widest(axis);
    *out = (gp_cell_columns){0};
    if (n_columns == 0)
        return GP_OK;
    double *weights;
    size_t n = (size_t)axis->n_cells;
    GP_TRY(gp_alloc(n * (((size_t)n_columns + 1) * sizeof(double) + 2 * sizeof(int32_t)), &weights, error));
    double *last_weights = weights + (size_t)n_columns * n;
    int32_t *first = (int32_t *)(last_weights + n), *last = first + n;
    fill(axis, n_columns, first, last, last_weights, weights);
    *out = (gp_cell_columns){.n_columns = n_columns,
                             .span_8 = widest_span(axis, 8),
                             .span_16 = widest_span(axis, 16),
                             .n_cells = axis->n_cells,
                             .first = first,
                             .last = last,
                             .last_weights = last_weights,
                             .is_regular = is_regular(axis, n_columns),
                             .weights = weights,
                             .memory = weights};
    return GP_OK;
}

void gp_cell_columns_free(gp_cell_columns *columns)
{
    free(columns->memory);
    *columns = (gp_cell_columns){0};
}
