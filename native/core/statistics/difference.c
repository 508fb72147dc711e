/* Checks that the elements of two planes can be subtracted. */
#include "difference.h"

static gp_status check_elements(const gp_plane *plane, gp_error *error)
{
    bool is_part = plane->component == GP_COMPONENT_RE || plane->component == GP_COMPONENT_IM;
    if ((plane->component != GP_COMPONENT_VALUE && !is_part) || plane->n_stages > 0 || gp_plane_repeats(plane) > 1)
        return gp_fail(error, GP_ERR_VALUE,
                       "planes are subtracted where their elements are stored numbers: reduce hidden axes to cells first");
    return GP_OK;
}

gp_status gp_pair_check(const gp_plane *a, const gp_plane *b, gp_error *error)
{
    if (a->n_rows != b->n_rows || a->n_cols != b->n_cols)
        return gp_fail(error, GP_ERR_VALUE, "planes of %lld x %lld and of %lld x %lld elements are not subtracted",
                       (long long)a->n_rows, (long long)a->n_cols, (long long)b->n_rows, (long long)b->n_cols);
    if (!gp_device_is_same(a->device, b->device))
        return gp_fail(error, GP_ERR_VALUE, "planes on two devices are not subtracted: copy one of them to the other's device");
    GP_TRY(check_elements(a, error));
    return check_elements(b, error);
}

static bool is_integer(gp_dtype dtype) { return !gp_dtype_is_float(dtype) && !gp_dtype_is_complex(dtype); }

static bool is_of_64_bits(gp_dtype dtype) { return dtype == GP_I64 || dtype == GP_U64; }

bool gp_pair_is_exact(const gp_plane *a, const gp_plane *b)
{
    return is_integer(a->dtype) && is_integer(b->dtype) && (is_of_64_bits(a->dtype) || is_of_64_bits(b->dtype));
}
