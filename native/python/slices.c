/* _native.Slices: a tensor cut along some of its axes, and functions that answer for all of its slices at once. */
#include "binding.h"

PyTypeObject *SlicesType;

/* A row of what summarize_slices returns. */
enum { N_FIELDS = 18 };
_Static_assert(sizeof(gp_summary) == N_FIELDS * sizeof(int64_t), "a summary is a row of numbers of 64 bits");

static int parse_use(PyObject *item, gp_slice_use *use)
{
    long long start, step, size;
    int is_between;
    if (!PyTuple_Check(item) ||
        !PyArg_ParseTuple(item, "LLLp;a use is (start, step, size, is_between)", &start, &step, &size, &is_between)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a use is a tuple (start, step, size, is_between)");
        return -1;
    }
    *use = (gp_slice_use){start, step, size, is_between != 0};
    return 0;
}

static int parse_uses(PyObject *list, int n_dims, gp_slice_use *uses)
{
    PyObject *tuple = PySequence_Tuple(list);
    int failed = tuple == NULL;
    if (!failed && PyTuple_Size(tuple) != n_dims) {
        PyErr_Format(PyExc_ValueError, "%zd uses for a tensor of %d axes", PyTuple_Size(tuple), n_dims);
        failed = 1;
    }
    for (int i = 0; !failed && i < n_dims; i++)
        failed = parse_use(PyTuple_GetItem(tuple, i), &uses[i]) < 0;
    Py_XDECREF(tuple);
    return failed ? -1 : 0;
}

static PyObject *slices_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"tensor", "uses", "component", NULL};
    PyObject *tensor_object, *uses_object;
    const char *component_name = "value";
    gp_slice_use uses[GP_MAX_NDIM] = {0};
    gp_slices slices;
    gp_error error = {0};
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O|s:Slices", names, TensorType, &tensor_object, &uses_object,
                                     &component_name))
        return NULL;
    TensorObject *tensor = (TensorObject *)tensor_object;
    if (tensor->is_released) {
        PyErr_SetString(PyExc_ValueError, "the tensor was released: borrow it again");
        return NULL;
    }
    int component = component_of_name(component_name, tensor->tensor.dtype);
    if (component < 0 || parse_uses(uses_object, tensor->tensor.n_dims, uses) < 0)
        return NULL;
    if (component == GP_COMPONENT_CHANNEL)
        return PyErr_Format(PyExc_ValueError, "slices have no channels: give 'value'");
    if (gp_slices_from(&tensor->tensor, uses, (gp_component)component, &slices, &error) != GP_OK)
        return raise_error(&error);
    allocfunc alloc = (allocfunc)PyType_GetSlot(SlicesType, Py_tp_alloc);
    SlicesObject *self = (SlicesObject *)alloc(SlicesType, 0);
    if (self != NULL)
        self->slices = slices, self->tensor = (TensorObject *)Py_NewRef((PyObject *)tensor);
    return (PyObject *)self;
}

static void slices_dealloc(SlicesObject *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    Py_XDECREF((PyObject *)self->tensor);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *get_shape(SlicesObject *self, void *unused)
{
    (void)unused;
    return Py_BuildValue("(LL)", (long long)self->slices.n_slices, (long long)self->slices.n_elems);
}

static PyGetSetDef getters[] = {
    {"shape", (getter)get_shape, NULL, "(slices, elements of each)", NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_new, slices_new},
    {Py_tp_dealloc, slices_dealloc},
    {Py_tp_getset, getters},
    {Py_tp_doc, "Slices(tensor, uses, component='value')"},
    {0, NULL},
};

static PyType_Spec spec = {"gpuplot._native.Slices", sizeof(SlicesObject), 0, Py_TPFLAGS_DEFAULT, slots};

int slices_type_add(PyObject *module)
{
    SlicesType = (PyTypeObject *)PyType_FromSpec(&spec);
    return SlicesType ? PyModule_AddObjectRef(module, "Slices", (PyObject *)SlicesType) : -1;
}

/* ---- functions ------------------------------------------------------------------------------------------------------- */

/* The backend of slices whose tensor is held until tensor_end; NULL with an exception. */
static const gp_backend *begin(const SlicesObject *self)
{
    gp_error error = {0};
    const gp_backend *backend = NULL;
    if (gp_backend_for(self->slices.plane.device, &backend, &error) != GP_OK) {
        raise_error(&error);
        return NULL;
    }
    return tensor_begin(self->tensor) < 0 ? NULL : backend;
}

static PyObject *new_table(const SlicesObject *self, int64_t n_cols, int type)
{
    npy_intp shape[] = {(npy_intp)self->slices.n_slices, (npy_intp)n_cols};
    return PyArray_SimpleNew(2, shape, type);
}

/* The table, or the exception of a failed call. */
static PyObject *returned(PyObject *table, gp_status status, const gp_error *error)
{
    if (status == GP_OK)
        return table;
    Py_DECREF(table);
    return raise_error(error);
}

static PyObject *summarize_slices(PyObject *module, PyObject *args)
{
    PyObject *object;
    gp_error error = {0};
    gp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!:summarize_slices", SlicesType, &object))
        return NULL;
    SlicesObject *self = (SlicesObject *)object;
    PyObject *table = new_table(self, N_FIELDS, NPY_INT64);
    const gp_backend *backend = table != NULL ? begin(self) : NULL;
    if (backend == NULL) {
        Py_XDECREF(table);
        return NULL;
    }
    gp_summary *out = PyArray_DATA((PyArrayObject *)table);
    GP_WITHOUT_GIL(status = gp_slices_summarize(backend, &self->slices, out, &error));
    tensor_end(self->tensor);
    return returned(table, status, &error);
}

static PyObject *histogram_slices(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"slices", "edges", "integer_range", NULL};
    PyObject *object, *edges_object, *range_object = Py_None;
    gp_integer_range range;
    gp_error error = {0};
    gp_status status;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O|O:histogram_slices", names, SlicesType, &object, &edges_object,
                                     &range_object))
        return NULL;
    SlicesObject *self = (SlicesObject *)object;
    if (range_object != Py_None && parse_range(range_object, self->slices.plane.dtype, &range) < 0)
        return NULL;
    PyArrayObject *edges = (PyArrayObject *)PyArray_FROMANY(edges_object, NPY_DOUBLE, 2, 2, NPY_ARRAY_IN_ARRAY);
    if (edges == NULL)
        return NULL;
    int64_t n_bins = PyArray_DIM(edges, 1) - 1;
    if (PyArray_DIM(edges, 0) != self->slices.n_slices || n_bins < 1) {
        Py_DECREF((PyObject *)edges);
        return PyErr_Format(PyExc_ValueError, "edges must be (slices, bins + 1), with %lld slices and a bin at least",
                            (long long)self->slices.n_slices);
    }
    PyObject *table = new_table(self, n_bins, NPY_INT64);
    const gp_backend *backend = table != NULL ? begin(self) : NULL;
    if (backend == NULL) {
        Py_XDECREF(table);
        Py_DECREF((PyObject *)edges);
        return NULL;
    }
    int64_t *out = PyArray_DATA((PyArrayObject *)table);
    const double *edge_values = PyArray_DATA(edges);
    const gp_integer_range *wanted = range_object != Py_None ? &range : NULL;
    GP_WITHOUT_GIL(status = gp_slices_histogram(backend, &self->slices, edge_values, n_bins, wanted, out, &error));
    tensor_end(self->tensor);
    Py_DECREF((PyObject *)edges);
    return returned(table, status, &error);
}

static PyObject *percentiles_slices(PyObject *module, PyObject *args)
{
    PyObject *object, *percents_object;
    gp_error error = {0};
    gp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O:percentiles_slices", SlicesType, &object, &percents_object))
        return NULL;
    SlicesObject *self = (SlicesObject *)object;
    PyArrayObject *percents = (PyArrayObject *)PyArray_FROMANY(percents_object, NPY_DOUBLE, 1, 1, NPY_ARRAY_IN_ARRAY);
    if (percents == NULL)
        return NULL;
    PyObject *table = new_table(self, PyArray_SIZE(percents), NPY_DOUBLE);
    const gp_backend *backend = table != NULL ? begin(self) : NULL;
    if (backend == NULL) {
        Py_XDECREF(table);
        Py_DECREF((PyObject *)percents);
        return NULL;
    }
    double *out = PyArray_DATA((PyArrayObject *)table);
    const double *wanted = PyArray_DATA(percents);
    int n = (int)PyArray_SIZE(percents);
    GP_WITHOUT_GIL(status = gp_slices_percentiles(backend, &self->slices, wanted, n, out, &error));
    tensor_end(self->tensor);
    Py_DECREF((PyObject *)percents);
    return returned(table, status, &error);
}

PyMethodDef slice_functions[] = {
    {"summarize_slices", summarize_slices, METH_VARARGS,
     "summarize_slices(slices) -> int64 (slices, 17): what summarize gives for each, floats as their bits, then min and max of "
     "integers"},
    {"histogram_slices", (PyCFunction)(void (*)(void))histogram_slices, METH_VARARGS | METH_KEYWORDS,
     "histogram_slices(slices, edges, integer_range=None) -> int64 (slices, bins)"},
    {"percentiles_slices", percentiles_slices, METH_VARARGS,
     "percentiles_slices(slices, percents) -> float64 (slices, percents)"},
    {0},
};
