/* _native.Axis: the elements that each cell covers along one axis. */
#include "binding.h"

/* A new Axis that owns the result of a call, or NULL with the exception of its error. */
static PyObject *axis_or_error(gp_axis *axis, const gp_error *error)
{
    AxisObject *self = error->status == GP_OK ? object_new(AxisType) : NULL;
    if (error->status != GP_OK)
        return raise_error(error);
    if (self == NULL)
        gp_axis_free(axis);
    else
        self->axis = *axis;
    return (PyObject *)self;
}

static PyObject *axis_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *keywords)
{
    static char *names[] = {"n_elems", "u0", "u1", "n_cells", "tie", "nearest", NULL};
    long long n_elems, n_cells;
    double u0, u1;
    gp_tie tie = GP_TIE_UP;
    int is_nearest = 0;
    gp_axis axis;
    gp_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "LddL|O&p:Axis", names, &n_elems, &u0, &u1, &n_cells, to_tie, &tie,
                                     &is_nearest))
        return NULL;
    gp_regime regime = is_nearest ? GP_REGIME_NEAREST : GP_REGIME_BY_WIDTH;
    error.status = gp_axis_fit(n_elems, u0, u1, n_cells, tie, regime, &axis, &error);
    return axis_or_error(&axis, &error);
}

static PyObject *axis_from_edges(PyObject *Py_UNUSED(cls), PyObject *args, PyObject *keywords)
{
    static char *names[] = {"n_elems", "edges", "centers", "tie", "nearest", NULL};
    long long n_elems;
    OWNED PyArrayObject *edges = NULL, *centers = NULL;
    gp_tie tie = GP_TIE_UP;
    int is_nearest = 0;
    gp_axis axis;
    gp_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "LO&O&|O&p:from_edges", names, &n_elems, to_doubles, &edges, to_doubles,
                                     &centers, to_tie, &tie, &is_nearest))
        return NULL;
    if (PyArray_SIZE(edges) != PyArray_SIZE(centers) + 1)
        return PyErr_Format(PyExc_ValueError, "there is one edge more than there are centers");
    gp_regime regime = is_nearest ? GP_REGIME_NEAREST : GP_REGIME_BY_WIDTH;
    error.status = gp_axis_fit_edges(n_elems, PyArray_DATA(edges), PyArray_DATA(centers), PyArray_SIZE(centers), tie, regime,
                                     &axis, &error);
    return axis_or_error(&axis, &error);
}

/* (touched_begin, touched_end, owned_begin, owned_end, w_first, w_last) of one cell, in the direction of growing index. */
static PyObject *axis_span(AxisObject *self, PyObject *args)
{
    long long p;
    if (!PyArg_ParseTuple(args, "L:span", &p))
        return NULL;
    if (p < 0 || p >= self->axis.n_cells)
        return PyErr_Format(PyExc_IndexError, "cell %lld of %lld", p, (long long)self->axis.n_cells);
    const gp_span *span = &self->axis.spans[p];
    return Py_BuildValue("(LLLLdd)", (long long)span->touched_begin, (long long)span->touched_end, (long long)span->owned_begin,
                         (long long)span->owned_end, span->w_first, span->w_last);
}

static PyObject *axis_touched(AxisObject *self, PyObject *Py_UNUSED(unused))
{
    int64_t begin, end;
    gp_axis_touched(&self->axis, &begin, &end);
    return Py_BuildValue("(LL)", (long long)begin, (long long)end);
}

/* (the axis cropped to elements begin..end, the index of its first cell), or None if no cell touches these elements. */
static PyObject *axis_crop(AxisObject *self, PyObject *args)
{
    long long begin, end;
    int64_t first;
    gp_axis axis;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "LL:crop", &begin, &end))
        return NULL;
    error.status = gp_axis_crop(&self->axis, begin, end, &axis, &first, &error);
    if (error.status == GP_OK && axis.n_cells == 0)
        Py_RETURN_NONE;
    PyObject *cropped = axis_or_error(&axis, &error);
    return cropped ? Py_BuildValue("(NL)", cropped, (long long)first) : NULL;
}

static void axis_dealloc(AxisObject *self)
{
    gp_axis_free(&self->axis);
    object_free(self);
}

static PyMethodDef methods[] = {
    {"from_edges", WITH_KEYWORDS(axis_from_edges) | METH_CLASS,
     "from_edges(n_elems, edges, centers, tie='up', nearest=False): monotonic edges in element coordinates."},
    {"span", (PyCFunction)axis_span, METH_VARARGS, "span(p): touched and owned elements and border weights of cell p."},
    {"crop", (PyCFunction)axis_crop, METH_VARARGS,
     "crop(begin, end): the axis of these elements alone, in growing direction, and its first cell; None where none touches them."},
    {"touched", (PyCFunction)axis_touched, METH_NOARGS, "touched(): the half-open range of elements that any cell touches."},
    {0},
};

static PyMemberDef members[] = {
    {"n_cells", T_LONGLONG, offsetof(AxisObject, axis.n_cells), READONLY, NULL},
    {"is_nearest", T_BOOL, offsetof(AxisObject, axis.is_nearest), READONLY, "Whether every cell shows one element."},
    {"is_reversed", T_BOOL, offsetof(AxisObject, axis.is_reversed), READONLY, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_new, axis_new},
    {Py_tp_dealloc, axis_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_doc, "Axis(n_elems, u0, u1, n_cells, tie='up', nearest=False): equal cells over [u0, u1)."},
    {0, NULL},
};

PyType_Spec axis_spec = {"gpuplot._native.Axis", sizeof(AxisObject), 0, Py_TPFLAGS_DEFAULT, slots};
