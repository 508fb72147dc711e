/* Fibers: stacks with guard pages below, kept for the next launch, and switches that cost some tens of nanoseconds. */
#ifndef GP_EMU_FIBER_H
#define GP_EMU_FIBER_H

#include <cstddef>

namespace gp_emu {

/* Makes at least n fibers available. Only the thread that holds the emulator's lock uses them. */
void fibers_reserve(int n);

/* Gives fiber `index` a new life: its next resume calls entry(argument), which must end in fiber_leave(). */
void fiber_start(int index, void (*entry)(void *), void *argument);

/* From the scheduler: runs fiber `index` until it leaves. */
void fiber_resume(int index);

/* From a fiber: back to the scheduler. Returns when the fiber is resumed. */
void fiber_leave();

/* True on a fiber's stack. */
bool on_fiber();

/* For the fault handler: the running fiber gives up everything and calls landing(), from whatever state it was in. */
void fiber_redirect(void *signal_context, void (*landing)());

/* Whether an address is in the guard pages of some fiber's stack. */
bool is_stack_guard(const void *address);

} // namespace gp_emu

#endif
