/* TEMPORARY: weak stand-ins for entry points whose files are not there yet; goes away with the last of them. */
#include "cuda.h"

#define PENDING __attribute__((weak))

static gp_status fail_pending(const char *what, gp_error *error)
{
    return gp_fail(error, GP_ERR_DEVICE, "%s is not there yet on CUDA devices", what);
}

PENDING gp_status gp_cuda_reduce(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                                 const gp_reduce_options *options, gp_cells *out, gp_limits *limits, gp_error *error)
{
    (void)plane, (void)rows, (void)cols, (void)options, (void)out, (void)limits;
    return fail_pending("reduce", error);
}

PENDING gp_status gp_cuda_limits(const gp_plane *plane, unsigned want, gp_limits *out, gp_error *error)
{
    (void)plane, (void)want, (void)out;
    return fail_pending("limits", error);
}

PENDING gp_status gp_cuda_percentiles(const gp_plane *plane, const double *percents, int n_percents, bool positive_only,
                                      double *out, gp_error *error)
{
    (void)plane, (void)percents, (void)n_percents, (void)positive_only, (void)out;
    return fail_pending("percentiles", error);
}

PENDING gp_status gp_cuda_gather(const gp_plane *plane, void *out, gp_error *error)
{
    (void)plane, (void)out;
    return fail_pending("gather", error);
}

PENDING gp_status gp_cuda_shade(const gp_cells *cells, const gp_style *style, gp_pixels *out, gp_error *error)
{
    (void)cells, (void)style, (void)out;
    return fail_pending("shade", error);
}

PENDING gp_status gp_cuda_shade_rgb(const gp_cells *channels, int n_channels, const gp_rgb_style *style, gp_pixels *out,
                                    double range[2], gp_error *error)
{
    (void)channels, (void)n_channels, (void)style, (void)out, (void)range;
    return fail_pending("shade_rgb", error);
}

PENDING gp_status gp_cuda_angle(const gp_cells *real, const gp_cells *imaginary, gp_cells *out, gp_error *error)
{
    (void)real, (void)imaginary, (void)out;
    return fail_pending("angle", error);
}
