/* Which element class the kernels of a plane are compiled for, and the plane as they read it. */
#ifndef GP_CUDA_ELEMENTS_H
#define GP_CUDA_ELEMENTS_H

#include "runtime/handle.h"
#include "kernels/summary_args.h"

#include "../core/tensor/view.h"

/* The type by which select kernels order elements: integers, float32 or float64. */
typedef enum gp_cuda_keys { GP_KEYS_INTEGER, GP_KEYS_SINGLE, GP_KEYS_DOUBLE } gp_cuda_keys;

/* A class of elements. Its kernels are <kernel>_<name> in modules reduce_<name>, select_<name> and so on. */
typedef struct gp_cuda_class {
    const char *name;
    int size_bytes; /* of an element; 0 for computed ones: ONE, from one element of the tensor each, and ANY, also over hidden axes */
    bool is_float; /* elements may be NaN or infinite */
    gp_cuda_keys keys;
} gp_cuda_class;

typedef struct gp_cuda_elements {
    const gp_cuda_class *kind;
    int run_elems, run_bytes; /* elements that a thread loads at once, and their bytes; 1 and 0 for ONE and ANY */
    gp_plane plane; /* the plane as kernels read it: a complex part or an integer channel has become a plain plane */
} gp_cuda_elements;

/* The elements with rows and columns as in the plane; scaled ones are ANY. */
gp_cuda_elements gp_cuda_elements_from(const gp_plane *plane);

/* The elements one by one, for kernels of slices, which ANY does not have. */
gp_cuda_elements gp_cuda_elements_one_by_one(const gp_plane *plane);

/* The elements in any order, for results that do not depend on it: columns are the denser direction and have positive strides, and rows
 * without gaps are one long row. */
gp_cuda_elements gp_cuda_elements_in_any_order(const gp_plane *plane);

/* The same, with the positions of elements in the original plane, row * n_cols + col. */
gp_cuda_elements gp_cuda_elements_in_place(const gp_plane *plane, gp_positions *positions);

/* Queues n_blocks blocks of <kernel>_<class> of module <module>_<class>; args begin with the plane. */
gp_status gp_cuda_launch_class(gp_cuda_device *device, const gp_cuda_elements *elements, const char *module, const char *kernel,
                               int64_t n_blocks, const void *args, gp_error *error) GP_MUST_CHECK;

/* The same with n_blocks blocks for each of n_parts parts, numbered by blockIdx.y. */
gp_status gp_cuda_launch_parts(gp_cuda_device *device, const gp_cuda_elements *elements, const char *module, const char *kernel,
                               int64_t n_blocks, int64_t n_parts, const void *args, gp_error *error) GP_MUST_CHECK;

/* Queues a kernel of module summary_<class> on all elements of a plane. args begin with the plane, which is set here, as positions are. */
gp_status gp_cuda_launch_in_place(gp_cuda_device *device, const gp_plane *plane, const char *kernel, int blocks_per_processor,
                                  gp_plane *args, gp_positions *positions, gp_error *error) GP_MUST_CHECK;

/* The number of blocks for a pass over all elements: a given number for each multiprocessor, fewer if each would have little work, and
 * more if a block would have 2^30 elements or more. */
int64_t gp_cuda_blocks_through(const gp_cuda_device *device, const gp_cuda_elements *elements, int per_processor);

#endif
