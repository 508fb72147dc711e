/* How a reduction is cut into pieces, and what the partial results of cells are. */
#ifndef GP_REDUCE_H
#define GP_REDUCE_H

#include "cpu.h"
#include "loops.h"
#include "rows_kept.h"

#include "../core/cell_state.h"

/* The partial results of consecutive cells (gp_cell_state), an array for each member. Where NaN is among the bits of `has` others may
 * be missing, and sums are those of all elements, unless the policy asks which kinds there are. */
typedef struct gp_states {
    double *a, *b, *c;
    uint8_t *has;
} gp_states;

/* A box of elements whose results belong to cell row q and to cells cell0..cell1; cells may reach beyond the box. */
typedef struct gp_strip {
    int64_t q, row0, row1, col0, col1, cell0, cell1;
} gp_strip;

typedef struct gp_reduction {
    gp_rows rows;
    const gp_loops *loops;
    const gp_folds *folds;
    const gp_axis *row_axis, *col_axis;
    gp_cell_columns cell_columns; /* of col_axis; owned */
    double *col_weights; /* of each of its cells the sum of the weights along x; NULL where all have one width; owned */
    gp_agg agg;
    gp_state_kind kind;  /* of agg */
    gp_order_type order; /* of extremes */
    gp_nan nan; /* what states tell apart; INFINITE: all kinds, and finite elements by themselves */
    unsigned want;       /* GP_WANT_RANGE, GP_WANT_POSITIVE: limits of owned elements on the way */
    int64_t chunk_elems; /* columns are taken in chunks of at most so many */
    int64_t most_rows;   /* and rows, where these are kept */
    bool leaves_out_nan; /* of the rows that are kept, those without NaN are reduced */
} gp_reduction;

/* Working memory of one thread. */
typedef struct gp_scratch {
    void *packed;      /* rows that are not read in place: GP_MAX_PASS_ROWS of them */
    void *row_scratch; /* of gp_rows_get */
    gp_kept_rows
        *kept; /* NULL, or of a plane with hidden axes the rows of the box that is reduced; two scratches may share them */
    double *values;    /* one row as float64 */
    double *columns[4]; /* of chunk_elems each: sums, second sums or weights, shifts; extremes */
    double *cells[4];  /* of n_cells each */
    int64_t *border_cols;
    const gp_span *weights_spans; /* cells[3] holds the weights along x of these cells in these columns */
    int64_t weights_n_cells, weights_col0, weights_col1;
    gp_states states, part; /* of one strip; of one chunk of it */
    gp_limits_state limits; /* of everything that this thread has read */
    bool has_nan;      /* among the cells that this thread has finished, where that is asked */
    bool expects_states; /* the tile before, of the same piece, held elements that states have to tell apart */
    bool expects_bad;  /* the box before, of the same piece, held elements that are not finite */
    void *memory;      /* all of the above */
} gp_scratch;

/* Elements col..col+n of a row: kept ones, or loaded to buffer number `slot`. */
static inline const void *gp_reduction_row(const gp_reduction *job, gp_scratch *scratch, int64_t row, int64_t col, int64_t n,
                                           int slot)
{
    const void *kept = scratch->kept != NULL ? gp_rows_kept(scratch->kept, job->leaves_out_nan, row, col, n) : NULL;
    char *buffer = scratch->packed;
    if (job->rows.source != GP_ROWS_IN_PLACE)
        buffer += (int64_t)slot * job->chunk_elems * job->rows.item_bytes;
    return kept != NULL ? kept : gp_rows_get(&job->rows, row, col, n, buffer, scratch->row_scratch);
}

/* Works out the rows of a box before they are read, of a plane with hidden axes. */
static inline void gp_reduction_keep(const gp_reduction *job, gp_scratch *scratch, const int64_t row_col_bounds[4])
{
    if (scratch->kept != NULL)
        gp_rows_keep(&job->rows, scratch->kept, row_col_bounds, scratch->row_scratch);
}

/*
 * One of the results that a look at elements has: cells under the policy, or what they are without NaN. The second one is there for
 * planes with hidden axes, where an element itself is another one without NaN; both read the same rows that are kept.
 */
typedef struct gp_reduce_target {
    const gp_reduction *job;
    gp_scratch *scratch;
    gp_states states;
} gp_reduce_target;

static inline gp_cell_state gp_states_get(gp_states states, int64_t i)
{
    return (gp_cell_state){states.a[i], states.b[i], states.c[i], states.has[i]};
}

static inline void gp_states_put(gp_states states, int64_t i, const gp_cell_state *state)
{
    states.a[i] = state->a, states.b[i] = state->b, states.c[i] = state->c, states.has[i] = (uint8_t)state->has;
}

/* Resets the states of n cells to those of nothing. */
void gp_states_reset(gp_state_kind kind, gp_states states, int64_t n);

/* The states of n cells beginning at `first`. */
static inline gp_states gp_states_at(gp_states states, int64_t first)
{
    return (gp_states){states.a + first, states.b + first, states.c + first, states.has + first};
}

/* Joins states from[0..n] to to[0..n]; the order of joins is what makes results repeatable. */
void gp_states_join(gp_state_kind kind, gp_states to, gp_states from, int64_t n);

/* The values of n cells under a policy, of whose kinds of element the states know. */
void gp_states_finish(const gp_reduction *job, gp_nan nan, gp_states states, int64_t n, double *out);

/* The weight of element i in a span that it touches. */
static inline double gp_span_weight(const gp_span *span, int64_t i)
{
    return i == span->touched_begin ? span->w_first : i == span->touched_end - 1 ? span->w_last : 1.0;
}

/* The sum of the weights of elements begin..end of a span. */
static inline double gp_span_weight_of(const gp_span *span, int64_t begin, int64_t end)
{
    double weight = 0;
    if (begin < span->touched_begin)
        begin = span->touched_begin;
    if (end > span->touched_end)
        end = span->touched_end;
    if (begin < end && begin == span->touched_begin)
        weight += span->w_first, begin++;
    if (begin < end && end == span->touched_end)
        weight += span->w_last, end--;
    return begin < end ? weight + (double)(end - begin) : weight;
}

/* Reduces a strip by columns, and joins to states[i] of each target for cell0 + i. */
void gp_reduce_strip(const gp_reduce_target *targets, int n_targets, const gp_strip *strip);

/* Whether cells that no piece cuts can be reduced without states. */
bool gp_can_reduce_tiles(const gp_reduction *job);

/* The end of the cells from cell0 on, one at least, that make a tile of n_rows: what the nearest cache holds. */
int64_t gp_tile_end(const gp_reduction *job, int64_t n_rows, int64_t cell0, int64_t cell1);

/* The values of cells that lie in the tile as a whole, as gp_box_values. False, and nothing of use, where states have to tell them
 * apart, here or in the tile before. */
bool gp_reduce_tile(const gp_reduction *job, gp_scratch *scratch, const gp_strip *tile, double *out, double *without_nan);

/* The same element by element, whatever the elements are. */
void gp_reduce_careful(const gp_reduction *job, gp_scratch *scratch, const gp_strip *strip, gp_states states);

/* agg 'nearest': rows of cells q0..q1 straight to the output of each target. */
void gp_reduce_nearest(const gp_reduce_target *targets, int n_targets, int64_t q0, int64_t q1, double *const *outs);

#endif
