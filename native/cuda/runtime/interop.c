/* Memory and streams of other libraries: facts about pointers, and waiting for work that a producer has queued. */
#include "interop.h"

#include "device.h"
#include "state.h"
#include "stream.h"

#include <inttypes.h>

/* ---- pointers ------------------------------------------------------------------------------------------------------ */

/* The driver's attributes of an address, 0 if unknown. Types are those of the published ABI. */
typedef struct pointer_facts {
    CUcontext context;
    unsigned memory_type;
    unsigned is_managed;
    int ordinal;
    CUdeviceptr range_start;
    size_t range_bytes;
} pointer_facts;

/* cuPointerGetAttributes leaves attributes that an address lacks at their defaults; cuPointerGetAttribute would fail. */
static CUresult ask_facts(const gp_cuda_api *api, CUdeviceptr pointer, pointer_facts *out)
{
    int attributes[] = {CU_POINTER_ATTRIBUTE_CONTEXT,          CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                        CU_POINTER_ATTRIBUTE_IS_MANAGED,       CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *values[] = {&out->context, &out->memory_type, &out->is_managed, &out->ordinal, &out->range_start, &out->range_bytes};
    *out = (pointer_facts){.ordinal = -1};
    return api->pointerGetAttributes(sizeof attributes / sizeof attributes[0], attributes, values, pointer);
}

/*
 * The end of the memory that contains `low`. Virtual memory (torch's expandable segments) is one range for the program and may be several
 * adjacent ones for the driver; those of one device are joined here.
 */
static uint64_t end_of_memory(const gp_cuda_api *api, const pointer_facts *facts, uint64_t high)
{
    uint64_t end = facts->range_start + facts->range_bytes;
    pointer_facts next;
    while (end < high && ask_facts(api, end, &next) == CUDA_SUCCESS && next.range_start == end && next.range_bytes > 0 &&
           next.memory_type == facts->memory_type && next.ordinal == facts->ordinal)
        end += next.range_bytes;
    return end;
}

/* Whether an address is mapped, in a range that was reserved and mapped in pieces (cuMemMap), of which the driver reports the reserved
 * range. True if the driver cannot say, and for memory of pools, which the driver maps itself. */
static bool is_mapped(const gp_cuda_api *api, const pointer_facts *facts, uint64_t address)
{
    int attributes[] = {CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, CU_POINTER_ATTRIBUTE_MAPPED};
    void *pool = NULL;
    unsigned is_mapped = 0;
    void *values[] = {&pool, &is_mapped};
    if (facts->context != NULL || facts->is_managed || facts->memory_type != CU_MEMORYTYPE_DEVICE)
        return true;
    return api->pointerGetAttributes(2, attributes, values, address) != CUDA_SUCCESS || pool != NULL || is_mapped != 0;
}

static gp_status fail_unmapped(uint64_t address, gp_error *error)
{
    return gp_fail(
        error, GP_ERR_DEVICE,
        "there is no memory behind address 0x%" PRIx64 ", which is reserved for CUDA: was the tensor freed or resized?", address);
}

static gp_status check_facts(const gp_cuda_api *api, const pointer_facts *facts, uint64_t low, uint64_t high, gp_error *error)
{
    if (facts->memory_type == 0 && !facts->is_managed)
        return gp_fail(error, GP_ERR_DEVICE,
                       "address 0x%" PRIx64 " belongs to no memory that CUDA knows: was the tensor freed, or is it on "
                       "the host?",
                       low);
    /* Registered host memory may have another address on the device, to which the driver's range does not apply. */
    uint64_t start = facts->range_start, end = start + facts->range_bytes;
    if (facts->range_bytes == 0 || start > low || low >= end)
        return GP_OK;
    end = end_of_memory(api, facts, high);
    if (high > end)
        return gp_fail(error, GP_ERR_DEVICE,
                       "the tensor reaches %" PRIu64 " bytes beyond its memory (allocation 0x%" PRIx64
                       " of %zu bytes): was it freed or resized?",
                       high - end, start, facts->range_bytes);
    if (!is_mapped(api, facts, low))
        return fail_unmapped(low, error);
    return is_mapped(api, facts, high - 1) ? GP_OK : fail_unmapped(high - 1, error);
}

/* Stream-ordered and virtual memory belongs to no context; other memory must belong to the primary one. */
static gp_status check_context(const gp_cuda_device *device, const pointer_facts *facts, gp_error *error)
{
    if (facts->context == NULL || facts->context == device->context)
        return GP_OK;
    return gp_fail(error, GP_ERR_UNSUPPORTED,
                   "the tensor's memory belongs to a CUDA context of its own, not to device %d's primary "
                   "one: with PyCUDA import pycuda.autoprimaryctx instead of pycuda.autoinit",
                   device->ordinal);
}

/* The address for kernels. The device pointer is queried separately, since the call fails for memory that has none. */
static gp_status address_for_kernels(const gp_cuda_device *device, uint64_t low, bool is_host, CUdeviceptr *out, gp_error *error)
{
    int attribute = CU_POINTER_ATTRIBUTE_DEVICE_POINTER;
    CUdeviceptr pointer = 0;
    void *value = &pointer;
    CUresult code = device->api->pointerGetAttributes(1, &attribute, &value, low);
    if (is_host && (code != CUDA_SUCCESS || pointer == 0))
        return gp_fail(error, GP_ERR_DEVICE,
                       "pinned memory at 0x%" PRIx64 " is not mapped for device %d: pass it as a host array, "
                       "for example with .numpy()",
                       low, device->ordinal);
    *out = code == CUDA_SUCCESS && pointer != 0 ? pointer : low;
    return GP_OK;
}

static gp_status inspect_entered(gp_cuda_device *device, uint64_t low, const pointer_facts *facts, gp_cuda_memory *out,
                                 gp_error *error)
{
    gp_cuda_memory memory = {.ordinal = device->ordinal, .is_managed = facts->is_managed != 0};
    memory.is_host = !memory.is_managed && facts->memory_type == CU_MEMORYTYPE_HOST;
    GP_TRY(check_context(device, facts, error));
    memory.pointer = low; /* device memory has one address for host and kernels */
    if (memory.is_managed || facts->memory_type != CU_MEMORYTYPE_DEVICE)
        GP_TRY(address_for_kernels(device, low, memory.is_host, &memory.pointer, error));
    bool is_one_allocation = facts->context != NULL || facts->is_managed; /* other memory may be a reserved range with holes */
    if (memory.pointer == low && !memory.is_host && is_one_allocation && facts->range_start <= low)
        memory.low = facts->range_start, memory.high = facts->range_start + facts->range_bytes;
    *out = memory;
    return GP_OK;
}

/* Some drivers answer only if a context is current. */
static gp_status ask_facts_entered(int ordinal, uint64_t low, pointer_facts *out, gp_error *error)
{
    gp_cuda_device *device = NULL;
    GP_TRY(gp_cuda_enter(ordinal, &device, error));
    gp_status status = gp_cuda_check(ask_facts(device->api, low, out), "cuPointerGetAttributes", error);
    gp_cuda_leave(device);
    return status;
}

gp_status gp_cuda_inspect(uint64_t low, uint64_t high, int hint, gp_cuda_memory *out, gp_error *error)
{
    const gp_cuda_api *api;
    gp_cuda_device *device = NULL;
    pointer_facts facts;
    GP_TRY(gp_cuda_load(&api, error));
    CUresult code = ask_facts(api, low, &facts);
    if (code == CUDA_ERROR_INVALID_CONTEXT)
        GP_TRY(ask_facts_entered(hint >= 0 ? hint : 0, low, &facts, error));
    else
        GP_TRY_CUDA(code, "cuPointerGetAttributes", error);
    GP_TRY(check_facts(api, &facts, low, high, error));
    int ordinal = facts.ordinal >= 0 ? facts.ordinal : hint >= 0 ? hint : 0;
    GP_TRY(gp_cuda_enter(ordinal, &device, error));
    gp_status status = inspect_entered(device, low, &facts, out, error);
    gp_cuda_leave(device);
    return status;
}

/* Whether both ends are in memory that the copy engine can access, in one allocation. */
bool gp_cuda_is_pinned(const gp_cuda_device *device, const void *low, size_t n_bytes)
{
    uint64_t start = (uint64_t)(uintptr_t)low, last = start + n_bytes - 1;
    pointer_facts first_facts, last_facts;
    if (ask_facts(device->api, start, &first_facts) != CUDA_SUCCESS || ask_facts(device->api, last, &last_facts) != CUDA_SUCCESS)
        return false;
    return first_facts.memory_type == CU_MEMORYTYPE_HOST && !first_facts.is_managed &&
           last_facts.memory_type == CU_MEMORYTYPE_HOST && !last_facts.is_managed &&
           first_facts.range_start == last_facts.range_start && first_facts.range_bytes == last_facts.range_bytes;
}

/* ---- streams ------------------------------------------------------------------------------------------------------- */

static gp_status refuse_capture(const gp_cuda_device *device, CUstream stream, gp_error *error)
{
    int capture = 0; /* 0 none, 1 active, 2 invalidated */
    CUresult code = device->api->streamIsCapturing(stream, &capture);
    /* Querying the legacy stream fails while a blocking stream captures. */
    if (code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT || (code == CUDA_SUCCESS && capture != 0))
        return gp_fail(error, GP_ERR_DEVICE,
                       "the tensor's stream is capturing a CUDA graph, in which nothing runs yet: draw after "
                       "the capture has ended");
    return gp_cuda_check(code, "cuStreamIsCapturing", error);
}

/* 0 is refused, as the protocols say: it means the legacy or the per-thread default stream, depending on how a program was compiled. */
static gp_status stream_from(uint64_t handle, CUstream *out, gp_error *error)
{
    if (handle == 0)
        return gp_fail(error, GP_ERR_VALUE,
                       "a producer's stream is 0, which is ambiguous: 1 is the legacy default stream, 2 the "
                       "per-thread one");
    *out = (CUstream)(uintptr_t)handle;
    return GP_OK;
}

/* The context of a stream other than the default ones if it is not the device's primary context, else NULL. */
static CUcontext other_context(const gp_cuda_device *device, CUstream stream)
{
    CUcontext context = NULL;
    if ((uintptr_t)stream <= (uintptr_t)CU_STREAM_PER_THREAD || device->api->streamGetCtx == NULL)
        return NULL;
    if (device->api->streamGetCtx(stream, &context) != CUDA_SUCCESS || context == device->context)
        return NULL;
    return context;
}

/* Records an event on the producer's stream, unless that captures a graph; the context of both is current. */
static gp_status record(gp_cuda_device *device, CUevent event, CUstream producer, gp_error *error)
{
    GP_TRY(refuse_capture(device, producer, error));
    CUresult code = device->api->eventRecord(event, producer);
    if (code == CUDA_ERROR_INVALID_HANDLE)
        return gp_fail(error, GP_ERR_DEVICE,
                       "the tensor's stream is not one of device %d: pass the stream on which the tensor was "
                       "made",
                       device->ordinal);
    return gp_cuda_check(code, "cuEventRecord", error);
}

/* A stream records only events of its own context; for a stream of another context one is made here. */
static gp_status record_elsewhere(gp_cuda_device *device, CUcontext context, CUstream producer, CUevent *out, gp_error *error)
{
    const gp_cuda_api *api = device->api;
    CUcontext popped;
    GP_TRY_CUDA(api->ctxPushCurrent(context), "cuCtxPushCurrent", error);
    gp_status status = gp_cuda_check(api->eventCreate(out, CU_EVENT_DISABLE_TIMING), "cuEventCreate", error);
    if (status == GP_OK)
        status = record(device, *out, producer, error);
    (void)api->ctxPopCurrent(&popped);
    return status;
}

/* A stream may wait for an event of another context or device, and the event may be destroyed while it waits. */
static gp_status order_after(gp_cuda_device *device, CUstream producer, gp_error *error)
{
    const gp_cuda_api *api = device->api;
    CUcontext other = other_context(device, producer);
    CUevent made = NULL;
    gp_status status = other != NULL ? record_elsewhere(device, other, producer, &made, error)
                                     : record(device, device->event, producer, error);
    if (status == GP_OK)
        status = gp_cuda_check(api->streamWaitEvent(device->stream, made != NULL ? made : device->event, 0), "cuStreamWaitEvent",
                               error);
    if (made != NULL)
        (void)api->eventDestroy(made);
    return status;
}

gp_status gp_cuda_order_after(int ordinal, uint64_t stream, gp_error *error)
{
    gp_cuda_device *device = NULL;
    CUstream producer = NULL;
    GP_TRY(stream_from(stream, &producer, error));
    GP_TRY(gp_cuda_enter(ordinal, &device, error));
    gp_status status = order_after(device, producer, error);
    gp_cuda_leave(device);
    return status;
}

gp_status gp_cuda_synchronize(int ordinal, gp_error *error)
{
    gp_cuda_device *device = NULL;
    GP_TRY(gp_cuda_enter(ordinal, &device, error));
    gp_status status = refuse_capture(device, CU_STREAM_LEGACY, error);
    if (status == GP_OK)
        status = gp_cuda_check(device->api->ctxSynchronize(), "cuCtxSynchronize", error);
    gp_cuda_leave(device);
    return status;
}

gp_status gp_cuda_refuse_capture(int ordinal, uint64_t stream, gp_error *error)
{
    gp_cuda_device *device = NULL;
    CUstream producer = NULL;
    GP_TRY(stream_from(stream, &producer, error));
    GP_TRY(gp_cuda_enter(ordinal, &device, error));
    gp_status status = refuse_capture(device, producer, error);
    gp_cuda_leave(device);
    return status;
}

gp_status gp_cuda_stream_handle(int ordinal, uint64_t *out, gp_error *error)
{
    gp_cuda_device *device = NULL;
    GP_TRY(gp_cuda_enter(ordinal, &device, error));
    *out = (uint64_t)(uintptr_t)device->stream;
    gp_cuda_leave(device);
    return GP_OK;
}
