/* States of cells to values: blocks of them as arrays of each member, which vector instructions read. */
#include "finish_states.h"

#include "../../core/base/threads.h"
#include "../../core/grids/cell_states.h"
#include "states.h"

enum { BLOCK = 512, BLOCKS_PER_PIECE = 32, PIECE = BLOCK * BLOCKS_PER_PIECE };

typedef struct finishing {
    gp_agg agg;
    gp_nan nan;
    gp_order_type order;
    const gp_cell_state *states;
    int64_t n;
    double *out;
    const gp_folds *folds;
} finishing;

/* Copies states to arrays of their members; false where a cell has no elements, or scaled ones, which these cannot hold. */
static bool split(const gp_cell_state *states, int64_t n, gp_states to)
{
    uint64_t scaled = 0, empty = 0;
    for (int64_t i = 0; i < n; i++) {
        gp_states_put(to, i, &states[i]);
        scaled |= states[i].has;
        empty |= states[i].has - 1; /* the top bit tells zero */
    }
    return (scaled & (GP_IS_SCALED_DOWN | GP_IS_SCALED_UP)) == 0 && empty >> 63 == 0;
}

static gp_status finish_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    (void)worker, (void)error;
    const finishing *f = context;
    double a[BLOCK], b[BLOCK], c[BLOCK];
    uint8_t has[BLOCK];
    gp_states block = {a, b, c, has};
    int64_t stop = (piece + 1) * PIECE < f->n ? (piece + 1) * PIECE : f->n;
    for (int64_t first = piece * PIECE; first < stop; first += BLOCK) {
        int64_t n = stop - first < BLOCK ? stop - first : BLOCK;
        if (split(f->states + first, n, block))
            gp_states_finish(f->agg, f->nan, f->order, f->folds, block, n, f->out + first);
        else
            gp_cell_states_finish(f->agg, f->nan, f->order, f->states + first, n, f->out + first);
    }
    return GP_OK;
}

gp_status gp_finish_states(gp_agg agg, gp_nan nan, gp_order_type order, const gp_cell_state *states, int64_t n, double *out,
                           gp_error *error)
{
    finishing f = {agg, nan, order, states, n, out, gp_folds_here()};
    return gp_threads_run((n + PIECE - 1) / PIECE, gp_threads_for(n), finish_piece, &f, error);
}
