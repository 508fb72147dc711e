/* gp_coordinate: elements of a plane as float64, whatever they are, some of a row at a time. */
#ifndef GP_COORDINATE_H
#define GP_COORDINATE_H

#include "loops.h"
#include "rows.h"

typedef struct gp_coordinate {
    gp_rows rows;
    const gp_loops *loops;
} gp_coordinate;

static inline gp_coordinate gp_coordinate_of(const gp_plane *plane)
{
    gp_coordinate c;
    gp_rows_init(plane, plane->hidden_nan, &c.rows);
    c.loops = gp_loops_for(c.rows.dtype);
    return c;
}

/* n elements of a row; masked ones are NaN. packed: n * sizeof(double) bytes, scratch: gp_rows_scratch_bytes of them. */
static inline void gp_coordinate_get(const gp_coordinate *c, int64_t row, int64_t col, int64_t n, void *packed, void *scratch,
                                     double *out)
{
    c->loops->values(gp_rows_get(&c->rows, row, col, n, packed, scratch), n, out);
}

#endif
