/* The inner loops of coloring: a block of cells to positions in a table of colors, and positions to pixels. */
#ifndef GP_SHADE_LOOPS_H
#define GP_SHADE_LOOPS_H

#include "../../core/color/channels.h"
#include "../../core/color/threshold_table.h"
#include "level.h"

/* Most cells of a block: their positions stay in the first-level cache between the loops. */
#define GP_SHADE_BLOCK 256

/*
 * Positions of n <= GP_SHADE_BLOCK cells. Linear: 0 is under, 1 + row a color, n_colors + 1 the last color again,
 * n_colors + 2 over. Edges: the number of edges that are <= the cell. True if any cell is NaN or infinite: its position is
 * then any number in range, which the caller replaces.
 */
typedef struct gp_shade_loops {
    bool (*by_line)(const gp_scale *scale, const double *cells, int n, int32_t *positions);
    bool (*by_edges)(const gp_threshold_table *edges, const double *cells, int n, int32_t *positions);
    /* Replaces the positions of cells that are not numbers by first + GP_MARK_*. */
    void (*place_marks)(int32_t first, const double *cells, int n, int32_t *positions);
    void (*paint)(const uint32_t *colors, const int32_t *positions, int n, uint8_t *rgba);
    /* n <= GP_SHADE_BLOCK pixels from cell `at` on, of three channels: gp_channel_paint of each. False, without any effect,
     * if a cell is not finite or has its own alpha. */
    bool (*paint_channels)(const gp_channel_plan *plan, int64_t at, int n, uint8_t *rgba, double range[2]);
} gp_shade_loops;

/* The loops for this machine's level of vector instructions. */
const gp_shade_loops *gp_shade_loops_now(void);

#endif
