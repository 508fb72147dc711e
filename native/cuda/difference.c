/* Differences of the elements of two planes on a device, which stay there; and comparisons of all elements. */
#include "cuda.h"

#include "kernels/difference_args.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/module.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

/* ---- arguments ------------------------------------------------------------------------------------------------------- */

/* Real elements, the real part of complex ones, or the imaginary part, which is 0 of real ones. */
static gp_stored_elems part_of(const gp_plane *plane, bool is_imaginary)
{
    gp_stored_elems elems = gp_stored_elems_of(plane);
    if (!gp_dtype_is_complex(plane->dtype)) {
        elems.data = is_imaginary ? NULL : elems.data;
        return elems;
    }
    elems.dtype = gp_dtype_of_part(plane->dtype);
    elems.data = (const char *)plane->data + (is_imaginary ? gp_dtype_size_bytes(elems.dtype) : 0);
    return elems;
}

static gp_difference_args args_of(const gp_plane *a, const gp_plane *b)
{
    return (gp_difference_args){
        .n_parts = 1, .is_exact = gp_pair_is_exact(a, b), .n_elems = a->n_rows * a->n_cols, .n_cols = a->n_cols};
}

/* ---- operations ------------------------------------------------------------------------------------------------------ */

gp_status gp_cuda_subtract(const gp_plane *a, const gp_plane *b, gp_cells *out, gp_error *error)
{
    gp_cuda_device *device;
    gp_difference_args args = args_of(a, b);
    GP_TRY(gp_pair_check(a, b, error));
    args.a[0] = part_of(a, a->component == GP_COMPONENT_IM), args.b[0] = part_of(b, b->component == GP_COMPONENT_IM);
    args.out = out->data;
    if (args.n_elems == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter(a->device.id, &device, error));
    return gp_cuda_finish(device, gp_cuda_launch_items(device, "difference", "subtract", args.n_elems, &args, error), error);
}

static gp_status compare_entered(gp_cuda_device *device, gp_difference_args *args, gp_comparison *out, gp_error *error)
{
    args->n_blocks = gp_cuda_blocks_for(device, args->n_elems);
    GP_TRY(gp_cuda_scratch(device, GP_SLOT_FACTS, (size_t)args->n_blocks * sizeof *args->blocks, &args->blocks, error));
    GP_TRY(gp_cuda_launch(device, "difference", "compare", args->n_blocks, 1, 1, GP_BLOCK_THREADS, args, error));
    GP_TRY(gp_cuda_launch(device, "difference", "compare_join", 1, 1, 1, GP_BLOCK_THREADS, args, error));
    return gp_cuda_download(device, out, gp_cuda_address(args->blocks), sizeof *out, error);
}

gp_status gp_cuda_compare(const gp_compared *compared, gp_comparison *out, gp_error *error)
{
    gp_cuda_device *device;
    const gp_plane *a = compared->a, *b = compared->b;
    gp_difference_args args = args_of(a, b);
    GP_TRY(gp_pair_check(a, b, error));
    args.n_parts = gp_dtype_is_complex(a->dtype) || gp_dtype_is_complex(b->dtype) ? 2 : 1;
    for (int part = 0; part < args.n_parts; part++)
        args.a[part] = part_of(a, part == 1), args.b[part] = part_of(b, part == 1);
    args.rtol = compared->rtol, args.atol = compared->atol;
    *out = gp_comparison_none();
    if (args.n_elems == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter(a->device.id, &device, error));
    return gp_cuda_finish(device, compare_entered(device, &args, out, error), error);
}
