/* The colors of pixels: a palette and one index for each pixel, if at most 256 colors occur. */
#include "binding.h"

#include "../png/png_palette.h"

typedef struct index_job {
    const gp_palette *palette;
    const uint8_t *rgba;
    uint8_t *indices;
    int64_t n_pixels, n_per_piece;
} index_job;

static gp_status index_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const index_job *job = context;
    int64_t begin = piece * job->n_per_piece, n = job->n_pixels - begin;
    (void)worker, (void)error;
    gp_palette_indices(job->palette, job->rgba + 4 * begin, n < job->n_per_piece ? n : job->n_per_piece, job->indices + begin);
    return GP_OK;
}

/* Finds the colors and, where there is a palette, writes the indices. */
static gp_status index_pixels(const gp_png_picture *picture, gp_png_colors *colors, uint8_t *indices, gp_error *error)
{
    int64_t n_pixels = picture->n_rows * picture->n_cols;
    int n_threads = gp_threads_for(n_pixels);
    memset(colors, 0, sizeof *colors);
    colors->has_palette = true;
    if (n_pixels == 0)
        return GP_OK;
    GP_TRY(gp_png_colors_find(picture, n_threads, colors, error));
    if (!colors->has_palette)
        return GP_OK;
    index_job job = {&colors->palette, picture->rgba, indices, n_pixels, (int64_t)1 << 16};
    return gp_threads_run((n_pixels + job.n_per_piece - 1) / job.n_per_piece, n_threads, index_piece, &job, error);
}

/* All axes but the last two become rows. */
static gp_png_picture picture_of(PyArrayObject *array)
{
    int n_dims = PyArray_NDIM(array);
    gp_png_picture picture = {.rgba = PyArray_DATA(array), .n_rows = 1};
    picture.n_cols = n_dims > 1 ? PyArray_DIM(array, n_dims - 2) : 1;
    for (int i = 0; i < n_dims - 2; i++)
        picture.n_rows *= PyArray_DIM(array, i);
    picture.row_stride_bytes = picture.n_cols * 4;
    return picture;
}

static PyObject *palette_to_array(const gp_palette *palette)
{
    npy_intp shape[2] = {palette->n_colors, 4};
    PyObject *array = PyArray_SimpleNew(2, shape, NPY_UBYTE);
    if (array != NULL && palette->n_colors > 0)
        memcpy(PyArray_DATA((PyArrayObject *)array), palette->colors, (size_t)palette->n_colors * 4);
    return array;
}

static PyObject *palette(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyArrayObject *array;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O!:palette", &PyArray_Type, &array))
        return NULL;
    int n_dims = PyArray_NDIM(array);
    bool is_rgba = PyArray_TYPE(array) == NPY_UBYTE && n_dims > 0 && PyArray_DIM(array, n_dims - 1) == 4;
    if (!is_rgba || !PyArray_IS_C_CONTIGUOUS(array))
        return PyErr_Format(PyExc_TypeError, "pixels must be a C-contiguous uint8 array of shape (..., 4)");
    OWNED PyArrayObject *indices = new_array(n_dims - 1, PyArray_DIMS(array), NPY_UBYTE);
    gp_png_colors *colors = indices ? PyMem_Malloc(sizeof *colors) : NULL;
    if (colors == NULL)
        return indices ? PyErr_NoMemory() : NULL;
    gp_png_picture picture = picture_of(array);
    uint8_t *index_bytes = PyArray_DATA(indices);
    GP_CALL(error, index_pixels(&picture, colors, index_bytes, &error));
    PyObject *result = error.status != GP_OK || !colors->has_palette
                           ? result_or_error(Py_None, &error)
                           : Py_BuildValue("(ON)", indices, palette_to_array(&colors->palette));
    PyMem_Free(colors);
    return result;
}

PyMethodDef palette_functions[] = {
    {"palette", palette, METH_VARARGS,
     "palette(rgba) -> (uint8 indices of shape rgba.shape[:-1], uint8 colors (n, 4)), or None beyond 256 colors"},
    {0},
};
