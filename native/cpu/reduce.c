/* Reduces a plane to cells: pieces to threads, states to cells, a transposed plane turned, limits on the way. */
#include "reduce.h"

#include "alloc.h"
#include "arithmetic.h"
#include "box.h"
#include "plan.h"
#include "threads.h"

#include "../core/cell_states.h"
#include "../core/plane_layout.h"

#define IN_PLACE_CHUNK 8192
#define PACKED_CHUNK 2048
#define TURN_BLOCK 32

typedef struct reduce_job {
    gp_reduction reductions[2]; /* under the policy of the cells, and where hidden axes split NaN, without it */
    int n_targets;              /* how many of these there are */
    gp_plan plan;
    bool is_whole;         /* no piece cuts a cell, and there are values without states */
    gp_scratch *scratches; /* n_targets per thread */
    gp_states partial[2];  /* of all pieces, where pieces cut cells */
    void *partial_memory;
    gp_axis distinct; /* rows without repetitions */
    int32_t *out_rows; /* where each of them begins in the output, and the end */
    gp_nan nan;                /* the policy of the cells */
    double *out, *without_nan; /* the values of cells, and NULL or those of cells that NaN marks without it; or */
    gp_cell_state *out_states; /* their partial results; the other one is NULL */
    bool has_nan;              /* without_nan is written */
} reduce_job;

/* ---- working memory ------------------------------------------------------------------------------------------------- */

static size_t states_bytes(int64_t n) { return (size_t)(n + 64) * (3 * sizeof(double) + 1); }

static gp_states states_in(void *memory, int64_t n)
{
    double *values = memory;
    return (gp_states){values, values + n, values + 2 * n, (uint8_t *)(values + 3 * n)};
}

static size_t rounded(size_t n_bytes) { return (n_bytes + 63) / 64 * 64; }

/* Takes n_bytes from *memory, or only adds them up where there is none yet. */
static void *take(char **memory, size_t *n_bytes_taken, size_t n_bytes)
{
    void *taken = *memory;
    n_bytes = rounded(n_bytes);
    *n_bytes_taken += n_bytes;
    if (*memory != NULL)
        *memory += n_bytes;
    return taken;
}

/* Rows that take many reads each. */
static bool keeps_rows(const gp_reduction *reduction) { return reduction->rows.plane.n_stages > 0; }

/* Lays out a scratch in its memory; without memory yet it finds out how much is needed. */
static size_t scratch_lay_out(const gp_reduction *reduction, int64_t n_cells, bool splits_nan, gp_scratch *out)
{
    size_t n_bytes = 0, n_elems = (size_t)reduction->chunk_elems, n = (size_t)n_cells;
    size_t n_columns = (n_elems > GP_SUPER_ROW ? n_elems : GP_SUPER_ROW) + GP_READ_BEYOND;
    bool is_in_place = reduction->rows.source == GP_ROWS_IN_PLACE, keeps = keeps_rows(reduction) && !reduction->leaves_out_nan;
    char *memory = out->memory;
    out->packed = take(&memory, &n_bytes, is_in_place ? 0 : n_elems * (size_t)reduction->rows.item_bytes * GP_MAX_PASS_ROWS);
    out->row_scratch = take(&memory, &n_bytes, gp_rows_scratch_bytes(&reduction->rows, reduction->chunk_elems));
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
    void *states = take(&memory, &n_bytes, states_bytes(n_cells)), *part = take(&memory, &n_bytes, states_bytes(n_cells));
    if (out->memory != NULL)
        out->states = states_in(states, n_cells), out->part = states_in(part, n_cells);
    return n_bytes;
}

static gp_status scratch_alloc(const gp_reduction *reduction, int64_t n_cells, bool splits_nan, gp_scratch *out, gp_error *error)
{
    out->limits = gp_limits_state_none();
    GP_TRY(gp_alloc(scratch_lay_out(reduction, n_cells, splits_nan, out), &out->memory, error));
    scratch_lay_out(reduction, n_cells, splits_nan, out);
    return GP_OK;
}

static void scratches_free(gp_scratch *scratches, int n)
{
    for (int i = 0; scratches != NULL && i < n; i++)
        free(scratches[i].memory);
    free(scratches);
}

/* For each of n threads one for each target, which share the rows that are kept. */
static gp_status scratches_alloc(const gp_reduction *reductions, int n_targets, int64_t n_cells, int n, gp_scratch **out,
                                 gp_error *error)
{
    GP_TRY(gp_alloc_zeroed((size_t)(n * n_targets) * sizeof **out, out, error));
    for (int i = 0; i < n * n_targets; i++) {
        gp_status status = scratch_alloc(&reductions[i % n_targets], n_cells, n_targets > 1, &(*out)[i], error);
        if (status != GP_OK) {
            scratches_free(*out, n * n_targets);
            *out = NULL;
            return status;
        }
        if (i % n_targets > 0)
            (*out)[i].kept = (*out)[i - 1].kept;
    }
    return GP_OK;
}

/* ---- pieces --------------------------------------------------------------------------------------------------------- */

/* Whether NaN may mark one of n cells; masked elements beside others may count as NaN. */
static bool may_be_nan(gp_states states, int64_t n)
{
    uint8_t has = 0;
    for (int64_t i = 0; i < n; i++)
        has |= states.has[i];
    return (has & (GP_HAS_NAN | GP_HAS_MASKED)) != 0;
}

/* States of the cells from cell0 on to values of the target; where it is the only one, to those without NaN as well. */
static void finish_cells(const reduce_job *job, const gp_reduce_target *target, int64_t q, int64_t cell0, int64_t cell1)
{
    const gp_reduction *r = target->job;
    int64_t first = q * r->col_axis->n_cells + cell0, n = cell1 - cell0;
    for (int64_t i = 0; job->out_states != NULL && i < n; i++)
        job->out_states[first + i] = gp_states_get(target->states, i);
    if (job->out_states != NULL)
        return;
    if (!r->leaves_out_nan)
        gp_states_finish(r, job->nan, target->states, n, job->out + first);
    if (job->without_nan == NULL || (job->n_targets > 1 ? !r->leaves_out_nan : !may_be_nan(target->states, n)))
        return;
    gp_states_finish(r, GP_NAN_INFINITE, target->states, n, job->without_nan + first);
    target->scratch->has_nan = true;
}

static gp_states partial_states(const reduce_job *job, int which, int64_t q, int64_t block, const gp_col_group *group)
{
    int64_t first = ((q - job->plan.row_cell0) * job->plan.n_row_blocks + block) * job->plan.n_states + group->first_state;
    return gp_states_at(job->partial[which], first);
}

/* What a thread reduces to. */
static void targets_of(const reduce_job *job, int worker, gp_reduce_target out[2])
{
    for (int i = 0; i < job->n_targets; i++) {
        gp_scratch *scratch = &job->scratches[worker * job->n_targets + i];
        out[i] = (gp_reduce_target){&job->reductions[i], scratch, scratch->states};
    }
}

static bool are_all_finite(gp_states states, int64_t n)
{
    uint8_t others = 0;
    for (int64_t i = 0; i < n; i++)
        others |= states.has[i] ^ GP_HAS_FINITE;
    return others == 0;
}

/* A tile to values of a target, or by states where these have to tell elements apart. */
static void reduce_tile(const reduce_job *job, const gp_reduce_target *target, const gp_strip *tile)
{
    const gp_reduction *r = target->job;
    int64_t first = tile->q * r->col_axis->n_cells + tile->cell0, n_cells = tile->cell1 - tile->cell0;
    double *without_nan = job->without_nan != NULL ? job->without_nan + first : NULL;
    double *out = r->leaves_out_nan ? without_nan : job->out + first;
    if (gp_reduce_tile(r, target->scratch, tile, out, job->n_targets > 1 ? NULL : without_nan))
        return;
    gp_states_reset(r->kind, target->states, n_cells);
    gp_reduce_strip(target, 1, tile);
    finish_cells(job, target, tile->q, tile->cell0, tile->cell1);
    target->scratch->expects_states = target->scratch->expects_bad || !are_all_finite(target->states, n_cells);
}

/* Cells that lie in the strip as a whole. */
static void reduce_tiles(const reduce_job *job, const gp_reduce_target *targets, const gp_strip *strip)
{
    const gp_reduction *r = targets[0].job;
    gp_strip tile = *strip;
    for (; tile.cell0 < strip->cell1; tile.cell0 = tile.cell1) {
        tile.cell1 = gp_tile_end(r, strip->row1 - strip->row0, tile.cell0, strip->cell1);
        tile.col0 = r->col_axis->spans[tile.cell0].touched_begin, tile.col1 = r->col_axis->spans[tile.cell1 - 1].touched_end;
        reduce_tile(job, &targets[0], &tile);
        if (job->n_targets > 1 && (targets[0].scratch->kept->has_nan || targets[1].scratch->expects_states)) {
            reduce_tile(job, &targets[1], &tile);
            targets[1].scratch->has_nan = true;
        }
    }
}

/* One row of cells in one group of columns, or one block of its rows. */
static void reduce_cell_row(const reduce_job *job, gp_reduce_target targets[2], int64_t q, int64_t block,
                            const gp_col_group *group)
{
    const gp_plan *plan = &job->plan;
    const gp_span *span = &targets[0].job->row_axis->spans[q];
    int64_t n_rows = span->touched_end - span->touched_begin, n_cells = group->cell1 - group->cell0;
    gp_strip strip = {.q = q, .col0 = group->col0, .col1 = group->col1, .cell0 = group->cell0, .cell1 = group->cell1};
    strip.row0 = span->touched_begin + gp_plan_block_begin(plan, n_rows, block);
    strip.row1 = span->touched_begin + gp_plan_block_begin(plan, n_rows, block + 1);
    if (job->is_whole && strip.row1 - strip.row0 <= targets[0].job->most_rows) {
        reduce_tiles(job, targets, &strip);
        return;
    }
    for (int i = 0; i < job->n_targets; i++) {
        if (plan->is_partial)
            targets[i].states = partial_states(job, i, q, block, group);
        gp_states_reset(targets[i].job->kind, targets[i].states, n_cells);
    }
    gp_reduce_strip(targets, job->n_targets, &strip);
    for (int i = 0; i < job->n_targets && !plan->is_partial; i++)
        finish_cells(job, &targets[i], q, group->cell0, group->cell1);
}

static gp_status reduce_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const reduce_job *job = context;
    const gp_plan *plan = &job->plan;
    const gp_col_group *group = &plan->groups[piece % plan->n_groups];
    int64_t block = piece / plan->n_groups % plan->n_row_blocks;
    int64_t q0 = plan->row_cell0 + piece / plan->n_groups / plan->n_row_blocks * plan->cell_rows_per_piece;
    int64_t q1 = q0 + plan->cell_rows_per_piece < plan->row_cell1 ? q0 + plan->cell_rows_per_piece : plan->row_cell1;
    (void)error;
    gp_reduce_target targets[2];
    targets_of(job, worker, targets);
    /* Nothing carries over from whichever piece this thread had before. */
    for (int i = 0; i < job->n_targets; i++)
        targets[i].scratch->expects_bad = targets[i].scratch->expects_states = false;
    for (int64_t q = q0; q < q1; q++)
        reduce_cell_row(job, targets, q, block, group);
    return GP_OK;
}

static gp_status nearest_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const reduce_job *job = context;
    const gp_plan *plan = &job->plan;
    int64_t q0 = plan->row_cell0 + piece * plan->cell_rows_per_piece;
    int64_t q1 = q0 + plan->cell_rows_per_piece < plan->row_cell1 ? q0 + plan->cell_rows_per_piece : plan->row_cell1;
    double *const outs[] = {job->out, job->without_nan};
    gp_reduce_target targets[2];
    (void)error;
    targets_of(job, worker, targets);
    gp_reduce_nearest(targets, job->n_targets, q0, q1, outs);
    for (int i = 1; i < job->n_targets; i++)
        targets[i].scratch->has_nan = true;
    return GP_OK;
}

/* Cells that several pieces share: their states in the order of blocks and groups. */
static void join_pieces(const reduce_job *job, int which, const gp_reduce_target *target)
{
    const gp_plan *plan = &job->plan;
    gp_state_kind kind = target->job->kind;
    for (int64_t q = plan->row_cell0; q < plan->row_cell1; q++) {
        gp_states_reset(kind, target->states, plan->col_cell1 - plan->col_cell0);
        for (int64_t block = 0; block < plan->n_row_blocks; block++)
            for (int64_t g = 0; g < plan->n_groups; g++) {
                const gp_col_group *group = &plan->groups[g];
                gp_states part = partial_states(job, which, q, block, group);
                gp_states here = gp_states_at(target->states, group->cell0 - plan->col_cell0);
                gp_states_join(kind, here, part, group->cell1 - group->cell0);
            }
        finish_cells(job, target, q, plan->col_cell0, plan->col_cell1);
    }
}

static gp_status alloc_partial(reduce_job *job, gp_error *error)
{
    const gp_plan *plan = &job->plan;
    int64_t n = (plan->row_cell1 - plan->row_cell0) * plan->n_row_blocks * plan->n_states;
    size_t n_bytes = rounded(states_bytes(n));
    GP_TRY(gp_alloc(n_bytes * (size_t)job->n_targets, &job->partial_memory, error));
    for (int i = 0; i < job->n_targets; i++)
        job->partial[i] = states_in((char *)job->partial_memory + n_bytes * (size_t)i, n);
    return GP_OK;
}

static gp_status run_pieces(reduce_job *job, int n_threads, gp_error *error)
{
    const gp_plan *plan = &job->plan;
    gp_reduce_target targets[2];
    if (job->reductions[0].agg == GP_AGG_NEAREST) {
        GP_TRY(gp_threads_run(plan->n_row_groups, n_threads, nearest_piece, job, error));
        job->has_nan = job->without_nan != NULL;
        if (job->has_nan && job->n_targets == 1) /* of one element there is nothing else */
            memcpy(job->without_nan, job->out, (size_t)(plan->row_cell1 * job->reductions[0].col_axis->n_cells) * sizeof(double));
        return GP_OK;
    }
    if (plan->is_partial)
        GP_TRY(alloc_partial(job, error));
    GP_TRY(gp_threads_run(plan->n_row_groups * plan->n_row_blocks * plan->n_groups, n_threads, reduce_piece, job, error));
    targets_of(job, 0, targets);
    for (int i = 0; i < job->n_targets && plan->is_partial; i++)
        join_pieces(job, i, &targets[i]);
    return GP_OK;
}

/* ---- a plane as it lies in memory ----------------------------------------------------------------------------------- */

/* What to find out about elements on the way; 0 where not every element is met. Counting takes a pass of its own. */
static unsigned fused_want(const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options)
{
    bool is_met = options->agg != GP_AGG_NEAREST && gp_axis_is_partition(rows) && gp_axis_is_partition(cols);
    return is_met && !(options->want & GP_WANT_COUNTS) ? options->want : 0;
}

/* NULL where all cells have one width. */
static gp_status make_col_weights(const gp_axis *cols, double **out, gp_error *error)
{
    if (cols->even_width > 0)
        return GP_OK;
    GP_TRY(gp_alloc((size_t)cols->n_cells * sizeof **out, out, error));
    for (int64_t p = 0; p < cols->n_cells; p++)
        (*out)[p] = gp_span_weight_of(&cols->spans[p], cols->spans[p].touched_begin, cols->spans[p].touched_end);
    return GP_OK;
}

static gp_status init_reduction(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                                int n_threads, reduce_job *job, gp_error *error)
{
    gp_reduction *r = &job->reductions[0];
    gp_rows_init(plane, options->nan, &r->rows);
    job->n_targets = job->without_nan != NULL && keeps_rows(r) ? 2 : 1;
    r->loops = gp_loops_for(r->rows.dtype);
    r->folds = gp_folds_here();
    r->row_axis = rows, r->col_axis = cols;
    bool splits_nan = job->without_nan != NULL && job->n_targets == 1;
    r->nan = job->out_states != NULL || splits_nan ? GP_NAN_INFINITE : options->nan;
    job->nan = options->nan;
    r->agg = options->agg, r->kind = gp_agg_kind(options->agg), r->order = gp_plane_order_type(plane);
    r->want = fused_want(rows, cols, options);
    r->chunk_elems = r->rows.source == GP_ROWS_IN_PLACE ? IN_PLACE_CHUNK : PACKED_CHUNK;
    if (r->chunk_elems > plane->n_cols)
        r->chunk_elems = plane->n_cols;
    r->most_rows = keeps_rows(r) ? GP_KEPT_ROWS : INT64_MAX;
    GP_TRY(gp_cell_columns_make(cols, &r->cell_columns, error));
    job->is_whole = !job->plan.is_partial && job->out_states == NULL && gp_can_reduce_tiles(r);
    GP_TRY(make_col_weights(cols, &r->col_weights, error));
    job->reductions[1] = *r;
    job->reductions[1].nan = GP_NAN_INFINITE, job->reductions[1].leaves_out_nan = true;
    return scratches_alloc(job->reductions, job->n_targets, cols->n_cells, n_threads, &job->scratches, error);
}

/* What the threads have seen; limits without NaN are those of all elements that it does not mark, and of the others without it. */
static void join_limits(const reduce_job *job, int n_threads, gp_limits_state *out, gp_limits_state *without_nan)
{
    gp_limits_state shown = gp_limits_state_none(), others = gp_limits_state_none();
    for (int i = 0; i < n_threads * job->n_targets; i++)
        gp_limits_state_join(i % job->n_targets == 0 ? &shown : &others, &job->scratches[i].limits);
    *out = shown;
    gp_limits_state_join(&others, &shown);
    if (without_nan != NULL)
        *without_nan = others;
}

static int64_t product(int64_t a, int64_t b) { return a > INT64_MAX / b ? INT64_MAX : a * b; }

/* Each row of cells is reduced once: those of the output, which come first in it now, to their places. */
static void spread_rows(const reduce_job *job, double *out, int64_t n_cols)
{
    for (int64_t q = job->distinct.n_cells - 1; q >= 0; q--)
        for (int64_t row = job->out_rows[q + 1] - 1; row >= job->out_rows[q]; row--)
            if (row != q)
                memcpy(out + row * n_cols, out + q * n_cols, (size_t)n_cols * sizeof(double));
}

/* Cells, or their partial results, without any elements. */
static void fill_nothing(const reduce_job *job, gp_agg agg, int64_t n)
{
    const gp_cell_state none = gp_cell_state_none(gp_agg_kind(agg));
    for (int64_t i = 0; i < n && job->out_states == NULL; i++)
        job->out[i] = gp_empty_cell();
    for (int64_t i = 0; i < n && job->out_states != NULL; i++)
        job->out_states[i] = none;
}

/* The job's distinct rows in the direction of growing index. *has_limits: the limits were found on the way. */
static gp_status reduce_distinct(reduce_job *job, const gp_plane *plane, const gp_axis *cols, const gp_reduce_options *options,
                                 gp_limits_state *limits, bool *has_limits, gp_error *error)
{
    const gp_axis *rows = &job->distinct;
    int64_t n_reads = gp_plane_reads_per_elem(plane);
    gp_status status = gp_plan_make(rows, cols, n_reads, &job->plan, error);
    int64_t n_cell_rows = job->plan.row_cell1 - job->plan.row_cell0, n_cell_cols = job->plan.col_cell1 - job->plan.col_cell0;
    int n_threads = gp_threads_for(gp_larger(product(job->plan.n_elems, n_reads), n_cell_rows * n_cell_cols));
    if (n_cell_rows < rows->n_cells || n_cell_cols < cols->n_cells)
        fill_nothing(job, options->agg, rows->n_cells * cols->n_cells);
    if (status == GP_OK && job->plan.n_elems > 0) {
        status = init_reduction(plane, rows, cols, options, n_threads, job, error);
        if (status == GP_OK)
            status = run_pieces(job, n_threads, error);
        *has_limits = status == GP_OK && job->reductions[0].want != 0 && limits != NULL;
        for (int i = 0; status == GP_OK && i < n_threads * job->n_targets; i++)
            job->has_nan |= job->scratches[i].has_nan;
        if (*has_limits)
            join_limits(job, n_threads, limits, options->limits_without_nan);
    }
    scratches_free(job->scratches, n_threads * job->n_targets);
    gp_cell_columns_free(&job->reductions[0].cell_columns);
    free(job->reductions[0].col_weights);
    free(job->partial_memory);
    gp_plan_free(&job->plan);
    return status;
}

/* All cells in the direction of growing index. */
static gp_status reduce_upright(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                                reduce_job *job, gp_limits_state *limits, bool *has_limits, gp_error *error)
{
    GP_TRY(gp_axis_distinct(rows, &job->distinct, &job->out_rows, error));
    gp_status status = reduce_distinct(job, plane, cols, options, limits, has_limits, error);
    if (status == GP_OK)
        spread_rows(job, job->out, cols->n_cells);
    if (status == GP_OK && job->has_nan)
        spread_rows(job, job->without_nan, cols->n_cells);
    gp_axis_free(&job->distinct);
    return status;
}

/* out[row][col] = cells[col][row], by blocks that fit the cache. */
static void turn_cells(const double *cells, int64_t n_rows, int64_t n_cols, double *out)
{
    for (int64_t row0 = 0; row0 < n_rows; row0 += TURN_BLOCK)
        for (int64_t col0 = 0; col0 < n_cols; col0 += TURN_BLOCK)
            for (int64_t row = row0; row < row0 + TURN_BLOCK && row < n_rows; row++)
                for (int64_t col = col0; col < col0 + TURN_BLOCK && col < n_cols; col++)
                    out[row * n_cols + col] = cells[col * n_rows + row];
}

static gp_status reduce_turned(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                               reduce_job *job, gp_limits_state *limits, bool *has_limits, gp_error *error)
{
    gp_plane turned = gp_plane_transpose(plane);
    double *out = job->out, *without_nan = job->without_nan;
    int64_t n = rows->n_cells * cols->n_cells;
    GP_FREED double *cells = NULL;
    GP_TRY(gp_alloc((size_t)n * sizeof(double) * (without_nan != NULL ? 2 : 1), &cells, error));
    job->out = cells, job->without_nan = without_nan != NULL ? cells + n : NULL;
    GP_TRY(reduce_upright(&turned, cols, rows, options, job, limits, has_limits, error));
    turn_cells(cells, rows->n_cells, cols->n_cells, out);
    if (job->has_nan)
        turn_cells(cells + n, rows->n_cells, cols->n_cells, without_nan);
    return GP_OK;
}

static void swap_cells(double *a, double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double kept = a[i];
        a[i] = b[i], b[i] = kept;
    }
}

/* Cells that stand for more or for fewer elements than they were made of; marks and empty ones do not change. */
static void multiply_cells(double *cells, const gp_axis *rows, const gp_axis *cols)
{
    for (int64_t row = 0; row < rows->n_cells && (rows->factors != NULL || cols->factors != NULL); row++)
        for (int64_t col = 0; col < cols->n_cells; col++)
            cells[row * cols->n_cells + col] = gp_axis_multiply(rows->factors, row, cols->factors, col,
                                                                cells[row * cols->n_cells + col]);
}

static void reverse_rows(double *cells, int64_t n_rows, int64_t n_cols)
{
    for (int64_t row = 0; row < n_rows / 2; row++)
        swap_cells(cells + row * n_cols, cells + (n_rows - 1 - row) * n_cols, n_cols);
}

static void reverse_cols(double *cells, int64_t n_rows, int64_t n_cols)
{
    for (int64_t row = 0; row < n_rows; row++)
        for (int64_t i = 0, k = n_cols - 1; i < k; i++, k--)
            swap_cells(&cells[row * n_cols + i], &cells[row * n_cols + k], 1);
}

/* Cells in the direction of growing index to those of the axes. */
static void arrange_cells(double *cells, const gp_axis *rows, const gp_axis *cols)
{
    multiply_cells(cells, rows, cols);
    if (rows->is_reversed)
        reverse_rows(cells, rows->n_cells, cols->n_cells);
    if (cols->is_reversed)
        reverse_cols(cells, rows->n_cells, cols->n_cells);
}

/* Limits that were not found on the way; without NaN there are others where hidden axes have left it out of elements. */
static gp_status limits_apart(const gp_plane *plane, const gp_reduce_options *options, gp_limits_state *limits, gp_error *error)
{
    gp_plane whole = *plane;
    whole.hidden_nan = options->nan;
    if (options->want == 0 || limits == NULL)
        return GP_OK;
    GP_TRY(gp_cpu_limits(&whole, options->want, limits, error));
    if (options->limits_without_nan == NULL)
        return GP_OK;
    *options->limits_without_nan = *limits;
    whole.hidden_nan = GP_NAN_INFINITE;
    if (plane->n_stages == 0 || limits->n_nan == 0)
        return GP_OK;
    return gp_cpu_limits(&whole, options->want, options->limits_without_nan, error);
}

gp_status gp_cpu_reduce(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                        gp_cells *out, gp_limits_state *limits, gp_error *error)
{
    GP_TRY(gp_axis_check_pair(rows, cols, plane->n_rows, plane->n_cols, out->n_rows, out->n_cols, error));
    bool has_limits = false;
    gp_reduce_options simple = *options;
    simple.agg = gp_axis_simplest_agg(rows, cols, options->agg);
    reduce_job job = {.out = out->data, .without_nan = options->without_nan != NULL ? options->without_nan->data : NULL};
    if (gp_plane_is_turned(plane))
        GP_TRY(reduce_turned(plane, rows, cols, &simple, &job, limits, &has_limits, error));
    else
        GP_TRY(reduce_upright(plane, rows, cols, &simple, &job, limits, &has_limits, error));
    arrange_cells(out->data, rows, cols);
    if (job.has_nan)
        arrange_cells(options->without_nan->data, rows, cols);
    gp_plane cells = gp_plane_of_cells(out);
    if (options->limits_of_cells != NULL)
        GP_TRY(gp_cpu_limits(&cells, GP_WANT_RANGE | GP_WANT_POSITIVE | GP_WANT_COUNTS, options->limits_of_cells, error));
    return has_limits ? GP_OK : limits_apart(plane, options, limits, error);
}

/* ---- partial results -------------------------------------------------------------------------------------------------- */

gp_status gp_cpu_reduce_states(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                               gp_cell_state *out, gp_limits_state *limits, gp_error *error)
{
    GP_TRY(gp_axis_check_pair(rows, cols, plane->n_rows, plane->n_cols, rows->n_cells, cols->n_cells, error));
    bool turns = gp_plane_is_turned(plane), has_limits = false;
    gp_plane upright = turns ? gp_plane_transpose(plane) : *plane;
    const gp_axis *upright_rows = turns ? cols : rows, *upright_cols = turns ? rows : cols;
    reduce_job job = {0};
    GP_TRY(gp_axis_distinct(upright_rows, &job.distinct, &job.out_rows, error));
    size_t n_bytes = (size_t)job.distinct.n_cells * (size_t)upright_cols->n_cells * sizeof *job.out_states;
    gp_status status = gp_alloc(n_bytes, &job.out_states, error);
    if (status == GP_OK)
        status = reduce_distinct(&job, &upright, upright_cols, options, limits, &has_limits, error);
    if (status == GP_OK)
        gp_cell_states_spread(gp_agg_kind(options->agg), job.out_states, upright_rows, upright_cols, job.out_rows,
                              job.distinct.n_cells, turns, out);
    free(job.out_states);
    gp_axis_free(&job.distinct);
    return status != GP_OK || has_limits ? status : limits_apart(plane, options, limits, error);
}
