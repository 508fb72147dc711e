/* Plans of conversions: what becomes of strides, masks and bytes, and what is refused. */
#include "backend.h"
#include "check.h"
#include "../../native/core/tensor/conversion.h"

static char memory[4096];

/* A tensor and a target of one dtype in `memory`; strides in bytes. */
static void make(gp_dtype dtype, int n_dims, const int64_t *shape, const int64_t *from, const int64_t *to, gp_tensor *tensor,
                 gp_target *target)
{
    *tensor = (gp_tensor){.data = memory + 1024, .dtype = dtype, .device = {GP_DL_CPU, 0}, .n_dims = n_dims};
    *target = (gp_target){.data = memory + 2048, .dtype = dtype};
    for (int i = 0; i < n_dims; i++) {
        tensor->shape[i] = shape[i];
        tensor->strides_bytes[i] = from[i];
        target->strides_bytes[i] = to[i];
    }
}

static gp_conversion plan_of(const gp_tensor *tensor, const gp_target *target)
{
    gp_conversion plan;
    gp_error error = {0};
    CHECK(gp_conversion_plan(tensor, target, &plan, &error) == GP_OK);
    return plan;
}

static bool is_axis(const gp_conversion *plan, int i, int64_t size, int64_t from_stride, int64_t to_stride)
{
    const gp_conversion_axis *axis = &plan->axes[i];
    return axis->size == size && axis->from_stride == from_stride && axis->to_stride == to_stride;
}

static void test_axes_are_joined(void)
{
    gp_tensor tensor;
    gp_target target;
    make(GP_F32, 3, (int64_t[]){2, 3, 4}, (int64_t[]){48, 16, 4}, (int64_t[]){48, 16, 4}, &tensor, &target);
    gp_conversion plan = plan_of(&tensor, &target);
    CHECK(plan.n_axes == 1 && is_axis(&plan, 0, 24, 4, 4) && plan.is_target_dense && plan.is_plain && plan.n_elems == 24);
    tensor.is_byteswapped = true;
    plan = plan_of(&tensor, &target);
    CHECK(plan.is_byteswapped && !plan.is_plain && plan.is_target_dense);
    tensor.is_byteswapped = false, target.dtype = GP_I32;
    CHECK(!plan_of(&tensor, &target).is_plain);
    target.dtype = GP_F32, tensor.strides_bytes[0] = 64; /* a gap in the source */
    plan = plan_of(&tensor, &target);
    CHECK(plan.n_axes == 2 && is_axis(&plan, 0, 2, 64, 48) && is_axis(&plan, 1, 12, 4, 4) && !plan.is_plain &&
          plan.is_target_dense);
    target.strides_bytes[0] = 64; /* the same gap in the target */
    plan = plan_of(&tensor, &target);
    CHECK(plan.n_axes == 2 && !plan.is_target_dense);
}

static void test_axes_are_sorted_and_turned(void)
{
    gp_tensor tensor;
    gp_target target;
    make(GP_F32, 3, (int64_t[]){4, 1, 3}, (int64_t[]){4, 999, 16}, (int64_t[]){4, 777, 16}, &tensor, &target);
    gp_conversion plan = plan_of(&tensor, &target);
    CHECK(plan.n_axes == 1 && is_axis(&plan, 0, 12, 4, 4) && plan.is_plain);
    make(GP_F32, 2, (int64_t[]){3, 4}, (int64_t[]){16, 4}, (int64_t[]){4, 12}, &tensor, &target);
    plan = plan_of(&tensor, &target);
    CHECK(plan.n_axes == 2 && is_axis(&plan, 0, 4, 4, 12) && is_axis(&plan, 1, 3, 16, 4) && plan.is_target_dense);
    make(GP_F32, 2, (int64_t[]){3, 4}, (int64_t[]){-16, 4}, (int64_t[]){-16, 4}, &tensor, &target);
    plan = plan_of(&tensor, &target); /* both backwards: forwards, from the other end */
    CHECK(plan.n_axes == 1 && is_axis(&plan, 0, 12, 4, 4) && plan.is_plain);
    CHECK(plan.from == memory + 1024 - 32 && plan.to == memory + 2048 - 32);
    make(GP_F32, 1, (int64_t[]){5}, (int64_t[]){0}, (int64_t[]){-4}, &tensor, &target);
    plan = plan_of(&tensor, &target);
    CHECK(is_axis(&plan, 0, 5, 0, 4) && plan.to == memory + 2048 - 16 && plan.from == memory + 1024 && !plan.is_plain);
}

static void test_masks_and_single_bytes(void)
{
    gp_tensor tensor;
    gp_target target;
    make(GP_U8, 2, (int64_t[]){3, 4}, (int64_t[]){4, 1}, (int64_t[]){-4, 1}, &tensor, &target);
    tensor.mask = (const uint8_t *)memory, tensor.is_byteswapped = true;
    tensor.mask_strides_bytes[0] = 1, tensor.mask_strides_bytes[1] = 3;
    gp_conversion plan = plan_of(&tensor, &target);
    CHECK(plan.mask == NULL && !plan.is_byteswapped); /* uint8 shows no mask, and has no bytes to swap */
    target.dtype = GP_F8_E5M2;
    plan = plan_of(&tensor, &target);
    CHECK(plan.mask == (const uint8_t *)memory + 2 && plan.axes[0].mask_stride == -1 && plan.axes[1].mask_stride == 3);
    tensor.strides_bytes[0] = -4; /* source and target lie end to end, the mask does not */
    CHECK(plan_of(&tensor, &target).n_axes == 2);
}

static void test_without_elements_and_with_one(void)
{
    gp_tensor tensor;
    gp_target target;
    make(GP_F64, 3, (int64_t[]){3, 0, 4}, (int64_t[]){32, 0, 8}, (int64_t[]){0, 0, 0}, &tensor, &target);
    tensor.data = NULL, target.data = NULL;
    gp_conversion plan = plan_of(&tensor, &target);
    CHECK(plan.n_elems == 0 && plan.n_axes == 0);
    gp_error error = {0};
    CHECK(gp_cpu_backend.convert(&plan, NULL, &error) == GP_OK);
    make(GP_F64, 2, (int64_t[]){1, 1}, (int64_t[]){0, 0}, (int64_t[]){0, 0}, &tensor, &target);
    plan = plan_of(&tensor, &target);
    CHECK(plan.n_elems == 1 && plan.n_axes == 0 && plan.is_plain && plan.is_target_dense);
}

static void check_refused(gp_dtype from, gp_dtype to, int device_kind, int64_t stride, gp_status want, const char *word)
{
    gp_tensor tensor;
    gp_target target;
    gp_conversion plan = {.n_axes = 77};
    gp_error error = {0};
    make(from, 1, (int64_t[]){2}, (int64_t[]){16}, &stride, &tensor, &target);
    target.dtype = to, tensor.device.kind = device_kind;
    CHECK(gp_conversion_plan(&tensor, &target, &plan, &error) == want && error.status == want &&
          strstr(error.message, word) != NULL);
    CHECK(plan.n_axes == 77); /* written only on success */
}

static void test_refusals(void)
{
    for (int to = 0; to < GP_N_DTYPES; to++)
        if (!gp_dtype_is_complex((gp_dtype)to))
            check_refused(GP_C64, (gp_dtype)to, GP_DL_CPU, 16, GP_ERR_TYPE, ".real or .imag, or abs()");
    check_refused(GP_F32, GP_C32, GP_DL_CPU, 4, GP_ERR_TYPE, "complex64");
    check_refused(GP_F32, GP_LONGDOUBLE, GP_DL_CUDA, 16, GP_ERR_TYPE, "float64");
    check_refused(GP_F32, GP_F32, GP_DL_CPU, 0, GP_ERR_VALUE, "stride 0");
    check_refused(GP_F32, GP_F32, GP_DL_CPU, INT64_MAX, GP_ERR_VALUE, "2^63");
}

int main(void)
{
    test_axes_are_joined();
    test_axes_are_sorted_and_turned();
    test_masks_and_single_bytes();
    test_without_elements_and_with_one();
    test_refusals();
    return 0;
}
