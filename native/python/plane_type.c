/* _native.Plane: which 2-D plane of a tensor is looked at. */
#include "binding.h"

PyTypeObject *PlaneType;

static const char *const role_names[] = {"rows", "cols", "fixed", "hidden", "channels", "repeated"};
static const char *const op_names[] = {"mean", "max", "min", "sum", "std", "norm"};
static const char *const component_names[] = {"value",   "abs",     "abs2",   "re",     "im",     "phase",
                                              "unit_re", "unit_im", "sum_re", "sum_im", "channel"};

int plane_begin(PlaneObject *self) { return tensor_begin(self->tensor); }

void plane_end(PlaneObject *self) { tensor_end(self->tensor); }

static int parse_use(PyObject *item, gp_axis_use *use)
{
    const char *role;
    long long start, step, size;
    int stage;
    if (!PyTuple_Check(item) ||
        !PyArg_ParseTuple(item, "sLLLi;a use is (role, start, step, size, stage)", &role, &start, &step, &size, &stage)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a use is a tuple (role, start, step, size, stage)");
        return -1;
    }
    int index = name_to_index("role", role, role_names, GP_N_ROLES);
    *use = (gp_axis_use){(gp_axis_role)index, start, step, size, stage};
    return index < 0 ? -1 : 0;
}

static int parse_uses(PyObject *list, int n_dims, gp_axis_use *uses)
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

static int parse_ops(PyObject *list, gp_hidden_op *ops)
{
    PyObject *tuple = PySequence_Tuple(list);
    Py_ssize_t n = tuple ? PyTuple_Size(tuple) : -1;
    if (n > GP_N_HIDDEN_OPS) {
        PyErr_SetString(PyExc_ValueError, "more stages than there are reductions of hidden axes");
        n = -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL);
        int index = name ? name_to_index("reduction", name, op_names, GP_N_HIDDEN_OPS) : -1;
        if (index < 0) {
            n = -1;
            break;
        }
        ops[i] = (gp_hidden_op)index;
    }
    Py_XDECREF(tuple);
    return (int)n;
}

static PyObject *plane_wrap(const gp_plane *plane, TensorObject *tensor)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(PlaneType, Py_tp_alloc);
    PlaneObject *self = (PlaneObject *)alloc(PlaneType, 0);
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

int component_of_name(const char *name, gp_dtype dtype)
{
    int component = name_to_index("component", name, component_names, GP_N_COMPONENTS);
    bool wants_complex = component != GP_COMPONENT_VALUE && component != GP_COMPONENT_CHANNEL;
    if (component >= 0 && wants_complex != gp_dtype_is_complex(dtype)) {
        PyErr_Format(PyExc_TypeError, "component '%s' of dtype %s", name, gp_dtype_name(dtype));
        return -1;
    }
    return component;
}

static PyObject *plane_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"tensor", "uses", "stage_ops", "component", "channel", "alpha_weighted", "nan", NULL};
    PyObject *uses_object, *ops_object, *tensor_object;
    const char *component_name = "value", *nan_name = "show";
    int channel = 0, is_alpha_weighted = 0;
    gp_axis_use uses[GP_MAX_NDIM] = {0};
    gp_hidden_op ops[GP_N_HIDDEN_OPS] = {0};
    gp_plane plane;
    gp_error error = {0};
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!OO|sips:Plane", names, TensorType, &tensor_object, &uses_object,
                                     &ops_object, &component_name, &channel, &is_alpha_weighted, &nan_name))
        return NULL;
    TensorObject *tensor = (TensorObject *)tensor_object;
    if (tensor->is_released) {
        PyErr_SetString(PyExc_ValueError, "the tensor was released: borrow it again");
        return NULL;
    }
    int n_stages = parse_ops(ops_object, ops);
    int component = n_stages < 0 ? -1 : component_of_name(component_name, tensor->tensor.dtype);
    int nan = component < 0 ? -1 : name_to_index("nan", nan_name, nan_names, GP_N_NANS);
    if (nan < 0 || parse_uses(uses_object, tensor->tensor.n_dims, uses) < 0)
        return NULL;
    if (gp_plane_from(&tensor->tensor, uses, n_stages, ops, (gp_component)component, &plane, &error) != GP_OK)
        return raise_error(&error);
    plane.hidden_nan = (gp_nan)nan;
    return choose_channel(&plane, channel, is_alpha_weighted) < 0 ? NULL : plane_wrap(&plane, tensor);
}

static PyObject *plane_crop(PlaneObject *self, PyObject *args)
{
    long long row0, row1, col0, col1;
    if (!PyArg_ParseTuple(args, "LLLL:crop", &row0, &row1, &col0, &col1))
        return NULL;
    if (row0 < 0 || row1 < row0 || row1 > self->plane.n_rows || col0 < 0 || col1 < col0 || col1 > self->plane.n_cols) {
        PyErr_Format(PyExc_IndexError, "rows %lld:%lld and columns %lld:%lld are not inside %lld x %lld", row0, row1, col0, col1,
                     (long long)self->plane.n_rows, (long long)self->plane.n_cols);
        return NULL;
    }
    gp_plane part = gp_plane_crop(&self->plane, row0, row1, col0, col1);
    return plane_wrap(&part, self->tensor);
}

static void plane_dealloc(PlaneObject *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    Py_XDECREF((PyObject *)self->tensor);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *get_shape(PlaneObject *self, void *unused)
{
    (void)unused;
    return Py_BuildValue("(LL)", (long long)self->plane.n_rows, (long long)self->plane.n_cols);
}

static PyObject *get_is_direct(PlaneObject *self, void *unused)
{
    (void)unused;
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

static PyType_Spec spec = {"gpuplot._native.Plane", sizeof(PlaneObject), 0, Py_TPFLAGS_DEFAULT, slots};

int plane_type_add(PyObject *module)
{
    PlaneType = (PyTypeObject *)PyType_FromSpec(&spec);
    return PlaneType ? PyModule_AddObjectRef(module, "Plane", (PyObject *)PlaneType) : -1;
}
