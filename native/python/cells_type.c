/* _native.Cells: a grid of float64 cells in the memory of the device that computed them. */
#include "binding.h"

/* Allocating device memory enters the device, which may wait for another thread, so the GIL is released. */
CellsObject *cells_new(const gp_backend *backend, int64_t n_rows, int64_t n_cols, gp_device device)
{
    OWNED CellsObject *self = object_new(CellsType);
    gp_error error = {0};
    if (self == NULL)
        return NULL;
    self->backend = backend;
    GP_CALL(error, backend->cells_alloc(n_rows, n_cols, device, &self->cells, &error));
    return (CellsObject *)result_or_error(self, &error);
}

int cells_are_alike(const gp_cells *a, const gp_cells *b)
{
    if (a->n_rows != b->n_rows || a->n_cols != b->n_cols)
        PyErr_Format(PyExc_ValueError, "cells of %lld x %lld and of %lld x %lld cannot be used together", (long long)a->n_rows,
                     (long long)a->n_cols, (long long)b->n_rows, (long long)b->n_cols);
    else if (!gp_device_is_same(a->device, b->device))
        PyErr_Format(PyExc_ValueError,
                     "cells of two devices, (%d, %d) and (%d, %d) in DLPack's numbers, cannot be used "
                     "together: bring them to the host with .numpy()",
                     a->device.kind, a->device.id, b->device.kind, b->device.id);
    return !PyErr_Occurred();
}

static PyObject *cells_from_array(PyObject *Py_UNUSED(cls), PyObject *object)
{
    const gp_device host = {GP_DL_CPU, 0};
    OWNED PyArrayObject *array = array_from(object, NPY_DOUBLE, 2);
    CellsObject *self = array ? cells_new(&gp_cpu_backend, PyArray_DIM(array, 0), PyArray_DIM(array, 1), host) : NULL;
    if (self != NULL && PyArray_NBYTES(array) > 0)
        memcpy(self->cells.data, PyArray_DATA(array), (size_t)PyArray_NBYTES(array));
    return (PyObject *)self;
}

/* A float64 ndarray with a copy of the cells, from any device. */
static PyObject *cells_numpy(CellsObject *self, PyObject *args)
{
    PyObject *out = Py_None;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "|O:numpy", &out))
        return NULL;
    const npy_intp shape[] = {(npy_intp)self->cells.n_rows, (npy_intp)self->cells.n_cols};
    OWNED PyArrayObject *array = out_array(out, 2, shape, NPY_DOUBLE, "float64 array of the cells' shape");
    if (array == NULL)
        return NULL;
    double *values = PyArray_DATA(array);
    GP_CALL(error, self->backend->cells_copy_out(&self->cells, values, &error));
    return result_or_error(array, &error);
}

/* NumPy calls this if there is no buffer; without it NumPy would make a 0-d array of objects. */
static PyObject *cells_array(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(keywords))
{
    return PyErr_Format(PyExc_TypeError, "these cells are on a device: call .numpy()");
}

static int cells_getbuffer(CellsObject *self, Py_buffer *view, int flags)
{
    if (self->cells.device.kind != GP_DL_CPU) {
        PyErr_SetString(PyExc_BufferError, "these cells are on a device: call .numpy()");
        view->obj = NULL;
        return -1;
    }
    self->shape[0] = (Py_ssize_t)self->cells.n_rows, self->shape[1] = (Py_ssize_t)self->cells.n_cols;
    self->strides[0] = self->shape[1] * (Py_ssize_t)sizeof(double), self->strides[1] = sizeof(double);
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
    /* The driver may wait for other work before it frees memory, and that work for a callback in Python, so the GIL is released. */
    if (self->cells.device.kind == GP_DL_CPU)
        self->backend->cells_free(&self->cells);
    else
        GP_WITHOUT_GIL(self->backend->cells_free(&self->cells));
    object_free(self);
}

static PyObject *get_shape(CellsObject *self, void *Py_UNUSED(unused))
{
    return Py_BuildValue("(LL)", (long long)self->cells.n_rows, (long long)self->cells.n_cols);
}

static PyObject *get_device(CellsObject *self, void *Py_UNUSED(unused))
{
    return Py_BuildValue("(ii)", self->cells.device.kind, self->cells.device.id);
}

static PyObject *get_limits(CellsObject *self, void *Py_UNUSED(unused))
{
    return self->has_limits ? limits_to_tuple(&self->limits) : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"from_array", cells_from_array, METH_O | METH_CLASS, "from_array(values): cells on the host, copied."},
    {"__array__", WITH_KEYWORDS(cells_array), "Refused: cells of a device."},
    {"numpy", (PyCFunction)cells_numpy, METH_VARARGS, "numpy(out=None): an (H, W) float64 ndarray, a new one or out."},
    {0},
};

static PyGetSetDef getters[] = {
    {"shape", (getter)get_shape, NULL, "(rows, columns)", NULL},
    {"device", (getter)get_device, NULL, "(kind, id) in DLPack's numbers; kind 1 is the CPU.", NULL},
    {"limits", (getter)get_limits, NULL,
     "What reduce() found of the cells, where it was asked to, as limits() gives it; else None.", NULL},
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

PyType_Spec cells_spec = {"gpuplot._native.Cells", sizeof(CellsObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          slots};
