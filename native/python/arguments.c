/* Arguments of the module's functions: names, arrays, and what calls return. */
#include "binding.h"

static const char *const agg_names[] = {
#define AGG_NAME(NAME, name, KIND, facts) name,
    GP_AGGS(AGG_NAME)
#undef AGG_NAME
};
static const char *const nan_names[] = {
#define NAN_NAME(NAME, name, bits) name,
    GP_NANS(NAN_NAME)
#undef NAN_NAME
};
static const char *const order_names[] = {"f64", "i64", "u64"};
static const char *const tie_names[] = {"up", "down"};

/* ---- names ----------------------------------------------------------------------------------------------------------- */

int name_to_index(const char *what, PyObject *name, const char *const *names, int n_names)
{
    char list[256] = "";
    size_t used = 0;
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "%s must be str, not %R", what, Py_TYPE(name));
        return -1;
    }
    for (int i = 0; i < n_names; i++) {
        if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0)
            return i;
        int n = PyOS_snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "", names[i]);
        used += n > 0 && (size_t)n < sizeof list - used ? (size_t)n : 0;
    }
    PyErr_Format(PyExc_ValueError, "%s is '%U' but must be one of %s", what, name, list);
    return -1;
}

/* An "O&" converter for the names of an enum. */
#define NAME_CONVERTER(what, type, names)                                                                                        \
    int to_##what(PyObject *name, void *out)                                                                                     \
    {                                                                                                                            \
        int index = name_to_index(#what, name, names, (int)(sizeof(names) / sizeof *(names)));                                   \
        if (index >= 0)                                                                                                          \
            *(type *)out = (type)index;                                                                                          \
        return index >= 0;                                                                                                       \
    }

NAME_CONVERTER(agg, gp_agg, agg_names)
NAME_CONVERTER(nan, gp_nan, nan_names)
NAME_CONVERTER(order, gp_order_type, order_names)
NAME_CONVERTER(tie, gp_tie, tie_names)

PyObject *order_to_name(gp_order_type order) { return PyUnicode_FromString(order_names[order]); }

int to_dtype(PyObject *name, void *dtype)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (text == NULL)
        return 0;
    if (!gp_dtype_from_name(text, dtype)) {
        PyErr_Format(PyExc_ValueError, "no dtype is called '%s'", text);
        return 0;
    }
    return 1;
}

/* ---- arrays ---------------------------------------------------------------------------------------------------------- */

PyArrayObject *array_from(PyObject *object, int type, int n_dims)
{
    return (PyArrayObject *)PyArray_FROMANY(object, type, n_dims, n_dims, NPY_ARRAY_IN_ARRAY);
}

PyArrayObject *new_array(int n_dims, const npy_intp *shape, int type)
{
    return (PyArrayObject *)PyArray_SimpleNew(n_dims, shape, type);
}

/* An "O&" converter to arrays. */
#define ARRAY_CONVERTER(name, type, n_dims)                                                                                      \
    int to_##name(PyObject *object, void *array)                                                                                 \
    {                                                                                                                            \
        PyArrayObject *made = array_from(object, type, n_dims);                                                                  \
        *(PyArrayObject **)array = made;                                                                                         \
        return made != NULL;                                                                                                     \
    }

ARRAY_CONVERTER(doubles, NPY_DOUBLE, 1)
ARRAY_CONVERTER(int64s, NPY_INT64, 1)
ARRAY_CONVERTER(double_table, NPY_DOUBLE, 2)
ARRAY_CONVERTER(int64_table, NPY_INT64, 2)

int is_tuple(PyObject *object, const char *wanted)
{
    if (!PyTuple_Check(object))
        PyErr_SetString(PyExc_TypeError, wanted);
    return PyTuple_Check(object);
}

void *states_of(PyObject *object, size_t item_bytes, int64_t *n)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_Check(object) || !PyArray_ISCARRAY(array) || (size_t)PyArray_ITEMSIZE(array) != item_bytes) {
        PyErr_Format(PyExc_ValueError, "states are a writable C-contiguous array of %zu bytes an element", item_bytes);
        return NULL;
    }
    *n = PyArray_SIZE(array);
    return PyArray_DATA(array);
}

PyArrayObject *out_array(PyObject *out, int n_dims, const npy_intp *shape, int type, const char *wanted)
{
    PyArrayObject *array = (PyArrayObject *)out;
    if (out == Py_None)
        return new_array(n_dims, shape, type);
    if (PyArray_Check(out) && PyArray_TYPE(array) == type && PyArray_NDIM(array) == n_dims && PyArray_ISCARRAY(array) &&
        PyArray_CompareLists(PyArray_DIMS(array), shape, n_dims))
        return (PyArrayObject *)Py_NewRef(out);
    PyErr_Format(PyExc_ValueError, "out must be a writable C-contiguous %s", wanted);
    return NULL;
}

PyArrayObject *pixels_array(PyObject *out, int64_t n_rows, int64_t n_cols)
{
    const npy_intp shape[] = {(npy_intp)n_rows, (npy_intp)n_cols, 4};
    return out_array(out, 3, shape, NPY_UBYTE, "uint8 array of shape (H, W, 4)");
}

/* ---- memory that a call reads ---------------------------------------------------------------------------------------- */

static int begin(TensorObject *tensor, Use *use)
{
    gp_error error = {0};
    if (tensor_begin(tensor) < 0)
        return 0;
    use->tensor = tensor;
    if (gp_backend_for(tensor->tensor.device, &use->backend, &error) != GP_OK)
        raise_error(&error);
    return use->backend != NULL;
}

void use_end(Use *use)
{
    if (use->tensor != NULL)
        tensor_end(use->tensor);
    use->tensor = NULL;
}

static int is_a(PyTypeObject *type, const char *name, PyObject *object)
{
    if (!PyObject_TypeCheck(object, type))
        PyErr_Format(PyExc_TypeError, "%s is wanted here, not %R", name, Py_TYPE(object));
    return !PyErr_Occurred();
}

int to_tensor(PyObject *object, void *use) { return is_a(TensorType, "a Tensor", object) && begin((TensorObject *)object, use); }

int to_plane(PyObject *object, void *use)
{
    if (!is_a(PlaneType, "a Plane", object) || !begin(((PlaneObject *)object)->tensor, use))
        return 0;
    ((Use *)use)->plane = &((PlaneObject *)object)->plane;
    return 1;
}

int to_plane_or_none(PyObject *object, void *use) { return object == Py_None || to_plane(object, use); }

int to_slices(PyObject *object, void *use)
{
    if (!is_a(SlicesType, "Slices", object) || !begin(((SlicesObject *)object)->tensor, use))
        return 0;
    ((Use *)use)->slices = &((SlicesObject *)object)->slices;
    return 1;
}

/* ---- results --------------------------------------------------------------------------------------------------------- */

/* An exception class of gpuplot.errors, or RuntimeError where that module cannot be imported. */
static PyObject *own_exception(const char *name)
{
    OWNED PyObject *module = PyImport_ImportModule("gpuplot.errors");
    PyObject *class = module ? PyObject_GetAttrString(module, name) : NULL;
    return class ? class : Py_NewRef(PyExc_RuntimeError);
}

/* Raises DeviceError(message) with the attributes call and code where a call of the driver failed. */
static void raise_device_error(const gp_error *error)
{
    OWNED PyObject *class = own_exception("DeviceError");
    OWNED PyObject *exception = PyObject_CallFunction(class, "s", error->message);
    OWNED PyObject *call = Py_BuildValue("z", error->call), *code = Py_BuildValue("z", error->code);
    if (exception != NULL && call != NULL && code != NULL && PyObject_SetAttrString(exception, "call", call) == 0 &&
        PyObject_SetAttrString(exception, "code", code) == 0)
        PyErr_SetObject(class, exception);
}

PyObject *raise_error(const gp_error *error)
{
    if (PyErr_Occurred())
        return NULL;
    switch (error->status) {
    case GP_ERR_VALUE: PyErr_SetString(PyExc_ValueError, error->message); return NULL;
    case GP_ERR_TYPE: PyErr_SetString(PyExc_TypeError, error->message); return NULL;
    case GP_ERR_INDEX: PyErr_SetString(PyExc_IndexError, error->message); return NULL;
    case GP_ERR_MEMORY: PyErr_SetString(PyExc_MemoryError, error->message); return NULL;
    case GP_ERR_OVERFLOW: PyErr_SetString(PyExc_OverflowError, error->message); return NULL;
    case GP_ERR_INTERRUPTED: PyErr_SetNone(PyExc_KeyboardInterrupt); return NULL;
    case GP_ERR_DEVICE: raise_device_error(error); return NULL;
    default: break;
    }
    OWNED PyObject *class = own_exception("UnsupportedError");
    PyErr_SetString(class, error->message);
    return NULL;
}

PyObject *result_or_error(void *object, const gp_error *error)
{
    return error->status == GP_OK ? Py_NewRef((PyObject *)object) : raise_error(error);
}
