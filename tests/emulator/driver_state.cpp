/* Contexts, the stack of current ones of each thread, live handles, and the checks at the beginning of every call. */
#include "driver_state.h"

#include "memory.h"
#include "scheduler.h"
#include "streams.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace gp_emu {
namespace {

Context *primaries[max_devices];
std::vector<Context *> contexts; /* never deleted, so that a stale handle is told apart */
std::map<const void *, Handle> handles;
uint64_t n_contexts;
thread_local std::vector<Context *> stack_of_thread;
pid_t initialized_by;

} // namespace

Context *new_context(int device, bool is_primary)
{
    Context *context = new Context();
    context->device = device;
    context->is_primary = is_primary;
    context->is_live = true;
    context->serial = ++n_contexts;
    context->legacy = new_stream(context, true);
    contexts.push_back(context);
    add_handle(Handle::context, context);
    return context;
}

Context *primary_context(int device)
{
    Context *primary = primaries[device];
    if (primary && !primary->is_live && primary->n_retained) { /* it was reset: the same handle, another context */
        primary->is_live = true;
        primary->sticky = 0;
        primary->legacy = new_stream(primary, true);
        primary->per_thread.clear();
        add_handle(Handle::context, primary);
    } else if (!primary || !primary->is_live) {
        primaries[device] = new_context(device, true);
    }
    return primaries[device];
}

void reset_context(Context *context)
{
    end_streams_of(context);
    end_modules_of(context);
    end_pools_of(context->device);
    end_context(context);
    context->serial = ++n_contexts;
}

void end_context(Context *context)
{
    drain_context(context);
    memory_end_all_of(context);
    context->is_live = false;
    end_handle(context);
}

std::vector<Context *> &context_stack() { return stack_of_thread; }

Context *current_context() { return stack_of_thread.empty() ? nullptr : stack_of_thread.back(); }

void add_handle(Handle kind, const void *handle) { handles[handle] = kind; }
void end_handle(const void *handle) { handles.erase(handle); }

bool is_handle(Handle kind, const void *handle)
{
    auto found = handles.find(handle);
    return found != handles.end() && found->second == kind;
}

std::string list_handles()
{
    std::string text = list_streams();
    for (Context *context : contexts) {
        if (!context->is_live)
            continue;
        if (!context->is_primary)
            text += text_of("context made by cuCtxCreate on device %d\n", context->device);
        else if (context->n_retained)
            text += text_of("primary context of device %d: retained %d times\n", context->device, context->n_retained);
    }
    return text + list_modules() + list_pools();
}

void set_initialized()
{
    if (!initialized_by)
        initialized_by = getpid();
}

Call::Call(const char *call_name, Needs needs) : code(0), failure(0), context(nullptr), name(call_name), hold(lock)
{
    if (initialized_by && initialized_by != getpid()) {
        note_problem("%s was called in a process forked from the one that called cuInit", name);
        fprintf(stderr, "emulated CUDA: %s\n", problems_found().back().c_str());
        code = CUDA_ERROR_NOT_INITIALIZED;
        return;
    }
    failure = begin_call(name);
    if (needs == Needs::nothing)
        return;
    if (!initialized_by) {
        note_problem("%s was called before cuInit", name);
        code = CUDA_ERROR_NOT_INITIALIZED;
        return;
    }
    progress_some();
    if (needs != Needs::context)
        return;
    context = current_context();
    if (!context) {
        note_problem("%s was called while no context was current", name);
        code = CUDA_ERROR_INVALID_CONTEXT;
    } else if (!context->is_live) {
        note_problem("%s was called while a destroyed context was current", name);
        code = CONTEXT_IS_DESTROYED;
    } else if (!failure) {
        failure = context->sticky;
    }
}

Call::~Call() {}

const char *error_name(int code)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
        {0, "CUDA_SUCCESS"},
        {1, "CUDA_ERROR_INVALID_VALUE"},
        {2, "CUDA_ERROR_OUT_OF_MEMORY"},
        {3, "CUDA_ERROR_NOT_INITIALIZED"},
        {4, "CUDA_ERROR_DEINITIALIZED"},
        {34, "CUDA_ERROR_STUB_LIBRARY"},
        {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"},
        {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
        {100, "CUDA_ERROR_NO_DEVICE"},
        {101, "CUDA_ERROR_INVALID_DEVICE"},
        {200, "CUDA_ERROR_INVALID_IMAGE"},
        {201, "CUDA_ERROR_INVALID_CONTEXT"},
        {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
        {218, "CUDA_ERROR_INVALID_PTX"},
        {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
        {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
        {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED"},
        {300, "CUDA_ERROR_INVALID_SOURCE"},
        {400, "CUDA_ERROR_INVALID_HANDLE"},
        {500, "CUDA_ERROR_NOT_FOUND"},
        {600, "CUDA_ERROR_NOT_READY"},
        {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
        {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
        {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
        {719, "CUDA_ERROR_LAUNCH_FAILED"},
        {800, "CUDA_ERROR_NOT_PERMITTED"},
        {802, "CUDA_ERROR_SYSTEM_NOT_READY"},
        {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
        {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
        {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
        {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
        {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
        {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
        {999, "CUDA_ERROR_UNKNOWN"},
    };
    for (const auto &entry : names)
        if (entry.code == code)
            return entry.name;
    return nullptr;
}

} // namespace gp_emu

using namespace gp_emu;

/* How many contexts are current to the calling thread, one above the other. */
GP_EMU_API int emu_context_depth(void)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    return (int)context_stack().size();
}

/* Heals contexts in which a kernel failed, which no real driver does: the next test begins clean. */
GP_EMU_API void emu_recover(void)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    drain_all();
    for (Context *context : contexts)
        context->sticky = 0;
}
