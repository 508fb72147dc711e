/* Delivers elements as they are stored: in place, picked by their stride, their bytes turned round, or looked up in a table. */
#include "row_stored.h"

#include "../simd/convert_loops.h"

enum { SWAPPED_AT_ONCE = 256 };

/* Picks elements and reverses their bytes, in parts that stay in the nearest cache between the two loops. */
static void pack_swapped(const gp_layout_loops *loops, int64_t item_bytes, const char *data, int64_t stride, int64_t n, char *out)
{
    int size = gp_item_size(item_bytes);
    char picked[SWAPPED_AT_ONCE * sizeof(uint64_t)];
    if (stride == item_bytes) {
        loops->swap[size](data, n, out);
        return;
    }
    for (int64_t i = 0; i < n; i += SWAPPED_AT_ONCE) {
        int64_t n_here = n - i < SWAPPED_AT_ONCE ? n - i : SWAPPED_AT_ONCE;
        loops->pick[size](data + i * stride, stride, n_here, picked);
        loops->swap[size](picked, n_here, out + i * item_bytes);
    }
}

static void pack(int64_t item_bytes, bool is_byteswapped, const char *data, int64_t stride, int64_t n, void *buffer)
{
    const gp_layout_loops *loops = gp_layout_loops_here();
    if (is_byteswapped && item_bytes > 1)
        pack_swapped(loops, item_bytes, data, stride, n, buffer);
    else
        loops->pick[gp_item_size(item_bytes)](data, stride, n, buffer);
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

const void *gp_row_reader_load_stored(const gp_row_reader *rows, const gp_stored_rows *stored, const char *data, int64_t n,
                                      void *buffer)
{
    int64_t stride = rows->plane.col_stride_bytes;
    switch (stored->way) {
    case GP_ROWS_IN_PLACE: return data;
    case GP_ROWS_BOOL: pack_bool((const uint8_t *)data, stride, n, buffer); break;
    case GP_ROWS_TABLE: pack_table(rows->table, (const uint8_t *)data, stride, n, buffer); break;
    default: pack(stored->item_bytes, rows->plane.is_byteswapped, data, stride, n, buffer); break;
    }
    return buffer;
}
