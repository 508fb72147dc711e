/* Steps over the slices of a stage of hidden axes, the last axis fastest. */
#include "hidden_slices.h"

bool gp_hidden_slice_step(const gp_plane *plane, int stage, gp_hidden_slice *slice)
{
    for (int i = plane->n_hidden - 1; i >= 0; i--) {
        const gp_hidden_axis *axis = &plane->hidden[i];
        if (axis->stage != stage)
            continue;
        bool is_inside = ++slice->index[i] < axis->size;
        int64_t n_steps = is_inside ? 1 : 1 - axis->size;
        slice->data += n_steps * axis->stride_bytes;
        if (slice->mask != NULL)
            slice->mask += n_steps * axis->mask_stride_bytes;
        if (is_inside)
            return true;
        slice->index[i] = 0;
    }
    return false;
}
