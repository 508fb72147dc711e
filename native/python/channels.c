/* reduce_channels: the channels of colors to cells, by one look at memory where they share it. */
#include "binding.h"
#include "../cpu/reduce/reduce_channels.h"

/* The planes of a call, and the cells that they become. */
typedef struct channels_call {
    Use uses[GP_MAX_CHANNELS];
    gp_plane planes[GP_MAX_CHANNELS];
    CellsObject *cells[GP_MAX_CHANNELS], *without_nan[GP_MAX_CHANNELS];
    int n;
} channels_call;

static void end_call(channels_call *call)
{
    for (int i = 0; i < GP_MAX_CHANNELS; i++) {
        use_end(&call->uses[i]);
        Py_XDECREF((PyObject *)call->cells[i]);
        Py_XDECREF((PyObject *)call->without_nan[i]);
    }
}

#define CHANNELS_CALL __attribute__((cleanup(end_call))) channels_call

static int parse_planes(PyObject *planes, const AxisObject *rows, const AxisObject *cols, channels_call *call)
{
    if (!is_tuple(planes, "planes are a tuple of Plane"))
        return -1;
    Py_ssize_t n = PyTuple_Size(planes);
    if (n < 1 || n > GP_MAX_CHANNELS) {
        PyErr_Format(PyExc_ValueError, "%zd planes: give 1 to %d, one for each channel", n, GP_MAX_CHANNELS);
        return -1;
    }
    for (; call->n < n; call->n++) {
        Use *use = &call->uses[call->n];
        if (!to_plane(PyTuple_GetItem(planes, call->n), use) || check_axes(use->plane, rows, cols) < 0)
            return -1;
        if (use->backend != call->uses[0].backend) {
            PyErr_SetString(PyExc_ValueError, "channels are of one tensor: these are on several devices");
            return -1;
        }
        call->planes[call->n] = *use->plane;
    }
    return 0;
}

static int make_cells(channels_call *call, const AxisObject *rows, const AxisObject *cols, bool splits_nan)
{
    for (int i = 0; i < call->n; i++) {
        const Use *use = &call->uses[i];
        call->cells[i] = cells_new(use->backend, rows->axis.n_cells, cols->axis.n_cells, use->plane->device);
        if (call->cells[i] != NULL && splits_nan)
            call->without_nan[i] = cells_new(use->backend, rows->axis.n_cells, cols->axis.n_cells, use->plane->device);
        if (PyErr_Occurred())
            return -1;
    }
    return 0;
}

static PyObject *results_of(const channels_call *call)
{
    PyObject *list = PyList_New(call->n);
    for (int i = 0; list != NULL && i < call->n; i++) {
        PyObject *without_nan = call->without_nan[i] != NULL ? (PyObject *)call->without_nan[i] : Py_None;
        PyObject *pair = Py_BuildValue("(OO)", call->cells[i], without_nan);
        if (pair == NULL || PyList_SetItem(list, i, pair) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static gp_status reduce_all(const channels_call *call, const gp_axis *rows, const gp_axis *cols, gp_agg agg, gp_nan nan,
                            gp_error *error)
{
    const gp_backend *backend = call->uses[0].backend;
    gp_reduce_options options = {.agg = agg, .nan = nan};
    gp_cells *cells[GP_MAX_CHANNELS] = {0}, *without_nan[GP_MAX_CHANNELS] = {0};
    for (int i = 0; i < call->n; i++) {
        cells[i] = &call->cells[i]->cells;
        without_nan[i] = call->without_nan[i] != NULL ? &call->without_nan[i]->cells : NULL;
    }
    if (backend == &gp_cpu_backend && gp_cpu_share_memory(call->planes, call->n))
        return gp_cpu_reduce_channels(call->planes, call->n, rows, cols, &options, cells, without_nan, error);
    for (int i = 0; i < call->n; i++) {
        options.without_nan = without_nan[i];
        GP_TRY(gp_plane_reduce(backend, &call->planes[i], rows, cols, &options, cells[i], NULL, error));
    }
    return GP_OK;
}

static PyObject *reduce_channels(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *planes;
    AxisObject *rows, *cols;
    CHANNELS_CALL call = {0};
    gp_agg agg;
    gp_nan nan;
    int splits_nan;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "OO!O!O&O&p:reduce_channels", &planes, AxisType, &rows, AxisType, &cols, to_agg, &agg, to_nan,
                          &nan, &splits_nan) ||
        parse_planes(planes, rows, cols, &call) < 0 || make_cells(&call, rows, cols, splits_nan) < 0)
        return NULL;
    GP_CALL(error, reduce_all(&call, &rows->axis, &cols->axis, agg, nan, &error));
    return error.status == GP_OK ? results_of(&call) : raise_error(&error);
}

PyMethodDef channel_functions[] = {
    {"reduce_channels", reduce_channels, METH_VARARGS,
     "reduce_channels(planes, rows, cols, agg, nan, splits_nan) -> list of (cells, cells without NaN or None), as reduce() of each "
     "plane. Planes whose elements lie beside each other in host memory are read together."},
    {0},
};
