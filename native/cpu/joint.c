/*
 * Joint histograms: counts the elements of several planes, or adds up their weights, by the bins of one or two planes.
 *
 * Planes are read together, in blocks that stay in the nearest cache. Elements in no bin have an extra bin after all others, so that
 * counting has no branches. Each thread has its own counts. Sums are made for groups of pieces, which depend on the number of elements
 * alone, and are joined in order: the same bits on any number of threads.
 */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "bins.h"
#include "read/coordinate.h"
#include "simd/tally.h"

enum { PIECE_ELEMS = 1 << 17, MOST_GROUPS = 64, MOST_SUM_BYTES = 1 << 26 };

typedef struct joint_side {
    gp_row_reader rows;
    gp_plane plane; /* with the mask, which the rows lack */
    const gp_block_loops *loops;
    gp_bins bins;
    int32_t bin_of_code[GP_N_CODES];
} joint_side;

typedef struct joint_job {
    joint_side sides[2];
    int n_sides;
    gp_coordinate weights;
    gp_moment moment;
    int64_t n_elems, n_cols, n_pieces;
    int64_t n_bins, n_slots; /* n_bins of all sides together, and one more */
    int64_t n_groups, *counts; /* n_slots of each thread, or one of each group */
    double *sums;              /* n_slots of each group */
    char *memory;
    size_t scratch_bytes; /* for each thread, after its block of elements */
} joint_job;

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

static const void *get(const joint_job *job, const gp_row_reader *rows, int worker, gp_run run)
{
    char *packed = job->memory + (size_t)worker * (GP_BLOCK_ELEMS * sizeof(double) + job->scratch_bytes);
    return gp_row_reader_get(rows, run.row, run.col, run.n, packed, packed + GP_BLOCK_ELEMS * sizeof(double));
}

static void drop_masked(const joint_side *side, gp_run run, int32_t *slots)
{
    const gp_plane *plane = &side->plane;
    const uint8_t *mask = gp_plane_mask_at(plane, run.row, run.col);
    for (int i = 0; i < run.n && mask != NULL; i++)
        if ((mask[i * plane->mask_col_stride_bytes] != 0) != plane->is_mask_inverted)
            slots[i] = (int32_t)side->bins.n_bins;
}

/* Combines the bins of both sides. */
static void join_slots(const joint_job *job, const int32_t *inner, int n, int32_t *slots)
{
    int32_t n_outer = (int32_t)job->sides[0].bins.n_bins, n_inner = (int32_t)job->sides[1].bins.n_bins,
            nowhere = (int32_t)job->n_bins;
    for (int i = 0; i < n; i++) {
        int32_t outer = slots[i] < n_outer ? slots[i] : 0, slot = outer * n_inner + inner[i];
        slots[i] = slots[i] < n_outer && inner[i] < n_inner ? slot : nowhere;
    }
}

/* Combines the slots of both sides. */
static void find_slots(const joint_job *job, int worker, gp_run run, int32_t *slots)
{
    int32_t inner[GP_BLOCK_ELEMS];
    for (int k = 0; k < job->n_sides; k++) {
        const joint_side *side = &job->sides[k];
        int32_t *found = k == 0 ? slots : inner;
        side->loops->find_slots(get(job, &side->rows, worker, run), run.n, &side->bins, found);
        drop_masked(side, run, found);
    }
    if (job->n_sides > 1)
        join_slots(job, inner, run.n, slots);
}

typedef void (*take_slots)(void *context, int worker, gp_run run, int32_t *slots);

static void each_block(const joint_job *job, int worker, int64_t piece, take_slots take, void *context)
{
    int64_t begin = piece * PIECE_ELEMS, end = job->n_elems - begin < PIECE_ELEMS ? job->n_elems : begin + PIECE_ELEMS;
    int32_t slots[GP_BLOCK_ELEMS];
    gp_run run;
    for (int64_t at = begin; at < end; at += run.n) {
        run = gp_run_at(at, end, job->n_cols, GP_BLOCK_ELEMS);
        find_slots(job, worker, run, slots);
        take(context, worker, run, slots);
    }
}

/* ---- counts ---------------------------------------------------------------------------------------------------------- */

static void count_block(void *context, int worker, gp_run run, int32_t *slots)
{
    (void)worker;
    gp_tally_add(context, slots, run.n);
}

static gp_status count_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const joint_job *job = context;
    gp_tally tally;
    (void)error;
    gp_tally_begin(&tally, job->n_bins, job->counts + worker * job->n_slots, PIECE_ELEMS);
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

/* Moves elements with a masked weight to the extra bin, and turns weights into those of the moment. */
static void settle_weights(const joint_job *job, int n, double *weights, int32_t *slots)
{
    bool has_mask = job->weights.rows.plane.mask != NULL;
    for (int i = 0; i < n && has_mask; i++)
        slots[i] = gp_is_masked_value(weights[i]) ? (int32_t)job->n_bins : slots[i];
    for (int i = 0; i < n && job->moment.power > 0; i++)
        weights[i] = gp_moment_of(&job->moment, weights[i]);
}

static void add_block(void *context, int worker, gp_run run, int32_t *slots)
{
    group_sums *mine = context;
    const joint_job *job = mine->job;
    double weights[GP_BLOCK_ELEMS];
    job->weights.loops->values(get(job, &job->weights.rows, worker, run), run.n, weights);
    settle_weights(job, run.n, weights, slots);
    for (int i = 0; i < run.n; i++) {
        mine->sums[slots[i]] += weights[i];
        mine->n_counted += slots[i] < job->n_bins;
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
    side->plane = plane, plane.mask = NULL;
    gp_row_reader_init(&plane, plane.hidden_nan, &side->rows);
    side->loops = gp_block_loops_for(side->rows.dtype);
    side->bins = gp_bins_of(side->rows.dtype, from->edges, from->n_bins);
    if (from->range != NULL)
        gp_bins_set_range(&side->bins, side->rows.dtype, from->range);
    if (side->rows.item_bytes == 1)
        gp_bins_set_codes(&side->bins, side->rows.dtype, side->bin_of_code);
}

static void open_job(const gp_joint *joint, joint_job *job)
{
    const gp_plane *first = joint->sides[0].plane;
    size_t scratch_bytes = 0;
    *job = (joint_job){.n_sides = joint->n_sides, .moment = joint->moment, .n_cols = first->n_cols};
    for (int k = 0; k < job->n_sides; k++) {
        open_side(&joint->sides[k], &job->sides[k]);
        scratch_bytes += gp_row_reader_scratch_bytes(&job->sides[k].rows, GP_BLOCK_ELEMS);
    }
    if (joint->weights != NULL) {
        job->weights = gp_coordinate_of(joint->weights);
        scratch_bytes += gp_row_reader_scratch_bytes(&job->weights.rows, GP_BLOCK_ELEMS);
    }
    job->scratch_bytes = (scratch_bytes + 63) / 64 * 64;
    job->n_bins = gp_joint_bins(joint), job->n_slots = job->n_bins + 1;
    job->n_elems = first->n_rows * first->n_cols, job->n_pieces = (job->n_elems + PIECE_ELEMS - 1) / PIECE_ELEMS;
}

static gp_status count_all(joint_job *job, int n_threads, int64_t *counts, int64_t *n_counted, gp_error *error)
{
    GP_TRY(gp_tally_run(job->n_pieces, n_threads, count_piece, job, &job->counts, job->n_slots, job->n_bins, counts, error));
    for (int64_t bin = 0; bin < job->n_bins; bin++)
        *n_counted += counts[bin];
    return GP_OK;
}

static gp_status add_all(joint_job *job, int n_threads, double *sums, int64_t *n_counted, gp_error *error)
{
    GP_FREED double *tables = NULL;
    GP_FREED int64_t *counts = NULL;
    int64_t most = MOST_SUM_BYTES / (job->n_slots * (int64_t)sizeof *job->sums);
    job->n_groups = most < 1 ? 1 : most < MOST_GROUPS ? most : MOST_GROUPS;
    job->n_groups = job->n_groups < job->n_pieces ? job->n_groups : job->n_pieces;
    GP_TRY(gp_alloc_zeroed((size_t)job->n_groups * (size_t)job->n_slots * sizeof *tables, &tables, error));
    GP_TRY(gp_alloc_zeroed((size_t)job->n_groups * sizeof *counts, &counts, error));
    job->sums = tables, job->counts = counts;
    GP_TRY(gp_threads_run(job->n_groups, n_threads, add_group, job, error));
    memset(sums, 0, (size_t)job->n_bins * sizeof *sums);
    for (int64_t group = 0; group < job->n_groups; group++) {
        for (int64_t bin = 0; bin < job->n_bins; bin++)
            sums[bin] += tables[group * job->n_slots + bin];
        *n_counted += counts[group];
    }
    return GP_OK;
}

gp_status gp_cpu_histogram_joint(const gp_joint *joint, int64_t *counts, double *sums, int64_t *n_counted, gp_error *error)
{
    joint_job job;
    GP_FREED char *memory = NULL;
    GP_TRY(gp_joint_check(joint, error));
    *n_counted = 0;
    open_job(joint, &job);
    int n_threads = gp_threads_for(job.n_elems);
    GP_TRY(gp_alloc((GP_BLOCK_ELEMS * sizeof(double) + job.scratch_bytes) * (size_t)n_threads, &memory, error));
    job.memory = memory;
    return joint->weights != NULL ? add_all(&job, n_threads, sums, n_counted, error)
                                  : count_all(&job, n_threads, counts, n_counted, error);
}
