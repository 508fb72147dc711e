/* The layout of a plane in memory: its denser direction, and whether its elements are stored numbers. */
#ifndef GP_PLANE_LAYOUT_H
#define GP_PLANE_LAYOUT_H

#include "view.h"

/* Whether elements down a column are denser in memory than along a row. */
bool gp_plane_is_turned(const gp_plane *plane);

/* Whether elements are numbers stored in memory, not computed: of *dtype, *offset_bytes after the plane's address. Complex parts and
 * integer channels are such elements; swapped bytes do not matter. */
bool gp_plane_is_stored(const gp_plane *plane, gp_dtype *dtype, int64_t *offset_bytes);

#endif
