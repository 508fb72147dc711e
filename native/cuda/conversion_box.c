/* Boxes of a conversion: where each begins, and the arguments of the kernel that packs it. */
#include "conversion_box.h"

#include "../core/base/arithmetic.h"

#include "kernels/convert_args.h"
#include "runtime/launch.h"
#include "runtime/module.h"

/* Transposing in tiles is faster if both sides have at least so many items. */
enum { LEAST_TILE_ALONG = 8, LEAST_TILE_ACROSS = 16 };

/* ---- boxes ----------------------------------------------------------------------------------------------------------- */

/* The outermost axis at which a box may begin at this item and have whole indices, of *n_inner items each, within n_wanted. */
static int axis_for(const gp_conversion *plan, int64_t begin, int64_t n_wanted, int64_t *n_inner)
{
    int axis = plan->n_axes - 1;
    *n_inner = 1;
    for (; axis > 0; axis--) {
        int64_t n_outer = *n_inner * plan->axes[axis].size;
        if (n_outer > n_wanted || begin % n_outer != 0)
            break;
        *n_inner = n_outer;
    }
    return axis;
}

/* Cuts the rest of an axis into equal parts, of whole tiles if these are many. */
static int64_t part_of(int64_t n_left, int64_t most)
{
    int64_t n_parts = (n_left + most - 1) / most, part = (n_left + n_parts - 1) / n_parts;
    int64_t tiled = (part + GP_CONVERT_TILE - 1) / GP_CONVERT_TILE * GP_CONVERT_TILE;
    return gp_smaller(tiled <= most ? tiled : part, n_left);
}

gp_cuda_box gp_cuda_box_at(const gp_conversion *plan, int64_t begin, int64_t n_wanted)
{
    gp_cuda_box box = {.begin = begin, .n_items = 1, .n_along = 1, .from = plan->from, .mask = plan->mask, .to = plan->to};
    int64_t n_inner, rest = begin;
    if (plan->n_axes == 0)
        return box;
    box.axis = axis_for(plan, begin, n_wanted, &n_inner);
    for (int k = plan->n_axes - 1; k >= 0; k--) {
        const gp_conversion_axis *axis = &plan->axes[k];
        int64_t index = rest % axis->size;
        rest /= axis->size;
        box.from += index * axis->from_stride;
        box.to += index * axis->to_stride;
        if (box.mask != NULL)
            box.mask += index * axis->mask_stride;
        if (k == box.axis)
            box.n_along = part_of(axis->size - index, n_wanted / n_inner);
    }
    box.n_items = box.n_along * n_inner;
    return box;
}

bool gp_cuda_is_straight(const gp_conversion *plan)
{
    int64_t stride = gp_dtype_size_bytes(plan->from_dtype);
    if (plan->from_dtype != plan->to_dtype || plan->mask != NULL || plan->is_byteswapped)
        return false;
    for (int k = plan->n_axes - 1; k >= 0; k--) {
        if (plan->axes[k].from_stride != stride)
            return false;
        stride *= plan->axes[k].size;
    }
    return true;
}

/* ---- the kernel of a box ------------------------------------------------------------------------------------------------ */

/* Whether a kernel may read an item by one load: it is naturally aligned and in native byte order. */
static bool is_movable(const gp_conversion *plan, const gp_convert_args *args)
{
    uint64_t places = (uint64_t)(uintptr_t)args->from, size = (uint64_t)gp_dtype_size_bytes(plan->from_dtype);
    for (int k = 0; k < args->n_axes; k++)
        places |= (uint64_t)args->axes[k].from_stride;
    return !plan->is_byteswapped && size <= 16 && (size & (size - 1)) == 0 && places % size == 0;
}

/* The axes of a box, the fastest first. */
static void fill_axes(const gp_conversion *plan, const gp_cuda_box *box, gp_convert_args *args)
{
    uint32_t to_stride = 1;
    for (int k = plan->n_axes - 1; k >= 0 && k >= box->axis; k--) {
        const gp_conversion_axis *axis = &plan->axes[k];
        uint32_t size = (uint32_t)(k == box->axis ? box->n_along : axis->size);
        if (size == 1)
            continue;
        args->axes[args->n_axes++] = (gp_convert_axis){axis->from_stride, axis->mask_stride, size, to_stride};
        to_stride *= size;
    }
    if (args->n_axes == 0)
        args->axes[args->n_axes++] = (gp_convert_axis){.size = 1, .to_stride = 1};
}

static gp_convert_args args_of(const gp_conversion *plan, const gp_cuda_box *box, CUdeviceptr to)
{
    gp_convert_args args = {.from = box->from,
                            .mask = box->mask,
                            .out = (char *)(uintptr_t)to,
                            .from_dtype = plan->from_dtype,
                            .to_dtype = plan->to_dtype,
                            .is_swapped = plan->is_byteswapped,
                            .is_mask_inverted = plan->is_mask_inverted,
                            .n_items = (uint32_t)box->n_items};
    args.n_from_parts = gp_dtype_is_complex(plan->from_dtype) ? 2 : 1;
    args.n_to_parts = gp_dtype_is_complex(plan->to_dtype) ? 2 : 1;
    args.from_part_bytes = gp_dtype_size_bytes(plan->from_dtype) / args.n_from_parts;
    args.to_part_bytes = gp_dtype_size_bytes(plan->to_dtype) / args.n_to_parts;
    fill_axes(plan, box, &args);
    if (plan->from_dtype == plan->to_dtype)
        args.way = is_movable(plan, &args) ? GP_CONVERT_MOVE : GP_CONVERT_BYTES;
    return args;
}

/* Moves the axis along which the source is dense next to the fastest one; false if there is none that is long enough. */
static bool turn_axes(gp_convert_args *args)
{
    int along = 0;
    for (int k = 1; k < args->n_axes; k++) {
        int64_t stride = gp_absolute(args->axes[k].from_stride);
        if (args->axes[k].size >= LEAST_TILE_ALONG && stride > 0 && stride < gp_absolute(args->axes[along].from_stride))
            along = k;
    }
    if (along == 0 || args->axes[0].size < LEAST_TILE_ACROSS)
        return false;
    gp_convert_axis axis = args->axes[1];
    args->axes[1] = args->axes[along];
    args->axes[along] = axis;
    return true;
}

static int64_t n_tiles(const gp_convert_args *args)
{
    int64_t n = 1;
    for (int k = 0; k < args->n_axes; k++)
        n *= k < 2 ? (args->axes[k].size + GP_CONVERT_TILE - 1) / GP_CONVERT_TILE : args->axes[k].size;
    return n;
}

gp_status gp_cuda_pack_box(gp_cuda_device *device, const gp_conversion *plan, const gp_cuda_box *box, CUdeviceptr to,
                           gp_error *error)
{
    gp_convert_args args = args_of(plan, box, to);
    if (turn_axes(&args))
        return gp_cuda_launch(device, "convert", "convert_tiles", n_tiles(&args), 1, 1, GP_BLOCK_THREADS, &args, error);
    return gp_cuda_launch(device, "convert", "convert_rows", gp_cuda_blocks_for(device, box->n_items), 1, 1, GP_BLOCK_THREADS,
                          &args, error);
}
