/* The order in which threads run, where they meet, and what is wrong when they don't. */
#include "scheduler.h"

#include "control.h"
#include "driver_state.h"
#include "fiber.h"
#include "shared_arena.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <numeric>

namespace gp_emu {

Self *self;
uint3 block_index;
dim3 block_size, grid_size;

namespace {

enum class State { ready, at_barrier, at_warp, done };

struct Thread {
    Self self; /* first: what emu.h points to */
    State state;
    unsigned index;
    int n_shared; /* arrays declared so far */
    /* of a warp function */
    Meet meet;
    unsigned mask;
    uint64_t value, result;
    int operand, width;
    Place place;
};

std::vector<const Kernel *> &kernels()
{
    static std::vector<const Kernel *> list; /* filled before main(), in no known order of files */
    return list;
}

std::vector<Thread> threads;
const Launch *current;
unsigned n_threads, n_at_barrier, n_done;
Place barrier;
int failure;

Thread &me() { return *reinterpret_cast<Thread *>(self); }

const char *meet_name(Meet meet)
{
    switch (meet) {
    case Meet::sync: return "__syncwarp";
    case Meet::shuffle: return "__shfl_sync";
    case Meet::shuffle_down: return "__shfl_down_sync";
    case Meet::shuffle_xor: return "__shfl_xor_sync";
    case Meet::any: return "__any_sync";
    case Meet::all: return "__all_sync";
    case Meet::ballot: return "__ballot_sync";
    }
    return "?";
}

/* The last two parts of a path are enough to find a place. */
std::string place_text(Place place)
{
    std::string file = place.file;
    size_t slash = file.rfind('/');
    return text_of("%s:%d", file.substr(slash == std::string::npos ? 0 : slash + 1).c_str(), place.line);
}

void thread_main(void *argument)
{
    Thread *thread = (Thread *)argument;
    current->kernel->body(current->args.data());
    thread->state = State::done;
    n_done++;
    fiber_leave();
}

void wait_as(State state)
{
    me().state = state;
    fiber_leave();
}

/* ---- a warp's meetings --------------------------------------------------------------------------------------------- */

Thread &lane_of(const Thread &thread, unsigned lane) { return threads[thread.index - thread.self.lane + lane]; }

bool is_lane(const Thread &thread, unsigned lane) { return thread.index - thread.self.lane + lane < n_threads; }

/* The lane whose value this thread gets. */
unsigned source_lane(const Thread &thread)
{
    unsigned lane = thread.self.lane, width = (unsigned)thread.width, first = lane & ~(width - 1);
    switch (thread.meet) {
    case Meet::shuffle: return first + ((unsigned)thread.operand & (width - 1));
    case Meet::shuffle_down: return (lane & (width - 1)) + (unsigned)thread.operand >= width ? lane : lane + (unsigned)thread.operand;
    default: {
        unsigned other = (lane ^ (unsigned)thread.operand) & 31u;
        return other >= first + width ? lane : other;
    }
    }
}

uint64_t result_of(const Thread &thread)
{
    uint64_t ballot = 0;
    if (thread.meet == Meet::any || thread.meet == Meet::all || thread.meet == Meet::ballot) {
        for (unsigned lane = 0; lane < 32; lane++)
            if (thread.mask >> lane & 1u)
                ballot |= lane_of(thread, lane).value << lane;
        return thread.meet == Meet::any ? ballot != 0 : thread.meet == Meet::all ? ballot == thread.mask : ballot;
    }
    if (thread.meet == Meet::sync)
        return 0;
    unsigned from = source_lane(thread);
    if (!(thread.mask >> from & 1u))
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s at %s reads lane %u, which is not in the mask 0x%08x",
                    meet_name(thread.meet), place_text(thread.place).c_str(), from, thread.mask);
    return lane_of(thread, from).value;
}

/* Whether every lane of the mask is in this meeting; fails where one never will be. */
bool is_warp_complete(const Thread &thread)
{
    bool is_complete = true;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(thread.mask >> lane & 1u))
            continue;
        if (!is_lane(thread, lane))
            fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s at %s names lane %u, but the block ends before it",
                        meet_name(thread.meet), place_text(thread.place).c_str(), lane);
        const Thread &other = lane_of(thread, lane);
        if (other.state == State::done)
            fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s at %s waits for lane %u, which has returned",
                        meet_name(thread.meet), place_text(thread.place).c_str(), lane);
        is_complete = is_complete && other.state == State::at_warp && other.meet == thread.meet && other.mask == thread.mask;
    }
    return is_complete;
}

/* ---- the order of threads and blocks ------------------------------------------------------------------------------- */

std::vector<unsigned> order_of(unsigned n)
{
    std::vector<unsigned> order(n);
    std::iota(order.begin(), order.end(), 0u);
    if (settings.order == Order::reverse)
        std::reverse(order.begin(), order.end());
    if (settings.order == Order::random)
        std::shuffle(order.begin(), order.end(), settings.order_random);
    return order;
}

/* Where a thread waits, and which lanes wait elsewhere. */
std::string describe_wait(const Thread &thread)
{
    std::string text = text_of("thread %u waits in %s with mask 0x%08x at %s", thread.index, meet_name(thread.meet),
                               thread.mask, place_text(thread.place).c_str());
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(thread.mask >> lane & 1u) || !is_lane(thread, lane))
            continue;
        const Thread &other = lane_of(thread, lane);
        if (other.state == State::at_warp && (other.meet != thread.meet || other.mask != thread.mask))
            return text + text_of(", its lane %u in %s with mask 0x%08x at %s", lane, meet_name(other.meet), other.mask,
                                  place_text(other.place).c_str());
    }
    return text;
}

/* Nobody can go on: say who waits where. */
void note_deadlock()
{
    failure = CUDA_ERROR_LAUNCH_FAILED;
    std::string where;
    for (unsigned i = 0; i < n_threads && where.empty(); i++)
        if (threads[i].state == State::at_warp)
            where = describe_wait(threads[i]);
    if (n_at_barrier)
        where = text_of("%u of %u threads wait at __syncthreads() at %s, %u have returned%s%s", n_at_barrier, n_threads,
                        place_text(barrier).c_str(), n_done, where.empty() ? "" : "; ", where.c_str());
    note_problem("divergence in kernel %s, block (%u, %u, %u): %s", current->kernel->name.c_str(), block_index.x,
                 block_index.y, block_index.z, where.c_str());
}

void start_threads()
{
    n_done = n_at_barrier = 0;
    for (unsigned i = 0; i < n_threads; i++) {
        Thread &thread = threads[i];
        thread.self.thread_index = {i % block_size.x, i / block_size.x % block_size.y, i / block_size.x / block_size.y};
        thread.self.lane = i % 32;
        thread.index = i;
        thread.state = State::ready;
        thread.n_shared = 0;
        fiber_start((int)i, thread_main, &thread);
    }
}

void run_block()
{
    shared_begin();
    start_threads();
    std::vector<unsigned> order = order_of(n_threads);
    while (n_done < n_threads && !failure) {
        bool is_moving = false;
        for (unsigned i : order) {
            if (threads[i].state != State::ready)
                continue;
            is_moving = true;
            self = &threads[i].self;
            fiber_resume((int)i);
            if (failure)
                break;
        }
        if (n_at_barrier == n_threads) {
            n_at_barrier = 0;
            for (unsigned i = 0; i < n_threads; i++)
                threads[i].state = State::ready;
        } else if (!is_moving && !failure) {
            note_deadlock();
        }
        if (settings.order == Order::random)
            order = order_of(n_threads);
    }
    self = nullptr;
    if (!shared_end(current->kernel->name.c_str()) && !failure)
        failure = CUDA_ERROR_LAUNCH_FAILED;
}

} // namespace

/* ---- called by kernels ---------------------------------------------------------------------------------------------- */

void meet_block(Place place)
{
    if (n_at_barrier && (place.line != barrier.line || std::string(place.file) != barrier.file))
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "divergence: some threads wait at __syncthreads() at %s, others at %s",
                    place_text(barrier).c_str(), place_text(place).c_str());
    barrier = place;
    n_at_barrier++;
    wait_as(State::at_barrier);
}

uint64_t meet_warp(Meet what, unsigned mask, uint64_t value, int operand, int width, Place place)
{
    Thread &thread = me();
    if (!(mask >> thread.self.lane & 1u))
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s at %s: the mask 0x%08x does not contain the calling lane %u",
                    meet_name(what), place_text(place).c_str(), mask, thread.self.lane);
    if (width < 1 || width > 32 || (width & (width - 1)))
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s at %s: a width of %d", meet_name(what), place_text(place).c_str(), width);
    thread.meet = what;
    thread.mask = mask;
    thread.value = value;
    thread.operand = operand;
    thread.width = width;
    thread.place = place;
    thread.state = State::at_warp;
    if (!is_warp_complete(thread)) {
        fiber_leave();
        return thread.result;
    }
    for (unsigned lane = 0; lane < 32; lane++)
        if (mask >> lane & 1u)
            lane_of(thread, lane).result = result_of(lane_of(thread, lane));
    for (unsigned lane = 0; lane < 32; lane++)
        if (mask >> lane & 1u)
            lane_of(thread, lane).state = State::ready;
    if (settings.order == Order::random)
        fiber_leave();
    return thread.result;
}

void *shared_array(const char *name, size_t n_bytes, size_t alignment)
{
    std::string problem;
    void *array = shared_declare(me().n_shared++, name, n_bytes, alignment, &problem);
    if (!array)
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s", problem.c_str());
    return array;
}

std::string describe_thread()
{
    if (!current || !self)
        return "no kernel";
    const Thread &thread = me();
    return text_of("kernel %s, block (%u, %u, %u), thread (%u, %u, %u)", current->kernel->name.c_str(), block_index.x,
                   block_index.y, block_index.z, thread.self.thread_index.x, thread.self.thread_index.y,
                   thread.self.thread_index.z);
}

void fail_launch(int code, const char *format, ...)
{
    char buffer[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    note_problem("%s: %s", describe_thread().c_str(), buffer);
    failure = code;
    fiber_leave();
    __builtin_unreachable(); /* a failed launch resumes no fiber */
}

Registration::Registration(const char *name, const char *module, size_t args_bytes, unsigned max_threads, Body body)
{
    kernels().push_back(new Kernel{name, module, args_bytes, max_threads, body});
}

std::vector<const Kernel *> all_kernels() { return kernels(); }

const Kernel *find_kernel(const std::string &name)
{
    for (const Kernel *kernel : kernels())
        if (kernel->name == name)
            return kernel;
    return nullptr;
}

int run_launch(const Launch &launch)
{
    current = &launch;
    failure = 0;
    block_size = launch.block;
    grid_size = launch.grid;
    n_threads = block_size.x * block_size.y * block_size.z;
    threads.resize(1024);
    fibers_reserve((int)n_threads);
    catch_faults();
    unsigned n_blocks = grid_size.x * grid_size.y * grid_size.z;
    for (unsigned i : order_of(n_blocks)) {
        block_index = {i % grid_size.x, i / grid_size.x % grid_size.y, i / grid_size.x / grid_size.y};
        run_block();
        if (failure)
            break;
    }
    current = nullptr;
    return failure;
}

} // namespace gp_emu
