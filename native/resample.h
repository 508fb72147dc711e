/* Means by weights of neighbors: a plane is reduced and its cells are resampled, band by band. */
#ifndef GP_RESAMPLE_H
#define GP_RESAMPLE_H

#include "backend.h"

/* Rows first to stop - 1 of a picture. */
typedef struct gp_band {
    int64_t first, stop;
} gp_band;

/* So many rows of cells at once stay in the last cache, and are enough for all threads; all of them where those of the plane, read
 * across memory, would be read anew in each band. */
int64_t gp_band_rows(const gp_plane *plane, int64_t n_rows, int64_t n_cols);

/* The part of an axis for a band, which borrows from the whole. */
gp_axis gp_band_axis(const gp_axis *rows, gp_band band);

/* The weights of both axes. */
typedef struct gp_resampling {
    gp_taps rows, cols;
} gp_resampling;

/*
 * Rows band.first to band.stop - 1 of what backend->filter makes, by these weights and options->nan, of the cells that gp_plane_reduce
 * gives for the axes and options, which want no limits. out has as many rows, and a column for each cell of how->cols.
 */
gp_status gp_plane_resample(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                            const gp_reduce_options *options, const gp_resampling *how, gp_band band, gp_cells *out,
                            gp_error *error) GP_MUST_CHECK;

#endif
