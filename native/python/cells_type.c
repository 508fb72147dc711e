/* _native.Cells: a grid of float64 cells in the memory of the device that computed them. */
#include "binding.h"

PyTypeObject *CellsType;

PyObject *cells_wrap(gp_cells *cells, const gp_backend *backend)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(CellsType, Py_tp_alloc);
    CellsObject *self = (CellsObject *)alloc(CellsType, 0);
    if (self == NULL) {
        backend->cells_free(cells);
        return NULL;
    }
    self->cells = *cells, self->backend = backend;
    self->shape[0] = (Py_ssize_t)cells->n_rows, self->shape[1] = (Py_ssize_t)cells->n_cols;
    self->strides[0] = self->shape[1] * (Py_ssize_t)sizeof(double), self->strides[1] = sizeof(double);
    return (PyObject *)self;
}

int cells_are_alike(const gp_cells *a, const gp_cells *b)
{
    if (a->n_rows != b->n_rows || a->n_cols != b->n_cols)
        PyErr_Format(PyExc_ValueError, "cells of %lld x %lld and of %lld x %lld cannot be used together", (long long)a->n_rows,
                     (long long)a->n_cols, (long long)b->n_rows, (long long)b->n_cols);
    else if (a->device.kind != b->device.kind || a->device.id != b->device.id)
        PyErr_Format(PyExc_ValueError,
                     "cells of two devices, (%d, %d) and (%d, %d) in DLPack's numbers, cannot be used "
                     "together: bring them to the host with .numpy()",
                     a->device.kind, a->device.id, b->device.kind, b->device.id);
    return !PyErr_Occurred();
}

static PyObject *cells_from_array(PyObject *cls, PyObject *object)
{
    gp_cells cells = {0};
    gp_error error = {0};
    const gp_backend *backend;
    PyObject *result = NULL;
    (void)cls;
    PyArrayObject *array = (PyArrayObject *)PyArray_FROMANY(object, NPY_DOUBLE, 2, 2, NPY_ARRAY_IN_ARRAY);
    if (array == NULL)
        return NULL;
    if (gp_backend_for((gp_device){GP_DL_CPU, 0}, &backend, &error) != GP_OK ||
        backend->cells_alloc(PyArray_DIM(array, 0), PyArray_DIM(array, 1), (gp_device){GP_DL_CPU, 0}, &cells, &error) != GP_OK) {
        raise_error(&error);
    } else {
        if (PyArray_NBYTES(array) > 0)
            memcpy(cells.data, PyArray_DATA(array), (size_t)PyArray_NBYTES(array));
        result = cells_wrap(&cells, backend);
    }
    Py_DECREF((PyObject *)array);
    return result;
}

/* A new float64 ndarray with the cells, wherever they live. */
static PyObject *cells_numpy(CellsObject *self, PyObject *unused)
{
    npy_intp shape[2] = {self->shape[0], self->shape[1]};
    gp_error error = {0};
    gp_status status;
    (void)unused;
    PyObject *array = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    if (array == NULL)
        return NULL;
    double *out = PyArray_DATA((PyArrayObject *)array);
    GP_WITHOUT_GIL(status = self->backend->cells_copy_out(&self->cells, out, &error));
    if (status == GP_OK)
        return array;
    Py_DECREF(array);
    return raise_error(&error);
}

/* NumPy asks here where there is no buffer, and would make an array of one object of cells that do not answer. */
static PyObject *cells_array(PyObject *self, PyObject *args, PyObject *keywords)
{
    (void)self, (void)args, (void)keywords;
    PyErr_SetString(PyExc_TypeError, "these cells are on a device: call .numpy()");
    return NULL;
}

static int cells_getbuffer(CellsObject *self, Py_buffer *view, int flags)
{
    if (self->cells.device.kind != GP_DL_CPU) {
        PyErr_SetString(PyExc_BufferError, "these cells are on a device: call .numpy()");
        view->obj = NULL;
        return -1;
    }
    view->obj = Py_NewRef((PyObject *)self);
    view->buf = self->cells.data;
    view->len = self->shape[0] * self->strides[0];
    view->readonly = 0;
    view->itemsize = sizeof(double);
    view->format = (flags & PyBUF_FORMAT) ? "d" : NULL;
    view->ndim = 2;
    view->shape = (flags & PyBUF_ND) ? self->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) ? self->strides : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static void cells_dealloc(CellsObject *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    /* A driver may wait for work of other queues before it frees, and that for a callback in Python. */
    if (self->backend != NULL && self->cells.device.kind == GP_DL_CPU)
        self->backend->cells_free(&self->cells);
    else if (self->backend != NULL)
        GP_WITHOUT_GIL(self->backend->cells_free(&self->cells));
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *get_shape(CellsObject *self, void *unused)
{
    (void)unused;
    return Py_BuildValue("(nn)", self->shape[0], self->shape[1]);
}

static PyObject *get_device(CellsObject *self, void *unused)
{
    (void)unused;
    return Py_BuildValue("(ii)", self->cells.device.kind, self->cells.device.id);
}

static PyMethodDef methods[] = {
    {"from_array", cells_from_array, METH_O | METH_CLASS, "from_array(values): cells on the host, copied."},
    {"__array__", (PyCFunction)(void (*)(void))cells_array, METH_VARARGS | METH_KEYWORDS, "Refused: cells of a device."},
    {"numpy", (PyCFunction)cells_numpy, METH_NOARGS, "numpy(): a new (H, W) float64 ndarray."},
    {0},
};

static PyGetSetDef getters[] = {
    {"shape", (getter)get_shape, NULL, "(rows, columns)", NULL},
    {"device", (getter)get_device, NULL, "(kind, id) in DLPack's numbers; kind 1 is the CPU.", NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, cells_dealloc},
    {Py_bf_getbuffer, cells_getbuffer},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_tp_doc,
     "(H, W) float64 cells; NaN and infinities are marks, EMPTY_BITS means that no element is there, MASKED_BITS that all are masked."},
    {0, NULL},
};

static PyType_Spec spec = {"gpuplot._native.Cells", sizeof(CellsObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int cells_type_add(PyObject *module)
{
    CellsType = (PyTypeObject *)PyType_FromSpec(&spec);
    return CellsType ? PyModule_AddObjectRef(module, "Cells", (PyObject *)CellsType) : -1;
}
