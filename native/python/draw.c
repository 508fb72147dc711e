/* Functions on planes and cells: each parses its arguments and makes one native call. */
#include "binding.h"

const char *const agg_names[] = {
#define AGG_NAME(NAME, name, KIND, facts) name,
    GP_AGGS(AGG_NAME)
#undef AGG_NAME
};
const char *const nan_names[] = {
#define NAN_NAME(NAME, name, bits) name,
    GP_NANS(NAN_NAME)
#undef NAN_NAME
};

/* What it comes to, in the order of gpuplot.plane.reduce.Limits. */
PyObject *limits_to_tuple(const gp_limits_state *state)
{
    gp_limits limits;
    GP_WITHOUT_GIL(limits = gp_limits_state_finish(state));
    return Py_BuildValue("(dddILLLLL)", limits.min, limits.max, limits.min_positive, limits.has, (long long)limits.n_finite,
                         (long long)limits.n_nan, (long long)limits.n_pos_inf, (long long)limits.n_neg_inf,
                         (long long)limits.n_masked);
}

/* Cells and what is in them. Memory of cells is had inside the device, for which a thread waits: the GIL must be let go. */
static gp_status reduce_to_new(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                               const gp_reduce_options *options, gp_cells *out, gp_limits_state *limits, gp_error *error)
{
    GP_TRY(backend->cells_alloc(rows->n_cells, cols->n_cells, plane->device, out, error));
    gp_status status = gp_plane_reduce(backend, plane, rows, cols, options, out, limits, error);
    if (status != GP_OK)
        backend->cells_free(out);
    return status;
}

/* The same with what cells that NaN marks are without it, complete or not. */
static gp_status reduce_to_both(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                                gp_reduce_options *options, gp_cells *out, gp_cells *without_nan, gp_limits_state *limits,
                                gp_error *error)
{
    GP_TRY(backend->cells_alloc(rows->n_cells, cols->n_cells, plane->device, without_nan, error));
    options->without_nan = without_nan;
    gp_status status = reduce_to_new(backend, plane, rows, cols, options, out, limits, error);
    if (status != GP_OK)
        backend->cells_free(without_nan);
    return status;
}

/* The same for angles. */
static gp_status angle_to_new(const gp_backend *backend, const gp_cells *real, const gp_cells *imaginary, gp_cells *out,
                              gp_error *error)
{
    GP_TRY(backend->cells_alloc(real->n_rows, real->n_cols, real->device, out, error));
    gp_status status = backend->angle(real, imaginary, out, error);
    if (status != GP_OK)
        backend->cells_free(out);
    return status;
}

PyObject *draw_reduce(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"plane", "rows", "cols", "agg", "nan", "want", "splits_nan", NULL};
    PyObject *plane_object, *rows_object, *cols_object;
    const char *agg_name = "mean", *nan_name = "show";
    unsigned want = 0;
    int splits_nan = 0;
    gp_cells cells = {0}, without_nan = {0};
    gp_limits_state limits;
    gp_error error = {0};
    gp_status status;
    const gp_backend *backend;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!O!|ssIp:reduce", names, PlaneType, &plane_object, AxisType,
                                     &rows_object, AxisType, &cols_object, &agg_name, &nan_name, &want, &splits_nan))
        return NULL;
    PlaneObject *plane = (PlaneObject *)plane_object;
    const gp_axis *rows = &((AxisObject *)rows_object)->axis, *cols = &((AxisObject *)cols_object)->axis;
    int agg = name_to_index("agg", agg_name, agg_names, GP_N_AGGS), nan = name_to_index("nan", nan_name, nan_names, GP_N_NANS);
    if (agg < 0 || nan < 0)
        return NULL;
    if (rows->n_elems != plane->plane.n_rows || cols->n_elems != plane->plane.n_cols)
        return PyErr_Format(PyExc_ValueError, "axes of %lld x %lld elements for a plane of %lld x %lld", (long long)rows->n_elems,
                            (long long)cols->n_elems, (long long)plane->plane.n_rows, (long long)plane->plane.n_cols);
    gp_reduce_options options = {.agg = (gp_agg)agg, .nan = (gp_nan)nan, .want = want};
    gp_limits_state *wanted = want ? &limits : NULL;
    if (gp_backend_for(plane->plane.device, &backend, &error) != GP_OK)
        return raise_error(&error);
    if (plane_begin(plane) < 0)
        return NULL;
    if (splits_nan)
        GP_WITHOUT_GIL(
            status = reduce_to_both(backend, &plane->plane, rows, cols, &options, &cells, &without_nan, wanted, &error));
    else
        GP_WITHOUT_GIL(status = reduce_to_new(backend, &plane->plane, rows, cols, &options, &cells, wanted, &error));
    plane_end(plane);
    if (status != GP_OK)
        return raise_error(&error);
    PyObject *found = want ? limits_to_tuple(&limits) : Py_NewRef(Py_None), *wrapped = cells_wrap(&cells, backend);
    if (!splits_nan)
        return Py_BuildValue("(NN)", wrapped, found);
    return Py_BuildValue("(NNN)", wrapped, found, cells_wrap(&without_nan, backend));
}

PyObject *draw_fill_without_nan(PyObject *module, PyObject *args)
{
    PyObject *cells_object, *without_object;
    gp_error error = {0};
    gp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!:fill_without_nan", CellsType, &cells_object, CellsType, &without_object))
        return NULL;
    const gp_cells *cells = &((CellsObject *)cells_object)->cells;
    gp_cells *without_nan = &((CellsObject *)without_object)->cells;
    const gp_backend *backend = ((CellsObject *)cells_object)->backend;
    if (!cells_are_alike(cells, without_nan))
        return NULL;
    GP_WITHOUT_GIL(status = backend->fill_without_nan(cells, without_nan, &error));
    return status == GP_OK ? Py_NewRef(Py_None) : raise_error(&error);
}

PyObject *draw_limits(PyObject *module, PyObject *args)
{
    PyObject *object;
    unsigned want;
    gp_limits_state limits;
    gp_error error = {0};
    gp_status status;
    const gp_backend *backend;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!I:limits", PlaneType, &object, &want))
        return NULL;
    PlaneObject *plane = (PlaneObject *)object;
    if (gp_backend_for(plane->plane.device, &backend, &error) != GP_OK)
        return raise_error(&error);
    if (plane_begin(plane) < 0)
        return NULL;
    GP_WITHOUT_GIL(status = gp_plane_limits(backend, &plane->plane, want, &limits, &error));
    plane_end(plane);
    return status == GP_OK ? limits_to_tuple(&limits) : raise_error(&error);
}

PyObject *draw_percentiles(PyObject *module, PyObject *args)
{
    PyObject *object, *percents_object;
    int is_positive_only = 0;
    gp_error error = {0};
    gp_status status;
    const gp_backend *backend;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O|p:percentiles", PlaneType, &object, &percents_object, &is_positive_only))
        return NULL;
    PlaneObject *plane = (PlaneObject *)object;
    PyArrayObject *percents = (PyArrayObject *)PyArray_FROMANY(percents_object, NPY_DOUBLE, 1, 1, NPY_ARRAY_IN_ARRAY);
    if (percents == NULL)
        return NULL;
    npy_intp n = PyArray_SIZE(percents);
    PyObject *result = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    if (result == NULL || n > 1024 || gp_backend_for(plane->plane.device, &backend, &error) != GP_OK || plane_begin(plane) < 0) {
        if (result != NULL && !PyErr_Occurred()) {
            if (error.status != GP_OK)
                raise_error(&error);
            else
                PyErr_SetString(PyExc_ValueError, "at most 1024 percentiles at once");
        }
        Py_XDECREF(result);
        Py_DECREF((PyObject *)percents);
        return NULL;
    }
    const double *wanted = PyArray_DATA(percents);
    double *out = PyArray_DATA((PyArrayObject *)result);
    GP_WITHOUT_GIL(status = gp_plane_percentiles(backend, &plane->plane, wanted, (int)n, is_positive_only != 0, out, &error));
    plane_end(plane);
    Py_DECREF((PyObject *)percents);
    if (status == GP_OK)
        return result;
    Py_DECREF(result);
    return raise_error(&error);
}

PyObject *draw_shade(PyObject *module, PyObject *args)
{
    PyObject *cells_object, *style_object, *out = Py_None, *array = NULL;
    gp_style style;
    StyleHold hold = {0};
    gp_error error = {0};
    gp_status status = GP_ERR_VALUE;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O|O:shade", CellsType, &cells_object, &style_object, &out))
        return NULL;
    CellsObject *cells = (CellsObject *)cells_object;
    if (style_from_object(style_object, cells->cells.n_rows, cells->cells.n_cols, &style, &hold) == 0)
        array = pixels_array(out, cells->cells.n_rows, cells->cells.n_cols);
    if (array != NULL) {
        gp_pixels pixels = {PyArray_DATA((PyArrayObject *)array), cells->cells.n_rows, cells->cells.n_cols};
        GP_WITHOUT_GIL(status = cells->backend->shade(&cells->cells, &style, &pixels, &error));
    }
    style_release(&hold);
    if (status == GP_OK)
        return array;
    Py_XDECREF(array);
    return raise_error(&error);
}

/* The grids of a tuple of 3 or 4 Cells of one size and device; their number, or -1. */
static int parse_channels(PyObject *tuple, gp_cells channels[4], const gp_backend **backend)
{
    Py_ssize_t n = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : 0;
    bool is_right = n == 3 || n == 4;
    for (Py_ssize_t i = 0; is_right && i < n; i++)
        is_right = PyObject_TypeCheck(PyTuple_GetItem(tuple, i), CellsType);
    if (!is_right) {
        PyErr_SetString(PyExc_TypeError, "shade_rgb takes a tuple of 3 or 4 Cells");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        CellsObject *cells = (CellsObject *)PyTuple_GetItem(tuple, i);
        channels[i] = cells->cells, *backend = cells->backend;
        if (!cells_are_alike(&channels[0], &channels[i]))
            return -1;
    }
    return (int)n;
}

PyObject *draw_shade_rgb(PyObject *module, PyObject *args)
{
    PyObject *tuple, *style_object, *out = Py_None, *array = NULL;
    gp_cells channels[4] = {0};
    gp_rgb_style style;
    StyleHold hold = {0};
    double range[2] = {0};
    gp_error error = {0};
    gp_status status = GP_ERR_VALUE;
    const gp_backend *backend = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO|O:shade_rgb", &tuple, &style_object, &out))
        return NULL;
    int n = parse_channels(tuple, channels, &backend);
    if (n < 0)
        return NULL;
    if (rgb_style_from_object(style_object, channels[0].n_rows, channels[0].n_cols, &style, &hold) == 0)
        array = pixels_array(out, channels[0].n_rows, channels[0].n_cols);
    if (array != NULL) {
        gp_pixels pixels = {PyArray_DATA((PyArrayObject *)array), channels[0].n_rows, channels[0].n_cols};
        GP_WITHOUT_GIL(status = backend->shade_rgb(channels, n, &style, &pixels, range, &error));
    }
    style_release(&hold);
    if (status == GP_OK)
        return Py_BuildValue("(N(dd))", array, range[0], range[1]);
    Py_XDECREF(array);
    return raise_error(&error);
}

PyObject *draw_angle(PyObject *module, PyObject *args)
{
    PyObject *real_object, *imaginary_object;
    gp_cells cells = {0};
    gp_error error = {0};
    gp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!:angle", CellsType, &real_object, CellsType, &imaginary_object))
        return NULL;
    const gp_cells *real = &((CellsObject *)real_object)->cells, *imaginary = &((CellsObject *)imaginary_object)->cells;
    const gp_backend *backend = ((CellsObject *)real_object)->backend;
    if (!cells_are_alike(real, imaginary))
        return NULL;
    GP_WITHOUT_GIL(status = angle_to_new(backend, real, imaginary, &cells, &error));
    return status == GP_OK ? cells_wrap(&cells, backend) : raise_error(&error);
}

/* ---- cells resampled --------------------------------------------------------------------------------------------- */

typedef struct HeldTaps {
    PyArrayObject *first, *touched, *weights;
    gp_taps taps;
} HeldTaps;

static void let_go(HeldTaps *held)
{
    Py_XDECREF((PyObject *)held->first);
    Py_XDECREF((PyObject *)held->touched);
    Py_XDECREF((PyObject *)held->weights);
}

/* Whether all that a cell reads lies among n cells, and what it touches among what it has weights for. */
static int are_within(const gp_taps *taps, int64_t n)
{
    for (int64_t i = 0; i < taps->n_cells; i++) {
        int64_t first = taps->first[i], begin = taps->touched[2 * i], end = taps->touched[2 * i + 1];
        if (first < 0 || first > n - taps->n_taps || begin < first || end < begin || end > first + taps->n_taps)
            return 0;
    }
    return 1;
}

static int hold_taps(PyObject *const *arrays, int64_t n, HeldTaps *held)
{
    held->first = (PyArrayObject *)PyArray_FROMANY(arrays[0], NPY_INT64, 1, 1, NPY_ARRAY_IN_ARRAY);
    held->touched = held->first ? (PyArrayObject *)PyArray_FROMANY(arrays[1], NPY_INT64, 2, 2, NPY_ARRAY_IN_ARRAY) : NULL;
    held->weights = held->touched ? (PyArrayObject *)PyArray_FROMANY(arrays[2], NPY_DOUBLE, 2, 2, NPY_ARRAY_IN_ARRAY) : NULL;
    if (held->weights == NULL)
        return -1;
    npy_intp n_cells = PyArray_SIZE(held->first), n_taps = PyArray_DIM(held->weights, 1);
    held->taps = (gp_taps){PyArray_DATA(held->first), PyArray_DATA(held->touched), PyArray_DATA(held->weights), n_cells,
                           (int)n_taps};
    if (PyArray_DIM(held->touched, 0) != n_cells || PyArray_DIM(held->touched, 1) != 2 ||
        PyArray_DIM(held->weights, 0) != n_cells || n_taps < 1 || n_taps > GP_MOST_TAPS || !are_within(&held->taps, n)) {
        PyErr_Format(PyExc_ValueError,
                     "an axis has first (n,), touched (n, 2) and weights (n, 1 to %d), all within its %lld cells", GP_MOST_TAPS,
                     (long long)n);
        return -1;
    }
    return 0;
}

static gp_status filter_to_new(const gp_backend *backend, const gp_cells *from, const gp_taps *rows, const gp_taps *cols,
                               gp_nan nan, gp_cells *out, gp_error *error)
{
    GP_TRY(backend->cells_alloc(rows->n_cells, cols->n_cells, from->device, out, error));
    gp_status status = backend->filter(from, rows, cols, nan, out, error);
    if (status != GP_OK)
        backend->cells_free(out);
    return status;
}

PyObject *draw_filter(PyObject *module, PyObject *args)
{
    PyObject *object, *arrays[6], *result = NULL;
    const char *nan_name;
    HeldTaps rows = {0}, cols = {0};
    gp_cells out = {0};
    gp_error error = {0};
    gp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OOOOOOs:filter", CellsType, &object, &arrays[0], &arrays[1], &arrays[2], &arrays[3],
                          &arrays[4], &arrays[5], &nan_name))
        return NULL;
    const gp_cells *from = &((CellsObject *)object)->cells;
    const gp_backend *backend = ((CellsObject *)object)->backend;
    int nan = name_to_index("nan", nan_name, nan_names, GP_N_NANS);
    if (nan >= 0 && hold_taps(arrays, from->n_rows, &rows) == 0 && hold_taps(arrays + 3, from->n_cols, &cols) == 0) {
        GP_WITHOUT_GIL(status = filter_to_new(backend, from, &rows.taps, &cols.taps, (gp_nan)nan, &out, &error));
        result = status == GP_OK ? cells_wrap(&out, backend) : raise_error(&error);
    }
    let_go(&rows);
    let_go(&cols);
    return result;
}

/* Elements of a plane, unchanged, into a C-contiguous writable array of as many bytes. */
PyObject *draw_gather(PyObject *module, PyObject *args)
{
    PyObject *object, *out;
    gp_error error = {0};
    gp_status status;
    const gp_backend *backend;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!:gather", PlaneType, &object, &PyArray_Type, &out))
        return NULL;
    PlaneObject *plane = (PlaneObject *)object;
    PyArrayObject *array = (PyArrayObject *)out;
    int64_t n_bytes = plane->plane.n_rows * plane->plane.n_cols * gp_dtype_size_bytes(plane->plane.dtype);
    if (!PyArray_ISCARRAY(array) || PyArray_NBYTES(array) != n_bytes) {
        PyErr_Format(PyExc_ValueError, "out must be a writable C-contiguous array of %lld bytes", (long long)n_bytes);
        return NULL;
    }
    if (gp_backend_for(plane->plane.device, &backend, &error) != GP_OK)
        return raise_error(&error);
    if (plane_begin(plane) < 0)
        return NULL;
    void *destination = PyArray_DATA(array);
    GP_WITHOUT_GIL(status = backend->gather(&plane->plane, destination, &error));
    plane_end(plane);
    if (status != GP_OK)
        return raise_error(&error);
    return Py_NewRef(out);
}
