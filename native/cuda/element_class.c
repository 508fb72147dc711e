/* Chooses the element class of a plane: as narrow a one as its memory allows, else ONE or ANY. */
#include "element_class.h"

#include "../core/tensor/plane_layout.h"
#include "runtime/launch.h"
#include "runtime/module.h"
#include "runtime/stream.h"

#include <stdio.h>

/* As in kernels/element_classes.cuh. 64-bit integers are read as float64: rounding keeps their order. */
static const gp_cuda_class classes[] = {
    {"I8", 1, false, GP_KEYS_INTEGER}, {"F8", 1, true, GP_KEYS_SINGLE},    {"I16", 2, false, GP_KEYS_INTEGER},
    {"H16", 2, true, GP_KEYS_SINGLE},  {"I32", 4, false, GP_KEYS_INTEGER}, {"F32", 4, true, GP_KEYS_SINGLE},
    {"I64", 8, false, GP_KEYS_DOUBLE}, {"F64", 8, true, GP_KEYS_DOUBLE},
};
static const gp_cuda_class one_class = {"ONE", 0, true, GP_KEYS_DOUBLE}, any_class = {"ANY", 0, true, GP_KEYS_DOUBLE};

/* Runs have 16 bytes; 8 for 1-byte integers, since 16 accumulators do not fit in the registers, and 4 for 8-bit floats, whose decoding
 * needs registers, too. */
static gp_cuda_elements class_of_dtype(gp_dtype dtype, bool is_general)
{
    int size_bytes = dtype < GP_N_DTYPES && !gp_dtype_is_complex(dtype) ? gp_dtype_size_bytes(dtype) : 0;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        const gp_cuda_class *kind = &classes[i];
        int run_bytes = kind->size_bytes > 1 ? 16 : kind->is_float ? 4 : 8;
        if (kind->size_bytes == size_bytes && kind->is_float == gp_dtype_is_float(dtype))
            return (gp_cuda_elements){.kind = kind, .run_elems = run_bytes / size_bytes, .run_bytes = run_bytes};
    }
    return (gp_cuda_elements){.kind = is_general ? &any_class : &one_class, .run_elems = 1};
}

/* Makes complex parts and integer channels a plain plane, if that takes only another address, dtype or stride. */
static bool make_plain(gp_plane *plane)
{
    gp_dtype dtype;
    int64_t offset_bytes;
    if (!gp_plane_is_stored(plane, &dtype, &offset_bytes))
        return false;
    plane->dtype = dtype;
    if (plane->data != NULL)
        plane->data = (const char *)plane->data + offset_bytes;
    plane->component = GP_COMPONENT_VALUE;
    return true;
}

/* Whether typed kernels can read the elements: naturally aligned and in native byte order. */
static bool is_readable(const gp_plane *plane)
{
    uintptr_t size_bytes = (uintptr_t)gp_dtype_size_bytes(plane->dtype);
    uintptr_t bits = (uintptr_t)plane->data | (uintptr_t)plane->row_stride_bytes | (uintptr_t)plane->col_stride_bytes;
    return bits % size_bytes == 0 && !(plane->is_byteswapped && size_bytes > 1);
}

/* The stride of a single column is not used: set it to the element size, with which runs can be read. */
static void settle_strides(gp_plane *plane)
{
    if (plane->n_cols <= 1)
        plane->col_stride_bytes = gp_dtype_size_bytes(plane->dtype);
    if (plane->n_rows <= 1)
        plane->row_stride_bytes = 0;
}

gp_cuda_elements gp_cuda_elements_from(const gp_plane *plane)
{
    gp_plane plain = *plane;
    bool is_plain = make_plain(&plain);
    if (is_plain)
        settle_strides(&plain);
    is_plain = is_plain && is_readable(&plain);
    gp_cuda_elements elements = class_of_dtype(is_plain ? plain.dtype : GP_N_DTYPES, plane->n_stages > 0 || plane->scale != 0);
    elements.plane = is_plain ? plain : *plane;
    return elements;
}

gp_cuda_elements gp_cuda_elements_one_by_one(const gp_plane *plane)
{
    return (gp_cuda_elements){.kind = &one_class, .run_elems = 1, .plane = *plane};
}

/* Reverses axes of negative strides, where the order of elements does not matter. */
static void go_forward(gp_plane *plane, gp_positions *positions)
{
    if (plane->col_stride_bytes >= 0 || plane->n_cols < 1)
        return;
    plane->data = (const char *)plane->data + (plane->n_cols - 1) * plane->col_stride_bytes;
    plane->col_stride_bytes = -plane->col_stride_bytes;
    if (plane->mask != NULL)
        plane->mask += (plane->n_cols - 1) * plane->mask_col_stride_bytes;
    plane->mask_col_stride_bytes = -plane->mask_col_stride_bytes;
    positions->origin += (plane->n_cols - 1) * positions->col_step;
    positions->col_step = -positions->col_step;
}

static gp_cuda_elements arrange(const gp_plane *plane, gp_positions *positions)
{
    gp_plane turned = *plane;
    *positions = (gp_positions){.row_step = plane->n_cols, .col_step = 1};
    if (gp_plane_is_turned(plane)) {
        turned = gp_plane_transpose(plane);
        *positions = (gp_positions){.row_step = 1, .col_step = plane->n_cols};
    }
    go_forward(&turned, positions);
    return gp_cuda_elements_from(&turned);
}

/* Rows without gaps between them become one long row. */
static void join_rows(gp_plane *plane)
{
    if (plane->mask == NULL && plane->n_stages == 0 && plane->n_rows > 1 &&
        plane->row_stride_bytes == plane->n_cols * plane->col_stride_bytes)
        plane->n_cols *= plane->n_rows, plane->n_rows = 1, plane->row_stride_bytes = 0;
}

gp_cuda_elements gp_cuda_elements_in_any_order(const gp_plane *plane)
{
    gp_positions unused;
    gp_cuda_elements elements = arrange(plane, &unused);
    join_rows(&elements.plane);
    return elements;
}

gp_cuda_elements gp_cuda_elements_in_place(const gp_plane *plane, gp_positions *positions)
{
    gp_cuda_elements elements = arrange(plane, positions);
    if (positions->row_step == elements.plane.n_cols * positions->col_step)
        join_rows(&elements.plane);
    return elements;
}

/* ---- launches ------------------------------------------------------------------------------------------------------ */

/* The least number of elements of a block, smaller for the slow loader; the most is what 32-bit counters hold. */
enum { LEAST_ELEMS = 4096, LEAST_SLOW_ELEMS = 256, LOG2_MOST_ELEMS = 30 };

int64_t gp_cuda_blocks_through(const gp_cuda_device *device, const gp_cuda_elements *elements, int per_processor)
{
    int64_t n_elems = elements->plane.n_rows * elements->plane.n_cols;
    int64_t wanted = (int64_t)per_processor * gp_cuda_n_processors(device);
    int64_t per_block = elements->kind->size_bytes == 0 ? LEAST_SLOW_ELEMS : LEAST_ELEMS;
    int64_t useful = (n_elems + per_block - 1) / per_block, least = (n_elems >> LOG2_MOST_ELEMS) + 1;
    int64_t n_blocks = useful < wanted ? useful : wanted;
    return n_blocks > least ? n_blocks : least;
}

gp_status gp_cuda_launch_class(gp_cuda_device *device, const gp_cuda_elements *elements, const char *module, const char *kernel,
                               int64_t n_blocks, const void *args, gp_error *error)
{
    return gp_cuda_launch_parts(device, elements, module, kernel, n_blocks, 1, args, error);
}

gp_status gp_cuda_launch_parts(gp_cuda_device *device, const gp_cuda_elements *elements, const char *module, const char *kernel,
                               int64_t n_blocks, int64_t n_parts, const void *args, gp_error *error)
{
    char module_of_class[32], kernel_of_class[48];
    snprintf(module_of_class, sizeof module_of_class, "%s_%s", module, elements->kind->name);
    snprintf(kernel_of_class, sizeof kernel_of_class, "%s_%s", kernel, elements->kind->name);
    return gp_cuda_launch(device, module_of_class, kernel_of_class, n_blocks, n_parts, 1, GP_BLOCK_THREADS, args, error);
}

gp_status gp_cuda_launch_in_place(gp_cuda_device *device, const gp_plane *plane, const char *kernel, int blocks_per_processor,
                                  gp_plane *args, gp_positions *positions, gp_error *error)
{
    gp_cuda_elements elements = gp_cuda_elements_in_place(plane, positions);
    *args = elements.plane;
    return gp_cuda_launch_class(device, &elements, "summary", kernel,
                                gp_cuda_blocks_through(device, &elements, blocks_per_processor), args, error);
}
