/* Arithmetic from axes to addresses. */
#include "view.h"

static gp_status check_use(const gp_tensor *tensor, int axis, const gp_axis_use *use, int n_stages, gp_error *error)
{
    int64_t last;
    if ((int)use->role < 0 || use->role >= GP_N_ROLES || use->size < 0 ||
        (use->role == GP_ROLE_HIDDEN && (use->stage < 0 || use->stage >= n_stages)) ||
        (use->role == GP_ROLE_FIXED && use->size != 1))
        return gp_fail(error, GP_ERR_VALUE, "axis %d: role %d with %lld elements makes no view", axis, (int)use->role,
                       (long long)use->size);
    if (use->size == 0)
        return GP_OK;
    if (__builtin_mul_overflow(use->size - 1, use->step, &last) || __builtin_add_overflow(last, use->start, &last) ||
        use->start < 0 || use->start >= tensor->shape[axis] || last < 0 || last >= tensor->shape[axis])
        return gp_fail(error, GP_ERR_INDEX, "axis %d: elements from %lld by %lld are outside its %lld elements", axis,
                       (long long)use->start, (long long)use->step, (long long)tensor->shape[axis]);
    return GP_OK;
}

static void add_axis(gp_plane *plane, const gp_axis_use *use, int64_t stride, int64_t mask_stride)
{
    switch (use->role) {
    case GP_ROLE_ROWS:
        plane->n_rows = use->size, plane->row_stride_bytes = stride, plane->mask_row_stride_bytes = mask_stride;
        break;
    case GP_ROLE_COLS:
        plane->n_cols = use->size, plane->col_stride_bytes = stride, plane->mask_col_stride_bytes = mask_stride;
        break;
    case GP_ROLE_CHANNELS:
        plane->n_channels = (int)use->size;
        plane->channel_stride_bytes = stride, plane->mask_channel_stride_bytes = mask_stride;
        break;
    case GP_ROLE_HIDDEN:
        plane->hidden[plane->n_hidden++] = (gp_hidden_axis){use->size, stride, mask_stride, use->stage};
        break;
    default:
        break;
    }
}

gp_status gp_plane_from(const gp_tensor *tensor, const gp_axis_use *uses, int n_stages, const gp_hidden_op *stage_ops,
                        gp_component component, gp_plane *out, gp_error *error)
{
    gp_plane plane = {.data = tensor->data, .mask = tensor->mask, .dtype = tensor->dtype,
                      .is_byteswapped = tensor->is_byteswapped, .is_mask_inverted = tensor->is_mask_inverted,
                      .device = tensor->device, .n_rows = 1, .n_cols = 1, .component = component, .n_stages = n_stages};
    int n_of_role[GP_N_ROLES] = {0};
    bool is_empty = false;
    if (n_stages < 0 || n_stages > GP_N_HIDDEN_OPS)
        return gp_fail(error, GP_ERR_VALUE, "%d different reductions of hidden axes", n_stages);
    for (int i = 0; i < n_stages; i++)
        plane.stage_ops[i] = stage_ops[i];
    for (int i = 0; i < tensor->n_dims; i++) {
        GP_TRY(check_use(tensor, i, &uses[i], n_stages, error));
        is_empty |= uses[i].size == 0;
        n_of_role[uses[i].role]++;
        if (!is_empty && plane.data != NULL) {
            plane.data = (const char *)plane.data + uses[i].start * tensor->strides_bytes[i];
            if (plane.mask != NULL)
                plane.mask += uses[i].start * tensor->mask_strides_bytes[i];
        }
        int64_t n_strides = uses[i].size > 1 ? uses[i].step : 1; /* a step that is never taken may be of any size */
        add_axis(&plane, &uses[i], n_strides * tensor->strides_bytes[i], n_strides * tensor->mask_strides_bytes[i]);
    }
    if (n_of_role[GP_ROLE_ROWS] > 1 || n_of_role[GP_ROLE_COLS] > 1 || n_of_role[GP_ROLE_CHANNELS] > 1)
        return gp_fail(error, GP_ERR_VALUE, "a plane has one row axis, one column axis and at most one channel axis");
    if (is_empty)
        plane.n_rows = plane.n_cols = 0, plane.data = NULL, plane.mask = NULL;
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
    return plane->mask == NULL && plane->n_stages == 0 && !plane->is_byteswapped &&
           plane->component == GP_COMPONENT_VALUE;
}
