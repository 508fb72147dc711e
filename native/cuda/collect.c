/* Collects the elements of some ranges of values on a device: a kernel appends their keys, and only these are copied. */
#include "cuda.h"

#include "../core/base/alloc.h"
#include "../core/statistics/percentiles.h"
#include "kernels/select_args.h"
#include "keys.h"
#include "runtime/device.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

/* Keys that fit in scratch memory, with their number before them. */
enum { MOST_KEYS = 1 << 21 };

typedef struct collect_job {
    gp_cuda_elements elements;
    gp_cuda_key_range keys;
    const double *lows, *highs;
    int n_ranges;
    gp_collect_args args;
    uint64_t *found; /* in host memory: how many, and room for args.most keys */
} collect_job;

static double value_of(const void *keys, uint64_t distance) { return gp_cuda_value_of_key(keys, distance); }

/* The next ranges that contain keys, as distances, from range `begin` on; returns where to go on. */
static int set_ranges(collect_job *job, int begin)
{
    gp_collect_args *args = &job->args;
    int i = begin;
    for (args->n_ranges = 0; i < job->n_ranges && args->n_ranges < GP_COLLECT_RANGES; i++) {
        uint64_t *low = &args->lows[args->n_ranges], *high = &args->highs[args->n_ranges];
        args->n_ranges += gp_distances_between(job->lows[i], job->highs[i], job->keys.span, value_of, &job->keys, low, high);
    }
    return i;
}

static gp_status collect_keys(collect_job *job, gp_cuda_device *device, gp_error *error)
{
    int64_t n_blocks = gp_cuda_blocks_through(device, &job->elements, GP_SELECT_BLOCKS_PER_PROCESSOR);
    size_t key_bytes = sizeof *job->found;
    GP_TRY(gp_cuda_scratch(device, GP_SLOT_SELECT, ((size_t)job->args.most + 1) * key_bytes, &job->args.found, error));
    CUdeviceptr found = gp_cuda_address(job->args.found);
    GP_TRY(gp_cuda_fill(device, found, 0, key_bytes, error));
    for (int begin = 0; begin < job->n_ranges;) {
        begin = set_ranges(job, begin);
        if (job->args.n_ranges > 0)
            GP_TRY(gp_cuda_launch_class(device, &job->elements, "select", "select_between", n_blocks, &job->args, error));
    }
    GP_TRY(gp_cuda_download(device, job->found, found, key_bytes, error));
    if (job->found[0] == 0 || job->found[0] > job->args.most)
        return GP_OK;
    return gp_cuda_download(device, job->found + 1, found + key_bytes, (size_t)job->found[0] * key_bytes, error);
}

gp_status gp_cuda_collect(const gp_plane *plane, const double *lows, const double *highs, int n_ranges, int64_t most, double *out,
                          int64_t *n_found, gp_error *error)
{
    collect_job job = {.elements = gp_cuda_elements_in_any_order(plane), .lows = lows, .highs = highs, .n_ranges = n_ranges};
    GP_FREED uint64_t *found = NULL;
    gp_cuda_device *device;
    *n_found = 0;
    if (plane->n_rows == 0 || plane->n_cols == 0)
        return GP_OK;
    if (most > MOST_KEYS)
        return gp_fail(error, GP_ERR_VALUE, "%lld elements to collect, at most %d fit in scratch memory", (long long)most,
                       MOST_KEYS);
    GP_TRY(gp_alloc(((size_t)most + 1) * sizeof *found, &found, error));
    job.keys = gp_cuda_keys_of(&job.elements, false), job.found = found;
    job.args = (gp_collect_args){
        .plane = job.elements.plane, .first = job.keys.first, .n_dropped = job.keys.n_dropped, .most = (uint64_t)most};
    GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
    GP_TRY(gp_cuda_finish(device, collect_keys(&job, device, error), error));
    *n_found = (int64_t)found[0];
    for (int64_t i = 0; i < *n_found && *n_found <= most; i++)
        out[i] = gp_cuda_value_of_key(&job.keys, found[1 + i]);
    return GP_OK;
}
