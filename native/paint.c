/* Reduces and colors a plane band by band; each band is what the whole would be there, since cells know nothing of each other. */
#include "paint.h"
#include "repeats.h"

/* Cells of a band stay in the last cache, and are enough for all threads. */
#define BAND_CELLS ((int64_t)1 << 19)

/* Rows first to end of a picture. */
typedef struct row_band {
    int64_t first, end;
} row_band;

static int64_t magnitude(int64_t n) { return n < 0 ? -n : n; }

/* Rows that are read across memory would be read anew in each band: then there is one. */
static int64_t rows_at_once(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols)
{
    bool is_across = plane->n_rows > 1 && magnitude(plane->row_stride_bytes) < magnitude(plane->col_stride_bytes);
    int64_t n = BAND_CELLS / cols->n_cells > 0 ? BAND_CELLS / cols->n_cells : 1;
    return is_across || n > rows->n_cells ? rows->n_cells : n;
}

/* The part of the axis for a band, which borrows from the whole. Spans are in the direction of growing index. */
static gp_axis axis_of(const gp_axis *rows, row_band band)
{
    gp_axis axis = *rows;
    int64_t first = rows->is_reversed ? rows->n_cells - band.end : band.first;
    axis.n_cells = band.end - band.first;
    axis.spans += first;
    axis.factors = rows->factors != NULL ? rows->factors + first : NULL;
    return axis;
}

static int64_t count_nan(const gp_cells *cells)
{
    int64_t n = 0;
    for (int64_t i = 0; i < cells->n_rows * cells->n_cols; i++)
        n += cells->data[i] != cells->data[i];
    return n;
}

static gp_status paint_band(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                            const gp_reduce_options *options, const gp_style *style, row_band band, gp_cells cells,
                            gp_pixels *out, int64_t *n_nan, gp_error *error)
{
    gp_axis axis = axis_of(rows, band);
    gp_style here = *style;
    cells.n_rows = band.end - band.first;
    gp_pixels pixels = {out->rgba + 4 * band.first * out->n_cols, cells.n_rows, out->n_cols};
    here.alpha_cells = style->alpha_cells != NULL ? style->alpha_cells + band.first * out->n_cols : NULL;
    GP_TRY(gp_plane_reduce(backend, plane, &axis, cols, options, &cells, NULL, error));
    if (n_nan != NULL)
        *n_nan += count_nan(&cells);
    return backend->shade(&cells, &here, &pixels, error);
}

gp_status gp_plane_paint(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                         const gp_reduce_options *options, const gp_style *style, gp_pixels *out, int64_t *n_nan, gp_error *error)
{
    int64_t n_at_once = rows_at_once(plane, rows, cols);
    gp_cells cells;
    if (style->norm == GP_NORM_EQ_HIST)
        return gp_fail(error, GP_ERR_VALUE, "ranks are of all cells: reduce and shade them");
    if (n_nan != NULL && plane->device.kind != GP_DL_CPU)
        return gp_fail(error, GP_ERR_VALUE, "NaN is counted among cells in host memory alone: reduce and shade them");
    GP_TRY(backend->cells_alloc(n_at_once, cols->n_cells, plane->device, &cells, error));
    gp_status status = GP_OK;
    if (n_nan != NULL)
        *n_nan = 0;
    for (int64_t first = 0; status == GP_OK && first < rows->n_cells; first += n_at_once) {
        row_band band = {first, first + n_at_once < rows->n_cells ? first + n_at_once : rows->n_cells};
        status = paint_band(backend, plane, rows, cols, options, style, band, cells, out, n_nan, error);
    }
    backend->cells_free(&cells);
    return status;
}
