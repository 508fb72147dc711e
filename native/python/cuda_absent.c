/* Weak stand-ins for the functions of cuda/device.h, for as long as their files are not there: each says so. */
#include "binding.h"

#include "../cuda/device.h"

#define ABSENT(error) gp_fail(error, GP_ERR_DEVICE, "this build has no CUDA backend")
#define WEAK __attribute__((weak))

WEAK gp_status gp_cuda_load(const gp_cuda_api **out, gp_error *error)
{
    (void)out;
    return ABSENT(error);
}

WEAK gp_status gp_cuda_inspect(uint64_t low, uint64_t high, int hint, gp_cuda_memory *out, gp_error *error)
{
    (void)low, (void)high, (void)hint, (void)out;
    return ABSENT(error);
}

WEAK gp_status gp_cuda_order_after(int ordinal, uint64_t stream, gp_error *error)
{
    (void)ordinal, (void)stream;
    return ABSENT(error);
}

WEAK gp_status gp_cuda_refuse_capture(int ordinal, uint64_t stream, gp_error *error)
{
    (void)ordinal, (void)stream;
    return ABSENT(error);
}

WEAK gp_status gp_cuda_synchronize(int ordinal, gp_error *error)
{
    (void)ordinal;
    return ABSENT(error);
}

WEAK gp_status gp_cuda_stream_handle(int ordinal, uint64_t *out, gp_error *error)
{
    (void)ordinal, (void)out;
    return ABSENT(error);
}

WEAK gp_status gp_cuda_count(int ordinal, gp_cuda_counts *out, gp_error *error)
{
    (void)ordinal, (void)out;
    return ABSENT(error);
}

WEAK const char *gp_cuda_kernels_kind(void) { return "none"; }

WEAK void gp_cuda_close(void) {}
