/* What there is among the elements of a plane on a device: refused until there are kernels for it. */
#include "cuda.h"

static gp_status not_yet(const char *what, gp_error *error)
{
    return gp_fail(error, GP_ERR_UNSUPPORTED, "%s does not read device memory yet: copy the tensor to the host (gpuplot.asnumpy)",
                   what);
}

gp_status gp_cuda_summarize(const gp_plane *plane, gp_summary *out, gp_error *error)
{
    (void)plane, (void)out;
    return not_yet("summarize", error);
}

gp_status gp_cuda_histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                            int64_t *counts, gp_error *error)
{
    (void)counts;
    GP_TRY(gp_histogram_check(plane, edges, n_bins, range, error));
    return not_yet("histogram", error);
}

gp_status gp_cuda_find_element(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, int64_t *out, gp_error *error)
{
    (void)out;
    GP_TRY(gp_find_check(plane, kinds, start, is_backwards, error));
    return not_yet("find", error);
}
