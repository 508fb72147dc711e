/* How a conversion is cut into boxes, and the kernel that packs one: what pictures' elements and transfers share. */
#ifndef GP_CUDA_CONVERT_H
#define GP_CUDA_CONVERT_H

#include "../core/conversion.h"
#include "device.h"

/*
 * Consecutive items of the plan's order that are a box of its axes: a range of one axis, the inner ones whole. In a target without
 * gaps they lie side by side.
 */
typedef struct gp_cuda_box {
    int64_t begin, n_items;
    int axis;        /* the one of which it is a range; n_axes where the plan has none */
    int64_t n_along; /* indices of that axis */
    const char *from; /* the first item, in the tensor, in the mask (NULL: there is none) and in the target */
    const uint8_t *mask;
    char *to;
} gp_cuda_box;

/* The box that begins at this item: as many as are wanted, or somewhat fewer. Boxes from 0 on, one after the other, are of
 * similar sizes, at least half of what is wanted. */
gp_cuda_box gp_cuda_box_at(const gp_conversion *plan, int64_t begin, int64_t n_wanted);

/* True where items lie in the source as they will in the target: they are copied as they are. */
bool gp_cuda_is_straight(const gp_conversion *plan);

/* Queues the kernel that packs a box, of fewer than 2^31 items, to device memory. The device is entered. */
gp_status gp_cuda_pack_box(gp_cuda_device *device, const gp_conversion *plan, const gp_cuda_box *box, CUdeviceptr to,
                           gp_error *error) GP_MUST_CHECK;

/* Conversions that are too large for one step, or whose target has gaps (transfer.c). */
gp_status gp_cuda_transfer(const gp_conversion *plan, const gp_progress *progress, gp_error *error) GP_MUST_CHECK;

#endif
