/* Shapes, strides and elements from a fuzzer's bytes. */
#include "layouts.h"

#include "cast_elements.h"

int64_t input_shape(gp_input *input, int n_dims, int64_t *shape)
{
    int64_t n_elems = 1;
    for (int i = 0; i < n_dims; i++) {
        int64_t most = MAX_LAYOUT_ELEMS / (n_elems > 0 ? n_elems : 1);
        shape[i] = input_one_in(input, 32) ? 0 : input_between(input, 1, most < 256 ? most : 256);
        n_elems *= shape[i];
    }
    return n_elems;
}

gp_layout input_layout(gp_input *input, int n_dims, const int64_t *shape, int64_t item_bytes, bool may_share)
{
    gp_layout layout = {.n_bytes = item_bytes};
    bool is_used[MAX_LAYOUT_DIMS] = {false}, is_empty = false;
    int64_t stride = item_bytes;
    for (int n = 0; n < n_dims; n++) {
        unsigned choice = (unsigned)input_bits(input, 1); /* which axis comes next, and the four bits that say how */
        int axis = n_dims - 1 - (int)(choice >> 4) % n_dims;
        while (is_used[axis])
            axis = (axis + n_dims - 1) % n_dims;
        is_used[axis] = true;
        int64_t step = stride + ((choice & 3) == 1 ? item_bytes : (choice & 3) == 2 ? 1 : 0);
        int64_t size = shape[axis] > 0 ? shape[axis] : 1;
        stride = step * size;
        if (may_share && (choice & 12) == 4)
            step = 0;
        bool is_turned = (choice & 12) == 8;
        layout.strides[axis] = is_turned ? -step : step;
        layout.first += is_turned ? (size - 1) * step : 0;
        layout.n_bytes += (size - 1) * step;
        is_empty |= shape[axis] == 0;
    }
    if (is_empty)
        layout.first = layout.n_bytes = 0;
    return layout;
}

int64_t layout_offset(const gp_layout *layout, int n_dims, const int64_t *shape, int64_t i)
{
    int64_t offset = layout->first;
    for (int axis = n_dims - 1; axis >= 0; axis--) {
        offset += i % shape[axis] * layout->strides[axis];
        i /= shape[axis];
    }
    return offset;
}

gp_dtype input_dtype(gp_input *input) { return (gp_dtype)input_between(input, 0, GP_N_DTYPES - 1); }

static int part_bytes_of(gp_dtype dtype) { return gp_dtype_size_bytes(dtype) / (gp_dtype_is_complex(dtype) ? 2 : 1); }

void swap_element(char *item, gp_dtype dtype)
{
    int part_bytes = part_bytes_of(dtype);
    for (int at = 0; at < gp_dtype_size_bytes(dtype); at += part_bytes)
        for (int i = 0; i < part_bytes / 2; i++) {
            char byte = item[at + i];
            item[at + i] = item[at + part_bytes - 1 - i];
            item[at + part_bytes - 1 - i] = byte;
        }
}

void input_elements(gp_input *input, gp_dtype dtype, bool is_byteswapped, int64_t n_bytes, char *out)
{
    int item_bytes = gp_dtype_size_bytes(dtype);
    bool are_small = input_one_in(input, 2);
    input_fill_random(input, out, (size_t)n_bytes);
    for (int64_t at = 0; at + item_bytes <= n_bytes; at += item_bytes) {
        char item[MAX_ITEM_BYTES];
        uint8_t choice = (uint8_t)out[at];
        double small = (double)(int8_t)(choice * 5) / 4;
        bool is_small = are_small || choice % 3 == 0 || dtype == GP_LONGDOUBLE;
        if (is_small && dtype != GP_C32) { /* which nothing but itself becomes */
            cast_element((const char *)&small, GP_F64, dtype, item);
            if (is_byteswapped)
                swap_element(item, dtype);
            memcpy(out + at, item, (size_t)item_bytes);
        }
    }
}
