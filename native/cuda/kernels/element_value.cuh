/* gp_element_value: any element of any plane as float64, with masks, complex parts, channels and hidden axes; slow. */
#ifndef GP_ELEMENT_VALUE_CUH
#define GP_ELEMENT_VALUE_CUH

#include "stored.cuh"
#include "../../core/tensor/element.h"

/* ---- stored bytes to a number --------------------------------------------------------------------------------------- */

/* A real element, or one part of a complex one. */
GP_DEVICE_CALL double gp_read_value(gp_dtype dtype, const char *at, bool is_byteswapped)
{
    switch ((int)dtype) {
#define GP_READ_CASE(NAME, storage, ...)                                                                                         \
    case GP_##NAME: return gp_value_##NAME(gp_read_stored<storage>(at, is_byteswapped));
        GP_DEVICE_DTYPES(GP_READ_CASE)
#undef GP_READ_CASE
    default: return gp_mark_value(GP_HAS_NAN); /* long double, which no device has */
    }
}

GP_DEVICE int gp_complex_part_bytes(gp_dtype dtype)
{
    return dtype == GP_C32 ? 2 : dtype == GP_C64 ? 4 : dtype == GP_C128 ? 8 : 0;
}

/* ---- one element of the tensor -------------------------------------------------------------------------------------- */

/* A channel's value, or the mark of what any channel holds. */
GP_DEVICE double gp_channel_value(const gp_plane &plane, const char *at)
{
    unsigned has = 0;
    double value = 0, last = 0;
    for (int channel = 0; channel < plane.n_channels; channel++) {
        last = gp_read_value(plane.dtype, at + channel * plane.channel_stride_bytes, plane.is_byteswapped);
        has |= gp_class_of(last);
        value = channel == plane.channel ? last : value;
    }
    if (has != GP_HAS_FINITE)
        return gp_mark_value(has);
    return plane.is_alpha_weighted ? gp_weighted_by_alpha(&plane, value, last) : value;
}

/* With channels an element is masked if any of its channels is. */
GP_DEVICE bool gp_is_masked(const gp_plane &plane, const uint8_t *mask)
{
    int n_channels = plane.component == GP_COMPONENT_CHANNEL ? plane.n_channels : 1;
    bool is_masked = false;
    for (int channel = 0; channel < n_channels; channel++)
        is_masked |= (mask[channel * plane.mask_channel_stride_bytes] != 0) != plane.is_mask_inverted;
    return is_masked;
}

GP_DEVICE_CALL double gp_tensor_element(const gp_plane &plane, gp_component component, const char *at, const uint8_t *mask)
{
    if (mask != nullptr && gp_is_masked(plane, mask))
        return gp_masked_value();
    if (component == GP_COMPONENT_CHANNEL)
        return gp_channel_value(plane, at);
    int part_bytes = gp_complex_part_bytes(plane.dtype);
    double re = gp_read_value(plane.dtype, at, plane.is_byteswapped);
    if (part_bytes == 0)
        return gp_component_of_real(component, re);
    return gp_component_of_complex(component, re, gp_read_value(plane.dtype, at + part_bytes, plane.is_byteswapped));
}

/* ---- hidden axes ---------------------------------------------------------------------------------------------------- */

/* The accumulator of one stage. Deviations are from the first finite value, since the variance would lose its bits to a large mean;
 * of a norm `sum2` are magnitudes; for angles `sum` and `sum2` are the parts of a vector. */
struct gp_stage_sums {
    gp_hidden_op op;
    bool is_direction;
    unsigned has;
    double n_repeats; /* how often each element counts */
    double count, first, sum, sum2;
};

GP_DEVICE gp_stage_sums gp_stage_start(const gp_plane &plane, int stage)
{
    gp_hidden_op op = gp_hidden_op_of(&plane, stage);
    return {op, op == GP_HIDDEN_MEAN && gp_is_angle(&plane), 0, plane.stage_repeats[stage], 0, 0, gp_hidden_start(op), 0};
}

/* Adds a value; for directions x and y are the parts of a unit vector. */
GP_DEVICE void gp_stage_add(gp_stage_sums &s, double x, double y)
{
    unsigned kind = gp_class_of(x);
    s.has |= kind;
    if (kind != GP_HAS_FINITE)
        return;
    s.count += 1.0;
    if (s.is_direction) {
        s.sum += x, s.sum2 += y;
    } else if (s.op == GP_HIDDEN_MAX) {
        s.sum = x > s.sum ? x : s.sum;
    } else if (s.op == GP_HIDDEN_MIN) {
        s.sum = x < s.sum ? x : s.sum;
    } else if (s.op == GP_HIDDEN_NORM) {
        s.sum += x * x, s.sum2 += fabs(x);
    } else if (s.op == GP_HIDDEN_STD) {
        s.first = s.count == 1.0 ? x : s.first;
        s.sum += x - s.first;
        s.sum2 += (x - s.first) * (x - s.first);
    } else {
        s.sum += x;
    }
}

/* Finishes a stage. had_nan becomes true if NaN is left out that would mark the element under the policy. */
GP_DEVICE double gp_stage_finish(const gp_stage_sums &s, const gp_plane &plane, bool &had_nan)
{
    gp_nan nan = plane.splits_nan ? GP_NAN_INFINITE : plane.hidden_nan;
    had_nan |= plane.splits_nan && gp_is_marked_nan(s.has, plane.hidden_nan);
    if (gp_is_marked(s.has, nan))
        return gp_mark_of(s.has, nan);
    return gp_hidden_finish(s.op, s.is_direction, s.n_repeats, s.count, s.sum, s.sum2);
}

/* The scales (GP_NEEDS_*) that the elements of a stage need; 0 where it is marked. */
GP_DEVICE unsigned gp_stage_needs(const gp_stage_sums &s, const gp_plane &plane)
{
    if (s.is_direction || gp_is_marked(s.has, plane.splits_nan ? GP_NAN_INFINITE : plane.hidden_nan))
        return 0;
    double value = gp_hidden_value(s.op, false, s.n_repeats, s.count, s.sum, s.sum2);
    return gp_hidden_needs(s.op, value, s.first, s.sum, s.sum2);
}

/* The axes of one stage as two loops: the last axis by its strides, all others by one index that is taken apart. */
struct gp_stage_loops {
    int inner; /* number of the last axis, -1 if there is none */
    int64_t n_inner, n_outer, inner_stride, inner_mask_stride;
};

GP_DEVICE gp_stage_loops gp_stage_loops_of(const gp_plane &plane, int stage)
{
    gp_stage_loops loops = {-1, 1, 1, 0, 0};
    for (int i = plane.n_hidden - 1; i >= 0; i--) {
        const gp_hidden_axis &axis = plane.hidden[i];
        if (axis.stage != stage)
            continue;
        if (loops.inner >= 0) {
            loops.n_outer *= axis.size;
        } else {
            loops.inner = i, loops.n_inner = axis.size;
            loops.inner_stride = axis.stride_bytes, loops.inner_mask_stride = axis.mask_stride_bytes;
        }
    }
    return loops;
}

/* The offset, in bytes of data and of mask, of combination `index` of the outer axes. */
GP_DEVICE void gp_stage_offset(const gp_plane &plane, int stage, int inner, int64_t index, int64_t *data, int64_t *mask)
{
    *data = *mask = 0;
    for (int i = inner - 1; i >= 0 && index > 0; i--) {
        const gp_hidden_axis &axis = plane.hidden[i];
        if (axis.stage != stage)
            continue;
        *data += index % axis.size * axis.stride_bytes;
        *mask += index % axis.size * axis.mask_stride_bytes;
        index /= axis.size;
    }
}

/*
 * The result of stages 0..STAGE for the element at these addresses, each element of the tensor multiplied by `scale`, 0 for none. Stages
 * that the plane does not have pass it through.
 */
template <int STAGE> struct gp_stage {
    GP_DEVICE void add(const gp_plane &plane, const char *at, const uint8_t *mask, double scale, gp_stage_sums &s, bool &had_nan)
    {
        if (STAGE == 0 && s.is_direction) { /* as z/|z|, without computing the angle */
            gp_stage_add(s, gp_tensor_element(plane, GP_COMPONENT_UNIT_RE, at, mask),
                         gp_tensor_element(plane, GP_COMPONENT_UNIT_IM, at, mask));
            return;
        }
        double inner = gp_stage<STAGE - 1>::value(plane, at, mask, scale, had_nan);
        bool is_finite = gp_class_of(inner) == GP_HAS_FINITE;
        if (!s.is_direction || !is_finite)
            gp_stage_add(s, inner, 0.0);
        else if (gp_has_no_direction(inner))
            gp_stage_add(s, 0.0, 0.0);
        else
            gp_stage_add(s, cos(inner), sin(inner));
    }
    GP_DEVICE double value(const gp_plane &plane, const char *at, const uint8_t *mask, double scale, bool &had_nan)
    {
        if (STAGE >= plane.n_stages)
            return gp_stage<STAGE - 1>::value(plane, at, mask, scale, had_nan);
        return reduced(plane, at, mask, scale, had_nan);
    }
    /* Where sums or squares leave the range of float64, once more from scaled elements. A small result is kept where these leave the
     * range instead: large elements that cancel in an inner stage are scaled up with all others. */
    GP_DEVICE_CALL double reduced(const gp_plane &plane, const char *at, const uint8_t *mask, double scale, bool &had_nan)
    {
        double own = scale, value = 0, unscaled = 0;
        for (unsigned needs = 1; needs != 0;) {
            gp_stage_sums s = gp_stage_start(plane, STAGE);
            add_all(plane, at, mask, own, s, had_nan);
            unscaled = value, value = gp_stage_finish(s, plane, had_nan);
            needs = own == 0 ? gp_stage_needs(s, plane) : 0;
            own = needs == 0 ? own : needs & GP_NEEDS_DOWN ? GP_SCALE_DOWN : GP_SCALE_UP;
        }
        if (own == scale)
            return value;
        value = gp_held(value / own);
        return own > 1 && fabs(value) >= GP_LEAST_SPREAD ? unscaled : value;
    }
    GP_DEVICE void add_all(const gp_plane &plane, const char *at, const uint8_t *mask, double scale, gp_stage_sums &s,
                           bool &had_nan)
    {
        gp_stage_loops loops = gp_stage_loops_of(plane, STAGE);
        for (int64_t outer = 0; outer < loops.n_outer; outer++) {
            int64_t offset, mask_offset;
            gp_stage_offset(plane, STAGE, loops.inner, outer, &offset, &mask_offset);
            for (int64_t i = 0; i < loops.n_inner; i++)
                add(plane, at + offset + i * loops.inner_stride,
                    mask == nullptr ? mask : mask + mask_offset + i * loops.inner_mask_stride, scale, s, had_nan);
        }
    }
};

/* Elements themselves. */
template <> struct gp_stage<-1> {
    GP_DEVICE double value(const gp_plane &plane, const char *at, const uint8_t *mask, double scale, bool &)
    {
        gp_component component = gp_is_angle(&plane) && plane.n_stages > 0 ? GP_COMPONENT_PHASE : plane.component;
        return gp_scaled(gp_tensor_element(plane, component, at, mask), scale);
    }
};

/* ---- one element of the plane --------------------------------------------------------------------------------------- */

/* Element (row, col): reduced over hidden axes. Right for every plane, fast for none. Of a plane that splits NaN, had_nan becomes true
 * where the element would be NaN otherwise. */
GP_DEVICE_CALL double gp_element_value(const gp_plane &plane, int64_t row, int64_t col, bool &had_nan)
{
    const char *at = (const char *)plane.data + row * plane.row_stride_bytes + col * plane.col_stride_bytes;
    const uint8_t *mask = plane.mask;
    if (mask != nullptr)
        mask += row * plane.mask_row_stride_bytes + col * plane.mask_col_stride_bytes;
    double x = gp_stage<GP_N_HIDDEN_OPS - 1>::value(plane, at, mask, plane.scale, had_nan);
    if (plane.n_stages == 0 || (plane.component != GP_COMPONENT_UNIT_RE && plane.component != GP_COMPONENT_UNIT_IM))
        return x;
    if (gp_has_no_direction(x))
        return 0.0;
    if (gp_class_of(x) != GP_HAS_FINITE)
        return x;
    return plane.component == GP_COMPONENT_UNIT_RE ? cos(x) : sin(x);
}

#endif
