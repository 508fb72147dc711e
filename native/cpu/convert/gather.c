/* Copies a plane's elements as they are to a contiguous array: a conversion of the plane to its own dtype. */
#include "cpu.h"

gp_status gp_cpu_gather(const gp_plane *plane, void *out, gp_error *error)
{
    gp_conversion conversion;
    GP_TRY(gp_conversion_of_plane(plane, out, &conversion, error));
    return gp_cpu_convert(&conversion, NULL, error);
}
