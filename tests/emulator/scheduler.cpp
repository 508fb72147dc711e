/* The order in which threads run, and what is wrong when none can. */
#include "scheduler.h"

#include "control.h"
#include "driver_state.h"
#include "fiber.h"
#include "shared_arena.h"
#include "threads.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <numeric>

namespace gp_emu {

Self *self;
uint3 block_index;
dim3 block_size, grid_size;
Block block;

namespace {

std::vector<const Kernel *> &kernels()
{
    static std::vector<const Kernel *> list; /* filled before main(), in no known order of files */
    return list;
}

const Launch *current;
int failure;

void thread_main(void *argument)
{
    Thread *thread = (Thread *)argument;
    current->kernel->body(current->args.data());
    thread->state = State::done;
    block.warps[thread->index / 32].done |= 1u << thread->self.lane;
    block.n_done++;
    fiber_leave();
}

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

/* Nobody can go on: say who waits where. */
void note_deadlock()
{
    failure = CUDA_ERROR_LAUNCH_FAILED;
    std::string where;
    for (unsigned i = 0; i < block.n_threads && where.empty(); i++)
        if (block.threads[i].state == State::at_warp)
            where = describe_wait(block.threads[i]);
    if (block.n_at_barrier)
        where = text_of("%u of %u threads wait at __syncthreads() at %s, %u have returned%s%s", block.n_at_barrier,
                        block.n_threads, describe_place(block.barrier).c_str(), block.n_done, where.empty() ? "" : "; ",
                        where.c_str());
    note_problem("divergence in kernel %s, block (%u, %u, %u): %s", current->kernel->name.c_str(), block_index.x, block_index.y,
                 block_index.z, where.c_str());
}

void start_threads()
{
    block.n_done = block.n_at_barrier = 0;
    std::fill(block.warps.begin(), block.warps.end(), Warp());
    for (unsigned i = 0; i < block.n_threads; i++) {
        Thread &thread = block.threads[i];
        thread.self.thread_index = {i % block_size.x, i / block_size.x % block_size.y, i / block_size.x / block_size.y};
        thread.self.lane = i % 32;
        thread.index = i;
        thread.state = State::ready;
        thread.n_shared = 0;
        fiber_start((int)i, thread_main, &thread);
    }
}

/* Lets each thread that can run go as far as it can; false if there was none. */
bool run_round(const std::vector<unsigned> &order)
{
    bool is_moving = false;
    for (unsigned i : order) {
        if (block.threads[i].state != State::ready)
            continue;
        is_moving = true;
        self = &block.threads[i].self;
        fiber_resume((int)i);
        if (failure)
            break;
    }
    return is_moving;
}

void open_barrier()
{
    block.n_at_barrier = 0;
    for (unsigned i = 0; i < block.n_threads; i++)
        block.threads[i].state = State::ready;
}

void run_block(std::vector<unsigned> &order)
{
    shared_begin();
    start_threads();
    while (block.n_done < block.n_threads && !failure) {
        bool is_moving = run_round(order);
        if (failure)
            break;
        if (block.n_at_barrier == block.n_threads)
            open_barrier();
        else if (!is_moving)
            note_deadlock();
        if (settings.order == Order::random)
            order = order_of(block.n_threads);
    }
    self = nullptr;
    if (!shared_end(current->kernel->name.c_str()) && !failure)
        failure = CUDA_ERROR_LAUNCH_FAILED;
}

void begin_launch(const Launch &launch)
{
    current = &launch;
    shared_begin_launch();
    failure = 0;
    block_size = launch.block;
    grid_size = launch.grid;
    block.n_threads = block_size.x * block_size.y * block_size.z;
    block.threads.resize(1024);
    block.warps.resize((block.n_threads + 31) / 32);
    fibers_reserve((int)block.n_threads);
    catch_faults();
}

} // namespace

Thread &running_thread() { return *reinterpret_cast<Thread *>(self); }

void *shared_array(const char *name, size_t n_bytes, size_t alignment)
{
    std::string problem;
    void *array = shared_declare(running_thread().n_shared++, name, n_bytes, alignment, &problem);
    if (!array)
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s", problem.c_str());
    return array;
}

std::string describe_thread()
{
    if (!current || !self)
        return "no kernel";
    const uint3 &thread = self->thread_index;
    return text_of("kernel %s, block (%u, %u, %u), thread (%u, %u, %u)", current->kernel->name.c_str(), block_index.x,
                   block_index.y, block_index.z, thread.x, thread.y, thread.z);
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

Registration::Registration(const char *name, const char *module, bool is_float64_slow, size_t args_bytes, unsigned max_threads,
                           Body body)
{
    kernels().push_back(new Kernel{name, module, is_float64_slow, args_bytes, max_threads, body});
}

std::vector<const Kernel *> all_kernels()
{
    std::vector<const Kernel *> usual;
    for (const Kernel *kernel : kernels())
        if (!kernel->is_float64_slow)
            usual.push_back(kernel);
    return usual;
}

const Kernel *find_kernel(const std::string &name, bool is_float64_slow)
{
    const Kernel *found = nullptr;
    for (const Kernel *kernel : kernels())
        if (kernel->name == name && (!kernel->is_float64_slow || is_float64_slow))
            if (!found || kernel->is_float64_slow)
                found = kernel;
    return found;
}

int run_launch(const Launch &launch)
{
    begin_launch(launch);
    std::vector<unsigned> order = order_of(block.n_threads);
    for (unsigned i : order_of(grid_size.x * grid_size.y * grid_size.z)) {
        block_index = {i % grid_size.x, i / grid_size.x % grid_size.y, i / grid_size.x / grid_size.y};
        run_block(order);
        if (failure)
            break;
    }
    current = nullptr;
    return failure;
}

} // namespace gp_emu
