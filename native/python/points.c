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
    if (!to_doubles(edges_object, held))
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

static PyObject *bin_points(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED x = {0}, y = {0}, values = {0};
    PyObject *x_axis, *y_axis, *classes = Py_None;
    long long first = 0, last = 0;
    int64_t n_outside = 0;
    gp_point_options options = {0};
    OWNED PyArrayObject *x_edges = NULL, *y_edges = NULL;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O&O&O!O!O&O&|O:bin_points", to_plane, &x, to_plane, &y, to_plane_or_none, &values,
                          &PyTuple_Type, &x_axis, &PyTuple_Type, &y_axis, to_agg, &options.agg, to_nan, &options.nan, &classes))
        return NULL;
    if (classes != Py_None && (!is_tuple(classes, "classes are (first, last)") ||
                               !PyArg_ParseTuple(classes, "LL;classes are (first, last)", &first, &last)))
        return NULL;
    if (classes != Py_None) /* one class for each whole number */
        options.classes = (gp_point_axis){.first = (double)first - 0.5, .last = (double)last + 0.5, .n_cells = last - first + 1};
    if (parse_axis(x_axis, &options.x, &x_edges) < 0 || parse_axis(y_axis, &options.y, &y_edges) < 0)
        return NULL;
    int64_t n_rows = options.y.n_cells * gp_point_grids(&options);
    OWNED CellsObject *cells = cells_new(x.backend, n_rows, options.x.n_cells, x.plane->device);
    if (cells == NULL)
        return NULL;
    GP_CALL(error, x.backend->bin_points(x.plane, y.plane, values.plane, &options, &cells->cells, &n_outside, &error));
    return error.status == GP_OK ? Py_BuildValue("(OL)", cells, (long long)n_outside) : raise_error(&error);
}

PyMethodDef point_functions[] = {
    {"bin_points", bin_points, METH_VARARGS,
     "bin_points(x, y, values, x_axis, y_axis, agg, nan, classes=None) -> (Cells, how many points lie outside): values may be None, an "
     "axis is (first, last, number of cells, edges or None); classes are the (first, last) of whole numbers that values are"},
    {0},
};
