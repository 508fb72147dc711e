/* gpuplot._native: the method table, PNG bytes, and facts about the build. */
#define GP_IMPORTS_ARRAY
#include "binding.h"
#include "build_info.h"
#include "../cpu/simd/level.h"

PyTypeObject *TensorType, *PlaneType, *SlicesType, *AxisType, *CellsType;

void *object_new(PyTypeObject *type) { return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0); }

void object_free(void *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- functions ------------------------------------------------------------------------------------------------------- */

/* (key, value) pairs of a sequence as C strings, borrowed from the tuple that is returned to be kept alive. */
static PyObject *parse_texts(PyObject *list, gp_png_text *texts, int capacity, int *n_texts)
{
    OWNED PyObject *tuple = PySequence_Tuple(list);
    if (tuple == NULL)
        return NULL;
    *n_texts = (int)PyTuple_Size(tuple);
    if (PyTuple_Size(tuple) > capacity)
        return PyErr_Format(PyExc_ValueError, "%zd texts; a PNG gets at most %d here", PyTuple_Size(tuple), capacity);
    for (int i = 0; i < *n_texts; i++) {
        PyObject *pair = PyTuple_GetItem(tuple, i);
        if (!PyTuple_Check(pair))
            return PyErr_Format(PyExc_TypeError, "texts are (key, value) tuples of str");
        if (!PyArg_ParseTuple(pair, "ss:text", &texts[i].key, &texts[i].value))
            return NULL;
    }
    return Py_NewRef(tuple);
}

static PyObject *png_encode(PyObject *Py_UNUSED(module), PyObject *args)
{
    enum { MAX_TEXTS = 64 };
    PyArrayObject *array;
    PyObject *list;
    gp_png_text texts[MAX_TEXTS];
    gp_png_options options = {.texts = texts};
    gp_bytes bytes = {0};
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O!dO:png_encode", &PyArray_Type, &array, &options.dots_per_inch, &list))
        return NULL;
    if (PyArray_TYPE(array) != NPY_UBYTE || PyArray_NDIM(array) != 3 || PyArray_DIM(array, 2) != 4)
        return PyErr_Format(PyExc_TypeError, "pixels must be a uint8 array of shape (H, W, 4)");
    bool is_dense = PyArray_STRIDE(array, 2) == 1 && PyArray_STRIDE(array, 1) == 4;
    OWNED PyObject *kept = parse_texts(list, texts, MAX_TEXTS, &options.n_texts);
    OWNED PyObject *dense = is_dense ? Py_NewRef((PyObject *)array) : PyArray_NewCopy(array, NPY_CORDER);
    if (kept == NULL || dense == NULL)
        return NULL;
    array = (PyArrayObject *)dense;
    const uint8_t *pixels = PyArray_DATA(array);
    int64_t n_rows = PyArray_DIM(array, 0), n_cols = PyArray_DIM(array, 1), stride = PyArray_STRIDE(array, 0);
    GP_CALL(error, gp_png_encode(pixels, n_rows, n_cols, stride, &options, &bytes, &error));
    if (error.status != GP_OK)
        return raise_error(&error);
    PyObject *result = PyBytes_FromStringAndSize((const char *)bytes.data, (Py_ssize_t)bytes.n_bytes);
    gp_bytes_free(&bytes);
    return result;
}

/* Ctrl-C: asked about 20 times a second by the thread that waits for workers; the exception stays pending in it. */
static bool is_interrupted(void)
{
    PyGILState_STATE state = PyGILState_Ensure();
    bool is_pending = PyErr_CheckSignals() < 0;
    PyGILState_Release(state);
    return is_pending;
}

static PyObject *threads_limit(PyObject *Py_UNUSED(module), PyObject *args)
{
    int n_threads = -1;
    if (!PyArg_ParseTuple(args, "|i:threads_limit", &n_threads))
        return NULL;
    if (n_threads >= 0)
        gp_threads_limit(n_threads);
    return PyLong_FromLong(gp_threads_limit_now());
}

static PyObject *build_info(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    const char *png = GP_HAVE_PNG ? GP_BUILD_PNG_VERSION : "off";
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "compiler", GP_BUILD_COMPILER, "build_type",
                         GP_BUILD_TYPE, "target", GP_BUILD_TARGET, "flags", GP_BUILD_FLAGS, "sanitize", GP_BUILD_SANITIZE,
                         "cpu_levels", GP_BUILD_CPU_LEVELS, "cpu_level", gp_cpu_level_name(), "png", png, "zlib",
                         GP_BUILD_ZLIB_VERSION, "png_note", GP_BUILD_PNG_NOTE, "kernels_note", GP_BUILD_KERNELS_NOTE);
}

static PyMethodDef methods[] = {
    {"png_encode", png_encode, METH_VARARGS, "png_encode(rgba, dots_per_inch, texts) -> bytes"},
    {"threads_limit", threads_limit, METH_VARARGS, "threads_limit(n=-1): set (0: default) and return the most threads used"},
    {"build_info", build_info, METH_NOARGS, "build_info() -> dict of what was built"},
    {0},
};

/* ---- the module ------------------------------------------------------------------------------------------------------ */

static int add_functions(PyObject *module)
{
    PyMethodDef *const tables[] = {draw_functions,   channel_functions,    summary_functions, slice_functions,
                                   joint_functions,  difference_functions, point_functions,   line_functions,
                                   series_functions, state_functions,      palette_functions, conversion_functions,
                                   cuda_functions};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (PyModule_AddFunctions(module, tables[i]) < 0)
            return -1;
    return 0;
}

/* A module that is imported again, by tools that forget modules, gets the types of the first: objects of before are still taken. */
static int add_types(PyObject *module)
{
    const struct {
        const char *name;
        PyTypeObject **type;
        PyType_Spec *spec;
    } types[] = {{"Tensor", &TensorType, &tensor_spec},
                 {"Plane", &PlaneType, &plane_spec},
                 {"Slices", &SlicesType, &slices_spec},
                 {"Axis", &AxisType, &axis_spec},
                 {"Cells", &CellsType, &cells_spec}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (*types[i].type == NULL)
            *types[i].type = (PyTypeObject *)PyType_FromSpec(types[i].spec);
        if (*types[i].type == NULL || PyModule_AddObjectRef(module, types[i].name, (PyObject *)*types[i].type) < 0)
            return -1;
    }
    return 0;
}

typedef struct NamedNumber {
    const char *name;
    uint64_t number;
} NamedNumber;

static int add_constants(PyObject *module)
{
    static const NamedNumber constants[] = {
#define CONSTANT(name) {#name, GP_##name}
        CONSTANT(WANT_RANGE),  CONSTANT(WANT_POSITIVE),    CONSTANT(WANT_COUNTS), CONSTANT(HAS_NAN),
        CONSTANT(HAS_POS_INF), CONSTANT(HAS_NEG_INF),      CONSTANT(HAS_MASKED),  CONSTANT(HAS_FINITE),
        CONSTANT(AGG_KEEPS),   CONSTANT(AGG_SELECTS),      CONSTANT(AGG_ADDS_UP), CONSTANT(AGG_OWN_UNITS),
        CONSTANT(AGG_LINEAR),  CONSTANT(MOST_SLICE_ELEMS), CONSTANT(EMPTY_BITS),  CONSTANT(MASKED_BITS),
#undef CONSTANT
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        OWNED PyObject *number = PyLong_FromUnsignedLongLong(constants[i].number);
        if (number == NULL || PyModule_AddObjectRef(module, constants[i].name, number) < 0)
            return -1;
    }
    return 0;
}

/* A dictionary of numbers. */
static int add_numbers(PyObject *module, const char *attribute, const NamedNumber *numbers, int n)
{
    OWNED PyObject *known = PyDict_New();
    for (int i = 0; known != NULL && i < n; i++) {
        OWNED PyObject *number = PyLong_FromUnsignedLongLong(numbers[i].number);
        if (number == NULL || PyDict_SetItemString(known, numbers[i].name, number) < 0)
            return -1;
    }
    return known ? PyModule_AddObjectRef(module, attribute, known) : -1;
}

/* Dtype names and the item size of each, from the one table. */
static int add_dtypes(PyObject *module)
{
    NamedNumber sizes[GP_N_DTYPES];
    for (int i = 0; i < GP_N_DTYPES; i++)
        sizes[i] = (NamedNumber){gp_dtype_name((gp_dtype)i), (uint64_t)gp_dtype_size_bytes((gp_dtype)i)};
    return add_numbers(module, "DTYPE_SIZES", sizes, GP_N_DTYPES);
}

/* From the one table: aggregations with what is known of each (AGG_* bits), and with a number for the kind of partial result. */
static int add_aggs(PyObject *module)
{
    static const NamedNumber facts_of[] = {
#define AGG_FACTS(NAME, name, KIND, facts) {name, facts},
        GP_AGGS(AGG_FACTS)
#undef AGG_FACTS
    };
    static const NamedNumber states_of_aggs[] = {
#define AGG_STATE(NAME, name, KIND, facts) {name, 2 * GP_STATE_##KIND + (((facts) & GP_AGG_OWNED) != 0)},
        GP_AGGS(AGG_STATE)
#undef AGG_STATE
    };
    return add_numbers(module, "AGGS", facts_of, GP_N_AGGS) < 0 ||
                   add_numbers(module, "AGG_STATES", states_of_aggs, GP_N_AGGS) < 0
               ? -1
               : 0;
}

static int module_exec(PyObject *module)
{
    import_array1(-1);
    if (add_types(module) < 0 || add_functions(module) < 0 || add_constants(module) < 0 || add_dtypes(module) < 0 ||
        add_aggs(module) < 0)
        return -1;
    gp_threads_set_interrupt(is_interrupted);
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "gpuplot._native", .m_doc = "The native layer of gpuplot.",
    .m_size = 0,           .m_methods = methods,        .m_slots = slots};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
