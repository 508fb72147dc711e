/* What there is among the elements of a plane on a device: a kernel looks at each once, the host joins what its blocks saw. */
#include "cuda.h"

#include "../core/ordered.h"
#include "elements.h"
#include "kernels/summary_args.h"
#include "summaries.h"
#include "work.h"

#include <stdlib.h>

/* Whole rounds, whether 2 or 3 of them run at once, and no more: each leaves a state that has to be fetched and joined. */
enum { BLOCKS_PER_PROCESSOR = 6 };

/* Whether extremes were compared as integers (gp_ordered_exact), and no float64 among them. */
static bool is_compared_exactly(const gp_cuda_elements *elements)
{
    bool is_typed = strcmp(elements->class_name, "ANY") != 0;
    return gp_plane_is_integer(&elements->plane) && (is_typed || gp_dtype_size_bytes(elements->plane.dtype) == 8);
}

/* Such an extreme itself; of uint64 as its bits. */
static int64_t exact_of(const gp_cuda_elements *elements, uint64_t ordered)
{
    gp_dtype dtype = elements->plane.dtype;
    if (!is_compared_exactly(elements))
        return gp_plane_is_integer(&elements->plane) ? (int64_t)gp_f64_of_ordered(ordered) : 0;
    int64_t value = (int64_t)(dtype == GP_U64 ? ordered : ordered ^ (uint64_t)1 << 63);
    return dtype == GP_U32 ? value + ((int64_t)1 << 31) : value;
}

double gp_cuda_value_of(const gp_cuda_elements *elements, uint64_t ordered)
{
    if (!is_compared_exactly(elements))
        return gp_f64_of_ordered(ordered) + 0.0;
    return elements->plane.dtype == GP_U64 ? (double)ordered : (double)exact_of(elements, ordered);
}

static int64_t or_nowhere(int64_t position) { return position == GP_NOWHERE ? -1 : position; }

void gp_cuda_to_summary(const gp_cuda_elements *elements, const gp_summary_state *s, gp_summary *out)
{
    *out = gp_summary_none();
    out->n_nan = (int64_t)s->n_nan, out->n_neg_inf = (int64_t)s->n_neg_inf, out->n_pos_inf = (int64_t)s->n_pos_inf;
    out->n_neg = (int64_t)s->n_neg, out->n_zero = (int64_t)s->n_zero, out->n_subnormal = (int64_t)s->n_subnormal;
    out->n_masked = (int64_t)s->n_masked;
    out->n_pos = (int64_t)(s->n_finite - s->n_neg - s->n_zero);
    out->first_nan = or_nowhere(s->first_nan);
    if (s->n_finite == 0)
        return;
    out->min = gp_cuda_value_of(elements, s->lowest), out->max = gp_cuda_value_of(elements, s->highest);
    out->exact_min = exact_of(elements, s->lowest), out->exact_max = exact_of(elements, s->highest);
    out->argmin = s->argmin, out->argmax = s->argmax;
    out->mean = s->mean + 0.0, out->m2 = s->m2;
    out->sum_of_squares = s->m2 + (double)s->n_finite * s->mean * s->mean; /* both are sums of squares: nothing cancels */
}

static gp_status summarize(gp_cuda_device *device, const gp_plane *plane, gp_summary *out, gp_error *error)
{
    gp_summarize_args args = {.smallest_normal = gp_smallest_normal(plane->dtype)};
    gp_cuda_elements elements = gp_cuda_elements_in_place(plane, &args.positions);
    int64_t n_blocks = gp_cuda_blocks_through(device, &elements, BLOCKS_PER_PROCESSOR);
    size_t n_bytes = (size_t)n_blocks * sizeof *args.states;
    CUdeviceptr at;
    args.plane = elements.plane;
    GP_TRY(gp_cuda_scratch(device, GP_SLOT_STATES, n_bytes, &at, error));
    args.states = (gp_summary_state *)(uintptr_t)at;
    gp_summary_state *states = malloc(n_bytes);
    if (states == NULL)
        return gp_fail_memory(error, (double)n_bytes);
    gp_status status = gp_cuda_launch_class(device, &elements, "summary", "summarize", n_blocks, &args, error);
    if (status == GP_OK)
        status = gp_cuda_download(device, states, at, n_bytes, error);
    for (int64_t i = 1; status == GP_OK && i < n_blocks; i++)
        gp_summary_join(&states[0], &states[i]);
    if (status == GP_OK)
        gp_cuda_to_summary(&elements, &states[0], out);
    free(states);
    return status;
}

gp_status gp_cuda_summarize(const gp_plane *plane, gp_summary *out, gp_error *error)
{
    gp_cuda_device *device;
    if (plane->n_rows == 0 || plane->n_cols == 0) {
        *out = gp_summary_none();
        return GP_OK;
    }
    GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
    gp_status status = summarize(device, plane, out, error);
    return gp_cuda_finish(device, status, error);
}
