/* Summarizes a plane: a part for each piece, joined in the order of the pieces; then where extremes and the first NaN are. */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "find.h"
#include "read/block_summary.h"
#include "../core/base/threads.h"

/* What a place is wanted of. */
typedef enum place { PLACE_LOWEST, PLACE_HIGHEST, PLACE_NAN, N_PLACES } place;

typedef struct summary_job {
    const gp_plane_scan *scan;
    const gp_block_loops *loops;
    double smallest_normal;
    gp_summary_state *parts, all; /* of each piece, and joined */
    int64_t places[N_PLACES]; /* -1: nowhere */
} summary_job;

typedef struct piece_part {
    const summary_job *job;
    gp_summary_state *part;
} piece_part;

static void look_at_block(void *context, const void *elems, int n, int n_masked)
{
    const piece_part *mine = context;
    mine->part->n_masked += n_masked;
    gp_block_summarize(&mine->job->scan->rows, mine->job->loops, elems, n, mine->job->smallest_normal, mine->part);
}

static gp_status look_at_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const summary_job *job = context;
    gp_summary_state state = gp_summary_state_none();
    piece_part mine = {job, &state};
    gp_scan_box box = gp_plane_scan_box(job->scan, piece);
    (void)error;
    gp_plane_scan_each(job->scan, worker, &box, look_at_block, &mine);
    job->parts[piece] = state;
    return GP_OK;
}

/* ---- where ----------------------------------------------------------------------------------------------------------- */

static bool has_what_is_wanted(const gp_summary_state *part, const gp_summary_state *all, place what)
{
    if (what == PLACE_NAN)
        return part->n_nan > 0;
    if (part->moments.weight == 0)
        return false;
    return what == PLACE_LOWEST ? part->lowest == all->lowest : part->highest == all->highest;
}

/* Only pieces that have it are looked at again, and of these only what lies before the best position so far. */
static gp_status find_place(void *context, int64_t what, int worker, gp_error *error)
{
    summary_job *job = context;
    gp_search search;
    (void)error;
    gp_search_init(&search, job->scan);
    search.is_by_order = what != PLACE_NAN, search.kinds = GP_HAS_NAN;
    search.order = what == PLACE_LOWEST ? job->all.lowest : job->all.highest;
    for (int64_t piece = 0; piece < job->scan->n_pieces && !gp_threads_is_stopped(); piece++) {
        gp_scan_box box = gp_plane_scan_box(job->scan, piece);
        if (has_what_is_wanted(&job->parts[piece], &job->all, (place)what))
            gp_search_box(&search, worker, &box);
    }
    job->places[what] = gp_search_found(&search);
    return GP_OK;
}

/* ---- all pieces ------------------------------------------------------------------------------------------------------ */

static int64_t or_nowhere(int64_t position) { return position < 0 ? GP_NOWHERE : position; }

/* What is known about all elements, with extremes as backends hand them out. */
static gp_summary_state state_of(const summary_job *job, const gp_plane *plane)
{
    gp_summary_state state = job->all;
    gp_order_type order = gp_block_order(job->scan->rows.dtype);
    state.argmin = or_nowhere(job->places[PLACE_LOWEST]), state.argmax = or_nowhere(job->places[PLACE_HIGHEST]);
    state.first_nan = or_nowhere(job->places[PLACE_NAN]);
    if (order != gp_plane_summary_order(plane))
        gp_summary_state_round(&state, order);
    return state;
}

static gp_status look_at_all(summary_job *job, gp_error *error)
{
    GP_TRY(gp_threads_run(job->scan->n_pieces, job->scan->n_threads, look_at_piece, job, error));
    for (int64_t piece = 0; piece < job->scan->n_pieces; piece++)
        gp_summary_state_join(&job->all, &job->parts[piece]);
    return gp_threads_run(N_PLACES, job->scan->n_threads, find_place, job, error);
}

gp_status gp_cpu_summarize(const gp_plane *plane, gp_summary_state *out, gp_error *error)
{
    GP_OWNED_PLANE_SCAN scan = {0};
    GP_FREED gp_summary_state *parts = NULL;
    GP_TRY(gp_plane_scan_init(plane, &scan, error));
    GP_TRY(gp_alloc((size_t)scan.n_pieces * sizeof *parts, &parts, error));
    summary_job job = {.scan = &scan,
                       .loops = gp_block_loops_for(scan.rows.dtype),
                       .smallest_normal = gp_smallest_normal(plane->dtype),
                       .parts = parts,
                       .all = gp_summary_state_none()};
    GP_TRY(look_at_all(&job, error));
    *out = state_of(&job, plane);
    return GP_OK;
}
