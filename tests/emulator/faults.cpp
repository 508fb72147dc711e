/* Accesses that fault: allowed ones open memory; a kernel's others end its launch, the host's to device memory are noted. */
#include "control.h"
#include "driver_state.h"
#include "fiber.h"
#include "memory.h"
#include "scheduler.h"
#include "shared_arena.h"

#include <csignal>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#include <cstdio>
#include <sanitizer/asan_interface.h>
#endif

namespace gp_emu {
namespace {

struct sigaction before_segv, before_bus;
bool is_caught;
uint64_t fault_address;
thread_local void *signal_stack;
constexpr size_t signal_stack_bytes = 64 * 1024;

/* Runs on the fiber's stack, from its top, instead of the instruction that faulted. */
void give_up_launch()
{
    std::string what = describe_shared((void *)(uintptr_t)fault_address);
    if (is_stack_guard((void *)(uintptr_t)fault_address))
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "the thread's stack is full");
    if (what.empty())
        what = describe_address(fault_address);
    fail_launch(CUDA_ERROR_ILLEGAL_ADDRESS, "out-of-bounds access: %s", what.c_str());
}

void pass_on(int signal, siginfo_t *info, void *context)
{
    const struct sigaction &before = signal == SIGBUS ? before_bus : before_segv;
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
        sigaction(signal, &before, nullptr); /* the instruction faults again, this time for good */
    } else {
        before.sa_handler(signal);
    }
}

void on_fault(int signal, siginfo_t *info, void *context)
{
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    bool is_wrong = false;
    if (on_fiber() && memory_open_at(address))
        return;
    if (on_fiber()) {
        fault_address = address;
        fiber_redirect(context, give_up_launch);
        return;
    }
    /* Pinned memory is hidden while another thread runs a kernel, and the list of memory may be about to change. */
    std::lock_guard<std::recursive_mutex> hold(lock);
    if (memory_allow_host(address, &is_wrong)) {
        if (is_wrong)
            note_problem("the host touched %s", describe_address(address).c_str());
    } else {
        pass_on(signal, info, context);
    }
}

#if defined(__SANITIZE_ADDRESS__)
/* The sanitizer knows the line, the emulator which thread of which kernel it was, and what the memory is. */
void tell_more(const char *)
{
    uint64_t address = (uint64_t)(uintptr_t)__asan_get_report_address();
    std::string shared = describe_shared((void *)(uintptr_t)address);
    fprintf(stderr, "emulated CUDA: %s: %s\n", describe_thread().c_str(),
            (shared.empty() ? describe_address(address) : shared).c_str());
}
#endif

} // namespace

/* Once for each thread that runs kernels a stack for the handler, once for all the handler. */
void catch_faults()
{
    stack_t now;
    sigaltstack(nullptr, &now);
#if defined(__SANITIZE_ADDRESS__)
    __asan_set_error_report_callback(tell_more);
#endif
    if (!signal_stack && (now.ss_flags & SS_DISABLE)) {
        signal_stack = malloc(signal_stack_bytes);
        stack_t mine = {};
        mine.ss_sp = signal_stack;
        mine.ss_size = signal_stack_bytes;
        sigaltstack(&mine, nullptr);
    }
    struct sigaction action = {}, current = {};
    sigaction(SIGSEGV, nullptr, &current);
    if (is_caught && (current.sa_flags & SA_SIGINFO) && current.sa_sigaction == on_fault)
        return;
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
    is_caught = true;
}

} // namespace gp_emu
