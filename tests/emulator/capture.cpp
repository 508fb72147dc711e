/* The capture of graphs, without graphs: what is captured is forgotten, but every rule about calls meanwhile holds. */
#include "capture.h"

#include <algorithm>

namespace gp_emu {
namespace {

enum { MODE_GLOBAL, MODE_THREAD_LOCAL, MODE_RELAXED };
thread_local int mode_of_thread = MODE_GLOBAL;
std::vector<Stream *> capturing;

/* Whether a capture forbids the calling thread what is potentially unsafe. */
bool forbids(const Stream *stream)
{
    if (mode_of_thread == MODE_RELAXED || stream->capture_mode == MODE_RELAXED)
        return false;
    bool is_mine = stream->captured_by == std::this_thread::get_id();
    return is_mine || (mode_of_thread == MODE_GLOBAL && stream->capture_mode == MODE_GLOBAL);
}

} // namespace

void begin_capture(Stream *stream, int mode)
{
    stream->capture = 1;
    stream->capture_mode = mode;
    stream->captured_by = std::this_thread::get_id();
    capturing.push_back(stream);
}

bool is_capturing_blocking(const Context *context)
{
    return std::any_of(capturing.begin(), capturing.end(),
                       [&](const Stream *stream) { return stream->context == context && stream->is_blocking; });
}

bool is_capturing_any(const Context *context)
{
    return std::any_of(capturing.begin(), capturing.end(), [&](const Stream *stream) { return stream->context == context; });
}

void invalidate_captures(const Context *context)
{
    for (Stream *stream : capturing)
        if (stream->context == context)
            stream->capture = 2;
}

CUresult refuse_wait(Stream *stream)
{
    if (!stream->capture)
        return refuse_unsafe(stream->context);
    invalidate_captures(stream->context);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult refuse_unsafe(const Context *context)
{
    if (!std::any_of(capturing.begin(), capturing.end(), forbids))
        return CUDA_SUCCESS;
    invalidate_captures(context);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

} // namespace gp_emu

using namespace gp_emu;

GP_EMU_CALL cuStreamIsCapturing(CUstream handle, int *status)
{
    GP_EMU_BEGIN(Needs::context)
    Stream *stream = stream_of(handle, call);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream == stream->context->legacy && is_capturing_blocking(stream->context))
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *status = stream->capture;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuStreamBeginCapture_v2(CUstream handle, int mode)
{
    GP_EMU_BEGIN(Needs::context)
    Stream *stream = stream_of(handle, call);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream == stream->context->legacy)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    drain_stream(stream);
    begin_capture(stream, mode);
    return CUDA_SUCCESS;
}

/* There are no graphs here: the work is forgotten, and *graph is no handle. */
GP_EMU_CALL cuStreamEndCapture(CUstream handle, void **graph)
{
    GP_EMU_BEGIN_RELEASE(Needs::context)
    Stream *stream = stream_of(handle, call);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!stream->capture)
        return CAPTURE_UNMATCHED;
    bool is_spoilt = stream->capture == 2;
    stream->capture = 0;
    capturing.erase(std::remove(capturing.begin(), capturing.end(), stream), capturing.end());
    *graph = nullptr;
    return is_spoilt ? CAPTURE_INVALIDATED : call.failure;
}

GP_EMU_CALL cuThreadExchangeStreamCaptureMode(int *mode)
{
    GP_EMU_BEGIN_RELEASE(Needs::init)
    std::swap(*mode, mode_of_thread);
    return call.failure;
}

/* The calling thread's mode: 0 global, 1 thread-local, 2 relaxed. */
GP_EMU_API int emu_capture_mode(void) { return mode_of_thread; }
