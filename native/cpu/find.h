/* gp_search: the search of several threads for the first or last element of some kinds. */
#ifndef GP_FIND_H
#define GP_FIND_H

#include "read/plane_scan.h"

#include <stdatomic.h>

/* Positions are row-major in the scan's original plane. */
typedef struct gp_search {
    const gp_plane_scan *scan;
    const gp_block_loops *loops;
    bool is_by_order; /* an element of this order is wanted, else one of these GP_HAS_* kinds */
    int64_t order;
    unsigned kinds;
    bool is_backwards;
    int64_t start;        /* the first position that is searched, in the direction of the search */
    _Atomic int64_t best; /* the nearest to start so far; until then one after the last element (backwards: -1) */
} gp_search;

void gp_search_init(gp_search *search, const gp_plane_scan *scan);

/* Searches a box of the scan's plane for a nearer element. */
void gp_search_box(gp_search *search, int worker, const gp_scan_box *box);

/* The position that was found, or -1. */
int64_t gp_search_found(gp_search *search);

#endif
