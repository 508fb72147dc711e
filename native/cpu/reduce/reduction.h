/* gp_reduction, which all threads of a reduction read, and gp_scratch, the working memory of each. */
#ifndef GP_REDUCTION_H
#define GP_REDUCTION_H

#include "read/kept_rows.h"
#include "states.h"

/* A box of elements whose results belong to cell row q and to cells cell0..cell1; cells may reach beyond the box. */
typedef struct gp_strip {
    int64_t q, row0, row1, col0, col1, cell0, cell1;
} gp_strip;

typedef struct gp_reduction {
    gp_row_reader rows;
    const gp_loops *loops;
    const gp_folds *folds;
    const gp_axis *row_axis, *col_axis;
    bool is_one_to_one; /* each cell along col_axis is one element, as it is */
    gp_cell_columns cell_columns; /* of col_axis, where cells are not elements; owned */
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

/* The column arrays of a scratch hold at least so many values: narrow rows are taken several at a time. */
#define GP_SUPER_ROW 4096

/* Working memory of one thread. */
typedef struct gp_scratch {
    void *packed;      /* rows that are not read in place: GP_MAX_CELL_ROWS of them */
    void *row_scratch; /* of gp_row_reader_get */
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
    unsigned needs; /* scales (GP_NEEDS_*) of elements for cells that this thread has finished, and that are not right without */
    bool expects_states; /* the tile before, of the same piece, held elements that states have to tell apart */
    bool expects_bad; /* the box before, of the same piece, held elements that are not finite */
    bool unmasked_states, unmasked_bad; /* the same two of tiles that are read as without a mask, while they are not reduced */
    void *memory; /* all of the above */
} gp_scratch;

/* For each of n threads one for each target, which share the rows that are kept; freed as n * n_targets of them. */
gp_status gp_scratches_alloc(const gp_reduction *reductions, int n_targets, int64_t n_cells, int n, gp_scratch **out,
                             gp_error *error) GP_MUST_CHECK;
void gp_scratches_free(gp_scratch *scratches, int n);

/* Whether rows take many reads each. */
static inline bool gp_reduction_keeps_rows(const gp_reduction *job) { return job->rows.plane.n_stages > 0; }

/* Elements col..col+n of a row: kept ones, or loaded to buffer number `slot`. */
static inline const void *gp_reduction_row(const gp_reduction *job, gp_scratch *scratch, int64_t row, int64_t col, int64_t n,
                                           int slot)
{
    const void *kept = scratch->kept != NULL ? gp_kept_rows_at(scratch->kept, job->leaves_out_nan, row, col, n) : NULL;
    char *buffer = scratch->packed;
    if (job->rows.source != GP_ROWS_IN_PLACE)
        buffer += (int64_t)slot * job->chunk_elems * job->rows.item_bytes;
    return kept != NULL ? kept : gp_row_reader_get(&job->rows, row, col, n, buffer, scratch->row_scratch);
}

/* Works out the rows of a box before they are read, of a plane with hidden axes. */
static inline void gp_reduction_keep(const gp_reduction *job, gp_scratch *scratch, const int64_t row_col_bounds[4])
{
    if (scratch->kept != NULL)
        gp_kept_rows_fill(&job->rows, scratch->kept, row_col_bounds, scratch->row_scratch);
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

#endif
