/* What there is among the elements of a plane, one element after the other. */
#include "cpu.h"

#include "rows.h"
#include "threads.h"

#include <stdlib.h>

enum { CHUNK = 2048 };

static double value_of(gp_dtype dtype, const void *elems, int64_t i)
{
    switch (dtype) {
#define VALUE(NAME, storage, name, code, bits) case GP_##NAME: return gp_value_##NAME(((const storage *)elems)[i]);
        GP_PLAIN_DTYPES(VALUE)
        GP_CODED_DTYPES(VALUE)
#undef VALUE
    default: return 0;
    }
}

static bool is_below(gp_dtype dtype, const void *elems, int64_t i, int64_t best)
{
    if (dtype == GP_I64)
        return ((const int64_t *)elems)[i] < best;
    if (dtype == GP_U64)
        return ((const uint64_t *)elems)[i] < (uint64_t)best;
    return false;
}

typedef gp_status (*take)(void *context, gp_dtype dtype, const void *elems, int64_t position, int64_t n);

static gp_status each_chunk(const gp_plane *plane, take take_chunk, void *context, gp_error *error)
{
    gp_rows rows;
    gp_rows_init(plane, plane->hidden_nan, &rows);
    char *buffer = gp_cpu_alloc(CHUNK * sizeof(double)), *scratch = gp_cpu_alloc(gp_rows_scratch_bytes(&rows, CHUNK));
    gp_status status = buffer && scratch ? GP_OK : gp_fail_memory(error, CHUNK * sizeof(double));
    for (int64_t row = 0; row < plane->n_rows && status == GP_OK; row++)
        for (int64_t col = 0; col < plane->n_cols && status == GP_OK; col += CHUNK) {
            int64_t n = plane->n_cols - col < CHUNK ? plane->n_cols - col : CHUNK;
            const void *elems = gp_rows_get(&rows, row, col, n, buffer, scratch);
            status = take_chunk(context, rows.dtype, elems, row * plane->n_cols + col, n);
        }
    free(buffer);
    free(scratch);
    return status;
}

typedef struct summary_job {
    gp_summary *out;
    gp_moments moments;
    double smallest_normal;
    int64_t lowest, highest;
} summary_job;

static gp_status summarize_chunk(void *context, gp_dtype dtype, const void *elems, int64_t position, int64_t n)
{
    summary_job *job = context;
    gp_summary *s = job->out;
    bool is_wide = dtype == GP_I64 || dtype == GP_U64;
    for (int64_t i = 0; i < n; i++) {
        double x = value_of(dtype, elems, i) + 0.0;
        unsigned kind = gp_class_of(x);
        s->n_nan += kind == GP_HAS_NAN, s->n_pos_inf += kind == GP_HAS_POS_INF, s->n_neg_inf += kind == GP_HAS_NEG_INF;
        if (kind == GP_HAS_NAN && s->first_nan < 0)
            s->first_nan = position + i;
        if (kind != GP_HAS_FINITE)
            continue;
        s->n_neg += x < 0, s->n_zero += x == 0, s->n_pos += x > 0;
        s->n_subnormal += x != 0 && fabs(x) < job->smallest_normal;
        bool is_first = s->argmin < 0;
        int64_t bits = is_wide ? ((const int64_t *)elems)[i] : 0;
        if (is_first || (is_wide ? is_below(dtype, elems, i, job->lowest) : x < s->min))
            s->min = x, s->argmin = position + i, job->lowest = bits;
        int64_t highest = job->highest;
        if (is_first || (is_wide ? bits != highest && !is_below(dtype, elems, i, highest) : x > s->max))
            s->max = x, s->argmax = position + i, job->highest = bits;
        job->moments = gp_moments_join(job->moments, (gp_moments){1, x, 0});
    }
    return GP_OK;
}

gp_status gp_cpu_summarize(const gp_plane *plane, gp_summary *out, gp_error *error)
{
    gp_summary found = gp_summary_none();
    summary_job job = {.out = &found, .smallest_normal = gp_smallest_normal(plane->dtype)};
    GP_TRY(each_chunk(plane, summarize_chunk, &job, error));
    if (job.moments.weight > 0)
        found.mean = job.moments.mean + 0.0, found.m2 = job.moments.m2,
        found.sum_of_squares = job.moments.m2 + job.moments.weight * job.moments.mean * job.moments.mean;
    *out = found;
    return GP_OK;
}

typedef struct histogram_job {
    const double *edges;
    int64_t n_bins, *counts;
    const gp_integer_range *range;
} histogram_job;

static bool is_in_range(gp_dtype dtype, const void *elems, int64_t i, double x, const gp_integer_range *range)
{
    if (dtype == GP_U64) {
        uint64_t element = ((const uint64_t *)elems)[i];
        return element >= (uint64_t)range->first && element <= (uint64_t)range->last;
    }
    int64_t element = dtype == GP_I64 ? ((const int64_t *)elems)[i] : (int64_t)x;
    return element >= range->first && element <= range->last;
}

static gp_status histogram_chunk(void *context, gp_dtype dtype, const void *elems, int64_t position, int64_t n)
{
    histogram_job *job = context;
    (void)position;
    for (int64_t i = 0; i < n; i++) {
        double x = value_of(dtype, elems, i);
        if (job->range != NULL ? gp_class_of(x) != GP_HAS_FINITE || !is_in_range(dtype, elems, i, x, job->range)
                               : !(x >= job->edges[0] && x <= job->edges[job->n_bins]))
            continue;
        int64_t low = 0, high = job->n_bins - 1;
        while (low < high) {
            int64_t middle = (low + high + 1) / 2;
            if (x >= job->edges[middle])
                low = middle;
            else
                high = middle - 1;
        }
        job->counts[low]++;
    }
    return GP_OK;
}

gp_status gp_cpu_histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                           int64_t *counts, gp_error *error)
{
    GP_TRY(gp_histogram_check(plane, edges, n_bins, range, error));
    histogram_job job = {edges, n_bins, counts, range};
    memset(counts, 0, (size_t)n_bins * sizeof *counts);
    return each_chunk(plane, histogram_chunk, &job, error);
}

typedef struct find_job {
    unsigned kinds;
    int64_t start, found;
    bool is_backwards;
} find_job;

static gp_status find_chunk(void *context, gp_dtype dtype, const void *elems, int64_t position, int64_t n)
{
    find_job *job = context;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = position + i;
        bool is_wanted = (gp_class_of(value_of(dtype, elems, i)) & job->kinds) != 0;
        if (is_wanted && (job->is_backwards ? at <= job->start : at >= job->start && job->found < 0))
            job->found = at;
    }
    return GP_OK;
}

gp_status gp_cpu_find(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, int64_t *out, gp_error *error)
{
    find_job job = {kinds, start, -1, is_backwards};
    GP_TRY(gp_find_check(plane, kinds, start, is_backwards, error));
    GP_TRY(each_chunk(plane, find_chunk, &job, error));
    *out = job.found;
    return GP_OK;
}
