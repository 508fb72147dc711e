/* The emulated driver's objects that live in no queue: devices, contexts and what is current, modules, and their handles. */
#ifndef GP_EMU_DRIVER_STATE_H
#define GP_EMU_DRIVER_STATE_H

#include "control.h"

#include "../../native/cuda/runtime/driver.h"

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace gp_emu {

constexpr int max_devices = 4;

/* Codes that gpuplot's table has no name for. */
enum {
    INVALID_SOURCE = 300,
    NOT_PERMITTED = 800,
    CONTEXT_IS_DESTROYED = 709,
    LAUNCH_OUT_OF_RESOURCES = 701,
    HOST_MEMORY_NOT_REGISTERED = 713,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_UNMATCHED = 903
};

struct Stream;

struct Context {
    int device;
    bool is_primary, is_live;
    int n_retained;
    int sticky; /* code that every later call gives, after a kernel failed */
    uint64_t serial;
    Stream *legacy;
    std::map<std::thread::id, Stream *> per_thread;
};

struct Module {
    Context *context;
    std::string name; /* empty where the image does not tell */
    std::string arch; /* "sm_90", "compute_75" */
    bool is_live;
};

struct Kernel;
struct Function {
    Module *module;
    const Kernel *kernel;
};

/* ---- contexts ----------------------------------------------------------------------------------------------------- */

/* The primary context of a device, made at the first call. It is live while somebody retains it. */
Context *primary_context(int device);
Context *new_context(int device, bool is_primary);
void end_context(Context *context);

/* Ends all that was made in a primary context but who retained it: the next to ask for it gets a new one of the same handle. */
void reset_context(Context *context);
void end_modules_of(Context *context);

/* 10 major + minor. */
int capability_of(int device);

/* The context that is current to the calling thread, or NULL. */
Context *current_context();
std::vector<Context *> &context_stack();

/* ---- handles: every object that a call returned, so that one that was never made, or was ended, is told apart ------ */

enum class Handle { context, stream, event, module, function, pool };
void add_handle(Handle kind, const void *handle);
void end_handle(const void *handle);
bool is_handle(Handle kind, const void *handle);

/* One line for each live stream, event, module and retained context. */
std::string list_handles();
std::string list_modules();
std::string list_pools();
void end_pools_of(int device);

/* ---- the beginning of every call ------------------------------------------------------------------------------------ */

enum class Needs { nothing, init, context };

/* Holds the lock, counts, injects failures, checks for fork, cuInit and a current context; code 0 when all is well. */
class Call {
  public:
    Call(const char *call_name, Needs needs);
    ~Call();
    int code;             /* to be returned at once */
    int failure;          /* injected or sticky: what a releasing call returns when it is done */
    Context *context;     /* current one, for Needs::context */
    const char *name;

  private:
    std::lock_guard<std::recursive_mutex> hold;
};

/* Begins a call that makes or queues something. */
#define GP_EMU_BEGIN(needs)                                                                                                      \
    Call call(__func__, needs);                                                                                                  \
    if (call.code)                                                                                                               \
        return call.code;                                                                                                        \
    if (call.failure)                                                                                                            \
        return call.failure;

/* Begins a call that releases something: it does so even where it reports an earlier failure. */
#define GP_EMU_BEGIN_RELEASE(needs)                                                                                              \
    Call call(__func__, needs);                                                                                                  \
    if (call.code)                                                                                                               \
        return call.code;

void set_initialized();
const char *error_name(int code);

} // namespace gp_emu

#define GP_EMU_CALL extern "C" __attribute__((visibility("default"))) CUresult

#endif
