/* What the files of the Python binding share: object layouts, and the one way from a status to an exception. */
#ifndef GP_BINDING_H
#define GP_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL gpuplot_ARRAY_API
#ifndef GP_IMPORTS_ARRAY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "gpuplot.h"

#include "../core/float_mode.h"

/* The only place where the GIL is let go: around a call that reads or computes and touches no Python object. The floating-point mode
 * is the default one in it, whatever other libraries have set for the thread. */
#define GP_WITHOUT_GIL(statement)                                                                                                \
    do {                                                                                                                         \
        PyThreadState *gp_thread_ = PyEval_SaveThread();                                                                         \
        uint64_t gp_mode_ = gp_float_mode_enter();                                                                               \
        statement;                                                                                                               \
        gp_float_mode_leave(gp_mode_);                                                                                           \
        PyEval_RestoreThread(gp_thread_);                                                                                        \
    } while (0)

/* Borrowed memory. It is let go by release(), by the end of a `with`, or with the object, whichever comes first; while a
 * call reads it (n_users > 0), letting go waits for that call to end. */
typedef struct TensorObject {
    PyObject_HEAD gp_tensor tensor;
    Py_ssize_t n_users;
    bool is_released, is_release_due;
    bool is_readonly; /* the owner says that nobody may write there */
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
    Py_ssize_t shape[2], strides[2]; /* for the buffer protocol */
} CellsObject;

extern PyTypeObject *TensorType, *PlaneType, *SlicesType, *AxisType, *CellsType;

/* Creates the types and adds them to the module; -1 with an exception on failure. */
int tensor_type_add(PyObject *module);
int plane_type_add(PyObject *module);
int slices_type_add(PyObject *module);
int axis_type_add(PyObject *module);
int cells_type_add(PyObject *module);

/* A new Tensor that keeps a reference to `owner` until it is released. */
PyObject *tensor_wrap(const gp_tensor *tensor, PyObject *owner);

/* Begin and end of a use of the memory, which is not let go in between; begin fails if it was released. */
int tensor_begin(TensorObject *tensor);
void tensor_end(TensorObject *tensor);

/* An object whose lifetime is one use of the memory. */
PyObject *tensor_hold(TensorObject *tensor);

/*
 * cuda_tensor.c. Makes a described tensor one of a CUDA device: the driver must know every byte that its strides (and those of its
 * mask) reach. ordinal: the device that its producer names, -1 where it names none. Needs no GIL.
 */
gp_status cuda_tensor_claim(gp_tensor *tensor, int ordinal, gp_error *error) GP_MUST_CHECK;
PyObject *tensor_from_cuda(PyObject *cls, PyObject *args, PyObject *keywords);

/* Streams, state and facts of CUDA devices (cuda_functions.c), for the module's method table. */
extern PyMethodDef cuda_functions[];

/* Tells the native layer where packages keep NVIDIA's run-time compiler, as sys.path is now: called with the GIL before tensors of a
 * device are used, because threads that compile inside the device cannot wait for the GIL. Nothing once the compiler is found. */
void cuda_note_nvrtc_folders(void);

/* draw.c: the names of aggregations and of policies for what is not finite, in the order of their enums. */
extern const char *const agg_names[], *const nan_names[];

/* Functions on planes and cells (draw.c), for the module's method table. */
PyObject *draw_reduce(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *draw_limits(PyObject *module, PyObject *args);
PyObject *draw_percentiles(PyObject *module, PyObject *args);
PyObject *draw_shade(PyObject *module, PyObject *args);
PyObject *draw_shade_rgb(PyObject *module, PyObject *args);
PyObject *draw_angle(PyObject *module, PyObject *args);
PyObject *draw_filter(PyObject *module, PyObject *args);
PyObject *draw_gather(PyObject *module, PyObject *args);
PyObject *draw_fill_without_nan(PyObject *module, PyObject *args);

/* What limits come to, in the order of gpuplot.plane.reduce.Limits (draw.c). */
PyObject *limits_to_tuple(const gp_limits_state *state);

/* What there is among the elements of a plane (summary.c) or of slices (slices.c), joint histograms (joint.c), series (series.c), the
 * colors of pixels (palette.c), partial results (states.c), and points (points.c), for the module's method table. */
extern PyMethodDef summary_functions[], slice_functions[], palette_functions[], state_functions[], joint_functions[],
    point_functions[], series_functions[];

/* summary.c: (first, last) of any size, as far as the dtype goes; -1 with an exception. */
int parse_range(PyObject *object, gp_dtype dtype, gp_integer_range *out);

/* plane_type.c: a component from its name, if elements of the dtype have it; -1 with an exception. */
int component_of_name(const char *name, gp_dtype dtype);

/* Elements to arrays in host memory (conversion.c), for the module's method table. */
extern PyMethodDef conversion_functions[];

/* Sets the Python exception of a failed call and returns NULL. A pending exception (Ctrl-C) is kept. */
PyObject *raise_error(const gp_error *error);

/* Begin and end of a call that reads the plane's tensor; begin fails if the tensor was released. */
int plane_begin(PlaneObject *plane);
void plane_end(PlaneObject *plane);

/* A new Cells that takes over `cells`. */
PyObject *cells_wrap(gp_cells *cells, const gp_backend *backend);

/* Whether two grids have one size and one device, as grids that are read together must; else 0 with an exception. */
int cells_are_alike(const gp_cells *a, const gp_cells *b);

/* An enum value from its public name; raises ValueError that lists the names. */
int name_to_index(const char *what, const char *name, const char *const *names, int n_names);

/* convert.c: styles from the attributes of Python objects. References that the style borrows from go to `keep`. */
typedef struct StyleHold {
    PyObject *arrays[4];
    int n_arrays;
} StyleHold;
int style_from_object(PyObject *object, int64_t n_rows, int64_t n_cols, gp_style *out, StyleHold *hold);
int rgb_style_from_object(PyObject *object, int64_t n_rows, int64_t n_cols, gp_rgb_style *out, StyleHold *hold);
void style_release(StyleHold *hold);

/* A C-contiguous uint8 (n_rows, n_cols, 4) array: `out` checked, or a new one where it is None. New reference. */
PyObject *pixels_array(PyObject *out, int64_t n_rows, int64_t n_cols);

#endif
