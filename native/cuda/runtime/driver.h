/* The CUDA driver API as a table of function pointers, filled by dlopen: no CUDA header, no CUDA library linked. */
#ifndef GP_CUDA_DRIVER_H
#define GP_CUDA_DRIVER_H

#include "../../core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names, values and layouts are those of the published ABI (cuda.h); 64-bit systems only. */
typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUmemPoolHandle_st *CUmemoryPool;

/* CUmemPoolProps: pinned memory of one device, not shared with other processes. */
typedef struct CUmemPoolProps {
    int alloc_type, handle_types, location_type, location_id;
    void *security_attributes;
    size_t max_bytes;
    unsigned char reserved[56];
} CUmemPoolProps;

#define CU_STREAM_LEGACY ((CUstream)(uintptr_t)1)
#define CU_STREAM_PER_THREAD ((CUstream)(uintptr_t)2)

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER = 36,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
    CUDA_ERROR_INVALID_SOURCE = 300,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_SYSTEM_NOT_READY = 802,
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906
};

/* Arguments of the calls below. */
enum {
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    CU_MEMHOSTALLOC_PORTABLE = 1,
    CU_MEMHOSTALLOC_DEVICEMAP = 2,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
    CU_MEM_ALLOCATION_TYPE_PINNED = 1,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
    CU_POINTER_ATTRIBUTE_CONTEXT = 1,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
    CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
    CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
    CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
    CU_POINTER_ATTRIBUTE_MAPPED = 13,
    CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2
};

/*
 * X(field, exported name, parameters): required calls. The exported names, not the macro names of cuda.h, determine the
 * ABI of a call.
 */
#define GP_CUDA_CALLS(X)                                                                                                         \
    X(driverGetVersion, "cuDriverGetVersion", (int *version))                                                                    \
    X(init, "cuInit", (unsigned flags))                                                                                          \
    X(getErrorName, "cuGetErrorName", (CUresult code, const char **name))                                                        \
    X(getErrorString, "cuGetErrorString", (CUresult code, const char **text))                                                    \
    X(deviceGetCount, "cuDeviceGetCount", (int *count))                                                                          \
    X(deviceGet, "cuDeviceGet", (CUdevice * device, int ordinal))                                                                \
    X(deviceGetName, "cuDeviceGetName", (char *name, int n_bytes, CUdevice device))                                              \
    X(deviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, CUdevice device))                                  \
    X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext * context, CUdevice device))                                      \
    X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))                                                      \
    X(ctxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext context))                                                                \
    X(ctxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext * context))                                                                \
    X(ctxGetCurrent, "cuCtxGetCurrent", (CUcontext * context))                                                                   \
    X(ctxSynchronize, "cuCtxSynchronize", (void))                                                                                \
    X(streamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))                                                       \
    X(streamDestroy, "cuStreamDestroy_v2", (CUstream stream))                                                                    \
    X(streamSynchronize, "cuStreamSynchronize", (CUstream stream))                                                               \
    X(streamWaitEvent, "cuStreamWaitEvent", (CUstream stream, CUevent event, unsigned flags))                                    \
    X(streamIsCapturing, "cuStreamIsCapturing", (CUstream stream, int *status))                                                  \
    X(eventCreate, "cuEventCreate", (CUevent * event, unsigned flags))                                                           \
    X(eventDestroy, "cuEventDestroy_v2", (CUevent event))                                                                        \
    X(eventRecord, "cuEventRecord", (CUevent event, CUstream stream))                                                            \
    X(eventSynchronize, "cuEventSynchronize", (CUevent event))                                                                   \
    X(memAlloc, "cuMemAlloc_v2", (CUdeviceptr * pointer, size_t n_bytes))                                                        \
    X(memFree, "cuMemFree_v2", (CUdeviceptr pointer))                                                                            \
    X(memHostAlloc, "cuMemHostAlloc", (void **pointer, size_t n_bytes, unsigned flags))                                          \
    X(memFreeHost, "cuMemFreeHost", (void *pointer))                                                                             \
    X(memHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (CUdeviceptr * device, void *host, unsigned flags))               \
    X(memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void *from, size_t n_bytes, CUstream stream))              \
    X(memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *to, CUdeviceptr from, size_t n_bytes, CUstream stream))                    \
    X(memsetD8Async, "cuMemsetD8Async", (CUdeviceptr to, unsigned char value, size_t n_bytes, CUstream stream))                  \
    X(pointerGetAttributes, "cuPointerGetAttributes", (unsigned n, int *attributes, void **values, CUdeviceptr pointer))         \
    X(moduleLoadData, "cuModuleLoadData", (CUmodule * module, const void *image))                                                \
    X(moduleUnload, "cuModuleUnload", (CUmodule module))                                                                         \
    X(moduleGetFunction, "cuModuleGetFunction", (CUfunction * function, CUmodule module, const char *name))                      \
    X(launchKernel, "cuLaunchKernel",                                                                                            \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,               \
       unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters, void **extra))

/* Calls of newer drivers; NULL where the driver has none. */
#define GP_CUDA_OPTIONAL_CALLS(X)                                                                                                \
    X(streamGetDevice, "cuStreamGetDevice", (CUstream stream, CUdevice * device))                                                \
    X(streamGetCtx, "cuStreamGetCtx", (CUstream stream, CUcontext * context))                                                    \
    X(ctxGetId, "cuCtxGetId", (CUcontext context, unsigned long long *id))                                                       \
    X(memPoolCreate, "cuMemPoolCreate", (CUmemoryPool * pool, const CUmemPoolProps *props))                                      \
    X(memPoolDestroy, "cuMemPoolDestroy", (CUmemoryPool pool))                                                                   \
    X(memPoolSetAttribute, "cuMemPoolSetAttribute", (CUmemoryPool pool, int attribute, void *value))                             \
    X(memAllocFromPoolAsync, "cuMemAllocFromPoolAsync",                                                                          \
      (CUdeviceptr * pointer, size_t n_bytes, CUmemoryPool pool, CUstream stream))                                               \
    X(memFreeAsync, "cuMemFreeAsync", (CUdeviceptr pointer, CUstream stream))                                                    \
    X(threadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *mode))

typedef struct gp_cuda_api {
#define GP_CUDA_FIELD(field, name, parameters) CUresult(*field) parameters;
    GP_CUDA_CALLS(GP_CUDA_FIELD)
    GP_CUDA_OPTIONAL_CALLS(GP_CUDA_FIELD)
#undef GP_CUDA_FIELD
    int version; /* 1000 major + 10 minor, of the driver */
    int n_devices;
} gp_cuda_api;

/*
 * The table, loaded and initialized by the first call; later calls are fast. CUDA is not called before there is a tensor in
 * device memory. Fails if there is no driver or device, if the driver lacks a call, or if this process was forked from one
 * that had used CUDA; the message tells which.
 */
gp_status gp_cuda_load(const gp_cuda_api **out, gp_error *error) GP_MUST_CHECK;

/* GP_OK, or GP_ERR_DEVICE (GP_ERR_DEVICE for out of memory, too) with the call's name and the driver's name and text for
 * the code. The only place that turns a CUresult into an error. */
gp_status gp_cuda_check(CUresult code, const char *call, gp_error *error) GP_MUST_CHECK;

/* GP_TRY_CUDA(api->memAlloc(&p, n), "cuMemAlloc", error) returns from the calling function when the call failed. */
#define GP_TRY_CUDA(expression, call, error) GP_TRY(gp_cuda_check((expression), (call), (error)))

/* Whether the driver ran out of device memory, so that callers may try again with less. */
static inline bool gp_cuda_is_out_of_memory(const gp_error *error) { return error->driver_code == CUDA_ERROR_OUT_OF_MEMORY; }

/* Whether no library in the process can use the context after this code. */
bool gp_cuda_is_sticky(CUresult code);

/* Where gp_cuda_check of this thread writes a sticky code; NULL: nowhere. */
void gp_cuda_note_codes_at(CUresult *broken_by);

/* Whether this process was forked from one that had initialized CUDA: nothing may be called there, not even to free. */
bool gp_cuda_is_forked(void);

/* Forgets the table, so that the next gp_cuda_load starts anew (gp_cuda_close). */
void gp_cuda_unload(void);

#endif
