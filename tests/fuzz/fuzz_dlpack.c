/* Borrows DLPack tensors with any fields: what lies in our memory is taken and read, and what leaves the address space refused. */
#include "check.h"
#include "../../native/core/tensor/conversion.h"
#include "backend.h"
#include "input.h"
#include "../../native/core/statistics/slices.h"

enum { MEMORY_BYTES = 1024, MAX_FIELDS = GP_MAX_NDIM + 4, MAX_READ_ELEMS = 4096 };

typedef __int128 wide;

/* A description, its arrays in memory of just the right size, and the memory that it may describe. */
typedef struct producer {
    gp_dl_tensor tensor;
    int n_fields;
    char *memory;
} producer;

static int64_t *read_int64s(gp_input *input, int n, bool are_small)
{
    int64_t *values = malloc((n > 0 ? (size_t)n : 1) * sizeof *values);
    CHECK(values != NULL);
    for (int i = 0; i < n; i++)
        values[i] = are_small ? (int8_t)input_bits(input, 1) % 8 : input_int64(input);
    return values;
}

static gp_dl_dtype read_dtype(gp_input *input)
{
    static const gp_dl_dtype known[] = {
#define DTYPE_ROW(NAME, storage, KIND, name, code, bits, ...) {code, bits, 1},
        GP_DEVICE_DTYPES(DTYPE_ROW)
#undef DTYPE_ROW
    };
    if (!input_one_in(input, 16))
        return known[input_between(input, 0, (int64_t)(sizeof known / sizeof *known) - 1)];
    return (gp_dl_dtype){(uint8_t)input_bits(input, 1), (uint8_t)input_bits(input, 1), (uint16_t)input_bits(input, 1)};
}

static producer read_producer(gp_input *input)
{
    static const int32_t kinds[] = {GP_DL_CPU, GP_DL_CPU, GP_DL_CUDA, GP_DL_CUDA_HOST, GP_DL_CUDA_MANAGED, 10};
    producer p = {.n_fields = (int)input_between(input, 0, input_one_in(input, 16) ? MAX_FIELDS : 5)};
    bool are_small = !input_one_in(input, 4);
    p.memory = malloc(MEMORY_BYTES);
    CHECK(p.memory != NULL);
    for (int i = 0; i < MEMORY_BYTES; i++)
        p.memory[i] = (char)(i * 7 + i / 256);
    p.tensor.ndim = input_one_in(input, 32) ? (int32_t)input_bits(input, 4) : p.n_fields;
    p.tensor.ndim = p.tensor.ndim > p.n_fields && p.tensor.ndim <= GP_MAX_NDIM ? p.n_fields : p.tensor.ndim;
    p.tensor.dtype = read_dtype(input);
    p.tensor.device = (gp_dl_device){kinds[input_between(input, 0, 5)], (int32_t)input_between(input, -1, 2)};
    p.tensor.shape = input_one_in(input, 32) ? NULL : read_int64s(input, p.n_fields, are_small);
    p.tensor.strides = input_one_in(input, 4) ? NULL : read_int64s(input, p.n_fields, are_small);
    int where = (int)input_between(input, 0, 15);
    uint64_t address = where == 1 ? input_bits(input, 8) : (uint64_t)(uintptr_t)p.memory;
    p.tensor.data = where == 0 ? NULL : (void *)(uintptr_t)address;
    p.tensor.byte_offset = input_one_in(input, 8) ? (uint64_t)input_int64(input) : input_bits(input, 1) * 2;
    return p;
}

/* What a description means, in numbers that cannot overflow here. */
typedef struct extent {
    bool is_described, is_empty, is_huge; /* huge: 2^63 bytes without repetition, where sizes of 0 count as 1 */
    wide low, high, n_elems; /* the first byte and the one behind the last */
} extent;

static extent extent_of(const gp_dl_tensor *tensor, int item_bytes)
{
    extent e = {.is_described = tensor->ndim >= 0 && tensor->ndim <= GP_MAX_NDIM && (tensor->ndim == 0 || tensor->shape != NULL),
                .n_elems = 1};
    wide row_major = item_bytes, n_bytes = item_bytes;
    e.low = e.high = (wide)(uint64_t)(uintptr_t)tensor->data + tensor->byte_offset;
    for (int i = 0; e.is_described && i < tensor->ndim; i++) {
        e.is_described = tensor->shape[i] >= 0;
        e.is_empty |= tensor->shape[i] == 0;
        n_bytes *= tensor->shape[i] > 0 && !e.is_huge ? tensor->shape[i] : 1;
        e.is_huge |= n_bytes > INT64_MAX;
    }
    for (int i = e.is_described ? tensor->ndim - 1 : -1; !e.is_empty && i >= 0; i--) {
        wide stride = tensor->strides ? (wide)tensor->strides[i] * item_bytes : row_major, reach = 0;
        if (tensor->shape[i] > 1 && __builtin_mul_overflow(stride, (wide)tensor->shape[i] - 1, &reach))
            e.is_described = false, reach = 0;
        e.is_described &= reach < (wide)1 << 64 && reach > -((wide)1 << 64);
        reach = e.is_described ? reach : 0;
        *(reach < 0 ? &e.low : &e.high) += reach;
        e.n_elems *= e.is_huge ? 1 : tensor->shape[i];
        row_major *= e.is_huge ? 1 : tensor->shape[i];
    }
    e.high += item_bytes;
    return e;
}

/* Bytes of elements, gathered by the plan of a conversion and one by one. */
static void check_elements(const gp_tensor *tensor, int64_t n_elems)
{
    int item_bytes = gp_dtype_size_bytes(tensor->dtype);
    char *out = malloc((size_t)(n_elems * item_bytes + 1));
    gp_target target = {.data = out, .dtype = tensor->dtype};
    gp_conversion plan;
    gp_error error = {0};
    int64_t stride = item_bytes;
    CHECK(out != NULL);
    for (int i = tensor->n_dims - 1; i >= 0; i--) {
        target.strides_bytes[i] = stride;
        stride *= tensor->shape[i];
    }
    CHECK(gp_conversion_plan(tensor, &target, &plan, &error) == GP_OK);
    CHECK(gp_cpu_backend.convert(&plan, NULL, &error) == GP_OK);
    for (int64_t i = 0; i < n_elems; i++) {
        const char *element = tensor->data;
        int64_t at = i;
        for (int axis = tensor->n_dims - 1; axis >= 0; axis--) {
            element += at % tensor->shape[axis] * tensor->strides_bytes[axis];
            at /= tensor->shape[axis];
        }
        CHECK(memcmp(out + i * item_bytes, element, (size_t)item_bytes) == 0);
    }
    free(out);
}

/* The last two axes as a plane, and all but the first inside of slices: arithmetic on addresses that nobody may read. */
static void check_arithmetic(const gp_tensor *tensor)
{
    gp_axis_use uses[GP_MAX_NDIM];
    gp_slice_use slice_uses[GP_MAX_NDIM];
    gp_component component = gp_dtype_is_complex(tensor->dtype) ? GP_COMPONENT_RE : GP_COMPONENT_VALUE;
    gp_plane plane;
    gp_slices slices;
    gp_error error = {0};
    for (int i = 0; i < tensor->n_dims; i++) {
        bool is_fixed = i < tensor->n_dims - 2;
        gp_axis_role role = is_fixed ? GP_ROLE_FIXED : i == tensor->n_dims - 1 ? GP_ROLE_COLS : GP_ROLE_ROWS;
        int64_t size = tensor->shape[i], last = size > 0 ? size - 1 : 0;
        uses[i] = is_fixed ? (gp_axis_use){role, last, 1, 1, 0} : (gp_axis_use){role, last, -1, size, 0};
        slice_uses[i] = (gp_slice_use){last, -1, size, i == 0};
    }
    bool has_last = true;
    for (int i = 0; i < tensor->n_dims - 2; i++)
        has_last &= tensor->shape[i] > 0;
    CHECK((gp_plane_from(tensor, uses, 0, NULL, component, &plane, &error) == GP_OK) == has_last);
    CHECK(gp_slices_from(tensor, slice_uses, component, &slices, &error) == GP_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    gp_input input = {data, n_bytes};
    producer p = read_producer(&input);
    gp_tensor tensor = {0};
    gp_error error = {0};
    gp_dtype dtype = GP_U8;
    bool is_dtype = p.tensor.dtype.lanes == 1 && gp_dtype_from_dlpack(p.tensor.dtype.code, p.tensor.dtype.bits, &dtype);
    extent e = extent_of(&p.tensor, gp_dtype_size_bytes(dtype));
    wide begin = (wide)(uint64_t)(uintptr_t)p.memory;
    bool is_ours = e.low >= begin && e.high <= begin + MEMORY_BYTES;
    gp_status status = gp_tensor_from_dlpack(&p.tensor, -1, &tensor, &error);
    if (is_dtype && e.is_described && !e.is_huge && (e.is_empty || (is_ours && e.n_elems <= INT64_MAX / 16)))
        CHECK(status == GP_OK);
    if (status == GP_OK) {
        CHECK(is_dtype && e.is_described && tensor.dtype == dtype && tensor.n_dims == p.tensor.ndim);
        CHECK(e.is_empty || (p.tensor.data != NULL && e.low > 0 && e.high <= (wide)UINT64_MAX));
        check_arithmetic(&tensor);
        if (is_ours && !e.is_empty && e.n_elems <= MAX_READ_ELEMS)
            tensor.device.kind = GP_DL_CPU, check_elements(&tensor, (int64_t)e.n_elems);
    } else {
        CHECK(error.message[0] != 0 && tensor.data == NULL);
    }
    free(p.tensor.shape);
    free(p.tensor.strides);
    free(p.memory);
    return 0;
}
