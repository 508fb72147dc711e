/* A plane of more than 2^32 bytes whose last elements are known: 32-bit indices would miss them. */
#include "checks.h"

#include "../../../native/core/tensor/dlpack_abi.h"

#include <stdio.h>

/* Everything is 1 but the very last element, 9. */
typedef struct huge {
    CUdeviceptr block;
    int64_t n_rows, n_cols;
} huge;

static gp_status make(int64_t n_rows, int64_t n_cols, huge *out, gp_error *error)
{
    size_t n = (size_t)n_rows * (size_t)n_cols;
    *out = (huge){0, n_rows, n_cols};
    GP_TRY(memory_upload(NULL, n, &out->block, error));
    GP_TRY(memory_fill(out->block, 1, n, error));
    return memory_fill(out->block + n - 1, 9, 1, error);
}

static gp_plane plane_of(const huge *h)
{
    return (gp_plane){.data = (const void *)(uintptr_t)h->block,
                      .dtype = GP_U8,
                      .device = {GP_DL_CUDA, 0},
                      .n_rows = h->n_rows,
                      .n_cols = h->n_cols,
                      .row_stride_bytes = h->n_cols,
                      .col_stride_bytes = 1};
}

static gp_status reduce(const huge *h, gp_agg agg, double out[6], gp_error *error)
{
    gp_plane plane = plane_of(h);
    gp_axis rows = {0}, cols = {0};
    gp_cells cells = {0};
    int64_t n_rows = h->n_rows < 2 ? 1 : 2;
    gp_reduce_options options = {.agg = agg, .nan = GP_NAN_SHOW};
    GP_TRY(gp_axis_fit(h->n_rows, 0, (double)h->n_rows, n_rows, GP_TIE_UP, GP_REGIME_BY_WIDTH, &rows, error));
    gp_status status = gp_axis_fit(h->n_cols, 0, (double)h->n_cols, 3, GP_TIE_UP, GP_REGIME_BY_WIDTH, &cols, error);
    if (status == GP_OK)
        status = memory_cells(n_rows, 3, &cells, error);
    if (status == GP_OK)
        status = gp_cuda_backend.reduce(&plane, &rows, &cols, &options, &cells, NULL, error);
    if (status == GP_OK)
        status = gp_cuda_backend.cells_copy_out(&cells, out, error);
    gp_cuda_backend.cells_free(&cells);
    gp_axis_free(&rows);
    gp_axis_free(&cols);
    return status;
}

static void check_cells(tally *all, const huge *h)
{
    gp_error error = {0};
    double cells[6];
    int n = h->n_rows < 2 ? 3 : 6;
    double per_cell = (double)h->n_rows * (double)h->n_cols / n;
    if (tally_ok(all, reduce(h, GP_AGG_MAX, cells, &error), &error, "reduce"))
        for (int i = 0; i < n; i++)
            if (cells[i] != (i == n - 1 ? 9 : 1))
                tally_fail(all, "the maximum of cell %d is %g", i, cells[i]);
    if (tally_ok(all, reduce(h, GP_AGG_SUM, cells, &error), &error, "reduce"))
        for (int i = 0; i < n; i++)
            if (!(fabs(cells[i] - per_cell - (i == n - 1 ? 8 : 0)) <= 1e-9 * per_cell))
                tally_fail(all, "the sum of cell %d is %.17g, not %.17g", i, cells[i], per_cell);
}

static void check_facts_of(tally *all, const huge *h)
{
    gp_plane plane = plane_of(h), last = gp_plane_crop(&plane, h->n_rows - 1, h->n_rows, h->n_cols - 5, h->n_cols);
    gp_error error = {0};
    gp_limits_state limits = gp_limits_state_none();
    double percentiles[2];
    unsigned char bytes[5];
    if (tally_ok(all, gp_cuda_backend.limits(&plane, GP_WANT_RANGE | GP_WANT_COUNTS, &limits, &error), &error, "limits") &&
        (gp_f64_of_order(limits.lowest) != 1 || gp_f64_of_order(limits.highest) != 9 || limits.n_finite != h->n_rows * h->n_cols))
        tally_fail(all, "limits %g..%g of %lld", gp_f64_of_order(limits.lowest), gp_f64_of_order(limits.highest),
                   (long long)limits.n_finite);
    if (tally_ok(all, gp_cuda_backend.percentiles(&plane, (double[]){50, 100}, 2, false, percentiles, &error), &error,
                 "percentiles") &&
        (percentiles[0] != 1 || percentiles[1] != 9))
        tally_fail(all, "percentiles %g %g", percentiles[0], percentiles[1]);
    if (tally_ok(all, gp_cuda_backend.gather(&last, bytes, &error), &error, "gather") && (bytes[3] != 1 || bytes[4] != 9))
        tally_fail(all, "gathered %d %d", bytes[3], bytes[4]);
}

static void check_summary_of(tally *all, const huge *h)
{
    gp_plane plane = plane_of(h);
    int64_t n = h->n_rows * h->n_cols, counts[2];
    gp_error error = {0};
    gp_summary_state state = gp_summary_state_none();
    bool is_known = tally_ok(all, gp_cuda_backend.summarize(&plane, &state, &error), &error, "summarize");
    gp_summary s = gp_summary_state_finish(&state, gp_plane_summary_order(&plane));
    if (is_known && (s.n_pos != n || s.min != 1 || s.max != 9 || s.argmin != 0 || s.argmax != n - 1 ||
                     !(fabs(s.mean - 1 - 8.0 / (double)n) < 1e-12)))
        tally_fail(all, "%lld elements, the least %g at %lld, the largest %g at %lld", (long long)s.n_pos, s.min,
                   (long long)s.argmin, s.max, (long long)s.argmax);
    if (tally_ok(all, gp_cuda_backend.histogram(&plane, (double[]){0, 5, 10}, 2, NULL, counts, &error), &error, "histogram") &&
        (counts[0] != n - 1 || counts[1] != 1))
        tally_fail(all, "bins of %lld and %lld", (long long)counts[0], (long long)counts[1]);
}

void check_huge(tally *all)
{
    const int64_t sizes[2][2] = {{66000, 66000}, {1, 4400000000}};
    if (!tally_group(all, "huge"))
        return;
    for (int i = 0; i < 2; i++) {
        gp_error error = {0};
        huge h;
        if (!tally_wants(all, false))
            continue;
        tally_name(all, "%lld x %lld", (long long)sizes[i][0], (long long)sizes[i][1]);
        if (make(sizes[i][0], sizes[i][1], &h, &error) == GP_OK) {
            check_cells(all, &h);
            check_facts_of(all, &h);
            check_summary_of(all, &h);
        } else {
            printf("huge, %s: not run: %s\n", all->label, error.message);
            all->n_skipped++;
        }
        memory_free(h.block);
    }
}
