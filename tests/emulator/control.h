/* What tests set and read: modes, injected failures, counts of calls, and the problems found so far. */
#ifndef GP_EMU_CONTROL_H
#define GP_EMU_CONTROL_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace gp_emu {

enum class Order { forward, reverse, random, compare };
enum class Pace { eager, late, random };

struct Settings {
    Order order = Order::forward;
    Pace pace = Pace::eager;
    std::mt19937_64 order_random{1}, pace_random{1};
    uint64_t calls_per_item = 1; /* at a random pace: how many calls pass, on average, while one item runs */
    bool check_streams = false;
    std::vector<uint64_t> allowed_streams;
    int n_devices = 2;
    int driver_version = 13000;
    int n_processors = 0; /* of each device; 0: a few */
    bool has_pools = true; /* EMU_POOLS=0: a device without memory pools */
    int capability = 0; /* 10 major + minor, of each device; 0: 90, and 80 of the others */
    int alignment = 256; /* of memory that is handed out */
    uint64_t held_bytes = 0; /* copies to the host of so many bytes or more do not run; 0: all do */
};
extern Settings settings;

/* Held by every call of the driver and by the control functions; kernels run with it held. */
extern std::recursive_mutex lock;

/* Writes down something that the program under test did wrong. */
void note_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
const std::vector<std::string> &problems_found();

/* Counts the call, and says which code the tests want it to fail with (0: none). */
int begin_call(const char *name);

/* A formatted string. */
std::string text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copies text to the caller's buffer as far as it fits; returns the bytes that all of it needs, with its end. */
int64_t give_text(const std::string &text, char *out, int64_t n_bytes);

} // namespace gp_emu

/* Functions for tests are exported, everything else is hidden. */
#define GP_EMU_API extern "C" __attribute__((visibility("default")))

#endif
