/* Functions on partial results of cells, which are arrays of the dtype STATE: reduced from a piece of a plane, joined, finished. */
#include "binding.h"

#include "../core/cell_states.h"

static const char *const order_names[] = {"f64", "i64", "u64"};

/* The states of a writable or readable C-contiguous array, whose elements have their size; NULL with an exception. */
static gp_cell_state *states_of(PyObject *object, int64_t *n)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_Check(object) || !PyArray_ISCARRAY(array) || PyArray_ITEMSIZE(array) != sizeof(gp_cell_state)) {
        PyErr_Format(PyExc_ValueError, "states are a writable C-contiguous array of %zu bytes an element", sizeof(gp_cell_state));
        return NULL;
    }
    *n = PyArray_SIZE(array);
    return PyArray_DATA(array);
}

/* reduce_states(plane, rows, cols, agg, nan, out) -> the order of its extremes */
static PyObject *reduce_states(PyObject *module, PyObject *args)
{
    PyObject *plane_object, *rows_object, *cols_object, *out_object;
    const char *agg_name, *nan_name;
    int64_t n;
    gp_error error = {0};
    gp_status status;
    const gp_backend *backend;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O!ssO:reduce_states", PlaneType, &plane_object, AxisType, &rows_object, AxisType,
                          &cols_object, &agg_name, &nan_name, &out_object))
        return NULL;
    PlaneObject *plane = (PlaneObject *)plane_object;
    const gp_axis *rows = &((AxisObject *)rows_object)->axis, *cols = &((AxisObject *)cols_object)->axis;
    int agg = name_to_index("agg", agg_name, agg_names, GP_N_AGGS), nan = name_to_index("nan", nan_name, nan_names, GP_N_NANS);
    gp_cell_state *out = agg < 0 || nan < 0 ? NULL : states_of(out_object, &n);
    if (out == NULL)
        return NULL;
    if (n != rows->n_cells * cols->n_cells)
        return PyErr_Format(PyExc_ValueError, "%lld states for %lld x %lld cells", (long long)n, (long long)rows->n_cells,
                            (long long)cols->n_cells);
    gp_reduce_options options = {(gp_agg)agg, (gp_nan)nan, 0};
    if (gp_backend_for(plane->plane.device, &backend, &error) != GP_OK)
        return raise_error(&error);
    if (plane_begin(plane) < 0)
        return NULL;
    GP_WITHOUT_GIL(status = gp_plane_reduce_states(backend, &plane->plane, rows, cols, &options, out, &error));
    plane_end(plane);
    return status == GP_OK ? PyUnicode_FromString(order_names[gp_plane_order_type(&plane->plane)]) : raise_error(&error);
}

/* clear_states(agg, states): those of no elements */
static PyObject *clear_states(PyObject *module, PyObject *args)
{
    PyObject *object;
    const char *agg_name;
    int64_t n;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO:clear_states", &agg_name, &object))
        return NULL;
    int agg = name_to_index("agg", agg_name, agg_names, GP_N_AGGS);
    gp_cell_state *states = agg < 0 ? NULL : states_of(object, &n);
    if (states == NULL)
        return NULL;
    for (int64_t i = 0; i < n; i++)
        states[i] = gp_cell_state_none(gp_agg_kind((gp_agg)agg));
    Py_RETURN_NONE;
}

/* join_states(agg, to, other) */
static PyObject *join_states(PyObject *module, PyObject *args)
{
    PyObject *to_object, *from_object;
    const char *agg_name;
    int64_t n_to, n_from;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOO:join_states", &agg_name, &to_object, &from_object))
        return NULL;
    int agg = name_to_index("agg", agg_name, agg_names, GP_N_AGGS);
    gp_cell_state *to = agg < 0 ? NULL : states_of(to_object, &n_to);
    const gp_cell_state *from = to == NULL ? NULL : states_of(from_object, &n_from);
    if (from == NULL)
        return NULL;
    if (n_to != n_from)
        return PyErr_Format(PyExc_ValueError, "%lld states cannot be joined with %lld", (long long)n_to, (long long)n_from);
    GP_WITHOUT_GIL(gp_cell_states_join(gp_agg_kind((gp_agg)agg), to, from, n_to));
    Py_RETURN_NONE;
}

/* round_states(order, states): extremes become those of float64, in place */
static PyObject *round_states(PyObject *module, PyObject *args)
{
    PyObject *object;
    const char *order_name;
    int64_t n;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO:round_states", &order_name, &object))
        return NULL;
    int order = name_to_index("order", order_name, order_names, 3);
    gp_cell_state *states = order < 0 ? NULL : states_of(object, &n);
    if (states == NULL)
        return NULL;
    GP_WITHOUT_GIL(gp_cell_states_round((gp_order_type)order, states, n));
    Py_RETURN_NONE;
}

/* finish_states(agg, nan, order, states) -> float64 array of their shape */
static PyObject *finish_states(PyObject *module, PyObject *args)
{
    PyObject *object;
    const char *agg_name, *nan_name, *order_name;
    int64_t n;
    (void)module;
    if (!PyArg_ParseTuple(args, "sssO:finish_states", &agg_name, &nan_name, &order_name, &object))
        return NULL;
    int agg = name_to_index("agg", agg_name, agg_names, GP_N_AGGS), nan = name_to_index("nan", nan_name, nan_names, GP_N_NANS);
    int order = name_to_index("order", order_name, order_names, 3);
    const gp_cell_state *states = agg < 0 || nan < 0 || order < 0 ? NULL : states_of(object, &n);
    if (states == NULL)
        return NULL;
    PyArrayObject *array = (PyArrayObject *)object;
    PyObject *result = PyArray_SimpleNew(PyArray_NDIM(array), PyArray_DIMS(array), NPY_DOUBLE);
    if (result == NULL)
        return NULL;
    double *out = PyArray_DATA((PyArrayObject *)result);
    GP_WITHOUT_GIL(gp_cell_states_finish((gp_agg)agg, (gp_nan)nan, (gp_order_type)order, states, n, out));
    return result;
}

PyMethodDef state_functions[] = {
    {"reduce_states", reduce_states, METH_VARARGS, "reduce_states(plane, rows, cols, agg, nan, out): the order of extremes."},
    {"clear_states", clear_states, METH_VARARGS, "clear_states(agg, states): those of no elements, in place."},
    {"join_states", join_states, METH_VARARGS, "join_states(agg, to, other): joins cell by cell, in place."},
    {"round_states", round_states, METH_VARARGS, "round_states(order, states): extremes as those of float64, in place."},
    {"finish_states", finish_states, METH_VARARGS, "finish_states(agg, nan, order, states): the cells, float64."},
    {0},
};
