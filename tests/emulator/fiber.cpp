/* Switches between the scheduler's stack and those of fibers: a few instructions where known, else ucontext. */
#include "fiber.h"

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define GP_EMU_ASAN 1
#else
#define GP_EMU_ASAN 0
#endif

#if !defined(GP_EMU_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define GP_EMU_UCONTEXT 1
#endif

namespace gp_emu {
namespace {

constexpr size_t stack_bytes = GP_EMU_ASAN ? 256 * 1024 : 64 * 1024;
constexpr size_t guard_bytes = 64 * 1024; /* more than the frame of a function */

struct Fiber {
    char *stack; /* lowest usable byte; guard pages lie below */
    void (*entry)(void *);
    void *argument;
#if defined(GP_EMU_UCONTEXT)
    ucontext_t context;
#else
    void *stack_pointer;
#endif
    void *fake_stack; /* of the sanitizer */
};

std::vector<Fiber *> fibers; /* their addresses stay */
Fiber *running;
thread_local bool is_fiber_here; /* another thread may fault while fibers run in this one */

#if defined(GP_EMU_UCONTEXT)
ucontext_t scheduler_context;
#else
void *scheduler_stack_pointer;
#endif
#if GP_EMU_ASAN
const void *scheduler_stack;
size_t scheduler_stack_bytes;
void *scheduler_fake_stack;
#endif

} // namespace

#if !defined(GP_EMU_UCONTEXT)
extern "C" void gp_emu_switch(void **save, void *load) __attribute__((visibility("hidden")));
#endif

#if !defined(GP_EMU_UCONTEXT) && defined(__x86_64__)
/* Registers that a called function must keep go onto the old stack and come from the new one. */
asm(R"(
.text
.globl gp_emu_switch
.hidden gp_emu_switch
.type gp_emu_switch, @function
gp_emu_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size gp_emu_switch, .-gp_emu_switch
)");
#elif !defined(GP_EMU_UCONTEXT) && defined(__aarch64__)
asm(R"(
.text
.globl gp_emu_switch
.hidden gp_emu_switch
.type gp_emu_switch, %function
gp_emu_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size gp_emu_switch, .-gp_emu_switch
)");
#endif

namespace {

void arrive_on_fiber()
{
#if GP_EMU_ASAN
    __sanitizer_finish_switch_fiber(running->fake_stack, &scheduler_stack, &scheduler_stack_bytes);
#endif
}

void fiber_main()
{
    running->fake_stack = nullptr;
    arrive_on_fiber();
    running->entry(running->argument);
    abort(); /* entries end in fiber_leave() and are not resumed */
}

#if !defined(GP_EMU_UCONTEXT)
/* The stack looks as if fiber_main had been about to be returned to by gp_emu_switch. */
void *first_stack_pointer(Fiber *fiber)
{
    uintptr_t top = (uintptr_t)fiber->stack + stack_bytes;
#if defined(__x86_64__)
    void **at = (void **)(top - 64);
    for (int i = 0; i < 8; i++)
        at[i] = nullptr;
    at[6] = (void *)fiber_main; /* six registers are popped, then this is returned to with rsp = top - 8 */
    return at;
#else
    void **at = (void **)(top - 160);
    for (int i = 0; i < 20; i++)
        at[i] = nullptr;
    at[11] = (void *)fiber_main; /* x30 */
    return at;
#endif
}
#endif

Fiber *new_fiber()
{
    void *map = mmap(nullptr, guard_bytes + stack_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        abort();
    Fiber *fiber = new Fiber();
    fiber->stack = (char *)map + guard_bytes;
    if (mprotect(fiber->stack, stack_bytes, PROT_READ | PROT_WRITE))
        abort();
    return fiber;
}

} // namespace

void fibers_reserve(int n)
{
    while ((int)fibers.size() < n)
        fibers.push_back(new_fiber());
}

void fiber_start(int index, void (*entry)(void *), void *argument)
{
    Fiber *fiber = fibers[(size_t)index];
    fiber->entry = entry;
    fiber->argument = argument;
    fiber->fake_stack = nullptr;
#if GP_EMU_ASAN
    __asan_unpoison_memory_region(fiber->stack, stack_bytes); /* the last life may have been given up midway */
#endif
#if defined(GP_EMU_UCONTEXT)
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = stack_bytes;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, fiber_main, 0);
#else
    fiber->stack_pointer = first_stack_pointer(fiber);
#endif
}

void fiber_resume(int index)
{
    running = fibers[(size_t)index];
    is_fiber_here = true;
#if GP_EMU_ASAN
    __sanitizer_start_switch_fiber(&scheduler_fake_stack, running->stack, stack_bytes);
#endif
#if defined(GP_EMU_UCONTEXT)
    swapcontext(&scheduler_context, &running->context);
#else
    gp_emu_switch(&scheduler_stack_pointer, running->stack_pointer);
#endif
#if GP_EMU_ASAN
    __sanitizer_finish_switch_fiber(scheduler_fake_stack, nullptr, nullptr);
#endif
    running = nullptr;
    is_fiber_here = false;
}

void fiber_leave()
{
    Fiber *fiber = running;
#if GP_EMU_ASAN
    __sanitizer_start_switch_fiber(&fiber->fake_stack, scheduler_stack, scheduler_stack_bytes);
#endif
#if defined(GP_EMU_UCONTEXT)
    swapcontext(&fiber->context, &scheduler_context);
#else
    gp_emu_switch(&fiber->stack_pointer, scheduler_stack_pointer);
#endif
    arrive_on_fiber();
}

bool on_fiber() { return is_fiber_here; }

void fiber_redirect(void *signal_context, void (*landing)())
{
    ucontext_t *context = (ucontext_t *)signal_context;
    uintptr_t top = (uintptr_t)running->stack + stack_bytes;
#if defined(__x86_64__)
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)(top - 8);
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)landing;
#elif defined(__aarch64__)
    context->uc_mcontext.sp = top;
    context->uc_mcontext.pc = (uintptr_t)landing;
#else
    (void)top;
    (void)context;
    (void)landing;
    abort();
#endif
}

bool is_stack_guard(const void *address)
{
    for (Fiber *fiber : fibers)
        if ((const char *)address < fiber->stack && (const char *)address >= fiber->stack - guard_bytes)
            return true;
    return false;
}

} // namespace gp_emu
