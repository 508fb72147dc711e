/* Working memory in whole cache lines. */
#include "cpu.h"

#include <stdlib.h>

void *gp_cpu_alloc(size_t n_bytes)
{
    if (n_bytes > SIZE_MAX - 128)
        return NULL;
    return aligned_alloc(64, (n_bytes / 64 + 1) * 64);
}
