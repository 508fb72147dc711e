/* The working memory of a reduction's threads: the size of each thread's block, and the arrays in it. */
#include "reduction.h"

#include "../../core/base/alloc.h"

static size_t rounded(size_t n_bytes) { return (n_bytes + 63) / 64 * 64; }

/* Takes n_bytes from *memory; without memory only adds up the size. */
static void *take(char **memory, size_t *n_bytes_taken, size_t n_bytes)
{
    void *taken = *memory;
    n_bytes = rounded(n_bytes);
    *n_bytes_taken += n_bytes;
    if (*memory != NULL)
        *memory += n_bytes;
    return taken;
}

/* Lays out a scratch in its memory; without memory it computes the size. */
static size_t scratch_lay_out(const gp_reduction *reduction, int64_t n_cells, bool splits_nan, gp_scratch *out)
{
    size_t n_bytes = 0, n_elems = (size_t)reduction->chunk_elems, n = (size_t)n_cells;
    size_t n_columns = (n_elems > GP_SUPER_ROW ? n_elems : GP_SUPER_ROW) + GP_READ_BEYOND;
    bool is_in_place = reduction->rows.source == GP_ROWS_IN_PLACE,
         keeps = gp_reduction_keeps_rows(reduction) && !reduction->leaves_out_nan;
    char *memory = out->memory;
    out->packed = take(&memory, &n_bytes, is_in_place ? 0 : n_elems * (size_t)reduction->rows.item_bytes * GP_MAX_CELL_ROWS);
    out->row_scratch = take(&memory, &n_bytes, gp_row_reader_scratch_bytes(&reduction->rows, reduction->chunk_elems));
    out->values = take(&memory, &n_bytes, n_elems * sizeof(double));
    out->kept = keeps ? take(&memory, &n_bytes, sizeof *out->kept) : NULL;
    void *rows = take(&memory, &n_bytes, keeps ? gp_kept_rows_bytes(reduction->chunk_elems, splits_nan) : 0);
    if (out->kept != NULL)
        *out->kept = (gp_kept_rows){.splits_nan = splits_nan, .n_elems = reduction->chunk_elems, .memory = rows};
    for (int i = 0; i < 4; i++)
        out->columns[i] = take(&memory, &n_bytes, n_columns * sizeof(double));
    for (int i = 0; i < 4; i++)
        out->cells[i] = take(&memory, &n_bytes, n * sizeof(double));
    out->border_cols = take(&memory, &n_bytes, n * sizeof(int64_t));
    void *states = take(&memory, &n_bytes, gp_states_bytes(n_cells)), *part = take(&memory, &n_bytes, gp_states_bytes(n_cells));
    if (out->memory != NULL)
        out->states = gp_states_in(states, n_cells), out->part = gp_states_in(part, n_cells);
    return n_bytes;
}

static gp_status scratch_alloc(const gp_reduction *reduction, int64_t n_cells, bool splits_nan, gp_scratch *out, gp_error *error)
{
    out->limits = gp_limits_state_none();
    GP_TRY(gp_alloc(scratch_lay_out(reduction, n_cells, splits_nan, out), &out->memory, error));
    scratch_lay_out(reduction, n_cells, splits_nan, out);
    return GP_OK;
}

void gp_scratches_free(gp_scratch *scratches, int n)
{
    for (int i = 0; scratches != NULL && i < n; i++)
        free(scratches[i].memory);
    free(scratches);
}

gp_status gp_scratches_alloc(const gp_reduction *reductions, int n_targets, int64_t n_cells, int n, gp_scratch **out,
                             gp_error *error)
{
    GP_TRY(gp_alloc_zeroed((size_t)(n * n_targets) * sizeof **out, out, error));
    for (int i = 0; i < n * n_targets; i++) {
        gp_status status = scratch_alloc(&reductions[i % n_targets], n_cells, n_targets > 1, &(*out)[i], error);
        if (status != GP_OK) {
            gp_scratches_free(*out, n * n_targets);
            *out = NULL;
            return status;
        }
        if (i % n_targets > 0)
            (*out)[i].kept = (*out)[i - 1].kept;
    }
    return GP_OK;
}
