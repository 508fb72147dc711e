/* Reduces and colors a plane band by band. Bands have the pixels of the whole, as a cell's color does not depend on other cells. */
#include "paint.h"
#include "repeats.h"

/* By the bits, in which a sum has the top bit set where the magnitude is above that of infinity: compilers make vector code of it. */
static int64_t count_nan(const gp_cells *cells)
{
    const uint64_t magnitude = 0x7fffffffffffffffu, to_top = 0x000fffffffffffffu;
    int64_t n_cells = cells->n_rows * cells->n_cols;
    uint64_t n = 0;
    for (int64_t i = 0; i < n_cells; i++)
        n += ((gp_bits_from_f64(cells->data[i]) & magnitude) + to_top) >> 63;
    return (int64_t)n;
}

/* What is needed to paint a band. */
typedef struct paint_job {
    const gp_backend *backend;
    const gp_plane *plane;
    const gp_axis *rows, *cols;
    const gp_reduce_options *options;
    const gp_resampling *how;
    const gp_style *style;
} paint_job;

static gp_status cells_of(const paint_job *job, gp_band band, gp_cells *cells, gp_error *error)
{
    if (job->how != NULL)
        return gp_plane_resample(job->backend, job->plane, job->rows, job->cols, job->options, job->how, band, cells, error);
    gp_axis axis = gp_band_axis(job->rows, band);
    return gp_plane_reduce(job->backend, job->plane, &axis, job->cols, job->options, cells, NULL, error);
}

static gp_status paint_band(const paint_job *job, gp_band band, gp_cells cells, gp_pixels *out, int64_t *n_nan, gp_error *error)
{
    gp_style here = *job->style;
    cells.n_rows = band.stop - band.first;
    gp_pixels pixels = {out->rgba + 4 * band.first * out->n_cols, cells.n_rows, out->n_cols};
    here.alpha_cells = here.alpha_cells != NULL ? here.alpha_cells + band.first * out->n_cols : NULL;
    GP_TRY(cells_of(job, band, &cells, error));
    if (n_nan != NULL)
        *n_nan += count_nan(&cells);
    return job->backend->shade(&cells, &here, &pixels, error);
}

gp_status gp_plane_paint(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                         const gp_reduce_options *options, const gp_resampling *how, const gp_style *style, gp_pixels *out,
                         int64_t *n_nan, gp_error *error)
{
    paint_job job = {backend, plane, rows, cols, options, how, style};
    int64_t n_at_once = gp_band_rows(plane, out->n_rows, out->n_cols);
    gp_cells cells;
    if (style->norm == GP_NORM_EQ_HIST)
        return gp_fail(error, GP_ERR_VALUE, "ranks are of all cells: reduce and shade them");
    if (n_nan != NULL && plane->device.kind != GP_DL_CPU)
        return gp_fail(error, GP_ERR_VALUE, "NaN is counted among cells in host memory alone: reduce and shade them");
    GP_TRY(backend->cells_alloc(n_at_once, out->n_cols, plane->device, &cells, error));
    gp_status status = GP_OK;
    if (n_nan != NULL)
        *n_nan = 0;
    for (int64_t first = 0; status == GP_OK && first < out->n_rows; first += n_at_once) {
        gp_band band = {first, first + n_at_once < out->n_rows ? first + n_at_once : out->n_rows};
        status = paint_band(&job, band, cells, out, n_nan, error);
    }
    backend->cells_free(&cells);
    return status;
}
