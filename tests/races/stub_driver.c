/* A CUDA driver and NVRTC for race programs: device memory is zeros on the heap, kernels do nothing, copies are made at once. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Not one lock and no ordered atomic is in here: a real driver's locks would order what its callers do, and hide from
 * ThreadSanitizer what gpuplot does not order itself. Device addresses are those of the heap plus DEVICE_BIT.
 */
#define EXPORTED __attribute__((visibility("default")))
#define DEVICE_BIT ((uint64_t)1 << 60)

typedef int CUresult;
typedef uint64_t CUdeviceptr;
enum { SUCCESS = 0, NOT_CURRENT = 201, WRONG_VALUE = 1 };

static atomic_llong n_objects; /* memory, streams, events, modules, retained contexts */
static char the_context, the_function;
static _Thread_local int depth; /* of the thread's stack of contexts */

static void count(int n) { atomic_fetch_add_explicit(&n_objects, n, memory_order_relaxed); }

EXPORTED long long stub_n_objects(void) { return atomic_load_explicit(&n_objects, memory_order_relaxed); }
EXPORTED int stub_context_depth(void) { return depth; }

/* ---- objects --------------------------------------------------------------------------------------------------------- */

static CUresult make(void **out)
{
    if (depth == 0)
        return NOT_CURRENT;
    *out = calloc(1, 16);
    count(1);
    return *out != NULL ? SUCCESS : WRONG_VALUE;
}

static CUresult end(void *object)
{
    free(object);
    count(-1);
    return depth > 0 ? SUCCESS : NOT_CURRENT;
}

EXPORTED CUresult cuStreamCreate(void **out, unsigned flags) { return flags == 1 ? make(out) : WRONG_VALUE; }
EXPORTED CUresult cuStreamDestroy_v2(void *stream) { return end(stream); }
EXPORTED CUresult cuEventCreate(void **out, unsigned flags) { return flags == 2 ? make(out) : WRONG_VALUE; }
EXPORTED CUresult cuEventDestroy_v2(void *event) { return end(event); }
EXPORTED CUresult cuModuleLoadData(void **out, const void *image) { return image != NULL ? make(out) : WRONG_VALUE; }
EXPORTED CUresult cuModuleUnload(void *module) { return end(module); }

/* ---- device and context ----------------------------------------------------------------------------------------------- */

EXPORTED CUresult cuInit(unsigned flags) { return (CUresult)flags; }
EXPORTED CUresult cuDriverGetVersion(int *version) { return *version = 12040, SUCCESS; }
EXPORTED CUresult cuGetErrorName(CUresult code, const char **name) { return *name = "STUB", code - code; }
EXPORTED CUresult cuGetErrorString(CUresult code, const char **text) { return *text = "", code - code; }
EXPORTED CUresult cuDeviceGetCount(int *n) { return *n = 1, SUCCESS; }
EXPORTED CUresult cuDeviceGet(int *device, int ordinal) { return *device = ordinal, SUCCESS; }
EXPORTED CUresult cuDeviceGetName(char *name, int n_bytes, int device) { return memset(name, 0, (size_t)n_bytes), device; }

/* Two multiprocessors of compute capability 9.0. */
EXPORTED CUresult cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 16 ? 2 : attribute == 75 ? 9 : 0;
    return device;
}

EXPORTED CUresult cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &the_context, count(1), device; }
EXPORTED CUresult cuDevicePrimaryCtxRelease_v2(int device) { return count(-1), device; }
EXPORTED CUresult cuCtxPushCurrent_v2(void *context) { return depth++, context == &the_context ? SUCCESS : WRONG_VALUE; }
EXPORTED CUresult cuCtxPopCurrent_v2(void **context) { return *context = &the_context, depth-- > 0 ? SUCCESS : NOT_CURRENT; }
EXPORTED CUresult cuCtxGetCurrent(void **context) { return *context = depth > 0 ? &the_context : NULL, SUCCESS; }
EXPORTED CUresult cuCtxSynchronize(void) { return SUCCESS; }

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

static void *host_address(CUdeviceptr pointer) { return (void *)(uintptr_t)(pointer & ~DEVICE_BIT); }

EXPORTED CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t n_bytes)
{
    void *memory = depth > 0 ? calloc(1, n_bytes) : NULL;
    count(1);
    *out = (uint64_t)(uintptr_t)memory | DEVICE_BIT;
    return memory != NULL ? SUCCESS : NOT_CURRENT;
}

EXPORTED CUresult cuMemFree_v2(CUdeviceptr pointer) { return end(host_address(pointer)); }

EXPORTED CUresult cuMemHostAlloc(void **out, size_t n_bytes, unsigned flags)
{
    *out = depth > 0 ? calloc(1, n_bytes) : NULL;
    count(1);
    return *out != NULL && flags != 0 ? SUCCESS : NOT_CURRENT;
}

EXPORTED CUresult cuMemFreeHost(void *memory) { return end(memory); }

EXPORTED CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *host, unsigned flags)
{
    *out = (uint64_t)(uintptr_t)host | DEVICE_BIT;
    return (CUresult)flags;
}

EXPORTED CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n_bytes, void *stream)
{
    memcpy(host_address(to), from, n_bytes);
    return stream != NULL && depth > 0 ? SUCCESS : NOT_CURRENT;
}

EXPORTED CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n_bytes, void *stream)
{
    memcpy(to, host_address(from), n_bytes);
    return stream != NULL && depth > 0 ? SUCCESS : NOT_CURRENT;
}

EXPORTED CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n_bytes, void *stream)
{
    memset(host_address(to), value, n_bytes);
    return stream != NULL && depth > 0 ? SUCCESS : NOT_CURRENT;
}

/* Knows where an address lies and no more: 2 is the memory type, 9 the device. */
EXPORTED CUresult cuPointerGetAttributes(unsigned n, int *attributes, void **values, CUdeviceptr pointer)
{
    bool is_device = (pointer & DEVICE_BIT) != 0;
    for (unsigned i = 0; i < n && is_device; i++) {
        if (attributes[i] == 2)
            *(unsigned *)values[i] = 2;
        else if (attributes[i] == 9)
            *(int *)values[i] = 0;
    }
    return SUCCESS;
}

/* ---- work, which is done at once or not at all ------------------------------------------------------------------------- */

EXPORTED CUresult cuStreamSynchronize(void *stream) { return stream != NULL ? SUCCESS : WRONG_VALUE; }
EXPORTED CUresult cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    return stream != NULL && event != NULL ? (CUresult)flags : WRONG_VALUE;
}
EXPORTED CUresult cuStreamIsCapturing(void *stream, int *status) { return *status = 0, stream != NULL ? SUCCESS : WRONG_VALUE; }
EXPORTED CUresult cuEventRecord(void *event, void *stream) { return event && stream ? SUCCESS : WRONG_VALUE; }
EXPORTED CUresult cuEventSynchronize(void *event) { return event != NULL ? SUCCESS : WRONG_VALUE; }

EXPORTED CUresult cuModuleGetFunction(void **function, void *module, const char *name)
{
    *function = &the_function;
    return module != NULL && name != NULL ? SUCCESS : WRONG_VALUE;
}

EXPORTED CUresult cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                 unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **parameters,
                                 void **extra)
{
    (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z, (void)shared_bytes, (void)extra;
    return depth > 0 && function == &the_function && stream && parameters ? SUCCESS : NOT_CURRENT;
}

/* ---- NVRTC --------------------------------------------------------------------------------------------------------------- */

EXPORTED int nvrtcVersion(int *major, int *minor) { return *major = 12, *minor = 4, 0; }
EXPORTED int nvrtcCreateProgram(void **out, const char *source, const char *name, int n_headers, const char *const *headers,
                                const char *const *names)
{
    (void)source, (void)name, (void)headers, (void)names;
    *out = calloc(1, 16);
    return n_headers;
}
EXPORTED int nvrtcDestroyProgram(void **program) { return free(*program), *program = NULL, 0; }
EXPORTED int nvrtcCompileProgram(void *program, int n, const char *const *options) { return (void)options, program && n ? 0 : 1; }
EXPORTED int nvrtcGetProgramLogSize(void *program, size_t *n_bytes) { return (void)program, *n_bytes = 1, 0; }
EXPORTED int nvrtcGetProgramLog(void *program, char *log) { return (void)program, *log = '\0', 0; }
EXPORTED int nvrtcGetCUBINSize(void *program, size_t *n_bytes) { return (void)program, *n_bytes = 4, 0; }
EXPORTED int nvrtcGetCUBIN(void *program, char *cubin) { return (void)program, memcpy(cubin, "stub", 4), 0; }
EXPORTED int nvrtcGetPTXSize(void *program, size_t *n_bytes) { return nvrtcGetCUBINSize(program, n_bytes); }
EXPORTED int nvrtcGetPTX(void *program, char *ptx) { return nvrtcGetCUBIN(program, ptx); }
EXPORTED int nvrtcGetNumSupportedArchs(int *n) { return *n = 1, 0; }
EXPORTED int nvrtcGetSupportedArchs(int *archs) { return *archs = 90, 0; }
