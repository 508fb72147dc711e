/* Arguments of the kernels of joint.cu: the planes that are read together, and the bins of each side. */
#ifndef GP_JOINT_ARGS_H
#define GP_JOINT_ARGS_H

#include "stored_elems.h"
#include "../../core/statistics/moment.h"

/*
 * Elements in low..high count; of 64-bit integers, where has_exact says so, those that are as well in low_exact..high_exact, compared
 * as they are stored with the sign of unsigned ones turned round. is_even: (x - first) * scale is less than a bin from the truth.
 */
typedef struct gp_joint_bins_of {
    gp_stored_elems elems;
    const double *edges; /* n_bins + 1 */
    int32_t n_bins;
    bool is_even, has_exact;
    double low, high, first, scale;
    int64_t low_exact, high_exact;
} gp_joint_bins_of;

/* Elements are numbered along rows. */
typedef struct gp_joint_args {
    gp_joint_bins_of sides[2];
    int32_t n_sides, log2_slots;
    int64_t n_elems, n_cols, n_bins; /* n_bins: of all sides together */
    uint64_t *counts;                /* n_bins, zero at first; with weights one: how many elements are in a bin */
    gp_stored_elems weights;
    gp_moment moment;
    double *tables; /* n_bins of each team, zero at first: with weights */
    int64_t n_teams;
} gp_joint_args;

/* Counters in a block's shared memory; with more bins than these all blocks count in `counts`. */
#define GP_JOINT_COUNTERS 8192

#endif
