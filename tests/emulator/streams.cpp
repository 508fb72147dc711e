/* The queues: what waits for what, and when work runs. */
#include "streams.h"

#include "memory.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <thread>

namespace gp_emu {
namespace {

std::vector<Stream *> streams; /* never deleted: points in them stay valid */
std::vector<Event *> events;
uint64_t n_events;

bool is_reached(const Point &point) { return point.stream->n_done >= point.n_done; }

std::atomic<int> n_waiting; /* threads that wait for a copy that is held */

bool is_held(const Item &item) { return settings.held_bytes && item.to_host_bytes >= settings.held_bytes; }

/* As on a real device: other threads go on while this one waits. A call of the driver holds the lock once. */
void wait_while_held(const Stream *stream)
{
    n_waiting++;
    while (!stream->queue.empty() && is_held(stream->queue.front())) {
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        lock.lock();
    }
    n_waiting--;
}

bool is_ready(const Stream *stream)
{
    if (stream->queue.empty() || is_held(stream->queue.front()))
        return false;
    const Item &item = stream->queue.front();
    return std::all_of(item.after.begin(), item.after.end(), is_reached);
}

/* Kernels run with the floating-point modes of a GPU, whatever another library set in this thread. */
int run_item(Stream *stream, const Item &item)
{
    Context *context = stream->context;
    int code = begin_call("execute");
    if (code || context->sticky)
        return code;
    fenv_t modes;
    fegetenv(&modes);
    fesetenv(FE_DFL_ENV);
    memory_open(context->device);
    code = item.run();
    memory_close(context->device);
    fesetenv(&modes);
    return code;
}

void run_first(Stream *stream)
{
    Item item = std::move(stream->queue.front());
    stream->queue.pop_front();
    int code = item.run ? run_item(stream, item) : 0;
    stream->n_done++;
    if (code && !stream->context->sticky)
        stream->context->sticky = code;
}

void add_legacy_rules(Stream *stream, Item &item)
{
    if (!stream->is_blocking)
        return;
    Context *context = stream->context;
    if (stream != context->legacy) {
        item.after.push_back(tail_of(context->legacy));
        return;
    }
    for (Stream *other : streams)
        if (other->context == context && other->is_blocking && other != stream)
            item.after.push_back(tail_of(other));
}

} // namespace

Stream *new_stream(Context *context, bool is_blocking)
{
    Stream *stream = new Stream();
    stream->context = context;
    stream->is_blocking = is_blocking;
    stream->is_live = true;
    stream->serial = streams.size() + 1;
    streams.push_back(stream);
    return stream;
}

Event *new_event(Context *context)
{
    Event *event = new Event();
    event->context = context;
    event->is_live = true;
    event->serial = ++n_events;
    events.push_back(event);
    add_handle(Handle::event, event);
    return event;
}

void end_stream(Stream *stream)
{
    drain_stream(stream);
    stream->is_live = false;
    end_handle(stream);
}

void end_event(Event *event)
{
    event->is_live = false;
    end_handle(event);
    events.erase(std::remove(events.begin(), events.end(), event), events.end());
}

void end_streams_of(Context *context)
{
    drain_context(context);
    const std::vector<Event *> before = events;
    for (Stream *stream : streams)
        if (stream->context == context && stream->is_live)
            end_stream(stream);
    for (Event *event : before)
        if (event->context == context)
            end_event(event);
}

std::string stream_name(const Stream *stream)
{
    if (stream == stream->context->legacy)
        return "the legacy stream";
    return text_of("stream %llu", (unsigned long long)stream->serial);
}

static void check_allowed(CUstream handle, const Call &call)
{
    if (!settings.check_streams)
        return;
    for (uint64_t allowed : settings.allowed_streams)
        if (allowed == (uint64_t)(uintptr_t)handle)
            return;
    note_problem("%s was called on stream 0x%llx, which this test does not allow", call.name,
                 (unsigned long long)(uintptr_t)handle);
}

Stream *stream_of(CUstream handle, const Call &call)
{
    check_allowed(handle, call);
    Context *context = call.context;
    if (handle == nullptr || handle == CU_STREAM_LEGACY)
        return context->legacy;
    if (handle == CU_STREAM_PER_THREAD) {
        Stream *&mine = context->per_thread[std::this_thread::get_id()];
        if (!mine)
            mine = new_stream(context, true);
        return mine;
    }
    if (!is_handle(Handle::stream, handle)) {
        note_problem("%s was given 0x%llx, which is not a stream", call.name, (unsigned long long)(uintptr_t)handle);
        return nullptr;
    }
    return (Stream *)handle;
}

Event *event_of(CUevent handle, const Call &call)
{
    if (!is_handle(Handle::event, handle)) {
        note_problem("%s was given 0x%llx, which is not an event", call.name, (unsigned long long)(uintptr_t)handle);
        return nullptr;
    }
    return (Event *)handle;
}

Point tail_of(const Stream *stream) { return {const_cast<Stream *>(stream), stream->n_queued}; }

void enqueue(Stream *stream, Item item)
{
    if (stream->capture)
        return;
    add_legacy_rules(stream, item);
    item.after.erase(std::remove_if(item.after.begin(), item.after.end(), is_reached), item.after.end());
    stream->queue.push_back(std::move(item));
    stream->n_queued++;
    if (settings.pace == Pace::eager)
        drain_stream(stream);
}

void progress_some()
{
    if (settings.pace != Pace::random)
        return;
    if (settings.pace_random() % settings.calls_per_item)
        return;
    std::vector<Stream *> ready;
    std::copy_if(streams.begin(), streams.end(), std::back_inserter(ready), is_ready);
    if (!ready.empty())
        run_first(ready[settings.pace_random() % ready.size()]);
}

void run_until(Point point)
{
    Stream *stream = point.stream;
    while (!is_reached(point)) {
        progress_some();
        wait_while_held(stream);
        if (is_reached(point))
            return;
        std::vector<Point> after = stream->queue.front().after;
        for (const Point &other : after)
            run_until(other);
        if (!is_reached(point) && is_ready(stream))
            run_first(stream);
    }
}

void drain_stream(Stream *stream) { run_until(tail_of(stream)); }

void drain_context(Context *context)
{
    for (size_t i = 0; i < streams.size(); i++)
        if (streams[i]->context == context)
            drain_stream(streams[i]);
}

void wait_while_any_is_held(const Context *context)
{
    for (size_t i = 0; i < streams.size(); i++)
        if (streams[i]->context == context)
            wait_while_held(streams[i]);
}

void drain_all()
{
    for (size_t i = 0; i < streams.size(); i++)
        drain_stream(streams[i]);
}

const Item *queued_user(uint64_t start, size_t n_bytes)
{
    for (const Stream *stream : streams)
        for (const Item &item : stream->queue)
            for (uint64_t address : item.uses)
                if (address >= start && address - start <= n_bytes)
                    return &item;
    return nullptr;
}

int64_t n_pending()
{
    int64_t n = 0;
    for (const Stream *stream : streams)
        n += (int64_t)stream->queue.size();
    return n;
}

std::string list_streams()
{
    std::string text;
    for (const Stream *stream : streams)
        if (is_handle(Handle::stream, stream))
            text += text_of("stream %llu of device %d\n", (unsigned long long)stream->serial, stream->context->device);
    for (const Event *event : events)
        text += text_of("event %llu of device %d\n", (unsigned long long)event->serial, event->context->device);
    return text;
}

} // namespace gp_emu

using namespace gp_emu;

/* Runs everything that is queued anywhere. */
GP_EMU_API void emu_drain(void)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    drain_all();
}

/* From now on copies to the host of so many bytes or more wait, and whoever waits for them; 0 lets them go. */
GP_EMU_API void emu_hold_copies(uint64_t n_bytes)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    settings.held_bytes = n_bytes;
}

/* How many threads wait for a copy that is held. */
GP_EMU_API int64_t emu_waiting(void) { return n_waiting; }

GP_EMU_API int64_t emu_pending(void)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    return n_pending();
}
