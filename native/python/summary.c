/* Functions that say what there is among the elements of a plane: histograms, and where something is. */
#include "binding.h"

/* ---- histogram ----------------------------------------------------------------------------------------------------- */

/* A Python integer clipped to the range of the dtype; is_beyond is -1 if it was below, 1 if above, else 0. */
static int parse_limit(PyObject *object, bool is_unsigned, int64_t *out, int *is_beyond)
{
    OWNED PyObject *integer = PyNumber_Index(object);
    if (integer == NULL)
        return -1;
    long long value = PyLong_AsLongLongAndOverflow(integer, is_beyond);
    *out = value;
    if (is_unsigned && *is_beyond > 0) {
        unsigned long long large = PyLong_AsUnsignedLongLong(integer);
        bool is_too_large = PyErr_Occurred() != NULL;
        if (is_too_large)
            PyErr_Clear();
        *out = is_too_large ? -1 : (int64_t)large, *is_beyond = is_too_large;
    } else if (is_unsigned && (*is_beyond < 0 || value < 0)) {
        *out = 0, *is_beyond = -1;
    } else if (*is_beyond != 0) {
        *out = *is_beyond > 0 ? INT64_MAX : INT64_MIN;
    }
    return 0;
}

int parse_range(PyObject *object, gp_dtype dtype, gp_integer_range *range, const gp_integer_range **out)
{
    bool is_unsigned = dtype <= GP_U64 || dtype == GP_BOOL;
    int first_beyond = 0, last_beyond = 0;
    *out = object == Py_None ? NULL : range;
    if (object == Py_None)
        return 0;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 2) {
        PyErr_SetString(PyExc_TypeError, "integer_range must be None or a tuple of two integers");
        return -1;
    }
    PyObject *first = PyTuple_GetItem(object, 0), *last = PyTuple_GetItem(object, 1);
    if (parse_limit(first, is_unsigned, &range->first, &first_beyond) < 0 ||
        parse_limit(last, is_unsigned, &range->last, &last_beyond) < 0)
        return -1;
    int is_falling = PyObject_RichCompareBool(first, last, Py_GT);
    if (is_falling > 0)
        PyErr_Format(PyExc_ValueError, "integer_range %R falls: give (smallest, largest)", object);
    if (is_falling != 0)
        return -1;
    if (first_beyond > 0 || last_beyond < 0) /* the whole range is outside the dtype */
        *range = (gp_integer_range){.first = 1, .last = 0};
    return 0;
}

static PyObject *histogram(PyObject *Py_UNUSED(module), PyObject *args, PyObject *keywords)
{
    static char *names[] = {"plane", "edges", "integer_range", NULL};
    USED plane = {0};
    PyObject *edges_object, *range_object = Py_None;
    gp_integer_range range;
    const gp_integer_range *wanted;
    gp_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&O|O:histogram", names, to_plane, &plane, &edges_object, &range_object) ||
        parse_range(range_object, plane.plane->dtype, &range, &wanted) < 0)
        return NULL;
    OWNED PyArrayObject *edges = (PyArrayObject *)PyArray_FROMANY(edges_object, NPY_DOUBLE, 0, 0, NPY_ARRAY_IN_ARRAY);
    if (edges == NULL)
        return NULL;
    if (PyArray_NDIM(edges) != 1)
        return PyErr_Format(PyExc_ValueError, "edges have %d axes: give a one-dimensional array", PyArray_NDIM(edges));
    npy_intp n_edges = PyArray_SIZE(edges), n_bins = n_edges > 0 ? n_edges - 1 : 0;
    OWNED PyArrayObject *result = new_array(1, &n_bins, NPY_INT64);
    if (result == NULL)
        return NULL;
    const double *edge_values = PyArray_DATA(edges);
    int64_t *counts = PyArray_DATA(result);
    GP_CALL(error, gp_plane_histogram(plane.backend, plane.plane, edge_values, n_bins, wanted, counts, &error));
    return result_or_error(result, &error);
}

/* ---- find ------------------------------------------------------------------------------------------------------------ */

static PyObject *find(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    unsigned kinds;
    long long start = 0;
    int is_backwards = 0;
    int64_t found = -1;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&I|Lp:find", to_plane, &plane, &kinds, &start, &is_backwards))
        return NULL;
    GP_CALL(error, gp_plane_find(plane.backend, plane.plane, kinds, start, is_backwards != 0, &found, &error));
    return error.status == GP_OK ? PyLong_FromLongLong(found) : raise_error(&error);
}

PyMethodDef summary_functions[] = {
    {"histogram", WITH_KEYWORDS(histogram), "histogram(plane, edges, integer_range=None) -> int64 (len(edges) - 1,)"},
    {"find", find, METH_VARARGS, "find(plane, kinds, start=0, backwards=False) -> position or -1"},
    {0},
};
