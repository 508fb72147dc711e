/* Loads elements of any dtype, stride and byte order as float64: values, complex parts, channels; masked ones as such. */
#include "row_load.h"
#include "row_mask.h"

#include "../../core/tensor/element.h"
#include "../../core/states/scaled.h"
#include "../simd/hidden_loops.h"
#include "../simd/loops.h"

#define BLOCK 256

typedef void (*strided_load)(const char *data, int64_t stride, int64_t n, double *out);

/* Copies one element, its bytes turned round if asked; the loop disappears where n_bytes is a constant. */
static inline void copy_bytes(void *to, const char *from, size_t n_bytes, bool is_byteswapped)
{
    unsigned char *bytes = to;
    if (!is_byteswapped)
        memcpy(to, from, n_bytes);
    else
        for (size_t i = 0; i < n_bytes; i++)
            bytes[i] = (unsigned char)from[n_bytes - 1 - i];
}

#define STRIDED_LOAD(NAME, storage, ...)                                                                                         \
    static void load_##NAME(const char *data, int64_t stride, int64_t n, double *out)                                            \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                                        \
            storage stored;                                                                                                      \
            copy_bytes(&stored, data + i * stride, sizeof stored, false);                                                        \
            out[i] = gp_value_##NAME(stored);                                                                                    \
        }                                                                                                                        \
    }                                                                                                                            \
    static void load_swapped_##NAME(const char *data, int64_t stride, int64_t n, double *out)                                    \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                                        \
            storage stored;                                                                                                      \
            copy_bytes(&stored, data + i * stride, sizeof stored, true);                                                         \
            out[i] = gp_value_##NAME(stored);                                                                                    \
        }                                                                                                                        \
    }
GP_DTYPES(STRIDED_LOAD)
#undef STRIDED_LOAD

static const strided_load loads[GP_N_DTYPES][2] = {
#define LOAD_ROW(NAME, ...) [GP_##NAME] = {load_##NAME, load_swapped_##NAME},
    GP_DTYPES(LOAD_ROW)
#undef LOAD_ROW
};

static strided_load load_of(const gp_row_reader *rows) { return loads[rows->plane.dtype][rows->plane.is_byteswapped]; }

/* Single elements, or single channels, as `stored` says; of its dtype. */
static const void *stored_elems(const gp_row_reader *rows, const gp_stored_rows *stored, const char *data, int64_t n,
                                double *buffer)
{
    if (stored->way != GP_ROWS_VALUES)
        return gp_row_reader_load_stored(rows, stored, data, n, buffer);
    load_of(rows)(data, rows->plane.col_stride_bytes, n, buffer);
    return buffer;
}

static void load_elems(const gp_row_reader *rows, const gp_stored_rows *stored, const char *data, int64_t n, double *out)
{
    double buffer[BLOCK];
    if (stored->way == GP_ROWS_VALUES)
        load_of(rows)(data, rows->plane.col_stride_bytes, n, out);
    else
        gp_loops_for(stored->dtype)->values(stored_elems(rows, stored, data, n, buffer), n, out);
}

/* A component of n complex numbers by loops over vectors; false, and nothing of use, if there is none for what they are. */
static bool find_components(gp_component component, const double *re, const double *im, int64_t n, double *out)
{
    const gp_hidden_loops *loops = gp_hidden_loops_here();
    const gp_loops *floats = gp_loops_for(GP_F64);
    bool is_im = component == GP_COMPONENT_UNIT_IM || component == GP_COMPONENT_SUM_IM;
    switch ((int)component) {
    case GP_COMPONENT_ABS: return loops->magnitudes(re, im, n, out);
    case GP_COMPONENT_ABS2: loops->squares(re, im, n, out); return floats->are_finite(out, n);
    case GP_COMPONENT_UNIT_RE:
    case GP_COMPONENT_UNIT_IM: return loops->unit_parts(re, im, is_im ? im : re, n, out);
    case GP_COMPONENT_SUM_RE:
    case GP_COMPONENT_SUM_IM:
        memcpy(out, is_im ? im : re, (size_t)n * sizeof *out);
        return floats->are_finite(re, n) && floats->are_finite(im, n);
    default: return false;
    }
}

static void load_complex(const gp_row_reader *rows, gp_component component, const char *data, int64_t n, double *out)
{
    double re[BLOCK], im[BLOCK];
    load_elems(rows, &rows->part, data, n, re);
    load_elems(rows, &rows->part, data + gp_dtype_size_bytes(rows->plane.dtype) / 2, n, im);
    if (find_components(component, re, im, n, out))
        return;
    for (int64_t i = 0; i < n; i++)
        out[i] = gp_component_of_complex(component, re[i], im[i]);
}

static const char *channel_data(const gp_plane *plane, int channel, const char *data)
{
    return data + channel * plane->channel_stride_bytes;
}

static void load_one_channel(const gp_row_reader *rows, int channel, const char *data, int64_t n, double *out)
{
    load_elems(rows, &rows->part, channel_data(&rows->plane, channel, data), n, out);
}

static void weigh_by_alpha(const gp_row_reader *rows, const char *data, int64_t n, double *out)
{
    const gp_plane *plane = &rows->plane;
    double alpha[BLOCK];
    load_one_channel(rows, plane->n_channels - 1, data, n, alpha);
    if (plane->channel + 1 < plane->n_channels)
        gp_hidden_loops_here()->weigh(alpha, gp_opaque_alpha(plane->dtype), n, out);
    for (int64_t i = 0; i < n && plane->channel + 1 == plane->n_channels; i++)
        out[i] = gp_weighted_by_alpha(plane, out[i], alpha[i]);
}

/* The marks of what any channel holds, in place of elements that are not finite in all of them. */
static void mark_by_channels(const gp_row_reader *rows, const char *data, int64_t n, double *out)
{
    double one[BLOCK];
    uint64_t has[BLOCK] = {0};
    for (int channel = 0; channel < rows->plane.n_channels; channel++) {
        load_one_channel(rows, channel, data, n, one);
        gp_hidden_loops_here()->kinds(one, n, has);
    }
    for (int64_t i = 0; i < n; i++)
        if (has[i] != GP_HAS_FINITE)
            out[i] = gp_mark_value((unsigned)has[i]);
}

static bool are_channels_finite(const gp_row_reader *rows, const char *data, int64_t n)
{
    const gp_plane *plane = &rows->plane;
    const gp_loops *loops = gp_loops_for(rows->part.dtype);
    double buffer[BLOCK];
    bool are_finite = true;
    if (rows->has_pixels_in_place)
        return loops->are_finite(data, n * plane->n_channels);
    for (int channel = 0; channel < plane->n_channels && are_finite; channel++)
        are_finite = loops->are_finite(stored_elems(rows, &rows->part, channel_data(plane, channel, data), n, buffer), n);
    return are_finite;
}

/* A channel's value, or the mark of what any channel holds. */
static void load_channel(const gp_row_reader *rows, const char *data, int64_t n, double *out)
{
    const gp_plane *plane = &rows->plane;
    load_one_channel(rows, plane->channel, data, n, out);
    if (plane->is_alpha_weighted)
        weigh_by_alpha(rows, data, n, out);
    if (gp_dtype_is_float(plane->dtype) && !are_channels_finite(rows, data, n))
        mark_by_channels(rows, data, n, out);
}

static void load_real(const gp_row_reader *rows, gp_component component, const char *data, int64_t n, double *out)
{
    load_elems(rows, &rows->stored, data, n, out);
    if (component == GP_COMPONENT_VALUE || component == GP_COMPONENT_RE)
        return;
    for (int64_t i = 0; i < n; i++)
        out[i] = gp_component_of_real(component, out[i]);
}

void gp_row_reader_load_values(const gp_row_reader *rows, gp_component component, const char *data, const uint8_t *mask,
                               int64_t n, double *out)
{
    const gp_plane *plane = &rows->plane;
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t n_here = n - i < BLOCK ? n - i : BLOCK;
        const char *block = data + i * plane->col_stride_bytes;
        if (gp_dtype_is_complex(plane->dtype))
            load_complex(rows, component, block, n_here, out + i);
        else if (component == GP_COMPONENT_CHANNEL)
            load_channel(rows, block, n_here, out + i);
        else
            load_real(rows, component, block, n_here, out + i);
        for (int64_t k = i; plane->scale != 0 && k < i + n_here; k++)
            out[k] = gp_scaled(out[k], plane->scale);
        if (mask != NULL)
            gp_hide_masked(plane, mask + i * plane->mask_col_stride_bytes, n_here, out + i);
    }
}
