/* gp_reduce_job: one reduction of a plane from its pieces to its cells. */
#ifndef GP_REDUCE_JOB_H
#define GP_REDUCE_JOB_H

#include "backend.h"
#include "plan.h"
#include "reduce_channels.h"
#include "reduction.h"

typedef struct gp_reduce_job {
    gp_reduction reductions[2]; /* under the policy of the cells, and where hidden axes split NaN, without it */
    int n_targets;              /* how many of these there are */
    gp_reduction unmasked; /* of a plane with a mask: the first one, for tiles in which nothing is masked, read as without it */
    bool has_unmasked;
    gp_plan plan;
    bool is_whole;         /* no piece cuts a cell, and tiles of whole cells can be reduced at once */
    gp_scratch *scratches; /* n_targets per thread */
    gp_states partial[2];  /* of all pieces, where pieces cut cells */
    void *partial_memory;
    gp_axis distinct; /* rows without repetitions */
    int32_t *out_rows; /* where each of them begins in the output, and the end */
    gp_nan nan;                /* the policy of the cells */
    double *out, *without_nan; /* the values of cells, and NULL or those of cells that NaN marks without it; or */
    gp_cell_state *out_states; /* their partial results; the other one is NULL */
    bool has_nan;              /* without_nan is written */
    unsigned needs; /* scales (GP_NEEDS_*) of elements, for cells whose sums or squares were out of the range of float64 */
} gp_reduce_job;

/* Goes through all pieces of jobs that have the same axes and aggregation, joins what several pieces share, and finishes cells. */
gp_status gp_reduce_pieces(gp_reduce_job *jobs, int n_jobs, int n_threads, gp_error *error) GP_MUST_CHECK;

/* The job's distinct rows in the direction of growing index. *has_limits: the limits were found on the way. */
gp_status gp_reduce_distinct(gp_reduce_job *job, const gp_plane *plane, const gp_axis *cols, const gp_reduce_options *options,
                             gp_limits_state *limits, bool *has_limits, gp_error *error) GP_MUST_CHECK;

/* All cells in the direction of growing index. */
gp_status gp_reduce_upright(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                            gp_reduce_job *job, gp_limits_state *limits, bool *has_limits, gp_error *error) GP_MUST_CHECK;

/* The same of several planes of one layout, each row of cells of all of them before the next one: they share the memory that they read. */
gp_status gp_reduce_together(const gp_plane *planes, int n, const gp_axis *rows, const gp_axis *cols,
                             const gp_reduce_options *options, gp_reduce_job *jobs, gp_error *error) GP_MUST_CHECK;

#endif
