/* Draws of one plane by every operation of a backend, so that what threads get at once can be held against what one gets. */
#ifndef GP_DRAWS_H
#define GP_DRAWS_H

#include "gpuplot.h"
#include "../../native/cpu/lines/line_rows.h"

enum {
    DRAW_ROWS = 30,
    DRAW_COLS = 40,
    DRAW_BINS = 50,
    DRAW_PERCENTS = 3,
    DRAW_SLICES = 600, /* the rows of a tensor, at most */
    DRAW_SLICE_BINS = 4,
    FILTERED_ROWS = 180, /* with FILTERED_COLS enough for several workers */
    FILTERED_COLS = 200
};

/* What a plane gives; comparable byte by byte, {0} at first. */
typedef struct draw_results {
    double cells[DRAW_ROWS * DRAW_COLS];
    uint8_t rgba[DRAW_ROWS * DRAW_COLS * 4], rgb[DRAW_ROWS * DRAW_COLS * 4];
    double limits[3], percentiles[DRAW_PERCENTS], moments[2];
    int64_t counts[DRAW_BINS], n_counted, n_finite, found, has_collected;
    double sums[DRAW_BINS];
    gp_comparison comparison;
    double differences[DRAW_COLS];
    double points[DRAW_ROWS * DRAW_COLS];
    int64_t n_outside;
    double lines[DRAW_ROWS * DRAW_COLS];
    gp_line_rows_of_column line_rows[DRAW_SLICES * DRAW_COLS]; /* of the host alone */
    gp_m4_state m4[DRAW_COLS];
    double samples[DRAW_COLS];
    int64_t places[DRAW_COLS], ways;
    double filtered[FILTERED_ROWS * FILTERED_COLS], angles[FILTERED_ROWS * FILTERED_COLS];
    double slice_facts[DRAW_SLICES * 2], slice_percentiles[DRAW_SLICES * DRAW_PERCENTS];
    int64_t slice_counts[DRAW_SLICES * DRAW_SLICE_BINS];
} draw_results;

/* The plane that a 2-D tensor is. */
gp_plane draw_plane(const gp_tensor *tensor);

/* Cells of a plane by this reduction, which the caller frees with backend->cells_free. */
gp_cells draw_cells(const gp_backend *backend, const gp_plane *plane, gp_agg agg);

/* Cells to colors, and to three channels. */
void draw_shade(const gp_backend *backend, const gp_cells *cells, draw_results *out);

/* Cells from cells: more of them by some weights along each axis, and the angles of these. */
void draw_cells_of_cells(const gp_backend *backend, const gp_cells *cells, draw_results *out);

/* Cells of elements as points, as lines, and of differences between them. */
void draw_elements_into_cells(const gp_backend *backend, const gp_plane *plane, draw_results *out);

/* What is found out about the elements without cells: limits, moments, bins, weighted ones, the first NaN, how they compare;
 * percentiles where they are wanted. No memory of the device is held from one call to the next. */
void draw_facts(const gp_backend *backend, const gp_plane *plane, bool with_percentiles, draw_results *out);

/* The first row as a series of DRAW_COLS columns: what draws it, which way it goes, samples, and where they belong among none. */
void draw_series(const gp_backend *backend, const gp_plane *plane, draw_results *out);

/* Facts about each row of a tensor with DRAW_SLICES of them at most: mean, maximum, bins; percentiles where they are wanted. */
void draw_slices(const gp_backend *backend, const gp_tensor *tensor, bool with_percentiles, draw_results *out);

/* The elements as they are: `out` has as many of the same dtype. */
void draw_elements(const gp_backend *backend, const gp_plane *plane, void *out);

/* The elements as float32, in the order of columns: `out` has as many as the tensor. */
void draw_array(const gp_backend *backend, const gp_tensor *tensor, float *out);

#endif
