/* Ranks of cells without sorting all: bins tell where the wanted ranks lie, and only the cells of those bins are sorted. */
#include "eq_hist.h"

#include "../base/alloc.h"
#include "threshold_table.h"
#include "../base/ordered.h"
#include "../base/sort.h"

enum { N_BINS = 1 << 16 };

/* The ranked cells, and even bins between the smallest and the largest of them. */
typedef struct rank_census {
    const double *cells;
    int64_t n_cells, n, n_smallest;
    double vmin, vmax, smallest, bins_per_unit;
    int64_t *before;  /* cells in earlier bins; N_BINS + 1 of them */
    bool *is_wanted;  /* bins that hold a wanted rank */
    uint64_t *sorted; /* keys of all cells of wanted bins, in order */
} rank_census;

static bool takes_part(const rank_census *census, double v) { return v >= census->vmin && v <= census->vmax && isfinite(v); }

/* The bin of a value; the ranks are right with any monotone map. */
static int bin_of(const rank_census *census, double v)
{
    return census->bins_per_unit > 0 ? (int)((v - census->smallest) * census->bins_per_unit) : 0;
}

static void find_range(rank_census *census)
{
    double low = INFINITY, high = -INFINITY, bins_per_unit;
    for (int64_t i = 0; i < census->n_cells; i++) {
        double v = census->cells[i];
        if (takes_part(census, v)) {
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
    }
    bins_per_unit = (N_BINS - 1) / (high - low);
    census->smallest = low;
    /* 0 if the range is empty or overflows: all cells are in one bin and are sorted */
    census->bins_per_unit = bins_per_unit > 0 && isfinite(bins_per_unit) && isfinite(high - low) ? bins_per_unit : 0;
}

static void count(rank_census *census)
{
    for (int64_t i = 0; i < census->n_cells; i++) {
        double v = census->cells[i];
        if (!takes_part(census, v))
            continue;
        census->before[bin_of(census, v) + 1]++;
        census->n_smallest += v == census->smallest;
    }
    for (int bin = 0; bin < N_BINS; bin++)
        census->before[bin + 1] += census->before[bin];
    census->n = census->before[N_BINS];
}

int64_t gp_eq_hist_rank(int64_t m, int64_t c0, int k, int n_colors)
{
    double n_above = (double)(m - c0);
    int64_t above = (int64_t)((double)k * n_above / n_colors) - 1;
    above = above > 1 ? above : 1;
    while ((double)above / n_above * n_colors < k)
        above++;
    return c0 + above - 1;
}

static int64_t rank_of_row(const rank_census *census, int k, int n_colors)
{
    return gp_eq_hist_rank(census->n, census->n_smallest, k, n_colors);
}

static int bin_of_rank(const rank_census *census, int64_t rank)
{
    int begin = 0, end = N_BINS;
    while (end - begin > 1) {
        int middle = begin + (end - begin) / 2;
        if (census->before[middle] <= rank)
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

/* Sorts the cells of wanted bins; keys has room for n cells twice. */
static void sort_wanted(rank_census *census, uint64_t *keys)
{
    int64_t n_kept = 0;
    for (int64_t i = 0; i < census->n_cells; i++) {
        double v = census->cells[i];
        if (takes_part(census, v) && census->is_wanted[bin_of(census, v)])
            keys[n_kept++] = gp_ordered_f64(v);
    }
    census->sorted = gp_sort_keys(keys, keys + census->n, n_kept);
}

static void edges_from(const rank_census *census, int n_colors, double *edges)
{
    int64_t kept_before = 0;
    for (int k = 1, bin = 0; k < n_colors; k++) {
        int64_t rank = rank_of_row(census, k, n_colors);
        for (int at = bin_of_rank(census, rank); bin < at; bin++)
            kept_before += census->is_wanted[bin] ? census->before[bin + 1] - census->before[bin] : 0;
        edges[k - 1] = gp_f64_of_ordered(census->sorted[kept_before + rank - census->before[bin]]);
    }
}

static gp_status find_edges(rank_census *census, int n_colors, double *edges, gp_error *error)
{
    GP_FREED uint64_t *keys = NULL;
    find_range(census);
    count(census);
    if (census->n_smallest == census->n) { /* all are equal, or there are none */
        for (int k = 1; k < n_colors; k++)
            edges[k - 1] = gp_next_double(census->vmax);
        return GP_OK;
    }
    for (int k = 1; k < n_colors; k++)
        census->is_wanted[bin_of_rank(census, rank_of_row(census, k, n_colors))] = true;
    GP_TRY(gp_alloc(2 * (size_t)census->n * sizeof *keys, &keys, error));
    sort_wanted(census, keys);
    edges_from(census, n_colors, edges);
    return GP_OK;
}

gp_status gp_eq_hist_edges(const gp_cells *cells, const gp_scale *scale, double *edges, gp_error *error)
{
    rank_census census = {
        .cells = cells->data, .n_cells = cells->n_rows * cells->n_cols, .vmin = scale->vmin, .vmax = scale->vmax};
    GP_FREED char *memory = NULL;
    GP_TRY(gp_alloc_zeroed((N_BINS + 1) * (sizeof *census.before + sizeof *census.is_wanted), &memory, error));
    census.before = (int64_t *)(void *)memory, census.is_wanted = (bool *)(memory + (N_BINS + 1) * sizeof *census.before);
    return find_edges(&census, scale->n_colors, edges, error);
}
