/* Elements of tensors to arrays in host memory: converted, or shown where they lie; and arrays of pinned memory. */
#include "binding.h"

#include "../core/conversion.h"
#include "../cuda/pinned.h"

/* ---- conversion ---------------------------------------------------------------------------------------------------- */

/* Asked between chunks: Ctrl-C, then the callable; what either raises stays pending and ends the conversion. */
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

/* The memory of an array as a target; false with an exception where it is not what the tensor and the dtype ask for. */
static bool fill_target(const gp_tensor *tensor, PyArrayObject *array, const char *dtype_name, gp_target *out)
{
    gp_target target = {.data = PyArray_DATA(array)};
    if (!gp_dtype_from_name(dtype_name, &target.dtype)) {
        PyErr_Format(PyExc_ValueError, "no dtype is called '%s'", dtype_name);
        return false;
    }
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

static PyObject *convert(PyObject *module, PyObject *args)
{
    PyObject *tensor_object, *out, *progress = Py_None;
    const char *dtype_name;
    const gp_backend *backend;
    gp_target target;
    gp_conversion conversion;
    gp_error error = {0};
    gp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!s|O:convert", TensorType, &tensor_object, &PyArray_Type, &out, &dtype_name, &progress))
        return NULL;
    TensorObject *tensor = (TensorObject *)tensor_object;
    if (tensor_begin(tensor) < 0)
        return NULL;
    if (!fill_target(&tensor->tensor, (PyArrayObject *)out, dtype_name, &target)) {
        tensor_end(tensor);
        return NULL;
    }
    gp_progress watcher = {is_stopped, progress};
    status = gp_conversion_plan(&tensor->tensor, &target, &conversion, &error);
    if (status == GP_OK)
        status = gp_backend_for(tensor->tensor.device, &backend, &error);
    if (status == GP_OK)
        GP_WITHOUT_GIL(status = backend->convert(&conversion, &watcher, &error));
    tensor_end(tensor);
    return status == GP_OK ? Py_NewRef(Py_None) : raise_error(&error);
}

/* ---- memory as it is ----------------------------------------------------------------------------------------------- */

/* An ndarray over memory whose lifetime is that of `base`, to which it takes over the reference. */
static PyObject *array_over(void *data, PyArray_Descr *descr, int n_dims, const npy_intp *shape, const npy_intp *strides,
                            int flags, PyObject *base)
{
    Py_INCREF((PyObject *)descr);
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descr, n_dims, shape, strides, data, flags, NULL);
    if (array == NULL)
        Py_DECREF(base);
    else if (PyArray_SetBaseObject((PyArrayObject *)array, base) < 0)
        Py_CLEAR(array);
    return array;
}

static PyObject *array_of(PyObject *module, PyObject *args)
{
    PyObject *tensor_object, *descr;
    int is_writable;
    npy_intp shape[GP_MAX_NDIM], strides[GP_MAX_NDIM];
    static char nowhere; /* for NumPy a null pointer is no memory; without elements any other does */
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!p:array_of", TensorType, &tensor_object, &PyArrayDescr_Type, &descr, &is_writable))
        return NULL;
    const gp_tensor *tensor = &((TensorObject *)tensor_object)->tensor;
    PyObject *hold = tensor_hold((TensorObject *)tensor_object);
    if (hold == NULL)
        return NULL;
    if ((tensor->device.kind != GP_DL_CPU && tensor->device.kind != GP_DL_CUDA_HOST) ||
        PyDataType_ELSIZE((PyArray_Descr *)descr) != gp_dtype_size_bytes(tensor->dtype)) {
        PyErr_SetString(PyExc_ValueError, "array_of shows host memory with items of the tensor's size");
        Py_DECREF(hold);
        return NULL;
    }
    for (int i = 0; i < tensor->n_dims; i++)
        shape[i] = (npy_intp)tensor->shape[i], strides[i] = (npy_intp)tensor->strides_bytes[i];
    void *data = tensor->data ? (void *)(uintptr_t)tensor->data : &nowhere;
    char order = tensor->is_byteswapped ? NPY_SWAP : NPY_IGNORE;
    PyArray_Descr *ordered = PyArray_DescrNewByteorder((PyArray_Descr *)descr, order);
    if (ordered == NULL) {
        Py_DECREF(hold);
        return NULL;
    }
    PyObject *array = array_over(data, ordered, tensor->n_dims, shape, strides, is_writable ? NPY_ARRAY_WRITEABLE : 0, hold);
    Py_DECREF((PyObject *)ordered);
    return array;
}

static PyObject *mask_of(PyObject *module, PyObject *object)
{
    (void)module;
    if (!PyObject_TypeCheck(object, TensorType))
        return PyErr_Format(PyExc_TypeError, "mask_of takes a Tensor, not %R", Py_TYPE(object));
    const gp_tensor *tensor = &((TensorObject *)object)->tensor;
    if (tensor->mask == NULL)
        Py_RETURN_NONE;
    PyObject *hold = tensor_hold((TensorObject *)object);
    if (hold == NULL)
        return NULL;
    gp_tensor mask = {.data = tensor->mask, .dtype = GP_U8, .device = tensor->device, .n_dims = tensor->n_dims};
    memcpy(mask.shape, tensor->shape, sizeof mask.shape);
    memcpy(mask.strides_bytes, tensor->mask_strides_bytes, sizeof mask.strides_bytes);
    PyObject *wrapped = tensor_wrap(&mask, hold);
    Py_DECREF(hold);
    return wrapped ? Py_BuildValue("(NN)", wrapped, PyBool_FromLong(tensor->is_mask_inverted)) : NULL;
}

/* ---- pinned memory ------------------------------------------------------------------------------------------------- */

static const char pinned_name[] = "gpuplot.pinned_memory";

static void free_pinned(PyObject *capsule) { gp_cuda_pinned_free(PyCapsule_GetPointer(capsule, pinned_name)); }

static PyObject *pinned_empty(PyObject *module, PyObject *args)
{
    int ordinal;
    Py_ssize_t n_bytes;
    void *memory = NULL;
    gp_error error = {0};
    gp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "in:pinned_empty", &ordinal, &n_bytes))
        return NULL;
    if (n_bytes <= 0)
        return PyErr_Format(PyExc_ValueError, "%zd bytes of pinned memory", n_bytes);
    GP_WITHOUT_GIL(status = gp_cuda_pinned_alloc(ordinal, (size_t)n_bytes, &memory, &error));
    if (status != GP_OK)
        return raise_error(&error);
    if (memory == NULL)
        Py_RETURN_NONE;
    PyObject *capsule = PyCapsule_New(memory, pinned_name, free_pinned);
    if (capsule == NULL) {
        gp_cuda_pinned_free(memory);
        return NULL;
    }
    PyArray_Descr *descr = PyArray_DescrFromType(NPY_UBYTE);
    npy_intp n = n_bytes;
    PyObject *array = array_over(memory, descr, 1, &n, NULL, NPY_ARRAY_WRITEABLE, capsule);
    Py_DECREF((PyObject *)descr);
    return array;
}

static PyObject *pinned_budget(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
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
