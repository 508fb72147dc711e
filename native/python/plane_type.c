/* _native.Plane: a 2-D plane of a tensor. */
#include "binding.h"

static const char *const role_names[] = {"rows", "cols", "fixed", "hidden", "channels", "repeated"};
static const char *const op_names[] = {"mean", "max", "min", "sum", "std", "norm"};
static const char *const component_names[] = {"value",   "abs",     "abs2",   "re",     "im",     "phase",
                                              "unit_re", "unit_im", "sum_re", "sum_im", "channel"};

/* ---- Plane(...) ------------------------------------------------------------------------------------------------------ */

int parse_uses(PyObject *list, const TensorObject *tensor, int (*parse)(PyObject *item, void *use), void *uses, size_t use_bytes)
{
    int n_dims = tensor->tensor.n_dims, n_parsed = 0;
    OWNED PyObject *tuple = PySequence_Tuple(list);
    if (tuple == NULL)
        return -1;
    if (PyTuple_Size(tuple) != n_dims) {
        PyErr_Format(PyExc_ValueError, "%zd uses for a tensor of %d axes", PyTuple_Size(tuple), n_dims);
        return -1;
    }
    while (n_parsed < n_dims && parse(PyTuple_GetItem(tuple, n_parsed), (char *)uses + (size_t)n_parsed * use_bytes) == 0)
        n_parsed++;
    return n_parsed == n_dims ? 0 : -1;
}

static int parse_use(PyObject *item, void *use)
{
    PyObject *role;
    long long start, step, size;
    int stage;
    if (!is_tuple(item, "a use is a tuple (role, start, step, size, stage)") ||
        !PyArg_ParseTuple(item, "OLLLi;a use is (role, start, step, size, stage)", &role, &start, &step, &size, &stage))
        return -1;
    int index = name_to_index("role", role, role_names, GP_N_ROLES);
    *(gp_axis_use *)use = (gp_axis_use){(gp_axis_role)index, start, step, size, stage};
    return index < 0 ? -1 : 0;
}

static int parse_ops(PyObject *list, gp_hidden_op *ops)
{
    OWNED PyObject *tuple = PySequence_Tuple(list);
    Py_ssize_t n = tuple ? PyTuple_Size(tuple) : -1;
    if (n > GP_N_HIDDEN_OPS) {
        PyErr_SetString(PyExc_ValueError, "more stages than there are reductions of hidden axes");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        int index = name_to_index("reduction", PyTuple_GetItem(tuple, i), op_names, GP_N_HIDDEN_OPS);
        if (index < 0)
            return -1;
        ops[i] = (gp_hidden_op)index;
    }
    return (int)n;
}

static PyObject *plane_wrap(const gp_plane *plane, TensorObject *tensor)
{
    PlaneObject *self = object_new(PlaneType);
    if (self != NULL) {
        self->plane = *plane;
        self->tensor = (TensorObject *)Py_NewRef((PyObject *)tensor);
    }
    return (PyObject *)self;
}

static int choose_channel(gp_plane *plane, int channel, int is_alpha_weighted)
{
    if (plane->component != GP_COMPONENT_CHANNEL)
        return 0;
    if (plane->n_channels != 3 && plane->n_channels != 4 && plane->n_rows > 0) {
        PyErr_Format(PyExc_ValueError, "RGB needs 3 or 4 channels, not %d", plane->n_channels);
        return -1;
    }
    if (channel < 0 || (channel >= plane->n_channels && plane->n_rows > 0)) {
        PyErr_Format(PyExc_IndexError, "channel %d of %d", channel, plane->n_channels);
        return -1;
    }
    plane->channel = channel, plane->is_alpha_weighted = is_alpha_weighted != 0;
    return 0;
}

int component_of_name(PyObject *name, gp_dtype dtype)
{
    int component = name != NULL ? name_to_index("component", name, component_names, GP_N_COMPONENTS) : GP_COMPONENT_VALUE;
    bool wants_complex = component != GP_COMPONENT_VALUE && component != GP_COMPONENT_CHANNEL;
    if (component >= 0 && wants_complex != gp_dtype_is_complex(dtype)) {
        PyErr_Format(PyExc_TypeError, "component '%s' of dtype %s", component_names[component], gp_dtype_name(dtype));
        return -1;
    }
    return component;
}

static PyObject *plane_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *keywords)
{
    static char *names[] = {"tensor", "uses", "stage_ops", "component", "channel", "alpha_weighted", "nan", NULL};
    TensorObject *tensor;
    PyObject *uses_object, *ops_object, *component_name = NULL;
    gp_nan nan = GP_NAN_SHOW;
    int channel = 0, is_alpha_weighted = 0;
    gp_axis_use uses[GP_MAX_NDIM] = {0};
    gp_hidden_op ops[GP_N_HIDDEN_OPS] = {0};
    gp_plane plane;
    gp_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!OO|OipO&:Plane", names, TensorType, &tensor, &uses_object, &ops_object,
                                     &component_name, &channel, &is_alpha_weighted, to_nan, &nan))
        return NULL;
    if (tensor->is_released)
        return PyErr_Format(PyExc_ValueError, "the tensor was released: borrow it again");
    int n_stages = parse_ops(ops_object, ops);
    int component = n_stages < 0 ? -1 : component_of_name(component_name, tensor->tensor.dtype);
    if (component < 0 || parse_uses(uses_object, tensor, parse_use, uses, sizeof *uses) < 0)
        return NULL;
    if (gp_plane_from(&tensor->tensor, uses, n_stages, ops, (gp_component)component, &plane, &error) != GP_OK)
        return raise_error(&error);
    plane.hidden_nan = nan;
    return choose_channel(&plane, channel, is_alpha_weighted) < 0 ? NULL : plane_wrap(&plane, tensor);
}

/* ---- its methods ----------------------------------------------------------------------------------------------------- */

static PyObject *plane_crop(PlaneObject *self, PyObject *args)
{
    long long row0, row1, col0, col1;
    if (!PyArg_ParseTuple(args, "LLLL:crop", &row0, &row1, &col0, &col1))
        return NULL;
    if (row0 < 0 || row1 < row0 || row1 > self->plane.n_rows || col0 < 0 || col1 < col0 || col1 > self->plane.n_cols)
        return PyErr_Format(PyExc_IndexError, "rows %lld:%lld and columns %lld:%lld are not inside %lld x %lld", row0, row1, col0,
                            col1, (long long)self->plane.n_rows, (long long)self->plane.n_cols);
    gp_plane part = gp_plane_crop(&self->plane, row0, row1, col0, col1);
    return plane_wrap(&part, self->tensor);
}

static void plane_dealloc(PlaneObject *self)
{
    Py_XDECREF((PyObject *)self->tensor);
    object_free(self);
}

static PyObject *get_shape(PlaneObject *self, void *Py_UNUSED(unused))
{
    return Py_BuildValue("(LL)", (long long)self->plane.n_rows, (long long)self->plane.n_cols);
}

static PyObject *get_is_direct(PlaneObject *self, void *Py_UNUSED(unused))
{
    return PyBool_FromLong(gp_plane_is_direct(&self->plane));
}

static PyMethodDef methods[] = {
    {"crop", (PyCFunction)plane_crop, METH_VARARGS, "crop(row0, row1, col0, col1): the part in a half-open box."},
    {0},
};

static PyGetSetDef getters[] = {
    {"shape", (getter)get_shape, NULL, "(rows, columns)", NULL},
    {"is_direct", (getter)get_is_direct, NULL, "Whether elements are plain values, neither masked nor computed.", NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_new, plane_new},
    {Py_tp_dealloc, plane_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_tp_doc, "Plane(tensor, uses, stage_ops, component='value', channel=0, alpha_weighted=False, nan='show')"},
    {0, NULL},
};

PyType_Spec plane_spec = {"gpuplot._native.Plane", sizeof(PlaneObject), 0, Py_TPFLAGS_DEFAULT, slots};
