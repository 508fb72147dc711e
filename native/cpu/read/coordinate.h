/* Planes that are read together: gp_run, some elements of a row of each, and gp_coordinate, elements of any dtype as float64. */
#ifndef GP_COORDINATE_H
#define GP_COORDINATE_H

#include "row_reader.h"
#include "simd/loops.h"

typedef struct gp_run {
    int64_t row, col;
    int n;
} gp_run;

/* The next run of elements at..end-1, counted row by row: `most` of them, or as many as are left, also of the row. */
static inline gp_run gp_run_at(int64_t at, int64_t end, int64_t n_cols, int most)
{
    int64_t row = at / n_cols, col = at % n_cols, n = n_cols - col < end - at ? n_cols - col : end - at;
    return (gp_run){row, col, n < most ? (int)n : most};
}

typedef struct gp_coordinate {
    gp_row_reader rows;
    const gp_loops *loops;
} gp_coordinate;

static inline gp_coordinate gp_coordinate_of(const gp_plane *plane)
{
    gp_coordinate c;
    gp_row_reader_init(plane, plane->hidden_nan, &c.rows);
    c.loops = gp_loops_for(c.rows.dtype);
    return c;
}

/* n elements of a row; masked ones are NaN. packed: n * sizeof(double) bytes, scratch: gp_row_reader_scratch_bytes bytes. */
static inline void gp_coordinate_get(const gp_coordinate *c, int64_t row, int64_t col, int64_t n, void *packed, void *scratch,
                                     double *out)
{
    c->loops->values(gp_row_reader_get(&c->rows, row, col, n, packed, scratch), n, out);
}

#endif
