/* bin_points: points, whose coordinates are planes, to cells. */
#include "binding.h"

/* One axis of cells from (first, last, n_cells, edges or None); the edges' array goes to *held. -1 with an exception. */
static int parse_axis(PyObject *object, gp_point_axis *out, PyArrayObject **held)
{
    long long n_cells;
    PyObject *edges_object;
    if (!PyArg_ParseTuple(object, "ddLO;an axis of cells is (first, last, n_cells, edges or None)", &out->first, &out->last,
                          &n_cells, &edges_object))
        return -1;
    out->n_cells = n_cells;
    if (edges_object == Py_None)
        return 0;
    *held = (PyArrayObject *)PyArray_FROMANY(edges_object, NPY_DOUBLE, 1, 1, NPY_ARRAY_IN_ARRAY);
    if (*held == NULL)
        return -1;
    if (PyArray_SIZE(*held) != n_cells + 1) {
        PyErr_Format(PyExc_ValueError, "%zd edges for %lld cells: give one more than cells", (Py_ssize_t)PyArray_SIZE(*held),
                     n_cells);
        return -1;
    }
    out->edges = PyArray_DATA(*held);
    out->first = out->edges[0], out->last = out->edges[n_cells];
    return 0;
}

/* Where planes are that are read together; NULL with an exception. */
static const gp_backend *common_backend(PlaneObject *const *planes, int n_planes)
{
    gp_error error = {0};
    const gp_backend *backend = NULL, *other;
    for (int i = 0; i < n_planes; i++) {
        if (gp_backend_for(planes[i]->plane.device, &other, &error) != GP_OK) {
            raise_error(&error);
            return NULL;
        }
        bool is_alike = i == 0 || (other == backend &&
                                   (backend == &gp_cpu_backend || planes[i]->plane.device.id == planes[0]->plane.device.id));
        if (!is_alike) {
            PyErr_SetString(PyExc_ValueError, "coordinates and values are in the memory of different devices: move them to one");
            return NULL;
        }
        backend = other;
    }
    return backend;
}

static gp_status bin_to_new(const gp_backend *backend, PlaneObject *const *planes, int n_planes, const gp_point_options *options,
                            gp_cells *out, int64_t *n_outside, gp_error *error)
{
    const gp_plane *values = n_planes > 2 ? &planes[2]->plane : NULL;
    GP_TRY(backend->cells_alloc(options->y.n_cells * gp_point_grids(options), options->x.n_cells, planes[0]->plane.device, out,
                                error));
    gp_status status = backend->bin_points(&planes[0]->plane, &planes[1]->plane, values, options, out, n_outside, error);
    if (status != GP_OK)
        backend->cells_free(out);
    return status;
}

static PyObject *bin_held(PlaneObject *const *planes, int n_planes, const gp_point_options *options)
{
    gp_cells cells = {0};
    gp_error error = {0};
    gp_status status;
    int64_t n_outside = 0;
    int n_begun = 0;
    const gp_backend *backend = common_backend(planes, n_planes);
    while (backend != NULL && n_begun < n_planes && plane_begin(planes[n_begun]) == 0)
        n_begun++;
    bool is_ready = backend != NULL && n_begun == n_planes;
    if (is_ready)
        GP_WITHOUT_GIL(status = bin_to_new(backend, planes, n_planes, options, &cells, &n_outside, &error));
    while (n_begun > 0)
        plane_end(planes[--n_begun]);
    if (!is_ready)
        return NULL;
    if (status != GP_OK)
        return raise_error(&error);
    PyObject *wrapped = cells_wrap(&cells, backend);
    return wrapped != NULL ? Py_BuildValue("(NL)", wrapped, (long long)n_outside) : NULL;
}

static PyObject *bin_points(PyObject *module, PyObject *args)
{
    PyObject *x, *y, *values, *x_axis, *y_axis, *classes = Py_None, *result = NULL;
    const char *agg_name, *nan_name;
    long long first = 0, last = 0;
    gp_point_options options = {0};
    PyArrayObject *held[2] = {NULL, NULL};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!OO!O!ss|O:bin_points", PlaneType, &x, PlaneType, &y, &values, &PyTuple_Type, &x_axis,
                          &PyTuple_Type, &y_axis, &agg_name, &nan_name, &classes))
        return NULL;
    if (classes != Py_None && !PyArg_ParseTuple(classes, "LL;classes are (first, last)", &first, &last))
        return NULL;
    if (classes != Py_None) /* a cell for each whole number */
        options.classes = (gp_point_axis){.first = (double)first - 0.5, .last = (double)last + 0.5, .n_cells = last - first + 1};
    if (values != Py_None && !PyObject_TypeCheck(values, PlaneType))
        return PyErr_Format(PyExc_TypeError, "values must be a Plane or None, not %s", Py_TYPE(values)->tp_name);
    int agg = name_to_index("agg", agg_name, agg_names, GP_N_AGGS), nan = name_to_index("nan", nan_name, nan_names, GP_N_NANS);
    if (agg < 0 || nan < 0)
        return NULL;
    options.agg = (gp_agg)agg, options.nan = (gp_nan)nan;
    PlaneObject *const planes[] = {(PlaneObject *)x, (PlaneObject *)y, (PlaneObject *)values};
    if (parse_axis(x_axis, &options.x, &held[0]) == 0 && parse_axis(y_axis, &options.y, &held[1]) == 0)
        result = bin_held(planes, values == Py_None ? 2 : 3, &options);
    Py_XDECREF((PyObject *)held[0]);
    Py_XDECREF((PyObject *)held[1]);
    return result;
}

PyMethodDef point_functions[] = {
    {"bin_points", bin_points, METH_VARARGS,
     "bin_points(x, y, values, x_axis, y_axis, agg, nan, classes=None) -> (Cells, how many points lie outside): values may be None, an "
     "axis is (first, last, number of cells, edges or None); classes are the (first, last) of whole numbers that values are"},
    {0},
};
