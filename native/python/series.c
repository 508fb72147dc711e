/* Functions on series, planes of one row: the samples that draw each column of pixels, whether samples rise or fall, and searches. */
#include "binding.h"

/* m4(plane, bounds, out) -> the order of its values */
static PyObject *m4(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    OWNED PyArrayObject *bounds = NULL;
    PyObject *out_object;
    int64_t n;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O&O:m4", to_plane, &plane, to_int64s, &bounds, &out_object))
        return NULL;
    gp_m4_state *out = states_of(out_object, sizeof *out, &n);
    if (out == NULL)
        return NULL;
    if (PyArray_SIZE(bounds) != n + 1)
        return PyErr_Format(PyExc_ValueError, "%zd bounds for %lld columns: give one more than columns", PyArray_SIZE(bounds),
                            (long long)n);
    const int64_t *positions = PyArray_DATA(bounds);
    GP_CALL(error, gp_plane_m4(plane.backend, plane.plane, positions, n, out, &error));
    return error.status == GP_OK ? order_to_name(gp_series_order_type(plane.plane)) : raise_error(&error);
}

/* find_ways(plane) -> (whether it rises, whether it falls) */
static PyObject *find_ways(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    unsigned ways = 0;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&:find_ways", to_plane, &plane))
        return NULL;
    GP_CALL(error, gp_plane_find_ways(plane.backend, plane.plane, &ways, &error));
    return error.status == GP_OK ? Py_BuildValue("(NN)", PyBool_FromLong(ways & GP_RISES), PyBool_FromLong(ways & GP_FALLS))
                                 : raise_error(&error);
}

/* search_sorted(plane, values) -> int64 positions */
static PyObject *search_sorted(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    OWNED PyArrayObject *values = NULL;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O&:search_sorted", to_plane, &plane, to_doubles, &values))
        return NULL;
    npy_intp n = PyArray_SIZE(values);
    OWNED PyArrayObject *positions = new_array(1, &n, NPY_INT64);
    if (positions == NULL)
        return NULL;
    const double *from = PyArray_DATA(values);
    int64_t *out = PyArray_DATA(positions);
    GP_CALL(error, plane.backend->search_sorted(plane.plane, from, n, out, &error));
    return result_or_error(positions, &error);
}

/* take(plane, positions) -> float64 samples */
static PyObject *take(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    OWNED PyArrayObject *positions = NULL;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O&:take", to_plane, &plane, to_int64s, &positions))
        return NULL;
    npy_intp n = PyArray_SIZE(positions);
    OWNED PyArrayObject *samples = new_array(1, &n, NPY_DOUBLE);
    if (samples == NULL)
        return NULL;
    const int64_t *from = PyArray_DATA(positions);
    double *out = PyArray_DATA(samples);
    GP_CALL(error, plane.backend->take(plane.plane, from, n, out, &error));
    return result_or_error(samples, &error);
}

PyMethodDef series_functions[] = {
    {"m4", m4, METH_VARARGS, "m4(plane, bounds, out): the order of values; out has a state for each column."},

    {"find_ways", find_ways, METH_VARARGS, "find_ways(plane) -> (rises, falls)"},
    {"search_sorted", search_sorted, METH_VARARGS,
     "search_sorted(plane, values) -> positions of the first sample not below each."},
    {"take", take, METH_VARARGS, "take(plane, positions) -> the samples there, float64."},
    {0},
};
