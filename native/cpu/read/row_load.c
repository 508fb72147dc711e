/* Loads elements of any dtype, stride and byte order as float64: values, complex parts, channels; masked ones as such. */
#include "row_load.h"

#include "../../core/tensor/element.h"
#include "../../core/states/scaled.h"
#include "../simd/convert_loops.h"
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

static void load_complex(const gp_row_reader *rows, gp_component component, const char *data, int64_t n, double *out)
{
    double re[BLOCK], im[BLOCK];
    int64_t stride = rows->plane.col_stride_bytes;
    int part_bytes = gp_dtype_size_bytes(rows->plane.dtype) / 2;
    load_of(rows)(data, stride, n, re);
    load_of(rows)(data + part_bytes, stride, n, im);
    if (component == GP_COMPONENT_ABS && gp_hidden_loops_here()->magnitudes(re, im, n, out))
        return;
    for (int64_t i = 0; i < n; i++)
        out[i] = gp_component_of_complex(component, re[i], im[i]);
}

/* A channel's value, or the mark of what any channel holds. */
static void load_channel(const gp_row_reader *rows, const char *data, int64_t n, double *out)
{
    const gp_plane *plane = &rows->plane;
    double other[BLOCK];
    uint8_t has[BLOCK] = {0};
    load_of(rows)(data + plane->channel * plane->channel_stride_bytes, plane->col_stride_bytes, n, out);
    for (int channel = 0; channel < plane->n_channels; channel++) {
        load_of(rows)(data + channel * plane->channel_stride_bytes, plane->col_stride_bytes, n, other);
        for (int64_t i = 0; i < n; i++)
            has[i] |= (uint8_t)gp_class_of(other[i]);
    }
    for (int64_t i = 0; i < n; i++) { /* other now holds the last channel */
        if (has[i] != GP_HAS_FINITE)
            out[i] = gp_mark_value(has[i]);
        else if (plane->is_alpha_weighted)
            out[i] = gp_weighted_by_alpha(plane, out[i], other[i]);
    }
}

/* With channels an element is masked if any of its channels is. */
static void apply_mask(const gp_plane *plane, const uint8_t *mask, int64_t n, double *out)
{
    int n_channels = plane->component == GP_COMPONENT_CHANNEL ? plane->n_channels : 1;
    const double masked = gp_masked_value();
    for (int channel = 0; channel < n_channels; channel++)
        gp_layout_loops_here()->hide[gp_item_size(sizeof masked)](mask + channel * plane->mask_channel_stride_bytes,
                                                                  plane->mask_col_stride_bytes, plane->is_mask_inverted,
                                                                  (const char *)&masked, n, (char *)out);
}

static void load_real(const gp_row_reader *rows, gp_component component, const char *data, int64_t n, double *out)
{
    if (rows->stored.way == GP_ROWS_VALUES) {
        load_of(rows)(data, rows->plane.col_stride_bytes, n, out);
    } else {
        double buffer[BLOCK];
        gp_loops_for(rows->stored.dtype)->values(gp_row_reader_load_stored(rows, data, n, buffer), n, out);
    }
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
            apply_mask(plane, mask + i * plane->mask_col_stride_bytes, n_here, out + i);
    }
}
