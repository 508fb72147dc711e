/* Points to cells: kernels that read elements, which find the cells of coordinates and add values to them. */
#ifndef GP_BIN_POINTS_CUH
#define GP_BIN_POINTS_CUH

#include "bin_points_args.h"
#include "elements.cuh"

/* A visit that calls Take::take(args, value, position) for every element. */
template <class Take, class Args> struct gp_visit_positions {
    const Args &args;

    GP_DEVICE bool whole(const gp_visit_positions &v, const gp_run &run, int64_t row, int64_t col, int64_t step)
    {
        some(v, run, (uint32_t)GP_ALL_ELEMS, row, col, step);
        return true;
    }
    GP_DEVICE void some(const gp_visit_positions &v, const gp_run &run, uint32_t mask, int64_t row, int64_t col, int64_t step)
    {
        const gp_positions &p = v.args.positions;
        int64_t position = p.origin + row * p.row_step + col * p.col_step;
        gp_value values[GP_RUN_ELEMS];
        gp_run_values(run.words, (int)v.args.plane.dtype, values);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++, position += step * p.col_step)
            if (mask >> k & 1)
                Take::take(v.args, (double)values[k], position);
    }
};

template <class Take, class Args> GP_DEVICE void gp_visit_in_place(const Args &args)
{
    gp_visit_plan plan = gp_visit_plan_of(args.plane);
    gp_visit_positions<Take, Args> visit = {args};
    for (int64_t job = blockIdx.x; job < plan.n_jobs; job += gridDim.x)
        gp_visit_job(args.plane, plan, job, visit);
}

struct gp_placing {
    GP_DEVICE void take(const gp_place_points_args &args, double x, int64_t position)
    {
        uint32_t cell = gp_point_cell(&args.axis, x), other = args.is_first ? 0 : args.cells[position];
        args.cells[position] = cell == GP_NO_CELL || other == GP_NO_CELL ? GP_NO_CELL : cell * args.step + other;
    }
};

struct gp_adding {
    GP_DEVICE void take(const gp_add_points_args &args, double x, int64_t position)
    {
        uint32_t cell = args.cells[position], kind = gp_class_of(x);
        if (cell == GP_NO_CELL)
            return;
        gp_cell_state *sums = &args.sums[cell];
        if (((unsigned)*(volatile uint64_t *)&sums->has & kind) == 0)
            atomicOr((unsigned *)&sums->has, kind); /* the lower half comes first */
        if (kind == GP_HAS_FINITE)
            add(args, *sums, x);
    }
    GP_DEVICE void add(const gp_add_points_args &args, gp_cell_state &sums, double x)
    {
        if (args.kind == GP_STATE_EXTREMES) {
            uint64_t key = gp_point_key(x);
            atomicMax((unsigned long long *)&sums.a, (unsigned long long)~key);
            atomicMax((unsigned long long *)&sums.b, (unsigned long long)key);
        } else if (args.kind == GP_STATE_MOMENTS) {
            double away = x - *(volatile double *)&sums.a;
            atomicAdd(&sums.c, away * away);
        } else {
            atomicAdd(&sums.a, x), atomicAdd(&sums.b, 1.0);
        }
    }
};

#endif
