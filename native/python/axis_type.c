/* _native.Axis: which elements each cell along one axis covers. */
#include "binding.h"

PyTypeObject *AxisType;

static const char *const tie_names[] = {"up", "down"};

static PyObject *axis_wrap(gp_axis *axis)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(AxisType, Py_tp_alloc);
    AxisObject *self = (AxisObject *)alloc(AxisType, 0);
    if (self == NULL)
        gp_axis_free(axis);
    else
        self->axis = *axis;
    return (PyObject *)self;
}

static PyObject *axis_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"n_elems", "u0", "u1", "n_cells", "tie", "nearest", NULL};
    long long n_elems, n_cells;
    double u0, u1;
    const char *tie_name = "up";
    int is_nearest = 0;
    gp_axis axis;
    gp_error error = {0};
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "LddL|sp:Axis", names, &n_elems, &u0, &u1, &n_cells, &tie_name, &is_nearest))
        return NULL;
    int tie = name_to_index("tie", tie_name, tie_names, 2);
    if (tie < 0)
        return NULL;
    if (gp_axis_fit(n_elems, u0, u1, n_cells, (gp_tie)tie, is_nearest ? GP_REGIME_NEAREST : GP_REGIME_BY_WIDTH, &axis, &error) !=
        GP_OK)
        return raise_error(&error);
    return axis_wrap(&axis);
}

static PyObject *axis_from_edges(PyObject *cls, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"n_elems", "edges", "centers", "tie", "nearest", NULL};
    long long n_elems;
    PyObject *edges_object, *centers_object, *result = NULL;
    const char *tie_name = "up";
    int is_nearest = 0;
    gp_axis axis;
    gp_error error = {0};
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "LOO|sp:from_edges", names, &n_elems, &edges_object, &centers_object,
                                     &tie_name, &is_nearest))
        return NULL;
    int tie = name_to_index("tie", tie_name, tie_names, 2);
    if (tie < 0)
        return NULL;
    PyArrayObject *edges = (PyArrayObject *)PyArray_FROMANY(edges_object, NPY_DOUBLE, 1, 1, NPY_ARRAY_IN_ARRAY);
    PyArrayObject *centers = (PyArrayObject *)PyArray_FROMANY(centers_object, NPY_DOUBLE, 1, 1, NPY_ARRAY_IN_ARRAY);
    if (edges == NULL || centers == NULL)
        goto done;
    if (PyArray_SIZE(edges) != PyArray_SIZE(centers) + 1) {
        PyErr_SetString(PyExc_ValueError, "there is one edge more than there are centers");
        goto done;
    }
    if (gp_axis_fit_edges(n_elems, PyArray_DATA(edges), PyArray_DATA(centers), PyArray_SIZE(centers), (gp_tie)tie,
                          is_nearest ? GP_REGIME_NEAREST : GP_REGIME_BY_WIDTH, &axis, &error) != GP_OK)
        raise_error(&error);
    else
        result = axis_wrap(&axis);
done:
    Py_XDECREF((PyObject *)edges);
    Py_XDECREF((PyObject *)centers);
    return result;
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

static PyObject *axis_touched(AxisObject *self, PyObject *unused)
{
    int64_t begin, end;
    (void)unused;
    gp_axis_touched(&self->axis, &begin, &end);
    return Py_BuildValue("(LL)", (long long)begin, (long long)end);
}

/* (the axis of elements begin to end alone, which of the cells is its first one), or None where no cell touches one of them. */
static PyObject *axis_crop(AxisObject *self, PyObject *args)
{
    long long begin, end;
    int64_t first;
    gp_axis axis;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "LL:crop", &begin, &end))
        return NULL;
    if (gp_axis_crop(&self->axis, begin, end, &axis, &first, &error) != GP_OK)
        return raise_error(&error);
    if (axis.n_cells == 0)
        Py_RETURN_NONE;
    PyObject *cropped = axis_wrap(&axis);
    return cropped ? Py_BuildValue("(NL)", cropped, (long long)first) : NULL;
}

static void axis_dealloc(AxisObject *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    gp_axis_free(&self->axis);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *get_n_cells(AxisObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(self->axis.n_cells);
}

static PyObject *get_is_nearest(AxisObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->axis.is_nearest);
}

static PyObject *get_is_reversed(AxisObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->axis.is_reversed);
}

static PyMethodDef methods[] = {
    {"from_edges", (PyCFunction)(void (*)(void))axis_from_edges, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_edges(n_elems, edges, centers, tie='up', nearest=False): monotonic edges in element coordinates."},
    {"span", (PyCFunction)axis_span, METH_VARARGS, "span(p): touched and owned elements and border weights of cell p."},
    {"crop", (PyCFunction)axis_crop, METH_VARARGS,
     "crop(begin, end): the axis of these elements alone, in growing direction, and its first cell; None where none touches them."},
    {"touched", (PyCFunction)axis_touched, METH_NOARGS, "touched(): the half-open range of elements that any cell touches."},
    {0},
};

static PyGetSetDef getters[] = {
    {"n_cells", (getter)get_n_cells, NULL, NULL, NULL},
    {"is_nearest", (getter)get_is_nearest, NULL, "Whether every cell shows one element.", NULL},
    {"is_reversed", (getter)get_is_reversed, NULL, NULL, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_new, axis_new},
    {Py_tp_dealloc, axis_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_tp_doc, "Axis(n_elems, u0, u1, n_cells, tie='up', nearest=False): equal cells over [u0, u1)."},
    {0, NULL},
};

static PyType_Spec spec = {"gpuplot._native.Axis", sizeof(AxisObject), 0, Py_TPFLAGS_DEFAULT, slots};

int axis_type_add(PyObject *module)
{
    AxisType = (PyTypeObject *)PyType_FromSpec(&spec);
    return AxisType ? PyModule_AddObjectRef(module, "Axis", (PyObject *)AxisType) : -1;
}
