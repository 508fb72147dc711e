/* The driver's calls about memory: allocating, freeing, asking whose it is. */
#include "capture.h"
#include "memory.h"
#include "streams.h"

using namespace gp_emu;

static CUresult allocate(const Call &call, Kind kind, size_t n_bytes, unsigned flags, uint64_t *out)
{
    if (!n_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (CUresult code = refuse_unsafe(call.context))
        return code;
    Allocation *made = memory_new(kind, n_bytes, call.context, call.context->device, flags);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = made->start;
    return CUDA_SUCCESS;
}

/* Ends an allocation that begins at this address and is of one of two kinds. */
static CUresult release(const Call &call, uint64_t address, Kind one, Kind other)
{
    Allocation *a = memory_at(address);
    if (!a || !a->is_live || a->start != address || (a->kind != one && a->kind != other)) {
        note_problem("%s was given %s", call.name, describe_address(address).c_str());
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (a->context && a->context != call.context)
        note_problem("%s was given memory of another context than the current one", call.name);
    if (const Item *item = queued_user(a->start, a->n_bytes)) {
        note_problem("%s: %s memory of %zu bytes is freed while %s, which uses it, is still queued", call.name,
                     kind_name(a->kind), a->n_bytes, item->what.c_str());
        drain_all();
    }
    memory_end(a);
    return call.failure;
}

GP_EMU_CALL cuMemAlloc_v2(CUdeviceptr *pointer, size_t n_bytes)
{
    GP_EMU_BEGIN(Needs::context)
    return allocate(call, Kind::device, n_bytes, 0, pointer);
}

GP_EMU_CALL cuMemFree_v2(CUdeviceptr pointer)
{
    GP_EMU_BEGIN_RELEASE(Needs::context)
    if (!pointer)
        return call.failure;
    if (CUresult code = refuse_unsafe(call.context))
        return code;
    wait_while_any_is_held(call.context); /* as a real driver, which waits for the whole device */
    Allocation *a = memory_at(pointer);
    return release(call, pointer, Kind::device, a && a->kind == Kind::managed ? Kind::managed : Kind::pool);
}

GP_EMU_CALL cuMemAllocManaged(CUdeviceptr *pointer, size_t n_bytes, unsigned flags)
{
    GP_EMU_BEGIN(Needs::context)
    return allocate(call, Kind::managed, n_bytes, flags, pointer);
}

/* Stream-ordered memory is there at once; what sets it apart is that no context owns it. */
GP_EMU_CALL cuMemAllocAsync(CUdeviceptr *pointer, size_t n_bytes, CUstream stream)
{
    GP_EMU_BEGIN(Needs::context)
    if (!stream_of(stream, call))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult code = allocate(call, Kind::pool, n_bytes, 0, pointer);
    if (!code)
        memory_at(*pointer)->context = nullptr;
    return code;
}

/* ---- pools: memory of one device, given out and taken back in the order of a stream ------------------------------------ */

namespace {
struct Pool {
    int device;
    uint64_t n_bytes_kept;
    int n_blocks; /* that were given out and not taken back */
    bool is_live;
};
std::vector<Pool *> pools;
} // namespace

std::string gp_emu::list_pools()
{
    std::string text;
    for (const Pool *pool : pools)
        if (pool->is_live)
            text += text_of("memory pool of device %d, of which %d blocks are in use\n", pool->device, pool->n_blocks);
    return text;
}

/* A reset of the device ends them, too. */
void gp_emu::end_pools_of(int device)
{
    for (Pool *pool : pools) {
        if (pool->device != device || !pool->is_live)
            continue;
        pool->is_live = false;
        end_handle(pool);
    }
}

GP_EMU_CALL cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
    GP_EMU_BEGIN(Needs::init)
    if (props->alloc_type != CU_MEM_ALLOCATION_TYPE_PINNED || props->location_type != CU_MEM_LOCATION_TYPE_DEVICE ||
        props->handle_types || !settings.has_pools)
        return CUDA_ERROR_INVALID_VALUE;
    pools.push_back(new Pool{props->location_id, 0, 0, true});
    add_handle(Handle::pool, pools.back());
    *pool = (CUmemoryPool)pools.back();
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuMemPoolDestroy(CUmemoryPool handle)
{
    GP_EMU_BEGIN_RELEASE(Needs::init)
    Pool *pool = (Pool *)handle;
    if (!is_handle(Handle::pool, pool)) {
        note_problem("cuMemPoolDestroy was given no live pool");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (pool->n_blocks)
        note_problem("cuMemPoolDestroy: %d blocks of the pool are in use", pool->n_blocks);
    pool->is_live = false;
    end_handle(pool);
    return call.failure;
}

GP_EMU_CALL cuMemPoolSetAttribute(CUmemoryPool handle, int attribute, void *value)
{
    GP_EMU_BEGIN(Needs::init)
    if (!is_handle(Handle::pool, handle) || attribute != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
        return CUDA_ERROR_INVALID_VALUE;
    ((Pool *)handle)->n_bytes_kept = *(const uint64_t *)value;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t n_bytes, CUmemoryPool handle, CUstream stream)
{
    GP_EMU_BEGIN(Needs::context)
    if (!stream_of(stream, call) || !is_handle(Handle::pool, handle))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult code = allocate(call, Kind::pool, n_bytes, 0, pointer);
    if (!code) {
        memory_at(*pointer)->pool = handle;
        ((Pool *)handle)->n_blocks++;
    }
    return code;
}

GP_EMU_CALL cuMemFreeAsync(CUdeviceptr pointer, CUstream handle)
{
    GP_EMU_BEGIN_RELEASE(Needs::context)
    Stream *stream = stream_of(handle, call);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    drain_stream(stream);
    Allocation *a = memory_at(pointer);
    if (a && a->is_live && a->start == pointer && a->pool)
        ((Pool *)a->pool)->n_blocks--;
    return release(call, pointer, Kind::device, Kind::pool);
}

GP_EMU_CALL cuMemHostAlloc(void **pointer, size_t n_bytes, unsigned flags)
{
    GP_EMU_BEGIN(Needs::context)
    uint64_t address;
    CUresult code = allocate(call, Kind::pinned, n_bytes, flags, &address);
    if (!code)
        *pointer = (void *)(uintptr_t)address;
    return code;
}

GP_EMU_CALL cuMemFreeHost(void *pointer)
{
    GP_EMU_BEGIN_RELEASE(Needs::context)
    if (!pointer)
        return call.failure;
    if (CUresult code = refuse_unsafe(call.context))
        return code;
    return release(call, (uint64_t)(uintptr_t)pointer, Kind::pinned, Kind::pinned);
}

GP_EMU_CALL cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags)
{
    GP_EMU_BEGIN(Needs::context)
    Allocation *a = memory_around((uint64_t)(uintptr_t)host, 1);
    if (flags || !a || a->kind != Kind::pinned || !(a->flags & CU_MEMHOSTALLOC_DEVICEMAP)) {
        note_problem("cuMemHostGetDevicePointer was given %s",
                     a ? "memory that is not pinned with DEVICEMAP" : describe_address((uint64_t)(uintptr_t)host).c_str());
        return CUDA_ERROR_INVALID_VALUE;
    }
    *device = a->on_device + ((uint64_t)(uintptr_t)host - a->start);
    return CUDA_SUCCESS;
}

/* Of how many bytes a range is at most; 0: memory is one range. Virtual memory is one that was mapped in pieces. */
static size_t most_range_bytes;

GP_EMU_API void emu_set_range_bytes(uint64_t n_bytes)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    most_range_bytes = n_bytes;
}

/* Makes stream-ordered memory one that was mapped into a reserved range, as torch's expandable segments are. */
GP_EMU_API int64_t emu_map(uint64_t pointer)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    Allocation *a = memory_at(pointer);
    a->is_mapped = true;
    return 0;
}

/* One attribute of known memory, or of unknown with a NULL allocation. Pinned memory has a second address on the device if
 * it is mapped, and none if it isn't. */
static bool give_attribute(int attribute, const Allocation *a, uint64_t pointer, bool is_backed, void *out)
{
    bool is_pinned = a && a->kind == Kind::pinned, is_mapped = is_pinned && a->flags & CU_MEMHOSTALLOC_DEVICEMAP;
    uint64_t start = a ? start_seen_from(a, pointer) : 0, offset = pointer - start;
    uint64_t before = a && most_range_bytes ? offset / most_range_bytes * most_range_bytes : 0;
    size_t range_bytes = a ? a->n_bytes - before : 0;
    if (most_range_bytes && range_bytes > most_range_bytes)
        range_bytes = most_range_bytes;
    if (a && a->is_mapped)
        range_bytes = (size_t)((uint64_t)(uintptr_t)a->map + a->map_bytes - a->start);
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)out = a ? (CUcontext)a->context : nullptr; return true;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)out = !a ? 0 : is_pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)out = a && (is_mapped || !is_pinned) ? a->on_device + offset : 0;
        return true;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(uint64_t *)out = is_pinned || (a && a->kind == Kind::managed) ? a->start + offset : 0;
        return true;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)out = a && a->kind == Kind::managed; return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)out = a ? a->device : -2; return true;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)out = start + before; return true;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)out = range_bytes; return true;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(bool *)out = is_backed; return true;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(const void **)out = a && a->kind == Kind::pool && !a->is_mapped ? a : nullptr;
        return true;
    default: return false;
    }
}

/* Unknown memory is no error: its attributes are zero. */
GP_EMU_CALL cuPointerGetAttributes(unsigned n, int *attributes, void **values, CUdeviceptr pointer)
{
    GP_EMU_BEGIN(Needs::init)
    const Allocation *a = memory_around(pointer, 1), *reserved = memory_at(pointer);
    bool is_backed = a != nullptr;
    if (!a && reserved && reserved->is_mapped)
        a = reserved;
    for (unsigned i = 0; i < n; i++) {
        if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER && !current_context())
            return CUDA_ERROR_INVALID_CONTEXT;
        if (!give_attribute(attributes[i], a, pointer, is_backed, values[i])) {
            note_problem("cuPointerGetAttributes: the emulator does not know attribute %d", attributes[i]);
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    GP_EMU_BEGIN(Needs::context)
    *total_bytes = (size_t)8 << 30;
    *free_bytes = *total_bytes;
    return CUDA_SUCCESS;
}

/* Frees memory of any kind in the context that it was made in; not counted, never made to fail. */
GP_EMU_API int emu_free(uint64_t pointer)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    Allocation *a = memory_at(pointer);
    if (!a || !a->is_live || a->start != pointer) {
        note_problem("a test freed %s", describe_address(pointer).c_str());
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (const Item *item = queued_user(a->start, a->n_bytes)) {
        note_problem("%s memory of %zu bytes was let go while %s, which uses it, was still queued", kind_name(a->kind),
                     a->n_bytes, item->what.c_str());
        drain_all();
    }
    memory_end(a);
    return CUDA_SUCCESS;
}
