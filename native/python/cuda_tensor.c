/* Tensors in CUDA memory: a pointer and strides become a borrowed tensor if the driver knows all bytes that they reach. */
#include "binding.h"

#include "../cuda/runtime/interop.h"

/* Bytes from the first element to the lowest and behind the highest one; gp_tensor_check has ruled out overflow, of addresses too. */
static void reach_of(const gp_tensor *tensor, const int64_t *strides_bytes, int item_bytes, int64_t *low, int64_t *high)
{
    *low = 0, *high = item_bytes;
    for (int i = 0; i < tensor->n_dims; i++) {
        int64_t reach = (tensor->shape[i] - 1) * strides_bytes[i];
        *(reach < 0 ? low : high) += reach;
    }
}

/* Asks the driver about every byte that the strides reach; `pointer` becomes the address that kernels use. */
static gp_status inspect(const gp_tensor *tensor, const int64_t *strides_bytes, int item_bytes, int hint, uint64_t *pointer,
                         int *ordinal, gp_error *error)
{
    int64_t low, high;
    gp_cuda_memory memory = {0};
    reach_of(tensor, strides_bytes, item_bytes, &low, &high);
    uint64_t first = *pointer - (uint64_t)-low;
    GP_TRY(gp_cuda_inspect(first, *pointer + (uint64_t)high, hint, &memory, error));
    *pointer = memory.pointer + (uint64_t)-low;
    *ordinal = memory.ordinal;
    return GP_OK;
}

static gp_status check_same_device(const char *what, int found, int claimed, gp_error *error)
{
    if (claimed < 0 || found == claimed)
        return GP_OK;
    return gp_fail(error, GP_ERR_VALUE,
                   "the %s is said to be on CUDA device %d and its memory is on device %d: its producer "
                   "is wrong",
                   what, claimed, found);
}

gp_status cuda_tensor_claim(gp_tensor *tensor, int ordinal, gp_error *error)
{
    int found, mask_found;
    uint64_t data = (uint64_t)(uintptr_t)tensor->data, mask = (uint64_t)(uintptr_t)tensor->mask;
    if (tensor->dtype == GP_LONGDOUBLE)
        return gp_fail(error, GP_ERR_UNSUPPORTED, "no device has long doubles: convert to float64");
    if (gp_tensor_n_elems(tensor) == 0) { /* no element is read; without a known device it is drawn by the host */
        tensor->device = ordinal < 0 ? (gp_device){GP_DL_CPU, 0} : (gp_device){GP_DL_CUDA, ordinal};
        tensor->data = NULL, tensor->mask = NULL;
        return GP_OK;
    }
    GP_TRY(inspect(tensor, tensor->strides_bytes, gp_dtype_size_bytes(tensor->dtype), ordinal, &data, &found, error));
    GP_TRY(check_same_device("tensor", found, ordinal, error));
    if (mask != 0) {
        GP_TRY(inspect(tensor, tensor->mask_strides_bytes, 1, found, &mask, &mask_found, error));
        GP_TRY(check_same_device("mask", mask_found, found, error));
    }
    tensor->data = (const void *)(uintptr_t)data, tensor->mask = (const uint8_t *)(uintptr_t)mask;
    tensor->device = (gp_device){GP_DL_CUDA, found};
    return GP_OK;
}

/* ---- Tensor.from_cuda ---------------------------------------------------------------------------------------------- */

/* At most GP_MAX_NDIM integers of a sequence; how many, or -1 with an exception. */
static int parse_int64s(const char *what, PyObject *sequence, int64_t *out)
{
    OWNED PyObject *tuple = PySequence_Tuple(sequence);
    Py_ssize_t n = tuple ? PyTuple_Size(tuple) : -1;
    if (n > GP_MAX_NDIM) {
        PyErr_Format(PyExc_ValueError, "a %s of %zd dimensions; at most %d are supported", what, n, GP_MAX_NDIM);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        OWNED PyObject *index = PyNumber_Index(PyTuple_GetItem(tuple, i));
        out[i] = index ? PyLong_AsLongLong(index) : -1;
        if (PyErr_Occurred())
            return -1;
    }
    return (int)n;
}

/* The given byte strides, or those of row-major order where they are None. */
static int parse_strides(const char *what, PyObject *object, const gp_tensor *tensor, int item_bytes, int64_t *out)
{
    int64_t row_major = item_bytes;
    if (object != Py_None) {
        int n = parse_int64s(what, object, out);
        if (n >= 0 && n != tensor->n_dims)
            PyErr_Format(PyExc_ValueError, "%d %s for %d dimensions: its producer is wrong", n, what, tensor->n_dims);
        return n == tensor->n_dims ? 0 : -1;
    }
    for (int i = tensor->n_dims - 1; i >= 0; i--) {
        out[i] = row_major;
        if (__builtin_mul_overflow(row_major, tensor->shape[i] > 0 ? tensor->shape[i] : 1, &row_major)) {
            PyErr_SetString(PyExc_ValueError, "the tensor has more than 2^63 bytes: its producer is wrong");
            return -1;
        }
    }
    return 0;
}

/* A converter for "O&": an address from an int. */
static int to_address(PyObject *object, void *address)
{
    *(uint64_t *)address = PyLong_AsUnsignedLongLong(object);
    return PyErr_Occurred() == NULL;
}

PyObject *tensor_from_cuda(PyObject *Py_UNUSED(cls), PyObject *args, PyObject *keywords)
{
    static char *names[] = {"pointer",      "shape", "strides",          "dtype", "device", "byteswapped", "mask_pointer",
                            "mask_strides", "owner", "mask_marks_valid", NULL};
    uint64_t data, mask = 0;
    PyObject *shape, *strides, *mask_strides = Py_None, *owner = Py_None;
    int ordinal = -1, is_byteswapped = 0, is_mask_inverted = 0;
    gp_tensor tensor = {0};
    gp_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&OOO&|ipO&OOp:from_cuda", names, to_address, &data, &shape, &strides,
                                     to_dtype, &tensor.dtype, &ordinal, &is_byteswapped, to_address, &mask, &mask_strides, &owner,
                                     &is_mask_inverted))
        return NULL;
    tensor.is_byteswapped = is_byteswapped != 0, tensor.is_mask_inverted = is_mask_inverted != 0;
    tensor.data = (const void *)(uintptr_t)data, tensor.mask = (const uint8_t *)(uintptr_t)mask;
    tensor.n_dims = parse_int64s("shape", shape, tensor.shape);
    if (tensor.n_dims < 0 ||
        parse_strides("strides", strides, &tensor, gp_dtype_size_bytes(tensor.dtype), tensor.strides_bytes) < 0 ||
        (mask != 0 && parse_strides("strides of the mask", mask_strides, &tensor, 1, tensor.mask_strides_bytes) < 0))
        return NULL;
    if (gp_tensor_check(&tensor, &error) != GP_OK)
        return raise_error(&error);
    cuda_note_nvrtc_folders();
    GP_CALL(error, cuda_tensor_claim(&tensor, ordinal, &error));
    return error.status == GP_OK ? tensor_wrap(&tensor, owner) : raise_error(&error);
}
