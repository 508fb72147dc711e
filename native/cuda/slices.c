/* Summaries and histograms of many slices on a device: one kernel for as many slices as scratch memory holds. */
#include "cuda.h"

#include "../core/base/alloc.h"
#include "../core/base/arithmetic.h"
#include "../core/statistics/percentiles.h"
#include "element_class.h"
#include "kernels/summary_args.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"
#include "summaries.h"

enum { MOST_THREADS = 1 << 17, MOST_PARTS = 1 << 12, LEAST_ELEMS = 64, LOG2_BLOCK = 8, LOG2_WARP = 5, LOG2_MOST_ELEMS = 30 };

/* Order statistics of a slice with at least so many elements are found by a block, of smaller ones by a warp. */
enum { LEAST_BLOCK_ELEMS = 1 << 10 };

/* Scratch memory for the counts of bins. */
#define COUNT_BYTES ((size_t)24 << 20)

/* log2 of n, rounded up; at most `most`. */
static int log2_for(int64_t n, int most)
{
    int log2 = 0;
    while (log2 < most && (int64_t)1 << log2 < n)
        log2++;
    return log2;
}

/* ---- how threads share slices ------------------------------------------------------------------------------------------ */

/* Chooses how many threads share a slice, so that neighboring threads read neighbors in memory: one if slices are interleaved there. */
static void set_team(const gp_slices *slices, const gp_cuda_elements *elements, gp_slices_args *args)
{
    args->log2_tx = args->log2_ty = 0;
    if (gp_slices_are_interleaved(slices))
        return;
    int most = slices->n_elems / elements->run_elems > LEAST_ELEMS << LOG2_WARP ? LOG2_BLOCK : LOG2_WARP;
    int log2_team = log2_for(gp_n_parts(slices->n_elems, elements->run_elems), most);
    args->log2_tx = log2_for(gp_n_parts(args->line.size, elements->run_elems), log2_team);
    args->log2_ty = log2_team - args->log2_tx;
}

/* Cuts slices into parts if they are too few to keep all threads busy; returns the number of parts of each. */
static int64_t set_parts(const gp_slices *slices, gp_slices_args *args)
{
    int64_t n_threads = slices->n_slices << (args->log2_tx + args->log2_ty);
    int64_t wanted = gp_n_parts(MOST_THREADS, n_threads);
    int64_t worth = gp_n_parts(slices->n_elems, LEAST_ELEMS << (args->log2_tx + args->log2_ty));
    int64_t least = (slices->n_elems >> LOG2_MOST_ELEMS) + 1, n_parts = wanted < worth ? wanted : worth;
    n_parts = n_parts < MOST_PARTS ? n_parts : MOST_PARTS;
    n_parts = n_parts > least ? n_parts : least;
    args->part_lines = args->n_lines, args->part_elems = args->line.size;
    if (args->n_lines > 1) {
        args->part_lines = gp_n_parts(args->n_lines, n_parts);
        return gp_n_parts(args->n_lines, args->part_lines);
    }
    args->part_elems = gp_n_parts(args->line.size, n_parts);
    return gp_n_parts(args->line.size, args->part_elems);
}

/* The narrowest class of elements that all strides allow. */
static gp_cuda_elements elements_of(const gp_slices *slices)
{
    gp_plane plane = slices->plane;
    plane.n_rows = plane.n_cols = 2;
    for (int i = 0; i < slices->n_between; i++)
        plane.row_stride_bytes |= slices->between[i].stride_bytes;
    for (int i = 0; i < slices->n_inside; i++)
        plane.row_stride_bytes |= slices->inside[i].stride_bytes;
    plane.col_stride_bytes = 0;
    return plane.scale != 0 ? gp_cuda_elements_one_by_one(&plane) : gp_cuda_elements_from(&plane);
}

static gp_status set_axes(const gp_slices *slices, const gp_cuda_elements *elements, gp_slices_args *args, gp_error *error)
{
    int n_outer = slices->n_inside > 0 ? slices->n_inside - 1 : 0;
    if (slices->n_between > GP_MOST_SLICE_AXES || n_outer > GP_MOST_SLICE_AXES)
        return gp_fail(error, GP_ERR_UNSUPPORTED,
                       "slices along %d axes that do not lie end to end, of %d at most: copy the tensor",
                       slices->n_between > n_outer ? slices->n_between : n_outer, GP_MOST_SLICE_AXES);
    *args = (gp_slices_args){
        .plane = elements->plane, .line = {.size = 1}, .n_lines = 1, .n_between = slices->n_between, .n_outer = n_outer};
    memcpy(args->between, slices->between, sizeof args->between[0] * (size_t)slices->n_between);
    memcpy(args->outer, slices->inside, sizeof args->outer[0] * (size_t)n_outer);
    if (slices->n_inside > 0)
        args->line = slices->inside[n_outer];
    args->n_lines = slices->n_elems / args->line.size;
    set_team(slices, elements, args);
    return GP_OK;
}

typedef struct slices_job {
    gp_cuda_device *device;
    gp_cuda_elements elements;
    gp_slices_args args;
    int64_t n_parts;
} slices_job;

static gp_status launch(slices_job *job, const char *kernel, int64_t begin, int64_t n_slices, gp_error *error)
{
    int64_t n_blocks = gp_n_parts(n_slices << (job->args.log2_tx + job->args.log2_ty), GP_BLOCK_THREADS);
    job->args.begin = begin, job->args.n_slices = n_slices;
    return gp_cuda_launch_parts(job->device, &job->elements, "summary", kernel, n_blocks, job->n_parts, &job->args, error);
}

/* ---- what there is --------------------------------------------------------------------------------------------------- */

static gp_status make_states(void *context, int64_t begin, int64_t *n_items, CUdeviceptr target, gp_error *error)
{
    slices_job *job = context;
    job->args.states = (gp_summary_state *)(uintptr_t)target;
    return launch(job, "summarize_slices", begin, *n_items, error);
}

static gp_status summarize(gp_cuda_device *device, const gp_slices *slices, gp_summary *out, gp_error *error)
{
    slices_job job = {.device = device, .elements = elements_of(slices)};
    GP_TRY(set_axes(slices, &job.elements, &job.args, error));
    job.args.smallest_normal = gp_smallest_normal(slices->plane.dtype);
    job.n_parts = set_parts(slices, &job.args);
    size_t item_bytes = (size_t)job.n_parts * sizeof(gp_summary_state);
    GP_FREED gp_summary_state *states = NULL;
    GP_TRY(gp_alloc((size_t)slices->n_slices * item_bytes, &states, error));
    GP_TRY(gp_cuda_fetch(device, states, slices->n_slices, item_bytes, GP_SLOT_STATES, make_states, &job, error));
    for (int64_t i = 0; i < slices->n_slices; i++) {
        gp_summary_state *state = &states[i * job.n_parts];
        for (int64_t part = 1; part < job.n_parts; part++)
            gp_summary_state_join(state, &state[part]);
        gp_order_type order = gp_plane_summary_order(&slices->plane);
        gp_cuda_settle_summary(&job.elements, order, state);
        out[gp_slice_place_of(slices->between, slices->n_between, i).step] = gp_summary_state_finish(state, order);
    }
    return GP_OK;
}

gp_status gp_cuda_summarize_slices(const gp_slices *slices, gp_summary *out, gp_error *error)
{
    gp_cuda_device *device;
    for (int64_t i = 0; i < slices->n_slices; i++)
        out[i] = gp_summary_none();
    if (slices->n_slices == 0 || slices->n_elems == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter(slices->plane.device.id, &device, error));
    gp_status status = summarize(device, slices, out, error);
    return gp_cuda_finish(device, status, error);
}

/* ---- bins ------------------------------------------------------------------------------------------------------------ */

/* 64-bit integers are compared as int64; the top bit of unsigned ones is inverted for this. */
static void set_range(gp_slices_args *args, const gp_integer_range *range)
{
    gp_dtype dtype = args->plane.dtype;
    uint64_t turned = dtype == GP_U64 ? (uint64_t)1 << 63 : 0;
    args->has_exact = range != NULL && (dtype == GP_I64 || dtype == GP_U64) && args->plane.mask == NULL;
    if (args->has_exact) {
        args->low_exact = (int64_t)((uint64_t)range->first ^ turned);
        args->high_exact = (int64_t)((uint64_t)range->last ^ turned);
    }
}

/* Counts the bins of slices begin..begin + n - 1; edges and counts are in the order of the axes between slices. */
static gp_status count_some(slices_job *job, const double *edges, int64_t begin, int64_t n, int64_t *counts, gp_error *error)
{
    size_t n_bins = (size_t)job->args.n_bins, edges_bytes = (size_t)n * (n_bins + 1) * sizeof *edges;
    size_t counts_bytes = (size_t)n * n_bins * sizeof *counts;
    GP_TRY(gp_cuda_scratch_copy(job->device, GP_SLOT_AXES, edges, edges_bytes, &job->args.edges, error));
    GP_TRY(gp_cuda_scratch_filled(job->device, GP_SLOT_SELECT, counts_bytes, 0, &job->args.counts, error));
    GP_TRY(launch(job, "histogram_slices", begin, n, error));
    return gp_cuda_download(job->device, counts, gp_cuda_address(job->args.counts), counts_bytes, error);
}

/* log2 of the number of copies of each slice's counters in shared memory, with no more counters than elements; below 0: none. */
static int log2_copies(const slices_job *job)
{
    int64_t n_slices = GP_BLOCK_THREADS >> (job->args.log2_tx + job->args.log2_ty), n_bins = job->args.n_bins;
    int64_t n_elems = n_slices * job->args.part_lines * job->args.part_elems, log2 = -1;
    int64_t room = n_elems < GP_SLICE_COUNTERS ? n_elems : GP_SLICE_COUNTERS;
    while (log2 < LOG2_WARP && n_bins <= (room >> (log2 + 1)) / n_slices)
        log2++;
    return (int)log2;
}

static gp_status count(gp_cuda_device *device, const gp_slices *slices, const double *edges, int64_t n_bins,
                       const gp_integer_range *range, int64_t *counts, gp_error *error)
{
    slices_job job = {.device = device, .elements = elements_of(slices)};
    size_t row_bytes = ((size_t)n_bins + 1) * sizeof *edges;
    int64_t most = (int64_t)(COUNT_BYTES / row_bytes) > 1 ? (int64_t)(COUNT_BYTES / row_bytes) : 1;
    GP_FREED double *some_edges = NULL;
    GP_FREED int64_t *some_counts = NULL;
    GP_TRY(set_axes(slices, &job.elements, &job.args, error));
    set_range(&job.args, range);
    job.args.n_bins = n_bins, job.n_parts = set_parts(slices, &job.args);
    job.args.log2_copies = log2_copies(&job);
    most = most < slices->n_slices ? most : slices->n_slices;
    GP_TRY(gp_alloc((size_t)most * row_bytes, &some_edges, error));
    GP_TRY(gp_alloc((size_t)most * row_bytes, &some_counts, error));
    for (int64_t begin = 0; begin < slices->n_slices; begin += most) {
        int64_t n = slices->n_slices - begin < most ? slices->n_slices - begin : most;
        for (int64_t i = 0; i < n; i++) {
            int64_t number = gp_slice_place_of(slices->between, slices->n_between, begin + i).step;
            memcpy(some_edges + i * (n_bins + 1), edges + number * (n_bins + 1), row_bytes);
        }
        GP_TRY(count_some(&job, some_edges, begin, n, some_counts, error));
        for (int64_t i = 0; i < n; i++) {
            int64_t number = gp_slice_place_of(slices->between, slices->n_between, begin + i).step;
            memcpy(counts + number * n_bins, some_counts + i * n_bins, (size_t)n_bins * sizeof *counts);
        }
    }
    return GP_OK;
}

gp_status gp_cuda_histogram_slices(const gp_slices *slices, const double *edges, int64_t n_bins, const gp_integer_range *range,
                                   int64_t *counts, gp_error *error)
{
    gp_cuda_device *device;
    for (int64_t i = 0; i < slices->n_slices; i++)
        GP_TRY(gp_histogram_check(&slices->plane, edges + i * (n_bins + 1), n_bins, range, error));
    if (slices->n_slices == 0 || slices->n_elems == 0) {
        memset(counts, 0, (size_t)(slices->n_slices * n_bins) * sizeof *counts);
        return GP_OK;
    }
    GP_TRY(gp_cuda_enter(slices->plane.device.id, &device, error));
    gp_status status = count(device, slices, edges, n_bins, range, counts, error);
    return gp_cuda_finish(device, status, error);
}

/* ---- order statistics ------------------------------------------------------------------------------------------------- */

static gp_status make_ranks(void *context, int64_t begin, int64_t *n_items, CUdeviceptr target, gp_error *error)
{
    slices_job *job = context;
    job->args.ranks = (uint64_t *)(uintptr_t)target;
    return launch(job, "percentiles_slices", begin, *n_items, error);
}

static void to_percentiles(const slices_job *job, const uint64_t *ranks, const double *percents, double *out)
{
    for (int64_t i = 0; i < job->args.n_percents; i++) {
        double fraction = 0;
        if (ranks[0] > 0)
            fraction = gp_percent_place_of(percents[i], (int64_t)ranks[0], gp_plane_repeats(&job->args.plane)).fraction;
        double low = gp_cuda_value_of(&job->elements, gp_order_of_u64(ranks[1 + 2 * i])),
               high = gp_cuda_value_of(&job->elements, gp_order_of_u64(ranks[2 + 2 * i]));
        out[i] = ranks[0] > 0 ? gp_percent_between(low, high, fraction) : gp_mark_value(GP_HAS_NAN);
    }
}

static gp_status select_all(gp_cuda_device *device, const gp_slices *slices, const double *percents, int n_percents, double *out,
                            gp_error *error)
{
    slices_job job = {.device = device, .elements = elements_of(slices), .n_parts = 1};
    size_t n_ranks = (size_t)GP_SLICE_RANKS(n_percents), item_bytes = n_ranks * sizeof(uint64_t);
    GP_TRY(set_axes(slices, &job.elements, &job.args, error));
    int log2_team = slices->n_elems < LEAST_BLOCK_ELEMS ? LOG2_WARP : LOG2_BLOCK;
    job.args.log2_tx = job.args.n_lines > 1 ? log2_for(job.args.line.size, log2_team) : log2_team;
    job.args.log2_ty = log2_team - job.args.log2_tx;
    job.args.part_lines = job.args.n_lines, job.args.part_elems = job.args.line.size, job.args.n_percents = n_percents;
    GP_TRY(
        gp_cuda_scratch_copy(device, GP_SLOT_AXES, percents, (size_t)n_percents * sizeof *percents, &job.args.percents, error));
    GP_FREED uint64_t *ranks = NULL;
    GP_TRY(gp_alloc_zeroed((size_t)slices->n_slices * item_bytes, &ranks, error));
    GP_TRY(gp_cuda_fetch(device, ranks, slices->n_slices, item_bytes, GP_SLOT_SELECT, make_ranks, &job, error));
    for (int64_t i = 0; i < slices->n_slices; i++) {
        int64_t number = gp_slice_place_of(slices->between, slices->n_between, i).step;
        to_percentiles(&job, ranks + (size_t)i * n_ranks, percents, out + number * n_percents);
    }
    return GP_OK;
}

gp_status gp_cuda_percentiles_slices(const gp_slices *slices, const double *percents, int n_percents, double *out,
                                     gp_error *error)
{
    gp_cuda_device *device;
    GP_TRY(gp_slices_percentiles_check(slices, percents, n_percents, error));
    for (int64_t i = 0; i < slices->n_slices * n_percents; i++)
        out[i] = gp_mark_value(GP_HAS_NAN);
    if (slices->n_slices == 0 || slices->n_elems == 0 || n_percents == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter(slices->plane.device.id, &device, error));
    gp_status status = select_all(device, slices, percents, n_percents, out, error);
    return gp_cuda_finish(device, status, error);
}
