/* The driver's calls about streams and events. */
#include "capture.h"
#include "streams.h"

using namespace gp_emu;

CUresult gp_emu::begin_work(CUstream handle, const Call &call, Stream **out)
{
    Stream *stream = stream_of(handle, call);
    if (!stream || stream->context != call.context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture == 2)
        return CAPTURE_INVALIDATED;
    if (stream == call.context->legacy && is_capturing_blocking(call.context)) {
        invalidate_captures(call.context);
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    *out = stream;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuStreamCreate(CUstream *stream, unsigned flags)
{
    GP_EMU_BEGIN(Needs::context)
    if (flags > CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *made = new_stream(call.context, flags != CU_STREAM_NON_BLOCKING);
    add_handle(Handle::stream, made);
    *stream = (CUstream)made;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuStreamDestroy_v2(CUstream handle)
{
    GP_EMU_BEGIN_RELEASE(Needs::context)
    Stream *stream = is_handle(Handle::stream, handle) ? (Stream *)handle : nullptr;
    if (!stream || stream->context != call.context) {
        note_problem("cuStreamDestroy was given 0x%llx, which is no live stream of the current context",
                     (unsigned long long)(uintptr_t)handle);
        return CUDA_ERROR_INVALID_HANDLE;
    }
    end_stream(stream);
    return call.failure;
}

GP_EMU_CALL cuStreamSynchronize(CUstream handle)
{
    GP_EMU_BEGIN(Needs::context)
    Stream *stream;
    if (CUresult code = begin_work(handle, call, &stream))
        return code;
    if (CUresult code = refuse_wait(stream))
        return code;
    if (stream == call.context->legacy)
        enqueue(stream, {"wait", nullptr, {}, {}}); /* after what blocking streams have queued */
    drain_stream(stream);
    return call.context->sticky;
}

GP_EMU_CALL cuStreamQuery(CUstream handle)
{
    GP_EMU_BEGIN(Needs::context)
    Stream *stream;
    if (CUresult code = begin_work(handle, call, &stream))
        return code;
    if (CUresult code = refuse_wait(stream))
        return code;
    bool was_done = stream->queue.empty();
    if (settings.pace == Pace::late) /* asking makes progress, so that a loop ends */
        drain_stream(stream);
    return was_done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

GP_EMU_CALL cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags)
{
    GP_EMU_BEGIN(Needs::context)
    (void)flags;
    Stream *stream;
    if (CUresult code = begin_work(handle, call, &stream))
        return code;
    Event *event = event_of(event_handle, call);
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (event->is_captured && event->at.stream->capture && !stream->capture) {
        note_problem("%s joins the capture of %s by waiting for an event of it", stream_name(stream).c_str(),
                     stream_name(event->at.stream).c_str());
        begin_capture(stream, event->at.stream->capture_mode);
        return CUDA_SUCCESS;
    }
    if (event->is_recorded)
        enqueue(stream, {"wait for an event", nullptr, {}, {event->at}});
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuStreamGetDevice(CUstream handle, CUdevice *device)
{
    GP_EMU_BEGIN(Needs::init)
    if ((uintptr_t)handle <= 2) {
        if (!current_context())
            return CUDA_ERROR_INVALID_CONTEXT;
        *device = current_context()->device;
        return CUDA_SUCCESS;
    }
    if (!is_handle(Handle::stream, handle)) {
        note_problem("cuStreamGetDevice was given 0x%llx, which is not a stream", (unsigned long long)(uintptr_t)handle);
        return CUDA_ERROR_INVALID_HANDLE;
    }
    *device = ((Stream *)handle)->context->device;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuStreamGetCtx(CUstream handle, CUcontext *context)
{
    GP_EMU_BEGIN(Needs::init)
    if ((uintptr_t)handle <= 2)
        *context = (CUcontext)current_context();
    else if (is_handle(Handle::stream, handle))
        *context = (CUcontext)((Stream *)handle)->context;
    else
        return CUDA_ERROR_INVALID_HANDLE;
    return CUDA_SUCCESS;
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

GP_EMU_CALL cuEventCreate(CUevent *event, unsigned flags)
{
    GP_EMU_BEGIN(Needs::context)
    (void)flags;
    *event = (CUevent)new_event(call.context);
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuEventDestroy_v2(CUevent handle)
{
    GP_EMU_BEGIN_RELEASE(Needs::context)
    Event *event = event_of(handle, call);
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    end_event(event);
    return call.failure;
}

GP_EMU_CALL cuEventRecord(CUevent event_handle, CUstream handle)
{
    GP_EMU_BEGIN(Needs::context)
    Stream *stream;
    if (CUresult code = begin_work(handle, call, &stream))
        return code;
    Event *event = event_of(event_handle, call);
    if (!event || event->context != stream->context)
        return CUDA_ERROR_INVALID_HANDLE;
    event->is_captured = stream->capture != 0;
    enqueue(stream, {"record an event", nullptr, {}, {}});
    event->at = tail_of(stream);
    event->is_recorded = true;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuEventSynchronize(CUevent handle)
{
    GP_EMU_BEGIN(Needs::context)
    Event *event = event_of(handle, call);
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event->is_recorded)
        return CUDA_SUCCESS;
    if (CUresult code = event->is_captured ? refuse_wait(event->at.stream) : refuse_unsafe(call.context))
        return code;
    run_until(event->at);
    return call.context->sticky;
}

GP_EMU_CALL cuEventQuery(CUevent handle)
{
    GP_EMU_BEGIN(Needs::context)
    Event *event = event_of(handle, call);
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (CUresult code = event->is_captured ? refuse_wait(event->at.stream) : refuse_unsafe(call.context))
        return code;
    if (!event->is_recorded || event->at.stream->n_done >= event->at.n_done)
        return CUDA_SUCCESS;
    if (settings.pace == Pace::late)
        run_until(event->at);
    return CUDA_ERROR_NOT_READY;
}
