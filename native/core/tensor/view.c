/* The addresses and strides of a plane, from the uses of a tensor's axes. */
#include "view.h"

gp_status gp_axis_use_check(const gp_tensor *tensor, int axis, const gp_axis_use *use, int n_stages, gp_error *error)
{
    int64_t last;
    if ((int)use->role < 0 || use->role >= GP_N_ROLES || use->size < 0 ||
        (use->role == GP_ROLE_HIDDEN && (use->stage < 0 || use->stage >= n_stages)) ||
        ((use->role == GP_ROLE_ROWS || use->role == GP_ROLE_COLS) && (use->stage < 0 || use->stage >= tensor->n_dims)) ||
        (use->role == GP_ROLE_FIXED && use->size != 1))
        return gp_fail(error, GP_ERR_VALUE, "axis %d: role %d with %lld elements makes no view", axis, (int)use->role,
                       (long long)use->size);
    if (use->size == 0)
        return GP_OK;
    if (use->role == GP_ROLE_REPEATED && use->size > 1 &&
        (tensor->strides_bytes[axis] != 0 || (tensor->mask != NULL && tensor->mask_strides_bytes[axis] != 0)))
        return gp_fail(error, GP_ERR_VALUE,
                       "axis %d has a stride of %lld bytes: only elements that share one address are repeated", axis,
                       (long long)tensor->strides_bytes[axis]);
    if (__builtin_mul_overflow(use->size - 1, use->step, &last) || __builtin_add_overflow(last, use->start, &last) ||
        use->start < 0 || use->start >= tensor->shape[axis] || last < 0 || last >= tensor->shape[axis])
        return gp_fail(error, GP_ERR_INDEX, "axis %d: elements from %lld by %lld are outside its %lld elements", axis,
                       (long long)use->start, (long long)use->step, (long long)tensor->shape[axis]);
    return GP_OK;
}

/* Several axes that together are the rows, or the columns: n elements at one stride. */
typedef struct joint_axis {
    int64_t n, stride, mask_stride;
} joint_axis;

/* Adds an axis inside those added before. The stride of an axis with one element is ignored. */
static gp_status join_axis(joint_axis *joint, int64_t size, int64_t stride, int64_t mask_stride, bool is_masked, gp_error *error)
{
    int64_t n, whole, mask_whole;
    if (joint->n == 1) {
        if (size > 1 || joint->stride == 0)
            *joint = (joint_axis){size, stride, mask_stride};
        return GP_OK;
    }
    if (size == 1)
        return GP_OK;
    bool is_dense = !__builtin_mul_overflow(size, stride, &whole) && whole == joint->stride &&
                    (!is_masked || (!__builtin_mul_overflow(size, mask_stride, &mask_whole) && mask_whole == joint->mask_stride));
    if (!is_dense || __builtin_mul_overflow(joint->n, size, &n))
        return gp_fail(error, GP_ERR_VALUE, "axes that are rows or columns together have to lie end to end in memory");
    *joint = (joint_axis){n, stride, mask_stride};
    return GP_OK;
}

/* Adds a hidden axis; elements that share one address become one, whose repeats are counted. */
static void add_hidden(gp_plane *plane, const gp_axis_use *use, int64_t stride, int64_t mask_stride)
{
    if (use->size > 1 && stride == 0 && (plane->mask == NULL || mask_stride == 0))
        plane->stage_repeats[use->stage] *= (double)use->size;
    else
        plane->hidden[plane->n_hidden++] = (gp_hidden_axis){use->size, stride, mask_stride, use->stage};
}

static gp_status add_axis(gp_plane *plane, const gp_axis_use *use, int64_t stride, int64_t mask_stride, gp_error *error)
{
    if (use->role == GP_ROLE_CHANNELS) {
        plane->n_channels = (int)use->size;
        plane->channel_stride_bytes = stride, plane->mask_channel_stride_bytes = mask_stride;
    }
    if (use->role == GP_ROLE_HIDDEN)
        add_hidden(plane, use, stride, mask_stride);
    if (use->role == GP_ROLE_REPEATED && __builtin_mul_overflow(plane->n_repeats, use->size, &plane->n_repeats))
        return gp_fail(error, GP_ERR_VALUE,
                       "its elements are repeated more than 2^63 times: index one of the axes that repeat them");
    return GP_OK;
}

static void move_to_start(gp_plane *plane, const gp_tensor *tensor, int axis, int64_t start)
{
    plane->data = (const char *)plane->data + start * tensor->strides_bytes[axis];
    if (plane->mask != NULL)
        plane->mask += start * tensor->mask_strides_bytes[axis];
}

/* Sets rows and columns from the axes with these roles, the outermost first, which has the smallest stage. */
static gp_status join_axes(gp_plane *plane, const gp_tensor *tensor, const gp_axis_use *uses, gp_error *error)
{
    joint_axis rows = {1, 0, 0}, cols = {1, 0, 0};
    for (int stage = 0; stage < tensor->n_dims; stage++)
        for (int i = 0; i < tensor->n_dims; i++) {
            if (uses[i].stage != stage || (uses[i].role != GP_ROLE_ROWS && uses[i].role != GP_ROLE_COLS))
                continue;
            int64_t step = uses[i].size > 1 ? uses[i].step : 1;
            GP_TRY(join_axis(uses[i].role == GP_ROLE_ROWS ? &rows : &cols, uses[i].size, step * tensor->strides_bytes[i],
                             step * tensor->mask_strides_bytes[i], tensor->mask != NULL, error));
        }
    plane->n_rows = rows.n, plane->row_stride_bytes = rows.stride, plane->mask_row_stride_bytes = rows.mask_stride;
    plane->n_cols = cols.n, plane->col_stride_bytes = cols.stride, plane->mask_col_stride_bytes = cols.mask_stride;
    return GP_OK;
}

gp_status gp_plane_from(const gp_tensor *tensor, const gp_axis_use *uses, int n_stages, const gp_hidden_op *stage_ops,
                        gp_component component, gp_plane *out, gp_error *error)
{
    gp_plane plane = {.data = tensor->data,
                      .mask = tensor->mask,
                      .dtype = tensor->dtype,
                      .is_byteswapped = tensor->is_byteswapped,
                      .is_mask_inverted = tensor->is_mask_inverted,
                      .device = tensor->device,
                      .n_rows = 1,
                      .n_cols = 1,
                      .component = component,
                      .n_stages = n_stages,
                      .n_repeats = 1};
    int n_channel_axes = 0;
    bool is_empty = false;
    if (n_stages < 0 || n_stages > GP_N_HIDDEN_OPS)
        return gp_fail(error, GP_ERR_VALUE, "%d different reductions of hidden axes", n_stages);
    for (int i = 0; i < n_stages; i++)
        plane.stage_ops[i] = stage_ops[i], plane.stage_repeats[i] = 1.0;
    for (int i = 0; i < tensor->n_dims; i++) {
        GP_TRY(gp_axis_use_check(tensor, i, &uses[i], n_stages, error));
        is_empty |= uses[i].size == 0;
        n_channel_axes += uses[i].role == GP_ROLE_CHANNELS;
    }
    if (n_channel_axes > 1)
        return gp_fail(error, GP_ERR_VALUE, "a plane has at most one channel axis");
    for (int i = 0; i < tensor->n_dims; i++) {
        if (!is_empty)
            move_to_start(&plane, tensor, i, uses[i].start);
        /* a step along a single element, and a stride without elements, may have any size and are not used */
        int64_t n_strides = is_empty ? 0 : uses[i].size > 1 ? uses[i].step : 1;
        GP_TRY(
            add_axis(&plane, &uses[i], n_strides * tensor->strides_bytes[i], n_strides * tensor->mask_strides_bytes[i], error));
    }
    if (is_empty)
        plane.n_rows = plane.n_cols = 0, plane.data = NULL, plane.mask = NULL;
    else
        GP_TRY(join_axes(&plane, tensor, uses, error));
    *out = plane;
    return GP_OK;
}

gp_plane gp_plane_crop(const gp_plane *plane, int64_t row0, int64_t row1, int64_t col0, int64_t col1)
{
    gp_plane part = *plane;
    part.n_rows = row1 - row0, part.n_cols = col1 - col0;
    if (part.n_rows <= 0 || part.n_cols <= 0) {
        part.n_rows = part.n_cols = 0;
        return part;
    }
    part.data = (const char *)plane->data + row0 * plane->row_stride_bytes + col0 * plane->col_stride_bytes;
    if (plane->mask != NULL)
        part.mask = plane->mask + row0 * plane->mask_row_stride_bytes + col0 * plane->mask_col_stride_bytes;
    return part;
}

gp_plane gp_plane_transpose(const gp_plane *plane)
{
    gp_plane turned = *plane;
    turned.n_rows = plane->n_cols, turned.n_cols = plane->n_rows;
    turned.row_stride_bytes = plane->col_stride_bytes, turned.col_stride_bytes = plane->row_stride_bytes;
    turned.mask_row_stride_bytes = plane->mask_col_stride_bytes;
    turned.mask_col_stride_bytes = plane->mask_row_stride_bytes;
    return turned;
}

gp_plane gp_plane_of_cells(const gp_cells *cells)
{
    return (gp_plane){.data = cells->data,
                      .dtype = GP_F64,
                      .device = cells->device,
                      .n_rows = cells->n_rows,
                      .n_cols = cells->n_cols,
                      .row_stride_bytes = cells->n_cols * (int64_t)sizeof *cells->data,
                      .col_stride_bytes = (int64_t)sizeof *cells->data};
}

int64_t gp_plane_reads_per_elem(const gp_plane *plane)
{
    const int64_t most = (int64_t)1 << 19;
    int64_t n = 1;
    for (int i = 0; i < plane->n_hidden; i++) {
        if (plane->hidden[i].size >= most / n)
            return most;
        n *= plane->hidden[i].size > 0 ? plane->hidden[i].size : 1;
    }
    return n;
}

bool gp_plane_is_direct(const gp_plane *plane)
{
    return plane->mask == NULL && plane->n_stages == 0 && !plane->is_byteswapped && plane->component == GP_COMPONENT_VALUE;
}
