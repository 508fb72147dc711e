/* gp_block_work: the blocks that a plan is cut into, and how one is converted. */
#ifndef GP_CONVERT_BLOCK_H
#define GP_CONVERT_BLOCK_H

#include "cast.h"
#include "../../core/tensor/conversion.h"

/*
 * A box of the plan: sizes along its axes T (the target's fastest), S and R. Elements are gathered with T fastest, then S,
 * then R, cast, and written.
 */
typedef struct gp_convert_box {
    const char *from;
    char *to;
    const uint8_t *mask;
    int64_t n_t, n_s, n_r;
} gp_convert_box;

typedef struct gp_block_work {
    gp_conversion plan;
    gp_conversion_axis t, s, r; /* of size 1 where the plan has no such axis */
    int64_t n_t, n_s, n_r; /* sizes of a block */
    int64_t block_elems; /* most elements of a block */
    gp_cast cast;
    const gp_layout_loops *loops;
    int64_t n_together; /* elements that form an item: the plan's elements and axes are counted in items */
    int64_t from_bytes, to_bytes;
    int from_size, to_size; /* indices of the sizes of items, for the loops' tables */
    bool is_turned; /* the source is gathered along S, not T */
    bool is_streamed; /* the target is written past the caches */
    char nan[16]; /* what a masked element becomes */
} gp_block_work;

/* Bytes of memory that gp_block_convert needs, for one thread. */
int64_t gp_block_scratch_bytes(const gp_block_work *work);

void gp_block_convert(const gp_block_work *work, const gp_convert_box *box, char *scratch);

#endif
