/* Checks that the elements of several planes can be counted together. */
#include "joint.h"

int64_t gp_joint_bins(const gp_joint *joint)
{
    return joint->sides[0].n_bins * (joint->n_sides > 1 ? joint->sides[1].n_bins : 1);
}

static gp_status check_plane(const gp_plane *plane, const gp_plane *first, gp_error *error)
{
    if (plane->n_rows != first->n_rows || plane->n_cols != first->n_cols)
        return gp_fail(error, GP_ERR_VALUE, "planes of %lld x %lld and of %lld x %lld elements are not counted together",
                       (long long)first->n_rows, (long long)first->n_cols, (long long)plane->n_rows, (long long)plane->n_cols);
    if (!gp_device_is_same(plane->device, first->device))
        return gp_fail(error, GP_ERR_VALUE,
                       "planes on two devices are not counted together: copy one of them to the other's device");
    if (plane->component != GP_COMPONENT_VALUE || plane->n_stages > 0 || gp_dtype_is_complex(plane->dtype) ||
        gp_plane_repeats(plane) > 1)
        return gp_fail(error, GP_ERR_VALUE, "planes are counted together where their elements are stored real numbers");
    return GP_OK;
}

gp_status gp_joint_check(const gp_joint *joint, gp_error *error)
{
    const gp_plane *first = joint->sides[0].plane;
    if (joint->n_sides < 1 || joint->n_sides > 2)
        return gp_fail(error, GP_ERR_VALUE, "%d sides; elements are counted by the bins of one or two planes", joint->n_sides);
    for (int i = 0; i < joint->n_sides; i++) {
        const gp_joint_side *side = &joint->sides[i];
        GP_TRY(check_plane(side->plane, first, error));
        GP_TRY(gp_histogram_check(side->plane, side->edges, side->n_bins, side->range, error));
    }
    if (joint->weights != NULL)
        GP_TRY(check_plane(joint->weights, first, error));
    if (gp_joint_bins(joint) > GP_MOST_JOINT_BINS)
        return gp_fail(error, GP_ERR_VALUE, "%lld bins; there are at most %lld of two planes together, and of weights",
                       (long long)gp_joint_bins(joint), (long long)GP_MOST_JOINT_BINS);
    return GP_OK;
}
