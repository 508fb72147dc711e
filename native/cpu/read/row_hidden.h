/* What the two ways to reduce hidden axes share: steps over the slices of a stage. */
#ifndef GP_ROW_HIDDEN_H
#define GP_ROW_HIDDEN_H

#include "row_reader.h"

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

/*
 * The result of stage 0 for n elements of a row, if they can be read as they are stored and all of them are finite: then of the same
 * bits as element by element. False if something else is there, or the operation has no such way: `out` is then not valid.
 * scratch: GP_HIDDEN_VALUES_PER_STAGE * n values.
 */
bool gp_row_reader_load_finite(const gp_row_reader *rows, const char *data, const uint8_t *mask, int64_t n, double *out,
                               double *scratch);

#endif
