/* The CPU's struct gp_backend. */
#include "cpu.h"
#include "cells_memory.h"

#include <string.h>

static gp_status cells_alloc(int64_t n_rows, int64_t n_cols, gp_device device, gp_cells *out, gp_error *error)
{
    int64_t n_bytes;
    (void)device; /* cells are in ordinary host memory, also for tensors in pinned memory */
    *out = (gp_cells){.n_rows = n_rows, .n_cols = n_cols, .device = {GP_DL_CPU, 0}};
    if (n_rows < 0 || n_cols < 0 || __builtin_mul_overflow(n_rows, n_cols, &n_bytes) ||
        __builtin_mul_overflow(n_bytes, (int64_t)sizeof(double), &n_bytes))
        return gp_fail(error, GP_ERR_OVERFLOW, "%lld x %lld cells are more than memory can address", (long long)n_rows,
                       (long long)n_cols);
    return gp_cells_memory_alloc((size_t)n_bytes, &out->data, error);
}

static void cells_free(gp_cells *cells)
{
    gp_cells_memory_free(cells->data, (size_t)(cells->n_rows * cells->n_cols) * sizeof *cells->data);
    *cells = (gp_cells){0};
}

static gp_status cells_copy_out(const gp_cells *cells, double *out, gp_error *error)
{
    (void)error;
    if (cells->n_rows > 0 && cells->n_cols > 0)
        memcpy(out, cells->data, (size_t)cells->n_rows * (size_t)cells->n_cols * sizeof *out);
    return GP_OK;
}

gp_status gp_cpu_fill_without_nan(const gp_cells *cells, gp_cells *without_nan, gp_error *error)
{
    (void)error;
    for (int64_t i = 0; i < cells->n_rows * cells->n_cols; i++)
        without_nan->data[i] = gp_is_nan_cell(cells->data[i]) ? without_nan->data[i] : cells->data[i];
    return GP_OK;
}

static gp_status cells_check(const gp_cells *cells, gp_error *error)
{
    (void)cells, (void)error;
    return GP_OK;
}

const gp_backend gp_cpu_backend = {.name = "cpu",
                                   .cells_alloc = cells_alloc,
                                   .cells_free = cells_free,
                                   .cells_check = cells_check,
                                   .cells_copy_out = cells_copy_out,
                                   GP_OPERATIONS(GP_OPERATION_ROW, cpu)};
