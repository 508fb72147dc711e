/* Counts the elements of a plane on a device in bins: the host chooses how bins are found, a kernel counts. */
#include "cuda.h"

#include "element_class.h"
#include "kernels/summary_args.h"
#include "runtime/device.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

#include <float.h>

/* Blocks for each multiprocessor: a multiple of 3 and of 4, the numbers that may be resident at once. */
enum { BLOCKS_PER_PROCESSOR = 12 };

/* The most bins of one pass, in 32 MB of scratch memory; more bins take several passes. */
#define MOST_BINS ((int64_t)1 << 21)

/* With more bins float32 is too coarse for an estimate. */
#define MOST_SINGLE_BINS ((int64_t)1 << 18)

/* ---- limits -------------------------------------------------------------------------------------------------------- */

/* The range for a dtype of up to 32 bits, clipped to int64. */
static gp_integer_range range_within(const gp_integer_range *range, gp_dtype dtype)
{
    bool is_unsigned = dtype <= GP_U64 || dtype == GP_BOOL;
    gp_integer_range within = *range;
    if (is_unsigned && (uint64_t)range->first > (uint64_t)INT64_MAX)
        within = (gp_integer_range){.first = 1, .last = 0};
    else if (is_unsigned && (uint64_t)range->last > (uint64_t)INT64_MAX)
        within.last = INT64_MAX;
    return within;
}

static int64_t exact_of(int64_t integer, gp_dtype dtype)
{
    return (int64_t)((uint64_t)integer ^ (dtype == GP_U64 ? (uint64_t)1 << 63 : 0));
}

/* The limits of what the bins of one pass count, which may be some of all bins. */
static void set_limits(gp_histogram_args *args, const double *edges, int64_t n_bins, bool is_first, bool is_last,
                       const gp_integer_range *range)
{
    args->low = edges[0], args->high = is_last ? edges[n_bins] : nextafter(edges[n_bins], -(double)INFINITY);
    if (range != NULL) { /* beyond the outer edges the range alone decides */
        gp_dtype dtype = args->plane.dtype;
        gp_integer_range within = range_within(range, dtype);
        args->has_exact = gp_dtype_size_bytes(dtype) == 8;
        args->low_exact = exact_of(range->first, dtype), args->high_exact = exact_of(range->last, dtype);
        args->low = is_first ? -DBL_MAX : args->low, args->high = is_last ? DBL_MAX : args->high;
        if (!args->has_exact)
            args->low = fmax(args->low, (double)within.first), args->high = fmin(args->high, (double)within.last);
    }
    args->low_single = gp_single_from(args->low), args->high_single = gp_single_up_to(args->high);
}

/* ---- bins ---------------------------------------------------------------------------------------------------------- */

/* Chooses how bins are found: of one width by arithmetic, others by search. */
static void set_finder(gp_histogram_args *args, const double *edges, int64_t n_bins)
{
    args->n_bins = (int32_t)n_bins;
    args->finder = GP_BIN_BY_SEARCH;
    args->first = edges[0], args->scale = (double)n_bins / (edges[n_bins] - edges[0]);
    args->margin = gp_bin_doubt(edges, n_bins, args->scale);
    if (args->margin > GP_MAX_BIN_DOUBT)
        return;
    args->finder = GP_BIN_BY_DOUBLE;
    args->first_single = (float)args->first, args->scale_single = (float)args->scale;
    args->margin_single = 1;
    if (n_bins <= MOST_SINGLE_BINS)
        args->margin_single = gp_bin_doubt_single(edges, n_bins, args->scale_single, (float)GP_MAX_BIN_DOUBT);
    if (args->margin_single < 1)
        args->finder = GP_BIN_BY_SINGLE;
}

/* ---- counting ------------------------------------------------------------------------------------------------------ */

/* The number of counters for each bin, as many as fit in shared memory, at most 32: several let fewer threads wait for one atomic. */
static int log2_slots_for(int64_t n_bins)
{
    int log2_slots = 5;
    while (log2_slots > 0 && n_bins << log2_slots > GP_HISTOGRAM_COUNTERS)
        log2_slots--;
    return log2_slots;
}

/* Counts 1-byte elements by their codes. */
static bool has_codes(const gp_cuda_elements *elements) { return elements->kind->size_bytes == 1; }

/* Counts the elements of some consecutive bins, in one pass. */
static gp_status count(gp_cuda_device *device, const gp_cuda_elements *elements, gp_histogram_args *args, const double *edges,
                       int64_t n_bins, int64_t *counts, gp_error *error)
{
    size_t edges_bytes = ((size_t)n_bins + 1) * sizeof *edges, counts_bytes = (size_t)n_bins * sizeof *args->counts;
    int64_t n_blocks = gp_cuda_blocks_through(device, elements, BLOCKS_PER_PROCESSOR);
    int64_t n_counted = has_codes(elements) ? 256 : n_bins;
    const char *kernel = n_counted <= GP_HISTOGRAM_COUNTERS ? "histogram" : "histogram_wide";
    GP_TRY(gp_cuda_scratch_copy(device, GP_SLOT_AXES, edges, edges_bytes, &args->edges, error));
    GP_TRY(gp_cuda_scratch_filled(device, GP_SLOT_SELECT, counts_bytes, 0, &args->counts, error));
    args->log2_slots = log2_slots_for(n_counted);
    GP_TRY(gp_cuda_launch_class(device, elements, "summary", kernel, n_blocks, args, error));
    return gp_cuda_download(device, counts, gp_cuda_address(args->counts), counts_bytes, error);
}

static gp_status count_all(gp_cuda_device *device, const gp_plane *plane, const double *edges, int64_t n_bins,
                           const gp_integer_range *range, int64_t *counts, gp_error *error)
{
    gp_cuda_elements elements = gp_cuda_elements_in_any_order(plane);
    gp_histogram_args args = {.plane = elements.plane};
    for (int64_t begin = 0; begin < n_bins; begin += MOST_BINS) {
        int64_t n = n_bins - begin < MOST_BINS ? n_bins - begin : MOST_BINS;
        set_limits(&args, edges + begin, n, begin == 0, begin + n == n_bins, range);
        set_finder(&args, edges + begin, n);
        GP_TRY(count(device, &elements, &args, edges + begin, n, counts + begin, error));
    }
    return GP_OK;
}

gp_status gp_cuda_histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                            int64_t *counts, gp_error *error)
{
    gp_cuda_device *device;
    GP_TRY(gp_histogram_check(plane, edges, n_bins, range, error));
    if (plane->n_rows == 0 || plane->n_cols == 0) {
        memset(counts, 0, (size_t)n_bins * sizeof *counts);
        return GP_OK;
    }
    GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
    gp_status status = count_all(device, plane, edges, n_bins, range, counts, error);
    return gp_cuda_finish(device, status, error);
}
