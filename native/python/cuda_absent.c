/* What the binding calls of cuda/device.h where there is no CUDA backend: each says so. */
#include "binding.h"

#include "../cuda/device.h"

#if !GP_HAVE_CUDA

static gp_status fail_absent(gp_error *error)
{
    return gp_fail(error, GP_ERR_DEVICE, "this build has no CUDA backend: it exists for Linux only");
}

gp_status gp_cuda_load(const gp_cuda_api **out, gp_error *error)
{
    (void)out;
    return fail_absent(error);
}

gp_status gp_cuda_inspect(uint64_t low, uint64_t high, int hint, gp_cuda_memory *out, gp_error *error)
{
    (void)low, (void)high, (void)hint, (void)out;
    return fail_absent(error);
}

gp_status gp_cuda_order_after(int ordinal, uint64_t stream, gp_error *error)
{
    (void)ordinal, (void)stream;
    return fail_absent(error);
}

gp_status gp_cuda_refuse_capture(int ordinal, uint64_t stream, gp_error *error)
{
    (void)ordinal, (void)stream;
    return fail_absent(error);
}

gp_status gp_cuda_synchronize(int ordinal, gp_error *error)
{
    (void)ordinal;
    return fail_absent(error);
}

gp_status gp_cuda_stream_handle(int ordinal, uint64_t *out, gp_error *error)
{
    (void)ordinal, (void)out;
    return fail_absent(error);
}

gp_status gp_cuda_count(int ordinal, gp_cuda_counts *out, gp_error *error)
{
    (void)ordinal, (void)out;
    return fail_absent(error);
}

const char *gp_cuda_kernels_kind(void) { return "none"; }

void gp_cuda_close(void) {}

#endif
