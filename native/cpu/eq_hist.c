/* Ranks of cells by sorting them once; the colours need only the few values where a rank steps to the next one. */
#include "eq_hist.h"

#include "edges.h"
#include "sort.h"

#include <stdlib.h>

/* Bits in the order of the values. */
static uint64_t ordered_bits(double v)
{
    uint64_t bits = gp_bits_from_f64(v + 0.0);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of_ordered(uint64_t bits) { return gp_f64_from_bits(bits >> 63 ? bits & ~((uint64_t)1 << 63) : ~bits); }

static int64_t collect(const gp_cells *cells, const gp_scale *scale, uint64_t *keys)
{
    int64_t n = 0, n_cells = cells->n_rows * cells->n_cols;
    for (int64_t i = 0; i < n_cells; i++) {
        double v = cells->data[i];
        keys[n] = ordered_bits(v);
        n += isfinite(v) && v >= scale->vmin && v <= scale->vmax;
    }
    return n;
}

static void edges_from_sorted(const uint64_t *sorted, int64_t n, const gp_scale *scale, double *edges)
{
    int64_t n_smallest = 0, n_colors = scale->n_colors;
    while (n_smallest < n && sorted[n_smallest] == sorted[0])
        n_smallest++;
    for (int64_t k = 1; k < n_colors; k++) {
        double n_above = (double)(n - n_smallest);
        int64_t above = (int64_t)((double)k * n_above / (double)n_colors) - 1;
        if (n_smallest == n) {
            edges[k - 1] = gp_next_double(scale->vmax);
            continue;
        }
        above = above > 1 ? above : 1;
        while ((double)above / n_above * (double)n_colors < (double)k)
            above++;
        edges[k - 1] = value_of_ordered(sorted[n_smallest + above - 1]);
    }
}

gp_status gp_eq_hist_edges(const gp_cells *cells, const gp_scale *scale, double *edges, gp_error *error)
{
    size_t n_cells = (size_t)(cells->n_rows * cells->n_cols);
    uint64_t *keys = malloc((2 * n_cells + 2) * sizeof *keys);
    int64_t n;
    if (keys == NULL)
        return gp_fail_memory(error, 16.0 * (double)n_cells);
    n = collect(cells, scale, keys);
    edges_from_sorted(gp_sort_keys(keys, keys + n_cells + 1, n), n, scale, edges);
    free(keys);
    return GP_OK;
}
