/* The functions that tests call beside the driver's: modes, injected failures, counts, problems. */
#include "control.h"

#include "memory.h"
#include "streams.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace gp_emu {

Settings settings;
std::recursive_mutex lock;

namespace {

struct Fault {
    std::string call;
    int64_t nth;
    int code;
    bool is_sticky;
};

constexpr size_t max_problems = 200;
std::vector<std::string> problems;
std::map<std::string, int64_t> counts;
std::vector<Fault> faults;
int64_t n_faults_raised;

int number_from(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? atoi(text) : otherwise;
}

/* What must be set before the first call can be given by the environment. */
struct FromEnvironment {
    FromEnvironment()
    {
        settings.n_devices = number_from("EMU_DEVICES", 2);
        settings.driver_version = number_from("EMU_DRIVER_VERSION", 13000);
        settings.n_processors = number_from("EMU_PROCESSORS", 0);
        settings.capability = number_from("EMU_CAPABILITY", 0);
        settings.has_pools = number_from("EMU_POOLS", 1) != 0;
        int init = number_from("EMU_INIT_CODE", 0);
        if (init)
            faults.push_back({"cuInit", 1, init, false});
    }
} from_environment;

/* A program that asks for no list of problems gets them at its end. With EMU_STRICT=1 it then fails. */
struct AtExit {
    ~AtExit()
    {
        for (const std::string &problem : problems)
            fprintf(stderr, "emulated CUDA: %s\n", problem.c_str());
        if (!problems.empty() && number_from("EMU_STRICT", 0))
            _exit(1);
    }
} at_exit;

} // namespace

std::string text_of(const char *format, ...)
{
    char buffer[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return buffer;
}

int64_t give_text(const std::string &text, char *out, int64_t n_bytes)
{
    if (out && n_bytes > 0) {
        size_t n = std::min(text.size(), (size_t)n_bytes - 1);
        memcpy(out, text.data(), n);
        out[n] = 0;
    }
    return (int64_t)text.size() + 1;
}

void note_problem(const char *format, ...)
{
    char buffer[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    if (problems.size() < max_problems)
        problems.push_back(buffer);
}

const std::vector<std::string> &problems_found() { return problems; }

int begin_call(const char *name)
{
    counts[name]++;
    int code = 0;
    for (size_t i = 0; i < faults.size();) {
        Fault &fault = faults[i];
        bool is_meant = fault.call == name || (fault.call == "*" && !strncmp(name, "cu", 2));
        if (!is_meant || --fault.nth > 0) {
            i++;
            continue;
        }
        code = fault.code;
        n_faults_raised++;
        if (fault.is_sticky) {
            fault.nth = 1;
            i++;
        } else {
            faults.erase(faults.begin() + (long)i);
        }
    }
    return code;
}

} // namespace gp_emu

using namespace gp_emu;

GP_EMU_API void emu_recover(void);
GP_EMU_API void emu_set_memory_limit(int device, uint64_t n_bytes);

GP_EMU_API void emu_set_order(int order, uint64_t seed)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    settings.order = (Order)order;
    settings.order_random.seed(seed);
}

GP_EMU_API void emu_set_streams(int pace, uint64_t seed)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    drain_all();
    settings.pace = (Pace)pace;
    settings.pace_random.seed(seed);
    settings.calls_per_item = 1u << settings.pace_random() % 6; /* a fast or a slow device */
}

GP_EMU_API void emu_set_devices(int n)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    settings.n_devices = n;
}

GP_EMU_API void emu_set_driver_version(int version)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    settings.driver_version = version;
}

GP_EMU_API void emu_set_alignment(int n_bytes)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    settings.alignment = n_bytes;
}

/* Everything as at the start, but for what is allocated: forward, eager, no faults, nothing found or counted. */
GP_EMU_API void emu_reset(void)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    faults.clear();
    emu_recover();
    settings.order = Order::forward;
    settings.pace = Pace::eager;
    settings.alignment = 256;
    settings.check_streams = false;
    settings.held_bytes = 0;
    for (int device = 0; device < max_devices; device++)
        emu_set_memory_limit(device, 0);
    n_faults_raised = 0;
    problems.clear();
    counts.clear();
}

/* n below zero: any stream will do. */
GP_EMU_API void emu_allow_streams(const uint64_t *streams, int n)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    settings.check_streams = n >= 0;
    settings.allowed_streams.assign(streams, streams + (n > 0 ? n : 0));
}

/* The nth call from now of that name ("*": of any; "execute": running a kernel) fails, and if sticky every later one. */
GP_EMU_API void emu_fail(const char *call, int64_t nth, int code, int is_sticky)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    faults.push_back({call, nth, code, is_sticky != 0});
}

GP_EMU_API void emu_fail_clear(void)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    faults.clear();
    n_faults_raised = 0;
}

GP_EMU_API int64_t emu_failures(void)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    return n_faults_raised;
}

GP_EMU_API int64_t emu_counts(char *out, int64_t n_bytes)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    std::string text;
    for (const auto &entry : counts)
        text += text_of("%s %lld\n", entry.first.c_str(), (long long)entry.second);
    return give_text(text, out, n_bytes);
}

GP_EMU_API void emu_counts_clear(void)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    counts.clear();
}

GP_EMU_API int64_t emu_problems(char *out, int64_t n_bytes)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    check_fences("somebody");
    std::string text;
    for (const std::string &problem : problems)
        text += problem + "\n";
    return give_text(text, out, n_bytes);
}

GP_EMU_API void emu_problems_clear(void)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    problems.clear();
}

GP_EMU_API int64_t emu_leaks(char *out, int64_t n_bytes)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    return give_text(list_memory() + list_handles(), out, n_bytes);
}
