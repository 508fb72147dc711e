/* Cells resampled on a device against the CPU, under every policy about what is not finite. */
#include "checks.h"
#include "../../native/numbers.h"

#include "../../../native/core/tensor/dlpack_abi.h"

#include <string.h>

enum { FROM_ROWS = 29, FROM_COLS = 43, ROWS = 26, COLS = 37, N_FILTER_TAPS = 6 };

typedef struct taps_memory {
    int64_t first[COLS], touched[2 * COLS];
    double weights[COLS * N_FILTER_TAPS];
} taps_memory;

/* Weights of both signs that sum to 1; a cell touches two or three of six, the last one none. */
static gp_taps taps_of(taps_memory *memory, int64_t n_from, int64_t n_cells)
{
    for (int64_t i = 0; i < n_cells; i++) {
        double *weights = memory->weights + i * N_FILTER_TAPS, sum = 0;
        memory->first[i] = i * (n_from - N_FILTER_TAPS) / (n_cells - 1);
        memory->touched[2 * i] = memory->first[i] + 2;
        memory->touched[2 * i + 1] = i == n_cells - 1 ? memory->first[i] + 2 : memory->first[i] + 4 + i % 2;
        for (int k = 0; k < N_FILTER_TAPS; k++)
            weights[k] = k == 0 || k == 5 ? -0.1 * uniform() : uniform(), sum += weights[k];
        for (int k = 0; k < N_FILTER_TAPS; k++)
            weights[k] /= sum;
    }
    return (gp_taps){memory->first, memory->touched, memory->weights, n_cells, N_FILTER_TAPS};
}

static void fill(double *values, bool has_marks)
{
    const double marks[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, gp_empty_cell(), gp_masked_value()};
    for (int i = 0; i < FROM_ROWS * FROM_COLS; i++) {
        values[i] = 2 * uniform() - 1;
        if (has_marks && (i % 31 == 0 || (i / FROM_COLS >= 10 && i / FROM_COLS < 18 && i % FROM_COLS < 9)))
            values[i] = marks[i / 31 % 5];
    }
}

static void compare(tally *all, const double *got, const double *want)
{
    for (int i = 0; i < ROWS * COLS; i++) {
        bool is_mark = gp_class_of(want[i]) != GP_HAS_FINITE;
        bool is_same = is_mark ? memcmp(&got[i], &want[i], sizeof *got) == 0 : fabs(got[i] - want[i]) <= 1e-12;
        if (!is_same) {
            tally_fail(all, "cell %d is %.17g, not %.17g", i, got[i], want[i]);
            return;
        }
    }
}

static void check_case(tally *all, const gp_taps *rows, const gp_taps *cols, gp_nan nan, bool has_marks)
{
    static double values[FROM_ROWS * FROM_COLS], want[ROWS * COLS], got[ROWS * COLS];
    gp_cells host = {values, FROM_ROWS, FROM_COLS, {GP_DL_CPU, 0}}, host_out = {want, ROWS, COLS, {GP_DL_CPU, 0}};
    gp_cells from = {0}, out = {0};
    gp_error error = {0};
    fill(values, has_marks);
    if (tally_ok(all, gp_cpu_backend.filter(&host, rows, cols, nan, &host_out, &error), &error, "the CPU's filter") &&
        tally_ok(all, memory_cells_from(values, FROM_ROWS, FROM_COLS, &from, &error), &error, "uploading cells") &&
        tally_ok(all, memory_cells(ROWS, COLS, &out, &error), &error, "cells") &&
        tally_ok(all, gp_cuda_backend.filter(&from, rows, cols, nan, &out, &error), &error, "filter") &&
        tally_ok(all, gp_cuda_backend.cells_copy_out(&out, got, &error), &error, "cells_copy_out"))
        compare(all, got, want);
    gp_cuda_backend.cells_free(&from);
    gp_cuda_backend.cells_free(&out);
}

/* Cells that NaN marks have what was found without it; all others are those of the first grid. */
static void check_fill(tally *all)
{
    static double values[FROM_ROWS * FROM_COLS], others[FROM_ROWS * FROM_COLS], got[FROM_ROWS * FROM_COLS];
    gp_cells from = {0}, without = {0};
    gp_error error = {0};
    fill(values, true);
    fill(others, false);
    if (tally_ok(all, memory_cells_from(values, FROM_ROWS, FROM_COLS, &from, &error), &error, "uploading cells") &&
        tally_ok(all, memory_cells_from(others, FROM_ROWS, FROM_COLS, &without, &error), &error, "uploading cells") &&
        tally_ok(all, gp_cuda_backend.fill_without_nan(&from, &without, &error), &error, "fill_without_nan") &&
        tally_ok(all, gp_cuda_backend.cells_copy_out(&without, got, &error), &error, "cells_copy_out"))
        for (int i = 0; i < FROM_ROWS * FROM_COLS; i++) {
            double want = gp_class_of(values[i]) == GP_HAS_NAN && !gp_is_empty_cell(values[i]) ? others[i] : values[i];
            if (memcmp(&got[i], &want, sizeof want) != 0) {
                tally_fail(all, "cell %d without NaN is %.17g, not %.17g", i, got[i], want);
                break;
            }
        }
    gp_cuda_backend.cells_free(&from);
    gp_cuda_backend.cells_free(&without);
}

void check_filter(tally *all, const check_sizes *sizes)
{
    static taps_memory row_memory, col_memory;
    (void)sizes;
    if (!tally_group(all, "filter"))
        return;
    if (tally_wants(all, true)) {
        tally_name(all, "cells without NaN");
        check_fill(all);
    }
    gp_taps rows = taps_of(&row_memory, FROM_ROWS, ROWS), cols = taps_of(&col_memory, FROM_COLS, COLS);
    for (int i = 0; i < 2 * GP_N_NANS; i++)
        if (tally_wants(all, i == 1)) {
            tally_name(all, "policy %d%s", i / 2, i % 2 ? " with marks" : "");
            check_case(all, &rows, &cols, (gp_nan)(i / 2), i % 2 == 1);
        }
}
