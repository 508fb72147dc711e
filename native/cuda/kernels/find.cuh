/* The nearest element of a kind: blocks go through the plane in order and skip elements farther than the best so far. */
#ifndef GP_FIND_CUH
#define GP_FIND_CUH

#include "elements.cuh"
#include "summary_args.h"
#include "../../core/states/reductions.h"

struct gp_finding {
    const gp_find_args &args;

    GP_DEVICE void found(const gp_finding &f, int64_t distance)
    {
        if (distance >= 0 && (uint64_t)distance < *(volatile uint64_t *)f.args.nearest)
            atomicMin((unsigned long long *)f.args.nearest, (unsigned long long)distance);
    }
    /* Most searches are for what is not finite, which nearly all runs have none of. */
    GP_DEVICE bool whole(const gp_finding &f, const gp_run &run, int64_t, int64_t, int64_t)
    {
        gp_value x[GP_RUN_ELEMS];
        bool is_finite = (f.args.kinds & GP_HAS_FINITE) == 0;
        gp_run_values(run.words, (int)f.args.plane.dtype, x);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            is_finite = is_finite && gp_is_finite(x[k]);
        return is_finite;
    }
    GP_DEVICE void some(const gp_finding &f, const gp_run &run, uint32_t mask, int64_t row, int64_t col, int64_t step)
    {
        const gp_positions &p = f.args.distances;
        int64_t distance = p.origin + row * p.row_step + col * p.col_step, nearest = GP_NOWHERE;
        gp_value x[GP_RUN_ELEMS];
        gp_run_values(run.words, (int)f.args.plane.dtype, x);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++, distance += step * p.col_step)
            if ((mask >> k & 1) && (gp_class_of((double)x[k]) & f.args.kinds) && distance >= 0 && distance < nearest)
                nearest = distance;
        if (nearest != GP_NOWHERE)
            found(f, nearest);
    }
};

/* No element of the job is nearer than this. */
GP_DEVICE int64_t gp_least_distance(const gp_positions &p, const gp_visit_plan &plan, const gp_plane &plane, int64_t job)
{
    int64_t row_job = job / plan.run_jobs, run = (job - row_job * plan.run_jobs) * plan.runs_per_job;
    int64_t row0 = row_job * plan.rows_per_job, row1 = row0 + plan.rows_per_job - 1;
    int64_t col0 = (run - 1) * GP_RUN_ELEMS, col1 = (run + plan.runs_per_job) * GP_RUN_ELEMS - 1;
    row1 = row1 < plane.n_rows ? row1 : plane.n_rows - 1;
    col0 = col0 > 0 ? col0 : 0, col1 = col1 < plane.n_cols ? col1 : plane.n_cols - 1;
    return p.origin + (p.row_step < 0 ? row1 : row0) * p.row_step + (p.col_step < 0 ? col1 : col0) * p.col_step;
}

GP_DEVICE void gp_find_block(const gp_find_args &args)
{
    gp_visit_plan plan = gp_visit_plan_of(args.plane);
    gp_finding finding = {args};
    for (int64_t i = blockIdx.x; i < plan.n_jobs; i += gridDim.x) {
        int64_t job = args.is_backwards ? plan.n_jobs - 1 - i : i;
        int64_t least = gp_least_distance(args.distances, plan, args.plane, job);
        bool is_near = least < 0 || (uint64_t)least < *(volatile uint64_t *)args.nearest;
        if (is_near)
            gp_visit_job(args.plane, plan, job, finding);
        else if (args.is_in_order)
            return;
    }
}

#endif
