/* Functions on CUDA devices: the order of streams, kept state, and facts about devices; each makes one native call. */
#include "binding.h"

#include "../cuda/runtime/interop.h"
#include "../cuda/runtime/module.h"
#include "../cuda/points.h"
#include "../cuda/runtime/runtime.h"
#include "../cuda/runtime/nvrtc.h"

/* A converter for "O&": the handle of a stream. */
static int to_stream(PyObject *handle, void *stream)
{
    *(uint64_t *)stream = PyLong_AsUnsignedLongLong(handle);
    return PyErr_Occurred() == NULL;
}

static PyObject *cuda_load(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    const gp_cuda_api *api;
    gp_error error = {0};
    GP_CALL(error, gp_cuda_load(&api, &error));
    return error.status == GP_OK ? PyLong_FromLong(api->n_devices) : raise_error(&error);
}

static PyObject *cuda_stream(PyObject *Py_UNUSED(module), PyObject *args)
{
    int ordinal;
    uint64_t handle;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "i:cuda_stream", &ordinal))
        return NULL;
    GP_CALL(error, gp_cuda_stream_handle(ordinal, &handle, &error));
    return error.status == GP_OK ? PyLong_FromUnsignedLongLong(handle) : raise_error(&error);
}

/* Calls a function on a stream of another library, with arguments (ordinal, stream). */
static PyObject *call_on_stream(PyObject *args, const char *format, gp_status (*call)(int, uint64_t, gp_error *))
{
    int ordinal;
    uint64_t stream;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, format, &ordinal, to_stream, &stream))
        return NULL;
    GP_CALL(error, call(ordinal, stream, &error));
    return result_or_error(Py_None, &error);
}

static PyObject *cuda_order_after(PyObject *Py_UNUSED(module), PyObject *args)
{
    return call_on_stream(args, "iO&:cuda_order_after", gp_cuda_order_after);
}

static PyObject *cuda_refuse_capture(PyObject *Py_UNUSED(module), PyObject *args)
{
    return call_on_stream(args, "iO&:cuda_refuse_capture", gp_cuda_refuse_capture);
}

static PyObject *cuda_synchronize(PyObject *Py_UNUSED(module), PyObject *args)
{
    int ordinal;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "i:cuda_synchronize", &ordinal))
        return NULL;
    GP_CALL(error, gp_cuda_synchronize(ordinal, &error));
    return result_or_error(Py_None, &error);
}

/* The two arrays of gather_points: addresses as uint64 (n,), writable bytes (n, item_bytes); without gaps. */
static bool are_points(PyArrayObject *addresses, PyArrayObject *out)
{
    return PyArray_TYPE(addresses) == NPY_UINT64 && PyArray_NDIM(addresses) == 1 && PyArray_IS_C_CONTIGUOUS(addresses) &&
           PyArray_TYPE(out) == NPY_UBYTE && PyArray_NDIM(out) == 2 && PyArray_IS_C_CONTIGUOUS(out) && PyArray_ISWRITEABLE(out) &&
           PyArray_DIM(out, 0) == PyArray_DIM(addresses, 0) && PyArray_DIM(out, 1) >= 1 && PyArray_DIM(out, 1) <= 32;
}

static PyObject *cuda_gather_points(PyObject *Py_UNUSED(module), PyObject *args)
{
    int ordinal;
    PyArrayObject *addresses, *out;
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "iO!O!:cuda_gather_points", &ordinal, &PyArray_Type, &addresses, &PyArray_Type, &out))
        return NULL;
    if (!are_points(addresses, out))
        return PyErr_Format(PyExc_TypeError,
                            "addresses are uint64 of shape (n,), out is uint8 of shape (n, bytes of an element)");
    const uint64_t *from = PyArray_DATA(addresses);
    void *to = PyArray_DATA(out);
    int64_t n = PyArray_DIM(addresses, 0);
    int item_bytes = (int)PyArray_DIM(out, 1);
    cuda_note_nvrtc_folders();
    GP_CALL(error, gp_cuda_gather_points(ordinal, from, n, item_bytes, to, &error));
    return result_or_error(out, &error);
}

static PyObject *cuda_memory_kind(PyObject *Py_UNUSED(module), PyObject *args)
{
    unsigned long long address;
    gp_cuda_memory memory = {0};
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "K:cuda_memory_kind", &address))
        return NULL;
    GP_CALL(error, gp_cuda_inspect(address, address + 1, -1, &memory, &error));
    if (error.status != GP_OK)
        return raise_error(&error);
    return PyUnicode_FromString(memory.is_host ? "host" : memory.is_managed ? "managed" : "device");
}

static PyObject *cuda_counts(PyObject *Py_UNUSED(module), PyObject *args)
{
    int ordinal;
    gp_cuda_counts counts = {0};
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "i:cuda_counts", &ordinal))
        return NULL;
    GP_CALL(error, gp_cuda_count(ordinal, &counts, &error));
    if (error.status != GP_OK)
        return raise_error(&error);
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L}", "n_device_allocs", (long long)counts.n_device_allocs,
                         "n_pinned_allocs", (long long)counts.n_pinned_allocs, "n_launches", (long long)counts.n_launches,
                         "device_bytes", (long long)counts.device_bytes, "pinned_bytes", (long long)counts.pinned_bytes,
                         "bytes_to_host", (long long)counts.bytes_to_host, "bytes_to_device", (long long)counts.bytes_to_device,
                         "scratch_bytes", (long long)counts.scratch_bytes, "cached_cells_bytes",
                         (long long)counts.cached_cells_bytes, "pinned_live_bytes", (long long)counts.pinned_live_bytes,
                         "pinned_kept_bytes", (long long)counts.pinned_kept_bytes);
}

static PyObject *cuda_close(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    GP_WITHOUT_GIL(gp_cuda_close());
    Py_RETURN_NONE;
}

/* (name, compute capability as "9.0", image of the build as "sm_90" or empty) of one device. */
static PyObject *describe_device(const gp_cuda_api *api, int ordinal)
{
    CUdevice device = 0;
    char name[256] = "unknown", capability[32] = "", image[32] = "";
    int major = 0, minor = 0;
    if (api->deviceGet(&device, ordinal) == CUDA_SUCCESS) {
        (void)api->deviceGetName(name, (int)sizeof name, device);
        if (api->deviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) == CUDA_SUCCESS &&
            api->deviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) == CUDA_SUCCESS) {
            PyOS_snprintf(capability, sizeof capability, "%d.%d", major, minor);
            gp_cuda_image_for(10 * major + minor, api->version, image, sizeof image);
        }
    }
    return Py_BuildValue("(sss)", name, capability, image);
}

/* The driver, devices and kernels, or the reason why they cannot be used; loads the driver, creates no context. */
static PyObject *cuda_info(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    const gp_cuda_api *api = NULL;
    gp_error error = {0};
    char images[512];
    int built_by = 0;
    GP_CALL(error, gp_cuda_load(&api, &error));
    gp_cuda_images_built(images, sizeof images, &built_by);
    bool is_usable = error.status == GP_OK;
    OWNED PyObject *devices = PyList_New(0);
    for (int i = 0; devices != NULL && is_usable && i < api->n_devices; i++) {
        OWNED PyObject *device = describe_device(api, i);
        if (device == NULL || PyList_Append(devices, device) < 0)
            return NULL;
    }
    return devices ? Py_BuildValue("{s:i,s:O,s:s,s:s,s:i,s:s}", "driver", is_usable ? api->version : 0, "devices", devices,
                                   "kernels", gp_cuda_kernels_kind(), "images", images, "built_by", built_by, "reason",
                                   is_usable ? "" : error.message)
                   : NULL;
}

/* ---- where packages keep NVIDIA's run-time compiler ----------------------------------------------------------------- */

/* The folders of NVIDIA's packages below every entry of sys.path, separated by colons, as far as they fit. */
static void list_nvrtc_folders(char *out, size_t n_bytes)
{
    static const char *const below[] = {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", "nvidia/cu12/lib"};
    PyObject *path = PySys_GetObject("path"); /* borrowed */
    Py_ssize_t n_entries = path != NULL && PyList_Check(path) ? PyList_Size(path) : 0;
    size_t used = 0;
    for (Py_ssize_t i = 0; i < n_entries; i++) {
        PyObject *entry = PyList_GetItem(path, i);
        const char *folder = entry != NULL && PyUnicode_Check(entry) ? PyUnicode_AsUTF8AndSize(entry, NULL) : NULL;
        for (size_t k = 0; folder != NULL && *folder != '\0' && k < sizeof below / sizeof below[0]; k++) {
            int n = PyOS_snprintf(out + used, n_bytes - used, "%s/%s:", folder, below[k]);
            used += n > 0 && (size_t)n < n_bytes - used ? (size_t)n : 0;
            out[used] = '\0';
        }
        PyErr_Clear();
    }
}

void cuda_note_nvrtc_folders(void)
{
    char folders[32768] = "";
    if (gp_cuda_nvrtc_version() != 0)
        return;
    list_nvrtc_folders(folders, sizeof folders);
    gp_cuda_set_nvrtc_folders(folders);
}

PyMethodDef cuda_functions[] = {
    {"cuda_load", cuda_load, METH_NOARGS, "cuda_load() -> number of devices; DeviceError where there is no driver or device"},
    {"cuda_info", cuda_info, METH_NOARGS, "cuda_info() -> dict of driver, devices, kernels and the reason where not usable"},
    {"cuda_stream", cuda_stream, METH_VARARGS, "cuda_stream(ordinal) -> handle of the private stream, for DLPack's stream="},
    {"cuda_order_after", cuda_order_after, METH_VARARGS,
     "cuda_order_after(ordinal, stream): what comes now waits for what a producer queued on this stream"},
    {"cuda_synchronize", cuda_synchronize, METH_VARARGS, "cuda_synchronize(ordinal): wait for every stream of the device"},
    {"cuda_refuse_capture", cuda_refuse_capture, METH_VARARGS,
     "cuda_refuse_capture(ordinal, stream): DeviceError where the stream is capturing a graph"},
    {"cuda_gather_points", cuda_gather_points, METH_VARARGS,
     "cuda_gather_points(ordinal, addresses, out) -> out: the elements at these addresses, by one kernel and one copy"},
    {"cuda_memory_kind", cuda_memory_kind, METH_VARARGS,
     "cuda_memory_kind(address) -> 'device', 'managed' or 'host' (pinned); DeviceError where CUDA knows no such memory"},
    {"cuda_counts", cuda_counts, METH_VARARGS, "cuda_counts(ordinal) -> dict of allocations, launches and bytes"},
    {"cuda_close", cuda_close, METH_NOARGS, "cuda_close(): free everything that is kept on devices"},
    {0},
};
