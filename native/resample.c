/* Reduces a plane and resamples its cells, band by band, so that a grid of the size of the plane is not needed. */
#include "resample.h"
#include "core/base/arithmetic.h"
#include "repeats.h"

#include <stdlib.h>

#define BAND_CELLS ((int64_t)1 << 19)

typedef struct resample_job {
    const gp_backend *backend;
    const gp_plane *plane;
    const gp_axis *rows, *cols;
    const gp_reduce_options *options;
    const gp_resampling *how;
    int64_t *places; /* for the rows of one band */
} resample_job;

int64_t gp_band_rows(const gp_plane *plane, int64_t n_rows, int64_t n_cols)
{
    bool is_across = plane->n_rows > 1 && gp_absolute(plane->row_stride_bytes) < gp_absolute(plane->col_stride_bytes);
    int64_t n = BAND_CELLS / n_cols > 0 ? BAND_CELLS / n_cols : 1;
    return is_across || n > n_rows ? n_rows : n;
}

/* Spans are in the direction of growing element index. */
gp_axis gp_band_axis(const gp_axis *rows, gp_band band)
{
    gp_axis axis = *rows;
    int64_t first = rows->is_reversed ? rows->n_cells - band.stop : band.first;
    axis.n_cells = band.stop - band.first;
    axis.spans += first;
    axis.factors = rows->factors != NULL ? rows->factors + first : NULL;
    return axis;
}

/* The rows of the source that a band has weights for. */
static gp_band source_of(const gp_taps *taps, gp_band band)
{
    gp_band source = {INT64_MAX, 0};
    for (int64_t q = band.first; q < band.stop; q++) {
        int64_t first = taps->first[q], stop = first + taps->n_taps;
        source = (gp_band){first < source.first ? first : source.first, stop > source.stop ? stop : source.stop};
    }
    return source;
}

/* The taps of a band, with places that count from the band's first source row; `places` has room for three per row. */
static gp_taps taps_of(const gp_taps *taps, gp_band band, gp_band source, int64_t *places)
{
    int64_t n = band.stop - band.first, *touched = places + n;
    for (int64_t i = 0; i < n; i++)
        places[i] = taps->first[band.first + i] - source.first;
    for (int64_t i = 0; i < 2 * n; i++)
        touched[i] = taps->touched[2 * band.first + i] - source.first;
    return (gp_taps){places, touched, taps->weights + band.first * taps->n_taps, n, taps->n_taps};
}

static gp_status resample_band(const resample_job *job, gp_band band, gp_cells *out, gp_error *error)
{
    gp_band source = source_of(&job->how->rows, band);
    gp_taps taps = taps_of(&job->how->rows, band, source, job->places);
    gp_axis axis = gp_band_axis(job->rows, source);
    gp_cells cells;
    GP_TRY(job->backend->cells_alloc(axis.n_cells, job->cols->n_cells, job->plane->device, &cells, error));
    gp_status status = gp_plane_reduce(job->backend, job->plane, &axis, job->cols, job->options, &cells, NULL, error);
    if (status == GP_OK)
        status = job->backend->filter(&cells, &taps, &job->how->cols, job->options->nan, out, error);
    job->backend->cells_free(&cells);
    return status;
}

gp_status gp_plane_resample(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                            const gp_reduce_options *options, const gp_resampling *how, gp_band band, gp_cells *out,
                            gp_error *error)
{
    resample_job job = {backend, plane, rows, cols, options, how, NULL};
    int64_t n_at_once = gp_band_rows(plane, band.stop - band.first, cols->n_cells);
    size_t n_bytes = 3 * (size_t)n_at_once * sizeof *job.places;
    if ((job.places = malloc(n_bytes)) == NULL)
        return gp_fail_memory(error, (double)n_bytes);
    gp_status status = GP_OK;
    for (int64_t first = band.first; status == GP_OK && first < band.stop; first += n_at_once) {
        gp_band part = {first, first + n_at_once < band.stop ? first + n_at_once : band.stop};
        gp_cells here = {out->data + (first - band.first) * out->n_cols, part.stop - part.first, out->n_cols, out->device};
        status = resample_band(&job, part, &here, error);
    }
    free(job.places);
    return status;
}
