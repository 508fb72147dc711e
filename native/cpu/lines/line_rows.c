/* Lines that rise over one x -> the first and the last row that each fills of a column: what `bin_lines` counts, line by line. */
#include "line_rows.h"

#include <string.h>

#include "../../core/base/alloc.h"
#include "../../core/base/arithmetic.h"
#include "../../core/base/threads.h"
#include "lines.h"

/* Samples and columns of a piece. */
enum { PIECE_SAMPLES = 1 << 18 };

/* Lines of one set: lines row0.. of it, n of them, go to `out`. */
typedef struct rows_job {
    const gp_line_options *options;
    gp_line_source source;
    gp_line_box box;
    int64_t row0, n, each;
    gp_line_worker *workers;
    gp_line_rows_of_column *out;
} rows_job;

/* Writes the rows of the spans of columns, and clears the spans. */
static void write_rows(gp_line_worker *w, int64_t n_columns, gp_line_rows_of_column *out)
{
    for (int64_t k = 0; k < n_columns; k++) {
        int64_t first = INT32_MAX, last = -1;
        gp_line_rows(w->spans[k], w->options, &first, &last);
        out[k] = (gp_line_rows_of_column){(int32_t)first, (int32_t)last};
        w->spans[k] = gp_line_span_none();
    }
}

static gp_status take_piece(void *context, int64_t number, int worker, gp_error *error)
{
    rows_job *job = context;
    gp_line_worker *w = &job->workers[worker];
    gp_line_box box = job->box;
    int64_t n_samples = job->source.n_samples, begin = number * job->each, end = gp_smaller(begin + job->each, job->n);
    bool is_one_part = n_samples <= GP_LINE_PART;
    (void)error;
    w->source = &job->source;
    for (int64_t i = begin; i < end && !gp_threads_is_stopped(); i++) {
        int64_t touched0, touched1;
        gp_line_find_spans(w, job->row0 + i, GP_LINE_RISES, box.column0, box.column1, 0, n_samples, is_one_part && i > begin,
                           &touched0, &touched1);
        write_rows(w, box.column1 - box.column0, job->out + i * (box.column1 - box.column0));
    }
    return GP_OK;
}

static gp_status run_with(rows_job *job, int n_workers, gp_error *error)
{
    size_t scratch_bytes = gp_line_scratch_bytes(job->source.lines);
    for (int i = 0; i < n_workers; i++)
        GP_TRY(gp_line_worker_start(&job->workers[i], job->options, job->box.column1 - job->box.column0, scratch_bytes, error));
    return gp_threads_run((job->n + job->each - 1) / job->each, n_workers, take_piece, job, error);
}

/* The lines of one set. */
static gp_status run(rows_job *job, gp_error *error)
{
    int64_t of_line = job->source.n_samples + job->box.column1 - job->box.column0, n_elems;
    int n_workers = gp_threads_for(__builtin_mul_overflow(job->n, of_line, &n_elems) ? INT64_MAX : n_elems);
    job->each = PIECE_SAMPLES / of_line + 1;
    GP_TRY(gp_alloc((size_t)n_workers * sizeof *job->workers, &job->workers, error));
    memset(job->workers, 0, (size_t)n_workers * sizeof *job->workers);
    gp_status status = run_with(job, n_workers, error);
    for (int i = 0; i < n_workers; i++)
        gp_line_worker_end(&job->workers[i]);
    free(job->workers);
    return status;
}

static gp_status check(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, gp_line_box box, gp_error *error)
{
    gp_cells cells = {.n_rows = gp_line_n_rows(options), .n_cols = options->x.n_cells, .device = lines[0].y->device};
    int64_t n_all = 0;
    GP_TRY(gp_lines_check(lines, n_lines, options, &cells, error));
    for (int64_t i = 0; i < n_lines; i++) {
        n_all += lines[i].y->n_rows;
        if (lines[i].order != GP_LINE_SORTED || (lines[i].x != NULL && lines[i].x->n_rows != 1))
            return gp_fail(error, GP_ERR_VALUE, "rows are of lines that are sorted, over positions or one x for all");
    }
    if (box.line0 < 0 || box.line0 > box.line1 || box.line1 > n_all || box.column0 < 0 || box.column0 > box.column1 ||
        box.column1 > options->x.n_cells)
        return gp_fail(error, GP_ERR_VALUE, "lines %lld to %lld of %lld, columns %lld to %lld of %lld", (long long)box.line0,
                       (long long)box.line1, (long long)n_all, (long long)box.column0, (long long)box.column1,
                       (long long)options->x.n_cells);
    return GP_OK;
}

gp_status gp_cpu_line_rows(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, gp_line_box box,
                           gp_line_rows_of_column *out, gp_error *error)
{
    GP_TRY(check(lines, n_lines, options, box, error));
    for (int64_t i = 0, line = 0; i < n_lines; line += lines[i].y->n_rows, i++) {
        int64_t begin = box.line0 > line ? box.line0 : line, end = gp_smaller(box.line1, line + lines[i].y->n_rows);
        rows_job job = {.options = options,
                        .source = gp_line_source_of(&lines[i]),
                        .box = box,
                        .row0 = begin - line,
                        .n = end - begin,
                        .out = out + (begin - box.line0) * (box.column1 - box.column0)};
        if (job.n > 0 && box.column1 > box.column0)
            GP_TRY(run(&job, error));
    }
    return GP_OK;
}
