/* The threads of the one block that runs: what the scheduler and the meetings of threads share. */
#ifndef GP_EMU_THREADS_H
#define GP_EMU_THREADS_H

#include "scheduler.h"

namespace gp_emu {

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

/* Lanes that have come to one warp function with one mask. */
struct Meeting {
    Meet meet;
    unsigned mask, arrived; /* arrived 0: free */
};

struct Warp {
    Meeting meetings[32];
    unsigned done; /* lanes that have returned */
};

struct Block {
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    unsigned n_threads, n_at_barrier, n_done;
    Place barrier; /* where those at the barrier wait */
};
extern Block block;

Thread &running_thread();

/* Where a thread waits in a warp function, and which of its lanes wait elsewhere. */
std::string describe_wait(const Thread &thread);
std::string describe_place(Place place);

} // namespace gp_emu

#endif
