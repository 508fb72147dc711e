/* Elements of a device to a host array of another dtype or order: small conversions in one piece of work, large ones as transfers. */
#include "conversion_box.h"

#include "cuda.h"
#include "transfer.h"

#include "runtime/device.h"
#include "runtime/staging.h"

/* Smaller conversions go through the ring of staging.c in one step, which starts sooner. */
#define LEAST_TRANSFER_BYTES ((size_t)1 << 20)

typedef struct ring_job {
    gp_cuda_device *device;
    const gp_conversion *plan;
} ring_job;

static gp_status make_items(void *context, int64_t begin, int64_t *n_items, CUdeviceptr target, gp_error *error)
{
    const ring_job *job = context;
    gp_cuda_box box = gp_cuda_box_at(job->plan, begin, *n_items);
    *n_items = box.n_items;
    return gp_cuda_pack_box(job->device, job->plan, &box, target, error);
}

/* Converts to a target without gaps through the device's ring, in one piece of work. */
static gp_status bring_by_ring(const gp_conversion *plan, gp_error *error)
{
    ring_job job = {.plan = plan};
    size_t item_bytes = (size_t)gp_dtype_size_bytes(plan->to_dtype);
    GP_TRY(gp_cuda_enter(plan->device.id, &job.device, error));
    gp_status status = gp_cuda_is_straight(plan) ? gp_cuda_download(job.device, plan->to, (CUdeviceptr)(uintptr_t)plan->from,
                                                                    (size_t)plan->n_elems * item_bytes, error)
                                                 : gp_cuda_fetch(job.device, plan->to, plan->n_elems, item_bytes, GP_SLOT_GATHER,
                                                                 make_items, &job, error);
    return gp_cuda_finish(job.device, status, error);
}

gp_status gp_cuda_convert(const gp_conversion *plan, const gp_progress *progress, gp_error *error)
{
    size_t n_bytes = (size_t)plan->n_elems * (size_t)gp_dtype_size_bytes(plan->to_dtype);
    if (plan->n_elems == 0)
        return GP_OK;
    if (plan->is_target_dense && n_bytes < LEAST_TRANSFER_BYTES)
        return bring_by_ring(plan, error);
    return gp_cuda_transfer(plan, progress, error);
}

/* ---- elements of a plane ---------------------------------------------------------------------------------------------------- */

gp_status gp_cuda_gather(const gp_plane *plane, void *out, gp_error *error)
{
    gp_conversion plan;
    if (plane->n_rows == 0 || plane->n_cols == 0)
        return GP_OK;
    GP_TRY(gp_conversion_of_plane(plane, out, &plan, error));
    return bring_by_ring(&plan, error);
}
