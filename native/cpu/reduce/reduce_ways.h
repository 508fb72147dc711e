/* The ways in which elements become cells: by columns, by tiles of whole cells, element by element, and one element each. */
#ifndef GP_REDUCE_WAYS_H
#define GP_REDUCE_WAYS_H

#include "reduction.h"

/* Reduces a strip by columns, and joins to states[i] of each target for cell0 + i. */
void gp_reduce_strip(const gp_reduce_target *targets, int n_targets, const gp_strip *strip);

/* Whether cells that no piece cuts can be reduced without states. */
bool gp_can_reduce_tiles(const gp_reduction *job);

/* The end of the cells from cell0 on, one at least, that make a tile of n_rows: what the nearest cache holds. */
int64_t gp_tile_end(const gp_reduction *job, int64_t n_rows, int64_t cell0, int64_t cell1);

/* The values of cells that lie in the tile as a whole, as gp_box_values. False, and nothing of use, where states have to tell them
 * apart, here or in the tile before. */
bool gp_reduce_tile(const gp_reduction *job, gp_scratch *scratch, const gp_strip *tile, double *out, double *without_nan);

/* The states of such cells, as gp_box_states; false as well for other aggregations. */
bool gp_reduce_tile_states(const gp_reduction *job, gp_scratch *scratch, const gp_strip *tile, gp_states states);

/* A strip element by element, whatever the elements are. */
void gp_reduce_careful(const gp_reduction *job, gp_scratch *scratch, const gp_strip *strip, gp_states states);

/* agg 'nearest': rows of cells q0..q1 straight to the output of each target. */
void gp_reduce_nearest(const gp_reduce_target *targets, int n_targets, int64_t q0, int64_t q1, double *const *outs);

#endif
