/* Attributes of Python objects -> gp_style and gp_rgb_style. */
#include "binding.h"

/* A C-contiguous array of this type made from an attribute; kept alive in `hold`. NULL without exception where it is None. */
static PyArrayObject *array_attribute(PyObject *object, const char *name, int type, int n_dims, StyleHold *hold)
{
    OWNED PyObject *value = PyObject_GetAttrString(object, name);
    PyArrayObject *array = value != NULL && value != Py_None ? array_from(value, type, n_dims) : NULL;
    if (array != NULL)
        hold->arrays[hold->n_arrays++] = (PyObject *)array;
    return array;
}

static int double_attribute(PyObject *object, const char *name, double *out)
{
    OWNED PyObject *value = PyObject_GetAttrString(object, name);
    *out = value ? PyFloat_AsDouble(value) : 0.0;
    return PyErr_Occurred() ? -1 : 0;
}

static int bool_attribute(PyObject *object, const char *name, bool *out)
{
    OWNED PyObject *value = PyObject_GetAttrString(object, name);
    int truth = value ? PyObject_IsTrue(value) : -1;
    *out = truth > 0;
    return truth < 0 ? -1 : 0;
}

/* Up to n numbers of a sequence attribute. */
static int doubles_attribute(PyObject *object, const char *name, double *out, Py_ssize_t n)
{
    OWNED PyObject *value = PyObject_GetAttrString(object, name), *tuple = value ? PySequence_Tuple(value) : NULL;
    Py_ssize_t size = tuple ? PyTuple_Size(tuple) : 0;
    for (Py_ssize_t i = 0; i < size && i < n; i++)
        out[i] = PyFloat_AsDouble(PyTuple_GetItem(tuple, i));
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
    OWNED PyObject *name = PyObject_GetAttrString(object, "norm");
    int index = name ? name_to_index("norm", name, names, GP_N_NORMS) : -1;
    *out = (gp_norm)index;
    return index < 0 ? -1 : 0;
}

static int table_attributes(PyObject *object, gp_style *style, StyleHold *hold)
{
    PyArrayObject *table = array_attribute(object, "table", NPY_UBYTE, 2, hold);
    if (table == NULL || PyArray_DIM(table, 0) < 4 || PyArray_DIM(table, 1) != 4 || PyArray_DIM(table, 0) > 1 << 24) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "table must have N + 3 rows of RGBA bytes: N colors, under, over, bad");
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
