/* subtract and compare: the elements of one plane less those of another, as cells, or what is known about all of them. */
#include "binding.h"

/* The difference in new cells. */
static gp_status subtract_to_new(const gp_backend *backend, const gp_plane *a, const gp_plane *b, gp_cells *out, gp_error *error)
{
    GP_TRY(backend->cells_alloc(a->n_rows, a->n_cols, a->device, out, error));
    return backend->subtract(a, b, out, error);
}

static PyObject *subtract(PyObject *Py_UNUSED(module), PyObject *args)
{
    PlaneObject *planes[2];
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O!O!:subtract", PlaneType, &planes[0], PlaneType, &planes[1]))
        return NULL;
    const gp_backend *backend = planes_begin(planes, 2);
    OWNED CellsObject *cells = backend ? cells_new(backend) : NULL;
    if (cells != NULL)
        GP_CALL(error, subtract_to_new(backend, &planes[0]->plane, &planes[1]->plane, &cells->cells, &error));
    if (backend != NULL)
        planes_end(planes, 2);
    return cells != NULL ? result_or_error(cells, &error) : NULL;
}

/* (value, position or None) */
static PyObject *position_or_none(int64_t position)
{
    return position == GP_NOWHERE ? Py_NewRef(Py_None) : PyLong_FromLongLong(position);
}

static PyObject *comparison_to_tuple(const gp_comparison *found)
{
    return Py_BuildValue("(ddNNNLLL)", found->max_abs, found->max_rel, position_or_none(found->at_abs),
                         position_or_none(found->at_rel), position_or_none(found->first_nan_only), (long long)found->n_beyond,
                         (long long)found->n_nan_only_a, (long long)found->n_nan_only_b);
}

static PyObject *compare(PyObject *Py_UNUSED(module), PyObject *args)
{
    PlaneObject *planes[2];
    gp_compared compared = {0};
    gp_comparison found;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O!O!dd:compare", PlaneType, &planes[0], PlaneType, &planes[1], &compared.rtol, &compared.atol))
        return NULL;
    const gp_backend *backend = planes_begin(planes, 2);
    if (backend == NULL)
        return NULL;
    compared.a = &planes[0]->plane, compared.b = &planes[1]->plane;
    GP_CALL(error, backend->compare(&compared, &found, &error));
    planes_end(planes, 2);
    return error.status == GP_OK ? comparison_to_tuple(&found) : raise_error(&error);
}

PyMethodDef difference_functions[] = {
    {"subtract", subtract, METH_VARARGS,
     "subtract(a, b) -> Cells, one for each element: a - b in float64, 0 of the same infinity, NaN where either is NaN or masked."},
    {"compare", compare, METH_VARARGS,
     "compare(a, b, rtol, atol) -> (max_abs, max_rel, at_abs, at_rel, first_nan_only, n_beyond, n_nan_only_a, n_nan_only_b); positions "
     "are row * columns + column, or None. Complex elements are compared as a whole."},
    {0},
};
