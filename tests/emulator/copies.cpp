/* The driver's copies: what the host may not touch meanwhile is poisoned or hashed, to find out whether it did. */
#include "memory.h"
#include "streams.h"

#include <cstring>
#include <list>
#include <string_view>

namespace gp_emu {

namespace {

constexpr unsigned char poison_byte = 0xdb;

/* Host memory that a queued copy reads or will write. */
struct HostUse {
    uint64_t start;
    size_t n_bytes;
    bool is_source;
    bool is_checked;            /* hash or poison must be found again when the copy runs */
    uint64_t hash;
    std::vector<char> snapshot; /* of a source that was poisoned later on */
};
std::list<HostUse *> host_uses;

bool overlap(const HostUse &one, const HostUse &other)
{
    return one.start < other.start + other.n_bytes && other.start < one.start + one.n_bytes;
}

uint64_t hash_of(uint64_t start, size_t n_bytes)
{
    return std::hash<std::string_view>()({(const char *)(uintptr_t)start, n_bytes});
}

/* At an eager pace a copy has run before the host can do anything. */
bool is_watched() { return settings.pace != Pace::eager; }

bool is_poison(const HostUse &use)
{
    const unsigned char *bytes = (const unsigned char *)(uintptr_t)use.start;
    for (size_t i = 0; i < use.n_bytes; i++)
        if (bytes[i] != poison_byte)
            return false;
    return true;
}

void check_source(const HostUse &use)
{
    if (use.is_checked && hash_of(use.start, use.n_bytes) != use.hash)
        note_problem("the host changed the %zu source bytes of a queued copy to the device", use.n_bytes);
}

/* A source that is the destination of a queued copy will change lawfully: it has no hash. */
HostUse *use_source(uint64_t start, size_t n_bytes)
{
    HostUse *use = new HostUse{start, n_bytes, true, is_watched(), 0, {}};
    for (const HostUse *other : host_uses)
        if (!other->is_source && overlap(*use, *other))
            use->is_checked = false;
    if (use->is_checked)
        use->hash = hash_of(start, n_bytes);
    host_uses.push_back(use);
    return use;
}

/* Until the copy has run the destination holds poison; queued copies that read it first keep what it held. */
HostUse *use_destination(uint64_t start, size_t n_bytes)
{
    HostUse *use = new HostUse{start, n_bytes, false, is_watched(), 0, {}};
    for (HostUse *other : host_uses)
        if (other->is_source && other->snapshot.empty() && overlap(*use, *other)) {
            check_source(*other);
            const char *bytes = (const char *)(uintptr_t)other->start;
            other->snapshot.assign(bytes, bytes + other->n_bytes);
        }
    if (use->is_checked)
        memset((void *)(uintptr_t)start, poison_byte, n_bytes);
    host_uses.push_back(use);
    return use;
}

void end_use(HostUse *use)
{
    host_uses.remove(use);
    delete use;
}

int run_to_device(uint64_t to, HostUse *use)
{
    if (use->snapshot.empty()) {
        check_source(*use);
        memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)use->start, use->n_bytes);
    } else {
        memcpy((void *)(uintptr_t)to, use->snapshot.data(), use->n_bytes);
    }
    end_use(use);
    return 0;
}

int run_to_host(uint64_t from, HostUse *use)
{
    if (use->is_checked && !is_poison(*use))
        note_problem("the host wrote to the %zu bytes that a queued copy from the device will fill", use->n_bytes);
    memcpy((void *)(uintptr_t)use->start, (void *)(uintptr_t)from, use->n_bytes);
    for (HostUse *other : host_uses)
        if (other != use && overlap(*use, *other))
            other->is_checked = false;
    end_use(use);
    return 0;
}

/* Device memory of the current context's device, whole. */
bool is_good_device_range(const Call &call, uint64_t address, size_t n_bytes)
{
    const Allocation *a = memory_around(address, n_bytes);
    if (!a) {
        note_problem("%s: %zu bytes from %s", call.name, n_bytes, describe_address(address).c_str());
        return false;
    }
    if (a->device != call.context->device) {
        note_problem("%s: memory of device %d while the context of device %d is current", call.name, a->device,
                     call.context->device);
        return false;
    }
    return true;
}

void check_pinned(const Call &call, const void *host, size_t n_bytes)
{
    const Allocation *a = memory_around((uint64_t)(uintptr_t)host, n_bytes);
    if (!a || a->kind == Kind::device || a->kind == Kind::pool)
        note_problem("%s: the host's %zu bytes are not pinned: %s", call.name, n_bytes,
                     describe_address((uint64_t)(uintptr_t)host).c_str());
}

/* Begins a copy between device and host and checks both sides. *stream is null if nothing is to be queued: no bytes, or a capture. */
CUresult begin_copy(const Call &call, CUstream handle, CUdeviceptr device, const void *host, size_t n_bytes, Stream **stream)
{
    if (CUresult code = begin_work(handle, call, stream))
        return code;
    bool is_captured = (*stream)->capture != 0;
    if (n_bytes && !is_good_device_range(call, device, n_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (n_bytes)
        check_pinned(call, host, n_bytes);
    if (!n_bytes || is_captured)
        *stream = nullptr;
    return CUDA_SUCCESS;
}

} // namespace
} // namespace gp_emu

using namespace gp_emu;

GP_EMU_CALL cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n_bytes, CUstream handle)
{
    GP_EMU_BEGIN(Needs::context)
    Stream *stream;
    if (CUresult code = begin_copy(call, handle, to, from, n_bytes, &stream))
        return code;
    if (!stream)
        return CUDA_SUCCESS;
    HostUse *use = use_source((uint64_t)(uintptr_t)from, n_bytes);
    enqueue(stream, {text_of("a copy of %zu bytes to the device", n_bytes),
                     [=] { return run_to_device(to, use); },
                     {to, (uint64_t)(uintptr_t)from},
                     {}});
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n_bytes, CUstream handle)
{
    GP_EMU_BEGIN(Needs::context)
    Stream *stream;
    if (CUresult code = begin_copy(call, handle, from, to, n_bytes, &stream))
        return code;
    if (!stream)
        return CUDA_SUCCESS;
    HostUse *use = use_destination((uint64_t)(uintptr_t)to, n_bytes);
    enqueue(stream, {text_of("a copy of %zu bytes to the host", n_bytes),
                     [=] { return run_to_host(from, use); },
                     {from, (uint64_t)(uintptr_t)to},
                     {},
                     n_bytes});
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n_bytes, CUstream handle)
{
    GP_EMU_BEGIN(Needs::context)
    Stream *stream;
    if (CUresult code = begin_work(handle, call, &stream))
        return code;
    if (!n_bytes)
        return CUDA_SUCCESS;
    if (!is_good_device_range(call, to, n_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    enqueue(stream, {text_of("filling %zu bytes", n_bytes),
                     [=] {
                         memset((void *)(uintptr_t)to, value, n_bytes);
                         return 0;
                     },
                     {to},
                     {}});
    return CUDA_SUCCESS;
}

/* ---- for tests ---------------------------------------------------------------------------------------------------- */

/* Queues a write of these bytes, which are copied now, on a stream of the device's primary context. */
GP_EMU_API int emu_queue_write(int device, uint64_t stream_handle, uint64_t to, const void *from, size_t n_bytes)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    Context *context = stream_handle > 2 && is_handle(Handle::stream, (void *)(uintptr_t)stream_handle)
                           ? ((Stream *)(uintptr_t)stream_handle)->context
                           : primary_context(device);
    Stream *stream = stream_handle > 2 ? (Stream *)(uintptr_t)stream_handle : context->legacy;
    if (!memory_around(to, n_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    std::vector<char> bytes((const char *)from, (const char *)from + n_bytes);
    enqueue(stream, {"a test's late write",
                     [=] {
                         memcpy((void *)(uintptr_t)to, bytes.data(), bytes.size());
                         return 0;
                     },
                     {to},
                     {}});
    return CUDA_SUCCESS;
}

/* Reads or writes device memory at once, past every queue. */
GP_EMU_API int emu_peek(uint64_t from, void *to, size_t n_bytes)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    const Allocation *a = memory_around(from, n_bytes);
    if (!a)
        return CUDA_ERROR_INVALID_VALUE;
    memory_open(a->device);
    memcpy(to, (void *)(uintptr_t)from, n_bytes);
    memory_close(a->device);
    return CUDA_SUCCESS;
}

GP_EMU_API int emu_poke(uint64_t to, const void *from, size_t n_bytes)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    const Allocation *a = memory_around(to, n_bytes);
    if (!a)
        return CUDA_ERROR_INVALID_VALUE;
    memory_open(a->device);
    memcpy((void *)(uintptr_t)to, from, n_bytes);
    memory_close(a->device);
    return CUDA_SUCCESS;
}
