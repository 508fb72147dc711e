/* subtract and compare: differences of the elements of two planes as cells, and comparisons of all of them. */
#include "binding.h"

static PyObject *subtract(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED a = {0}, b = {0};
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O&:subtract", to_plane, &a, to_plane, &b))
        return NULL;
    OWNED CellsObject *cells = cells_new(a.backend, a.plane->n_rows, a.plane->n_cols, a.plane->device);
    if (cells == NULL)
        return NULL;
    GP_CALL(error, a.backend->subtract(a.plane, b.plane, &cells->cells, &error));
    return result_or_error(cells, &error);
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
    USED a = {0}, b = {0};
    gp_compared compared = {0};
    gp_comparison found;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O&dd:compare", to_plane, &a, to_plane, &b, &compared.rtol, &compared.atol))
        return NULL;
    compared.a = a.plane, compared.b = b.plane;
    GP_CALL(error, a.backend->compare(&compared, &found, &error));
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
