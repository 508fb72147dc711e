/* Converts any dtype and layout to any other: every element as one cast alone gives it, and no byte between elements written. */
#include "backend.h"
#include "cast_elements.h"
#include "check.h"
#include "layouts.h"

enum { CANARY = 0x55 };

typedef struct arrays {
    int n_dims;
    int64_t shape[MAX_LAYOUT_DIMS], n_elems;
    gp_dtype from, to;
    bool is_swapped, is_masked, is_inverted;
    gp_layout source, result, mask;
    char *source_bytes, *result_bytes, *mask_bytes;
} arrays;

static arrays read_arrays(gp_input *input)
{
    arrays a = {.n_dims = (int)input_between(input, 0, MAX_LAYOUT_DIMS), .from = input_dtype(input), .to = input_dtype(input)};
    int64_t flags = input_between(input, 0, 255);
    a.is_swapped = (flags & 1) != 0 && a.from != GP_LONGDOUBLE;
    a.is_masked = (flags & 2) != 0, a.is_inverted = (flags & 4) != 0;
    a.to = flags & 8 ? a.from : a.to;
    a.n_elems = input_shape(input, a.n_dims, a.shape);
    a.source = input_layout(input, a.n_dims, a.shape, gp_dtype_size_bytes(a.from), true);
    a.result = input_layout(input, a.n_dims, a.shape, gp_dtype_size_bytes(a.to), input_one_in(input, 64));
    a.mask = input_layout(input, a.n_dims, a.shape, 1, true);
    a.source_bytes = exactly(a.source.n_bytes, (int)(flags >> 6)); /* unaligned, too */
    a.result_bytes = exactly(a.result.n_bytes, (int)(flags >> 4 & 3));
    a.mask_bytes = exactly(a.mask.n_bytes, 0);
    input_elements(input, a.from, a.is_swapped, a.source.n_bytes, a.source_bytes + (flags >> 6));
    input_fill_random(input, a.mask_bytes, (size_t)a.mask.n_bytes);
    for (int64_t i = 0; i < a.mask.n_bytes; i++)
        a.mask_bytes[i] = (char)(a.mask_bytes[i] % 3);
    memset(a.result_bytes, CANARY, (size_t)(a.result.n_bytes + (flags >> 4 & 3)));
    a.source.first += flags >> 6;
    a.result.first += flags >> 4 & 3, a.result.n_bytes += flags >> 4 & 3;
    return a;
}

static void free_arrays(arrays *a)
{
    free(a->source_bytes);
    free(a->result_bytes);
    free(a->mask_bytes);
}

static bool is_nan_part(const char *part, gp_dtype dtype)
{
    double value;
    char wide[MAX_ITEM_BYTES];
    cast_part(part, dtype, GP_F64, wide);
    memcpy(&value, wide, sizeof value);
    return value != value;
}

static bool is_nan_of(const char *item, gp_dtype dtype)
{
    int n_parts = gp_dtype_is_complex(dtype) ? 2 : 1, part_bytes = gp_dtype_size_bytes(dtype) / n_parts;
    return is_nan_part(item, dtype) && is_nan_part(item + (n_parts - 1) * part_bytes, dtype);
}

/* Compares element i, and puts the canary back where it was written. */
static void check_element(const arrays *a, int64_t i)
{
    char item[MAX_ITEM_BYTES], want[MAX_ITEM_BYTES];
    char *got = a->result_bytes + layout_offset(&a->result, a->n_dims, a->shape, i);
    bool is_shown = gp_dtype_is_float(a->to) || gp_dtype_is_complex(a->to);
    bool is_marked = a->mask_bytes[layout_offset(&a->mask, a->n_dims, a->shape, i)] != 0;
    memcpy(item, a->source_bytes + layout_offset(&a->source, a->n_dims, a->shape, i), (size_t)gp_dtype_size_bytes(a->from));
    if (a->is_swapped)
        swap_element(item, a->from);
    if (a->is_masked && is_shown && is_marked != a->is_inverted) {
        CHECK(is_nan_of(got, a->to));
    } else {
        cast_element(item, a->from, a->to, want);
        check_same(got, want, a->to);
    }
    memset(got, CANARY, (size_t)gp_dtype_size_bytes(a->to));
}

static bool shares_memory(const arrays *a)
{
    bool is_shared = false;
    for (int i = 0; i < a->n_dims; i++)
        is_shared |= a->shape[i] > 1 && a->result.strides[i] == 0;
    return is_shared && a->n_elems > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    gp_input input = {data, n_bytes};
    arrays a = read_arrays(&input);
    gp_tensor tensor = {.data = a.source_bytes + a.source.first,
                        .dtype = a.from,
                        .is_byteswapped = a.is_swapped,
                        .device = {GP_DL_CPU, 0},
                        .n_dims = a.n_dims,
                        .is_mask_inverted = a.is_inverted,
                        .mask = a.is_masked ? (const uint8_t *)a.mask_bytes + a.mask.first : NULL};
    gp_target target = {.data = a.result_bytes + a.result.first, .dtype = a.to};
    for (int i = 0; i < a.n_dims; i++) {
        tensor.shape[i] = a.shape[i], tensor.strides_bytes[i] = a.source.strides[i];
        tensor.mask_strides_bytes[i] = a.mask.strides[i], target.strides_bytes[i] = a.result.strides[i];
    }
    gp_conversion plan;
    gp_error error = {0};
    gp_status status = gp_conversion_plan(&tensor, &target, &plan, &error);
    CHECK((status == GP_OK) == (is_pair(a.from, a.to) && !shares_memory(&a)));
    if (status == GP_OK) {
        CHECK(plan.n_elems == a.n_elems && gp_cpu_backend.convert(&plan, NULL, &error) == GP_OK);
        for (int64_t i = 0; i < a.n_elems; i++)
            check_element(&a, i);
    }
    for (int64_t i = 0; i < a.result.n_bytes; i++)
        CHECK(a.result_bytes[i] == CANARY);
    free_arrays(&a);
    return 0;
}
