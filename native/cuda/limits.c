/* Limits of all elements of a plane on a device, by one kernel. */
#include "element_class.h"
#include "limits.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"
#include "runtime/stream.h"

gp_status gp_cuda_limits_begin(gp_cuda_device *device, gp_limits_found **out, gp_error *error)
{
    gp_limits_found none = {0};
    for (int i = 0; i < GP_N_LIMITS; i++)
        none.states[i] = gp_limits_state_none();
    return gp_cuda_scratch_copy(device, GP_SLOT_FACTS, &none, sizeof none, out, error);
}

gp_status gp_cuda_limits_look(gp_cuda_device *device, const gp_plane *plane, gp_limits_state *to, gp_error *error)
{
    gp_cuda_elements elements = gp_cuda_elements_in_any_order(plane);
    gp_limits_args args = {.plane = elements.plane, .limits = to};
    int64_t n_blocks = gp_cuda_blocks_for(device, plane->n_rows * plane->n_cols / elements.run_elems + 1);
    return gp_cuda_launch_class(device, &elements, "reduce", "limits", n_blocks, &args, error);
}

void gp_cuda_limits_settle(const gp_plane *plane, gp_limits_state *found)
{
    /* Kernels count the elements that are not finite; the rest are finite. */
    found->n_finite = plane->n_rows * plane->n_cols - found->n_nan - found->n_pos_inf - found->n_neg_inf - found->n_masked;
}

gp_status gp_cuda_limits_send(gp_cuda_device *device, const gp_limits_found *at, const gp_limits_found **sent, gp_error *error)
{
    const void *note;
    GP_TRY(gp_cuda_download_note(device, gp_cuda_address(at), sizeof *at, &note, error));
    *sent = note;
    return GP_OK;
}

gp_status gp_cuda_limits_end(gp_cuda_device *device, const gp_limits_found *sent, gp_limits_found *out, gp_error *error)
{
    GP_TRY(gp_cuda_wait(device, error));
    memcpy(out, sent, sizeof *out);
    return GP_OK;
}

gp_status gp_cuda_limits_find(gp_cuda_device *device, const gp_plane *plane, gp_limits_state *out, gp_error *error)
{
    gp_limits_found *at, found;
    const gp_limits_found *sent;
    GP_TRY(gp_cuda_limits_begin(device, &at, error));
    GP_TRY(gp_cuda_limits_look(device, plane, &at->states[GP_LIMITS_ALL], error));
    GP_TRY(gp_cuda_limits_send(device, at, &sent, error));
    GP_TRY(gp_cuda_limits_end(device, sent, &found, error));
    gp_cuda_limits_settle(plane, &found.states[GP_LIMITS_ALL]);
    *out = found.states[GP_LIMITS_ALL];
    return GP_OK;
}

gp_status gp_cuda_limits(const gp_plane *plane, unsigned want, gp_limits_state *out, gp_error *error)
{
    gp_cuda_device *device;
    (void)want; /* one pass finds all limits */
    if (plane->n_rows == 0 || plane->n_cols == 0) {
        *out = gp_limits_state_none();
        return GP_OK;
    }
    GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
    return gp_cuda_finish(device, gp_cuda_limits_find(device, plane, out, error), error);
}
