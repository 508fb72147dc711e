/* Elements of tensors to arrays in host memory: converted, or shared without a copy; and arrays of pinned memory. */
#include "binding.h"

#include "../core/tensor/conversion.h"
#include "../cuda/runtime/pinned.h"

/* ---- conversion ---------------------------------------------------------------------------------------------------- */

/* Called between chunks: checks for Ctrl-C and calls the callable. An exception stays pending and ends the conversion. */
static bool is_stopped(void *context, int64_t n_elems_done, int64_t n_elems)
{
    PyObject *progress = context;
    PyGILState_STATE state = PyGILState_Ensure();
    if (!PyErr_Occurred() && PyErr_CheckSignals() == 0 && progress != Py_None)
        Py_XDECREF(PyObject_CallFunction(progress, "LL", (long long)n_elems_done, (long long)n_elems));
    bool is_pending = PyErr_Occurred() != NULL;
    PyGILState_Release(state);
    return is_pending;
}

/* The memory of an array as a target; false with an exception if its shape or dtype does not fit. */
static bool fill_target(const gp_tensor *tensor, PyArrayObject *array, gp_dtype dtype, gp_target *out)
{
    gp_target target = {.data = PyArray_DATA(array), .dtype = dtype};
    bool is_fitting = PyArray_ISWRITEABLE(array) && !PyArray_ISBYTESWAPPED(array) && PyArray_NDIM(array) == tensor->n_dims &&
                      PyArray_ITEMSIZE(array) == gp_dtype_size_bytes(target.dtype);
    for (int i = 0; is_fitting && i < tensor->n_dims; i++) {
        is_fitting = PyArray_DIM(array, i) == tensor->shape[i];
        target.strides_bytes[i] = PyArray_STRIDE(array, i);
    }
    if (!is_fitting) {
        PyErr_Format(PyExc_ValueError,
                     "out must be a writable array of the tensor's shape with items of %d bytes in native "
                     "order",
                     gp_dtype_size_bytes(target.dtype));
        return false;
    }
    *out = target;
    return true;
}

static PyObject *convert(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED use = {0};
    PyArrayObject *out;
    PyObject *progress = Py_None;
    gp_dtype dtype;
    gp_target target;
    gp_conversion conversion;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O!O&|O:convert", to_tensor, &use, &PyArray_Type, &out, to_dtype, &dtype, &progress) ||
        !fill_target(&use.tensor->tensor, out, dtype, &target))
        return NULL;
    gp_progress watcher = {is_stopped, progress};
    error.status = gp_conversion_plan(&use.tensor->tensor, &target, &conversion, &error);
    if (error.status == GP_OK)
        GP_CALL(error, use.backend->convert(&conversion, &watcher, &error));
    return PyErr_Occurred() ? NULL : result_or_error(Py_None, &error);
}

/* ---- memory as it is ----------------------------------------------------------------------------------------------- */

/* An ndarray over memory that lives as long as `base`; takes over the reference to `descr`. */
static PyObject *array_over(void *data, PyArray_Descr *descr, int n_dims, const npy_intp *shape, const npy_intp *strides,
                            int flags, PyObject *base)
{
    OWNED PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descr, n_dims, shape, strides, data, flags, NULL);
    if (array == NULL || PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef(base)) < 0)
        return NULL;
    return Py_NewRef(array);
}

static PyObject *array_of(PyObject *Py_UNUSED(module), PyObject *args)
{
    TensorObject *lender;
    PyArray_Descr *descr;
    int is_writable;
    npy_intp shape[GP_MAX_NDIM], strides[GP_MAX_NDIM];
    static char nowhere; /* the address of arrays without elements: NumPy would allocate memory for a null pointer */
    if (!PyArg_ParseTuple(args, "O!O!p:array_of", TensorType, &lender, &PyArrayDescr_Type, &descr, &is_writable))
        return NULL;
    const gp_tensor *tensor = &lender->tensor;
    OWNED PyObject *hold = tensor_hold(lender);
    if (hold == NULL)
        return NULL;
    if (!gp_device_is_host(tensor->device) || PyDataType_ELSIZE(descr) != gp_dtype_size_bytes(tensor->dtype))
        return PyErr_Format(PyExc_ValueError, "array_of shows host memory with items of the tensor's size");
    for (int i = 0; i < tensor->n_dims; i++)
        shape[i] = (npy_intp)tensor->shape[i], strides[i] = (npy_intp)tensor->strides_bytes[i];
    void *data = tensor->data ? (void *)(uintptr_t)tensor->data : &nowhere;
    PyArray_Descr *ordered = PyArray_DescrNewByteorder(descr, tensor->is_byteswapped ? NPY_SWAP : NPY_IGNORE);
    return ordered ? array_over(data, ordered, tensor->n_dims, shape, strides, is_writable ? NPY_ARRAY_WRITEABLE : 0, hold)
                   : NULL;
}

static PyObject *mask_of(PyObject *Py_UNUSED(module), PyObject *object)
{
    if (!PyObject_TypeCheck(object, TensorType))
        return PyErr_Format(PyExc_TypeError, "mask_of takes a Tensor, not %R", Py_TYPE(object));
    const gp_tensor *tensor = &((TensorObject *)object)->tensor;
    if (tensor->mask == NULL)
        Py_RETURN_NONE;
    OWNED PyObject *hold = tensor_hold((TensorObject *)object);
    if (hold == NULL)
        return NULL;
    gp_tensor mask = {.data = tensor->mask, .dtype = GP_U8, .device = tensor->device, .n_dims = tensor->n_dims};
    memcpy(mask.shape, tensor->shape, sizeof mask.shape);
    memcpy(mask.strides_bytes, tensor->mask_strides_bytes, sizeof mask.strides_bytes);
    PyObject *wrapped = tensor_wrap(&mask, hold);
    return wrapped ? Py_BuildValue("(NN)", wrapped, PyBool_FromLong(tensor->is_mask_inverted)) : NULL;
}

/* ---- pinned memory ------------------------------------------------------------------------------------------------- */

static const char pinned_name[] = "gpuplot.pinned_memory";

static void free_pinned(PyObject *capsule) { gp_cuda_pinned_free(PyCapsule_GetPointer(capsule, pinned_name)); }

static PyObject *pinned_empty(PyObject *Py_UNUSED(module), PyObject *args)
{
    int ordinal;
    Py_ssize_t n_bytes;
    void *memory = NULL;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "in:pinned_empty", &ordinal, &n_bytes))
        return NULL;
    if (n_bytes <= 0)
        return PyErr_Format(PyExc_ValueError, "%zd bytes of pinned memory", n_bytes);
    GP_CALL(error, gp_cuda_pinned_alloc(ordinal, (size_t)n_bytes, &memory, &error));
    if (error.status != GP_OK || memory == NULL)
        return result_or_error(Py_None, &error);
    OWNED PyObject *capsule = PyCapsule_New(memory, pinned_name, free_pinned);
    if (capsule == NULL) {
        gp_cuda_pinned_free(memory);
        return NULL;
    }
    npy_intp n = n_bytes;
    return array_over(memory, PyArray_DescrFromType(NPY_UBYTE), 1, &n, NULL, NPY_ARRAY_WRITEABLE, capsule);
}

static PyObject *pinned_budget(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(gp_cuda_pinned_budget());
}

PyMethodDef conversion_functions[] = {
    {"convert", convert, METH_VARARGS, "convert(tensor, out, dtype, progress=None): elements to an array, as another dtype"},
    {"array_of", array_of, METH_VARARGS, "array_of(tensor, dtype, writable): host memory, which stays borrowed while it lives"},
    {"mask_of", mask_of, METH_O, "mask_of(tensor) -> (Tensor of bytes, True: not zero is valid) or None"},
    {"pinned_empty", pinned_empty, METH_VARARGS, "pinned_empty(ordinal, n_bytes) -> uint8 array, or None: use ordinary memory"},
    {"pinned_budget", pinned_budget, METH_NOARGS, "pinned_budget() -> the most bytes of pinned memory that results take"},
    {0},
};
