/* Lines to cells: each worker adds pieces, some lines over some columns, to its own table of integers; the tables are summed. */
#include "cpu.h"

#include "../../core/base/alloc.h"
#include "../../core/base/arithmetic.h"
#include "lines.h"
#include "../../core/base/threads.h"

/*
 * STRIP_COLUMNS: columns of a piece if all lines share one rising x, so that its part of the table stays in the second-level cache.
 * PIECE_SAMPLES: samples and columns of a piece. MANY_SAMPLES: a longer line of unordered x is shared among workers.
 */
enum { STRIP_COLUMNS = 128, PIECE_SAMPLES = 1 << 18, MANY_SAMPLES = 1 << 20, MOST_WORKERS = 64 };

/* The number of lines between two checks for cancellation. */
enum { STOP_LINES = 16 };
#define MOST_TABLE_BYTES ((int64_t)512 << 20)

typedef struct piece {
    const gp_lines *lines;
    gp_line_way way; /* the order of an x that all lines share */
    int64_t row0, row1, column0, column1;
    bool is_shared; /* a piece of one long line of unordered x, which all workers share later */
} piece;

typedef struct lines_job {
    const gp_line_options *options;
    piece *pieces;
    int64_t n_pieces, n_room;
    gp_line_worker *workers;
    int n_workers;
    const piece *shared; /* the piece that all workers share now */
    gp_cells *out;
} lines_job;

/* ---- pieces ---------------------------------------------------------------------------------------------------------- */

static gp_status add_piece(lines_job *job, piece one, gp_error *error)
{
    if (job->n_pieces == job->n_room) {
        int64_t n_room = 2 * job->n_room + 64;
        piece *grown = realloc(job->pieces, (size_t)n_room * sizeof *grown);
        if (grown == NULL)
            return gp_fail_memory(error, (double)n_room * sizeof *grown);
        job->pieces = grown, job->n_room = n_room;
    }
    job->pieces[job->n_pieces++] = one;
    return GP_OK;
}

/* The order of an x that all lines share; otherwise each line's order is found by itself. */
static gp_line_way shared_way(lines_job *job, const gp_lines *lines)
{
    gp_line_source source = gp_line_source_of(lines);
    gp_line_worker *w = &job->workers[0];
    if (lines->order != GP_LINE_FOUND || !source.has_one_x)
        return lines->order == GP_LINE_UNSORTED ? GP_LINE_NEITHER : GP_LINE_RISES;
    w->source = &source;
    gp_line_way way = gp_line_find_way(w, 0);
    w->source = NULL;
    return way;
}

/* Cuts all lines of one length into pieces, by counts alone: the cut does not depend on the data or on the number of threads. */
static gp_status cut(lines_job *job, const gp_lines *lines, gp_error *error)
{
    bool has_one_x = lines->x == NULL || lines->x->n_rows == 1;
    int64_t n_cols = job->options->x.n_cells, n_samples = lines->y->n_cols, n_lines = lines->y->n_rows;
    gp_line_way way = n_lines > 0 && n_samples > 0 ? shared_way(job, lines) : GP_LINE_RISES;
    int64_t width = has_one_x && way == GP_LINE_RISES ? STRIP_COLUMNS : n_cols;
    int64_t each = PIECE_SAMPLES / (n_samples + gp_smaller(width, n_cols)) + 1;
    for (int64_t row = 0; row < n_lines && n_samples > 0; row += each)
        for (int64_t k = 0; k < n_cols; k += width)
            GP_TRY(add_piece(job,
                             (piece){.lines = lines,
                                     .way = way,
                                     .row0 = row,
                                     .row1 = gp_smaller(row + each, n_lines),
                                     .column0 = k,
                                     .column1 = gp_smaller(k + width, n_cols)},
                             error));
    return GP_OK;
}

/* ---- a piece --------------------------------------------------------------------------------------------------------- */

/* Binary search in a rising x: the first sample at or right of a place; with is_closed the first one right of it. */
static int64_t search(gp_line_worker *w, double place, bool is_closed)
{
    int64_t low = 0, high = w->source->n_samples;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        double x = gp_line_place_at(w, 0, middle);
        if (is_closed ? x <= place : x < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The samples that the piece's columns need: those within, and one neighbor on either side. */
static void find_range(gp_line_worker *w, const piece *p, int64_t *begin, int64_t *end)
{
    int64_t n = w->source->n_samples;
    *begin = 0, *end = n;
    if (n <= GP_LINE_PART && p->column0 == 0 && p->column1 == w->options->x.n_cells)
        return;
    if (p->way != GP_LINE_RISES || !w->source->has_one_x)
        return;
    *begin = search(w, (double)p->column0, false), *end = search(w, (double)p->column1, true);
    *begin = *begin > 0 ? *begin - 1 : 0, *end = *end < n ? *end + 1 : n;
}

static void take_line(gp_line_worker *w, piece *p, int64_t row, int64_t begin, int64_t end, bool has_borders)
{
    bool is_found = !w->source->has_one_x && w->source->lines->order == GP_LINE_FOUND;
    gp_line_way way = is_found ? gp_line_find_way(w, row) : p->way;
    if (way != GP_LINE_NEITHER) {
        gp_line_add_sorted(w, row, way, p->column0, p->column1, begin, end, has_borders);
    } else if (w->source->n_samples > MANY_SAMPLES) {
        p->is_shared = true;
    } else {
        gp_line_set_bits(w, row, 0, w->source->n_samples);
        gp_line_add_bits(w);
    }
}

static gp_status take_piece(void *context, int64_t number, int worker, gp_error *error)
{
    lines_job *job = context;
    piece *p = &job->pieces[number];
    gp_line_worker *w = &job->workers[worker];
    gp_line_source source = gp_line_source_of(p->lines);
    int64_t begin, end;
    (void)error;
    w->source = &source;
    find_range(w, p, &begin, &end);
    bool is_one_part = end - begin <= GP_LINE_PART && source.has_one_x && p->way != GP_LINE_NEITHER;
    for (int64_t row = p->row0; row < p->row1 && (row % STOP_LINES != 0 || !gp_threads_is_stopped()); row++)
        take_line(w, p, row, begin, end, is_one_part && row > p->row0);
    w->source = NULL;
    return GP_OK;
}

/* ---- long lines in no order ------------------------------------------------------------------------------------------ */

static gp_status take_share(void *context, int64_t number, int worker, gp_error *error)
{
    lines_job *job = context;
    gp_line_worker *w = &job->workers[worker];
    gp_line_source source = gp_line_source_of(job->shared->lines);
    int64_t begin = number * PIECE_SAMPLES;
    (void)error;
    w->source = &source;
    gp_line_set_bits(w, job->shared->row0, begin, gp_smaller(begin + PIECE_SAMPLES, source.n_samples));
    w->source = NULL;
    return GP_OK;
}

/* Joins the bits of all workers into those of the first. */
static void join_bits(lines_job *job)
{
    int64_t n_words = gp_line_words(job->options);
    gp_line_worker *to = &job->workers[0];
    for (int i = 1; i < job->n_workers; i++) {
        gp_line_worker *from = &job->workers[i];
        for (int64_t at = from->bits0 * n_words; at < from->bits1 * n_words; at++)
            to->bits[at] |= from->bits[at], from->bits[at] = 0;
        to->bits0 = gp_smaller(to->bits0, from->bits0), to->bits1 = to->bits1 > from->bits1 ? to->bits1 : from->bits1;
        from->bits0 = job->options->x.n_cells, from->bits1 = 0;
    }
}

static gp_status run_shared_pieces(lines_job *job, gp_error *error)
{
    for (int64_t i = 0; i < job->n_pieces; i++) {
        if (!job->pieces[i].is_shared)
            continue;
        job->shared = &job->pieces[i];
        int64_t n_shares = (job->shared->lines->y->n_cols + PIECE_SAMPLES - 1) / PIECE_SAMPLES;
        GP_TRY(gp_threads_run(n_shares, job->n_workers, take_share, job, error));
        join_bits(job);
        gp_line_add_bits(&job->workers[0]);
    }
    return GP_OK;
}

/* ---- the answer ------------------------------------------------------------------------------------------------------ */

/* Finishes some columns: joins all tables, and integrates along y, since a table has the difference between neighboring rows. */
static gp_status finish_columns(void *context, int64_t number, int worker, gp_error *error)
{
    enum { COLUMNS = 64 };
    lines_job *job = context;
    uint64_t sums[COLUMNS] = {0};
    int64_t n_cols = job->out->n_cols, begin = number * COLUMNS, end = gp_smaller(begin + COLUMNS, n_cols);
    (void)worker, (void)error;
    for (int64_t row = 0; row < job->out->n_rows; row++) {
        for (int i = 0; i < job->n_workers; i++)
            for (int64_t k = begin; k < end; k++)
                sums[k - begin] += job->workers[i].table[row * n_cols + k];
        for (int64_t k = begin; k < end; k++)
            job->out->data[row * n_cols + k] = gp_line_cell(job->options->is_normalized, sums[k - begin]);
    }
    return GP_OK;
}

static gp_status start_worker(gp_line_worker *w, const gp_line_options *options, size_t scratch_bytes, gp_error *error)
{
    int64_t n_cols = options->x.n_cells;
    size_t table_bytes = (size_t)(n_cols * gp_line_n_rows(options)) * sizeof *w->table;
    size_t bits_bytes = (size_t)(n_cols * gp_line_words(options)) * sizeof *w->bits;
    w->bits0 = n_cols;
    GP_TRY(gp_line_worker_start(w, options, n_cols, scratch_bytes, error));
    GP_TRY(gp_alloc(table_bytes, &w->table, error));
    GP_TRY(gp_alloc(bits_bytes, &w->bits, error));
    memset(w->table, 0, table_bytes);
    memset(w->bits, 0, bits_bytes);
    return GP_OK;
}

static void end_worker(gp_line_worker *w)
{
    gp_line_worker_end(w);
    free(w->table);
    free(w->bits);
}

/* The number of workers, limited by the work and by the memory of their tables. */
static int count_workers(const gp_lines *lines, int64_t n_lines, const gp_line_options *options)
{
    int64_t n_elems = 0, most = MOST_TABLE_BYTES / (options->x.n_cells * gp_line_n_rows(options) * (int64_t)sizeof(uint64_t));
    for (int64_t i = 0; i < n_lines; i++) {
        int64_t each = lines[i].y->n_cols + options->x.n_cells, n = lines[i].y->n_rows;
        n_elems = n > (INT64_MAX - n_elems) / each ? INT64_MAX : n_elems + n * each;
    }
    most = gp_smaller(most, MOST_WORKERS);
    return (int)gp_smaller(gp_threads_for(n_elems), most > 1 ? most : 1);
}

static gp_status run(lines_job *job, const gp_lines *lines, int64_t n_lines, gp_error *error)
{
    size_t scratch_bytes = 0;
    for (int64_t i = 0; i < n_lines; i++) {
        size_t n_bytes = gp_line_scratch_bytes(&lines[i]);
        scratch_bytes = n_bytes > scratch_bytes ? n_bytes : scratch_bytes;
    }
    for (int i = 0; i < job->n_workers; i++)
        GP_TRY(start_worker(&job->workers[i], job->options, scratch_bytes, error));
    for (int64_t i = 0; i < n_lines; i++)
        GP_TRY(cut(job, &lines[i], error));
    GP_TRY(gp_threads_run(job->n_pieces, job->n_workers, take_piece, job, error));
    GP_TRY(run_shared_pieces(job, error));
    return gp_threads_run((job->out->n_cols + 63) / 64, job->n_workers, finish_columns, job, error);
}

gp_status gp_cpu_bin_lines(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, gp_cells *out, gp_error *error)
{
    GP_TRY(gp_lines_check(lines, n_lines, options, out, error));
    lines_job job = {.options = options, .out = out, .n_workers = count_workers(lines, n_lines, options)};
    size_t n_bytes = (size_t)job.n_workers * sizeof *job.workers;
    GP_TRY(gp_alloc(n_bytes, &job.workers, error));
    memset(job.workers, 0, n_bytes);
    gp_status status = run(&job, lines, n_lines, error);
    for (int i = 0; i < job.n_workers; i++)
        end_worker(&job.workers[i]);
    free(job.workers);
    free(job.pieces);
    return status;
}
