/* Whether memory has pages yet: the system puts zeros into those that are written first, and so into the caches. */
#ifndef GP_PAGE_RESIDENCY_H
#define GP_PAGE_RESIDENCY_H

#include "portable.h"

/* Most of this memory, by a few probes, is not there yet: the system makes pages when they are first written. */
bool gp_is_fresh(const void *data, int64_t n_bytes);

#endif
