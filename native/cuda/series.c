/* Series on a device: the bounds of columns are uploaded, one state per column is downloaded; sorted series are searched there. */
#include "cuda.h"

#include "element_class.h"
#include "kernels/series_args.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"
#include "runtime/stream.h"
#include "summaries.h"

/* A column is cut into several parts, each of a block, if columns are too few to keep the device busy and have enough samples. */
enum { BLOCKS_PER_PROCESSOR = 16, LEAST_PART_SAMPLES = 1 << 14, MOST_PARTS = 1024 };

/* The most columns of one launch, which bounds scratch memory. */
enum { LAUNCH_COLUMNS = 1 << 14 };

static int64_t parts_for(const gp_cuda_device *device, int64_t n_samples, int64_t n_columns)
{
    int64_t wanted = (int64_t)BLOCKS_PER_PROCESSOR * gp_cuda_n_processors(device) / n_columns;
    int64_t useful = n_samples / n_columns / LEAST_PART_SAMPLES;
    int64_t n_parts = wanted < useful ? wanted : useful;
    return n_parts < 1 ? 1 : n_parts < MOST_PARTS ? n_parts : MOST_PARTS;
}

/* One launch, for columns 0..n_columns-1 of these bounds. */
static gp_status m4_columns(gp_cuda_device *device, const gp_cuda_elements *elements, const int64_t *bounds, int64_t n_columns,
                            gp_m4_state *out, gp_error *error)
{
    gp_m4_args args = {.plane = elements->plane, .n_columns = n_columns};
    size_t bounds_bytes = (size_t)(n_columns + 1) * sizeof *bounds, out_bytes = (size_t)n_columns * sizeof *out;
    args.n_parts = parts_for(device, bounds[n_columns] - bounds[0], n_columns);
    GP_TRY(gp_cuda_scratch(device, GP_SLOT_STATES, out_bytes * (size_t)args.n_parts, &args.states, error));
    GP_TRY(gp_cuda_scratch(device, GP_SLOT_FACTS, out_bytes, &args.joined, error));
    GP_TRY(gp_cuda_scratch_copy(device, GP_SLOT_AXES, bounds, bounds_bytes, &args.bounds, error));
    GP_TRY(gp_cuda_launch_parts(device, elements, "series", "m4", n_columns, args.n_parts, &args, error));
    if (args.n_parts > 1)
        GP_TRY(gp_cuda_launch_class(device, elements, "series", "m4_join", gp_cuda_blocks_for(device, n_columns), &args, error));
    return gp_cuda_download(device, out, gp_cuda_address(args.n_parts > 1 ? args.joined : args.states), out_bytes, error);
}

/* Converts the orders that kernels use to those of gp_series_order_type. */
static void convert_orders(const gp_cuda_elements *elements, gp_m4_state *state, bool is_f64)
{
    gp_order *orders[4] = {&state->y_first, &state->y_last, &state->lowest, &state->highest};
    for (int i = 0; i < 4 && state->n_finite > 0 && is_f64; i++)
        *orders[i] = gp_order_of_f64(gp_cuda_value_of(elements, *orders[i]));
}

gp_status gp_cuda_m4(const gp_plane *plane, const int64_t *bounds, int64_t n_columns, gp_m4_state *out, gp_error *error)
{
    gp_cuda_device *device;
    gp_status status = GP_OK;
    GP_TRY(gp_m4_check(plane, bounds, n_columns, error));
    for (int64_t k = 0; k < n_columns; k++)
        out[k] = gp_m4_state_none();
    if (n_columns == 0 || bounds[n_columns] == bounds[0])
        return GP_OK;
    gp_cuda_elements elements = gp_cuda_elements_from(plane);
    GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
    for (int64_t k = 0, n; status == GP_OK && k < n_columns; k += n) {
        n = n_columns - k < LAUNCH_COLUMNS ? n_columns - k : LAUNCH_COLUMNS;
        status = m4_columns(device, &elements, bounds + k, n, out + k, error);
    }
    GP_TRY(gp_cuda_finish(device, status, error));
    for (int64_t k = 0; k < n_columns; k++)
        convert_orders(&elements, &out[k], gp_series_order_type(plane) == GP_ORDER_F64);
    return GP_OK;
}

/* ---- sorted series --------------------------------------------------------------------------------------------------- */

enum { WAYS_BLOCKS_PER_PROCESSOR = 6 };

static gp_status find_ways(gp_cuda_device *device, const gp_cuda_elements *elements, uint64_t *broken, gp_error *error)
{
    gp_ways_args args = {.plane = elements->plane};
    GP_TRY(gp_cuda_scratch_filled(device, GP_SLOT_FACTS, 2 * sizeof *broken, 0, &args.broken, error));
    int64_t n_blocks = gp_cuda_blocks_through(device, elements, WAYS_BLOCKS_PER_PROCESSOR);
    GP_TRY(gp_cuda_launch_class(device, elements, "series", "find_ways", n_blocks, &args, error));
    return gp_cuda_download(device, broken, gp_cuda_address(args.broken), 2 * sizeof *broken, error);
}

gp_status gp_cuda_find_ways(const gp_plane *plane, unsigned *out, gp_error *error)
{
    gp_cuda_device *device;
    uint64_t broken[2] = {0, 0};
    GP_TRY(gp_series_check(plane, error));
    if (plane->n_cols > 0) {
        gp_cuda_elements elements = gp_cuda_elements_from(plane);
        GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
        GP_TRY(gp_cuda_finish(device, find_ways(device, &elements, broken, error), error));
    }
    *out = (broken[0] == 0 ? GP_RISES : 0u) | (broken[1] == 0 ? GP_FALLS : 0u);
    return GP_OK;
}

/* One launch of a kernel that computes n numbers of 8 bytes from n others. */
typedef gp_status (*make_each)(gp_cuda_device *device, const gp_cuda_elements *elements, const void *from, void *to, int64_t n,
                               gp_error *error);

static gp_status search_some(gp_cuda_device *device, const gp_cuda_elements *elements, const void *from, void *to, int64_t n,
                             gp_error *error)
{
    gp_search_args args = {.plane = elements->plane, .values = from, .positions = to, .n_values = n};
    return gp_cuda_launch_class(device, elements, "series", "search_sorted", gp_cuda_blocks_for(device, n), &args, error);
}

static gp_status take_some(gp_cuda_device *device, const gp_cuda_elements *elements, const void *from, void *to, int64_t n,
                           gp_error *error)
{
    gp_take_args args = {.plane = elements->plane, .positions = from, .values = to, .n_positions = n};
    return gp_cuda_launch_class(device, elements, "series", "take", gp_cuda_blocks_for(device, n), &args, error);
}

/* Uploads as many numbers at a time as there is memory for, runs the kernel, and downloads the results. */
static gp_status make_entered(gp_cuda_device *device, const gp_plane *plane, make_each make, const char *from, int64_t n,
                              char *to, gp_error *error)
{
    enum { ITEM_BYTES = 8 };
    gp_cuda_elements elements = gp_cuda_elements_from(plane);
    const void *given;
    void *made;
    for (int64_t i = 0, n_here; i < n; i += n_here) {
        n_here = n - i < LAUNCH_COLUMNS ? n - i : LAUNCH_COLUMNS;
        size_t n_bytes = (size_t)n_here * ITEM_BYTES;
        GP_TRY(gp_cuda_scratch_copy(device, GP_SLOT_AXES, from + i * ITEM_BYTES, n_bytes, &given, error));
        GP_TRY(gp_cuda_scratch(device, GP_SLOT_FACTS, n_bytes, &made, error));
        GP_TRY(make(device, &elements, given, made, n_here, error));
        GP_TRY(gp_cuda_download(device, to + i * ITEM_BYTES, gp_cuda_address(made), n_bytes, error));
    }
    return GP_OK;
}

static gp_status make_all(const gp_plane *plane, make_each make, const void *from, int64_t n, void *to, gp_error *error)
{
    gp_cuda_device *device;
    GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
    return gp_cuda_finish(device, make_entered(device, plane, make, from, n, to, error), error);
}

gp_status gp_cuda_search_sorted(const gp_plane *plane, const double *values, int64_t n_values, int64_t *out, gp_error *error)
{
    GP_TRY(gp_series_check(plane, error));
    for (int64_t i = 0; i < n_values; i++)
        out[i] = 0;
    if (n_values == 0 || plane->n_cols == 0)
        return GP_OK;
    return make_all(plane, search_some, values, n_values, out, error);
}

gp_status gp_cuda_take(const gp_plane *plane, const int64_t *positions, int64_t n_positions, double *out, gp_error *error)
{
    GP_TRY(gp_take_check(plane, positions, n_positions, error));
    return n_positions == 0 ? GP_OK : make_all(plane, take_some, positions, n_positions, out, error);
}
