/* Streams as queues: work with what it waits for, run at once, as late as possible, or interleaved at random. */
#ifndef GP_EMU_STREAMS_H
#define GP_EMU_STREAMS_H

#include "driver_state.h"

#include <deque>
#include <functional>

namespace gp_emu {

/* A place in a stream: reached when so many of its items are done. */
struct Point {
    Stream *stream;
    uint64_t n_done;
};

struct Item {
    std::string what;               /* for messages */
    std::function<int()> run;       /* 0 or the code that poisons the context */
    std::vector<uint64_t> uses;     /* addresses inside the memory that it reads or writes */
    std::vector<Point> after;       /* in other streams */
    size_t to_host_bytes = 0;       /* of a copy to the host */
};

struct Stream {
    Context *context;
    bool is_blocking; /* ordered with the legacy stream */
    bool is_live;
    uint64_t serial;
    std::deque<Item> queue;
    uint64_t n_queued, n_done;
    int capture; /* 0, 1 capturing, 2 invalidated */
    int capture_mode;
    std::thread::id captured_by;
};

struct Event {
    Context *context;
    Point at;
    bool is_recorded, is_live, is_captured;
    uint64_t serial;
};

Stream *new_stream(Context *context, bool is_blocking);
Event *new_event(Context *context);
void end_stream(Stream *stream);
void end_event(Event *event);
void end_streams_of(Context *context); /* and its events */

/* The stream that a handle means for the calling thread in the current context, or NULL after noting a problem. 0 and 1 mean
 * the legacy stream, 2 the calling thread's; others may be of any context. */
Stream *stream_of(CUstream handle, const Call &call);
Event *event_of(CUevent handle, const Call &call);

/* Appends work, after whatever the rules of the legacy stream ask for; runs it if the pace is eager. */
void enqueue(Stream *stream, Item item);

/* Before something is queued: the stream, of the current context, or the code that the call returns (stream_calls.cpp). */
CUresult begin_work(CUstream handle, const Call &call, Stream **out);

/* Runs what is needed so that this point is reached. */
void run_until(Point point);
Point tail_of(const Stream *stream);
void drain_stream(Stream *stream);
void drain_context(Context *context);
void wait_while_any_is_held(const Context *context);
void drain_all();

/* At a random pace: some work may happen now, as on a real device at any time. */
void progress_some();

/* The first queued item that uses this memory, or NULL. */
const Item *queued_user(uint64_t start, size_t n_bytes);
int64_t n_pending();

std::string list_streams();
std::string stream_name(const Stream *stream);

} // namespace gp_emu

#endif
