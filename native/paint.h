/* Elements to pixels: bands of rows of cells are reduced and colored while they are in the caches, and not kept. */
#ifndef GP_PAINT_H
#define GP_PAINT_H

#include "resample.h"

/*
 * What backend->shade makes of what gp_plane_reduce gives, or with weights (`how`, else NULL) gp_plane_resample. The style must not
 * need all cells at once: a norm of ranks is an error.
 * limits: what `want`, GP_WANT_* bits, asks for of all cells; NULL where that is 0.
 */
gp_status gp_plane_paint(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                         const gp_reduce_options *options, const gp_resampling *how, const gp_style *style, gp_pixels *out,
                         unsigned want, gp_limits_state *limits, gp_error *error) GP_MUST_CHECK;

#endif
