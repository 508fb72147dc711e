/* _native.Slices: a tensor cut along some of its axes, and functions with a result for each slice. */
#include "binding.h"

/* A row of what summarize_slices returns. */
enum { N_FIELDS = 19 };
_Static_assert(sizeof(gp_summary) == N_FIELDS * sizeof(int64_t), "a summary is a row of numbers of 64 bits");

static int parse_use(PyObject *item, void *use)
{
    long long start, step, size;
    int is_between;
    if (!is_tuple(item, "a use is a tuple (start, step, size, is_between)") ||
        !PyArg_ParseTuple(item, "LLLp;a use is (start, step, size, is_between)", &start, &step, &size, &is_between))
        return -1;
    *(gp_slice_use *)use = (gp_slice_use){start, step, size, is_between != 0};
    return 0;
}

static PyObject *slices_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *keywords)
{
    static char *names[] = {"tensor", "uses", "component", NULL};
    TensorObject *tensor;
    PyObject *uses_object, *component_name = NULL;
    gp_slice_use uses[GP_MAX_NDIM] = {0};
    gp_slices slices;
    gp_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O|O:Slices", names, TensorType, &tensor, &uses_object, &component_name))
        return NULL;
    if (tensor->is_released)
        return PyErr_Format(PyExc_ValueError, "the tensor was released: borrow it again");
    int component = component_of_name(component_name, tensor->tensor.dtype);
    if (component < 0 || parse_uses(uses_object, tensor, parse_use, uses, sizeof *uses) < 0)
        return NULL;
    if (component == GP_COMPONENT_CHANNEL)
        return PyErr_Format(PyExc_ValueError, "slices have no channels: give 'value'");
    if (gp_slices_from(&tensor->tensor, uses, (gp_component)component, &slices, &error) != GP_OK)
        return raise_error(&error);
    SlicesObject *self = object_new(SlicesType);
    if (self != NULL)
        self->slices = slices, self->tensor = (TensorObject *)Py_NewRef((PyObject *)tensor);
    return (PyObject *)self;
}

static void slices_dealloc(SlicesObject *self)
{
    Py_XDECREF((PyObject *)self->tensor);
    object_free(self);
}

static PyObject *get_shape(SlicesObject *self, void *Py_UNUSED(unused))
{
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

PyType_Spec slices_spec = {"gpuplot._native.Slices", sizeof(SlicesObject), 0, Py_TPFLAGS_DEFAULT, slots};

/* ---- functions ------------------------------------------------------------------------------------------------------- */

/* An array for the results: a row for each slice. */
static PyArrayObject *table_for(const Use *use, int64_t n_cols, int type)
{
    npy_intp shape[] = {(npy_intp)use->slices->n_slices, (npy_intp)n_cols};
    return new_array(2, shape, type);
}

static PyObject *summarize_slices(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED use = {0};
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&:summarize_slices", to_slices, &use))
        return NULL;
    OWNED PyArrayObject *table = table_for(&use, N_FIELDS, NPY_INT64);
    if (table == NULL)
        return NULL;
    gp_summary *out = PyArray_DATA(table);
    GP_CALL(error, gp_slices_summarize(use.backend, use.slices, out, &error));
    return result_or_error(table, &error);
}

static PyObject *histogram_slices(PyObject *Py_UNUSED(module), PyObject *args, PyObject *keywords)
{
    static char *names[] = {"slices", "edges", "integer_range", NULL};
    USED use = {0};
    OWNED PyArrayObject *edges = NULL;
    PyObject *range_object = Py_None;
    gp_integer_range range;
    const gp_integer_range *wanted;
    gp_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&O&|O:histogram_slices", names, to_slices, &use, to_double_table, &edges,
                                     &range_object) ||
        parse_range(range_object, use.slices->plane.dtype, &range, &wanted) < 0)
        return NULL;
    int64_t n_bins = PyArray_DIM(edges, 1) - 1;
    if (PyArray_DIM(edges, 0) != use.slices->n_slices || n_bins < 1)
        return PyErr_Format(PyExc_ValueError, "edges must be (slices, bins + 1), with %lld slices and a bin at least",
                            (long long)use.slices->n_slices);
    OWNED PyArrayObject *table = table_for(&use, n_bins, NPY_INT64);
    if (table == NULL)
        return NULL;
    int64_t *out = PyArray_DATA(table);
    const double *edge_values = PyArray_DATA(edges);
    GP_CALL(error, gp_slices_histogram(use.backend, use.slices, edge_values, n_bins, wanted, out, &error));
    return result_or_error(table, &error);
}

static PyObject *percentiles_slices(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED use = {0};
    OWNED PyArrayObject *percents = NULL;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O&:percentiles_slices", to_slices, &use, to_doubles, &percents))
        return NULL;
    OWNED PyArrayObject *table = table_for(&use, PyArray_SIZE(percents), NPY_DOUBLE);
    if (table == NULL)
        return NULL;
    double *out = PyArray_DATA(table);
    const double *wanted = PyArray_DATA(percents);
    int n = (int)PyArray_SIZE(percents);
    GP_CALL(error, gp_slices_percentiles(use.backend, use.slices, wanted, n, out, &error));
    return result_or_error(table, &error);
}

PyMethodDef slice_functions[] = {
    {"summarize_slices", summarize_slices, METH_VARARGS,
     "summarize_slices(slices) -> int64 (slices, 19): what summarize gives for each, floats as their bits, then min and max of "
     "integers, and scale"},
    {"histogram_slices", WITH_KEYWORDS(histogram_slices),
     "histogram_slices(slices, edges, integer_range=None) -> int64 (slices, bins)"},
    {"percentiles_slices", percentiles_slices, METH_VARARGS,
     "percentiles_slices(slices, percents) -> float64 (slices, percents)"},
    {0},
};
