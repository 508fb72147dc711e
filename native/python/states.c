/* Functions on partial results of cells, limits and summaries, as structured arrays: made from a plane, joined, finished. */
#include "binding.h"

#include "../core/grids/cell_states.h"
#include "../cpu/reduce/finish_states.h"

/* ---- arrays of states ------------------------------------------------------------------------------------------------ */

typedef enum state_type { OF_CELLS, OF_LIMITS, OF_SUMMARY, OF_SERIES } state_type;

static const size_t state_bytes[] = {[OF_CELLS] = sizeof(gp_cell_state),
                                     [OF_LIMITS] = sizeof(gp_limits_state),
                                     [OF_SUMMARY] = sizeof(gp_partial_summary),
                                     [OF_SERIES] = sizeof(gp_m4_state)};

typedef struct states {
    state_type type;
    gp_state_kind kind; /* the kind of states of cells, for OF_CELLS */
    void *data;
    int64_t n;
} states;

/* The states of a writable array; -1 with an exception. */
static int states_from(PyObject *object, state_type type, states *out)
{
    out->type = type, out->data = states_of(object, state_bytes[type], &out->n);
    return out->data != NULL ? 0 : -1;
}

/* The same, with the kind of states by name: "limits", "summary", "m4", or an aggregation of cells. */
static int named_states_from(const char *name, PyObject *object, states *out)
{
    static const char *const names[] = {[OF_LIMITS] = "limits", [OF_SUMMARY] = "summary", [OF_SERIES] = "m4"};
    state_type type = OF_SERIES;
    while (type > OF_CELLS && strcmp(name, names[type]) != 0)
        type--;
    OWNED PyObject *agg_name = PyUnicode_FromString(name);
    gp_agg agg = GP_AGG_MEAN;
    if (agg_name == NULL || (type == OF_CELLS && !to_agg(agg_name, &agg)))
        return -1;
    out->kind = gp_agg_kind(agg);
    return states_from(object, type, out);
}

/* clear_states(name, states): sets states to those of no elements */
static PyObject *clear_states(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *object;
    const char *name;
    states to;
    if (!PyArg_ParseTuple(args, "sO:clear_states", &name, &object) || named_states_from(name, object, &to) < 0)
        return NULL;
    for (int64_t i = 0; i < to.n; i++)
        switch (to.type) {
        case OF_CELLS: ((gp_cell_state *)to.data)[i] = gp_cell_state_none(to.kind); break;
        case OF_LIMITS: ((gp_limits_state *)to.data)[i] = gp_limits_state_none(); break;
        case OF_SUMMARY: ((gp_partial_summary *)to.data)[i] = gp_partial_summary_none(); break;
        case OF_SERIES: ((gp_m4_state *)to.data)[i] = gp_m4_state_none(); break;
        }
    Py_RETURN_NONE;
}

static void join_all(const states *to, const states *from)
{
    if (to->type == OF_CELLS)
        gp_cell_states_join(to->kind, to->data, from->data, to->n);
    for (int64_t i = 0; i < to->n && to->type == OF_LIMITS; i++)
        gp_limits_state_join((gp_limits_state *)to->data + i, (const gp_limits_state *)from->data + i);
    for (int64_t i = 0; i < to->n && to->type == OF_SUMMARY; i++)
        gp_partial_summary_join((gp_partial_summary *)to->data + i, (const gp_partial_summary *)from->data + i);
    for (int64_t i = 0; i < to->n && to->type == OF_SERIES; i++)
        gp_m4_state_join((gp_m4_state *)to->data + i, (const gp_m4_state *)from->data + i);
}

/* join_states(name, to, other) */
static PyObject *join_states(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *to_object, *from_object;
    const char *name;
    states to, from;
    if (!PyArg_ParseTuple(args, "sOO:join_states", &name, &to_object, &from_object) ||
        named_states_from(name, to_object, &to) < 0 || named_states_from(name, from_object, &from) < 0)
        return NULL;
    if (to.n != from.n)
        return PyErr_Format(PyExc_ValueError, "%lld states cannot be joined with %lld", (long long)to.n, (long long)from.n);
    GP_WITHOUT_GIL(join_all(&to, &from));
    Py_RETURN_NONE;
}

static void round_all(const states *to, gp_order_type order)
{
    if (to->type == OF_CELLS)
        gp_cell_states_round(to->kind, order, to->data, to->n);
    for (int64_t i = 0; i < to->n && to->type == OF_SUMMARY; i++)
        gp_summary_state_round(&((gp_partial_summary *)to->data)[i].state, order);
}

/* round_states(name, order, states): converts extremes to float64, in place */
static PyObject *round_states(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *object;
    const char *name;
    gp_order_type order;
    states to;
    if (!PyArg_ParseTuple(args, "sO&O:round_states", &name, to_order, &order, &object) ||
        named_states_from(name, object, &to) < 0)
        return NULL;
    GP_WITHOUT_GIL(round_all(&to, order));
    Py_RETURN_NONE;
}

/* ---- cells ----------------------------------------------------------------------------------------------------------- */

/* reduce_states(plane, rows, cols, agg, nan, out, want=0, limits=None) -> the order of its extremes */
static PyObject *reduce_states(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    AxisObject *rows, *cols;
    PyObject *out_object, *limits_object = Py_None;
    gp_reduce_options options = {0};
    states out, limits = {0};
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O!O!O&O&O|IO:reduce_states", to_plane, &plane, AxisType, &rows, AxisType, &cols, to_agg,
                          &options.agg, to_nan, &options.nan, &out_object, &options.want, &limits_object) ||
        states_from(out_object, OF_CELLS, &out) < 0 || (options.want != 0 && states_from(limits_object, OF_LIMITS, &limits) < 0))
        return NULL;
    if (out.n != rows->axis.n_cells * cols->axis.n_cells || (options.want != 0 && limits.n != 1))
        return PyErr_Format(PyExc_ValueError, "%lld states for %lld x %lld cells, %lld for limits", (long long)out.n,
                            (long long)rows->axis.n_cells, (long long)cols->axis.n_cells, (long long)limits.n);
    GP_CALL(error, gp_plane_reduce_states(plane.backend, plane.plane, &rows->axis, &cols->axis, &options, out.data, limits.data,
                                          &error));
    return error.status == GP_OK ? order_to_name(gp_plane_order_type(plane.plane)) : raise_error(&error);
}

/* finish_states(agg, nan, order, states) -> float64 array of their shape */
static PyObject *finish_states(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *object;
    gp_agg agg;
    gp_nan nan;
    gp_order_type order;
    states of;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O&O&O:finish_states", to_agg, &agg, to_nan, &nan, to_order, &order, &object) ||
        states_from(object, OF_CELLS, &of) < 0)
        return NULL;
    PyArrayObject *array = (PyArrayObject *)object;
    OWNED PyArrayObject *result = new_array(PyArray_NDIM(array), PyArray_DIMS(array), NPY_DOUBLE);
    if (result == NULL)
        return NULL;
    double *out = PyArray_DATA(result);
    GP_CALL(error, gp_finish_states(agg, nan, order, of.data, of.n, out, &error));
    return result_or_error(result, &error);
}

/* ---- limits and summaries --------------------------------------------------------------------------------------------- */

/* The single state that a call writes; NULL with an exception. */
static void *one_state(PyObject *object, state_type type)
{
    states out;
    if (states_from(object, type, &out) < 0)
        return NULL;
    if (out.n != 1)
        return PyErr_Format(PyExc_ValueError, "%lld states for one plane: give an array of one", (long long)out.n);
    return out.data;
}

/* limits_state(plane, want, out) */
static PyObject *limits_state(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    PyObject *out_object;
    unsigned want;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&IO:limits_state", to_plane, &plane, &want, &out_object))
        return NULL;
    gp_limits_state *out = one_state(out_object, OF_LIMITS);
    if (out == NULL)
        return NULL;
    GP_CALL(error, gp_plane_limits(plane.backend, plane.plane, want, out, &error));
    return result_or_error(Py_None, &error);
}

/* finish_limits(state) */
static PyObject *finish_limits(PyObject *Py_UNUSED(module), PyObject *object)
{
    states of;
    if (states_from(object, OF_LIMITS, &of) < 0)
        return NULL;
    const gp_limits_state none = gp_limits_state_none();
    return limits_to_tuple(of.n < 1 ? &none : of.data);
}

/* summarize(plane, out) -> the order of its extremes */
static PyObject *summarize(PyObject *Py_UNUSED(module), PyObject *args)
{
    USED plane = {0};
    PyObject *out_object;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O&O:summarize", to_plane, &plane, &out_object))
        return NULL;
    gp_partial_summary *out = one_state(out_object, OF_SUMMARY);
    if (out == NULL)
        return NULL;
    GP_CALL(error, gp_plane_summarize(plane.backend, plane.plane, out, &error));
    return error.status == GP_OK ? order_to_name(gp_plane_summary_order(plane.plane)) : raise_error(&error);
}

/* finish_summary(order, state), in the order of gp_summary */
static PyObject *finish_summary(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *object;
    gp_order_type order;
    states of;
    if (!PyArg_ParseTuple(args, "O&O:finish_summary", to_order, &order, &object) || states_from(object, OF_SUMMARY, &of) < 0)
        return NULL;
    gp_summary s = gp_summary_none();
    if (of.n > 0)
        GP_WITHOUT_GIL(s = gp_partial_summary_finish(of.data, order));
    return Py_BuildValue("(LLLLLLLLdddddLLLd)", (long long)s.n_nan, (long long)s.n_neg_inf, (long long)s.n_neg,
                         (long long)s.n_zero, (long long)s.n_pos, (long long)s.n_pos_inf, (long long)s.n_masked,
                         (long long)s.n_subnormal, s.min, s.max, s.mean, s.m2, s.sum_of_squares, (long long)s.argmin,
                         (long long)s.argmax, (long long)s.first_nan, s.scale);
}

PyMethodDef state_functions[] = {
    {"clear_states", clear_states, METH_VARARGS, "clear_states(name, states): those of no elements, in place."},
    {"join_states", join_states, METH_VARARGS, "join_states(name, to, other): joins one by one, in place."},
    {"round_states", round_states, METH_VARARGS, "round_states(name, order, states): extremes as those of float64, in place."},
    {"reduce_states", reduce_states, METH_VARARGS,
     "reduce_states(plane, rows, cols, agg, nan, out, want=0, limits=None): the order of extremes."},
    {"finish_states", finish_states, METH_VARARGS, "finish_states(agg, nan, order, states): the cells, float64."},
    {"limits_state", limits_state, METH_VARARGS, "limits_state(plane, want, out)."},
    {"finish_limits", finish_limits, METH_O, "finish_limits(state): min, max, min_positive, has, and counts."},
    {"summarize", summarize, METH_VARARGS, "summarize(plane, out): the order of extremes."},
    {"finish_summary", finish_summary, METH_VARARGS,
     "finish_summary(order, state) -> (n_nan, n_neg_inf, n_neg, n_zero, n_pos, n_pos_inf, n_masked, n_subnormal, min, max, mean, m2, "
     "sum_of_squares, argmin, argmax, first_nan, scale)"},
    {0},
};
