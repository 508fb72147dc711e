/* Whether memory has pages yet: the system clears pages at the first write to them, which puts them into the caches. */
#ifndef GP_PAGE_RESIDENCY_H
#define GP_PAGE_RESIDENCY_H

#include "portable.h"

/* Whether most of this memory, by a few probes, has no pages yet. */
bool gp_is_fresh(const void *data, int64_t n_bytes);

#endif
