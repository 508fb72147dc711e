/* Finds cells by rank: passes divide the intervals that contain wanted ranks at pivots and count the cells between, until few are left. */
#include "ranks.h"

#include "../core/base/alloc.h"
#include "../core/base/ordered.h"
#include "../core/color/threshold_table.h"
#include "kernels/shade_args.h"
#include "runtime/launch.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

/* The most intervals of one pass; with more colors the host ranks the cells. */
enum { MOST_INTERVALS = 2048 };

/* The host sorts so many cells in less time than another pass takes. */
enum { MOST_SORTED = 4096 };

/* The interval of keys that contains a wanted rank: `left` of its n_inside cells are before the rank. */
typedef struct rank_path {
    int64_t left, n_inside;
    uint64_t low, high;
} rank_path;

typedef struct rank_search {
    gp_cuda_device *device;
    gp_rank_args args;
    rank_path *paths; /* ascending; those in one interval are adjacent */
    int n_paths;
    uint64_t *pivots;
    uint32_t *counts; /* one for each pivot and one more, in the same block of memory */
    int64_t n_counted; /* ranked cells */
} rank_search;

static size_t pivots_bytes(void) { return GP_RANK_MOST_PIVOTS * sizeof(uint64_t); }
static size_t counts_bytes(int n_pivots) { return ((size_t)n_pivots + 1) * sizeof(uint32_t); }

static bool is_same_interval(const rank_path *a, const rank_path *b) { return a->low == b->low; }

/* The first path after `begin` that is in another interval. */
static int end_of_interval(const rank_search *search, int begin)
{
    int end = begin + 1;
    while (end < search->n_paths && is_same_interval(&search->paths[end], &search->paths[begin]))
        end++;
    return end;
}

/* The number of keys of each part of an interval that is cut into at most most_parts. */
static uint64_t part_keys(const rank_path *path, int most_parts) { return (path->high - path->low) / (uint64_t)most_parts + 1; }

static int n_parts(const rank_path *path, int most_parts)
{
    return (int)((path->high - path->low) / part_keys(path, most_parts)) + 1;
}

/* Writes the first keys of an interval's parts and the key after its last one; returns their number. */
static int add_pivots(const rank_path *path, int most_parts, uint64_t *pivots)
{
    int n = n_parts(path, most_parts);
    for (int i = 0; i < n; i++)
        pivots[i] = path->low + (uint64_t)i * part_keys(path, most_parts);
    pivots[n] = path->high + 1;
    return n + 1;
}

static gp_status count(rank_search *search, gp_error *error)
{
    size_t n_pivots = (size_t)search->args.n_pivots, n_bytes = counts_bytes(search->args.n_pivots);
    GP_TRY(gp_cuda_scratch_copy(search->device, GP_SLOT_AXES, search->pivots, n_pivots * sizeof *search->pivots,
                                &search->args.pivots, error));
    GP_TRY(gp_cuda_scratch_filled(search->device, GP_SLOT_SELECT, n_bytes, 0, &search->args.counts, error));
    GP_TRY(gp_cuda_launch_items(search->device, "shade", "shade_ranks", search->args.n_cells, &search->args, error));
    return gp_cuda_download(search->device, search->counts, gp_cuda_address(search->args.counts), n_bytes, error);
}

/* Narrows a path to the part that contains the rank; counts has the number of cells of each part. */
static void descend(rank_path *path, int most_parts, const uint32_t *counts)
{
    uint64_t keys = part_keys(path, most_parts), last = path->high;
    int part = 0, n = n_parts(path, most_parts);
    while (part + 1 < n && path->left >= counts[part])
        path->left -= counts[part++];
    path->low += (uint64_t)part * keys;
    path->high = part + 1 < n ? path->low + keys - 1 : last;
    path->n_inside = counts[part];
}

/* One pass: cuts every interval into as many parts as there are pivots for, and narrows all paths. */
static gp_status cut(rank_search *search, gp_error *error)
{
    int n_intervals = 0, at = 0;
    for (int i = 0; i < search->n_paths; i++)
        n_intervals += i == 0 || !is_same_interval(&search->paths[i], &search->paths[i - 1]);
    int most_parts = GP_RANK_MOST_PIVOTS / n_intervals - 1;
    for (int i = 0; i < search->n_paths; i++)
        if (i == 0 || !is_same_interval(&search->paths[i], &search->paths[i - 1]))
            at += add_pivots(&search->paths[i], most_parts, search->pivots + at);
    search->args.n_pivots = at;
    GP_TRY(count(search, error));
    at = 0;
    for (int i = 0, end; i < search->n_paths; i = end) {
        rank_path first = search->paths[i];
        end = end_of_interval(search, i);
        for (int k = i; k < end; k++)
            descend(&search->paths[k], most_parts, search->counts + at + 1);
        at += n_parts(&first, most_parts) + 1;
    }
    return GP_OK;
}

/* ---- the cells that are left ----------------------------------------------------------------------------------------- */

static bool is_decided(const rank_path *path) { return path->low == path->high; }

/* The number of cells in intervals of more than one key. */
static int64_t n_undecided(const rank_search *search)
{
    int64_t n = 0;
    for (int i = 0; i < search->n_paths; i = end_of_interval(search, i))
        n += is_decided(&search->paths[i]) ? 0 : search->paths[i].n_inside;
    return n;
}

/* Writes the bounds of each interval of more than one key, and where its cells begin in the copy. */
static void add_intervals(rank_search *search)
{
    uint32_t n_keys = 0;
    int n = 0;
    for (int i = 0; i < search->n_paths; i = end_of_interval(search, i)) {
        const rank_path *path = &search->paths[i];
        if (is_decided(path))
            continue;
        search->pivots[2 * n] = path->low, search->pivots[2 * n + 1] = path->high + 1;
        search->counts[n++] = n_keys;
        n_keys += (uint32_t)path->n_inside;
    }
    search->args.n_pivots = 2 * n;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Sets a path to its key among the sorted cells of its interval, and counts the cells equal to it. */
static void decide(rank_path *path, const uint64_t *keys)
{
    int64_t n_keys = path->n_inside;
    path->low = path->high = keys[path->left];
    path->n_inside = 0;
    for (int64_t i = 0; i < n_keys; i++)
        path->n_inside += keys[i] == path->low;
}

/* Copies the cells of undecided intervals to the host, sorts them, and sets all paths to their keys. */
static gp_status sort_rest(rank_search *search, int64_t n_keys, gp_error *error)
{
    gp_cuda_device *device = search->device;
    uint64_t keys[MOST_SORTED], *at = keys;
    add_intervals(search);
    size_t n_pivots = (size_t)search->args.n_pivots, n_bytes = (size_t)n_keys * sizeof *keys;
    GP_TRY(gp_cuda_scratch_copy(device, GP_SLOT_AXES, search->pivots, n_pivots * sizeof *search->pivots, &search->args.pivots,
                                error));
    GP_TRY(gp_cuda_scratch_copy(device, GP_SLOT_SELECT, search->counts, n_pivots / 2 * sizeof *search->counts,
                                &search->args.counts, error));
    GP_TRY(gp_cuda_scratch(device, GP_SLOT_FACTS, n_bytes, &search->args.keys, error));
    GP_TRY(gp_cuda_launch_items(device, "shade", "shade_keys", search->args.n_cells, &search->args, error));
    GP_TRY(gp_cuda_download(device, keys, gp_cuda_address(search->args.keys), n_bytes, error));
    for (int i = 0, end; i < search->n_paths; i = end) {
        rank_path first = search->paths[i];
        end = end_of_interval(search, i);
        if (is_decided(&first))
            continue;
        qsort(at, (size_t)first.n_inside, sizeof *at, compare_keys);
        for (int k = i; k < end; k++)
            decide(&search->paths[k], at);
        at += first.n_inside;
    }
    return GP_OK;
}

/* Cuts until every interval is one key, or few cells are in the others. */
static gp_status follow(rank_search *search, gp_error *error)
{
    int64_t n_left;
    while ((n_left = n_undecided(search)) > MOST_SORTED)
        GP_TRY(cut(search, error));
    return n_left > 0 ? sort_rest(search, n_left, error) : GP_OK;
}

static rank_path path_to(const rank_search *search, int64_t rank)
{
    return (rank_path){.left = rank,
                       .n_inside = search->n_counted,
                       .low = gp_ordered_f64(search->args.vmin),
                       .high = gp_ordered_f64(search->args.vmax)};
}

/* Counts the ranked cells, by a pass without intervals. */
static gp_status count_all(rank_search *search, gp_error *error)
{
    search->pivots[0] = 0, search->args.n_pivots = 1;
    GP_TRY(count(search, error));
    search->n_counted = search->counts[1];
    return GP_OK;
}

static gp_status find_edges(rank_search *search, int n_colors, double *edges, gp_error *error)
{
    GP_TRY(count_all(search, error));
    search->n_paths = search->n_counted > 0 ? 1 : 0;
    search->paths[0] = path_to(search, 0);
    GP_TRY(follow(search, error));
    int64_t n_smallest = search->n_paths > 0 ? search->paths[0].n_inside : 0;
    if (n_smallest == search->n_counted) { /* all are equal, or there are none */
        for (int k = 1; k < n_colors; k++)
            edges[k - 1] = gp_next_double(search->args.vmax);
        return GP_OK;
    }
    search->n_paths = n_colors - 1;
    for (int k = 1; k < n_colors; k++)
        search->paths[k - 1] = path_to(search, gp_eq_hist_rank(search->n_counted, n_smallest, k, n_colors));
    GP_TRY(follow(search, error));
    for (int k = 1; k < n_colors; k++)
        edges[k - 1] = gp_f64_of_ordered(search->paths[k - 1].low);
    return GP_OK;
}

/* With more colors than intervals of a pass, the cells, O(output), are copied to the host, which ranks them exactly. */
static gp_status edges_on_host(gp_cuda_device *device, const gp_cells *cells, const gp_scale *scale, double *edges,
                               gp_error *error)
{
    gp_cells host = *cells;
    size_t n_bytes = (size_t)host.n_rows * (size_t)host.n_cols * sizeof *host.data;
    GP_FREED double *data = NULL;
    GP_TRY(gp_alloc(n_bytes, &data, error));
    host.data = data;
    GP_TRY(gp_cuda_download(device, data, gp_cuda_address(cells->data), n_bytes, error));
    return gp_eq_hist_edges(&host, scale, edges, error);
}

gp_status gp_cuda_rank_edges(gp_cuda_device *device, const gp_cells *cells, const gp_scale *scale, double *edges, gp_error *error)
{
    int64_t n_cells = cells->n_rows * cells->n_cols;
    rank_search search = {.device = device,
                          .args = {.cells = cells->data, .n_cells = n_cells, .vmin = scale->vmin, .vmax = scale->vmax}};
    if (scale->n_colors > MOST_INTERVALS || n_cells > UINT32_MAX)
        return edges_on_host(device, cells, scale, edges, error);
    GP_FREED rank_path *paths = NULL;
    GP_FREED uint64_t *pivots = NULL;
    GP_TRY(gp_alloc((size_t)scale->n_colors * sizeof *paths, &paths, error));
    GP_TRY(gp_alloc(pivots_bytes() + counts_bytes(GP_RANK_MOST_PIVOTS), &pivots, error));
    search.paths = paths, search.pivots = pivots, search.counts = (uint32_t *)(pivots + GP_RANK_MOST_PIVOTS);
    return find_edges(&search, scale->n_colors, edges, error);
}
