/* Reduces and colors a plane band by band. Bands have the pixels of the whole, as a cell's color does not depend on other cells. */
#include "paint.h"
#include "repeats.h"

/* What is needed to paint a band. */
typedef struct paint_job {
    const gp_backend *backend;
    const gp_plane *plane;
    const gp_axis *rows, *cols;
    const gp_reduce_options *options;
    const gp_resampling *how;
    const gp_style *style;
    unsigned want;
    gp_limits_state *limits; /* of the cells painted so far, where any are wanted */
} paint_job;

static gp_status cells_of(const paint_job *job, gp_band band, gp_cells *cells, gp_error *error)
{
    if (job->how != NULL)
        return gp_plane_resample(job->backend, job->plane, job->rows, job->cols, job->options, job->how, band, cells, error);
    gp_axis axis = gp_band_axis(job->rows, band);
    return gp_plane_reduce(job->backend, job->plane, &axis, job->cols, job->options, cells, NULL, error);
}

static gp_status add_limits(const paint_job *job, const gp_cells *cells, gp_error *error)
{
    gp_plane plane = gp_plane_of_cells(cells);
    gp_limits_state found;
    GP_TRY(job->backend->limits(&plane, job->want, &found, error));
    gp_limits_state_join(job->limits, &found);
    return GP_OK;
}

static gp_status paint_band(const paint_job *job, gp_band band, gp_cells cells, gp_pixels *out, gp_error *error)
{
    gp_style here = *job->style;
    cells.n_rows = band.stop - band.first;
    gp_pixels pixels = {out->rgba + 4 * band.first * out->n_cols, cells.n_rows, out->n_cols};
    here.alpha_cells = here.alpha_cells != NULL ? here.alpha_cells + band.first * out->n_cols : NULL;
    GP_TRY(cells_of(job, band, &cells, error));
    if (job->want != 0)
        GP_TRY(add_limits(job, &cells, error));
    return job->backend->shade(&cells, &here, &pixels, error);
}

gp_status gp_plane_paint(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                         const gp_reduce_options *options, const gp_resampling *how, const gp_style *style, gp_pixels *out,
                         unsigned want, gp_limits_state *limits, gp_error *error)
{
    paint_job job = {backend, plane, rows, cols, options, how, style, want, limits};
    int64_t n_at_once = gp_band_rows(plane, out->n_rows, out->n_cols);
    gp_cells cells;
    if (style->norm == GP_NORM_EQ_HIST)
        return gp_fail(error, GP_ERR_VALUE, "ranks are of all cells: reduce and shade them");
    GP_TRY(backend->cells_alloc(n_at_once, out->n_cols, plane->device, &cells, error));
    gp_status status = GP_OK;
    if (want != 0)
        *limits = gp_limits_state_none();
    for (int64_t first = 0; status == GP_OK && first < out->n_rows; first += n_at_once) {
        gp_band band = {first, first + n_at_once < out->n_rows ? first + n_at_once : out->n_rows};
        status = paint_band(&job, band, cells, out, error);
    }
    backend->cells_free(&cells);
    return status;
}
