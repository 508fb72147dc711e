/* Chooses how a plane's rows are read, and reads them. */
#include "row_reader.h"

#include "../../core/tensor/plane_layout.h"
#include "row_hidden.h"
#include "row_load.h"

/* The dtypes that the loops take as they are. */
static bool is_loop_dtype(gp_dtype dtype)
{
    return dtype <= GP_F64 || (gp_dtype_is_float(dtype) && gp_dtype_size_bytes(dtype) == 2);
}

static bool is_aligned(const gp_plane *plane, const gp_stored_rows *stored)
{
    uintptr_t bits = ((uintptr_t)plane->data + (uintptr_t)stored->offset_bytes) | (uintptr_t)plane->row_stride_bytes;
    if (plane->component == GP_COMPONENT_CHANNEL)
        bits |= (uintptr_t)plane->channel_stride_bytes;
    for (int i = 0; i < plane->n_hidden; i++)
        bits |= (uintptr_t)plane->hidden[i].stride_bytes;
    return bits % (uintptr_t)stored->item_bytes == 0;
}

static void fill_table(gp_row_reader *rows)
{
    switch (rows->plane.dtype) {
#define F8_VALUES(NAME, ...)                                                                                                     \
    case GP_##NAME:                                                                                                              \
        for (int code = 0; code < 256; code++)                                                                                   \
            rows->table[code] = gp_load_##NAME((uint8_t)code);                                                                   \
        break;
        GP_F8_DTYPES(F8_VALUES)
#undef F8_VALUES
    default: break;
    }
}

/* For elements of a dtype that the loops take as they are. */
static gp_row_way way_of_loop_dtype(const gp_plane *plane, const gp_stored_rows *stored)
{
    bool is_dense = plane->col_stride_bytes == stored->item_bytes || plane->n_cols <= 1;
    bool is_swapped = plane->is_byteswapped && stored->item_bytes > 1;
    return is_dense && !is_swapped && is_aligned(plane, stored) ? GP_ROWS_IN_PLACE : GP_ROWS_PACKED;
}

/* How single elements are read, where their mask, scale and hidden axes are seen to by others. */
static gp_stored_rows stored_of(const gp_plane *plane)
{
    gp_plane elems = *plane;
    gp_stored_rows stored = {.way = GP_ROWS_VALUES, .dtype = GP_F64, .item_bytes = sizeof(double)};
    gp_dtype dtype;
    int64_t offset_bytes;
    elems.mask = NULL, elems.n_stages = 0, elems.scale = 0;
    if (!gp_plane_is_stored(&elems, &dtype, &offset_bytes) ||
        (!is_loop_dtype(dtype) && dtype != GP_BOOL && !gp_dtype_is_f8(dtype)))
        return stored;
    stored.offset_bytes = offset_bytes;
    stored.dtype = dtype == GP_BOOL ? GP_U8 : gp_dtype_is_f8(dtype) ? GP_F32 : dtype;
    stored.item_bytes = gp_dtype_size_bytes(stored.dtype);
    stored.way = dtype == GP_BOOL ? GP_ROWS_BOOL : gp_dtype_is_f8(dtype) ? GP_ROWS_TABLE : way_of_loop_dtype(plane, &stored);
    return stored;
}

/* The first channel of colors, or part of complex numbers. */
static gp_stored_rows stored_part_of(const gp_plane *plane)
{
    gp_plane first = *plane;
    first.component = gp_dtype_is_complex(plane->dtype) ? GP_COMPONENT_RE : GP_COMPONENT_VALUE;
    gp_stored_rows stored = stored_of(&first);
    if (stored.way == GP_ROWS_IN_PLACE && !is_aligned(plane, &stored))
        stored.way = GP_ROWS_PACKED;
    return stored;
}

/* Whether the channels of elements lie side by side, so that a row is one of channels that the loops take as they are. */
static bool are_pixels_in_place(const gp_plane *plane, const gp_stored_rows *channel)
{
    bool is_plain = channel->way == GP_ROWS_PACKED && !plane->is_byteswapped && is_aligned(plane, channel);
    return is_plain && plane->channel_stride_bytes == channel->item_bytes &&
           plane->col_stride_bytes == plane->n_channels * channel->item_bytes;
}

void gp_row_reader_init(const gp_plane *plane, gp_nan hidden_nan, gp_row_reader *out)
{
    out->plane = *plane;
    out->hidden_nan = hidden_nan;
    out->stored = stored_of(plane);
    out->part = stored_part_of(plane);
    out->has_pixels_in_place = are_pixels_in_place(plane, &out->part);
    out->origin = plane->data;
    if (out->part.way == GP_ROWS_TABLE)
        fill_table(out);
    if (plane->mask != NULL || plane->n_stages > 0 || plane->scale != 0 || out->stored.way == GP_ROWS_VALUES) {
        out->source = GP_ROWS_VALUES, out->dtype = GP_F64, out->item_bytes = sizeof(double);
        return;
    }
    out->source = out->stored.way, out->dtype = out->stored.dtype, out->item_bytes = out->stored.item_bytes;
    if (out->origin != NULL)
        out->origin += out->stored.offset_bytes;
}

size_t gp_row_reader_scratch_bytes(const gp_row_reader *rows, int64_t n)
{
    int n_stages = rows->plane.n_stages;
    return n_stages == 0 ? 0 : (size_t)n * (size_t)(n_stages * GP_HIDDEN_VALUES_PER_STAGE + 1) * sizeof(double);
}

static const char *address_of(const gp_row_reader *rows, int64_t row, int64_t col)
{
    return rows->origin + row * rows->plane.row_stride_bytes + col * rows->plane.col_stride_bytes;
}

const void *gp_row_reader_get(const gp_row_reader *rows, int64_t row, int64_t col, int64_t n, void *buffer, void *scratch)
{
    const gp_plane *plane = &rows->plane;
    const char *data = address_of(rows, row, col);
    const uint8_t *mask = gp_plane_mask_at(plane, row, col);
    if (rows->source != GP_ROWS_VALUES)
        return gp_row_reader_load_stored(rows, &rows->stored, data, n, buffer);
    if (plane->n_stages > 0)
        gp_row_reader_load_hidden(rows, data, mask, n, buffer, NULL, scratch);
    else
        gp_row_reader_load_values(rows, plane->component, data, mask, n, buffer);
    return buffer;
}

bool gp_row_reader_get_both(const gp_row_reader *rows, int64_t row, int64_t col, int64_t n, double *shown, double *without_nan,
                            void *scratch)
{
    const double nan = gp_mark_value(GP_HAS_NAN);
    double *had_nan = shown, any = 0;
    memset(had_nan, 0, (size_t)n * sizeof *had_nan);
    gp_row_reader_load_hidden(rows, address_of(rows, row, col), gp_plane_mask_at(&rows->plane, row, col), n, without_nan, had_nan,
                              scratch);
    for (int64_t i = 0; i < n; i++)
        any += had_nan[i];
    for (int64_t i = 0; i < n && any > 0; i++)
        shown[i] = had_nan[i] > 0 ? nan : without_nan[i];
    return any > 0;
}
