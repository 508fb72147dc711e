/* The pieces of a reduction: each becomes values, or states where pieces cut cells, which are joined in one order. */
#include "reduce_job.h"

#include "../../core/base/alloc.h"
#include "reduce_ways.h"
#include "../../core/base/threads.h"

/* Whether NaN may mark one of n cells; masked elements beside others may count as NaN. */
static bool may_be_nan(gp_states states, int64_t n)
{
    uint8_t has = 0;
    for (int64_t i = 0; i < n; i++)
        has |= states.has[i];
    return (has & (GP_HAS_NAN | GP_HAS_MASKED)) != 0;
}

static void finish_states(const gp_reduce_target *target, gp_nan nan, int64_t n, double *out)
{
    const gp_reduction *r = target->job;
    bool adds = r->kind == GP_STATE_MOMENTS || (r->kind == GP_STATE_SUM && !gp_agg_is(r->agg, GP_AGG_OWNED));
    gp_states_finish(r->agg, nan, r->order, r->folds, target->states, n, out);
    if (adds && r->rows.dtype == GP_F64)
        target->scratch->needs |= gp_states_need(r->kind, nan, target->states, n);
}

static void put_states(gp_states states, int64_t n, gp_cell_state *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = gp_states_get(states, i);
}

/* Finishes states as the values of cells from cell0 on; a single target also gets the values without NaN. */
static void finish_cells(const gp_reduce_job *job, const gp_reduce_target *target, int64_t q, int64_t cell0, int64_t cell1)
{
    const gp_reduction *r = target->job;
    int64_t first = q * r->col_axis->n_cells + cell0, n = cell1 - cell0;
    if (job->out_states != NULL) {
        put_states(target->states, n, job->out_states + first);
        return;
    }
    if (!r->leaves_out_nan)
        finish_states(target, job->nan, n, job->out + first);
    if (job->without_nan == NULL || (job->n_targets > 1 ? !r->leaves_out_nan : !may_be_nan(target->states, n)))
        return;
    finish_states(target, GP_NAN_INFINITE, n, job->without_nan + first);
    target->scratch->has_nan = true;
}

static gp_states partial_states(const gp_reduce_job *job, int which, int64_t q, int64_t block, const gp_col_group *group)
{
    int64_t first = ((q - job->plan.row_cell0) * job->plan.n_row_blocks + block) * job->plan.n_states + group->first_state;
    return gp_states_at(job->partial[which], first);
}

/* The jobs that go through their pieces together, which are the same ones. */
typedef struct gp_reduce_jobs {
    const gp_reduce_job *jobs;
    int n_jobs;
} gp_reduce_jobs;

/* The targets of a thread. */
static void targets_of(const gp_reduce_job *job, int worker, gp_reduce_target out[2])
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

/* Reduces a tile to what the job asks for of a target; false where kinds of elements must be told apart for that. */
static bool reduce_tile_at_once(const gp_reduce_job *job, const gp_reduce_target *target, const gp_strip *tile)
{
    const gp_reduction *r = target->job;
    int64_t first = tile->q * r->col_axis->n_cells + tile->cell0;
    if (job->out_states != NULL) {
        bool is_done = gp_reduce_tile_states(r, target->scratch, tile, target->states);
        put_states(target->states, is_done ? tile->cell1 - tile->cell0 : 0, job->out_states + first);
        return is_done;
    }
    double *without_nan = job->without_nan != NULL ? job->without_nan + first : NULL;
    double *out = r->leaves_out_nan ? without_nan : job->out + first;
    return gp_reduce_tile(r, target->scratch, tile, out, job->n_targets > 1 ? NULL : without_nan);
}

static void reduce_tile(const gp_reduce_job *job, const gp_reduce_target *target, const gp_strip *tile)
{
    int64_t n_cells = tile->cell1 - tile->cell0;
    if (reduce_tile_at_once(job, target, tile))
        return;
    gp_states_reset(target->job->kind, target->states, n_cells);
    gp_reduce_strip(target, 1, tile);
    finish_cells(job, target, tile->q, tile->cell0, tile->cell1);
    target->scratch->expects_states = target->scratch->expects_bad || !are_all_finite(target->states, n_cells);
}

static void swap_flags(bool *a, bool *b)
{
    bool kept = *a;
    *a = *b, *b = kept;
}

/* Tiles with and without masked elements alternate, and are expected to be like the last ones of their kind. */
static void swap_expectations(gp_scratch *scratch)
{
    swap_flags(&scratch->expects_states, &scratch->unmasked_states);
    swap_flags(&scratch->expects_bad, &scratch->unmasked_bad);
}

/* Reduces a tile, as without a mask where that hides nothing in it. */
static void reduce_tile_by_mask(const gp_reduce_job *job, const gp_reduce_target *target, const gp_strip *tile)
{
    gp_reduce_target unmasked = {&job->unmasked, target->scratch, target->states};
    if (!job->has_unmasked || gp_plane_hides(&target->job->rows.plane, tile->row0, tile->row1, tile->col0, tile->col1)) {
        reduce_tile(job, target, tile);
        return;
    }
    swap_expectations(target->scratch);
    reduce_tile(job, &unmasked, tile);
    swap_expectations(target->scratch);
}

/* Reduces cells that are completely within the strip. */
static void reduce_tiles(const gp_reduce_job *job, const gp_reduce_target *targets, const gp_strip *strip)
{
    const gp_reduction *r = targets[0].job;
    gp_strip tile = *strip;
    for (; tile.cell0 < strip->cell1; tile.cell0 = tile.cell1) {
        tile.cell1 = gp_tile_end(r, strip->row1 - strip->row0, tile.cell0, strip->cell1);
        tile.col0 = r->col_axis->spans[tile.cell0].touched_begin, tile.col1 = r->col_axis->spans[tile.cell1 - 1].touched_end;
        reduce_tile_by_mask(job, &targets[0], &tile);
        if (job->n_targets > 1 && (targets[0].scratch->kept->has_nan || targets[1].scratch->expects_states)) {
            reduce_tile(job, &targets[1], &tile);
            targets[1].scratch->has_nan = true;
        }
    }
}

/* Reduces one piece: a row of cells in a group of columns, or a block of the rows of its elements. */
static void reduce_cell_row(const gp_reduce_job *job, gp_reduce_target targets[2], int64_t q, int64_t block,
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

/* The targets of a thread at the beginning of a piece: it expects nothing, so that results do not depend on the pieces before. */
static void begin_piece(const gp_reduce_job *job, int worker, gp_reduce_target targets[2])
{
    targets_of(job, worker, targets);
    for (int i = 0; i < job->n_targets; i++) {
        gp_scratch *scratch = targets[i].scratch;
        scratch->expects_bad = scratch->expects_states = scratch->unmasked_bad = scratch->unmasked_states = false;
    }
}

static gp_status reduce_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const gp_reduce_jobs *all = context;
    const gp_plan *plan = &all->jobs[0].plan;
    const gp_col_group *group = &plan->groups[piece % plan->n_groups];
    int64_t block = piece / plan->n_groups % plan->n_row_blocks;
    int64_t q0 = plan->row_cell0 + piece / plan->n_groups / plan->n_row_blocks * plan->cell_rows_per_piece;
    int64_t q1 = q0 + plan->cell_rows_per_piece < plan->row_cell1 ? q0 + plan->cell_rows_per_piece : plan->row_cell1;
    (void)error;
    gp_reduce_target targets[GP_MAX_CHANNELS][2];
    for (int i = 0; i < all->n_jobs; i++)
        begin_piece(&all->jobs[i], worker, targets[i]);
    for (int64_t q = q0; q < q1; q++)
        for (int i = 0; i < all->n_jobs; i++)
            reduce_cell_row(&all->jobs[i], targets[i], q, block, group);
    return GP_OK;
}

static gp_status nearest_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const gp_reduce_job *job = context;
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

/* Joins the states of cells that several pieces share, in the order of blocks and groups. */
static void join_pieces(const gp_reduce_job *job, int which, const gp_reduce_target *target)
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

static gp_status alloc_partial(gp_reduce_job *job, gp_error *error)
{
    const gp_plan *plan = &job->plan;
    int64_t n = (plan->row_cell1 - plan->row_cell0) * plan->n_row_blocks * plan->n_states;
    size_t n_bytes = gp_states_bytes(n);
    GP_TRY(gp_alloc(n_bytes * (size_t)job->n_targets, &job->partial_memory, error));
    for (int i = 0; i < job->n_targets; i++)
        job->partial[i] = gp_states_in((char *)job->partial_memory + n_bytes * (size_t)i, n);
    return GP_OK;
}

static gp_status take_nearest(gp_reduce_job *job, int n_threads, gp_error *error)
{
    int64_t n_cells = job->plan.row_cell1 * job->reductions[0].col_axis->n_cells;
    GP_TRY(gp_threads_run(job->plan.n_row_groups, n_threads, nearest_piece, job, error));
    job->has_nan = job->without_nan != NULL;
    if (job->has_nan && job->n_targets == 1) /* a cell of a single element has no value without NaN */
        memcpy(job->without_nan, job->out, (size_t)n_cells * sizeof(double));
    return GP_OK;
}

static void join_targets(const gp_reduce_job *job)
{
    gp_reduce_target targets[2];
    targets_of(job, 0, targets);
    for (int i = 0; i < job->n_targets && job->plan.is_partial; i++)
        join_pieces(job, i, &targets[i]);
}

gp_status gp_reduce_pieces(gp_reduce_job *jobs, int n_jobs, int n_threads, gp_error *error)
{
    const gp_plan *plan = &jobs[0].plan;
    gp_reduce_jobs all = {jobs, n_jobs};
    for (int i = 0; i < n_jobs && jobs[0].reductions[0].agg == GP_AGG_NEAREST; i++)
        GP_TRY(take_nearest(&jobs[i], n_threads, error));
    if (jobs[0].reductions[0].agg == GP_AGG_NEAREST)
        return GP_OK;
    for (int i = 0; i < n_jobs && plan->is_partial; i++)
        GP_TRY(alloc_partial(&jobs[i], error));
    GP_TRY(gp_threads_run(plan->n_row_groups * plan->n_row_blocks * plan->n_groups, n_threads, reduce_piece, &all, error));
    for (int i = 0; i < n_jobs; i++)
        join_targets(&jobs[i]);
    return GP_OK;
}
