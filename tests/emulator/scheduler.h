/* Runs a kernel: blocks one after another, one fiber for each thread, barriers and warp functions as meetings of fibers. */
#ifndef GP_EMU_SCHEDULER_H
#define GP_EMU_SCHEDULER_H

#include "emu.h"

#include <string>
#include <vector>

namespace gp_emu {

struct Kernel {
    std::string name, module;
    bool is_float64_slow; /* compiled for devices where it is */
    size_t args_bytes;
    unsigned max_threads;
    Body body;
};

/* That of a device whose float64 is slow, or not; where one is compiled for both it is the same. NULL where no kernel has this name. */
const Kernel *find_kernel(const std::string &name, bool is_float64_slow);

/* Those of devices whose float64 is not slow, which are all names that there are. */
std::vector<const Kernel *> all_kernels();

struct Launch {
    const Kernel *kernel;
    dim3 grid, block;
    int device;
    std::vector<char> args;
};

/* Runs all blocks; 0, or the code that poisons the context after a problem was noted. */
int run_launch(const Launch &launch);

/* The same three times, in all orders, for Order::compare (compare.cpp). */
int run_in_all_orders(const Launch &launch);

/* From the running fiber: gives the launch up. */
void fail_launch(int code, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/* The kernel, block and thread that run, for messages. */
std::string describe_thread();

/* Makes forbidden accesses of kernels a failed launch, and of host code a problem (faults.cpp). */
void catch_faults();

} // namespace gp_emu

#endif
