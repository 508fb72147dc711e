/* What there is among elements: summaries, histograms, and where the next one of a kind is. */
#include "checks.h"

#include <stdlib.h>

/* Values that are computed may differ in their last bits, and then which of them is the least, or in which bin. */
static bool is_near(double got, double want, double tolerance)
{
    return is_same_value(got, want) || fabs(got - want) <= tolerance;
}

/* ---- summarize ----------------------------------------------------------------------------------------------------- */

static void check_counts(tally *all, const gp_summary *got, const gp_summary *want, bool is_computed)
{
    const int64_t pairs[][2] = {
        {got->n_nan, want->n_nan},         {got->n_neg_inf, want->n_neg_inf},
        {got->n_pos_inf, want->n_pos_inf}, {got->first_nan, want->first_nan},
        {got->n_neg, want->n_neg},         {got->n_zero, want->n_zero},
        {got->n_pos, want->n_pos},         {got->n_subnormal, want->n_subnormal},
        {got->argmin, want->argmin},       {got->argmax, want->argmax},
    };
    static const char *const names[] = {"n_nan",  "n_neg_inf", "n_pos_inf",   "first_nan", "n_neg",
                                        "n_zero", "n_pos",     "n_subnormal", "argmin",    "argmax"};
    int n_certain = 4, n = (int)(sizeof pairs / sizeof *pairs);
    for (int i = 0; i < (is_computed ? n_certain : n); i++)
        if (pairs[i][0] != pairs[i][1])
            tally_fail(all, "%s is %lld, not %lld", names[i], (long long)pairs[i][0], (long long)pairs[i][1]);
}

void check_summary(tally *all, const gp_summary *got, const gp_summary *want, const sample *s, const sample_kind *kind,
                   int64_t n_elems)
{
    double tolerance = sample_is_computed(kind) ? 1e-12 * s->most : 0, most2 = s->most * s->most * (double)n_elems;
    check_counts(all, got, want, sample_is_computed(kind));
    if (!is_near(got->min, want->min, tolerance) || !is_near(got->max, want->max, tolerance))
        tally_fail(all, "%.17g..%.17g, not %.17g..%.17g", got->min, got->max, want->min, want->max);
    if (!is_near(got->mean, want->mean, 1e-12 * s->most))
        tally_fail(all, "the mean is %.17g, not %.17g", got->mean, want->mean);
    if (!is_near(got->m2, want->m2, 1e-9 * want->m2 + 1e-12 * most2) ||
        !is_near(got->sum_of_squares, want->sum_of_squares, 1e-9 * want->sum_of_squares + 1e-12 * most2))
        tally_fail(all, "m2 and squares are %.17g %.17g, not %.17g %.17g", got->m2, got->sum_of_squares, want->m2,
                   want->sum_of_squares);
}

static void check_summary_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    gp_error error = {0};
    gp_summary_state device, host, again;
    (void)number;
    if (!tally_ok(all, gp_cpu_backend.summarize(&s->host, &host, &error), &error, "the CPU's summary") ||
        !tally_ok(all, gp_cuda_backend.summarize(&s->device, &device, &error), &error, "summarize") ||
        !tally_ok(all, gp_cuda_backend.summarize(&s->device, &again, &error), &error, "summarize again"))
        return;
    gp_order_type order = gp_plane_summary_order(&s->host);
    gp_summary got = gp_summary_state_finish(&device, order), want = gp_summary_state_finish(&host, order);
    check_summary(all, &got, &want, s, kind, s->host.n_rows * s->host.n_cols);
    if (!is_same_value(device.moments.mean, again.moments.mean) || !is_same_value(device.moments.m2, again.moments.m2))
        tally_fail(all, "the moments have other bits the second time");
}

/* So many elements that a block of the emulated device goes through many jobs, and tells its threads the extremes between them. */
static void check_summaries_of_large(tally *all)
{
    static const gp_dtype dtypes[] = {GP_F32, GP_U8, GP_I32, GP_F64};
    for (int i = 0; i < (int)(sizeof dtypes / sizeof *dtypes); i++) {
        const sample_kind kind = {dtypes[i], LAYOUT_ROWS, GP_COMPONENT_VALUE, HIDDEN_NONE, 0, 0, false};
        gp_error error = {0};
        sample s;
        if (!tally_wants(all, false))
            continue;
        tally_name(all, "%s, a million elements", gp_dtype_name(dtypes[i]));
        if (!tally_ok(all, sample_make(&kind, 2000, 1100, i % 2 == 0, (uint64_t)i, &s, &error), &error, "making a plane"))
            return;
        check_summary_of(all, &s, &kind, i);
        sample_free(&s);
    }
}

void check_summarize(tally *all, const check_sizes *sizes)
{
    if (!tally_group(all, "summarize"))
        return;
    for_every_sample(all, sizes, check_summary_of);
    check_summaries_of_large(all);
}

/* ---- histogram ----------------------------------------------------------------------------------------------------- */

/* Even edges, or edges whose bins widen. */
static void make_edges(double *edges, int64_t n_bins, double low, double high, bool is_even)
{
    double width = high > low ? high - low : 1;
    for (int64_t i = 0; i <= n_bins; i++) {
        double t = (double)i / (double)n_bins;
        edges[i] = low + (is_even ? t : t * (0.5 + 0.5 * t)) * width;
    }
}

void check_bins(tally *all, const int64_t *got, const int64_t *want, int64_t n_bins, const sample *s, const sample_kind *kind)
{
    int64_t n_moved = 0, n_elems = s->host.n_rows * s->host.n_cols;
    for (int64_t i = 0; i < n_bins; i++)
        n_moved += got[i] > want[i] ? got[i] - want[i] : want[i] - got[i];
    if (n_moved > (sample_is_computed(kind) ? n_elems / 1000 + 2 : 0))
        tally_fail(all, "bins differ by %lld elements of %lld", (long long)n_moved, (long long)n_elems);
}

static void check_counts_between(tally *all, const sample *s, const sample_kind *kind, const double *edges, int64_t n_bins,
                                 const gp_integer_range *range)
{
    int64_t *counts = malloc(2 * (size_t)n_bins * sizeof *counts);
    gp_error error = {0};
    if (counts != NULL &&
        tally_ok(all, gp_cpu_backend.histogram(&s->host, edges, n_bins, range, counts, &error), &error, "the CPU's histogram") &&
        tally_ok(all, gp_cuda_backend.histogram(&s->device, edges, n_bins, range, counts + n_bins, &error), &error, "histogram"))
        check_bins(all, counts + n_bins, counts, n_bins, s, kind);
    free(counts);
}

static void check_histogram_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    static const int64_t n_bins[] = {64, 1, 10000, 300};
    enum { N = (int)(sizeof n_bins / sizeof *n_bins) };
    gp_error error = {0};
    gp_limits_state state;
    if (!tally_ok(all, gp_cpu_backend.limits(&s->host, GP_WANT_RANGE, &state, &error), &error, "the CPU's limits"))
        return;
    gp_limits limits = gp_limits_state_finish(&state);
    double low = limits.has & GP_HAS_FINITE ? limits.min : 0, high = limits.has & GP_HAS_FINITE ? limits.max : 1;
    for (int i = 0; i < N; i++) { /* the typical cases take every path */
        double *edges = malloc(((size_t)n_bins[i] + 1) * sizeof *edges);
        gp_integer_range range = {(int64_t)(low / 2), (int64_t)(high / 2)};
        if (edges == NULL)
            return;
        make_edges(edges, n_bins[i], low, high, (number + i) % 3 != 0);
        if (gp_histogram_check(&s->host, edges, n_bins[i], NULL, &error) == GP_OK)
            check_counts_between(all, s, kind, edges, n_bins[i], gp_plane_is_integer(&s->host) && i % 2 == 1 ? &range : NULL);
        free(edges);
    }
}

void check_histogram(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "histogram"))
        for_every_sample(all, sizes, check_histogram_of);
}

/* ---- find ---------------------------------------------------------------------------------------------------------- */

static void check_find_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    static const unsigned kinds[] = {GP_HAS_NAN, GP_HAS_POS_INF, GP_HAS_NEG_INF, GP_HAS_FINITE,
                                     GP_HAS_NAN | GP_HAS_POS_INF | GP_HAS_NEG_INF};
    enum { N = (int)(sizeof kinds / sizeof *kinds) };
    int64_t n = s->host.n_rows * s->host.n_cols;
    (void)kind;
    for (int i = 0; i < N; i++) {
        gp_error error = {0};
        int64_t start = (number * 7919 + i * 104729) % n, got, want;
        bool is_backwards = (number + i) % 2 == 1;
        gp_status status = gp_cpu_backend.find(&s->host, kinds[i], start, is_backwards, &want, &error);
        if (!tally_ok(all, status, &error, "the CPU's search"))
            return;
        status = gp_cuda_backend.find(&s->device, kinds[i], start, is_backwards, &got, &error);
        if (!tally_ok(all, status, &error, "find"))
            return;
        if (got != want)
            tally_fail(all, "kind %u from %lld %s is at %lld, not %lld", kinds[i], (long long)start,
                       is_backwards ? "backwards" : "on", (long long)got, (long long)want);
    }
}

void check_find(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "find"))
        for_every_sample(all, sizes, check_find_of);
}
