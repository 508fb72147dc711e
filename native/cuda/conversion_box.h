/* Boxes of a conversion, and the kernel that packs one: shared by gather and by transfers. */
#ifndef GP_CUDA_CONVERSION_BOX_H
#define GP_CUDA_CONVERSION_BOX_H

#include "../core/tensor/conversion.h"
#include "runtime/handle.h"

/*
 * Consecutive items of the plan's order that form a box: a range of one axis, with all of the inner axes. In a target without gaps they
 * lie side by side.
 */
typedef struct gp_cuda_box {
    int64_t begin, n_items;
    int axis;        /* the axis of the range; n_axes if the plan has no axes */
    int64_t n_along; /* indices of that axis */
    const char *from; /* the first item, in the tensor, in the mask (NULL: no mask) and in the target */
    const uint8_t *mask;
    char *to;
} gp_cuda_box;

/* The box that begins at this item, with n_wanted items or somewhat fewer. Successive boxes from item 0 on have similar
 * sizes, at least half of n_wanted. */
gp_cuda_box gp_cuda_box_at(const gp_conversion *plan, int64_t begin, int64_t n_wanted);

/* Whether items have the same order and dtype in source and target, so that they are copied without a kernel. */
bool gp_cuda_is_straight(const gp_conversion *plan);

/* Queues the kernel that packs a box, of fewer than 2^31 items, to device memory. The device is entered. */
gp_status gp_cuda_pack_box(gp_cuda_device *device, const gp_conversion *plan, const gp_cuda_box *box, CUdeviceptr to,
                           gp_error *error) GP_MUST_CHECK;

#endif
