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
    if (range != Py_None && parse_range(range, side->plane->dtype, &call->ranges[k]) < 0)
        return -1;
    side->range = range != Py_None ? &call->ranges[k] : NULL;
    call->edges[k] = (PyArrayObject *)PyArray_FROMANY(edges, NPY_DOUBLE, 1, 1, NPY_ARRAY_IN_ARRAY);
    if (call->edges[k] == NULL)
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

/* An array for the bins of all sides. */
static PyArrayObject *make_result(const joint_call *call, int type)
{
    npy_intp shape[MOST_SIDES] = {0};
    for (int k = 0; k < call->joint.n_sides; k++)
        shape[k] = (npy_intp)call->joint.sides[k].n_bins;
    return (PyArrayObject *)PyArray_SimpleNew(call->joint.n_sides, shape, type);
}

/* The tensors of all planes are held while they are counted. */
static PyObject *run(joint_call *call, const gp_backend *backend)
{
    bool has_weights = call->joint.weights != NULL;
    PyArrayObject *result = make_result(call, has_weights ? NPY_DOUBLE : NPY_INT64);
    int n_begun = 0;
    int64_t n_counted = 0;
    gp_error error = {0};
    gp_status status = GP_OK;
    while (result != NULL && n_begun < call->n_planes && plane_begin(call->planes[n_begun]) == 0)
        n_begun++;
    bool is_begun = result != NULL && n_begun == call->n_planes;
    if (is_begun) {
        void *out = PyArray_DATA(result);
        GP_WITHOUT_GIL(status = backend->histogram_joint(&call->joint, has_weights ? NULL : out, has_weights ? out : NULL,
                                                         &n_counted, &error));
    }
    while (n_begun > 0)
        plane_end(call->planes[--n_begun]);
    if (is_begun && status == GP_OK)
        return Py_BuildValue("(NL)", (PyObject *)result, (long long)n_counted);
    Py_XDECREF((PyObject *)result);
    return is_begun ? raise_error(&error) : NULL;
}

static PyObject *histogram_joint(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"planes", "edges", "integer_ranges", "weights", "moment", NULL};
    PyObject *planes, *edges, *ranges = Py_None, *weights = Py_None, *moment = Py_None, *result = NULL;
    joint_call call = {0};
    gp_error error = {0};
    const gp_backend *backend = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!|OOO:histogram_joint", names, &PyTuple_Type, &planes, &PyTuple_Type,
                                     &edges, &ranges, &weights, &moment))
        return NULL;
    bool is_right = weights == Py_None || PyObject_TypeCheck(weights, PlaneType);
    if (!is_right)
        PyErr_SetString(PyExc_TypeError, "weights must be a Plane or None");
    is_right = is_right && parse_sides(&call, planes, edges, ranges) == 0;
    if (is_right && weights != Py_None) {
        call.planes[call.n_planes] = (PlaneObject *)weights;
        call.joint.weights = &call.planes[call.n_planes++]->plane;
    }
    gp_moment *parsed = &call.joint.moment;
    if (is_right && moment != Py_None)
        is_right = PyArg_ParseTuple(moment, "idd;moment is (power, center, scale)", &parsed->power, &parsed->center,
                                    &parsed->scale) != 0;
    if (is_right && gp_backend_for(call.joint.sides[0].plane->device, &backend, &error) != GP_OK)
        is_right = raise_error(&error) != NULL;
    if (is_right)
        result = run(&call, backend);
    for (int k = 0; k < MOST_SIDES; k++)
        Py_XDECREF((PyObject *)call.edges[k]);
    return result;
}

PyMethodDef joint_functions[] = {
    {"histogram_joint", (PyCFunction)(void (*)(void))histogram_joint, METH_VARARGS | METH_KEYWORDS,
     "histogram_joint(planes, edges, integer_ranges=None, weights=None, moment=None) -> (int64 counts, or float64 sums of weights; how many elements are "
     "in a bin)"},
    {0},
};
