/* Between Python objects and the structs of the native layer. */
#include "binding.h"

/* An exception class of gpuplot.errors, or RuntimeError where that module cannot be imported. */
static PyObject *own_exception(const char *name)
{
    PyObject *module = PyImport_ImportModule("gpuplot.errors");
    PyObject *class = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return class ? class : Py_NewRef(PyExc_RuntimeError);
}

/* Raises DeviceError(message) with the attributes call and code where a call of the driver failed. */
static void raise_device_error(const gp_error *error)
{
    PyObject *class = own_exception("DeviceError");
    PyObject *exception = PyObject_CallFunction(class, "s", error->message);
    PyObject *call = Py_BuildValue("z", error->call), *code = Py_BuildValue("z", error->code);
    if (exception != NULL && call != NULL && code != NULL && PyObject_SetAttrString(exception, "call", call) == 0 &&
        PyObject_SetAttrString(exception, "code", code) == 0)
        PyErr_SetObject(class, exception);
    Py_XDECREF(code);
    Py_XDECREF(call);
    Py_XDECREF(exception);
    Py_DECREF(class);
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
    PyObject *class = own_exception("UnsupportedError");
    PyErr_SetString(class, error->message);
    Py_DECREF(class);
    return NULL;
}

int name_to_index(const char *what, const char *name, const char *const *names, int n_names)
{
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; i < n_names; i++) {
        if (strcmp(name, names[i]) == 0)
            return i;
        int n = PyOS_snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "", names[i]);
        used += n > 0 && (size_t)n < sizeof list - used ? (size_t)n : 0;
    }
    PyErr_Format(PyExc_ValueError, "%s is '%s' but must be one of %s", what, name, list);
    return -1;
}

/* A C-contiguous array of this type made from an attribute; kept alive in `hold`. NULL without exception where it is None. */
static PyArrayObject *array_attribute(PyObject *object, const char *name, int type, int n_dims, StyleHold *hold)
{
    PyObject *value = PyObject_GetAttrString(object, name), *array = NULL;
    if (value == NULL)
        return NULL;
    if (value != Py_None) {
        array = PyArray_FROMANY(value, type, n_dims, n_dims, NPY_ARRAY_IN_ARRAY);
        if (array != NULL)
            hold->arrays[hold->n_arrays++] = array;
    }
    Py_DECREF(value);
    return (PyArrayObject *)array;
}

static int double_attribute(PyObject *object, const char *name, double *out)
{
    PyObject *value = PyObject_GetAttrString(object, name);
    *out = value ? PyFloat_AsDouble(value) : 0.0;
    Py_XDECREF(value);
    return PyErr_Occurred() ? -1 : 0;
}

static int bool_attribute(PyObject *object, const char *name, bool *out)
{
    PyObject *value = PyObject_GetAttrString(object, name);
    int truth = value ? PyObject_IsTrue(value) : -1;
    Py_XDECREF(value);
    *out = truth > 0;
    return truth < 0 ? -1 : 0;
}

/* Up to n numbers of a sequence attribute. */
static int doubles_attribute(PyObject *object, const char *name, double *out, Py_ssize_t n)
{
    PyObject *value = PyObject_GetAttrString(object, name), *tuple = value ? PySequence_Tuple(value) : NULL;
    Py_ssize_t size = tuple ? PyTuple_Size(tuple) : 0;
    for (Py_ssize_t i = 0; tuple != NULL && i < size && i < n; i++)
        out[i] = PyFloat_AsDouble(PyTuple_GetItem(tuple, i));
    Py_XDECREF(tuple);
    Py_XDECREF(value);
    return PyErr_Occurred() ? -1 : 0;
}

static int rgba_attribute(PyObject *object, const char *name, uint8_t out[4])
{
    double values[4] = {0};
    if (doubles_attribute(object, name, values, 4) < 0)
        return -1;
    for (int i = 0; i < 4; i++) {
        if (!(values[i] >= 0 && values[i] <= 255)) {
            PyErr_Format(PyExc_ValueError, "%s must be four bytes", name);
            return -1;
        }
        out[i] = (uint8_t)values[i];
    }
    return 0;
}

static int alpha_attributes(PyObject *object, int64_t n_rows, int64_t n_cols, float *alpha, const float **cells, StyleHold *hold)
{
    double value;
    if (double_attribute(object, "alpha", &value) < 0)
        return -1;
    *alpha = (float)value;
    PyArrayObject *array = array_attribute(object, "alpha_cells", NPY_FLOAT, 2, hold);
    if (PyErr_Occurred())
        return -1;
    if (array != NULL && (PyArray_DIM(array, 0) != n_rows || PyArray_DIM(array, 1) != n_cols)) {
        PyErr_SetString(PyExc_ValueError, "alpha_cells must have one factor per cell");
        return -1;
    }
    *cells = array ? PyArray_DATA(array) : NULL;
    return 0;
}

static int marks_attributes(PyObject *object, uint8_t nan[4], uint8_t pos_inf[4], uint8_t neg_inf[4])
{
    return rgba_attribute(object, "nan_rgba", nan) < 0 || rgba_attribute(object, "pos_inf_rgba", pos_inf) < 0 ||
                   rgba_attribute(object, "neg_inf_rgba", neg_inf) < 0
               ? -1
               : 0;
}

static int norm_attribute(PyObject *object, gp_norm *out)
{
    static const char *const names[] = {
#define NORM_NAME(NAME, name, n_params) name,
        GP_NORMS(NORM_NAME)
#undef NORM_NAME
    };
    PyObject *value = PyObject_GetAttrString(object, "norm");
    const char *name = value ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    int index = name ? name_to_index("norm", name, names, GP_N_NORMS) : -1;
    Py_XDECREF(value);
    *out = (gp_norm)index;
    return index < 0 ? -1 : 0;
}

static int table_attributes(PyObject *object, gp_style *style, StyleHold *hold)
{
    PyArrayObject *table = array_attribute(object, "table", NPY_UBYTE, 2, hold);
    if (table == NULL || PyArray_DIM(table, 0) < 4 || PyArray_DIM(table, 1) != 4 || PyArray_DIM(table, 0) > 1 << 24) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "table must have N + 3 rows of RGBA bytes: N colours, under, over, bad");
        return -1;
    }
    style->table = PyArray_DATA(table), style->n_colors = (int)PyArray_DIM(table, 0) - 3;
    return 0;
}

static int boundary_attributes(PyObject *object, gp_style *style, StyleHold *hold)
{
    PyArrayObject *boundaries = array_attribute(object, "boundaries", NPY_DOUBLE, 1, hold);
    PyArrayObject *indices = PyErr_Occurred() ? NULL : array_attribute(object, "boundary_indices", NPY_INT32, 1, hold);
    if (PyErr_Occurred())
        return -1;
    if (style->norm != GP_NORM_BOUNDARY)
        return 0;
    npy_intp n = boundaries ? PyArray_SIZE(boundaries) : 0;
    if (indices == NULL || n < 2 || n > 1 << 24 || PyArray_SIZE(indices) != n - 1) {
        PyErr_SetString(PyExc_ValueError, "a boundary norm needs n >= 2 boundaries and n - 1 table indices");
        return -1;
    }
    const int32_t *index = PyArray_DATA(indices);
    for (npy_intp i = 0; i < n - 1; i++) {
        if (index[i] < 0 || index[i] >= style->n_colors) {
            PyErr_SetString(PyExc_ValueError, "a boundary's table index is outside the table");
            return -1;
        }
    }
    style->boundaries = PyArray_DATA(boundaries), style->boundary_indices = index, style->n_boundaries = (int)n;
    return 0;
}

int style_from_object(PyObject *object, int64_t n_rows, int64_t n_cols, gp_style *out, StyleHold *hold)
{
    gp_style style = {0};
    if (norm_attribute(object, &style.norm) < 0 || double_attribute(object, "vmin", &style.vmin) < 0 ||
        double_attribute(object, "vmax", &style.vmax) < 0 || doubles_attribute(object, "params", style.params, 3) < 0 ||
        table_attributes(object, &style, hold) < 0 || boundary_attributes(object, &style, hold) < 0 ||
        marks_attributes(object, style.nan_rgba, style.pos_inf_rgba, style.neg_inf_rgba) < 0 ||
        rgba_attribute(object, "masked_rgba", style.masked_rgba) < 0 ||
        alpha_attributes(object, n_rows, n_cols, &style.alpha, &style.alpha_cells, hold) < 0)
        return -1;
    *out = style;
    return 0;
}

int rgb_style_from_object(PyObject *object, int64_t n_rows, int64_t n_cols, gp_rgb_style *out, StyleHold *hold)
{
    gp_rgb_style style = {.scale = {1, 1, 1, 1}};
    if (doubles_attribute(object, "scale", style.scale, 4) < 0 || doubles_attribute(object, "offset", style.offset, 4) < 0 ||
        bool_attribute(object, "is_rounded", &style.is_rounded) < 0 || bool_attribute(object, "is_f32", &style.is_f32) < 0 ||
        bool_attribute(object, "is_alpha_weighted", &style.is_alpha_weighted) < 0 ||
        bool_attribute(object, "is_alpha_replaced", &style.is_alpha_replaced) < 0 ||
        marks_attributes(object, style.nan_rgba, style.pos_inf_rgba, style.neg_inf_rgba) < 0 ||
        alpha_attributes(object, n_rows, n_cols, &style.alpha, &style.alpha_cells, hold) < 0)
        return -1;
    *out = style;
    return 0;
}

void style_release(StyleHold *hold)
{
    for (int i = 0; i < hold->n_arrays; i++)
        Py_DECREF(hold->arrays[i]);
    hold->n_arrays = 0;
}

PyObject *pixels_array(PyObject *out, int64_t n_rows, int64_t n_cols)
{
    npy_intp shape[3] = {(npy_intp)n_rows, (npy_intp)n_cols, 4};
    if (out == Py_None)
        return PyArray_SimpleNew(3, shape, NPY_UBYTE);
    PyArrayObject *array = (PyArrayObject *)out;
    if (!PyArray_Check(out) || PyArray_TYPE(array) != NPY_UBYTE || PyArray_NDIM(array) != 3 || !PyArray_ISCARRAY(array) ||
        PyArray_DIM(array, 0) != n_rows || PyArray_DIM(array, 1) != n_cols || PyArray_DIM(array, 2) != 4) {
        PyErr_SetString(PyExc_ValueError, "out must be a writable C-contiguous uint8 array of shape (H, W, 4)");
        return NULL;
    }
    return Py_NewRef(out);
}
