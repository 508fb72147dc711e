/* Elements counted, and added up, by the bins of one and of two planes. */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

/* Few bins are counted in shared memory, many by atomics in the device's. */
enum { FEW = 6, MANY = 200 };

static void fill_edges(double *edges, int n_bins)
{
    for (int i = 0; i <= n_bins; i++)
        edges[i] = -60 + 150.0 * i / n_bins;
}

static void check_counts(tally *all, gp_joint *host, gp_joint *device)
{
    int64_t n_got, n_want, n_bins = gp_joint_bins(host);
    gp_error error = {0};
    int64_t *got = calloc((size_t)n_bins, sizeof *got), *want = calloc((size_t)n_bins, sizeof *want);
    if (tally_ok(all, gp_cpu_backend.histogram_joint(host, want, NULL, &n_want, &error), &error, "the CPU's bins") &&
        tally_ok(all, gp_cuda_backend.histogram_joint(device, got, NULL, &n_got, &error), &error, "histogram_joint") &&
        (n_got != n_want || memcmp(got, want, (size_t)n_bins * sizeof *got) != 0))
        tally_fail(all, "other counts of %lld bins: %lld elements, not %lld", (long long)n_bins, (long long)n_got,
                   (long long)n_want);
    free(got);
    free(want);
}

static void check_sums(tally *all, gp_joint *host, gp_joint *device, double tolerance)
{
    int64_t n_got, n_want, n_bins = gp_joint_bins(host);
    gp_error error = {0};
    double *got = calloc((size_t)n_bins, sizeof *got), *want = calloc((size_t)n_bins, sizeof *want);
    bool is_run = tally_ok(all, gp_cpu_backend.histogram_joint(host, NULL, want, &n_want, &error), &error, "the CPU's sums") &&
                  tally_ok(all, gp_cuda_backend.histogram_joint(device, NULL, got, &n_got, &error), &error, "histogram_joint");
    for (int64_t i = 0; is_run && i < n_bins; i++)
        if (!is_same_value(got[i], want[i]) && !(fabs(got[i] - want[i]) <= tolerance)) {
            tally_fail(all, "the sum of bin %lld is %.17g, not %.17g", (long long)i, got[i], want[i]);
            break;
        }
    if (is_run && n_got != n_want)
        tally_fail(all, "%lld elements have a bin, not %lld", (long long)n_got, (long long)n_want);
    free(got);
    free(want);
}

static void check_joint_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    double few[FEW + 1], many[MANY + 1], n_elems = (double)(s->host.n_rows * s->host.n_cols);
    gp_error error = {0};
    fill_edges(few, FEW);
    fill_edges(many, MANY);
    gp_joint host = {.sides = {{&s->host, many, MANY, NULL}, {&s->host, few, FEW, NULL}}, .n_sides = 1};
    gp_joint device = {.sides = {{&s->device, many, MANY, NULL}, {&s->device, few, FEW, NULL}}, .n_sides = 1};
    (void)kind, (void)number;
    if (gp_joint_check(&host, &error) != GP_OK) /* elements that are computed */
        return;
    check_counts(all, &host, &device);
    host.n_sides = device.n_sides = 2;
    check_counts(all, &host, &device);
    host.sides[1] = host.sides[0], device.sides[1] = device.sides[0];
    check_counts(all, &host, &device);
    host.n_sides = device.n_sides = 1;
    host.weights = &s->host, device.weights = &s->device;
    check_sums(all, &host, &device, 1e-12 * s->most * n_elems);
}

void check_joint(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "joint"))
        for_every_sample(all, sizes, check_joint_of);
}
