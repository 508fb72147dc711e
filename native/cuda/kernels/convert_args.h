/* Arguments of the kernels of convert.cu. */
#ifndef GP_CONVERT_ARGS_H
#define GP_CONVERT_ARGS_H

#include "../../core/tensor/conversion.h"

/* What is done with an item. Those that only move its bits need its natural alignment, but for BYTES. */
typedef enum gp_convert_way {
    GP_CONVERT_CAST,  /* another dtype, by core/tensor/casts.h */
    GP_CONVERT_BYTES, /* the same bits at any address; swapped ones are turned round within parts (of complex numbers) */
    GP_CONVERT_MOVE   /* the same bits by one load and one store */
} gp_convert_way;

/* One axis of a box: how far apart its items lie, in bytes of source and mask, and in items of the output. */
typedef struct gp_convert_axis {
    int64_t from_stride, mask_stride;
    uint32_t size, to_stride;
} gp_convert_axis;

/*
 * A box of a conversion's elements, packed to `out` in the plan's order. Fewer than 2^31 items; axis 0 is the one whose items are
 * neighbors in `out`. Tiles lie along axes 0 and 1.
 */
typedef struct gp_convert_args {
    const char *from;    /* the box's first element */
    const uint8_t *mask; /* NULL: none is masked */
    char *out;
    gp_convert_way way;
    gp_dtype from_dtype, to_dtype;
    int from_part_bytes, to_part_bytes; /* of an element, or of one part of a complex one */
    int n_from_parts, n_to_parts;
    bool is_swapped, is_mask_inverted;
    uint32_t n_items;
    int n_axes; /* at least 1 */
    gp_convert_axis axes[GP_MAX_NDIM];
} gp_convert_args;

/* Items along either side of a tile in shared memory. */
#define GP_CONVERT_TILE 32

#endif
