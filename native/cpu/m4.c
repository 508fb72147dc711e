/* The samples that draw a series: blocks find the values of extremes, and only the extremes' positions are searched for. */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "find.h"
#include "../core/base/threads.h"

/* Samples of a piece of work: the long ones leave memory in streams, the short ones share few samples out. Pieces are cut by the
 * visible range alone, so that threads change no bit. */
enum { SHORT_PIECE = 1 << 17, LONG_PIECE = 1 << 19, N_PIECES = 64 };

typedef struct m4_job {
    const gp_plane_scan *scan;
    const gp_block_loops *loops;
    gp_order_type compared_by, order_type;
    const int64_t *bounds;
    int64_t n_columns, piece_samples;
    gp_m4_state *out;
    /* Of each piece the columns that it has only a part of: one that begins before it, and one that ends behind it. */
    gp_m4_state *parts;
    int64_t *part_columns; /* -1: there is none */
} m4_job;

/* ---- some samples ---------------------------------------------------------------------------------------------------- */

typedef struct block {
    const m4_job *job;
    gp_block_extremes found;
} block;

static void take(void *context, const void *elems, int n, int n_masked)
{
    block *mine = context;
    bool has_marks = mine->job->scan->rows.plane.mask != NULL; /* masked elements are NaN of a kind, which loops do not tell */
    gp_block_extremes here;
    mine->job->loops->extremes(elems, n, &here);
    for (int i = 0; has_marks && i < n; i++)
        here.has = (i > 0 ? here.has : 0) | gp_class_of(((const double *)elems)[i]);
    mine->found.has |= here.has | (n_masked > 0 ? GP_HAS_MASKED : 0u);
    mine->found.n_finite += here.n_finite;
    if (here.n_finite > 0) {
        mine->found.lowest = here.lowest < mine->found.lowest ? here.lowest : mine->found.lowest;
        mine->found.highest = here.highest > mine->found.highest ? here.highest : mine->found.highest;
    }
}

static gp_block_extremes look_at_block(const m4_job *job, int worker, int64_t begin, int64_t end)
{
    block mine = {job, {0, GP_ORDER_LAST, GP_ORDER_FIRST, 0}};
    gp_scan_box box = {0, 1, begin, end};
    gp_plane_scan_each(job->scan, worker, &box, take, &mine);
    return mine.found;
}

/* The first finite sample of a range, or the last one. */
static int64_t find_finite(const m4_job *job, int worker, int64_t begin, int64_t end, bool is_backwards)
{
    gp_search search;
    gp_scan_box box = {0, 1, begin, end};
    gp_search_init(&search, job->scan);
    search.kinds = GP_HAS_FINITE, search.is_backwards = is_backwards, search.start = is_backwards ? end - 1 : begin;
    atomic_init(&search.best, is_backwards ? -1 : job->scan->n_elems);
    gp_search_box(&search, worker, &box);
    return gp_search_found(&search);
}

static int64_t find_value(const m4_job *job, int worker, gp_order order, int64_t begin, int64_t end)
{
    gp_search search;
    gp_scan_box box = {0, 1, begin, end};
    gp_search_init(&search, job->scan);
    search.is_by_order = true, search.order = order;
    gp_search_box(&search, worker, &box);
    return gp_search_found(&search);
}

/* Samples begin..end-1, at least one. */
static gp_m4_state look_at_samples(const m4_job *job, int worker, int64_t begin, int64_t end)
{
    gp_m4_state s = gp_m4_state_none();
    int64_t lowest_at = begin, highest_at = begin, next;
    for (int64_t at = begin; at < end; at = next) {
        next = end - at < GP_BLOCK_ELEMS ? end : at + GP_BLOCK_ELEMS;
        gp_block_extremes here = look_at_block(job, worker, at, next);
        s.has |= here.has, s.n_finite += here.n_finite;
        if (here.n_finite > 0 && here.lowest < s.lowest)
            s.lowest = here.lowest, lowest_at = at;
        if (here.n_finite > 0 && here.highest > s.highest)
            s.highest = here.highest, highest_at = at;
    }
    if (s.n_finite == 0)
        return s;
    s.first = find_finite(job, worker, begin, end, false), s.last = find_finite(job, worker, begin, end, true);
    s.y_first = look_at_block(job, worker, s.first, s.first + 1).lowest;
    s.y_last = look_at_block(job, worker, s.last, s.last + 1).lowest;
    s.argmin = find_value(job, worker, s.lowest, lowest_at, end - lowest_at < GP_BLOCK_ELEMS ? end : lowest_at + GP_BLOCK_ELEMS);
    s.argmax = find_value(job, worker, s.highest, highest_at,
                          end - highest_at < GP_BLOCK_ELEMS ? end : highest_at + GP_BLOCK_ELEMS);
    gp_m4_state_convert(&s, job->compared_by, job->order_type);
    return s;
}

/* ---- pieces ---------------------------------------------------------------------------------------------------------- */

/* The column that has a sample: the last one that begins at or before it. */
static int64_t column_of(const m4_job *job, int64_t sample)
{
    int64_t low = 0, high = job->n_columns; /* bounds[low] <= sample < bounds[high] */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (job->bounds[middle] <= sample)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static gp_status look_at_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    m4_job *job = context;
    int64_t begin = job->bounds[0] + piece * job->piece_samples, last = job->bounds[job->n_columns], end;
    int64_t piece_end = last - begin < job->piece_samples ? last : begin + job->piece_samples;
    (void)error;
    job->part_columns[2 * piece] = job->part_columns[2 * piece + 1] = -1;
    for (int64_t at = begin, k = column_of(job, begin); at < piece_end && !gp_threads_is_stopped(); at = end, k++) {
        end = job->bounds[k + 1] < piece_end ? job->bounds[k + 1] : piece_end;
        if (end <= at)
            continue;
        gp_m4_state state = look_at_samples(job, worker, at, end);
        int64_t slot = 2 * piece + (job->bounds[k] < begin ? 0 : 1);
        if (job->bounds[k] >= begin && job->bounds[k + 1] <= piece_end)
            job->out[k] = state;
        else
            job->parts[slot] = state, job->part_columns[slot] = k;
    }
    return GP_OK;
}

static int64_t piece_samples_for(int64_t n_samples, int64_t n_reads)
{
    int64_t samples = n_samples / N_PIECES < LONG_PIECE ? n_samples / N_PIECES : LONG_PIECE;
    samples = (samples > SHORT_PIECE ? samples : SHORT_PIECE) / n_reads;
    return samples > 64 ? samples : 64;
}

static gp_status look_at_all(m4_job *job, gp_error *error)
{
    GP_FREED gp_m4_state *parts = NULL;
    GP_FREED int64_t *part_columns = NULL;
    int64_t n_samples = job->bounds[job->n_columns] - job->bounds[0], n_reads = job->scan->n_reads;
    job->piece_samples = piece_samples_for(n_samples, n_reads);
    int64_t n_pieces = (n_samples + job->piece_samples - 1) / job->piece_samples;
    int n_threads = gp_threads_for(n_samples > INT64_MAX / n_reads ? INT64_MAX : n_samples * n_reads);
    GP_TRY(gp_alloc(2 * (size_t)n_pieces * sizeof *parts, &parts, error));
    GP_TRY(gp_alloc(2 * (size_t)n_pieces * sizeof *part_columns, &part_columns, error));
    job->parts = parts, job->part_columns = part_columns;
    n_threads = n_threads < job->scan->n_threads ? n_threads : job->scan->n_threads; /* which have room */
    GP_TRY(gp_threads_run(n_pieces, n_threads, look_at_piece, job, error));
    gp_m4_states_gather(job->parts, job->part_columns, 2 * n_pieces, job->out);
    return GP_OK;
}

gp_status gp_cpu_m4(const gp_plane *plane, const int64_t *bounds, int64_t n_columns, gp_m4_state *out, gp_error *error)
{
    GP_OWNED_PLANE_SCAN scan = {0};
    m4_job job = {.scan = &scan, .bounds = bounds, .n_columns = n_columns, .order_type = gp_series_order_type(plane), .out = out};
    GP_TRY(gp_m4_check(plane, bounds, n_columns, error));
    for (int64_t k = 0; k < n_columns; k++)
        out[k] = gp_m4_state_none();
    if (n_columns == 0 || bounds[n_columns] == bounds[0])
        return GP_OK;
    GP_TRY(gp_plane_scan_init(plane, &scan, error));
    job.loops = gp_block_loops_for(scan.rows.dtype), job.compared_by = gp_block_order(scan.rows.dtype);
    return look_at_all(&job, error);
}
