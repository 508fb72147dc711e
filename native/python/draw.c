/* Functions on planes and cells: each parses its arguments and makes one native call. */
#include "binding.h"

/* The finished limits as a tuple, in the order of gpuplot.plane.limits.Limits. */
PyObject *limits_to_tuple(const gp_limits_state *state)
{
    gp_limits limits;
    GP_WITHOUT_GIL(limits = gp_limits_state_finish(state));
    return Py_BuildValue("(dddILLLLL)", limits.min, limits.max, limits.min_positive, limits.has, (long long)limits.n_finite,
                         (long long)limits.n_nan, (long long)limits.n_pos_inf, (long long)limits.n_neg_inf,
                         (long long)limits.n_masked);
}

/* ---- planes ---------------------------------------------------------------------------------------------------------- */

int check_axes(const gp_plane *plane, const AxisObject *rows, const AxisObject *cols)
{
    if (rows->axis.n_elems == plane->n_rows && cols->axis.n_elems == plane->n_cols)
        return 0;
    PyErr_Format(PyExc_ValueError, "axes of %lld x %lld elements for a plane of %lld x %lld", (long long)rows->axis.n_elems,
                 (long long)cols->axis.n_elems, (long long)plane->n_rows, (long long)plane->n_cols);
    return -1;
}

/* New cells on the device of the plane or cells that a call reads. */
static CellsObject *cells_for(const Use *use, int64_t n_rows, int64_t n_cols)
{
    return cells_new(use->backend, n_rows, n_cols, use->plane->device);
}

/* A gp_shading and what it borrows from. */
typedef struct held_shading {
    gp_shading shading;
    gp_limits_search search;
    gp_style style;
    gp_pixels pixels;
    StyleHold hold;
    PyArrayObject *array;
} held_shading;

static void end_shading(held_shading *shading)
{
    style_release(&shading->hold);
    Py_XDECREF((PyObject *)shading->array);
}

#define HELD_SHADING __attribute__((cleanup(end_shading))) held_shading

/* How cells are colored to `out`, or to a new array if that is None; -1 with an exception. */
static int fill_shading(PyObject *style, PyObject *out, int64_t n_rows, int64_t n_cols, held_shading *to)
{
    if (style_from_object(style, n_rows, n_cols, &to->style, &to->hold) < 0)
        return -1;
    to->array = pixels_array(out, n_rows, n_cols);
    if (to->array == NULL)
        return -1;
    to->pixels = (gp_pixels){PyArray_DATA(to->array), n_rows, n_cols};
    to->shading = (gp_shading){.style = &to->style, .out = &to->pixels};
    return 0;
}

/* How the limits of a shading are searched for: a tuple (origin, least_part, center, low, high); -1 with an exception. */
static int fill_search(PyObject *tuple, held_shading *to)
{
    static const char *const names[] = {
#define ORIGIN_NAME(NAME, name) name,
        GP_LIMITS_ORIGINS(ORIGIN_NAME)
#undef ORIGIN_NAME
    };
    PyObject *name;
    gp_limits_search *search = &to->search;
    if (!is_tuple(tuple, "search is a tuple (origin, least_part, center, low, high)") ||
        !PyArg_ParseTuple(tuple, "Udddd:search", &name, &search->least_part, &search->center, &search->elements.low,
                          &search->elements.high))
        return -1;
    int origin = name_to_index("origin", name, names, GP_N_ORIGINS);
    search->origin = (gp_limits_origin)origin;
    search->knows_elements = search->elements.low <= search->elements.high;
    search->given = (gp_ends){to->style.vmin, to->style.vmax};
    to->shading.search = search;
    return origin < 0 ? -1 : 0;
}

/* The pixels that were made and their limits, or None. */
static PyObject *shaded_tuple(const held_shading *shading)
{
    const gp_shading *made = &shading->shading;
    return made->is_made ? Py_BuildValue("(Odd)", shading->array, made->limits.low, made->limits.high) : Py_NewRef(Py_None);
}

static PyObject *reduce(PyObject *Py_UNUSED(module), PyObject *args, PyObject *keywords)
{
    static char *names[] = {"plane",           "rows",  "cols",   "agg", "nan", "want", "splits_nan",
                            "limits_of_cells", "style", "search", "out", NULL};
    USED plane = {0};
    AxisObject *rows, *cols;
    PyObject *style = Py_None, *search = Py_None, *out = Py_None;
    HELD_SHADING shading = {0};
    gp_reduce_options options = {.agg = GP_AGG_MEAN, .nan = GP_NAN_SHOW};
    int splits_nan = 0, limits_of_cells = 0;
    gp_limits_state limits, finite;
    gp_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&O!O!|O&O&IppOOO:reduce", names, to_plane, &plane, AxisType, &rows,
                                     AxisType, &cols, to_agg, &options.agg, to_nan, &options.nan, &options.want, &splits_nan,
                                     &limits_of_cells, &style, &search, &out) ||
        check_axes(plane.plane, rows, cols) < 0 ||
        (style != Py_None && fill_shading(style, out, rows->axis.n_cells, cols->axis.n_cells, &shading) < 0) ||
        (search != Py_None && fill_search(search, &shading) < 0))
        return NULL;
    OWNED CellsObject *without_nan = splits_nan ? cells_for(&plane, rows->axis.n_cells, cols->axis.n_cells) : NULL;
    OWNED CellsObject *cells = PyErr_Occurred() ? NULL : cells_for(&plane, rows->axis.n_cells, cols->axis.n_cells);
    if (cells == NULL)
        return NULL;
    options.without_nan = splits_nan ? &without_nan->cells : NULL;
    options.limits_without_nan = splits_nan && options.want ? &finite : NULL;
    options.limits_of_cells = limits_of_cells ? &cells->limits : NULL;
    options.shading = style != Py_None ? &shading.shading : NULL;
    GP_CALL(error, gp_plane_reduce(plane.backend, plane.plane, &rows->axis, &cols->axis, &options, &cells->cells,
                                   options.want ? &limits : NULL, &error));
    if (error.status != GP_OK)
        return raise_error(&error);
    cells->has_limits = limits_of_cells;
    OWNED PyObject *found = options.want ? limits_to_tuple(&limits) : Py_NewRef(Py_None);
    OWNED PyObject *results = found == NULL ? NULL
                              : splits_nan  ? Py_BuildValue("(OOON)", cells, found, without_nan,
                                                            options.want ? limits_to_tuple(&finite) : Py_NewRef(Py_None))
                                            : Py_BuildValue("(OO)", cells, found);
    if (results == NULL || style == Py_None)
        return Py_XNewRef(results);
    OWNED PyObject *shaded = Py_BuildValue("(N)", shaded_tuple(&shading));
    return shaded == NULL ? NULL : PySequence_Concat(results, shaded);
}

static PyObject *limits(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    unsigned want;
    gp_limits_state found;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&I:limits", to_plane, &plane, &want))
        return NULL;
    GP_CALL(error, gp_plane_limits(plane.backend, plane.plane, want, &found, &error));
    return error.status == GP_OK ? limits_to_tuple(&found) : raise_error(&error);
}

static PyObject *percentiles(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    OWNED PyArrayObject *percents = NULL;
    int is_positive_only = 0;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O&|p:percentiles", to_plane, &plane, to_doubles, &percents, &is_positive_only))
        return NULL;
    npy_intp n = PyArray_SIZE(percents);
    if (n > 1024)
        return PyErr_Format(PyExc_ValueError, "at most 1024 percentiles at once");
    OWNED PyArrayObject *result = new_array(1, &n, NPY_DOUBLE);
    if (result == NULL)
        return NULL;
    const double *wanted = PyArray_DATA(percents);
    double *out = PyArray_DATA(result);
    GP_CALL(error, gp_plane_percentiles(plane.backend, plane.plane, wanted, (int)n, is_positive_only != 0, out, &error));
    return result_or_error(result, &error);
}

/* collect(plane, lows, highs, most) -> the elements in the ranges, or None where there are more than `most` */
static PyObject *collect(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    OWNED PyArrayObject *lows = NULL, *highs = NULL;
    npy_intp most, n;
    int64_t n_found;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O&O&n:collect", to_plane, &plane, to_doubles, &lows, to_doubles, &highs, &most))
        return NULL;
    n = PyArray_SIZE(lows);
    if (PyArray_SIZE(highs) != n || n > INT_MAX || most < 0)
        return PyErr_Format(PyExc_ValueError, "collect takes as many lows as highs, and room for 0 elements or more");
    OWNED PyArrayObject *result = new_array(1, &most, NPY_DOUBLE);
    if (result == NULL)
        return NULL;
    const double *low = PyArray_DATA(lows), *high = PyArray_DATA(highs);
    double *out = PyArray_DATA(result);
    GP_CALL(error, gp_plane_collect(plane.backend, plane.plane, low, high, (int)n, most, out, &n_found, &error));
    if (error.status != GP_OK)
        return raise_error(&error);
    return n_found > most ? Py_NewRef(Py_None) : PySequence_GetSlice((PyObject *)result, 0, (Py_ssize_t)n_found);
}

/* Copies the elements of a plane, unchanged, to a C-contiguous writable array of as many bytes. */
static PyObject *gather(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    PyArrayObject *out;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O!:gather", to_plane, &plane, &PyArray_Type, &out))
        return NULL;
    int64_t n_bytes = plane.plane->n_rows * plane.plane->n_cols * gp_dtype_size_bytes(plane.plane->dtype);
    if (!PyArray_ISCARRAY(out) || PyArray_NBYTES(out) != n_bytes)
        return PyErr_Format(PyExc_ValueError, "out must be a writable C-contiguous array of %lld bytes", (long long)n_bytes);
    void *destination = PyArray_DATA(out);
    GP_CALL(error, plane.backend->gather(plane.plane, destination, &error));
    return result_or_error(out, &error);
}

/* ---- cells ----------------------------------------------------------------------------------------------------------- */

static PyObject *fill_without_nan(PyObject *Py_UNUSED(module), PyObject *args)
{
    CellsObject *cells, *without_nan;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O!O!:fill_without_nan", CellsType, &cells, CellsType, &without_nan) ||
        !cells_are_alike(&cells->cells, &without_nan->cells))
        return NULL;
    GP_CALL(error, cells->backend->fill_without_nan(&cells->cells, &without_nan->cells, &error));
    return result_or_error(Py_None, &error);
}

static PyObject *shade(PyObject *Py_UNUSED(module), PyObject *args)
{
    CellsObject *cells;
    PyObject *style_object, *out = Py_None;
    gp_style style;
    HELD_STYLE hold = {0};
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O!O|O:shade", CellsType, &cells, &style_object, &out))
        return NULL;
    int64_t n_rows = cells->cells.n_rows, n_cols = cells->cells.n_cols;
    bool has_style = style_from_object(style_object, n_rows, n_cols, &style, &hold) == 0;
    OWNED PyArrayObject *array = has_style ? pixels_array(out, n_rows, n_cols) : NULL;
    if (array == NULL)
        return NULL;
    gp_pixels pixels = {PyArray_DATA(array), n_rows, n_cols};
    GP_CALL(error, cells->backend->shade(&cells->cells, &style, &pixels, &error));
    return result_or_error(array, &error);
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

static PyObject *shade_rgb(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *tuple, *style_object, *out = Py_None;
    gp_cells channels[4] = {0};
    gp_rgb_style style;
    HELD_STYLE hold = {0};
    double range[2] = {0};
    gp_error error = {0};
    const gp_backend *backend = NULL;
    if (!PyArg_ParseTuple(args, "OO|O:shade_rgb", &tuple, &style_object, &out))
        return NULL;
    int n = parse_channels(tuple, channels, &backend);
    int64_t n_rows = channels[0].n_rows, n_cols = channels[0].n_cols;
    bool has_style = n > 0 && rgb_style_from_object(style_object, n_rows, n_cols, &style, &hold) == 0;
    OWNED PyArrayObject *array = has_style ? pixels_array(out, n_rows, n_cols) : NULL;
    if (array == NULL)
        return NULL;
    gp_pixels pixels = {PyArray_DATA(array), n_rows, n_cols};
    GP_CALL(error, backend->shade_rgb(channels, n, &style, &pixels, range, &error));
    return error.status == GP_OK ? Py_BuildValue("(O(dd))", array, range[0], range[1]) : raise_error(&error);
}

static PyObject *angle(PyObject *Py_UNUSED(module), PyObject *args)
{
    CellsObject *real, *imaginary;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O!O!:angle", CellsType, &real, CellsType, &imaginary) ||
        !cells_are_alike(&real->cells, &imaginary->cells))
        return NULL;
    OWNED CellsObject *out = cells_new(real->backend, real->cells.n_rows, real->cells.n_cols, real->cells.device);
    if (out == NULL)
        return NULL;
    GP_CALL(error, real->backend->angle(&real->cells, &imaginary->cells, &out->cells, &error));
    return result_or_error(out, &error);
}

/* ---- cells resampled --------------------------------------------------------------------------------------------- */

/* Whether the cells that a cell reads are within n cells, and those that it touches among those with weights. */
static int are_within(const gp_taps *taps, int64_t n)
{
    for (int64_t i = 0; i < taps->n_cells; i++) {
        int64_t first = taps->first[i], begin = taps->touched[2 * i], end = taps->touched[2 * i + 1];
        if (first < 0 || first > n - taps->n_taps || begin < first || end < begin || end > first + taps->n_taps)
            return 0;
    }
    return 1;
}

/* The arrays that gp_taps borrow. */
typedef struct taps_arrays {
    PyArrayObject *first, *touched, *weights;
} taps_arrays;

static void let_go(taps_arrays *arrays)
{
    Py_XDECREF((PyObject *)arrays->first);
    Py_XDECREF((PyObject *)arrays->touched);
    Py_XDECREF((PyObject *)arrays->weights);
}

#define HELD_TAPS __attribute__((cleanup(let_go))) taps_arrays

/* For PyArg_ParseTuple: a tuple (first, touched, weights). */
static int to_taps(PyObject *object, void *out)
{
    taps_arrays *arrays = out;
    return is_tuple(object, "the weights of an axis are a tuple (first, touched, weights)") &&
           PyArg_ParseTuple(object, "O&O&O&", to_int64s, &arrays->first, to_int64_table, &arrays->touched, to_double_table,
                            &arrays->weights);
}

/* The taps of an axis over n cells. */
static int fill_taps(const taps_arrays *from, int64_t n, gp_taps *taps)
{
    npy_intp n_cells = PyArray_SIZE(from->first), n_taps = PyArray_DIM(from->weights, 1);
    *taps = (gp_taps){PyArray_DATA(from->first), PyArray_DATA(from->touched), PyArray_DATA(from->weights), n_cells, (int)n_taps};
    if (PyArray_DIM(from->touched, 0) != n_cells || PyArray_DIM(from->touched, 1) != 2 ||
        PyArray_DIM(from->weights, 0) != n_cells || n_taps < 1 || n_taps > GP_MOST_TAPS || !are_within(taps, n)) {
        PyErr_Format(PyExc_ValueError,
                     "an axis has first (n,), touched (n, 2) and weights (n, 1 to %d), all within its %lld cells", GP_MOST_TAPS,
                     (long long)n);
        return -1;
    }
    return 0;
}

static PyObject *filter(PyObject *Py_UNUSED(module), PyObject *args)
{
    CellsObject *from;
    HELD_TAPS rows = {0}, cols = {0};
    gp_nan nan;
    gp_resampling how;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O!O&O&O&:filter", CellsType, &from, to_taps, &rows, to_taps, &cols, to_nan, &nan) ||
        fill_taps(&rows, from->cells.n_rows, &how.rows) < 0 || fill_taps(&cols, from->cells.n_cols, &how.cols) < 0)
        return NULL;
    OWNED CellsObject *out = cells_new(from->backend, how.rows.n_cells, how.cols.n_cells, from->cells.device);
    if (out == NULL)
        return NULL;
    GP_CALL(error, from->backend->filter(&from->cells, &how.rows, &how.cols, nan, &out->cells, &error));
    return result_or_error(out, &error);
}

static PyObject *resample(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    AxisObject *rows, *cols;
    HELD_TAPS row_taps = {0}, col_taps = {0};
    gp_reduce_options options = {.agg = GP_AGG_MEAN};
    gp_resampling how;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O!O!O&O&O&:resample", to_plane, &plane, AxisType, &rows, AxisType, &cols, to_nan, &options.nan,
                          to_taps, &row_taps, to_taps, &col_taps) ||
        check_axes(plane.plane, rows, cols) < 0 || fill_taps(&row_taps, rows->axis.n_cells, &how.rows) < 0 ||
        fill_taps(&col_taps, cols->axis.n_cells, &how.cols) < 0)
        return NULL;
    OWNED CellsObject *out = cells_for(&plane, how.rows.n_cells, how.cols.n_cells);
    if (out == NULL)
        return NULL;
    gp_band all = {0, how.rows.n_cells};
    GP_CALL(error,
            gp_plane_resample(plane.backend, plane.plane, &rows->axis, &cols->axis, &options, &how, all, &out->cells, &error));
    return result_or_error(out, &error);
}

/* ---- cells to pixels at once ------------------------------------------------------------------------------------- */

static PyObject *paint(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    AxisObject *rows, *cols;
    PyObject *style_object;
    gp_reduce_options options = {.agg = GP_AGG_MEAN, .nan = GP_NAN_SHOW};
    unsigned want = 0;
    HELD_TAPS row_taps = {0}, col_taps = {0};
    gp_resampling how;
    gp_style style;
    HELD_STYLE hold = {0};
    gp_limits_state limits;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O!O!O&O&O|IO&O&:paint", to_plane, &plane, AxisType, &rows, AxisType, &cols, to_agg,
                          &options.agg, to_nan, &options.nan, &style_object, &want, to_taps, &row_taps, to_taps, &col_taps) ||
        check_axes(plane.plane, rows, cols) < 0)
        return NULL;
    bool is_resampled = row_taps.first != NULL && col_taps.first != NULL;
    if (is_resampled &&
        (fill_taps(&row_taps, rows->axis.n_cells, &how.rows) < 0 || fill_taps(&col_taps, cols->axis.n_cells, &how.cols) < 0))
        return NULL;
    int64_t n_rows = is_resampled ? how.rows.n_cells : rows->axis.n_cells;
    int64_t n_cols = is_resampled ? how.cols.n_cells : cols->axis.n_cells;
    bool has_style = style_from_object(style_object, n_rows, n_cols, &style, &hold) == 0;
    OWNED PyArrayObject *array = has_style ? pixels_array(Py_None, n_rows, n_cols) : NULL;
    if (array == NULL)
        return NULL;
    gp_pixels pixels = {PyArray_DATA(array), n_rows, n_cols};
    GP_CALL(error, gp_plane_paint(plane.backend, plane.plane, &rows->axis, &cols->axis, &options, is_resampled ? &how : NULL,
                                  &style, &pixels, want, &limits, &error));
    if (error.status != GP_OK)
        return raise_error(&error);
    PyObject *found = want != 0 ? limits_to_tuple(&limits) : Py_NewRef(Py_None);
    return found == NULL ? NULL : Py_BuildValue("(ON)", array, found);
}

PyMethodDef draw_functions[] = {
    {"reduce", WITH_KEYWORDS(reduce),
     "reduce(plane, rows, cols, agg='mean', nan='show', want=0, splits_nan=False, limits_of_cells=False, style=None, search=None, "
     "out=None) -> (Cells, limits or None), and with splits_nan Cells of what those that NaN marks are without it, and their limits; with a "
     "style also (pixels of the Cells, uint8 (H, W, 4), vmin, vmax), or None on the CPU, where they cost as much by themselves. search is "
     "None for a style with limits, or how those that are NaN are found: (origin 'elements', 'cells' or 'either', least_part, center or "
     "NaN, and the smallest and the largest element, NaN where the call finds them)"},
    {"limits", limits, METH_VARARGS,
     "limits(plane, want) -> (min, max, min_positive, has, n_finite, n_nan, n_pos_inf, n_neg_inf, n_masked)"},
    {"percentiles", percentiles, METH_VARARGS, "percentiles(plane, percents, positive_only=False) -> float64 (n,)"},
    {"collect", collect, METH_VARARGS,
     "collect(plane, lows, highs, most) -> float64 (n,): the finite elements of ranges that do not overlap, in any order; None if there are "
     "more than `most`"},
    {"gather", gather, METH_VARARGS, "gather(plane, out) -> out, filled with the elements as they are"},
    {"shade", shade, METH_VARARGS, "shade(cells, style, out=None) -> uint8 (H, W, 4)"},
    {"paint", paint, METH_VARARGS,
     "paint(plane, rows, cols, agg, nan, style, want=0, row_taps=..., col_taps=...) -> (uint8 (H, W, 4), limits of cells or None): reduce "
     "or resample and shade in one, for styles that need not know all cells"},
    {"shade_rgb", shade_rgb, METH_VARARGS, "shade_rgb(channels, style, out=None) -> (uint8 (H, W, 4), (low, high))"},
    {"filter", filter, METH_VARARGS,
     "filter(cells, row_taps, col_taps, nan) -> Cells: means by weights of consecutive cells along each axis, each axis a tuple "
     "(first, touched, weights)"},
    {"resample", resample, METH_VARARGS,
     "resample(plane, rows, cols, nan, row_taps, col_taps) -> Cells: what filter makes of means, without a grid of them all"},
    {"fill_without_nan", fill_without_nan, METH_VARARGS,
     "fill_without_nan(cells, without_nan): all cells but those that NaN marks to the other grid"},
    {"angle", angle, METH_VARARGS, "angle(real_cells, imaginary_cells) -> Cells of angles in radians"},
    {0},
};
