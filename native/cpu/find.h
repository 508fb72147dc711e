/* gp_search: where the first or last element of some kind is, as threads agree on it. */
#ifndef GP_FIND_H
#define GP_FIND_H

#include "sweep.h"

#include <stdatomic.h>

/* Positions are row-major in the plane that the sweep was given. */
typedef struct gp_search {
    const gp_sweep *sweep;
    const gp_look_loops *loops;
    bool is_by_order; /* elements of this order are wanted, else those of these GP_HAS_* kinds */
    int64_t order;
    unsigned kinds;
    bool is_backwards;
    int64_t start;        /* elements from here on, in the direction of the search */
    _Atomic int64_t best; /* the nearest to start so far; one behind the last element where there is none (backwards: -1) */
} gp_search;

void gp_search_init(gp_search *search, const gp_sweep *sweep);

/* Looks for a better one in a box of the sweep's plane. */
void gp_search_box(gp_search *search, int worker, const gp_box *box);

/* The position that was found, or -1. */
int64_t gp_search_found(gp_search *search);

#endif
