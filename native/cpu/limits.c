/* Limits of every element of a plane: smallest, largest, smallest positive, and how many are not finite. */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "read/block_summary.h"
#include "read/plane_scan.h"
#include "../core/base/threads.h"

typedef struct limits_job {
    const gp_plane_scan *scan;
    const gp_loops *loops;
    unsigned want;
    gp_limits_state *states; /* of each worker */
} limits_job;

typedef struct piece_limits {
    const limits_job *job;
    gp_limits_state state;
    double positive;
} piece_limits;

static void look_at_block(void *context, const void *elems, int n, int n_masked)
{
    piece_limits *mine = context;
    const limits_job *job = mine->job;
    gp_row_reader_add_limits(&job->scan->rows, job->loops, elems, n, &mine->state);
    mine->state.n_masked += n_masked;
    if (job->want & GP_WANT_POSITIVE)
        job->loops->positive(elems, n, &mine->positive);
}

static gp_status look_at_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const limits_job *job = context;
    piece_limits mine = {job, gp_limits_state_none(), (double)INFINITY};
    gp_scan_box box = gp_plane_scan_box(job->scan, piece);
    (void)error;
    gp_plane_scan_each(job->scan, worker, &box, look_at_block, &mine);
    gp_limits_state_add_positive(&mine.state, mine.positive);
    gp_limits_state_join(&job->states[worker], &mine.state);
    return GP_OK;
}

gp_status gp_cpu_limits(const gp_plane *plane, unsigned want, gp_limits_state *out, gp_error *error)
{
    GP_OWNED_PLANE_SCAN scan = {0};
    GP_FREED gp_limits_state *states = NULL;
    GP_TRY(gp_plane_scan_init(plane, &scan, error));
    GP_TRY(gp_alloc((size_t)scan.n_threads * sizeof *states, &states, error));
    for (int i = 0; i < scan.n_threads; i++)
        states[i] = gp_limits_state_none();
    limits_job job = {&scan, gp_loops_for(scan.rows.dtype), want, states};
    GP_TRY(gp_threads_run(scan.n_pieces, scan.n_threads, look_at_piece, &job, error));
    for (int i = 1; i < scan.n_threads; i++)
        gp_limits_state_join(&states[0], &states[i]);
    *out = states[0];
    return GP_OK;
}
