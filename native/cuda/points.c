/* Single elements anywhere in a device's memory, such as the losses of a training run, copied to the host by one kernel. */
#include "../core/base/alloc.h"
#include "points.h"
#include "runtime/device.h"
#include "runtime/interop.h"
#include "runtime/launch.h"
#include "runtime/staging.h"

#include "kernels/points_args.h"

typedef struct points_job {
    gp_cuda_device *device;
    const uint64_t *addresses; /* a copy of them on the device */
    int item_bytes;
} points_job;

/* The address for kernels of one element. Most are in the same allocation as the last one, for which the driver is not called again. */
static gp_status address_of(uint64_t pointer, int ordinal, uint64_t item_bytes, gp_cuda_memory *last, uint64_t *out,
                            gp_error *error)
{
    *out = pointer;
    if (pointer >= last->low && pointer < last->high && last->high - pointer >= item_bytes)
        return GP_OK;
    if (pointer == 0 || pointer > UINT64_MAX - item_bytes)
        return gp_fail(error, GP_ERR_VALUE, "an element has no address: was its tensor freed?");
    GP_TRY(gp_cuda_inspect(pointer, pointer + item_bytes, ordinal, last, error));
    if (last->ordinal != ordinal)
        return gp_fail(error, GP_ERR_VALUE, "an element is on CUDA device %d and not, as its producer says, on device %d",
                       last->ordinal, ordinal);
    *out = last->pointer;
    return GP_OK;
}

static gp_status make_points(void *context, int64_t begin, int64_t *n_items, CUdeviceptr target, gp_error *error)
{
    const points_job *job = context;
    gp_points_args args = {.addresses = job->addresses + begin,
                           .out = (char *)(uintptr_t)target,
                           .n_points = (uint32_t)*n_items,
                           .item_bytes = job->item_bytes};
    return gp_cuda_launch_items(job->device, "points", "points", *n_items, &args, error);
}

static gp_status gather_entered(gp_cuda_device *device, const uint64_t *addresses, int64_t n_points, int item_bytes, void *out,
                                gp_error *error)
{
    points_job job = {.device = device, .item_bytes = item_bytes};
    GP_TRY(gp_cuda_scratch_copy(device, GP_SLOT_AXES, addresses, (size_t)n_points * sizeof *addresses, &job.addresses, error));
    return gp_cuda_fetch(device, out, n_points, (size_t)item_bytes, GP_SLOT_GATHER, make_points, &job, error);
}

gp_status gp_cuda_gather_points(int ordinal, const uint64_t *addresses, int64_t n_points, int item_bytes, void *out,
                                gp_error *error)
{
    gp_cuda_device *device;
    gp_cuda_memory last = {0};
    GP_FREED uint64_t *checked = NULL;
    if (n_points == 0)
        return GP_OK;
    if (n_points > INT32_MAX)
        return gp_fail(error, GP_ERR_VALUE, "a list of %lld elements is too long: stack them into one tensor",
                       (long long)n_points);
    GP_TRY(gp_alloc((size_t)n_points * sizeof *checked, &checked, error));
    for (int64_t i = 0; i < n_points; i++)
        GP_TRY(address_of(addresses[i], ordinal, (uint64_t)item_bytes, &last, &checked[i], error));
    GP_TRY(gp_cuda_enter(ordinal, &device, error));
    return gp_cuda_finish(device, gather_entered(device, checked, n_points, item_bytes, out, error), error);
}
