/* gpuplot._native: the method table, PNG bytes, and what was built. */
#define GP_IMPORTS_ARRAY
#include "binding.h"
#include "build_info.h"
#include "../cpu/level.h"

/* (key, value) pairs of a sequence as C strings, borrowed from the tuple that is returned to be kept alive. */
static PyObject *parse_texts(PyObject *list, gp_png_text *texts, int capacity, int *n_texts)
{
    PyObject *tuple = PySequence_Tuple(list);
    *n_texts = 0;
    if (tuple != NULL && PyTuple_Size(tuple) > capacity) {
        PyErr_Format(PyExc_ValueError, "%zd texts; a PNG gets at most %d here", PyTuple_Size(tuple), capacity);
        Py_CLEAR(tuple);
    }
    for (Py_ssize_t i = 0; tuple != NULL && i < PyTuple_Size(tuple); i++) {
        if (!PyTuple_Check(PyTuple_GetItem(tuple, i)))
            PyErr_SetString(PyExc_TypeError, "texts are (key, value) tuples of str");
        else if (PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "ss:text", &texts[i].key, &texts[i].value))
            *n_texts += 1;
        if (PyErr_Occurred())
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *png_encode(PyObject *module, PyObject *args)
{
    enum { MAX_TEXTS = 64 };
    PyObject *object, *list;
    gp_png_text texts[MAX_TEXTS];
    gp_png_options options = {.texts = texts};
    gp_bytes bytes = {0};
    gp_error error = {0};
    gp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!dO:png_encode", &PyArray_Type, &object, &options.dots_per_inch, &list))
        return NULL;
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_TYPE(array) != NPY_UBYTE || PyArray_NDIM(array) != 3 || PyArray_DIM(array, 2) != 4) {
        PyErr_SetString(PyExc_TypeError, "pixels must be a uint8 array of shape (H, W, 4)");
        return NULL;
    }
    bool is_dense = PyArray_STRIDE(array, 2) == 1 && PyArray_STRIDE(array, 1) == 4;
    PyArrayObject *dense = (PyArrayObject *)(is_dense ? Py_NewRef(object) : PyArray_NewCopy(array, NPY_CORDER));
    PyObject *kept = dense ? parse_texts(list, texts, MAX_TEXTS, &options.n_texts) : NULL;
    if (kept == NULL) {
        Py_XDECREF((PyObject *)dense);
        return NULL;
    }
    const uint8_t *pixels = PyArray_DATA(dense);
    int64_t n_rows = PyArray_DIM(dense, 0), n_cols = PyArray_DIM(dense, 1), stride = PyArray_STRIDE(dense, 0);
    GP_WITHOUT_GIL(status = gp_png_encode(pixels, n_rows, n_cols, stride, &options, &bytes, &error));
    Py_DECREF(kept);
    Py_DECREF((PyObject *)dense);
    if (status != GP_OK)
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

static PyObject *threads_limit(PyObject *module, PyObject *args)
{
    int n_threads = -1;
    (void)module;
    if (!PyArg_ParseTuple(args, "|i:threads_limit", &n_threads))
        return NULL;
    if (n_threads >= 0)
        gp_threads_limit(n_threads);
    return PyLong_FromLong(gp_threads_limit_now());
}

static PyObject *build_info(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    const char *png = GP_HAVE_PNG ? GP_BUILD_PNG_VERSION : "off";
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "compiler", GP_BUILD_COMPILER, "build_type",
                         GP_BUILD_TYPE, "target", GP_BUILD_TARGET, "flags", GP_BUILD_FLAGS, "sanitize", GP_BUILD_SANITIZE,
                         "cpu_levels", GP_BUILD_CPU_LEVELS, "cpu_level", gp_cpu_level_name(), "png", png, "zlib",
                         GP_BUILD_ZLIB_VERSION, "png_note", GP_BUILD_PNG_NOTE, "kernels_note", GP_BUILD_KERNELS_NOTE);
}

static PyMethodDef methods[] = {
    {"reduce", (PyCFunction)(void (*)(void))draw_reduce, METH_VARARGS | METH_KEYWORDS,
     "reduce(plane, rows, cols, agg='mean', nan='show', want=0, splits_nan=False) -> (Cells, limits or None), and with splits_nan Cells "
     "of what those that NaN marks are without it"},
    {"limits", draw_limits, METH_VARARGS,
     "limits(plane, want) -> (min, max, min_positive, has, n_finite, n_nan, n_pos_inf, n_neg_inf, n_masked)"},
    {"percentiles", draw_percentiles, METH_VARARGS, "percentiles(plane, percents, positive_only=False) -> float64 (n,)"},
    {"shade", draw_shade, METH_VARARGS, "shade(cells, style, out=None) -> uint8 (H, W, 4)"},
    {"shade_rgb", draw_shade_rgb, METH_VARARGS, "shade_rgb(channels, style, out=None) -> (uint8 (H, W, 4), (low, high))"},
    {"filter", draw_filter, METH_VARARGS,
     "filter(cells, row_first, row_touched, row_weights, col_first, col_touched, col_weights, nan) -> Cells: means by weights of "
     "consecutive cells along each axis"},
    {"fill_without_nan", draw_fill_without_nan, METH_VARARGS,
     "fill_without_nan(cells, without_nan): all cells but those that NaN marks to the other grid"},
    {"angle", draw_angle, METH_VARARGS, "angle(real_cells, imaginary_cells) -> Cells of angles in radians"},
    {"gather", draw_gather, METH_VARARGS, "gather(plane, out) -> out, filled with the elements as they are"},
    {"png_encode", png_encode, METH_VARARGS, "png_encode(rgba, dots_per_inch, texts) -> bytes"},
    {"threads_limit", threads_limit, METH_VARARGS, "threads_limit(n=-1): set (0: default) and return the most threads used"},
    {"build_info", build_info, METH_NOARGS, "build_info() -> dict of what was built"},
    {0},
};

static int add_constants(PyObject *module)
{
    return PyModule_AddIntConstant(module, "WANT_RANGE", GP_WANT_RANGE) < 0 ||
                   PyModule_AddIntConstant(module, "WANT_POSITIVE", GP_WANT_POSITIVE) < 0 ||
                   PyModule_AddIntConstant(module, "WANT_COUNTS", GP_WANT_COUNTS) < 0 ||
                   PyModule_AddIntConstant(module, "HAS_NAN", GP_HAS_NAN) < 0 ||
                   PyModule_AddIntConstant(module, "HAS_POS_INF", GP_HAS_POS_INF) < 0 ||
                   PyModule_AddIntConstant(module, "HAS_NEG_INF", GP_HAS_NEG_INF) < 0 ||
                   PyModule_AddIntConstant(module, "HAS_MASKED", GP_HAS_MASKED) < 0 ||
                   PyModule_AddIntConstant(module, "HAS_FINITE", GP_HAS_FINITE) < 0 ||
                   PyModule_AddIntConstant(module, "AGG_KEEPS", GP_AGG_KEEPS) < 0 ||
                   PyModule_AddIntConstant(module, "AGG_SELECTS", GP_AGG_SELECTS) < 0 ||
                   PyModule_AddIntConstant(module, "AGG_OWN_UNITS", GP_AGG_OWN_UNITS) < 0 ||
                   PyModule_AddIntConstant(module, "AGG_LINEAR", GP_AGG_LINEAR) < 0 ||
                   PyModule_AddIntConstant(module, "MOST_SLICE_ELEMS", GP_MOST_SLICE_ELEMS) < 0 ||
                   PyModule_AddObjectRef(module, "EMPTY_BITS", PyLong_FromUnsignedLongLong(GP_EMPTY_BITS)) < 0 ||
                   PyModule_AddObjectRef(module, "MASKED_BITS", PyLong_FromUnsignedLongLong(GP_MASKED_BITS)) < 0
               ? -1
               : 0;
}

/* Dtype names and the item size of each, from the one table. */
static int add_dtypes(PyObject *module)
{
    PyObject *sizes = PyDict_New();
    for (int i = 0; sizes != NULL && i < GP_N_DTYPES; i++) {
        PyObject *size = PyLong_FromLong(gp_dtype_size_bytes((gp_dtype)i));
        if (size == NULL || PyDict_SetItemString(sizes, gp_dtype_name((gp_dtype)i), size) < 0)
            Py_CLEAR(sizes);
        Py_XDECREF(size);
    }
    int result = sizes ? PyModule_AddObjectRef(module, "DTYPE_SIZES", sizes) : -1;
    Py_XDECREF(sizes);
    return result;
}

typedef struct NamedNumber {
    const char *name;
    unsigned number;
} NamedNumber;

static int add_numbers(PyObject *module, const char *attribute, const NamedNumber *numbers, int n)
{
    PyObject *known = PyDict_New();
    for (int i = 0; known != NULL && i < n; i++) {
        PyObject *number = PyLong_FromUnsignedLong(numbers[i].number);
        if (number == NULL || PyDict_SetItemString(known, numbers[i].name, number) < 0)
            Py_CLEAR(known);
        Py_XDECREF(number);
    }
    int result = known ? PyModule_AddObjectRef(module, attribute, known) : -1;
    Py_XDECREF(known);
    return result;
}

/* From the one table: aggregations with what is known of each (AGG_* bits), and with a number for the kind of partial result. */
static int add_aggs(PyObject *module)
{
    static const NamedNumber facts_of[] = {
#define AGG_FACTS(NAME, name, KIND, facts) {name, facts},
        GP_AGGS(AGG_FACTS)
#undef AGG_FACTS
    };
    static const NamedNumber states_of[] = {
#define AGG_STATE(NAME, name, KIND, facts) {name, 2 * GP_STATE_##KIND + (((facts) & GP_AGG_OWNED) != 0)},
        GP_AGGS(AGG_STATE)
#undef AGG_STATE
    };
    return add_numbers(module, "AGGS", facts_of, GP_N_AGGS) < 0 || add_numbers(module, "AGG_STATES", states_of, GP_N_AGGS) < 0
               ? -1
               : 0;
}

static int module_exec(PyObject *module)
{
    import_array1(-1);
    if (tensor_type_add(module) < 0 || plane_type_add(module) < 0 || slices_type_add(module) < 0 || axis_type_add(module) < 0 ||
        cells_type_add(module) < 0 || PyModule_AddFunctions(module, cuda_functions) < 0 ||
        PyModule_AddFunctions(module, conversion_functions) < 0 || PyModule_AddFunctions(module, summary_functions) < 0 ||
        PyModule_AddFunctions(module, slice_functions) < 0 || PyModule_AddFunctions(module, palette_functions) < 0 ||
        PyModule_AddFunctions(module, joint_functions) < 0 || PyModule_AddFunctions(module, state_functions) < 0 ||
        PyModule_AddFunctions(module, point_functions) < 0 || PyModule_AddFunctions(module, series_functions) < 0 ||
        add_constants(module) < 0 || add_dtypes(module) < 0 || add_aggs(module) < 0)
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
