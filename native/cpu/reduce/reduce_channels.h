/* The channels of colors in host memory to cells, by one look at each part of the memory that they share. */
#ifndef GP_REDUCE_CHANNELS_H
#define GP_REDUCE_CHANNELS_H

#include "../../backend.h"

/* Planes that may be reduced at once. */
enum { GP_MAX_CHANNELS = 4 };

/* Whether elements of one place of all planes lie between two elements of a row, so that planes reduced together read memory once. */
bool gp_cpu_share_memory(const gp_plane *planes, int n);

/*
 * As gp_cpu_reduce of each of the planes that share memory, with the same bits. without_nan: of each plane NULL or where cells go that
 * NaN is left out of. Of the options only agg and nan are used.
 */
gp_status gp_cpu_reduce_channels(const gp_plane *planes, int n, const gp_axis *rows, const gp_axis *cols,
                                 const gp_reduce_options *options, gp_cells *const *outs, gp_cells *const *without_nan,
                                 gp_error *error) GP_MUST_CHECK;

#endif
