/* Passes over all elements of a plane on all threads, each thread with its own counts, joined at the end. */
#include "select.h"

#include "threads.h"

#include <stdlib.h>

enum { MOST_CHUNK = 16384, MOST_THREADS = 32, N_CODES = 65536 };
enum { ELEMS_PER_PIECE = 1 << 17, CAPACITY_IN_ALL = 1 << 21, FEWEST_CAPACITY = (1 << 16) + 1024 };

GP_DECLARE_LEVELS(gp_select_loops, gp_select_loops, );

const gp_select_loops *gp_select_loops_now(void) { return GP_AT_LEVEL_HERE(gp_select_loops); }

/* ---- layout ------------------------------------------------------------------------------------------------------ */

static gp_plane merged(gp_plane plane)
{
    if (gp_plane_is_direct(&plane) && plane.n_rows > 1 && plane.row_stride_bytes == plane.n_cols * plane.col_stride_bytes) {
        plane.n_cols *= plane.n_rows;
        plane.n_rows = 1;
    }
    return plane;
}

/* Order does not matter to order statistics: neighbors in memory become neighbors in a row. */
void gp_scan_init(const gp_plane *plane, gp_scan *out)
{
    gp_plane best = merged(*plane);
    bool is_far = llabs((long long)best.col_stride_bytes) > llabs((long long)best.row_stride_bytes);
    *out = (gp_scan){.n_elems = plane->n_rows * plane->n_cols};
    if (best.n_rows > 1 && (is_far ? best.n_rows >= 64 || best.n_rows > best.n_cols : best.n_cols < 64 && best.n_rows > 64))
        best = merged(gp_plane_transpose(plane));
    gp_rows_init(&best, best.hidden_nan, &out->rows);
    out->chunk_cols = best.n_cols < MOST_CHUNK ? best.n_cols : MOST_CHUNK;
    out->n_chunks = out->n_elems == 0 ? 0 : best.n_rows * ((best.n_cols + MOST_CHUNK - 1) / MOST_CHUNK);
    out->n_reads = gp_plane_reads_per_elem(plane);
    out->n_threads = gp_threads_for(out->n_elems > INT64_MAX / out->n_reads ? INT64_MAX : out->n_elems * out->n_reads);
    out->n_threads = out->n_threads < MOST_THREADS ? out->n_threads : MOST_THREADS;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* What a pass does with each chunk; every worker has its own tally or counts. */
typedef struct scan_pass {
    const gp_scan *scan;
    const gp_select_loops *loops;
    const gp_brackets *brackets; /* of a tally */
    gp_tally *tallies;
    int64_t low, high; /* of a histogram */
    int shift;
    int64_t *bins;
    int64_t *codes;
    char *memory; /* buffers of rows, one per worker */
    size_t buffer_bytes, scratch_bytes;
    int64_t chunks_per_piece;
} scan_pass;

static size_t rounded_up(size_t n_bytes) { return (n_bytes + 127) / 64 * 64; }

static gp_status pass_init(scan_pass *pass, const gp_scan *scan, gp_error *error)
{
    pass->scan = scan, pass->loops = gp_select_loops_now();
    pass->buffer_bytes = rounded_up((size_t)scan->chunk_cols * (size_t)scan->rows.item_bytes);
    pass->scratch_bytes = rounded_up(gp_rows_scratch_bytes(&scan->rows, scan->chunk_cols));
    pass->chunks_per_piece = ELEMS_PER_PIECE / scan->n_reads / (scan->chunk_cols + 1) + 1;
    size_t n_bytes = (pass->buffer_bytes + pass->scratch_bytes) * (size_t)scan->n_threads;
    pass->memory = aligned_alloc(64, n_bytes);
    return pass->memory != NULL ? GP_OK : gp_fail_memory(error, (double)n_bytes);
}

static void take(const scan_pass *pass, int worker, const void *row, int64_t n)
{
    gp_dtype dtype = pass->scan->rows.dtype;
    if (pass->tallies != NULL)
        pass->loops->tally(dtype, row, n, pass->brackets, &pass->tallies[worker]);
    else if (pass->bins != NULL)
        pass->loops->histogram(dtype, row, n, pass->low, pass->high, pass->shift, pass->bins + (int64_t)worker * GP_SELECT_BINS);
    else
        pass->loops->count_codes(dtype, row, n, pass->codes + (int64_t)worker * N_CODES);
}

static gp_status run_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const scan_pass *pass = context;
    const gp_scan *scan = pass->scan;
    int64_t n_cols = scan->rows.plane.n_cols, per_row = (n_cols + MOST_CHUNK - 1) / MOST_CHUNK;
    int64_t end = (piece + 1) * pass->chunks_per_piece;
    char *buffer = pass->memory + (pass->buffer_bytes + pass->scratch_bytes) * (size_t)worker;
    (void)error;
    end = end < scan->n_chunks ? end : scan->n_chunks;
    for (int64_t chunk = piece * pass->chunks_per_piece; chunk < end; chunk++) {
        int64_t col = chunk % per_row * MOST_CHUNK, n = n_cols - col < MOST_CHUNK ? n_cols - col : MOST_CHUNK;
        take(pass, worker, gp_rows_get(&scan->rows, chunk / per_row, col, n, buffer, buffer + pass->buffer_bytes), n);
    }
    return GP_OK;
}

static gp_status pass_run(scan_pass *pass, gp_error *error)
{
    int64_t n_pieces = (pass->scan->n_chunks + pass->chunks_per_piece - 1) / pass->chunks_per_piece;
    return gp_threads_run(n_pieces, pass->scan->n_threads, run_piece, pass, error);
}

/* ---- the passes -------------------------------------------------------------------------------------------------- */

static void join_tally(gp_tally *sum, const gp_tally *part)
{
    sum->n_valid += part->n_valid, sum->is_full |= part->is_full;
    for (int b = 0; b < GP_MOST_BRACKETS; b++) {
        sum->below[b] += part->below[b];
        sum->at_low[b] += part->at_low[b];
        sum->at_high[b] += part->at_high[b];
    }
    memmove(sum->kept + sum->n_kept, part->kept, (size_t)part->n_kept * sizeof *sum->kept);
    sum->n_kept += part->n_kept;
}

gp_status gp_scan_tally(const gp_scan *scan, const gp_brackets *brackets, gp_tally *out, gp_error *error)
{
    gp_tally tallies[MOST_THREADS] = {{0}}, sum = {0};
    scan_pass pass = {.brackets = brackets, .tallies = tallies};
    int64_t share = CAPACITY_IN_ALL / scan->n_threads, capacity = share > FEWEST_CAPACITY ? share : FEWEST_CAPACITY;
    gp_status status = pass_init(&pass, scan, error);
    capacity = capacity < scan->n_elems + 1024 ? capacity : scan->n_elems + 1024;
    sum.capacity = capacity * scan->n_threads;
    sum.kept = malloc(2 * (size_t)sum.capacity * sizeof *sum.kept);
    if (status == GP_OK && sum.kept == NULL)
        status = gp_fail_memory(error, 2 * (double)sum.capacity * sizeof *sum.kept);
    for (int i = 0; i < scan->n_threads && status == GP_OK; i++)
        tallies[i].kept = sum.kept + i * capacity, tallies[i].capacity = capacity;
    if (status == GP_OK)
        status = pass_run(&pass, error);
    for (int i = 0; i < scan->n_threads && status == GP_OK; i++)
        join_tally(&sum, &tallies[i]);
    free(pass.memory);
    if (status == GP_OK)
        *out = sum;
    else
        free(sum.kept);
    return status;
}

/* A pass that counts: `tables` of it, one of n_counts for each thread, which are added up. */
static gp_status count_pass(scan_pass *pass, const gp_scan *scan, int64_t **tables, size_t n_counts, int64_t *counts,
                            gp_error *error)
{
    size_t n_all = (size_t)scan->n_threads * n_counts;
    gp_status status = pass_init(pass, scan, error);
    *tables = calloc(n_all, sizeof **tables);
    if (status == GP_OK && *tables == NULL)
        status = gp_fail_memory(error, (double)n_all * sizeof **tables);
    if (status == GP_OK)
        status = pass_run(pass, error);
    memset(counts, 0, n_counts * sizeof *counts);
    for (size_t i = 0; status == GP_OK && i < n_all; i++)
        counts[i % n_counts] += (*tables)[i];
    free(*tables);
    free(pass->memory);
    return status;
}

gp_status gp_scan_histogram(const gp_scan *scan, int64_t low, int64_t high, int shift, int64_t *counts, gp_error *error)
{
    scan_pass pass = {.low = low, .high = high, .shift = shift};
    return count_pass(&pass, scan, &pass.bins, GP_SELECT_BINS, counts, error);
}

gp_status gp_scan_codes(const gp_scan *scan, int64_t *counts, gp_error *error)
{
    scan_pass pass = {0};
    return count_pass(&pass, scan, &pass.codes, N_CODES, counts, error);
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

/* One element from each of n_wanted equal stretches, at a place in it that no period of the data follows. */
gp_status gp_scan_sample(const gp_scan *scan, gp_key_range valid, int64_t n_wanted, uint64_t *keys, int64_t *n_keys,
                         gp_error *error)
{
    scan_pass pass = {0};
    uint64_t state = 0x9e3779b97f4a7c15u;
    int64_t n = 0, n_cols = scan->rows.plane.n_cols;
    GP_TRY(pass_init(&pass, scan, error));
    for (int64_t i = 0; i < n_wanted; i++) {
        double stretch = (double)scan->n_elems / (double)n_wanted;
        state = state * 6364136223846793005u + 1442695040888963407u;
        int64_t at = (int64_t)(((double)i + (double)(state >> 40) * 0x1p-24) * stretch);
        at = at < scan->n_elems ? at : scan->n_elems - 1;
        const void *element = gp_rows_get(&scan->rows, at / n_cols, at % n_cols, 1, pass.memory, pass.memory + pass.buffer_bytes);
        int64_t key = gp_key_at(scan->rows.dtype, element);
        keys[n] = gp_sortable(key, valid);
        n += key >= valid.first && key <= valid.last;
    }
    free(pass.memory);
    *n_keys = n;
    return GP_OK;
}
