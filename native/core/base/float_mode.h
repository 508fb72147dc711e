/* The floating-point mode of the running thread: set to the default (no flushing of subnormals), and restored. */
#ifndef GP_FLOAT_MODE_H
#define GP_FLOAT_MODE_H

#include "portable.h"

/*
 * Other libraries switch on flushing of subnormals for the calling thread, and new threads inherit it; a mean of small
 * values would silently be 0. gp_float_mode_enter returns the mode that gp_float_mode_leave restores.
 */
#if defined(__x86_64__) || defined(__SSE2__)
GP_FN uint64_t gp_float_mode_enter(void)
{
    uint64_t before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
    return before;
}
GP_FN void gp_float_mode_leave(uint64_t before) { __builtin_ia32_ldmxcsr((unsigned)before); }
#elif defined(__aarch64__)
GP_FN uint64_t gp_float_mode_enter(void)
{
    uint64_t before;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(before));
    __asm__ __volatile__("msr fpcr, %0" : : "r"((uint64_t)0));
    return before;
}
GP_FN void gp_float_mode_leave(uint64_t before) { __asm__ __volatile__("msr fpcr, %0" : : "r"(before)); }
#else
GP_FN uint64_t gp_float_mode_enter(void) { return 0; }
GP_FN void gp_float_mode_leave(uint64_t before) { (void)before; }
#endif

#endif
