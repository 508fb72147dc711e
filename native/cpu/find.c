/* Finds the first or last element of a kind: searches boxes in the order of positions, and skips those behind the best one so far. */
#include "find.h"

#include "cpu.h"
#include "../core/base/threads.h"

/* The most elements of a turned row in one box; each is in another row of the original plane. */
enum { TURNED_ELEMS = 256 };

void gp_search_init(gp_search *search, const gp_plane_scan *scan)
{
    search->scan = scan;
    search->loops = gp_block_loops_for(scan->rows.dtype);
    search->is_by_order = search->is_backwards = false;
    search->start = 0;
    atomic_init(&search->best, scan->n_elems);
}

int64_t gp_search_found(gp_search *search)
{
    int64_t best = atomic_load(&search->best);
    return best < search->scan->n_elems ? best : -1;
}

/* ---- elements -------------------------------------------------------------------------------------------------------- */

static int64_t nearer(const gp_search *search, int64_t a, int64_t b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return (a < b) != search->is_backwards ? a : b;
}

/* The first of n elements whose value matches (backwards: the last), or -1. */
static int64_t find_value(const gp_search *search, const char *elems, int64_t n)
{
    if (search->is_by_order)
        return search->loops->find_order(elems, n, search->order);
    if (search->scan->rows.plane.mask == NULL || (search->kinds & (GP_HAS_NAN | GP_HAS_MASKED)) == 0)
        return search->loops->find_kinds(elems, n, search->kinds, search->is_backwards);
    for (int64_t i = 0; i < n; i++) { /* the loops cannot tell masked elements from NaN */
        int64_t at = search->is_backwards ? n - 1 - i : i;
        if (gp_class_of(((const double *)elems)[at]) & search->kinds)
            return at;
    }
    return -1;
}

/* As find_value, if some elements are masked, whose values do not count. */
static int64_t find_among_masked(const gp_search *search, const char *elems, const uint8_t *mask, int64_t n)
{
    const gp_plane_scan *scan = search->scan;
    int64_t stride = scan->plane.mask_col_stride_bytes, begin = 0, end = n, masked = -1, found;
    bool wants_masked = !search->is_by_order && (search->kinds & GP_HAS_MASKED) != 0;
    for (int64_t i = 0; i < n && wants_masked && masked < 0; i++) {
        int64_t at = search->is_backwards ? n - 1 - i : i;
        masked = gp_plane_scan_is_masked(scan, mask[at * stride]) ? at : -1;
    }
    while ((found = find_value(search, elems + begin * scan->rows.item_bytes, end - begin)) >= 0) {
        found += begin;
        if (!gp_plane_scan_is_masked(scan, mask[found * stride]))
            break;
        if (search->is_backwards)
            end = found;
        else
            begin = found + 1;
    }
    return nearer(search, found, masked);
}

static int64_t find_here(const gp_search *search, int worker, int64_t row, int64_t col, int64_t n)
{
    const char *elems = gp_plane_scan_get(search->scan, worker, row, col, n);
    const uint8_t *mask = gp_plane_scan_mask(search->scan, row, col);
    return mask == NULL ? find_value(search, elems, n) : find_among_masked(search, elems, mask, n);
}

/* ---- lines ----------------------------------------------------------------------------------------------------------- */

/* Positions low..high-1 are still to be searched. */
static void limits_now(gp_search *search, int64_t *low, int64_t *high)
{
    int64_t best = atomic_load_explicit(&search->best, memory_order_relaxed);
    *low = search->is_backwards ? best + 1 : search->start;
    *high = search->is_backwards ? search->start + 1 : best;
}

static void improve(gp_search *search, int64_t position)
{
    int64_t best = atomic_load(&search->best);
    while ((position < best) != search->is_backwards && position != best)
        if (atomic_compare_exchange_weak(&search->best, &best, position))
            return;
}

static int64_t steps_to(int64_t position, int64_t base, int64_t stride)
{
    return position <= base ? 0 : (position - base + stride - 1) / stride;
}

/* Searches elements col0..col1-1 of a row of the scan's plane; element 0 is at position `base`, and positions rise by `stride`. */
static void search_line(gp_search *search, int worker, int64_t row, int64_t col0, int64_t col1, int64_t base, int64_t stride)
{
    int64_t low, high, n;
    limits_now(search, &low, &high);
    low = steps_to(low, base, stride), high = steps_to(high, base, stride);
    low = low > col0 ? low : col0, high = high < col1 ? high : col1;
    for (int64_t n_left = high - low; n_left > 0; n_left -= n) {
        n = n_left < GP_BLOCK_ELEMS ? n_left : GP_BLOCK_ELEMS;
        int64_t col = search->is_backwards ? low + n_left - n : high - n_left;
        int64_t found = find_here(search, worker, row, col, n);
        if (found >= 0) {
            improve(search, base + (col + found) * stride);
            return;
        }
    }
}

void gp_search_box(gp_search *search, int worker, const gp_scan_box *box)
{
    const gp_plane_scan *scan = search->scan;
    int64_t n_rows = scan->plane.n_rows, n_cols = scan->plane.n_cols, low, high;
    int64_t row_step = scan->is_turned ? 1 : n_cols, col_step = scan->is_turned ? n_rows : 1;
    limits_now(search, &low, &high);
    if (box->row0 * row_step + box->col0 * col_step >= high || (box->row1 - 1) * row_step + (box->col1 - 1) * col_step < low)
        return;
    if (scan->is_linear && !scan->is_turned && box->col0 == 0 && box->col1 == n_cols) {
        search_line(search, worker, 0, box->row0 * n_cols, box->row1 * n_cols, 0, 1);
        return;
    }
    for (int64_t i = 0; i < box->row1 - box->row0; i++) {
        int64_t row = search->is_backwards ? box->row1 - 1 - i : box->row0 + i;
        search_line(search, worker, row, box->col0, box->col1, row * row_step, col_step);
    }
}

/* ---- threads --------------------------------------------------------------------------------------------------------- */

typedef struct find_job {
    gp_search search;
    int64_t box_rows, box_cols, n_row_boxes, n_col_boxes;
} find_job;

/* Cuts boxes so that those of small positions come first, also in a turned plane. */
static void cut_boxes(find_job *job, const gp_plane_scan *scan)
{
    int64_t n_elems = scan->box_rows * scan->box_cols;
    job->box_rows = scan->box_rows, job->box_cols = scan->box_cols;
    if (scan->is_turned && job->box_cols > TURNED_ELEMS) {
        job->box_cols = TURNED_ELEMS;
        job->box_rows = n_elems / TURNED_ELEMS < scan->plane.n_rows ? n_elems / TURNED_ELEMS : scan->plane.n_rows;
    }
    job->n_row_boxes = (scan->plane.n_rows + job->box_rows - 1) / job->box_rows;
    job->n_col_boxes = (scan->plane.n_cols + job->box_cols - 1) / job->box_cols;
}

static gp_status find_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    find_job *job = context;
    const gp_plane_scan *scan = job->search.scan;
    (void)error;
    if (job->search.is_backwards)
        piece = job->n_row_boxes * job->n_col_boxes - 1 - piece;
    int64_t row = scan->is_turned ? piece % job->n_row_boxes : piece / job->n_col_boxes;
    int64_t col = scan->is_turned ? piece / job->n_row_boxes : piece % job->n_col_boxes;
    gp_scan_box box = {row * job->box_rows, (row + 1) * job->box_rows, col * job->box_cols, (col + 1) * job->box_cols};
    box.row1 = box.row1 < scan->plane.n_rows ? box.row1 : scan->plane.n_rows;
    box.col1 = box.col1 < scan->plane.n_cols ? box.col1 : scan->plane.n_cols;
    gp_search_box(&job->search, worker, &box);
    return GP_OK;
}

gp_status gp_cpu_find(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, int64_t *out, gp_error *error)
{
    GP_OWNED_PLANE_SCAN scan = {0};
    find_job job;
    GP_TRY(gp_find_check(plane, kinds, start, is_backwards, error));
    GP_TRY(gp_plane_scan_init(plane, &scan, error));
    *out = -1;
    if (scan.n_elems == 0)
        return GP_OK;
    gp_search_init(&job.search, &scan);
    job.search.kinds = kinds, job.search.start = start, job.search.is_backwards = is_backwards;
    atomic_init(&job.search.best, is_backwards ? -1 : scan.n_elems);
    cut_boxes(&job, &scan);
    GP_TRY(gp_threads_run(job.n_row_boxes * job.n_col_boxes, scan.n_threads, find_piece, &job, error));
    *out = gp_search_found(&job.search);
    return GP_OK;
}
