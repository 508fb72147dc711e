/* gp_cuda_reduction: one reduction of a plane on a device, and its steps. */
#ifndef GP_CUDA_REDUCTION_H
#define GP_CUDA_REDUCTION_H

#include "../core/tensor/cells.h"
#include "../backend.h"
#include "element_class.h"
#include "limits.h"
#include "reduce_plan.h"

typedef struct gp_cuda_reduction {
    gp_plane whole;
    bool is_turned;
    const gp_cells *cells; /* NULL: partial results go to the host */
    gp_cuda_device *device;
    gp_cuda_elements elements;
    const gp_axis *rows, *cols; /* of the plane as it is read: columns are the dense direction */
    gp_axis distinct; /* rows without repetitions */
    int32_t *out_rows; /* where each of them begins in the output, and the end */
    gp_agg agg;
    gp_reduce_plan plan;
    gp_reduce_args args;
    const uint32_t *noted; /* NULL, or what kernels have written to args.needs, after the next wait */
    int64_t cell_rows_at_once;
} gp_cuda_reduction;

/* ---- cells (reduce_launch.c) --------------------------------------------------------------------------------------------- */

/* Uploads the geometry and queues kernels by a plan that is made for it; or a thread for each cell, where cells need no sums. */
gp_status gp_cuda_reduction_by_plan(gp_cuda_reduction *job, gp_error *error) GP_MUST_CHECK;
gp_status gp_cuda_reduction_single(gp_cuda_reduction *job, gp_error *error) GP_MUST_CHECK;

/* ---- what comes with them (reduce_limits.c) -------------------------------------------------------------------------------- */

/* Whether limits of elements are found on the way, which takes that every element is met. Counting takes a pass of its own, and
 * so do limits beside moments: colors of these come from cells, and the kernels for both would be a sixth of all code. */
bool gp_cuda_limits_are_fused(const gp_cuda_reduction *job, const gp_reduce_options *options);

/* Whether limits of cells are wanted; partial results are no cells yet. */
bool gp_cuda_asks_of_cells(const gp_cuda_reduction *job, const gp_reduce_options *options);

/* Whether color limits that are missing are found from limits of elements (where `has_elements`) and of cells. */
bool gp_cuda_searches_colors(const gp_cuda_reduction *job, const gp_reduce_options *options, bool has_elements);

/* Queues looks at what the reduction did not tell about elements and cells, and one copy of all that is known of them. */
gp_status gp_cuda_reduction_send(gp_cuda_reduction *job, gp_limits_found *found, bool is_apart, bool is_searched,
                                 const gp_reduce_options *options, const gp_limits_found **sent, gp_error *error) GP_MUST_CHECK;

/* Waits for that copy, and says what it comes to. */
gp_status gp_cuda_reduction_end(gp_cuda_reduction *job, const gp_limits_found *sent, bool is_apart,
                                const gp_reduce_options *options, gp_limits_state *limits, gp_error *error) GP_MUST_CHECK;

/* Pixels come before the limits are waited for, which were sent before them. colors: NULL, or limits on the device. */
gp_status gp_cuda_reduction_shade(const gp_cuda_reduction *job, gp_shading *shading, const gp_ends *colors,
                                  gp_error *error) GP_MUST_CHECK;

#endif
