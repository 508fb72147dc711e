/* What there is among the elements of a plane on a device: a kernel looks at each once, the host joins what its blocks saw. */
#include "cuda.h"

#include "../core/base/alloc.h"
#include "element_class.h"
#include "kernels/summary_args.h"
#include "runtime/device.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"
#include "summaries.h"

/* Whole rounds, whether 2 or 3 of them run at once, and no more: each leaves a state that has to be fetched and joined. */
enum { BLOCKS_PER_PROCESSOR = 6 };

/* What extremes of a summary were compared by: gp_exact_order of a class. */
static gp_order_type order_type_of(const gp_cuda_elements *elements)
{
    bool is_typed = elements->run_bytes > 0, is_integer = is_typed && !elements->kind->is_float;
    gp_order_type stored = gp_plane_stored_order(&elements->plane);
    return is_integer && stored == GP_ORDER_F64 ? GP_ORDER_I64 : stored;
}

/* The order of an element that was compared: uint32 was moved to what has a sign. */
static gp_order order_of(const gp_cuda_elements *elements, gp_order compared)
{
    bool is_moved = elements->plane.dtype == GP_U32 && order_type_of(elements) == GP_ORDER_I64;
    return compared + (is_moved ? (int64_t)1 << 31 : 0);
}

double gp_cuda_value_of(const gp_cuda_elements *elements, gp_order compared)
{
    return gp_f64_of(order_type_of(elements), order_of(elements, compared)) + 0.0;
}

void gp_cuda_settle_summary(const gp_cuda_elements *elements, gp_order_type order, gp_summary_state *state)
{
    if (state->n_finite == 0)
        return;
    state->lowest = order_of(elements, state->lowest), state->highest = order_of(elements, state->highest);
    if (order_type_of(elements) != order)
        gp_summary_state_round(state, order_type_of(elements));
}

static gp_status summarize(gp_cuda_device *device, const gp_plane *plane, gp_summary_state *out, gp_error *error)
{
    gp_summarize_args args = {.smallest_normal = gp_smallest_normal(plane->dtype)};
    gp_cuda_elements elements = gp_cuda_elements_in_place(plane, &args.positions);
    int64_t n_blocks = gp_cuda_blocks_through(device, &elements, BLOCKS_PER_PROCESSOR);
    size_t n_bytes = (size_t)n_blocks * sizeof *args.states;
    args.plane = elements.plane;
    GP_TRY(gp_cuda_scratch(device, GP_SLOT_STATES, n_bytes, &args.states, error));
    GP_FREED gp_summary_state *states = NULL;
    GP_TRY(gp_alloc(n_bytes, &states, error));
    GP_TRY(gp_cuda_launch_class(device, &elements, "summary", "summarize", n_blocks, &args, error));
    GP_TRY(gp_cuda_download(device, states, gp_cuda_address(args.states), n_bytes, error));
    for (int64_t i = 1; i < n_blocks; i++)
        gp_summary_state_join(&states[0], &states[i]);
    *out = states[0];
    gp_cuda_settle_summary(&elements, gp_plane_summary_order(plane), out);
    return GP_OK;
}

gp_status gp_cuda_summarize(const gp_plane *plane, gp_summary_state *out, gp_error *error)
{
    gp_cuda_device *device;
    if (plane->n_rows == 0 || plane->n_cols == 0) {
        *out = gp_summary_state_none();
        return GP_OK;
    }
    GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
    gp_status status = summarize(device, plane, out, error);
    return gp_cuda_finish(device, status, error);
}
