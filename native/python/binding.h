/* Declarations that the files of the Python binding share: objects, arguments, and errors as exceptions. */
#ifndef GP_BINDING_H
#define GP_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL gpuplot_ARRAY_API
#ifndef GP_IMPORTS_ARRAY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "gpuplot.h"

#include "../core/base/float_mode.h"

/* ---- calls of the native layer -------------------------------------------------------------------------------------- */

/* The only place where the GIL is released: around statements that read or compute and use no Python object. Inside, the
 * floating-point mode is the default one, whatever other libraries have set for the thread. */
#define GP_WITHOUT_GIL(...)                                                                                                      \
    do {                                                                                                                         \
        PyThreadState *gp_thread_ = PyEval_SaveThread();                                                                         \
        uint64_t gp_mode_ = gp_float_mode_enter();                                                                               \
        __VA_ARGS__;                                                                                                             \
        gp_float_mode_leave(gp_mode_);                                                                                           \
        PyEval_RestoreThread(gp_thread_);                                                                                        \
    } while (0)

/* Calls the native layer without the GIL; the status is in `error`. */
#define GP_CALL(error, ...) GP_WITHOUT_GIL((error).status = (__VA_ARGS__))

/* Sets the Python exception of a failed call and returns NULL. A pending exception (Ctrl-C) is kept. */
PyObject *raise_error(const gp_error *error);

/* A new reference to the result of a call, any object, or NULL with the exception of its error. */
PyObject *result_or_error(void *object, const gp_error *error);

/* ---- references ----------------------------------------------------------------------------------------------------- */

/* A variable whose reference, if it has one, is released at the end of its scope, on every way out. */
#define OWNED __attribute__((cleanup(end_reference)))

static inline void end_reference(void *variable)
{
    PyObject *object;
    memcpy(&object, variable, sizeof object);
    Py_XDECREF(object);
}

/* ---- objects -------------------------------------------------------------------------------------------------------- */

/* Borrowed memory. It is released by release(), by the end of a `with`, or with the object, whichever comes first; if a
 * call is reading it (n_users > 0), when that call ends. */
typedef struct TensorObject {
    PyObject_HEAD gp_tensor tensor;
    Py_ssize_t n_users;
    bool is_released, is_release_due;
    bool is_readonly; /* the owner does not allow writing */
} TensorObject;

typedef struct PlaneObject {
    PyObject_HEAD gp_plane plane;
    TensorObject *tensor;
} PlaneObject;

typedef struct SlicesObject {
    PyObject_HEAD gp_slices slices;
    TensorObject *tensor;
} SlicesObject;

typedef struct AxisObject {
    PyObject_HEAD gp_axis axis;
} AxisObject;

typedef struct CellsObject {
    PyObject_HEAD gp_cells cells;
    const gp_backend *backend;
    bool has_limits; /* `limits` are those of the cells, found with them */
    gp_limits_state limits;
    Py_ssize_t shape[2], strides[2]; /* for the buffer protocol */
} CellsObject;

extern PyTypeObject *TensorType, *PlaneType, *SlicesType, *AxisType, *CellsType;
extern PyType_Spec tensor_spec, plane_spec, slices_spec, axis_spec, cells_spec;

/* A new object of one of these types, with zeros after its header; and the last call of every dealloc. */
void *object_new(PyTypeObject *type);
void object_free(void *self);

/* A new Tensor that keeps a reference to `owner` until it is released. */
PyObject *tensor_wrap(const gp_tensor *tensor, PyObject *owner);

/* Begin and end of a use of the memory, which is not released in between; begin fails if it was released. */
int tensor_begin(TensorObject *tensor);
void tensor_end(TensorObject *tensor);

/* An object whose lifetime is one use of the memory. */
PyObject *tensor_hold(TensorObject *tensor);

/* The plane or slices of an argument, whose tensor is in use, and the backend that reads it; {0}: nothing. */
typedef struct Use {
    TensorObject *tensor;
    const gp_backend *backend;
    const gp_plane *plane;   /* of a Plane */
    const gp_slices *slices; /* of Slices */
} Use;

/* Converters for "O&" of PyArg_Parse, to a Use that ends with its scope. */
int to_tensor(PyObject *object, void *use);
int to_plane(PyObject *object, void *use);
int to_plane_or_none(PyObject *object, void *use);
int to_slices(PyObject *object, void *use);
void use_end(Use *use);
#define USED __attribute__((cleanup(use_end))) Use

/* 0 if these are axes of the plane, else -1 with an exception. */
int check_axes(const gp_plane *plane, const AxisObject *rows, const AxisObject *cols);

/* New cells, whose memory is freed with them. */
CellsObject *cells_new(const gp_backend *backend, int64_t n_rows, int64_t n_cols, gp_device device);

/* 1 if two grids have the same size and device, so that they can be read together; else 0 with an exception. */
int cells_are_alike(const gp_cells *a, const gp_cells *b);

/*
 * cuda_tensor.c. Makes a tensor one of a CUDA device; fails unless the driver knows every byte that its strides (and those of its mask)
 * reach. ordinal: the device that its producer names, -1 if none. Needs no GIL.
 */
gp_status cuda_tensor_claim(gp_tensor *tensor, int ordinal, gp_error *error) GP_MUST_CHECK;
PyObject *tensor_from_cuda(PyObject *cls, PyObject *args, PyObject *keywords);

/* Tells the native layer in which folders packages of sys.path have NVIDIA's run-time compiler. Called with the GIL before tensors of a
 * device are used, as threads that compile inside the device cannot wait for the GIL. Does nothing once the compiler is found. */
void cuda_note_nvrtc_folders(void);

/* ---- arguments ------------------------------------------------------------------------------------------------------ */

/* Converters for "O&" of PyArg_Parse: 1, or 0 with an exception. Names of enum values, into variables of these types: */
int to_agg(PyObject *name, void *agg);
int to_nan(PyObject *name, void *nan);
int to_order(PyObject *name, void *order_type);
int to_tie(PyObject *name, void *tie);
int to_dtype(PyObject *name, void *dtype);

/* and C-contiguous arrays of any numbers with one axis, or two (tables), into PyArrayObject pointers, which own the arrays. */
int to_doubles(PyObject *object, void *array);
int to_int64s(PyObject *object, void *array);
int to_double_table(PyObject *object, void *array);
int to_int64_table(PyObject *object, void *array);

/* Whether an object is a tuple, as PyArg_ParseTuple takes for granted; else 0 with a TypeError. */
int is_tuple(PyObject *object, const char *wanted);

/* An enum value from its public name; -1 with a ValueError that lists the names. */
int name_to_index(const char *what, PyObject *name, const char *const *names, int n_names);

/* The name that to_order takes. */
PyObject *order_to_name(gp_order_type order);

/* plane_type.c: a component from its name (NULL: 'value'), if elements of the dtype have it; -1 with an exception. */
int component_of_name(PyObject *name, gp_dtype dtype);

/* plane_type.c: the uses of a tensor's axes, of use_bytes each, from a sequence of tuples that `parse` takes; -1 with an exception. */
int parse_uses(PyObject *list, const TensorObject *tensor, int (*parse)(PyObject *item, void *use), void *uses, size_t use_bytes);

/* summary.c: (first, last) of any size, limited to the dtype's range, or None, for which *out is NULL; -1 with an exception. */
int parse_range(PyObject *object, gp_dtype dtype, gp_integer_range *range, const gp_integer_range **out);

/* A C-contiguous array of a type from any object; NULL with an exception. */
PyArrayObject *array_from(PyObject *object, int type, int n_dims);

/* A new array, not cleared. */
PyArrayObject *new_array(int n_dims, const npy_intp *shape, int type);

/* The items of a writable C-contiguous array of states, each of so many bytes; NULL with an exception. */
void *states_of(PyObject *object, size_t item_bytes, int64_t *n);

/* Styles from the attributes of Python objects. References that the style borrows from go to `keep`. */
typedef struct StyleHold {
    PyObject *arrays[4];
    int n_arrays;
} StyleHold;
int style_from_object(PyObject *object, int64_t n_rows, int64_t n_cols, gp_style *out, StyleHold *hold);
int rgb_style_from_object(PyObject *object, int64_t n_rows, int64_t n_cols, gp_rgb_style *out, StyleHold *hold);
void style_release(StyleHold *hold);

/* A variable that is released at the end of its scope. */
#define HELD_STYLE __attribute__((cleanup(style_release))) StyleHold

/* `out` if it is a C-contiguous array of this shape and type, or a new array if it is None; the error names what is wanted. */
PyArrayObject *out_array(PyObject *out, int n_dims, const npy_intp *shape, int type, const char *wanted);

/* The same for uint8 (n_rows, n_cols, 4). */
PyArrayObject *pixels_array(PyObject *out, int64_t n_rows, int64_t n_cols);

/* Limits as a tuple, in the order of gpuplot.plane.limits.Limits (draw.c). */
PyObject *limits_to_tuple(const gp_limits_state *state);

/* ---- the module's functions ------------------------------------------------------------------------------------------ */

/* A method that takes keywords, as two members of its PyMethodDef. */
#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

/* Functions on planes and cells (draw.c), on channels of colors (channels.c), summaries of the elements of a plane (summary.c) or of slices (slices.c), joint
 * histograms (joint.c), differences (difference.c), points (points.c), lines (lines.c), series (series.c), partial results (states.c), the colors of pixels
 * (palette.c), elements to arrays (conversion.c), and streams, state and facts of CUDA devices (cuda_functions.c). */
extern PyMethodDef draw_functions[], channel_functions[], summary_functions[], slice_functions[], joint_functions[],
    difference_functions[], point_functions[], line_functions[], series_functions[], state_functions[], palette_functions[],
    conversion_functions[], cuda_functions[];

#endif
