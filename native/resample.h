/* Weighted means of neighboring cells: a plane is reduced and its cells are resampled, band by band. */
#ifndef GP_RESAMPLE_H
#define GP_RESAMPLE_H

#include "backend.h"

/* Rows first to stop - 1 of a picture. */
typedef struct gp_band {
    int64_t first, stop;
} gp_band;

/* The number of rows of a band: cells stay in the last cache, and are enough for all threads. All rows if the plane is read across
 * memory, where each band would read the same elements again. */
int64_t gp_band_rows(const gp_plane *plane, int64_t n_rows, int64_t n_cols);

/* The part of an axis for a band; it borrows the memory of the axis. */
gp_axis gp_band_axis(const gp_axis *rows, gp_band band);

/* The weights of both axes. */
typedef struct gp_resampling {
    gp_taps rows, cols;
} gp_resampling;

/*
 * Rows band.first to band.stop - 1 of the cells that gp_plane_reduce makes for these axes and options (which want no limits), resampled
 * by backend->filter with these weights and options->nan. out has as many rows, and a column for each cell of how->cols.
 */
gp_status gp_plane_resample(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                            const gp_reduce_options *options, const gp_resampling *how, gp_band band, gp_cells *out,
                            gp_error *error) GP_MUST_CHECK;

#endif
