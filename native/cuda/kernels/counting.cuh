/* Counting values: gp_counter, which adds a run of equal values at once, and gp_plain_counter. */
#ifndef GP_COUNTING_CUH
#define GP_COUNTING_CUH

#include "device.cuh"

/* Counters of a block or of all blocks (unsigned or unsigned long long), and the one that this thread used last. */
template <class COUNT> struct gp_counter {
    COUNT *counters;
    unsigned last, n_last;

    GP_DEVICE void flush(const gp_counter &c)
    {
        if (c.n_last > 0)
            atomicAdd(&c.counters[c.last], (COUNT)c.n_last);
    }
    GP_DEVICE void add(gp_counter &c, unsigned at)
    {
        if (at != c.last) {
            flush(c);
            c.last = at, c.n_last = 0;
        }
        c.n_last++;
    }
};

/* Counters of a block in shared memory, where an addition costs less than a comparison with the last counter. */
struct gp_plain_counter {
    unsigned *counters;

    GP_DEVICE void flush(const gp_plain_counter &) {}
    GP_DEVICE void add(gp_plain_counter &c, unsigned at) { atomicAdd(&c.counters[at], 1u); }
};

#endif
