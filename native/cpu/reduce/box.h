/* A box of elements: what fits the column arrays of one thread, reduced rows first and then along x. */
#ifndef GP_BOX_H
#define GP_BOX_H

#include "reduction.h"
#include "../../core/base/threads.h"

typedef struct gp_box {
    const gp_reduction *job;
    gp_scratch *scratch;
    const gp_span *row_span, *col_spans; /* of the row of cells; of each cell */
    int64_t n_cells;
    int64_t row0, row1, col0, col1;
    int64_t inner0, inner1; /* rows of weight 1 (for extremes all rows); at most one more on each side */
    gp_fold fold;           /* of its columns to its cells */
    bool is_passing;        /* the spans do not outlive the box */
    bool has_border;        /* a column belongs to two cells: for moments, which need a shift per cell */
    gp_range range;         /* of the inner rows, where sums read them */
} gp_box;

/* A box of rows row0..row1 and columns col0..col1 (at most chunk_elems). */
gp_box gp_box_from(const gp_reduction *job, gp_scratch *scratch, const gp_span *row_span, const gp_span *col_spans,
                   int64_t n_cells, const int64_t row_col_bounds[4]);

static inline int64_t gp_box_n_cols(const gp_box *box) { return box->col1 - box->col0; }

/* One row of the box, in buffer number `slot`. */
const void *gp_box_row(const gp_box *box, int64_t row, int slot);

/* Rows from `row` on, before `end`: as many as there are buffers for, or pointers to what is in place. */
#define GP_BOX_MAX_ROWS 64
int gp_box_rows(const gp_box *box, int64_t row, int64_t end, const void *rows[GP_BOX_MAX_ROWS]);

/* Elements to the columns of the scratch: sums in 0, or extremes in 0 and 1, or moments about 2 in 0 and 1 with those of
 * border columns in cells 1 and 2. False if extremes met an element that is not finite: the columns are then worthless. */
bool gp_box_add(gp_box *box);

/* Columns to states, overwritten. */
void gp_box_fold(gp_box *box, bool is_finite, gp_states out);

/* Cells cell0..cell1 element by element, or cell p of sums or moments by itself: kinds of elements apart, finite ones in states. */
void gp_box_reduce_carefully(const gp_box *box, int64_t cell0, int64_t cell1, gp_states out);
void gp_box_reduce_cell(const gp_box *box, int64_t p, gp_states out);

/* Both, and limits of owned elements. */
void gp_box_reduce(gp_box *box, gp_states out);

/* The means of columns in 0, their squared deviations from these in 1; 2 is lost. */
void gp_box_find_column_moments(const gp_box *box);

/*
 * The values of cells that lie in the box as a whole, and facts. Where NaN marks some, `without_nan` (unless it is NULL) has what all
 * come to without it, and *has_nan is set. False, and nothing of use in either, where an element is infinite or masked, a sum beyond
 * float64, or NaN takes more than that.
 */
bool gp_box_values(gp_box *box, double *out, double *without_nan, bool *has_nan);

/* The states of cells that lie in the box as a whole, for means, sums and spreads. False, and nothing of use, where an element is not
 * finite. */
bool gp_box_states(gp_box *box, gp_states out);

/* Whether there are values without states of such cells. */
bool gp_box_has_values(const gp_reduction *job);

/* The long runs of a few rows of wide cells, joined to states. */
void gp_reduce_runs(const gp_reduction *job, gp_scratch *scratch, const gp_strip *strip, gp_states states);

static inline bool gp_box_is(const gp_box *box, gp_state_kind kind) { return box->job->kind == kind; }

/* Which columns of extremes an aggregation needs. */
static inline bool gp_box_wants_lo(const gp_box *box) { return box->job->agg != GP_AGG_MAX; }
static inline bool gp_box_wants_hi(const gp_box *box) { return box->job->agg != GP_AGG_MIN; }

/* The columns of cell p that lie in the box, counted from col0. */
static inline void gp_box_cell(const gp_box *box, int64_t p, int64_t *begin, int64_t *end)
{
    const gp_span *span = &box->col_spans[p];
    *begin = (span->touched_begin > box->col0 ? span->touched_begin : box->col0) - box->col0;
    *end = (span->touched_end < box->col1 ? span->touched_end : box->col1) - box->col0;
}

/* For loops over rows: whether to give up because the user pressed Ctrl-C or another piece failed. Asked once in 64
 * passes, since a pass over a narrow box takes no longer than the question. */
static inline bool gp_box_is_stopped(int *n_passes) { return (++*n_passes & 63) == 0 && gp_threads_is_stopped(); }

/* Whether so many cells are not finite that it is better to look at all elements at once, which spreads take two looks for. */
static inline bool gp_box_are_many(const gp_box *box, int64_t n_bad)
{
    return n_bad * (gp_box_is(box, GP_STATE_MOMENTS) ? 12 : 32) > box->n_cells;
}

static inline double gp_box_row_weight(const gp_box *box) { return gp_span_weight_of(box->row_span, box->row0, box->row1); }

/* Columns to cells by the weights along x. */
static inline void gp_box_fold_sums(const gp_box *box, const double *columns, const double *border, double *out)
{
    box->job->folds->sums(&box->fold, columns, border, out);
}

static inline int64_t gp_box_count_not_finite(const double *x, int64_t n)
{
    int64_t n_bad = 0;
    for (int64_t i = 0; i < n; i++)
        n_bad += x[i] - x[i] != 0;
    return n_bad;
}

#endif
