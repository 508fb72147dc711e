/* Borrowing: what DLPack describes becomes a tensor, what no array can be is refused, and release happens once. */
#include "../../native/core/tensor/view.h"
#include "check.h"

static int n_released;

static void count_release(void *owner)
{
    CHECK(owner == &n_released);
    n_released++;
}

static gp_dl_tensor dl_tensor(void *data, int32_t n_dims, int64_t *shape, int64_t *strides)
{
    return (gp_dl_tensor){
        .data = data, .device = {GP_DL_CPU, 0}, .ndim = n_dims, .dtype = {2, 32, 1}, .shape = shape, .strides = strides};
}

static void test_strides_and_offset(void)
{
    float data[8] = {0};
    int64_t shape[2] = {2, 3}, strides[2] = {-3, 1};
    gp_dl_tensor source = dl_tensor(data, 2, shape, NULL);
    gp_tensor tensor;
    gp_error error = {0};
    CHECK(gp_tensor_from_dlpack(&source, -1, &tensor, &error) == GP_OK);
    CHECK(tensor.dtype == GP_F32 && tensor.strides_bytes[0] == 12 && tensor.strides_bytes[1] == 4);
    CHECK(gp_tensor_n_elems(&tensor) == 6);
    source.strides = strides, source.byte_offset = 12;
    CHECK(gp_tensor_from_dlpack(&source, -1, &tensor, &error) == GP_OK);
    CHECK(tensor.data == &data[3] && tensor.strides_bytes[0] == -12);
}

static void test_release_once(void)
{
    gp_tensor tensor = {.release_owner = count_release, .owner = &n_released};
    gp_tensor_release(&tensor);
    gp_tensor_release(&tensor);
    CHECK(n_released == 1);
}

static void check_refused(gp_dl_tensor source, gp_status want)
{
    gp_tensor tensor;
    gp_error error = {0};
    CHECK(gp_tensor_from_dlpack(&source, -1, &tensor, &error) == want);
    CHECK(error.status == want && error.message[0] != '\0');
}

static void test_refusals(void)
{
    float data[4] = {0};
    int64_t negative[1] = {-1}, huge[2] = {INT64_MAX / 2, 8}, one[1] = {4}, far[1] = {INT64_MAX / 2};
    gp_dl_tensor source = dl_tensor(data, 1, negative, NULL);
    check_refused(source, GP_ERR_VALUE);
    check_refused(dl_tensor(data, 2, huge, NULL), GP_ERR_VALUE);
    check_refused(dl_tensor(NULL, 1, one, NULL), GP_ERR_VALUE);
    check_refused(dl_tensor(data, 1, one, far), GP_ERR_VALUE);
    check_refused(dl_tensor(data, GP_MAX_NDIM + 1, one, NULL), GP_ERR_VALUE);
    check_refused(dl_tensor(data, -1, one, NULL), GP_ERR_VALUE);
    check_refused(dl_tensor(data, 1, NULL, NULL), GP_ERR_VALUE);
    source = dl_tensor(data, 1, one, NULL);
    source.dtype.lanes = 4;
    check_refused(source, GP_ERR_UNSUPPORTED);
    source.dtype = (gp_dl_dtype){2, 24, 1};
    check_refused(source, GP_ERR_UNSUPPORTED);
}

/* A byte_offset wrapped round the address space, and no sum of an address and strides was looked at: reading crashed. */
static void test_addresses(void)
{
    float data[4] = {0};
    int64_t shape[2] = {2, 2}, none[2] = {0, 2}, up[2] = {(int64_t)1 << 60, 1}, down[2] = {-((int64_t)1 << 60), 1};
    uint64_t address = (uint64_t)(uintptr_t)data, offsets[] = {(uint64_t)-16, (uint64_t)1 << 63, (uint64_t)1 << 62, 0 - address};
    gp_tensor tensor = {.data = data, .dtype = GP_F32, .n_dims = 1, .shape = {2}, .strides_bytes = {4}};
    gp_error error = {0};
    gp_dl_tensor source = dl_tensor(data, 2, shape, NULL);
    for (int i = 0; i < 4; i++) {
        source.byte_offset = offsets[i];
        check_refused(source, GP_ERR_VALUE);
        source.shape = none;
        CHECK(gp_tensor_from_dlpack(&source, -1, &tensor, &error) == GP_OK); /* no elements: nothing is read there */
        source.shape = shape;
    }
    check_refused(dl_tensor(data, 2, shape, up), GP_ERR_VALUE);
    check_refused(dl_tensor(data, 2, shape, down), GP_ERR_VALUE);
    tensor = (gp_tensor){
        .data = data, .dtype = GP_F32, .device = {GP_DL_CUDA, 0}, .n_dims = 1, .shape = {2}, .strides_bytes = {4}};
    CHECK(gp_tensor_check(&tensor, &error) == GP_OK);
    tensor.data = (const void *)(uintptr_t)((uint64_t)-8);
    CHECK(gp_tensor_check(&tensor, &error) == GP_ERR_VALUE); /* its end is 2^64 */
    tensor.data = (const void *)(uintptr_t)((uint64_t)1 << 62);
    CHECK(gp_tensor_check(&tensor, &error) == GP_OK); /* which addresses a device has, the driver knows */
    tensor.data = (const void *)(uintptr_t)4, tensor.strides_bytes[0] = -4;
    CHECK(gp_tensor_check(&tensor, &error) == GP_ERR_VALUE); /* its last element is at the null address */
    tensor.data = (const void *)(uintptr_t)8;
    CHECK(gp_tensor_check(&tensor, &error) == GP_OK);
    tensor.data = data, tensor.mask = (const uint8_t *)data, tensor.mask_strides_bytes[0] = INT64_MIN / 2;
    CHECK(gp_tensor_check(&tensor, &error) == GP_ERR_VALUE && strstr(error.message, "leave the address space") != NULL);
}

static void test_planes(void)
{
    float data[24] = {0};
    int64_t shape[3] = {2, 3, 4};
    gp_dl_tensor source = dl_tensor(data, 3, shape, NULL);
    gp_axis_use uses[3] = {{GP_ROLE_FIXED, 1, 1, 1, 0}, {GP_ROLE_COLS, 2, -1, 3, 0}, {GP_ROLE_ROWS, 1, 2, 2, 0}};
    gp_tensor tensor;
    gp_plane plane;
    gp_error error = {0};
    CHECK(gp_tensor_from_dlpack(&source, -1, &tensor, &error) == GP_OK);
    CHECK(gp_plane_from(&tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &error) == GP_OK);
    CHECK(plane.data == &data[12 + 8 + 1] && plane.n_rows == 2 && plane.n_cols == 3);
    CHECK(plane.row_stride_bytes == 8 && plane.col_stride_bytes == -16 && gp_plane_is_direct(&plane));
    gp_plane part = gp_plane_crop(&plane, 1, 2, 1, 3), turned = gp_plane_transpose(&part);
    CHECK(part.data == &data[12 + 4 + 3] && turned.n_rows == 2 && turned.n_cols == 1);
    uses[0].start = 2;
    CHECK(gp_plane_from(&tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &error) == GP_ERR_INDEX);
    uses[0] = (gp_axis_use){GP_ROLE_COLS, 0, 1, 2, 0};
    CHECK(gp_plane_from(&tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &error) == GP_ERR_VALUE);
}

/* Axes share a role where they lie end to end, in the order of their stages. */
static void test_joint_axes(void)
{
    float data[24] = {0};
    int64_t shape[3] = {2, 3, 4}, turned[3] = {3, 1, 12};
    gp_dl_tensor source = dl_tensor(data, 3, shape, NULL);
    gp_axis_use uses[3] = {{GP_ROLE_ROWS, 0, 1, 2, 0}, {GP_ROLE_ROWS, 0, 1, 3, 0}, {GP_ROLE_COLS, 0, 1, 4, 0}};
    gp_tensor tensor;
    gp_plane plane;
    gp_error error = {0};
    CHECK(gp_tensor_from_dlpack(&source, -1, &tensor, &error) == GP_OK);
    CHECK(gp_plane_from(&tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &error) == GP_OK);
    CHECK(plane.n_rows == 6 && plane.n_cols == 4 && plane.row_stride_bytes == 16 && plane.col_stride_bytes == 4);
    uses[2].role = GP_ROLE_ROWS;
    CHECK(gp_plane_from(&tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &error) == GP_OK);
    CHECK(plane.n_rows == 24 && plane.n_cols == 1 && plane.row_stride_bytes == 4);
    uses[2].size = 3;
    CHECK(gp_plane_from(&tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &error) == GP_ERR_VALUE);
    uses[2].size = 4, uses[2].stage = 3;
    CHECK(gp_plane_from(&tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &error) == GP_ERR_VALUE);
    source.strides = turned, shape[0] = 4, shape[2] = 2; /* (4, 3, 2), of which the last axis is the outermost */
    uses[0] = (gp_axis_use){GP_ROLE_COLS, 0, 1, 4, 1}, uses[1] = (gp_axis_use){GP_ROLE_COLS, 0, 1, 3, 2};
    uses[2] = (gp_axis_use){GP_ROLE_COLS, 0, 1, 2, 0};
    CHECK(gp_tensor_from_dlpack(&source, -1, &tensor, &error) == GP_OK);
    CHECK(gp_plane_from(&tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &error) == GP_OK);
    CHECK(plane.n_rows == 1 && plane.n_cols == 24 && plane.col_stride_bytes == 4);
    uses[2].stage = 2;
    CHECK(gp_plane_from(&tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &error) == GP_ERR_VALUE);
}

static void test_dtypes(void)
{
    gp_dtype dtype;
    CHECK(gp_dtype_from_name("float8_e5m2", &dtype) && dtype == GP_F8_E5M2 && gp_dtype_is_f8(dtype));
    CHECK(!gp_dtype_from_name("float7", &dtype));
    CHECK(gp_dtype_from_dlpack(4, 16, &dtype) && dtype == GP_BF16);
    CHECK(gp_value_BF16(0x3fc0) == 1.5 && gp_value_F16(0x7bff) == 65504 && gp_value_F16(1) == 0x1p-24);
    CHECK(gp_value_F8_E4M3FN(0x7e) == 448 && gp_value_F8_E4M3FN(1) == 0x1p-9 && isnan(gp_value_F8_E4M3FN(0xff)));
    CHECK(gp_value_F8_E5M2(0xfc) == -INFINITY && gp_value_F8_E5M2(0x7b) == 57344);
    CHECK(gp_value_F8_E3M4(0x6f) == 15.5 && gp_value_F8_E8M0FNU(0xfe) == 0x1p127 && isnan(gp_value_F8_E8M0FNU(0xff)));
    CHECK(gp_value_F8_E4M3B11FNUZ(0x7f) == 30 && isnan(gp_value_F8_E4M3FNUZ(0x80)) && gp_value_F8_E5M2FNUZ(0x42) == 1.5);
}

int main(void)
{
    test_strides_and_offset();
    test_release_once();
    test_refusals();
    test_addresses();
    test_planes();
    test_joint_axes();
    test_dtypes();
    return 0;
}
