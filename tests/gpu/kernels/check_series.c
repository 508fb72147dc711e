/* Series: the samples that draw columns of pixels, which way they go, where values belong among them, and single ones. */
#include "checks.h"

#include <string.h>

/* Long enough for columns of several blocks, and rows of a plane. */
static const struct {
    int64_t n_rows, n_cols;
} sizes_of_series[] = {{1, 70001}, {3, 701}};
enum { N_SIZES = (int)(sizeof sizes_of_series / sizeof *sizes_of_series), N_COLUMNS = 5, N_PLACES = 40 };

static gp_plane row_of(const gp_plane *plane, int64_t row) { return gp_plane_crop(plane, row, row + 1, 0, plane->n_cols); }

/* Computed values may differ in their last bits, and so which of them is the least. */
static bool is_same_state(const gp_m4_state *got, const gp_m4_state *want, bool is_computed)
{
    if (!is_computed)
        return memcmp(got, want, sizeof *got) == 0;
    return got->n_finite == want->n_finite && got->first == want->first && got->last == want->last && got->has == want->has;
}

/* One column of all samples, and several: an empty one, a short one, long ones. */
static void check_m4(tally *all, const gp_plane *host, const gp_plane *device, bool is_computed, int n_columns)
{
    int64_t n = host->n_cols, bounds[N_COLUMNS + 1] = {n / 9, n / 9, n / 9 + 7, n / 3, n - n / 5, n};
    gp_m4_state got[N_COLUMNS], want[N_COLUMNS];
    gp_error error = {0};
    if (n_columns == 1)
        bounds[0] = 0, bounds[1] = n;
    if (!tally_ok(all, gp_cpu_backend.m4(host, bounds, n_columns, want, &error), &error, "the CPU's M4") ||
        !tally_ok(all, gp_cuda_backend.m4(device, bounds, n_columns, got, &error), &error, "m4"))
        return;
    for (int k = 0; k < n_columns; k++)
        if (!is_same_state(&got[k], &want[k], is_computed))
            tally_fail(all,
                       "column %d of %d: %lld finite, %lld..%lld, extremes at %lld and %lld; not %lld, %lld..%lld, %lld and %lld",
                       k, n_columns, (long long)got[k].n_finite, (long long)got[k].first, (long long)got[k].last,
                       (long long)got[k].argmin, (long long)got[k].argmax, (long long)want[k].n_finite, (long long)want[k].first,
                       (long long)want[k].last, (long long)want[k].argmin, (long long)want[k].argmax);
}

static void check_samples(tally *all, const gp_plane *host, const gp_plane *device, double tolerance)
{
    int64_t places[N_PLACES], got_at[N_PLACES], want_at[N_PLACES];
    double got[N_PLACES], want[N_PLACES];
    gp_error error = {0};
    for (int i = 0; i < N_PLACES; i++)
        places[i] = (int64_t)i * 7919 % host->n_cols;
    if (!tally_ok(all, gp_cpu_backend.take(host, places, N_PLACES, want, &error), &error, "the CPU's samples") ||
        !tally_ok(all, gp_cuda_backend.take(device, places, N_PLACES, got, &error), &error, "take") ||
        !tally_ok(all, gp_cpu_backend.search_sorted(host, want, N_PLACES, want_at, &error), &error, "the CPU's search") ||
        !tally_ok(all, gp_cuda_backend.search_sorted(device, want, N_PLACES, got_at, &error), &error, "search_sorted"))
        return;
    for (int i = 0; i < N_PLACES; i++) {
        if (!is_same_value(got[i], want[i]) && !(fabs(got[i] - want[i]) <= tolerance))
            tally_fail(all, "sample %lld is %.17g, not %.17g", (long long)places[i], got[i], want[i]);
        if (tolerance == 0 && got_at[i] != want_at[i]) /* halving goes the same way where nothing is in order */
            tally_fail(all, "%.17g belongs at %lld, not %lld", want[i], (long long)got_at[i], (long long)want_at[i]);
    }
}

static void check_ways(tally *all, const gp_plane *host, const gp_plane *device)
{
    unsigned got, want;
    gp_error error = {0};
    if (tally_ok(all, gp_cpu_backend.find_ways(host, &want, &error), &error, "the CPU's order") &&
        tally_ok(all, gp_cuda_backend.find_ways(device, &got, &error), &error, "find_ways") && got != want)
        tally_fail(all, "goes the ways %u, not %u", got, want);
}

static void check_rows(tally *all, const sample *s, const sample_kind *kind)
{
    bool is_computed = sample_is_computed(kind);
    for (int64_t row = 0; row < s->host.n_rows; row += 2) {
        gp_plane host = row_of(&s->host, row), device = row_of(&s->device, row);
        gp_plane one = gp_plane_crop(&host, 0, 1, 0, 1), one_dev = gp_plane_crop(&device, 0, 1, 0, 1);
        check_m4(all, &host, &device, is_computed, N_COLUMNS);
        check_m4(all, &host, &device, is_computed, 1);
        check_samples(all, &host, &device, is_computed ? 1e-12 * s->most : 0);
        check_ways(all, &host, &device);
        check_ways(all, &one, &one_dev);
    }
}

void check_series(tally *all, const check_sizes *sizes)
{
    const sample_kind *kinds;
    int n_kinds = sample_kinds(&kinds);
    if (!tally_group(all, "series"))
        return;
    for (int kind = 0; kind < n_kinds; kind++)
        for (int i = 0; i < N_SIZES; i++) {
            char name[96];
            gp_error error = {0};
            sample s;
            int64_t n_rows = sizes_of_series[i].n_rows, n_cols = sizes_of_series[i].n_cols * sizes->scale;
            if (!tally_wants(all, sample_is_typical(&kinds[kind]) && i == 0))
                continue;
            sample_kind_name(&kinds[kind], name, sizeof name);
            tally_name(all, "%s, %lld x %lld", name, (long long)n_rows, (long long)n_cols);
            if (!tally_ok(all, sample_make(&kinds[kind], n_rows, n_cols, i == 0, (uint64_t)(kind + i), &s, &error), &error,
                          "making a plane"))
                continue;
            check_rows(all, &s, &kinds[kind]);
            sample_free(&s);
        }
}
