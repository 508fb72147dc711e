/* Checks and borrows tensors; nothing here reads an element. */
#include "tensor.h"

int64_t gp_tensor_n_elems(const gp_tensor *tensor)
{
    int64_t n = 1;
    for (int i = 0; i < tensor->n_dims; i++)
        n *= tensor->shape[i];
    return n;
}

/* The end of user space: 64-bit processors have addresses of at most 57 bits, whose upper half belongs to the kernel. */
static const uint64_t ADDRESS_END = (uint64_t)1 << 56;

static bool is_host_memory(gp_device device) { return device.kind == GP_DL_CPU || device.kind == GP_DL_CUDA_HOST; }

/* An address without the tag that ARM processors allow in the highest byte of a host pointer. */
static uint64_t untagged(const void *data, gp_device device)
{
#if defined(__aarch64__)
    if (is_host_memory(device))
        return (uint64_t)(uintptr_t)data & (ADDRESS_END - 1);
#endif
    (void)device;
    return (uint64_t)(uintptr_t)data;
}

/* `low` and `high` are the offsets from `data` of the lowest and the highest element. On a device only wrapping around and the null
 * address are refused here; its driver checks the rest. */
static gp_status check_addresses(const void *data, int64_t low, int64_t high, int item_bytes, gp_device device, gp_error *error)
{
    uint64_t address = untagged(data, device), below = 0 - (uint64_t)low, end;
    bool is_wrapped = address <= below || __builtin_add_overflow(address, (uint64_t)high + (uint64_t)item_bytes, &end);
    if (is_wrapped || (is_host_memory(device) && end > ADDRESS_END))
        return gp_fail(error, GP_ERR_VALUE,
                       "the tensor's elements, which its strides reach from address 0x%llx, leave the address "
                       "space: its producer is wrong",
                       (unsigned long long)(uintptr_t)data);
    return GP_OK;
}

/* The number of elements and the span of addresses must both fit in 63 bits, or sums of offsets would overflow. */
static gp_status check_extent(const gp_tensor *tensor, const void *data, const int64_t *strides, int item_bytes, gp_error *error)
{
    int64_t n_elems = 1, low = 0, high = 0;
    for (int i = 0; i < tensor->n_dims; i++) {
        int64_t reach;
        if (__builtin_mul_overflow(n_elems, tensor->shape[i], &n_elems) || n_elems > INT64_MAX / 16)
            return gp_fail(error, GP_ERR_VALUE,
                           "the tensor has more than 2^59 elements, which only repetition (a stride of zero) "
                           "gives: take a part of it");
        if (__builtin_mul_overflow(tensor->shape[i] - 1, strides[i], &reach) ||
            __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
            return gp_fail(error, GP_ERR_VALUE, "the tensor's shape and strides reach beyond 2^63 bytes: its producer is wrong");
    }
    int64_t span;
    if (__builtin_sub_overflow(high, low, &span) || span > INT64_MAX - 1024)
        return gp_fail(error, GP_ERR_VALUE, "the tensor's strides span more than 2^63 bytes: its producer is wrong");
    return check_addresses(data, low, high, item_bytes, tensor->device, error);
}

static bool has_no_elems(const gp_tensor *tensor)
{
    for (int i = 0; i < tensor->n_dims; i++)
        if (tensor->shape[i] == 0)
            return true;
    return false;
}

static gp_status check_n_dims(int n_dims, gp_error *error)
{
    if (n_dims < 0)
        return gp_fail(error, GP_ERR_VALUE, "a tensor of %d dimensions: its producer is wrong", n_dims);
    if (n_dims > GP_MAX_NDIM)
        return gp_fail(error, GP_ERR_VALUE, "a tensor of %d dimensions; at most %d are supported", n_dims, GP_MAX_NDIM);
    return GP_OK;
}

gp_status gp_tensor_check(const gp_tensor *tensor, gp_error *error)
{
    GP_TRY(check_n_dims(tensor->n_dims, error));
    for (int i = 0; i < tensor->n_dims; i++)
        if (tensor->shape[i] < 0)
            return gp_fail(error, GP_ERR_VALUE, "axis %d of the tensor has the negative size %lld: its producer is wrong", i,
                           (long long)tensor->shape[i]);
    if (has_no_elems(tensor))
        return GP_OK;
    if (tensor->data == NULL)
        return gp_fail(error, GP_ERR_VALUE, "the tensor has elements but its data pointer is null: was it freed or moved?");
    GP_TRY(check_extent(tensor, tensor->data, tensor->strides_bytes, gp_dtype_size_bytes(tensor->dtype), error));
    return tensor->mask ? check_extent(tensor, tensor->mask, tensor->mask_strides_bytes, 1, error) : GP_OK;
}

/* Strides in bytes, from DLPack's strides in elements, or row-major ones if it has none. */
static gp_status fill_strides(const gp_dl_tensor *source, int item_bytes, gp_tensor *out, gp_error *error)
{
    int64_t row_major = item_bytes;
    bool is_empty = has_no_elems(out);
    for (int i = out->n_dims - 1; i >= 0; i--) {
        bool is_far = source->strides != NULL && __builtin_mul_overflow(source->strides[i], item_bytes, &out->strides_bytes[i]);
        if (is_far && out->shape[i] > 1 && !is_empty)
            return gp_fail(error, GP_ERR_VALUE, "stride %d of the tensor is beyond 2^63 bytes: its producer is wrong", i);
        if (source->strides == NULL || is_far) /* a stride that is not used may have any value */
            out->strides_bytes[i] = row_major;
        if (__builtin_mul_overflow(row_major, out->shape[i] > 0 ? out->shape[i] : 1, &row_major))
            return gp_fail(error, GP_ERR_VALUE, "the tensor has more than 2^63 bytes: its producer is wrong");
    }
    return GP_OK;
}

/* The address of element [0, ..., 0]; without elements the producer's pointer is taken unchecked, since it is not read. */
static gp_status fill_data(const gp_dl_tensor *source, gp_tensor *out, gp_error *error)
{
    uint64_t address = (uint64_t)(uintptr_t)source->data;
    out->data = source->data;
    if (source->data == NULL || has_no_elems(out))
        return GP_OK;
    if (source->byte_offset >= ADDRESS_END || __builtin_add_overflow(address, source->byte_offset, &address))
        return gp_fail(error, GP_ERR_VALUE,
                       "the DLPack tensor's byte_offset %llu leaves the address space: its producer is wrong",
                       (unsigned long long)source->byte_offset);
    out->data = (const void *)(uintptr_t)address;
    return GP_OK;
}

gp_status gp_tensor_from_dlpack(const gp_dl_tensor *source, int dtype_override, gp_tensor *out, gp_error *error)
{
    gp_tensor tensor = {0};
    GP_TRY(check_n_dims(source->ndim, error));
    if (source->ndim > 0 && source->shape == NULL)
        return gp_fail(error, GP_ERR_VALUE, "the DLPack tensor has no shape: its producer is wrong");
    if (source->dtype.lanes != 1)
        return gp_fail(error, GP_ERR_UNSUPPORTED, "elements of %d lanes are not supported: view them as one more axis",
                       source->dtype.lanes);
    if (!gp_dtype_from_dlpack(source->dtype.code, source->dtype.bits, &tensor.dtype))
        return gp_fail(error, GP_ERR_UNSUPPORTED,
                       "dtype with DLPack code %d and %d bits is not supported: cast it first, "
                       "for example to float32",
                       source->dtype.code, source->dtype.bits);
    if (dtype_override >= 0)
        tensor.dtype = (gp_dtype)dtype_override;
    tensor.device = (gp_device){source->device.device_type, source->device.device_id};
    tensor.n_dims = source->ndim;
    for (int i = 0; i < tensor.n_dims; i++)
        tensor.shape[i] = source->shape[i];
    GP_TRY(fill_data(source, &tensor, error));
    GP_TRY(fill_strides(source, gp_dtype_size_bytes(tensor.dtype), &tensor, error));
    GP_TRY(gp_tensor_check(&tensor, error));
    *out = tensor;
    return GP_OK;
}

void gp_tensor_release(gp_tensor *tensor)
{
    void (*release)(void *) = tensor->release_owner;
    void *owner = tensor->owner;
    *tensor = (gp_tensor){0};
    if (release != NULL)
        release(owner);
}
