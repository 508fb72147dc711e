/* The slices of the hidden axes of one stage, one after the other. */
#ifndef GP_HIDDEN_SLICES_H
#define GP_HIDDEN_SLICES_H

#include "../../core/tensor/view.h"

/* So many elements are reduced between two looks at whether the run was stopped. */
#define GP_HIDDEN_POLL_ELEMS 4096

/* A slice of the axes of one stage: the address of its first element and of that one's mask byte, NULL without a mask. */
typedef struct gp_hidden_slice {
    const char *data;
    const uint8_t *mask;
    int64_t index[GP_MAX_NDIM];
} gp_hidden_slice;

/* Moves on to the next slice; false after the last. */
bool gp_hidden_slice_step(const gp_plane *plane, int stage, gp_hidden_slice *slice);

#endif
