/* Makes a conversion's plan: sorts, turns and joins axes, and fails for what cannot be converted; reads no element. */
#include "conversion.h"

#include "view.h"

static gp_status check_dtypes(const gp_tensor *tensor, const gp_target *target, gp_error *error)
{
    gp_dtype from = tensor->dtype, to = target->dtype;
    const char *from_name = gp_dtype_name(from), *to_name = gp_dtype_name(to);
    if (from == to)
        return GP_OK;
    if (gp_dtype_is_complex(from) && !gp_dtype_is_complex(to))
        return gp_fail(error, GP_ERR_TYPE, "%s elements do not become %s: convert .real or .imag, or abs() of the tensor",
                       from_name, to_name);
    if (to == GP_C32)
        return gp_fail(error, GP_ERR_TYPE, "nothing is converted to complex32: ask for complex64, which holds %s elements",
                       from_name);
    if (!gp_device_is_host(tensor->device) && (from == GP_LONGDOUBLE || to == GP_LONGDOUBLE))
        return gp_fail(error, GP_ERR_TYPE, "no device has long doubles: convert to float64, then .astype('longdouble')");
    return GP_OK;
}

static gp_status check_target(const gp_tensor *tensor, const gp_target *target, gp_error *error)
{
    gp_tensor as_tensor = {.data = target->data, .dtype = target->dtype, .device = {GP_DL_CPU, 0}, .n_dims = tensor->n_dims};
    int64_t n_elems = gp_tensor_n_elems(tensor); /* strides of an empty array are not used */
    for (int i = 0; i < tensor->n_dims; i++) {
        if (target->strides_bytes[i] == 0 && tensor->shape[i] > 1 && n_elems > 0)
            return gp_fail(error, GP_ERR_VALUE,
                           "axis %d of the array to write into has stride 0: its elements share memory; "
                           "pass an array with memory of its own",
                           i);
        as_tensor.shape[i] = tensor->shape[i];
        as_tensor.strides_bytes[i] = target->strides_bytes[i];
    }
    return gp_tensor_check(&as_tensor, error);
}

/* Whether the target's dtype can mark a masked element, by NaN. */
static bool is_mask_shown(gp_dtype to) { return gp_dtype_is_float(to) || gp_dtype_is_complex(to); }

static int item_part_bytes(gp_dtype dtype)
{
    int item_bytes = gp_dtype_size_bytes(dtype);
    return gp_dtype_is_complex(dtype) ? item_bytes / 2 : item_bytes;
}

/* Axis i of the tensor, reversed if the target's stride is negative. */
static gp_conversion_axis axis_of(const gp_tensor *tensor, const gp_target *target, int i, gp_conversion *plan)
{
    gp_conversion_axis axis = {.size = tensor->shape[i],
                               .from_stride = tensor->strides_bytes[i],
                               .to_stride = target->strides_bytes[i],
                               .mask_stride = plan->mask != NULL ? tensor->mask_strides_bytes[i] : 0};
    if (axis.to_stride > 0)
        return axis;
    int64_t last = axis.size - 1;
    plan->from += last * axis.from_stride;
    plan->to += last * axis.to_stride;
    if (plan->mask != NULL)
        plan->mask += last * axis.mask_stride;
    axis.from_stride = -axis.from_stride, axis.to_stride = -axis.to_stride, axis.mask_stride = -axis.mask_stride;
    return axis;
}

/* Inserts an axis in descending order of the target's strides; axes of equal strides stay in the order of the tensor. */
static void insert_axis(gp_conversion *plan, gp_conversion_axis axis)
{
    int at = plan->n_axes++;
    for (; at > 0 && plan->axes[at - 1].to_stride < axis.to_stride; at--)
        plan->axes[at] = plan->axes[at - 1];
    plan->axes[at] = axis;
}

static bool is_product(int64_t outer_stride, int64_t stride, int64_t size)
{
    int64_t reach; /* more than 2^63 bytes cannot be a stride */
    return !__builtin_mul_overflow(stride, size, &reach) && outer_stride == reach;
}

static bool lies_end_to_end(const gp_conversion_axis *outer, const gp_conversion_axis *inner)
{
    return is_product(outer->to_stride, inner->to_stride, inner->size) &&
           is_product(outer->from_stride, inner->from_stride, inner->size) &&
           is_product(outer->mask_stride, inner->mask_stride, inner->size);
}

static void join_axes(gp_conversion *plan)
{
    int n = 0; /* axes kept so far */
    for (int i = 0; i < plan->n_axes; i++) {
        gp_conversion_axis axis = plan->axes[i];
        if (n > 0 && lies_end_to_end(&plan->axes[n - 1], &axis)) {
            axis.size *= plan->axes[n - 1].size;
            n--;
        }
        plan->axes[n++] = axis;
    }
    plan->n_axes = n;
}

static bool is_target_dense(const gp_conversion *plan)
{
    int64_t stride = gp_dtype_size_bytes(plan->to_dtype);
    for (int i = plan->n_axes - 1; i >= 0; i--) {
        if (plan->axes[i].to_stride != stride)
            return false;
        stride *= plan->axes[i].size;
    }
    return true;
}

static bool is_plain(const gp_conversion *plan)
{
    bool has_gaps = plan->n_axes > 1 || (plan->n_axes == 1 && plan->axes[0].from_stride != gp_dtype_size_bytes(plan->from_dtype));
    return plan->is_target_dense && !has_gaps && plan->from_dtype == plan->to_dtype && plan->mask == NULL &&
           !plan->is_byteswapped;
}

gp_status gp_conversion_plan(const gp_tensor *tensor, const gp_target *target, gp_conversion *out, gp_error *error)
{
    gp_conversion plan = {.from = tensor->data,
                          .to = target->data,
                          .is_mask_inverted = tensor->is_mask_inverted,
                          .from_dtype = tensor->dtype,
                          .to_dtype = target->dtype,
                          .device = tensor->device};
    GP_TRY(check_dtypes(tensor, target, error));
    GP_TRY(gp_tensor_check(tensor, error));
    GP_TRY(check_target(tensor, target, error));
    plan.mask = is_mask_shown(target->dtype) ? tensor->mask : NULL;
    plan.is_byteswapped = tensor->is_byteswapped && item_part_bytes(tensor->dtype) > 1;
    plan.n_elems = gp_tensor_n_elems(tensor);
    for (int i = 0; i < tensor->n_dims && plan.n_elems > 0; i++)
        if (tensor->shape[i] > 1)
            insert_axis(&plan, axis_of(tensor, target, i, &plan));
    join_axes(&plan);
    plan.is_target_dense = is_target_dense(&plan);
    plan.is_plain = is_plain(&plan);
    *out = plan;
    return GP_OK;
}

gp_status gp_conversion_of_plane(const gp_plane *plane, void *to, gp_conversion *out, gp_error *error)
{
    int item_bytes = gp_dtype_size_bytes(plane->dtype);
    gp_tensor tensor = {.data = plane->data,
                        .dtype = plane->dtype,
                        .is_byteswapped = plane->is_byteswapped,
                        .device = plane->device,
                        .n_dims = 2,
                        .shape = {plane->n_rows, plane->n_cols},
                        .strides_bytes = {plane->row_stride_bytes, plane->col_stride_bytes}};
    gp_target target = {.data = to, .dtype = plane->dtype, .strides_bytes = {plane->n_cols * item_bytes, item_bytes}};
    if (plane->component == GP_COMPONENT_CHANNEL && plane->data != NULL) /* an empty tensor may have no address */
        tensor.data = (const char *)plane->data + plane->channel * plane->channel_stride_bytes;
    return gp_conversion_plan(&tensor, &target, out, error);
}
