/* histogram_joint: elements at the same place of several planes, counted, or summed with weights, by the bins of one or two planes. */
#include "binding.h"

enum { MOST_SIDES = 2 };

typedef struct joint_call {
    gp_joint joint;
    gp_integer_range ranges[MOST_SIDES];
    Use planes[MOST_SIDES], weights;
    PyArrayObject *edges[MOST_SIDES];
} joint_call;

static void end_call(joint_call *call)
{
    use_end(&call->weights);
    for (int k = 0; k < MOST_SIDES; k++) {
        use_end(&call->planes[k]);
        Py_XDECREF((PyObject *)call->edges[k]);
    }
}

/* One item of each of the tuples. */
static int parse_side(joint_call *call, int k, PyObject *plane, PyObject *edges, PyObject *range)
{
    gp_joint_side *side = &call->joint.sides[k];
    if (!to_plane(plane, &call->planes[k]))
        return -1;
    side->plane = call->planes[k].plane;
    if (parse_range(range, side->plane->dtype, &call->ranges[k], &side->range) < 0 || !to_doubles(edges, &call->edges[k]))
        return -1;
    side->edges = PyArray_DATA(call->edges[k]);
    side->n_bins = PyArray_SIZE(call->edges[k]) - 1;
    return 0;
}

static int parse_sides(joint_call *call, PyObject *planes, PyObject *edges, PyObject *ranges)
{
    Py_ssize_t n = PyTuple_Size(planes);
    if (n < 1 || n > MOST_SIDES || PyTuple_Size(edges) != n ||
        (ranges != Py_None && (!PyTuple_Check(ranges) || PyTuple_Size(ranges) != n))) {
        PyErr_SetString(PyExc_ValueError, "give one or two planes, and edges and integer_ranges for each");
        return -1;
    }
    call->joint.n_sides = (int)n;
    for (int k = 0; k < (int)n; k++) {
        PyObject *range = ranges == Py_None ? Py_None : PyTuple_GetItem(ranges, k);
        if (parse_side(call, k, PyTuple_GetItem(planes, k), PyTuple_GetItem(edges, k), range) < 0)
            return -1;
    }
    return 0;
}

/* An array for the bins of all sides. */
static PyArrayObject *make_result(const joint_call *call, int type)
{
    npy_intp shape[MOST_SIDES] = {0};
    for (int k = 0; k < call->joint.n_sides; k++)
        shape[k] = (npy_intp)call->joint.sides[k].n_bins;
    return new_array(call->joint.n_sides, shape, type);
}

static PyObject *run(joint_call *call)
{
    bool has_weights = call->joint.weights != NULL;
    OWNED PyArrayObject *result = make_result(call, has_weights ? NPY_DOUBLE : NPY_INT64);
    int64_t n_counted = 0;
    gp_error error = {0};
    if (result == NULL)
        return NULL;
    const gp_backend *backend = call->planes[0].backend;
    void *out = PyArray_DATA(result);
    GP_CALL(error,
            backend->histogram_joint(&call->joint, has_weights ? NULL : out, has_weights ? out : NULL, &n_counted, &error));
    return error.status == GP_OK ? Py_BuildValue("(OL)", result, (long long)n_counted) : raise_error(&error);
}

static PyObject *histogram_joint(PyObject *Py_UNUSED(module), PyObject *args, PyObject *keywords)
{
    static char *names[] = {"planes", "edges", "integer_ranges", "weights", "moment", NULL};
    PyObject *planes, *edges, *ranges = Py_None, *moment = Py_None;
    __attribute__((cleanup(end_call))) joint_call call = {0};
    gp_moment *parsed = &call.joint.moment;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!|OO&O:histogram_joint", names, &PyTuple_Type, &planes, &PyTuple_Type,
                                     &edges, &ranges, to_plane_or_none, &call.weights, &moment) ||
        (moment != Py_None &&
         (!is_tuple(moment, "moment is (power, center, scale)") ||
          !PyArg_ParseTuple(moment, "idd;moment is (power, center, scale)", &parsed->power, &parsed->center, &parsed->scale))) ||
        parse_sides(&call, planes, edges, ranges) < 0)
        return NULL;
    call.joint.weights = call.weights.plane;
    return run(&call);
}

PyMethodDef joint_functions[] = {
    {"histogram_joint", WITH_KEYWORDS(histogram_joint),
     "histogram_joint(planes, edges, integer_ranges=None, weights=None, moment=None) -> (int64 counts, or float64 sums of weights; how many elements are "
     "in a bin)"},
    {0},
};
