/* Limits of every element of a plane on a device: one kernel that looks at each once. */
#include "elements.h"
#include "limits.h"
#include "work.h"

gp_status gp_cuda_limits_begin(gp_cuda_device *device, gp_limits_state **out, gp_error *error)
{
    const gp_limits_state none[] = {gp_limits_state_none(), gp_limits_state_none()};
    return gp_cuda_scratch_copy(device, GP_SLOT_FACTS, none, sizeof none, out, error);
}

gp_status gp_cuda_limits_end(gp_cuda_device *device, const gp_limits_state *at, gp_limits_state out[2], gp_error *error)
{
    return gp_cuda_download(device, out, gp_cuda_address(at), 2 * sizeof *out, error);
}

static gp_status find_limits(gp_cuda_device *device, const gp_plane *plane, gp_limits_state *out, gp_error *error)
{
    gp_limits_state found[2];
    gp_cuda_elements elements = gp_cuda_elements_in_any_order(plane);
    gp_limits_args args = {.plane = elements.plane};
    int64_t n_elems = plane->n_rows * plane->n_cols, n_blocks = gp_cuda_blocks_for(device, n_elems / elements.run_elems + 1);
    GP_TRY(gp_cuda_limits_begin(device, &args.limits, error));
    GP_TRY(gp_cuda_launch_class(device, &elements, "reduce", "limits", n_blocks, &args, error));
    GP_TRY(gp_cuda_limits_end(device, args.limits, found, error));
    *out = found[0];
    out->n_finite = n_elems - out->n_nan - out->n_pos_inf - out->n_neg_inf - out->n_masked; /* kernels count the others */
    return GP_OK;
}

gp_status gp_cuda_limits(const gp_plane *plane, unsigned want, gp_limits_state *out, gp_error *error)
{
    gp_cuda_device *device;
    (void)want; /* everything is found in one look */
    if (plane->n_rows == 0 || plane->n_cols == 0) {
        *out = gp_limits_state_none();
        return GP_OK;
    }
    GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
    return gp_cuda_finish(device, find_limits(device, plane, out, error), error);
}
