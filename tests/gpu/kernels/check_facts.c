/* Facts about elements and percentiles of them, and elements copied as they are. */
#include "checks.h"
#include "emulation.h"
#include "cuda/points.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    int64_t n_rows, n_cols;
} sizes_of_facts[] = {{37, 53}, {1, 3001}, {1501, 2}, {200, 130}};
enum { N_SIZES = (int)(sizeof sizes_of_facts / sizeof *sizes_of_facts) };

bool may_depend_on_order(const tally *all) { return !emulation_is_on() || all->has_all_typical; }

void for_every_sample(tally *all, const check_sizes *sizes, check_of_sample *check)
{
    const sample_kind *kinds;
    int n_kinds = sample_kinds(&kinds);
    for (int kind = 0; kind < n_kinds; kind++)
        for (int i = 0; i < N_SIZES; i++) {
            char name[96];
            gp_error error = {0};
            sample s;
            int64_t n_rows = sizes_of_facts[i].n_rows * sizes->scale, n_cols = sizes_of_facts[i].n_cols * sizes->scale;
            if (!tally_wants(all, sample_is_typical(&kinds[kind]) && i % 3 == 0))
                continue;
            sample_kind_name(&kinds[kind], name, sizeof name);
            tally_name(all, "%s, %lld x %lld", name, (long long)n_rows, (long long)n_cols);
            if (!tally_ok(all, sample_make(&kinds[kind], n_rows, n_cols, i % 2 == 1, (uint64_t)(kind + i), &s, &error), &error,
                          "making a plane"))
                continue;
            check(all, &s, &kinds[kind], kind + i);
            sample_free(&s);
        }
}

/* ---- limits -------------------------------------------------------------------------------------------------------- */

static void check_limits_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    gp_error error = {0};
    gp_limits_state device, host;
    unsigned asked = (unsigned)number % 7 + 1;
    if (tally_ok(all, gp_cpu_backend.limits(&s->host, asked, &host, &error), &error, "the CPU's limits") &&
        tally_ok(all, gp_cuda_backend.limits(&s->device, asked, &device, &error), &error, "limits")) {
        gp_limits got = gp_limits_state_finish(&device), want = gp_limits_state_finish(&host);
        check_facts(all, &got, &want, asked, sample_is_computed(kind) ? 1e-12 * s->most : 0);
    }
}

void check_limits(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "limits"))
        for_every_sample(all, sizes, check_limits_of);
}

/* ---- percentiles --------------------------------------------------------------------------------------------------- */

static void check_percentiles_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    static const double percents[] = {0, 0.1, 2, 25, 50, 50.01, 98, 99.9, 100};
    enum { N = (int)(sizeof percents / sizeof *percents) };
    double got[N], want[N], tolerance = (sample_is_computed(kind) ? 1e-12 : 1e-14) * s->most;
    int n = number % 3 == 0 ? 1 : N, first = number % 3 == 0 ? number % N : 0;
    bool is_positive = number % 4 == 1;
    gp_error error = {0};
    if (!tally_ok(all, gp_cpu_backend.percentiles(&s->host, percents + first, n, is_positive, want, &error), &error,
                  "the CPU's percentiles") ||
        !tally_ok(all, gp_cuda_backend.percentiles(&s->device, percents + first, n, is_positive, got, &error), &error,
                  "percentiles"))
        return;
    for (int i = 0; i < n; i++)
        if (!is_same_value(got[i], want[i]) && !(fabs(got[i] - want[i]) <= tolerance))
            tally_fail(all, "percentile %g%s is %.17g, not %.17g", percents[first + i],
                       is_positive ? " of the positive ones" : "", got[i], want[i]);
}

void check_percentiles(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "percentiles"))
        for_every_sample(all, sizes, check_percentiles_of);
}

/* ---- elements in ranges --------------------------------------------------------------------------------------------- */

enum { MOST_COLLECTED = 4096, N_RANGES = 40 };

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ranges with elements of the plane as ends; of computed elements, whose last bits differ, one range around them all. */
static int ranges_of(tally *all, const sample *s, const sample_kind *kind, double *lows, double *highs)
{
    double percents[2 * N_RANGES], ends[2 * N_RANGES];
    gp_error error = {0};
    int n = 0;
    if (sample_is_computed(kind)) {
        lows[0] = -2 * s->most, highs[0] = 2 * s->most;
        return 1;
    }
    for (int i = 0; i < 2 * N_RANGES; i++)
        percents[i] = 100.0 * i / (2 * N_RANGES);
    if (!tally_ok(all, gp_cpu_backend.percentiles(&s->host, percents, 2 * N_RANGES, false, ends, &error), &error,
                  "ends of ranges"))
        return 0;
    for (int i = 0; i < N_RANGES; i++)
        if (ends[2 * i] <= ends[2 * i + 1] && (n == 0 || ends[2 * i] > highs[n - 1]))
            lows[n] = ends[2 * i], highs[n++] = ends[2 * i + 1];
    return n;
}

static void check_collect_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    static double got[MOST_COLLECTED], want[MOST_COLLECTED];
    double lows[N_RANGES], highs[N_RANGES], tolerance = sample_is_computed(kind) ? 1e-12 * s->most : 0;
    int64_t n_got = 0, n_want = 0, most = number % 5 == 0 ? 10 : MOST_COLLECTED;
    int n = ranges_of(all, s, kind, lows, highs);
    gp_error error = {0};
    if (!tally_ok(all, gp_cpu_backend.collect(&s->host, lows, highs, n, most, want, &n_want, &error), &error,
                  "the CPU's elements") ||
        !tally_ok(all, gp_cuda_backend.collect(&s->device, lows, highs, n, most, got, &n_got, &error), &error,
                  "elements in ranges"))
        return;
    if (n_got != n_want && (n_got <= most || n_want <= most))
        tally_fail(all, "%lld elements in ranges, not %lld", (long long)n_got, (long long)n_want);
    if (n_got != n_want || n_want > most)
        return;
    qsort(got, (size_t)n_got, sizeof *got, compare_numbers);
    qsort(want, (size_t)n_want, sizeof *want, compare_numbers);
    for (int64_t i = 0; i < n_want; i++)
        if (!(fabs(got[i] - want[i]) <= tolerance)) {
            tally_fail(all, "element %lld in ranges is %.17g, not %.17g", (long long)i, got[i], want[i]);
            return;
        }
}

void check_collect(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "collect") && may_depend_on_order(all))
        for_every_sample(all, sizes, check_collect_of);
}

/* ---- gather -------------------------------------------------------------------------------------------------------- */

/* A box in the middle where the number is odd, else the whole plane. */
static gp_plane part_of(const gp_plane *plane, int number)
{
    int64_t rows = plane->n_rows, cols = plane->n_cols;
    return number % 2 && rows > 2 && cols > 4 ? gp_plane_crop(plane, rows / 3, rows - 1, cols / 5, cols - 1) : *plane;
}

static void check_gather_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    gp_plane host = part_of(&s->host, number), device = part_of(&s->device, number);
    size_t n_bytes = (size_t)(host.n_rows * host.n_cols) * (size_t)gp_dtype_size_bytes(kind->dtype);
    if (sample_is_computed(kind)) /* nothing that is stored */
        return;
    unsigned char *want = malloc(n_bytes), *got = malloc(n_bytes);
    gp_error error = {0};
    if (want != NULL && got != NULL)
        memset(got, 0xa5, n_bytes);
    if (want != NULL && got != NULL && tally_ok(all, gp_cpu_backend.gather(&host, want, &error), &error, "the CPU's gather") &&
        tally_ok(all, gp_cuda_backend.gather(&device, got, &error), &error, "gather"))
        for (size_t i = 0; i < n_bytes; i++)
            if (got[i] != want[i]) {
                tally_fail(all, "byte %zu of %zu is %02x, not %02x", i, n_bytes, got[i], want[i]);
                break;
            }
    free(want);
    free(got);
}

void check_gather(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "gather"))
        for_every_sample(all, sizes, check_gather_of);
}

/* ---- single elements ----------------------------------------------------------------------------------------------- */

/* Elements of these many bytes, at any alignment, in an order that jumps. */
static void check_points_of(tally *all, CUdeviceptr memory, const unsigned char *bytes, int64_t n_bytes, int item_bytes)
{
    enum { N = 3000 };
    uint64_t addresses[N];
    static unsigned char got[N * 16];
    gp_error error = {0};
    for (int64_t i = 0; i < N; i++)
        addresses[i] = memory + (uint64_t)(i * 7919 % (n_bytes - item_bytes));
    if (!tally_ok(all, gp_cuda_gather_points(0, addresses, N, item_bytes, got, &error), &error, "points"))
        return;
    for (int64_t i = 0; i < N; i++)
        if (memcmp(got + i * item_bytes, bytes + (addresses[i] - memory), (size_t)item_bytes) != 0) {
            tally_fail(all, "element %lld is another one", (long long)i);
            return;
        }
}

void check_points(tally *all)
{
    static const int item_bytes[] = {1, 2, 4, 8, 16};
    static unsigned char bytes[20000];
    CUdeviceptr memory = 0;
    gp_error error = {0};
    if (!tally_group(all, "points"))
        return;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 256);
    for (size_t k = 0; k < sizeof item_bytes / sizeof item_bytes[0]; k++) {
        if (!tally_wants(all, true))
            continue;
        tally_name(all, "elements of %d bytes", item_bytes[k]);
        if (tally_ok(all, memory_upload(bytes, sizeof bytes, &memory, &error), &error, "upload"))
            check_points_of(all, memory, bytes, (int64_t)sizeof bytes, item_bytes[k]);
        memory_free(memory);
        memory = 0;
    }
}
