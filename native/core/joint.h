/* gp_joint: elements at the same place of several planes, counted by the bins of one or two of them, or added up there. */
#ifndef GP_JOINT_H
#define GP_JOINT_H

#include "moment.h"
#include "status.h"
#include "summary.h"
#include "view.h"

#define GP_MOST_JOINT_BINS ((int64_t)1 << 24)

/* Elements and the bins that they fall into; edges, n_bins and range as for the histogram of one plane. */
typedef struct gp_joint_side {
    const gp_plane *plane;
    const double *edges;
    int64_t n_bins;
    const gp_integer_range *range;
} gp_joint_side;

/* One or two sides. weights: NULL, or what each element counts; masked weights count nothing. Borrows everything. */
typedef struct gp_joint {
    gp_joint_side sides[2];
    int n_sides;
    const gp_plane *weights;
    gp_moment moment; /* {0}: weights themselves */
} gp_joint;

/* The bins of all sides together: bin i of the first and j of the second is number i * n_bins of the second + j. */
int64_t gp_joint_bins(const gp_joint *joint);

/* Fails where planes differ in shape or device, are not of stored real elements, or bins are none or too many. */
gp_status gp_joint_check(const gp_joint *joint, gp_error *error) GP_MUST_CHECK;

#endif
