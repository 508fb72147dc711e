/* Sorts unsigned 64-bit keys, in time proportional to their number and to the number of bits in which they differ. */
#ifndef GP_SORT_H
#define GP_SORT_H

#include "portable.h"

/* Ascending. `spare` has room for n keys, too; returns whichever of the two arrays holds the result. */
uint64_t *gp_sort_keys(uint64_t *keys, uint64_t *spare, int64_t n);

#endif
