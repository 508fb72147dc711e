/* Functions on series, planes of one row: the samples that draw each column of pixels, which way samples go, where values belong. */
#include "binding.h"

static const char *const order_names[] = {"f64", "i64", "u64"};

/* The backend of a plane whose tensor is held until plane_end; NULL with an exception. */
static const gp_backend *begin(PlaneObject *plane)
{
    gp_error error = {0};
    const gp_backend *backend = NULL;
    if (gp_backend_for(plane->plane.device, &backend, &error) != GP_OK) {
        raise_error(&error);
        return NULL;
    }
    return plane_begin(plane) < 0 ? NULL : backend;
}

/* The states of a writable C-contiguous array, whose elements have their size; NULL with an exception. */
static gp_m4_state *states_of(PyObject *object, int64_t *n)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_Check(object) || !PyArray_ISCARRAY(array) || PyArray_ITEMSIZE(array) != sizeof(gp_m4_state)) {
        PyErr_Format(PyExc_ValueError, "states are a writable C-contiguous array of %zu bytes an element", sizeof(gp_m4_state));
        return NULL;
    }
    *n = PyArray_SIZE(array);
    return PyArray_DATA(array);
}

/* m4(plane, bounds, out) -> the order of its values */
static PyObject *m4(PyObject *module, PyObject *args)
{
    PyObject *plane_object, *bounds_object, *out_object;
    int64_t n;
    gp_error error = {0};
    gp_status status = GP_ERR_VALUE;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OO:m4", PlaneType, &plane_object, &bounds_object, &out_object))
        return NULL;
    PlaneObject *plane = (PlaneObject *)plane_object;
    gp_m4_state *out = states_of(out_object, &n);
    PyArrayObject *bounds = out == NULL ? NULL
                                        : (PyArrayObject *)PyArray_FROMANY(bounds_object, NPY_INT64, 1, 1, NPY_ARRAY_IN_ARRAY);
    if (bounds == NULL)
        return NULL;
    const int64_t *positions = PyArray_DATA(bounds);
    const gp_backend *backend = NULL;
    if (PyArray_SIZE(bounds) != n + 1)
        PyErr_Format(PyExc_ValueError, "%zd bounds for %lld columns: give one more than columns", PyArray_SIZE(bounds),
                     (long long)n);
    else
        backend = begin(plane);
    if (backend != NULL) {
        GP_WITHOUT_GIL(status = gp_plane_m4(backend, &plane->plane, positions, n, out, &error));
        plane_end(plane);
        if (status != GP_OK)
            raise_error(&error);
    }
    Py_DECREF((PyObject *)bounds);
    return status == GP_OK ? PyUnicode_FromString(order_names[gp_series_order_type(&plane->plane)]) : NULL;
}

/* join_m4(to, other): column by column, in place */
static PyObject *join_m4(PyObject *module, PyObject *args)
{
    PyObject *to_object, *from_object;
    int64_t n_to, n_from;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:join_m4", &to_object, &from_object))
        return NULL;
    gp_m4_state *to = states_of(to_object, &n_to);
    const gp_m4_state *from = to == NULL ? NULL : states_of(from_object, &n_from);
    if (from == NULL)
        return NULL;
    if (n_to != n_from)
        return PyErr_Format(PyExc_ValueError, "%lld states cannot be joined with %lld", (long long)n_to, (long long)n_from);
    for (int64_t i = 0; i < n_to; i++)
        gp_m4_state_join(&to[i], &from[i]);
    Py_RETURN_NONE;
}

/* find_ways(plane) -> (whether it rises, whether it falls) */
static PyObject *find_ways(PyObject *module, PyObject *args)
{
    PyObject *object;
    unsigned ways = 0;
    gp_error error = {0};
    gp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!:find_ways", PlaneType, &object))
        return NULL;
    PlaneObject *plane = (PlaneObject *)object;
    const gp_backend *backend = begin(plane);
    if (backend == NULL)
        return NULL;
    GP_WITHOUT_GIL(status = gp_plane_find_ways(backend, &plane->plane, &ways, &error));
    plane_end(plane);
    return status == GP_OK ? Py_BuildValue("(NN)", PyBool_FromLong(ways & GP_RISES), PyBool_FromLong(ways & GP_FALLS))
                           : raise_error(&error);
}

/* One number of eight bytes for each of an array: fn(backend, plane, from, n, to). New reference. */
typedef gp_status (*number_of_each)(const gp_backend *backend, const gp_plane *plane, const void *from, int64_t n, void *to,
                                    gp_error *error);

static PyObject *numbers_of(PlaneObject *plane, PyObject *given, int type, int result_type, number_of_each make)
{
    gp_error error = {0};
    gp_status status = GP_ERR_VALUE;
    PyArrayObject *from = (PyArrayObject *)PyArray_FROMANY(given, type, 1, 1, NPY_ARRAY_IN_ARRAY);
    if (from == NULL)
        return NULL;
    npy_intp n = PyArray_SIZE(from);
    PyObject *result = PyArray_SimpleNew(1, &n, result_type);
    const gp_backend *backend = result == NULL ? NULL : begin(plane);
    if (backend != NULL) {
        const void *items = PyArray_DATA(from);
        void *out = PyArray_DATA((PyArrayObject *)result);
        GP_WITHOUT_GIL(status = make(backend, &plane->plane, items, n, out, &error));
        plane_end(plane);
        if (status != GP_OK)
            raise_error(&error);
    }
    Py_DECREF((PyObject *)from);
    if (status != GP_OK)
        Py_CLEAR(result);
    return result;
}

static gp_status make_positions(const gp_backend *backend, const gp_plane *plane, const void *values, int64_t n, void *out,
                                gp_error *error)
{
    return backend->search_sorted(plane, values, n, out, error);
}

static gp_status make_samples(const gp_backend *backend, const gp_plane *plane, const void *positions, int64_t n, void *out,
                              gp_error *error)
{
    return backend->take(plane, positions, n, out, error);
}

/* search_sorted(plane, values) -> int64 positions */
static PyObject *search_sorted(PyObject *module, PyObject *args)
{
    PyObject *plane, *values;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O:search_sorted", PlaneType, &plane, &values))
        return NULL;
    return numbers_of((PlaneObject *)plane, values, NPY_DOUBLE, NPY_INT64, make_positions);
}

/* take(plane, positions) -> float64 samples */
static PyObject *take(PyObject *module, PyObject *args)
{
    PyObject *plane, *positions;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O:take", PlaneType, &plane, &positions))
        return NULL;
    return numbers_of((PlaneObject *)plane, positions, NPY_INT64, NPY_DOUBLE, make_samples);
}

PyMethodDef series_functions[] = {
    {"m4", m4, METH_VARARGS, "m4(plane, bounds, out): the order of values; out has a state for each column."},
    {"join_m4", join_m4, METH_VARARGS, "join_m4(to, other): joins column by column, in place."},
    {"find_ways", find_ways, METH_VARARGS, "find_ways(plane) -> (rises, falls)"},
    {"search_sorted", search_sorted, METH_VARARGS,
     "search_sorted(plane, values) -> positions of the first sample not below each."},
    {"take", take, METH_VARARGS, "take(plane, positions) -> the samples there, float64."},
    {0},
};
