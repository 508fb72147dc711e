/* Elements of a plane less those of the same plane with its columns turned round, and what is known about all of them. */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

static gp_plane turned(gp_plane plane)
{
    int64_t last = plane.n_cols - 1;
    plane.data = (const char *)plane.data + last * plane.col_stride_bytes;
    plane.mask = plane.mask != NULL ? plane.mask + last * plane.mask_col_stride_bytes : NULL;
    plane.col_stride_bytes = -plane.col_stride_bytes, plane.mask_col_stride_bytes = -plane.mask_col_stride_bytes;
    return plane;
}

static void compare_both(tally *all, const gp_compared *host, const gp_compared *device)
{
    gp_comparison got, want;
    gp_error error = {0};
    if (tally_ok(all, gp_cpu_backend.compare(host, &want, &error), &error, "the CPU's comparison") &&
        tally_ok(all, gp_cuda_backend.compare(device, &got, &error), &error, "compare") && memcmp(&got, &want, sizeof got) != 0)
        tally_fail(all, "largest %.17g and %.17g, %lld beyond; not %.17g and %.17g, %lld", got.max_abs, got.max_rel,
                   (long long)got.n_beyond, want.max_abs, want.max_rel, (long long)want.n_beyond);
}

/* The cells of a difference, in host memory; NULL where there are none. */
static double *subtracted(tally *all, const gp_backend *backend, const gp_compared *of)
{
    gp_cells cells = {0};
    gp_error error = {0};
    double *values = malloc((size_t)(of->a->n_rows * of->a->n_cols) * sizeof *values);
    bool is_there = tally_ok(all, backend->cells_alloc(of->a->n_rows, of->a->n_cols, of->a->device, &cells, &error), &error,
                             "cells") &&
                    tally_ok(all, backend->subtract(of->a, of->b, &cells, &error), &error, "subtract") &&
                    tally_ok(all, backend->cells_copy_out(&cells, values, &error), &error, "cells_copy_out");
    backend->cells_free(&cells);
    if (is_there)
        return values;
    free(values);
    return NULL;
}

static void subtract_both(tally *all, const gp_compared *host, const gp_compared *device)
{
    double *want = subtracted(all, &gp_cpu_backend, host), *got = subtracted(all, &gp_cuda_backend, device);
    for (int64_t i = 0; want != NULL && got != NULL && i < host->a->n_rows * host->a->n_cols; i++)
        if (!is_same_value(got[i], want[i])) {
            tally_fail(all, "difference %lld is %.17g, not %.17g", (long long)i, got[i], want[i]);
            break;
        }
    free(want);
    free(got);
}

static void check_difference_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    gp_plane host_turned = turned(s->host), device_turned = turned(s->device);
    gp_compared host = {&s->host, &host_turned, 1e-2, 1e-3}, device = {&s->device, &device_turned, 1e-2, 1e-3};
    gp_error error = {0};
    (void)kind, (void)number;
    if (gp_pair_check(host.a, host.b, &error) != GP_OK) /* elements that are computed */
        return;
    compare_both(all, &host, &device);
    subtract_both(all, &host, &device);
}

void check_difference(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "difference"))
        for_every_sample(all, sizes, check_difference_of);
}
