/* Chooses how a plane's rows are read, and reads rows without masks, components or hidden axes. */
#include "row_reader.h"

#include "../../core/tensor/plane_layout.h"

/* The dtypes that the loops take as they are. */
static bool is_loop_dtype(gp_dtype dtype)
{
    return dtype <= GP_F64 || (gp_dtype_is_float(dtype) && gp_dtype_size_bytes(dtype) == 2);
}

static bool is_aligned(const gp_row_reader *rows)
{
    uintptr_t bits = (uintptr_t)rows->origin | (uintptr_t)rows->plane.row_stride_bytes;
    return bits % (uintptr_t)rows->item_bytes == 0;
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

static void set_source(gp_row_reader *rows, gp_row_way source, gp_dtype dtype)
{
    rows->source = source;
    rows->dtype = dtype;
    rows->item_bytes = gp_dtype_size_bytes(dtype);
}

void gp_row_reader_init(const gp_plane *plane, gp_nan hidden_nan, gp_row_reader *out)
{
    gp_dtype dtype;
    int64_t offset_bytes;
    out->plane = *plane;
    out->hidden_nan = hidden_nan;
    out->origin = plane->data;
    if (!gp_plane_is_stored(plane, &dtype, &offset_bytes) ||
        (!is_loop_dtype(dtype) && dtype != GP_BOOL && !gp_dtype_is_f8(dtype))) {
        set_source(out, GP_ROWS_VALUES, GP_F64);
        return;
    }
    if (out->origin != NULL)
        out->origin += offset_bytes;
    if (dtype == GP_BOOL) {
        set_source(out, GP_ROWS_BOOL, GP_U8);
    } else if (gp_dtype_is_f8(dtype)) {
        set_source(out, GP_ROWS_TABLE, GP_F32);
        fill_table(out);
    } else {
        set_source(out, GP_ROWS_PACKED, dtype);
        bool is_dense = plane->col_stride_bytes == out->item_bytes || plane->n_cols <= 1;
        if (is_dense && is_aligned(out) && !(plane->is_byteswapped && out->item_bytes > 1))
            out->source = GP_ROWS_IN_PLACE;
    }
}

size_t gp_row_reader_scratch_bytes(const gp_row_reader *rows, int64_t n)
{
    int n_stages = rows->plane.n_stages;
    return n_stages == 0 ? 0 : (size_t)n * (size_t)(n_stages * GP_HIDDEN_VALUES_PER_STAGE + 1) * sizeof(double);
}

/* ---- packing -------------------------------------------------------------------------------------------------------- */

#define PACK(bits, swap)                                                                                                         \
    static void pack_##bits(const char *data, int64_t stride, int64_t n, bool is_byteswapped, void *buffer)                      \
    {                                                                                                                            \
        uint##bits##_t *out = buffer;                                                                                            \
        if (is_byteswapped) {                                                                                                    \
            for (int64_t i = 0; i < n; i++) {                                                                                    \
                uint##bits##_t stored;                                                                                           \
                memcpy(&stored, data + i * stride, sizeof stored);                                                               \
                out[i] = swap(stored);                                                                                           \
            }                                                                                                                    \
        } else {                                                                                                                 \
            for (int64_t i = 0; i < n; i++)                                                                                      \
                memcpy(&out[i], data + i * stride, sizeof out[i]);                                                               \
        }                                                                                                                        \
    }
#define SWAP_8(stored) (stored)
PACK(8, SWAP_8)
PACK(16, __builtin_bswap16)
PACK(32, __builtin_bswap32)
PACK(64, __builtin_bswap64)
#undef PACK
#undef SWAP_8

static void pack(const gp_row_reader *rows, const char *data, int64_t n, void *buffer)
{
    int64_t stride = rows->plane.col_stride_bytes;
    bool is_byteswapped = rows->plane.is_byteswapped;
    switch (rows->item_bytes) {
    case 1: pack_8(data, stride, n, is_byteswapped, buffer); break;
    case 2: pack_16(data, stride, n, is_byteswapped, buffer); break;
    case 4: pack_32(data, stride, n, is_byteswapped, buffer); break;
    default: pack_64(data, stride, n, is_byteswapped, buffer); break;
    }
}

static void pack_bool(const uint8_t *data, int64_t stride, int64_t n, uint8_t *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = data[i * stride] != 0;
}

static void pack_table(const float *table, const uint8_t *data, int64_t stride, int64_t n, float *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = table[data[i * stride]];
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
    switch (rows->source) {
    case GP_ROWS_IN_PLACE: return data;
    case GP_ROWS_PACKED: pack(rows, data, n, buffer); return buffer;
    case GP_ROWS_BOOL: pack_bool((const uint8_t *)data, plane->col_stride_bytes, n, buffer); return buffer;
    case GP_ROWS_TABLE: pack_table(rows->table, (const uint8_t *)data, plane->col_stride_bytes, n, buffer); return buffer;
    default: break;
    }
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
