/* Series: whether one rises or falls, binary search in one that rises, and single samples. */
#include "cpu.h"

#include "simd/block_loops.h"
#include "read/plane_scan.h"
#include "../core/base/threads.h"

#include <stdatomic.h>

typedef struct ways_job {
    const gp_plane_scan *scan;
    const gp_block_loops *loops;
    _Atomic unsigned ways;
} ways_job;

static bool has_masked(const gp_plane_scan *scan, int64_t at, int64_t n, const void *elems)
{
    const uint8_t *mask = gp_plane_scan_mask(scan, 0, at);
    if (mask == NULL)
        return scan->rows.plane.mask != NULL && gp_count_masked(elems, n) > 0;
    for (int64_t i = 0; i < n; i++)
        if (gp_plane_scan_is_masked(scan, mask[i * scan->plane.mask_col_stride_bytes]))
            return true;
    return false;
}

/* Blocks share a sample with the next one, across pieces too. */
static gp_status ways_of_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    ways_job *job = context;
    const gp_plane_scan *scan = job->scan;
    gp_scan_box box = gp_plane_scan_box(scan, piece);
    int64_t end = box.col1 < scan->n_elems ? box.col1 + 1 : box.col1, next;
    (void)error;
    for (int64_t at = box.col0; at < box.col1 && atomic_load_explicit(&job->ways, memory_order_relaxed) != 0; at = next - 1) {
        next = end - at < GP_BLOCK_ELEMS ? end : at + GP_BLOCK_ELEMS;
        const void *elems = gp_plane_scan_get(scan, worker, 0, at, next - at);
        atomic_fetch_and(&job->ways, has_masked(scan, at, next - at, elems) ? 0 : job->loops->ways(elems, (int)(next - at)));
        if (next == end)
            break;
    }
    return GP_OK;
}

gp_status gp_cpu_find_ways(const gp_plane *plane, unsigned *out, gp_error *error)
{
    GP_OWNED_PLANE_SCAN scan = {0};
    GP_TRY(gp_series_check(plane, error));
    GP_TRY(gp_plane_scan_init(plane, &scan, error));
    ways_job job = {&scan, gp_block_loops_for(scan.rows.dtype), GP_RISES | GP_FALLS};
    GP_TRY(gp_threads_run(scan.n_pieces, scan.n_threads, ways_of_piece, &job, error));
    *out = atomic_load(&job.ways);
    return GP_OK;
}

/* ---- search ---------------------------------------------------------------------------------------------------------- */

static double value_at(const gp_plane_scan *scan, const gp_block_loops *loops, int64_t at)
{
    gp_block_extremes one;
    const uint8_t *mask = gp_plane_scan_mask(scan, 0, at);
    if (mask != NULL && gp_plane_scan_is_masked(scan, *mask))
        return gp_masked_value();
    loops->extremes(gp_plane_scan_get(scan, 0, 0, at, 1), 1, &one);
    return one.n_finite > 0 ? gp_f64_of(gp_block_order(scan->rows.dtype), one.lowest) : gp_mark_value(one.has);
}

static int64_t position_of(const gp_plane_scan *scan, const gp_block_loops *loops, double value)
{
    int64_t low = 0, high = scan->n_elems; /* all before low are below, none from high on is */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (value_at(scan, loops, middle) >= value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

gp_status gp_cpu_search_sorted(const gp_plane *plane, const double *values, int64_t n_values, int64_t *out, gp_error *error)
{
    GP_OWNED_PLANE_SCAN scan = {0};
    GP_TRY(gp_series_check(plane, error));
    GP_TRY(gp_plane_scan_init(plane, &scan, error));
    const gp_block_loops *loops = gp_block_loops_for(scan.rows.dtype);
    for (int64_t i = 0; i < n_values; i++)
        out[i] = position_of(&scan, loops, values[i]);
    return GP_OK;
}

gp_status gp_cpu_take(const gp_plane *plane, const int64_t *positions, int64_t n_positions, double *out, gp_error *error)
{
    GP_OWNED_PLANE_SCAN scan = {0};
    GP_TRY(gp_take_check(plane, positions, n_positions, error));
    GP_TRY(gp_plane_scan_init(plane, &scan, error));
    const gp_block_loops *loops = gp_block_loops_for(scan.rows.dtype);
    for (int64_t i = 0; i < n_positions; i++)
        out[i] = value_at(&scan, loops, positions[i]);
    return GP_OK;
}
