/* The addresses and strides of slices, from the axes of a tensor. */
#include "slices.h"

#include "../base/arithmetic.h"
#include "percentiles.h"

/* Whether the inner axis ends where the next step of the outer one begins: in memory, in the mask, and in the numbering. */
static bool is_around(const gp_slice_axis *outer, const gp_slice_axis *inner, bool is_masked)
{
    int64_t whole, mask_whole;
    return !__builtin_mul_overflow(inner->size, inner->stride_bytes, &whole) && whole == outer->stride_bytes &&
           inner->size * inner->step == outer->step &&
           (!is_masked || (!__builtin_mul_overflow(inner->size, inner->mask_stride_bytes, &mask_whole) &&
                           mask_whole == outer->mask_stride_bytes));
}

static void add_inner(gp_slice_axis *axes, int *n_axes, gp_slice_axis axis, bool is_masked)
{
    if (*n_axes > 0 && is_around(&axes[*n_axes - 1], &axis, is_masked)) {
        axis.size *= axes[*n_axes - 1].size;
        axes[*n_axes - 1] = axis;
    } else {
        axes[(*n_axes)++] = axis;
    }
}

static bool has_no_elems(const gp_slice_use *uses, int n_dims)
{
    for (int i = 0; i < n_dims; i++)
        if (uses[i].size == 0)
            return true;
    return false;
}

/* Computes steps from the innermost axis outward. Without elements strides may have any size and are not used. */
static gp_status set_steps(const gp_tensor *tensor, const gp_slice_use *uses, gp_slice_axis *axes, gp_slices *slices,
                           gp_error *error)
{
    bool is_beyond = false, is_empty = has_no_elems(uses, tensor->n_dims);
    slices->n_slices = slices->n_elems = 1;
    for (int i = tensor->n_dims - 1; i >= 0; i--) {
        int64_t *n = uses[i].is_between ? &slices->n_slices : &slices->n_elems,
                step = uses[i].size > 1 && !is_empty ? uses[i].step : 0;
        axes[i] = (gp_slice_axis){uses[i].size, step * tensor->strides_bytes[i],
                                  tensor->mask != NULL ? step * tensor->mask_strides_bytes[i] : 0, *n};
        is_beyond |= __builtin_mul_overflow(*n, uses[i].size, n);
    }
    int64_t n_all;
    if (is_beyond || __builtin_mul_overflow(slices->n_slices, slices->n_elems, &n_all))
        return gp_fail(error, GP_ERR_OVERFLOW, "slices with more elements than an int64 can count");
    return GP_OK;
}

/* Sorts axes by descending stride; axes of equal strides stay in their order. */
static void sort_inside(gp_slices *slices)
{
    slices->is_in_order = true;
    for (int i = 1; i < slices->n_inside; i++) {
        gp_slice_axis axis = slices->inside[i];
        int at = i;
        for (; at > 0 && gp_absolute(slices->inside[at - 1].stride_bytes) < gp_absolute(axis.stride_bytes); at--)
            slices->inside[at] = slices->inside[at - 1];
        slices->is_in_order &= at == i;
        slices->inside[at] = axis;
    }
}

/* Moves the axis of the smallest stride to the end; the others stay in their order. */
static void order_between(gp_slices *slices)
{
    int n = slices->n_between, near = n - 1;
    for (int i = n - 1; i >= 0; i--)
        near = gp_absolute(slices->between[i].stride_bytes) < gp_absolute(slices->between[near].stride_bytes) ? i : near;
    for (int i = near; i + 1 < n; i++) {
        gp_slice_axis axis = slices->between[i];
        slices->between[i] = slices->between[i + 1], slices->between[i + 1] = axis;
    }
}

/* A plane of the first element, or one without an address if there are no elements. */
static gp_status first_element(const gp_tensor *tensor, const gp_slice_use *uses, gp_component component, bool is_empty,
                               gp_plane *out, gp_error *error)
{
    gp_axis_use first[GP_MAX_NDIM];
    for (int i = 0; i < tensor->n_dims; i++)
        first[i] = (gp_axis_use){GP_ROLE_FIXED, uses[i].start, 1, 1, 0};
    if (!is_empty)
        return gp_plane_from(tensor, first, 0, NULL, component, out, error);
    *out = (gp_plane){.dtype = tensor->dtype, .device = tensor->device, .component = component};
    return GP_OK;
}

gp_status gp_slices_from(const gp_tensor *tensor, const gp_slice_use *uses, gp_component component, gp_slices *out,
                         gp_error *error)
{
    gp_slice_axis axes[GP_MAX_NDIM];
    gp_slices slices = {0};
    for (int i = 0; i < tensor->n_dims; i++) {
        gp_axis_use whole = {GP_ROLE_COLS, uses[i].start, uses[i].step, uses[i].size, 0};
        GP_TRY(gp_axis_use_check(tensor, i, &whole, 0, error));
    }
    GP_TRY(set_steps(tensor, uses, axes, &slices, error));
    GP_TRY(first_element(tensor, uses, component, slices.n_slices == 0 || slices.n_elems == 0, &slices.plane, error));
    for (int i = 0; i < tensor->n_dims; i++) {
        if (axes[i].size > 1 && uses[i].is_between)
            add_inner(slices.between, &slices.n_between, axes[i], tensor->mask != NULL);
        else if (axes[i].size > 1)
            add_inner(slices.inside, &slices.n_inside, axes[i], tensor->mask != NULL);
    }
    sort_inside(&slices);
    order_between(&slices);
    *out = slices;
    return GP_OK;
}

bool gp_slices_are_interleaved(const gp_slices *slices)
{
    int n = slices->n_between, m = slices->n_inside;
    return n > 0 &&
           (m == 0 || gp_absolute(slices->between[n - 1].stride_bytes) < gp_absolute(slices->inside[m - 1].stride_bytes));
}

gp_status gp_slices_percentiles_check(const gp_slices *slices, const double *percents, int n_percents, gp_error *error)
{
    if (slices->n_elems > GP_MOST_SLICE_ELEMS)
        return gp_fail(error, GP_ERR_VALUE, "%lld elements are too many for a slice among others: look at it as a plane",
                       (long long)slices->n_elems);
    return gp_percents_check(percents, n_percents, error);
}
