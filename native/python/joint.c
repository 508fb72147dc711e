/* histogram_joint: elements at the same place of several planes, counted or added up by the bins of one or two of them. */
#include "binding.h"

enum { MOST_SIDES = 2 };

typedef struct joint_call {
    gp_joint joint;
    gp_integer_range ranges[MOST_SIDES];
    PlaneObject *planes[MOST_SIDES + 1]; /* the weights last */
    PyArrayObject *edges[MOST_SIDES];
    int n_planes;
} joint_call;

/* One item of each of the tuples. */
static int parse_side(joint_call *call, int k, PyObject *plane, PyObject *edges, PyObject *range)
{
    gp_joint_side *side = &call->joint.sides[k];
    if (!PyObject_TypeCheck(plane, PlaneType)) {
        PyErr_SetString(PyExc_TypeError, "planes must be a tuple of Planes");
        return -1;
    }
    call->planes[k] = (PlaneObject *)plane;
    side->plane = &call->planes[k]->plane;
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
    call->joint.n_sides = call->n_planes = (int)n;
    for (int k = 0; k < (int)n; k++) {
        PyObject *range = ranges == Py_None ? Py_None : PyTuple_GetItem(ranges, k);
        if (parse_side(call, k, PyTuple_GetItem(planes, k), PyTuple_GetItem(edges, k), range) < 0)
            return -1;
    }
    return 0;
}

/* The plane of weights, behind those of the sides, and the moment of it that counts. */
static int parse_weights(joint_call *call, PyObject *weights, PyObject *moment)
{
    gp_moment *parsed = &call->joint.moment;
    if (weights != Py_None && !PyObject_TypeCheck(weights, PlaneType)) {
        PyErr_SetString(PyExc_TypeError, "weights must be a Plane or None");
        return -1;
    }
    if (weights != Py_None) {
        call->planes[call->n_planes] = (PlaneObject *)weights;
        call->joint.weights = &call->planes[call->n_planes++]->plane;
    }
    return moment == Py_None || PyArg_ParseTuple(moment, "idd;moment is (power, center, scale)", &parsed->power, &parsed->center,
                                                 &parsed->scale)
               ? 0
               : -1;
}

/* An array for the bins of all sides. */
static PyArrayObject *make_result(const joint_call *call, int type)
{
    npy_intp shape[MOST_SIDES] = {0};
    for (int k = 0; k < call->joint.n_sides; k++)
        shape[k] = (npy_intp)call->joint.sides[k].n_bins;
    return new_array(call->joint.n_sides, shape, type);
}

/* The tensors of all planes are held while they are counted. */
static PyObject *run(joint_call *call)
{
    bool has_weights = call->joint.weights != NULL;
    OWNED PyArrayObject *result = make_result(call, has_weights ? NPY_DOUBLE : NPY_INT64);
    int64_t n_counted = 0;
    gp_error error = {0};
    const gp_backend *backend = result ? planes_begin(call->planes, call->n_planes) : NULL;
    if (backend == NULL)
        return NULL;
    void *out = PyArray_DATA(result);
    GP_CALL(error,
            backend->histogram_joint(&call->joint, has_weights ? NULL : out, has_weights ? out : NULL, &n_counted, &error));
    planes_end(call->planes, call->n_planes);
    return error.status == GP_OK ? Py_BuildValue("(OL)", result, (long long)n_counted) : raise_error(&error);
}

static PyObject *histogram_joint(PyObject *Py_UNUSED(module), PyObject *args, PyObject *keywords)
{
    static char *names[] = {"planes", "edges", "integer_ranges", "weights", "moment", NULL};
    PyObject *planes, *edges, *ranges = Py_None, *weights = Py_None, *moment = Py_None, *result = NULL;
    joint_call call = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!|OOO:histogram_joint", names, &PyTuple_Type, &planes, &PyTuple_Type,
                                     &edges, &ranges, &weights, &moment))
        return NULL;
    if (parse_sides(&call, planes, edges, ranges) == 0 && parse_weights(&call, weights, moment) == 0)
        result = run(&call);
    for (int k = 0; k < MOST_SIDES; k++)
        Py_XDECREF((PyObject *)call.edges[k]);
    return result;
}

PyMethodDef joint_functions[] = {
    {"histogram_joint", WITH_KEYWORDS(histogram_joint),
     "histogram_joint(planes, edges, integer_ranges=None, weights=None, moment=None) -> (int64 counts, or float64 sums of weights; how many elements are "
     "in a bin)"},
    {0},
};
