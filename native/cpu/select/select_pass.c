/* Passes over all elements of a plane on all threads, each thread with its own counts, joined at the end. */
#include "select_pass.h"

#include "../../core/base/alloc.h"
#include "kept_keys.h"
#include "simd/tally.h"

enum { MOST_THREADS = 32, N_CODES = 65536 };

GP_DECLARE_LEVELS(gp_select_loops, gp_select_loops, );

const gp_select_loops *gp_select_loops_now(void) { return GP_AT_LEVEL_HERE(gp_select_loops); }

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* What a pass does with each block; every worker has its own tally or counts. */
typedef struct select_pass {
    const gp_plane_scan *scan;
    const gp_select_loops *loops;
    const gp_brackets *brackets; /* of a tally */
    gp_worker_tally *tallies;
    gp_kept_keys *kept;
    int64_t stride;
    int64_t low, high; /* of a histogram */
    int shift;
    int64_t *bins;
    int64_t *codes;
} select_pass;

typedef struct worker_pass {
    const select_pass *pass;
    int worker;
} worker_pass;

static void take(void *context, const void *elems, int n, int n_masked)
{
    const worker_pass *mine = context;
    const select_pass *pass = mine->pass;
    gp_dtype dtype = pass->scan->rows.dtype;
    (void)n_masked;
    if (pass->tallies != NULL)
        gp_worker_tally_add(&pass->tallies[mine->worker], pass->kept, pass->loops, dtype, elems, n, pass->brackets, pass->stride);
    else if (pass->bins != NULL)
        pass->loops->histogram(dtype, elems, n, pass->low, pass->high, pass->shift,
                               pass->bins + (int64_t)mine->worker * GP_SELECT_BINS);
    else
        pass->loops->count_codes(dtype, elems, n, pass->codes + (int64_t)mine->worker * N_CODES);
}

static gp_status take_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const select_pass *pass = context;
    worker_pass mine = {pass, worker};
    gp_scan_box box = gp_plane_scan_box(pass->scan, piece);
    (void)error;
    gp_plane_scan_each(pass->scan, worker, &box, take, &mine);
    return GP_OK;
}

static int threads_for(const gp_plane_scan *scan) { return scan->n_threads < MOST_THREADS ? scan->n_threads : MOST_THREADS; }

/* ---- the passes -------------------------------------------------------------------------------------------------- */

static void join_tally(gp_key_tally *sum, const gp_key_tally *part)
{
    sum->n_valid += part->n_valid, sum->is_full |= part->is_full;
    for (int b = 0; b < GP_MOST_BRACKETS; b++) {
        sum->below[b] += part->below[b];
        sum->at_low[b] += part->at_low[b];
        sum->at_high[b] += part->at_high[b];
    }
}

gp_status gp_select_tally(const gp_plane_scan *scan, const gp_brackets *brackets, int64_t most, int64_t stride, gp_key_tally *out,
                          gp_error *error)
{
    gp_worker_tally tallies[MOST_THREADS];
    gp_kept_keys kept;
    select_pass pass = {scan, gp_select_loops_now(), .brackets = brackets, .tallies = tallies, .kept = &kept, .stride = stride};
    int n_threads = threads_for(scan);
    for (int i = 0; i < n_threads; i++)
        gp_worker_tally_begin(&tallies[i], i);
    *out = (gp_key_tally){0};
    GP_TRY(gp_kept_keys_make(most < scan->n_elems ? most : scan->n_elems, n_threads, &kept, error));
    out->kept = kept.keys;
    GP_TRY(gp_threads_run(scan->n_pieces, n_threads, take_piece, &pass, error));
    for (int i = 0; i < n_threads; i++)
        join_tally(out, &tallies[i].tally);
    out->n_kept = gp_kept_keys_join(&kept, tallies, n_threads);
    return GP_OK;
}

/* A pass that counts in tables of its own for each thread. */
static gp_status count_pass(select_pass *pass, int64_t **tables, int64_t n_counts, int64_t *counts, gp_error *error)
{
    return gp_tally_run(pass->scan->n_pieces, threads_for(pass->scan), take_piece, pass, tables, n_counts, n_counts, counts,
                        error);
}

gp_status gp_select_histogram(const gp_plane_scan *scan, int64_t low, int64_t high, int shift, int64_t *counts, gp_error *error)
{
    select_pass pass = {.scan = scan, .loops = gp_select_loops_now(), .low = low, .high = high, .shift = shift};
    return count_pass(&pass, &pass.bins, GP_SELECT_BINS, counts, error);
}

gp_status gp_select_codes(const gp_plane_scan *scan, int64_t *counts, gp_error *error)
{
    select_pass pass = {.scan = scan, .loops = gp_select_loops_now()};
    return count_pass(&pass, &pass.codes, N_CODES, counts, error);
}

/* ---- a sample ---------------------------------------------------------------------------------------------------- */

int64_t gp_key_at(gp_dtype dtype, const void *element)
{
    gp_key_kind kind = gp_key_kind_of(dtype);
    int32_t bits_32;
    int64_t bits_64;
    if (gp_dtype_size_bytes(dtype) == 4) {
        memcpy(&bits_32, element, sizeof bits_32);
        return gp_key_32(bits_32, kind);
    }
    memcpy(&bits_64, element, sizeof bits_64);
    return gp_key_64(bits_64, kind);
}

enum { PLACES_AHEAD = 16 };

/* Places in the plane, each in the next of n equal stretches, where no period of the data follows. */
typedef struct sample_places {
    uint64_t state;
    double stretch;
    int64_t n_elems, i;
} sample_places;

static int64_t next_place(sample_places *places)
{
    int64_t at = (int64_t)(((double)places->i++ + (double)gp_next_random(&places->state) * 0x1p-24) * places->stretch);
    return at < places->n_elems ? at : places->n_elems - 1;
}

/* Memory is asked for some places ahead, as each lies on a page of its own. */
static void ask_for(const gp_plane_scan *scan, int64_t at)
{
    int64_t row = at / scan->plane.n_cols, col = at % scan->plane.n_cols;
    const char *element = (const char *)scan->plane.data + row * scan->plane.row_stride_bytes +
                          col * scan->plane.col_stride_bytes;
    __builtin_prefetch(element);
}

int64_t gp_select_sample(const gp_plane_scan *scan, gp_key_range valid, int64_t n_wanted, uint64_t *keys)
{
    sample_places places = {0x9e3779b97f4a7c15u, (double)scan->n_elems / (double)n_wanted, scan->n_elems, 0};
    int64_t n = 0, n_cols = scan->plane.n_cols, ahead[PLACES_AHEAD] = {0};
    for (int64_t i = 0; i < n_wanted + PLACES_AHEAD; i++) {
        int64_t at = ahead[i % PLACES_AHEAD];
        if (i < n_wanted)
            ask_for(scan, ahead[i % PLACES_AHEAD] = next_place(&places));
        if (i < PLACES_AHEAD)
            continue;
        const uint8_t *mask = gp_plane_scan_mask(scan, at / n_cols, at % n_cols);
        int64_t key = gp_key_at(scan->rows.dtype, gp_plane_scan_get(scan, 0, at / n_cols, at % n_cols, 1));
        keys[n] = gp_sortable(key, valid);
        n += key >= valid.first && key <= valid.last && (mask == NULL || !gp_plane_scan_is_masked(scan, *mask));
    }
    return n;
}
