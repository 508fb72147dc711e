/*
 * Counts, or adds up, the elements of several planes by the bins of one or two of them.
 *
 * Planes are read side by side, in blocks that stay in the nearest cache. What belongs nowhere has a bin of its own behind all others, so
 * that nothing has to be asked while counting. Counts are each thread's own. Sums are those of groups of pieces, cut by geometry alone
 * and joined in order: the same bits on any number of threads.
 */
#include "cpu.h"

#include "bins.h"
#include "rows.h"
#include "tally.h"
#include "threads.h"

#include <stdlib.h>

enum { PIECE_ELEMS = 1 << 17, MOST_GROUPS = 64, MOST_TABLE_BYTES = 1 << 28, MOST_SUM_BYTES = 1 << 26, ALIGNED = 64 };

typedef struct joint_side {
    gp_rows rows;
    const uint8_t *mask;
    const gp_look_loops *loops;
    gp_bins bins;
    int32_t bin_of_code[GP_N_CODES];
} joint_side;

typedef struct joint_job {
    joint_side sides[2];
    int n_sides;
    bool has_weights;
    gp_rows weights;
    gp_moment moment;
    int64_t n_rows, n_cols, box_rows, box_cols, n_col_boxes, n_pieces;
    int64_t n_bins, n_slots; /* n_bins of all sides together, and one more */
    int64_t n_groups, *counts; /* n_slots of each thread, or one of each group */
    double *sums;              /* n_slots of each group */
    char *memory;
    size_t side_bytes, worker_bytes;
} joint_job;

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

static void drop_masked(const joint_side *side, int64_t row, int64_t col, int n, int32_t *slots)
{
    const gp_plane *plane = &side->rows.plane;
    const uint8_t *mask = side->mask + row * plane->mask_row_stride_bytes + col * plane->mask_col_stride_bytes;
    for (int i = 0; i < n; i++)
        if ((mask[i * plane->mask_col_stride_bytes] != 0) != plane->is_mask_inverted)
            slots[i] = (int32_t)side->bins.n_bins;
}

/* The bins of both sides as one. */
static void join_slots(const joint_job *job, const int32_t *inner, int n, int32_t *slots)
{
    int32_t n_outer = (int32_t)job->sides[0].bins.n_bins, n_inner = (int32_t)job->sides[1].bins.n_bins,
            nowhere = (int32_t)job->n_bins;
    for (int i = 0; i < n; i++) {
        int32_t outer = slots[i] < n_outer ? slots[i] : 0, slot = outer * n_inner + inner[i];
        slots[i] = slots[i] < n_outer && inner[i] < n_inner ? slot : nowhere;
    }
}

/* The slots of both sides together of n elements of a row. */
static void find_slots(const joint_job *job, char *memory, int64_t row, int64_t col, int n, int32_t *slots)
{
    int32_t inner[GP_LOOK_ELEMS];
    for (int k = 0; k < job->n_sides; k++) {
        const joint_side *side = &job->sides[k];
        char *buffer = memory + (size_t)k * job->side_bytes;
        int32_t *found = k == 0 ? slots : inner;
        const void *elems = gp_rows_get(&side->rows, row, col, n, buffer, buffer + GP_LOOK_ELEMS * sizeof(double));
        side->loops->find_slots(elems, n, &side->bins, found);
        if (side->mask != NULL)
            drop_masked(side, row, col, n, found);
    }
    if (job->n_sides > 1)
        join_slots(job, inner, n, slots);
}

typedef void (*take_slots)(void *context, int64_t row, int64_t col, int n, int32_t *slots);

static void each_block(const joint_job *job, int worker, int64_t piece, take_slots take, void *context)
{
    int64_t row0 = piece / job->n_col_boxes * job->box_rows, col0 = piece % job->n_col_boxes * job->box_cols;
    int64_t row1 = row0 + job->box_rows < job->n_rows ? row0 + job->box_rows : job->n_rows;
    int64_t col1 = col0 + job->box_cols < job->n_cols ? col0 + job->box_cols : job->n_cols;
    char *memory = job->memory + (size_t)worker * job->worker_bytes;
    int32_t slots[GP_LOOK_ELEMS];
    for (int64_t row = row0; row < row1; row++)
        for (int64_t col = col0; col < col1; col += GP_LOOK_ELEMS) {
            int n = col1 - col < GP_LOOK_ELEMS ? (int)(col1 - col) : GP_LOOK_ELEMS;
            find_slots(job, memory, row, col, n, slots);
            take(context, row, col, n, slots);
        }
}

/* ---- counts ---------------------------------------------------------------------------------------------------------- */

static void count_block(void *context, int64_t row, int64_t col, int n, int32_t *slots)
{
    (void)row, (void)col;
    gp_tally_add(context, slots, n);
}

static gp_status count_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const joint_job *job = context;
    gp_tally tally;
    (void)error;
    gp_tally_begin(&tally, job->n_slots - 1, job->counts + worker * job->n_slots, job->box_rows * job->box_cols);
    each_block(job, worker, piece, count_block, &tally);
    gp_tally_end(&tally);
    return GP_OK;
}

/* ---- sums ------------------------------------------------------------------------------------------------------------ */

typedef struct group_sums {
    const joint_job *job;
    double *sums;
    int64_t n_counted;
} group_sums;

/* What weights count, and where: masked ones nowhere. */
static void settle_weights(const joint_job *job, bool has_mask, int n, double *weights, int32_t *slots)
{
    for (int i = 0; i < n && has_mask; i++)
        slots[i] = gp_is_masked_value(weights[i]) ? (int32_t)job->n_bins : slots[i];
    for (int i = 0; i < n && job->moment.power > 0; i++)
        weights[i] = gp_moment_of(&job->moment, weights[i]);
}

static void add_block(void *context, int64_t row, int64_t col, int n, int32_t *slots)
{
    group_sums *mine = context;
    const gp_rows *rows = &mine->job->weights;
    const gp_plane *plane = &rows->plane;
    const char *data = (const char *)plane->data + row * plane->row_stride_bytes + col * plane->col_stride_bytes;
    const uint8_t *mask = plane->mask;
    double weights[GP_LOOK_ELEMS];
    if (mask != NULL)
        mask += row * plane->mask_row_stride_bytes + col * plane->mask_col_stride_bytes;
    gp_rows_load_values(rows, GP_COMPONENT_VALUE, data, mask, n, weights);
    settle_weights(mine->job, mask != NULL, n, weights, slots);
    for (int i = 0; i < n; i++) {
        mine->sums[slots[i]] += weights[i];
        mine->n_counted += slots[i] < mine->job->n_bins;
    }
}

static gp_status add_group(void *context, int64_t group, int worker, gp_error *error)
{
    const joint_job *job = context;
    group_sums mine = {job, job->sums + group * job->n_slots, 0};
    (void)error;
    for (int64_t piece = group * job->n_pieces / job->n_groups; piece < (group + 1) * job->n_pieces / job->n_groups; piece++)
        each_block(job, worker, piece, add_block, &mine);
    job->counts[group] = mine.n_counted;
    return GP_OK;
}

/* ---- the job --------------------------------------------------------------------------------------------------------- */

static void open_side(const gp_joint_side *from, joint_side *side)
{
    gp_plane plane = *from->plane;
    side->mask = plane.mask, plane.mask = NULL;
    gp_rows_init(&plane, plane.hidden_nan, &side->rows);
    side->loops = gp_look_loops_for(side->rows.dtype);
    side->bins = gp_bins_of(from->edges, from->n_bins);
    if (from->range != NULL)
        gp_bins_set_range(&side->bins, side->rows.dtype, from->range);
    if (side->rows.item_bytes == 1)
        gp_bins_set_codes(&side->bins, side->rows.dtype, side->bin_of_code);
}

static void cut_boxes(joint_job *job)
{
    job->box_cols = job->n_cols < PIECE_ELEMS ? job->n_cols : PIECE_ELEMS;
    job->box_rows = PIECE_ELEMS / job->box_cols < job->n_rows ? PIECE_ELEMS / job->box_cols : job->n_rows;
    job->n_col_boxes = (job->n_cols + job->box_cols - 1) / job->box_cols;
    job->n_pieces = (job->n_rows + job->box_rows - 1) / job->box_rows * job->n_col_boxes;
}

static gp_status open_job(const gp_joint *joint, joint_job *job, gp_error *error)
{
    *job = (joint_job){.n_sides = joint->n_sides, .has_weights = joint->weights != NULL, .moment = joint->moment};
    job->n_rows = joint->sides[0].plane->n_rows, job->n_cols = joint->sides[0].plane->n_cols;
    for (int k = 0; k < job->n_sides; k++)
        open_side(&joint->sides[k], &job->sides[k]);
    if (job->has_weights)
        gp_rows_init(joint->weights, joint->weights->hidden_nan, &job->weights);
    job->n_bins = gp_joint_bins(joint), job->n_slots = job->n_bins + 1;
    cut_boxes(job);
    int n_threads = gp_threads_for(job->n_rows * job->n_cols);
    size_t scratch_bytes = 0;
    for (int k = 0; k < job->n_sides; k++)
        scratch_bytes += gp_rows_scratch_bytes(&job->sides[k].rows, GP_LOOK_ELEMS);
    job->side_bytes = (GP_LOOK_ELEMS * sizeof(double) + scratch_bytes + ALIGNED) / ALIGNED * ALIGNED;
    job->worker_bytes = 2 * job->side_bytes;
    job->memory = gp_cpu_alloc(job->worker_bytes * (size_t)n_threads);
    return job->memory != NULL ? GP_OK : gp_fail_memory(error, (double)job->worker_bytes * n_threads);
}

/* As many threads as tables of counts have room for. */
static int threads_for(const joint_job *job)
{
    int64_t most = MOST_TABLE_BYTES / (job->n_slots * (int64_t)sizeof *job->counts);
    int n_threads = gp_threads_for(job->n_rows * job->n_cols);
    n_threads = job->n_pieces < n_threads ? (int)job->n_pieces : n_threads;
    return most < 1 ? 1 : most < n_threads ? (int)most : n_threads;
}

static gp_status count_all(joint_job *job, int64_t *counts, int64_t *n_counted, gp_error *error)
{
    int n_threads = threads_for(job);
    job->counts = calloc((size_t)n_threads * (size_t)job->n_slots, sizeof *job->counts);
    if (job->counts == NULL)
        return gp_fail_memory(error, (double)n_threads * (double)job->n_slots * sizeof *job->counts);
    GP_TRY(gp_threads_run(job->n_pieces, n_threads, count_piece, job, error));
    for (int64_t bin = 0; bin < job->n_bins; bin++) {
        counts[bin] = 0;
        for (int worker = 0; worker < n_threads; worker++)
            counts[bin] += job->counts[worker * job->n_slots + bin];
        *n_counted += counts[bin];
    }
    return GP_OK;
}

static gp_status add_all(joint_job *job, double *sums, int64_t *n_counted, gp_error *error)
{
    int64_t most = MOST_SUM_BYTES / (job->n_slots * (int64_t)sizeof *job->sums);
    job->n_groups = most < 1 ? 1 : most < MOST_GROUPS ? most : MOST_GROUPS;
    job->n_groups = job->n_groups < job->n_pieces ? job->n_groups : job->n_pieces;
    job->sums = calloc((size_t)job->n_groups * (size_t)job->n_slots, sizeof *job->sums);
    job->counts = calloc((size_t)job->n_groups, sizeof *job->counts);
    if (job->sums == NULL || job->counts == NULL)
        return gp_fail_memory(error, (double)job->n_groups * (double)job->n_slots * sizeof *job->sums);
    int n_threads = gp_threads_for(job->n_rows * job->n_cols);
    n_threads = job->n_groups < n_threads ? (int)job->n_groups : n_threads;
    GP_TRY(gp_threads_run(job->n_groups, n_threads, add_group, job, error));
    for (int64_t bin = 0; bin < job->n_bins; bin++) {
        sums[bin] = 0;
        for (int64_t group = 0; group < job->n_groups; group++)
            sums[bin] += job->sums[group * job->n_slots + bin];
    }
    for (int64_t group = 0; group < job->n_groups; group++)
        *n_counted += job->counts[group];
    return GP_OK;
}

gp_status gp_cpu_histogram_joint(const gp_joint *joint, int64_t *counts, double *sums, int64_t *n_counted, gp_error *error)
{
    joint_job job;
    GP_TRY(gp_joint_check(joint, error));
    *n_counted = 0;
    if (joint->sides[0].plane->n_rows == 0 || joint->sides[0].plane->n_cols == 0) {
        memset(joint->weights != NULL ? (void *)sums : (void *)counts, 0, (size_t)gp_joint_bins(joint) * 8);
        return GP_OK;
    }
    gp_status status = open_job(joint, &job, error);
    if (status == GP_OK && joint->weights != NULL)
        status = add_all(&job, sums, n_counted, error);
    else if (status == GP_OK)
        status = count_all(&job, counts, n_counted, error);
    free(job.counts);
    free(job.sums);
    free(job.memory);
    return status;
}
