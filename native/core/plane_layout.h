/* How a plane lies in memory: which way it is denser, and whether its elements are numbers that are stored there. */
#ifndef GP_PLANE_LAYOUT_H
#define GP_PLANE_LAYOUT_H

#include "view.h"

/* True where walking down a column touches memory more densely than walking along a row. */
bool gp_plane_is_turned(const gp_plane *plane);

/* True where elements need no more than a look at their bytes: *dtype is what is there, *offset_bytes behind the plane's address.
 * Complex parts and integer channels are such elements, and swapped bytes do not matter. */
bool gp_plane_is_stored(const gp_plane *plane, gp_dtype *dtype, int64_t *offset_bytes);

#endif
