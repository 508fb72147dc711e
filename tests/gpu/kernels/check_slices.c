/* The rows and the columns of planes as slices: their summaries, histograms and percentiles, all of one plane at once. */
#include "checks.h"

#include <stdlib.h>

/* Slices are cut from what is stored. */
static bool has_slices(const sample_kind *kind) { return kind->hidden == HIDDEN_NONE && kind->n_channels == 0; }

/* Each row is a slice, or each column. */
static gp_status slices_of(const gp_plane *plane, bool is_columns, gp_slices *out, gp_error *error)
{
    gp_tensor tensor = {.data = plane->data,
                        .dtype = plane->dtype,
                        .is_byteswapped = plane->is_byteswapped,
                        .device = plane->device,
                        .n_dims = 2,
                        .shape = {plane->n_rows, plane->n_cols},
                        .strides_bytes = {plane->row_stride_bytes, plane->col_stride_bytes},
                        .mask = plane->mask,
                        .mask_strides_bytes = {plane->mask_row_stride_bytes, plane->mask_col_stride_bytes}};
    gp_slice_use uses[] = {{0, 1, plane->n_rows, !is_columns}, {0, 1, plane->n_cols, is_columns}};
    return gp_slices_from(&tensor, uses, plane->component, out, error);
}

typedef struct slices_case {
    tally *all;
    const sample *s;
    const sample_kind *kind;
    int number;
    gp_slices host, device;
} slices_case;

/* `check` for the rows and for the columns, with room for what is got and what is wanted of each slice. */
static void for_rows_and_columns(slices_case *now, size_t item_bytes,
                                 void (*check)(const slices_case *now, void *got, void *want))
{
    for (int is_columns = 0; is_columns < 2 && has_slices(now->kind); is_columns++) {
        gp_error error = {0};
        if (!tally_ok(now->all, slices_of(&now->s->host, is_columns, &now->host, &error), &error, "slices") ||
            !tally_ok(now->all, slices_of(&now->s->device, is_columns, &now->device, &error), &error, "slices of the device"))
            return;
        size_t n = (size_t)now->host.n_slices * item_bytes;
        unsigned char *memory = calloc(2, n);
        if (memory != NULL)
            check(now, memory, memory + n);
        free(memory);
    }
}

/* ---- summaries ----------------------------------------------------------------------------------------------------- */

static void compare_summaries(const slices_case *now, void *got, void *want)
{
    gp_error error = {0};
    if (!tally_ok(now->all, gp_cpu_backend.summarize_slices(&now->host, want, &error), &error, "the CPU's slices") ||
        !tally_ok(now->all, gp_cuda_backend.summarize_slices(&now->device, got, &error), &error, "summarize_slices"))
        return;
    for (int64_t i = 0; i < now->host.n_slices; i++)
        check_summary(now->all, (gp_summary *)got + i, (gp_summary *)want + i, now->s, now->kind, now->host.n_elems);
}

static void check_summarize_slices_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    slices_case now = {.all = all, .s = s, .kind = kind, .number = number};
    for_rows_and_columns(&now, sizeof(gp_summary), compare_summaries);
}

void check_summarize_slices(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "summarize_slices"))
        for_every_sample(all, sizes, check_summarize_slices_of);
}

/* ---- histograms ---------------------------------------------------------------------------------------------------- */

enum { N_BINS = 50 };

/* Even edges of each slice; those of the first ones are narrower than the elements reach. */
static void make_edges(double *edges, int64_t n_slices, double most, bool holds_all)
{
    for (int64_t i = 0; i < n_slices; i++) {
        double reach = most * (holds_all ? 1 : (double)(i + 1) / (double)n_slices) + 1;
        for (int64_t k = 0; k <= N_BINS; k++)
            edges[i * (N_BINS + 1) + k] = reach * (2.0 * (double)k / N_BINS - 1);
    }
}

static void compare_histograms(const slices_case *now, void *got, void *want)
{
    gp_error error = {0};
    bool is_signed = now->kind->dtype >= GP_I8 && now->kind->dtype <= GP_I64;
    gp_integer_range all = is_signed ? (gp_integer_range){INT64_MIN, INT64_MAX} : (gp_integer_range){0, -1};
    gp_integer_range *range = gp_plane_is_integer(&now->s->host) && now->number % 2 ? &all : NULL;
    double *edges = malloc((size_t)now->host.n_slices * (N_BINS + 1) * sizeof *edges);
    if (edges == NULL)
        return;
    make_edges(edges, now->host.n_slices, now->s->most < 1e300 ? now->s->most : 1e300, range != NULL);
    if (tally_ok(now->all, gp_cpu_backend.histogram_slices(&now->host, edges, N_BINS, range, want, &error), &error,
                 "the CPU's histograms of slices") &&
        tally_ok(now->all, gp_cuda_backend.histogram_slices(&now->device, edges, N_BINS, range, got, &error), &error,
                 "histogram_slices"))
        check_bins(now->all, got, want, N_BINS * now->host.n_slices, now->s, now->kind);
    free(edges);
}

static void check_histogram_slices_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    slices_case now = {.all = all, .s = s, .kind = kind, .number = number};
    for_rows_and_columns(&now, N_BINS * sizeof(int64_t), compare_histograms);
}

void check_histogram_slices(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "histogram_slices"))
        for_every_sample(all, sizes, check_histogram_slices_of);
}

/* ---- percentiles --------------------------------------------------------------------------------------------------- */

static const double percents[] = {0, 2, 33.3, 50, 98, 100};
enum { N_PERCENTS = (int)(sizeof percents / sizeof *percents) };

static void compare_percentiles(const slices_case *now, void *got, void *want)
{
    gp_error error = {0};
    double tolerance = (sample_is_computed(now->kind) ? 1e-12 : 1e-14) * now->s->most, *of_cuda = got, *of_cpu = want;
    if (!tally_ok(now->all, gp_cpu_backend.percentiles_slices(&now->host, percents, N_PERCENTS, want, &error), &error,
                  "the CPU's percentiles of slices") ||
        !tally_ok(now->all, gp_cuda_backend.percentiles_slices(&now->device, percents, N_PERCENTS, got, &error), &error,
                  "percentiles_slices"))
        return;
    for (int64_t i = 0; i < now->host.n_slices * N_PERCENTS; i++)
        if (!is_same_value(of_cuda[i], of_cpu[i]) && !(fabs(of_cuda[i] - of_cpu[i]) <= tolerance))
            tally_fail(now->all, "percentile %g of slice %lld is %.17g, not %.17g", percents[i % N_PERCENTS],
                       (long long)(i / N_PERCENTS), of_cuda[i], of_cpu[i]);
}

static void check_percentiles_slices_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    slices_case now = {.all = all, .s = s, .kind = kind, .number = number};
    for_rows_and_columns(&now, sizeof percents, compare_percentiles);
}

void check_percentiles_slices(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "percentiles_slices"))
        for_every_sample(all, sizes, check_percentiles_slices_of);
}
