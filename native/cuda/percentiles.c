/* Exact percentiles on a device: each pass counts one digit of the elements' keys, until every wanted rank has its key. */
#include "cuda.h"

#include "../core/base/alloc.h"
#include "../core/statistics/percentiles.h"
#include "kernels/select_args.h"
#include "keys.h"
#include "runtime/device.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

/* The search for one rank: the bits of its key that are known, and its rank among the elements with these bits. */
typedef struct rank_path {
    int64_t rank, left;
    uint64_t prefix;
} rank_path;

typedef struct rank_search {
    gp_cuda_device *device;
    gp_cuda_elements elements;
    gp_select_args args;
    gp_cuda_key_range keys;
    int n_bits; /* the width of the keys */
    int64_t n_valid;
    rank_path *paths; /* in ascending order of ranks, each rank once */
    int n_paths;
    uint64_t *counts; /* of one pass, for each slot the counts of a digit */
} rank_search;

/* Sets which keys take part. */
static void set_keys(rank_search *search, bool positive_only)
{
    search->keys = gp_cuda_keys_of(&search->elements, positive_only);
    search->args.first = search->keys.first, search->args.span = search->keys.span;
    search->args.n_dropped = search->keys.n_dropped;
    search->n_bits = 1;
    while (search->n_bits < 64 && search->keys.span >> search->n_bits != 0)
        search->n_bits++;
}

/* ---- a pass --------------------------------------------------------------------------------------------------------- */

/* Counts one digit, of all keys or of those with the prefixes of args. */
static gp_status count_digit(rank_search *search, const char *kernel, gp_error *error)
{
    gp_select_args *args = &search->args;
    size_t n_counts = (size_t)(args->n_prefixes > 0 ? args->n_prefixes : 1) << args->digit_bits;
    size_t n_bytes = n_counts * sizeof *search->counts;
    int64_t n_blocks = gp_cuda_blocks_through(search->device, &search->elements, GP_SELECT_BLOCKS_PER_PROCESSOR);
    GP_TRY(gp_cuda_scratch_filled(search->device, GP_SLOT_SELECT, n_bytes, 0, &args->counts, error));
    GP_TRY(gp_cuda_launch_class(search->device, &search->elements, "select", kernel, n_blocks, args, error));
    return gp_cuda_download(search->device, search->counts, gp_cuda_address(args->counts), n_bytes, error);
}

/* Extends a path by the digit that the counts of its prefix determine. */
static void descend(rank_path *path, const uint64_t *counts, int digit_bits)
{
    uint64_t digit = 0, left = (uint64_t)path->left;
    while (left >= counts[digit] && digit + 1 < (uint64_t)1 << digit_bits)
        left -= counts[digit++];
    path->left = (int64_t)left;
    path->prefix = path->prefix << digit_bits | digit;
}

/* Extends all paths by one digit, by as many passes as their prefixes need. */
static gp_status follow(rank_search *search, gp_error *error)
{
    gp_select_args *args = &search->args;
    int most = 1 << gp_select_log2_slots(args->digit_bits);
    for (int begin = 0, end; begin < search->n_paths; begin = end) {
        args->n_prefixes = 0;
        for (end = begin; end < search->n_paths; end++) {
            uint64_t prefix = search->paths[end].prefix;
            if (end > begin && prefix == search->paths[end - 1].prefix)
                continue;
            if (args->n_prefixes == most)
                break;
            args->prefixes[args->n_prefixes++] = prefix;
        }
        GP_TRY(count_digit(search, "select_next", error));
        for (int i = begin, slot = 0; i < end; i++) {
            while (args->prefixes[slot] != search->paths[i].prefix)
                slot++;
            descend(&search->paths[i], search->counts + ((size_t)slot << args->digit_bits), args->digit_bits);
        }
    }
    return GP_OK;
}

/* ---- ranks ---------------------------------------------------------------------------------------------------------- */

static int compare_paths(const void *a, const void *b)
{
    int64_t left = ((const rank_path *)a)->rank, right = ((const rank_path *)b)->rank;
    return (left > right) - (left < right);
}

/* The ranks between which the percentiles are interpolated. */
static void set_paths(rank_search *search, const double *percents, int n_percents)
{
    int n = 0;
    for (int i = 0; i < n_percents; i++) {
        gp_percent_place place = gp_percent_place_of(percents[i], search->n_valid, gp_plane_repeats(&search->elements.plane));
        search->paths[n++] = (rank_path){.rank = place.low, .left = place.low};
        if (place.high != place.low)
            search->paths[n++] = (rank_path){.rank = place.high, .left = place.high};
    }
    qsort(search->paths, (size_t)n, sizeof *search->paths, compare_paths);
    search->n_paths = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || search->paths[i].rank != search->paths[search->n_paths - 1].rank)
            search->paths[search->n_paths++] = search->paths[i];
}

static double value_at(const rank_search *search, int64_t rank)
{
    rank_path wanted = {.rank = rank};
    const rank_path *found = bsearch(&wanted, search->paths, (size_t)search->n_paths, sizeof wanted, compare_paths);
    return gp_cuda_value_of_key(&search->keys, found->prefix);
}

/* The next digit below the known bits; only the last one is narrower. */
static void set_digit(rank_search *search, int n_left)
{
    int n_passes = (search->n_bits + GP_SELECT_MOST_BITS - 1) / GP_SELECT_MOST_BITS;
    int width = (search->n_bits + n_passes - 1) / n_passes;
    search->args.shift = n_left > width ? n_left - width : 0;
    search->args.digit_bits = n_left - search->args.shift;
}

/* Extends the paths until their keys are known; without a valid element there are no paths. */
static gp_status find_keys(rank_search *search, const double *percents, int n_percents, gp_error *error)
{
    set_digit(search, search->n_bits);
    GP_TRY(count_digit(search, "select_first", error));
    for (int i = 0; i < 1 << search->args.digit_bits; i++)
        search->n_valid += (int64_t)search->counts[i];
    if (search->n_valid == 0)
        return GP_OK;
    set_paths(search, percents, n_percents);
    for (int i = 0; i < search->n_paths; i++)
        descend(&search->paths[i], search->counts, search->args.digit_bits);
    while (search->args.shift > 0) {
        set_digit(search, search->args.shift);
        GP_TRY(follow(search, error));
    }
    return GP_OK;
}

static gp_status find_all(rank_search *search, const double *percents, int n_percents, double *out, gp_error *error)
{
    GP_TRY(find_keys(search, percents, n_percents, error));
    for (int i = 0; i < n_percents; i++) {
        out[i] = (double)NAN;
        if (search->n_valid == 0)
            continue;
        gp_percent_place place = gp_percent_place_of(percents[i], search->n_valid, gp_plane_repeats(&search->elements.plane));
        out[i] = gp_percent_between(value_at(search, place.low), value_at(search, place.high), place.fraction);
    }
    return GP_OK;
}

gp_status gp_cuda_percentiles(const gp_plane *plane, const double *percents, int n_percents, bool positive_only, double *out,
                              gp_error *error)
{
    rank_search search = {.elements = gp_cuda_elements_in_any_order(plane)};
    GP_TRY(gp_percents_check(percents, n_percents, error));
    if (plane->n_rows == 0 || plane->n_cols == 0 || n_percents == 0) {
        for (int i = 0; i < n_percents; i++)
            out[i] = (double)NAN;
        return GP_OK;
    }
    search.args.plane = search.elements.plane;
    set_keys(&search, positive_only);
    GP_FREED rank_path *paths = NULL;
    GP_FREED uint64_t *counts = NULL;
    GP_TRY(gp_alloc(2 * (size_t)n_percents * sizeof *paths, &paths, error));
    GP_TRY(gp_alloc(GP_SELECT_COUNTERS * sizeof *counts, &counts, error));
    search.paths = paths, search.counts = counts;
    GP_TRY(gp_cuda_enter(plane->device.id, &search.device, error));
    return gp_cuda_finish(search.device, find_all(&search, percents, n_percents, out, error), error);
}
