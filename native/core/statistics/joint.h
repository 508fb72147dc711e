/* gp_joint: elements at the same place of several planes, counted, or summed with weights, by the bins of one or two planes. */
#ifndef GP_JOINT_H
#define GP_JOINT_H

#include "moment.h"
#include "../base/status.h"
#include "summary.h"
#include "../tensor/view.h"

#define GP_MOST_JOINT_BINS ((int64_t)1 << 24)

/* A plane and its bins; edges, n_bins and range as for the histogram of one plane. */
typedef struct gp_joint_side {
    const gp_plane *plane;
    const double *edges;
    int64_t n_bins;
    const gp_integer_range *range;
} gp_joint_side;

/* One or two sides. weights: NULL, or a weight for each element; elements with masked weights are not counted. Borrows everything. */
typedef struct gp_joint {
    gp_joint_side sides[2];
    int n_sides;
    const gp_plane *weights;
    gp_moment moment; /* {0}: weights themselves */
} gp_joint;

/* The number of bins of all sides together; bin i of the first side and j of the second is number i * (n_bins of the second) + j. */
int64_t gp_joint_bins(const gp_joint *joint);

/* Fails if planes differ in shape or device, do not have stored real elements, or the number of bins is 0 or too large. */
gp_status gp_joint_check(const gp_joint *joint, gp_error *error) GP_MUST_CHECK;

#endif
