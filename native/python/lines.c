/* bin_lines and line_rows: lines, whose samples are planes, to cells, and to the rows that each fills. */
#include "binding.h"
#include "../cpu/lines/line_rows.h"

typedef struct lines_call {
    PyObject *items; /* a tuple of all lines, which keeps their planes for as long as these are in use */
    gp_lines *lines;
    Use *planes; /* x and y of all lines, or nothing */
    Py_ssize_t n_lines, n_parsed;
    gp_line_options options;
    PyArrayObject *knots[4];
} lines_call;

static void end_call(lines_call *call)
{
    for (Py_ssize_t i = 0; call->planes != NULL && i < 2 * call->n_lines; i++)
        use_end(&call->planes[i]);
    for (int i = 0; i < 4; i++)
        Py_XDECREF((PyObject *)call->knots[i]);
    PyMem_Free(call->lines);
    PyMem_Free(call->planes);
    Py_XDECREF(call->items);
}

/* One axis of cells from (first, last, n_cells, low, high, values or None, places or None); arrays go to held[0..1]. -1 with an
 * exception. */
static int parse_axis(PyObject *object, gp_line_axis *out, PyArrayObject **held)
{
    long long n_cells;
    PyObject *values, *places;
    if (!PyArg_ParseTuple(object, "ddLddOO;an axis is (first, last, n_cells, low, high, values or None, places or None)",
                          &out->first, &out->last, &n_cells, &out->low, &out->high, &values, &places))
        return -1;
    if (n_cells > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%lld cells along an axis are too many for lines: ask for fewer", n_cells);
        return -1;
    }
    out->n_cells = n_cells;
    if (values == Py_None && places == Py_None)
        return 0;
    if (!to_doubles(values, &held[0]) || !to_doubles(places, &held[1]))
        return -1;
    out->n_knots = PyArray_SIZE(held[0]);
    if (out->n_knots < 1 || PyArray_SIZE(held[1]) != out->n_knots) {
        PyErr_Format(PyExc_ValueError, "%zd values and %zd places of knots: give one place for each value, and at least one",
                     (Py_ssize_t)out->n_knots, (Py_ssize_t)PyArray_SIZE(held[1]));
        return -1;
    }
    out->values = PyArray_DATA(held[0]), out->places = PyArray_DATA(held[1]);
    return 0;
}

/* An "O&" converter for gp_line_order. */
static int to_line_order(PyObject *name, void *out)
{
    static const char *const names[] = {[GP_LINE_FOUND] = "found", [GP_LINE_SORTED] = "sorted", [GP_LINE_UNSORTED] = "unsorted"};
    int index = name_to_index("order", name, names, 3);
    if (index >= 0)
        *(gp_line_order *)out = (gp_line_order)index;
    return index >= 0;
}

/* The next lines of one length, from (x or None, y, order). -1 with an exception. */
static int parse_lines(lines_call *call, PyObject *object)
{
    gp_line_order order;
    Use *x = &call->planes[2 * call->n_parsed], *y = x + 1;
    if (!is_tuple(object, "lines are (x or None, y, order)") ||
        !PyArg_ParseTuple(object, "O&O&O&;lines are (x or None, y, order)", to_plane_or_none, x, to_plane, y, to_line_order,
                          &order))
        return -1;
    call->lines[call->n_parsed++] = (gp_lines){.x = x->plane, .y = y->plane, .order = order};
    return 0;
}

static int parse_all(lines_call *call, PyObject *lines)
{
    call->items = PySequence_Tuple(lines); /* a copy, which other threads cannot change */
    if (call->items == NULL)
        return -1;
    Py_ssize_t n = PyTuple_Size(call->items);
    if (n < 1 || n > INT_MAX / 2) {
        PyErr_SetString(PyExc_ValueError, "there are no lines, or too many: give at least one (x or None, y, order)");
        return -1;
    }
    call->lines = PyMem_Calloc((size_t)n, sizeof *call->lines);
    call->planes = PyMem_Calloc(2 * (size_t)n, sizeof *call->planes);
    if (call->lines == NULL || call->planes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    call->n_lines = n;
    while (call->n_parsed < n)
        if (parse_lines(call, PyTuple_GetItem(call->items, call->n_parsed)) < 0)
            return -1;
    return 0;
}

static PyObject *run(lines_call *call)
{
    gp_error error = {0};
    const gp_line_options *options = &call->options;
    const gp_backend *backend = call->planes[1].backend;
    OWNED CellsObject *cells = cells_new(backend, gp_line_n_rows(options), options->x.n_cells, call->lines[0].y->device);
    if (cells == NULL)
        return NULL;
    GP_CALL(error, backend->bin_lines(call->lines, call->n_lines, options, &cells->cells, &error));
    return result_or_error(cells, &error);
}

static PyObject *bin_lines(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *lines, *x_axis, *y_axis;
    int is_normalized, has_outside = 0;
    __attribute__((cleanup(end_call))) lines_call call = {0};
    if (!PyArg_ParseTuple(args, "OO!O!p|p:bin_lines", &lines, &PyTuple_Type, &x_axis, &PyTuple_Type, &y_axis, &is_normalized,
                          &has_outside))
        return NULL;
    call.options.is_normalized = is_normalized, call.options.has_outside = has_outside;
    if (parse_axis(x_axis, &call.options.x, call.knots) < 0 || parse_axis(y_axis, &call.options.y, call.knots + 2) < 0 ||
        parse_all(&call, lines) < 0)
        return NULL;
    return run(&call);
}

/* An (n_lines, n_columns, 2) int32 array of the rows that the lines of a call fill; NULL with an exception. */
static PyObject *rows_of(lines_call *call, gp_line_box box)
{
    gp_error error = {0};
    npy_intp shape[3] = {box.line1 - box.line0, box.column1 - box.column0, 2};
    for (Py_ssize_t i = 0; i < call->n_lines; i++)
        if (call->planes[2 * i + 1].backend != &gp_cpu_backend) {
            PyErr_SetString(PyExc_ValueError, "rows are found of lines in host memory: copy them there");
            return NULL;
        }
    if (shape[0] < 0 || shape[1] < 0) {
        PyErr_SetString(PyExc_ValueError, "lines and columns are (first, one after the last)");
        return NULL;
    }
    OWNED PyArrayObject *rows = new_array(3, shape, NPY_INT32);
    if (rows == NULL)
        return NULL;
    GP_CALL(error, gp_cpu_line_rows(call->lines, call->n_lines, &call->options, box, PyArray_DATA(rows), &error));
    return result_or_error(rows, &error);
}

static PyObject *line_rows(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *lines, *x_axis, *y_axis;
    long long line0, line1, column0, column1;
    __attribute__((cleanup(end_call))) lines_call call = {0};
    if (!PyArg_ParseTuple(args, "OO!O!(LL)(LL):line_rows", &lines, &PyTuple_Type, &x_axis, &PyTuple_Type, &y_axis, &line0, &line1,
                          &column0, &column1))
        return NULL;
    call.options.has_outside = true;
    if (parse_axis(x_axis, &call.options.x, call.knots) < 0 || parse_axis(y_axis, &call.options.y, call.knots + 2) < 0 ||
        parse_all(&call, lines) < 0)
        return NULL;
    return rows_of(&call, (gp_line_box){line0, line1, column0, column1});
}

/* line_places(values, axis) -> the place of each value, NaN for those without one */
static PyObject *line_places(PyObject *Py_UNUSED(module), PyObject *args)
{
    OWNED PyArrayObject *values = NULL;
    PyObject *axis;
    __attribute__((cleanup(end_call))) lines_call call = {0};
    if (!PyArg_ParseTuple(args, "O&O!:line_places", to_doubles, &values, &PyTuple_Type, &axis) ||
        parse_axis(axis, &call.options.x, call.knots) < 0)
        return NULL;
    npy_intp n = PyArray_SIZE(values);
    OWNED PyArrayObject *places = new_array(1, &n, NPY_DOUBLE);
    if (places == NULL)
        return NULL;
    const double *from = PyArray_DATA(values);
    double *to = PyArray_DATA(places);
    GP_WITHOUT_GIL(gp_line_places(&call.options.x, from, n, to));
    return Py_NewRef((PyObject *)places);
}

PyMethodDef line_functions[] = {
    {"bin_lines", bin_lines, METH_VARARGS,
     "bin_lines(lines, x_axis, y_axis, normalized, has_outside=False) -> Cells: lines are (x, y, order), x may be None or of one row, order is "
     "'found', 'sorted' (x rises) or 'unsorted'; an axis is (first, last, number of cells, low, high, values, places), the last two None or "
     "arrays of knots; has_outside: a row more on either side"},
    {"line_rows", line_rows, METH_VARARGS,
     "line_rows(lines, x_axis, y_axis, of_lines, of_columns) -> (lines, columns, 2) int32: the first and the last row that a sorted line in "
     "host memory fills of a column, last < first for none; row 0 is below the grid, and the last row above it; of_lines and of_columns are "
     "(first, one after the last)"},
    {"line_places", line_places, METH_VARARGS, "line_places(values, axis) -> places in cells, NaN where there is none"},
    {0},
};
