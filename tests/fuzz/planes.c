/* Tensors and views from a fuzzer's bytes, and their elements one by one. */
#include "planes.h"

#include "cast_elements.h"
#include "check.h"

#include <float.h>

static const double HUGE_ELEMENT = 1e100; /* its square is finite, and so is the sum of some thousands of these */

bool is_as_good_as(double got, double want, double tolerance)
{
    if (isnan(want))
        return isnan(got) && gp_is_masked_value(got) == gp_is_masked_value(want);
    return got == want || (isfinite(got) && isfinite(want) && fabs(got - want) <= tolerance);
}

/* ---- tensors ------------------------------------------------------------------------------------------------------------- */

void input_tensor(gp_input *input, gp_scene *out)
{
    gp_tensor *tensor = &out->tensor;
    tensor->n_dims = (int)input_between(input, 0, MAX_LAYOUT_DIMS);
    tensor->dtype = input_dtype(input);
    tensor->device = (gp_device){GP_DL_CPU, 0};
    int64_t flags = input_between(input, 0, 255);
    tensor->is_byteswapped = (flags & 1) != 0 && tensor->dtype != GP_LONGDOUBLE;
    tensor->is_mask_inverted = (flags & 4) != 0;
    input_shape(input, tensor->n_dims, tensor->shape);
    gp_layout layout = input_layout(input, tensor->n_dims, tensor->shape, gp_dtype_size_bytes(tensor->dtype), true);
    gp_layout mask = input_layout(input, tensor->n_dims, tensor->shape, 1, true);
    out->memory = exactly(layout.n_bytes, (int)(flags >> 6));
    out->mask_memory = exactly(mask.n_bytes, 0);
    input_elements(input, tensor->dtype, tensor->is_byteswapped, layout.n_bytes, out->memory + (flags >> 6));
    input_fill_random(input, out->mask_memory, (size_t)mask.n_bytes);
    for (int64_t i = 0; i < mask.n_bytes; i++)
        out->mask_memory[i] = (char)(out->mask_memory[i] % 2);
    tensor->data = out->memory + (flags >> 6) + layout.first;
    tensor->mask = flags & 2 ? (const uint8_t *)out->mask_memory + mask.first : NULL;
    memcpy(tensor->strides_bytes, layout.strides, sizeof layout.strides);
    memcpy(tensor->mask_strides_bytes, mask.strides, sizeof mask.strides);
}

/* ---- elements ------------------------------------------------------------------------------------------------------------- */

static double component_of(gp_component component, double re, double im)
{
    double length = hypot(re, im);
    switch (component) {
    case GP_COMPONENT_ABS: return length < DBL_MAX ? length : DBL_MAX;
    case GP_COMPONENT_ABS2: return re * re + im * im;
    case GP_COMPONENT_PHASE: return atan2(im + 0.0, re + 0.0);
    case GP_COMPONENT_UNIT_RE: return length > 0 ? re / length : 0;
    case GP_COMPONENT_UNIT_IM: return length > 0 ? im / length : 0;
    case GP_COMPONENT_IM:
    case GP_COMPONENT_SUM_IM: return im;
    default: return re;
    }
}

/* The element's parts as they are stored; the second one is 0 of real dtypes. */
static void load(const gp_scene *scene, const int64_t *index, double parts[2], bool *is_masked)
{
    const gp_tensor *tensor = &scene->tensor;
    char item[MAX_ITEM_BYTES], wide[MAX_ITEM_BYTES];
    const char *element = tensor->data;
    const uint8_t *mask = tensor->mask;
    for (int i = 0; i < tensor->n_dims; i++) {
        CHECK(0 <= index[i] && index[i] < tensor->shape[i]);
        element += index[i] * tensor->strides_bytes[i];
        mask = mask ? mask + index[i] * tensor->mask_strides_bytes[i] : NULL;
    }
    *is_masked = mask != NULL && (*mask != 0) != tensor->is_mask_inverted;
    memcpy(item, element, (size_t)gp_dtype_size_bytes(tensor->dtype));
    if (tensor->is_byteswapped)
        swap_element(item, tensor->dtype);
    cast_element(item, tensor->dtype, GP_C128, wide);
    memcpy(parts, wide, 2 * sizeof *parts);
}

double scene_value(const gp_scene *scene, const int64_t *index, double *scale)
{
    double parts[2];
    bool is_masked, is_one_part = scene->component == GP_COMPONENT_RE || scene->component == GP_COMPONENT_IM;
    load(scene, index, parts, &is_masked);
    unsigned has = gp_class_of(parts[0]) | gp_class_of(parts[1]);
    *scale = has == GP_HAS_FINITE ? fabs(parts[0]) + fabs(parts[1]) : 0;
    if (scene->component == GP_COMPONENT_ABS2)
        *scale *= *scale;
    if (scene->component == GP_COMPONENT_PHASE)
        *scale = 4;
    if (scene->component == GP_COMPONENT_UNIT_RE || scene->component == GP_COMPONENT_UNIT_IM)
        *scale = 1; /* of directions, however short the number */
    if (is_masked)
        return gp_masked_value();
    bool is_as_stored = scene->component == GP_COMPONENT_VALUE || scene->component == GP_COMPONENT_CHANNEL;
    if (is_as_stored || is_one_part || has == GP_HAS_FINITE)
        return component_of(scene->component, parts[0], parts[1]);
    return gp_mark_value(has & GP_HAS_NAN ? GP_HAS_NAN : GP_HAS_POS_INF);
}

/* ---- channels: not finite if any of them is not; alpha is 0 to 1, of integers to 255 ----------------------------------- */

static double opaque_alpha(gp_dtype dtype)
{
    return gp_dtype_is_float(dtype) || gp_dtype_is_complex(dtype) || dtype == GP_BOOL ? 1 : 255;
}

static double channel_value(const gp_scene *scene, int64_t *index, int channel_axis, double *scale)
{
    const gp_axis_use *use = &scene->uses[channel_axis];
    double value = 0, alpha = 0;
    unsigned has = 0;
    for (int64_t k = 0; k < use->size; k++) {
        double part_scale;
        index[channel_axis] = use->start + k * use->step;
        double part = scene_value(scene, index, &part_scale);
        has |= gp_class_of(part);
        value = k == scene->plane.channel ? part : value;
        alpha = part;
    }
    *scale = fabs(value);
    if (has != GP_HAS_FINITE)
        return gp_mark_value(has & GP_HAS_MASKED ? GP_HAS_MASKED : has);
    if (!scene->plane.is_alpha_weighted)
        return value;
    double opacity = fmin(fmax(alpha, 0), opaque_alpha(scene->tensor.dtype));
    return scene->plane.channel == use->size - 1 ? opacity : value * (opacity / opaque_alpha(scene->tensor.dtype));
}

/* ---- hidden axes ------------------------------------------------------------------------------------------------------------ */

static double finish(gp_hidden_op op, const double *x, int64_t n)
{
    long double sum = 0, squares = 0, deviations = 0, low = (long double)INFINITY, high = -(long double)INFINITY;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i], squares += (long double)x[i] * x[i];
        low = x[i] < low ? x[i] : low, high = x[i] > high ? x[i] : high;
    }
    for (int64_t i = 0; i < n; i++)
        deviations += (x[i] - sum / n) * (x[i] - sum / n);
    switch (op) {
    case GP_HIDDEN_MEAN: return (double)(sum / n);
    case GP_HIDDEN_MAX: return (double)high;
    case GP_HIDDEN_MIN: return (double)low;
    case GP_HIDDEN_STD: return (double)sqrtl(deviations / n); /* squares of float64 may be below its range */
    case GP_HIDDEN_NORM: return (double)sqrtl(squares);
    default: return (double)sum;
    }
}

/* The value after stages 0..stage at an index whose axes of these stages are not set yet. */
static double stage_value(const gp_scene *scene, int stage, int64_t *index, double *scale)
{
    int channel_axis = -1;
    int64_t n = 1, n_finite = 0;
    unsigned has = 0;
    for (int i = 0; i < scene->tensor.n_dims; i++) {
        n *= scene->uses[i].role == GP_ROLE_HIDDEN && scene->uses[i].stage == stage ? scene->uses[i].size : 1;
        channel_axis = scene->uses[i].role == GP_ROLE_CHANNELS ? i : channel_axis;
    }
    if (stage < 0)
        return channel_axis >= 0 ? channel_value(scene, index, channel_axis, scale) : scene_value(scene, index, scale);
    double *x = malloc((size_t)n * sizeof *x), inner_scale;
    CHECK(x != NULL);
    *scale = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t rest = k;
        for (int i = 0; i < scene->tensor.n_dims; i++)
            if (scene->uses[i].role == GP_ROLE_HIDDEN && scene->uses[i].stage == stage) {
                index[i] = scene->uses[i].start + rest % scene->uses[i].size * scene->uses[i].step;
                rest /= scene->uses[i].size;
            }
        double value = stage_value(scene, stage - 1, index, &inner_scale);
        has |= gp_class_of(value);
        *scale += inner_scale;
        if (isfinite(value))
            x[n_finite++] = value;
    }
    bool is_hue = scene->component == GP_COMPONENT_SUM_RE || scene->component == GP_COMPONENT_SUM_IM;
    double value = gp_is_marked(has, scene->plane.hidden_nan) ? gp_mark_of(has, scene->plane.hidden_nan)
                                                              : finish(is_hue ? GP_HIDDEN_SUM : scene->ops[stage], x, n_finite);
    free(x);
    return value;
}

/* ---- planes ---------------------------------------------------------------------------------------------------------------- */

/* Sets the indices of axes that are rows, or columns, together: the one of the largest stage is the fastest. */
static void set_index(const gp_scene *scene, gp_axis_role role, int64_t at, int64_t *index)
{
    for (int stage = scene->tensor.n_dims - 1; stage >= 0; stage--)
        for (int i = scene->tensor.n_dims - 1; i >= 0; i--)
            if (scene->uses[i].role == role && scene->uses[i].stage == stage) {
                index[i] = scene->uses[i].start + at % scene->uses[i].size * scene->uses[i].step;
                at /= scene->uses[i].size;
            }
}

static void fill_values(gp_scene *scene)
{
    int64_t n_rows = scene->plane.n_rows, n_cols = scene->plane.n_cols, index[MAX_LAYOUT_DIMS] = {0};
    scene->values = malloc((size_t)(n_rows * n_cols + 1) * sizeof *scene->values);
    scene->scales = malloc((size_t)(n_rows * n_cols + 1) * sizeof *scene->scales);
    CHECK(scene->values != NULL && scene->scales != NULL);
    for (int i = 0; i < scene->tensor.n_dims; i++)
        index[i] = scene->uses[i].start;
    for (int64_t row = 0; row < n_rows; row++)
        for (int64_t col = 0; col < n_cols; col++) {
            int64_t at = row * n_cols + col;
            set_index(scene, GP_ROLE_ROWS, row, index);
            set_index(scene, GP_ROLE_COLS, col, index);
            scene->values[at] = stage_value(scene, scene->n_stages - 1, index, &scene->scales[at]);
            scene->is_overflown |= scene->scales[at] > HUGE_ELEMENT;
        }
}

void input_range(gp_input *input, int64_t n_elems, gp_axis_use *use)
{
    use->step = input_one_in(input, 4) ? input_between(input, -3, 3) : 1;
    bool is_cropped = use->step < 0 || input_one_in(input, 4);
    if (n_elems == 0)
        return;
    use->start = is_cropped ? input_between(input, 0, n_elems - 1) : 0;
    use->size = use->step > 0 ? (n_elems - 1 - use->start) / use->step + 1 : use->step < 0 ? use->start / -use->step + 1 : 2;
    if (is_cropped)
        use->size = input_between(input, input_one_in(input, 8) ? 0 : 1, use->size);
}

static gp_axis_use read_use(gp_input *input, const gp_tensor *tensor, int axis, int n_stages)
{
    gp_axis_role role = axis == tensor->n_dims - 1 ? GP_ROLE_COLS : axis == tensor->n_dims - 2 ? GP_ROLE_ROWS : GP_ROLE_FIXED;
    gp_axis_use use = {.role = role};
    if (input_one_in(input, 2))
        use.role = (gp_axis_role)input_between(input, 0, GP_N_ROLES - 1);
    input_range(input, tensor->shape[axis], &use);
    bool is_shown = use.role == GP_ROLE_ROWS || use.role == GP_ROLE_COLS;
    int top = is_shown && input_one_in(input, 2)           ? tensor->n_dims - 1
              : use.role == GP_ROLE_HIDDEN && n_stages > 0 ? n_stages - 1
                                                           : 0;
    use.stage = (int)input_between(input, 0, top);
    if (use.role == GP_ROLE_FIXED)
        use.size = 1;
    if (input_one_in(input, 64)) /* and what makes no view */
        *(input_one_in(input, 2) ? &use.size : &use.start) = input_int64(input);
    return use;
}

static gp_component read_component(gp_input *input, gp_dtype dtype, bool has_channels, int n_stages)
{
    if (has_channels && !gp_dtype_is_complex(dtype))
        return GP_COMPONENT_CHANNEL;
    gp_component component = gp_dtype_is_complex(dtype)
                                 ? (gp_component)input_between(input, GP_COMPONENT_ABS, GP_COMPONENT_SUM_IM)
                                 : GP_COMPONENT_VALUE;
    bool is_angle = component == GP_COMPONENT_PHASE || component == GP_COMPONENT_UNIT_RE || component == GP_COMPONENT_UNIT_IM;
    return is_angle && n_stages > 0 ? GP_COMPONENT_ABS : component; /* angles are averaged as directions: not told here */
}

/* Fills in what gp_plane_from leaves to its caller; false where that makes no picture of channels. */
static bool finish_plane(gp_input *input, gp_scene *scene)
{
    gp_plane *plane = &scene->plane;
    plane->hidden_nan = (gp_nan)input_between(input, 0, GP_N_NANS - 1);
    if (plane->component != GP_COMPONENT_CHANNEL)
        return true;
    plane->channel = (int)input_between(input, 0, 3);
    plane->is_alpha_weighted = input_one_in(input, 2);
    return (plane->n_channels == 3 || plane->n_channels == 4) && plane->channel < plane->n_channels;
}

static bool is_plain_view(const gp_scene *scene)
{
    int n_of[GP_N_ROLES] = {0};
    int64_t n_repeats = 1;
    gp_error error;
    for (int i = 0; i < scene->tensor.n_dims; i++) {
        if (gp_axis_use_check(&scene->tensor, i, &scene->uses[i], scene->n_stages, &error) != GP_OK)
            return false;
        if (scene->uses[i].role == GP_ROLE_REPEATED && __builtin_mul_overflow(n_repeats, scene->uses[i].size, &n_repeats))
            return false;
        n_of[scene->uses[i].role]++;
    }
    return n_of[GP_ROLE_ROWS] < 2 && n_of[GP_ROLE_COLS] < 2 && n_of[GP_ROLE_CHANNELS] < 2;
}

/* Whether the elements, which a step of 0 repeats as often as the input says, are so few that they can be looked at. */
static bool is_small(const gp_scene *scene)
{
    int64_t n = 1;
    for (int i = 0; i < scene->tensor.n_dims; i++) {
        if (scene->uses[i].size > 4 * MAX_LAYOUT_ELEMS / n)
            return false;
        n *= scene->uses[i].size > 0 ? scene->uses[i].size : 1;
    }
    return true;
}

bool input_scene(gp_input *input, gp_scene *out)
{
    gp_scene scene = {.n_stages = (int)input_between(input, 0, 2)};
    gp_error error = {0};
    bool has_channels = false, has_hidden = false;
    for (int i = 0; i < scene.n_stages; i++)
        scene.ops[i] = (gp_hidden_op)input_between(input, 0, GP_N_HIDDEN_OPS - 1);
    input_tensor(input, &scene);
    for (int i = 0; i < scene.tensor.n_dims; i++) {
        scene.uses[i] = read_use(input, &scene.tensor, i, scene.n_stages);
        has_channels |= scene.uses[i].role == GP_ROLE_CHANNELS;
        has_hidden |= scene.uses[i].role == GP_ROLE_HIDDEN;
    }
    scene.component = read_component(input, scene.tensor.dtype, has_channels, scene.n_stages);
    gp_status status = gp_plane_from(&scene.tensor, scene.uses, scene.n_stages, scene.ops, scene.component, &scene.plane, &error);
    CHECK(status == GP_OK || (!is_plain_view(&scene) && error.message[0] != 0));
    bool is_view = status == GP_OK && is_small(&scene) && (!has_channels || scene.component == GP_COMPONENT_CHANNEL) &&
                   finish_plane(input, &scene);
    scene.is_exact = !has_hidden && scene.n_stages == 0 && !scene.plane.is_alpha_weighted &&
                     (scene.component == GP_COMPONENT_VALUE || scene.component == GP_COMPONENT_CHANNEL ||
                      scene.component == GP_COMPONENT_RE || scene.component == GP_COMPONENT_IM);
    if (is_view)
        fill_values(&scene);
    else
        scene_free(&scene);
    *out = scene;
    return is_view;
}

void scene_free(gp_scene *scene)
{
    free(scene->memory);
    free(scene->mask_memory);
    free(scene->values);
    free(scene->scales);
    *scene = (gp_scene){0};
}
