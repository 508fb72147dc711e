/*
 * The native layer of gpuplot, as the Python binding sees it.
 *
 * tensor.h   borrow memory of another library      gp_tensor_from_dlpack, gp_tensor_release
 * view.h     choose the 2-D plane of an N-D tensor gp_plane_from, gp_plane_crop
 * grid.h     fit cells to elements along one axis  gp_axis_fit, gp_axis_fit_edges, gp_axis_free
 * backend.h  the operations of a device            reduce, limits, percentiles, summarize, histogram, find, shade, gather
 * summary.h  counts, extremes, moments of elements gp_summary, and checks of arguments
 * style.h    how a cell becomes a color
 * png_encoder.h  pixels to a file in memory        gp_png_encode
 * threads.h  the pool of the CPU backend           gp_threads_limit
 * status.h   errors
 *
 * Conventions: `{0}` is a valid empty object of every type; *_free accepts it and may be called twice; an `out` is
 * written only on success, unless a comment says otherwise; everything passed in is borrowed for the call; functions may
 * be called from any thread without a lock as long as no two write the same object.
 */
#ifndef GPUPLOT_H
#define GPUPLOT_H

#include "../backend.h"
#include "../png/png_encoder.h"
#include "../paint.h"
#include "../repeats.h"
#include "../core/base/threads.h"

#endif
